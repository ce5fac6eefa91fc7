# SPDX-License-Identifier: MIT
"""A kernel with its arguments and launches, as the engine takes it: everything that is known before a configuration is chosen."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from shlex import quote
from shutil import which
from tempfile import TemporaryDirectory

from .. import _core
from .._call import Limits
from .._space import pythons, shown
from .arguments import Comparison, arguments_of, check_against, constants_of
from .launch import Launch, block_names, macros
from .options import for_driver, for_nvrtc, listed_options
from .refusals import refuse_for_language
from .sensed import SECONDS
from .source import Source
from .texts import replaced, without_comments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Problem:
    """Raises: TypeError, FileNotFoundError, Error: for what is wrong with a call, before anything is built."""

    def __init__(
        self, *, kernel_name: Any, kernel_source: Any, lang: Any, problem_size: Any, arguments: Any, parameters: Mapping[str, list[Any]], divisors: list[Any],
        block_size_names: Any, smem_args: Any, cmem_args: Any, compiler: Any, compiler_options: Any, defines: Any, device: Any, limits: Limits | None,
        say: Callable[[str], None],
    ) -> None:
        if not isinstance(kernel_name, str) or not kernel_name.strip():
            raise TypeError(f"tunekit: kernel_name is {shown(kernel_name)}, want the name of a function in the text")
        self.name = kernel_name.strip()
        self.source = Source(kernel_source, lang)
        self.language = self.source.language
        refuse_for_language(self.language, cmem_args, smem_args)
        self.arguments = arguments_of(arguments)
        self.constants = constants_of(cmem_args)
        self.block_names, self.usual_names = block_names(block_size_names, parameters)
        self.launch = Launch(problem_size, divisors, self.block_names, shared_of(smem_args))
        self.defines = checked_defines(defines)
        self.given_options = listed_options(compiler_options)
        self.devices = devices_of(device)
        self._say = say
        self.limits = limits or Limits(60)
        if not isinstance(self.limits, Limits):
            raise _core.Error(f"tunekit: limits is {shown(limits)}, want Limits(seconds=60)")
        self._compiler = self._compiler_of(compiler, say)
        self._flags = self._flags_of(say)
        self.facts: Mapping[str, Any] = {}
        self.sensed: list[str] = []
        if self.source.make is None:
            self._check_text()

    sensed: list[str]
    """Columns that the device tells beside the time."""

    def instance(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """What is built and launched for a configuration, by the engine's words."""
        return {
            "name": replaced(self.name, values), "text": self.source.text(values), "macros": macros(values, self.launch, self.defines), "flags": self._flags,
            "grid": self.launch.grid(values), "block": self._block(values), "shared_bytes": self.launch.shared_bytes(values),
        }

    def engine(self, values: Mapping[str, Any], iterations: int, worker: Worker, compilers: int = 0) -> dict[str, Any]:
        """The arguments of the engine that every configuration shares; what it checks before it builds is that of this one."""
        self.launch.grid(values)  # what its texts name is known before anything is built
        return {
            "language": self.language, "name": replaced(self.name, values), "text": self.source.text(values), "file": self.source.name, "flags": self._flags,
            "arguments": [("", one.type, one.is_array, one.bytes, one.changes) for one in self.arguments], "constants": self.constants,
            "iterations": iterations, "devices": self.devices, "compiler": self._compiler, "compilers": compilers, "worker": [worker.program],
            "run_seconds": self.limits.seconds, "sensed_seconds": SECONDS if self.sensed else 0.0,
        }

    def about_device(self) -> Mapping[str, Any]:
        """The device's name, the most threads of a block, its architecture. Tells who else uses it. Raises: NoDevice; Error for devices that differ."""
        if not self.facts:
            self.facts = _core.find_kernel_device(self.language, self.devices)
            if self.facts["in_use"]:
                self._say(f"tunekit: {self.facts['in_use']}, too: its times may be longer")
        return self.facts

    def results(self, contents: Sequence[Any]) -> list[Any]:
        """The arguments as they are after a launch: arrays of the caller's shape, which are copies."""
        return [one.after(content).copy() if one.is_array else one.after(None) for one, content in zip(self.arguments, contents)]

    def comparison(self, answer: Any, verify: Any, atol: Any) -> Comparison:
        """That of what a kernel computes."""
        return Comparison(answer, verify, atol, self.arguments)

    def _block(self, values: Mapping[str, Any]) -> list[int]:
        block = self.launch.block(values)
        threads, most = block[0] * block[1] * block[2], self.about_device()["threads"]
        if min(block) < 1 or threads > most:
            raise _core.Error(f"tunekit: the block of {' x '.join(map(str, block))} has {threads} threads, and the device takes 1 to {most}")
        return block

    def _check_text(self) -> None:
        text = self.source.text({})
        plain = self.name.split("<", 1)[0].rsplit("::", 1)[-1].strip()
        if "#include" not in without_comments(text):  # what it names may stand in another file
            if plain.isidentifier() and plain not in text:
                raise _core.Error(f"tunekit: there is no '{plain}' in {self.source.name}, want kernel_name= of a function in it")
            for symbol, _ in self.constants:
                if symbol not in text:
                    raise _core.Error(f"tunekit: cmem_args: there is no '{symbol}' in {self.source.name}, want the name of a __constant__ array in it")
        check_against(text, self.name, self.arguments)

    def _compiler_of(self, given: Any, say: Callable[[str], None]) -> str:
        if self.language != "C":
            if given:
                say(f"tunekit: compiler has no effect on {self.language}, whose driver compiles")
            return ""
        if given:
            if not isinstance(given, str):
                raise TypeError(f"tunekit: compiler is {shown(given)}, want the name of a program")
            if which(given) is None:
                raise _core.Error(f"tunekit: there is no compiler {given}, want compiler= of one that is installed")
            return given
        if self.source.is_cuda_host_code:
            if which("nvcc") is None:
                raise _core.Error("tunekit: the text is host code of CUDA, which nvcc builds, and there is no nvcc in PATH, want the CUDA toolkit")
            return "nvcc"
        found = next((name for name in ("g++", "c++", "clang++") if which(name)), None)
        if found is None:
            raise _core.Error("tunekit: there is no compiler of C++, want g++ or clang++ installed, or compiler=")
        return found

    def _flags_of(self, say: Callable[[str], None]) -> list[str]:
        options = self.given_options
        folders = [f"-I{folder}" for folder in self.source.folders]
        if self.language == "CUDA":
            return [*for_nvrtc(options, say), *folders]
        if self.language == "OpenCL":
            return [*for_driver(options), *(f for f in folders if " " not in f)]
        return [*for_driver(options), *folders]


