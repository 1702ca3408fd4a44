"""Annotators with each other and with themselves, from sums over cases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Callable

import numpy as np

from .._checks import error, option, room
from .._coefficients import classes as by_class
from .._coefficients import forms, pairs, record
from .._coefficients import judgements as make
from .._coefficients.costs import Cost, weighted
from .._coefficients.table import Judgements
from ..annotations import Labels
from .annotators import Same, mean_of, options_of, settings_of, sparse_rows
from .coefficients import _labels
from .kind import Answer, Kind, plain
from .part import Part, Rows, ids_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

OPTIONS: dict[str, dict[str, Any]] = {
    "pairwise_agreement": {"coefficient": "cohen", "weights": None, "classes": None, "annotators": None},
    "intra_annotator_agreement": {"coefficient": "percent", "annotators": None},
}
CHANCE = {"percent": "none", "fleiss": "fleiss", "ac1": "gwet"}
NO_PAIRS = record.NO_PAIRS.format(things="labels")
NEVER_TWICE = "no annotator labelled a case twice"


@dataclass(frozen=True, eq=False)
class Crossed:
    """Sums over cases of what one sparse table (N, L) has times what another (N, R) has, as ``fold`` makes a table of them."""

    left: Any
    right: Any
    fold: Callable[[Any, Any], Array]

    def sums(self, weights: Array | None) -> Array:
        """(*shape) or, with weights (B, N), (B, *shape)."""
        if weights is None:
            return self.fold(self.left, self.right)
        from scipy import sparse  # noqa: PLC0415  (scipy is slow to import)

        return np.stack([self.fold(self.left, (sparse.diags(one) @ self.right).tocsr()) for one in weights])


class Pairs(Kind):
    """A² sums for percent agreement of pairs, A² K for those that correct for chance; A K for annotators with themselves.

    ``annotators=`` are all ids, unless all are in the data of every part. Alpha of annotators with themselves has no state.
    """

    def part(self, metric: str, data: tuple[Any, ...], options: dict[str, Any]) -> Part:
        """Of labels; a table of labels with ``classes=``."""
        chosen = options_of(metric, options, OPTIONS[metric])
        (given,) = data
        return (_pairwise if metric == "pairwise_agreement" else _intra)(given, chosen)

    def answer(self, metric: str, settings: Mapping[str, Any], sums: Mapping[str, Array]) -> Answer:
        """With the numbers of the function's own record by their names; the value of pairs is the mean over pairs that share cases."""
        names = {"annotators": np.array([settings["annotators"]])} if len(next(iter(sums.values()))) == 1 else {}
        found = (_of_pairs if metric == "pairwise_agreement" else _of_repeats)(settings, sums)
        return found._replace(numbers={**names, **found.numbers})

    def groups(self, metric: str, settings: Mapping[str, Any], sums: Mapping[str, Array]) -> Array:
        """Cases of each annotator and pair, and labels of each class."""
        if metric == "pairwise_agreement":
            return np.concatenate([sums["shared"].ravel(), np.rint(sums["labels"].sum(axis=0))])
        return np.concatenate([sums["cases of"], np.rint(sums["labels"])])


# ---- pairs ----


def _pairwise(given: Any, options: dict[str, Any]) -> Part:
    coefficient = option("coefficient", options["coefficient"], pairs.COEFFICIENTS)
    judged = _labels(given, options["classes"])
    if len(judged.annotators) == 0 and len(judged.case):
        raise error("labels", "name their annotators", "counts")
    same = Same.of(judged.annotators, options["annotators"], bool(len(judged.case)))
    cost, k, a = weighted(options["weights"], judged.n_classes), judged.n_classes, same.n
    room("agreement of all pairs of annotators", (16.0 if coefficient == "percent" else 8.0 * k) * a * a)
    who = same.at[judged.annotator] if len(judged.case) else judged.annotator
    judged = replace(judged, annotator=who, annotators=np.array(same.names))
    chosen, took_part = pairs.matrices(judged)
    rows: dict[str, Any] = {
        "shared": Crossed(took_part, took_part, _product),
        "differ": Crossed(chosen, chosen, _Differences(cost, a)),
        "labels": _labels_of_each(judged),
    }
    if coefficient != "percent":
        rows["beside"] = Crossed(chosen, took_part, _product)
    settings = settings_of({**options, "classes": None}, same)
    settings["classes"] = plain(judged.names)
    two = judged.size >= 2
    columns = {"cases": two[:, None].astype(np.float64)}
    return Part(settings, len(two), int(two.sum()), make.few(judged), columns, rows, case_ids=ids_of(given))


def _product(left: Any, right: Any) -> Array:
    return np.asarray((left.T @ right).todense(), np.float64)


@dataclass(frozen=True)
class _Differences:
    cost: Cost
    n_annotators: int

    def __call__(self, left: Any, right: Any) -> Array:
        return pairs.differences(left, right, self.cost, self.n_annotators)


