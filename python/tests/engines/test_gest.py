# SPDX-License-Identifier: MIT
"""The generator by itself."""

import pytest
from gest_api.vocs import VOCS
from work import bowl

from pytunekit import Error, Tuner
from pytunekit.gest import Generator

VARIABLES = {"tile": {1, 2, 4, 8, 16}, "unroll": {1, 2, 4}}


def test_it_proposes_what_a_tuner_does() -> None:
    vocs = VOCS(variables=VARIABLES, objectives={"f": "MINIMIZE"}, constants={"size": 64})
    generator = Generator(vocs, constraints=["tile * unroll <= 32"], seed=3)
    tuner = Tuner(generator.space, seed=3)
    for _ in range(5):
        points, jobs = generator.suggest(2), tuner.ask(2)
        assert [{k: p[k] for k in VARIABLES} for p in points] == [j.configuration for j in jobs]
        assert all(p["size"] == 64 for p in points)
        for point, job in zip(points, jobs):
            f = bowl(**job.configuration)
            generator.ingest([{**point, "f": f, "tile": float(point["tile"])}])  # as arrays of floats give it back
            tuner.tell(job, f)
    assert generator.tuner.best == tuner.best
    generator.finalize()


def test_a_maximum_constraints_and_known_points() -> None:
    vocs = VOCS(variables=VARIABLES, objectives={"f": "MAXIMIZE"}, constraints={"c": ["LESS_THAN", 10]})
    generator = Generator(vocs)
    generator.ingest([{"tile": 8, "unroll": 2, "f": 5.0, "c": 1}, {"tile": 8, "unroll": 2, "f": 4.0, "c": 1}])  # the first counts
    assert len(generator.suggest()) == 1
    rest = generator.suggest(13)
    assert {"tile": 8, "unroll": 2} not in rest
    generator.ingest([{**p, "f": 100.0, "c": 11} for p in rest])
    assert {t.failed for t in generator.tuner.trials if t.kind} == {"the constraint c is broken: 11"}
    assert generator.tuner.best == {"tile": 8, "unroll": 2}
    with pytest.raises(Error, match="1 point wanted and 0 left of 15, 1 out"):
        generator.suggest()


@pytest.mark.parametrize(
    ("variables", "objectives", "why"),
    [
        ({"x": [0, 1]}, {"f": "MINIMIZE"}, "variable 'x' is a ContinuousVariable, want a set of values"),
        ({"x": {1, 2}}, {"f": "MINIMIZE", "g": "MINIMIZE"}, "there are 2 objectives, want one"),
        ({"x": {1, 2}}, {"f": "EXPLORE"}, "objective 'f' is to be explored, want MINIMIZE or MAXIMIZE"),
    ],
)
def test_other_vocs_are_refused(variables: dict[str, object], objectives: dict[str, str], why: str) -> None:
    with pytest.raises(ValueError, match=why) as e:
        Generator(VOCS(variables=variables, objectives=objectives))
    assert isinstance(e.value, Error)


def test_what_is_no_vocs_is_refused() -> None:
    with pytest.raises(Error, match=r"gest: \{'tile': \[1, 2\]\} is no VOCS, want gest_api.vocs.VOCS\(variables=..., objectives=...\)"):
        Generator({"tile": [1, 2]})


def test_points_of_another_vocs_are_refused() -> None:
    """A generator of one VOCS in a run of another: libEnsemble has checked neither."""
    generator = Generator(VOCS(variables=VARIABLES, objectives={"f": "MINIMIZE"}))
    for point, why in [
        ({"x": 1, "f": 1.0}, "a result has no 'tile', want all variables: tile, unroll"),
        ({"tile": 3, "unroll": 2, "f": 1.0}, "gest: a result has tile 3, want one of its values: 1, 2, 4, 8, 16"),
        ({"tile": "8", "unroll": 2, "f": 1.0}, "gest: a result has tile '8', want one of its values: 1, 2, 4, 8, 16"),
    ]:
        with pytest.raises(Error, match=why):
            generator.ingest([point])


def test_results_without_their_parts_are_refused() -> None:
    generator = Generator(VOCS(variables=VARIABLES, objectives={"f": "MINIMIZE"}))
    point = generator.suggest()[0]
    with pytest.raises(Error, match="a result has no 'f'"):
        generator.ingest([point])
    with pytest.raises(Error, match="a result has no 'unroll'"):
        generator.ingest([{"tile": 8, "f": 1.0}])
