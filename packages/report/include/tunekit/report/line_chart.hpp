// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Line charts: curves over one axis, with their names at their ends.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/report/detail/plot.hpp"
#include "tunekit/report/figures.hpp"

namespace tunekit::report {

/// A curve: its name and its values at x = 1, 2, ...
struct chart_curve {
    std::string name{};            ///< written at its end
    std::vector<double> values{};  ///< at x = 1, 2, ...
};

/// A picture of several curves. The first is emphasised. The others differ by their dashes. Each has its name at its
/// right end. `alternative` describes the picture in words. Values that are not finite are left out. `low` is the least
/// value drawn.
[[nodiscard]] inline std::string line_chart_svg(const std::vector<chart_curve>& curves, std::string_view x_name,
                                                std::string_view alternative, double low, const figure_size& size)
{
    using namespace detail;
    const bool narrow = size.width < 500;
    double high = low, names = 20;
    std::size_t most = 2;
    for (const auto& c : curves) {
        for (const double v : c.values)
            if (std::isfinite(v)) high = (std::max)(high, v);
        most = (std::max)(most, c.values.size());
        names = (std::max)(names, width_of(shortened(c.name, narrow ? 12 : 22)));
    }
    const double left = 44, right = size.width - 1.15 * names - 14, top = 14, bottom = size.height - 42;
    const scale x = scale_of(1, static_cast<double>(most), left, right, false);
    const scale y = scale_of(low, high, bottom, top, false);
    drawing d(size.width, size.height, alternative, size.style);
    for (const double t : y.ticks(6)) {
        d.line("grid", left, y(t), right, y(t));
        d.text("tick", left - 8, y(t) + 4, tick_text(t), "end");
    }
    for (const double t : x.ticks(narrow ? 4 : 8))
        if (t >= 1) d.text("tick", x(t), bottom + 18, count(static_cast<std::size_t>(t)), "middle");
    d.text("axis", (left + right) / 2, size.height - 6, x_name, "middle");
    static constexpr std::array<const char*, 4> dashes{"", "7 4", "2 4", "9 3 2 3"};
    std::vector<std::pair<double, std::size_t>> ends;  // height and curve
    for (std::size_t k = curves.size(); k-- > 0;) {    // the first on top
        std::string path;
        double end = bottom;
        for (std::size_t i = 0; i < curves[k].values.size(); ++i) {
            if (!std::isfinite(curves[k].values[i])) continue;
            end = y(curves[k].values[i]);
            path += (path.empty() ? 'M' : 'L') + drawing::at(x(static_cast<double>(i + 1)), end);
        }
        if (path.empty()) continue;
        if (k == 0) d.path("best", path);
        else
            d.add("<path class=\"other\" stroke-dasharray=\"" + std::string(dashes[(k - 1) % dashes.size()]) +
                  "\" d=\"" + path + "\"/>");
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