def _labels_of_each(judged: Judgements) -> Rows:
    """(A, K) how often each annotator chose each class."""
    judgement, k = judged.shares.row, judged.n_classes
    index = judged.annotator[judgement].astype(np.int64) * k + judged.shares.index
    return sparse_rows(judged.case[judgement], index, judged.shares.amount, judged.n_cases, (len(judged.annotators), k))


def _of_pairs(settings: Mapping[str, Any], sums: Mapping[str, Array]) -> Answer:
    coefficient, shared, differ = settings["options"]["coefficient"], sums["shared"], sums["differ"]
    cost = weighted(settings["options"]["weights"], len(settings["classes"]))
    beside = sums.get("beside", [None] * len(shared))
    each = [pairs.pair_values(n, of, _sparse(totals), cost, coefficient) for n, of, totals in zip(shared, differ, beside)]
    value = np.stack([one for one, _ in each])
    a, labels = len(settings["annotators"]), sums["labels"]
    own = shared[:, np.arange(a), np.arange(a)][:, :, None]
    with np.errstate(invalid="ignore"):
        numbers = {
            "value": value,
            "n_cases": shared,
            "no_variation": np.stack([still * 1.0 for _, still in each]),
            "per_annotator": np.stack([pairs.row_means(one, n) for one, n in zip(value, shared)]),
            "prevalence": labels.sum(axis=1) / np.maximum(1.0, own.sum(axis=1)),
            "annotator_prevalence": labels / np.where(own > 0, own, np.nan),
        }
    mean = mean_of(value)
    return Answer(mean, numbers, NO_PAIRS if np.isnan(mean[0]) else None)


def _sparse(totals: Any) -> Any:
    from scipy import sparse  # noqa: PLC0415  (scipy is slow to import)

    return None if totals is None else sparse.csr_matrix(totals)


# ---- annotators with themselves ----


def _intra(given: Any, options: dict[str, Any]) -> Part:
    """Units of a case and an annotator, as the function has them, added up for each annotator."""
    chance = CHANCE[option("coefficient", options["coefficient"], tuple(CHANCE))]
    if not isinstance(given, Labels):
        raise TypeError(f"annotations must be Labels, in parts. Got {type(given).__name__}.")
    same = Same.of(given.annotators, options["annotators"], bool(len(given.annotator)))
    judged, case, annotator = make.repeats(given)
    n, k, who = given.n_cases, judged.n_classes, same.at[annotator].astype(np.int64) if len(case) else case
    form = forms.Shared(judged, weighted(None, k), chance)
    width = form.dense.shape[1] + k
    at, of, amount = [np.repeat(case, 3)], [(who[:, None] * width + np.arange(3)).ravel()], [form.dense.ravel()]
    for table in form.amounts:
        at, of, amount = [*at, case[table.row]], [*of, who[table.row] * width + 3 + table.index], [*amount, table.amount]
    units = sparse_rows(np.concatenate(at), np.concatenate(of), np.concatenate(amount), n, (same.n, width))
    counted = np.bincount(case, minlength=n) > 0
    fixed = {"labels": judged.classes.totals(k, judged.times), "by class": by_class.shared_sums(judged, chance)}
    fixed["cases of"] = np.bincount(who, minlength=same.n).astype(np.float64)
    settings = {**settings_of(options, same), "classes": plain(judged.names)}
    left_out = {make.NOT_TWICE: int((~counted).sum())} if not counted.all() else {}
    columns = {"cases": counted[:, None].astype(np.float64)}
    return Part(settings, n, int(counted.sum()), left_out, columns, {"units": units}, fixed=fixed, case_ids=ids_of(given))


def _of_repeats(settings: Mapping[str, Any], sums: Mapping[str, Array]) -> Answer:
    units, k = sums["units"], len(settings["classes"])
    chance, cost = CHANCE[settings["options"]["coefficient"]], weighted(None, k)
    found = forms.shared_of(_used(units.sum(axis=1), chance), cost, chance)
    each = [forms.shared_of(_used(units[:, j], chance), cost, chance).value for j in range(units.shape[1])]
    own = np.stack([np.where(np.isnan(one), 1.0, one) for one in each], axis=1) if each else np.empty((len(units), 0))
    numbers = {"observed": found.observed, "expected": found.expected, "per_annotator": np.where(units[:, :, 1] > 0, own, np.nan)}
    if "labels" not in sums:
        return Answer(found.value, numbers)
    labels, n = sums["labels"][0], float(units[0, :, 1].sum())
    numbers["prevalence"] = (labels / max(1.0, float(labels.sum())))[None]
    numbers["per_class"] = by_class.shared_of(sums["by class"][0], n, n, chance)[None]
    value, reason = found.value, record.SINGLE_CLASS if chance == "gwet" and k == 1 else None
    if n == 0 or np.isnan(value[0]):
        reason, value = (NEVER_TWICE, np.full(1, np.nan)) if n == 0 else (record.ONE_CLASS, np.ones(1))
        numbers.update(observed=value, expected=value)
    return Answer(value, numbers, reason)


def _used(sums: Array, chance: str) -> Array:
    return sums[:, :3] if chance == "none" else sums


KIND = Pairs()
