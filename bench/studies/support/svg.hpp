// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Line charts as SVG: what the studies' pictures are drawn with.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace programs {

/// One line of a chart.
struct chart_line {
    std::string name;
    std::vector<std::pair<double, double>> points;
    bool dashed = false;
};

struct chart {
    std::string title, x, y;  ///< of the axes, with units
    bool log_x = false;
    std::vector<chart_line> lines;
};

namespace detail {

inline constexpr std::array<const char*, 10> chart_colours{"#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e",
                                                           "#8c564b", "#e377c2", "#7f7f7f", "#bcbd22", "#17becf"};

/// A round step that cuts `range` into about five.
inline double tick_step(double range)
{
    const double raw = range / 5, power = std::pow(10, std::floor(std::log10(raw)));
    for (const double m : {1.0, 2.0, 5.0})
        if (m * power >= raw) return m * power;
    return 10 * power;
}

inline std::string chart_number(double v)
{
    char text[32];
    std::snprintf(text, sizeof text, "%g", v);
    return text;
}

inline std::string escaped(const std::string& text)
{
    std::string out;
    for (const char c : text) out += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
    return out;
}

}  // namespace detail

/// The chart, 760 x 420, legend beside it. Lines without points are left out. From the eleventh on they are dotted, because
/// colours return.
inline std::string to_svg(const chart& c)
{
    constexpr double left = 70, top = 40, width = 460, height = 320;
    double x0 = std::numeric_limits<double>::infinity(), x1 = -x0, y0 = x0, y1 = -x0;
    for (const auto& line : c.lines)
        for (const auto& [x, y] : line.points) {
            x0 = (std::min)(x0, x), x1 = (std::max)(x1, x);
            y0 = (std::min)(y0, y), y1 = (std::max)(y1, y);
        }
    if (!(x1 > x0)) x1 = x0 + 1;
    if (!(y1 > y0)) y1 = y0 + 1;
    y1 += 0.03 * (y1 - y0), y0 -= 0.03 * (y1 - y0);
    const auto along = [&](double x) { return c.log_x ? std::log(x / x0) / std::log(x1 / x0) : (x - x0) / (x1 - x0); };
    std::string out;
    const auto add = [&out](const char* format, auto... values) {
        if constexpr (sizeof...(values) == 0) {
            out += format;
        } else {
            char text[400];
            std::snprintf(text, sizeof text, format, values...);
            out += text;
        }
    };
    const auto px = [&](double x) { return left + width * along(x); };
    const auto py = [&](double y) { return top + height * (1 - (y - y0) / (y1 - y0)); };
    add("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"760\" height=\"420\" font-family=\"sans-serif\" "
        "font-size=\"12\">\n"
        "<rect width=\"760\" height=\"420\" fill=\"white\"/>\n");
    add("<text x=\"%g\" y=\"22\" font-size=\"14\">", left);
    out += detail::escaped(c.title) + "</text>\n";
    add("<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" fill=\"none\" stroke=\"#444\"/>\n", left, top, width,
        height);
    const auto x_tick = [&](double x) {
        add("<path d=\"M%.1f %g v5\" stroke=\"#444\"/><text x=\"%.1f\" y=\"%g\" text-anchor=\"middle\">%s</text>\n",
            px(x), top + height, px(x), top + height + 18, detail::chart_number(x).c_str());
    };
    if (c.log_x) {
        for (double x = std::pow(10, std::ceil(std::log10(x0) - 1e-9)); x <= x1 * (1 + 1e-9); x *= 10) x_tick(x);
    } else {
        const double step = detail::tick_step(x1 - x0);
        for (double x = std::ceil(x0 / step) * step; x <= x1; x += step) x_tick(x);
    }
    const double step = detail::tick_step(y1 - y0);
    for (double y = std::ceil(y0 / step) * step; y <= y1; y += step)
        add("<path d=\"M%g %.1f h-5\" stroke=\"#444\"/><text x=\"%g\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", left,
            py(y), left - 8, py(y) + 4, detail::chart_number(y).c_str());
    add("<text x=\"%g\" y=\"%g\" text-anchor=\"middle\">%s</text>\n", left + width / 2, top + height + 38,
        detail::escaped(c.x).c_str());
    add("<text transform=\"translate(18 %g) rotate(-90)\" text-anchor=\"middle\">%s</text>\n", top + height / 2,
        detail::escaped(c.y).c_str());
    std::size_t k = 0;
    for (const auto& line : c.lines) {
        if (line.points.empty()) continue;
        const char* const colour = detail::chart_colours[k % detail::chart_colours.size()];
        const char* const dash = line.dashed                         ? " stroke-dasharray=\"6 4\""
                                 : k >= detail::chart_colours.size() ? " stroke-dasharray=\"2 2\""
                                                                     : "";
        out +=
            "<polyline fill=\"none\" stroke-width=\"1.6\" stroke=\"" + std::string(colour) + '"' + dash + " points=\"";
        for (const auto& [x, y] : line.points) add("%.1f,%.1f ", px(x), py(y));
        out += "\"/>\n";
        const double at = top + 8 + 20 * static_cast<double>(k);
        add("<path d=\"M%g %g h24\" stroke-width=\"2\" stroke=\"%s\"%s/><text x=\"%g\" y=\"%g\">%s</text>\n",
            left + width + 12, at, colour, dash, left + width + 42, at + 4, detail::escaped(line.name).c_str());
        ++k;
    }
    return out + "</svg>\n";
}

}  // namespace programs
