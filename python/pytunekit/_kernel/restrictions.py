# SPDX-License-Identifier: MIT
"""The space of a kernel: its parameters, and what must hold among them as Python reads it."""

from __future__ import annotations

import ast
import inspect
import time
from collections.abc import Callable, Iterable, Mapping
from math import prod

from .. import _core
from .._space import Space, pythons, shown
from .texts import known_words, listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

RESULT_KEYS = (
    "time", "times", "compile_time", "verification_time", "benchmark_time", "timestamp", "strategy_time", "framework_time", "__error__",
    "grid_size_x", "grid_size_y", "grid_size_z", "kernel_tuner",
)
MANY = 10**7


class Configurations:
    """The configurations of a kernel, whose values are the caller's: also tuples, which a `Space` has as texts."""

    def __init__(self, parameters: Mapping[str, list[Any]], space: Space) -> None:
        self.parameters = parameters
        self.space = space
        self._values = list(parameters.values())

    def at(self, i: int) -> dict[str, Any]:
        """The configuration of an index."""
        return {name: values[k] for (name, values), k in zip(self.parameters.items(), self.place(i))}

    def place(self, i: int) -> list[int]:
        """Where its values stand in the lists of the parameters, by which results are sorted: the first parameter slowest."""
        return self.space._grid.ordinals(i)

    def index(self, configuration: Mapping[str, Any]) -> int:
        """The index of a configuration. Raises: Error that names what is wrong with it."""
        return self.space.index({name: as_value(pythons(value)) for name, value in configuration.items()})

    def __len__(self) -> int:
        return len(self.space)


class Restriction:
    """A condition, with the parameters that it speaks of."""

    def __init__(self, said: str, names: list[str], holds: Callable[[Mapping[str, Any]], object]) -> None:
        self.said = said
        self.names = names
        self._holds = holds

    def __call__(self, values: Mapping[str, Any]) -> bool:
        try:
            return bool(self._holds(values))
        except Exception as e:
            raise _core.Error(
                f"tunekit: restriction {self.said}: {type(e).__name__}: {e} for {listed({n: values[n] for n in self.names})}, "
                "want one that excludes such values with 'and' or 'or' first"
            ) from e


def as_value(value: Any) -> Any:
    """What a `Space` takes for a value."""
    return value if isinstance(value, (bool, int, float, str)) else str(value)


def checked_parameters(tune_params: Any) -> dict[str, list[Any]]:
    """The parameters with their values, Python's own. Raises: Error for names and values that cannot be any."""
    if not isinstance(tune_params, Mapping) or not tune_params:
        raise _core.Error(f"tunekit: tune_params is {shown(tune_params)}, want a dict of names with their values")
    out = {}
    for name, values in tune_params.items():
        if not isinstance(name, str) or not name.isidentifier():
            raise _core.Error(f"tunekit: the parameter {shown(name)} cannot be a macro, want a name of letters, digits and _")
        if name in RESULT_KEYS:
            raise _core.Error(f"tunekit: the parameter '{name}' has a name that results or macros have, want another name")
        if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
            raise _core.Error(f"tunekit: the parameter '{name}' has {shown(values)} in place of a list, want its values")
        out[name] = [pythons(value) for value in values]
        if any(isinstance(value, (list, dict, set)) for value in out[name]):
            raise _core.Error(f"tunekit: the parameter '{name}' has a list, dict or set among its values, want numbers, texts or tuples")
    return out


def configurations_of(
    parameters: Mapping[str, list[Any]], restrictions: Any, limit: tuple[list[str], int] | None = None, say: Callable[[str], None] = print
) -> Configurations:
    """Those that fulfil all restrictions. With a limit, also the product of these parameters is not above it.

    Raises: Error for a restriction that cannot be read, and where nothing is left.
    """
    conditions = [restriction_of(one, parameters) for one in listed_of(restrictions)]
    grid = {name: [as_value(value) for value in values] for name, values in parameters.items()}
    if limit is not None and (sizes := [name for name in limit[0] if name in parameters]):
        below = f"{' * '.join(sizes)} <= {limit[1]}"
        if prod(min(parameters[name]) for name in sizes) > limit[1]:
            raise _core.Error(f"tunekit: {' * '.join(sizes)} is above {limit[1]}, the device's limit of threads in a block, for all configurations")
        conditions.append(text_restriction(below, parameters))
    if all(is_plain(one.said, parameters) for one in conditions):
        return Configurations(parameters, Space(grid, [one.said for one in conditions]))
    kept = enumerated(parameters, conditions, say)
    if not kept:
        raise _core.Error(f"tunekit: restrictions: {' and '.join(one.said for one in conditions)} leave no configuration, want some that hold")
    return Configurations(parameters, Space(grid)._of(kept))


def listed_of(restrictions: Any) -> list[Any]:
    """The restrictions one by one: none, a text, a function, or several of them."""
    if restrictions is None or isinstance(restrictions, str) and not restrictions.strip():
        return []
    if isinstance(restrictions, str) or callable(restrictions):
        return [restrictions]
    if not isinstance(restrictions, (list, tuple)):
        raise _core.Error(f"tunekit: restrictions is {shown(restrictions)}, want a list of texts and functions, one text, or a function")
    return list(restrictions)


def restriction_of(one: Any, parameters: Mapping[str, Any]) -> Restriction:
    """A restriction from what stands for it. Raises: Error for what stands for none."""
    if isinstance(one, str):
        return text_restriction(one, parameters)
    module = type(one).__module__
    if isinstance(one, tuple) or module == "constraint" or module.startswith("constraint."):
        raise _core.Error(f"tunekit: restrictions has {shown(one)} of python-constraint, want a text or a function of the configuration")
    if not callable(one):
        raise _core.Error(f"tunekit: restrictions has {shown(one)}, want a text or a function of the configuration")
    said = f"{getattr(one, '__name__', type(one).__name__)}(...)"
    return Restriction(said, *by_values(said, one, list(parameters)))


