"""Distances between annotators and to models, beside the definition written in Python."""

from __future__ import annotations

import numpy as np
from common import Bench, Target, Work, grid, on_threads, stream
from scipy.ndimage import distance_transform_edt

import ugt
from ugt.humans.distances import distances

bench = Bench(__file__)
SMALL = {"n": 50}
FEW = 200
DELTAS = {"squared": lambda y, z: (y - z) ** 2, "absolute": lambda y, z: abs(y - z), "threshold": lambda y, z: float(abs(y - z) > 0.5)}


def definition(labels, model, delta):
    """[C] eq. 1-3 as they are printed: every pair of every case."""
    alpha = mu = 0.0
    for row, x in zip(labels, model):
        pairs = [delta(y, z) for j, y in enumerate(row) for k, z in enumerate(row) if j != k]
        alpha += sum(pairs) / len(pairs)
        mu += sum(delta(x, y) for y in row) / len(row)
    return mu / alpha


@bench.job(
    grid(n=(20_000,), annotators=(9,), distance=DELTAS) + grid(n=(20_000,), annotators=(3, 30), distance=("squared", "absolute")), SMALL
)
def numbers(n, annotators, distance):
    """distances of ratings, beside the definition in Python on a part"""
    rng = np.random.default_rng(0)
    table = rng.normal(size=(n, 1)) + rng.normal(size=(n, annotators))
    ratings, model, part = ugt.Ratings.from_wide(table), table.mean(axis=1), min(n, FEW)
    by_hand = lambda: definition(table[:part].tolist(), model[:part].tolist(), DELTAS[distance])  # noqa: E731
    rule = ("threshold", 0.5) if distance == "threshold" else distance
    return Work(lambda: distances(ratings, [model], rule), {"definition": (by_hand, n / part), "numpy.sum": stream(table)})


@bench.job(
    grid(n=(20_000,), resamples=(100, 1000)) + grid(n=(2000,), resamples=(1000,)),
    {"n": 60, "resamples": 10},
    [
        Target("5.1", "s", at_most=1, n=20_000, resamples=1000),
        Target("5.2", "definition", at_least=1000, n=20_000, resamples=1000),
    ],
)
def judged(n, resamples):
    """12 annotators (9 a case) judged in turn and a model, bootstraps by cluster, beside the definition in Python for each"""
    rng = np.random.default_rng(1)
    truth = rng.normal(size=n)
    table = truth[:, None] + rng.normal(size=(n, 12))
    table[rng.random((n, 12)).argsort(axis=1) < 3] = np.nan
    ratings, model, clusters = ugt.Ratings.from_wide(table), truth + 0.5 * rng.normal(size=n), np.arange(n) // 4
    part = min(n, FEW)
    rows = [[x for x in row if x == x] for row in table[:part].tolist()]
    by_hand = lambda: definition(rows, model[:part].tolist(), DELTAS["squared"])  # noqa: E731
    call = lambda: ugt.humans.annotator_discrepancy(ratings, model).table(clusters=clusters, n_resamples=resamples)  # noqa: E731
    return Work(call, {"definition": (by_hand, 13 * resamples * n / part)})


def classes_given(n, annotators, k):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, k, n)
    table = np.where(rng.random((n, annotators)) < 0.7, truth[:, None], rng.integers(0, k, (n, annotators)))
    return table, np.where(rng.random(n) < 0.8, truth, rng.integers(0, k, n))


FULL = {"n": 1_000_000, "annotators": 5, "k": 100}


@bench.job(
    [{**FULL, "distance": distance, "threads": 1} for distance in ("zero-one", "costs", "absolute")]
    + [{**FULL, "distance": "zero-one", "threads": 2}]
    + [{**FULL, **other, "distance": "zero-one", "threads": 1} for other in ({"n": 10_000}, {"n": 100_000}, {"annotators": 20}, {"k": 2})],
    SMALL,
    [Target("5.3", "s", at_most=1, **FULL, distance="zero-one", threads=1)],
)
def classes(n, annotators, k, distance, threads):
    """distances of classes"""
    table, model = classes_given(n, annotators, k)
    labels, cost = ugt.Labels.from_wide(table, classes=k), np.sqrt(abs(np.arange(k)[:, None] - np.arange(k)))
    rule = cost if distance == "costs" else distance
    return Work(on_threads(threads, lambda: distances(labels, [model], rule)), {"numpy.sum": stream(labels.label)})


