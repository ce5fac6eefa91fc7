#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""reference.py FILE: the API reference of the Python package as one page of Markdown, from its sources and stubs, without importing it.

A public name without a docstring is an error.
"""

from __future__ import annotations

import ast
import inspect
import pathlib
import sys

MADE_BY_USERS = (
    "EnsembleSampler", "EpsilonGreedy", "Failed", "Forest", "GaussianProcess", "Generator", "KMeans", "Limits", "LogPower", "Sampler", "Softmax",
    "Space", "Strategy", "Tuner", "UCB", "UCB1", "permutation",
)
MODULES = ("parts", "gest", "kernel_tuner", "optuna", "integration", "file_utils", "util")  # that `import pytunekit` does not load
PACKAGE = pathlib.Path(__file__).parent / "pytunekit"


def definitions() -> dict[str, ast.ClassDef | ast.FunctionDef]:
    """What the package defines, by name; of the stubs what users see."""
    out: dict[str, ast.ClassDef | ast.FunctionDef] = {}
    for path in [PACKAGE / "_core.pyi", *sorted(PACKAGE.glob("_*.py"))]:
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                out[node.name] = node
    return out


def public_names() -> list[str]:
    tree = ast.parse((PACKAGE / "__init__.py").read_text())
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "__all__":
            return [name for name in ast.literal_eval(node.value) if not name.startswith("__")]
    raise SystemExit("reference: pytunekit/__init__.py has no __all__")


def text_of(node: ast.ClassDef | ast.FunctionDef, name: str) -> str:
    text = ast.get_docstring(node)
    if not text:
        raise SystemExit(f"reference: {name} has no docstring")
    return text + "\n"


def is_marked(node: ast.FunctionDef, mark: str) -> bool:
    return any(isinstance(d, ast.Name) and d.id == mark for d in node.decorator_list)


def call_of(node: ast.FunctionDef, name: str, method: bool) -> str:
    """A call with its arguments, each on a line of its own where there are many."""

    def said(one: ast.arg, default: ast.expr | None) -> str:
        kind = f": {ast.unparse(one.annotation)}" if one.annotation is not None else ""
        return one.arg + kind + (f" = {ast.unparse(default)}" if default is not None else "")

    by_place = node.args.args
    defaults = [None] * (len(by_place) - len(node.args.defaults)) + list(node.args.defaults)
    arguments = [said(one, default) for one, default in zip(by_place, defaults)][1 if method else 0 :]
    if node.args.kwonlyargs:
        arguments += ["*", *(said(one, default) for one, default in zip(node.args.kwonlyargs, node.args.kw_defaults))]
    returns = f" -> {ast.unparse(node.returns)}" if node.returns is not None and node.name != "__init__" else ""
    line = f"{name}({', '.join(arguments)}){returns}"
    if len(line) > 100:
        line = f"{name}(\n    " + ",\n    ".join(arguments) + f",\n){returns}"
    return f"```python\n{line}\n```\n"


def page_of(node: ast.ClassDef | ast.FunctionDef) -> list[str]:
    out = [f"## {node.name}\n"]
    if isinstance(node, ast.FunctionDef):
        return [*out, call_of(node, node.name, False), text_of(node, node.name)]
    made = [n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__" and node.name in MADE_BY_USERS]
    out += [call_of(n, node.name, True) for n in made]
    out.append(text_of(node, node.name))
    for member, after in zip(node.body, [*node.body[1:], None]):
        if isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name) and not member.target.id.startswith("_"):
            said = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else ""
            out.append(f"* `{member.target.id}: {ast.unparse(member.annotation)}`. {inspect.cleandoc(str(said))}\n")
        if not isinstance(member, ast.FunctionDef) or member.name.startswith("_"):
            continue
        if is_marked(member, "classmethod"):
            member.decorator_list.clear()  # its first argument goes as a method's does
        if is_marked(member, "overload"):
            continue
        name = f"{node.name}.{member.name}"
        if is_marked(member, "property"):
            assert member.returns is not None
            out += [f"### {name}\n", f"A property: `{ast.unparse(member.returns)}`.\n"]
        else:
            out += [f"### {name}\n", call_of(member, member.name, True)]
        out.append(text_of(member, name))
    return out


def main() -> int:
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__)
        return 0 if sys.argv[1:] in (["-h"], ["--help"]) else 2
    there = definitions()
    lines = ["# Python\n", "The package `pytunekit` of Python, from its docstrings and types. The [page on Python](../python.md) shows how it is used.\n"]
    for name in public_names():
        lines += page_of(there[name])
    for module in MODULES:
        for node in ast.parse((PACKAGE / f"{module}.py").read_text()).body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and not node.name.startswith("_"):
                lines += [line.replace(f"## {node.name}", f"## {module}.{node.name}", 1) for line in page_of(node)]
    pathlib.Path(sys.argv[1]).write_text("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
