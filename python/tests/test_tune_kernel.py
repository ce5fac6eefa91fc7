# SPDX-License-Identifier: MIT
"""tune_kernel and run_kernel on the processor, and on OpenCL where there is a device: what they measure, return, refuse and leave alone."""

from __future__ import annotations

import json
import os
import pickle
import re
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pages import ROOT, listings, run

from pytunekit import Error, Limits, NoDevice, _core, run_kernel, tune_kernel
from pytunekit._kernel.run import Run

COST = "float weigh(float *out, int n) { for (int i = 0; i < n; i++) out[i] += scoop; return 10.0f * scoop + lid; }"
OUT, N = np.zeros(8, np.float32), np.int32(8)
SPACE: dict[str, Any] = {"scoop": [4, 1, 3], "lid": [0, 5]}


def weigh(**change: Any) -> Any:
    call: dict[str, Any] = dict(
        kernel_name="weigh", kernel_source=COST, problem_size=1, arguments=[OUT, N], tune_params=SPACE, lang="C", iterations=3, quiet=True
    )
    return tune_kernel(**{**call, **change})


def test_everything_is_measured_where_nothing_limits_it(capfd: pytest.CaptureFixture[str]) -> None:
    results, env = found = weigh()
    assert [(r["scoop"], r["lid"]) for r in results] == [(4, 0), (4, 5), (1, 0), (1, 5), (3, 0), (3, 5)]
    assert [r["time"] for r in results] == [40, 45, 10, 15, 30, 35]
    assert all(r["times"] == [r["time"]] * 3 for r in results)
    assert list(results[0]) == ["scoop", "lid", "time", "times", "compile_time", "verification_time", "benchmark_time", "timestamp", "strategy_time", "framework_time"]
    assert env["best_config"] is results[2] and env["best_config"] is min(results, key=lambda r: float(r["time"]))
    assert found.best == {"scoop": 1, "lid": 0} and found.best_cost == 10 and len(found.trials) == 6
    assert env["device_name"] and env["iterations"] == 3 and env["total_compile_time"] > 0
    assert json.loads(json.dumps(found))[1]["best_config"]["time"] == 10
    again = pickle.loads(pickle.dumps(found))
    assert again.best == found.best and again[0] == results
    assert capfd.readouterr() == ("", "")
    assert not OUT.any()


def test_without_quiet_it_says_how_many(capfd: pytest.CaptureFixture[str]) -> None:
    weigh(quiet=False, strategy_options={"popsize": 3})
    out, err = capfd.readouterr()
    assert out == "" and "measures all 6 configurations" in err and "popsize has no effect here" in err


def test_limits_end_it() -> None:
    for how in ({"trials": 2}, {"strategy_options": {"max_fevals": 2}}, {"strategy": "random_sample", "trials": 2}, {"strategy": "brute_force", "trials": 2}):
        assert len(weigh(**how)[0]) == 2
    began = time.perf_counter()
    slow = "float weigh(float *out, int n) { volatile double x = 0; for (long i = 0; i < 40000000; i++) x += i; return 1 + scoop; }"
    found = weigh(kernel_source=slow, tune_params={"scoop": list(range(4000))}, seconds=15)
    assert 0 < len(found[0]) < 4000
    assert time.perf_counter() - began < 60


def test_builds_that_are_out_at_the_end_are_killed(tmp_path: Path) -> None:
    """A compiler that never comes to an end writes down who it is."""
    compiler = tmp_path / "endless"
    compiler.write_text(f"#!/bin/sh\necho $$ >>'{tmp_path}/begun'\nexec sleep 100000\n")
    compiler.chmod(0o755)
    with pytest.raises(RuntimeError, match="no configuration"):
        weigh(compiler=str(compiler), seconds=3, compilers=3, tune_params={"scoop": list(range(99)), "lid": [0]})
    begun = [Path("/proc", pid, "stat") for pid in (tmp_path / "begun").read_text().split()]
    assert len(begun) == 3

    def lives(stat: Path) -> bool:
        return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] not in "ZX"

    patience = 600
    while any(map(lives, begun)) and patience:  # a signal takes its time
        patience -= 1
        time.sleep(0.1)
    assert not any(map(lives, begun))


