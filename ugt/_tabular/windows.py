"""Windows: paths that it does not take (names of devices, some characters, ends that it removes, over 259 characters), and its quotes."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import PureWindowsPath
from typing import Any

from .._base.checks import error

DEVICE = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:\..*)?", re.IGNORECASE)
FORBIDDEN = re.compile(r'[<>:"|?*\x00-\x1f]')  # a colon would write to a hidden stream of another file
MOST = 259  # characters of a path, unless the system is set to allow more


def check_output(path: object) -> None:
    """Reject a path of output that Windows cannot create or would change; other systems have no such paths."""
    if sys.platform != "win32":
        return
    whole = PureWindowsPath(os.fspath(path))
    for part in whole.parts[bool(whole.anchor) :]:
        sign = FORBIDDEN.search(part)
        got = ""
        if DEVICE.fullmatch(part):
            got = "the name of a device"
        elif sign is not None:
            got = f"with the character {sign[0]!r}"
        elif part not in (".", "..") and part[-1] in ". ":
            got = "whose last character Windows removes"
        if got:
            raise error("output", "have a name that Windows allows (choose another name)", f"{part!r}, {got}")


def is_hidden_device(path: Any) -> bool:
    """Return whether Windows takes a name with an ending, such as ``nul.npz``, for a device, where all that is written is lost."""
    name = PureWindowsPath(os.fspath(path)).name if sys.platform == "win32" else ""
    return "." in name and DEVICE.fullmatch(name) is not None


def about_length(path: Any) -> str:
    """Return a remark on a file that was not found although it may exist: its path is too long for Windows; empty otherwise."""
    n = len(os.path.abspath(path)) if sys.platform == "win32" else 0
    return f" (the path has {n} characters, and Windows may allow only {MOST}: use a folder with a shorter path)" if n > MOST else ""


def typed(words: Sequence[str]) -> str:
    """Return words as a line that can be typed: in the quotes of POSIX, or in those that cmd and PowerShell both know."""
    return " ".join(map(_quoted, words)) if sys.platform == "win32" else shlex.join(words)


def _quoted(word: str) -> str:
    """Return a word as programs of Windows receive it; backslashes are doubled only where a quote follows."""
    if re.fullmatch(r"[\w.:/\\+=~-]+", word):
        return word
    doubled = re.sub(r'(\\*)("|\Z)', lambda found: 2 * found[1] + (found[2] and '\\"'), word)
    return f'"{doubled}"'
