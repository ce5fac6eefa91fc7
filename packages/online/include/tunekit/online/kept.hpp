// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A registry that is kept in a file while the application runs.

#include <algorithm>
#include <cstddef>
#include <exception>
#include <string>
#include <utility>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/online/registry.hpp"

namespace tunekit::online {

/// Reads a registry's winners from a file now, and writes them while the application runs and at the end.
///
///     tk::online::kept tuned(dslash, "tuned.txt");
///     tk::stop_on_signal stop;                                  // SIGTERM and Ctrl-C end the loop, not the process
///     for (; !stop.heard(); tuned.step()) advance();
///
/// `step` writes within a second after a context settled, and otherwise every `seconds`. The destructor writes, too, so
/// that what was found survives an exception and every orderly end. Nothing is done in signal handlers.
///
/// Errors:  `step` and `save` throw tunekit::error where the file cannot be written. The destructor ignores that.
/// Cost:    a reading of the clock per step, and a look at each context in a second.
/// Threads: those of the registry. Precondition: the registry outlives it.
template <class Registry, class Clock = measure::wall_clock>
class kept {
public:
    /// Reads the file; a missing one is empty. Throws as `registry::load`, and std::invalid_argument for `seconds`
    /// <= 0.
    kept(Registry& of, std::string path, double seconds = 60, Clock now = {})
        : of_(of), path_(std::move(path)), seconds_(seconds), now_(std::move(now)), read_(of.load(path_))
    {
        require(seconds > 0, "online::kept: seconds is not positive, want > 0");
        written_ = looked_ = now_();
    }
    kept(const kept&) = delete;
    kept& operator=(const kept&) = delete;
    ~kept()
    {
        try {
            save();
        } catch (const std::exception&) {
        }
    }

    /// What the file said.
    [[nodiscard]] const typename Registry::loaded& read() const noexcept { return read_; }

    /// Call it once in a step of the application, between its kernels.
    void step()
    {
        const double at = now_();
        if (at - looked_ < (std::min)(1.0, seconds_)) return;
        looked_ = at;
        if (at - written_ >= seconds_ || settled() != settled_) save();
    }

    /// Writes the file now.
    void save()
    {
        of_.save(path_);
        written_ = now_();
        settled_ = settled();
    }

private:
    [[nodiscard]] std::size_t settled() const
    {
        std::size_t n = 0;
        for (const auto& [key, c] : of_.contexts()) n += c.settled();
        return n;
    }

    Registry& of_;
    std::string path_;
    double seconds_;
    Clock now_;
    typename Registry::loaded read_;
    double written_ = 0, looked_ = 0;
    std::size_t settled_ = 0;
};

}  // namespace tunekit::online
