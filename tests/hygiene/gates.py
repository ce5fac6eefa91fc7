#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""gates.py ROOT COMPILER [GATE...]: each gate of texts fails on what it is for, and says so.

A copy of the tree is spoilt as gates.txt beside this file says, the gate runs there, and must fail and say what is wanted. Of the sizes each is padded
by 5 %, or beyond its bound where that is further. The bounds get a history.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import bounds

HERE = pathlib.Path('tests/hygiene')
APART = {'reach', 'compiled', 'wants', 'start_here', 'listings', 'startup', 'startup_library'}  # those with a tree of their own


def command_of(gate, compiler):
    scripts = {
        'umbrellas': ['sh', 'scripts/umbrellas', '--check'],
        'reference': ['python3', 'scripts/reference', 'reference'],
        'prose': ['python3', HERE / 'pages.py', '.'],
        'names': ['python3', HERE / 'names.py', '.'],
        'claims': ['python3', 'scripts/claims', '--check'],
        'names_kept': ['python3', HERE / 'names.py', '.'],
        'edge': ['python3', HERE / 'edge.py', '.'],
        'version': ['sh', HERE / 'version.sh', '.', '0.0'],
        'listings': ['sh', HERE / 'listings/listings.sh', '.', 'listings', compiler],
        'startup': ['sh', '-c', f'{compiler} -c spoilt.cpp -o spoilt.o && sh {HERE}/startup.sh spoilt.o'],
        'startup_library': ['sh', '-c', f'{compiler} -c spoilt.cpp -o spoilt.o && sh {HERE}/startup.sh --library spoilt.o'],
    }
    return scripts.get(gate) or ['sh', HERE / f'{gate}.sh', '.', *([compiler, '-Iinclude'] if gate in APART else [])]


