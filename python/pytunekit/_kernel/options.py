# SPDX-License-Identifier: MIT
"""Options of a compiler, as scripts write them for nvcc."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .. import _core
from .._space import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# What NVRTC 13 refuses of nvcc's options, tried with the library. Those of the first group take a value, here or as the next item.
WITH_VALUE = ("-Xcompiler", "-Xcicc", "-Xlinker", "-Xarchive", "-ccbin", "--compiler-bindir", "-gencode", "--generate-code", "-code", "--gpu-code")
ALONE = (
    "-g", "-m64", "--machine=64", "--expt-relaxed-constexpr", "-expt-relaxed-constexpr", "--extended-lambda", "-extended-lambda",
    "--expt-extended-lambda", "-expt-extended-lambda", "-allow-unsupported-compiler", "--allow-unsupported-compiler",
    "-Wno-deprecated-gpu-targets", "-fopenmp", "-shared", "-fPIC", "-O", "-Wall",
)
BEGINNINGS = ("-l", "-L", "-O", "-Wl,")
ARCHITECTURE = ("-arch", "--gpu-architecture", "--arch")
TWO_ITEMS = ("-I", "-D", "-U", "--define-macro", "--undefine-macro", "--include-path", "-include", "--pre-include", "-isystem")


def listed_options(given: Any) -> list[str]:
    """The options one by one, without blanks around them. Raises: TypeError for what is no list of texts."""
    if given is None:
        return []
    given = [given] if isinstance(given, str) else given
    if not isinstance(given, (list, tuple)) or not all(isinstance(option, str) for option in given):
        raise TypeError(f"tunekit: compiler_options is {shown(given)}, want a list of texts")
    return [option.strip() for option in given if option.strip()]


def joined(options: Iterable[str], two: tuple[str, ...] = TWO_ITEMS) -> list[str]:
    """Options whose value is the next item, or stands behind a blank, as one item each: "-I dir" and "-I", "dir" are "-Idir"."""
    out: list[str] = []
    waiting = ""
    for option in options:
        head, _, tail = option.partition(" ")
        if waiting:
            out.append(with_value(waiting, option))
            waiting = ""
        elif option in two:
            waiting = option
        elif head in two and tail.strip():
            out.append(with_value(head, tail.strip()))
        else:
            out.append(option)
    if waiting:
        raise _core.Error(f"tunekit: compiler_options ends with {waiting}, want a value behind it")
    return out


def with_value(option: str, value: str) -> str:
    return option + ("=" if option.startswith("--") or len(option) > 2 else "") + value


def for_nvrtc(options: Iterable[str], say: Callable[[str], None]) -> list[str]:
    """The options without those that only nvcc knows, which a line names. An architecture goes: the device's is meant."""
    out: list[str] = []
    dropped: list[str] = []
    skip = False
    for option in options:
        if skip:
            dropped[-1] += " " + option
            skip = False
            continue
        head, is_, _ = option.partition("=")
        if head in WITH_VALUE or head in ARCHITECTURE:
            dropped.append(option)
            skip = not is_ and " " not in option
        elif option in ALONE or option.startswith(BEGINNINGS):
            dropped.append(option)
        else:
            out.append(option)
    if dropped:
        say(f"tunekit: compiler_options: {', '.join(dropped)} left out: NVRTC does not take them, and builds for the device's architecture")
    return joined(out)


def for_driver(options: Iterable[str]) -> list[str]:
    """The options as clBuildProgram and compilers of C++ take them."""
    return joined(options, ("-I", "-D", "-U"))
