#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""same_account.py JSON TERMINAL LOG [CHROMIUM PAGE...]: what tune_command printed as JSON and as a table, what it logged, and what a browser shows of
its pages are one account, number by number: default, winner and ties with their intervals, numbers and values; gain; rounds; failures; the end.
Prints what differs. The three are of runs that measured the same; costs have no unit.
"""
import json
import pathlib
import re
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / 'tests/support'))
from browser import Page

bad = 0


def same(where, what, is_, want):
    """Says so where two numbers differ by more than the digits that are shown, or two texts at all."""
    global bad
    if isinstance(want, (int, float)) and not isinstance(want, bool):
        found = re.match(r'-?[0-9.]+(e[+-]?\d+)?', str(is_))
        if found and abs(float(found[0]) - want) <= 1e-4 * abs(want):
            return
    elif str(is_).replace('_', ' ').split() == str(want).replace('_', ' ').split():
        return
    bad += 1
    print(f'{where}: {what} is {is_!r}, want {want!r}')


def configurations(run):
    """(what it is called, what JSON has of it), in the order of the table in the terminal."""
    tied = 'tied' if run['verdict']['says'] == 'tied' else 'unclear'
    return [('default', run['default']), ('best', run['best'])] + [(tied, t) for t in run['tied']] + [('next', n) for n in run['next']]


def terminal(run, text):
    lines = text.split('\n')
    found = re.match(r'(\d+) configurations? measured, (\d+) failed, [0-9.]+ s: (.*)', lines[0])
    for what, is_ in zip(('trials', 'failed', 'stopped'), found.groups()):
        same('terminal', what, is_, run[what])
    rows = [re.match(r'(default|best|tied|unclear|next) +(\S+) +(?:\[(\S+), (\S+)\] +)?(\S+) +(.*)', line) for line in lines]
    rows = [r.groups() for r in rows if r]
    same('terminal', 'the number of rows', len(rows), len(configurations(run)))
    same('terminal', 'the ratio of the default', dict((r[0], r[4]) for r in rows)['default'], float(f'{run["gain"]:.2f}'))
    for row, (name, c) in zip(rows, configurations(run)):
        same('terminal', 'the row of', row[0], name)
        for what, is_ in zip(('cost', 'low', 'high'), row[1:4]):
            same('terminal', f'{what} of {name}', is_, c[what])
        words = [f'{p} = {v}' for p, v in c['config'].items()]
        shown, *numbers = row[5].split('; ')
        same('terminal', f'the configuration of {name}', shown, ', '.join(words))
        same('terminal', f'the numbers of {name}', [n.split()[0] for n in numbers], list(c['numbers']))
        for n in numbers:
            same('terminal', f'{n.split()[0]} of {name}', n.split()[1], c['numbers'][n.split()[0]])
    same('terminal', 'the verdict', re.search(r'\nthe best is (.*)\n', text)[1], run['verdict']['text'])
    same('terminal', 'gain', re.search(r'the default costs (\S+) times', text)[1], float(f'{run["gain"]:.3g}'))
    failed = [re.match(r'(\d+) failed, (\w+): (.*); they are those with (.*)', line) for line in lines]
    failed = [f.groups() for f in failed if f]
    same('terminal', 'the number of kinds of failure', len(failed), len(run['failures']))
    for row, f in zip(failed, run['failures']):
        for what, is_ in zip(('trials', 'kind', 'message', 'where'), row):
            same('terminal', f'{what} of a failure', is_, f[what])


def log(run, path):
    events = [json.loads(line) for line in open(path, encoding='utf-8')]
    tells = [e for e in events if 'tell' in e]
    same('log', 'trials', len(tells), run['trials'])
    same('log', 'failed', sum('failed' in e for e in tells), run['failed'])
    rounds = [e for e in events if 'round' in e]
    same('log', 'rounds', len({e['round'] for e in rounds}), run['rounds'])
    same('log', 'the verdict', [e['verdict'] for e in events if 'ended' in e][-1], run['verdict']['text'])
    same('log', 'stopped', [e['ended'] for e in events if 'ended' in e][-1], run['stopped'])
    best = [e['cost'] for e in rounds if e['values'] == list(run['best']['config'].values())]
    same('log', 'cost of the best, the median of its rounds,', statistics.median(best), run['best']['cost'])


TABLES = '''[...document.querySelectorAll("table")].map(t => [t.caption.textContent, ...[...t.rows].map(r => [...r.cells].map(c => c.textContent))])'''


def page(run, path, program):
    with Page(program) as browser:
        browser.open(path)
        tables = {t[0].split(',')[0]: t[1:] for t in browser.of_page(TABLES)}
        verdict = browser.of_page('document.querySelector("#verdict").innerText').replace('\u202f', '').replace('\u00a0', ' ')
    name = pathlib.Path(path).name
    heads, *rows = tables['The winner']
    shown = configurations(run)
    best = dict(shown)['best']
    columns = [('winner', best)] + [(n, c) for n, c in shown if n in ('tied', 'unclear')] + [('default', dict(shown)['default'])]
    same(name, 'columns', ' '.join(heads[1:]), ' '.join(n for n, _ in columns))
    for k, (head, c) in enumerate(columns, 1):
        of = {row[0]: row[k] for row in rows}
        same(name, f'cost of {head}', of['cost'], c['cost'])
        for what, is_ in zip(('low', 'high'), of['95 %'].split(' to ')):
            same(name, f'{what} of {head}', is_, c[what])
        for what, want in list(c['config'].items()) + list(c['numbers'].items()):
            same(name, f'{what} of {head}', of[what], want)
    same(name, 'rounds of the winner', rows[2][1], run['rounds'])
    same(name, 'the headline', re.search(r'The best configuration costs (\S+) \(', verdict)[1], best['cost'])
    same(name, 'the verdict', re.search(r'The best configuration costs \S+ \((.*)\)\.\n', verdict)[1], run['verdict']['says'])
    gain = re.search(r'With the default it costs (\S+) times as much, (\S+) \(', verdict)
    same(name, 'gain', gain[1], float(f'{run["gain"]:.3g}'))
    same(name, 'the default in words', gain[2], run['default']['cost'])
    same(name, 'rounds in words', re.search(r'(\d+) rounds side by side', verdict)[1], run['rounds'])
    same(name, 'the end', re.search(r'It ended because: (.*)\.', verdict)[1], run['stopped'])
    same(name, 'trials', re.search(r'(\d+) of (\d+) trials', verdict).groups(), (str(run['failed']), str(run['trials'])))
    for row, f in zip(tables['Failures by kind'][1:], run['failures']):
        for is_, what in zip(row, ('kind', 'trials', 'where', 'message')):
            same(name, f'{what} of a failure', is_, f[what])


def main():
    run = json.load(open(sys.argv[1], encoding='utf-8'))
    terminal(run, open(sys.argv[2], encoding='utf-8').read())
    log(run, sys.argv[3])
    for path in sys.argv[5:]:
        page(run, path, sys.argv[4])
    return bad > 0


if __name__ == '__main__':
    sys.exit(main())
