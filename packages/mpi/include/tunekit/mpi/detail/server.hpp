// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The side of a rank that measures: orders in, measurements out. It does not use MPI.

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/jobs.hpp"
#include "tunekit/mpi/code_folder.hpp"
#include "tunekit/mpi/detail/wire.hpp"
#include "tunekit/mpi/messages.hpp"
#include "tunekit/processes/isolated_workers.hpp"

namespace tunekit::mpi::detail {

/// Serves one worker process. `hear` takes a message of rank 0, `look_after(seconds)` waits for the candidate that
/// runs, and `say` gives the next message for rank 0.
class server {
public:
    /// `at` is empty where it could not be built, for the reason `why`. `code` is for a rank that builds or runs.
    server(std::optional<measure::isolated_workers> at, std::string why, const greeting& who,
           std::optional<code_folder> code = {})
        : at_(std::move(at)), code_(std::move(code)), duty_(who.duty), task_count_(who.tasks.size())
    {
        if (at_) say(word::hello, to_bytes(who));
        else leave("on " + who.host + ' ' + why);
    }

    [[nodiscard]] bool over() const noexcept { return over_; }
    /// Whether it has said goodbye: rank 0 has nothing to tell it but the end.
    [[nodiscard]] bool left() const noexcept { return left_; }
    [[nodiscard]] bool busy() const noexcept { return number_.has_value(); }

    void hear(const message& m)
    {
        if (m.what == word::end || m.what == word::refused) {
            at_.reset();  // ends a candidate that runs
            number_.reset();
            over_ = over_ || m.what == word::end;  // who is refused waits for that, with naps, unlike MPI_Finalize
            if (!left_) leave("");
        }
        auto o = m.what == word::order ? from_bytes<order>(m.bytes) : std::nullopt;
        if (m.what == word::order && !o) return fail("was sent an order that cannot be read");
        if (!o || !at_ || number_ || o->task >= task_count_) return;
        number_ = o->number;
        task_ = o->task;
        candidate_ = o->candidate;
        say(word::began, to_bytes(o->number));
        try {
            if (duty_ == duty::runs) code_->put(task_, candidate_, o->code);
            at_->submit({.task = static_cast<std::size_t>(o->task), .candidate = o->candidate, .limits = o->within});
        } catch (const std::exception& e) {
            fail(e.what());
        }
    }

    /// Waits for the candidate that runs, at most `seconds`.
    void look_after(double seconds)
    {
        if (!number_ || !at_) return;
        try {
            for (answer& a : at_->collect(seconds)) {
                reply r{*number_, std::move(a.measured), a.ran_s};
                if (duty_ != duty::measures) hand_over(r);
                say(word::answer, to_bytes(r));
                number_.reset();
            }
            if (!number_ && at_->room() == 0) (void)at_->collect(0);  // throws with the reason why there is no worker
        } catch (const std::exception& e) {
            fail(e.what());
        }
    }

    [[nodiscard]] std::optional<message> say()
    {
        if (said_.empty()) return std::nullopt;
        message out = std::move(said_.front());
        said_.pop_front();
        return out;
    }

private:
    /// Takes the code out of the folder. The code of a rank that builds goes into the reply.
    void hand_over(reply& r)
    {
        const auto code = code_->take(task_, candidate_);
        if (duty_ != duty::builds || !r.measured || r.measured->failed) return;
        if (code && !code->empty() && code->size() <= max_code) r.code = *code;
        else
            r.measured->failed = measure::failure{measure::failure_kind::build_error, 0,
                                                  code && !code->empty() ? "built more than fits into a message"
                                                                         : "built nothing that could be handed over"};
    }
    void say(word what, std::vector<unsigned char> bytes) { said_.push_back({0, what, std::move(bytes)}); }
    void leave(const std::string& why)
    {
        left_ = true;
        say(word::bye, to_bytes(why));
    }
    void fail(const std::string& why)
    {
        at_.reset();
        number_.reset();
        leave(why);
    }

    std::optional<measure::isolated_workers> at_;
    std::optional<code_folder> code_;
    duty duty_;
    std::size_t task_count_;
    std::optional<std::uint64_t> number_{};  ///< the number of the order under way; the next two are of that order
    std::size_t task_ = 0;
    index candidate_ = 0;
    std::deque<message> said_{};
    bool over_ = false, left_ = false;
};

}  // namespace tunekit::mpi::detail
