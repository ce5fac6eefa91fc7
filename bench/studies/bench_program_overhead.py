#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bench_program_overhead.py TUNE_COMMAND [--runs 300] [--rounds 5] [--unpinned]: how closely tune_command times a program,
beside `hyperfine -N`: `true` and a program of about 10 ms, quiet and beside two busy processes, both programs in turn in one
run, on one processor unless --unpinned. The table for docs/command_line.md; the ratios are tune_command's over hyperfine's.
"""
import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("tune_command")
parser.add_argument("--runs", type=int, default=300)
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--unpinned", action="store_true")
given = parser.parse_args()
held = [] if given.unpinned else ["taskset", "-c", str(sorted(os.sched_getaffinity(0))[-1])]
programs = {"true": ["/bin/true"], "10 ms": ["/bin/sh", "-c", "i=0; while [ $i -lt 12000 ]; do i=$((i+1)); done"]}


def hyperfine(words, folder):
    """Times, and processor seconds of a run, as hyperfine has them."""
    out = os.path.join(folder, "hyperfine.json")
    text = " ".join(f"'{w}'" for w in words)
    subprocess.run([*held, "hyperfine", "-N", "--warmup", "3", "--runs", str(given.runs), "--export-json", out, text],
                   check=True, capture_output=True)
    with open(out, encoding="utf-8") as file:
        one = json.load(file)["results"][0]
    return one["times"], one["user"] + one["system"]


def ours(words, folder):
    """The same of tune_command, from its log."""
    log = os.path.join(folder, "ours.jsonl")
    if os.path.exists(log):
        os.remove(log)
    # One configuration; its name is an argument that the program ignores.
    subprocess.run([*held, given.tune_command, "--parameter", "x=1", "--env", "X={x}", "--warmup", "3", "--repeat",
                    str(given.runs), "--number", "cpu=cpu", "--no-checks", "--trials", "1", "--seconds", "600",
                    "--strategy", "random", "--log", log, "--", *words], check=True, capture_output=True)
    with open(log, encoding="utf-8") as file:
        told = next(line for line in map(json.loads, file) if "tell" in line)
    return told["batches"], told["measured"][0]


rows = []
with tempfile.TemporaryDirectory() as folder:
    for load in ("quiet", "two busy"):
        busy = [subprocess.Popen(held + ["sh", "-c", "while :; do :; done"]) for _ in range(2 if load != "quiet" else 0)]
        time.sleep(0.5)
        for name, words in programs.items():
            seen = {"ours": [], "hyperfine": []}
            for _ in range(given.rounds):
                for who, measure in (("hyperfine", hyperfine), ("ours", ours)):
                    begun = time.monotonic()
                    times, cpu = measure(words, folder)
                    seconds = time.monotonic() - begun
                    seen[who].append((statistics.median(times), min(times), cpu, (given.runs + 3) / seconds))
            rows.append((name, load, {who: [statistics.median(x) for x in zip(*of)] for who, of in seen.items()}))
        for process in busy:
            process.kill()
            process.wait()

model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo", encoding="utf-8") if "model name" in line),
             platform.machine())
print(f"{model}, {time.strftime('%Y-%m-%d')}, {'unpinned' if given.unpinned else 'one processor'}, "
      f"{given.runs} runs, median of {given.rounds} rounds, {' '.join(subprocess.run(['hyperfine', '--version'], capture_output=True, text=True, check=True).stdout.split())}")
print("| program | machine | median | ratio | least | ratio | CPU | ratio | starts/s | ratio |")
print("|---|---|---|---|---|---|---|---|---|---|")
for name, load, of in rows:
    cells = []
    for k, scale in enumerate((1e3, 1e3, 1e3, 1)):
        a, b = of["ours"][k] * scale, of["hyperfine"][k] * scale
        cells += [f"{a:.3g} / {b:.3g}", f"{a / b:.2f}"]
    print("| " + " | ".join([name, load, *cells]) + " |")
sys.exit(0)
