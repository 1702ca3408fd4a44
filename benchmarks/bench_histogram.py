"""Losses against label histograms beside numpy.sum over both tables and a data frame of (case, class) rows; memory; intervals.

Run: python benchmarks/bench_histogram.py
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import numpy as np
from common import seconds

import ugt

SIZES = ((1_000_000, 2), (100_000, 22))
TYPES = {"int64, float64": (np.int64, np.float64), "int32, float32": (np.int32, np.float32), "float64, float64": (np.float64, np.float64)}


def tables(n, k):
    """Five labels a case; probabilities crowd at 0 where there are many classes."""
    rng = np.random.default_rng(0)
    probs = rng.dirichlet(np.full(k, 1.0 if k == 2 else 0.3), n)
    counts = np.zeros((n, k), np.int64)
    upto = probs.cumsum(axis=1)
    for _ in range(5):
        counts[np.arange(n), np.minimum((rng.random((n, 1)) > upto).sum(axis=1), k - 1)] += 1
    return counts, probs


def side_by_side(functions, repeats=15):
    """The least time of each, taken in turns so that all see the same machine."""
    least = dict.fromkeys(functions, np.inf)
    for _ in range(repeats):
        for name, function in functions.items():
            least[name] = min(least[name], seconds(function)[0])
    return least


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


def speed(n, k):
    counts, probs = tables(n, k)
    for name, types in TYPES.items():
        y, z = counts.astype(types[0]), probs.astype(types[1])
        least = side_by_side({"sum": lambda: (np.sum(y), np.sum(z)), "ugt": lambda: ugt.histogram_losses(y, z)})  # noqa: B023
        print(f"N = {n:,}, K = {k}, {name}: {1000 * least['ugt']:.1f} ms, {least['ugt'] / least['sum']:.1f} x numpy.sum over both")
    options = {"equal mass": {"binning": "mass"}, "given edges": {"binning": [0, 0.05, 0.2, 0.5, 0.9, 1]}}
    for name, given in options.items():
        took = side_by_side({name: lambda: ugt.histogram_losses(counts, probs, **given)}, 3)[name]  # noqa: B023
        print(f"    {name}: {1000 * took:.0f} ms")
    with ugt.threads(2):
        print(f"    two threads: {1000 * side_by_side({'two': lambda: ugt.histogram_losses(counts, probs)})['two']:.1f} ms")
    took, _ = seconds(ugt.histogram_losses(counts, probs).resamples, n_resamples=20)
    print(f"    a resample of all losses: {1000 * took / 21:.0f} ms")
    if importlib.util.find_spec("pandas") is None:
        print("    pandas is not installed: skipped")
        return
    took, found = seconds(by_data_frame, counts, probs)
    ours, expected = seconds(ugt.histogram_losses, counts, probs)
    losses = (expected.el.debiased, expected.cl.debiased, expected.cl.plugin, expected.dl.debiased)
    np.testing.assert_allclose(found[:4], losses, rtol=0, atol=1e-9)
    print(f"    pandas: {1000 * took:.0f} ms, {took / ours:.0f} x as long")


def memory(n, k):
    """Peak memory of one call beyond its input, in a process of its own."""
    code = (
        "import numpy as np, ugt, resource; rng = np.random.default_rng(0)\n"
        "peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024\n"
        f"y, z = rng.integers(1, 6, ({n}, {k})), np.full(({n}, {k}), 1 / {k}); ugt.histogram_losses(y[:9], z[:9])\n"
        "before = peak(); ugt.histogram_losses(y, z); print(peak() - before, y.nbytes + z.nbytes)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    more, given = (int(x) / 2**20 for x in done.stdout.split())
    print(f"N = {n:,}, K = {k}: {more:.1f} MiB more at the peak, beside {given:.0f} MiB of tables")


def others(n, k):
    counts, probs = tables(n, k)
    predicted = ugt.predicted_disagreement(probs)
    print(f"N = {n:,}, K = {k}: disagreement losses {seconds(ugt.disagreement_losses, counts, predicted)[0]:.2f} s")
    for score in (ugt.histogram_log_loss, ugt.histogram_brier_score, ugt.ranked_probability_score, ugt.wasserstein_distance):
        print(f"    {score.__name__} {1000 * seconds(score, counts, np.clip(probs, 1e-9, 1))[0]:.0f} ms")


def main():
    for n, k in SIZES:
        speed(n, k)
    for n, k in SIZES:
        memory(n, k)
    others(*SIZES[0])


if __name__ == "__main__":
    main()
