// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Messages over MPI without waiting.

#include <cstddef>
#include <iterator>
#include <list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/mpi/detail/mpi.hpp"
#include "tunekit/mpi/detail/wire.hpp"
#include "tunekit/mpi/messages.hpp"

namespace tunekit::mpi::detail {

/// Sends and receives over a communicator. A receive that has begun is tested, not waited for, so a large message of a
/// rank that was stopped in the middle of it delays nobody. Where a call about one rank fails, that rank counts as lost
/// and the others go on. Where a call that is not about one rank fails, it throws tunekit::error.
class endpoint {
public:
    explicit endpoint(MPI_Comm comm) : comm_(comm)
    {
        check(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "error handler");
    }
    /// What is under way stays: in an application MPI goes on, and may read or write it yet.
    ~endpoint()
    {
        for (auto* const some : {&sending_, &receiving_})
            if (!some->empty()) static_cast<void>(new std::list<transfer>(std::move(*some)));
    }
    endpoint(endpoint&&) noexcept = default;
    endpoint& operator=(endpoint&&) noexcept = default;

    void send(std::size_t rank, word what, std::vector<unsigned char> bytes)
    {
        transfer& t = sending_.emplace_back();
        t.bytes = std::move(bytes);
        t.rank = rank;
        const int code = MPI_Isend(t.bytes.data(), static_cast<int>(t.bytes.size()), MPI_BYTE, static_cast<int>(rank),
                                   static_cast<int>(what), comm_, &t.request);
        if (code != MPI_SUCCESS) {
            sending_.pop_back();
            return failed(code, rank);
        }
        finish_sends();
    }

    /// The next message; `worker` is the rank that sent it. For a rank that has failed according to MPI, it gives a
    /// `bye`.
    [[nodiscard]] std::optional<message> receive()
    {
        finish_sends();
        for (auto t = receiving_.begin(); t != receiving_.end();) {
            const progress at = test(*t);
            if (at == progress::done) {
                message m{t->rank, t->what, std::move(t->bytes)};
                receiving_.erase(t);
                return m;
            }
            t = at == progress::failed ? receiving_.erase(t) : std::next(t);
        }
        for (;;) {
            int flag = 0;
            MPI_Message handle{};
            MPI_Status status{};
            const int code = MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &flag, &handle, &status);
            if (code != MPI_SUCCESS) failed(code);
            else if (flag != 0) {
                transfer& t = receiving_.emplace_back();
                int size = 0;
                MPI_Get_count(&status, MPI_BYTE, &size);
                t.rank = static_cast<std::size_t>(status.MPI_SOURCE);
                t.what = static_cast<word>(status.MPI_TAG);
                t.bytes.resize(static_cast<std::size_t>(size));
                const int taken = MPI_Imrecv(t.bytes.data(), size, MPI_BYTE, &handle, &t.request);
                if (taken != MPI_SUCCESS) failed(taken, t.rank);
                const progress at = taken != MPI_SUCCESS ? progress::failed : test(t);
                if (at == progress::under_way) continue;
                message m{t.rank, t.what, std::move(t.bytes)};
                receiving_.pop_back();
                if (at == progress::done) return m;
                continue;
            }
            if (dead_.empty()) return std::nullopt;
            const auto [rank, why] = std::move(dead_.back());
            dead_.pop_back();
            return message{rank, word::bye, to_bytes(why)};
        }
    }

    /// Whether every message that was sent has left.
    [[nodiscard]] bool all_sent()
    {
        finish_sends();
        return sending_.empty();
    }

    /// Whether a call has failed for another reason than the failure of a process. MPI_Finalize may then wait for ever.
    [[nodiscard]] bool broken() const noexcept { return broken_; }

private:
    enum class progress : unsigned char { under_way, done, failed };
    struct transfer {
        MPI_Request request = MPI_REQUEST_NULL;
        std::vector<unsigned char> bytes{};
        std::size_t rank = 0;
        word what{};
    };

    [[nodiscard]] progress test(transfer& t)
    {
        int flag = 0;
        const int code = MPI_Test(&t.request, &flag, MPI_STATUS_IGNORE);
        if (code != MPI_SUCCESS) failed(code, t.rank);
        if (code != MPI_SUCCESS) return progress::failed;
        return flag != 0 ? progress::done : progress::under_way;
    }

    void finish_sends()
    {
        for (auto t = sending_.begin(); t != sending_.end();)
            t = test(*t) != progress::under_way ? sending_.erase(t) : std::next(t);
    }

    void lose(std::size_t rank, const std::string& why)
    {
        if (known_dead_.size() <= rank) known_dead_.resize(rank + 1);
        if (!known_dead_[rank]) dead_.emplace_back(rank, why);
        known_dead_[rank] = true;
    }

    /// Marks as lost the ranks that have failed according to MPI, or else the rank that the call was about.
    void failed(int code, std::optional<std::size_t> about = {})
    {
#if defined(MPIX_ERR_PROC_FAILED)
        int kind = 0;
        MPI_Error_class(code, &kind);
        if (kind == MPIX_ERR_PROC_FAILED || kind == MPIX_ERR_PROC_FAILED_PENDING) {
            MPI_Group gone = MPI_GROUP_NULL, all = MPI_GROUP_NULL;
            int n = 0;
            check(MPIX_Comm_failure_ack(comm_), "acknowledge a failure");
            check(MPIX_Comm_failure_get_acked(comm_, &gone), "ask who has failed");
            MPI_Comm_group(comm_, &all);
            MPI_Group_size(gone, &n);
            for (int k = 0; k < n; ++k) {
                int rank = 0;
                MPI_Group_translate_ranks(gone, 1, &k, all, &rank);
                lose(static_cast<std::size_t>(rank), "ended: MPI says that its process has failed");
            }
            MPI_Group_free(&gone);
            MPI_Group_free(&all);
            return;
        }
#endif
        broken_ = true;
        if (!about) return check(code, "a message");
        lose(*about, "cannot be reached: " + error_text(code));
    }

    MPI_Comm comm_;
    std::list<transfer> sending_{}, receiving_{};
    std::vector<std::pair<std::size_t, std::string>> dead_{};
    std::vector<bool> known_dead_{};
    bool broken_ = false;
};

}  // namespace tunekit::mpi::detail
