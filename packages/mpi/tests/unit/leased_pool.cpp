// SPDX-License-Identifier: MIT
#include "tunekit/mpi/leased_pool.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/grid_space.hpp"
#include "tests/support/simulated_ranks.hpp"
#include "tests/support/simulated_workers.hpp"
#include "tunekit/measure/race.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/schedule/round_robin.hpp"
#include "tunekit/search/grid.hpp"
#include "tunekit/search/random.hpp"
#include "tunekit/space/value_product.hpp"
#include "tunekit/tune/tune.hpp"
#include "tunekit/tune/tune_tasks.hpp"

namespace tk = tunekit;
namespace mpi = tk::mpi;
using ranks = support::simulated_ranks<>;
using state = mpi::member::state;
using leased = mpi::leased_pool<ranks>;

static_assert(mpi::detail::carrier<ranks>);
static_assert(tk::pool<leased>);
static_assert(tk::measure::measurer<leased::lone_rank>);

namespace {

const support::grid_space space({8, 8});
const std::vector<tk::measure::task_identity> identities{tk::measure::identity_of(space)};
constexpr tk::measure::limits short_limits{.run_seconds = 2, .build_seconds = 1};  // a lease of 1 + 2 * 2 + margin

/// Configuration i costs 1 + i / 64 seconds and takes as long.
std::vector<tk::measure::recorded_row> table()
{
    std::vector<tk::measure::recorded_row> out(space.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i].result.cost = 1 + static_cast<double>(i) / 64;
        out[i].result.runs = 1;
        out[i].seconds = out[i].result.cost;
    }
    return out;
}
const std::vector<tk::measure::recorded_row> rows = table();

ranks some(support::simulated_ranks_options options)
{
    return ranks({tk::measure::recorded_rows(rows)}, identities, std::move(options));
}

tk::job numbered(std::uint64_t name, tk::index which)
{
    return {.ticket = tk::ticket{name}, .candidate = which, .limits = short_limits};
}

constexpr double forever = 1e9;
constexpr auto builds = mpi::duty::builds, runs = mpi::duty::runs;

/// The candidates of a run in the order of their answers.
std::vector<tk::index> order_of(const tk::tuning& record)
{
    std::vector<tk::index> out;
    for (const auto& t : record.trials()) out.push_back(t.candidate);
    return out;
}

}  // namespace

TEST_CASE("ranks join when they say hello; jobs go out one to a rank and come back with who measured and how long")
{
    ranks on = some({.ranks = 3, .latency_s = 0.5, .joins = {0, 0, 10}});
    leased pool(on, identities);
    CHECK(pool.workers() == 3);
    CHECK(pool.room() == 0);
    CHECK(pool.collect(1).empty());  // nobody has joined: waited for
    CHECK(pool.now() == 0.5);
    CHECK(pool.room() == 2);
    CHECK(pool.members()[2].at == state::absent);
    pool.submit(numbered(1, 63));
    pool.submit(numbered(2, 0));
    CHECK(pool.room() == 0);
    CHECK_THROWS_AS(pool.submit(numbered(3, 1)), std::invalid_argument);
    const auto first = pool.collect(forever);
    REQUIRE(first.size() == 1);
    CHECK(first[0].ticket == tk::ticket{2});
    CHECK(first[0].worker == 1);
    CHECK(first[0].measured == rows[0].result);
    CHECK(first[0].ran_s == 1);
    CHECK(first[0].queued_s == doctest::Approx(1));  // to the rank and back
    CHECK(pool.collect(forever).size() == 1);
    CHECK(pool.collect(forever).empty());  // nothing is out: at once
    CHECK(pool.now() < 4);
    CHECK(pool.members()[0].who.host == "rank0");
    CHECK(pool.members()[0].answered == 1);
    on.wait(20);
    (void)pool.collect(0);
    CHECK(pool.room() == 3);  // the third joined late
}

TEST_CASE("one rank, no latency: the run is the one of a single process; on many it is the one of simulated workers")
{
    for (const std::size_t n : {1U, 4U}) {
        CAPTURE(n);
        tk::random::philox a(3), b(3);
        ranks on = some({.ranks = n});
        leased pool(on, identities);
        support::simulated_workers workers(rows, {.workers = n});
        const auto over_ranks = tk::tune(space, pool, tk::search::random{}, {.trials = 50}, a);
        const auto in_process = tk::tune(space, workers, tk::search::random{}, {.trials = 50}, b);
        CHECK(order_of(over_ranks) == order_of(in_process));
        CHECK(over_ranks.seconds() == doctest::Approx(in_process.seconds()));
        CHECK(a() == b());
    }
}

TEST_CASE(
    "a run over ranks watches its results where the ranks say that they measure times, and they say it as they join")
{
    for (const std::uint64_t times : {0U, 1U}) {
        auto said = identities;
        for (auto& one : said) one.times = times;
        ranks on({tk::measure::recorded_rows(rows)}, said, {.ranks = 2, .latency_s = 0.5});
        leased pool(on, identities);
        CHECK_FALSE(pool.measures_time());
        tk::random::philox gen(3);
        const auto found = tk::tune(space, pool, tk::search::random{}, {.trials = 20}, gen);
        CHECK(pool.measures_time() == (times != 0));
        CHECK(found.checks().on == (times != 0));
        CHECK(found.trials().size() == 20);
    }
}

