# SPDX-License-Identifier: MIT
"""The stubs of the extension module name what it has. (mypy.stubtest takes no functions of nanobind.)"""

import ast
import re
from pathlib import Path
from typing import Any

import pytunekit
from pytunekit import _core


def test_the_stubs_name_what_the_module_has() -> None:
    text = (Path(pytunekit.__file__).parent / "_core.pyi").read_text()
    stubs: dict[str, set[str]] = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef):
            bases = [stubs.get(base.id, set()) for base in node.bases if isinstance(base, ast.Name)]
            stubs[node.name] = {n.name for n in node.body if isinstance(n, ast.FunctionDef)}.union(*bases) - {"__init__"}
        elif isinstance(node, ast.FunctionDef):
            stubs[node.name] = set()
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            stubs[node.target.id] = set()
    there = {name: getattr(_core, name) for name in dir(_core) if not name.startswith("_")}
    assert {name for name in stubs if not name.startswith("_")} == set(there)
    for name in there:
        members = stubs[name]
        if isinstance(there[name], type) and name != "Error":
            has = {m for m in vars(there[name]) if not m.startswith("_") or m == "__len__"}
            assert has == members, name


def test_more_than_four_arguments_are_passed_by_their_names() -> None:
    """Which are in the stubs those that C++ gives: a place in a list would mean another one in silence, where somebody adds one or moves two."""

    def check(node: ast.AST, there: Any) -> None:
        for one in getattr(node, "body", []):
            if isinstance(one, ast.ClassDef) and not one.name.startswith("_"):
                check(one, getattr(there, one.name))
            if isinstance(one, ast.FunctionDef):
                assert len([a for a in [*one.args.posonlyargs, *one.args.args] if a.arg != "self"]) <= 4, one.name
                if one.args.kwonlyargs:
                    said = getattr(there, one.name).__doc__.split("*, ")[1]
                    assert [a.arg for a in one.args.kwonlyargs] == re.findall(r"(\w+): ", said), one.name

    check(ast.parse((Path(pytunekit.__file__).parent / "_core.pyi").read_text()), _core)
