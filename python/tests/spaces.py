# SPDX-License-Identifier: MIT
"""The space of same_proposals.cpp, and its costs."""

from pytunekit import Space, permutation

SPACE = Space(
    {
        "tile": [1, 2, 4, 8, 16, 32],
        "unroll": [1, 2, 4, 8],
        "fast": [False, True],
        "ratio": [0.25, 0.5, 1.5],
        "how": ["row", "column"],
        "order": permutation(3),
    },
    constraints=["tile * unroll <= 64", "order_0 != 1 or fast", "how == 'row' or ratio > 0.3"],
)


def cost_of(i: int) -> float:
    return 1 + (i * 7919 % 1009) / 1009
