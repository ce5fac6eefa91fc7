#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""same_form.py THEIRS OURS: whether each result of OURS has the keys of THEIRS, in their order, with values of the same types."""
import json
import sys


def form(value):
    """The keys and types of a JSON value; null is as good as a number."""
    if isinstance(value, dict):
        return [(key, form(one)) for key, one in value.items()]
    if isinstance(value, list):
        return ["list", *sorted({str(form(one)) for one in value})]
    return "text" if isinstance(value, str) else "number"


theirs, ours = (json.load(open(path, encoding="utf-8")) for path in sys.argv[1:])
assert list(theirs) == list(ours) == ["results"], list(ours)
for one in ours["results"]:
    assert form(one) == form(theirs["results"][0]), f"{form(one)}, want {form(theirs['results'][0])}"
    assert one["min"] <= one["median"] <= one["max"] and one["min"] == min(one["times"]), one
    assert len(one["exit_codes"]) == len(one["times"]), one
print(len(ours["results"]))
