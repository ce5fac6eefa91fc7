#!/bin/sh
# SPDX-License-Identifier: MIT
# site.sh: builds the site, and looks at it in a browser: search finds from the file system, names first, no page is wider than a phone, nothing
# is loaded from elsewhere. Exit status 77 where Chromium is missing; the site is built all the same.
set -eu
cd "$(dirname "$0")/../.."
scripts/site
html=$PWD/build/site/html
bad=0
complain() {
    echo "site: $1"
    bad=1
}
if grep -rlE '<(script|img|link|iframe)[^>]*(src|href)="https?:' "$html" --include=*.html | grep .; then
    complain "these pages load something from elsewhere"
fi
browser=$(command -v chromium || command -v chromium-browser || echo '')
if [ -z "$browser" ]; then
    echo "site: not looked at, there is no Chromium"
    exit $((bad == 0 ? 77 : 1))
fi
# dom WIDTH PAGE: what the page is after its scripts have run.
dom() {
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --window-size="$1",900 --virtual-time-budget=10000 --dump-dom "file://$html/$2" 2>/dev/null
}
dom 1400 'index.html?q=bandit' | grep -q 'md-search-result__item' || complain "the search for 'bandit' finds nothing"
python3 tests/hygiene/site.py "$browser" "$html" . || bad=1
exit $bad
