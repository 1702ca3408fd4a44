"""Labels and ratings with gaps that are cut into parts, and states of the parts merged in any order."""

import numpy as np
from refusals import labels_of_rows, refused

import ugt
from ugt import states
from ugt._base.axes import stream_keys_of
from ugt._core import _exact

N, K = 70, 4
WHO = ["eve", "ann", "bob", "dan"]  # not ascending
ASCENDING = sorted(WHO)


class Data:
    """Rows (case, annotator, label) with gaps, of which any cases can be taken."""

    def __init__(self, seed, repeat=0.15):
        rng = np.random.default_rng(seed)
        self.ids = [f"p{i}" for i in range(N)]
        truth, self.rows, self.values = rng.integers(0, K, N), [], []
        for i in range(N):
            for who in WHO if i % 9 else WHO[: i % 4]:  # some cases have no labels, or those of one
                for _ in range((rng.random() < 0.75) * (1 + (rng.random() < repeat))):
                    self.rows.append((self.ids[i], who, int(truth[i]) if rng.random() < 0.6 else int(rng.integers(0, K))))
                    self.values.append(float(truth[i] + rng.normal()))
        self.said = np.where(rng.random(N) < 0.7, truth, rng.integers(0, K, N)).astype(float)
        self.other = rng.integers(0, K, N).astype(float)
        self.other[rng.random(N) < 0.15] = np.nan
        self.probabilities = rng.dirichlet(np.ones(K), N)
        self.clusters = np.array([f"patient {i % 19}" for i in range(N)])

    def labels(self, rows, ratings=False):
        kept = {self.ids[i] for i in rows}
        chosen = [(*row[:2], value if ratings else row[2]) for row, value in zip(self.rows, self.values) if row[0] in kept]
        columns = list(zip(*chosen)) or [[], [], []]
        ids = [self.ids[i] for i in rows]
        return ugt.Ratings.from_long(*columns, cases=ids) if ratings else labels_of_rows(*columns, classes=K, cases=ids)


def cut(data, seed):
    """Parts in random order: of one case, of cases without labels or those of one annotator alone, and others."""
    rng = np.random.default_rng(seed)
    labelled = {row[0] for row in data.rows}
    empty = [i for i in range(N) if data.ids[i] not in labelled]
    others = rng.permutation([i for i in range(N) if data.ids[i] in labelled]).tolist()
    at = [0, 1, 2, 3, *sorted(rng.integers(3, len(others), 3)), len(others)]
    parts = [part for part in (empty, *(others[begin:end] for begin, end in zip(at, at[1:]))) if part]
    assert empty and len(parts) > 4
    return [parts[j] for j in rng.permutation(len(parts))]


def merged(rng, parts):
    """By a random tree of merges, each state by way of its text."""
    left = [states.State.from_json(one.to_json()) for one in parts]
    while len(left) > 1:
        chosen = rng.permutation(len(left))[: rng.integers(2, 4)].tolist()
        left = [one for i, one in enumerate(left) if i not in chosen] + [states.merge([left[i] for i in chosen])]
    return left[0]


def close(found, expected, name=""):
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12, err_msg=name)


def by_name(found, annotators, numbers):
    """Numbers (..., A) of the record of a function, in the order of those of a state; NaN for those who are not in it."""
    at = {name: j for j, name in enumerate(annotators.tolist())}
    numbers = np.asarray(numbers, float)
    columns = [numbers[..., at[name]] if name in at else np.full(numbers.shape[:-1], np.nan) for name in found.numbers["annotators"]]
    return np.stack(columns, axis=-1)


def check_resamples(state, data, units):
    """Resamples of parts, which ``state(rows, n_resamples)`` makes with seed 3, are those of the whole: each case as often as it counts."""
    whole, parts = states.finish(state(list(range(N)), 20)), [state(part, 20) for part in cut(data, 1)]
    found = states.finish(merged(np.random.default_rng(0), parts))
    close(found.resampled, whole.resampled)
    assert np.ptp(found.resampled) > 0 and len(found.resampled) == 20
    units_of = data.clusters if units == "clusters" else np.array(data.ids)
    weights, alone = _exact.poisson_weights(stream_keys_of(units_of), 3, 0, 20).astype(int), [state([i], 0) for i in range(N)]
    for name, table in found.resampled_numbers.items():
        close(table, whole.resampled_numbers[name], name)
    for b in range(3):
        again = states.finish(states.merge(alone[i] for i in np.repeat(np.arange(N), weights[b]).tolist()))
        close(found.resampled[b], again.value)
        for name, table in found.resampled_numbers.items():
            close(table[b], again.numbers[name], name)
    return found


def one_part(metric, *data, **options):
    """What is made of a state of all data."""
    return states.finish(states.partial(metric, *data, **options))


def no_part(message, metric, *data, error=ValueError, **options):
    """There is no state of these data with these options."""
    refused(message, states.partial, metric, *data, error=error, **options)
