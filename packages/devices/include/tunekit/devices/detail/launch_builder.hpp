// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A pool of compilers for a driver of OpenCL that compiles at a kernel's first launch: processes that stay, and launch
/// what they have built once, on one work-group.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/devices/detail/code_cache.hpp"
#include "tunekit/devices/detail/opencl_code.hpp"
#include "tunekit/devices/opencl/builder.hpp"
#include "tunekit/devices/opencl/session.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/jobs.hpp"
#include "tunekit/measure/measurement.hpp"
#include "tunekit/processes/build/build_pool.hpp"
#include "tunekit/processes/isolated_workers.hpp"
#include "tunekit/processes/system/own_files.hpp"

namespace tunekit::measure::detail {

/// What a compiler of `launch_builder` is told: a file with a line for each, then the text.
struct launch_order {
    std::string key{}, options{}, launch{}, text{};

    [[nodiscard]] static std::string path(const std::string& folder, index i)
    {
        return folder + "/build-" + std::to_string(i);
    }
    [[nodiscard]] std::string bytes() const { return key + '\n' + options + '\n' + launch + '\n' + text; }
    [[nodiscard]] static launch_order of(std::string_view bytes)
    {
        launch_order out;
        for (std::string* const line : {&out.key, &out.options, &out.launch}) {
            *line = bytes.substr(0, bytes.find('\n'));
            bytes.remove_prefix((std::min)(line->size() + 1, bytes.size()));
        }
        out.text = bytes;
        return out;
    }
};

/// The work of a compiler: builds the text of an order, writes the file of its key, and launches it on one work-group,
/// with arrays that nothing is in. The driver begins and reads its own library once.
class launch_compiles {
public:
    launch_compiles(int device, std::string library, std::string code, std::string folder)
        : on_(std::make_shared<opencl_session>(device, std::move(library))),
          code_(std::move(code), opencl_toolchain::suffix),
          folder_(std::move(folder))
    {
    }

    [[nodiscard]] bool measures_time() const noexcept { return true; }
    void validate() const {}

    /// Its cost are the seconds.
    [[nodiscard]] measurement operator()(index i, const limits& /* within */)
    {
        const wall_clock now;
        const double start = now();
        measurement m;
        const launch_order order = launch_order::of(bytes_of(launch_order::path(folder_, i)).value_or(std::string()));
        on_->cl();
        const opencl_build program(on_->cl(), on_->place(), on_->context(), order.text, order.options);
        const auto [built, log] = file_of(program, order.text, order.options, true);
        if (built.empty()) {
            const std::size_t at = log.find("error:");
            std::string why = log.substr(at == log.npos ? 0 : log.rfind('\n', at) + 1);
            why.resize((std::min)(why.size(), std::size_t{600}));
            for (char& c : why) c = c == '\n' ? ' ' : c;
            m.failed = failure{failure_kind::build_error, 1, std::move(why)};
            return m;
        }
        code_.publish({.bytes = built}, order.key, launch_order::path(folder_, i) + ".file");
        if (!order.launch.empty()) launch(program, opencl_launch::of(order.launch));
        m.cost = now() - start + 1e-9;
        m.runs = 1;
        return m;
    }

private:
    /// What cannot be launched is told when it is to run.
    void launch(const opencl_build& program, const opencl_launch& how)
    {
        const opencl_driver& cl = on_->cl();
        std::vector<opencl_driver::handle> arrays;
        int code = 0;
        const auto kernel = cl.create_kernel(program.program, how.entry.c_str(), &code);
        if (code != 0) return;
        std::uint32_t k = 0;
        for (const opencl_launch::argument& a : how.arguments) {
            if (code != 0) break;
            if (a.array != 0)
                arrays.push_back(cl.create_buffer(on_->context(), cl_read_write, a.array, nullptr, &code));
            if (code == 0)
                code = a.array != 0 ? cl.set_argument(kernel, k, sizeof(void*), &arrays.back())
                                    : cl.set_argument(kernel, k, a.value.size(), a.value.data());
            ++k;
        }
        if (code == 0 && how.shared_bytes != 0) code = cl.set_argument(kernel, k, how.shared_bytes, nullptr);
        if (code == 0) static_cast<void>(on_->one_group(kernel, how.block));
        cl.release_kernel(kernel);
        for (const auto array : arrays)
            if (array != nullptr) cl.release_memory(array);
    }

