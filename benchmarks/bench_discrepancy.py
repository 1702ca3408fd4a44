"""Distances between annotators and to models, beside the definition written in Python.

Run: python benchmarks/bench_discrepancy.py
"""

from __future__ import annotations

import numpy as np
from common import seconds

import ugt
from ugt._discrepancy.distances import distances


def best(function, *args, **options):
    """The least of five times."""
    return min(seconds(function, *args, **options)[0] for _ in range(5))


def numbers(n=20_000, n_annotators=9, few=200):
    """Squared and absolute distances of ratings; the definition on the first cases, scaled."""
    rng = np.random.default_rng(0)
    table = rng.normal(size=(n, 1)) + rng.normal(size=(n, n_annotators))
    ratings, model = ugt.Ratings.from_wide(table), table.mean(axis=1)

    def definition(delta):
        """[C] eq. 1-3 as they are printed."""
        alpha = mu = 0.0
        for labels, prediction in zip(table[:few].tolist(), model[:few].tolist()):
            pairs = [delta(y, z) for j, y in enumerate(labels) for k, z in enumerate(labels) if j != k]
            alpha += sum(pairs) / len(pairs)
            mu += sum(delta(prediction, y) for y in labels) / len(labels)
        return mu / alpha

    for name, delta in (("squared", lambda y, z: (y - z) ** 2), ("absolute", lambda y, z: abs(y - z)), (("threshold", 0.5), None)):
        took = best(distances, ratings, [model], name)
        by_hand = "" if delta is None else f", the definition in Python {best(definition, delta) * n / few / took:,.0f} x as long"
        print(f"{n:,} cases x {n_annotators}, {name}: {took * 1e3:.1f} ms{by_hand}")


def classes(n=1_000_000, n_annotators=5, n_classes=100):
    """Zero-one, costs and probabilities."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, n_classes, n)
    table = np.where(rng.random((n, n_annotators)) < 0.7, truth[:, None], rng.integers(0, n_classes, (n, n_annotators)))
    model = np.where(rng.random(n) < 0.8, truth, rng.integers(0, n_classes, n))
    read, labels = seconds(ugt.Labels.from_wide, table, classes=n_classes)
    took = best(distances, labels, [model], "zero-one")
    print(f"{n:,} cases x {n_annotators}, zero-one, {n_classes} classes: {took:.2f} s (labels read in {read:.2f} s)")
    k = np.arange(n_classes)
    for name, rule in (("costs", np.sqrt(abs(k[:, None] - k))), ("absolute", "absolute")):
        print(f"    {name}: {best(distances, labels, [model], rule):.2f} s")
    for n_threads in (1, 2):
        with ugt.threads(n_threads):
            print(f"    zero-one with {n_threads} threads: {best(distances, labels, [model], 'zero-one'):.2f} s")
    case, annotator = np.repeat(np.arange(n // 5), 25), np.tile(np.repeat(np.arange(5), 5), n // 5)
    repeated = ugt.Labels.from_long(case, annotator, table.ravel(), classes=n_classes)
    print(f"    as {n // 5:,} cases x 5 annotators x 5 labels: {best(distances, repeated, [model[: n // 5]], 'zero-one'):.2f} s")
    counts = ugt.Labels.from_counts(rng.multinomial(50, np.full(10, 0.1), n // 10))
    print(f"    counts of 50 annotators, {n // 10:,} cases, 10 classes: {best(distances, counts, [], 'zero-one'):.3f} s")
    part, p = ugt.Labels.from_wide(table[: n // 10], classes=n_classes), rng.dirichlet(np.ones(n_classes), n // 10)
    for name in ("zero-one", "absolute"):
        print(f"    probabilities of {n // 10:,} cases, {name}: {best(distances, part, [p], name):.2f} s")


def masks(n=500, n_annotators=5, side=512):
    """Jaccard distances of masks of circles."""
    rng = np.random.default_rng(0)
    y, x = np.mgrid[:side, :side]
    table = np.empty((n, n_annotators, side, side), bool)
    for i in range(n):
        for a in range(n_annotators):
            centre, radius = rng.normal(side / 2, 5, 2), rng.normal(side / 4, 5)
            table[i, a] = (y - centre[0]) ** 2 + (x - centre[1]) ** 2 < radius**2
    model = table[:, 0] ^ (rng.random((n, side, side)) < 0.01)
    packing, held = best(ugt.Masks.from_wide, table), ugt.Masks.from_wide(table)
    packed = ugt.Masks.from_long(held.case_ids, np.zeros(n), model)
    print(f"{n} x {n_annotators} masks of {side} x {side}: packing {packing:.3f} s into {held.words.nbytes / 2**20:.0f} MiB")
    print(f"    Jaccard: {best(distances, held, [packed], 'jaccard'):.3f} s")
    print(f"    packing, also of the model's, and Jaccard: {best(lambda: distances(ugt.Masks.from_wide(table), [model], 'jaccard')):.3f} s")

    def pair(a, b):
        return np.count_nonzero(a & b) / np.count_nonzero(a | b)

    print(f"    the same pairs with numpy, unpacked: {best(pair, table[0, 0], table[0, 1]) * 15 * n:.2f} s")
    rows = [one for case in table for one in case]
    case, annotator = np.repeat(np.arange(n), n_annotators), np.tile(np.arange(n_annotators), n)
    print(f"    packing from a long list: {best(ugt.Masks.from_long, case, annotator, rows):.3f} s")
    small = rng.random((200_000, 3, 60)) < 0.3
    held, packing = ugt.Masks.from_wide(small), best(ugt.Masks.from_wide, small)
    print(f"    {len(small):,} x 3 masks of 60 pixels: packing {packing:.3f} s, Dice {best(distances, held, [], 'dice'):.3f} s")


def judged():
    """Everything that is asked of a panel and a model: twelve annotators judged in turn, intervals by patient."""
    rng = np.random.default_rng(1)
    n, n_resamples = 20_000, 1000
    truth = rng.normal(size=n)
    table = truth[:, None] + rng.normal(size=(n, 12))
    table[rng.random((n, 12)).argsort(axis=1) < 3] = np.nan
    ratings, model, clusters = ugt.Ratings.from_wide(table), truth + 0.5 * rng.normal(size=n), np.arange(n) // 4
    seconds = best(ugt.annotator_discrepancy, ratings, predictions=model, clusters=clusters, n_resamples=n_resamples)
    few = 300
    one = best(definition, [[x for x in row if x == x] for row in table[:few].tolist()], model[:few].tolist()) * n / few
    print(f"12 annotators and a model, {n:,} cases x 9, {n_resamples:,} bootstraps by cluster: {seconds:.2f} s (target 1 s)")
    slow = 13 * n_resamples * one
    print(f"    the definition in Python, 13 times for each resample: about {slow:,.0f} s, {slow / seconds:,.0f} x")


def definition(labels, model):
    """Every pair of every case [C eq. 2-4]."""
    alpha = mu = 0.0
    for row, x in zip(labels, model):
        pairs = [(row[i] - row[j]) ** 2 for i in range(len(row)) for j in range(len(row)) if i != j]
        alpha += sum(pairs) / len(pairs)
        mu += sum((x - y) ** 2 for y in row) / len(row)
    return mu / alpha


def main():
    numbers()
    judged()
    classes()
    masks()


if __name__ == "__main__":
    main()
