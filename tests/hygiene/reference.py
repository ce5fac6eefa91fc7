#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""reference.py ROOT CLANG FLAG...: no public name is missing from the API reference, which scripts/reference writes.

The compiler's own list of names is the oracle. From it go members, templates' parameters and those of requires expressions.
"""
import pathlib
import re
import subprocess
import sys
import tempfile


def main():
    root, clang, flags = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
    includes = [root / 'include', *sorted(root.glob('packages/*/include'))]
    headers = sorted(path for include in includes for path in include.glob('tunekit/**/*.hpp'))
    spaces, parameters = set(), set()
    for path in headers:
        text, stack = path.read_text(), []
        for line in text.split('\n'):
            opened = re.match(r'(?:inline )?namespace ([\w:]+) \{(\})?', line)
            if opened and not opened[2]:
                stack.append(opened[1])
                spaces.add('::'.join(stack))
            elif line.startswith('}  // namespace'):
                stack.pop()
        for given in re.findall(r'requires\s*\(([^{]*)\)\s*\{|template\s*<([^;{]*?)>\s*\n', text):
            parameters |= {a or b for a, b in re.findall(r'\([*&]+(\w+)\)|(\w+)\s*(?:,|$)', given[0] or given[1])}
    with tempfile.TemporaryDirectory() as scratch:
        every = pathlib.Path(scratch) / 'every.cpp'
        mpi = next(pathlib.Path('/usr/lib').glob('*/openmpi/include/mpi.h'), None)
        if mpi:
            flags += ['-isystem', mpi.parent]
        public = (re.sub('^.*/include/', '', str(p)) for p in headers if 'detail' not in p.parts and (mpi or '/tunekit/mpi' not in str(p)))
        every.write_text(''.join(f'#if __has_include("{p}")\n#include "{p}"\n#endif\n' for p in public))
        command = [clang, '-std=c++20', *flags, '-fsyntax-only', '-Xclang', '-ast-list', every]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            print(done.stderr)
            return 1
        listed = done.stdout
    there = set()
    for name in {n.strip() for n in listed.split('\n')} - spaces:
        space, _, last = name.rpartition('::')
        if space in spaces and re.fullmatch(r'\w+', last) and 'operator' not in last and 'detail' not in space.split('::'):
            there.add(name)
    done = subprocess.run([root / 'scripts' / 'reference', '-', '--names'], capture_output=True, text=True)
    print(done.stderr, end='')
    told = {name for name in done.stdout.split() if mpi or not name.startswith('tunekit::mpi::')}
    missing = {name for name in there - told if name.rpartition('::')[2] not in parameters}
    for name in sorted(missing):
        print(f'reference: {name} is missing')
    for name in sorted(told - there):
        print(f'reference: {name} is no name of the library')
    if len(there) < 500:
        print(f'reference: the compiler told {len(there)} names, want all')
    return 1 if done.returncode or missing or told - there or len(there) < 500 else 0


if __name__ == '__main__':
    sys.exit(main())
