// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Line charts: curves over one axis, with their names at their ends.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/report/detail/plot.hpp"
#include "tunekit/report/figures.hpp"

namespace tunekit::report {

/// A picture of several curves over one axis.
struct line_chart {
    /// A curve: its name and its values.
    struct curve {
        std::string name{};            ///< written at its end
        std::vector<double> values{};  ///< those that are not finite are left out
        std::vector<double> at{};      ///< the x of each value, ascending; empty: 1, 2, ...
    };

    std::vector<curve> curves{};  ///< the first is emphasised
    std::string x_name{};         ///< below the axis
    std::string alternative{};    ///< the picture in words
    double low = 0;               ///< the least value drawn
    bool log_x = false;           ///< whether the axis is logarithmic: then every x is above 0

    /// The picture as SVG. The curves behind the first differ by their dashes. Each has its name at its right end.
    [[nodiscard]] std::string svg(const figure_size& size) const;
};

inline std::string line_chart::svg(const figure_size& size) const
{
    using namespace detail;
    const bool narrow = size.width < 500;
    const auto x_of = [](const curve& c, std::size_t i) { return c.at.empty() ? static_cast<double>(i + 1) : c.at[i]; };
    double high = low, names = 20;
    double first = std::numeric_limits<double>::infinity(), last = -first;
    for (std::size_t k = 0; k < curves.size(); ++k) {
        const curve& c = curves[k];
        for (const double v : c.values)
            if (std::isfinite(v)) high = (std::max)(high, v);
        if (!c.values.empty()) {
            first = (std::min)(first, x_of(c, 0));
            last = (std::max)(last, x_of(c, c.values.size() - 1));
        }
        names = (std::max)(names, width_of(shortened(c.name, narrow ? 12 : 22)));
    }
    if (!(last > first)) {
        first = std::isfinite(first) ? first : 1;
        last = first + 1;
    }
    const double left = 44, right = size.width - 1.15 * names - 14, top = 14, bottom = size.height - 42;
    const scale x = scale_of(first, last, left, right, log_x);
    const scale y = scale_of(low, high, bottom, top, false);
    drawing d(size.width, size.height, alternative, size.style);
    for (const double t : y.ticks(6)) {
        d.line("grid", left, y(t), right, y(t));
        d.text("tick", left - 8, y(t) + 4, tick_text(t), "end");
    }
    for (const double t : x.ticks(narrow ? 4 : 8))
        if (t >= first)
            d.text("tick", x(t), bottom + 18,
                   t >= 1 && t == std::floor(t) ? count(static_cast<std::size_t>(t)) : tick_text(t), "middle");
    d.text("axis", (left + right) / 2, size.height - 6, x_name, "middle");
    static constexpr std::array<const char*, 7> dashes{"", "7 4", "2 4", "9 3 2 3", "14 4", "4 2", "9 3 2 3 2 3"};
    std::vector<std::pair<double, std::size_t>> ends;  // height and curve
    for (std::size_t k = curves.size(); k-- > 0;) {    // the first on top
        std::string path;
        double end = bottom;
        for (std::size_t i = 0; i < curves[k].values.size(); ++i) {
            if (!std::isfinite(curves[k].values[i])) continue;
            end = y(curves[k].values[i]);
            path += (path.empty() ? 'M' : 'L') + drawing::at(x(x_of(curves[k], i)), end);
        }
        if (path.empty()) continue;
        if (k == 0) d.path("best", path);
        else d.path("other", path, dashes[(k - 1) % dashes.size()]);
        ends.emplace_back(end, k);
    }
    std::sort(ends.begin(), ends.end());
    constexpr double apart = 14;
    for (std::size_t i = 1; i < ends.size(); ++i) ends[i].first = (std::max)(ends[i].first, ends[i - 1].first + apart);
    const double over = ends.empty() ? 0 : (std::max)(0.0, ends.back().first - (size.height - 30));
    for (std::size_t i = ends.size(); i-- > 0;) {  // pushed down too far: back up
        const double most_down = size.height - 30 - apart * static_cast<double>(ends.size() - 1 - i);
        if (over > 0) ends[i].first = (std::min)(ends[i].first, most_down);
        const auto& name = curves[ends[i].second].name;
        d.text(ends[i].second == 0 ? "label" : "tick", right + 8, ends[i].first + 4, shortened(name, narrow ? 12 : 22),
               "start", name);
    }
    return std::move(d).text();
}

}  // namespace tunekit::report
