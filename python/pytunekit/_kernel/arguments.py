# SPDX-License-Identifier: MIT
"""Arguments of a kernel, as bytes, and what came of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import numpy

from .. import _core
from .._space import kind, shown
from .texts import without_comments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    Array: TypeAlias = numpy.ndarray[Any, numpy.dtype[Any]]

TYPED = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64")


class Argument:
    """An array or a value, with what a kernel is given of it. The caller's own is never changed."""

    def __init__(self, given: Array | numpy.generic) -> None:
        self.is_array = isinstance(given, numpy.ndarray)
        self.dtype = given.dtype
        self.shape = given.shape
        self.bytes = given.tobytes("A")
        self.changes = True
        self._given = given
        self._order: Any = "F" if isinstance(given, numpy.ndarray) and given.flags.f_contiguous and not given.flags.c_contiguous else "C"

    changes: bool
    """Whether a kernel may write into it; `check_against` looks."""

    @property
    def type(self) -> str:
        """That of its elements as the engine names it; "bytes" for a record, a complex number, and what else has no name there."""
        return "uint8" if self.dtype == numpy.bool_ else self.dtype.name if self.dtype.name in TYPED else "bytes"

    def after(self, content: Any) -> Array | numpy.generic:
        """What it is with this content; a value stays as it was given. A view of arrays."""
        if not isinstance(self._given, numpy.ndarray):
            return self._given
        return numpy.frombuffer(content, dtype=self.dtype).reshape(self.shape, order=self._order)


def arguments_of(given: Any, problem: str = "arguments") -> list[Argument]:
    """The arguments in their order. Raises: TypeError for what a kernel cannot be given, ValueError for an array that is not contiguous."""
    if not isinstance(given, (list, tuple)):
        raise TypeError(f"tunekit: {problem} is {shown(given)}, want a list of arrays and numpy's numbers")
    return [Argument(on_host(f"argument {i}", one)) for i, one in enumerate(given)]


def on_host(what: str, given: Any) -> Array | numpy.generic:
    """An argument as numpy has it; an array of a device is copied."""
    if isinstance(given, numpy.ndarray):
        if given.dtype.hasobject:
            raise TypeError(f"tunekit: {what} is an array of Python's objects, want one of numbers")
        if not (given.flags.c_contiguous or given.flags.f_contiguous):
            raise _core.Error(f"tunekit: {what} is an array that is not contiguous, want numpy.ascontiguousarray of it")
        return given
    if isinstance(given, numpy.generic):
        return given
    if hasattr(given, "select_for_configuration") or hasattr(given, "param_key"):
        raise TypeError(f"tunekit: {what} is {kind(given)}, chosen by a parameter, want one array, and a call for each value of that parameter")
    if isinstance(given, (bool, int, float, complex)):
        raise TypeError(f"tunekit: {what} is {shown(given)}, a number without a width, want numpy's: numpy.int32(...), numpy.float32(...)")
    if hasattr(given, "__cuda_array_interface__") or hasattr(given, "__dlpack__"):
        return on_host(what, copied(what, given))
    raise TypeError(f"tunekit: {what} is {shown(given)}, want an array of numpy, or one of numpy's numbers")


def copied(what: str, given: Any) -> Array:
    """An array of another package, which may lie on a device."""
    ways: list[Callable[[], Any]] = [
        lambda: given.get(),  # CuPy
        lambda: given.detach().cpu().numpy(),  # PyTorch
        lambda: given.copy_to_host(),  # Numba
        lambda: numpy.from_dlpack(given),
        lambda: numpy.asarray(given),
    ]
    for way in ways:
        try:
            out = way()
        except Exception:  # it has another way
            continue
        if isinstance(out, numpy.ndarray) and not out.dtype.hasobject:
            return numpy.ascontiguousarray(out)
    raise TypeError(f"tunekit: {what} is {kind(given)} that cannot be copied to the host, want an array of numpy")


def constants_of(given: Any) -> list[tuple[str, bytes]]:
    """Constant memory: symbols with their content."""
    if not given:
        return []
    if not isinstance(given, Mapping):
        raise TypeError(f"tunekit: cmem_args is {shown(given)}, want a dict of symbols with their arrays")
    return [(name, Argument(on_host(f"cmem_args: {name}", array)).bytes) for name, array in given.items() if array is not None]


