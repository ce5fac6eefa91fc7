#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""kernel_doors.py [--device cuda|opencl] [--seconds 18] [--seeds 1 2] [--sizes 2048 4096 4096] [--kernels product ...]: pytunekit.tune_kernel beside
Kernel Tuner 1.5 on three kernels of our own: a product of matrices, a convolution of 17 x 17 (9 x 9 on OpenCL, whose device may be a processor)
and a transpose. Both have the same text, space, restrictions, arguments, answer and seconds, and the same seeds; each search is a process of its
own. The winners are measured again by Kernel Tuner, side by side in one process, in 9 rounds. With --same 8 both measure the same 8 configurations
for each seed instead, and the processor's seconds are counted: those of the call and of all that it started, less what went before the call. So it
can run on a busy machine. Prints the tables of docs/studies/kernel_doors.md.

    pip install pytunekit kernel-tuner==1.5.0 pyopencl     # cupy in place of the last for CUDA

Exit status 77 where there is neither a device, nor what it takes to use it.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import importlib
import io
import json
import os
import statistics
import sys
import time
from math import prod
from typing import Any

from kernel_door_cost import cpu_seconds

PRODUCT = """
__kernel void product(__global float* c, __global const float* a, __global const float* b)
{
    __local float as[depth][block_size_y * tile_y], bs[depth][block_size_x * tile_x];
    const int x = get_local_id(0), y = get_local_id(1), me = y * block_size_x + x;
    const int left = get_group_id(0) * block_size_x * tile_x, top = get_group_id(1) * block_size_y * tile_y;
    float sum[tile_y][tile_x];
    for (int i = 0; i < tile_y; ++i)
        for (int j = 0; j < tile_x; ++j) sum[i][j] = 0;
    for (int k = 0; k < SIZE; k += depth) {
        for (int n = me; n < depth * block_size_y * tile_y; n += block_size_x * block_size_y) as[n % depth][n / depth] = a[(top + n / depth) * SIZE + k + n % depth];
        for (int n = me; n < depth * block_size_x * tile_x; n += block_size_x * block_size_y)
            bs[n / (block_size_x * tile_x)][n % (block_size_x * tile_x)] = b[(k + n / (block_size_x * tile_x)) * SIZE + left + n % (block_size_x * tile_x)];
        barrier(CLK_LOCAL_MEM_FENCE);
#if unrolled
#pragma unroll
#endif
        for (int d = 0; d < depth; ++d)
            for (int i = 0; i < tile_y; ++i)
                for (int j = 0; j < tile_x; ++j) sum[i][j] += as[d][y + i * block_size_y] * bs[d][x + j * block_size_x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = 0; i < tile_y; ++i)
        for (int j = 0; j < tile_x; ++j) c[(top + y + i * block_size_y) * SIZE + left + x + j * block_size_x] = sum[i][j];
}
"""

CONVOLUTION = """
__kernel void convolution(__global float* to, __global const float* from, __global const float* weights)
{
    const int x = get_group_id(0) * block_size_x * tile_x + get_local_id(0), y = get_group_id(1) * block_size_y * tile_y + get_local_id(1);
    float sum[tile_y][tile_x];
    for (int i = 0; i < tile_y; ++i)
        for (int j = 0; j < tile_x; ++j) sum[i][j] = 0;
#if unrolled & 1
#pragma unroll
#endif
    for (int u = 0; u < TAPS; ++u)
#if unrolled & 2
#pragma unroll
#endif
        for (int v = 0; v < TAPS; ++v) {
            const float w = weights[u * TAPS + v];
            for (int i = 0; i < tile_y; ++i)
                for (int j = 0; j < tile_x; ++j) sum[i][j] += w * from[(y + i * block_size_y + u) * (SIZE + TAPS - 1) + x + j * block_size_x + v];
        }
    for (int i = 0; i < tile_y; ++i)
        for (int j = 0; j < tile_x; ++j) to[(y + i * block_size_y) * SIZE + x + j * block_size_x] = sum[i][j];
}
"""

TRANSPOSE = """
__kernel void transpose(__global float* to, __global const float* from)
{
    __local float tile[block_size_x * tile_y][block_size_x + padding];
    const int x = get_local_id(0), left = get_group_id(0) * block_size_x, top = get_group_id(1) * block_size_x * tile_y;
    for (int y = get_local_id(1); y < block_size_x * tile_y; y += block_size_y) tile[y][x] = from[(top + y) * SIZE + left + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int n = get_local_id(1) * block_size_x + x; n < block_size_x * block_size_x * tile_y; n += block_size_x * block_size_y)
        to[(left + n / (block_size_x * tile_y)) * SIZE + top + n % (block_size_x * tile_y)] = tile[n % (block_size_x * tile_y)][n / (block_size_x * tile_y)];
}
"""

