"""What page one says of a true class: the accuracy against it, and the lead that errors of all annotators can make."""

from __future__ import annotations

from .._base.claims import NOBODY
from ..tables.names import ANY_DIFFICULTY
from ..tables.true_accuracy import REFUSED, TrueAccuracyRow
from .digest import Digest, shown
from .digits import between
from .markup import first_row, link


def made_by_errors(digest: Digest) -> str:
    """Return the share of cases in which errors of all annotators can make a lead: each of the two accuracies may change by it."""
    e = digest.verdict
    if e is None or e.claim == NOBODY or e.low is None or e.low <= 0 or digest.withheld:
        return ""
    return f" (errors that annotators share in {50 * e.low:.2g}% of cases can be all of this lead)"


def of_true_class(digest: Digest) -> str:
    """Return a sentence on the accuracy of the first model against a true class, whatever the difficulty, and where it is explained."""
    rows = [e for e in digest.source.rows(TrueAccuracyRow) if digest.models and e.model == digest.models[0]]
    if not rows or digest.withheld:
        return ""
    where = link("true-class", "if there is a true class")
    known = first_row(e for e in rows if e.assume == ANY_DIFFICULTY and e.use != REFUSED and e.low is not None)
    if known is None:
        return f" How often a model gives the true class is another question ({where})."
    much = f"in {between(known.low, known.high)} of cases"
    return f" If annotators label independently, {shown(known.model)} gives the class that most like these would give {much} ({where})."