def check_against(text: str, name: str, arguments: Sequence[Argument]) -> None:
    """Looks at the kernel's parameters as its text declares them. Raises: Error for what would crash: another number of arguments, an array
    where it takes a value or the reverse, a value of another width. An array of other elements is the caller's to know. One that the kernel
    takes as a pointer to const does not change."""
    declared = declarations(text, name)
    if not declared:
        return  # made by a macro, or by a template that only a compiler reads
    faults = [fault_of(parameters, arguments) for parameters in declared]
    if all(faults):
        raise _core.Error(f"tunekit: kernel {name}: {faults[0]}")
    for i, argument in enumerate(arguments):
        argument.changes = not all(re.match(r"[^*]*\bconst\b[^*]*\*", parameters[i]) for parameters in declared if len(parameters) == len(arguments))


def declarations(text: str, name: str) -> list[list[str]]:
    """The parameters of each function of that name, without template arguments and namespaces."""
    plain = re.sub(r"<.*", "", name, flags=re.DOTALL).rsplit("::", 1)[-1].strip()
    code = without_comments(text)
    out = []
    for at in re.finditer(rf"[\w>*&]\s+\*?\s*\b{re.escape(plain)}\s*\(", code):
        depth, begin, end = 1, at.end(), at.end()
        while end < len(code) and depth:
            depth += {"(": 1, ")": -1}.get(code[end], 0)
            end += 1
        inside, behind = code[begin : end - 1], code[end:].lstrip()
        if depth or not behind.startswith(("{", ";", "__attribute__", "noexcept")) or re.search(r"\b(return|else)\s*$", code[: at.end()].rsplit(plain, 1)[0]):
            continue
        out.append([] if inside.strip() in ("", "void") else split(inside))
    return out


def split(inside: str) -> list[str]:
    """A list of parameters at its commas, but not at those between brackets."""
    out, depth, begin = [], 0, 0
    for k, c in enumerate(inside):
        depth += {"(": 1, "<": 1, "[": 1, ")": -1, ">": -1, "]": -1}.get(c, 0)
        if c == "," and depth == 0:
            out.append(inside[begin:k].strip())
            begin = k + 1
    return [*out, inside[begin:].strip()]


WIDTHS = {
    "char": 1, "uchar": 1, "bool": 1, "int8_t": 1, "uint8_t": 1, "short": 2, "ushort": 2, "half": 2, "__half": 2, "int16_t": 2, "uint16_t": 2, "int": 4, "uint": 4,
    "unsigned": 4, "float": 4, "int32_t": 4, "uint32_t": 4, "double": 8, "int64_t": 8, "uint64_t": 8, "size_t": 8, "long": 8, "ulong": 8,
}


def fault_of(parameters: Sequence[str], arguments: Sequence[Argument]) -> str:
    """What would crash; empty for nothing."""
    if len(parameters) != len(arguments):
        return f"{len(arguments)} arguments are given, want {len(parameters)} as the text declares it: ({', '.join(parameters)})"
    for i, (declared, argument) in enumerate(zip(parameters, arguments)):
        words = re.findall(r"\w+", re.sub(r"\b(const|volatile|restrict|__restrict__|__restrict|signed|__private)\b", " ", declared))
        pointer = bool(re.search(r"[*\[&]|\b(image[123]d\w*|sampler_t)\b", declared))
        known = [w for w in words[: max(1, len(words) - 1)] if w in WIDTHS]
        if argument.is_array and not pointer and known:
            return f"argument {i} is an array, and '{declared}' takes a value"
        if not argument.is_array and "*" in declared:
            return f"argument {i} is a value of {argument.dtype.name}, and '{declared}' takes an array"
        if argument.is_array or pointer or not known:
            continue
        width = 8 if known.count("long") or "double" in known else WIDTHS[next((w for w in known if w != "unsigned"), known[0])]
        if argument.dtype == numpy.bool_ or "bool" in known:
            continue  # passed by size, and any width is read as one byte
        if argument.dtype.itemsize != width:
            return f"argument {i} is a value of {argument.dtype.name}, {argument.dtype.itemsize} bytes, and '{declared}' takes {width}"
    return ""


