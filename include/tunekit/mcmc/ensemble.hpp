// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The affine-invariant ensemble sampler.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/core/executor.hpp"
#include "tunekit/linalg/elementary.hpp"
#include "tunekit/mcmc/concepts.hpp"
#include "tunekit/mcmc/detail/draws.hpp"
#include "tunekit/mcmc/initial.hpp"
#include "tunekit/mcmc/state.hpp"
#include "tunekit/mcmc/stretch.hpp"
#include "tunekit/random/fill.hpp"

namespace tunekit::mcmc {

/// Options of `ensemble` that do not depend on the move.
struct ensemble_options {
    std::size_t thin_by = 1;         ///< steps from one stored step to the next
    bool allow_few_walkers = false;  ///< accept fewer than 2 D walkers, and walkers that do not span the space
};

/// Draws from a density known up to a constant. It has W walkers. Each gets proposals from the positions of others.
///
///     const mcmc::ensemble sampler{mcmc::stretch{}};
///     auto state = sampler.start(log_density, positions, dimensions);
///     const auto chain = sampler.run(state, log_density, 5000, gen);
///
/// A step divides the walkers into sets at random and takes one set after another. Each walker x of the set gets a
/// proposal q from the walkers of the other sets. All proposals are evaluated together. x becomes q where U < factor
/// p(q) / p(x), U uniform in (0, 1].
///
/// Shapes:     positions W x D, one walker per row.
/// Errors:     std::invalid_argument where a start or a parameter makes no sense; numerical_error when a density is NaN
///             or +inf (the state is then that before the set with this density).
/// Randomness: all draws of a set are made on the calling thread, before its densities are evaluated: one `bits` per
///             walker to accept; the draws that the move documents; one more per step for a mixture; about W log2(W) /
///             112 for the division, or W / 128 for two sets of 16 or more walkers together.
/// Resuming:   a run continued from its state and generator makes the same steps, bit for bit, as one longer run.
/// Threads:    `run` takes an executor and evaluates a set through it: point by point, or in chunks where the density
///             is batched. Any executor gives the same chain. The density is called from the executor's threads and
///             must be safe for that.
/// Cost:       W densities and O(W D) per step; 10 to 20 ns per walker beside the density.
/// Source:     Foreman-Mackey et al. (2013), PASP 125, 306-312, algorithm 3; emcee 3 for sets, moves and checks.
/// Departures: with 16 or more walkers, two sets are divided by a fair bit for each of W / 2 pairs, not by a whole
///             shuffle. Accepted proposals count in steps that thinning drops, too. A start needs a finite density.
template <class Move = stretch>
struct ensemble {
    Move move = {};                 ///< how proposals are made
    ensemble_options options = {};  ///< everything else

    static constexpr std::size_t chunk = 64;  ///< the most points that a batched density gets in one call

    /// The state of walkers at `positions` (W x D, one per row), with their densities.
    template <log_density F>
    [[nodiscard]] state start(const F& log_density, std::vector<double> positions, std::size_t dimensions) const
    {
        require(dimensions > 0 && !positions.empty() && positions.size() % dimensions == 0,
                "ensemble.start: positions are not W x D numbers, want W > 0 rows of D > 0");
        require(options.thin_by > 0, "ensemble: thin_by is 0, want >= 1");
        move.check(dimensions);
        const std::size_t w = positions.size() / dimensions, fewest = move.min_walkers(dimensions);
        for (const double x : positions) require(std::isfinite(x), "ensemble.start: a position is not finite");
        if (!options.allow_few_walkers && fewest > 1) {
            require(w >= fewest, "ensemble.start: " + std::to_string(w) + " walkers in " + std::to_string(dimensions) +
                                     " dimensions, want >= " + std::to_string(fewest) + " (or allow_few_walkers)");
            require(linearly_independent(positions, dimensions),
                    "ensemble.start: the walkers do not span the space (condition number above 1e8), want independent "
                    "positions");
        }
        state s{.dimensions = dimensions,
                .positions = std::move(positions),
                .log_prob = std::vector<double>(w),
                .accepted = std::vector<std::uint64_t>(w),
                .steps = 0};
        std::vector<double> columns(w * dimensions);
        const proposals out = layout<F>(columns, w, dimensions);
        for (std::size_t k = 0; k < w; ++k)
            for (std::size_t c = 0; c < dimensions; ++c) out(k, c) = s.positions[k * dimensions + c];
        evaluate(log_density, columns, dimensions, s.log_prob, core::serial);
        bool any = false;
        for (const double lp : s.log_prob) any = any || std::isfinite(lp);
        require(any, "ensemble.start: every walker has density 0, want one inside the support");
        return s;
    }

