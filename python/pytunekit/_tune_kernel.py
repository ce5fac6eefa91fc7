# SPDX-License-Identifier: MIT
"""A kernel that is a file: one call tunes it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike, fspath

from . import _core
from ._minimize import Race, Result, Verdict
from ._space import Space
from ._tuner import Trials

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._call import Limits


class KernelResult(tuple[list[dict[str, "Any"]], dict[str, "Any"]]):
    """What `tune_kernel` found. It is `(results, env)`, a row for each configuration that ran and facts of the run, which json writes;
    and it has what a search of pytunekit has.

        results, env = found = tune_kernel(...)
        env["best_config"], found.best, found.verdict, found.report("run.html")
    """

    found: Result
    """The whole run as `minimize` gives it."""

    sizes: dict[Any, KernelResult]
    """What was found at each of `sizes`; empty where there was one problem size. Of several, all else is that of the first."""

    def __new__(
        cls, results: list[dict[str, Any]], env: dict[str, Any], found: Result, rename: Mapping[str, Mapping[Any, Any]],
        sizes: dict[Any, KernelResult] = {}, header: HeaderOfSizes | None = None,
    ) -> KernelResult:
        """`rename` has the values of parameters that a space has as texts."""
        self = super().__new__(cls, (results, env))
        self.found = found
        self.sizes = dict(sizes)
        self._header = header
        self._rename = {name: dict(values) for name, values in rename.items()}
        return self

    _rename: dict[str, dict[Any, Any]]
    _header: HeaderOfSizes | None

    @property
    def best(self) -> dict[str, Any]:
        """The best configuration: of the race where there was one, else by the mean of the fastest quarter of its runs, or by what its function returned."""
        return {name: self._rename.get(name, {}).get(value, value) for name, value in self.found.best.items()}

    @property
    def best_cost(self) -> float:
        """Its cost: seconds where times are measured, else what its function returned, or the objective, inverted where more is better."""
        return self.found.best_cost

    @property
    def trials(self) -> Trials:
        """All trials in the order of their answers, those that failed included, which are not among `results`."""
        return self.found.trials

    @property
    def race(self) -> Race | None:
        """The last comparison, where there was one."""
        return self.found.race

    @property
    def verdict(self) -> Verdict:
        """What may be said of the best: `print(found.verdict)`."""
        return self.found.verdict

    @property
    def space(self) -> Space:
        """The configurations that fulfil the restrictions."""
        return self.found.space

    @property
    def stopped(self) -> str:
        """Why the run ended, in words."""
        return self.found.stopped

    def header(self, path: str | PathLike[str], name: str = "kernel_choice") -> None:
        """Writes a header for C++17 that gives each problem size its configuration, also sizes that were not measured, in the namespace `name`.

            found = tune_kernel("add", "add.cl", None, arguments_of, tune_params, sizes=[10_000, 1_000_000])
            found.header("add_choice.hpp")               // kernel_choice::choose(n).block_size_x

        Raises: Error where the call had no `sizes`, or a parameter's name is none of C++; OSError.
        """
        if self._header is None:
            raise _core.Error("tunekit: header: there is one problem size, want tune_kernel(..., sizes=[...])")
        self._header.write(str(fspath(path)), name)

    def report(self, path: str | PathLike[str]) -> None:
        """Writes the run as one HTML page, which needs no network."""
        self.found.report(path)

    def _repr_html_(self) -> str:
        """What a notebook shows: the best configuration and the tuning curve."""
        return self.found._repr_html_()

    def __repr__(self) -> str:
        return repr(self.found)

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (self[0], self[1], self.found, self._rename, self.sizes, self._header)


class HeaderOfSizes:
    """What was measured at several problem sizes, for the header that chooses among their winners."""

    def __init__(self, *, space: Space, kernel: str, text: str, device: str, axes: int) -> None:
        self._about = (space, kernel, text, device, axes)
        self._rows: list[tuple[tuple[int, ...], int, float, list[float], bool, bool]] = []

    def add(self, size: tuple[int, ...], index: int, cost: float, runs: list[float], *, searched: bool, untuned: bool) -> None:
        """Adds what a configuration took at a size."""
        self._rows.append((size, index, cost, runs, searched, untuned))

    def beside(self, size: tuple[int, ...]) -> list[int]:
        """The winners of the nearest sizes."""
        return self._all().beside(list(size)) if self._rows else []

    def write(self, path: str, name: str) -> None:
        """Writes the header."""
        self._all().write_header(path, name)

    def _all(self) -> _core.Sizes:
        space, kernel, text, device, axes = self._about
        out = _core.Sizes(space._grid, kernel=kernel, text=text, device=device, axes=axes)
        for size, index, cost, runs, searched, untuned in self._rows:
            out.add(list(size), index, cost=cost, runs=runs, searched=searched, untuned=untuned)
        return out


def tune_kernel(
    kernel_name: str,
    kernel_source: Any,
    problem_size: Any,
    arguments: Any,
    tune_params: Mapping[str, Iterable[Any]],
    grid_div_x: Any = None,
    grid_div_y: Any = None,
    grid_div_z: Any = None,
    restrictions: Any = None,
    answer: Any = None,
    atol: float = 1e-6,
    verify: Any = None,
    verbose: bool = False,
    lang: str | None = None,
    device: int | Sequence[int] = 0,
    platform: int = 0,
    smem_args: Any = None,
    cmem_args: Any = None,
    texmem_args: Any = None,
    compiler: str | None = None,
    compiler_options: Any = None,
    defines: Any = None,
    log: Any = None,
    iterations: int = 7,
    block_size_names: Any = None,
    quiet: bool = False,
    strategy: Any = None,
    strategy_options: Any = None,
    cache: str | PathLike[str] | None = None,
    metrics: Any = None,
    simulation_mode: Any = None,
    parallel: Any = None,
    observers: Any = None,
    objective: Any = None,
    objective_higher_is_better: bool | None = None,
    objectives: Any = None,
    seed: int | None = None,
    *,
    trials: int | None = None,
    seconds: float | None = None,
    log_file: str | PathLike[str] | None = None,
    resume: bool = False,
    experience: str | PathLike[str] | Iterable[str | PathLike[str]] = (),
    race: bool | None = None,
    compilers: int | None = None,
    baseline: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
    until: float | None = None,
    sizes: Any = None,
) -> KernelResult:
    """Searches the parameters of a kernel in CUDA, OpenCL, C or C++ for the fastest configuration.

        results, env = found = tune_kernel("vector_add", "add.cl", n, [c, a, b, np.int32(n)],
                                           {"block_size_x": [32, 64, 128, 256]}, answer=[a + b, None, None, None])
        env["best_config"], found.report("run.html")

    The arguments up to `seed` are Kernel Tuner's, in its order and with its meaning. What we do not have is refused, with what to do instead.
    Each parameter is a macro in the kernel's text. Each configuration is built, launched once, compared with `answer`, and launched `iterations`
    times more. A crash, an endless loop or a wrong result is one failed trial, which stands in `found.trials` and not in `results`.

    device:          its number; or a list of equal ones, each of which runs one configuration at a time.
    trials, seconds: limits of the search; without any and without a strategy every configuration is measured.
    log_file:        a file to which every event goes; with `resume`, what stands in it is not measured again.
    experience:      logs, or folders of them, of earlier runs.
    baseline:        the configuration that is used today; it is measured first and takes part in the race.
    race:            as it is by default with a baseline: at the end the best three and the first are measured afresh, in turns.
    compilers:       how many compilers work at a time beside the device.
    limits:          what the runs of one configuration may take; 60 seconds by default.
    until:           ends with the first configuration whose objective is as good: milliseconds by the fastest quarter of the runs, or with
                     objective="GFLOP/s" 0.9 * peak.
    sizes:           several problem sizes, with None as `problem_size`: each is tuned, `found.sizes` has what was found, and `found.header(path)`
                     writes a header that chooses for all. `arguments`, `answer` and `defines` may be functions of a size. `trials` are those of
                     each size, `seconds` those of all.

    Raises: Error, TypeError or FileNotFoundError for wrong input before anything is built; NoDevice where there is no device; RuntimeError where every
    configuration failed, with the first reason.
    """
    call = dict(locals())
    need_numpy("tune_kernel")
    from ._kernel.door import tune

    return tune(call)


def run_kernel(
    kernel_name: str,
    kernel_source: Any,
    problem_size: Any,
    arguments: Any,
    params: Mapping[str, Any],
    grid_div_x: Any = None,
    grid_div_y: Any = None,
    grid_div_z: Any = None,
    lang: str | None = None,
    device: int = 0,
    platform: int = 0,
    smem_args: Any = None,
    cmem_args: Any = None,
    texmem_args: Any = None,
    compiler: str | None = None,
    compiler_options: Any = None,
    defines: Any = None,
    block_size_names: Any = None,
    quiet: bool = False,
    log: Any = None,
    *,
    limits: Limits | None = None,
) -> list[Any]:
    """Builds and launches a kernel once, with one configuration. Returns all arguments as they are after it: arrays are copies, the caller's
    own do not change.

        c, *_ = run_kernel("vector_add", "add.cl", n, [c, a, b, np.int32(n)], {"block_size_x": 128})

    The arguments up to `log` are Kernel Tuner's, in its order and with its meaning.

    Raises: what `tune_kernel` raises; RuntimeError where the build or the launch failed.
    """
    call = dict(locals())
    need_numpy("run_kernel")
    from ._kernel.door import run

    return run(call)


def need_numpy(who: str) -> None:
    """Raises: Error where there is no numpy, whose arrays are a kernel's arguments."""
    from importlib.util import find_spec

    if find_spec("numpy") is None:
        raise _core.Error(f"tunekit: {who} needs numpy, want pip install numpy")
