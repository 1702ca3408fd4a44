"""Models beside annotators, from sums over cases: who is as near to the others as whom."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .._checks import option, room, scalar, whole
from .._discrepancy.input import models_of
from .._discrepancy.sums import CASES, LeftOut, Sums
from .._substitution import alternative_annotator, equivalence
from .._substitution.contributions import WHY, distances_to_others
from .annotators import compared_of, in_columns, mean_of, options_of, over, settings_of, zeros
from .kind import Answer, Kind
from .part import Part, ids_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

COMMON = {"values": None, "missing": "error", "annotators": None}
OPTIONS: dict[str, dict[str, Any]] = {
    "annotator_discrepancy": {**COMMON, "distance": "squared", "predictions": None, "cases": "matched", "annotator_min_cases": 1},
    "individual_equivalence_index": {**COMMON, "distance": "squared"},
    "alternative_annotator_test": {**COMMON, "distance": "zero-one", "epsilon": 0.2, "q": 0.05, "annotator_min_cases": 30},
}
N, ALPHA, MU = 0, 1, 2  # columns of the cases
NOBODY = "no annotator has {} or more cases with others to be compared with"
ALIKE = "the annotators do not differ from each other"
BY_CLUSTERS = "no p-values: over clusters they need each cluster whole"


class Humans(Kind):
    """For each annotator sums over the cases that they share with others.

    Who is in a part must be known to all: ``annotators=`` are the ids, unless all are in the data of every part. ``annotator_min_cases`` is
    what the functions call ``min_cases``. Numbers (A,) are of all annotators, ascending, NaN for those with fewer cases than that.
    """

    def part(self, metric: str, data: tuple[Any, ...], options: dict[str, Any]) -> Part:
        """Of annotations and predictions; of a mapping of models, or of none, for ``annotator_discrepancy``."""
        chosen = options_of(metric, options, OPTIONS[metric])
        if metric == "annotator_discrepancy":
            return _forest(data, chosen)
        annotations, predictions = data
        return _substituted(metric, annotations, predictions, chosen)

    def answer(self, metric: str, settings: Mapping[str, Any], sums: Mapping[str, Array]) -> Answer:
        """With the numbers of every annotator, by the names in the function's own record, and of the test."""
        found, names = _answer(metric, settings, sums, sums), {"annotators": np.array([settings["annotators"]])}
        if metric != "alternative_annotator_test":
            return found._replace(numbers={**names, **found.numbers})
        return found._replace(numbers={**names, **found.numbers, **_test(settings, sums["annotators"])})

    def resampled(
        self, metric: str, settings: Mapping[str, Any], sums: Mapping[str, Array], replicates: Mapping[str, Array]
    ) -> Answer:  # fmt: skip
        """Of the annotators who have enough cases as it is."""
        return _answer(metric, settings, sums, replicates)

    def std_error(self, metric: str, settings: Mapping[str, Any], sums: Mapping[str, Array]) -> float:
        """Of the individual equivalence index: of a mean over cases."""
        if metric != "individual_equivalence_index" or sums["cases"][N] < 2:
            return float("nan")
        (n, alpha, mu), square = sums["cases"], sums["cases squared"]
        total = square[MU, MU] - 2 * square[MU, ALPHA] + square[ALPHA, ALPHA]
        return float(np.sqrt(max(total - (mu - alpha) ** 2 / n, 0.0) / (n * (n - 1))))

    def groups(self, metric: str, settings: Mapping[str, Any], sums: Mapping[str, Array]) -> Array:
        """Cases of each annotator."""
        return np.asarray(sums["annotators"][: len(settings["annotators"])])


# ---- parts ----


def _forest(data: tuple[Any, ...], options: dict[str, Any]) -> Part:
    """Columns: of annotators n and Σ of μ and of α; of models n, Σ μ, Σ α; of models on the cases of each annotator as of annotators."""
    if len(data) == 2 and options["predictions"] is not None:
        raise TypeError("annotator_discrepancy in parts takes predictions once")
    annotations, predictions = data if len(data) == 2 else (*data, options["predictions"])
    option("cases", options["cases"], CASES)
    whole("annotator_min_cases", options["annotator_min_cases"])
    compared, same = compared_of(annotations, models_of(predictions), options, "so that each can be judged")
    sums = Sums.of(compared)
    left = LeftOut.of(compared, sums, range(len(compared.annotators)), options["cases"])
    # for those who are not here no one is taken out
    others = None if options["cases"] == "matched" else sums.alpha
    below = same.spread(left.alpha, others)
    columns = {"annotators": _beside(same.spread(left.mu), below)}
    if compared.models:
        mu = sums.mu.T
        columns["models"] = zeros(np.concatenate([~np.isnan(mu) * 1.0, mu, np.where(np.isnan(mu), np.nan, sums.alpha[:, None])], axis=1))
        under = (np.where(predicted[:, None], below, np.nan) for predicted in compared.predicted)
        on_same = [_beside(same.spread(model), one) for model, one in zip(left.model, under)]
        columns["same cases"] = np.concatenate(on_same, axis=1)
    settings = {**settings_of(options, same), "models": list(compared.models)}
    left_out = sums.left_out(np.ones(compared.n_cases, bool))
    return Part(settings, compared.n_cases, int((sums.n >= 2).sum()), left_out, columns, case_ids=ids_of(compared.annotations))


def _beside(mu: Array, alpha: Array) -> Array:
    """(N, 4 A) of parts of μ and α (N, A): how many are defined, and what they are."""
    room("what each case adds for each annotator", 32.0 * mu.size)
    return zeros(np.concatenate([~np.isnan(mu) * 1.0, mu, ~np.isnan(alpha) * 1.0, alpha], axis=1))


