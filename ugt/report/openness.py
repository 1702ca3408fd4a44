"""What is open about one more judgement, in words: which part of it would stay open with any number of such annotators."""

from __future__ import annotations

from ..tables.uncertainty import UncertaintyRow
from .digest import Digest
from .digits import Digits
from .markup import first_row


def open_row(digest: Digest) -> UncertaintyRow | None:
    """Return the parts under the main truth; None without them, and if held-out annotators refute this truth model."""
    e = first_row(e for e in digest.source.rows(UncertaintyRow) if e.reliability == digest.main)
    return None if e is None or e.inherent_share is None or digest.misfit() else e


def stays_open(digest: Digest) -> str:
    """Return a sentence on the share that would stay open; "" if it is unknown, refuted, or of too few cases for an interval."""
    e = open_row(digest)
    if e is None or digest.withheld or e.inherent_share_low is None:
        return ""
    ends = e.inherent_share_low, e.inherent_share_high
    digits = Digits.of([ends])
    said = f"{digits.percent(e.inherent_share)}{digits.in_brackets(*ends)}"
    return f"Of what is open about one more judgement, {said} would stay open with any number of such annotators."
