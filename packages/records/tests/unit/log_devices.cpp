// SPDX-License-Identifier: MIT
// Who measured, and on what, in a log.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/grid_space.hpp"
#include "tests/support/simulated_workers.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/records/logged.hpp"
#include "tunekit/search/random.hpp"

namespace tk = tunekit;

namespace {

const support::grid_space space({8, 8});

/// Workers that tell who they are.
class known_workers {
public:
    /// Those with a reason leave at so many seconds.
    known_workers(std::vector<tk::worker_about> who, double leave = 9)
        : who_(std::move(who)), leave_(leave), on_(table(), {.workers = who_.size()})
    {
        for (std::size_t w = 0; w < who_.size(); ++w)
            if (!who_[w].left.empty()) left_.push_back(w);
    }
    [[nodiscard]] std::size_t workers() const noexcept { return on_.workers(); }
    [[nodiscard]] std::size_t room() const noexcept { return on_.room(); }
    void submit(const tk::job& j) { on_.submit(j); }
    [[nodiscard]] std::vector<tk::answer> collect(double seconds) { return on_.collect(seconds); }
    [[nodiscard]] double now() const noexcept { return on_.now(); }
    [[nodiscard]] tk::worker_about about(std::size_t w) const
    {
        tk::worker_about out = who_.at(w);
        if (on_.now() < leave_) out.left.clear();
        return out;
    }
    [[nodiscard]] const std::vector<std::size_t>& left() const noexcept { return on_.now() < leave_ ? none_ : left_; }

private:
    static const std::vector<tk::measure::recorded_row>& table()
    {
        static const auto rows = [] {
            std::vector<tk::measure::recorded_row> out(space.size());
            for (std::size_t i = 0; i < out.size(); ++i) {
                out[i].result.cost = out[i].seconds = 1 + static_cast<double>(i) / 64;
                out[i].result.runs = 1;
            }
            return out;
        }();
        return rows;
    }

    std::vector<tk::worker_about> who_;
    double leave_;
    std::vector<std::size_t> none_{}, left_{};
    support::simulated_workers<> on_;
};

const tk::worker_about first{"a", "board", 0, tk::worker_about::ratio{1, 1, 1}, {}};
const tk::worker_about second{"b", "board", 1, tk::worker_about::ratio{1.25, 1.125, 1.5}, {}};

tk::tuning run(const std::string& path, std::vector<tk::worker_about> who, std::uint64_t trials,
               tk::io::logged_options how = {.machine = "m", .seed = 3, .resume = true})
{
    tk::io::logged log(path, tk::tuner(space, tk::search::random{}, {.trials = trials}, tk::random::philox(3)), how);
    known_workers on(std::move(who));
    tk::tune(log, on);
    return log.record();
}

}  // namespace

TEST_CASE("every record names its device; who a worker is stands before its first answer")
{
    const support::temporary_folder folder;
    const std::string file = folder / "log";
    (void)run(file, {first, second}, 20);
    const auto log = tk::io::read_log(file);
    CHECK(log.trials.size() == 20);
    for (const auto& t : log.trials) CHECK(t.device == "board");
    std::vector<bool> known(2);
    std::size_t joined = 0;
    for (const auto& e : log.events) {
        if (e.what == tk::io::log_content::event::kind::joined) {
            CHECK(e.about == (e.worker == 0 ? first : second));
            known.at(e.worker) = true;
            ++joined;
        }
        if (e.what == tk::io::log_content::event::kind::tell) CHECK(known.at(e.worker));
    }
    CHECK(joined == 2);
}

TEST_CASE("a log says once who is used no more and why, and is taken up all the same")
{
    const support::temporary_folder folder;
    const std::string file = folder / "log";
    tk::worker_about leaves = second;
    leaves.left = "was taken out: \"x\"";
    for (const std::size_t trials : {20U, 30U}) {
        CHECK(run(file, {first, leaves}, trials).trials().size() == trials);
        std::vector<std::string> why;
        for (const auto& e : tk::io::read_log(file).events)
            if (e.what == tk::io::log_content::event::kind::joined && !e.about.left.empty()) {
                CHECK(e.worker == 1);
                why.push_back(e.about.left);
            }
        CHECK(why == std::vector<std::string>{leaves.left});
    }
}

