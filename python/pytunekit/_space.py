# SPDX-License-Identifier: MIT
"""Spaces: parameters by name, their values, and what must hold among them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from sys import maxsize

from . import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    Configuration: TypeAlias = dict[str, Any]
    """A value for each parameter, by name."""
    Constraint: TypeAlias = str | Callable[..., object]


MOST_LISTED = 100_000_000  # of 8 bytes, some seconds


class permutation(Sequence[tuple["Any", ...]]):
    """The orders of some things, as the values of a parameter: of 0 ... n - 1, or of what is given.

        permutation(3)               # (0, 1, 2), (0, 2, 1), ...
        permutation(["i", "j", "k"]) # ("i", "j", "k"), ("i", "k", "j"), ...

    In an expression `order_0` is the position, in what was given, of the entry at place 0, and `order_i0` is the place of
    the first thing given.

    Raises: Error for more than 8 things (40320 orders), or fewer than 1.
    """

    def __init__(self, of: int | Iterable[Any]) -> None:
        of = pythons(of)
        if not isinstance(of, (int, Iterable)):
            raise _core.Error(f"tunekit: permutation: {shown(of)} is neither a number of things nor things, want 1 to 8")
        from itertools import islice, permutations

        things = tuple(pythons(thing) for thing in islice(range(of) if isinstance(of, int) else of, 9))
        if not 1 <= len(things) <= 8:
            n = shown(of) if isinstance(of, int) else len(of) if isinstance(of, Sized) else "more than 8" if things else "no"
            raise _core.Error(f"tunekit: permutation: there are {n} things, want 1 to 8")
        try:
            different = len(set(things))
        except TypeError:
            different = 0
        if different != len(things):
            raise _core.Error(f"tunekit: permutation: of {shown(things)} two are the same or one has no hash, want different things")
        self.places: list[tuple[int, ...]] = list(permutations(range(len(things))))
        self._orders = [tuple(things[k] for k in places) for places in self.places]

    def __getitem__(self, i: Any) -> Any:
        return self._orders[i]

    def __len__(self) -> int:
        return len(self._orders)


def counted(n: int, what: str) -> str:
    """3 rounds, 1 round."""
    return f"{n} {what}{'' if n == 1 else 's'}"


def kind(value: object) -> str:
    """A list, an int: what type it is of, in words."""
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeioAEIO' else 'a'} {name}"


def written(said: object) -> str:
    """What somebody said, such as an exception in place of its text, as UTF-8 can write it: names of files may be anything."""
    try:
        return str(said).encode("utf-8", "replace").decode()
    except Exception:
        return f"{kind(said)} that has no text"


def shown(value: object) -> str:
    """A value in a message, which is one line whatever was given."""
    try:
        if isinstance(value, (str, bytes)):
            value = value[:201]
        said = " ".join(repr(value).splitlines())
    except Exception:  # it cannot be shown, such as an integer of more than 4300 digits
        return kind(value)
    return said if len(said) <= 200 else said[:200] + "..."


def text(name: str, value: object) -> str:
    if not isinstance(value, str) or written(value) != value:
        raise _core.Error(f"tunekit: {name} is {shown(value)}, want a text that UTF-8 can write")
    return value


def pythons(value: Any) -> Any:
    """A number, flag or text of numpy as Python's own; anything else as it is."""
    item = getattr(value, "item", None)
    if callable(item) and getattr(value, "shape", None) == ():
        try:
            return item()
        except Exception:  # it only looks like a number
            pass
    return value


def _plain(name: str, value: Any) -> Any:
    """A value as C++ takes it, which is also what functions get: Python's own, a list as a tuple."""
    value = tuple(pythons(v) for v in value) if isinstance(value, (list, tuple)) else pythons(value)
    if not isinstance(value, (bool, int, float, str, tuple)):
        raise _core.Error(f"tunekit: space: parameter '{written(name)}': {shown(value)} is of a type that no parameter has, want bool, int, float, str or a tuple of int")
    return value


MOST_VALUES = 65_535  # of a parameter


def _listed(name: str, values: Any) -> list[Any]:
    """The values of a parameter. Raises: Error for what has no order of its own, or too many: an iterator may have no end."""
    if isinstance(values, (set, frozenset)):
        raise _core.Error(f"tunekit: space: parameter '{written(name)}': has a set, whose order changes from run to run, want a list: [8, 16]")
    if isinstance(values, Mapping):
        raise _core.Error(f"tunekit: space: parameter '{written(name)}': has {kind(values)} in place of a list, want its values: [8, 16]")
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise _core.Error(f"tunekit: space: parameter '{name}': has {shown(values)} in place of a list, want its values")
    from itertools import islice

    out = [_plain(name, v) for v in islice(values, MOST_VALUES + 1)]
    if len(out) > MOST_VALUES:
        raise _core.Error(f"tunekit: space: parameter '{written(name)}': has more than {MOST_VALUES} values, want at most as many")
    return out


