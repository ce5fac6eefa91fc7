#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh BUILD: the Python package within what others drive it with: a cluster of Dask, mpi4py, libEnsemble, Kernel Tuner. It runs in
# build/python-engines, which `scripts/needs python-engines` makes. Exit status 77 where that or Python's headers are missing.
set -eu
root=$(cd "$(dirname "$0")/../../.." && pwd)
build=$1 name=python-engines group=python-engines
. "$root/python/tests/wheel.sh"
cd "$root/python/tests/engines"
"$python" -m pytest -q -p no:cacheprovider -p no:faulthandler
