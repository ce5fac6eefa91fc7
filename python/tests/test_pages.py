# SPDX-License-Identifier: MIT
"""Every listing of docs/python.md runs, in its order, and so do those of SKILL.md and the four lines of README.md and python/README.md."""

import re
from pathlib import Path
from typing import Any

import pytest
from pages import listings, run, run_first
from pytunekit import NoDevice

ADD = """__kernel void add(__global float* c, __global const float* a, __global const float* b, int n) {
    int i = get_group_id(0) * block_size_x + get_local_id(0);
    if (i < n) c[i] = a[i] + b[i];
}"""


def test_every_listing_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    run_first(names)
    assert "'level'" in capsys.readouterr().out
    for code in listings("docs/python.md")[2:]:
        if "import optuna" in code:
            continue
        run(code, names)
        out = capsys.readouterr().out
        for said in re.findall(r"print\(.*\)   # (.*)", code):
            assert said in out
    assert (tmp_path / "run.html").exists()


def test_the_listing_of_optuna_finds_the_same() -> None:
    pytest.importorskip("optuna")
    code = [c for c in listings("docs/python.md") if "import optuna" in c]
    assert len(code) == 1
    names: dict[str, Any] = {}
    run(code[0], names)
    assert set(names["study"].best_params) == {"tile", "unroll"}


def test_the_listings_of_the_skill_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numpy")
    monkeypatch.chdir(tmp_path)
    kernel, function = listings("SKILL.md")
    names: dict[str, Any] = {}
    run(kernel, names)
    assert names["found"].best["BLOCK"] in (1, 16, 256)
    run(function, names)
    assert names["found"].best == {"tile": 16, "unroll": 1}


@pytest.mark.parametrize("page", ["README.md", "python/README.md"])
def test_the_four_lines_of_the_first_pages_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    numpy = pytest.importorskip("numpy")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "add.cl").write_text(ADD)
    code = next(c for c in listings(page) if "from pytunekit import" in c)
    names: dict[str, Any] = {
        "seconds_of_one_run": lambda tile, unroll: 1 + abs(tile - 16) + unroll / 8,
        "a": numpy.ones(1000, numpy.float32),
        "b": numpy.ones(1000, numpy.float32),
        "c": numpy.zeros(1000, numpy.float32),
        "n": numpy.int32(1000),
    }
    try:
        run(code, names)
    except NoDevice as e:
        pytest.skip(str(e))
    assert names["found"].best_cost > 0


def test_a_notebook_shows_a_result(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    book = nbformat.v4.new_notebook()
    book.cells = [
        nbformat.v4.new_code_cell('from pytunekit import minimize\nminimize(lambda tile: 1 / tile, {"tile": [1, 2, 4]}, trials=3, progress=True)')
    ]
    nbclient.NotebookClient(book, timeout=120, kernel_name="python3").execute()
    line, result = book.cells[0].outputs  # the line is written over itself
    assert line["data"]["text/plain"].startswith("3 configurations, 0 failed, ") and line["data"]["text/plain"].endswith("best 0.25")
    shown = result["data"]
    assert "<th>tile</th><td>4</td>" in shown["text/html"] and "data:image/svg+xml" in shown["text/html"]
    assert shown["text/plain"].startswith("best of 3: tile 4, 0.25 s")