def test_what_failed_is_a_trial_and_no_result() -> None:
    text = """
    #include <stdlib.h>
    float weigh(float *out, int n) {
        if (how == 1) abort();
        if (how == 2) for (;;) { volatile int spin = 0; (void)spin; }
    #if how == 3
        this does not compile
    #endif
        if (how == 4) out[0] = 7;
        if (how == 5) out[n] = 1;
        return 100 - how;
    }"""
    results, env = found = weigh(kernel_source=text, tune_params={"how": list(range(7))}, answer=[np.zeros(8, np.float32), None], limits=Limits(seconds=2))
    assert [r["how"] for r in results] == [0, 6]
    assert min(results, key=lambda r: float(r["time"]))["how"] == 6 and env["best_config"]["how"] == 6
    kinds = {t.configuration["how"]: t.kind for t in found.trials if t.kind}
    assert kinds == {1: "crash", 2: "run_timeout", 3: "build_error", 4: "wrong_result", 5: "wrong_result"}
    why = {t.configuration["how"]: t.failed for t in found.trials}
    assert "element 0 is 7.0, want 0.0" in why[4] and "argument 0: wrote past its end, first at byte 0 after it" in why[5]


def test_where_all_fail_it_raises_with_the_first_reason() -> None:
    with pytest.raises(RuntimeError, match="all 6 configurations failed, the first scoop=4, lid=0: wrong_result: argument 0: element 0 is 4.0, want 9.0"):
        weigh(answer=[np.full(8, 9.0), None])
    with pytest.raises(RuntimeError, match="all 1 configurations failed.*build_error"):
        weigh(kernel_source="float weigh(float *out, int n) { return no_such; }", tune_params={"a": [1]})


def test_a_cost_is_positive() -> None:
    found = weigh(kernel_source=COST.replace("10.0f * scoop", "scoop - 3.0f"), tune_params={"scoop": [4, 3, 1], "lid": [0]})
    assert [r["scoop"] for r in found[0]] == [4] and [t.kind for t in found.trials] == ["", "bad_cost", "bad_cost"]


def test_each_comparison_sees_the_first_content() -> None:
    """The kernel adds to its output, and is launched several times."""
    found = weigh(answer=[np.full(8, 4.0), None], tune_params={"scoop": [4], "lid": [0, 5]})
    assert len(found[0]) == 2 and found[0][0]["verification_time"] > 0


def test_a_void_function_is_timed() -> None:
    text = "void spin(float *out, int n) { volatile float x = 0; for (int i = 0; i < n * work; i++) x += 1; out[0] = x; }"
    results, _ = found = tune_kernel("spin", text, 1, [OUT, np.int32(1000)], {"work": [1, 1000]}, lang="C", quiet=True)
    assert all(len(r["times"]) == 7 and r["time"] > 0 for r in results)
    assert results[1]["time"] > 20 * results[0]["time"] and found.best == {"work": 1}
    assert found.best_cost == pytest.approx(sum(sorted(results[0]["times"])[:2]) / 2e3)  # the mean of the fastest quarter of seven


SIZED = "float weigh(float *out, int n) { out[0] = n; return (scoop == 4 ? 1000 + n : scoop == 1 ? 8 * n : 3 * n + 500) + lid; }"


def sized(**change: Any) -> Any:
    """Four is the best scoop of large n, one that of small ones."""
    call: dict[str, Any] = dict(
        kernel_source=SIZED, problem_size=None, arguments=lambda n: [OUT, np.int32(n if isinstance(n, int) else n[0])], sizes=[50, 200, 6000], baseline={"scoop": 3, "lid": 0}
    )
    return weigh(**{**call, "race": False, **change})


