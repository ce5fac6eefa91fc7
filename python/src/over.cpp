// SPDX-License-Identifier: MIT
#include "over.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bind.hpp"
#include "outcome.hpp"
#include "record.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace python {

namespace {

using over_track = tunekit::measure::detail::input_track;

tunekit::measure::over_options options_of(const std::string& of, double confidence, std::uint64_t seed)
{
    using goal = tunekit::measure::over_options::goal;
    tunekit::require(of == "mean" || of == "sum" || of == "worst",
                     "minimize: instance_cost is '" + of + "', want mean, sum or worst");
    return {.of = of == "sum"     ? goal::sum
                  : of == "worst" ? goal::worst
                                  : goal::mean,
            .confidence = confidence,
            .seed = seed};
}

/// The costs of a trial of the record by instance, divided by those of its first.
std::vector<double> ratios(const over_track& t, const record& r, tunekit::index i)
{
    for (const auto& trial : r.found.trials())
        if (trial.candidate == i && !trial.measured.failed) return t.ratios(i, trial.measured);
    return {};
}

}  // namespace

void bind_over(nb::module_& m)
{
    nb::class_<on_its_way>(m, "OnItsWay")
        .def_prop_ro("cost", [](const on_its_way& r) { return r.out.cost; })
        .def_prop_ro("kind", [](const on_its_way& r) { return r.out.failed ? to_text(r.out.failed->kind) : ""; })
        .def_prop_ro("why", [](const on_its_way& r) { return r.out.failed ? r.out.failed->message : std::string(); })
        .def_prop_ro("seconds", [](const on_its_way& r) { return r.out.run_seconds; });
    nb::class_<over_track>(m, "Over")
        .def(
            "__init__",
            [](over_track* to, std::vector<std::string> inputs, const std::string& of, double confidence,
               std::uint64_t seed) { new (to) over_track(std::move(inputs), options_of(of, confidence, seed)); },
            "inputs"_a, nb::kw_only(), "of"_a, "confidence"_a, "seed"_a)
        .def("know",
             [](over_track& t, const record& r) {
                 for (const auto& trial : r.found.trials()) t.know(trial.candidate, trial.measured);
             })
        .def("begin", &over_track::begin)
        .def("next", &over_track::next)
        .def(
            "take",
            [](over_track& t, on_its_way& r, double cost, const std::string& kind, const std::string& why,
               double seconds) { return t.take(r, measurement_of("instances", cost, kind, why, seconds), {}); },
            "whole"_a, nb::kw_only(), "cost"_a, "kind"_a, "why"_a, "seconds"_a)
        .def("begun", &over_track::begun)
        .def("left_out", &over_track::left_out)
        .def("ratios", &ratios);
}

}  // namespace python
