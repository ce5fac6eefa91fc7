// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Chameleon's adaptive exploration: a learned policy that steps through a space.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/explore/concepts.hpp"
#include "tunekit/explore/detail/actor_critic.hpp"
#include "tunekit/explore/detail/best_list.hpp"
#include "tunekit/explore/detail/journey.hpp"
#include "tunekit/explore/detail/proximal.hpp"
#include "tunekit/random/choice.hpp"
#include "tunekit/random/fill.hpp"

namespace tunekit::explore {

/// The reward of a step.
enum class reward_of : std::uint8_t {
    score,  ///< the score of the configuration after the step
    rise,   ///< that minus the score of the configuration before it
};

/// The steps that an update of the policy uses.
enum class updates : std::uint8_t {
    per_episode,  ///< `epochs` draws of `minibatch` steps, with replacement, of each episode in turn
    pooled,       ///< the steps of all episodes, `epochs` times in random order, `minibatch` at a time
};

/// Walks `episodes` episodes at once from random configurations, up to `steps` steps each, and returns the best that it
/// saw. At every step each parameter goes one value down, stays, or goes one up. A network decides that from the
/// present configuration. Afterwards the network learns, by proximal policy optimisation, which steps led to high
/// scores.
///
///     explore::policy_gradient{.entropy_weight = 0.02}
///
/// The network sees ordinal / cardinality of each parameter that has more than one value. A value at an end of its list
/// cannot go further. A step to a configuration that the constraints exclude is not made, and the reward is the score
/// of the present configuration. An episode ends early once a share of `end_share` of the parameters stayed or were
/// pushed against an end of their list in one step. Rewards should be of the order of 1. One beyond 1e15 counts as
/// 1e15, and one that is NaN as 0, so that the network stays one of numbers.
///
/// State:      weights and Adam's moments, kept from search to search.
/// Randomness: the weights, once; distinct starts; per step one `bits` per parameter and episode; per update the steps
///             that it uses.
/// Cost:       at most episodes (steps + 1) scores and as many passes of a network of about 2,000 weights.
/// Source:     Ahn et al. (2020), Chameleon: Adaptive Code Optimization for Expedited Deep Neural Network Compilation,
///             ICLR, section 3.2 and table 9; its code for what the paper leaves open (observation, minibatches).
/// Departures: the paper gives no sizes of layers: 20 here as in its code. The paper does not say what ends an episode
///             before its last step. By default nothing does here, because the code's rule ends most after ten of 500.
///             The code plays one episode after another and learns after each. Here all are played with the policy of
///             the start; then it learns from each in turn. Advantages that are all equal change nothing (the code
///             divides by 0). Starts are distinct. The code knows no constraints.
struct policy_gradient {
    std::size_t episodes = 128;                ///< > 0
    std::size_t steps = 500;                   ///< of an episode, at most
    double end_share = 2;                      ///< > 0; at more than 1 no episode ends early
    reward_of reward = reward_of::score;       ///< the reward of a step
    towers layout = towers::shared_first;      ///< the layers that policy and value share
    std::size_t hidden = 20;                   ///< units per layer; > 0
    double learning_rate = 1e-3;               ///< >= 0; at 0 nothing is learnt: a random walk
    double discount = 0.9;                     ///< in [0, 1]
    double lambda = 0.99;                      ///< in [0, 1]
    double clip = 0.3;                         ///< > 0
    double entropy_weight = 0.1;               ///< >= 0
    double value_weight = 1;                   ///< >= 0
    bool joint_ratio = false;                  ///< one ratio per step instead of one per parameter
    updates update_on = updates::per_episode;  ///< the steps of an update
    std::size_t epochs = 3;                    ///< passes over the steps, or draws
    std::size_t minibatch = 32;                ///< > 0

    /// The paper's settings: the defaults.
    [[nodiscard]] static constexpr policy_gradient paper() { return {}; }

    /// The settings of the paper's code: early ends at 0.75, separate networks with a small tower per parameter, clip
    /// 0.2, entropy 0.3.
    [[nodiscard]] static constexpr policy_gradient reference()
    {
        return {.end_share = 0.75, .layout = towers::reference, .clip = 0.2, .entropy_weight = 0.3};
    }

    struct state {
        std::vector<float> weights;          ///< none before the first search
        detail::adam::state<float> moments;  ///< of Adam
        std::size_t last_improvement = 0;    ///< of the last search: steps until its list of the best no longer changed

        friend bool operator==(const state&, const state&) = default;
    };