    /// Makes `steps * thin_by` steps and returns the walkers after every `thin_by`-th.
    template <log_density F, core::executor Run, generator G>
    [[nodiscard]] chain run(state& s, const F& log_density, std::size_t steps, const Run& executor, G& gen) const
    {
        const std::size_t w = s.walkers();
        chain out{.walkers = w,
                  .dimensions = s.dimensions,
                  .thin_by = options.thin_by,
                  .steps = 0,
                  .positions = {},
                  .log_prob = {},
                  .accepted = s.accepted};
        out.positions.reserve(steps * s.positions.size());
        out.log_prob.reserve(steps * w);
        workspace work(s);
        for (std::size_t t = 0; t < steps; ++t) {
            for (std::size_t i = 0; i < options.thin_by; ++i) step(s, log_density, executor, work, gen);
            out.positions.insert(out.positions.end(), s.positions.begin(), s.positions.end());
            out.log_prob.insert(out.log_prob.end(), s.log_prob.begin(), s.log_prob.end());
        }
        out.steps = steps * options.thin_by;
        for (std::size_t k = 0; k < w; ++k) out.accepted[k] = s.accepted[k] - out.accepted[k];
        return out;
    }

    /// The same on the calling thread.
    template <log_density F, generator G>
    [[nodiscard]] chain run(state& s, const F& log_density, std::size_t steps, G& gen) const
    {
        return run(s, log_density, steps, core::serial, gen);
    }

private:
    /// Scratch memory of a step; nothing in it is kept for the next.
    struct workspace {
        explicit workspace(const state& s)
            : order(s.walkers()),
              taken(s.walkers()),
              points(s.positions.size()),
              log_prob(s.walkers()),
              factor(s.walkers()),
              u(s.walkers()),
              ratio(s.walkers())
        {
        }
        std::vector<std::uint32_t> order;
        std::vector<std::uint64_t> taken;
        std::vector<double> points, log_prob, factor, u, ratio;
    };

    template <class F>
    [[nodiscard]] static proposals layout(std::vector<double>& data, std::size_t n, std::size_t d)
    {
        if constexpr (detail::batch_log_density<F>) return {data.data(), 1, n};
        else return {data.data(), d, 1};
    }

    template <class F, class Run>
    void evaluate(const F& log_density, const std::vector<double>& data, std::size_t d, std::span<double> out,
                  const Run& executor) const
    {
        const std::size_t n = out.size();
        if constexpr (detail::batch_log_density<F>) {
            executor((n + chunk - 1) / chunk, [&](std::size_t i) {
                const std::size_t first = i * chunk, size = n - first < chunk ? n - first : chunk;
                log_density(points(data.data() + first, size, d, n), out.subspan(first, size));
            });
        } else {
            executor(n, [&](std::size_t i) { out[i] = log_density(std::span<const double>(data.data() + i * d, d)); });
        }
        constexpr double infinity = std::numeric_limits<double>::infinity();
        core::detail::pack_bits bad{};
        std::size_t i = 0;
        for (; i + core::detail::pack_size <= n; i += core::detail::pack_size)
            bad |= ~reinterpret_cast<core::detail::pack_bits>(core::detail::load(out.data() + i) < infinity);
        bool good = true;
        for (std::size_t lane = 0; lane < core::detail::pack_size; ++lane) good &= bad[lane] == 0;
        for (; i < n; ++i) good &= out[i] < infinity;
        if (!good) throw numerical_error("ensemble: the log density is NaN or +inf, want a number or -inf");
    }

    template <class F, class Run, class G>
    void step(state& s, const F& log_density, const Run& executor, workspace& work, G& gen) const
    {
        if constexpr (detail::mixes_moves<Move>) {
            move.pick(gen, [&](const auto& one) { step_by(one, s, log_density, executor, work, gen); });
        } else {
            static_assert(mcmc::move<Move, G>, "tunekit: ensemble, part 1: not an mcmc::move");
            step_by(move, s, log_density, executor, work, gen);
        }
    }