TEST_CASE("tasks on ranks carry to each other what they do on simulated workers")
{
    std::vector<tk::task> tasks;
    std::vector<tk::measure::task_identity> of;
    for (std::int64_t k = 1; k <= 3; ++k) {
        std::vector<std::int64_t> tiles;
        for (std::int64_t i = 1; i <= 64; ++i) tiles.push_back(k * i);
        const tk::space::value_product tiled({{"tile", tiles}}, {});
        of.push_back(tk::measure::identity_of(tiled));
        tasks.emplace_back("task" + std::to_string(k), tiled, 1.0);
    }
    const tk::recipe how{
        tk::search::random{},        tk::measure::fixed{},     tk::candidate_limits{}, std::size_t{1}, 20.0,
        tk::schedule::round_robin{}, tk::carrying{.one_in = 4}};
    const std::vector tables(3, tk::measure::recorded_rows(rows));
    for (const std::size_t n : {1U, 4U}) {
        CAPTURE(n);
        const auto run = [&](auto& pool) {
            tk::random::philox gen(3);
            return tk::tune_tasks(tasks, pool, how, {.trials_per_task = 40, .slot_seconds = 9}, gen);
        };
        ranks on(tables, of, {.ranks = n});
        leased over_ranks(on, of);
        support::simulated_workers in_process(tables, {.workers = n});
        const tk::plan a = run(over_ranks), b = run(in_process);
        std::size_t carried = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            const auto& one = a.tasks[k].record.trials();
            const auto& other = b.tasks[k].record.trials();
            REQUIRE(one.size() == 40);
            REQUIRE(other.size() == 40);
            for (std::size_t i = 0; i < 40; ++i) {
                CHECK(one[i].candidate == other[i].candidate);
                CHECK(one[i].carried == other[i].carried);
                carried += one[i].carried;
            }
        }
        CHECK(carried > 3);
    }
}

TEST_CASE("a rank that is killed: its job is lost when the lease ends")
{
    ranks on = some({.ranks = 2});
    leased pool(on, identities, {.margin_seconds = 1});
    (void)pool.collect(0);
    on.end(0, 0.5);
    pool.submit(numbered(1, 0));
    pool.submit(numbered(2, 0));
    CHECK(pool.collect(forever).at(0).worker == 1);
    const auto lost = pool.collect(forever);
    REQUIRE(lost.size() == 1);
    CHECK_FALSE(lost[0].measured.has_value());
    CHECK(lost[0].worker == 0);
    CHECK(pool.now() == doctest::Approx(1 + 2 * 2 + 1));  // build + 2 run + margin, from its beginning at 0
    CHECK(pool.members()[0].at == state::silent);
    CHECK(pool.members()[0].why == "does not answer: nothing was heard of it for 6.0 s");
    CHECK(pool.about(0).left.empty());  // it may come back
    CHECK(pool.members()[0].lost == 1);
    CHECK(pool.room() == 1);
}

TEST_CASE("the whole run of a tuner outlives a rank, and what is lost twice has failed and is remembered")
{
    ranks on = some({.ranks = 3});
    leased pool(on, identities, {.margin_seconds = 0});
    on.end(1, 3);
    tk::random::philox gen(1);
    const auto found = tk::tune(space, pool, tk::search::grid{}, {.trials = 64}, gen);
    CHECK(found.trials().size() == 64);
    CHECK(found.failed() == 0);
    const auto order = order_of(found);
    CHECK(std::set<tk::index>(order.begin(), order.end()).size() == 64);

    ranks two = some({.ranks = 3});  // both ranks that have the first job are killed
    leased both(two, identities, {.margin_seconds = 0});
    two.end(0, 0.5);
    two.end(1, 0.5, true);
    tk::random::philox again(1);
    const auto left = tk::tune(space, both, tk::search::grid{}, {.trials = 10}, again);
    CHECK(left.trials().size() == 10);
    CHECK(left.failed() == 0);  // each went out once more, to the third
    CHECK(both.members()[1].why == "was killed");

    ranks none = some({.ranks = 2});
    leased lost(none, identities, {.margin_seconds = 0, .join_seconds = 5});
    none.end(0, 0.5);
    none.end(1, 0.5);
    tk::random::philox last(1);
    CHECK_THROWS_WITH_AS(
        (void)tk::tune(space, lost, tk::search::grid{}, {.trials = 10}, last),
        doctest::Contains("no worker can measure; worker 0 on rank0 does not answer: nothing was heard of it for "),
        tk::error);
}

TEST_CASE("a rank that is stopped loses its job and comes back: the late answer counts for nothing")
{
    ranks on = some({.ranks = 2});
    leased pool(on, identities, {.margin_seconds = 0});
    on.stop(0, 0.5, 50);
    (void)pool.collect(0);
    pool.submit(numbered(1, 5));  // worker 0
    const auto lost = pool.collect(forever);
    REQUIRE(lost.size() == 1);
    CHECK_FALSE(lost[0].measured.has_value());
    pool.submit(numbered(2, 5));  // elsewhere
    const auto second = pool.collect(forever);
    REQUIRE(second.size() == 1);
    CHECK(second[0].worker == 1);
    CHECK(second[0].measured == rows[5].result);
    CHECK(pool.room() == 1);
    on.wait(100);
    CHECK(pool.collect(0).empty());
    CHECK(pool.late() == 1);
    CHECK(pool.room() == 2);
    CHECK(pool.members()[0].at == state::idle);
    CHECK(pool.members()[0].why.empty());
    // What it lost does not go to it again while somebody else can measure.
    pool.submit(numbered(3, 5));
    pool.submit(numbered(4, 6));
    for (const auto& a : {pool.collect(forever), pool.collect(forever)})
        for (const auto& one : a) CHECK(one.worker == (one.ticket == tk::ticket{3} ? 1 : 0));
}

