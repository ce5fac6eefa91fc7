#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bounds.py ROOT: no bound of bounds.txt was raised, or dropped, beside other changes.

Every commit is looked at, and what is not committed as one more. One that raises a bound touches bounds.txt and docs/rationale.md and nothing else;
otherwise the lower number goes on to hold, until such a commit comes. A merge raises nothing: where its parents differ, what one of them changed since
they parted holds, the lowest if several did. An export has no history and a shallow clone the end of one: then a line says so.
"""
import collections
import math
import pathlib
import re
import shutil
import subprocess
import sys

FILE, REASONS = 'tests/hygiene/bounds.txt', 'docs/rationale.md'


def parsed(text):
    return {what: int(number) for number, what in re.findall(r'^(\d+) (.*)$', text, re.M)}


def read(root):
    """What gates hold: {what: the most of it}."""
    return parsed((root / FILE).read_text())


def git(root, *words, given=None, check=True):
    return subprocess.run(['git', '-c', 'safe.directory=*', *words], cwd=root, input=given, check=check, stdout=subprocess.PIPE, text=True).stdout


class History:
    """What holds after each commit, and of what does not, which commit raised it."""

    def __init__(self, root):
        self.root, self.holds, self.raised = root, {}, {}
        commits = [line.split() for line in self.git('rev-list', '--topo-order', '--reverse', '--parents', 'HEAD').splitlines()]
        files = self.git('cat-file', '--batch-check=%(objectname)', given=''.join(f'{commit}:{FILE}\n' for commit, *_ in commits)).splitlines()
        texts = {file: '' if file.endswith(' missing') else self.git('cat-file', 'blob', file) for file in set(files)}
        for (commit, *parents), file in zip(commits, files):
            self.take(commit, parents, texts[file])
        self.take(None, commits[-1][:1], (root / FILE).read_text())
        self.commits = len(commits)

    def git(self, *words, **more):
        return git(self.root, *words, **more)

    def touched(self, commit, parents):
        """The files that a commit changes, None being what is not committed; of a merge none."""
        if commit is None:
            return (self.git('diff', '--name-only', 'HEAD') + self.git('ls-files', '--others', '--exclude-standard')).splitlines()
        return self.git('diff-tree', '-r', '--name-only', *parents, commit).splitlines() if len(parents) == 1 else []

    def before(self, parents):
        """What holds where a commit begins."""
        of = [self.holds[parent] for parent in parents] or [{}]
        if all(one == of[0] for one in of):
            return of[0]
        base = self.holds.get(self.git('merge-base', '--octopus', *parents, check=False).strip(), {})
        changed = {what: [one.get(what, math.inf) for one in of if one.get(what) != base.get(what)] for what in set().union(base, *of)}
        return {what: min(numbers, default=base.get(what)) for what, numbers in changed.items()}

    def take(self, commit, parents, text):
        """Sets what holds after a commit with this text."""
        before, said = self.before(parents), parsed(text)
        raised = [what for what, most in before.items() if said.get(what, math.inf) > most]
        if raised and {*self.touched(commit, parents)} == {FILE, REASONS}:
            raised = []
        known = collections.ChainMap(*(self.raised[parent] for parent in parents))
        self.raised[commit] = {what: known.get(what, commit) for what in raised}
        self.holds[commit] = said | {what: before[what] for what in raised}


def main():
    root = pathlib.Path(sys.argv[1])
    if not (root / '.git').exists() or not shutil.which('git') or not git(root, 'rev-parse', '-q', '--verify', 'HEAD', check=False):
        print(f'bounds: there is no history here: {FILE} holds as it is')
        return 0
    history, now = History(root), read(root)
    for what, commit in history.raised[None].items():
        print(f'bounds: {what}: {commit or "what is not committed"} raised {history.holds[None][what]} to {now.get(what, "none")}, and does more than that: take it back, '
              f'and raise it by a commit that touches {FILE} and {REASONS} alone')
    if history.git('rev-parse', '--is-shallow-repository').strip() == 'true':
        print('bounds: the clone is shallow: what was before it is not looked at')
    print(f'bounds: {len(now)} of them, {history.commits} commits')
    return int(bool(history.raised[None]))


if __name__ == '__main__':
    sys.exit(main())
