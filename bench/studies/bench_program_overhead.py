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
    """Times of runs, seconds of all, and processor seconds of a run, as hyperfine has them."""
    begun = time.monotonic()
    out = os.path.join(folder, "hyperfine.json")
    text = " ".join(f"'{w}'" for w in words)
    subprocess.run([*held, "hyperfine", "-N", "--warmup", "3", "--runs", str(given.runs), "--export-json", out, text],
                   check=True, capture_output=True)
    seconds = time.monotonic() - begun
    with open(out, encoding="utf-8") as file:
        one = json.load(file)["results"][0]
    return one["times"], seconds, one["user"] + one["system"]


def costs(cost, words, folder):
    """The costs of the runs of one configuration, from the log of tune_command."""
    log = os.path.join(folder, "ours.jsonl")
    if os.path.exists(log):
        os.remove(log)
    subprocess.run([*held, given.tune_command, "--parameter", "x=1", "--env", "X={x}", "--warmup", "3", "--repeat",
                    str(given.runs), "--cost", cost, "--no-checks", "--trials", "1", "--seconds", "600", "--strategy",
                    "random", "--log", log, "--", *words], check=True, capture_output=True)
    with open(log, encoding="utf-8") as file:
        return next(line for line in map(json.loads, file) if "tell" in line)["batches"]


def ours(words, folder):
    """The same of tune_command: the processor seconds are those of a second run, whose cost they are."""
    begun = time.monotonic()
    times = costs("wall", words, folder)
    return times, time.monotonic() - begun, statistics.mean(costs("cpu", words, folder))


model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo", encoding="utf-8") if "model name" in line),
             platform.machine())
theirs = subprocess.run(["hyperfine", "--version"], capture_output=True, text=True, check=True).stdout.strip()
print(f"{model}, load {os.getloadavg()[0]:.1f}, {time.strftime('%Y-%m-%d')}, {'unpinned' if given.unpinned else 'one processor'}, "
      f"{given.runs} runs, median of {given.rounds} rounds, tune_command / {theirs}")
print("| program | machine | median, ms | ratio | least, ms | ratio | CPU, ms | ratio | starts/s | ratio |")
print("|---|---|---|---|---|---|---|---|---|---|", flush=True)
with tempfile.TemporaryDirectory() as folder:
    for load in ("quiet", "two busy"):
        busy = [subprocess.Popen(held + ["sh", "-c", "while :; do :; done"]) for _ in range(2 if load != "quiet" else 0)]
        try:
            time.sleep(0.5)
            for name, words in programs.items():
                seen = {hyperfine: [], ours: []}
                for _ in range(given.rounds):
                    for measure, of in seen.items():
                        times, seconds, cpu = measure(words, folder)
                        of.append((statistics.median(times), min(times), cpu, (given.runs + 3) / seconds))
                a, b = ([statistics.median(x) for x in zip(*seen[who])] for who in (ours, hyperfine))
                cells = []
                for k, scale in enumerate((1e3, 1e3, 1e3, 1)):
                    cells += [f"{a[k] * scale:.3g} / {b[k] * scale:.3g}", f"{a[k] / b[k]:.2f}"]
                print("| " + " | ".join([name, load, *cells]) + " |", flush=True)
        finally:
            for process in busy:
                process.kill()
                process.wait()