def _substituted(metric: str, annotations: Any, predictions: Any, options: dict[str, Any]) -> Part:
    """The model in the place of each annotator."""
    compared, same = compared_of(annotations, {"model": predictions}, options, WHY)
    sums = Sums.of(compared)
    counted, left_out = sums.counted(compared.predicted[0]), sums.left_out(compared.predicted[0])
    model, own = distances_to_others(compared, sums)
    columns, squares = {}, ("cases",) if metric == "individual_equivalence_index" else ()
    if metric == "individual_equivalence_index":
        columns["cases"] = np.stack([counted * 1.0, *(np.where(counted, one, 0.0) for one in (sums.alpha, sums.mu[0]))], axis=1)
        columns["annotators"] = in_columns(same, [~np.isnan(model - own) * 1.0, model - own])
    else:
        scalar("epsilon", options["epsilon"]), alternative_annotator.rate_of(options["q"])
        whole("annotator_min_cases", options["annotator_min_cases"], 2)
        inside, wins, losses = alternative_annotator.nearer(model, own)
        columns["annotators"] = in_columns(same, [(inside & one) * 1.0 for one in (inside, wins, losses, wins != losses)])
    settings = settings_of(options, same)
    return Part(settings, compared.n_cases, int(counted.sum()), left_out, columns, squares=squares, case_ids=ids_of(compared.annotations))


# ---- answers ----


def _answer(metric: str, settings: Mapping[str, Any], whole_sums: Mapping[str, Array], sums: Mapping[str, Array]) -> Answer:
    """From sums (B, …); of the annotators who have enough cases in all (…) or (1, …) sums."""
    a = len(settings["annotators"])
    table = sums["annotators"].reshape(len(sums["annotators"]), -1, a)
    if metric == "individual_equivalence_index":
        return _equivalence(sums["cases"], table)
    least = settings["options"]["annotator_min_cases"]
    judged = np.rint(whole_sums["annotators"].reshape(-1)[:a]) >= least
    found = _ratios(settings, sums, table, judged) if metric == "annotator_discrepancy" else _tested(settings, table, judged)
    return found if judged.any() else found._replace(reason=NOBODY.format(least))


def _equivalence(cases: Array, table: Array) -> Answer:
    n = cases[:, N]
    alpha, mu = over(cases[:, ALPHA], n), over(cases[:, MU], n)
    criterion, coefficient = equivalence.criteria(alpha, mu)
    numbers = {"alpha": alpha, "mu": mu, "criterion": criterion, "coefficient": coefficient}
    numbers["per_annotator"] = over(table[:, 1], table[:, 0])
    return Answer(mu - alpha, numbers, None if n[0] else "no case is left")


def _ratios(settings: Mapping[str, Any], sums: Mapping[str, Array], table: Array, judged: NDArray[np.bool_]) -> Answer:
    """The value is the mean over annotators; their Δ, and those of models, are among the numbers."""

    def delta(of: Array) -> tuple[Array, Array, Array]:
        mu, alpha = (np.where(judged, over(of[:, j + 1], of[:, j]), np.nan) for j in (0, 2))
        return over(mu, alpha), alpha, mu

    value, alpha, mu = delta(table)
    numbers = {"value": value, "alpha": alpha, "mu": mu, "n_cases": table[:, 0]}
    if settings["models"]:
        m, b = len(settings["models"]), len(table)
        models = sums["models"].reshape(b, 3, m)
        same = sums["same cases"].reshape(b, m, 4, -1)
        numbers.update(model_value=over(models[:, 1], models[:, 2]), model_n_cases=models[:, 0])
        numbers["same_cases"] = np.stack([delta(same[:, i])[0] for i in range(m)], axis=1)
    mean = mean_of(value)
    return Answer(mean, numbers, ALIKE if np.isnan(mean[0]) else None)


def _tested(settings: Mapping[str, Any], table: Array, judged: NDArray[np.bool_]) -> Answer:
    """The value is the average advantage."""
    n, wins, losses = np.where(judged, table, np.nan)[:, :3].transpose(1, 0, 2)
    advantage, behind = over(wins, n), over(losses, n)
    numbers = {"n_cases": table[:, 0], "advantage": advantage, "annotator_advantage": behind}
    with np.errstate(invalid="ignore"):
        value = advantage[:, judged].sum(axis=1) / (judged.sum() or np.nan)
    return Answer(value, numbers, BY_CLUSTERS if settings.get("units") == "clusters" else None)


def _test(settings: Mapping[str, Any], sums: Array) -> dict[str, Array]:
    """(1, …) p-values of Student's t, from sums of differences and of their squares, and what is rejected; NaN over clusters."""
    options, a = settings["options"], len(settings["annotators"])
    n, wins, losses, squares = np.rint(sums.reshape(4, a))
    p_value, rejected = np.full(a, np.nan), np.full(a, np.nan)
    winning = passed = np.nan
    judged = np.flatnonzero(n >= options["annotator_min_cases"])
    if settings.get("units") != "clusters" and len(judged):
        total = losses - wins
        spread = n * squares - total**2  # n² times the variance, in whole numbers
        for j in judged.tolist():
            error = math.sqrt(spread[j] / (n[j] - 1)) / n[j]
            p_value[j] = alternative_annotator.t_test(total[j] / n[j], error, int(n[j]), options["epsilon"])
        rejected[judged] = alternative_annotator.benjamini_yekutieli(p_value[judged], options["q"])
        winning = float(rejected[judged].mean())
        passed = float(winning >= 0.5)
    return {"p_value": p_value[None], "rejected": rejected[None], "winning_rate": np.array([winning]), "passed": np.array([passed])}


KIND = Humans()
