"""scikit-learn: metrics of labels; soft AUROC and average precision by doubling the data."""

from __future__ import annotations

from functools import partial

import inputs
import numpy as np
from job import Job, largest

METRICS = {"AUROC": ("soft_auroc", "roc_auc_score"), "average precision": ("soft_average_precision", "average_precision_score")}


def ranking(name, n, weighted=False):
    def ours(data):
        import ugt

        weights = data["weights"] if weighted else None
        return lambda: getattr(ugt.soft, METRICS[name][0])(data["y"], data["scores"], case_weights=weights).value

    def theirs(data):
        from sklearn import metrics

        weights = data["weights"] if weighted else None
        return lambda: getattr(metrics, METRICS[name][1])(data["y"], data["scores"], sample_weight=weights)

    how = "weighted labels 0 and 1" if weighted else "labels 0 and 1"
    return Job(f"{name}, {how}", f"{n:,} cases", partial(inputs.binary, n), ours, theirs, 1e-9, largest)


def soft(name, n):
    """Every case twice, with weights p and 1 - p: equal to the variants "half" and "probability"."""
    variant = {"self_pairs": "half"} if name == "AUROC" else {"self_term": "probability"}

    def ours(data):
        import ugt

        return lambda: getattr(ugt.soft, METRICS[name][0])(data["p"], data["scores"], **variant).value

    def theirs(data):
        from sklearn import metrics

        function = getattr(metrics, METRICS[name][1])

        def call():
            p, labels = data["p"], np.repeat([1, 0], n)
            return function(labels, np.tile(data["scores"], 2), sample_weight=np.concatenate([p, 1 - p]))

        return call

    note = "the peer has no soft labels: its data are doubled, in the time measured"
    return Job(f"soft {name}", f"{n:,} cases", partial(inputs.binary, n), ours, theirs, 1e-9, largest, note)


def one_hot(data):
    return np.eye(data["probs"].shape[1], dtype=np.int64)[data["y"]]


def probabilities(name, n, k):
    """Log loss and Brier score of probabilities of classes."""
    function, peer = {"log loss": ("histogram_log_loss", "log_loss"), "Brier score": ("histogram_brier_score", "brier_score_loss")}[name]

    def ours(data):
        import ugt

        counts = one_hot(data)
        return lambda: getattr(ugt.calibration, function)(counts, data["probs"]).value

    def theirs(data):
        from sklearn import metrics

        options = {"labels": np.arange(k), **({"scale_by_half": False} if name == "Brier score" else {})}
        return lambda: getattr(metrics, peer)(data["y"], data["probs"], **options)

    note = "ugt is given counts (N, K), the peer class numbers (N,)"
    return Job(name, f"{n:,} cases x {k} classes", partial(inputs.classes, n, k), ours, theirs, 1e-9, largest, note)


def top_k(n, k):
    def ours(data):
        import ugt

        truth = ugt.votes(ugt.Labels.from_counts(one_hot(data)))
        return lambda: ugt.ua_topk_accuracy(truth, data["probs"], k=3).value

    def theirs(data):
        from sklearn import metrics

        return lambda: metrics.top_k_accuracy_score(data["y"], data["probs"], k=3, labels=np.arange(k))

    size = f"{n:,} cases x {k} classes"
    return Job("top-3 accuracy", size, partial(inputs.classes, n, k), ours, theirs, 1e-9, largest, "ugt is given plausibilities")


def kappa(n, weights=None):
    def ours(data):
        import ugt

        return lambda: ugt.cohen_kappa(ugt.Labels.from_wide(data), weights=weights).value

    def theirs(data):
        from sklearn import metrics

        return lambda: metrics.cohen_kappa_score(data[:, 0], data[:, 1], weights=weights)

    name = "Cohen's kappa" + (f", {weights}" if weights else "")
    return Job(name, f"{n:,} cases x 2", partial(inputs.pairs, n, 5), ours, theirs, 1e-9, largest)


def jobs(quick):
    many, tables = (20_000, 2_000) if quick else (1_000_000, 100_000)
    found = [ranking(name, n) for n in (100, many) for name in METRICS]
    found += [ranking(name, many, True) for name in METRICS]
    found += [soft(name, n) for n in (100, many) for name in METRICS]
    found += [probabilities(name, n, 10) for n in (100, tables) for name in ("log loss", "Brier score")]
    found += [top_k(n, 10) for n in (100, tables)]
    return [*found, kappa(100), kappa(many), kappa(many, "quadratic")]