def test_several_sizes_give_one_header(tmp_path: Path) -> None:
    found = sized()
    assert {size: one.best["scoop"] for size, one in found.sizes.items()} == {50: 1, 200: 3, 6000: 4}
    results, env = found
    assert len(results) == 18 and [r["problem_size"] for r in results[::6]] == [50, 200, 6000]
    assert [(one["problem_size"], one["scoop"]) for one in env["best_configs"]] == [(50, 1), (200, 3), (6000, 4)] and json.dumps(found)
    assert found.best == found.sizes[50].best
    for made in (found, pickle.loads(pickle.dumps(found))):
        made.header(tmp_path / "choice.hpp", name="weights")
        (tmp_path / "main.cpp").write_text(
            '#include <cstdio>\n#include <initializer_list>\n#include "choice.hpp"\nint main() { for (int n : {50, 60, 200, 6000, 9000}) std::printf("%d ", static_cast<int>(weights::choose(n).scoop)); }'
        )
        subprocess.run(["c++", "-std=c++17", "-o", tmp_path / "main", tmp_path / "main.cpp"], check=True)
        assert subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True).stdout == "1 1 3 4 4 "
    with pytest.raises(Error, match="header: there is one problem size, want tune_kernel"):
        weigh().header(tmp_path / "none.hpp")


def test_winners_are_measured_at_the_other_sizes(tmp_path: Path) -> None:
    """So that the header knows what they cost there: of three trials each, the winner of one size was not measured at the others."""
    found = sized(tune_params={"scoop": [4, 1, 3], "lid": list(range(40))}, strategy="random_sample", trials=3, sizes=[(50, 1), (6000, 1)])
    assert [len(one.trials) for one in found.sizes.values()] == [3, 3]
    first, second = (found.sizes[size] for size in ((50, 1), (6000, 1)))
    assert first.best in [t.configuration for t in second.trials], "a search begins with the winner beside it"
    at: dict[tuple[int, ...], set[int]] = {}
    for size, index, *_ in found._header._rows:
        at.setdefault(size, set()).add(index)
    assert {found.space.index(second.best), found.space.index(first.best)} <= at[50, 1] & at[6000, 1]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"problem_size": 5}, "problem_size beside sizes, want None in its place"),
        ({"sizes": []}, r"sizes is \[\], want a list of sizes"),
        ({"sizes": "50"}, "sizes is '50', want a list of sizes"),
        ({"sizes": [50, (1, 2)]}, r"sizes: \(1, 2\) beside 50, want as many numbers for each"),
        ({"sizes": [50, 50]}, "sizes: 50 twice, want each once"),
        ({"sizes": [0]}, "sizes: 0, want one to three numbers from 1 on"),
        ({"cache": "c.json"}, "cache is of one size, want a call without sizes=, or sizes= without it"),
        ({"log_file": "l.jsonl"}, "log_file is of one size"),
    ],
)
def test_sizes_that_are_none(change: dict[str, Any], why: str) -> None:
    with pytest.raises(Error, match=why):
        sized(**change)


