# SPDX-License-Identifier: MIT
# Sourced by the tests of pages, after refuses.sh.

# opens_well PAGE...: Chromium, where it is installed, opens $work/PAGE.html from the file system: nothing on the console, no
# horizontal overflow from 360 to 1920 px, light and dark, a text alternative for every picture, a visible hint below every table
# that scrolls, points with a contrast of 4.5. Where there is Python, keyboard.py goes through them without a mouse, and
# without eyes. It runs at the top of the checkout, or where `here` names that.
opens_well() {
    browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
    if [ -z "$browser" ]; then
        echo "no Chromium here: pages were not opened (scripts/needs browser)"
        return
    fi
    # Frames of four widths in one page: a window of its own cannot be as narrow as a telephone.
    for page in "$@"; do
        for scheme in 0 1; do
            {
                echo '<!DOCTYPE html><meta charset="utf-8"><title>waiting</title>'
                for width in 360 800 1280 1920; do
                    printf '<iframe width="%s" height="900" srcdoc="' "$width"
                    sed 's/&/\&amp;/g; s/"/\&quot;/g' "$work/$page.html"
                    echo '"></iframe>'
                done
                cat <<'END'
<script>
onload = () => {
  const said = [];
  for (const f of document.querySelectorAll("iframe")) {
    const d = f.contentDocument, w = Number(f.width), root = d.documentElement;
    if (root.scrollWidth > w) said.push("overflow at " + w + ": " + root.scrollWidth);
    for (const p of d.querySelectorAll("svg,img")) if (!(p.getAttribute("aria-label") || "").trim()) said.push("a picture without an alternative");
    if (!d.querySelector("h1") || !d.querySelector("main #verdict")) said.push("no verdict");
    const shown = [...d.querySelectorAll("figure")].every(g => [...g.querySelectorAll("svg")].some(s => s.getBoundingClientRect().width > 100));
    if (!shown) said.push("a figure without a picture at " + w);
    for (const t of d.querySelectorAll("svg text")) {
      const r = t.getBoundingClientRect();
      if (r.width > 0 && r.height < 6.5) said.push("text too small at " + w + ": " + r.height + " " + t.textContent);
      if (r.width > 0 && r.right > w + 1) said.push("text beyond the edge at " + w + ": " + t.textContent);
    }
    for (const box of d.querySelectorAll(".scroll")) {
      if (box.clientWidth === 0) continue;  // in a part that is folded
      const hint = box.nextElementSibling, scrolls = box.scrollWidth > box.clientWidth + 1;
      if (scrolls !== hint.getBoundingClientRect().height > 0) said.push("a table that scrolls without a hint, or a hint without, at " + w);
    }
    const light = text => {
      const part = text.match(/[\d.]+/g).slice(0, 3).map(x => x / 255).map(x => x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
      return 0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2];
    };
    for (const dot of [...d.querySelectorAll(".dot,.rug")].slice(0, 9)) {
      const style = f.contentWindow.getComputedStyle(dot), card = f.contentWindow.getComputedStyle(dot.closest("figure"));
      const [low, high] = [light(style.stroke), light(card.backgroundColor)].sort((x, y) => x - y);
      if ((high + 0.05) / (low + 0.05) < 4.5 || Number(style.strokeOpacity) < 1) said.push("points are pale: " + style.stroke);
    }
    if (d.getElementById("theme").hidden) said.push("the script did not run");
  }
  document.title = said.length ? said.join("; ") : "all well";
};
</script>
END
            } >"$work/frames.html"
            timeout 60 "$browser" --headless=new --no-sandbox --disable-gpu --user-data-dir="$work/browser" --enable-logging=stderr \
                --blink-settings=preferredColorScheme=$scheme --window-size=2000,4000 --virtual-time-budget=4000 \
                --dump-dom "file://$work/frames.html" >"$work/dom" 2>"$work/console" || fail "$page: the browser ended with $?"
            title=$(sed -n 's/.*<title>\(.*\)<\/title>.*/\1/p' "$work/dom" | head -n 1)
            [ "$title" = "all well" ] || fail "$page, scheme $scheme: $title"
            ! grep 'CONSOLE' "$work/console" || fail "$page, scheme $scheme: the console is not silent"
        done
    done
    command -v python3 >/dev/null || return 0
    # shellcheck disable=SC2046 # names of pages, in a folder without blanks
    python3 "${here:-.}/tests/support/keyboard.py" "$browser" $(for page in "$@"; do echo "$work/$page.html"; done) || fail 'what keyboard.py says above'
}
