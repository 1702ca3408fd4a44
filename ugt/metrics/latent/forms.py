"""Two latent classes: the forms in which tests may depend on each other within a class, and their likelihood with its gradient.

``P(x | c) = Σ_k w_k Π_j Φ(η_cjk)^x_j (1 - Φ(η_cjk))^(1 - x_j)`` over nodes k. Parameters are the logit prevalence of each population,
probits ``a_0`` (J) and ``a_1`` (J), and those of the dependence.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..._base.arrays import Array
from ..._core import _latent
from ..._core._stream import Stream
from .rows import LabelRows

HALF_LOG_TAU = 0.9189385332046727  # of the log density of the normal law
NODES, MORE_NODES, STRONG = 21, 41, 2.0  # of Gauss-Hermite quadrature; more if a loading is stronger than this
CERTAIN = 8.0  # probit of a test that is always right
RIDGE = 0.01  # of all parameters but the prevalence: keeps probits of values of 0 and 1 finite, moves others in the fourth digit


class Dependence(NamedTuple):
    """A form of dependence: whose loadings or mixture it has, first values of its parameters, and the fewest tests that bear it."""

    starts: tuple[float, ...]
    least_tests: int
    words: str


FORMS = {
    "ind": Dependence((), 2, "tests are independent given the class"),
    "re1": Dependence((0.5,), 4, "all tests have one loading on a normal difficulty"),
    "re1m": Dependence((0.5, 0.1), 4, "annotators have one loading on a normal difficulty and the model has its own"),
    "fm": Dependence((0.0, 0.0), 4, "in a share of the cases of each class all tests are right"),
    "fmm": Dependence((0.0, 0.0), 4, "in a share of the cases of each class all annotators are right, the model as elsewhere"),
}
WITH_MODEL = ("re1m", "fmm")  # forms that set the model apart
EXTRA_TESTS = ("re1m", "fm", "fmm")  # with four tests they fit almost alike: shown, not chosen


class Nodes(NamedTuple):
    """The nodes of both classes: probits are ``own (a + z Σ_e of_e extra_e) + fixed``, weights those of a rule or of a mixture.

    ``log_weight`` and ``z`` (Q,); ``own`` and ``fixed`` (2, Q, J); ``of`` (E, J). In a mixture the first of two nodes has the weight
    ``1 / (1 + exp(-extra_c))`` in class c.
    """

    log_weight: Array
    z: Array
    own: Array
    fixed: Array
    of: Array
    mixture: bool


def nodes_of(form: str, n_tests: int, n_nodes: int) -> Nodes:
    """Return the nodes of a form."""
    if form in ("fm", "fmm"):
        own, fixed = np.ones((2, 2, n_tests)), np.zeros((2, 2, n_tests))
        right = slice(n_tests - 1 if form == "fmm" else n_tests)  # in "fmm" the model is outside of the mixture
        own[:, 0, right], fixed[:, 0, right] = 0.0, np.array([[-CERTAIN], [CERTAIN]])
        return Nodes(np.zeros(2), np.zeros(2), own, fixed, np.zeros((2, n_tests)), True)
    z, w = np.polynomial.hermite_e.hermegauss(1 if form == "ind" else n_nodes)
    of = np.ones((n_extra(form), n_tests))
    if form == "re1m":
        of[0, -1], of[1, :-1] = 0, 0
    shape = 2, len(z), n_tests
    return Nodes(np.log(w / w.sum()), z, np.ones(shape), np.zeros(shape), of, False)


def n_extra(form: str) -> int:
    """Return the number of parameters of the dependence."""
    return len(FORMS[form].starts)


class AtNodes(NamedTuple):
    """One class at some parameters: weights (Q,), probits (Q, J), and derivatives of logarithms of weights (E, Q)."""

    weight: Array
    probit: Array
    by_weight: Array

    @property
    def rate(self) -> Array:
        """(Q, J) the probability of a positive label."""
        from scipy.special import ndtr  # noqa: PLC0415  (scipy is slow to import)

        return np.asarray(ndtr(self.probit))


@dataclass(frozen=True, eq=False)
class TwoClasses:
    """The likelihood of one form on distinct rows."""

    form: str
    rows: LabelRows
    nodes: Nodes

    @cached_property
    def core(self) -> _latent.TwoClasses:
        """The kernel."""
        return _core(self.rows, self.rows.hot, self.nodes)

    def __getstate__(self) -> dict[str, Any]:
        return {name: one for name, one in vars(self).items() if name != "core"}  # the kernel has addresses

    @classmethod
    def of(cls, form: str, rows: LabelRows, n_nodes: int = NODES) -> TwoClasses:
        """Make the nodes."""
        return cls(form, rows, nodes_of(form, rows.n_tests, n_nodes))

    def unanimous(self, x: Array) -> Array:
        """Return (P,) the probability that all tests of a row say the same."""
        found = np.zeros(len(self.rows.times))
        for label in (0, 1):
            hot = np.zeros_like(self.rows.hot)
            hot[:, :, label] = self.rows.given
            found += np.exp(_joint(_core(self.rows, hot, self.nodes), x, len(found))[0]).sum(axis=1)
        return found

    @property
    def n_parameters(self) -> int:
        """The number of parameters."""
        return self.rows.n_populations + 2 * self.rows.n_tests + n_extra(self.form)

    def parts(self, x: Array) -> tuple[Array, Array, Array]:
        """Split the parameters into logit prevalences (G,), probits (2, J) and those of the dependence."""
        g, j = self.rows.n_populations, self.rows.n_tests
        return x[:g], x[g : g + 2 * j].reshape(2, j), x[g + 2 * j :]

    def start(self, prevalence: Array, theta: Array) -> Array:
        """Return first parameters from prevalences (G,) and probabilities of a positive label (T, 2) in each class."""
        from scipy.special import ndtri  # noqa: PLC0415  (scipy is slow to import)

        p = np.clip(prevalence, 0.002, 0.998)
        return np.concatenate([np.log(p / (1 - p)), ndtri(np.clip(theta.T, 0.01, 0.99)).ravel(), FORMS[self.form].starts])

    def joint(self, x: Array) -> tuple[Array, Array]:
        """Return (P, 2) log probabilities of class and row, and (2, P, q) their derivatives by the parameters."""
        return _joint(self.core, x, len(self.rows.times))

    def value(self, x: Array) -> tuple[float, Array]:
        """Return minus the mean log-likelihood with the ridge, and its gradient."""
        gradient = np.empty(len(x))
        return self.core.value(x, gradient), gradient

    def at(self, x: Array, c: int) -> AtNodes:
        """Return the nodes of class c at some parameters."""
        _, probits, extra = self.parts(x)
        nodes, by_weight = self.nodes, np.zeros((len(extra), len(self.nodes.z)))
        weight = np.exp(nodes.log_weight)
        if nodes.mixture:
            share = float(np.clip(1 / (1 + np.exp(-extra[c])), 1e-12, 1 - 1e-12))
            weight, by_weight[c] = np.array([share, 1 - share]), (1 - share, -share)
        return AtNodes(weight, nodes.own[c] * (probits[c] + nodes.z[:, None] * (extra @ nodes.of)) + nodes.fixed[c], by_weight)

    def ridge(self, x: Array) -> Array:
        """Return (q,) the weights of the squared parameters in the penalty."""
        found = np.full(len(x), RIDGE)
        found[: self.rows.n_populations] = 0
        return found

    def rates(self, x: Array) -> tuple[Array, Array]:
        """Return (2, J) the share of cases that each test calls positive in either class, and (2, J, q) its derivatives."""
        g, j = self.rows.n_populations, self.rows.n_tests
        found, by, at = np.empty((2, j)), np.zeros((2, j, len(x))), np.arange(j)
        for c in (0, 1):
            weight, probit, by_weight = own = self.at(x, c)
            slope = weight[:, None] * np.exp(-0.5 * probit**2 - HALF_LOG_TAU) * self.nodes.own[c]
            found[c] = weight @ own.rate
            by[c][at, g + c * j + at] = slope.sum(axis=0)
            by[c][:, g + 2 * j :] = ((self.nodes.z @ slope) * self.nodes.of + (weight * by_weight) @ own.rate).T
        return found, by

    def exchanged(self, x: Array) -> Array:
        """Return the parameters of the same law with the names of the classes exchanged, for the forms that allow it."""
        logits, probits, extra = self.parts(x)
        return np.concatenate([-logits, probits[::-1].ravel(), extra if self.form[:2] != "fm" else extra[::-1]])

    def drawn(self, x: Array, stream: Stream) -> LabelRows:
        """Return labels drawn from the law, as many of each test in each case as there are."""
        rows, case, test = self.rows.each()
        u, each = np.empty((2, len(rows))), np.empty(len(case))
        stream.uniform(u.ravel())
        stream.uniform(each)
        positive = u[0] < (1 / (1 + np.exp(-self.parts(x)[0])))[self.rows.population[rows]]
        label = np.zeros(len(case), np.int64)
        for c in (0, 1):
            own = self.at(x, c)
            steps = np.cumsum(own.weight)
            node = np.minimum(np.searchsorted(steps, u[1] * steps[-1]), len(steps) - 1)
            here = positive[case] == bool(c)
            label[here] = each[here] < own.rate[node[case[here]], test[here]]
        return self.rows.again(rows, case, test, label)


def _core(rows: LabelRows, hot: Array, nodes: Nodes) -> _latent.TwoClasses:
    """Return the kernel for numbers of labels (P, T, 2) in the places of rows."""
    no, yes = np.ascontiguousarray(hot[:, :, 0]), np.ascontiguousarray(hot[:, :, 1])
    return _latent.TwoClasses(yes, no, rows.times, rows.population, rows.n_populations, *nodes, RIDGE)


def _joint(core: _latent.TwoClasses, x: Array, n_rows: int) -> tuple[Array, Array]:
    found, scores = np.empty((n_rows, 2)), np.empty((2, n_rows, len(x)))
    core.joint(x, found, scores)
    return found, scores
