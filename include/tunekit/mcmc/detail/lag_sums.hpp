// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Sums of lagged products of many series, by Fourier transforms no longer than the lags that are wanted.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>
#include <vector>

namespace tunekit::mcmc::detail {

/// The Fourier transform of n points, forward to bit-reversed order and back from it, unscaled: products of spectra
/// need no order. Real and imaginary parts lie apart, so that compilers vectorise the loops. Precondition: n is a power
/// of two, at least 4.
class fourier {
public:
    explicit fourier(std::size_t n) : n_(n), real_(n), imaginary_(n)
    {
        // The roots of a stage of half h stand at h .. 2 h - 1.
        for (std::size_t h = 1; h < n; h *= 2)
            for (std::size_t j = 0; j < h; ++j) {
                const double angle = -std::numbers::pi * static_cast<double>(j) / static_cast<double>(h);
                real_[h + j] = std::cos(angle);
                imaginary_[h + j] = std::sin(angle);
            }
    }

    [[nodiscard]] std::size_t size() const noexcept { return n_; }

    void forward(double* re, double* im) const
    {
        for (std::size_t h = n_ / 2; h > 2; h /= 2)
            for (std::size_t s = 0; s < n_; s += 2 * h)
                split(re + s, re + s + h, im + s, im + s + h, &real_[h], &imaginary_[h], h);
        for (std::size_t s = 0; s < n_; s += 4) {  // the last two stages at once: their roots are 1 and -i
            const double a = re[s] + re[s + 2], b = re[s + 1] + re[s + 3];
            const double c = re[s] - re[s + 2], d = im[s + 1] - im[s + 3];
            const double e = im[s] + im[s + 2], f = im[s + 1] + im[s + 3];
            const double g = im[s] - im[s + 2], h = re[s + 3] - re[s + 1];
            re[s] = a + b, re[s + 1] = a - b, re[s + 2] = c + d, re[s + 3] = c - d;
            im[s] = e + f, im[s + 1] = e - f, im[s + 2] = g + h, im[s + 3] = g - h;
        }
    }

    void backward(double* re, double* im) const
    {
        for (std::size_t h = 1; h < n_; h *= 2)
            for (std::size_t s = 0; s < n_; s += 2 * h)
                join(re + s, re + s + h, im + s, im + s + h, &real_[h], &imaginary_[h], h);
    }

private:
    static void split(double* __restrict ar, double* __restrict br, double* __restrict ai, double* __restrict bi,
                      const double* __restrict wr, const double* __restrict wi, std::size_t h)
    {
        for (std::size_t j = 0; j < h; ++j) {
            const double x = ar[j] - br[j], y = ai[j] - bi[j];
            ar[j] += br[j];
            ai[j] += bi[j];
            br[j] = x * wr[j] - y * wi[j];
            bi[j] = x * wi[j] + y * wr[j];
        }
    }
    static void join(double* __restrict ar, double* __restrict br, double* __restrict ai, double* __restrict bi,
                     const double* __restrict wr, const double* __restrict wi, std::size_t h)
    {
        for (std::size_t j = 0; j < h; ++j) {
            const double x = br[j] * wr[j] + bi[j] * wi[j], y = bi[j] * wr[j] - br[j] * wi[j];
            br[j] = ar[j] - x;
            bi[j] = ai[j] - y;
            ar[j] += x;
            ai[j] += y;
        }
    }

    std::size_t n_;
    std::vector<double> real_, imaginary_;
};

/// r(m) = sum_t x(t) x(t + m) for m < lags, summed over all series that are added. Precondition: lags is a power of
/// two, at least 2.
///
/// Two series a, b are one complex one: the real part of its lagged products is the sum of theirs. It is cut into
/// blocks of `lags` values; a block and its successor side by side have the spectrum P + (-1)^k P', where P and P' are
/// those of each block padded with zeros. So a block costs one transform of 2 lags points, and lags that nobody asks
/// for cost nothing.
/// Cost: O(n log lags) per pair of series; memory for 10 lags doubles.
class lag_sums {
public:
    explicit lag_sums(std::size_t lags)
        : transform_(2 * lags),
          sum_re_(2 * lags),
          sum_im_(2 * lags),
          last_re_(2 * lags),
          last_im_(2 * lags),
          next_re_(2 * lags),
          next_im_(2 * lags)
    {
    }

    [[nodiscard]] std::size_t lags() const noexcept { return transform_.size() / 2; }

    /// Precondition: both have the same size, or b is empty.
    void add(std::span<const double> a, std::span<const double> b)
    {
        load(a, b, 0);
        for (std::size_t begin = lags(); begin < a.size() + lags(); begin += lags()) {
            last_re_.swap(next_re_);
            last_im_.swap(next_im_);
            if (begin < a.size()) load(a, b, begin);
            else clear_next();
            // In bit-reversed order the even frequencies are the first half.
            accumulate(0, 1);
            accumulate(lags(), -1);
        }
    }

    /// The sums. The object is as new afterwards.
    [[nodiscard]] std::vector<double> take()
    {
        transform_.backward(sum_re_.data(), sum_im_.data());
        std::vector<double> out(lags());
        const double scale = 1 / static_cast<double>(transform_.size());
        for (std::size_t m = 0; m < out.size(); ++m) out[m] = sum_re_[m] * scale;
        std::fill(sum_re_.begin(), sum_re_.end(), 0.0);
        std::fill(sum_im_.begin(), sum_im_.end(), 0.0);
        return out;
    }

private:
    void clear_next()
    {
        std::fill(next_re_.begin(), next_re_.end(), 0.0);
        std::fill(next_im_.begin(), next_im_.end(), 0.0);
    }

    void load(std::span<const double> a, std::span<const double> b, std::size_t begin)
    {
        clear_next();
        const std::size_t many = (std::min)(lags(), a.size() - begin);
        std::copy_n(a.data() + begin, many, next_re_.data());
        if (!b.empty()) std::copy_n(b.data() + begin, many, next_im_.data());
        transform_.forward(next_re_.data(), next_im_.data());
    }

    void accumulate(std::size_t from, double sign)
    {
        const double* const pr = last_re_.data() + from;
        const double* const pi = last_im_.data() + from;
        const double* const qr = next_re_.data() + from;
        const double* const qi = next_im_.data() + from;
        double* const sr = sum_re_.data() + from;
        double* const si = sum_im_.data() + from;
        for (std::size_t k = 0; k < lags(); ++k) {
            const double re = pr[k] + sign * qr[k], im = pi[k] + sign * qi[k];
            sr[k] += pr[k] * re + pi[k] * im;
            si[k] += pr[k] * im - pi[k] * re;
        }
    }

    fourier transform_;
    std::vector<double> sum_re_, sum_im_, last_re_, last_im_, next_re_, next_im_;
};

}  // namespace tunekit::mcmc::detail
