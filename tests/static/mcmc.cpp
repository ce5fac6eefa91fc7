// SPDX-License-Identifier: MIT
// What a density and a move are, and what just fails to be one.
#include <cstddef>
#include <memory>
#include <span>

#include "tunekit/core/archetypes.hpp"
#include "tunekit/mcmc/concepts.hpp"

namespace static_mcmc {

namespace mcmc = tunekit::mcmc;
using generator = tunekit::archetype::generator;

struct of_a_point {
    double operator()(std::span<const double>) const;
};
struct of_many {
    void operator()(const mcmc::points&, std::span<double>) const;
};
struct in_float {
    float operator()(std::span<const double>) const;
};
struct remembers {
    double operator()(std::span<const double>);
};
struct returns_many {
    bool operator()(const mcmc::points&, std::span<double>) const;
};
static_assert(mcmc::detail::point_log_density<of_a_point> && !mcmc::detail::batch_log_density<of_a_point>);
static_assert(mcmc::detail::batch_log_density<of_many> && !mcmc::detail::point_log_density<of_many>);
static_assert(mcmc::log_density<of_a_point> && mcmc::log_density<of_many>);
static_assert(!mcmc::log_density<in_float> && !mcmc::log_density<remembers> && !mcmc::log_density<returns_many>);
static_assert(!mcmc::log_density<int>);

struct fine {
    mcmc::division divide() const;
    std::size_t min_walkers(std::size_t) const;
    void check(std::size_t) const;
    void propose(const mcmc::view&, const mcmc::proposals&, std::span<double>, generator&) const;
};
static_assert(mcmc::move<fine, generator>);
static_assert(!mcmc::detail::may_give_factors<fine> && !mcmc::detail::mixes_moves<fine>);

struct divides_by_number : fine {
    std::size_t divide() const;
};
static_assert(!mcmc::detail::divides_walkers<divides_by_number> && !mcmc::move<divides_by_number, generator>);

struct any_walkers : fine {
    int min_walkers(std::size_t) const;
};
static_assert(!mcmc::detail::bounds_walkers<any_walkers> && !mcmc::move<any_walkers, generator>);

struct checks_nothing : fine {
    bool check(std::size_t) const;
};
static_assert(!mcmc::detail::checks_itself<checks_nothing> && !mcmc::move<checks_nothing, generator>);

struct no_factor : fine {
    void propose(const mcmc::view&, const mcmc::proposals&, generator&) const;
};
static_assert(!mcmc::detail::proposes_points<no_factor, generator> && !mcmc::move<no_factor, generator>);

struct stays : fine {
    std::unique_ptr<int> owned;
};
static_assert(!mcmc::move<stays, generator>);

struct factors : fine {
    bool gives_factors(std::size_t) const;
};
struct counts_factors : fine {
    int gives_factors(std::size_t) const;
};
static_assert(mcmc::detail::may_give_factors<factors> && !mcmc::detail::may_give_factors<counts_factors>);

}  // namespace static_mcmc
