# SPDX-License-Identifier: MIT
"""What scripts take from `kernel_tuner.file_utils`, under the same names: results as a T4 file, and what they were measured on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path

from . import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    File = str | PathLike[str]

PARTS = {"compilation": "compile_time", "benchmark": "benchmark_time", "framework": "framework_time", "search_algorithm": "strategy_time",
         "validation": "verification_time"}
VALIDITY = {"CompilationFailedConfig": "compile", "RuntimeFailedConfig": "runtime", "InvalidConfig": "constraints"}


def store_output_file(output_filename: File, results: Iterable[Mapping[str, Any]], tune_params: Mapping[str, Any], objective: str = "time") -> None:
    """Writes results as a file of the field's format T4, with times in milliseconds; folders are made, and ".json" is added."""
    beside = {*tune_params, *PARTS.values(), "timestamp", "times", "__error__"}
    entries = []
    for row in results:
        entries.append({
            "timestamp": row.get("timestamp", ""),
            "configuration": {name: row[name] for name in tune_params},
            "times": {**{part: row.get(key, 0.0) for part, key in PARTS.items()}, "runtimes": list(row.get("times", []))},
            "invalidity": VALIDITY.get(str(row["__error__"]), "runtime") if "__error__" in row else "correct",
            "correctness": 1,
            "measurements": [{"name": key, "value": value, "unit": "ms" if key == "time" else ""} for key, value in row.items() if key not in beside],
            "objectives": [objective],
        })
    _write(output_filename, {"results": entries, "schema_version": "1.0.0", "metadata": {"timeunit": "milliseconds"}})


def store_metadata_file(metadata_filename: File) -> None:
    """Writes what the results were measured on: the system, its processors, what nvidia-smi says, and the packages."""
    import platform
    import subprocess

    asked: dict[str, Any] = {}
    try:
        said = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, timeout=20)
        if said.returncode == 0:
            asked["nvidia-smi"] = said.stdout.splitlines()
    except (OSError, subprocess.SubprocessError):
        pass
    hardware = [{"machine": platform.machine(), "processors": sorted(_processors())}]
    _write(metadata_filename, {
        "metadata": {"operating_system": platform.system(), "hardware": {"hardware_description": hardware},
                     "environment": {"device_query": asked, "requirements": _packages()}},
        "schema_version": "1.0.0",
    })


def _processors() -> set[str]:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return set()
    return {line.partition(":")[2].strip() for line in lines if line.startswith("model name")}


def _packages() -> list[str]:
    from importlib.metadata import PackageNotFoundError, version

    out = [f"pytunekit=={_core.version}"]
    try:
        out.append(f"numpy=={version('numpy')}")
    except PackageNotFoundError:
        pass
    return out


def _write(filename: File, content: Any) -> None:
    path = Path(filename)
    path = path if path.suffix == ".json" else Path(f"{path}.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    _core.write_text(str(path), json.dumps(content, default=lambda value: value.tolist() if hasattr(value, "tolist") else str(value)))
