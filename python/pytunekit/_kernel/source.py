# SPDX-License-Identifier: MIT
"""Where a kernel's text comes from, and the language that it is in."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from os import PathLike, fspath
from pathlib import Path

from .. import _core
from .._space import shown
from .texts import called, without_comments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LANGUAGES = {"cuda": "CUDA", "cupy": "CUDA", "nvcuda": "CUDA", "pycuda": "CUDA", "opencl": "OpenCL", "c": "C", "c++": "C"}
ELSEWHERE = {
    "hip": "Kernel Tuner tunes it, or a build of the text for CUDA or OpenCL",
    "fortran": 'a C function around it (bind(C)), with lang="C" and its object file in compiler_options',
    "triton": "pytunekit.minimize over a function that launches it",
    "julia": "Kernel Tuner tunes it, or pytunekit.minimize over a function that launches it",
    "taichi": "pytunekit.minimize over a function that launches it",
    "warp": "pytunekit.minimize over a function that launches it",
}
ENDINGS = {".cu": "CUDA", ".cuh": "CUDA", ".cl": "OpenCL", ".opencl": "OpenCL"}
HOST_CODE = re.compile(r"#\s*include\s*<cuda|\bcudaM(?:emcpy|alloc)|<<<")


class Source:
    """The text of a kernel: one that is given, read from a file, or made from a configuration.

    Raises: TypeError for what is none, FileNotFoundError for a file that is not there, Error for a language that we do not have.
    """

    def __init__(self, source: Any, lang: Any) -> None:
        self.files: list[Path] = []
        self.make: Callable[[dict[str, Any]], Any] | None = None
        self._text = ""
        if callable(source):
            self.make = source
            if not lang:
                raise TypeError('tunekit: kernel_source is a function and lang is not given, want lang="CUDA", "OpenCL" or "C"')
        elif isinstance(source, (list, tuple)) and source:
            self.files = [existing(file) for file in source]
        elif isinstance(source, PathLike) or (isinstance(source, str) and looks_like_a_file(source)):
            self.files = [existing(source)]
        elif isinstance(source, str) and source.strip():
            self._text = source
        else:
            raise TypeError(f"tunekit: kernel_source is {shown(source)}, want a text, a file, a list of files, or a function of a configuration")
        if self.files:
            self._text = self.files[0].read_text(encoding="utf-8", errors="surrogateescape")
        self.language = language_named(lang) if lang else self._language()

    @property
    def name(self) -> str:
        """What the compiler's messages call it."""
        return str(self.files[0]) if self.files else "kernel"

    @property
    def folders(self) -> list[str]:
        """Where the text's own includes are looked for: beside its files, and where the caller is."""
        return list(dict.fromkeys([*(str(file.resolve().parent) for file in self.files), str(Path.cwd())]))

    @property
    def is_cuda_host_code(self) -> bool:
        """Whether it is a function of the host that launches CUDA kernels, which nvcc alone builds."""
        code = without_comments(self._text)
        return self.language == "C" and (any(file.suffix == ".cu" for file in self.files) or bool(HOST_CODE.search(code)) or "__global__" in code)

    def text(self, values: Mapping[str, Any]) -> str:
        """The text of a configuration."""
        if self.make is None:
            return self._text
        made = called("kernel_source", self.make, values)
        if isinstance(made, PathLike) or (isinstance(made, str) and looks_like_a_file(made)):
            return existing(made).read_text(encoding="utf-8", errors="surrogateescape")
        if not isinstance(made, str):
            raise TypeError(f"tunekit: kernel_source is a function that returned {shown(made)}, want the text of a kernel")
        return made

    def _language(self) -> str:
        found = language_of(self._text)
        if found == "C" and self.files:
            found = ENDINGS.get(self.files[0].suffix, found)
        return found


def language_of(text: str) -> str:
    """The language of a text, by words that only it has; else C."""
    code = without_comments(text)
    if "__global__" in code:
        return "CUDA"
    if "__kernel" in code or re.search(r"\bkernel\s+void\b", code):
        return "OpenCL"
    return "C"


def language_named(lang: Any) -> str:
    """The language of a name, in any case. Raises: Error that says what else there is."""
    key = lang.lower() if isinstance(lang, str) else ""
    if key in LANGUAGES:
        return LANGUAGES[key]
    instead = ELSEWHERE.get(key)
    if instead:
        raise _core.Error(f"tunekit: lang is {lang}, which pytunekit does not have: {instead}")
    raise _core.Error(f'tunekit: lang is {shown(lang)}, want "CUDA", "OpenCL" or "C"')


def looks_like_a_file(text: str) -> bool:
    """Whether a text is the name of a file: no code is so short, on one line, and without a bracket or semicolon."""
    if text.lstrip().startswith("#") or any(sign in text for sign in "\n(){};"):
        return False
    return len(text) <= 250 and bool(re.search(r"\.\w+$", text.strip()))


def existing(file: Any) -> Path:
    if not isinstance(file, (str, PathLike)):
        raise TypeError(f"tunekit: kernel_source has {shown(file)} among its files, want names of files")
    path = Path(fspath(file))
    if not path.is_file():
        raise FileNotFoundError(f"tunekit: kernel_source: there is no file {path}, want one that exists, or the text of a kernel")
    return path