class Tree:
    """A copy of the tree, or a tree of gates alone, in which files are spoilt and come back."""

    def __init__(self, root, to, whole):
        self.root, self.was = to, {}
        to.mkdir()
        for path in root.iterdir() if whole else [root / HERE]:
            if path.is_dir() and not re.match(r'build|\.git$|\.cache$', path.name):
                shutil.copytree(path, to / path.relative_to(root), symlinks=True, ignore=shutil.ignore_patterns('__pycache__', '.*_cache', '*.so'))
            elif path.is_file():
                shutil.copy(path, to)
        names = {}
        if whole:
            if shutil.which('git'):
                subprocess.run(['git', 'init', '-q'], cwd=to, check=True)
            if (root / 'build' / 'reference').is_file():  # what clang told of headers
                (to / 'build').mkdir()
                shutil.copy(root / 'build' / 'reference', to / 'build')
            floors = re.findall(r'^(\w+):(?!.*package)', (root / 'cmake' / 'floors.txt').read_text(), re.M)
            package = min(root.glob('packages/*/include')).parent.name
            names = {'core': min((root / 'include/tunekit/core').glob('*.hpp')), 'floor': next(floor for floor in floors if floor != 'core'), 'package': package,
                     'header': min((root / f'packages/{package}/include').rglob('*.hpp'))}
        self.names = {name: str(path.relative_to(root) if isinstance(path, pathlib.Path) else path) for name, path in names.items()}

    def named(self, text):
        """With what {core}, {floor}, {package} and {header} stand for."""
        for name, what in self.names.items():
            text = text.replace(f'{{{name}}}', what)
        return text

    def spoil(self, file, text):
        """Appends to a file, or replaces in it."""
        path = self.root / self.named(file)
        path.parent.mkdir(parents=True, exist_ok=True)
        before = path.read_text() if path.exists() else None
        self.was.setdefault(path, before)
        text = self.named(text).replace('\\n', '\n')
        replaces = re.fullmatch(r's/(.*)/(.*)/', text, re.S)
        path.write_text(re.sub(*replaces.groups(), before, flags=re.M) if replaces else (before or '') + (text and text + '\n'))

    def restore(self):
        for path, text in self.was.items():
            if text is not None:
                path.write_text(text)
                continue
            path.unlink()
            while not any(path.parent.iterdir()):
                path = path.parent
                path.rmdir()
        self.was = {}

    def run(self, command):
        """(its exit status, what it says)."""
        done = subprocess.run(command, cwd=self.root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout


def wanted(gate, tree, wants, command):
    """Whether a gate fails as it shall, 77 where it is skipped; prints what it does not say."""
    status, said = tree.run(command)
    if status == 77:
        print(f'gates: {gate} is skipped here: {said}')
        return 77
    lacks = [want for want in wants if not re.search('.*'.join(map(re.escape, want.split('%'))), said)]
    for want in lacks:
        print(f"gates: {gate} does not say '{want}'")
    if status == 0:
        print(f'gates: {gate} passes a tree that is spoilt')
    if lacks or status == 0:
        print(said)
    return bool(status and not lacks)


def spoilt(gate, tree, rows, compiler):
    for file, text, _ in rows:
        tree.spoil(file, text)
    good = wanted(gate, tree, [tree.named(want) for *_, want in rows if want], command_of(gate, compiler))
    tree.restore()
    return good


def padded(tree):
    """Whether each size is told that is padded, the core's and the packages', 77 where names are not read."""
    size = ['python3', HERE / 'size.py', '.']
    status, said = tree.run(size)
    if status == 77:
        return 77
    counted = {what: max(int(count) // 20, int(most) - int(count)) + 1 for count, what, most in re.findall(r'^size: +(\d+) (.*), at most (\d+)', said, re.M)}

    def names(what, space):
        return f'namespace tunekit::{space} {{\n' + '\n'.join(f'/// Pads.\nusing padded_{i} = int;' for i in range(counted[what])) + '\n}'

    def told(*whats):
        good = wanted('size', tree, [f' {what}, at most %: TOO MANY' for what in whats], size)
        tree.restore()
        return good

    tree.spoil('{core}', '//\n' * counted['lines of the core'])
    tree.spoil('include/tunekit/core/padded.hpp', names('public names of the core', 'core'))
    for i in range(counted['headers of the core']):
        tree.spoil(f'include/tunekit/core/padded_{i}.hpp', '')
    good = told('lines of the core', 'headers of the core', 'public names of the core')
    half = counted['lines of core and packages'] // 2 + 1
    tree.spoil('packages/{package}/padded.cpp', '//\n' * half)
    tree.spoil('packages/{package}/src/padded.cpp', '//\n' * half)
    tree.spoil('packages/{package}/include/tunekit/{package}/padded.hpp', names('public names of all', tree.names['package']))
    return told('public names of all', 'lines of core and packages') and good


def history(tree):
    """Whether a bound that is raised beside something else is told, in commits, in merges and before either."""
    def git(*words):
        subprocess.run(['git', '-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'init.defaultBranch=main', *words], cwd=tree.root, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def write(**files):
        for name, text in files.items():
            path = tree.root / {'most': bounds.FILE, 'why': bounds.REASONS}.get(name, name)
            path.parent.mkdir(exist_ok=True)
            path.write_text(f'{text}\n')

    def commit(**files):
        write(**files)
        git('add', '.')
        git('commit', '-q', '-m', 'a')

    def passes(what):
        status, said = tree.run(command)
        if status:
            print(f'gates: bounds does not pass {what}:\n{said}')
        return status == 0

    command = ['python3', HERE / 'bounds.py', '.']
    git('init', '-q')
    commit(most='10 things\n1 other\n7 more', a='1')
    good = [passes('the first commit')]
    commit(most='9 things\n1 other\n7 more', a='2')
    good += [passes('a number that is lowered')]
    write(most='12 things\n1 other\n7 more', why='1')
    good += [passes('a reason beside the bounds, before it is committed')]
    write(a='3')
    good += [wanted('bounds', tree, ['things: what is not committed raised 9 to 12'], command)]
    commit()
    commit(why='2')
    good += [wanted('bounds', tree, ['things: % raised 9 to 12'], command)]
    commit(most='9 things\n1 other\n7 more')
    good += [passes('a number that is taken back')]
    commit(most='12 things\n1 other\n7 more', why='3')
    good += [passes('a raise of its own')]
    commit(most='12 things\n1 other', a='4')
    good += [wanted('bounds', tree, ['more: % raised 7 to none'], command)]
    git('reset', '-q', '--hard', 'HEAD^')
    git('checkout', '-q', '-b', 'side')
    commit(most='8 things\n1 other\n7 more', a='5')
    git('checkout', '-q', 'main')
    commit(b='1')
    git('merge', '-q', '--no-commit', 'side')
    commit(most='12 things\n1 other\n7 more')
    good += [wanted('bounds', tree, ['things: % raised 8 to 12'], command)]
    git('reset', '-q', '--hard', 'HEAD^')
    commit(most='12 things\n1 other\n9 more', why='4')
    git('merge', '-q', '-m', 'a', 'side')
    return all([*good, passes('a merge of what was lowered here and raised there')])


def main():
    root, compiler, *only = sys.argv[1:]
    root = pathlib.Path(root).resolve()
    rows = [[part.strip() for part in re.split(r'(?<= )\|(?= |$)', line)] for line in (root / HERE / 'gates.txt').read_text().split('\n') if line and line[0] != '#']
    good = []
    with tempfile.TemporaryDirectory() as folder:
        whole, apart = Tree(root, pathlib.Path(folder, 'whole'), True), Tree(root, pathlib.Path(folder, 'apart'), False)
        gates = dict.fromkeys(gate for gate, *_ in rows)
        for gate in gates:
            if not only or gate in only:
                good.append(spoilt(gate, apart if gate in APART else whole, [row[1:] for row in rows if row[0] == gate], compiler))
        if not only or 'size' in only:
            good.append(padded(whole))
        if (not only or 'bounds' in only) and shutil.which('git'):
            good.append(history(apart))
    print(f'gates: {good.count(True)} of {len(good)} fail as they shall')
    return 1 if False in good else 77 if 77 in good else 0


if __name__ == '__main__':
    sys.exit(main())
