// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The vector and matrix types of the floors that use Eigen, and the Cholesky factor.

#if defined(__has_include)
#if !__has_include(<Eigen/Core>)
#error \
    "tunekit: this header needs Eigen 3.3 or newer: install libeigen3-dev, or add its folder by -isystem (/usr/include/eigen3)"
#endif
#endif

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <cmath>
#include <cstddef>
#include <span>

#include "tunekit/core/error.hpp"

namespace tunekit::linalg {

/// A column of numbers: Eigen's vector.
using vector = Eigen::VectorXd;
/// A matrix of numbers: Eigen's, column-major.
using matrix = Eigen::MatrixXd;

/// Converts a size to Eigen's signed index, and is the only place that does. Precondition: n < 2^63.
[[nodiscard]] constexpr Eigen::Index eigen_index(std::size_t n) { return static_cast<Eigen::Index>(n); }

/// The lower factor L of a symmetric matrix a = L L^T.
/// Errors: numerical_error when `a` is not positive definite; nothing is added to its diagonal.
template <class M>  // a template: only code that calls it compiles Eigen's factorisation
[[nodiscard]] M cholesky(const M& a)
{
    const Eigen::LLT<M> factor(a);
    M lower = factor.matrixL();
    if (factor.info() != Eigen::Success || !lower.allFinite())
        throw numerical_error("cholesky: the matrix is not positive definite");
    return lower;
}

}  // namespace tunekit::linalg
