"""statsmodels: Fleiss' and Cohen's kappa."""

from __future__ import annotations

from functools import partial

import inputs
import numpy as np
from job import Job, largest


def counts(n):
    case, _, label = inputs.annotations(n, 20, 5, 5)
    table = np.zeros((n, 5), np.int64)
    np.add.at(table, (case, label), 1)
    return table


def fleiss(n):
    def ours(data):
        import ugt

        return lambda: ugt.fleiss_kappa(ugt.Labels.from_counts(data)).value

    def theirs(data):
        from statsmodels.stats import inter_rater

        return lambda: inter_rater.fleiss_kappa(data)

    return Job("Fleiss' kappa", f"{n:,} cases x 5 labels", partial(counts, n), ours, theirs, 1e-9, largest, "from counts")


def cohen(n, weights=None):
    def ours(data):
        import ugt

        def call():
            found = ugt.cohen_kappa(ugt.Labels.from_wide(data), weights=weights)
            return found.value, found.std_error

        return call

    def theirs(data):
        from statsmodels.stats import inter_rater

        def call():
            found = inter_rater.cohens_kappa(inter_rater.to_table(data)[0], wt=weights)
            return found.kappa, found.std_kappa

        return call

    name = "Cohen's kappa and its standard error" + (f", {weights}" if weights else "")
    return Job(name, f"{n:,} cases x 2", partial(inputs.pairs, n, 5), ours, theirs, 1e-9, largest)


def jobs(quick):
    many = 20_000 if quick else 1_000_000
    return [fleiss(100), fleiss(many), cohen(100), cohen(many), cohen(many, "quadratic")]
