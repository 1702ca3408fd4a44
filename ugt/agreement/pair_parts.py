"""Agreement of annotators with each other and with themselves, from parts of the data in several places."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from functools import partial
from itertools import zip_longest
from typing import Any, Callable

import numpy as np

from .._base import identifiers
from .._base.arrays import Array, Bools, NDArray
from .._base.checks import error, instance, option, room
from .._base.ragged import offsets_of
from ..annotations import Labels
from ..resampling import Answer, Merging, Part, Statistic, plain
from . import overviews, parts
from .coefficients import OF_PAIRS, OF_REPEATS
from .costs import Nominal, weighted, weighted_of
from .forms import NO_PAIRS as NOTHING_OF_TWO
from .forms import few
from .kappas import Shared
from .parts import labels_in_parts
from .repeats import NEVER_TWICE, NOT_TWICE, repeats
from .table import Judgements

Settings = dict[str, Any]
Table = Callable[[Any], Any]
NO_PAIRS = NOTHING_OF_TWO.format(things="labels")


def _rows(case: NDArray[Any], index: NDArray[Any], amount: Array, n_cases: int, shape: tuple[int, ...], weights: Array | None) -> Array:
    """Return (*shape) sums of the entries of all cases, given in any order; with weights (B, N), (B, *shape) weighted sums."""
    width = int(np.prod(shape))
    if weights is None:
        return np.bincount(index, amount, width).astype(np.float64).reshape(shape)
    from scipy import sparse  # noqa: PLC0415  (scipy is slow to import)

    order = np.argsort(case, kind="stable")
    table = sparse.csr_matrix((amount[order], index[order], offsets_of(np.bincount(case, minlength=n_cases))), shape=(n_cases, width))
    return np.asarray((table.T @ np.ascontiguousarray(weights.T)).T).reshape(len(weights), *shape)


def _crossed(left: object, right: object, fold: Callable[[Any, Any], Array], weights: Array | None) -> Array:
    """Return ``fold(left, right)``, a table of products of sparse (N, L) and (N, R) summed over cases, for each row of weights."""
    if weights is None:
        return fold(left, right)
    from scipy import sparse  # noqa: PLC0415  (scipy is slow to import)

    return np.stack([fold(left, (sparse.diags(one) @ right).tocsr()) for one in weights])


class Tables(Statistic):
    """The statistic of named tables of sums; each table is a function of weights (B, N) or None, and its shape needs no cases."""

    fixed: Array = np.empty(0)

    def __init__(self, settings: Settings, counted: Bools, tables: Mapping[str, Table], left_out: Mapping[str, int]) -> None:
        self.settings, self.counted, self.tables, self.left_out, self.n_cases = settings, counted, tables, left_out, len(counted)

    @classmethod
    def of_settings(cls, settings: Mapping[str, Any]) -> Tables:
        return cls(dict(settings), np.ones(1, bool), {}, {})

    @property
    def kept(self) -> Bools:
        return self.counted

    def sums(self, cases: Array | None = None) -> Array:
        each = [table(cases) for table in self.tables.values()]
        return np.concatenate([table.reshape(1 if cases is None else len(cases), -1) for table in each], axis=1)

    @property
    @abstractmethod
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the tables by name, in their order among the sums."""

    def split(self, sums: Array) -> dict[str, Array]:
        """Split sums (B, S) into tables (B, *shape) by name."""
        ends = np.cumsum([int(np.prod(shape)) for shape in self.shapes.values()])
        if sums.shape[1] != ends[-1]:
            raise error("sums", f"be {ends[-1]}", sums.shape[1])
        return {name: one.reshape(-1, *shape) for (name, shape), one in zip(self.shapes.items(), np.split(sums, ends[:-1], axis=1))}

    def answer(self, sums: Array) -> Array:
        return self.numbered(sums)[0][:, None]

    def numbers(self, sums: Array) -> dict[str, Array]:
        return self.numbered(sums)[1]

    @property
    def merging(self) -> Merging:
        return super().merging._replace(
            settings=self.settings, fixed=self.fixed, finish=self._finish, groups=self._groups,
            replicated=lambda sums, replicates: self.numbered(replicates),
        )  # fmt: skip

    @abstractmethod
    def _finish(self, sums: Array, fixed: Array, left_out: Mapping[str, int]) -> Answer:
        """Return the answer from sums (S,) and fixed sums (F,) of all cases."""

    @abstractmethod
    def _groups(self, sums: Array, fixed: Array) -> Array:
        """Return the numbers of cases and of labels of the annotators."""

    @abstractmethod
    def numbered(self, sums: Array) -> tuple[Array, dict[str, Array]]:
        """Return the value (B,) and the other numbers (B, ...) by name."""

    def told(self, sums: Array) -> tuple[float, dict[str, Any]]:
        """Return the value and the other numbers from sums (S,), with the names of the annotators."""
        value, numbers = self.numbered(sums[None])
        return float(value[0]), {"annotators": np.array(self.settings["annotators"]), **{name: one[0] for name, one in numbers.items()}}


