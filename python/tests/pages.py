# SPDX-License-Identifier: MIT
"""The listings of the pages. As a program it runs the first ones of docs/python.md as a first-time user does, and prints what they print; with --all
it prints them all."""

import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def listings(page: str) -> list[str]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def run(code: str, names: dict[str, Any]) -> None:
    exec(compile(code, "listing", "exec"), names)


def run_first(names: dict[str, Any]) -> None:
    """The four lines of docs/python.md, with the function that stands behind them."""
    four, function, *_ = listings("docs/python.md")
    run(function, names)
    run(four, names)


if __name__ == "__main__":
    if sys.argv[1:] == ["--all"]:  # those of docs/python.md as one program, for mypy
        four, function, *others = listings("docs/python.md")
        print("\n".join([function, four, *others]))
    else:
        run_first({})
