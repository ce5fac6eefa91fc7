# SPDX-License-Identifier: MIT
import itertools
import pickle
from typing import Any

import pytest
from spaces import SPACE

from pytunekit import Error, Space, Tuner, permutation


def test_configurations_are_those_that_fulfil_the_constraints() -> None:
    tile, unroll = [1, 2, 4, 8], [1, 2, 3]
    space = Space({"tile": tile, "unroll": unroll}, constraints=["tile * unroll <= 8", "unroll != 2 or tile > 1"])
    want = [{"tile": t, "unroll": u} for t, u in itertools.product(tile, unroll) if t * u <= 8 and (u != 2 or t > 1)]
    assert sorted(map(str, space)) == sorted(map(str, want))
    assert len(space) == len(want)
    assert [space.index(c) for c in space] == list(range(len(space)))
    assert space[-1] == space[len(space) - 1] and space[:2] == [space[0], space[1]]
    assert {"tile": 8, "unroll": 2} not in space and {"unroll": 2, "tile": 4} in space


def test_a_callable_says_the_same_as_an_expression() -> None:
    parameters = {"a": range(1, 9), "b": range(1, 9), "c": [False, True]}
    by_text = Space(parameters, constraints=["a * b <= 16", "c or a > 2"])
    by_call = Space(parameters, constraints=[lambda b, a: a * b <= 16, lambda c, a: c or a > 2])
    bound = 16
    mixed = Space(parameters, constraints=[lambda a, b, most=bound: a * b <= most, "c or a > 2"])
    for space in (by_call, mixed):
        assert sorted(map(str, space)) == sorted(map(str, by_text))
        assert [space.index(c) for c in space] == list(range(len(by_text)))
    tuner = Tuner(by_call, trials=30, recipe="hill-climb")
    while (job := tuner.ask()) is not None:
        tuner.tell(job, float(job["a"] + job["b"]))
    assert all(t.configuration in by_text for t in tuner.trials)


def test_values_come_back_as_they_were_given() -> None:
    space = Space({"flag": [False, True], "x": [0.5, 2.0], "word": ["a", "b"], "order": permutation("ij")})
    assert space[0] == {"flag": False, "x": 0.5, "word": "a", "order": ("i", "j")}
    assert type(space[0]["flag"]) is bool and type(space[0]["x"]) is float
    assert space.index({"flag": True, "x": 2.0, "word": "b", "order": ("j", "i")}) == len(space) - 1


def test_numbers_of_numpy_are_values() -> None:
    numpy = pytest.importorskip("numpy")
    space = Space({"tile": numpy.array([1, 2, 4]), "x": numpy.linspace(0, 1, 3)}, constraints=["tile < 4"])
    there = space.index({"tile": numpy.int64(2), "x": 0.5})
    assert len(space) == 6 and space[there] == {"tile": 2, "x": 0.5}


def test_texts_are_kept_whole() -> None:
    space = Space({"a": ["x\0y", "x\0z", "\u00e9"]})
    assert [c["a"] for c in space] == ["x\0y", "x\0z", "\u00e9"] and space.index({"a": "x\0z"}) == 1


def test_spaces_can_be_pickled() -> None:
    again = pickle.loads(pickle.dumps(SPACE))
    assert again.fingerprint == SPACE.fingerprint and again[17] == SPACE[17]


