#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""size.py ROOT: the library stays as large as a reader can hold. Who raises a bound says why in docs/rationale.md, "The size of the house"."""
import pathlib
import re
import subprocess
import sys

MAX = {
    'lines of the core': 43910,
    'headers of the core, besides umbrellas': 311,
    'public names of the core': 584,
    'lines of headers, core and packages': 74720,
}


def is_umbrella(text):
    """Whether a header does nothing but include others."""
    return all(not line.strip() or re.match(r'\s*(//|#\s*(pragma once|include|if|else|endif))', line) for line in text.split('\n'))


def main():
    root = pathlib.Path(sys.argv[1])
    core = {path: path.read_text() for path in (root / 'include').rglob('*') if path.is_file()}
    packages = [path.read_text() for path in root.glob('packages/*/include/**/*') if path.is_file()]
    done = subprocess.run([root / 'scripts' / 'reference', '-', '--names', '--core'], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        return done.returncode
    lines = sum(text.count('\n') for text in core.values())
    counted = {
        'lines of the core': lines,
        'headers of the core, besides umbrellas': sum(path.suffix == '.hpp' and not is_umbrella(text) for path, text in core.items()),
        'public names of the core': len(done.stdout.split()),
        'lines of headers, core and packages': lines + sum(text.count('\n') for text in packages),
    }
    for what, count in counted.items():
        print(f'size: {count:6} {what}, at most {MAX[what]}{"" if count <= MAX[what] else ": TOO MANY"}')
    return int(any(count > MAX[what] for what, count in counted.items()))


if __name__ == '__main__':
    sys.exit(main())
