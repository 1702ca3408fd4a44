"""What holds for every section of the report with tables of its own: whole, harmless, and with a reason where there is nothing."""

import re

import numpy as np
import pytest
from twins import details
from twins.page import checked, drawings, parsed, texts, words_of

import ugt
from ugt.report import svg
from ugt.report.sections import (
    calibration,
    confusion,
    coverage,
    curves,
    design,
    dispersion,
    sensitivity,
    strata,
    true_accuracy,
    truth_models,
)

HOSTILE = '<script>"x"&'
MAKERS = (design, true_accuracy, truth_models, strata, confusion, calibration, curves, dispersion, coverage, sensitivity)
# Sections, and how many figures they have of two models and two classes.
SECTIONS = {design: 2, true_accuracy: 1, truth_models: 1, strata: 4, confusion: 2, curves: 2, dispersion: 2, coverage: 2, sensitivity: 1}
every = pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.__name__)


def source(models, name=""):
    """Labels with gaps of two classes, three annotators, subgroups and clusters, all of whose names begin with that."""
    rng = np.random.default_rng(0)
    truth = rng.dirichlet(np.ones(2), 60)
    label = [[f"{name}{'bm'[i]}" if rng.random() < 0.8 else None for i in rng.choice(2, 3, p=p)] for p in truth]
    known = ugt.Labels.from_wide(label, annotators=[f"{name}{a}" for a in "xyz"], classes=[f"{name}b", f"{name}m"])
    scores = {f"{name}{model}": scores for model, scores in zip(models, details.models(truth, 2, rng, len(models)).values())}
    return details.source(
        MAKERS, known, scores, subgroups={f"{name}site": np.resize(["x", f"{name}y", ""], 60)}, clusters=np.arange(60) // 2
    )


@pytest.fixture(scope="module")
def plain():
    return source(["A", "B"])


@pytest.fixture(scope="module")
def hostile():
    return source(["A", "B"], HOSTILE)


@pytest.fixture(scope="module")
def many():
    return source([f"M{i}" for i in range(9)])


@every
def test_sections_are_whole_and_harmless(section, plain, hostile):
    html = checked(section.render(plain))
    assert "<table" in html and len(drawings(html)) == SECTIONS[section]
    html = checked(section.render(hostile))
    assert "&lt;script&gt;" in html and len(drawings(html)) == SECTIONS[section]


@every
def test_empty_and_old_tables_say_why(section, plain):
    for tables in ({}, dict.fromkeys(plain, ()), {"strata": [], "case_sizes": (), "confusion": []}):
        html = checked(section.render({**tables, "provenance": {"level": 0.9}}))
        said = [words_of(p) for p in parsed(html).iter("p") if p.get("class") is None]
        assert said and "<table" not in html and "<svg" not in html
        assert section not in (design, truth_models, strata, confusion) or (len(said) == 1 and "it needs" in said[0])


@pytest.mark.slow
@pytest.mark.parametrize("section", [curves, dispersion, coverage, sensitivity], ids=lambda section: section.__name__)
def test_many_models_are_drawn_as_far_as_they_can_be_told_apart(section, many):
    html = checked(section.render(many))
    for root in drawings(html):
        assert [text for text in texts(root) if re.fullmatch(r"M\d", text)] == [f"M{i}" for i in range(svg.N_STYLES)]
    assert "M8" in html  # in the table
