# SPDX-License-Identifier: MIT
# wheel.sh BUILD ENVIRONMENT GROUP, read by others: builds the wheel of the Python package in BUILD/ENVIRONMENT, with what
# build/ENVIRONMENT has, which `scripts/needs GROUP` makes, and installs it beside. Sets root, build, out, python and bytes, and PYTHONPATH.
# Exit status 77 where the environment or Python's headers are missing.
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$1
environment=$root/build/$2
python=$environment/bin/python
if [ ! -e "$environment/packages" ]; then
    echo "skipped: the Python package is not tried, there is no build/$2: run scripts/needs $3"
    exit 77
fi
if ! "$python" -c 'import os, pip, sysconfig; raise SystemExit(not os.path.exists(sysconfig.get_paths()["include"] + "/Python.h"))' 2>/dev/null; then
    echo "skipped: the Python package is not tried, build/$2 is of a Python whose headers are gone: run scripts/needs $3"
    exit 77
fi
out=$build/$2
mkdir -p "$out"
export CCACHE_BASEDIR="${CCACHE_BASEDIR-$root}" CCACHE_NOHASHDIR=1 SKBUILD_BUILD_DIR="$out/objects"
[ -n "${CMAKE_CXX_COMPILER_LAUNCHER-}" ] || ! command -v ccache >/dev/null 2>&1 || export CMAKE_CXX_COMPILER_LAUNCHER=ccache
rm -rf "$out/wheel" "$out/site"
PATH=$environment/bin:$PATH "$python" -m pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps -w "$out/wheel" "$root/python"
wheel=$(ls "$out"/wheel/tunekit-*.whl)
bytes=$(wc -c <"$wheel")
echo "$(basename "$wheel"): $bytes bytes"
"$python" -m pip install --quiet --disable-pip-version-check --no-deps --target "$out/site" "$wheel"
export PYTHONPATH="$out/site" PYTHONDONTWRITEBYTECODE=1
