// SPDX-License-Identifier: MIT
// Schedules over the operators of a network: records a network's spaces once.
#include <cstdio>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "support/program.hpp"
#include "support/record_network.hpp"

namespace {

void print(const std::vector<programs::layer_record>& layers)
{
    std::printf("%-6s %6s %7s %7s %6s %10s %10s %10s %6s %8s %8s\n", "layer", "size", "failed", "passes", "rho", "optimum ms", "median ms",
                "slowest ms", "tied", "build s", "run s");
    std::size_t tied = 0;
    for (const auto& l : layers) {
        std::printf("%-6s %6zu %7zu %7zu %6.3f %10.4f %10.4f %10.3f %6s %8.1f %8.1f\n", l.name.c_str(), l.configurations, l.failed,
                    l.passes, l.correlation, 1e3 * l.optimum, 1e3 * l.median, 1e3 * l.slowest, l.tied ? "yes" : "no", l.build_seconds,
                    l.run_seconds);
        tied += l.tied ? 1 : 0;
    }
    std::printf("winner tied in %zu of %zu layers\n", tied, layers.size());
}

void print_json(const std::string& network, const std::vector<programs::layer_record>& layers)
{
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const auto& l : layers)
        rows.push_back({{"layer", l.name}, {"configurations", l.configurations}, {"failed", l.failed}, {"passes", l.passes},
                        {"correlation", l.correlation}, {"optimum_ms", 1e3 * l.optimum}, {"median_ms", 1e3 * l.median},
                        {"slowest_ms", 1e3 * l.slowest}, {"tied", l.tied}, {"build_s", l.build_seconds}, {"run_s", l.run_seconds}});
    std::printf("%s\n", nlohmann::ordered_json{{"network", network}, {"rows", rows}}.dump(2).c_str());
}

}  // namespace

int main(int argc, char** argv)
{
    programs::record_settings s;
    bool json = false;
    CLI::App app("Records the AutoTVM-equal CPU spaces of a network's convolutions.", "bench_schedule");
    app.add_option("--network", s.network, "alexnet, resnet18, squeezenet or vgg16")->required();
    app.add_option("--record", s.folder, "folder for the recorded spaces; a recording that was broken off there is taken up")->required();
    app.add_option("--device", s.device, "what the .params files say of this machine");
    app.add_option("--core", s.core, "the core that kernels are timed on; compilers take the others [0]");
    app.add_option("--seed", s.seed, "of the order of configurations [1]");
    app.add_flag("--json", json, "print JSON instead of a table");
    return programs::run_program(app, argc, argv, [&] {
        const auto layers = programs::record_network(s, [&](const std::string& layer, std::size_t pass) {
            std::fprintf(stderr, "%s, pass %zu\n", layer.c_str(), pass + 1);
        });
        if (json) print_json(s.network, layers);
        else print(layers);
    });
}
