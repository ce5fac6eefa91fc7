# SPDX-License-Identifier: MIT
"""Every listing of docs/python.md runs, in its order, and so do the four lines of README.md and python/README.md."""

import os
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


def listings(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def run(code: str, names: dict[str, Any]) -> None:
    exec(compile(code, "listing", "exec"), names)


def test_every_listing_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    four, function, *others = listings(ROOT / "docs/python.md")
    names: dict[str, Any] = {}
    os.chdir(tmp_path)
    run(function, names)
    run(four, names)
    assert "'level'" in capsys.readouterr().out
    for code in others:
        if "import optuna" in code:
            continue
        run(code, names)
        for said in re.findall(r"print\(.*\)   # (.*)", code):
            assert said in capsys.readouterr().out
    assert (tmp_path / "run.html").exists()


def test_the_listing_of_optuna_finds_the_same() -> None:
    pytest.importorskip("optuna")
    code = [c for c in listings(ROOT / "docs/python.md") if "import optuna" in c]
    assert len(code) == 1
    names: dict[str, Any] = {}
    run(code[0], names)
    assert set(names["study"].best_params) == {"tile", "unroll"}


@pytest.mark.parametrize("page", ["README.md", "python/README.md"])
def test_the_four_lines_of_the_first_pages_run(page: str) -> None:
    code = next(c for c in listings(ROOT / page) if "from tunekit import" in c)
    names: dict[str, Any] = {
        "seconds_of_one_run": lambda tile, unroll: 1 + abs(tile - 16) + unroll / 8,
        "seconds_to_send": lambda level, memory, window: level + memory / 8 + window / 16,
    }
    run(code, names)
    assert names["found"].best_cost > 0