def test_a_log_says_how_it_ranks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One without the runs, as an earlier version wrote, ranked by the least of them, and is not taken up."""
    text = "void spin(float *out, int n) { volatile float x = 0; for (int i = 0; i < n * work; i++) x += 1; out[0] = x; }"
    call: dict[str, Any] = dict(arguments=[OUT, np.int32(1000)], tune_params={"work": [1, 2, 3, 4]}, lang="C", quiet=True, strategy="random_sample")
    log = tmp_path / "run.jsonl"
    results, _ = tune_kernel("spin", text, 1, trials=2, log_file=log, **call)
    told = [json.loads(line) for line in log.read_text().splitlines() if line.startswith('{"tell"')]
    for row, one in zip(results, told):
        assert [1e3 * t for t in one["batches"]] == pytest.approx(row["times"]) and one["runs"] == 7
        assert one["cost"] == pytest.approx(sum(sorted(one["batches"])[:2]) / 2) and one["spread"] > 0
    found = tune_kernel("spin", text, 1, trials=3, log_file=log, resume=True, **call)
    assert len(found.trials) == 3
    log.unlink()
    with monkeypatch.context() as earlier:
        earlier.setattr(Run, "_runs", lambda self, measured: [])
        tune_kernel("spin", text, 1, trials=2, log_file=log, **call)
    with pytest.raises((Error, RuntimeError), match="the runs of its costs are not in it, and the mean of the fastest quarter of its runs is a cost here"):
        tune_kernel("spin", text, 1, trials=4, log_file=log, resume=True, **call)
    weigh(log_file=tmp_path / "own.jsonl")
    head = json.loads((tmp_path / "own.jsonl").read_text().splitlines()[0])
    assert head["meaning"]["cost"] == "returned by weigh"


def test_cpp_without_c_linkage_is_found() -> None:
    text = "#include <vector>\nnamespace lab { template <int k> double twice(const std::vector<int>& v) { return k * v.size(); } }\n" \
           "double weigh(float *out, int n) { return lab::twice<scoop>(std::vector<int>(n)); }"
    assert [r["time"] for r in weigh(kernel_source=text, tune_params={"scoop": [2, 1]}, lang="C++")[0]] == [16, 8]


def test_a_record_a_flag_and_a_complex_number() -> None:
    text = """struct rec { float w; int tag; };
    void mix(double *out, const rec *r, const float *z, bool flag, unsigned char small) { out[0] = r[1].w + r[1].tag + z[1] + flag + small; }"""
    rec = np.zeros(2, dtype=[("w", np.float32), ("tag", np.int32)])
    rec[1] = (0.5, 3)
    got = run_kernel("mix", text, 1, [np.zeros((1, 1)), rec, np.array([1 + 2j], np.complex64), np.bool_(True), np.uint8(9)], {}, lang="C", quiet=True)
    assert got[0].shape == (1, 1) and got[0][0, 0] == 0.5 + 3 + 2 + 1 + 9 and got[4] == 9


def test_run_kernel_returns_all_arguments_as_they_are_afterwards() -> None:
    before = OUT.copy()
    out, n = run_kernel("weigh", COST, 1, [OUT, N], {"scoop": 2, "lid": 0}, lang="C", quiet=True)
    assert out.tolist() == [2.0] * 8 and n is N and np.array_equal(OUT, before)
    with pytest.raises(RuntimeError, match="weigh: build_error"):
        run_kernel("weigh", COST, 1, [OUT, N], {"scoop": 2}, lang="C", quiet=True)
    with pytest.raises(Error, match="the block of 2048 x 1 x 1 has 2048 threads, and the device takes 1 to 1024"):
        run_kernel("weigh", COST, 1, [OUT, N], {"scoop": 2, "lid": 1, "block_size_x": 2048}, lang="C", quiet=True)


def test_blocks_that_are_too_large_by_their_own_name_fail() -> None:
    found = weigh(tune_params={"scoop": [1], "lid": [1], "team": [4096, 64]}, block_size_names=["team"])
    assert [r["team"] for r in found[0]] == [64] and found.trials[0].kind == "invalid"


def test_metrics_and_an_objective() -> None:
    _, env = found = weigh(metrics={"GB/s": lambda p: p["scoop"] / p["time"], "twice": "time * 2"}, objective="GB/s")
    assert env["best_config"]["scoop"] in (4, 1, 3) and env["best_config"]["GB/s"] == max(r["GB/s"] for r in found[0])
    assert all(r["twice"] == 2 * r["time"] for r in found[0])
    assert found.best_cost == pytest.approx(1 / env["best_config"]["GB/s"])


def test_what_is_good_enough_ends_it() -> None:
    many = {"scoop": [4, 1, 3, *range(5, 22)], "lid": [0]}  # costs 40, 10, 30, 50 and more
    few: dict[str, Any] = {"strategy": "brute_force", "compilers": 1, "tune_params": many}
    for until, found in ((40, 40), (12, 10)):
        rows, env = result = weigh(until=until, **few)
        assert rows[0]["time"] == 40 and env["best_config"]["time"] <= until and len(rows) < 20  # what is being built comes, too
        assert "the cost that was asked for is reached" in result.stopped and found in [r["time"] for r in rows]
    rate: dict[str, Any] = {"metrics": {"GB/s": "400 / time"}, "objective": "GB/s", **few}  # 10, 40, 13, 8 and less
    assert len(weigh(until=0.9 * 44, **rate)[0]) < 20 and len(weigh(until=0.9 * 45, **rate)[0]) == 20
    timed = {**few, "kernel_source": COST.replace("float weigh", "void weigh").replace("return", "out[0] ="), "tune_params": {"scoop": [*range(12)], "lid": [0]}}
    assert len(weigh(until=1000.0, **timed)[0]) < 12 and len(weigh(until=1e-9, **timed)[0]) == 12  # milliseconds
    for wrong in (0, -1, float("nan")):
        with pytest.raises(Error, match="until is .*, want a positive number, the time that is good enough"):
            weigh(until=wrong)


def test_a_race_with_what_is_used_today() -> None:
    found = weigh(baseline={"scoop": 3, "lid": 5})
    assert found.trials[0].configuration == {"scoop": 3, "lid": 5} and found.race is not None
    assert found.verdict.kept == (found.best == {"scoop": 3, "lid": 5}) and found.best == found.race.best


def test_a_log_is_taken_up(tmp_path: Path) -> None:
    weigh(log_file=tmp_path / "run.jsonl", trials=3, seed=2)
    found = weigh(log_file=tmp_path / "run.jsonl", resume=True, trials=6, seed=2)
    assert len(found.trials) == 6 and len(found[0]) + 3 == 6
    found.report(tmp_path / "run.html")
    assert (tmp_path / "run.html").stat().st_size > 1000 and "data:image/svg+xml" in found._repr_html_()


def test_a_cache_is_another_run_s_memory(tmp_path: Path) -> None:
    first = weigh(cache=tmp_path / "kept")
    second = weigh(cache=str(tmp_path / "kept.json"), tune_params={**SPACE, "scoop": [4, 1, 3, 2]}, metrics={"m": "time + 1"})
    assert len(second[0]) == 8 and all((r["compile_time"] == 0) == (r["scoop"] != 2) for r in second[0])
    assert {r["time"] for r in first[0]} <= {r["time"] for r in second[0]} and all(r["m"] == r["time"] + 1 for r in second[0])
    with pytest.raises(Error, match="problem_size"):
        weigh(cache=tmp_path / "kept", problem_size=2)


def test_nothing_is_left_in_the_folder_of_the_caller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    weigh(trials=2)
    assert os.listdir(tmp_path) == []


def test_a_text_of_one_include_line_is_a_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "body.h").write_text(COST)
    assert len(weigh(kernel_source='#include "body.h"')[0]) == 6
    with pytest.raises(RuntimeError, match="build_error"):
        weigh(kernel_source='#include "body.h"', kernel_name="tock", trials=1)


@pytest.mark.parametrize(
    "change, kind, why",
    [
        ({"kernel_name": "tock"}, Error, "there is no 'tock' in kernel"), ({"arguments": [OUT]}, Error, "1 arguments are given, want 2"),
        ({"arguments": [OUT, N, N]}, Error, "3 arguments are given, want 2"), ({"problem_size": "no_such"}, Error, "problem_size 'no_such': NameError"),
        ({"grid_div_x": ["no_such"]}, Error, "grid_div_x 'no_such': NameError"), ({"restrictions": ["scoop > 4"]}, Error, "leaves nothing"),
        ({"kernel_source": "not_here.c"}, FileNotFoundError, "there is no file not_here.c"), ({"compiler": "no-such-compiler"}, Error, "there is no compiler no-such-compiler"),
        ({"arguments": [np.zeros(16, np.float32)[::2], N]}, Error, "not contiguous"), ({"tune_params": {"block_size_x": [2048]}}, Error, "the device's limit"),
        ({"iterations": 0}, Error, "iterations is 0"), ({"device": -1}, Error, "device is -1"), ({"device": []}, Error, "device is .., want a number from 0 on, or a list"),
        ({"device": [0, -1]}, Error, "device is .0, -1., want a number"), ({"device": [2**31]}, Error, "want a number from 0 on"),
        ({"device": [0, 0]}, Error, "device 0 twice, want each once"), ({"device": [0, 1]}, Error, "a kernel in C runs on the processor, want one device"),
        ({"metrics": [("m", "time")]}, Error, "metrics is"),
        ({"metrics": {"J": lambda p: p["nvml_energy"]}}, Error, "nvml_energy is read on NVIDIA's devices alone, and this is C"),
        ({"objective": "nvml_power", "objective_higher_is_better": False}, Error, "nvml_power is read on NVIDIA's devices alone"),
        ({"baseline": {"scoop": 9, "lid": 0}}, Error, "scoop"), ({"compiler_options": [3]}, TypeError, "want a list of texts"),
        ({"strategy_options": {"x0": [1]}}, Error, "x0 is"), ({"platform": 3}, Error, "platform is 3"), ({"verify": 3}, TypeError, "verify is 3"),
    ],
)
def test_wrong_input_is_told_in_one_line_before_anything_is_built(change: dict[str, Any], kind: type[Exception], why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_pool(*args: Any, **how: Any) -> Any:
        raise AssertionError("something was built")

    monkeypatch.setattr(_core, "KernelPool", no_pool)
    with pytest.raises(kind, match=why) as told:
        weigh(**change)
    assert "\n" not in str(told.value) and str(told.value).startswith("tunekit: ")


def test_constant_memory_that_no_text_has_is_told() -> None:
    with pytest.raises(Error, match="cmem_args: there is no 'weights' in kernel, want"):
        tune_kernel("f", "__global__ void f(float* a) {}", 1, [OUT], {"a": [1]}, cmem_args={"weights": OUT}, quiet=True)


def test_no_device_is_an_error_of_its_own() -> None:
    try:
        _core.find_kernel_device("CUDA", [0])
    except NoDevice:
        with pytest.raises(NoDevice, match="tunekit: "):
            tune_kernel("f", "__global__ void f(float* a) {}", 1, [OUT], {"a": [1]}, quiet=True)
    else:
        pytest.skip("there is a CUDA device")


@pytest.fixture
def opencl() -> None:
    try:
        _core.find_kernel_device("OpenCL", [0])
    except NoDevice as e:
        pytest.skip(str(e))


ADD = """__kernel void add(__global float *c, __global const float *a, __global const float *b, int n) {
    int i = get_group_id(0) * block_size_x + get_local_id(0);
    if (i < n) c[i] = a[i] + b[i];
}"""
PRODUCT = """__kernel void product(__global float *c, __global const float *a, __global const float *b) {
    const int x = get_group_id(0) * block_size_x * per_x + get_local_id(0), y = get_global_id(1);
    for (int k = 0; k < per_x; k++) {
        float sum = 0;
        for (int i = 0; i < SIZE; i++) sum += a[y * SIZE + i] * b[i * SIZE + x + k * block_size_x];
        c[y * SIZE + x + k * block_size_x] = sum;
    }
}"""
STENCIL = """__kernel void stencil(__global float *to, __global const float *from, int w, int h) {
    const int x = get_global_id(0), y = get_global_id(1);
    if (x > 0 && x < w - 1 && y > 0 && y < h - 1)
        to[y * w + x] = 0.2f * (from[y * w + x] + from[y * w + x - 1] + from[y * w + x + 1] + from[(y - 1) * w + x] + from[(y + 1) * w + x]);
}"""
SUM = """__kernel void sum(__global float *parts, __global const float *in, int n) {
    __local float all[block_size_x];
    const int me = get_local_id(0);
    float mine = 0;
    for (int i = get_group_id(0) * block_size_x + me; i < n; i += block_size_x * num_blocks) mine += in[i];
    all[me] = mine;
    for (int s = block_size_x / 2; s > 0; s /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (me < s) all[me] += all[me + s];
    }
    if (me == 0) parts[get_group_id(0)] = all[0];
}"""


@pytest.mark.usefixtures("opencl")
def test_the_examples_that_everybody_begins_with() -> None:
    rng = np.random.default_rng(3)
    n = 5000
    a, b, c = rng.random(n, np.float32), rng.random(n, np.float32), np.zeros(n, np.float32)
    results, env = tune_kernel("add", ADD, n, [c, a, b, np.int32(n)], {"block_size_x": [32, 64, 128]}, answer=[a + b, None, None, None], quiet=True)
    assert len(results) == 3 and env["device_name"] and all(len(r["times"]) == 7 and 0 < r["time"] < 1e4 for r in results)
    m = 64
    x, y = rng.random((m, m), np.float32), rng.random((m, m), np.float32)
    results, _ = tune_kernel(
        "product", PRODUCT, (m, m), [np.zeros((m, m), np.float32), x, y], {"block_size_x": [8, 16, 64], "block_size_y": [1, 8], "per_x": [1, 2, 4], "SIZE": [m]},
        grid_div_x=["block_size_x", "per_x"], restrictions=["block_size_x * per_x <= SIZE"], answer=[x @ y, None, None], atol=1e-3, quiet=True,
    )
    assert len(results) == 14
    want = np.zeros((m, m), np.float32)
    want[1:-1, 1:-1] = 0.2 * (x[1:-1, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] + x[:-2, 1:-1] + x[2:, 1:-1])
    results, _ = tune_kernel("stencil", STENCIL, (m, m), [np.zeros_like(x), x, np.int32(m), np.int32(m)], {"block_size_x": [16, 32], "block_size_y": [2, 4]},
                             answer=[want, None, None, None], quiet=True)
    assert len(results) == 4

    def right(answer: Any, result: Any, atol: float) -> bool:
        return bool(np.isclose(result[0].sum(), answer[0].sum(), atol=atol))

    results, _ = tune_kernel("sum", SUM, ("num_blocks", 1), [np.zeros(16, np.float32), a, np.int32(n)], {"block_size_x": [32, 64], "num_blocks": [4, 16]}, grid_div_x=[],
                             answer=[a, None, None], verify=right, atol=1.0, quiet=True)
    assert len(results) == 4


@pytest.mark.usefixtures("opencl")
def test_what_opencl_does_not_have() -> None:
    for change, why in (({"cmem_args": {"a": OUT}}, "cmem_args is of CUDA alone"), ({"smem_args": {"size": 4}}, "smem_args is of CUDA alone")):
        with pytest.raises(Error, match=why):
            tune_kernel("add", ADD, 8, [OUT, OUT, OUT, N], {"block_size_x": [8]}, quiet=True, **change)
    with pytest.raises(RuntimeError, match="build_error"):
        tune_kernel("add", ADD.replace("a[i] +", "no_such +"), 8, [OUT, OUT, OUT, N], {"block_size_x": [8]}, quiet=True)


@pytest.mark.usefixtures("opencl")
def test_the_listing_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    page = "docs/kernels_from_python.md"
    code = re.findall(r"^```c\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    (tmp_path / "add.cl").write_text(code[0])
    monkeypatch.chdir(tmp_path)
    run(listings(page)[0], {})
    assert " ms {'block_size_x': " in capsys.readouterr().out