TEST_CASE("a stop of two seconds within the lease loses nothing")
{
    ranks on = some({.ranks = 1});
    leased pool(on, identities, {.margin_seconds = 2});
    on.stop(0, 0.5, 2.5);
    tk::random::philox gen(1);
    const auto found = tk::tune(space, pool, tk::search::grid{}, {.trials = 5}, gen);
    CHECK(found.failed() == 0);
    CHECK(pool.late() == 0);
    CHECK(pool.members()[0].lost == 0);
}

TEST_CASE("a lease counts from the beginning of work: what waits for a busy rank is not lost for that")
{
    ranks on = some({.ranks = 1, .slowness = {3}});  // 3 to 6 s, a lease of 1 + 4 + 2
    leased pool(on, identities, {.margin_seconds = 2});
    (void)pool.collect(0);
    pool.submit(numbered(1, 0));
    CHECK(pool.collect(forever).at(0).measured.has_value());
    ranks never = some({.ranks = 1});
    never.stop(0, 0, 1e6);  // says nothing at all, not even hello before that
    leased nobody(never, identities, {.join_seconds = 3});
    CHECK(nobody.collect(0).empty());
}

TEST_CASE("a job without limits has a lease without an end, and its answer counts")
{
    ranks on = some({.ranks = 1});
    leased pool(on, identities);
    (void)pool.collect(0);
    constexpr double none = std::numeric_limits<double>::infinity();
    pool.submit({.ticket = tk::ticket{1}, .candidate = 3, .limits = {.run_seconds = none, .build_seconds = none}});
    const auto answers = pool.collect(100);
    REQUIRE(answers.size() == 1);
    CHECK(answers[0].measured == rows[3].result);
}

TEST_CASE("an order that nobody begins is lost after begin_seconds")
{
    ranks on = some({.ranks = 1});
    leased pool(on, identities, {.begin_seconds = 7});
    (void)pool.collect(0);
    on.stop(0, 0, 100);
    pool.submit(numbered(1, 0));
    const auto lost = pool.collect(forever);
    REQUIRE(lost.size() == 1);
    CHECK_FALSE(lost[0].measured.has_value());
    CHECK(pool.now() == 7);
}

TEST_CASE("a rank that is ten times as slow has its share of the jobs and no more")
{
    ranks on = some({.ranks = 4, .slowness = {1, 1, 1, 10}});
    leased pool(on, identities);
    tk::random::philox gen(1);
    const auto found = tk::tune(space, pool, tk::search::grid{}, {.trials = 64}, gen);
    CHECK(found.trials().size() == 64);
    CHECK(pool.members()[3].answered <= 4);
    CHECK(pool.members()[0].answered >= 15);
}

TEST_CASE("ranks of another version or with other spaces are refused and told why; alone they end the run")
{
    ranks on({tk::measure::recorded_rows(rows)}, {{64, 1}}, {.ranks = 2});
    leased pool(on, identities);
    const std::string why = "has other spaces: of task 0 the fingerprint is 1, not " +
                            std::to_string(tk::measure::identity_of(space).fingerprint);
    CHECK(pool.collect(5).empty());  // at once, for none of them can come back; a log may tell who left
    CHECK_THROWS_WITH_AS(
        (void)pool.collect(5),
        ("tunekit: mpi.pool: no worker can measure; worker 0 on rank0 " + why + ", worker 1 on rank1 " + why).c_str(),
        tk::error);
    CHECK(pool.members()[0].at == state::refused);
    CHECK(pool.members()[1].why == why);
    CHECK(pool.left() == std::vector<std::size_t>{0, 1});
    CHECK(pool.about(1).left == why);
    CHECK(pool.now() == 0);
}

namespace {

/// Ranks of which one is damaged: from `what` on in the order of words it sends other bytes. As the server of a real rank does, it says goodbye where
/// it is refused.
struct damaged {
    ranks sound;
    std::size_t rank;
    mpi::detail::word what;
    std::optional<mpi::detail::message> bye{};

    [[nodiscard]] std::size_t workers() const { return sound.workers(); }
    [[nodiscard]] double now() const { return sound.now(); }
    void wait(double seconds) { sound.wait(seconds); }
    void send(std::size_t worker, mpi::detail::word w, const std::vector<unsigned char>& bytes)
    {
        if (w == mpi::detail::word::refused)
            bye = mpi::detail::message{
                .worker = worker, .what = mpi::detail::word::bye, .bytes = mpi::detail::to_bytes(std::string())};
        sound.send(worker, w, bytes);
    }
    [[nodiscard]] std::optional<mpi::detail::message> receive()
    {
        if (bye) return std::exchange(bye, std::nullopt);
        auto m = sound.receive();
        if (m && m->worker == rank && m->what >= what) m->bytes.assign(40, 0xFF);
        return m;
    }
};

}  // namespace

