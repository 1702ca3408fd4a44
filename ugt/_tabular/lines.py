"""Lines of CSV files in blocks of bytes: none that is too long, and which hold no cell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from .._base.checks import error

LONGEST_LINE = 1 << 28  # bytes that the csv module may hold at once: a row of ten million classes
LONGEST_ROW = 1 << 24  # bytes of a row that may be left out
BLANK_STARTS = (b"\n;", b"\n,", b"\n\t", b'\n""')
BLANK_ROW = re.compile(rb'^[ \t]*(?:(?:"\s*"(?!")[ \t]*)+|(?=[;,\t]))(?:([;,\t])(?:[ \t]|"\s*"(?!")|\1)*)?(?=\r?$)', re.MULTILINE)


def checked(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The blocks; refuses a line that no table has before the csv module holds it as a whole."""
    size = 0
    for block in blocks:
        end = max(block.rfind(b"\n"), block.rfind(b"\r"))
        size = len(block) - 1 - end if end >= 0 else size + len(block)
        if size > LONGEST_LINE:
            raise error("file", f"have lines of at most {LONGEST_LINE >> 20} MB", "a longer one (is it a table?)")
        yield block


def counted(blocks: Iterable[bytes], blank_rows: list[int]) -> Iterator[bytes]:
    """The blocks; how many rows without any cell their lines hold is appended to ``blank_rows``."""
    left, quoted = b"\n", False
    for block in blocks:
        yield block
        text = left + block
        end = text.rfind(b"\n") + 1
        if any(start in text for start in BLANK_STARTS):
            _, n, quoted = _without_blank_rows(text[:end], quoted)
            blank_rows.append(n)
        else:
            quoted ^= text.count(b'"', 0, end) % 2 == 1
        left = b"\n" + text[end:]
        if len(left) > LONGEST_ROW:  # too long for a row that is left out
            quoted ^= left.count(b'"') % 2 == 1
            left = b"x"
    blank_rows.append(_without_blank_rows(left, quoted)[1])


def whole(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in blocks that end where a line does."""
    left = b""
    for block in blocks:
        end = block.rfind(b"\n") + 1
        if end:
            yield left + block[:end]
            left = block[end:]
        else:
            left += block
    if left:
        yield left


def without_blank_rows(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Empty lines in the place of rows without any cell."""
    quoted = False
    for block in whole(blocks):
        text, _, quoted = _without_blank_rows(block, quoted)
        yield text


def _without_blank_rows(text: bytes, quoted: bool) -> tuple[bytes, int, bool]:
    """The same of some lines, how many rows these are, and whether a quote is open at the end; lines within quotes stay."""
    parts, end, n_quotes, n = [], 0, int(quoted), 0
    for match in BLANK_ROW.finditer(text):
        n_quotes += text.count(b'"', end, match.start())
        blank = n_quotes % 2 == 0
        parts += [text[end : match.start()], b"\n" * match[0].count(b"\n") if blank else match[0]]
        n, end, n_quotes = n + blank, match.end(), n_quotes + match[0].count(b'"')
    return b"".join([*parts, text[end:]]), n, (n_quotes + text.count(b'"', end)) % 2 == 1
