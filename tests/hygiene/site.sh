#!/bin/sh
# SPDX-License-Identifier: MIT
# site.sh: builds the site, and looks at it in a browser: search finds from the file system, no page is wider than a phone, nothing
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
for page in index tuning reference/bandit examples/index; do
    for width in 500 1400; do
        probe="$html/$page-probe.html"
        sed 's|</body>|<script>addEventListener("load", () => { const e = document.documentElement; document.title = "wide " + (e.scrollWidth - e.clientWidth); });</script></body>|' \
            "$html/$page.html" >"$probe"
        dom "$width" "$page-probe.html" | grep -q '<title>wide 0</title>' || complain "$page at $width px: wider than the window"
        rm "$probe"
    done
done
exit $bad