IN_CUDA = {
    "__kernel void": 'extern "C" __global__ void', "__global ": "", "__local": "__shared__", "barrier(CLK_LOCAL_MEM_FENCE)": "__syncthreads()",
    "get_local_id(0)": "threadIdx.x", "get_local_id(1)": "threadIdx.y", "get_group_id(0)": "blockIdx.x", "get_group_id(1)": "blockIdx.y",
}  # fmt: skip

BLOCKS = {"block_size_x": [8, 16, 32, 64, 128], "block_size_y": [1, 2, 4, 8, 16, 32]}
TILES = {"tile_x": [1, 2, 4, 8], "tile_y": [1, 2, 4, 8]}
DIVIDED = {"grid_div_x": ["block_size_x * tile_x"], "grid_div_y": ["block_size_y * tile_y"]}
WHOLE = "block_size_x * tile_x <= 256 and block_size_y * tile_y <= 256"  # so that blocks divide the sizes, which are multiples of 256
THREADS = "32 <= block_size_x * block_size_y <= 1024"


def problem(kernel: str, device: str, size: int) -> dict[str, Any]:
    """What both doors are given."""
    import numpy as np

    draw = np.random.default_rng(7)
    a = draw.random((size, size), np.float32)
    out = np.zeros_like(a)
    more: dict[str, Any] = {}
    if kernel == "product":
        b = draw.random((size, size), np.float32)
        text, arguments, answer = PRODUCT, [out, a, b], (a.astype(np.float64) @ b).astype(np.float32)
        space = BLOCKS | TILES | {"depth": [4, 8, 16, 32], "unrolled": [0, 1]}
        restrictions = [THREADS, WHOLE, "(block_size_x * tile_x + block_size_y * tile_y) * depth <= 12288"]
        more["atol"] = 1e-3 * size
    elif kernel == "convolution":
        taps = 17 if device == "cuda" else 9
        weights = draw.random((taps, taps), np.float32)
        a = draw.random((size + taps - 1, size + taps - 1), np.float32)
        sums = np.zeros((size, size))
        for u in range(taps):
            for v in range(taps):
                sums += weights[u, v] * a[u : u + size, v : v + size].astype(np.float64)
        text, arguments, answer = CONVOLUTION.replace("TAPS", str(taps)), [out, a, weights], sums.astype(np.float32)
        space, restrictions = BLOCKS | TILES | {"unrolled": [0, 1, 2, 3]}, [THREADS, WHOLE]
        more["atol"] = 1e-2
    else:
        text, arguments, answer = TRANSPOSE, [out, a], a.T.copy()
        space = {"block_size_x": [8, 16, 32, 64], "block_size_y": [1, 2, 4, 8, 16, 32], "tile_y": [1, 2, 4], "padding": [0, 1, 2, 4, 8]}
        restrictions = [THREADS, "block_size_x * tile_y * (block_size_x + padding) <= 12288"]
    text = text.replace("SIZE", str(size))
    if device == "cuda":
        for ours, theirs in IN_CUDA.items():
            text = text.replace(ours, theirs)
    divided = DIVIDED if kernel != "transpose" else {"grid_div_x": ["block_size_x"], "grid_div_y": ["block_size_x * tile_y"]}
    return {
        "kernel_name": kernel, "kernel_source": text, "problem_size": (size, size), "arguments": arguments, "tune_params": space,
        "restrictions": restrictions, "answer": [answer] + [None] * (len(arguments) - 1), "lang": "CUPY" if device == "cuda" else "OpenCL",
        **divided, **more,
    }  # fmt: skip


TOOLS = {
    "tunekit": ("pytunekit", "combined"),
    "tunekit, 1 compiler": ("pytunekit", "combined"),
    "Kernel Tuner, genetic_algorithm": ("kernel_tuner", "genetic_algorithm"),
    "Kernel Tuner, hybrid_vndx": ("kernel_tuner", "hybrid_vndx"),
}


