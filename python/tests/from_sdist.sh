#!/bin/sh
# SPDX-License-Identifier: MIT
# from_sdist.sh BUILD [PYTHON...]: makes an sdist, and installs it as a user does who has no clone: in a new environment, with what pip brings,
# outside of the checkout. Then the first program of docs/python.md runs. Of several interpreters, by default python3, one that a wheel serves
# which another has made takes that. It wants build/python, which `scripts/needs python-test` makes, and PyPI.
set -eu
out=$(cd "$1" && pwd)/python/from_sdist
cd "$(dirname "$0")/.."
rm -rf "$out"
mkdir -p "$out"
../build/python/bin/python -c 'import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])' "$out" >"$out/log"
shift
cd /
for interpreter in ${*:-python3}; do
    environment=$out/environment-$(basename "$interpreter")
    "$interpreter" -m venv "$environment"
    "$environment/bin/pip" install --quiet --disable-pip-version-check --no-index --find-links "$out" --only-binary :all: pytunekit 2>/dev/null || {
        "$environment/bin/pip" wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$out" "$out"/pytunekit-*.tar.gz
        "$environment/bin/pip" install --quiet --disable-pip-version-check --no-index --find-links "$out" --only-binary :all: pytunekit
    }
    "$environment/bin/python" "$OLDPWD/tests/pages.py"
done
