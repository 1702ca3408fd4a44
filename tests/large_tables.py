"""Problems of more than 2³¹ cells (cases times classes) that take no memory: what every public function is given of them."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from functools import partial
from typing import Any, Callable

import numpy as np
from public_functions import FUNCTIONS, Entry, World, draws, labels, nested, posterior, rankings
from surface import public

import ugt


def rows(row: Any, dtype: Any = float, n: int = 1) -> Any:
    """The same row for every case: a table without memory of its own."""
    return np.broadcast_to(np.asarray(row, dtype), (n, len(row)))


def large_world(n: int, k: int) -> World:
    """The arrays of :func:`public_functions.make_world`; cases are alike, and only the first and last classes are ever given."""
    first, steps, of = np.eye(1, k)[0], np.arange(k), partial(rows, n=n)
    return {
        "wide": of([0, 0, k - 1, -1], int), "counts": of(3 * first, int), "scores": of(-steps), "other": of(steps % 5),
        "probs": of(first), "table": of(first), "shares": of(first), "sets": of(steps < 2, bool), "class": np.zeros(n, int),
        "ratings": of(np.arange(4)), "rated": np.ones(n), "p": of(first), "s": of(steps % 3),
        "ranked": np.broadcast_to([[0, k - 1], [1, 2], [5, 7]], (n, 3, 2)), "risk": steps % 3, "chosen": np.arange(n) % 2 == 0,
        "case_ids": np.arange(n), "p1": np.arange(n) % 3 / 2, "few": [[[0], [1]]] * 9,
        "chosen_rows": np.arange(0, n, 3), "table3": np.broadcast_to(1.0, (n, 4, k)),
    }  # fmt: skip


def mapped_world(n: int, k: int) -> World:
    """Counts in a file of which almost nothing is written: it takes no disk, and what is read of it can be dropped again."""
    with tempfile.TemporaryFile() as file:
        counts = np.memmap(file, np.uint8, "w+", shape=(n, k))
    counts[:1000, 0] = counts[-1000:, k - 1] = 1
    return {**large_world(n, k), "counts": counts}


def of_labels(world: World) -> Any:
    """A posterior is made of sparse annotations: a table of it would be refused."""
    return ugt.dirichlet(labels(world))


def of_votes(world: World) -> Any:
    return ugt.votes(labels(world))


def of_ranked(world: World) -> Any:
    """Two annotators, two classes each."""
    n, k = world["scores"].shape
    case, last = np.arange(n).repeat(4), [0, 1, k - 1, 2]
    return ugt.Rankings.from_long(case, np.tile([0, 0, 1, 1], n), np.tile(last, n), np.tile([1, 2, 1, 2], n), classes=k, cases=np.arange(n))


def labels_of_two(world: World) -> Any:
    return ugt.Labels.from_wide(world["wide"][:, :2], classes=2)


def of_rankings(world: World) -> Any:
    return ugt.plackett_luce(of_ranked(world), method="gibbs", n_draws=16, n_warmup=4, n_chains=2)


def first_sets(world: World) -> Any:
    return ugt.conformal.PredictionSets.of([[0]] * len(world["case_ids"]), world["scores"].shape[1])


#: what a large problem has in place of what a small one has
INSTEAD: Mapping[Any, Any] = {posterior: of_labels, rankings: of_ranked, draws: of_rankings, nested: "few"}
GIVEN: Mapping[str, tuple[Any, ...]] = {
    **dict.fromkeys(("soft_roc_curve", "soft_precision_recall_curve"), ("p1", "rated")),
    "threshold_sweep": (labels_of_two, "rated", "chosen"),
}


def entry_of(name: str) -> Entry:
    """A public function as it is called on a large problem."""
    entry = FUNCTIONS[name]
    return Entry(entry.function, tuple(INSTEAD.get(one, one) for one in GIVEN.get(name, entry.given)), entry.fixed)


def method(name: str, of: Callable[[World], Any], *more: Any, **options: Any) -> Entry:
    """A method, as a function of its object and of named arrays."""

    def call(this: Any, *given: Any) -> Any:
        return getattr(this, name)(*given, **options)

    return Entry(call, (of, *more))


def fitted(calibrator: str) -> Entry:
    """A calibrator that is fitted to probabilities, some of them 0."""
    return Entry(lambda probs, counts: public(calibrator)(input="probabilities", floor=1e-12).fit(probs, counts), ("probs", "counts"))


TRUTHS = {"Dirichlet": of_labels, "Point": of_votes, "Draws": of_rankings}
OF_TRUTHS: Mapping[str, tuple[tuple[str, ...], Mapping[str, Any]]] = {
    "mean": ((), {}),
    "membership": ((), {"k": 2}),
    "certainty": ((), {"k": 2}),
    "certainty of rank": ((), {"k": 2, "kind": "rank"}),
    "label_probability": (("sets",), {}),
    "set_probability": (("sets",), {}),
    "grouped": (("risk",), {}),
    "draws": ((), {"n": 1}),
}
METHODS: Mapping[str, Entry] = {
    **{
        f"{kind}.{name}": method(name.split()[0], of, *given, **options)
        for kind, of in TRUTHS.items()
        for name, (given, options) in OF_TRUTHS.items()
    },
    **{f"{kind}.from_array": Entry(public(kind).from_array, ("table3" if kind == "Draws" else "table",)) for kind in TRUTHS},
    **{f"{kind}.coverage": Entry(ugt.metrics.ua_coverage, (TRUTHS[kind], "sets")) for kind in ("Point", "Draws")},
    **{f"{kind}.mass": Entry(ugt.metrics.ua_plausibility_mass, (TRUTHS[kind], "sets")) for kind in ("Point", "Draws")},
    **{f"{kind}.compare": Entry(ugt.metrics.ua_overlap, (TRUTHS[kind], "scores"), {"k": 2}) for kind in ("Point", "Draws")},
    "Dirichlet.top": method("top", of_labels, n=1, depth=2),
    "Dirichlet.take": method("take", of_labels, "chosen_rows"),
    "Labels.counts": method("counts", labels),
    "Labels.class_counts": method("class_counts", labels),
    "Labels.from_counts": Entry(ugt.Labels.from_counts, ("counts",)),
    "ties of many classes": Entry(ugt.metrics.ua_overlap, (of_labels, "other"), {"k": 2}),
    "certainty of groups": Entry(lambda post, risk: ugt.annotation_certainty(post, groups=risk), (of_labels, "risk")),
    "PredictionSets.of": Entry(ugt.conformal.PredictionSets.of, ("sets",)),
    "PredictionSets.mask": method("mask", first_sets),
    "PredictionSets.coverage": method("coverage", first_sets, of_labels),
    "PredictionSets.coverage_by_class": method("coverage_by_class", first_sets, of_labels),
    "PredictionSets.coverage of shares": method("coverage", first_sets, "shares"),
    "SplitConformal.predict_sets": Entry(
        lambda probs, classes: ugt.conformal.SplitConformal(randomized=False).fit(probs, classes).predict_sets(probs), ("probs", "class")
    ),
    "HistogramLosses.interval": Entry(
        lambda counts, probs: ugt.histogram_losses(counts, probs, n_bins=2).interval(of="cl", n_resamples=2), ("counts", "probs")
    ),
    **{name: fitted(name) for name in ("TemperatureScaling", "VectorScaling", "MatrixScaling")},
    "PlausibilityRegions": Entry(lambda probs, shares: ugt.conformal.PlausibilityRegions().fit(probs, shares), ("probs", "shares")),
    "Predictions": Entry(lambda scores: ugt.Predictions(None, scores), ("scores",)),
    "dawid_skene, confusions": Entry(ugt.dawid_skene, (labels,), {"max_iter": 3}),
    "dawid_skene, seen": Entry(ugt.dawid_skene, (labels,), {"max_iter": 3, "candidates": "seen"}),
    "dawid_skene_draws, seen": Entry(
        ugt.annotators.dawid_skene_draws, (labels,), {"candidates": "seen", "n_draws": 8, "n_warmup": 2, "n_chains": 2}
    ),
    "plackett_luce_map, ignore": Entry(ugt.papers.plackett_luce_map, (of_ranked,), {"unranked": "ignore"}),
    "plackett_luce_mle of labels": Entry(ugt.truth.plackett_luce_mle, (labels,), {"on_nonexistence": "map"}),
    "krippendorff_alpha, interval": Entry(ugt.krippendorff_alpha, (labels,), {"level": "interval"}),
    "evaluate certainty only": Entry(lambda given: ugt.evaluate(given, {}, n_resamples=20), (labels,)),
    "evaluate certainty of rankings": Entry(lambda given: ugt.evaluate(given, {}, n_resamples=20, reliability=1), (of_ranked,)),
}


def calls() -> dict[str, Entry]:
    """All that is tried, by name."""
    return {**{name: entry_of(name) for name in FUNCTIONS}, **METHODS}