    template <class M, class F, class Run, class G>
    void step_by(const M& one, state& s, const F& log_density, const Run& executor, workspace& work, G& gen) const
    {
        const division divided = one.divide();
        const std::size_t d = s.dimensions;
        require(s.walkers() >= divided.sets, "ensemble.run: fewer walkers than sets, want one in each");
        divide(divided, s.steps, work.order, gen);
        bool linear = false;
        if constexpr (detail::may_give_factors<M>) linear = one.gives_factors(d);
        std::size_t first = 0;
        for (std::size_t set = 0; set < divided.sets; ++set) {
            const view walkers(s.positions, d, work.order, divided.sets, set, s.steps);
            const std::size_t n = walkers.size();
            const std::uint32_t* const which = work.order.data() + first;
            const std::span<double> log_prob(work.log_prob.data(), n), factor(work.factor.data(), n);
            const proposals q = layout<F>(work.points, n, d);
            one.propose(walkers, q, factor, gen);
            random::fill_uniform_01(std::span(work.u.data(), n), gen);
            evaluate(log_density, work.points, d, log_prob, executor);
            accept(s, {which, n}, log_prob, factor, linear, work);
            detail::for_dimensions(d, [&](auto dims) {
                // No branch, which could not be foretold: it would end the overlap with the draws of the next set.
                for (std::size_t i = 0; i < n; ++i) {
                    const std::uint64_t moves = work.taken[i];
                    const auto chosen = [&](auto stays, auto goes) { return stays ^ ((stays ^ goes) & moves); };
                    const std::size_t k = which[i];
                    double* const x = s.positions.data() + k * dims;
                    const auto* const from = reinterpret_cast<const double*>(
                        chosen(reinterpret_cast<std::uintptr_t>(x), reinterpret_cast<std::uintptr_t>(&q(i, 0))));
                    if constexpr (detail::batch_log_density<F>) {
                        const std::size_t apart = chosen(std::size_t{1}, q.coordinate_stride());
                        for (std::size_t c = 0; c < dims; ++c) x[c] = from[c * apart];
                    } else {
                        std::memmove(x, from, dims * sizeof *x);
                    }
                    s.log_prob[k] = core::detail::from_bits(
                        chosen(core::detail::to_bits(s.log_prob[k]), core::detail::to_bits(log_prob[i])));
                    s.accepted[k] += moves & 1U;
                }
            });
            first += n;
        }
        ++s.steps;
    }

    /// Writes to `work.taken` who of a set moves: all bits, or none. -inf against -inf gives NaN, which nothing is
    /// below: rejected.
    static void accept(const state& s, std::span<const std::uint32_t> which, std::span<const double> log_prob,
                       std::span<const double> factor, bool linear, workspace& work)
    {
        using core::detail::pack, core::detail::pack_size;
        const std::size_t n = which.size();
        const double* const u = work.u.data();
        std::uint64_t* const taken = work.taken.data();
        const std::span<double> ratio(work.ratio.data(), n);
        std::size_t i = 0;
        for (; i + pack_size <= n; i += pack_size) {
            const pack before = core::detail::collect([&](std::size_t lane) { return s.log_prob[which[i + lane]]; });
            const pack rise = core::detail::load(log_prob.data() + i) - before;
            const pack e = linear ? 0 + rise : core::detail::load(factor.data() + i) + rise,
                       least = linalg::all<pack>(-700.0);
            core::detail::store(e < least ? least : e,
                                ratio.data() + i);  // below, the ratio is subnormal, which is slow
        }
        for (; i < n; ++i) ratio[i] = (linear ? 0 : factor[i]) + (log_prob[i] - s.log_prob[which[i]]);
        linalg::exp(ratio, ratio);  // in a loop of its own: the shorter, the more of them overlap
        for (i = 0; i + pack_size <= n; i += pack_size) {
            const pack r = core::detail::load(ratio.data() + i);
            core::detail::store(
                taken + i, 1 - core::detail::load(u + i) < (linear ? core::detail::load(factor.data() + i) * r : r));
        }
        for (; i < n; ++i) taken[i] = 1 - u[i] < (linear ? factor[i] * ratio[i] : ratio[i]) ? ~std::uint64_t{0} : 0;
    }

    /// Walkers from which on two sets are divided pair by pair: few walkers have too few such divisions.
    static constexpr std::size_t pairs_from = 16;

    /// Fills `order` with the walkers of set 0, then of set 1, ...; only as much is shuffled as decides who is where.
    template <class G>
    static void divide(const division& divided, std::uint64_t steps, std::span<std::uint32_t> order, G& gen)
    {
        const std::size_t w = order.size();
        if (divided.shuffled && divided.sets == 2 && w >= pairs_from) {
            detail::split_pairs(order, steps, gen);
        } else if (divided.shuffled) {
            for (std::size_t k = 0; k < w; ++k) order[k] = static_cast<std::uint32_t>(k);
            if (divided.sets > 1) detail::shuffle_front(order, w - w / divided.sets, gen);
        } else {
            for (std::size_t set = 0, place = 0; set < divided.sets; ++set)
                for (std::size_t k = set; k < w; k += divided.sets) order[place++] = static_cast<std::uint32_t>(k);
        }
    }
};

template <class M>
ensemble(M) -> ensemble<M>;
template <class M>
ensemble(M, ensemble_options) -> ensemble<M>;

}  // namespace tunekit::mcmc
