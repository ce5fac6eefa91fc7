// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A search space of any type behind one type.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/polymorphic.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/space/concepts.hpp"
#include "tunekit/space/text.hpp"

namespace tunekit::space {

/// Holds a search space of any type. It is a search space itself, for the generator random::philox. Schedules and
/// programs are compiled against it, so that each strategy is instantiated once.
///
///     const space::any_space erased = product;
///
/// Cost:    one virtual call per batch; a copy copies the space.
/// Threads: as the space that it holds.
class any_space {
public:
    /// Holds `space`, moved or copied.
    template <class S>
        requires(!std::same_as<std::remove_cvref_t<S>, any_space> &&
                 search_space<std::remove_cvref_t<S>, random::philox>)
    any_space(S&& space)  // implicit: a function that takes any_space takes any space
        : held_(hold(untyped<std::remove_cvref_t<S>>(std::forward<S>(space))))
    {
    }

    [[nodiscard]] index size() const { return held_->size(); }
    [[nodiscard]] std::size_t dimensions() const { return held_->dimensions(); }
    [[nodiscard]] std::span<const std::uint16_t> cardinalities() const { return held_->cardinalities(); }
    [[nodiscard]] std::span<const std::string> names() const { return held_->names(); }
    [[nodiscard]] std::vector<std::string> texts(index i) const { return held_->texts(i); }
    /// The names with the texts of their values, such as "mr = 4, nv = 2".
    [[nodiscard]] std::string text(index i) const { return detail::named_texts(names(), texts(i)); }
    [[nodiscard]] std::uint64_t fingerprint() const { return held_->fingerprint(); }
    [[nodiscard]] std::vector<index> sample(std::size_t n, random::philox& gen) const { return held_->sample(n, gen); }
    [[nodiscard]] std::vector<index> neighbours_of(index i, neighbourhood kind) const
    {
        return held_->neighbours_of(i, kind);
    }
    void neighbours(std::span<const index> in, std::span<index> out, neighbourhood kind, random::philox& gen) const
    {
        held_->neighbours(in, out, kind, gen);
    }
    void ordinals(std::span<const index> in, std::span<std::uint16_t> out) const { held_->ordinals(in, out); }
    [[nodiscard]] std::optional<index> index_of_ordinals(std::span<const std::uint16_t> row) const
    {
        return held_->index_of_ordinals(row);
    }
    [[nodiscard]] std::size_t feature_count(encoding e) const { return held_->feature_count(e); }
    void features(std::span<const index> in, std::span<float> out, encoding e) const { held_->features(in, out, e); }

private:
    struct erased {
        erased() = default;
        erased(const erased&) = default;
        erased& operator=(const erased&) = delete;
        virtual ~erased() = default;

        [[nodiscard]] virtual index size() const = 0;
        [[nodiscard]] virtual std::size_t dimensions() const = 0;
        [[nodiscard]] virtual std::span<const std::uint16_t> cardinalities() const = 0;
        [[nodiscard]] virtual std::span<const std::string> names() const = 0;
        [[nodiscard]] virtual std::vector<std::string> texts(index i) const = 0;
        [[nodiscard]] virtual std::uint64_t fingerprint() const = 0;
        [[nodiscard]] virtual std::vector<index> sample(std::size_t n, random::philox& gen) const = 0;
        [[nodiscard]] virtual std::vector<index> neighbours_of(index i, neighbourhood kind) const = 0;
        virtual void neighbours(std::span<const index> in, std::span<index> out, neighbourhood kind,
                                random::philox& gen) const = 0;
        virtual void ordinals(std::span<const index> in, std::span<std::uint16_t> out) const = 0;
        [[nodiscard]] virtual std::optional<index> index_of_ordinals(std::span<const std::uint16_t> row) const = 0;
        [[nodiscard]] virtual std::size_t feature_count(encoding e) const = 0;
        virtual void features(std::span<const index> in, std::span<float> out, encoding e) const = 0;
    };

    template <class S>
    struct model final : erased {
        explicit model(S&& s) : space(std::move(s)) {}

        [[nodiscard]] index size() const override { return space.size(); }
        [[nodiscard]] std::size_t dimensions() const override { return space.dimensions(); }
        [[nodiscard]] std::span<const std::uint16_t> cardinalities() const override { return space.cardinalities(); }
        [[nodiscard]] std::span<const std::string> names() const override { return space.names(); }
        [[nodiscard]] std::vector<std::string> texts(index i) const override { return space.texts(i); }
        [[nodiscard]] std::uint64_t fingerprint() const override { return space.fingerprint(); }
        [[nodiscard]] std::vector<index> sample(std::size_t n, random::philox& gen) const override
        {
            return space.sample(n, gen);
        }
        [[nodiscard]] std::vector<index> neighbours_of(index i, neighbourhood kind) const override
        {
            return space.neighbours_of(i, kind);
        }
        void neighbours(std::span<const index> in, std::span<index> out, neighbourhood kind,
                        random::philox& gen) const override
        {
            space.neighbours(in, out, kind, gen);
        }
        void ordinals(std::span<const index> in, std::span<std::uint16_t> out) const override
        {
            space.ordinals(in, out);
        }
        [[nodiscard]] std::optional<index> index_of_ordinals(std::span<const std::uint16_t> row) const override
        {
            return space.index_of_ordinals(row);
        }
        [[nodiscard]] std::size_t feature_count(encoding e) const override { return space.feature_count(e); }
        void features(std::span<const index> in, std::span<float> out, encoding e) const override
        {
            space.features(in, out, e);
        }

        S space;
    };

    template <class S>
    struct without_types {
        using type = S;
    };
    template <class S>
        requires requires { typename S::untyped; }
    struct without_types<S> {
        using type = typename S::untyped;
    };
    /// What is held of a space: all products are one type.
    template <class S>
    using untyped = typename without_types<S>::type;

    template <class S>
    [[nodiscard]] static core::polymorphic<erased> hold(S space);

    core::polymorphic<erased> held_;
};

template <class S>
core::polymorphic<any_space::erased> any_space::hold(S space)
{
    return core::polymorphic<erased>::make<model<S>>(std::move(space));
}

namespace detail {
class grid;
}
TUNEKIT_ONCE(core::polymorphic<any_space::erased> any_space::hold(detail::grid))

}  // namespace tunekit::space