TEST_CASE("a rank that sends what cannot be read is refused, and its job goes to another")
{
    for (const mpi::detail::word what :
         {mpi::detail::word::hello, mpi::detail::word::began, mpi::detail::word::answer}) {
        CAPTURE(static_cast<int>(what));
        damaged on{some({.ranks = 2}), 1, what};
        mpi::leased_pool pool(on, identities);
        tk::random::philox gen(1);
        const auto found = tk::tune(space, pool, tk::search::grid{}, {.trials = 8}, gen);
        CHECK(found.trials().size() == 8);
        CHECK(found.failed() == 0);
        CHECK(pool.members()[1].at == state::refused);
        CHECK(pool.members()[1].why == (what == mpi::detail::word::hello
                                            ? "says hello in words that are unknown here"
                                            : "sends what cannot be read here: it is damaged, or of another version"));
        CHECK(pool.members()[0].answered == 8);
        CHECK(pool.left() == std::vector<std::size_t>{1});  // once, whatever it sends afterwards
        CHECK(pool.now() < 10);                             // no lease was waited for
    }
}

namespace {

/// Ranks whose messages are altered on their way.
struct altered {
    ranks sound;
    std::function<void(mpi::detail::message&)> how;
    std::string built{};

    [[nodiscard]] const std::string& build() const { return built; }
    [[nodiscard]] std::size_t workers() const { return sound.workers(); }
    [[nodiscard]] double now() const { return sound.now(); }
    void wait(double seconds) { sound.wait(seconds); }
    void send(std::size_t worker, mpi::detail::word w, const std::vector<unsigned char>& bytes)
    {
        sound.send(worker, w, bytes);
    }
    [[nodiscard]] std::optional<mpi::detail::message> receive()
    {
        auto m = sound.receive();
        if (m) how(*m);
        return m;
    }
};

/// Alters what a message of this kind says.
template <class What, class How>
void alter(mpi::detail::message& m, mpi::detail::word kind, How how)
{
    if (m.what != kind) return;
    auto said = mpi::detail::from_bytes<What>(m.bytes).value();
    how(said);
    m.bytes = mpi::detail::to_bytes(said);
}

/// Ranks of which some are sick from their answer `from` on: whatever they measure crashes.
altered sick(ranks on, std::set<std::size_t> who, std::size_t& failed, int from = 0)
{
    return {on, [=, &failed, seen = 0](mpi::detail::message& m) mutable {
                if (!who.contains(m.worker) || m.what != mpi::detail::word::answer || seen++ < from) return;
                ++failed;
                alter<mpi::detail::reply>(m, mpi::detail::word::answer, [](auto& r) {
                    r.measured->failed = tk::measure::failure{tk::measure::failure_kind::crash, 11, "SIGSEGV"};
                });
            }};
}

/// Sick ranks are quick.
std::vector<double> quick(std::size_t n, const std::set<std::size_t>& who)
{
    std::vector<double> out(n, 1.0);
    for (const std::size_t w : who) out[w] = 1e-3;
    return out;
}

}  // namespace

TEST_CASE("sick ranks are found and named, whatever their number, and no candidate fails for them")
{
    for (const std::set<std::size_t>& who : std::vector<std::set<std::size_t>>{{0}, {2}, {0, 1, 3}, {1, 2, 3}}) {
        CAPTURE(who.size());
        std::size_t failed = 0;
        altered on = sick(some({.ranks = 4, .latency_s = 1e-4, .slowness = quick(4, who)}), who, failed);
        mpi::leased_pool pool(on, identities);
        tk::random::philox gen(1);
        const auto found = tk::tune(space, pool, tk::search::grid{}, {.trials = 64}, gen);
        CHECK(found.trials().size() == 64);
        CHECK(found.failed() == 0);
        CHECK(found.best_cost() == 1);
        CHECK(failed <= 8 * who.size());
        for (std::size_t w = 0; w < 4; ++w) {
            CAPTURE(w);
            CHECK((pool.members()[w].at == state::taken_out) == who.contains(w));
            if (who.contains(w))
                CHECK(
                    pool.members()[w].why.ends_with("configurations failed on it that others measured, the last with "
                                                    "crash: SIGSEGV"));
        }
        CHECK(pool.left().size() == who.size());
    }
}

TEST_CASE("a rank that falls sick in the middle of a run is found")
{
    std::size_t failed = 0;
    altered on = sick(some({.ranks = 4}), {1}, failed, 8);
    mpi::leased_pool pool(on, identities);
    tk::random::philox gen(1);
    const auto found = tk::tune(space, pool, tk::search::grid{}, {.trials = 64}, gen);
    CHECK(found.failed() == 0);
    CHECK(pool.members()[1].at == state::taken_out);
}

TEST_CASE("a rank that joins in the middle of a run has its share from then on; where it is sick it is found")
{
    for (const bool ill : {false, true}) {
        CAPTURE(ill);
        std::size_t failed = 0;
        altered on = sick(some({.ranks = 3, .joins = {0, 0, 20}}),
                          ill ? std::set<std::size_t>{2} : std::set<std::size_t>{}, failed);
        mpi::leased_pool pool(on, identities);
        tk::random::philox gen(1);
        const auto found = tk::tune(space, pool, tk::search::grid{}, {.trials = 64}, gen);
        CHECK(found.trials().size() == 64);
        CHECK(found.failed() == 0);
        CHECK((pool.members()[2].at == state::taken_out) == ill);
        CHECK((pool.members()[2].answered >= 8) == !ill);
    }
}