def searched(tool: str, kernel: str, given: argparse.Namespace, size: int, seed: int) -> dict[str, Any]:
    """A search in this process, which has just begun: when each configuration was done, and its time."""
    import random

    module, strategy = TOOLS[tool]
    began = datetime.datetime.now(datetime.timezone.utc).timestamp() - time.process_time()
    call = problem(kernel, given.device, size)
    made = datetime.datetime.now(datetime.timezone.utc).timestamp() - began  # arrays and answers, which both need
    random.seed(seed)
    if module == "pytunekit":
        call |= {"seconds": given.seconds, "strategy": strategy, "seed": seed, "race": False} | ({"compilers": 1} if "1 compiler" in tool else {})
    else:
        call |= {"strategy": strategy, "strategy_options": {"time_limit": given.seconds, "max_fevals": 10**6}, "seed": seed}
        sys.modules["numpy"].random.seed(seed)
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            results, _ = importlib.import_module(module).tune_kernel(**call, quiet=True)
        except RuntimeError:  # ours where none was measured in time
            results = []
    there = [r for r in results if isinstance(r.get("time"), float)]  # theirs has failures among them

    def when(row: dict[str, Any]) -> float:
        return datetime.datetime.fromisoformat(str(row["timestamp"])).timestamp() - began - made

    done = sorted((when(r), r["time"], {n: r[n] for n in call["tune_params"]}) for r in there)
    return {"done": done, "best": min(done, key=lambda d: d[1])[2] if done else None}


def drawn(kernel: str, device: str, size: int, n: int, seed: int) -> list[dict[str, Any]]:
    """So many different configurations that fulfil the restrictions."""
    import random

    call, draw = problem(kernel, device, size), random.Random(seed)
    out: list[dict[str, Any]] = []
    while len(out) < n:
        one = {name: draw.choice(values) for name, values in call["tune_params"].items()}
        if one not in out and all(eval(r, {}, one) for r in call["restrictions"]):
            out.append(one)
    return out


def alone(configurations: list[dict[str, Any]]) -> list[str]:
    """The restriction to these."""
    return [" or ".join("(" + " and ".join(f"{n} == {v}" for n, v in w.items()) + ")" for w in configurations)]


def same(tool: str, kernel: str, device: str, size: int, configurations: list[dict[str, Any]]) -> dict[str, Any]:
    """Measures these in this process: its seconds before the call, how many ran, and the seconds of their timed launches."""
    module = importlib.import_module(TOOLS[tool][0])
    call = problem(kernel, device, size) | {"restrictions": alone(configurations), "strategy": "brute_force"}
    call |= {"compilers": 1} if "1 compiler" in tool else {}
    before = time.process_time()
    with contextlib.redirect_stdout(io.StringIO()):
        results, _ = module.tune_kernel(**call, quiet=True)
    there = [r for r in results if isinstance(r.get("time"), float)]
    return {"before": before, "ran": len(there), "launches": sum(map(sum, (r["times"] for r in there))) / 1e3}


def cost_table(given: argparse.Namespace, sizes: dict[str, int]) -> None:
    """CPU seconds of the same configurations, of each seed in turns."""
    print(f"| kernel | system | CPU s of {given.same} configurations | of which timed launches | over Kernel Tuner, CPU |\n|---|---|---|---|---|")
    systems = ["tunekit", "Kernel Tuner, genetic_algorithm"]

    def shown(x: list[float]) -> str:
        return f"{statistics.median(x):.1f} ({min(x):.1f} to {max(x):.1f})"

    for kernel in given.kernels:
        took: dict[str, list[float]] = {tool: [] for tool in systems}
        launches: dict[str, list[float]] = {tool: [] for tool in systems}
        for k, seed in enumerate(given.seeds):
            chosen = json.dumps(drawn(kernel, given.device, sizes[kernel], given.same, seed))
            for tool in systems[k % len(systems) :] + systems[: k % len(systems)]:
                words = [sys.executable, os.path.abspath(__file__), "--device", given.device, "--with", tool, kernel, str(sizes[kernel]), chosen]
                seconds, output = cpu_seconds(words)
                said = json.loads(output.splitlines()[-1])
                assert said["ran"] == given.same, (tool, said)
                took[tool].append(seconds - said["before"])
                launches[tool].append(said["launches"])
        for tool in systems:
            ratios = [a / b for a, b in zip(took[tool], took[systems[-1]])]
            name = tool.split(",")[0]
            print(f"| {kernel} {sizes[kernel]} | {name} | {shown(took[tool])} | {shown(launches[tool])} | {shown(ratios)} |", flush=True)


