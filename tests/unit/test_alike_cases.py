"""Agreement coefficients look at cases that are alike once: the same numbers as from every case by itself."""

from functools import partial

import numpy as np
import pytest
from refusals import labels_of_rows

import ugt
from ugt.agreement import table


def alike(seed, n=3000):
    """Few different rows, some of them empty or with a single label, of three annotators."""
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 3, (n, 3)).astype(float)
    table[rng.random((n, 3)) < 0.3] = np.nan
    table[7] = np.nan
    return table


COEFFICIENTS = {
    "percent": ugt.agreement.percent_agreement,
    "fleiss": ugt.fleiss_kappa,
    "fleiss, weights": partial(ugt.fleiss_kappa, weights="quadratic"),
    "ac1": ugt.agreement.gwet_ac1,
    "ac2": partial(ugt.agreement.gwet_ac2, weights="linear"),
    "cohen": partial(ugt.cohen_kappa, annotators=[0, 2]),
    "cohen, weights": partial(ugt.cohen_kappa, annotators=[2, 1], weights="linear"),
    "scott": partial(ugt.agreement.scott_pi, annotators=[0, 1]),
    **{f"alpha, {level}": partial(ugt.krippendorff_alpha, level=level) for level in ("nominal", "ordinal", "interval", "ratio")},
}


def everything(found):
    counted = [found.n_cases, found.n_annotators or 0, *found.left_out.values()]
    numbers = [*counted, found.value, found.observed, found.expected, found.std_error]
    numbers += found.interval(n_resamples=50, seed=1)
    return np.concatenate([numbers, found.per_class, found.prevalence, found.per_case, found.influence])


def repeats(seed):
    """The same annotators, who sometimes label a case twice."""
    cells = [(i, a, int(label)) for i, row in enumerate(alike(seed)) for a, label in enumerate(row) if label == label]
    cells += [(i, a, (label + 1) % 3) for i, a, label in cells[::9]]
    return labels_of_rows(*zip(*cells), cases=range(3000))


PAIRS = [name for name in COEFFICIENTS if name.startswith(("cohen", "scott"))]
GIVEN = {
    "table": ugt.Labels.from_wide(alike(0)),
    "repeats": repeats(0),
    "counts": ugt.Labels.from_counts(np.random.default_rng(0).integers(0, 3, (3000, 3))),
}


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind in GIVEN for name in COEFFICIENTS if kind != "counts" or name not in PAIRS]
)
def test_cases_that_are_alike_count_as_often_as_there_are(monkeypatch, kind, name):
    merged = everything(COEFFICIENTS[name](GIVEN[kind]))
    monkeypatch.setattr(table, "FEW", 1 << 60)
    np.testing.assert_allclose(merged, everything(COEFFICIENTS[name](GIVEN[kind])), rtol=1e-11, atol=1e-13)


def test_tables_of_coefficients_of_cases_that_are_alike(monkeypatch):
    ratings = np.random.default_rng(0).integers(0, 3, (3000, 3)) + 0.5
    for given in (ugt.Labels.from_wide(alike(1)[:, :2]), ratings):
        merged = ugt.agreement_table(given).rows(n_resamples=20)
        with monkeypatch.context() as context:
            context.setattr(table, "FEW", 1 << 60)
            for one, other in zip(merged, ugt.agreement_table(given).rows(n_resamples=20)):
                assert list(one) == list(other)
                for x, y in zip(one.values(), other.values()):
                    assert x == (pytest.approx(y, rel=1e-10, abs=1e-13) if isinstance(y, float) else y)


def test_rows_are_merged_only_where_few_differ(monkeypatch):
    seen = []
    found = table.Judgements
    monkeypatch.setattr(table, "Judgements", lambda given, rows, *rest: seen.append(len(rows[0]) - 1) or found(given, rows, *rest))
    ugt.fleiss_kappa(ugt.Labels.from_wide(alike(0)))
    ugt.cohen_kappa(ugt.Labels.from_wide(alike(0)), annotators=[0, 1])
    ugt.fleiss_kappa(ugt.Labels.from_wide(alike(0)[:1000]))
    ugt.fleiss_kappa(ugt.Labels.from_wide(np.random.default_rng(0).integers(0, 50, (3000, 3))))
    assert max(seen[:-2]) <= 4**3 and seen[-2:] == [1000, 3000]