TEST_CASE("a rank that lies: what fails everywhere is cheap on it; no honest rank goes, and its winner loses elsewhere")
{
    auto bad = table();
    for (std::size_t i = 0; i < bad.size(); i += 5)
        bad[i].result.failed = tk::measure::failure{tk::measure::failure_kind::crash, 11, "no"};
    altered on{ranks({tk::measure::recorded_rows(bad)}, identities, {.ranks = 4}), [](mpi::detail::message& m) {
                   if (m.worker == 3)
                       alter<mpi::detail::reply>(m, mpi::detail::word::answer, [](auto& r) {
                           if (r.measured->failed) r.measured->cost = 0.5;
                           r.measured->failed.reset();
                       });
               }};
    mpi::leased_pool pool(on, identities);
    tk::random::philox gen(1);
    const auto found = tk::tune(space, pool, tk::search::grid{}, {.trials = 64}, gen);
    for (std::size_t w = 0; w < 3; ++w) CHECK(pool.members()[w].at == state::idle);
    REQUIRE(found.best_cost() == 0.5);  // which it said
    const tk::index lie = found.incumbent().candidate;
    const auto honest = pool.alone(0).measure(std::vector<tk::index>{lie, 1}, short_limits);
    CHECK(honest[0].failed);
    CHECK(honest[1].ok());
}

TEST_CASE("all ranks are sick: with a reference that is known at once, without one after 300 failures")
{
    std::size_t failed = 0;
    altered with = sick(some({.ranks = 3}), {0, 1, 2}, failed);
    mpi::leased_pool checked(with, identities, {.reference = mpi::leased_options::reference_job{.candidate = 5}});
    tk::random::philox gen(1);
    CHECK_THROWS_WITH_AS(
        (void)tk::tune(space, checked, tk::search::grid{}, {.trials = 64}, gen),
        "tunekit: mpi.pool: no worker can measure; worker 0 on rank0 was taken out: the reference failed, "
        "crash: SIGSEGV, worker 1 on rank1 was taken out: the reference failed, crash: SIGSEGV, worker 2 "
        "on rank2 was taken out: the reference failed, crash: SIGSEGV",
        tk::error);
    CHECK(checked.now() < 2);
    failed = 0;
    altered without = sick(some({.ranks = 3}), {0, 1, 2}, failed);
    mpi::leased_pool pool(without, identities);
    const auto answers = [](auto& from, std::size_t count) {
        std::uint64_t name = 0;
        for (std::size_t come = 0; come < count; come += from.collect(forever).size())
            for (; from.room() > 0; ++name) from.submit(numbered(name, name % 64));
    };
    CHECK_THROWS_WITH_AS(answers(pool, 400),
                         doctest::Contains("nothing can be measured: 300 configurations failed, the last on worker"),
                         tk::error);
    CHECK(failed <= 3 * 303);
    auto none = table();  // workers that measure their reference work, whatever the space is like
    for (std::size_t i = 1; i < none.size(); ++i)
        none[i].result.failed = tk::measure::failure{tk::measure::failure_kind::crash, 11, "no"};
    ranks sparse({tk::measure::recorded_rows(none)}, identities, {.ranks = 3});
    leased sure(sparse, identities, {.reference = mpi::leased_options::reference_job{.candidate = 0}});
    CHECK(tk::tune(space, sure, tk::search::random{}, {.trials = 64}, gen).failed() == 63);
    CHECK_NOTHROW(answers(sure, 400));
}

TEST_CASE("candidates that fail everywhere fail once each on two ranks, and nobody is taken out for them")
{
    auto bad = table();
    for (std::size_t i = 0; i < bad.size(); i += 3)
        bad[i].result.failed = tk::measure::failure{tk::measure::failure_kind::crash, 11, "no"};
    ranks on({tk::measure::recorded_rows(bad)}, identities, {.ranks = 4});
    leased pool(on, identities);
    tk::random::philox gen(1);
    const auto found = tk::tune(space, pool, tk::search::grid{}, {.trials = 64}, gen);
    CHECK(found.failed() == 22);
    std::uint64_t answers = 0;
    for (const auto& m : pool.members()) {
        CHECK(m.at == state::idle);
        answers += m.answered;
    }
    CHECK(answers >= 64 + 22);
    CHECK(answers <= 64 + 22 + 3);  // before anything was measured nobody is trusted, and all four try
    ranks one({tk::measure::recorded_rows(bad)}, identities, {.ranks = 1});
    leased alone(one, identities);
    CHECK(tk::tune(space, alone, tk::search::grid{}, {.trials = 64}, gen).failed() == 22);
    CHECK(alone.members()[0].answered == 64);  // there is nobody else to try
}

TEST_CASE("a failure waits for ranks that may join yet, but not longer than join_seconds")
{
    std::size_t count = 0;
    altered on = sick(some({.ranks = 2, .joins = {0, 4}}), {0}, count);
    mpi::leased_pool pool(on, identities);
    (void)pool.collect(0);
    pool.submit(numbered(1, 0));
    const auto answers = pool.collect(forever);
    REQUIRE(answers.size() == 1);
    CHECK(answers[0].worker == 1);
    CHECK(answers[0].measured == rows[0].result);
    altered never = sick(some({.ranks = 2, .joins = {0, 1e6}}), {0}, count);
    mpi::leased_pool late(never, identities, {.join_seconds = 3});
    (void)late.collect(0);
    late.submit(numbered(1, 0));
    std::vector<tk::answer> failed;
    while (failed.empty()) failed = late.collect(1);
    CHECK(failed[0].measured->failed->kind == tk::measure::failure_kind::crash);
    CHECK(late.now() < 5);
}

