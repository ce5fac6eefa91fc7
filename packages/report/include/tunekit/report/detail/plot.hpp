// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Scales, ticks and the strokes of an SVG.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/text.hpp"
#include "tunekit/report/detail/markup.hpp"

namespace tunekit::report::detail {

/// Values from low to high as places from `from` to `to`.
struct scale {
    double low = 0, high = 1, from = 0, to = 1;
    bool log = false;

    [[nodiscard]] double operator()(double x) const
    {
        const double part = log ? std::log(x / low) / std::log(high / low) : (x - low) / (high - low);
        return from + (to - from) * std::clamp(part, 0.0, 1.0);
    }

    /// Round values within, about `most` of them.
    [[nodiscard]] std::vector<double> ticks(std::size_t most) const
    {
        std::vector<double> out;
        if (log && high / low > 4) {
            for (const bool fine : {true, false}) {
                out.clear();
                for (double power = std::pow(10, std::floor(std::log10(low))); power <= high * 1.0001; power *= 10)
                    for (const double m : {1.0, 2.0, 5.0})
                        if ((fine || m == 1) && m * power >= low * 0.9999 && m * power <= high * 1.0001)
                            out.push_back(m * power);
                if (out.size() <= most) return out;
            }
            std::vector<double> few;
            for (std::size_t i = 0; i < out.size(); i += (out.size() + most - 1) / most) few.push_back(out[i]);
            return few;
        }
        const double raw = (high - low) / static_cast<double>(most);
        const double power = std::pow(10, std::floor(std::log10(raw)));
        double step = 10 * power;
        for (const double m : {5.0, 2.0, 1.0})
            if (m * power >= raw * 0.9999) step = m * power;
        for (double k = std::ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k += 1)
            out.push_back(k == 0 ? 0 : k * step);  // never -0
        return out;
    }
};

/// A scale that holds `low` to `high` with a little room; never of no length, and by the logarithm of nine decades at
/// most.
[[nodiscard]] inline scale scale_of(double low, double high, double from, double to, bool log)
{
    if (log) {
        high = (std::min)(high, 1e9 * low);
        const double room = (std::max)(1.03, std::pow(high / low, 0.04));
        return {low / room, high * room, from, to, true};
    }
    if (!(high > low)) high = low + 1;
    return {low, high, from, to, false};
}

/// An SVG that is written stroke by stroke. Styles are classes, whose colours are the page's.
class drawing {
public:
    drawing(double width, double height, std::string_view alternative, std::string_view more = {})
    {
        add(opened("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
                           {"class", more.empty() ? "chart" : "chart " + std::string(more)},
                           {"viewBox", "0 0 " + at(width, height)},
                           {"role", "img"},
                           {"aria-label", std::string(alternative)}}) +
            '>');
    }

    void add(std::string_view text) { text_ += text; }

    void line(const char* style, double x0, double y0, double x1, double y1)
    {
        path(style, 'M' + at(x0, y0) + 'L' + at(x1, y1));
    }
    void rect(const char* style, double x, double y, double w, double h, std::string_view tip = {},
              std::string_view opacity = {})
    {
        shape("rect", tip,
              {{"class", style},
               {"x", place(x)},
               {"y", place(y)},
               {"width", place((std::max)(0.0, w))},
               {"height", place((std::max)(0.0, h))},
               {"fill-opacity", std::string(opacity)}});
    }
    void circle(const char* style, double x, double y, double r, std::string_view tip = {})
    {
        shape("circle", tip, {{"class", style}, {"cx", place(x)}, {"cy", place(y)}, {"r", place(r)}});
    }
    /// `anchor`: start, middle or end.
    void text(const char* style, double x, double y, std::string_view words, const char* anchor = "start",
              std::string_view tip = {})
    {
        add(element("text", {{"class", style}, {"x", place(x)}, {"y", place(y)}, {"text-anchor", anchor}},
                    escaped(words) + titled(tip)));
    }
    /// Many round dots in one path: as short as points can be written.
    void dots(const char* style, const std::vector<std::pair<double, double>>& points)
    {
        std::string d;
        for (const auto& [x, y] : points) d += 'M' + at(x, y) + "h0";
        if (!d.empty()) path(style, d);
    }
    void path(const char* style, std::string d, std::string_view dashes = {})
    {
        shape("path", {}, {{"class", style}, {"stroke-dasharray", std::string(dashes)}, {"d", std::move(d)}});
    }

    [[nodiscard]] std::string text() && { return std::move(text_) + "</svg>"; }

    [[nodiscard]] static std::string place(double x)
    {
        std::string out = core::text_of(x, std::chars_format::fixed, 1);
        if (out.ends_with(".0")) out.resize(out.size() - 2);
        return out == "-0" ? "0" : out;
    }
    [[nodiscard]] static std::string at(double x, double y) { return place(x) + ' ' + place(y); }

private:
    [[nodiscard]] static std::string titled(std::string_view tip)
    {
        return tip.empty() ? std::string() : styled("title", {}, tip);
    }
    void shape(std::string_view tag, std::string_view tip, std::initializer_list<attribute> with)
    {
        add(tip.empty() ? opened(tag, with) + "/>" : element(tag, with, titled(tip)));
    }

    std::string text_;
};

/// A tick's value: a round number, as short as it is.
[[nodiscard]] inline std::string tick_text(double x) { return core::text_of(x, std::chars_format::general, 4); }

/// About how wide a text of 12 px is.
[[nodiscard]] inline double width_of(std::string_view text) { return 6.6 * static_cast<double>(characters_of(text)); }

}  // namespace tunekit::report::detail
