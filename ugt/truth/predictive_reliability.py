"""The reliability with which labels predict further labels of the same case, from at least two held-out labels of each case."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._base import checks
from .._base.ragged import row_of
from ..annotations import Labels
from ..annotations.other_annotators import keeping
from ..resampling import seed_of
from . import profiles
from .fitted_reliability import LEAST, N_GRID, SPANS
from .held_out import held_out, one_each
from .reliability_profile import FittedReliability, fitted

PRIORS = np.linspace(-14.0, 7.0, 64)  # log α
TOO_FEW = "case with too few labels to hold them out"


def fit_predictive_reliability(labels: Any, *, held: int = 2, seed: Any = 0) -> FittedReliability:
    r"""Fit the reliability with which the labels of a case predict further labels of this case, together with the prior.

    Of each case ``held`` labels are held out, with counts h_i; s_i are the counts of the others. The fit maximises over γ and α

    .. math:: ℓ(γ, α) = \sum_i \log \mathrm{DirMult}(h_i \mid γ s_i + α),

    the probability of the held-out labels, in their order, under the posterior from the others. Labels that are independent draws from
    plausibilities with a Dirichlet prior have γ = 1; below 1 the labels of a case predict further ones less well.

    Parameters
    ----------
    labels : Labels
        Labels with at least 10 cases with more than ``held`` labels; the other cases are left out and counted.
    held : int
        Number of labels held out of each case, at least 2: with one only α / γ is identified.
    seed : int, Generator or SeedSequence
        The held-out labels depend on the seed, the id of the case and the id of the annotator.

    Returns
    -------
    FittedReliability
        The fit; its ``profile`` is the likelihood for each γ at the best α, and ``prior`` is α at the maximum.

    Raises
    ------
    TypeError, ValueError
        If ``labels`` are of another type, ``held`` is below 2, or there are too few cases.

    Notes
    -----
    It applies to further labels by annotators like these, not to the truth: errors that all of them share are invisible.

    Examples
    --------
    >>> import numpy as np, ugt
    >>> rng = np.random.default_rng(0)
    >>> labels = ugt.Labels.from_counts([rng.multinomial(6, p) for p in rng.dirichlet([0.5] * 3, 400)])
    >>> ugt.truth.fit_predictive_reliability(labels, held=3).sentence()
    'The reliability is 1.3 (95% interval 0.88 to 2.3, 400 cases).'
    """
    checks.instance("labels", labels, Labels, "be Labels")
    held = checks.whole("held", held)
    if held < 2:
        raise checks.error("held", "be at least 2: one held-out label per case shows only the prior divided by the reliability", held)
    single = one_each(labels)
    out = held_out(single, labels.axes.stream_keys, held, seed_of(seed))
    n_held = np.bincount(row_of(single.offsets)[out], minlength=labels.n_cases)
    kept = n_held > 0
    if kept.sum() < LEAST:
        raise checks.error("labels", f"have at least {LEAST} cases of more than {held} labels", int(kept.sum()))
    rest, taken = keeping(single, ~out), keeping(single, out)
    cell, number = np.unique(row_of(taken.offsets) * labels.n_classes + taken.label, return_counts=True)
    seen_cell, seen = np.unique(row_of(rest.offsets) * labels.n_classes + rest.label, return_counts=True)
    place = np.minimum(np.searchsorted(seen_cell, cell), len(seen) - 1)
    own = np.where(seen_cell[place] == cell, seen[place], 0)
    (s, j), m = _pairs(own, number)
    (n, i), w = _pairs(np.diff(rest.offsets)[kept], n_held[kept])

    def likelihood(gamma: float, u: Any) -> Any:
        alpha = np.exp(np.asarray(u)[..., None])
        return np.log(gamma * s + alpha + j) @ m - np.log(gamma * n + labels.n_classes * alpha + i) @ w

    def over_priors(gamma: float) -> tuple[float, float]:
        return profiles.maximum(lambda u: float(likelihood(gamma, u)), PRIORS, likelihood(gamma, PRIORS))

    grid = np.geomspace(*SPANS["dirichlet"], N_GRID)
    n_empty = int((~kept).sum())
    found = fitted(
        grid, np.array([over_priors(gamma)[1] for gamma in grid]), prior=None, n_cases=int(kept.sum()),
        left_out={TOO_FEW: n_empty} if n_empty else {}, notes=(),
    )  # fmt: skip
    alpha = float(np.exp(over_priors(float(np.clip(found.value, grid[0], grid[-1])))[0]))
    return found.with_prior(alpha)


def _pairs(first: Any, number: Any) -> tuple[Any, Any]:
    """Return the distinct pairs of a count and each j below a number, and their frequencies."""
    of = np.repeat(first, number)
    j = np.arange(len(of)) - np.repeat(np.cumsum(number) - number, number)
    return np.unique(np.stack([of, j]), axis=1, return_counts=True)