TEST_CASE("of ranks that build and ranks that run, the sick one is found and the others stay")
{
    for (const std::size_t who : {0U, 3U}) {  // one that builds; one that runs
        CAPTURE(who);
        std::size_t failed = 0;
        altered on =
            sick(ranks({tk::measure::recorded_rows(rows)}, identities,
                       {.ranks = 5, .slowness = quick(5, {who}), .duties = {builds, builds, runs, runs, runs}}),
                 {who}, failed);
        mpi::leased_pool pool(on, identities);
        tk::random::philox gen(1);
        const auto found = tk::tune(space, pool, tk::search::grid{}, {.trials = 64}, gen);
        CHECK(found.failed() == 0);
        CHECK(found.trials().size() == 64);
        for (std::size_t w = 0; w < 5; ++w) CHECK((pool.members()[w].at == state::taken_out) == (w == who));
    }
}

TEST_CASE("the A/A check tells a slow rank before it has any job")
{
    ranks on = some({.ranks = 3, .slowness = {1, 1, 1}});
    leased pool(on, identities, {.reference = mpi::leased_options::reference_job{.candidate = 32, .rounds = 3}});
    while (pool.room() < 3) (void)pool.collect(100);
    CHECK(pool.now() == doctest::Approx(3 * 1.5));
    CHECK(pool.members()[2].reference == std::vector<double>{1.5, 1.5, 1.5});
    CHECK(pool.against_first(2) == tk::worker_about::ratio{});
    CHECK(pool.members()[2].answered == 0);
}

TEST_CASE("a rank whose reference is slow beyond its neighbours' is taken out")
{
    altered on{some({.ranks = 4, .slowness = {1, 1, 10, 1.5}}), [](mpi::detail::message& m) {
                   alter<mpi::detail::reply>(m, mpi::detail::word::answer, [&](auto& r) {
                       r.measured->cost *= m.worker == 2 ? 10 : m.worker == 3 ? 1.5 : 1;
                   });
               }};
    mpi::leased_pool pool(on, identities,
                          {.reference = mpi::leased_options::reference_job{.candidate = 0, .rounds = 2}});
    tk::random::philox gen(1);
    CHECK(tk::tune(space, pool, tk::search::grid{}, {.trials = 64}, gen).trials().size() == 64);
    CHECK(pool.members()[2].at == state::taken_out);
    CHECK(pool.members()[2].why.starts_with("was taken out: the reference takes 10.00 "));
    CHECK(pool.members()[3].at == state::idle);
}

TEST_CASE("a reference whose cost cannot be compared counts against its rank, and ends nothing")
{
    using tk::measure::measurement;
    const auto without = [](std::function<void(measurement&)> how) {
        altered on{some({.ranks = 2}), [how](mpi::detail::message& m) {
                       if (m.worker == 1)
                           alter<mpi::detail::reply>(m, mpi::detail::word::answer, [&](auto& r) { how(*r.measured); });
                   }};
        mpi::leased_pool pool(on, identities,
                              {.reference = mpi::leased_options::reference_job{.candidate = 0, .rounds = 2}});
        tk::random::philox gen(1);
        CHECK(tk::tune(space, pool, tk::search::grid{}, {.trials = 8}, gen).failed() == 0);
        CHECK(pool.members()[1].at == state::taken_out);
        return pool.members()[1].why;
    };
    const std::string begins = "was taken out: the reference failed, ";
    CHECK(without([](measurement& m) { m.cost = 0; }) == begins + "its cost is 0, want positive and finite seconds");
    CHECK(without([](measurement& m) { m.at_least = true; }) == begins + "abandoned as too slow");
}

TEST_CASE("a rank that is stopped while it measures the reference measures it again when it is back")
{
    ranks on = some({.ranks = 2});
    leased pool(on, identities,
                {.margin_seconds = 1,
                 .reference = mpi::leased_options::reference_job{
                     .candidate = 0, .rounds = 3, .within = {.run_seconds = 2, .build_seconds = 0}}});
    on.stop(1, 1.5, 30);
    bool was_silent = false;
    for (int k = 0; k < 40; ++k) {
        on.wait(1);
        (void)pool.collect(0);
        was_silent = was_silent || pool.members()[1].at == state::silent;
    }
    CHECK(was_silent);
    CHECK(pool.room() == 2);
    CHECK(pool.late() == 1);
    CHECK(pool.members()[1].reference.size() == 3);
}

TEST_CASE("another build of the program is refused by name, where rank 0 says which it is")
{
    const auto second_is_old = [](mpi::detail::message& m) {
        alter<mpi::detail::greeting>(m, mpi::detail::word::hello,
                                     [&](auto& who) { who.build = m.worker == 1 ? "old" : "new"; });
    };
    altered on{some({.ranks = 2}), second_is_old, "new"};
    mpi::leased_pool pool(on, identities);
    (void)pool.collect(0);
    CHECK(pool.room() == 1);
    CHECK(pool.members()[1].why ==
          "is another build of the program, old, not new; want one binary on all machines, or the same "
          "serve_options::build");
    altered any{some({.ranks = 2}), second_is_old};
    mpi::leased_pool both(any, identities);
    (void)both.collect(0);
    CHECK(both.room() == 2);
}

