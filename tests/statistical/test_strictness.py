"""How often intervals of strictness hold it, and how often its test finds differences that are not there."""

import numpy as np
import pytest
from scipy.stats import norm
from simulations import holds, sets

import ugt

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize(("n_cases", "n_annotators", "missing", "of_cluster"), [(20, 3, 0.0, 1), (50, 8, 0.5, 1), (100, 4, 0.0, 5)])
@sets(150, 1500)
def test_intervals_of_strictness(n_cases, n_annotators, missing, of_cluster, n_sets):
    """Grades 0 to 4 of annotators who differ, and of annotators who do not; see intervals-checked.md."""
    rng, own, joint, rejected = np.random.default_rng(1), 0.0, 0, 0
    cluster, noise = np.arange(n_cases) // of_cluster, 0.4 if of_cluster > 1 else 0.0
    for differ in (0.4, 0.0) * n_sets:
        strict = rng.normal(0, differ, n_annotators)
        shared = rng.normal(0, noise, (n_cases, n_annotators))[cluster]
        seen = 2 + 1.2 * rng.normal(size=(n_cases, 1)) + strict + shared + 0.8 * rng.normal(size=(n_cases, n_annotators))
        table = np.where(rng.random(seen.shape) < missing, np.nan, np.clip(np.rint(seen), 0, 4))
        found = ugt.agreement.annotator_strictness(ugt.Ratings.from_wide(table), clusters=cluster)
        mean = norm.sf((np.arange(0.5, 4)[:, None] - 2 - strict) / np.sqrt(1.2**2 + 0.8**2 + noise**2)).sum(0)
        true = mean - (mean.sum() - mean) / (n_annotators - 1)
        rows = [(row, true[int(row["annotator"])]) for row in found.table()]
        if differ:
            own += np.mean([row["low"] <= one <= row["high"] for row, one in rows])
            joint += all(row["joint_low"] <= one <= row["joint_high"] for row, one in rows)
        else:
            rejected += found.p_value < 0.05
    assert holds(round(own), n_sets, 0.945, 0.96), own / n_sets
    assert holds(joint, n_sets, 0.945, 0.98), joint / n_sets
    assert holds(n_sets - rejected, n_sets, 0.94, 0.965), rejected / n_sets


@sets(200, 2000)
def test_intervals_of_the_ratio_of_spreads(n_sets):
    """An annotator who uses 0.7 of the scale of two others, who are alike."""
    rng, hits = np.random.default_rng(2), 0
    for _ in range(n_sets):
        case = rng.normal(size=(60, 1))
        table = np.concatenate([0.7 * (case + 0.5 * rng.normal(size=(60, 1))), case + 0.5 * rng.normal(size=(60, 2))], axis=1)
        row = next(row for row in ugt.agreement.annotator_strictness(table).table() if row["annotator"] == "0")
        hits += row["spread_ratio_low"] <= 0.7 <= row["spread_ratio_high"]
    assert holds(hits, n_sets, 0.94, 0.96), hits / n_sets