# ---- pairs ----


class PairTables(Tables):
    """The tables of pairwise agreement; the value is the mean over pairs that share cases.

    Percent agreement has A² sums, a chance-corrected coefficient A² K.
    """

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        a, k = len(self.settings["annotators"]), len(self.settings["classes"])
        found: dict[str, tuple[int, ...]] = {"shared": (a, a), "differ": (a, a), "labels": (a, k)}
        return found if self.settings["options"]["coefficient"] == "percent" else {**found, "beside": (a * k, a)}

    def numbered(self, sums: Array) -> tuple[Array, dict[str, Array]]:
        from scipy import sparse  # noqa: PLC0415  (scipy is slow to import)

        chosen, tables = self.settings["options"], self.split(sums)
        shared, labels = tables["shared"], tables["labels"]
        cost, beside = weighted(chosen["weights"], labels.shape[2]), map(sparse.csr_matrix, tables.get("beside", ()))
        every = zip_longest(shared, tables["differ"], beside)  # `beside` is empty for percent agreement
        each = [overviews.pair_values(n, differ, totals, cost, chosen["coefficient"]) for n, differ, totals in every]
        value = np.stack([one for one, _ in each])
        own = np.diagonal(shared, axis1=1, axis2=2)[:, :, None]
        with np.errstate(invalid="ignore"):
            numbers = {
                "value": value,
                "n_cases": shared,
                "no_variation": np.stack([still * 1.0 for _, still in each]),
                "per_annotator": np.stack([overviews.row_means(one, n) for one, n in zip(value, shared)]),
                "prevalence": labels.sum(axis=1) / np.maximum(1.0, own.sum(axis=1)),
                "annotator_prevalence": labels / np.where(own > 0, own, np.nan),
            }
            flat = value.reshape(len(value), -1)
            mean = np.where(np.isnan(flat), 0.0, flat).sum(axis=1) / (~np.isnan(flat)).sum(axis=1)
        return mean, numbers

    def _finish(self, sums: Array, fixed: Array, left_out: Mapping[str, int]) -> Answer:
        value, numbers = self.told(sums)
        return Answer(value, numbers, NO_PAIRS if np.isnan(value) else None)

    def _groups(self, sums: Array, fixed: Array) -> Array:
        tables = self.split(sums[None])
        return np.concatenate([tables["shared"].ravel(), np.rint(tables["labels"].sum(axis=1)).ravel()])


def _settings(options: Mapping[str, Any], names: list[Any], judged: Judgements) -> Settings:
    kept = {name: plain(one) for name, one in options.items() if name not in ("annotators", "classes")}
    return {"options": kept, "annotators": names, "classes": plain(judged.names)}


def _pairwise(data: tuple[Any, ...], options: dict[str, Any]) -> PairTables:
    coefficient = option("coefficient", options["coefficient"], tuple(OF_PAIRS))
    judged = labels_in_parts(data[0], options["classes"])
    names, at = parts.everyone_of(judged, options["annotators"])
    cost, k, a = weighted_of(options["weights"], judged), judged.n_classes, len(names)
    room("agreement of all pairs of annotators", (16.0 if coefficient == "percent" else 8.0 * k) * a * a)
    who = at[judged.annotator] if len(judged.case) else judged.annotator
    chosen, took_part = overviews.matrices(judged, who, a)
    of = judged.shares.row
    cells = who[of].astype(np.int64) * k + judged.shares.index
    tables: dict[str, Table] = {
        "shared": partial(_crossed, took_part, took_part, overviews.product),
        "differ": partial(_crossed, chosen, chosen, lambda left, right: overviews.differences(left, right, cost, a)),
        "labels": partial(_rows, judged.case[of], cells, judged.shares.amount, judged.n_cases, (a, k)),
    }
    if coefficient != "percent":
        tables["beside"] = partial(_crossed, chosen, took_part, overviews.product)
    return PairTables(_settings(options, names, judged), judged.size >= 2, tables, few(judged))


