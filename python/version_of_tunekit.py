# SPDX-License-Identifier: MIT
"""The one version number: that of the repository's file VERSION, which the sdist has in cpp/."""

from pathlib import Path


def dynamic_metadata(field: str, settings: object = None) -> str:
    here = Path(__file__).parent
    for folder in (here / "cpp", here.parent):
        if (folder / "VERSION").is_file():
            return (folder / "VERSION").read_text().strip()
    raise FileNotFoundError("tunekit: no VERSION beside python/ nor in cpp/, want a clone or an sdist")
