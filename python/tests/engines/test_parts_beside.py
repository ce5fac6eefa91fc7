# SPDX-License-Identifier: MIT
"""The parts are as good as those of scikit-learn, emcee and scipy on the same data, but for the process with its default prior. (Times are in the table of parts_beside.py.)"""

import parts_beside
import pytest


@pytest.mark.parametrize("name", [name for name, *_ in parts_beside.PARTS])
def test_a_part_is_as_good_as_its_peer(name: str) -> None:
    """The median of five: at most a tenth worse. The process's prior is for few points and costs it on a smooth function of 120."""
    ours, theirs, _, _ = parts_beside.compared(next(part for other, _, _, part in parts_beside.PARTS if other == name), 5)
    assert 0 < ours < (1.6 if name == "GaussianProcess" else 1.1) * theirs
