# SPDX-License-Identifier: MIT
"""What scripts take from `kernel_tuner.integration`, under the same names: the best configurations of several devices and sizes in a file, and a
header of C that has them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path

from . import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    File = str | PathLike[str]


def store_results(
    results_filename: File, kernel_name: str, kernel_string: Any, tune_params: Mapping[str, Any], problem_size: Any, results: Iterable[dict[str, Any]],
    env: Mapping[str, Any], top: float = 3, objective: str | None = None, objective_higher_is_better: bool | None = None,
) -> None:
    """Writes the configurations within `top` percent of the best into a JSON file, in place of what it has of this device and size.

    Raises: Error where the file is of another kernel, objective or other parameters, and where no result has the objective.
    """
    name, higher = _direction(objective, objective_higher_is_better)
    rows = [row for row in results if name in row and "__error__" not in row]
    if not rows:
        raise _core.Error(f"tunekit: store_results: no result has '{name}', want objective= of a column")
    best = (max if higher else min)(row[name] for row in rows)
    bound = best * (1 - top / 100 if higher else 1 + top / 100)
    device, size = _device(env["device_name"]), _size(problem_size)
    path = Path(results_filename)
    if path.is_file():
        kept = _read(path)
        for what, here in (("kernel_name", kernel_name), ("objective", name)):
            if kept[what] != here:
                raise _core.Error(f"tunekit: store_results: {path} is of {what} {kept[what]!r}, and this is {here!r}, want another file")
        if missing := [p for p in tune_params if p not in kept["tunable_parameters"]]:
            raise _core.Error(f"tunekit: store_results: {path} has no parameter {', '.join(missing)}, want another file")
    else:
        kept = {"version_number": "1.0", "kernel_name": kernel_name, "objective": name, "objective_higher_is_better": higher,
                "tunable_parameters": list(tune_params), "data": []}
        if text := _text_of(kernel_string):
            kept["kernel_string"] = text
    kept["data"] = [one for one in kept["data"] if (one["device_name"], one["problem_size"]) != (device, size)]
    for row in rows:
        if row[name] == best or (row[name] > bound if higher else row[name] < bound):
            kept["data"].append({"device_name": device, "problem_size": size, "tunable_parameters": {p: row[p] for p in tune_params}, name: row[name]})
    _core.write_text(str(path), json.dumps(kept, indent=1, default=float))


def create_device_targets(
    header_filename: File, results_filename: File, objective: str | None = None, objective_higher_is_better: bool | None = None
) -> None:
    """Writes a header with the best configuration of each device as macros: `-DTARGET_<device>=1` chooses, and what is good on all is the default.
    Within a tuner, which defines `kernel_tuner`, it defines nothing.

    Raises: Error where the file of `store_results` has nothing.
    """
    path = Path(results_filename)
    if not path.is_file():
        raise _core.Error(f"tunekit: create_device_targets: there is no file {path}, want one that store_results wrote")
    kept = _read(path)
    name, higher = kept["objective"], kept.get("objective_higher_is_better", False)
    if objective is not None:
        name, higher = _direction(objective, objective_higher_is_better)
    if not kept["data"]:
        raise _core.Error(f"tunekit: create_device_targets: {path} has no results, want those of store_results")
    lines = ["/* Written by pytunekit from " + path.name + ". */", "#pragma once", "#ifndef kernel_tuner", ""]
    for k, device in enumerate(dict.fromkeys(one["device_name"] for one in kept["data"])):
        lines += [f"{'#elif' if k else '#if'} defined(TARGET_{device})"]
        lines += _macros(_common([one for one in kept["data"] if one["device_name"] == device], name, higher))
    lines += ["#else", *_macros(_common(kept["data"], name, higher)), "#endif", "", "#endif /* kernel_tuner */", ""]
    _core.write_text(str(header_filename), "\n".join(lines))


def _common(data: list[dict[str, Any]], name: str, higher: bool) -> dict[str, Any]:
    """Of the configurations that are among the best most often, the one with the best sum."""
    often = Counter(json.dumps(one["tunable_parameters"]) for one in data)
    most = max(often.values())
    sums = {key: sum(one[name] for one in data if json.dumps(one["tunable_parameters"]) == key) for key, n in often.items() if n == most}
    best: dict[str, Any] = json.loads((max if higher else min)(sums, key=lambda key: sums[key]))
    return best


def _macros(parameters: Mapping[str, Any]) -> list[str]:
    return [f"#define {name} {int(value) if isinstance(value, bool) else value}" for name, value in parameters.items()]


def _direction(objective: str | None, higher: bool | None) -> tuple[str, bool]:
    from ._kernel.objective import HIGHER_IS_BETTER

    name = objective or "time"
    if higher is None and name not in HIGHER_IS_BETTER:
        raise _core.Error(f"tunekit: nobody knows whether more of '{name}' is better, want objective_higher_is_better=True or False")
    return name, HIGHER_IS_BETTER[name] if higher is None else higher


def _device(name: str) -> str:
    return re.sub("[^0-9A-Za-z]+", "_", name.strip())


def _size(problem_size: Any) -> str:
    sizes = problem_size if isinstance(problem_size, (list, tuple)) else [problem_size]
    return "x".join(str(n) for n in sizes)


def _text_of(kernel: Any) -> str:
    from ._kernel.source import looks_like_a_file

    if isinstance(kernel, PathLike) or (isinstance(kernel, str) and looks_like_a_file(kernel)):
        return Path(kernel).read_text(encoding="utf-8", errors="replace")
    return kernel if isinstance(kernel, str) else ""


def _read(path: Path) -> dict[str, Any]:
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        if kept["version_number"] == "1.0" and isinstance(kept["data"], list):
            return dict(kept)
    except (ValueError, KeyError, TypeError):
        pass
    raise _core.Error(f"tunekit: {path} is no file of store_results, want another name")