def shared_of(smem_args: Any) -> Any:
    """The size of dynamic shared memory, as a number, a text or a function."""
    if not smem_args:
        return None
    if not isinstance(smem_args, Mapping) or set(smem_args) != {"size"}:
        raise _core.Error(f'tunekit: smem_args is {shown(smem_args)}, want {{"size": bytes}}')
    size = pythons(smem_args["size"])
    if not (callable(size) or isinstance(size, (int, str))):
        raise _core.Error(f"tunekit: smem_args: size is {shown(size)}, want bytes as a number, a text or a function")
    return size


def checked_defines(defines: Any) -> Mapping[str, Any] | None:
    """The macros in place of ours; None for ours, an empty dict for none."""
    if defines is not None and not isinstance(defines, Mapping):
        raise _core.Error(f"tunekit: defines is {shown(defines)}, want a dict of names with numbers, texts or functions")
    return defines


def devices_of(device: Any) -> list[int]:
    """The numbers of one device, or of several equal ones. Raises: Error for what are none."""
    numbers = [pythons(number) for number in device] if isinstance(device, (list, tuple)) else [pythons(device)]
    if not numbers or any(isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < 2**31 for number in numbers):
        raise _core.Error(f"tunekit: device is {shown(device)}, want a number from 0 on, or a list of them")
    return numbers


class Worker:
    """The program that runs kernels: this interpreter with the extension alone, before it has any threads. The engine puts words of its own
    first, which an interpreter would take for options, so that a script stands between."""

    def __init__(self) -> None:
        self._folder = TemporaryDirectory(prefix="pytunekit-")
        self.program = os.path.join(self._folder.name, "worker")
        load = (
            "import importlib.util, sys; s = importlib.util.spec_from_file_location('_core', sys.argv.pop(1)); "
            "m = importlib.util.module_from_spec(s); s.loader.exec_module(m); m.serve_kernel(sys.argv)"
        )
        words = [sys.executable, "-I", "-S", "-c", load, _core.__file__]
        with open(self.program, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nexec {" ".join(map(quote, words))} "$@"\n')
        os.chmod(self.program, 0o700)

    def close(self) -> None:
        """Removes the script."""
        self._folder.cleanup()