    std::shared_ptr<opencl_session> on_;
    store code_;
    std::string folder_;
};

/// Compilers that stay, as `pipeline` takes them. A build that its limit ends, or in which a compiler crashes, is done
/// where the file is there: then only the launch was amiss.
class launch_builder {
public:
    launch_builder(code_cache cache, std::string folder, isolated_workers compilers)
        : cache_(std::move(cache)), folder_(std::move(folder)), compilers_(std::move(compilers))
    {
    }

    [[nodiscard]] const code_cache& cache() const noexcept { return cache_; }
    [[nodiscard]] std::size_t processes() const noexcept { return compilers_.workers(); }

    void submit(const std::vector<source>& sources, std::string_view entry, double seconds)
    {
        for (const source& s : sources) {
            const std::string key = cache_.key(s, entry);
            const auto before = known_.find(key);
            const bool late = before != known_.end() && before->second && before->second->failed &&
                              before->second->failed->kind == failure_kind::build_timeout;
            if (before != known_.end() && !late) continue;
            if (cache_.find(key)) known_[key] = build_outcome{};
            else ask(s, key, seconds);
        }
        advance();
    }
    void submit_alone(const source& s, std::string_view entry, double seconds)
    {
        ask(s, cache_.key(s, entry), seconds);
        advance();
    }
    [[nodiscard]] std::optional<build_outcome> result(const std::string& key)
    {
        const auto at = known_.find(key);
        if (at == known_.end() || !at->second) return std::nullopt;
        build_outcome out = *at->second;
        at->second->seconds = 0;
        return out;
    }
    void advance()
    {
        while (compilers_.room() > 0 && !queue_.empty()) {
            const auto [i, seconds] = queue_.front();
            queue_.pop_front();
            compilers_.submit({.ticket = ticket{i}, .candidate = i, .limits = {.run_seconds = seconds}});
        }
        for (const answer& a : compilers_.collect(0)) take(a);
    }
    void watch(poll_set& events) const { pool_access::watch(compilers_, events); }

private:
    void ask(const source& s, const std::string& key, double seconds)
    {
        launch_order order{.key = key, .text = s.text};
        for (const std::string& o : cache_.options_of(s)) order.options += (order.options.empty() ? "" : " ") + o;
        if (!s.names.empty()) order.launch = s.names.front();
        write_file(launch_order::path(folder_, keys_.size()), order.bytes());
        known_[key] = std::nullopt;
        queue_.emplace_back(keys_.size(), seconds);
        keys_.push_back(key);
    }
    void take(const answer& a)
    {
        const std::string& key = keys_.at(static_cast<std::size_t>(a.ticket));
        build_outcome out;
        if (a.measured) {
            out.seconds = a.measured->run_seconds;
            out.failed = a.measured->failed;
        } else {
            out.failed = failure{failure_kind::build_error, 0, "the compiler was lost"};
        }
        if (out.failed && out.failed->kind != failure_kind::build_error) {
            const bool late = out.failed->kind == failure_kind::run_timeout;
            out.failed->kind = late ? failure_kind::build_timeout : failure_kind::build_error;
            out.failed->message = "the compiler: " + out.failed->message;
        }
        if (out.failed && cache_.find(key)) out.failed.reset();
        known_[key] = std::move(out);
    }

    code_cache cache_;
    std::string folder_;
    std::map<std::string, std::optional<build_outcome>> known_{};
    std::vector<std::string> keys_{};  ///< by the numbers of orders
    std::deque<std::pair<index, double>> queue_{};
    isolated_workers compilers_;
};

}  // namespace tunekit::measure::detail