# ---- annotators with themselves ----


class RepeatTables(Tables):
    """The tables of each annotator's own repeats, A (3 + K) sums; alpha of annotators with themselves has no state."""

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        return {"units": (len(self.settings["annotators"]), 3 + len(self.settings["classes"]))}

    @property
    def form(self) -> Shared:
        """The form that computes the coefficient from sums."""
        return Shared(None, Nominal(len(self.settings["classes"])), OF_REPEATS[self.settings["options"]["coefficient"]].chance)

    def _units(self, sums: Array) -> Array:
        units = self.split(sums)["units"]
        return units if self.form.singles else units[:, :, :3]

    def numbered(self, sums: Array) -> tuple[Array, dict[str, Array]]:
        form, units = self.form, self._units(sums)
        value, observed, expected = form.answer(units.sum(axis=1)).T
        each = [form.answer(units[:, j])[:, 0] for j in range(units.shape[1])]
        own = np.stack([np.where(np.isnan(one), 1.0, one) for one in each], axis=1) if each else np.empty((len(units), 0))
        own = np.where(units[:, :, 1] > 0, own, np.nan)
        return value, {"observed": observed, "expected": expected, "per_annotator": own}

    def _finish(self, sums: Array, fixed: Array, left_out: Mapping[str, int]) -> Answer:
        total = self._units(sums[None])[0].sum(axis=0)
        found = self.form.merging.finish(total, fixed[: len(fixed) - len(self.settings["annotators"])], left_out)
        numbers = {**self.told(sums)[1], **found.numbers}
        return found._replace(numbers=numbers) if total[1] else Answer(found.value, numbers, NEVER_TWICE)

    def _groups(self, sums: Array, fixed: Array) -> Array:
        k, a = len(self.settings["classes"]), len(self.settings["annotators"])
        return np.asarray(np.rint(np.concatenate([fixed[len(fixed) - a :], fixed[:k]])))


def _intra(data: tuple[Any, ...], options: dict[str, Any]) -> RepeatTables:
    """Read the repeated labels as units of a case and an annotator, and add them up for each annotator."""
    (given,) = data
    one = OF_REPEATS[option("coefficient", options["coefficient"], tuple(OF_REPEATS))]
    instance("annotations", given, Labels, "be Labels, in parts")
    names, at = identifiers.everyone(given.annotators, options["annotators"], bool(len(given.annotator)))
    judged, case, annotator = repeats(given)
    n, k, who = given.n_cases, judged.n_classes, at[annotator].astype(np.int64) if len(case) else case
    form, width = Shared(judged, Nominal(k), one.chance), 3 + k
    row, of, amount = [np.repeat(case, 3)], [(who[:, None] * width + np.arange(3)).ravel()], [form.dense.ravel()]
    for table in form.amounts:
        row, of, amount = [*row, case[table.row]], [*of, who[table.row] * width + 3 + table.index], [*amount, table.amount]
    units = partial(_rows, np.concatenate(row), np.concatenate(of), np.concatenate(amount), n, (len(names), width))
    counted = np.bincount(case, minlength=n) > 0
    left_out = {NOT_TWICE: int((~counted).sum())} if not counted.all() else {}
    found = RepeatTables(_settings(options, names, judged), counted, {"units": units}, left_out)
    cases_of = np.bincount(who, minlength=len(names)).astype(np.float64)
    found.fixed = np.concatenate([judged.classes.totals(k, judged.times), form.class_sums().ravel(), cases_of])
    return found


PARTS = {
    **parts.PARTS,
    "pairwise_agreement": Part(_pairwise, PairTables.of_settings, parts.WHO),
    "intra_annotator_agreement": Part(_intra, RepeatTables.of_settings, parts.WHO, ("level",)),
}