TEST_CASE("alone: one rank measures, whatever it takes; a race runs on it")
{
    ranks on = some({.ranks = 2});
    leased pool(on, identities, {.margin_seconds = 0});
    (void)pool.collect(0);
    auto quiet = pool.alone(1);
    const std::vector<tk::index> batch{3, 4};
    const auto both = quiet.measure(batch, short_limits);
    REQUIRE(both.size() == 2);
    CHECK(both[1] == rows[4].result);
    pool.submit(numbered(1, 0));
    CHECK_THROWS_AS((void)quiet.measure(batch, short_limits), std::invalid_argument);
    (void)pool.collect(forever);
    on.end(1, pool.now());
    const auto lost = quiet.measure(std::vector<tk::index>{3}, short_limits);
    REQUIRE(lost[0].failed.has_value());
    CHECK(lost[0].failed->kind == tk::measure::failure_kind::lost);
    CHECK_THROWS_AS((void)quiet.measure(batch, short_limits), tk::error);  // it does not answer
    CHECK(pool.first_idle() == std::size_t{0});
    CHECK_THROWS_AS((void)pool.alone(2), std::invalid_argument);
    CHECK_THROWS_AS((void)pool.alone(0, 1), std::invalid_argument);
}

namespace {

/// Of each second one tenth is building; configuration 9 does not build.
std::vector<tk::measure::recorded_row> built_rows()
{
    auto out = table();
    for (auto& r : out) r.result.build_seconds = r.seconds / 10;
    out[9].result.failed = tk::measure::failure{tk::measure::failure_kind::build_error, 0, "no"};
    out[9].seconds = out[9].result.build_seconds;
    return out;
}
const std::vector<tk::measure::recorded_row> to_build = built_rows();

ranks divided(std::vector<mpi::duty> duties, std::vector<double> joins = {})
{
    const std::size_t n = duties.size();
    return ranks({tk::measure::recorded_rows(to_build)}, identities,
                 {.ranks = n, .joins = std::move(joins), .duties = std::move(duties)});
}

}  // namespace

TEST_CASE("a job that waits for a rank that runs hears of what is in, and says what was in force")
{
    ranks on = divided({builds, builds, builds, runs});
    leased pool(on, identities);
    (void)pool.collect(0);
    for (std::uint64_t k = 0; k < 4; ++k)
        pool.submit({.ticket = tk::ticket{k}, .candidate = 3 - k, .limits = {.abandon_factor = 1.05}});
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t answered = 0; answered < 4;)
        for (const tk::answer& a : pool.collect(forever)) {
            REQUIRE(a.within);
            CHECK(a.within->abandon_above == 1.05 * best);
            best = (std::min)(best, a.measured->cost);
            ++answered;
        }
    CHECK(best == to_build[0].result.cost);
}

TEST_CASE("a job that a rank builds hears of what is in meanwhile")
{
    std::vector<tk::measure::recorded_row> slow = table();  // to build: nine tenths of each second
    for (auto& r : slow) r.result.build_seconds = 0.9 * r.seconds;
    ranks on({tk::measure::recorded_rows(slow)}, identities, {.ranks = 2, .joins = {}, .duties = {builds, runs}});
    leased pool(on, identities);
    (void)pool.collect(0);
    for (std::uint64_t k = 0; k < 2; ++k)
        pool.submit({.ticket = tk::ticket{k}, .candidate = 3 + k, .limits = {.abandon_factor = 1.05}});
    const auto first = pool.collect(forever), second = pool.collect(forever);
    REQUIRE((first.size() == 1 && second.size() == 1));
    CHECK(second[0].within->abandon_above == 1.05 * first[0].measured->cost);
}

TEST_CASE("one rank builds, two run: each job is built once, run once, and its measurement has both times")
{
    ranks on = divided({builds, runs, runs});
    leased pool(on, identities);
    (void)pool.collect(0);
    CHECK(pool.room() == 3);
    tk::random::philox gen(1);
    const auto found = tk::tune(space, pool, tk::search::grid{}, {.trials = 64}, gen);
    CHECK(found.trials().size() == 64);
    CHECK(found.failed() == 1);
    for (const auto& t : found.trials()) {
        const auto& row = to_build[static_cast<std::size_t>(t.candidate)].result;
        CHECK(t.measured.build_seconds == row.build_seconds);
        if (t.candidate == 9) CHECK(t.measured.failed->kind == tk::measure::failure_kind::build_error);
        else CHECK(t.measured.cost == row.cost);
        CHECK((t.worker == 0) == (t.candidate == 9));
    }
    CHECK(pool.members()[0].answered == 64);
    CHECK(pool.members()[1].answered + pool.members()[2].answered == 63);
    // Two run at a time while one builds: the runs take 0.9 of the seconds, halved, and the first build.
    double all = 0;
    for (const auto& r : to_build) all += r.seconds;
    CHECK(pool.now() < 0.5 * all);
}

namespace {

/// Rows of which each builds in 0.1 s, but the 30th in 5, or until its limit.
struct rows_that_build {
    [[nodiscard]] tk::measure::recorded_row row(tk::index i, const tk::measure::limits& l) const
    {
        tk::measure::recorded_row out = rows[static_cast<std::size_t>(i)];
        out.result.build_seconds = (std::min)(i == 30 ? 5 : 0.1, l.build_seconds);
        if (i == 30 && l.build_seconds < 5)
            out.result.failed = tk::measure::failure{tk::measure::failure_kind::build_timeout, 0, "still compiling"};
        out.seconds += out.result.build_seconds;
        return out;
    }
};

}  // namespace

