"""Warns of each page that would load something from a network when it is opened; `make docs` fails on warnings."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from sphinx.util import logging

# Addresses that a browser loads without a click: not those of <a>.
LOADED = re.compile(
    r"<(?:script|img|iframe|source|video|audio|embed|object|link)\b[^>]*?\b(?:src|srcset|href|data)=[\"']?((?:https?:)?//[^\"'\s>]+)"
    r"|(?:url\(|@import)\s*[\"']?((?:https?:)?//[^\"')\s]+)",
    re.IGNORECASE,
)


def loaded(text: str) -> list[str]:
    """What a page or a style sheet loads from other machines."""
    return [script or style for script, style in LOADED.findall(text)]


def check(app: Any, problem: Exception | None) -> None:
    """Warn of pages and style sheets that load something."""
    for path in sorted(Path(app.outdir).rglob("*")):
        if problem is None and path.suffix in (".html", ".css"):
            for address in loaded(path.read_text(encoding="utf-8")):
                logging.getLogger(__name__).warning("%s loads %s", path.name, address)


def setup(app: Any) -> dict[str, bool]:
    """Check what was built."""
    app.connect("build-finished", check)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
