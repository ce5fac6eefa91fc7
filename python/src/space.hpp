// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A product of values of which callables may have kept some configurations.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/core/index_table.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/space/value_product.hpp"

namespace python {

using tunekit::index;

/// The search_space behind `pytunekit.Space`: a product, or those of its configurations that stand in an ascending list,
/// numbered in its order. A copy shares both.
class grid {
public:
    using product_t = tunekit::space::value_product;

    explicit grid(product_t all) : product_(std::make_shared<const product_t>(std::move(all))) {}

    /// The same with those configurations alone, which are `in_product`, ascending.
    [[nodiscard]] grid keeping(std::vector<index> in_product) const
    {
        grid out = *this;
        out.kept_ = std::make_shared<const std::vector<index>>(std::move(in_product));
        return out;
    }

    [[nodiscard]] const product_t& product() const noexcept { return *product_; }
    /// The index in the product of what is `i` here. Throws std::invalid_argument for an index that the space does not have.
    [[nodiscard]] index in_product(index i) const
    {
        tunekit::require(i < size(), "space: index " + std::to_string(i) + " lies outside the space, want one below " +
                                         std::to_string(size()));
        return kept_ ? (*kept_)[i] : i;
    }
    /// The index here of what is `i` in the product; empty where it was not kept.
    [[nodiscard]] std::optional<index> of_product(index i) const
    {
        if (!kept_) return i;
        const auto at = std::lower_bound(kept_->begin(), kept_->end(), i);
        if (at == kept_->end() || *at != i) return std::nullopt;
        return static_cast<index>(at - kept_->begin());
    }

    [[nodiscard]] index size() const noexcept { return kept_ ? kept_->size() : product_->size(); }
    [[nodiscard]] std::size_t dimensions() const noexcept { return product_->dimensions(); }
    [[nodiscard]] std::span<const std::uint16_t> cardinalities() const noexcept { return product_->cardinalities(); }
    [[nodiscard]] std::span<const std::string> names() const noexcept { return product_->names(); }

    template <tunekit::generator G>
    [[nodiscard]] std::vector<index> sample(std::size_t n, G& gen) const
    {
        if (!kept_) return product_->sample(n, gen);
        std::vector<index> out(n);
        for (index& i : out) i = tunekit::random::uniform_index(size(), gen);
        return out;
    }
    [[nodiscard]] std::vector<index> neighbours_of(index i, tunekit::space::neighbourhood kind) const
    {
        std::vector<index> out;
        for (const index there : product_->neighbours_of(in_product(i), kind))
            if (const auto here = of_product(there)) out.push_back(*here);
        return out;
    }
    template <tunekit::generator G>
    void neighbours(std::span<const index> in, std::span<index> out, tunekit::space::neighbourhood kind, G& gen) const
    {
        if (!kept_) return product_->neighbours(in, out, kind, gen);
        for (std::size_t k = 0; k < in.size(); ++k) {
            const std::vector<index> there = neighbours_of(in[k], kind);
            out[k] = there.empty() ? in[k] : there[tunekit::random::uniform_index(there.size(), gen)];
        }
    }
    void ordinals(std::span<const index> in, std::span<std::uint16_t> out) const
    {
        product_->ordinals(all_in_product(in), out);
    }
    [[nodiscard]] std::optional<index> index_of_ordinals(std::span<const std::uint16_t> row) const
    {
        const auto i = product_->index_of_ordinals(row);
        return i ? of_product(*i) : std::nullopt;
    }
    [[nodiscard]] std::size_t feature_count(tunekit::space::encoding e) const { return product_->feature_count(e); }
    void features(std::span<const index> in, std::span<float> out, tunekit::space::encoding e) const
    {
        product_->features(all_in_product(in), out, e);
    }
    [[nodiscard]] std::vector<std::string> texts(index i) const { return product_->texts(in_product(i)); }
    [[nodiscard]] std::uint64_t fingerprint() const
    {
        std::uint64_t out = product_->fingerprint();
        if (kept_)
            for (const index i : *kept_) out = tunekit::core::mixed(out, i);
        return out;
    }

private:
    [[nodiscard]] std::vector<index> all_in_product(std::span<const index> in) const
    {
        std::vector<index> out(in.begin(), in.end());
        if (kept_)
            for (index& i : out) i = (*kept_)[i];
        return out;
    }

    std::shared_ptr<const product_t> product_;
    std::shared_ptr<const std::vector<index>> kept_{};  // empty: all
};

}  // namespace python
