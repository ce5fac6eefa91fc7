# SPDX-License-Identifier: MIT
"""What a call of tune_kernel says: source, language, launches, macros, options, strategies, objectives. Nothing is built here."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pytunekit import Error, recipes, run_kernel, tune_kernel
from pytunekit._kernel.launch import Launch, block_names, macros
from pytunekit._kernel.objective import Objective, add_metrics, checked_metrics
from pytunekit._kernel.options import for_driver, for_nvrtc, joined, listed_options
from pytunekit._kernel.sensed import asked_for, columns
from pytunekit._kernel.source import Source, language_of, looks_like_a_file
from pytunekit._kernel.strategies import search_of
from pytunekit._kernel.texts import replaced, without_comments


def silent(line: str) -> None:
    pass


def test_the_arguments_stand_in_the_order_of_scripts() -> None:
    """Wrappers pass up to 34 of them by position; ours come behind and by keyword only."""
    theirs = (
        "kernel_name kernel_source problem_size arguments tune_params grid_div_x grid_div_y grid_div_z restrictions answer atol verify verbose lang device "
        "platform smem_args cmem_args texmem_args compiler compiler_options defines log iterations block_size_names quiet strategy strategy_options cache "
        "metrics simulation_mode parallel observers objective objective_higher_is_better objectives seed"
    ).split()
    once = (
        "kernel_name kernel_source problem_size arguments params grid_div_x grid_div_y grid_div_z lang device platform smem_args cmem_args texmem_args "
        "compiler compiler_options defines block_size_names quiet log"
    ).split()
    for f, names in ((tune_kernel, theirs), (run_kernel, once)):
        takes = list(inspect.signature(f).parameters.values())
        assert [p.name for p in takes if p.kind is p.POSITIONAL_OR_KEYWORD] == names
        assert all(p.kind is p.KEYWORD_ONLY for p in takes[len(names) :])
    assert inspect.signature(tune_kernel).parameters["iterations"].default == 7
    assert inspect.signature(tune_kernel).parameters["atol"].default == 1e-6


@pytest.mark.parametrize(
    "text, language",
    [
        ("__global__ void f(float* a) {}", "CUDA"), ("__kernel void f(__global float* a) {}", "OpenCL"), ("kernel void f(global float* a) {}", "OpenCL"),
        ("float f(float* a) { return 1; }", "C"), ("// __global__ in a comment\nvoid f() {}", "C"), ('void f() { g("__kernel"); }', "C"),
    ],
)
def test_the_language_is_found_in_the_text(text: str, language: str) -> None:
    assert language_of(text) == language
    assert Source(text, None).language == language


@pytest.mark.parametrize("lang, language", [("cupy", "CUDA"), ("NVCUDA", "CUDA"), ("PyCuda", "CUDA"), ("opencl", "OpenCL"), ("c", "C"), ("C++", "C")])
def test_a_language_has_several_names(lang: str, language: str) -> None:
    assert Source("void f() {}", lang).language == language


@pytest.mark.parametrize("lang", ["HIP", "fortran", "triton", "Julia"])
def test_other_languages_are_refused_with_what_to_do(lang: str) -> None:
    with pytest.raises(Error, match=f"lang is {lang}, which pytunekit does not have: "):
        Source("void f() {}", lang)


def test_an_ending_counts_where_the_text_says_nothing(tmp_path: Path) -> None:
    for name, language in (("k.cl", "OpenCL"), ("k.cu", "CUDA"), ("k.c", "C")):
        (tmp_path / name).write_text("#include <here.h>\n")
        assert Source(str(tmp_path / name), None).language == language
    (tmp_path / "host.cu").write_text("float f() { cudaMemcpy(a, b, 3, cudaMemcpyHostToDevice); return 0; }")
    assert Source(tmp_path / "host.cu", "C").is_cuda_host_code


def test_a_text_is_no_file() -> None:
    assert looks_like_a_file("kernels/add.cl") and looks_like_a_file("k.hpp")
    for text in ('#include "x.cuh"', "void f() {}", "x.cl\n", "a" * 251 + ".c", "no ending"):
        assert not looks_like_a_file(text)
    with pytest.raises(FileNotFoundError, match="there is no file not_here.c, want"):
        Source("not_here.c", None)
    with pytest.raises(FileNotFoundError):
        Source([__file__, "not_here.h"], "C")
    with pytest.raises(TypeError, match="want a text, a file"):
        Source(3, None)


def test_a_function_makes_the_text_of_each_configuration() -> None:
    source = Source(lambda c: f"void f() {{ {c['tile']}; }}", "C")
    assert source.text({"tile": 8}) == "void f() { 8; }"
    with pytest.raises(TypeError, match="lang is not given"):
        Source(lambda c: "", None)
    with pytest.raises(TypeError, match="returned 3"):
        Source(lambda c: 3, "C").text({})


def test_whole_identifiers_are_replaced() -> None:
    values = {"T": "float", "block_size_x": 32, "n": 2}
    assert replaced("ns::f<T, block_size_x * n, name_block_size_x>", values) == "ns::f<float, 32 * 2, name_block_size_x>"


def test_comments_and_quotes_are_no_code() -> None:
    assert without_comments('a /* b\n c */ d // e\nf "g // h" i') == 'a   d  \nf "" i'


def launched(size: Any, values: dict[str, Any], *divisors: Any, names: Any = None) -> tuple[list[int], list[int]]:
    launch = Launch(size, [*divisors, None, None, None][:3], block_names(names, values)[0])
    return launch.grid(values), launch.block(values)


BASE = {"block_size_x": 16, "block_size_y": 2, "span": 3}


@pytest.mark.parametrize(
    "size, divisors, grid",
    [
        (100, [], [7, 1, 1]), ((100, 5), [], [7, 3, 1]), ([100, 5, 4], [], [7, 3, 4]), (np.array([100, 5]), [], [7, 3, 1]),
        ((np.int32(100), "span * 5"), [], [7, 8, 1]), (lambda p: (p["span"] * 10, 4), [], [2, 2, 1]), ("span", [], [1, 1, 1]),
        (100, [["block_size_x", "span"]], [3, 1, 1]), (100, [["block_size_x * span"]], [3, 1, 1]), (100, ["block_size_x * span"], [3, 1, 1]),
        (100, [["block_size_x/8", "span"]], [17, 1, 1]), (7, [[]], [7, 1, 1]), (100, [lambda p: p["block_size_x"] / 3], [19, 1, 1]),
        (100, [["max(block_size_x - 100, 1)"]], [100, 1, 1]), ((100, 9), [None, ["span"]], [7, 3, 1]),
        (80, [["block_size_x/7"]], [40, 1, 1]),  # a text is cut to an integer before it divides
    ],
)
def test_the_grid_is_the_size_divided_and_rounded_up(size: Any, divisors: list[Any], grid: list[int]) -> None:
    assert launched(size, BASE, *divisors) == (grid, [16, 2, 1])


def test_without_block_sizes_the_block_is_256_and_the_grid_undivided() -> None:
    assert launched((1000, 6), {"gain": 3}) == ([1000, 6, 1], [256, 1, 1])


def test_blocks_by_other_names() -> None:
    assert launched(100, {"bx": 8}, names=["bx"]) == ([13, 1, 1], [8, 1, 1])
    assert launched((90, 30), {"w": 10, "h": 5}, names=["w", "h"]) == ([9, 6, 1], [10, 5, 1])
    assert launched(100, {"bx": 8, "block_size_y": 2}, names=["bx"]) == ([13, 1, 1], [8, 2, 1])
    assert launched(4096, {"BLOCK_SIZE_X": 128}) == ([32, 1, 1], [128, 1, 1])
    names = ["bx"]
    block_names(names, ["bx"])
    assert names == ["bx"]
    with pytest.raises(Error, match="at most three names"):
        block_names(["a", "b", "c", "d"], [])


@pytest.mark.parametrize("size", [1.5, (1, 2, 3, 4), None, True, [[1]]])
def test_a_size_that_is_none(size: Any) -> None:
    with pytest.raises(TypeError, match="want one to three integers or texts"):
        Launch(size, [None] * 3, ["x", "y", "z"])


def test_a_launch_names_what_it_cannot_read() -> None:
    with pytest.raises(Error, match="grid_div_x 'no_such': NameError"):
        launched(100, BASE, ["no_such"])
    with pytest.raises(Error, match="grid_div_x is 0, want a positive number"):
        launched(100, BASE, ["span - 3"])
    with pytest.raises(Error, match="problem_size is a function that threw KeyError"):
        launched(lambda p: p["no_such"], BASE)
    with pytest.raises(Error, match="want at least one block"):
        launched("span - 3", BASE)


def said(values: dict[str, Any], defines: Any = None) -> dict[str, str]:
    return dict(macros(values, Launch(100, [None] * 3, block_names(None, values)[0]), defines))


def test_the_macros_of_a_configuration() -> None:
    assert said({"block_size_x": 16, "fast": True, "T": "float", "shape": (1, 2)}) == {
        "grid_size_x": "7", "grid_size_y": "1", "grid_size_z": "1", "block_size_x": "16", "block_size_y": "1", "block_size_z": "1", "fast": "1", "T": "float",
        "shape": "(1, 2)", "kernel_tuner": "1",
    }


def test_defines_take_the_place_of_all_macros() -> None:
    assert said(BASE, {}) == {}
    assert said(BASE, {"A": 3, "B": "block_size_x * 2", "C": lambda p: p["span"] + 1, "D": False}) == {"A": "3", "B": "16 * 2", "C": "4", "D": "0"}
    with pytest.raises(Error, match="cannot be a macro"):
        said(BASE, {"a b": 1})
    with pytest.raises(Error, match="defines: A is a function that threw"):
        said(BASE, {"A": lambda p: p["q"]})


def test_options_that_only_nvcc_knows_are_left_out_with_one_line() -> None:
    lines: list[str] = []
    given = ["-O3", "-arch=sm_52", "-gencode", "arch=compute_52,code=sm_52", "-Xcompiler", "-Wall", "--expt-relaxed-constexpr", "-lcublas", "-ccbin=g++",
             "-std=c++17", "-I", "../x", "-DN=3", "--define-macro", "M=2", "--use_fast_math", "-Xptxas=-v", "--maxrregcount=32"]
    kept = for_nvrtc(given, lines.append)
    assert kept == ["-std=c++17", "-I../x", "-DN=3", "--define-macro=M=2", "--use_fast_math", "-Xptxas=-v", "--maxrregcount=32"]
    assert len(lines) == 1 and "-gencode arch=compute_52,code=sm_52" in lines[0] and "-Xcompiler -Wall" in lines[0]
    assert for_nvrtc(["-std=c++17"], lines.append) == ["-std=c++17"] and len(lines) == 1


def test_options_with_blanks() -> None:
    assert listed_options([" -DN=3", "", "-I ../x "]) == ["-DN=3", "-I ../x"]
    assert joined(["-I ../x", "-D", "A=1"]) == ["-I../x", "-DA=1"]
    assert listed_options(None) == [] and listed_options("-O2") == ["-O2"]
    with pytest.raises(TypeError, match="want a list of texts"):
        listed_options([3])
    assert for_driver(["-I", "../x", "-include", "a.h"]) == ["-I../x", "-include", "a.h"]
    with pytest.raises(Error, match="ends with -I"):
        joined(["-I"])


def test_limits_and_strategies() -> None:
    lines: list[str] = []
    none = search_of("", {}, None, None, lines.append)
    assert (none.recipe, none.everything, none.trials, none.seconds) == ("grid", True, None, None)
    limited = search_of(None, {"max_fevals": 20.0, "time_limit": 3}, None, 2, lines.append)
    assert (limited.recipe, limited.everything, limited.trials, limited.seconds) == ("combined", False, 20, 2.0)
    assert search_of("brute_force", {"max_fevals": 5}, None, None, lines.append).recipe == "grid"
    assert search_of("random_sample", {"max_fevals": 1e99}, 7, None, lines.append).trials == 7
    assert search_of("random_sample", {"max_fevals": 1e99}, None, None, lines.append).everything
    assert not lines
    assert search_of("pso", {"popsize": 20, "maxiter": 3}, None, None, lines.append).recipe == "combined"
    assert lines == ["tunekit: strategy_options: popsize, maxiter have no effect here", "tunekit: strategy 'pso' is not here: combined chooses"]
    assert search_of("annealing", None, None, None, silent).recipe in recipes()


@pytest.mark.parametrize(
    "strategy, options, why",
    [
        ("no_such", None, "strategy is 'no_such', want one of "), ("pso", {"no_such_option": 1}, "has 'no_such_option', want max_fevals"),
        (None, {"max_fevals": 0}, "max_fevals is 0"), (None, {"time_limit": -1}, "time_limit is -1"), (object(), None, "want a name"), (None, [1], "want a dict"),
    ],
)
def test_what_no_search_is(strategy: Any, options: Any, why: str) -> None:
    with pytest.raises(Error, match=why):
        search_of(strategy, options, None, None, silent)


def test_metrics_are_computed_one_on_another() -> None:
    row = {"n": 4, "time": 2.0}
    add_metrics(row, checked_metrics({"GB/s": lambda p: p["n"] / p["time"], "twice": "time * 2", "more": "twice + n", "np": lambda p: np.float32(1.5)}))
    assert row == {"n": 4, "time": 2.0, "GB/s": 2.0, "twice": 4.0, "more": 8.0, "np": 1.5}
    for wrong in ([("m", "time")], {"m": 3}, {3: "time"}):
        with pytest.raises(Error, match="tunekit: metrics"):
            checked_metrics(wrong)
    with pytest.raises(Error, match="metric 'm' threw KeyError"):
        add_metrics({"time": 1.0}, {"m": lambda p: p["q"]})
    with pytest.raises(Error, match="metric 'm' 'q': NameError"):
        add_metrics({"time": 1.0}, {"m": "q"})


def test_a_metric_that_names_what_a_device_tells_asks_for_it() -> None:
    metrics = checked_metrics({"a": "num_regs * 2", "b": lambda p: [p.get(k) for k in [str("core_freq")]], "c": "core_freq_of_mine", "temperature": "3"})
    assert asked_for(metrics, "nvml_energy", {}, "CUDA") == ["num_regs", "core_freq", "nvml_energy"]
    assert asked_for({"a": "time * 2 + mem_freq", "b": print}, "time", {"mem_freq": [1]}, "OpenCL") == []
    names, read = ["num_regs", "nvml_power"], [24.0, float("nan")]
    assert columns(["num_regs"], names, read) == {"num_regs": 24.0}
    with pytest.raises(Error, match="the device's driver does not tell nvml_power, want metrics without it"):
        columns(["nvml_power"], names, read)


def test_an_objective_has_a_direction() -> None:
    rows: list[dict[str, Any]] = [{"GB/s": 2, "m": 3.0}, {"GB/s": np.float32(4), "m": 1.0}, {"GB/s": None, "m": 0.5}]
    assert Objective("GB/s", None, {"GB/s": "1"}).best(rows) is rows[1]  # an int and numpy's numbers are ranked, too
    assert Objective("m", False, {"m": "1"}).best(rows) is rows[2]
    assert Objective("GB/s", None, {"GB/s": "1"}).cost(rows[1]) == 0.25
    assert not Objective(None, None, {}) and Objective("m", True, {"m": ""})
    with pytest.raises(Error, match="want objective_higher_is_better"):
        Objective("m", None, {"m": "time"})
    with pytest.raises(Error, match="'GFLOP/s' is no column"):
        Objective("GFLOP/s", None, {})
    assert Objective("m", True, {"m": "1"}).best([]) == {}