@pytest.mark.parametrize(
    ("parameters", "constraints", "says"),
    [
        ({"a": []}, [], "parameter 'a'"),
        ({}, [], "no parameters"),
        ({"a": [1, 1]}, [], "'a'"),
        ({"a": [1, 2]}, ["b < 2"], "b"),
        ({"a": [1, 2]}, ["a <"], "a <"),
        ({"a": [1, 2]}, ["a < 1"], "constraint 'a < 1': leaves nothing"),
        ({"a": [1, 2], "b": [1, 2]}, ["a < b", "b < a"], "leave nothing together"),
        ({"a": [1, 2]}, [lambda a: a < 1], "no configuration fulfils all constraints"),
        ({"a": [1, 2]}, [lambda b: True], "argument 'b'"),
        ({"a": [1, 2]}, [lambda: True], "has no arguments"),
        ({"a": [1, None]}, [], "None is of a type that no parameter has"),
        ({"a": [2**70]}, [], "beyond 64 bits"),
        ({"a": [("x", 1)]}, [], "permutation"),
        ({"a": "abc"}, [], "want its values"),
        ({"a": 3}, [], "want its values"),
        ({"a": ["\ud800"]}, [], "not a text that UTF-8 can write"),
        ({3: [1, 2]}, [], "3 is not a text"),
        ({"a": [1, 2]}, [lambda *all: True], "does not say what it takes"),
    ],
)
def test_wrong_spaces_are_refused_in_one_line(parameters: dict[str, Any], constraints: list[Any], says: str) -> None:
    with pytest.raises(Error, match="^tunekit: .*") as caught:
        Space(parameters, constraints)
    assert says in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("configuration", "says"),
    [
        ({"a": 1}, "parameter 'b' has no value"),
        ({"a": 1, "b": 9}, "does not have the value 9"),
        ({"a": 1, "b": 2, "c": 3}, "no parameter is called 'c'"),
        ({"a": 2, "b": 2}, "breaks a constraint"),
    ],
)
def test_wrong_configurations_are_refused(configuration: dict[str, int], says: str) -> None:
    for rule in ("a + b < 4", lambda a, b: a + b < 4):
        with pytest.raises(Error, match=says):
            Space({"a": [1, 2], "b": [1, 2]}, [rule]).index(configuration)


def test_a_callable_is_not_called_for_a_space_that_is_too_large() -> None:
    def never(a: int, b: int) -> bool:
        raise AssertionError

    with pytest.raises(Error, match="never chooses among 3600000000 configurations, want an expression, or at most 100000000"):
        Space({"a": range(60000), "b": range(60000)}, [never])


def test_a_space_larger_than_len_may_tell_prints_and_has_items() -> None:
    space = Space({f"p{k}": [0, 1] for k in range(63)})
    assert repr(space).startswith(f"Space of {2**63} configurations over p0, p1")
    assert set(space[0].values()) == {0} and set(space[-1].values()) == {1} and space[2**63 - 1] == space[-1]
    with pytest.raises(Error, match=f"space: has {2**63} configurations, more than len"):
        len(space)
    assert repr(Space({"a": [1]})) == "Space of 1 configuration over a"


def test_permutations_have_bounds() -> None:
    assert len(permutation(3)) == 6 and permutation("ab")[1] == ("b", "a")
    for wrong, things in ((0, 0), (9, 9), (-2, -2), ("abcdefghi", 9), (10**30, 10**30)):
        with pytest.raises(Error, match=f"there are {things} things, want 1 to 8"):
            permutation(wrong)
    for same in ("aab", [[1], [2]]):
        with pytest.raises(Error, match="two are the same or one has no hash"):
            permutation(same)
    orders = Space({"order": permutation("ab")})
    for none in (3, "ba", ("a",), [["a"], "b"]):
        assert ({"order": none} in orders) == (none == "ba")
    with pytest.raises(Error, match="lies outside the space"):
        SPACE.at(len(SPACE))


def test_a_list_of_configurations() -> None:
    rows = [(4, 2), (1, 1), (2, 1), (4, 2)]
    space = Space.listed({"tile": [1, 2, 4], "unroll": [1, 2]}, rows)
    assert [tuple(c.values()) for c in space] == [(1, 1), (2, 1), (4, 2)]
    assert space.index({"tile": 4, "unroll": 2}) == 2
    assert {"tile": 1, "unroll": 2} not in space
    again = pickle.loads(pickle.dumps(space))
    assert list(again) == list(space) and again.fingerprint == space.fingerprint
    large = Space.listed({f"p{k}": range(100) for k in range(9)}, [[k] * 9 for k in range(100)])
    assert len(large) == 100 and set(large[7].values()) == {7}
    with pytest.raises(Error, match=r"configuration 1 of the list is \(3, 1\), want a value for each of tile, unroll"):
        Space.listed({"tile": [1, 2, 4], "unroll": [1, 2]}, [(1, 1), (3, 1)])
    with pytest.raises(Error, match="configuration 0 of the list is .1,., want a value for each"):
        Space.listed({"tile": [1], "unroll": [1]}, [(1,)])
    with pytest.raises(Error, match="the list has no configurations"):
        Space.listed({"tile": [1]}, [])