TEST_CASE("a worker that has left before its first answer is heard has its device, and one line says that it left")
{
    const support::temporary_folder folder;
    const std::string file = folder / "log";
    tk::worker_about leaves = second;
    leaves.left = "said goodbye";
    tk::io::logged log(file, tk::tuner(space, tk::search::random{}, {.trials = 20}, tk::random::philox(3)),
                       {.machine = "m", .seed = 3});
    known_workers on({first, leaves}, 0);
    tk::tune(log, on);
    const auto was = tk::io::read_log(file);
    for (const auto& t : was.trials) CHECK(t.device == "board");
    std::vector<tk::worker_about> told;
    for (const auto& e : was.events)
        if (e.what == tk::io::log_content::event::kind::joined && e.worker == 1) told.push_back(e.about);
    CHECK(std::count(told.begin(), told.end(), second) == 1);
    CHECK(std::count(told.begin(), told.end(), leaves) == 1);
    CHECK(told.size() == 2);
}

TEST_CASE("a log has the workers of a run over one space, which may change, and the limits of each answer")
{
    const support::temporary_folder folder;
    const std::string file = folder / "log";
    const tk::recipe how{tk::search::random{}, tk::measure::fixed{}, tk::candidate_limits{.max_run_seconds = 2}};
    for (const std::size_t n : {2U, 3U}) {
        known_workers on(std::vector<tk::worker_about>(n, first));
        (void)tk::io::logged_run(file, space, on, how, {.trials = 10 * n},
                                 {.machine = "m", .seed = 3, .resume = n == 3});
        const auto log = tk::io::read_log(file);
        CHECK(log.header.workers == 2);
        CHECK(log.trials.size() == 10 * n);
        for (const auto& t : log.trials) CHECK(t.limits.run_seconds == 2);
        std::vector<std::uint64_t> changes;
        for (const auto& e : log.events)
            if (e.what == tk::io::log_content::event::kind::workers) changes.push_back(e.n);
        CHECK(changes == std::vector<std::uint64_t>(n - 2, 3));
    }
}

TEST_CASE("a log is taken up on the same device alone, by any worker, and a refused one keeps every byte")
{
    const support::temporary_folder folder;
    const std::string file = folder / "log";
    const auto before = run(file, {first, second}, 20);
    auto other = second;
    other.device = "another board";
    const auto size = tk::io::read_log(file).whole_bytes;
    CHECK_THROWS_WITH_AS(
        (void)run(file, {other}, 25),
        ("tunekit: log " + file +
         ": its costs are of the device \"board\", worker 0 measures on \"another board\"; resume on the same, name "
         "another file, or let devices mix")
            .c_str(),
        tk::error);
    const auto kept = tk::io::read_log(file);
    CHECK(kept.trials.size() == 20);
    CHECK(kept.whole_bytes >= size);
    const auto after = run(file, {second}, 25);  // worker 0 is somebody else now, on the same
    CHECK(after.trials().size() == 25);
    for (std::size_t k = 0; k < 20; ++k) CHECK(after.trials()[k].candidate == before.trials()[k].candidate);
    const auto mixed = run(file, {other}, 30, {.machine = "m", .seed = 3, .mixed_devices = true, .resume = true});
    CHECK(mixed.trials().size() == 30);
    CHECK(tk::io::read_log(file).trials.back().device == "another board");
}

TEST_CASE("lines without a device, as older logs have, are read; a ratio that is none is not")
{
    const std::string header =
        R"({"tunekit_log":2,"version":"0.1.0","machine":"m","seed":1,"strategy":"","schedule":"","seconds":null,"slot_seconds":0.0,"batch":0,"workers":1,"budget":{"trials":9,"patience":null,"workers_per_task":null},"tasks":[{"name":"t","size":64,"fingerprint":1}]})";
    const std::string tell =
        R"({"tell":0,"worker":0,"stamp_s":1.0,"task":0,"batch":0,"index":5,"limits":{"abandon_above":null,"run_s":null,"build_s":null},"cost":1.0,"spread":0.0,"runs":1,"at_least":false,"build_s":0.0,"run_s":1.0,"batches":[],"ended_ns":1000000000})";
    const auto old = tk::io::detail::parse_log(header + '\n' + tell + '\n', "old");
    REQUIRE(old.trials.size() == 1);
    CHECK(old.trials[0].device.empty());
    CHECK_THROWS_AS(
        (void)tk::io::detail::parse_log(
            header + '\n' +
                R"({"joined":0,"host":"a","device":"b","local_rank":0,"against_first":[1.0,2.0],"stamp_s":0.0})" + '\n',
            "bad"),
        tk::error);
}
