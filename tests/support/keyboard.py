#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""keyboard.py CHROMIUM PAGE.html...: goes through pages by the keyboard alone, and hears them as a screen reader does. Prints what is wrong.

By Tab every control that can be seen is reached once, in the order of the document; each says its name and shows that it has the focus; the first
leads past the head to the verdict; a table that scrolls does so by an arrow; a head of a column sorts by Enter. A reader is told one banner, one
main part, headings without gaps of which the first after the title is the verdict, and a name for every picture, table and control. Nothing is
asked of a network.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from browser import Page

CONTROLS = 'a[href], button, summary, .scroll'
# What has the focus: its place in the document, what it is, whether it and its focus can be seen.
FOCUS = '''(() => {
  const e = document.activeElement;
  if (!e || e === document.body || e === document.documentElement) return null;
  const r = e.getBoundingClientRect(), s = getComputedStyle(e);
  return {at: [...document.querySelectorAll("*")].indexOf(e), what: e.tagName + " " + (e.className || e.id || e.textContent.slice(0, 30)),
          seen: r.width > 0 && r.height > 0 && r.bottom > 0 && r.right > 0 && r.top < innerHeight && r.left < innerWidth,
          shown: (s.outlineStyle !== "none" && parseFloat(s.outlineWidth) > 0) || e.matches(".skip")};
})()'''
SEEN = f'''[...document.querySelectorAll("{CONTROLS}")].filter(e => e.checkVisibility()).map(e => [...document.querySelectorAll("*")].indexOf(e))'''
NAMED = {'button', 'link', 'region', 'table', 'image', 'img', 'figure', 'DisclosureTriangle', 'main'}


def by_keyboard(page, wrong):
    wanted, reached = page.of_page(SEEN), []
    for _ in range(len(wanted) + 2):
        page.tab()
        focus = page.of_page(FOCUS)
        if focus is None or (len(reached) > 1 and focus['at'] == reached[0]):  # behind the last one
            break
        if focus['at'] in reached:
            wrong(f'the keyboard comes again to {focus["what"]}')
            break
        if reached and focus['at'] < reached[-1]:
            wrong(f'{focus["what"]} has the focus after what stands behind it')
        for what in ('seen', 'shown'):
            if not focus[what]:
                wrong(f'{focus["what"]} has a focus that is not {what}')
        reached.append(focus['at'])
    for at in wanted:
        if at not in reached:
            wrong('the keyboard never reaches ' + page.of_page(f'document.querySelectorAll("*")[{at}].outerHTML.slice(0, 80)'))
    for at in reached:
        if at not in wanted:
            wrong('the keyboard reaches what is no control: ' + page.of_page(f'document.querySelectorAll("*")[{at}].outerHTML.slice(0, 80)'))


def by_its_keys(page, wrong):
    page.of_page('document.activeElement.blur(); scrollTo(0, 0); document.getSelection().removeAllRanges()')
    page.of_page('document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute("tabindex")')
    page.tab()
    if not page.of_page('document.activeElement.matches(".skip") && document.activeElement.getBoundingClientRect().left >= 0'):
        return wrong('the first stop is not the way past the head')
    page.enter()
    if page.of_page('location.hash') != '#verdict' or not page.of_page('document.activeElement.id === "verdict"'):
        wrong('the way past the head does not lead to the verdict')
    if page.of_page('!!document.querySelector("#theme")'):
        page.of_page('document.querySelector("#theme").focus()')
        before = page.of_page('document.querySelector("#theme").textContent')
        page.enter()
        if page.of_page('document.querySelector("#theme").textContent') == before:
            wrong('Enter does not change the scheme')
    wide = '[...document.querySelectorAll(".scroll")].find(b => b.checkVisibility() && b.scrollWidth > b.clientWidth + 40)'
    if page.of_page(f'!!{wide}'):
        page.of_page(f'(window.wide = {wide}).focus()')
        page.press('ArrowRight', number=39)
        moved = 'new Promise(done => { let k = 0; const look = () => wide.scrollLeft > 0 || ++k > 1000 ? done(wide.scrollLeft) : setTimeout(look, 20); look(); })'
        if not page.of_page(moved):
            wrong('a table does not scroll by the keyboard')
    head = 'document.querySelector("table.sortable thead th:nth-child(2)")'
    if page.of_page(f'{head} !== null && {head}.checkVisibility()'):
        page.of_page(f'{head}.querySelector("button").focus()')
        page.enter()
        if page.of_page(f'{head}.getAttribute("aria-sort")') != 'ascending':
            wrong('Enter on a head does not sort, or does not say so')


def by_ear(page, wrong):
    told = page.told()
    roles = [role for role, _, _ in told]
    for role in ('banner', 'main', 'contentinfo'):
        if roles.count(role) != 1:
            wrong(f'a reader is told {roles.count(role)} times of a {role}')
    if not page.of_page('document.documentElement.lang'):
        wrong('the page has no language')
    level = 0
    for role, name, of in told:
        if role == 'heading':
            if not name:
                wrong('a heading without words')
            if of['level'] > level + 1:
                wrong(f'after a heading of level {level} one of {of["level"]}: {name}')
            level = of['level']
        elif role in NAMED - {'main', 'figure'} and not name.strip():
            wrong(f'a {role} without a name')
    heads = [(of['level'], name) for role, name, of in told if role == 'heading']
    if [n for n, _ in heads].count(1) != 1:
        wrong('not one title')
    verdict = page.of_page('document.querySelector("#verdict h2").textContent')
    if len(heads) < 2 or heads[1][1].split() != verdict.split():
        wrong(f'the first heading after the title is not the verdict: {heads[:2]}')
    tables = page.of_page('[...document.querySelectorAll("table")].filter(t => t.checkVisibility()).length')
    if roles.count('table') != tables:
        wrong(f'a reader is told of {roles.count("table")} tables, {tables} are seen')
    if tables and not ('columnheader' in roles and 'rowheader' in roles):
        wrong('cells have no heads')


def main():
    bad = 0
    for width in (360, 1280):
        with Page(sys.argv[1], width) as page:
            for path in sys.argv[2:]:
                said = []
                page.open(path)
                by_ear(page, said.append)
                by_keyboard(page, said.append)
                by_its_keys(page, said.append)
                said += [f'asks for {url}' for url in page.asked_for()] + [f'throws {what}' for what in page.thrown()]
                for line in said:
                    print(f'{pathlib.Path(path).name} at {width} px: {line}')
                bad += len(said)
    return bad > 0


if __name__ == '__main__':
    sys.exit(main())
