#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pages.py ROOT: pages that a person reads to the end. User pages (docs/*.md) begin with what the thing is in one sentence, have no sentence
and no table row longer than bounds.txt beside this file allows, and together no more lines. A how-to, and a page of an algorithm, has a listing and
says when to use the thing, its settings, its cost and what goes wrong. READMEs have short sentences and narrow tables, too. Study pages
(docs/studies/*.md) have question, data, command, date and verdict. --count prints what each page has."""
import pathlib
import re
import sys

import bounds

# The headings of a page that somebody does something by; the words may be followed by others.
HEADINGS = ("When to use", "Settings", "Cost", "What goes wrong")
# What is looked up or read in another order: lists, words, decisions, the way in.
WITHOUT = {"architecture", "building", "claims", "coming_from", "examples", "formats", "headers", "kernels", "numbers", "packages", "parts", "performance",
           "python_engines", "questions", "rationale", "space", "stories", "tutorial", "words"}
STUDY = ("Question", "Data", "Command", "Verdict")


def blocks(text):
    """The page as (line, kind, text): paragraphs, items, headings, rows of tables and code, without comments and what a script makes."""
    out, code, made, at = [], None, False, None
    for n, line in enumerate(text.split("\n"), 1):
        fence = re.match(r" *(```+|~~~+)", line)
        if code:
            if fence and fence[1] == code:
                code = None
            continue
        if re.match(r"<!-- .*made by scripts/", line):
            made = True
        if re.match(r"<!-- end of ", line):
            made = False
        if made:
            at = None
            continue
        if fence:
            code, at = fence[1], None
            out.append([n, "code", line])
        elif not line.strip() or line.startswith("<!--"):
            at = None
        elif line.startswith("    ") and at is None:
            out.append([n, "code", line])
        elif line.startswith("#"):
            out.append([n, "heading", line.lstrip("# ")])
            at = None
        elif line.lstrip().startswith("|"):
            out.append([n, "row", line])
            at = None
        elif re.match(r" *([*-]|\d+\.) ", line):
            at = [n, "item", re.sub(r"^ *([*-]|\d+\.) ", "", line)]
            out.append(at)
        elif at is not None:
            at[2] += " " + line.strip()
        else:
            at = [n, "text", line.strip()]
            out.append(at)
    return out


def sentences(text):
    """A paragraph's sentences as lists of words; a span of code, a link's text and a formula's parts count as written."""
    text = re.sub(r"!?\[((?:[^\]`]|`[^`]*`)*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"``?[^`]*``?", "code", text)
    text = re.sub(r"\b(e\.g|i\.e|cf|vs|al)\.", r"\1", text)
    return [[w for w in s.split() if re.search(r"\w", w)] for s in re.split(r"(?<=[.!?])[)*_\"]*\s+", text)]


def look(page, text, most):
    """What is wrong with a user page, and with what is longer than `most` says."""
    words, wide = most["words of a sentence"], most["columns of a table"]
    found = blocks(text)
    for line, kind, what in found:
        if kind in ("text", "item"):
            for s in sentences(what):
                if len(s) > words:
                    yield line, f"a sentence of {len(s)} words, want {words} at most: {' '.join(s[:8])} ..."
        columns = len(re.sub(r"\]\([^)]*\)", "]", what))  # where a link leads nobody reads
        if kind == "row" and columns > wide:
            yield line, f"a row of {columns} columns, want {wide} at most"
    body = [b for b in found if b[1] != "heading"]
    if not found or found[0][1] != "heading" or not body or body[0][1] != "text" or len([s for s in sentences(body[0][2]) if s]) > 1:
        yield 1, "want a heading, and below it what this is in one sentence, alone"
    if page.stem in WITHOUT:
        return
    headings = [b[2] for b in found if b[1] == "heading"]
    for want in HEADINGS:
        if not any(h.startswith(want) for h in headings):
            yield 1, f"no heading '{want} ...'"
    if not any(b[1] == "code" for b in found):
        yield 1, "no listing"


def main():
    root = pathlib.Path(sys.argv[1])
    most = bounds.read(root)
    lines = most["lines of user pages"]
    bad = []
    total = 0
    for page in sorted((root / "docs").glob("*.md")):
        text = page.read_text()
        total += text.count("\n")
        faults = list(look(page, text, most))
        bad += [f"{page.relative_to(root)}:{line}: {what}" for line, what in faults]
        if "--count" in sys.argv:
            kinds = [sum(what.startswith(k) for _, what in faults) for k in ("a sentence", "a row", "want", "no")]
            print(f"{page.stem:20} {text.count(chr(10)):5} lines, {kinds[0]:3} sentences, {kinds[1]:3} rows, {kinds[2]} opening, {kinds[3]} headings")
    if total > lines:
        bad.append(f"docs/*.md: {total} lines, want {lines} at most: shorten, or move what is a study to docs/studies/")
    for page in sorted([root / "README.md", root / "tests" / "README.md", *root.glob("examples/**/README.md"), *root.glob("packages/*/README.md")]):
        bad += [f"{page.relative_to(root)}:{line}: {what}" for line, what in look(page, page.read_text(), most) if line > 1]
    for page in sorted((root / "docs" / "studies").glob("*.md")):
        text = page.read_text()
        for want in STUDY:
            if not re.search(rf"^(\*\*{want}\.\*\*|\*\*{want}\*\*:) ", text, re.M):
                bad.append(f"{page.relative_to(root)}: no line that begins with '**{want}.**'")
        if not re.search(r"\b20\d\d-\d\d-\d\d\b", text):
            bad.append(f"{page.relative_to(root)}: no day")
    if "--count" in sys.argv:
        print(f"{total} lines, {len(bad)} faults")
    else:
        print("\n".join(bad) or f"{total} lines of user pages, want {lines} at most")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
