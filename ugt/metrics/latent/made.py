"""The records of a model against the latent class, from labels as distinct rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..._base.arrays import Array, Int32
from ..._core._stream import Stream
from .confusions import FULL, ONE, enough_for_full
from .fitting import ClassFit, fit_many, fit_two, refitted, two_class_start
from .forms import EXTRA_TESTS, FORMS, WITH_MODEL
from .information import of_drawn
from .numbers import UNKNOWN, Number, degrees, of_last_test
from .records import BIC_UNITS, LatentAccuracy, LatentFit, agree, best, undecided
from .rows import LabelRows
from .skills import BIAS, why_open
from .steps import bounds_of_auroc, signed_auroc, spread, two_steps

MODEL = "model"
ONE_COIN = "annotators err alike on all other classes, each with an accuracy"
OF_TWO = ("sensitivity", "specificity", "accuracy", "prevalence")
UNFOUND = "too few cases of a class are expected, or the annotators do not distinguish the classes"
NOT_SEEN = "no annotator gave this class"
Numbers = Mapping[str, Number]


@dataclass(frozen=True, eq=False)
class JudgedModel:
    """Labels of N cases, and the choices (N,) and scores (N, K) of a model; ``seen``: the classes that annotators gave."""

    rows: LabelRows
    names: list[Any]
    choice: Int32
    scores: Array
    as_test: bool
    positive: int
    seen: Int32
    n_classes: int
    forms: tuple[str, ...]
    left_out: dict[str, int]

    @property
    def numbers(self) -> tuple[str, ...]:
        """The names of the numbers."""
        recalls = (f"recall {t}" for t in range(self.n_classes))
        return (*OF_TWO, "auroc") if self.n_classes == 2 else ("accuracy", *recalls)

    def without(self, test: int) -> JudgedModel:
        """Return the same model with the labels of all annotators but one."""
        rows, cases = self.rows.without(test)
        names = [name for i, name in enumerate(self.names) if i != test]
        return replace(self, rows=rows, names=names, choice=self.choice[cases], scores=self.scores[cases])

    @cached_property
    def overlapping(self) -> JudgedModel:
        """The same model without annotators who share no case with another one: a fit of the annotators alone says nothing of them."""
        given = self.rows.given > 0
        found = self
        for test in np.flatnonzero(~(given & (given.sum(axis=1) > 1)[:, None]).any(axis=0))[::-1]:
            found = found.without(int(test)) if found.rows.n_tests > 1 else found
        return found

    def made(self) -> LatentAccuracy:
        """Fit all forms and return the record."""
        return made(self)

    def resampled(self, fits: Sequence[LatentFit], n_resamples: int, seed: int, number: Callable[[JudgedModel, ClassFit], Array]) -> Array:
        """Return (B, F, M) numbers by each fit, of cases or clusters drawn with replacement."""

        def drawn(stream: Stream) -> Array:
            cases = self.rows.drawn_cases(stream)
            again = replace(self, rows=self.rows.of_cases(cases), choice=self.choice[cases], scores=self.scores[cases])
            return np.array([number(again, refitted(one._fit, one._fit.rows.of_cases(cases))) for one in fits])

        return of_drawn(drawn, n_resamples, seed).reshape(n_resamples, len(fits), -1)

    def value_of(self, name: str) -> Callable[[JudgedModel, ClassFit], Array]:
        """Return the function that gives a number of resampled cases."""
        if self.as_test and name != "auroc":
            return lambda again, fit: np.array([of_last_test(fit)[name].value])
        return lambda again, fit: np.array([again.outside(fit)[name].value])

    def auroc_bounds(self, fit: ClassFit) -> Array:
        """Return (2,) the bounds of the AUROC whatever the score."""
        return bounds_of_auroc(fit, self.scores[:, 1])

    def outside(self, fit: ClassFit) -> Numbers:
        """Return the numbers of a model outside of a fit."""
        found = two_steps(fit, (self.choice[:, None] == self.seen).astype(np.float64))[0]
        margin = BIAS * fit.share_open**2  # of plausibilities from few labels, which are too sure
        found = {name: number._replace(margin=margin) for name, number in found.items()}
        if self.n_classes != 2:
            return {"accuracy": found["accuracy"], **{f"recall {t}": found[f"recall {i}"] for i, t in enumerate(self.seen)}}
        two = {"sensitivity": found["recall 1"], "specificity": found["recall 0"], "accuracy": found["accuracy"]}
        positives = Number(float(fit.prevalence[1]), _error_of_share(fit), degrees(fit))
        return {**two, "prevalence": positives, "auroc": signed_auroc(fit, self.scores[:, 1])}


def made(judged: JudgedModel) -> LatentAccuracy:
    """Fit all forms and return the record."""
    rows = judged.rows
    others = judged.overlapping
    alone, why_alone = _fitted(others.rows, others, others.names, others.outside, False)
    fits, why = alone, why_alone
    if judged.as_test:
        fits, why = _fitted(rows.beside(judged.choice), judged, [*judged.names, MODEL], of_last_test, True)
    of = {name: alone if name == "auroc" else fits for name in judged.numbers}
    values = {name: best(some, name).value for name, some in of.items()}
    defined = {name: [one for one in some if one.defines(name)] for name, some in of.items()}
    determined = {name: agree(some, name) for name, some in defined.items()}
    reasons = {}
    for name in (name for name, good in determined.items() if not good):
        unseen = name.startswith("recall") and not why and int(name.split()[1]) not in judged.seen
        of_all = NOT_SEEN if unseen else _reason(of[name], why_alone if name == "auroc" else why)
        reasons[name] = undecided(defined[name], name) if defined[name] else of_all
    recalls, prevalence, form = _by_class(judged, fits, values)
    sens, spec, auroc = (values.get(name, np.nan) for name in ("sensitivity", "specificity", "auroc"))
    role, n = "test" if judged.as_test else "outside", int(rows.n_cases)
    return LatentAccuracy(
        values["accuracy"], sens, spec, auroc, recalls, prevalence, role, form, fits, alone, determined, reasons, n, judged.left_out, judged
    )


def _by_class(judged: JudgedModel, fits: tuple[LatentFit, ...], values: Mapping[str, float]) -> tuple[Array, Array, str]:
    """Return (K,) recalls and prevalences, in the order of the classes of the labels, and the form of the lowest BIC."""
    good = [one for one in fits if one.within and not one.reason]
    first = min(good, key=lambda one: one._rank) if good else None
    prevalence = np.full(judged.n_classes, np.nan if first is None else 0.0)
    if first is not None:
        prevalence[judged.seen] = first._fit.prevalence
    if judged.n_classes != 2:
        recalls = np.array([values[f"recall {t}"] for t in range(judged.n_classes)])
        return recalls, prevalence, "" if first is None else first.form
    recalls = np.array([values["specificity"], values["sensitivity"]])
    prevalence = np.array([1 - values["prevalence"], values["prevalence"]])
    order = slice(None) if judged.positive else slice(None, None, -1)
    return recalls[order], prevalence[order], "" if first is None else first.form


def _reason(fits: tuple[LatentFit, ...], why: str) -> str:
    """Return why a number is undefined."""
    some = [one.reason for one in fits if one.within and one.reason]
    return why or (some[0] if some else UNFOUND)


def _error_of_share(fit: ClassFit) -> float:
    """Return the standard error of the mean posterior of the second class."""
    w, times = fit.posterior[:, 1], fit.rows.times
    n = times.sum()
    influence = (w - times @ w / n) / n + fit.score @ (fit.covariance @ (times @ fit.moved[1] / n))
    return spread(fit, influence[fit.rows.row])


def _fitted(
    rows: LabelRows, judged: JudgedModel, names: list[Any], numbers: Callable[[ClassFit], Numbers], as_test: bool
) -> tuple[tuple[LatentFit, ...], str]:
    """Return the fits of all forms that the rows bear, or the reason why there are none."""
    tests, n_tests = rows.tests_of_most if rows.n_cases else 0, rows.n_tests
    if rows.n_classes < 2:
        return (), "latent classes need two classes"
    if tests < 3 and not (tests == 2 and rows.n_populations > 1 and rows.n_classes == 2):
        return (), f"latent classes need three tests of the same cases, or two in two populations: there are {min(tests, n_tests)}"
    if rows.n_classes > 2:
        found = [fit_many(FULL if enough_for_full(rows) else ONE, rows)]
    else:
        some = [one for one in judged.forms if FORMS[one].least_tests <= tests and (as_test or one not in WITH_MODEL)]
        if not as_test and tests < 5:
            some = [one for one in some if one not in EXTRA_TESTS]
        if not some:
            return (), f"none of these forms is determined by {tests} tests of the same cases"
        start = two_class_start(rows)
        found = [fit_two(form, rows, start) for form in some]
    share = found[0].share_open  # of the form with the fewest parameters
    found = [replace(one, reason=one.reason or why_open(share)) for one in found]
    return _shown(found, names, numbers, tests, judged.numbers), ""


def _shown(
    fits: list[ClassFit], names: list[Any], numbers: Callable[[ClassFit], Numbers], tests: int, wanted: tuple[str, ...]
) -> tuple[LatentFit, ...]:
    """Return the records of fits, by which forms lie within 12 BIC units of the lowest one."""
    lowest = min((one.bic for one in fits if not one.reason), default=min(one.bic for one in fits))
    found = []
    for one in fits:
        own = dict.fromkeys(wanted, UNKNOWN) if one.reason else numbers(one)
        values, errors = ({name: getattr(number, part) for name, number in own.items()} for part in ("value", "std_error"))
        within, rank = bool(one.bic <= lowest + BIC_UNITS), (tests == 4 and one.form in EXTRA_TESTS, one.bic)
        words = FORMS[one.form].words if one.form in FORMS else ONE_COIN
        loadings = _loadings(one)
        record = LatentFit(
            one.form, words, one.log_likelihood, one.bic, one.n_parameters, values, errors, tuple(names), one.rates, loadings, within,
            one.reason, rank, own, one,
        )  # fmt: skip
        found.append(record)
    return tuple(found)


def _loadings(fit: ClassFit) -> tuple[float, ...]:
    if fit.model is None:
        return ()
    extra = fit.model.parts(fit.x)[2]
    return tuple(map(float, 1 / (1 + np.exp(-extra)) if fit.form[:2] == "fm" else extra))
