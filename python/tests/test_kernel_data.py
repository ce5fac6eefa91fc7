# SPDX-License-Identifier: MIT
"""What a kernel is given and gives: spaces with restrictions, arguments, comparisons, cache files, and the modules that scripts import."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pytunekit import Error, tune_kernel
from pytunekit.accuracy import Tunable, TunablePrecision
from pytunekit._kernel.arguments import Comparison, arguments_of, check_against, declarations
from pytunekit._kernel.cache import Cache, key_of, read
from pytunekit._kernel.refusals import refuse_clocks, refuse_for_language, refuse_observers, refuse_others
from pytunekit._kernel.restrictions import checked_parameters, configurations_of

SPACE: dict[str, list[Any]] = {"left": [1, 2, 4, 8], "right": [0, 1, 2, 3, 4], "kind": ["thin", "thick"]}


def left_over(restrictions: Any, space: dict[str, list[Any]] = SPACE, limit: tuple[list[str], int] | None = None) -> list[tuple[Any, ...]]:
    there = configurations_of(checked_parameters(space), restrictions, limit)
    return [tuple(there.at(i).values()) for i in sorted(range(len(there)), key=there.place)]


def as_dict(c: dict[str, Any]) -> bool:
    return bool(c["right"] != 0 and c["left"] % c["right"] == 0 and (c["kind"] == "thin" or c["left"] < 5))


def as_values(*row: Any, **named: Any) -> bool:
    return as_dict(dict(zip(SPACE, row)))


def by_name(right: int, left: int) -> bool:
    return right != 0 and left % right == 0


TEXTS = ["right != 0 and left % right == 0", "kind == 'thin' or left < 9 - 4"]


@pytest.mark.parametrize(
    "form", [TEXTS, tuple(TEXTS), " and ".join(f"({t})" for t in TEXTS), as_dict, [as_dict], as_values, [by_name, TEXTS[1]], lambda left, right, kind: as_values(left, right, kind)]
)
def test_one_restriction_in_several_forms(form: Any) -> None:
    assert left_over(form) == [row for row in product(*SPACE.values()) if as_values(*row)]


@pytest.mark.parametrize("text", ["left / right > 1.5", "1 < left <= 4", "left in (1, 8) or kind == 'thin'", "(right if kind == 'thin' else left) > 2", "left ** 2 < 17",
                                  "max(left, right) < 4", "left * right <= 8", "left // 3 >= 1 and -left % 3 == 1", "not left > 2", "any(left == k for k in range(3))"])
def test_texts_mean_what_python_means(text: str) -> None:
    space = {**SPACE, "right": [1, 2, 3]}
    here = [row for row in product(*space.values()) if eval(text, dict(zip(space, row)))]
    assert 0 < len(here) < 24 and left_over(text, space) == here


@pytest.mark.parametrize("nothing", [None, [], "", ()])
def test_no_restriction(nothing: Any) -> None:
    assert len(left_over(nothing)) == 40


def test_the_first_parameter_is_the_slowest_whatever_the_values() -> None:
    space: dict[str, list[Any]] = {"pair": [(1, 2), (0, 1)], "x": [0.5, 0.25], "flag": [True, False], "n": list(np.array([3, 1]))}
    assert left_over(None, space) == list(product(*[[v.item() if hasattr(v, "item") else v for v in values] for values in space.values()]))
    assert left_over("pair[0] == 1", space) == [row for row in product(*space.values()) if row[0][0] == 1]


@pytest.mark.parametrize(
    "form, why",
    [
        (["left >"], "invalid syntax"), (["q > 2"], "no parameter is called 'q', want one of left, right, kind"), (["left > 100"], "leaves nothing|leave no"),
        ([lambda p: False], "leave no configuration"), (["1 / right > 0"], "ZeroDivisionError: division by zero for right=0"), ([3], "want a text or a function"),
        ({"a": 1}, "want a list of texts"), ([lambda a, b: True], "takes a, b, want a dict"),
    ],
)
def test_restrictions_that_cannot_be(form: Any, why: str) -> None:
    with pytest.raises(Error, match=why):
        left_over(form)


def test_blocks_above_the_limit_leave_the_space() -> None:
    space = {"block_size_x": [256, 1024], "block_size_y": [1, 2, 8]}
    names = ["block_size_x", "block_size_y", "block_size_z"]
    assert left_over(None, space, (names, 1024)) == [(256, 1), (256, 2), (1024, 1)]
    with pytest.raises(Error, match="is above 128, the device's limit of threads in a block, for all configurations"):
        left_over(None, space, (names, 128))


def test_a_large_space_without_functions_is_not_listed() -> None:
    space = {f"p{k}": list(range(1, 101)) for k in range(6)}  # 10^12
    there = configurations_of(checked_parameters(space), ["p0 * p1 <= 10", "p2 % p3 == 0"], None)
    assert there.at(len(there) - 1)["p5"] == 100


@pytest.mark.parametrize(
    "space, why",
    [({}, "want a dict"), ({"time": [1]}, "results or macros"), ({"grid_size_x": [1]}, "results or macros"), ({"a b": [1]}, "cannot be a macro"), ({"a": "text"}, "in place of a list"),
     ({"a": [[1]]}, "a list, dict or set"), ([1], "want a dict")],
)
def test_parameters_that_cannot_be(space: Any, why: str) -> None:
    with pytest.raises(Error, match=why):
        checked_parameters(space)


def test_arguments_are_copies_of_bytes() -> None:
    record = np.zeros(3, dtype=[("w", np.float32), ("tag", np.int32)])
    two = np.arange(6.0).reshape(2, 3)
    given: list[Any] = [two, np.asfortranarray(two), np.int32(4), np.array([True, False]), np.ones(2, np.complex64), record, np.float16(1)]
    there = arguments_of(given)
    assert [a.type for a in there] == ["float64", "float64", "int32", "uint8", "bytes", "bytes", "float16"]
    assert [a.is_array for a in there] == [True, True, False, True, True, True, False]
    for argument, array in zip(there, given):
        after = argument.after(argument.bytes)
        assert after.shape == array.shape and after.dtype == array.dtype and np.array_equal(after, array)
    assert there[2].after(None) is given[2]


class Elsewhere:
    """An array of a device, as CuPy has it."""

    __cuda_array_interface__: dict[str, Any] = {}

    def get(self) -> Any:
        return np.arange(3)


class OnlyDlpack:
    def __init__(self) -> None:
        self._array = np.arange(4, dtype=np.float32)

    def __dlpack__(self, **how: Any) -> Any:
        return self._array.__dlpack__(**how)

    def __dlpack_device__(self) -> Any:
        return self._array.__dlpack_device__()


def test_arrays_of_other_packages_are_copied() -> None:
    assert arguments_of([Elsewhere()])[0].bytes == np.arange(3).tobytes()
    assert arguments_of([OnlyDlpack()])[0].type == "float32"


@pytest.mark.parametrize(
    "given, kind, why",
    [
        ([2.0], TypeError, "argument 0 is 2.0, a number without a width"), ([np.zeros(1), 1], TypeError, "argument 1 is 1, a number without a width"),
        ([[0]], TypeError, "want an array of numpy"), ([np.zeros(6)[::2]], Error, "not contiguous, want numpy.ascontiguousarray"),
        ([np.array([None])], TypeError, "Python's objects"), (3, TypeError, "want a list"),
        ([Tunable("t", {"a": np.zeros(1)})], TypeError, "argument 0 is a Tunable, chosen by a parameter, want one array, and a call for each value"),
        ([np.zeros(1), TunablePrecision("t", np.zeros(1))], TypeError, "argument 1 is a TunablePrecision, chosen by a parameter"),
    ],
)
def test_what_no_kernel_can_be_given(given: Any, kind: type[Exception], why: str) -> None:
    with pytest.raises(kind, match=why):
        arguments_of(given)


KERNEL = """
// void f(int *wrong, int many, int more);
template <class T> struct s {};
static float helper(const float *a) { return a[0]; }
__global__ void f(float *__restrict__ to, const s<int, float> *record, const int n, const bool odd, unsigned long long big, double w[3]) { helper(to); f2(to, n); }
"""


def test_a_kernel_is_looked_at_as_its_text_declares_it() -> None:
    assert [len(d) for d in declarations(KERNEL, "f")] == [6]
    assert [len(d) for d in declarations(KERNEL, "ns::helper<int>")] == [1]
    array, n = np.zeros(4, np.float32), np.int32(1)
    good: list[Any] = [array, array.view(np.uint8), n, np.int32(1), np.uint64(1), array]
    there = arguments_of(good)
    check_against(KERNEL, "f", there)
    assert [a.changes for a in there if a.is_array] == [True, False, True]
    check_against(KERNEL, "made_by_a_macro", arguments_of(good[:1]))
    for k, value, why in [
        (0, n, "argument 0 is a value of int32, and 'float .* to' takes an array"), (2, array, "argument 2 is an array, and 'const int n' takes a value"),
        (2, np.int64(1), "argument 2 is a value of int64, 8 bytes, and 'const int n' takes 4"), (4, n, "takes 8"),
    ]:
        with pytest.raises(Error, match=why):
            check_against(KERNEL, "f", arguments_of([*good[:k], value, *good[k + 1 :]]))
    with pytest.raises(Error, match="kernel f: 5 arguments are given, want 6 as the text declares it"):
        check_against(KERNEL, "f", arguments_of(good[:5]))


OUT, N = np.zeros((2, 3), np.float32), np.int32(3)


def compared(answer: Any, content: Any, verify: Any = None, atol: float = 1e-6) -> str | None:
    return Comparison(answer, verify, atol, arguments_of([OUT, N]))([np.asarray(content, np.float32).tobytes(), None])


def test_answers_are_compared_as_allclose_does() -> None:
    want = np.arange(6.0)  # another shape, a wider type
    assert compared([want, None], want) is None
    assert compared([want, None], want * (1 + 9e-6)) is None  # rtol 1e-5 stands beside atol
    assert compared([want, None], want + [0, 0, 0, 0.1, 0, 0]) == "argument 0: element 3 is 3.0999999046325684, want 3.0"
    assert compared([want, None], want + 0.1, atol=0.2) is None
    assert compared([want, None], [np.nan] * 6) == "argument 0: element 0 is nan, want 0.0"
    assert compared([np.array([np.nan, 1, 2, 3, 4, 5]), None], [np.nan, 1, 2, 3, 4, 5]) is None
    assert not Comparison([None, None], None, 1e-6, arguments_of([OUT, N])) and not Comparison(None, None, 1e-6, arguments_of([OUT, N]))


def test_a_function_of_the_caller_compares() -> None:
    seen: list[Any] = []

    def verify(answer: Any, result: Any, atol: float) -> bool:
        seen.append((answer, result, atol))
        return bool(result[0].sum() > 0)

    assert compared(None, np.ones(6), verify) is None and compared(None, np.zeros(6), verify) == "verify says that the result is wrong"
    assert seen[0][0] is None and seen[0][1][0].shape == (2, 3) and seen[0][1][1] == 3 and seen[0][2] == 1e-6
    compared([np.ones(2), None], np.ones(6), verify)
    assert seen[-1][1][1] is None and seen[-1][0][0].shape == (2,)
    assert compared(None, np.ones(6), lambda answer, result: True) is None


@pytest.mark.parametrize(
    "answer, kind, why",
    [
        ([np.zeros(6)], TypeError, "answer has 1 entries, want one for each of the 2 arguments"), ([np.zeros(2), None], Error, "2 elements, and argument 0 has 6"),
        ([np.float32(1), None], Error, "answer 0 is one number"), ([None, np.int32(4)], Error, "a value is never changed"), (np.zeros(6), TypeError, "no list of entries"),
    ],
)
def test_answers_that_cannot_be(answer: Any, kind: type[Exception], why: str) -> None:
    with pytest.raises(kind, match=why):
        compared(answer, np.zeros(6))


ABOUT = {"device_name": "d", "kernel_name": "k", "problem_size": 64, "tune_params_keys": ["a", "b"], "tune_params": {"a": [1, 2], "b": [3]}, "objective": "time"}


def test_a_cache_is_kept_as_it_comes_and_taken_up_again(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "kept", ABOUT)
    cache.add(key_of({"a": 1, "b": 3}), {"a": 1, "b": 3, "time": 0.5})
    assert read(cache.path)["cache"] == {"1,3": {"a": 1, "b": 3, "time": 0.5}}  # a run that is killed here loses nothing
    cache.close()
    text = (tmp_path / "kept.json").read_text()
    assert text.endswith("}\n}") and json.loads(text)["tune_params"] == ABOUT["tune_params"]
    for cut in (text[: text.rindex("}\n}")] + ",", text[:-30], text):
        (tmp_path / "kept.json").write_text(cut)
        again = Cache(tmp_path / "kept.json", {**ABOUT, "tune_params": {"a": [1, 2, 4], "b": [3]}})
        again.add("2,3", {"time": 0.25})
        again.close()
        kept = json.loads((tmp_path / "kept.json").read_text())
        assert kept["cache"]["2,3"] == {"time": 0.25} and kept["tune_params"]["a"] == [1, 2]
    assert set(kept["cache"]) == {"1,3", "2,3"}


def test_an_old_cache_says_failures_in_the_place_of_the_time(tmp_path: Path) -> None:
    (tmp_path / "old.json").write_text(json.dumps({**ABOUT, "cache": {"1,3": {"a": 1, "b": 3, "time": "InvalidConfig"}}}))
    assert read(str(tmp_path / "old.json"))["cache"]["1,3"]["__error__"] == "InvalidConfig"


@pytest.mark.parametrize(
    "change, why",
    [
        ({"problem_size": 65}, "problem_size 64, and this call has 65"), ({"device_name": "e"}, "device_name 'd'"), ({"kernel_name": "l"}, "kernel_name 'k'"),
        ({"tune_params_keys": ["b", "a"]}, "the same parameters in the order"), ({"tune_params_keys": ["c"]}, "of the parameters"),
    ],
)
def test_a_cache_of_something_else_is_refused(tmp_path: Path, change: dict[str, Any], why: str) -> None:
    Cache(tmp_path / "kept", ABOUT).close()
    before = (tmp_path / "kept.json").read_text()
    with pytest.raises(Error, match=why):
        Cache(tmp_path / "kept", {**ABOUT, **change})
    assert (tmp_path / "kept.json").read_text() == before
    Cache(tmp_path / "kept", {**ABOUT, "problem_size": [64, 1]}).close()


def test_what_is_no_cache(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"a": 1}')
    with pytest.raises(Error, match="is no cache of Kernel Tuner"):
        Cache(tmp_path / "x", ABOUT)


ROWS: list[dict[str, Any]] = [{"a": 1, "time": 2.0, "times": [2.0], "compile_time": 5.0, "timestamp": "t", "m": 1.5}, {"a": 2, "time": 1.0}, {"a": 3, "__error__": "InvalidConfig"}]


def test_the_modules_that_scripts_import(tmp_path: Path) -> None:
    from pytunekit.file_utils import store_metadata_file, store_output_file
    from pytunekit.integration import create_device_targets, store_results
    from pytunekit.util import get_best_config, get_config_string

    assert get_best_config(ROWS, "time")["a"] == 2 and get_best_config(ROWS, "time", True)["a"] == 1
    assert get_config_string({"a": 1, "time": 0.12345, "b": 2}, ["a", "time"], {"time": "ms"}) == "a=1, time=0.123ms"
    for device in ("GPU one", "other"):
        store_results(tmp_path / "r.json", "k", "text {}", {"a": [1, 2, 3]}, (64, 2), ROWS, {"device_name": device})
        store_results(tmp_path / "r.json", "k", "text {}", {"a": [1, 2, 3]}, (64, 2), ROWS, {"device_name": device})
    kept = json.loads((tmp_path / "r.json").read_text())
    assert [(d["device_name"], d["problem_size"], d["tunable_parameters"]) for d in kept["data"]] == [("GPU_one", "64x2", {"a": 2}), ("other", "64x2", {"a": 2})]
    with pytest.raises(Error, match="is of kernel_name 'k'"):
        store_results(tmp_path / "r.json", "l", "", {"a": [1]}, 64, ROWS, {"device_name": "d"})
    create_device_targets(tmp_path / "t.h", tmp_path / "r.json")
    (tmp_path / "m.c").write_text('#include "t.h"\nint main(void) { return a != 2; }\n')
    subprocess.run(["cc", "-DTARGET_other=1", "-o", tmp_path / "m", tmp_path / "m.c"], check=True)
    assert subprocess.run([tmp_path / "m"]).returncode == 0
    store_output_file(str(tmp_path / "deep" / "out"), ROWS, {"a": [1]})
    t4 = json.loads((tmp_path / "deep" / "out.json").read_text())
    assert [r["invalidity"] for r in t4["results"]] == ["correct", "correct", "constraints"]
    assert t4["results"][0]["measurements"] == [{"name": "time", "value": 2.0, "unit": "ms"}, {"name": "m", "value": 1.5, "unit": ""}]
    store_metadata_file(str(tmp_path / "meta.json"))
    assert json.loads((tmp_path / "meta.json").read_text())["metadata"]["environment"]["requirements"]


@pytest.mark.parametrize(
    "module, name",
    [
        ("observers", "BenchmarkObserver"), ("observers.observer", "BenchmarkObserver"), ("observers.nvml", "NVMLObserver"), ("observers.ncu", "NCUObserver"),
        ("observers.pmt", "PMTObserver"), ("observers.powersensor", "PowerSensorObserver"), ("observers.register", "RegisterObserver"),
        ("observers.tegra", "TegraObserver"), ("accuracy", "AccuracyObserver"),
    ],
)
def test_observers_are_refused_by_name(module: str, name: str) -> None:
    there = getattr(importlib.import_module(f"pytunekit.{module}"), name)
    own = type("Own", (there,), {})
    for made in (there(), own()):
        with pytest.raises(Error, match=f"observers has an? {type(made).__name__}, which pytunekit does not have: ") as told:
            refuse_observers([made])
        assert "\n" not in str(told.value)
    refuse_observers([])
    refuse_observers(None)


def test_other_refusals_say_what_to_do() -> None:
    with pytest.raises(Error, match="sets the device.*remove it: it has one value"):
        refuse_clocks({"nvml_gr_clock": [1000]})
    with pytest.raises(Error, match="call once for each of its 2 values"):
        refuse_clocks({"nvml_mem_clock": [1, 2]})
    for how, why in (((True, None, None), "simulation_mode is True"), ((None, {"t": 1}, None), "texmem_args"), ((None, None, {"time": False}), "objectives is")):
        with pytest.raises(Error, match=why):
            refuse_others(*how)
    refuse_others(False, None, [])
    refuse_for_language("CUDA", {"a": 1}, {"size": 4})
    for language in ("OpenCL", "C"):
        with pytest.raises(Error, match=f"cmem_args is of CUDA alone, and this is {language}"):
            refuse_for_language(language, {"a": 1}, None)
        with pytest.raises(Error, match=f"smem_args is of CUDA alone, and this is {language}"):
            refuse_for_language(language, None, {"size": 4})


def test_it_says_that_it_needs_numpy() -> None:
    program = "import sys, importlib.util as u; from pytunekit import tune_kernel, Error\nu.find_spec = lambda name: None\ntry: tune_kernel('f', '', 1, [], {})\nexcept Error as e: print(e)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "tunekit: tune_kernel needs numpy, want pip install numpy\n"
    assert tune_kernel.__doc__
