#!/bin/sh
# SPDX-License-Identifier: MIT
# from_sdist.sh BUILD: makes an sdist, and installs it as a user does who has no clone: in a new environment, with what pip brings, outside of
# the checkout. Then the first program of docs/python.md runs. It wants build/python, which `scripts/needs python-test` makes, and PyPI.
set -eu
out=$(cd "$1" && pwd)/python/from_sdist
cd "$(dirname "$0")/.."
rm -rf "$out"
mkdir -p "$out"
../build/python/bin/python -c 'import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])' "$out" >"$out/log"
python3 -m venv "$out/environment"
cd /
"$out/environment/bin/pip" wheel --quiet --disable-pip-version-check --wheel-dir "$out" "$out"/pytunekit-*.tar.gz
"$out/environment/bin/pip" install --quiet --disable-pip-version-check "$out"/pytunekit-*.whl
"$out/environment/bin/python" "$OLDPWD/tests/pages.py"
