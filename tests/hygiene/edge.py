#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""edge.py ROOT: every public function of the core that takes or gives numbers has an entry in tests/unit/edge.

An entry is a test case "edge: NAME, NAME": it asserts what becomes of NaN, infinities, huge and tiny numbers, and lists of none, one and two. Which
functions are public, scripts/reference tells. Free ones of these floors are numeric, and members whose declaration names a type of numbers.
"""
import pathlib
import re
import subprocess
import sys

FLOORS = {'stats', 'linalg', 'mcmc', 'bandit', 'acquisition', 'surrogate', 'screen', 'curve', 'explore'}
NUMERIC = re.compile(r'\b(double|float|prediction|rows_of|point_rows|[Ss]corer|scored_candidate|arm|state& s|proposals|log_density|observations'
                     r'|differentiable_function|least_squares_problem)\b')
# What computes nothing of the numbers that it takes, gives or passes on: views and copies, counts, settings, choices that read no score.
WITHOUT = re.compile(r'''
    mcmc::(state::walker|chain::(at|sample)|kept|joined|points::.*|proposals::.*|view::.*) | surrogate::rows_of::rows_of | screen::point_rows::.*
    | curve::observations::[xy] | linalg::eigen_index | screen::candidates_for | surrogate::boosted_trees::discount
    | bandit::ucb::(paper|initial_latency) | curve::log_power::defaults
    | screen::(scaled_rows|screened::explore|(adaptive_sampling|epsilon_greedy|keep_best)::select|adaptive_sampling::draw|synthesis::make)
    ''', re.X)


def main():
    root = pathlib.Path(sys.argv[1])
    done = subprocess.run([root / 'scripts' / 'reference', '-', '--functions'], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        return done.returncode
    public = set()
    for line in done.stdout.split('\n'):
        whole, _, text = line.partition(' ')
        _, floor, *names = whole.split('::') if whole.startswith('tunekit::') else ('', '')
        name = '::'.join([floor, *names])
        if floor in FLOORS and (len(names) == 1 or NUMERIC.search(text)) and not WITHOUT.fullmatch(name):
            public.add(name)
    entries = set()
    for path in sorted((root / 'tests' / 'unit' / 'edge').glob('*.cpp')):
        for title in re.findall(r'TEST_CASE\(\s*"edge: ((?:[^"]|"\s*")*)"\)', path.read_text()):
            entries |= set(re.sub(r'"\s*"', '', title).split(', '))
    bad = [f'{name} has no entry in tests/unit/edge' for name in sorted(public - entries)]
    bad += [f'tests/unit/edge has an entry for {name}, which is no public numeric function' for name in sorted(entries - public)]
    for line in bad:
        print(f'edge: {line}')
    print(f'edge: {len(public & entries)} of {len(public)} public numeric functions have an entry')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
