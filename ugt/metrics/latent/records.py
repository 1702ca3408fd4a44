"""The records of :func:`ugt.metrics.latent_accuracy`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._base.arrays import Array
from ..._base.checks import error, option, whole
from ..._base.records import Record
from ...resampling import seed_of
from ...resampling.resamples import check_level
from .fitting import ClassFit
from .goodness import LatentCheck, check
from .numbers import UNKNOWN, Number, shown
from .words import condition_of, sentence_of

if TYPE_CHECKING:
    from .made import JudgedModel

BIC_UNITS = 12.0  # forms whose BIC is higher by more are left out of intervals
ANY = 0.05, 0.95  # an interval beyond both ends says nothing
KINDS_DRAW = {"normal": 99, "percentile": 400}  # kinds of intervals that draw cases, and how many data sets
KINDS = ("information", *KINDS_DRAW)
SAME = 1e-3  # values of two forms that differ by less are equal


@dataclass(frozen=True, eq=False, repr=False)
class LatentFit(Record):
    """One form of latent classes, fitted to the annotators with the model as a further test, or to the annotators alone.

    Attributes
    ----------
    form, words : str
        Its name and what it assumes.
    log_likelihood, bic, n_parameters : float, float, int
        Of the labels of this fit: forms are compared only within one set of labels.
    values, std_errors : mapping
        Numbers of the model and their standard errors by the delta method; NaN if they are undefined.
    tests : tuple
        Names of the T tests; the model is the last one if it is a test.
    rates : (T, K, K) array
        Shares of the labels of each test given the true class, as ``[test, true class, label]``.
    loadings : tuple
        Parameters of the dependence: loadings on a normal difficulty ("re1"; "re1m": annotators, model), or shares of the cases of each
        class in which all are right ("fm", "fmm").
    within : bool
        Whether its BIC is at most 12 above the lowest one.
    reason : str
        Why its numbers are undefined, or "".

    Examples
    --------
    >>> import numpy as np, ugt
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(500) < 0.4
    >>> said = np.where(rng.random((500, 5)) < 0.85, truth[:, None], ~truth[:, None]).astype(int)
    >>> found = ugt.metrics.latent_accuracy(ugt.Labels.from_wide(said[:, :4]), np.eye(2)[said[:, 4]])
    >>> [one.form for one in found.fits if one.within], found.fits[0].tests
    (['ind', 're1', 're1m'], (0, 1, 2, 3, 'model'))
    """

    form: str
    words: str
    log_likelihood: float
    bic: float
    n_parameters: int
    values: Mapping[str, float]
    std_errors: Mapping[str, float]
    tests: tuple[Any, ...]
    rates: Array
    loadings: tuple[float, ...]
    within: bool
    reason: str
    _rank: tuple[bool, float] = field(repr=False)
    _numbers: Mapping[str, Number] = field(repr=False)
    _fit: ClassFit = field(repr=False)

    def defines(self, of: str) -> bool:
        """Return whether a number is defined by this form, and counts."""
        return self.within and not self.reason and bool(np.isfinite(self.values.get(of, np.nan)))

    def interval(self, level: float = 0.95, *, of: str = "accuracy") -> tuple[float, float]:
        """Return the interval of a number if this form is right, as :meth:`LatentAccuracy.interval`; NaN if the number is undefined."""
        level, name = check_level(level), option("of", of, tuple(self.values))
        return shown(self.values[name], self.ends(level, name))

    def ends(self, level: float, of: str) -> tuple[float, float]:
        """Return the interval as it is computed, also beyond the range of a number."""
        return (np.nan, np.nan) if self.reason else self._numbers[of].interval(level, self._fit)


@dataclass(frozen=True, eq=False, repr=False)
class LatentAccuracy(Record):
    """Numbers of a model against the latent class, by all forms of dependence that the labels bear.

    Attributes
    ----------
    value : float
        Accuracy of the model's first choice, by the form ``form``.
    sensitivity, specificity, auroc : float
        Of two classes; NaN for more. Values above 1 are kept if the model is outside: they refute that its errors are independent.
    recalls, prevalence : (K,) array
        Share of the cases of each class that the model gives this class, and share of the cases that have the class.
    model : {"test", "outside"}
        Whether the model was a further test, or outside.
    form : str
        The form of the lowest BIC, with four tests of "ind" and "re1" only; "" if nothing is identified.
    fits : tuple of LatentFit
        The forms from which all numbers but the AUROC come. From the annotators alone if the model is outside.
    alone : tuple of LatentFit
        The forms of the annotators alone, from which the AUROC comes.
    determined : mapping
        For each number, whether the forms within 12 BIC units differ by no more than the widest of their intervals, and these do not
        reach from below 0.05 to above 0.95. False means: the labels do not determine the number. True does not mean that one of the forms
        is right: a model that copies an annotator has a number that is determined and too high.
    reasons : mapping
        For each number that is undefined or not determined, why.
    n_cases, left_out : int, mapping
        Cases counted, and cases and annotators left out by reason.

    Examples
    --------
    >>> import numpy as np, ugt
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(500) < 0.4
    >>> said = np.where(rng.random((500, 5)) < 0.85, truth[:, None], ~truth[:, None]).astype(int)
    >>> found = ugt.metrics.latent_accuracy(ugt.Labels.from_wide(said[:, :2]), np.eye(2)[said[:, 4]], model="outside")
    >>> found.value, found.reasons["accuracy"]
    (nan, 'latent classes need three tests of the same cases, or two in two populations: there are 2')
    """

    value: float
    sensitivity: float
    specificity: float
    auroc: float
    recalls: Array
    prevalence: Array
    model: str
    form: str
    fits: tuple[LatentFit, ...] = field(repr=False)
    alone: tuple[LatentFit, ...] = field(repr=False)
    determined: Mapping[str, bool]
    reasons: Mapping[str, str]
    n_cases: int
    left_out: Mapping[str, int] = field(default_factory=dict)
    _judged: JudgedModel | None = field(default=None, repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The numbers that have an interval."""
        return tuple(self.determined)

    def within(self, of: str) -> list[LatentFit]:
        """Return the forms within 12 BIC units in which a number is defined."""
        some = self.alone if of == "auroc" else self.fits
        return [one for one in some if one.defines(of)]

    def interval(
        self, level: float = 0.95, *, of: str = "accuracy", kind: str = "information", n_resamples: int | None = None, seed: Any = 0
    ) -> tuple[float, float]:
        """Return the hull of the intervals of all forms within 12 BIC units; NaN if the number is undefined, or the hull wider than 1.

        No end is below 0 or above 1. A value above 1, which shows that the model shares the annotators' errors, is the upper end itself.

        Parameters
        ----------
        level : float
            Level of the interval of each form, above 0 and below 1.
        of : str
            One of ``names``: "accuracy"; of two classes also "sensitivity", "specificity", "auroc" and "prevalence"; of more classes
            "recall 0" and so on.
        kind : {"information", "normal", "percentile"}
            ``"information"`` takes the standard error from the information, and the profile of the likelihood at an end of the range. The
            others draw cases, or clusters, with replacement and fit all forms again: ``"normal"`` takes the standard deviation of the
            values on the scale of logits, ``"percentile"`` their quantiles. Intervals by the information are too short for specificities
            with few cases per parameter: use one of the others where they decide.
        n_resamples : int, optional
            Data sets to draw; default: 99 for ``"normal"``, 400 for ``"percentile"``.
        seed : int, Generator or SeedSequence
            Random seed; the same one gives the same numbers in any number of threads.
        """
        level, name = check_level(level), option("of", of, self.names)
        some, n = self.within(name), 0
        if option("kind", kind, KINDS) == KINDS[0]:
            ends = np.array([one.ends(level, name) for one in some]).reshape(-1, 2)
        else:
            n = KINDS_DRAW[kind] if n_resamples is None else whole("n_resamples", n_resamples, 2)
            assert self._judged is not None
            judged = self._judged.overlapping if name == "auroc" else self._judged
            drawn = judged.resampled(some, n, seed_of(seed), judged.value_of(name))[:, :, 0]
            ends = np.array([resampled_ends(one.values[name], own, level, kind) for one, own in zip(some, drawn.T)]).reshape(-1, 2)
            ends += np.array([[-one._numbers[name].margin, one._numbers[name].margin] for one in some]).reshape(-1, 2)
        ends = ends[np.isfinite(ends).all(axis=1)]
        if not len(ends):
            return np.nan, np.nan
        return shown(best(tuple(some), name).value, (float(ends[:, 0].min()), float(ends[:, 1].max())))

    def auroc_bounds(self, level: float = 0.95, *, n_resamples: int = 99, seed: Any = 0) -> tuple[float, float]:
        """Return an interval for every AUROC that the labels allow, whatever the score has to do with them; NaN if it is undefined.

        In each group of cases with like probabilities of the positive class, as many cases as are expected positive have the highest
        scores, or the lowest. The ends of the interval are those AUROCs, moved outwards by the quantile of the normal law times their
        standard deviations over drawn cases or clusters, in which the annotators are fitted again. The hull is over all forms within 12
        BIC units of the annotators alone. The interval of ``auroc`` is shorter, because it takes score and annotators to err independently.

        Parameters
        ----------
        level : float
            Level, above 0 and below 1.
        n_resamples : int
            Data sets to draw, at least 2.
        seed : int, Generator or SeedSequence
            Random seed; the same one gives the same numbers in any number of threads.

        Examples
        --------
        >>> import numpy as np, ugt
        >>> rng = np.random.default_rng(0)
        >>> truth = rng.random(500) < 0.4
        >>> said = np.where(rng.random((500, 4)) < 0.85, truth[:, None], ~truth[:, None]).astype(int)
        >>> score = rng.normal(size=500) + 1.8 * truth
        >>> found = ugt.metrics.latent_accuracy(ugt.Labels.from_wide(said), np.stack([-score, score], axis=1))
        >>> [round(end, 2) for end in found.auroc_bounds(n_resamples=29)], round(found.auroc, 2)
        ([0.66, 0.99], 0.91)
        """
        level, n = check_level(level), whole("n_resamples", n_resamples, 2)
        some = [one for one in self.alone if one.within and not one.reason]
        if self._judged is None or self._judged.n_classes != 2 or not some:
            return np.nan, np.nan
        judged = self._judged.overlapping
        drawn = judged.resampled(some, n, seed_of(seed), lambda again, fit: again.auroc_bounds(fit))
        ends = np.array([judged.auroc_bounds(one._fit) for one in some])
        half = Number(0.0, 1.0, scale="identity").ends(level)[1] * np.nanstd(drawn, axis=0, ddof=1)
        known = np.isfinite(ends).all(axis=1)
        if not known.any():
            return np.nan, np.nan
        low, high = (ends - half)[known, 0].min(), (ends + half)[known, 1].max()
        return float(max(0.0, low)), float(min(1.0, high))

    def without_each(self) -> dict[Any, LatentAccuracy]:
        """Return the same numbers without each annotator in turn, by annotator: these annotators define the latent class.

        Examples
        --------
        >>> import numpy as np, ugt
        >>> rng = np.random.default_rng(0)
        >>> truth = rng.random(500) < 0.4
        >>> said = np.where(rng.random((500, 5)) < 0.85, truth[:, None], ~truth[:, None]).astype(int)
        >>> found = ugt.metrics.latent_accuracy(ugt.Labels.from_wide(said[:, :4]), np.eye(2)[said[:, 4]])
        >>> {name: round(one.sensitivity, 2) for name, one in found.without_each().items()}
        {0: 0.83, 1: 0.81, 2: 0.84, 3: 0.83}
        """
        assert self._judged is not None
        return {name: self._judged.without(i).made() for i, name in enumerate(self._judged.names)}

    def sentence(self, of: str = "accuracy", level: float = 0.95) -> str:
        """Return a number in words: its condition, which only some forms may meet, its interval, its range without each annotator."""
        number = option("of", of, self.names)
        level = check_level(level)
        name = "AUROC" if number == "auroc" else number
        if number in self.reasons:
            return f"The {name} is not stated: {self.reasons[number]}."
        some, as_test = self.within(number), self.model == "test" and number != "auroc"
        rows = some[0]._fit.rows
        condition = condition_of([one.form for one in some], as_test, rows.tests_of_most, rows.n_populations)
        others = [best(tuple(one.within(number)), number).value for one in self.without_each().values()]
        ends = best(tuple(some), number).value, *self.interval(level, of=number)
        return sentence_of(name, condition, ends, level, "these annotators and the model" if as_test else "these annotators", others)

    def std_error(self, of: str = "accuracy") -> float:
        """Return the standard error of a number by the form of the lowest BIC, as if this form were right; NaN if undefined."""
        name = option("of", of, self.names)
        found = self.within(name)
        return min(found, key=lambda one: one._rank).std_errors[name] if found else np.nan

    def goodness_of_fit(self, n_resamples: int = 99, *, form: str | None = None, seed: Any = 0) -> LatentCheck:
        """Return whether labels look like those of a form: data drawn from the fit are fitted again.

        Parameters
        ----------
        n_resamples : int
            Data sets to draw, at least 1.
        form : str, optional
            One of the forms of ``fits``; default: that of the lowest BIC.
        seed : int, Generator or SeedSequence
            Random seed. On one machine, the same seed gives the same numbers, in any number of threads
            (:func:`ugt.resampling.threads`).

        Raises
        ------
        ValueError
            If nothing was fitted, or there are more than two classes; if an argument is out of range.

        Notes
        -----
        A fit that is not refuted may be wrong: with four or five tests most wrong forms pass.
        """
        names = tuple(one.form for one in self.fits if one._fit.model is not None)
        if not names:
            raise error("form", "be a fitted form of two classes", "none")
        chosen = option("form", self.form if form is None else form, names)
        one = next(one for one in self.fits if one.form == chosen)
        return check(one._fit, list(map(str, one.tests)), whole("n_resamples", n_resamples), seed_of(seed))