    template <class Space>
    [[nodiscard]] state start(const Space&) const
    {
        require(episodes > 0, "explore::policy_gradient: episodes is 0, want >= 1");
        require(end_share > 0, "explore::policy_gradient: end_share is 0, negative or NaN, want > 0");
        require(hidden > 0, "explore::policy_gradient: hidden is 0, want >= 1");
        require(learning_rate >= 0, "explore::policy_gradient: learning_rate is negative or NaN, want >= 0");
        require(discount >= 0 && discount <= 1, "explore::policy_gradient: discount is out of range, want 0 to 1");
        require(lambda >= 0 && lambda <= 1, "explore::policy_gradient: lambda is out of range, want 0 to 1");
        require(clip > 0, "explore::policy_gradient: clip is 0, negative or NaN, want > 0");
        require(entropy_weight >= 0, "explore::policy_gradient: entropy_weight is negative or NaN, want >= 0");
        require(value_weight >= 0, "explore::policy_gradient: value_weight is negative or NaN, want >= 0");
        require(minibatch > 0, "explore::policy_gradient: minibatch is 0, want >= 1");
        return {};
    }

    template <class Space, class Scorer, generator G>
    [[nodiscard]] std::vector<scored_candidate> explore(state& s, const Space& space, const Scorer& judge,
                                                        const space::index_set& visited, std::size_t n, G& gen) const
    {
        static_assert(detail::is_scorer<Scorer>::value);
        detail::best_list best(n, visited);
        s.last_improvement = 0;
        journey j;
        for (std::size_t k = 0; k < space.dimensions(); ++k)
            if (space.cardinalities()[k] > 1) {
                j.moving.push_back(k);
                j.scale.push_back(1.0F / static_cast<float>(space.cardinalities()[k]));
            }
        j.at = random::sample_without_replacement(
            space.size(), static_cast<std::size_t>((std::min)(index{episodes}, space.size())), gen);
        j.scores.resize(j.at.size());
        judge.score(j.at, j.scores);
        for (std::size_t e = 0; e < j.at.size(); ++e) best.offer(j.at[e], j.scores[e]);
        if (!j.moving.empty() && steps > 0) {
            const detail::actor_critic<float> shape(j.moving.size(), hidden, layout);
            if (s.weights.empty()) s.weights = shape.initial(gen);
            detail::actor_critic<float>::passes passes(
                shape, (std::max)(j.at.size(), (std::min)(minibatch, detail::max_pass_rows)));
            const network net{shape, passes, s.weights, s.moments};
            s.last_improvement = play(j, net, space, judge, best, gen);
            if (learning_rate > 0) learn(j, net, gen);
        }
        return best.candidates(judge);
    }

private:
    using journey = detail::journey;
    using network = detail::learning_network<float>;

    /// Plays all episodes at once, a step at a time, until each has ended or made its last step. Returns the steps
    /// until the list of the best no longer changed.
    template <class Space, class Scorer, class G>
    std::size_t play(journey& j, const network& net, const Space& space, const Scorer& judge, detail::best_list& best,
                     G& gen) const
    {
        const std::size_t m = j.moving.size();
        std::size_t last_improvement = 0;
        j.rows.resize(j.at.size() * space.dimensions());
        space.ordinals(j.at, j.rows);
        j.records.resize(j.at.size());
        std::vector<std::size_t> playing(j.at.size());
        std::iota(playing.begin(), playing.end(), std::size_t{0});
        std::vector<std::uint64_t> draws;
        for (std::size_t t = 0; t < steps && !playing.empty(); ++t) {
            show(j, playing, net.passes);
            net.shape.forward(net.weights, net.passes, playing.size());
            detail::softmax<float>(net.passes, playing.size());
            draws.resize(playing.size() * m);
            random::fill_bits(draws, gen);
            std::vector<std::size_t> going_on;
            for (std::size_t i = 0; i < playing.size(); ++i) {
                const std::size_t still = step(j, space, net.passes, i, playing[i], std::span(draws).subspan(i * m, m));
                if (static_cast<double>(still) < end_share * static_cast<double>(m)) going_on.push_back(playing[i]);
            }
            if (pay(j, playing, judge, best)) last_improvement = t + 1;
            playing.swap(going_on);
        }
        return last_improvement;
    }

    /// Puts what the network sees of the episodes that are still played into its input.
    template <class Passes>
    static void show(const journey& j, std::span<const std::size_t> playing, Passes& p)
    {
        const std::size_t d = j.rows.size() / j.at.size();
        auto seen = p.input();
        for (std::size_t k = 0; k < j.moving.size(); ++k)
            for (std::size_t i = 0; i < playing.size(); ++i)
                seen(linalg::eigen_index(i), linalg::eigen_index(k)) =
                    static_cast<float>(j.rows[playing[i] * d + j.moving[k]]) * j.scale[k];
    }

