"""crowd-kit: majority vote, Dawid-Skene, one-coin, GLAD, from the columns of a long table to the answer."""

from __future__ import annotations

from functools import partial

import inputs
from job import Job, largest, share_apart

ITERATIONS = 20
K = 4


def size_of(n):
    return f"{n:,} cases x 5 labels"


def answer_of(table):
    """Probabilities (cases, classes), sorted, of crowd-kit's data frame."""
    return table.sort_index()[sorted(table.columns)].to_numpy()


def frame(data):
    import pandas as pd

    return pd.DataFrame(dict(zip(("task", "worker", "label"), data)))


def job(name, n, ours_of, theirs_of, tolerance, apart, note):
    """Both sides begin with three columns."""

    def ours(data):
        import ugt

        return lambda: ours_of(ugt, ugt.Labels.from_long(*data, classes=K, cases=range(n)))

    def theirs(data):
        from crowdkit import aggregation

        table = frame(data)
        return lambda: theirs_of(aggregation, table)

    return Job(name, size_of(n), partial(inputs.annotations, n, 20, K, 5), ours, theirs, tolerance, apart, note)


def votes(n):
    return job(
        "shares of the votes",
        n,
        lambda ugt, labels: ugt.votes(labels, kind="mean").mean(),
        lambda crowdkit, table: answer_of(crowdkit.MajorityVote().fit_predict_proba(table)),
        1e-12,
        largest,
        "",
    )


def dawid_skene(n, model):
    names = {"full": ("Dawid-Skene", "DawidSkene"), "one-coin": ("one-coin Dawid-Skene", "OneCoinDawidSkene")}
    # ugt weighs the cases once more after its last iteration, the peer does so within it: as many steps, counted otherwise.
    options = {"model": model, "n_restarts": 0, "tolerance": 0.0, "max_iter": ITERATIONS - 1}
    return job(
        f"{names[model][0]}, {ITERATIONS} iterations",
        n,
        lambda ugt, labels: ugt.dawid_skene(labels, **options).plausibilities.mean(),
        lambda crowdkit, table: answer_of(getattr(crowdkit, names[model][1])(n_iter=ITERATIONS, tol=-1e9).fit_predict_proba(table)),
        1e-4,
        largest,
        "both from the shares of the votes, without a test of convergence; the peer lifts cells of 0 to 1e-10",
    )


def glad(n):
    return job(
        "GLAD",
        n,
        lambda ugt, labels: ugt.annotators.glad(labels).plausibilities.mean().argmax(1),
        lambda crowdkit, table: answer_of(crowdkit.GLAD().fit_predict_proba(table)).argmax(1),
        0.02,
        share_apart,
        "share of the cases with another most probable class; both with their defaults: ugt goes on to the maximum, the peer stops before",
    )


def jobs(quick):
    many = 1_000 if quick else 20_000
    found = [votes(100), votes(many)]
    found += [dawid_skene(n, model) for model in ("full", "one-coin") for n in (100, many)]
    return [*found, glad(100), *([] if quick else [glad(300)])]