def again(kernel: str, device: str, size: int, winners: list[dict[str, Any]]) -> list[float]:
    """The winners in turns, in this process: medians of 9 rounds in ms."""
    import kernel_tuner  # type: ignore[import-not-found, unused-ignore]

    call = problem(kernel, device, size)
    different = list({json.dumps(w, sort_keys=True): w for w in winners}.values())
    call["restrictions"] = alone(different)
    times: dict[str, list[float]] = {}
    for _ in range(9):
        with contextlib.redirect_stdout(io.StringIO()):
            results, _ = kernel_tuner.tune_kernel(**call, quiet=True)
        for r in results:
            times.setdefault(json.dumps({n: r[n] for n in call["tune_params"]}, sort_keys=True), []).append(r["time"])
    return [statistics.median(times[json.dumps(w, sort_keys=True)]) for w in winners]


def missing(device: str) -> str:
    """What is not here; empty where all is."""
    for name in ("pytunekit", "kernel_tuner", "numpy", "cupy" if device == "cuda" else "pyopencl"):
        try:
            there = importlib.import_module(name)
            if name == "cupy":
                there.cuda.Device(0).compute_capability
            if name == "pyopencl" and not [d for p in there.get_platforms() for d in p.get_devices()]:
                return "a device of OpenCL"
        except Exception as e:
            return f"{name}: {e}"
    return ""


def child(*words: object) -> Any:
    """What a process of its own says, which finds nothing that drivers have kept of kernels that others built."""
    _, said = cpu_seconds([sys.executable, os.path.abspath(__file__), *map(str, words)])
    return json.loads(said.splitlines()[-1])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=["cuda", "opencl"], default="cuda" if os.path.exists("/dev/nvidiactl") else "opencl")
    parser.add_argument("--seconds", type=float, default=18)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--sizes", type=int, nargs=3, help="of the product, the convolution and the transpose", default=None)
    parser.add_argument("--kernels", nargs="+", default=["product", "convolution", "transpose"])
    parser.add_argument("--same", type=int, default=0, help="how many configurations both measure, for the processor's seconds")
    parser.add_argument("--one", help=argparse.SUPPRESS, nargs=4)  # TOOL KERNEL SIZE SEED
    parser.add_argument("--with", help=argparse.SUPPRESS, nargs=4, dest="given")  # TOOL KERNEL SIZE CONFIGURATIONS
    parser.add_argument("--again", help=argparse.SUPPRESS, nargs=3)  # KERNEL SIZE WINNERS
    given = parser.parse_args()
    if any(size % 256 for size in given.sizes or []):
        parser.error("--sizes are multiples of 256")
    if given.one or given.again or given.given:
        if given.given:
            said: object = same(given.given[0], given.given[1], given.device, int(given.given[2]), json.loads(given.given[3]))
        elif given.one:
            said = searched(given.one[0], given.one[1], given, int(given.one[2]), int(given.one[3]))
        else:
            said = again(given.again[0], given.device, int(given.again[1]), json.loads(given.again[2]))
        print(json.dumps(said), flush=True)
        os._exit(0)  # a driver may abort as it is given back
    if lacks := missing(given.device):
        print(f"not run: there is no {lacks}")
        return 77
    sizes = dict(zip(["product", "convolution", "transpose"], given.sizes or ([2048, 4096, 4096] if given.device == "cuda" else [512, 1024, 2048])))
    if given.same:
        cost_table(given, sizes)
        return 0
    print("| kernel | seed | system | configurations | within 5 % of the best after, s | winner again, ms |\n|---|---|---|---|---|---|")
    for kernel in given.kernels:
        size = sizes[kernel]
        space = prod(len(v) for v in problem(kernel, given.device, size)["tune_params"].values())
        for seed in given.seeds:
            how = ["--device", given.device, "--seconds", given.seconds]
            found = {tool: child(*how, "--one", tool, kernel, size, seed) for tool in TOOLS}
            medians = child(*how, "--again", kernel, size, json.dumps([f["best"] for f in found.values() if f["best"]]))
            best = min(cost for f in found.values() for _, cost, _ in f["done"])
            for tool, f in found.items():
                after = next((f"{when:.1f}" for when, cost, _ in f["done"] if cost <= 1.05 * best), "never")
                median = f"{medians.pop(0):.4f}" if f["best"] else "-"
                print(f"| {kernel} {size} ({space} combinations) | {seed} | {tool} | {len(f['done'])} | {after} | {median} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
