#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh BUILD: builds the wheel of the Python package in BUILD/python and tries it: its size, pytest, the types, and what C++ does with the
# same seed and logs. It runs in build/python, which `scripts/needs python-test` makes. Exit status 77 where that or Python's headers are
# missing.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$1 name=python group=python-test
. "$root/python/tests/wheel.sh"
[ "$bytes" -lt 1400000 ] || { echo "want a wheel below 1.4 MB" && exit 1; }

# What the module is compiled from stands in the sdist.
rm -rf "$out/sdist"
(cd "$root/python" && "$python" -c 'import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])' "$out/sdist" >"$out/log")
tar -tzf "$out"/sdist/pytunekit-*.tar.gz | sed 's|^[^/]*/||' | sort >"$out/there"
(cd "$out/objects" && PATH=$environment/bin:$PATH ninja -t deps | sed -n 's/^    //p' | xargs realpath -q | sort -u) |
    sed -n "s|^$root/||p" | sed '/^build\//d; s|^python/||; t; s|^|cpp/|' | sort >"$out/wanted"
[ -s "$out/wanted" ] || { echo "nothing is known of what the module is compiled from" && exit 1; }
comm -13 "$out/there" "$out/wanted" | sed 's/$/ is not in the sdist/' | grep . && exit 1

cmake --build "$build" --target python_same_proposals --target tune_report --target emulated_cuda
export TUNEKIT_SAME_PROPOSALS="$build/tests/python_same_proposals"
export TUNEKIT_TUNE_REPORT="$build/tools/tune_report"
export TUNEKIT_EMULATED_CUDA="$build/tests/libemulated_cuda.so"  # scripts in CUDA run without a device
cd "$root/python/tests"  # not beside the sources, which Python would take for the package
"$python" -m pytest -q -p no:cacheprovider -p no:faulthandler --ignore=engines
MYPYPATH=$out/site "$python" -m mypy --strict --config-file= --cache-dir="$out/mypy" -p pytunekit
"$python" -m mypy --strict --config-file= --cache-dir="$out/mypy" ./*.py ../reference.py
"$python" pages.py --all >"$out/listings.py"  # whose functions say no types
"$python" -m mypy --strict --allow-untyped-defs --allow-untyped-calls --config-file= --cache-dir="$out/mypy" "$out/listings.py"
"$python" ../reference.py "$out/reference.md"
