// SPDX-License-Identifier: MIT
// Runs over pools: many out at a time, answered by whoever is done first, some lost with their workers.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "tests/support/grid_space.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/schedule/round_robin.hpp"
#include "tunekit/schedule/sequential.hpp"
#include "tunekit/search/annealing.hpp"
#include "tunekit/search/grid.hpp"
#include "tunekit/tune/tune.hpp"
#include "tunekit/tune/tune_tasks.hpp"

namespace tk = tunekit;
using support::grid_space;
using philox = tk::random::philox;

namespace {

/// Workers in virtual time: configuration i takes 1 + i % 5 seconds; every `loses`-th job is lost.
class made_up_pool {
public:
    made_up_pool(std::size_t workers, std::size_t loses = 0) : free_(workers, true), loses_(loses) {}

    [[nodiscard]] std::size_t workers() const { return free_.size(); }
    [[nodiscard]] std::size_t room() const
    {
        return static_cast<std::size_t>(std::count(free_.begin(), free_.end(), true));
    }
    void submit(const tk::job& j)
    {
        REQUIRE(room() > 0);
        const auto w = static_cast<std::size_t>(std::find(free_.begin(), free_.end(), true) - free_.begin());
        free_[w] = false;
        out_.push_back({j, w, now_ + 1 + static_cast<double>(j.candidate % 5)});
        most_ = (std::max)(most_, out_.size());
        ++sent_;
    }
    [[nodiscard]] std::vector<tk::answer> collect(double)
    {
        if (out_.empty()) return {};
        const auto first =
            std::min_element(out_.begin(), out_.end(), [](const held& a, const held& b) { return a.ends < b.ends; });
        const held h = *first;
        out_.erase(first);
        free_[h.worker] = true;
        now_ = h.ends;
        tk::answer a{.ticket = h.what.ticket, .worker = h.worker};
        if (loses_ == 0 || ++answered_ % loses_ != 0)
            a.measured = tk::measure::measurement{.cost = 1.0 / static_cast<double>(1 + h.what.candidate), .runs = 1};
        return {a};
    }
    [[nodiscard]] double now() const { return now_; }
    [[nodiscard]] std::size_t most() const { return most_; }
    [[nodiscard]] std::size_t sent() const { return sent_; }

private:
    struct held {
        tk::job what;
        std::size_t worker;
        double ends;
    };
    std::vector<bool> free_;
    std::size_t loses_;
    std::vector<held> out_;
    double now_ = 7;  // a moment of its own
    std::size_t most_ = 0, sent_ = 0, answered_ = 0;
};
static_assert(tk::pool<made_up_pool>);

std::vector<tk::task> three()
{
    std::vector<tk::task> out;
    for (const char* const name : {"a", "b", "c"}) out.emplace_back(name, grid_space({50}), 1e6);
    return out;
}

}  // namespace

TEST_CASE("tune keeps a pool full and stamps answers by its time")
{
    made_up_pool pool(4);
    philox gen(1);
    const auto found = tk::tune(grid_space({60}), pool, tk::search::grid{}, {.trials = 40}, gen);
    CHECK(found.stopped() == tk::stop_reason::trials);
    CHECK(found.trials().size() == 40);
    CHECK(pool.sent() == 40);
    CHECK(pool.most() == 4);
    CHECK(found.seconds() == pool.now() - 7);
    CHECK(found.seconds() <= (8 * (1 + 2 + 3 + 4 + 5)) / 4.0 + 5);  // no worker waits before the last jobs
    for (std::size_t i = 1; i < 40; ++i) CHECK(found.curve()[i].seconds >= found.curve()[i - 1].seconds);
}

TEST_CASE("jobs that a pool loses go out again, and the whole space is measured or lost twice")
{
    made_up_pool pool(5, 6);
    philox gen(1);
    std::size_t seen = 0;
    const auto found = tk::tune(grid_space({12, 12}), pool, tk::search::annealing{}, {}, gen,
                                {.watch = [&](const tk::tuning&) { ++seen; }});
    CHECK(found.stopped() == tk::stop_reason::exhausted);
    CHECK(found.trials().size() == 144);
    CHECK(found.failed() < 20);
    CHECK(seen == pool.sent());
    std::set<tk::index> all;
    for (const auto& t : found.trials()) all.insert(t.candidate);
    CHECK(all.size() == 144);
}

