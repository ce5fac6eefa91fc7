// SPDX-License-Identifier: MIT

// Tunes generated code on ranks that only build and ranks that only run.
//
// Rank 0 tunes, the next BUILDERS ranks build, the rest run what those have built. A rank that runs needs no compiler.
//
//     mpirun -n 6 build_ranks 2                                              # two build, three run
//     mpirun -n 1 build_ranks : -n 4 --host login build_ranks builds : -n 2 --host board1,board2 build_ranks runs

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tunekit/measure/fixed.hpp"
#include "tunekit/measure/timed.hpp"
#include "tunekit/mpi/handed_over.hpp"
#include "tunekit/mpi/pool.hpp"
#include "tunekit/processes/guarded_buffer.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/search/random.hpp"
#include "tunekit/space/parameter.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;

namespace {

constexpr int length = 1 << 16;
using kernel_of_x = void(float*);

/// x[i] = i * i, in vectors of `width` and `unroll` at a time.
auto squares()
{
    return tk::measure::source_template{
        tk::space::product{tk::space::powers_of_two<"width">(1, 16), tk::space::powers_of_two<"unroll">(1, 16)},
        [](const auto& c) {
            const std::string w = std::to_string(tk::get<"width">(c)), u = std::to_string(tk::get<"unroll">(c));
            return "typedef float v __attribute__((vector_size(4 * " + w + "), aligned(4)));\n" +
                   "extern \"C\" void squares(float* x)\n{\n    v lane;\n    for (int k = 0; k < " + w +
                   "; ++k) lane[k] = k;\n    for (int i = 0; i < " + std::to_string(length) + "; i += " + w + " * " +
                   u + ")\n        for (int j = 0; j < " + u +
                   "; ++j) {\n            const v at = lane + (float)(i + j * " + w +
                   ");\n            *(v*)(x + i + j * " + w + ") = at * at;\n        }\n}\n";
        },
        "squares"};
}

/// What a rank that runs has: the buffer that is written, a kernel that is handed over, and a check.
auto runs(const tk::mpi::code_folder& code)
{
    auto x = std::make_shared<tk::measure::guarded_buffer<float>>(length);
    auto kernel = tk::mpi::handed_over_kernel<kernel_of_x>(
        squares().space, code, [x](auto* function, const auto&) { return [=] { function(x->data()); }; });
    const auto check = [x]() -> std::optional<std::string> {
        for (int i = 0; i < length; ++i)
            if (const float f = static_cast<float>(i); x->data()[i] != f * f)
                return "x[" + std::to_string(i) + "] is wrong";
        return std::nullopt;
    };
    return tk::measure::worker_task{
        squares().space, tk::measure::timed{kernel, tk::measure::fixed{.runs = 20}, check}, {x->canary()}};
}

}  // namespace

int main(int argc, char** argv)
{
    const std::string_view word = argc > 1 ? argv[1] : "1";
    const auto rank = tk::mpi::launched().value_or(tk::mpi::place{}).rank;
    const bool here_builds =
        word == "builds" || (word != "runs" && rank <= static_cast<std::size_t>(std::atoi(argc > 1 ? argv[1] : "1")));
    const tk::mpi::code_folder code;
    auto lead = tk::mpi::serve(
        argc, argv,
        [&](std::size_t) {
            std::vector<tk::measure::any_worker_task> out;
            if (here_builds) out.emplace_back(tk::mpi::builds(squares(), {.flags = {"-O2"}}, code));
            else out.emplace_back(runs(code));
            return out;
        },
        {.device = "any", .duty = here_builds ? tk::mpi::duty::builds : tk::mpi::duty::runs, .code = code});
    int status = 1;
    try {
        const auto program = squares();
        tk::mpi::pool pool(lead, {tk::measure::identity_of(program.space)}, {.join_seconds = 20});
        tk::random::philox gen(1);
        const tk::recipe how{
            tk::search::random{}, tk::measure::fixed{}, {.max_run_seconds = 5, .max_build_seconds = 30}};
        const auto found = tk::tune(program.space, pool, how, {.trials = 25}, gen);
        std::printf("%zu trials, %llu failed\n", found.trials().size(),
                    static_cast<unsigned long long>(found.failed()));
        for (std::size_t w = 0; w < pool.workers(); ++w) {
            const auto& m = pool.members()[w];
            std::printf("worker %zu %s %llu\n", w, m.who.duty == tk::mpi::duty::builds ? "built" : "ran",
                        static_cast<unsigned long long>(m.answered));
        }
        if (found.found()) {
            const auto c = program.space.at(found.incumbent().candidate);
            std::printf("best %.2f us: width %d, unroll %d\n", 1e6 * found.best_cost(),
                        static_cast<int>(tk::get<"width">(c)), static_cast<int>(tk::get<"unroll">(c)));
            status = 0;
        }
    } catch (const std::exception& e) {
        std::fprintf(stderr, "build_ranks: %s\n", e.what());
    }
    return lead.finish(status);
}
