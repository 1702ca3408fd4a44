"""Uncertainty-adjusted accuracy of groups of classes, such as risks, over all cases or given the group of the truth."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from .._base import checks
from .._base.arrays import Array, Int64
from .._base.checks import room
from .._base.notes import Note
from .._base.notices import note
from ..annotations.joins import tells_joins
from ..plausibilities import Plausibilities, as_plausibilities
from ..plausibilities import estimates as results
from ..plausibilities.comparisons import Comparison
from ..plausibilities.orders import Orders
from ..plausibilities.point import summed
from ..plausibilities.sets import as_groups, one_group
from .given import scores_of

OF = ("group", "class")
# With fewer expected cases, 95% intervals over cases cover too rarely: 79 to 94% of simulated data sets with 5, 93 to 97% with 10.
FEW_EXPECTED = 10


@tells_joins
def ua_group_accuracy(
    truth: object,
    scores: object,
    groups: object,
    *,
    given: object = None,
    of: str = "group",
    group_rule: str = "sum",
    ties: str = "expectation",
    frequency: object = None,
) -> results.Estimate:
    r"""Return how often the model's group of classes, such as the risk, agrees with the group of a truth drawn from the posterior.

    Let Y be the most plausible class of a drawn truth, C the model's first choice and g(·) the group of a class. The value is the mean
    over cases of ``P(g(C) = g(Y))`` [A section 3.2]. Accuracy "given that the case is high-risk" needs a ratio, because a case is
    high-risk only with some probability. ``given=g`` takes this ratio over cases and draws together:

    ``Σ_i P(C_i is right and g(Y_i) = g) / Σ_i P(g(Y_i) = g)``.

    Each case counts with its probability to be of the group. For certain truths the ratio is the accuracy over the cases of the group.

    Parameters
    ----------
    truth, ties, frequency
        As in :func:`ua_topk_accuracy`.
    scores : (N, K) array, or table with names
        Scores of the model, higher is better; at least 0 for ``group_rule="sum"``, such as probabilities.
    groups : (K,) integers or names, or mapping of class to integer or name
        Group of every class, such as its risk.
    given : group, optional
        The group of the truth to which the value is restricted. Default: no restriction.
    of : {"group", "class"}
        What must agree: the group, or the class itself (with ``given``: how often the model finds the class if the truth is of the group).
    group_rule : {"sum", "top_class"}
        How truth and model choose a group: the group with the highest sum, or the group of the best class, which ``of="class"`` needs.

    Returns
    -------
    Estimate
        The value, in [0, 1]: exact for Point and Dirichlet, with a Monte Carlo error for Draws. With ``given``, ``per_case`` is the
        probability to agree given the group, and ``weight`` the probability of the group; cases that are never of the group are left out
        and counted. ``draw_std`` is then exact for Draws and of first order for Dirichlet posteriors, whose interval over draws comes from
        the normal limit.

    Warns
    -----
    UserWarning
        If fewer than 10 cases of the given group are expected: intervals over cases are then too narrow (except for values of 0 and 1).

    Raises
    ------
    ValueError, TypeError
        As :func:`ua_topk_accuracy`; if groups do not fit, ``given`` is none of them, or scores to be added up are negative.

    Notes
    -----
    The value without ``given`` cannot exceed :func:`annotation_certainty` of the same groups and rule.

    Examples
    --------
    >>> import ugt
    >>> labels = ugt.Labels.from_counts([[4, 2, 0], [0, 1, 5], [2, 2, 2]], classes=["melanoma", "nevus", "eczema"])
    >>> post, risk = ugt.dirichlet(labels, prior=0.5), {"melanoma": "high", "nevus": "low", "eczema": "low"}
    >>> scores = [[0.6, 0.3, 0.1], [0.1, 0.4, 0.5], [0.3, 0.4, 0.3]]
    >>> round(ugt.metrics.ua_group_accuracy(post, scores, risk).value, 3)
    0.851
    >>> found = ugt.metrics.ua_group_accuracy(post, scores, risk, given="high")
    >>> round(found.value, 3), found.weight.round(3)
    (0.812, array([0.72 , 0.002, 0.164]))
    """
    post = as_plausibilities(truth)
    for name, value, known in (("of", of, OF), ("group_rule", group_rule, ("sum", "top_class")), ("ties", ties, checks.TIES)):
        checks.option(name, value, known)
    if of == "class" and group_rule == "sum":
        raise checks.error("group_rule", "be 'top_class' for of='class', because sums over groups have no class", "'sum'")
    group = as_groups(groups, post.axes)
    wanted = None if given is None else one_group(given, groups, post.axes, "given")[1]
    table = scores_of(post, scores)
    order = Orders.from_dense(table, 1, checks.option("ties", ties, checks.TIES))
    room("shares of classes", 32 * post.n_cases * post.n_classes)
    if group_rule == "sum":
        table = np.asarray(table, np.float64)
        if (table < 0).any():
            i, j = np.argwhere(table < 0)[0]
            must, where = "be at least 0 for group_rule='sum' (or use group_rule='top_class')", f"case {post.axes.case_name(i)}"
            raise checks.error("scores", must, table[i, j], f"{where}, class {post.axes.class_name(j)}")
        order = Orders.from_dense(summed(table, group), 1, ties)
    judge = Groups(group, group_rule == "sum", order.sets(1).membership(1), of == "class", ties)
    rows = np.arange(post.n_cases, dtype=np.int64)
    if wanted is None:
        return results.estimate(judge.right(post, rows), post, again=judge.right, frequency=frequency)
    both = partial(judge.given, wanted)
    slope = partial(judge.slope, wanted, post)
    found = results.ratio(*both(post, rows), slope, f"case that is never of group {given!r}", post, both, frequency)
    expected = 0.0 if found.weight is None else found.expected_weight
    if expected < FEW_EXPECTED and 0 < found.value < 1:
        words = "{expected:.1f} cases of group {group!r} are expected; with fewer than {least}, intervals over cases are too narrow."
        note(Note("few_expected", words, expected=expected, group=given, least=FEW_EXPECTED))
    return found


class Groups(NamedTuple):
    """The model's first choices as groups or classes, with the rules by which they agree with a truth."""

    group: Int64  # (K,) of the classes
    in_sum: bool  # whether the group with the highest sum counts, not the group of the best class
    chosen: Array  # (N, K) first choices, or (N, G) of groups
    of_class: bool
    ties: str

    def _seen(self, truth: Plausibilities) -> Plausibilities:
        return truth.grouped(self.group) if self.in_sum else truth

    def _worth(self, rows: Int64) -> Array:
        chosen = self.chosen[rows]
        return chosen if self.in_sum or self.of_class else summed(chosen, self.group)[:, self.group]

    def _inside(self, wanted: int) -> Array:
        return np.asarray((np.arange(self.chosen.shape[1]) if self.in_sum else self.group) == wanted, np.float64)

    def right(self, truth: Plausibilities, rows: Int64) -> Comparison:
        """Return P(first choice and drawn truth agree) per case."""
        return self._seen(truth).of_best_class(self._worth(rows), ties=self.ties)

    def given(self, wanted: int, truth: Plausibilities, rows: Int64) -> tuple[Comparison, Comparison]:
        """Return P(the truth is of the wanted group and the choice agrees) and P(the truth is of the group) per case."""
        seen, worth, inside = self._seen(truth), self._worth(rows), self._inside(wanted)
        tables = worth * inside, np.broadcast_to(inside, worth.shape)
        above, below = (seen.of_best_class(np.ascontiguousarray(table), ties=self.ties) for table in tables)
        return above, below

    def slope(self, wanted: int, truth: Plausibilities, value: float) -> Comparison:
        """Return the numerator less the value times the denominator per case, from which the spread of the ratio follows."""
        worth = (self._worth(np.arange(truth.n_cases, dtype=np.int64)) - value) * self._inside(wanted)
        return self._seen(truth).of_best_class(worth, ties=self.ties)
