#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""site.py CHROMIUM SITE ROOT: the site's search ranks names first, questions in words by their answer, and no page is wider than its window. Asked in a browser
from the file system: each word of docs/words.md to start with, whole and as a page writes it, leads to its own entry of the reference; a member to that of its
type. Of twenty questions as a user types them, 18 have their answer among the first three pages. Prints what does not."""
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'support'))
from browser import Page

# What is asked | where the first answer is. The first three are what users of 0.2 asked for and got kernels' overloads or nothing.
ASKED = '''index_of | reference/space.html#product.index_of
tk::get | reference/space.html#get
where | reference/space.html#where
space.index_of() | reference/space.html#product.index_of
tuner::ask | reference/tune.html#tuner.ask
until_conf | reference/measure.html#until_confident
which door is mine | parts.html'''
# As users type who have not read the headings | the entry of docs/questions.md, or the page, that answers it.
IN_WORDS = '''time limit per trial | questions.html#how-do-i-set-a-time-limit-timeout-per-trial
stop early | questions.html#how-do-i-stop-early-when-nothing-improves
use 16 cores | questions.html#how-do-i-use-all-cores-in-parallel
second best | questions.html#what-is-the-second-best-and-what-are-ties
resume after crash | questions.html#how-do-i-resume-a-run-from-its-checkpoint
kernel timeout | questions.html#how-do-i-set-a-time-limit-timeout-per-trial
gpu kernel | questions.html#how-do-i-tune-a-gpu-kernel-in-cuda-or-opencl
load checkpoint | questions.html#how-do-i-resume-a-run-from-its-checkpoint
compare with my default | questions.html#how-do-i-compare-with-my-default-baseline
noisy machine | questions.html#what-if-my-machine-is-noisy-or-busy
reproduce a run | questions.html#how-do-i-reproduce-a-run
meaning of S200 | questions.html#what-do-s200-and-p-mean
unit of cost | questions.html#what-is-a-cost-and-in-which-unit
pass data to the kernel | questions.html#how-do-i-pass-data-to-the-kernel
does it work on windows | questions.html#does-it-run-on-windows-or-macos
wrong result of kernel | questions.html#how-do-i-check-that-the-result-is-correct
slow to compile | questions.html#why-does-it-compile-slowly
run on a cluster | questions.html#how-do-i-use-several-machines-or-a-cluster
energy and time | questions.html#how-do-i-tune-for-two-goals-such-as-time-and-energy
compiler flags | walks.html'''
# The worker that the page itself would ask, by its own messages.
ASK = '''(async () => {
  const script = document.createElement('script');
  script.src = 'search/search_index.js';
  await new Promise(done => { script.onload = done; document.head.append(script); });
  const worker = new Worker(JSON.parse(document.querySelector('#__config').textContent).search);
  const answered = () => new Promise(done => { worker.addEventListener('message', m => done(m.data), {once: true}); });
  let next = answered();
  worker.postMessage({type: 0, data: {...await __index, options: {suggest: false}}});
  await next;
  const out = [];
  for (const query of %s) {
    next = answered();
    worker.postMessage({type: 2, data: query});
    const found = (await next).data.items;
    out.push(found.slice(0, 3).map(page => page.reduce((a, b) => b.score > a.score ? b : a).location));
  }
  return out;
})()'''


def main():
    browser, site, root = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    wanted = [tuple(part.strip() for part in line.split(' | ')) for line in ASKED.split('\n')]
    section = re.search(r'^## Start here\n(.*?)^## ', (root / 'docs' / 'words.md').read_text(), re.S | re.M)[1]
    for word in re.findall(r'^(?:\*| ) .*', section, re.M):
        for name in re.findall(r'`([\w:]*\w)`', word):
            wanted += [(asked, f'#{name.split("::")[-1]}') for asked in {name, f'tunekit::{name}'}]
    bad = []
    with Page(browser) as page:
        page.open(site / 'index.html')
        questions = [tuple(part.strip() for part in line.split(' | ')) for line in IN_WORDS.split('\n')]
        got = [(places or ['nothing'])[0] for places in page.of_page(ASK % json.dumps([asked for asked, _ in wanted]))]
        answers = page.of_page(ASK % json.dumps([asked for asked, _ in questions]))
        for name in ('index', 'tuning', 'words', 'reference/bandit', 'examples/index'):
            for width in (360, 800, 1280, 1920):
                page.ask('Emulation.setDeviceMetricsOverride', width=width, height=900, deviceScaleFactor=1, mobile=False)
                page.open(site / f'{name}.html')
                over = page.of_page('document.documentElement.scrollWidth - document.documentElement.clientWidth')
                if over > 0:
                    bad.append(f'{name} at {width} px: wider than the window by {over}')
    bad += [f"search: '{asked}' leads to {at}, want {want}" for (asked, want), at in zip(wanted, got) if want not in at or want.startswith('#') and re.sub(r'_\d+$', '', at).split('#')[-1] != want[1:]]
    missed = [f"search: '{asked}' leads to {', '.join(places)}, want {want}" for (asked, want), places in zip(questions, answers) if not any(place.startswith(want) for place in places)]
    if len(missed) > 2:
        bad += missed
    print('\n'.join(bad) or f'search: {len(questions) - len(missed)} of {len(questions)} questions in words have their answer among the first three pages\nsearch: {len(wanted)} questions, each with the answer that it wants first')
    return bool(bad)


if __name__ == '__main__':
    sys.exit(main())