@bench.job(grid(shape=("5 annotators x 5 labels", "counts of 50", "probabilities", "probabilities, absolute")), {"n": 50})
def other_shapes(shape, n=200_000):
    """zero-one distances of 200,000 cases with repeated labels, counts, and predicted probabilities (100 classes; 10 for counts)"""
    rng = np.random.default_rng(0)
    if shape == "counts of 50":
        counts = ugt.Labels.from_counts(rng.multinomial(50, np.full(10, 0.1), n))
        return Work(lambda: distances(counts, [], "zero-one"))
    table, model = classes_given(5 * n, 5, 100)
    if shape.startswith("probabilities"):
        labels, p = ugt.Labels.from_wide(table[: n // 2], classes=100), rng.dirichlet(np.ones(100), n // 2)
        return Work(lambda: distances(labels, [p], "absolute" if "absolute" in shape else "zero-one"), {"numpy.sum": stream(p)})
    case, annotator = np.repeat(np.arange(n), 25), np.tile(np.repeat(np.arange(5), 5), n)
    labels = ugt.Labels.from_long(case, annotator, table.ravel(), classes=100)
    return Work(lambda: distances(labels, [model[:n]], "zero-one"))


@bench.job([FULL], SMALL)
def labels_from_wide(n, annotators, k):
    """Labels.from_wide"""
    table, _ = classes_given(n, annotators, k)
    return Work(lambda: ugt.Labels.from_wide(table, classes=k), {"numpy.sum": stream(table)})


def circles(n, annotators, side):
    """Masks of annotators and of a model."""
    rng = np.random.default_rng(0)
    y, x = np.mgrid[:side, :side]
    table = np.empty((n, annotators, side, side), bool)
    for i in range(n):
        for a in range(annotators):
            centre, radius = rng.normal(side / 2, 5, 2), rng.normal(side / 4, 5)
            table[i, a] = (y - centre[0]) ** 2 + (x - centre[1]) ** 2 < radius**2
    return table, table[:, 0] ^ (rng.random((n, side, side)) < 0.01)


STEPS = ("packing", "packing a long list", "Jaccard", "packing and Jaccard")


@bench.job(
    grid(n=(500,), side=(512,), step=STEPS) + grid(n=(500,), side=(64, 256), step=STEPS[3:]),
    {"n": 3, "side": 16},
    [Target("5.4", "s", at_most=2, n=500, side=512, step="packing and Jaccard")],
)
def masks(n, side, step, annotators=5):
    """masks by 5 annotators and a model's, beside the same pairs with numpy, unpacked"""
    table, model = circles(n, annotators, side)
    held = ugt.Masks.from_wide(table)
    packed = ugt.Masks.from_long(held.case_ids, np.zeros(n), model)
    rows, case, annotator = [one for row in table for one in row], np.repeat(np.arange(n), annotators), np.tile(np.arange(annotators), n)
    calls = {
        "packing": lambda: ugt.Masks.from_wide(table),
        "packing a long list": lambda: ugt.Masks.from_long(case, annotator, rows),
        "Jaccard": lambda: distances(held, [packed], "jaccard"),
        "packing and Jaccard": lambda: distances(ugt.Masks.from_wide(table), [model], "jaccard"),
    }

    def pair():
        return np.count_nonzero(table[0, 0] & table[0, 1]) / np.count_nonzero(table[0, 0] | table[0, 1])

    return Work(calls[step], {"pairs in numpy": (pair, 15 * n), "numpy.sum": stream(table)})


@bench.job(grid(distance=("hausdorff", "surface", "kappa")), {"n": 2, "side": 16})
def surfaces(distance, n=20, side=512, annotators=5):
    """distances of surfaces of masks by 5 annotators and a model's, beside distance transforms of as many masks"""
    table, model = circles(n, annotators, side)
    held, options = ugt.Masks.from_wide(table), {"tolerance": 2.0} if distance == "surface" else {}
    transforms = (lambda: distance_transform_edt(table[0, 0]), 30 * n)
    return Work(lambda: distances(held, [model], (distance, options)), {"distance transforms": transforms})


@bench.job(grid(step=("limits of agreement", "points of a ROC", "guessing baseline")), SMALL)
def readers(step, n=20_000, annotators=9):
    """readers beside each other and a model beside guessing, beside means and deviations of all pairs of readers in numpy"""
    rng = np.random.default_rng(0)
    table, model = rng.normal(size=(n, annotators)), rng.normal(size=n)
    ratings, labels = ugt.Ratings.from_wide(table), ugt.Labels.from_wide((table > 0).astype(int))
    calls = {
        "limits of agreement": lambda: ugt.humans.bland_altman(ratings, model),
        "points of a ROC": lambda: ugt.humans.annotator_roc_points(labels, model),
        "guessing baseline": lambda: ugt.discrepancy_ratio(ratings, model, distance="absolute").guessing_baseline,
    }

    def pairs():
        for j in range(annotators):
            for k in range(j):
                difference = table[:, k] - table[:, j]
                difference.mean(), difference.std()

    return Work(calls[step], {"pairs in numpy": pairs})


@bench.job(grid(step=("packing", "Dice")), SMALL)
def small_masks(step, n=200_000):
    """200,000 x 3 masks of 60 pixels"""
    small = np.random.default_rng(0).random((n, 3, 60)) < 0.3
    held = ugt.Masks.from_wide(small)
    calls = {"packing": lambda: ugt.Masks.from_wide(small), "Dice": lambda: distances(held, [], "dice")}
    return Work(calls[step], {"numpy.sum": stream(small)})


if __name__ == "__main__":
    bench.main()
