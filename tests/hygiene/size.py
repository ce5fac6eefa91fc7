#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""size.py ROOT: the library stays as large as a reader can hold: no larger than bounds.txt beside this file allows.

The core is include/. Of a package counts what it consists of: everything in C++ but its tests, examples and recordings, and the units that programs
compile of kernels, table and operators.
"""
import pathlib
import subprocess
import sys

import bounds

APART = {'tests', 'examples', 'recordings', 'table', 'operators'}
SOURCES = {'.hpp', '.h', '.ipp', '.inl', '.cpp', '.cu'}


def lines(files):
    return sum(path.read_text().count('\n') for path in files)


def names(root, *only):
    """How many public names scripts/reference tells; ends where it cannot."""
    done = subprocess.run([root / 'scripts' / 'reference', '-', '--names', *only], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(done.returncode)
    return len(done.stdout.split())


def main():
    root = pathlib.Path(sys.argv[1])
    core = [path for path in (root / 'include').rglob('*') if path.is_file()]
    packages = [path for path in root.glob('packages/*/*/**/*') if path.suffix in SOURCES and path.relative_to(root).parts[2] not in APART]
    packages += [path for path in root.glob('packages/*/*') if path.suffix in SOURCES]
    counted = {
        'lines of the core': lines(core),
        'headers of the core': sum(path.suffix == '.hpp' for path in core),
        'public names of the core': names(root, '--core'),
        'public names of all': names(root),
        'lines of core and packages': lines(core + packages),
    }
    most = bounds.read(root)
    for what, count in counted.items():
        print(f'size: {count:6} {what}, at most {most[what]}{"" if count <= most[what] else ": TOO MANY"}')
    return int(any(count > most[what] for what, count in counted.items()))


if __name__ == '__main__':
    sys.exit(main())