TEST_CASE("a build that takes too long beside the others is put off over ranks, where they measure times")
{
    for (const auto& duties : {std::vector(3, mpi::duty::measures), std::vector{builds, runs, runs}})
        for (const std::uint64_t times : {0U, 1U}) {
            auto said = identities;
            for (auto& one : said) one.times = times;
            support::simulated_ranks<rows_that_build> on({rows_that_build()}, said, {.ranks = 3, .duties = duties});
            mpi::leased_pool pool(on, identities);
            tk::random::philox gen(1);
            const auto found = tk::tune(space, pool, tk::search::grid{}, {}, gen, {.checks = false});
            CHECK(found.failed() == 0);
            CHECK(found.checks().put_off == times);
            REQUIRE(found.trials().size() == 64);
            CHECK((found.trials().back().candidate == 30) == (times == 1));
            for (const auto& t : found.trials()) CHECK(t.measured.build_seconds == (t.candidate == 30 ? 5 : 0.1));
            for (const auto& m : pool.members()) CHECK(m.at == state::idle);
        }
}

TEST_CASE("without a rank for each step there is no room, and after join_seconds the run says why")
{
    for (const auto only : {builds, runs}) {
        ranks on = divided({only, only});
        leased pool(on, identities, {.join_seconds = 3});
        CHECK(pool.collect(1).empty());
        CHECK(pool.room() == 0);
        CHECK_THROWS_AS((void)pool.collect(10), tk::error);
    }
    ranks on = divided({builds, runs}, {0, 2});
    leased pool(on, identities, {.join_seconds = 3});
    CHECK(pool.collect(1).empty());
    CHECK(pool.collect(1.5).empty());
    CHECK(pool.room() == 2);
}

TEST_CASE("a rank that builds is lost: its job goes to another; the last one, and what waits is lost, too")
{
    ranks on = divided({builds, builds, runs});
    on.end(0, 0.05);
    leased pool(on, identities, {.margin_seconds = 0});
    tk::random::philox gen(1);
    const auto found = tk::tune(space, pool, tk::search::grid{}, {.trials = 20}, gen);
    CHECK(found.trials().size() == 20);
    CHECK(found.failed() == 1);
    CHECK(pool.members()[0].lost == 1);

    ranks last = divided({builds, runs});
    last.end(0, 0.05);
    leased none(last, identities, {.margin_seconds = 0, .join_seconds = 5});
    CHECK_THROWS_AS((void)tk::tune(space, none, tk::search::grid{}, {.trials = 20}, gen), tk::error);
    ranks other = divided({builds, runs});
    other.end(1, 0.5, true);
    leased gone(other, identities, {.margin_seconds = 0, .join_seconds = 5});
    CHECK_THROWS_AS((void)tk::tune(space, gone, tk::search::grid{}, {.trials = 20}, gen), tk::error);
}

TEST_CASE("the A/A check of ranks that run waits for one that builds; alone, a job is built first")
{
    ranks on = divided({runs, runs, builds}, {0, 0, 5});
    leased pool(on, identities, {.reference = mpi::leased_options::reference_job{.candidate = 32, .rounds = 3}});
    CHECK(pool.collect(4).empty());
    while (pool.room() < 3) {
        on.wait(100);
        (void)pool.collect(0);
    }
    CHECK(pool.members()[1].reference == std::vector<double>{1.5, 1.5, 1.5});
    CHECK(pool.against_first(1) == tk::worker_about::ratio{});
    CHECK_FALSE(pool.about(2).against_first.has_value());
    CHECK(pool.about(1).host == "rank1");
    CHECK(pool.first_idle() == std::size_t{0});
    auto quiet = pool.alone(1);
    const auto both = quiet.measure(std::vector<tk::index>{3, 9}, short_limits);
    CHECK(both[0].cost == to_build[3].result.cost);
    CHECK(both[0].build_seconds == to_build[3].result.build_seconds);
    CHECK(both[1].failed->kind == tk::measure::failure_kind::build_error);
    auto builder = pool.alone(2);
    CHECK_THROWS_AS((void)builder.measure(std::vector<tk::index>{3}, short_limits), tk::error);

    // The reference does not build: nobody is compared, not who joins late either, and the run goes on.
    ranks fails = divided({runs, builds, runs}, {0, 0, 50});
    leased uncompared(fails, identities, {.reference = mpi::leased_options::reference_job{.candidate = 9}});
    while (uncompared.room() < 3) {
        fails.wait(100);
        (void)uncompared.collect(0);
    }
    CHECK(uncompared.members()[0].reference.empty());
    CHECK(uncompared.members()[2].reference.empty());
}

TEST_CASE("options out of range are refused")
{
    ranks on = some({.ranks = 1});
    CHECK_THROWS_AS(leased(on, {}), std::invalid_argument);
    CHECK_THROWS_AS(leased(on, identities, {.margin_seconds = -1}), std::invalid_argument);
    CHECK_THROWS_AS(leased(on, identities, {.reference = mpi::leased_options::reference_job{.rounds = 1}}),
                    std::invalid_argument);
    CHECK_THROWS_AS(leased(on, identities, {.reference = mpi::leased_options::reference_job{.task = 1}}),
                    std::invalid_argument);
    CHECK_THROWS_AS(some({.ranks = 0}), std::invalid_argument);
    CHECK_THROWS_AS(some({.ranks = 2, .slowness = {1}}), std::invalid_argument);
    CHECK_THROWS_AS(some({.ranks = 2, .duties = {runs}}), std::invalid_argument);
    CHECK_THROWS_AS(some({.ranks = 1, .slowness = {0}}), std::invalid_argument);
    CHECK_THROWS_AS(some({.ranks = 1, .latency_s = -1}), std::invalid_argument);
}
