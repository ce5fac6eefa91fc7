#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""names.py ROOT [--store]: what was public is public still, or users are told what to write instead.

names/MAJOR.MINOR.txt has the public names of a version, one a line, as `scripts/reference - --names` prints them. From 1.0 on a name of a version stays
until the next major one, and VERSION has its file: --store writes it, for a minor version that is ready. Where the newest file is of another major version,
a name of it that is gone stands in a left cell of a table of CHANGELOG.md's first entry, whole or without its outer namespaces, `io::{csv, t4}` for several.
"""
import itertools
import pathlib
import re
import subprocess
import sys


def expanded(text):
    """a{b, c}d as abd, acd."""
    found = re.search(r'\{([^{}]*)\}', text)
    if not found:
        return [text]
    return list(itertools.chain(*(expanded(text[:found.start()] + part.strip() + text[found.end():]) for part in found[1].split(','))))


def told(changelog):
    """The names that the left cells of the first entry's tables are about: the first of each code text."""
    entry = re.split(r'^## ', changelog, flags=re.M)[1]
    cells = [re.split(r'(?<!\\)\|', line)[1] for line in entry.split('\n') if line.startswith('| ')]
    words = itertools.chain(*(expanded(code) for cell in cells for code in re.findall(r'`([^`]*)`', cell)))
    return {re.sub(r'^(tunekit|tk)::', '', found[0]) for word in words if (found := re.match(r'[\w:]+', word))}


def main():
    root = pathlib.Path(sys.argv[1])
    done = subprocess.run([root / 'scripts' / 'reference', '-', '--names'], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        return done.returncode
    there = set(done.stdout.split())
    major, minor = (int(part) for part in (root / 'VERSION').read_text().split('.')[:2])
    own = root / 'tests' / 'hygiene' / 'names' / f'{major}.{minor}.txt'
    if sys.argv[2:] == ['--store']:
        own.write_text(f'# The public names of {own.stem}, as scripts/reference - --names prints them.\n' + ''.join(f'{name}\n' for name in sorted(there)))
        return 0
    releases = sorted((root / 'tests' / 'hygiene' / 'names').glob('*.txt'), key=lambda path: [int(n) for n in path.stem.split('.')])
    names_of = {path: {line for line in path.read_text().split('\n') if line and not line.startswith('#')} for path in releases}
    before = names_of[releases[-1]]
    changelog = (root / 'CHANGELOG.md').read_text()
    listed = told(changelog)
    bad = []
    promised = [path for path in releases if major >= 1 and int(path.stem.split('.')[0]) == major]
    if major >= 1 and own not in promised:
        bad.append(f'no list of the names of {own.stem}: python3 tests/hygiene/names.py . --store')
    gone = {name: path.stem for path in reversed(promised) for name in names_of[path] - there}  # by the first version that had it
    bad += [f'{name} is public since {gone[name]} and is gone: it stays until {major + 1}.0' for name in sorted(gone)]
    for name in sorted(before - there - gone.keys()):
        parts = name.split('::')[1:]
        if not any('::'.join(parts[at:]) in listed for at in range(len(parts))):
            bad.append(f'{name} was public in {releases[-1].stem} and is gone: CHANGELOG.md does not say what to write instead')
    words = re.search(r'^## Start here\n(.*?)^## ', (root / 'docs' / 'words.md').read_text(), re.S | re.M)[1]
    for word in re.findall(r'`([\w:]*\w)`', words):
        if f'tunekit::{word}' in before - there:
            bad.append(f'tunekit::{word} is gone, and docs/words.md says to start with it')
    for line in bad:
        print(f'names: {line}')
    print(f'names: {len(before)} of {releases[-1].stem}, {len(before & there)} of them are there')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
