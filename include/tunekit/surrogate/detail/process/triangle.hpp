// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The Cholesky factor of a covariance that grows by rows.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>

#include "tunekit/core/detail/plain_vector.hpp"
#include "tunekit/surrogate/detail/process/strips.hpp"

namespace tunekit::surrogate::detail {

/// L of K = L L^T, its rows one after the other: row i has i + 1 entries. A regular value.
struct triangle {
    core::plain_vector<double> entries;
    std::size_t size = 0;

    friend bool operator==(const triangle&, const triangle&) = default;

    [[nodiscard]] const double* row(std::size_t i) const { return entries.data() + i * (i + 1) / 2; }
    [[nodiscard]] double diagonal(std::size_t i) const { return row(i)[i]; }

    /// Solves rows [begin, end) of L x = b in place for a strip of eight right sides, x and b at [row][8], where the
    /// rows before `begin` are solved and those before `zeros` are 0.
    void solve(double* x, std::size_t begin, std::size_t end, std::size_t zeros = 0) const
    {
        std::size_t r = begin;
        for (; r + product_rows <= end; r += product_rows) {
            std::array<const double*, product_rows> a;
            for (std::size_t k = 0; k < product_rows; ++k) a[k] = row(r + k) + zeros;
            products<product_rows> p;
            p.add(a, 1, x + zeros * strip, r - zeros);
            for (std::size_t k = 0; k < product_rows; ++k) finish(p, k, x + r * strip, row(r + k) + r, k);
        }
        for (; r < end; ++r) {
            products<1> p;
            p.add({row(r) + zeros}, 1, x + zeros * strip, r - zeros);
            finish(p, 0, x + r * strip, row(r) + r, 0);
        }
    }

    /// Adds `n` <= 8 rows and columns to K. `cross` holds at [row][8] the covariances of all `size` old points with the
    /// new ones and is overwritten by L^-1 cross; `own` is the new corner, [row][8], n x n of it. A pivot that rounding
    /// leaves below `least`, the exact bound where K has `least` added to its diagonal, counts as `least`.
    void append(std::span<double> cross, std::span<const double> own, std::size_t n, double least)
    {
        solve(cross.data(), 0, size);
        const std::size_t old = size;
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t at = entries.size();
            entries.resize(at + old + i + 1);
            double* to = entries.data() + at;
            for (std::size_t k = 0; k < old; ++k) to[k] = cross[k * strip + i];
            for (std::size_t j = 0; j <= i; ++j) {
                const double* other = j == i ? to : row(old + j);
                double rest = own[i * strip + j] - inner(to, other, old + j);
                to[old + j] = j < i ? rest / other[old + j] : std::sqrt((std::max)(rest, least));
            }
            ++size;
        }
    }

    /// Solves rows [begin, size) of L x = b for one right side in place.
    void solve_one(std::span<double> x, std::size_t begin = 0) const
    {
        for (std::size_t i = begin; i < size; ++i) x[i] = (x[i] - inner(row(i), x.data(), i)) / diagonal(i);
    }

    /// Solves L^T x = b in place.
    void solve_transposed(std::span<double> x) const
    {
        for (std::size_t i = size; i-- > 0;) {
            x[i] /= diagonal(i);
            const double v = x[i];
            const double* l = row(i);
            for (std::size_t k = 0; k < i; ++k) x[k] -= l[k] * v;
        }
    }

    /// sum_k a[k] b[k] in eight lanes.
    [[nodiscard]] static double inner(const double* a, const double* b, std::size_t n)
    {
        core::detail::lane_sum sum;
        std::size_t k = 0;
        for (; k + strip <= n; k += strip)
            for (std::size_t p = 0; p < packs; ++p)
                sum.add(p, core::detail::load(a + k + p * core::detail::pack_size) *
                               core::detail::load(b + k + p * core::detail::pack_size));
        double total = sum.total();
        for (; k < n; ++k) total += a[k] * b[k];
        return total;
    }

private:
    /// Row `count` from `first` on, less the sum of row `of` of `p` and the `count` products still missing from it,
    /// over the diagonal l[count]. All products are summed before one subtraction, so the rows that are solved together
    /// change no bit.
    template <std::size_t Rows>
    static void finish(const products<Rows>& p, std::size_t of, double* first, const double* l, std::size_t count)
    {
        const auto diagonal = linalg::all<core::detail::pack>(l[count]);
        for (std::size_t q = 0; q < packs; ++q) {
            double* at = first + q * core::detail::pack_size;
            core::detail::pack sum = p.sum[of][q];
            for (std::size_t k = 0; k < count; ++k)
                sum += linalg::all<core::detail::pack>(l[k]) * core::detail::load(at + k * strip);
            core::detail::store((core::detail::load(at + count * strip) - sum) / diagonal, at + count * strip);
        }
    }
};

}  // namespace tunekit::surrogate::detail
