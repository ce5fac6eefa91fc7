# SPDX-License-Identifier: MIT
"""Kernel Tuner's cache file: what was measured, by the values of the parameters joined by commas."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from os import PathLike

from .. import _core
from .._space import shown
from .._tuner import file_named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ERRORS = ("InvalidConfig", "CompilationFailedConfig", "RuntimeFailedConfig")
KINDS = {"InvalidConfig": "invalid", "CompilationFailedConfig": "build_error", "RuntimeFailedConfig": "launch_error"}
END = "}\n}"


def error_of(kind: str) -> str:
    """Their name for a failure of ours."""
    return {"invalid": ERRORS[0], "build_error": ERRORS[1], "build_timeout": ERRORS[1]}.get(kind, ERRORS[2])


class Cache:
    """A cache file, open from its making to `close`. Each entry is written as it comes: a run that is killed loses none.

    Raises: ValueError for a file of another kernel, problem, device or other parameters, and for what is no cache.
    """

    def __init__(self, path: str | PathLike[str], about: Mapping[str, Any]) -> None:
        name = os.path.abspath(file_named("cache", path))
        self.path = name if name.endswith(".json") else name + ".json"
        self.entries: dict[str, dict[str, Any]] = {}
        header = dict(about)
        if os.path.exists(self.path):
            kept = read(self.path)
            check(self.path, kept, about)
            self.entries = kept.pop("cache")
            header = kept
        text = json.dumps({**header, "cache": {}}, indent="", default=str)
        text = text[: text.rindex("{") + 1] + ",".join(entry_text(key, row) for key, row in self.entries.items())
        _core.write_text(self.path, text + ("," if self.entries else ""))
        self._file = open(self.path, "a", encoding="utf-8")

    def add(self, key: str, row: Mapping[str, Any]) -> None:
        """Writes an entry behind the others."""
        self.entries[key] = dict(row)
        self._file.write(entry_text(key, row) + ",")
        self._file.flush()

    def close(self) -> None:
        """Ends the file so that every reader of JSON takes it."""
        if self._file.closed:
            return
        self._file.close()
        with open(self.path, encoding="utf-8") as file:
            text = file.read().rstrip().removesuffix(",")
        _core.write_text(self.path, text + END)


def key_of(values: Mapping[str, Any]) -> str:
    """The key of a configuration."""
    return ",".join(str(value) for value in values.values())


def entry_text(key: str, row: Mapping[str, Any]) -> str:
    return f"\n{json.dumps(key)}: {json.dumps(row, default=str)}"


def read(path: str) -> dict[str, Any]:
    """The content of a cache, also of one that was cut off within or behind an entry. Raises: ValueError for another file."""
    with open(path, encoding="utf-8") as file:
        text = file.read().strip()
    kept: Any = None
    for whole in (text, text.removesuffix(",") + END, text + END, cut_off(text)):
        try:
            kept = json.loads(whole)
            break
        except ValueError:
            continue
    if not isinstance(kept, dict) or not isinstance(kept.get("cache"), dict) or "tune_params_keys" not in kept:
        raise _core.Error(f"tunekit: cache: {path} is no cache of Kernel Tuner, want another name")
    for row in kept["cache"].values():  # as older versions wrote what failed
        if isinstance(row.get("time"), str) and row["time"] in ERRORS:
            row["__error__"] = row["time"]
    return kept


def cut_off(text: str) -> str:
    """The text up to its last whole entry; up to the first where none is."""
    at, begin = text.rfind("},"), text.find('"cache": {')
    return text[: at + 1 if at > begin else begin + 10] + END


def check(path: str, kept: Mapping[str, Any], about: Mapping[str, Any]) -> None:
    """Raises: ValueError that names what differs."""
    def differs(what: str, there: Any, here: Any) -> _core.Error:
        return _core.Error(f"tunekit: cache: {path} is of {what} {shown(there)}, and this call has {shown(here)}, want another file")

    for what in ("device_name", "kernel_name"):
        if kept.get(what) != about[what]:
            raise differs(what, kept.get(what), about[what])
    if kept.get("tunekit_processor", about.get("tunekit_processor")) != about.get("tunekit_processor"):
        raise differs("the processor", kept["tunekit_processor"], about.get("tunekit_processor"))
    size = about["problem_size"]
    if size != "callable" and "problem_size" in kept and sizes(kept["problem_size"]) != sizes(size):
        raise differs("problem_size", kept["problem_size"], size)
    if list(kept["tune_params_keys"]) != about["tune_params_keys"]:
        same = sorted(kept["tune_params_keys"]) == sorted(about["tune_params_keys"])
        raise differs("the same parameters in the order" if same else "the parameters", kept["tune_params_keys"], about["tune_params_keys"])


def sizes(given: Any) -> list[str]:
    """A problem's size in a form that is the same for 64, (64,) and [64, 1]."""
    out = [str(n) for n in (given if isinstance(given, (list, tuple)) else [given])]
    while len(out) > 1 and out[-1] == "1":
        out.pop()
    return out
