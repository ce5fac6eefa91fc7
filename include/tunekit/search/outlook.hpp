// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What the past says of one space, behind interfaces: a program that has no past compiles nothing of how it is made.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tunekit/random/philox.hpp"
#include "tunekit/search/forecasts.hpp"
#include "tunekit/space/concepts.hpp"

namespace tunekit::search {

/// A space without its type, as the past asks it.
class forecasts::asked_space {
public:
    [[nodiscard]] virtual index size() const = 0;
    /// The number of values of each parameter.
    [[nodiscard]] virtual std::span<const std::uint16_t> cardinalities() const = 0;
    /// The names of the parameters.
    [[nodiscard]] virtual std::span<const std::string> names() const = 0;
    /// The values of a configuration as texts.
    [[nodiscard]] virtual std::vector<std::string> texts(index i) const = 0;
    /// `n` configurations, drawn from `gen`.
    [[nodiscard]] virtual std::vector<index> sample(std::size_t n, tunekit::random::philox& gen) const = 0;
    /// Which value each parameter of the configurations `in` has, row-major.
    virtual void ordinals(std::span<const index> in, std::span<std::uint16_t> out) const = 0;
    /// The configuration with these values; empty where the space has none.
    [[nodiscard]] virtual std::optional<index> index_of_ordinals(std::span<const std::uint16_t> row) const = 0;
    [[nodiscard]] std::size_t dimensions() const { return cardinalities().size(); }

protected:
    ~asked_space() = default;
};

/// What the past says of one space. Threads: const calls are safe.
class forecasts::outlook {
public:
    virtual ~outlook() = default;

    /// The number of sources, one at least.
    [[nodiscard]] virtual std::size_t sources() const noexcept = 0;
    /// Configurations to begin with.
    [[nodiscard]] virtual std::span<const index> starts() const noexcept = 0;
    /// The forecasts of all sources, row-major. `space` is the one that it was made for.
    virtual void forecast(const asked_space& space, std::span<const index> which, std::span<double> out) const = 0;
    /// The weights of the sources by scores of configurations with these forecasts. Those at `open` have none.
    [[nodiscard]] virtual std::vector<double> weights(std::span<const double> forecasts, std::span<const double> scores,
                                                      std::span<const std::size_t> open) const = 0;
    /// Whether both say the same of every configuration.
    [[nodiscard]] virtual bool equals(const outlook& other) const = 0;
};

/// What was measured before. Threads: const calls are safe.
class forecasts::memory {
public:
    virtual ~memory() = default;

    /// What it says of `space`; null where nothing of it fits.
    [[nodiscard]] virtual std::shared_ptr<const outlook> of(const asked_space& space) const = 0;
};

}  // namespace tunekit::search
