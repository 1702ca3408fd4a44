"""What [A] reports of its dermatology data, computed; the data are looked for where ``UGT_DATA`` points, else beside the project."""

from __future__ import annotations

import json
import os
import warnings
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

import ugt

FOLDER = Path(os.environ.get("UGT_DATA", Path(__file__).resolve().parents[3] / "shared" / "data" / "dermatology_ddx"))
N_CLASSES = 419

PL_RELIABILITIES = (1, 2, 3, 5, 10)  # repetitions of every annotator [A C.3]
PRIRN_RELIABILITIES = (10, 20, 30, 50, 100)
MEDIUM = {"PL": 3, "PrIRN": 30}  # those of the authors' notebooks, and the middle ones
AUTHORS: dict[str, Any] = {"unranked": "lump", "prior_shape": 1.0}  # one class for all that nobody ranked, every class of shape 1
THIN = {1: 1, 2: 1, 3: 2, 5: 4, 10: 4}  # sweeps a draw: more where chains mix slowly

CASE = 1026  # of figure 5
SETS = {"A": [40, 171, 244], "B": [171, 244, 245]}
FIGURE_15 = (1057, 357)


@dataclass(frozen=True)
class Dermatology:
    """The released annotations: nested lists (case, annotator, block, class), the same as Rankings, names and risks of classes."""

    annotations: Any
    rankings: ugt.Rankings
    conditions: list[str]
    risks: Any


@lru_cache(maxsize=1)
def dermatology() -> Dermatology:
    if not FOLDER.is_dir():
        raise FileNotFoundError(f"no folder {FOLDER}: set UGT_DATA to that of the dermatology data")
    annotations = json.loads((FOLDER / "annotations.json").read_text(encoding="utf-8"))
    conditions, risks = ((FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines() for name in ("conditions", "risks"))
    return Dermatology(annotations, as_rankings(annotations, conditions), conditions, np.array(risks, dtype=np.int64))


def as_rankings(nested: Any, conditions: list[str]) -> ugt.Rankings:
    """Nested class ids as Rankings whose classes have names."""
    names = [[[[conditions[k] for k in block] for block in ranking] for ranking in case] for case in nested]
    return ugt.Rankings.from_blocks(names, classes=conditions)


# ---- the two truth models ----


@lru_cache(maxsize=2)
def plackett_luce(reliability: int) -> Any:
    """1,000 draws, as in [A], from four chains."""
    return _sampled(dermatology().rankings, reliability)


def _sampled(rankings: ugt.Rankings, reliability: int) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # up to three cases of 1,947 just miss the limits for good mixing
        return ugt.plackett_luce(rankings, method="gibbs", reliability=reliability, n_draws=1000, n_thin=THIN[reliability], **AUTHORS)


def prirn(reliability: float, tie_weight: str = "full") -> ugt.Dirichlet:
    """The published figures were made with code that gives tied classes the full weight of their block."""
    return ugt.prirn(dermatology().rankings, reliability=reliability, tie_weight=tie_weight)


@cache
def certainty(model: str, reliability: int, k: int = 1) -> ugt.truth.Certainty:
    """Annotation certainty of order k; ``model`` is PL, PrIRN, or PrIRN split (with tied classes sharing the weight of their block)."""
    if model == "PL":
        return ugt.annotation_certainty(plackett_luce(reliability), k=k)
    return ugt.annotation_certainty(prirn(reliability, "split" if model == "PrIRN split" else "full"), k=k)


# ---- figure 5 ----


def figure_5_rankings(case: int = CASE) -> ugt.Rankings:
    data = dermatology()
    return as_rankings([data.annotations[case]], data.conditions)


@cache
def figure_5(model: str, **options: Any) -> Any:
    """Posterior of the one case of figure 5; PL with many draws, which cost little for one case."""
    if model == "PL":
        return ugt.plackett_luce(figure_5_rankings(), method="gibbs", reliability=MEDIUM["PL"], n_draws=40_000, n_warmup=1000, **options)
    return ugt.prirn(figure_5_rankings(), reliability=MEDIUM["PrIRN"], **options)


def covered(posterior: Any) -> dict[str, ugt.metrics.Estimate]:
    """P(the most plausible class is in the set) for the two printed sets."""
    return {name: ugt.metrics.ua_coverage(posterior, [members]) for name, members in SETS.items()}


def bar_order(point: Any) -> list[str]:
    """Conditions of one case, the most plausible first; equal ones (within rounding) in the order of their numbers."""
    mean = point.mean()[0].round(12)
    order = np.argsort(-mean, kind="stable")
    return [dermatology().conditions[k] for k in order[: int((mean > 0).sum())]]


# ---- figures 7, 13, 14: correlations and counts ----


@cache
def agreement(tie_weight: str = "full") -> Any:
    """Of the annotators of each case, one left out at a time [A appendix D]; NaN where there is one annotator only."""
    return ugt.agreement.leave_one_annotator_out(dermatology().rankings, tie_weight=tie_weight).per_case


def tied_at_the_top(tie_weight: str = "full") -> Any:
    """Cases in which several conditions share the highest inverse rank: PrIRN gives them at most 1/2, whatever the reliability."""
    return ugt.annotation_certainty(ugt.irn(dermatology().rankings, tie_weight=tie_weight)).per_case < 1


def without_gain(model: str, least: float = 0.05) -> int:
    """Cases whose certainty is below 0.99 and grows by less than so much from the lowest to the highest reliability."""
    reliabilities = PL_RELIABILITIES if model == "PL" else PRIRN_RELIABILITIES
    low, high = (certainty(model, reliability).per_case for reliability in (reliabilities[0], reliabilities[-1]))
    return int(((high < 0.99) & (high - low < least)).sum())


def at_most_half(model: str, reliability: int) -> int:
    """Cases whose certainty is at most 1/2 (and a rounding error)."""
    return int((certainty(model, reliability).per_case <= 0.5 + 1e-9).sum())


# ---- figures 8 and 12: risks ----


@lru_cache(maxsize=1)
def risk_certainty() -> dict[str, ugt.truth.Certainty]:
    """PL at medium reliability; the risk of the most plausible condition (the authors' code), or plausibility summed over risks."""
    posterior, risks = plackett_luce(MEDIUM["PL"]), dermatology().risks
    return {rule: ugt.annotation_certainty(posterior, groups=risks, group_rule=rule) for rule in ("top_class", "sum")}


@lru_cache(maxsize=1)
def expected_risk() -> dict[str, ugt.truth.Certainty]:
    posterior, risks = plackett_luce(MEDIUM["PL"]), dermatology().risks
    return {kind: ugt.truth.expected_risk(posterior, risks, kind=kind) for kind in ("plausibility", "top_class")}


def mentioned() -> list[list[int]]:
    """The conditions that anybody ranked, case by case."""
    return [sorted({k for ranking in case for block in ranking for k in block}) for case in dermatology().annotations]


def risk_levels() -> Any:
    """How many risk levels the mentioned conditions of each case have."""
    risks = dermatology().risks
    return np.array([len(set(risks[classes].tolist())) for classes in mentioned()])


def by_risk() -> list[tuple[str, int, float, float]]:
    """Figure 12: risk of the first IRN condition, cases, mean number of annotators, mean number of conditions."""
    data = dermatology()
    first = ugt.irn(data.rankings, tie_weight="full").mean().round(12).argmax(1)  # of tied conditions the first, as in the authors' code
    found = ugt.agreement.case_counts(data.rankings, data.risks[first])
    return [
        (name, row["n_cases"], row["mean_annotators"], row["mean_classes"]) for name, row in zip(("low", "medium", "high"), found.table())
    ]
