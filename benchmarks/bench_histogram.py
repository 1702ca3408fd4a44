"""Losses against label histograms beside numpy.sum over both tables and a data frame of (case, class) rows; memory; intervals."""

from __future__ import annotations

import numpy as np
from common import Bench, Target, Work, on_threads, peer, stream
from data import Skip

import ugt

bench = Bench(__file__)
SMALL = {"n": 60}
SIZES = ({"n": 1_000_000, "k": 2}, {"n": 100_000, "k": 22})
TYPES = {"int64, float64": (np.int64, np.float64), "int32, float32": (np.int32, np.float32), "float64, float64": (np.float64, np.float64)}
BINNINGS = {"mass": "mass", "edges": (0, 0.05, 0.2, 0.5, 0.9, 1)}
SCORES = (
    ugt.calibration.histogram_log_loss,
    ugt.calibration.histogram_brier_score,
    ugt.calibration.ranked_probability_score,
    ugt.calibration.wasserstein_distance,
)


def tables(n, k, types="int64, float64"):
    """Five labels a case; probabilities crowd at 0 where there are many classes."""
    rng = np.random.default_rng(0)
    probs = rng.dirichlet(np.full(k, 1.0 if k == 2 else 0.3), n)
    counts = np.zeros((n, k), np.int64)
    upto = probs.cumsum(axis=1)
    for _ in range(5):
        counts[np.arange(n), np.minimum((rng.random((n, 1)) > upto).sum(axis=1), k - 1)] += 1
    return counts.astype(TYPES[types][0]), probs.astype(TYPES[types][1])


def by_data_frame(counts, probs, n_bins=15):
    """The same losses as an analyst writes them with pandas: a row for each case and class, grouped by class and bin."""
    import pandas as pd

    n, k = counts.shape
    labels = counts.sum(axis=1, keepdims=True)
    share = counts / labels
    frame = pd.DataFrame({"k": np.tile(np.arange(k), n), "m": share.ravel(), "z": probs.ravel()})
    frame["noise"] = (share * (1 - share) / (labels - 1)).ravel()
    frame["bin"] = pd.cut(frame["z"], np.linspace(0, 1, n_bins + 1), labels=False, include_lowest=True, right=False).fillna(n_bins - 1)
    frame["gap"] = (frame["m"] - frame["z"]) ** 2
    bins = frame.groupby(["k", "bin"]).agg({"m": ["mean", "var", "size"], "z": "mean", "gap": "sum", "noise": "sum"})
    size = bins["m"]["size"]
    plugin = (bins["m"]["mean"] - bins["z"]["mean"]) ** 2 * size / n
    cl = (plugin - (bins["m"]["var"] * size / (size * n)).fillna(0)).where(size > 1, 0)
    el = (bins["gap"]["sum"] - bins["noise"]["sum"]) / n
    right = (counts.argmax(axis=1) == probs.argmax(axis=1)).mean()
    return el.sum(), cl.sum(), plugin.sum(), (el - cl).sum(), right


@bench.job(
    [{**size, "types": types, "threads": 1} for size in SIZES for types in TYPES]
    + [{**size, "types": "int64, float64", "threads": 2} for size in SIZES]
    + [{"n": n, "k": k, "types": "int64, float64", "threads": 1} for n, k in ((10_000, 2), (100_000, 2), (10_000, 419))],
    SMALL,
    [Target("4.1", "numpy.sum", at_most=5, **size, types=types, threads=1) for size in SIZES for types in TYPES]
    # no temporary of size N x K: 8 bytes a cell would be 16 and 18 MB
    + [Target("4.3", "bytes a cell", at_most=1, **size, types=types, threads=1) for size in SIZES for types in TYPES],
)
def losses(n, k, types, threads):
    """all losses, beside numpy.sum over both tables"""
    counts, probs = tables(n, k, types)
    also = lambda measured, _: {"bytes a cell": measured["MB"] * 1e6 / (n * k)}  # noqa: E731
    return Work(on_threads(threads, lambda: ugt.histogram_losses(counts, probs)), {"numpy.sum": stream(counts, probs)}, also=also)


