"""choix: maximum likelihood of the Plackett-Luce model from complete rankings."""

from __future__ import annotations

from functools import partial

import inputs
import numpy as np
from job import Job, largest


def likelihood(n_cases, per_case, n_items, method):
    def ours(data):
        import ugt

        blocks = [[[[int(item)] for item in order] for order in case] for case in data]
        rankings = ugt.Rankings.from_blocks(blocks, n_classes=n_items)
        return lambda: ugt.truth.plackett_luce_mle(rankings).mean()

    def theirs(data):
        import choix

        cases, function = data.tolist(), getattr(choix, method)

        def call():
            strength = np.exp([function(n_items, case) for case in cases])
            return strength / strength.sum(1, keepdims=True)

        return call

    size = f"{n_cases:,} {'cases' if n_cases > 1 else 'case'} x {per_case:,} rankings of {n_items} classes"
    note = "the peer takes one case at a time; from rankings already read"
    data = partial(inputs.rankings, n_cases, per_case, n_items, spread=0.5)  # small: every case has an estimate
    return Job(f"Plackett-Luce maximum likelihood ({method})", size, data, ours, theirs, 1e-5, largest, note)


def jobs(quick):
    methods = ("ilsr_rankings", "opt_rankings")
    found = [likelihood(1, 20, 5, method) for method in methods]
    wide, many = ((1, 100, 20), (20, 20, 5)) if quick else ((1, 1_000, 50), (500, 20, 5))
    return [*found, *(likelihood(*sizes, "ilsr_rankings") for sizes in (wide, many))]  # the other method takes minutes for these
