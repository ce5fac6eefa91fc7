# SPDX-License-Identifier: MIT
"""Values are Python's, whatever they came as, and what has no order of its own is refused."""

import itertools
import json
from collections import OrderedDict
from pathlib import Path
from typing import Any

import pytest

from pytunekit import Error, Measurement, Space, Tuner, minimize, permutation


def test_values_of_numpy_become_pythons() -> None:
    np = pytest.importorskip("numpy")
    seen: list[dict[str, Any]] = []

    def f(**c: Any) -> Any:
        seen.append(c)
        return np.float32(c["a"]) if c["fast"] is True else Measurement(np.float64(9), bytes=np.int64(5))

    values: dict[str, Any] = {
        "a": np.arange(1, 4), "fast": np.array([False, True]), "x": [np.float64(0.5)], "how": np.array(["row", "column"]),
        "size": [np.array(3), (np.int64(1), np.int32(2))], "order": permutation(np.array(["i", "j"])),
    }  # fmt: skip
    space = Space(values)
    found = minimize(f, space, trials=np.int64(999), seed=np.uint8(3), numbers=["bytes"], begin_with={k: np.array(v)[()] for k, v in space[0].items()})
    assert len(seen) == len(space)
    kinds: dict[str, set[type]] = {"a": {int}, "fast": {bool}, "x": {float}, "how": {str}, "size": {int, tuple}, "order": {tuple}}
    for configuration in [*seen, found.best, *(t.configuration for t in found.trials), space[5]]:
        assert all(type(configuration[name]) in kinds[name] for name in kinds)
        assert all(type(x) is int for x in configuration["size"]) if isinstance(configuration["size"], tuple) else True
        assert all(type(x) is str for x in configuration["order"])
    assert json.loads(json.dumps(found.best))["a"] == 1 and found.best_cost == 1
    assert all(type(t.cost) is float and all(type(x) is float for x in t.numbers.values()) for t in found.trials)
    assert space.index({k: np.array(v)[()] if k != "order" else v for k, v in space[7].items()}) == 7


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({1, 2}, "parameter 'a': has a set, whose order changes from run to run, want a list"),
        (frozenset("xy"), "has a set, whose order"),
        ({"_type": "choice", "_value": [1, 2]}, "parameter 'a': has a dict in place of a list"),
        (OrderedDict(x=1), "has an OrderedDict in place of a list"),
        (range(10**12), "parameter 'a': has more than 65535 values, want at most as many"),
        (range(10**30), "has more than 65535 values"),
        (itertools.count(), "has more than 65535 values"),
        (permutation, "want its values"),
    ],
)
def test_what_has_no_order_or_no_end_is_refused(values: Any, why: str) -> None:
    with pytest.raises(Error, match=why):
        Space({"a": values})


def test_as_many_values_as_there_may_be_are_taken() -> None:
    assert len(Space({"a": range(65535), "b": [True]})) == 65535
    assert len(Space({"a": [str(i) for i in range(40_000)]}, constraints=["a != '7' and a != '39999'"])) == 39_998


def test_things_of_a_permutation_are_counted() -> None:
    cases: list[tuple[Any, str]] = [(9, "9"), (0, "0"), (-3, "-3"), ("abcdefghi", "9"), ("", "0"), (iter(()), "no"), (itertools.count(), "more than 8")]
    for of, n in cases:
        with pytest.raises(Error, match=f"permutation: there are {n} things, want 1 to 8"):
            permutation(of)


def test_a_name_of_a_file_has_no_nul(tmp_path: Path) -> None:
    odd = str(tmp_path / "run") + "\0hidden"
    found = minimize(lambda a: a, {"a": [1, 2]}, trials=1)
    for use in (
        lambda: Tuner({"a": [1, 2]}, log=odd), lambda: Tuner({"a": [1, 2]}, log=Path(odd)), lambda: Tuner({"a": [1, 2]}, experience=[odd]),
        lambda: found.report(odd),
    ):  # fmt: skip
        with pytest.raises(Error, match="want a name of a file, without a NUL"):
            use()
    assert list(tmp_path.iterdir()) == []