    /// One step of one episode, row `i` of the pass, by its draws; returns how many parameters did not move.
    template <class Space, class Passes>
    [[nodiscard]] static std::size_t step(journey& j, const Space& space, Passes& p, std::size_t i, std::size_t episode,
                                          std::span<const std::uint64_t> draws)
    {
        const auto row = linalg::eigen_index(i);
        const auto probability = p.logits();
        const std::size_t d = space.dimensions();
        const auto here = std::span(j.rows).subspan(episode * d, d);
        std::vector<std::uint16_t> next(here.begin(), here.end());
        std::size_t still = 0;
        for (std::size_t k = 0; k < j.moving.size(); ++k) {
            std::uint16_t& ordinal = next[j.moving[k]];
            const auto first = linalg::eigen_index(3 * k);
            const auto move = detail::drawn_move(draws[k], probability(row, first), probability(row, first + 1));
            const auto last = static_cast<std::uint16_t>(space.cardinalities()[j.moving[k]] - 1);
            j.ordinals.push_back(ordinal);
            j.actions.push_back(move);
            j.chosen.push_back(probability(row, first + move));
            if (detail::stays(move, ordinal, last)) ++still;
            else ordinal = static_cast<std::uint16_t>(ordinal + move - 1);
        }
        j.records[episode].push_back(static_cast<std::uint32_t>(j.values.size()));
        j.values.push_back(p.values()(row, 0));
        if (const auto to = space.index_of_ordinals(next)) {
            j.at[episode] = *to;
            std::copy(next.begin(), next.end(), here.begin());
        }
        return still;
    }

    /// Scores where the episodes are now and rewards their last step; whether the list of the best changed.
    template <class Scorer>
    [[nodiscard]] bool pay(journey& j, std::span<const std::size_t> playing, const Scorer& judge,
                           detail::best_list& best) const
    {
        std::vector<index> reached;
        for (const std::size_t e : playing) reached.push_back(j.at[e]);
        std::vector<double> scores(reached.size());
        judge.score(reached, scores);
        bool better = false;
        for (std::size_t i = 0; i < reached.size(); ++i) {
            double& score = j.scores[playing[i]];
            const double paid = reward == reward_of::rise ? scores[i] - score : scores[i];
            j.rewards.push_back(paid == paid ? static_cast<float>(std::clamp(paid, -1e15, 1e15)) : 0.0F);
            score = scores[i];
            better |= best.offer(reached[i], scores[i]);
        }
        return better;
    }

    template <class G>
    void learn(journey& j, const network& net, G& gen) const
    {
        const std::size_t total = j.values.size();
        j.advantage.resize(total);
        j.target.resize(total);
        std::vector<double> of_all(total);  // in the order of episodes, for one scale
        std::size_t first = 0;
        for (const auto& episode : j.records) {
            std::vector<float> rewards, values;
            for (const auto r : episode) {
                rewards.push_back(j.rewards[r]);
                values.push_back(j.values[r]);
            }
            const auto a = std::span(of_all).subspan(first, episode.size());
            detail::advantages<float>(rewards, values, discount, lambda, a);
            for (std::size_t t = 0; t < episode.size(); ++t)
                j.target[episode[t]] =
                    rewards[t] + static_cast<float>(discount) * (t + 1 < values.size() ? values[t + 1] : 0.0F);
            first += episode.size();
        }
        const bool pooled = update_on == updates::pooled;
        if (pooled && !detail::standardise(of_all)) return;

        const detail::proximal_options options{.loss = {clip, entropy_weight, value_weight, joint_ratio},
                                               .rule = {.rate = learning_rate}};
        std::vector<std::uint32_t> batch;
        first = 0;
        for (const auto& episode : j.records) {
            const auto a = std::span(of_all).subspan(first, episode.size());
            first += episode.size();
            const bool teaches = pooled || detail::standardise(a);
            for (std::size_t t = 0; t < episode.size(); ++t) j.advantage[episode[t]] = static_cast<float>(a[t]);
            for (std::size_t k = 0; k < epochs && teaches && !pooled; ++k) {
                batch.resize(minibatch);
                for (auto& r : batch) r = episode[static_cast<std::size_t>(random::uniform_index(episode.size(), gen))];
                detail::proximal_update<float>({j, batch}, net, options);
            }
        }
        batch.resize(pooled ? total : 0);
        for (std::size_t r = 0; r < batch.size(); ++r) batch[r] = static_cast<std::uint32_t>(r);
        for (std::size_t k = 0; k < epochs && pooled; ++k) {
            random::shuffle(batch, gen);
            for (std::size_t i = 0; i < total; i += minibatch)
                detail::proximal_update<float>({j, std::span(batch).subspan(i, (std::min)(minibatch, total - i))}, net,
                                               options);
        }
    }
};

}  // namespace tunekit::explore
