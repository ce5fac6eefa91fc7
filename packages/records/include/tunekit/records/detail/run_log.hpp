// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The log of a run, whatever its tuner is.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/jobs.hpp"
#include "tunekit/processes/files/log_file.hpp"
#include "tunekit/records/log.hpp"

namespace tunekit::io {
struct logged_options;
}
namespace tunekit::io::detail {

class logged_view;

/// What `logged` does, for a run that each call is given.
class run_log {
public:
    /// Opens the log at `path` and reads it.
    run_log(const std::string& path, const logged_options& options);

    /// Replays what was read into `run`, or writes the first lines. Whether `run` was replayed: it then has its workers
    /// and still the log's budget, in which time stops nothing.
    bool begin(const logged_view& run, const logged_options& options);

    [[nodiscard]] std::vector<job> ask(const logged_view& run, std::size_t worker, std::size_t n);
    void tell(const logged_view& run, const job& j, measure::measurement m, double stamp, std::size_t worker);
    [[nodiscard]] bool met(std::size_t worker) const { return about_.contains(worker); }
    void meet(const logged_view& run, std::size_t worker, worker_about about);
    void leave(const logged_view& run, std::size_t worker, worker_about about);
    void drop(const logged_view& run, const job& j);
    void recall(const logged_view& run, const job& j);
    void compared(const logged_view& run, std::uint64_t round, index candidate, measure::measurement m);
    void ended(const logged_view& run, std::string why);
    bool look(const logged_view& run);

    [[nodiscard]] bool failed() const noexcept { return file_.failed(); }
    [[nodiscard]] const std::string& problem() const noexcept { return file_.problem(); }
    [[nodiscard]] const std::string& note() const noexcept { return past_.note; }
    [[nodiscard]] std::size_t replayed() const noexcept { return past_.trials.size(); }

private:
    /// Tells the events again; then, and not before, the file is cut to its whole lines. Returns the number of workers
    /// at the end.
    std::uint64_t replay(const logged_view& run);
    bool write(const logged_view& run, log_content::event e);

    log_file file_;
    log_content past_;
    std::string path_;
    bool mixed_;
    std::string device_{};  ///< of the latest line that names one
    std::map<std::size_t, worker_about> about_{};
};

}  // namespace tunekit::io::detail
