# SPDX-License-Identifier: MIT
"""The data of the component benches, as bench/components/surrogate_data.hpp and ensemble_data.hpp make it: SplitMix64 on a counter."""
import numpy as np

SIZES = np.array([8, 6, 6, 6, 5, 5, 5, 5, 4, 4, 3, 2])
D = len(SIZES)


def u01(seed, n):
    """n uniform numbers of a seed."""
    with np.errstate(over="ignore"):
        z = np.uint64(seed) + np.arange(1, n + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ z >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ z >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return ((z ^ z >> np.uint64(31)) >> np.uint64(11)) * 2.0**-53


def normal(seed, n):
    """n normal numbers of a seed: Box and Muller's cosines."""
    u = u01(seed, 2 * n).reshape(n, 2)
    return np.sqrt(-2 * np.log1p(-u[:, 0])) * np.cos(2 * np.pi * u[:, 1])


def surface(k):
    """The value without noise of rows of 12 positions."""
    t, j = k / (SIZES - 1.0), np.arange(D)
    s = ((0.3 + 1.2 * (7 * j % D) / D) * (t - (5 * j + 3) % D / D) ** 2).sum(1)
    h = (t - 0.5).T
    return 1000 * np.exp(0.8 * h[0] * h[1] + 0.6 * h[2] * h[4] - 0.5 * h[3] * h[5] - s) * np.where(k[:, 2] + k[:, 3] >= 8, 0.45, 1)


def knobs(seed, n, noise=0.0):
    """n points of the 12 parameters, and their values."""
    k = np.floor(u01(seed, n * D).reshape(n, D) * SIZES)
    return k.astype(np.float32), surface(k) * (1 + noise * normal(seed + 1, n) if noise else 1)


def wide(seed, n, noise=0.0):
    """n points of 100 floats of which 12 matter, and their values."""
    x = u01(seed, n * 100).reshape(n, 100)
    return x.astype(np.float32), surface(x[:, :D] * (SIZES - 1.0)) * (1 + noise * normal(seed + 1, n) if noise else 1)


def r2(y, p):
    return 1 - ((y - p) ** 2).sum() / ((y - y.mean()) ** 2).sum()