TEST_CASE("an observer ends a run over a pool, and what is out is still recorded")
{
    made_up_pool pool(4);
    philox gen(1);
    const auto found = tk::tune(grid_space({60}), pool, tk::search::grid{}, {}, gen,
                                {.watch = [](const tk::tuning& r) { return r.trials().size() == 10; }});
    CHECK(found.stopped() == tk::stop_reason::asked);
    CHECK(found.trials().size() == pool.sent());
    CHECK(found.trials().size() == 13);
}

TEST_CASE("a pool that answers what it was not given is told so")
{
    struct liar : made_up_pool {
        using made_up_pool::made_up_pool;
        [[nodiscard]] std::vector<tk::answer> collect(double) { return {{.ticket = tk::ticket{99}}}; }
    };
    liar pool(2);
    philox gen(1);
    CHECK_THROWS_WITH_AS((void)tk::tune(grid_space({60}), pool, tk::search::grid{}, {}, gen),
                         "tunekit: tune: the pool answers ticket 99, which it does not have", tk::error);
}

TEST_CASE("several tasks over a pool: all is measured once, slots overlap, and seconds are those of workers")
{
    for (const std::size_t workers : {std::size_t{1}, std::size_t{2}, std::size_t{7}})
        for (const std::size_t loses : {std::size_t{0}, std::size_t{5}}) {
            CAPTURE(workers);
            CAPTURE(loses);
            auto tasks = three();
            tasks[1].begin_with({40, 41});
            made_up_pool pool(workers, loses);
            philox gen(3);
            const tk::recipe how{
                tk::search::annealing{},    tk::measure::fixed{}, tk::candidate_limits{}, std::size_t{1}, 20.0,
                tk::schedule::round_robin{}};
            const auto p = tk::tune_tasks(tasks, pool, how, {.slot_seconds = 9}, gen);
            CHECK(p.stopped == tk::stop_reason::exhausted);
            CHECK(p.seconds == pool.now() - 7);
            CHECK(pool.most() == workers);
            double spent = 0;
            std::uint64_t slots = 0;
            for (const auto& t : p.tasks) {
                CHECK(t.record.trials().size() == 50);
                spent += t.record.seconds();
                slots += t.slots;
            }
            CHECK(slots == p.slots.size());
            CHECK(spent <= p.seconds * static_cast<double>(workers) + 1e-9);
            if (loses == 0) CHECK(p.tasks[1].record.found());
            if (loses == 0 && workers == 1) CHECK(spent == doctest::Approx(p.seconds));
        }
}

TEST_CASE("tasks_tuner: at most so many workers on a task, a worker that is none, and a budget that ends")
{
    auto tasks = three();
    philox gen(3);
    tk::tasks_tuner t(tasks, tk::search::grid{}, tk::schedule::sequential{}, {.seconds = 10, .max_workers_per_task = 1},
                      4, gen);
    std::vector<tk::job> out;
    for (std::size_t w = 0; w < 4; ++w)
        for (const tk::job& j : t.ask(w, 1)) out.push_back(j);
    REQUIRE(out.size() == 3);
    CHECK(out[0].task != out[1].task);
    CHECK(out[1].task != out[2].task);
    CHECK(t.outstanding() == 3);
    CHECK_THROWS_WITH_AS((void)t.ask(4, 1), "tunekit: tasks_tuner: worker 4 asks, of 4", tk::error);
    CHECK_THROWS_AS(t.tell({.ticket = tk::ticket{9}}, {.cost = 1}, 1), tk::error);
    t.tell(out[0], {.cost = 1}, 4);
    t.time(11);
    CHECK_FALSE(t.ask());
    CHECK(t.stopped() == tk::stop_reason::seconds);
    CHECK_FALSE(t.over());
    t.tell(out[1], {.cost = 1}, 12);
    t.drop(out[2]);
    CHECK(t.over());
    CHECK(t.record().tasks[out[1].task].record.found());
    CHECK(t.record().slots.size() == 3);
    CHECK_THROWS_WITH_AS(tk::tasks_tuner(tasks, tk::search::grid{}, tk::schedule::sequential{}, {}, 0, gen),
                         "tunekit: tune_tasks: there are no workers, want at least one", std::invalid_argument);
}