def text_restriction(text: str, parameters: Mapping[str, Any]) -> Restriction:
    try:
        compile(text.strip(), "restriction", "eval")
    except (SyntaxError, ValueError) as e:
        raise _core.Error(f"tunekit: restriction {shown(text)}: {getattr(e, 'msg', e)}, want an expression of Python over the parameters") from None
    words = dict(known_words())
    used = {node.id for node in ast.walk(ast.parse(text.strip(), mode="eval")) if isinstance(node, ast.Name)}
    inside = {node.id for node in ast.walk(ast.parse(text.strip(), mode="eval")) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    import builtins

    for name in sorted(used - inside):
        if name not in parameters and name not in words and not hasattr(builtins, name):
            raise _core.Error(f"tunekit: restriction {shown(text)}: no parameter is called '{name}', want one of {', '.join(parameters)}")
    names = [name for name in parameters if name in used]
    holds = eval(f"lambda {', '.join(names)}: (\n{text.strip()}\n)", words)
    return Restriction(text.strip(), names, lambda values: holds(*[values[name] for name in names]))


def by_values(said: str, f: Callable[..., object], names: list[str]) -> tuple[list[str], Callable[[Mapping[str, Any]], object]]:
    """The parameters that a function speaks of, and it as a function of a configuration: f takes a dict, all values in their order, or some by
    their names."""
    try:
        takes = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        return names, lambda values: f(dict(values))
    if any(one.kind is one.VAR_POSITIONAL for one in takes):
        return names, lambda values: f(*values.values())
    must = [one.name for one in takes if one.default is one.empty and one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)]
    if len(must) == 1:
        return names, lambda values: f(dict(values))
    if len(must) == len(names):
        return names, lambda values: f(*values.values())
    if must and set(must) <= set(names):
        return must, lambda values: f(**{name: values[name] for name in must})
    raise _core.Error(f"tunekit: restriction {said}: takes {', '.join(must) or 'nothing'}, want a dict, a value for each parameter, or some by their names")


def is_plain(text: str, parameters: Mapping[str, list[Any]]) -> bool:
    """Whether the library's own constraints mean the same by the text: integers alone, and no division by what may be zero or less."""
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError:
        return False
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            if not all(isinstance(v, int) and not isinstance(v, bool) and abs(v) < 2**31 for v in parameters.get(node.id, ["none"])):
                return False
        elif isinstance(node, ast.Constant):
            if isinstance(node.value, bool) or not isinstance(node.value, int) or abs(node.value) >= 2**31:
                return False
        elif isinstance(node, ast.BinOp):
            if isinstance(node.op, (ast.Mod, ast.FloorDiv)) and not is_positive(node.right, parameters):
                return False
            if not isinstance(node.op, (ast.Add, ast.Sub, ast.Mult, ast.Mod, ast.FloorDiv)):
                return False
        elif not isinstance(node, (ast.Expression, ast.Load, ast.BoolOp, ast.And, ast.Or, ast.Compare, ast.UnaryOp, ast.Not, ast.operator, ast.Lt,
                                   ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)):
            return False
    return isinstance(tree.body, (ast.Compare, ast.BoolOp))


def is_positive(node: ast.expr, parameters: Mapping[str, list[Any]]) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int) and node.value > 0
    return isinstance(node, ast.Name) and all(isinstance(v, int) and v > 0 for v in parameters.get(node.id, [0]))


def enumerated(parameters: Mapping[str, list[Any]], conditions: Iterable[Restriction], say: Callable[[str], None]) -> list[list[int]]:
    """The configurations that fulfil the conditions, as places of their values, the first parameter slowest. Each condition is looked at as soon
    as its parameters have values, and those of one parameter in the order given: a later one may rely on an earlier one."""
    names = list(parameters)
    lists = [parameters[name] for name in names]
    of_depth: list[list[Restriction]] = [[] for _ in names]
    for one in conditions:
        of_depth[max((names.index(name) for name in one.names), default=0)].append(one)
    combinations = prod(map(len, lists))
    watch = Watch(combinations, say) if combinations > MANY else None
    values: dict[str, Any] = {}  # in the parameters' order, which functions of all values rely on
    places = [0] * len(names)
    out: list[list[int]] = []

    def below(depth: int) -> None:
        name, here, last = names[depth], of_depth[depth], depth + 1 == len(names)
        for k, value in enumerate(lists[depth]):
            values[name] = value
            if watch is not None and depth <= Watch.deepest:
                watch.at(depth, k, len(lists[depth]))
            for holds in here:
                if not holds(values):
                    break
            else:
                places[depth] = k
                if last:
                    out.append(places.copy())
                else:
                    below(depth + 1)
        del values[name]

    below(0)
    return out


class Watch:
    """Tells once how long a large space will take, after 2 seconds."""

    deepest = 1

    def __init__(self, n: int, say: Callable[[str], None]) -> None:
        self._n = n
        self._say = say
        self._began = time.perf_counter()
        self._told = False
        self._share = [0.0, 0.0]  # of the first parameter's values, and within one of the second's

    def at(self, depth: int, k: int, n: int) -> None:
        self._share[depth] = k / n
        if depth == 0:
            self._share[1] = 0.0
            self._step = 1 / n
        took = time.perf_counter() - self._began
        done = self._share[0] + self._step * self._share[1]
        if not self._told and took > 2 and done > 0:
            self._told = True
            self._say(f"tunekit: restrictions: {self._n:.3g} combinations, about {took * (1 - done) / done:.0f} s more until the space is known")
