# SPDX-License-Identifier: MIT
# wheel.sh, read by others that set root, build, name and group: builds the wheel of the Python package in $build/$name, with what build/$name has, which
# `scripts/needs` makes for the group $group, and installs it beside. Sets out, python and bytes, and PYTHONPATH.
# Exit status 77 where the environment or Python's headers are missing.
environment=$root/build/$name
python=$environment/bin/python
if [ ! -e "$environment/packages" ]; then
    echo "skipped: the Python package is not tried, there is no build/$name: run scripts/needs $group"
    exit 77
fi
if ! "$python" -c 'import os, pip, sysconfig; raise SystemExit(not os.path.exists(sysconfig.get_paths()["include"] + "/Python.h"))' 2>/dev/null; then
    echo "skipped: the Python package is not tried, build/$name is of a Python whose headers are gone: run scripts/needs $group"
    exit 77
fi
out=$build/$name
mkdir -p "$out"
export CCACHE_BASEDIR="${CCACHE_BASEDIR-$root}" CCACHE_NOHASHDIR=1 SKBUILD_BUILD_DIR="$out/objects"
[ -n "${CMAKE_CXX_COMPILER_LAUNCHER-}" ] || ! command -v ccache >/dev/null 2>&1 || export CMAKE_CXX_COMPILER_LAUNCHER=ccache
rm -rf "$out/wheel" "$out/site"
PATH=$environment/bin:$PATH "$python" -m pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps -w "$out/wheel" "$root/python"
wheel=$(ls "$out"/wheel/pytunekit-*.whl)
bytes=$(wc -c <"$wheel")
echo "$(basename "$wheel"): $bytes bytes"
"$python" -m pip install --quiet --disable-pip-version-check --no-deps --target "$out/site" "$wheel"
export PYTHONPATH="$out/site" PYTHONDONTWRITEBYTECODE=1
