#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""silent_site.py CHROMIUM SITE: opens every page of the site from the file system. None writes to the console, throws, or asks the network for anything."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'support'))
from browser import Page


def main():
    browser, site = sys.argv[1], pathlib.Path(sys.argv[2])
    pages = sorted(p for p in site.rglob('*.html') if p.name != '404.html')  # which a server shows, by absolute addresses
    bad = [] if len(pages) > 50 else [f'{len(pages)} pages, want all of the site']
    with Page(browser) as page:
        page.ask('Log.enable')
        for path in pages:
            page.open(path)
            said = [e['params']['entry']['text'] for e in page.events if e.get('method') == 'Log.entryAdded']
            said += [' '.join(str(a.get('value', a.get('description', ''))) for a in e['params']['args']) for e in page.events if e.get('method') == 'Runtime.consoleAPICalled']
            said += [t['exceptionDetails'].get('text', 'thrown') for t in page.thrown()]
            bad += [f'{path.relative_to(site)}: {text}' for text in said + [f'asks for {url}' for url in page.asked_for()]]
    print('\n'.join(bad) or f'silent_site: {len(pages)} pages, no message')
    return bool(bad)


if __name__ == '__main__':
    sys.exit(main())