def resampled_ends(value: float, drawn: Array, level: float, kind: str) -> tuple[float, float]:
    """Return the ends from values of drawn data sets; NaN if over half of these have none."""
    known = drawn[np.isfinite(drawn)]
    if 2 * len(known) <= len(drawn) or not np.isfinite(value):
        return np.nan, np.nan
    if kind == "percentile":
        low, high = np.quantile(known, [0.5 - level / 2, 0.5 + level / 2])
        return float(low), float(high)
    inside = known[(known > 0) & (known < 1)]
    scale = "logit" if 0 < value < 1 and len(inside) == len(known) else "identity"
    error = float(np.std(np.log(known / (1 - known)), ddof=1) * value * (1 - value) if scale == "logit" else np.std(known, ddof=1))
    return Number(value, error, scale=scale).ends(level)


def best(fits: tuple[LatentFit, ...], name: str) -> Number:
    """Return a number by the form of the lowest BIC in which it is defined."""
    found = [one for one in fits if one.defines(name)]
    return min(found, key=lambda one: one._rank)._numbers[name] if found else UNKNOWN


def undecided(fits: list[LatentFit], name: str) -> str:
    """Return from where to where the values of a number go, if the forms do not agree on it; else ""."""
    if not fits or agree(fits, name):
        return ""
    values = [one.values[name] for one in fits]
    if any(np.diff(one.ends(0.95, name))[0] > 1 for one in fits):
        return "not determined: its interval is wider than 1"
    if max(values) - min(values) <= SAME:
        return "not determined: the interval includes almost every value"
    return f"not determined: from {min(values):.3f} to {max(values):.3f} in forms that fit almost alike"


def agree(fits: list[LatentFit], name: str, level: float = 0.95) -> bool:
    """Return whether the values of a number differ by at most the width of its widest interval."""
    values = [one.values[name] for one in fits]
    ends = np.array([one.ends(level, name) for one in fits]).reshape(-1, 2)
    ends = ends[np.isfinite(ends).all(axis=1)]
    if not len(ends) or np.diff(ends, axis=1).max() > 1 or (ends[:, 0].min() < ANY[0] and ends[:, 1].max() > ANY[1]):
        return False
    return bool(max(values) - min(values) <= np.diff(ends, axis=1).max() + SAME)