def arguments_of(f: Callable[..., object]) -> dict[str, bool] | None:
    """The names of what f takes, with whether it must be given; None where it takes any, or does not say."""
    if isinstance(f, type(arguments_of)) and not hasattr(f, "__wrapped__"):  # without loading inspect
        code = f.__code__
        if code.co_flags & 0x0C or code.co_posonlyargcount:  # *args, **kwargs
            return None
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        free = len(f.__defaults__ or ())
        has = {*code.co_varnames[code.co_argcount - free : code.co_argcount], *(f.__kwdefaults__ or {})}
        return {name: name not in has for name in names}
    import inspect

    try:
        takes = inspect.signature(f).parameters.values()
    except Exception:  # TypeError, ValueError, and what an object of another kind has to say
        return None
    if any(p.kind not in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY) for p in takes):
        return None
    return {p.name: p.default is p.empty for p in takes}


class Space(Sequence["Configuration"]):
    """The configurations over some parameters that fulfil all constraints. It is a sequence of them.

        space = Space({"tile": [1, 2, 4, 8], "unroll": [1, 2, 4], "order": permutation("ijk")},
                      constraints=["tile * unroll <= 16", lambda order, tile: order[0] == "i" or tile > 1])
        len(space), space[0], space.index({"tile": 1, "unroll": 1, "order": ("i", "j", "k")})

    A value is a bool, an int of 64 bits, a float, a str, or a tuple of int. An expression is one of Python's, over the
    names: comparisons, and, or, not, + - * / // %. A callable takes the parameters that its arguments name.

    Raises: Error for parameters without values, names or values that are there twice, an expression that cannot be read,
            an unknown name, and where no configuration is left.
    Cost:   expressions: what the constraints of the C++ library cost. A callable is called once for each combination of
            the values of its own arguments; all configurations are then listed, 8 bytes each.
    """

    def __init__(self, parameters: Mapping[str, Iterable[Any]], constraints: Iterable[Constraint] | Constraint = ()) -> None:
        if not isinstance(parameters, Mapping):
            raise _core.Error(f"tunekit: space: {shown(parameters)} are not parameters, want names with their values: {{\"tile\": [8, 16]}}")
        if isinstance(constraints, str) or callable(constraints):
            constraints = [constraints]
        if not isinstance(constraints, Iterable):
            raise _core.Error(f"tunekit: space: {shown(constraints)} are not constraints, want a list of expressions and functions")
        self._constraints = list(constraints)
        self._listed: list[list[int]] | None = None  # places of values
        self._values: dict[str, list[Any]] = {}
        self._places: dict[str, dict[Any, tuple[int, ...]]] = {}  # of the values that are orders
        given = []
        for name, values in parameters.items():
            if isinstance(values, permutation):
                self._places[name] = dict(zip(values, values.places))
                self._values[name] = list(values)
                given.append((name, list(values.places)))
                continue
            self._values[name] = _listed(name, values)
            given.append((name, self._values[name]))
        self._names = list(self._values)
        self._grid = _core.Grid(given, [text("a constraint", c) for c in self._constraints if isinstance(c, str)])
        for c in self._constraints:
            if not isinstance(c, str):
                self._keep(c)

    @classmethod
    def listed(cls, parameters: Mapping[str, Iterable[Any]], configurations: Iterable[Sequence[Any]]) -> Space:
        """Those configurations of some parameters that stand in a list, each a value for every parameter in their order.

            Space.listed({"tile": [1, 2, 4], "unroll": [1, 2]}, [(1, 1), (2, 1), (4, 2)])

        The space has each once, in its own order. Raises: Error that names the first which is not.
        """
        out = cls(parameters)
        places = [{v: k for k, v in enumerate(values)} for values in out._values.values()]
        rows = []
        for n, configuration in enumerate(configurations):
            try:
                rows.append([place[value] for place, value in zip(places, configuration, strict=True)])
            except (KeyError, TypeError, ValueError):
                raise _core.Error(
                    f"tunekit: space: configuration {n} of the list is {shown(configuration)}, want a value for each of {', '.join(out._names)}"
                ) from None
        return out._of(rows)

    def _of(self, rows: list[list[int]]) -> Space:
        """This space with those configurations alone, each the places of its values."""
        self._listed = rows
        self._grid = self._grid.listed(rows)
        return self

    def _keep(self, holds: Callable[..., object]) -> None:
        who = getattr(holds, "__name__", None) or shown(holds)
        takes = arguments_of(holds)
        if takes is None:
            raise _core.Error(f"tunekit: space: the constraint {who} does not say what it takes, want arguments with the names of parameters")
        names = [name for name, must in takes.items() if must or name in self._values]
        for name in names:
            if name not in self._values:
                raise _core.Error(f"tunekit: space: the constraint {who} has an argument '{name}', want names of parameters: {', '.join(self._names)}")
        if not names:
            raise _core.Error(f"tunekit: space: the constraint {who} has no arguments, want those parameters that it speaks of")
        self._grid = self._kept(f"the constraint {who}", names, holds)

    def _kept(self, who: str, names: list[str], holds: Callable[..., object]) -> _core.Grid:
        """The configurations at which it holds, of values of these parameters."""
        if (n := self._grid.size()) > MOST_LISTED:  # before it is called as often
            raise _core.Error(f"tunekit: space: {who} chooses among {n} configurations, want an expression, or at most {MOST_LISTED}")
        from itertools import product

        allowed = bytes(bool(holds(**dict(zip(names, values)))) for values in product(*(self._values[n] for n in names)))
        return self._grid.kept([self._names.index(n) for n in names], allowed)

    def _such(self, wanted: Configuration) -> Iterator[Configuration]:
        """The configurations with these values of some parameters. Raises: Error where there are none, or too many to look at."""
        if len(wanted) == len(self._names):
            return iter([self.at(self.index(wanted))])
        wanted = {name: tuple(value) if isinstance(value, list) else value for name, value in wanted.items()}
        grid = self._kept("what is wanted", list(wanted), lambda **some: some == wanted)
        return (self._with(grid.ordinals(i)) for i in range(grid.size()))

    @property
    def names(self) -> list[str]:
        """The names of the parameters."""
        return list(self._names)

    @property
    def parameters(self) -> dict[str, list[Any]]:
        """The values of each parameter."""
        return {name: list(values) for name, values in self._values.items()}

    def __len__(self) -> int:
        n = self._grid.size()
        if n > maxsize:
            raise _core.Error(f"tunekit: space: has {n} configurations, more than len() may tell, want repr()")
        return n

    def __getitem__(self, i: Any) -> Any:
        n = self._grid.size()
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(n))]
        if not -n <= i < n:
            raise IndexError(i)
        return self.at(i % n)

    def __iter__(self) -> Iterator[Configuration]:
        return (self.at(i) for i in range(self._grid.size()))

    def at(self, i: int) -> Configuration:
        """The configuration of an index, as `space[i]`."""
        try:
            places = self._grid.ordinals(i)
        except TypeError:
            raise _core.Error(f"tunekit: space: {shown(i)} is not an index, want an integer from 0 on") from None
        return self._with(places)

    def _with(self, places: list[int]) -> Configuration:
        return {name: values[k] for (name, values), k in zip(self._values.items(), places)}

    def index(self, configuration: Mapping[str, Any], *unused: Any) -> int:
        """The index of a configuration. Raises: Error that names what is wrong with it."""
        if not isinstance(configuration, Mapping):
            raise _core.Error(f"tunekit: space: {shown(configuration)} is not a configuration, want names with a value each")
        pairs = []
        for name, value in configuration.items():
            if name in self._places:
                try:
                    value = self._places[name].get(tuple(value), value)
                except TypeError:  # it is no order of anything
                    pass
            pairs.append((name, _plain(name, value)))
        return self._grid.index_of(pairs)

    def __contains__(self, configuration: object) -> bool:
        try:
            return isinstance(configuration, Mapping) and self.index(configuration) >= 0
        except _core.Error:
            return False

    @property
    def fingerprint(self) -> int:
        """A hash of names, values and constraints, by which a log knows its space."""
        return self._grid.fingerprint()

    def __repr__(self) -> str:
        n = self._grid.size()
        return f"Space of {counted(n, 'configuration')} over {', '.join(self._names)}"

    def __reduce__(self) -> tuple[Any, ...]:
        parameters: dict[str, Any] = {name: permutation(values[0]) if name in self._places else values for name, values in self._values.items()}
        if self._listed is not None:
            values = list(self._values.values())
            return (Space.listed, (parameters, [[values[j][k] for j, k in enumerate(row)] for row in self._listed]))
        return (Space, (parameters, self._constraints))
