"""Whether a fit of latent classes is refuted: data drawn from the fit, fitted again."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ..._base.arrays import Array
from ..._base.records import Record
from ..._core._stream import Stream
from .confusions import ConfusionFit, fit_confusions, logsumexp
from .fitting import ClassFit, information, maximum
from .forms import TwoClasses
from .information import inverted, of_drawn
from .rows import LabelRows

NAMES = ("g_squared", "largest_residual", "unanimous")


@dataclass(frozen=True, eq=False, repr=False)
class LatentCheck(Record):
    """Whether labels look like those of a fitted form: the parametric bootstrap of its goodness of fit.

    Attributes
    ----------
    form : str
        The form that was checked.
    g_squared : float
        ``G² = 2 Σ O log(O / E)`` over the rows of labels that occur, by number of cases observed and expected.
    df : int
        Free cells of the tables of tests that occur together, less parameters. With 0 the fit cannot be checked, and p values are NaN.
    p_values : mapping
        Share of drawn data sets, with one more for the data, in which a number is as large: ``g_squared``; ``largest_residual``; the
        distance of the ``unanimous`` cases from the expected number.
    largest_residual, pair : float, (str, str)
        Largest difference between the observed and the expected share of equal labels of two tests, and these tests.
    unanimous, expected_unanimous : float
        Number of cases whose tests all say the same.
    n_resamples : int
        Data sets drawn from the fit.

    Examples
    --------
    >>> import numpy as np, ugt
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(500) < 0.4
    >>> said = np.where(rng.random((500, 5)) < 0.85, truth[:, None], ~truth[:, None]).astype(int)
    >>> found = ugt.metrics.latent_accuracy(ugt.Labels.from_wide(said[:, :4]), np.eye(2)[said[:, 4]])
    >>> check = found.goodness_of_fit(n_resamples=19, seed=1)
    >>> check.df, check.p_values["g_squared"] > 0.05
    (20, True)
    """

    form: str
    g_squared: float
    df: int
    p_values: dict[str, float]
    largest_residual: float
    pair: tuple[str, str]
    unanimous: float
    expected_unanimous: float
    n_resamples: int


def g_squared(rows: LabelRows, log_rows: Array) -> float:
    """Return G² = 2 Σ O log(O / E) over the distinct rows, given who labelled which case in which population."""
    group, sizes = rows.alike
    return float(2 * rows.times @ (np.log(rows.times) - np.log(sizes[group]) - log_rows))


def p_values(own: Array, drawn: Array) -> Array:
    """Return (M,) the shares of drawn data sets (B, M), with one more for the data, in which a number is as large."""
    return np.asarray((1 + (drawn >= own - 1e-9).sum(axis=0)) / (len(drawn) + 1))


def p_of_confusions(fit: ConfusionFit, n_resamples: int, seed: int) -> float:
    """Return the p-value of G² of a fit without dependence; NaN if its parameters leave nothing to check."""
    if fit.rows.n_classes ** fit.rows.given.sum(axis=1).max() - 1 <= fit.n_parameters:
        return np.nan

    def number(stream: Stream) -> Array:
        rows = fit.drawn(stream)
        return np.array([g_squared(rows, fit_confusions(rows, fit.form).log_rows)])

    return float(p_values(np.array([g_squared(fit.rows, fit.log_rows)]), of_drawn(number, n_resamples, seed))[0])


def _pairs(model: TwoClasses, x: Array) -> Array:
    """Return (G, T, T) the probability that two tests give the same label, for each population."""
    p = 1 / (1 + np.exp(-model.parts(x)[0]))
    found = np.zeros((len(p), model.rows.n_tests, model.rows.n_tests))
    for c in (0, 1):
        own = model.at(x, c)
        alike = sum((own.weight[:, None] * rate).T @ rate for rate in (own.rate, 1 - own.rate))
        found += (p if c else 1 - p)[:, None, None] * alike
    return found


def statistics(model: TwoClasses, x: Array) -> tuple[Array, tuple[int, int], float, float]:
    """Return G², largest residual and distance of unanimous cases; the pair; unanimous cases, observed and expected."""
    rows = model.rows
    worst, pair = _worst_pair(rows, _pairs(model, x))
    own, fitted = float(rows.times[(rows.counts > 0).sum(axis=1) < 2].sum()), float(rows.times @ model.unanimous(x))
    return np.array([g_squared(rows, logsumexp(model.joint(x)[0])), worst, abs(own - fitted)]), pair, own, fitted


def _worst_pair(rows: LabelRows, alike: Array) -> tuple[float, tuple[int, int]]:
    """Return the largest difference between the observed and the expected share of equal labels, and the two tests."""
    table, found = rows.table, []
    for i, j in combinations(range(rows.n_tests), 2):
        both = np.where((table[:, i] >= 0) & (table[:, j] >= 0), rows.times, 0.0)
        same = table[:, i] == table[:, j]
        found.append((abs(float(both @ (same - alike[rows.population, i, j]))) / max(both.sum(), 1.0), (i, j)))
    return max(found, key=lambda one: one[0])


def _free_cells(rows: LabelRows) -> int:
    """Return the free cells of the tables of tests that occur together, in each population."""
    first = np.unique(rows.alike[0], return_index=True)[1]
    return int(sum(2 ** int((rows.given[i] > 0).sum()) - 1 for i in first))


def check(fit: ClassFit, names: list[str], n_resamples: int, seed: int) -> LatentCheck:
    """Draw data from a fit, fit them again, and compare; ``names``: of the tests."""
    assert fit.model is not None
    model = fit.model
    own, pair, unanimous, expected = statistics(model, fit.x)
    df, p = max(0, _free_cells(fit.rows) - fit.n_parameters), np.full(len(NAMES), np.nan)
    inverse = inverted(information(model, fit.x) + np.diag(model.ridge(fit.x)))[0] * fit.rows.n_cases

    def number(stream: Stream) -> Array:
        again = TwoClasses.of(fit.form, model.drawn(fit.x, stream), len(model.nodes.z))
        return statistics(again, maximum(again, fit.x, inverse)[0])[0]

    if df:
        p = p_values(own, of_drawn(number, n_resamples, seed))
    g2, worst, _ = map(float, own)
    two = names[pair[0]], names[pair[1]]
    return LatentCheck(fit.form, g2, df, dict(zip(NAMES, map(float, p))), worst, two, unanimous, expected, n_resamples)