@bench.job(SIZES, SMALL, [Target("4.2", "pandas", at_least=15, **size) for size in SIZES])
def against_pandas(n, k):
    """all losses, beside pandas"""
    if peer("pandas") is None:
        raise Skip("pandas is not installed")
    counts, probs = tables(n, k)

    def also(_, found):
        if n > 1000:  # the same numbers, where every bin has cases
            expected = (found.el.debiased, found.cl.debiased, found.cl.plugin, found.dl.debiased)
            np.testing.assert_allclose(by_data_frame(counts, probs)[:4], expected, rtol=0, atol=1e-9)
        return {}

    return Work(lambda: ugt.histogram_losses(counts, probs), {"pandas": lambda: by_data_frame(counts, probs)}, also=also)


@bench.job([{**size, "binning": binning} for size in SIZES for binning in BINNINGS], SMALL)
def binnings(n, k, binning):
    """all losses in other bins"""
    counts, probs = tables(n, k)
    return Work(lambda: ugt.histogram_losses(counts, probs, binning=BINNINGS[binning]), {"numpy.sum": stream(counts, probs)})


@bench.job(SIZES, SMALL)
def weighted(n, k):
    """all losses of cases with weights"""
    counts, probs = tables(n, k)
    weights = counts[:, 0] + 1.0
    return Work(lambda: ugt.histogram_losses(counts, probs, weights=weights), {"numpy.sum": stream(counts, probs)})


@bench.job(SIZES, SMALL)
def expected_calibration_error(n, k):
    """all losses and the calibration error of p = 1"""
    counts, probs = tables(n, k)
    return Work(lambda: ugt.histogram_losses(counts, probs).ece, {"numpy.sum": stream(counts, probs)})


@bench.job([SIZES[0]], SMALL)
def log_loss_calibration(n, k):
    """the calibration part of the log loss"""
    counts, probs = tables(n, k)
    found = ugt.calibration.histogram_log_loss(counts, np.clip(probs, 1e-9, 1))
    return Work(lambda: found.part("calibration").value, {"numpy.sum": stream(counts, probs)})


@bench.job(SIZES, SMALL)
def resamples(n, k):
    """a resample of all losses"""
    found = ugt.histogram_losses(*tables(n, k))
    return Work(lambda: found.resamples(n_resamples=20), units=21)


@bench.job([{**SIZES[0], "score": score.__name__} for score in SCORES], SMALL)
def proper_scores(n, k, score):
    """proper scores"""
    counts, probs = tables(n, k)
    probs = np.clip(probs, 1e-9, 1)
    return Work(lambda: getattr(ugt.calibration, score)(counts, probs), {"numpy.sum": stream(counts, probs)})


@bench.job([SIZES[0]], SMALL)
def disagreement_losses(n, k):
    """disagreement losses"""
    counts, probs = tables(n, k)
    predicted = ugt.calibration.predicted_disagreement(probs)
    return Work(lambda: ugt.calibration.disagreement_losses(counts, predicted), {"numpy.sum": stream(counts, predicted)})


@bench.job([SIZES[0]], SMALL)
def statistic_of_three_values(n, k):
    """how many of three labels differ, and the losses of what was predicted of it"""
    counts, probs = tables(n, k)
    predicted = np.concatenate([probs, np.zeros((n, 1))], axis=1)
    phi = lambda *said: [len(set(said)) == m for m in (1, 2, 3)]  # noqa: E731
    found = lambda: ugt.calibration.disagreement_losses(counts, predicted, statistic=ugt.calibration.symmetric_statistic(counts, phi, 3))  # noqa: E731
    return Work(found, {"numpy.sum": stream(counts, predicted)})


if __name__ == "__main__":
    bench.main()
