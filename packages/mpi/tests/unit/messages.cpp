// SPDX-License-Identifier: MIT
#include "tunekit/mpi/detail/wire.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/mpi/launched.hpp"
#include "tunekit/mpi/members.hpp"

namespace tk = tunekit;
namespace mpi = tk::mpi;
using mpi::detail::from_bytes;
using mpi::detail::greeting;
using mpi::detail::order;
using mpi::detail::reply;
using mpi::detail::to_bytes;
using measurement_head = tk::measure::detail::measurement_head;

namespace {

reply large()
{
    reply r{.number = 7, .measured = tk::measure::measurement{}, .ran_s = 0.25};
    r.measured->cost = 1e-3;
    r.measured->spread = 1e-6;
    r.measured->runs = 12;
    r.measured->at_least = true;
    r.measured->build_seconds = 1;
    r.measured->run_seconds = 2;
    r.measured->checked = tk::measure::check_state::ok;
    r.measured->values = {0.25, 4096};
    r.measured->failed =
        tk::measure::failure{tk::measure::failure_kind::crash, 11, std::string(measurement_head::most, 'x')};
    for (std::size_t k = 0; k < measurement_head::most; ++k)
        r.measured->batches.push_back(1e-9 * static_cast<double>(k));
    return r;
}

/// What `to_bytes` wrote reads back; nothing shorter and nothing longer does.
template <class T>
void comes_back(const T& what)
{
    const std::vector<unsigned char> bytes = to_bytes(what);
    CHECK(from_bytes<T>(bytes) == what);
    const std::size_t step = bytes.size() / 200 + 1;
    for (std::size_t n = 0; n < bytes.size(); n += step) {
        const std::vector<unsigned char> part(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n));
        CHECK_FALSE(from_bytes<T>(part).has_value());
    }
    std::vector<unsigned char> more = bytes;
    more.push_back(0);
    CHECK_FALSE(from_bytes<T>(more).has_value());
}

}  // namespace

TEST_CASE("messages read back as they were written, in part or with more they are none")
{
    comes_back(greeting{.version = "1.2.3",
                        .host = "a",
                        .device = "b, 4 cores",
                        .local_rank = 3,
                        .duty = mpi::duty::runs,
                        .tasks = {{100, 0xfeed}, {std::numeric_limits<std::uint64_t>::max(), 1}}});
    comes_back(order{
        .number = 1, .task = 2, .candidate = 3, .within = {.abandon_above = 4, .run_seconds = 5, .build_seconds = 6}});
    comes_back(order{.within = {.abandon_factor = 1.05}});
    comes_back(order{});  // abandon_above is infinite
    comes_back(order{.number = 1, .code = {1, 2, 3}});
    comes_back(reply{.number = 9, .ran_s = 1, .code = std::vector<unsigned char>(100000, 7)});
    comes_back(std::uint64_t{42});
    comes_back(std::string("why"));
    comes_back(reply{.number = 9, .ran_s = 1});
    comes_back(large());
}

TEST_CASE("a reply has a largest size: what is beyond it is cut, and the rest stands")
{
    reply r = large();
    const std::size_t most = to_bytes(r).size();
    r.measured->failed->message += "more";
    r.measured->batches.push_back(1);
    CHECK(to_bytes(r).size() == most);
    CHECK(from_bytes<reply>(to_bytes(r)) == large());
}

TEST_CASE("bytes that claim more than there is, or a failure that is none, are no message")
{
    std::vector<unsigned char> bytes = to_bytes(std::string("abc"));
    bytes[0] = 200;  // of the length
    CHECK_FALSE(from_bytes<std::string>(bytes).has_value());

    reply r{.number = 1, .measured = tk::measure::measurement{}};
    r.measured->failed = tk::measure::failure{tk::measure::failure_kind::lost, 0, ""};
    bytes = to_bytes(r);
    const std::size_t kind = 8 + 8 + offsetof(measurement_head, kind);
    REQUIRE(bytes[kind] == static_cast<unsigned char>(tk::measure::failure_kind::lost));
    bytes[kind] = 99;
    CHECK_FALSE(from_bytes<reply>(bytes).has_value());
    bytes = to_bytes(greeting{});
    bytes[bytes.size() - 9] = 3;  // no duty
    CHECK_FALSE(from_bytes<greeting>(bytes).has_value());
}

TEST_CASE("a reply with impossible times is no message")
{
    constexpr double infinite = std::numeric_limits<double>::infinity(),
                     none = std::numeric_limits<double>::quiet_NaN();
    for (const double bad : {-1.0, infinite, none, 1e101}) {
        CHECK_FALSE(from_bytes<reply>(to_bytes(reply{.number = 1, .ran_s = bad})).has_value());
        reply r{.number = 1, .measured = tk::measure::measurement{.cost = 1}};
        CHECK(from_bytes<reply>(to_bytes(r)) == r);
        r.measured->build_seconds = bad;
        CHECK_FALSE(from_bytes<reply>(to_bytes(r)).has_value());
        r.measured->build_seconds = 0;
        r.measured->run_seconds = bad;
        CHECK_FALSE(from_bytes<reply>(to_bytes(r)).has_value());
    }
}

