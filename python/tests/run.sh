#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh BUILD: builds the wheel of the Python package in BUILD/python and tries it: its size, pytest, the types, and what C++ does with the
# same seed and logs. It runs in build/python, which `scripts/needs python-test` makes. Exit status 77 where that or Python's headers are
# missing.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$1
environment=$root/build/python
python=$environment/bin/python
if [ ! -e "$environment/packages" ]; then
    echo "skipped: the Python package is not tried, there is no build/python: run scripts/needs python-test"
    exit 77
fi
if ! "$python" -c 'import os, pip, sysconfig; raise SystemExit(not os.path.exists(sysconfig.get_paths()["include"] + "/Python.h"))' 2>/dev/null; then
    echo "skipped: the Python package is not tried, build/python is of a Python whose headers are gone: run scripts/needs python-test"
    exit 77
fi
out=$build/python
mkdir -p "$out"
export CCACHE_BASEDIR="${CCACHE_BASEDIR-$root}" CCACHE_NOHASHDIR=1 SKBUILD_BUILD_DIR="$out/objects"
[ -n "${CMAKE_CXX_COMPILER_LAUNCHER-}" ] || ! command -v ccache >/dev/null 2>&1 || export CMAKE_CXX_COMPILER_LAUNCHER=ccache
rm -rf "$out/wheel" "$out/site"
PATH=$environment/bin:$PATH "$python" -m pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps -w "$out/wheel" "$root/python"
wheel=$(ls "$out"/wheel/tunekit-*.whl)
bytes=$(wc -c <"$wheel")
echo "$(basename "$wheel"): $bytes bytes"
[ "$bytes" -lt 1000000 ] || { echo "want a wheel below 1 MB" && exit 1; }
"$python" -m pip install --quiet --disable-pip-version-check --no-deps --target "$out/site" "$wheel"

cmake --build "$build" --target python_same_proposals --target tune_report
export TUNEKIT_SAME_PROPOSALS="$build/tests/python_same_proposals"
export TUNEKIT_TUNE_REPORT="$build/tools/tune_report"
export PYTHONPATH="$out/site" PYTHONDONTWRITEBYTECODE=1
cd "$root/python/tests"  # not beside the sources, which Python would take for the package
"$python" -m pytest -q -p no:cacheprovider -p no:faulthandler
MYPYPATH=$out/site "$python" -m mypy --strict --config-file= --cache-dir="$out/mypy" -p tunekit
"$python" -m mypy --strict --config-file= --cache-dir="$out/mypy" ./*.py ../reference.py
"$python" ../reference.py "$out/reference.md"
