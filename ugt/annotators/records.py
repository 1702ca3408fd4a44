"""Input and output of annotator models: labels with known annotators, and the records of the fits."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .._base import identifiers
from .._base.arrays import Array, Bools, Int32, Int64, NDArray
from .._base.axes import Axes, Frozen
from .._base.checks import error, room
from .._base.lazy import cached_property
from .._base.names import listed as listed_names
from .._base.ragged import offsets_of, row_of, sizes_of
from .._core import _em
from ..annotations import Labels
from ..plausibilities import Point

NO_LABELS = "case without labels"
# Plausibilities leave out classes of a lower probability.
NEGLIGIBLE = 1e-12
CHUNK = 2**20  # cells of a dense table in memory at a time


class GivenLabels:
    """The labels with known annotators, and the entries of each case: the distinct classes of its labels and its known class."""

    def __init__(self, labels: object, known: object = None) -> None:
        self.labels = checked(labels)
        self.axes = self.labels.axes
        self.offsets, self.index, votes = self.labels.class_counts()
        self.known = known_classes(known, self.labels)
        if self.known is not None:
            self.offsets, self.index, votes = _with_known(self.labels, self.known)
        self.votes = votes.astype(np.float64)
        weight = self.labels.count.astype(np.float64)
        self.weight = None if (weight == 1).all() else weight
        self.n_annotators, self.n_classes = len(self.labels.annotators), self.labels.n_classes
        self.table = self._table()

    def _table(self) -> _em.Table:
        table = self.labels.offsets, self.labels.annotator, self.labels.label, self.weight, self.offsets, self.index
        return _em.Table(*table, self.n_annotators, self.n_classes, self.known)

    def __getstate__(self) -> dict[str, Any]:
        """What a copy is made from: all but the tables of the C core."""
        return {name: value for name, value in self.__dict__.items() if name not in ("table", "coins")}

    def __setstate__(self, held: dict[str, Any]) -> None:
        self.__dict__.update(held)
        self.table = self._table()

    @cached_property
    def entry(self) -> Int32:
        return self.positions(self.offsets, self.index, self.labels.offsets, self.labels.label).astype(np.int32)

    @cached_property
    def coins(self) -> _em.Coins:
        return _em.Coins(self.table, self.entry)

    @cached_property
    def n_labels(self) -> Array:
        return self.per_annotator(np.ones(len(self.labels.label)))

    @property
    def total(self) -> float:
        return float(self.n_labels.sum())

    def positions(self, offsets: Int64, index: Int32, rows: Int64, wanted: Int32) -> Int64:
        """Return the positions of classes in ragged ascending rows that contain them."""
        table, keys = (row_of(o) * self.n_classes + c for o, c in ((offsets, index), (rows, wanted)))
        return np.asarray(np.searchsorted(table, keys))

    def per_annotator(self, value: Array) -> Array:
        """Return (A,) sums over the labels of each annotator."""
        weighted = value if self.weight is None else value * self.weight
        return np.asarray(np.bincount(self.labels.annotator, weighted, self.n_annotators), np.float64)

    def start(self, seed: int, number: int) -> Array:
        """Return the probabilities of the entries with which start ``number`` begins."""
        q = np.empty(len(self.index))
        _em.start(self.offsets, self.votes, self.axes.stream_keys, seed, number, q)
        if self.known is not None:
            sure = self.known[row_of(self.offsets)]
            q[sure >= 0] = (self.index == sure)[sure >= 0]
        return q

    @cached_property
    def annotator_keys(self) -> NDArray[np.uint64]:
        """(A,) keys of the random streams of the annotators."""
        return Axes(self.labels.annotators, self.axes.classes).stream_keys

    @cached_property
    def groups(self) -> Int32:
        """(A,) number of the group of each annotator: those between whom a chain of shared cases leads."""
        from scipy.sparse import coo_matrix  # noqa: PLC0415  (scipy is slow to import)
        from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

        row, n = row_of(self.labels.offsets), self.n_annotators
        size = n + self.axes.n_cases
        edges = coo_matrix((np.ones(len(row), np.int8), (self.labels.annotator, n + row)), shape=(size, size))
        return np.asarray(connected_components(edges, directed=False)[1][:n])

    @property
    def left_out(self) -> dict[str, int]:
        n = int((sizes_of(self.labels.offsets) == 0).sum())
        return {NO_LABELS: n} if n else {}


def checked(labels: object) -> Labels:
    """Return the labels if all their annotators are known; refuse others."""
    if not isinstance(labels, Labels):
        way = "Make them by Labels.from_long, Labels.from_wide or, for ratings on a finite scale, to_labels()."
        raise TypeError(f"labels must be Labels. Got {type(labels).__name__}. {way}")
    if (labels.annotator < 0).any():
        i = int(np.searchsorted(labels.offsets, int(np.argmax(labels.annotator < 0)), side="right")) - 1
        raise error("labels", "name the annotator of each label", "counts without annotators", f"case {labels.axes.case_name(i)}")
    if len(labels.label) == 0:
        raise error("labels", "hold at least one label", 0)
    return labels


def known_classes(known: Any, labels: Labels) -> Int32 | None:
    """Return (N,) the known class of each case, -1 if unknown or the case has no labels; None if no class is known."""
    if known is None:
        return None
    n, cases = labels.n_cases, labels.axes.case_ids.tolist()
    place, given = dict(zip(cases, range(n))), known
    if not isinstance(known, Mapping) and not hasattr(known, "keys"):
        listed = identifiers.as_array(known).tolist() if identifiers.is_array(known) else known
        if not isinstance(listed, (list, tuple)) or len(listed) != n:
            got = f"{len(listed)} values" if isinstance(listed, (list, tuple)) else repr(known)
            raise error("known", f"be a mapping of case to class, or a class or None for each of the {n} cases", got)
        given = dict(zip(cases, listed))
    given = {name: value for name, value in given.items() if not _is_unknown(value)}
    for name in given:
        if name not in place:
            raise error("known", "name cases of the labels", identifiers.name(name))
    number = dict(zip(labels.axes.classes.tolist(), range(labels.n_classes)))
    found = np.full(n, -1, np.int32)
    for name, value in given.items():
        if not isinstance(value, Hashable) or value not in number:
            named = listed_names(map(identifiers.name, number), 12)
            raise error("known", f"be one of the classes {named}", identifiers.name(value), f"case {labels.axes.case_name(place[name])}")
        found[place[name]] = number[value]
    found[sizes_of(labels.offsets) == 0] = -1
    return found if (found >= 0).any() else None


def _is_unknown(value: object) -> bool:
    return identifiers.is_null(value) or (isinstance(value, str) and value == "")


def _with_known(labels: Labels, known: Int32) -> Any:
    """Return the label counts of each case (see :meth:`Labels.class_counts`) with one more for the known class."""
    at = np.flatnonzero(known >= 0)
    place = labels.offsets[at]
    offsets = labels.offsets + np.append(0, np.cumsum(known >= 0, dtype=np.int64))
    label, count = np.insert(labels.label, place, known[at]), np.insert(labels.count, place, 1)
    return replace(labels, offsets=offsets, annotator=np.full(len(label), -1, np.int32), label=label, count=count).class_counts()


def point_of(axes: Axes, offsets: Int64, index: Int32, value: Array) -> Point:
    """Return ragged probabilities as a Point, without the negligible ones."""
    kept = value >= NEGLIGIBLE
    row = row_of(offsets)[kept]
    sizes = np.bincount(row, minlength=axes.n_cases)
    return _point(axes, sizes, index[kept], value[kept] / np.bincount(row, value[kept], axes.n_cases)[row])


def _point(axes: Axes, sizes: NDArray[np.integer], index: Int32, value: Array) -> Point:
    index.flags.writeable = value.flags.writeable = False  # the record would copy writeable arrays
    return Point(axes, offsets_of(sizes), index, value)


def point_with_rest(given: GivenLabels, q: Array, rest: Array, prevalence: Array) -> Point:
    """Return the probabilities of the entries as a Point, in which any other class k of case i has ``rest[i] * prevalence[k]``."""
    by_prevalence = np.argsort(-prevalence, kind="stable")
    with np.errstate(divide="ignore"):  # add classes without labels whose probability is not negligible
        listed = np.searchsorted(-prevalence[by_prevalence], -NEGLIGIBLE / rest, side="right")
    room("plausibilities of classes without labels", 24.0 * np.maximum(listed - sizes_of(given.offsets), 0).sum())
    step, sizes, indices, values = max(1, CHUNK // given.n_classes), [], [], []
    for begin in range(0, given.axes.n_cases, step):
        here = rest[begin : begin + step]
        o = given.offsets[begin : begin + len(here) + 1]
        mine = given.index[o[0] : o[-1]]
        n_other = np.count_nonzero(here.max() * prevalence >= NEGLIGIBLE) if here.max() > 0 else 0
        columns = np.union1d(by_prevalence[:n_other], mine)  # all other classes are negligible in these cases
        part = here[:, None] * prevalence[columns]
        part[row_of(o - o[0]), np.searchsorted(columns, mine)] = q[o[0] : o[-1]]
        part[part < NEGLIGIBLE] = 0.0
        row, index = np.nonzero(part)
        sizes.append(np.bincount(row, minlength=len(part)))
        indices.append(columns[index].astype(np.int32))
        values.append(part[row, index] / part.sum(1)[row])
    return _point(given.axes, *(np.concatenate(column) for column in (sizes, indices, values)))


@dataclass(frozen=True, eq=False, repr=False)
class Cells(Frozen):
    """The confusion matrices, stored as cells; absent cells hold only the share of the prior.

    ``value`` are expected labels, and a probability is (value + pseudo-count) / sum of its row. With ``means`` they are mean
    probabilities, and absent cells share the rest of their row in proportion to the pseudo-counts.
    """

    offsets: Int64
    truth: Int32
    label: Int32
    value: Array
    pseudo: tuple[float, float]
    means: bool = False

    @classmethod
    def of(cls, n_annotators: int, layout: Int32, value: Array, pseudo: tuple[float, float], means: bool = False) -> Cells:
        """Make the cells from the layout of the core (4, cells): annotator, label, truth, row."""
        kept = value > 0
        offsets = offsets_of(np.bincount(layout[0][kept], minlength=n_annotators))
        return cls(offsets, layout[2][kept], layout[1][kept], value[kept], pseudo, means)

    def matrix(self, a: int, n_classes: int) -> Array:
        """Return the (K, K) confusion matrix of annotator a; NaN in rows with neither a label nor a prior."""
        at = slice(self.offsets[a], self.offsets[a + 1])
        table = np.full((n_classes, n_classes), self.pseudo[1])
        np.fill_diagonal(table, self.pseudo[0])
        truth, label = self.truth[at], self.label[at]
        with np.errstate(invalid="ignore"):
            if self.means:
                table[truth, label] = 0.0
                left = 1.0 - np.bincount(truth, self.value[at], n_classes)
                table *= (left / np.maximum(table.sum(1), np.finfo(float).tiny))[:, None]
            table[truth, label] += self.value[at]
            return np.asarray(table / table.sum(1, keepdims=True))


def confusion_of(annotator: object, annotators: NDArray[Any], accuracy: Array, cells: Cells | None, k: int) -> Array:
    """Return the (K, K) confusion matrix of one annotator; without cells, all wrong labels are equally likely."""
    room("a confusion matrix", 8 * k**2)
    a = int(identifiers.lookup(annotators, np.asarray([annotator]))[0])
    if a < 0:
        raise error("annotator", f"be one of the {len(annotators)} annotators", identifiers.name(annotator))
    if cells is not None:
        return cells.matrix(a, k)
    table = np.full((k, k), (1 - accuracy[a]) / max(k - 1, 1))
    np.fill_diagonal(table, accuracy[a])
    return table


@dataclass(frozen=True, eq=False, repr=False)
class Annotators(Frozen):
    """The part of the records that all annotator models share."""

    model: str
    plausibilities: Any
    annotators: NDArray[Any]
    n_labels: Array
    accuracy: Array
    accuracy_error: Array
    prevalence: Array
    left_out: Mapping[str, int]
    cells: Cells | None

    @property
    def n_classes(self) -> int:
        return len(self.prevalence)

    def confusion(self, annotator: object) -> Array:
        """Return (K, K) P(label l | true class k) of an annotator, in row k and column l; NaN in rows with neither a label nor a prior.

        Raises
        ------
        ValueError
            If there is no such annotator, or the model has no confusion matrices (GLAD).
        """
        if self.model == "glad":
            raise error("model", "have confusion matrices", "'glad', in which the probability of a right label depends on the case")
        return confusion_of(annotator, self.annotators, self.accuracy, self.cells, self.n_classes)

    def __repr__(self) -> str:
        p = self.plausibilities
        shape = f"n_cases={p.n_cases}, n_classes={p.n_classes}, n_annotators={len(self.annotators)}"
        return f"{type(self).__name__}(model={self.model!r}, {shape})"


@dataclass(frozen=True, eq=False, repr=False)
class AnnotatorModel(Annotators):
    """A fitted annotator model, as :func:`dawid_skene` and :func:`glad` return it.

    Attributes
    ----------
    model : {"full", "one-coin", "ordinal", "glad"}
        Name of the model.
    plausibilities : Point
        Probability of each class to be the true one under the model; NaN for a case without labels. Classes below 1e-12 are left out.
    annotators : (A,) array of ids
        Annotators, as in the labels.
    n_labels : (A,) array
        Labels of each annotator.
    accuracy : (A,) array
        Probability of a right label under the model: the parameter ("one-coin"), the expected share of right labels of the annotator
        ("full", "ordinal") or the mean of the probabilities of these labels to be right ("glad"). NaN for an annotator without labels
        and for one none of whose cases has a second label or a known class; not by GLAD with given prevalences.
    accuracy_error : (A,) array
        Standard error of the accuracy. NaN if the accuracy is 0, 1 or NaN, if the labels do not determine it, or if the observed
        information has no inverse with a positive variance for it. It takes the prevalences as known, and confusion matrices ("full") as
        if each annotator had one accuracy, so it is too small with few cases, few annotators or a rare class: by up to 35% in
        simulations with 300 cases, four annotators, and a class of 10%.
    prevalence : (K,) array
        Probability of each class before any label.
    left_out : mapping
        Cases left out, by reason.
    log_likelihood : float
        Log-likelihood of the labels and of the known classes at the result.
    trace : (n_iterations,) array
        Log-likelihood, plus log prior density up to a constant, at every iteration of the best start; it never falls.
    objective, converged, n_iterations : (n_restarts + 1,) arrays
        For every start: last value of the trace, whether it converged, and iterations. The best start has the highest objective.
    ability, ability_error, difficulty : (A,), (A,), (N,) arrays or None
        For "glad": α with its standard error, and 1/β of every case (NaN without labels).
    bias, spread : (A,) arrays or None
        For "ordinal": bias and spread in grades, see :func:`dawid_skene`; NaN for an annotator without labels, or if labels of two grades
        do not rise with the truth.

    Examples
    --------
    >>> import ugt
    >>> found = ugt.dawid_skene(ugt.Labels.from_wide([[0, 0, 1], [1, 1, 1], [0, 0, 0], [1, 1, 0]]))
    >>> found
    AnnotatorModel(model='full', n_cases=4, n_classes=2, n_annotators=3)
    >>> found.confusion(2).round(3)
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """

    log_likelihood: float
    trace: Array
    objective: Array
    converged: Bools
    n_iterations: Int64
    ability: Array | None = None
    ability_error: Array | None = None
    difficulty: Array | None = None
    bias: Array | None = None
    spread: Array | None = None


@dataclass(frozen=True, eq=False, repr=False)
class AnnotatorDraws(Annotators):
    """The posterior draws of an annotator model, as :func:`dawid_skene_draws` returns them.

    Attributes
    ----------
    model : "full"
        Name of the model.
    plausibilities : Draws
        For each draw of the parameters, the probability of each class to be the true one (or the drawn true class).
    annotators, n_labels, left_out
        As in :class:`AnnotatorModel`.
    accuracy, accuracy_error : (A,) arrays
        Posterior mean and standard deviation of Σ_k prevalence_k P(label k | true class k).
    accuracy_draws : (n_draws, A) array
        Draws of the accuracies, chain after chain.
    prevalence : (K,) array
        Posterior mean of the prevalence of each class.
    prevalence_draws : (n_draws, K) array
        Draws of the prevalences, chain after chain.
    n_chains : int
        Number of chains.
    diagnostics : Diagnostics
        Diagnostics of the A accuracies, then of the K prevalences: ``rhat``, ``ess_bulk``, ``ess_tail``, ``ess_mean``, ``mcse_mean``.

    Examples
    --------
    >>> import ugt
    >>> labels = ugt.Labels.from_wide([[0, 0, 1], [1, 1, 1], [0, 0, 0], [1, 1, 0]])
    >>> found = ugt.annotators.dawid_skene_draws(labels, prior=(4, 1, 1), n_draws=800, seed=1)
    >>> found.accuracy_draws.shape, found.plausibilities
    ((800, 3), Draws(n_cases=4, n_draws=800, n_classes=2))
    """

    accuracy_draws: Array
    prevalence_draws: Array
    n_chains: int
    diagnostics: Any = field(repr=False)
