"""Calls on 20 cases x 3 classes, as code in a loop makes them: what Python takes around the kernels, which are called again alone.

The kernels' calls of one call are written down with what they are given; the yardstick makes the same calls and nothing else.
"""

from __future__ import annotations

import sys
import types
import warnings

import numpy as np
from common import Bench, Target, Work, grid

import ugt

bench = Bench(__file__)
N, K = 20, 3


class Written:
    """A kernel, or an object made by one, whose calls are written down."""

    def __init__(self, real, calls):
        self.real, self.calls = real, calls

    def __call__(self, *args, **options):
        args = [arg.real if isinstance(arg, Written) else arg for arg in args]
        options = {name: value.real if isinstance(value, Written) else value for name, value in options.items()}
        # what the kernel writes to is frozen afterwards
        self.calls.append(
            (self.real, [arg.copy() if isinstance(arg, np.ndarray) and arg.flags.writeable else arg for arg in args], options)
        )
        result = self.real(*args, **options)
        return Written(result, self.calls) if type(result).__module__.startswith("ugt._core") else result

    def __getattr__(self, name):
        found = getattr(self.real, name)
        return Written(found, self.calls) if callable(found) else found

    def __len__(self):
        return len(self.real)


def kernels(function):
    """The calls of the core that a call makes."""
    calls, replaced = [], []
    for module in [module for name, module in sys.modules.items() if name.startswith("ugt.") and isinstance(module, types.ModuleType)]:
        for name, real in list(vars(module).items()):
            ours = str(getattr(real, "__module__", "")).startswith("ugt._core") and callable(real)
            if ours and not name.startswith("__") and (isinstance(real, type) or type(real).__name__ != "module"):
                replaced.append((module, name, real))
                setattr(module, name, Written(real, calls))
    posteriors = [vars(one) for one in function.__defaults__ or () if isinstance(one, ugt.Dirichlet)]
    for one in posteriors:  # which keep an object of the core between calls
        one["_profiles"] = Written(one["_profiles"][0], calls), *one["_profiles"][1:]
    try:
        function()
    finally:
        for module, name, real in replaced:
            setattr(module, name, real)
        for one in posteriors:
            one["_profiles"] = one["_profiles"][0].real, *one["_profiles"][1:]
    return calls


def subjects():
    """Every call by its name, on the same 20 cases."""
    rng = np.random.default_rng(0)
    counts = rng.multinomial(5, [0.5, 0.3, 0.2], N)
    table, scores, probs = rng.integers(0, K, (N, 4)), rng.random((N, K)), rng.dirichlet(np.ones(K), N)
    labels, p, s = ugt.Labels.from_wide(table, classes=K), rng.random(N), rng.random(N)
    posteriors = {"Dirichlet": ugt.dirichlet(labels, prior=0.1), "Point": ugt.votes(labels)}
    predicted, shown = scores.argmax(1), ugt.calibration.predicted_disagreement(probs)
    found = {
        "soft_auroc": lambda: ugt.soft_auroc(p, s),
        "soft_average_precision": lambda: ugt.soft_average_precision(p, s),
        "soft_roc_curve": lambda: ugt.soft.soft_roc_curve(p, s),
        "soft_precision_recall_curve": lambda: ugt.soft.soft_precision_recall_curve(p, s),
        "histogram_losses": lambda: ugt.histogram_losses(counts, probs),
        "histogram_log_loss": lambda: ugt.calibration.histogram_log_loss(counts, probs),
        "histogram_brier_score": lambda: ugt.calibration.histogram_brier_score(counts, probs),
        "ranked_probability_score": lambda: ugt.calibration.ranked_probability_score(counts, probs),
        "wasserstein_distance": lambda: ugt.calibration.wasserstein_distance(counts, probs),
        "predicted_disagreement": lambda: ugt.calibration.predicted_disagreement(probs),
        "disagreement_losses": lambda: ugt.calibration.disagreement_losses(counts, shown),
        "discrepancy_ratio": lambda: ugt.discrepancy_ratio(labels, predicted),
        "percent_agreement": lambda: ugt.agreement.percent_agreement(labels),
        "fleiss_kappa": lambda: ugt.fleiss_kappa(labels),
        "krippendorff_alpha": lambda: ugt.krippendorff_alpha(labels),
        "gwet_ac1": lambda: ugt.agreement.gwet_ac1(labels),
        "votes": lambda: ugt.votes(labels),
        "dirichlet": lambda: ugt.dirichlet(labels, prior=0.1),
        "Labels.from_counts": lambda: ugt.Labels.from_counts(counts),
        "Labels.from_wide": lambda: ugt.Labels.from_wide(table, classes=K),
    }
    for name, post in posteriors.items():
        found[f"annotation_certainty, {name}"] = lambda post=post: ugt.annotation_certainty(post)
        for metric, k in (("ua_topk_accuracy", 1), ("ua_topk_accuracy", 2), ("ua_set_accuracy", 2), ("ua_average_overlap", 2)):
            found[f"{metric}, k = {k}, {name}"] = lambda post=post, metric=metric, k=k: getattr(ugt.metrics, metric)(post, scores, k)
    found["dirichlet + annotation_certainty"] = lambda: ugt.annotation_certainty(ugt.dirichlet(labels, prior=0.1))
    found["dirichlet + ua_topk_accuracy"] = lambda: ugt.ua_topk_accuracy(ugt.dirichlet(labels, prior=0.1), scores, 1)
    found["votes + ua_topk_accuracy"] = lambda: ugt.ua_topk_accuracy(ugt.votes(labels), scores, 1)
    found["ua_topk_accuracy, array"] = lambda: ugt.ua_topk_accuracy(probs, scores, 1)
    return found


warnings.simplefilter("ignore")
SUBJECTS = subjects()


TARGETS = [Target(number, "µs of Python", at_most=most, call=call) for number, most in (("9.1", 20), ("19.3", 40)) for call in SUBJECTS]


@bench.job(grid(call=SUBJECTS), {}, TARGETS)
def call(call):
    """a call on 20 cases x 3 classes, beside its kernels called alone"""
    function = SUBJECTS[call]
    function()
    calls = kernels(function)

    def alone():
        for real, args, options in calls:
            real(*args, **options)

    def also(measured, _):
        share = 1 / measured["kernels"] if calls else 0.0
        return {"µs of Python": 1e6 * measured["s"] * (1 - share), "calls of kernels": len(calls)}

    return Work(function, {"kernels": alone}, also=also)


if __name__ == "__main__":
    bench.main()