TEST_CASE("the A/A check: ratio of geometric means and Welch's interval, by hand")
{
    CHECK_FALSE(mpi::detail::compared(std::vector<double>{1}, std::vector<double>{1, 2}).has_value());
    const std::vector<double> twice{2, 2, 2}, once{1, 1, 1};
    CHECK(mpi::detail::compared(twice, once) == tk::worker_about::ratio{2, 2, 2});
    // log: means ln 2 and 0, variances 0.5 ln(1.21)^2 ... with two values each, a +- d: variance 2 d^2, nu = 2 for equal variances.
    const double d = 0.1;
    const std::vector<double> a{2 * std::exp(d), 2 * std::exp(-d)}, b{std::exp(d), std::exp(-d)};
    const auto c = mpi::detail::compared(a, b);
    REQUIRE(c.has_value());
    CHECK(c->value == doctest::Approx(2));
    const double half = 4.302652729911275 * std::sqrt(2 * d * d);  // t(0.975, 2)
    CHECK(c->low == doctest::Approx(2 * std::exp(-half)));
    CHECK(c->high == doctest::Approx(2 * std::exp(half)));
    CHECK_THROWS_AS((void)mpi::detail::compared(std::vector<double>{1, 0}, b), std::invalid_argument);
    CHECK_THROWS_AS((void)mpi::detail::compared(a, b, 1), std::invalid_argument);
}

TEST_CASE("a launcher's variables name the place")
{
    constexpr const char* variables[] = {"OMPI_COMM_WORLD_RANK",
                                         "OMPI_COMM_WORLD_SIZE",
                                         "OMPI_COMM_WORLD_LOCAL_RANK",
                                         "OMPI_COMM_WORLD_LOCAL_SIZE",
                                         "PMI_RANK",
                                         "PMI_SIZE",
                                         "MPI_LOCALRANKID",
                                         "MPI_LOCALNRANKS",
                                         "SLURM_PROCID",
                                         "SLURM_STEP_NUM_TASKS",
                                         "SLURM_LOCALID",
                                         "SLURM_NODEID",
                                         "SLURM_STEP_TASKS_PER_NODE"};
    const auto only = [&](std::initializer_list<std::pair<const char*, const char*>> set) {
        for (const char* const name : variables) ::unsetenv(name);
        for (const auto& [name, value] : set) ::setenv(name, value, 1);
        return mpi::launched();
    };
    CHECK_FALSE(only({}).has_value());
    CHECK_FALSE(only({{"PMI_RANK", "5"}}).has_value());  // of how many is not said
    CHECK(only({{"PMI_RANK", "5"}, {"PMI_SIZE", "8"}}) == mpi::place{5, 8, 0, 1, false});
    // Hydra, and what it inherits of a batch system
    CHECK(only({{"PMI_RANK", "5"},
                {"PMI_SIZE", "8"},
                {"MPI_LOCALRANKID", "1"},
                {"MPI_LOCALNRANKS", "4"},
                {"SLURM_PROCID", "0"},
                {"SLURM_LOCALID", "0"}}) == mpi::place{5, 8, 1, 4, true});
    // Open MPI 5.0.11, four ranks on two cores: the second rank has local rank 2
    CHECK(only({{"OMPI_COMM_WORLD_RANK", "1"},
                {"OMPI_COMM_WORLD_SIZE", "4"},
                {"OMPI_COMM_WORLD_LOCAL_RANK", "2"},
                {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"}}) == mpi::place{1, 4, 2, 4, true});
    // MPICH under srun --mpi=pmi2: Slurm alone knows the local rank
    CHECK(only({{"PMI_RANK", "19"},
                {"PMI_SIZE", "20"},
                {"SLURM_PROCID", "19"},
                {"SLURM_STEP_NUM_TASKS", "20"},
                {"SLURM_LOCALID", "3"},
                {"SLURM_NODEID", "2"},
                {"SLURM_STEP_TASKS_PER_NODE", "8(x2),4"}}) == mpi::place{19, 20, 3, 4, true});
    CHECK_FALSE(only({{"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_SIZE", "x"}}).has_value());
    CHECK_FALSE(only({{"OMPI_COMM_WORLD_RANK", "-1"}, {"OMPI_COMM_WORLD_SIZE", "2"}}).has_value());
    static_cast<void>(only({}));
    using mpi::detail::tasks_on;
    CHECK(tasks_on("8(x3),4", 2) == 8U);
    CHECK(tasks_on("8(x3),4", 3) == 4U);
    CHECK_FALSE(tasks_on("8(x3),4", 4).has_value());
    for (const char* const wrong : {"", "a", "8(x3", "8(y3)", "8,,4"}) CHECK_FALSE(tasks_on(wrong, 1).has_value());
}
