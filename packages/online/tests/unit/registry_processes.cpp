// SPDX-License-Identifier: MIT
#include "tunekit/online/registry.hpp"

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "tests/support/temporary_folder.hpp"
#include "tunekit/processes/files/text.hpp"

namespace tk = tunekit;
namespace online = tk::online;
using support::temporary_folder;

TEST_CASE("registry: what processes write at the same time is merged")
{
    const temporary_folder folder;
    const std::string path = folder / "tuned";
    std::vector<pid_t> children;
    for (int k = 0; k < 4; ++k) {
        const pid_t child = ::fork();
        if (child == 0) {
            online::winner_line w{
                .of = {.kernel = "dslash", .version = "3.1", .device = "this machine, 2 cores"},
                .library = "1",
                .fingerprint = 5,
                .key = {},
                .what = {.winner = 7, .runner_up = 9, .cost = 0.25, .runner_up_cost = 0.5, .default_cost = 1},
                .values = "a=1"};
            for (int n = 0; n < 25; ++n) {
                w.key = online::key(k, n);
                online::write_winners(path, {w});
            }
            ::_exit(0);
        }
        children.push_back(child);
    }
    for (const pid_t child : children) {
        int status = 0;
        ::waitpid(child, &status, 0);
        CHECK(status == 0);
    }
    CHECK(tk::io::lines(tk::io::read_text(path)).size() == 101);
}
