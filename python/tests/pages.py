# SPDX-License-Identifier: MIT
"""The listings of the pages. As a program it runs the first ones of docs/python.md as a first-time user does, and prints what they print."""

import re
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
    run_first({})
