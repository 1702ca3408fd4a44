"""The size of the study in evaluations and reports: the numbers of ``plan_annotations``, and what the checklist makes of them."""

import numpy as np
import pytest

import ugt
from ugt.report import html
from ugt.report.sections import checklist
from ugt.tables.source import ReportSource


def study(n=40, **options):
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, n)
    wide = np.where(rng.random((n, 6)) < np.linspace(0.5, 0.9, 6), truth[:, None], rng.integers(0, 3, (n, 6)))
    wide[rng.random((n, 6)).argsort(axis=1) >= 3] = -1
    labels = ugt.Labels.from_wide(wide, classes=3, missing=-1)
    models = {name: rng.dirichlet(np.ones(3), n) + 0.5 * np.eye(3)[truth] for name in options.pop("models", ("A", "B"))}
    return labels, models, ugt.evaluate(labels, models, reliability=1, k=1, n_resamples=20, **options)


def answered(found):
    """Where the size of the sample is answered, and how far."""
    (row,) = (row for row in checklist.rows(ReportSource.read(found.to_dict()), {}) if row.asks == "how the sample size was arrived at")
    return f"{row.where}, {row.status.split(';')[0]}"


def test_widths_of_other_designs():
    labels, models, found = study()
    page = html(found.to_dict())
    for row, (name, scores) in zip(found.tables["study_size"], models.items()):
        plan = ugt.plan_annotations(labels, scores)
        assert (row["model"], row["metric"], row["n_cases"], row["n_annotators"]) == (name, "agreement", 40, 6)
        assert row["value"] == plan.value and row["var_annotators"] == plan.components["annotators"]
        designs = {
            "width": (40, 3, 6),
            "width_twice_cases": (80, 3, 6),
            "width_one_more_label": (40, 4, 6),
            "width_twice_annotators": (40, 3, 12),
        }
        assert {column: row[column] for column in designs} == {column: plan.design(*size).width for column, size in designs.items()}
        assert f"{row['width']:.2g} wide (other cases, other annotators)" in page
    assert answered(found) == "study_size.csv, in this report"


def test_without_models_it_is_of_alpha_and_counts_are_of_these_annotators():
    labels, _, found = study(models=())
    (row,) = found.tables["study_size"]
    plan = ugt.plan_annotations(labels, metric="alpha")
    assert row["metric"] == "alpha" and row["width"] == plan.design(40, 3, 6).width and row["width_one_more_label"] is None
    counts = ugt.Labels.from_counts(labels.counts())
    found = ugt.evaluate(counts, {"A": np.eye(3)[np.arange(40) % 3]}, reliability=1, k=1, n_resamples=20)
    (row,) = found.tables["study_size"]
    assert row["annotators_random"] is False and row["var_annotators"] is None and row["width_twice_annotators"] is None
    assert "these annotators only" in html(found.to_dict())


@pytest.mark.parametrize("options", [{"n": 9}, {"clusters": np.arange(40) // 2}])
def test_what_is_no_pilot_of_a_further_study(options):
    found = study(**options)[2]
    assert list(found.tables["study_size"]) == []
    assert 'id="planning"' not in html(found.to_dict()) and answered(found) == ", " + checklist.FOR_AUTHORS


def test_many_models():
    found = study(models=[f"m{i}" for i in range(12)])[2]
    assert len(found.tables["study_size"]) == 10 and "8 more models are not shown; study_size.csv has up to 10" in html(found.to_dict())