class Comparison:
    """Looks whether what a kernel computed is what it should be."""

    def __init__(self, answer: Any, verify: Any, atol: Any, arguments: Sequence[Argument]) -> None:
        if verify is not None and not callable(verify):
            raise TypeError(f"tunekit: verify is {shown(verify)}, want a function of answer, result and atol")
        if isinstance(atol, bool) or not isinstance(atol, (int, float, numpy.number)) or not atol >= 0:
            raise _core.Error(f"tunekit: atol is {shown(atol)}, want a number from 0 on")
        self._arguments = arguments
        self._verify = verify
        self._atol = float(atol)
        self.answer = self._checked(answer)
        self.seconds: dict[int, float] = {}

    seconds: dict[int, float]
    """That a comparison took, by the index of its configuration."""

    def __bool__(self) -> bool:
        """Whether there is anything to compare."""
        return self._verify is not None or self.answer is not None

    def __call__(self, contents: Sequence[Any]) -> str | None:
        """What is wrong, in a line; None where nothing is. The contents of arrays, None for values."""
        results: list[Any] = []
        for i, (argument, content) in enumerate(zip(self._arguments, contents)):
            compared = self.answer is None or self.answer[i] is not None
            results.append(argument.after(content) if compared and argument.is_array else argument._given if compared else None)
        if self._verify is not None:
            return None if verified(self._verify, self.answer, results, self._atol) else "verify says that the result is wrong"
        assert self.answer is not None
        for i, (want, got) in enumerate(zip(self.answer, results)):
            if want is not None and (fault := difference(i, want, got, self._atol)):
                return fault
        return None

    def _checked(self, answer: Any) -> list[Any] | None:
        if answer is None:
            return None
        if hasattr(answer, "param_key"):
            raise TypeError("tunekit: answer is chosen by a parameter, want a list, and a call for each value of that parameter")
        if not isinstance(answer, (list, tuple)) or len(answer) != len(self._arguments):
            n = len(answer) if isinstance(answer, (list, tuple)) else "no list of"
            raise TypeError(f"tunekit: answer has {n} entries, want one for each of the {len(self._arguments)} arguments, None for those that are not compared")
        out = list(answer)
        if all(one is None for one in out):
            return None
        for i, (want, argument) in enumerate(zip(out, self._arguments)):
            if want is None:
                continue
            out[i] = want = on_host(f"answer {i}", want)
            if self._verify is not None:
                continue
            if argument.is_array and not want.shape:
                raise _core.Error(f"tunekit: answer {i} is one number, and argument {i} is an array, want an array")
            if want.size != numpy.prod(argument.shape, dtype=int):
                raise _core.Error(f"tunekit: answer {i} has {want.size} elements, and argument {i} has {numpy.prod(argument.shape, dtype=int)}, want as many")
            if not argument.is_array and (fault := difference(i, want, argument._given, self._atol)):
                raise _core.Error(f"tunekit: answer {i}: {fault}, and a value is never changed")
        return out


def verified(verify: Callable[..., object], answer: list[Any] | None, results: list[Any], atol: float) -> bool:
    import inspect

    try:
        takes_atol = "atol" in inspect.signature(verify).parameters or len(inspect.signature(verify).parameters) > 2
    except (TypeError, ValueError):
        takes_atol = False
    return bool(verify(answer, results, atol=atol) if takes_atol else verify(answer, results))


def difference(i: int, want: Any, got: Any, atol: float) -> str:
    """The first element that differs by more than allclose allows, in a line; empty where none does."""
    a, b = numpy.ravel(want), numpy.ravel(got)
    if a.dtype == b.dtype and numpy.array_equal(a, b):
        return ""
    nans = bool(numpy.issubdtype(a.dtype, numpy.inexact) and numpy.isnan(a).any())
    try:
        if numpy.allclose(a, b, rtol=1e-5, atol=atol, equal_nan=nans):
            return ""
        close = numpy.isclose(a, b, rtol=1e-5, atol=atol, equal_nan=nans)
    except TypeError:  # records
        close = a == b
        if close.all():
            return ""
    at = int(numpy.argmin(close))
    return f"argument {i}: element {at} is {b[at]}, want {a[at]}"
