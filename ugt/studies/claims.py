"""For whom a test, a model or readers are ahead: for these readers, or for others like them, too."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from .._base.claims import NOBODY, Number, Whom, claim_of, missing_share
from .._base.records import Record
from ..resampling.spread import unevenness
from .obuchowski_rockette import CASES, READERS

if TYPE_CHECKING:
    from .differences import ReaderDifference
    from .study_input import StudyInput

OF_TRUTH = "annotators of the truth"


class Population(NamedTuple):
    """What is known of a difference with these readers and this truth: its standard error over cases, and whom a claim for others is about.

    ``std_error`` is NaN if there is none; ``n`` is the number of those of whom there are fewest, None if only cases are random.
    """

    std_error: float
    n: Number
    whom: Whom
    of_cases: bool  # whether cases are random: without other cases there is no verdict

    @property
    def beside(self) -> tuple[float, Whom]:
        """The share of kinds that may be missing, and the words for whom a claim is about."""
        return number(missing_share(self.n)), self.whom


def population(given: StudyInput, n_readers: Sequence[float], over_cases: float) -> Population:
    """Return the population of a difference of tests with these numbers of readers, and of its variance over cases."""
    counts = sorted({int(n) for n in n_readers})
    said, readers, few = " and ".join(map(str, counts)), given.factors != CASES, float(counts[0])
    people = f"{said} reader{'s' * (counts != [1])}"
    kinds, number, n = "readers", str(counts[0]), few if readers else None
    if "annotators" in given.random:
        assert given.truth.share is not None
        a = len(given.truth.share)
        even = float(unevenness(given.truth.share)[1])
        people, kinds = (f"{people} and {a} {OF_TRUTH}", f"readers and {OF_TRUTH}") if readers else (f"{a} {OF_TRUTH}", OF_TRUTH)
        number, n = (str(a), even) if not readers or even < few else (number, few)
    return Population(_root(over_cases), n, Whom(people, kinds, number), given.factors != READERS)


def _root(variance: float) -> float:
    return math.sqrt(variance) if variance > 0 else math.nan


def known(value: float) -> Number:
    """Return a number, None if it is NaN."""
    return None if math.isnan(value) else value


def number(value: Number) -> float:
    """Return a number, NaN if it is None."""
    return math.nan if value is None else value


@dataclass(frozen=True, eq=False, repr=False)
class ReaderVerdict(Record):
    """Whether the best of the tests is ahead of all others, and for whom; ``ReaderStudy.verdict`` and ``AgainstReaders.verdict`` make it.

    Attributes
    ----------
    first, others : id and tuple of ids
        The test with the highest figure, and the others in the order of theirs; or ``"model"`` and ``"readers"``.
    whom : str
        For whom all leads are above 0: ``"others"``, these readers and others like them, from six readers on; ``"others if normal"``, with
        three to five: others only if readers vary like a normal law; ``"these"``; or ``"nobody"``.
    undecided : tuple of ids
        Tests whose distance from the first is not shown for these readers either.
    lead, low, high : float
        The lead over the next test, with the ends of its interval over cases, for these readers.
    two_way_low, two_way_high : float
        The ends for other readers, too, or other annotators of the truth; NaN if only cases are random.
    n : float
        Readers of the test that has the fewest, or annotators of the truth, if they are random and fewer; NaN if only cases are random.
    missing_share : float
        Kinds of readers that make up less of all may be missing.
    level : float
        Of each interval.

    Notes
    -----
    No correction for several tests is needed: a false verdict must beat the test that is truly best. If the truth is by a panel whose
    annotators are random, others are other readers and other annotators of the truth.

    Examples
    --------
    >>> import ugt
    >>> a = [[1, 2, 3, 4, 2, 1, 3, 3, 4, 1], [2, 2, 3, 3, 1, 1, 4, 3, 4, 2], [1, 3, 3, 3, 1, 2, 4, 2, 4, 3]]
    >>> b = [[1, 1, 4, 4, 2, 2, 3, 1, 4, 3], [1, 2, 4, 3, 1, 1, 4, 2, 4, 2], [2, 1, 3, 4, 1, 2, 4, 3, 4, 3]]
    >>> found = ugt.reader_study([0, 0, 1, 1, 0, 0, 1, 0, 1, 1], ugt.studies.Readings.from_array([a, b], tests=["a", "b"])).verdict
    >>> found.first, found.whom, round(found.lead, 3), round(found.low, 3), round(found.two_way_low, 3)
    ('b', 'nobody', 0.1, -0.029, -0.106)
    """

    first: Any
    others: tuple[Any, ...]
    whom: str
    undecided: tuple[Any, ...]
    lead: float
    low: float
    high: float
    two_way_low: float
    two_way_high: float
    n: float
    missing_share: float
    level: float
    _about: Whom = field(repr=False)


def verdict_of(leads: Sequence[ReaderDifference]) -> ReaderVerdict | None:
    """Return the verdict from the differences of the first to all others, the next one first; None if cases are fixed."""
    if not leads or not leads[0]._population.of_cases:
        return None
    ends = [one._ends_of(one.level) for one in leads]
    undecided = tuple(one.second for one, own in zip(leads, ends) if claim_of([own]) == NOBODY)
    counted = [one.n_annotators for one in ends if one.n_annotators is not None]
    n = min(counted) if counted else None
    _, low, high, two_way_low, two_way_high, *_ = ends[0]
    low, high, two_way_low, two_way_high, few, share = map(number, (low, high, two_way_low, two_way_high, n, missing_share(n)))
    others, first = tuple(one.second for one in leads), leads[0]
    about = min((one._population for one in leads), key=lambda one: math.inf if one.n is None else one.n).whom
    both = two_way_low, two_way_high
    return ReaderVerdict(
        first.first, others, claim_of(ends), undecided, first.value, low, high, *both, few, share, first.level, about
    )  # fmt: skip
