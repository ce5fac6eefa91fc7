// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A product of values of which a callable may have chosen some configurations.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/index_table.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/space/any_space.hpp"
#include "tunekit/space/value_product.hpp"

namespace python {

using tunekit::index;

/// Those configurations of a product that stand in a list, ascending, numbered in its order. It is a search_space.
class chosen {
public:
    chosen(std::shared_ptr<const tunekit::space::value_product> of, std::vector<index> which)
        : of_(std::move(of)), which_(std::make_shared<const std::vector<index>>(std::move(which)))
    {
    }

    [[nodiscard]] index size() const noexcept { return which_->size(); }
    [[nodiscard]] std::size_t dimensions() const noexcept { return of_->dimensions(); }
    [[nodiscard]] std::span<const std::uint16_t> cardinalities() const noexcept { return of_->cardinalities(); }
    [[nodiscard]] std::span<const std::string> names() const noexcept { return of_->names(); }
    [[nodiscard]] index in_product(index i) const { return (*which_)[i]; }
    /// The index of what is `i` in the product; empty where it was not chosen.
    [[nodiscard]] std::optional<index> of_product(index i) const
    {
        const auto at = std::lower_bound(which_->begin(), which_->end(), i);
        if (at == which_->end() || *at != i) return std::nullopt;
        return static_cast<index>(at - which_->begin());
    }

    template <tunekit::generator G>
    [[nodiscard]] std::vector<index> sample(std::size_t n, G& gen) const
    {
        std::vector<index> out(size() == 0 ? 0 : n);
        for (index& i : out) i = tunekit::random::uniform_index(size(), gen);
        return out;
    }
    [[nodiscard]] std::vector<index> neighbours_of(index i, tunekit::space::neighbourhood kind) const
    {
        std::vector<index> out;
        for (const index there : of_->neighbours_of(in_product(i), kind))
            if (const auto mine = of_product(there)) out.push_back(*mine);
        return out;
    }
    template <tunekit::generator G>
    void neighbours(std::span<const index> in, std::span<index> out, tunekit::space::neighbourhood kind, G& gen) const
    {
        for (std::size_t k = 0; k < in.size(); ++k) {
            const std::vector<index> there = neighbours_of(in[k], kind);
            out[k] = there.empty() ? in[k] : there[tunekit::random::uniform_index(there.size(), gen)];
        }
    }
    void ordinals(std::span<const index> in, std::span<std::uint16_t> out) const { of_->ordinals(mapped(in), out); }
    [[nodiscard]] std::optional<index> index_of_ordinals(std::span<const std::uint16_t> row) const
    {
        const auto i = of_->index_of_ordinals(row);
        return i ? of_product(*i) : std::nullopt;
    }
    [[nodiscard]] std::size_t feature_count(tunekit::space::encoding e) const { return of_->feature_count(e); }
    void features(std::span<const index> in, std::span<float> out, tunekit::space::encoding e) const
    {
        of_->features(mapped(in), out, e);
    }
    [[nodiscard]] std::vector<std::string> texts(index i) const { return of_->texts(in_product(i)); }
    [[nodiscard]] std::uint64_t fingerprint() const
    {
        std::uint64_t out = of_->fingerprint();
        for (const index i : *which_) out = tunekit::core::mixed(out, i);
        return out;
    }

private:
    [[nodiscard]] std::vector<index> mapped(std::span<const index> in) const
    {
        std::vector<index> out(in.size());
        std::transform(in.begin(), in.end(), out.begin(), [this](index i) { return in_product(i); });
        return out;
    }

    std::shared_ptr<const tunekit::space::value_product> of_;
    std::shared_ptr<const std::vector<index>> which_;
};

/// The space behind `tunekit.Space`: a product, or what callables left of it.
struct grid {
    std::shared_ptr<const tunekit::space::value_product> product;
    std::optional<chosen> some{};

    [[nodiscard]] index size() const { return some ? some->size() : product->size(); }
    [[nodiscard]] tunekit::space::any_space erased() const
    {
        if (some) return *some;
        return *product;
    }
    [[nodiscard]] index in_product(index i) const { return some ? some->in_product(i) : i; }
    /// Throws std::invalid_argument for an index that the space does not have.
    void check(index i) const;
};

}  // namespace python
