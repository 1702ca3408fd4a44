"""What the tests of label-histogram losses share: data, and records as rows of numbers."""

import numpy as np

PARTS = ("plugin", "bias", "debiased")


def problem(seed=0, n=60, k=3, labels=(0, 1, 2, 5), decimals=None):
    rng = np.random.default_rng(seed)
    truth = rng.dirichlet(np.ones(k), n)
    counts = np.array([rng.multinomial(rng.choice(labels), p) for p in truth])
    probs = 0.7 * truth + 0.3 * rng.dirichlet(np.ones(k), n)
    if decimals is not None:
        probs = np.round(probs * decimals) / decimals
        probs[:, 0] = 1 - probs[:, 1:].sum(1)
    return counts, probs


def numbers_of(found):
    """All there is in the record, as one row."""
    rows = [found.l_sq, found.accuracy, found.n_cases, found.bin_counts.ravel()]
    for losses in (found, found.per_class, found.per_bin):
        rows += [np.ravel(getattr(getattr(losses, name), part)) for name in ("el", "cl", "dl", "il") for part in PARTS]
    return np.concatenate([np.atleast_1d(row) for row in rows])


def same(found, expected, tolerance=1e-13):
    np.testing.assert_allclose(numbers_of(found), numbers_of(expected), rtol=0, atol=tolerance)
