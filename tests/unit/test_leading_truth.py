"""The truth that leads an evaluation if none was asked for, and what the report says of it."""

import numpy as np
import pytest

import ugt
from ugt._base.notes import of_codes
from ugt.cli import output
from ugt.report import first, html
from ugt.report.cautions import cautions, every
from ugt.report.digest import Digest
from ugt.report.markup import words
from ugt.report.sections import dependence, leads, methods
from ugt.report.truths import unlike
from ugt.tables.source import ReportSource
from ugt.truth.leading import REFUTED


def of_skills(n, k, n_labels, seed=0, *, n_annotators=8, low=0.6, high=0.95):
    """Labels of annotators of unequal skill, some of whom label each case; (N, annotators) with -1 for none."""
    rng = np.random.default_rng(seed)
    truth, skill = rng.integers(0, k, (n, 1)), rng.uniform(low, high, n_annotators)
    said = np.where(rng.random((n, n_annotators)) < skill, truth, (truth + rng.integers(1, k, (n, n_annotators))) % k)
    return np.where(np.argsort(np.argsort(rng.random(said.shape), 1), 1) < n_labels, said, -1)


def of_camps(n, k, n_labels, seed=0, n_annotators=10):
    """Labels of two camps, who see other classes in half of the cases: no truth model of the check describes them."""
    rng = np.random.default_rng(seed)
    one = rng.integers(0, k, (n, 1))
    other = np.where(rng.random((n, 1)) < 0.5, one, rng.integers(0, k, (n, 1)))
    seen = np.where(np.arange(n_annotators) < n_annotators // 2, one, other)
    said = np.where(rng.random((n, n_annotators)) < 0.9, seen, rng.integers(0, k, (n, n_annotators)))
    return np.where(np.argsort(np.argsort(rng.random(said.shape), 1), 1) < n_labels, said, -1)


def labels_of(said):
    case, annotator = np.nonzero(said >= 0)
    return ugt.Labels.from_long(case, annotator, said[case, annotator])


def scores_of(said, k, noise=3.0, seed=1):
    counts = np.stack([(said == one).sum(1) for one in range(k)], 1) + noise * np.random.default_rng(seed).random((len(said), k))
    return counts / counts.sum(1, keepdims=True)


def evaluated(said, k, **options):
    models = {"A": scores_of(said, k), "B": scores_of(said, k, 6.0)}
    return ugt.evaluate(labels_of(said), models, **{"k": 1, "n_resamples": 50, **options})


@pytest.fixture(scope="module")
def two():
    return of_skills(400, 2, 3)


@pytest.fixture(scope="module")
def fits(two):
    return evaluated(two, 2)


@pytest.fixture(scope="module")
def none():
    for seed in range(6):  # the first data set of camps that refutes every truth model
        found = evaluated(of_camps(1500, 3, 8, seed), 3)
        if found.provenance["truth_chosen"] == "none":
            return found
    raise AssertionError("no truth model was refuted")


def page_one(evaluation):
    source = ReportSource.read(evaluation.to_dict())
    answer, aside = first.render(source)
    return source, words(answer.html), words(aside)


def accuracy(evaluation, model="A", reliability=1.0):
    return next(
        row["value"]
        for row in evaluation.metrics
        if (row["model"], row["metric"], row["k"], row["reliability"]) == (model, "topk_accuracy", 1, reliability)
    )


def test_the_fitted_prior_leads_where_the_default_is_refuted(two, fits):
    prior = ugt.truth.fit_dirichlet_prior(labels_of(two))
    assert fits.provenance["truth_chosen"] == "fits" and fits.provenance["parameters"]["prior"] == pytest.approx(prior.value)
    default, main = fits.tables["truth_checks"]
    assert (default["role"], default["prior"], main["role"], main["prior"]) == ("default", "0.1", "main", "fit")
    check = ugt.truth.split_panel_check(labels_of(two), prior=0.1, per_annotator=False)
    assert default["p_value"] == check.p_value < REFUTED <= main["p_value"]
    asked = evaluated(two, 2, prior="fit")
    assert asked.provenance["truth_chosen"] is None and accuracy(asked) == accuracy(fits)


def test_page_one_gives_both_numbers_and_says_that_its_interval_leaves_the_choice_out(two, fits):
    explicit = evaluated(two, 2, prior=0.1, details=False)
    rows = {row["model"]: row["value"] for row in fits.tables["default_truth"] if row["metric"] == "topk_accuracy"}
    assert rows["A"] == pytest.approx(accuracy(explicit), abs=1e-12)
    areas = {row["model"]: row["value"] for row in fits.tables["default_truth"] if row["metric"] == "soft_auroc"}
    of_default = {row["model"]: row["value"] for row in explicit.metrics if (row["metric"], row["reliability"]) == ("soft_auroc", 1.0)}
    assert areas == pytest.approx(of_default, abs=1e-12)
    source, _, aside = page_one(fits)
    digits = Digest(source).digits
    assert f"A has {digits.percent(accuracy(fits))} (by default {digits.percent(rows['A'])})" in aside
    assert "The default truth is refuted" in aside and "Intervals leave this choice out" in aside


def test_the_switch_is_said_in_the_notes_on_the_terminal_and_in_the_text_for_a_paper(two, fits):
    default, main = fits.tables["truth_checks"]
    (note,) = of_codes(fits.notes, "default_truth_refuted")
    shown = [f"{100 * x:.1f}%" for x in (default["observed"], default["predicted"], main["predicted"])]
    assert note.text == (
        f"Held-out annotators agree with the vote of the others in {shown[0]} of cases. The default, the prior of 0.1, predicts {shown[1]} "
        f"and is refuted; the fitted prior predicts {shown[2]} and leads."
    )
    data = fits.to_dict()
    source = ReportSource.read(data)
    assert note.to_dict() in data["notes"] and note.text in page_one(fits)[2]
    lines = output.model_lines(source)
    assert lines[0].startswith("Results under the fitted prior at reliability 1 (") and lines.count(note.text) == 1
    paper = words(methods.render(source).html)
    prior = ugt.truth.fit_dirichlet_prior(labels_of(two)).value
    assert f"a prior ({prior:.3g} for each class" in paper and "that was fitted to the same labels [2]" in paper
    assert (
        "The fitted prior (p = " in paper
        and "was chosen on the same data, after held-out annotators had refuted 1 truth model: the " in paper
    )
    assert "Minka TP. Estimating a Dirichlet distribution" in paper
    asked = evaluated(two, 2, prior=0.1, n_resamples=5)
    assert not of_codes(asked.notes, "default_truth_refuted", "no_truth_fits")
    assert output.model_lines(ReportSource.read(asked.to_dict()))[0].startswith("Results at reliability 1")


def test_the_text_for_a_paper_has_the_interval_for_other_annotators_that_is_to_be_quoted(fits):
    source = ReportSource.read(fits.to_dict())
    digest = Digest(source)
    e = digest.row(digest.models[0], digest.main)
    said = words(first.plain_verdict(source))
    assert f"too, the intervals are {words(digest.digits.ends(e.two_way_low, e.two_way_high))}% ({digest.models[0]}) and " in said


def test_heading_and_table_of_leads_count_the_same_truths(fits):
    found = leads.render(ReportSource.read(fits.to_dict()))
    of_truths = words(found.html).split("Each measure")[0]
    assert of_truths.count("not counted") == 4 == of_truths.count(", refuted") and "under every truth that is not refuted" in of_truths
    kept = [row for row in fits.tables["differences"] if row["metric"] == "topk_accuracy" and row["reliability"] in (1.0, None)]
    assert all(row["joint_low"] > 0 or row["joint_high"] < 0 for row in kept)


def with_checks(evaluation, p_values):
    """An evaluation whose annotators, held out one by one, have these adjusted p-values and agree less often than predicted."""
    data = evaluation.to_dict()
    rows = [e for e in data["panel_check"] if e["annotator"] is not None]
    for e, p_value in zip(rows, p_values):
        e.update(adjusted_p_value=p_value, observed=e["predicted"] - 0.1)
    for e in rows[len(p_values) :]:
        e["adjusted_p_value"] = 1.0
    return Digest(ReportSource.read(data)), [e["annotator"] for e in rows]


def test_annotators_who_are_unlike_the_others_are_named(fits):
    digest, who = with_checks(fits, [0.03, 0.01])
    (said,) = [one for one in every(digest) if one.claim == "Annotators are not all alike"]
    assert f"less often than it predicts (adjusted p &lt; 0.05): {who[1]} and {who[0]}." in words(said.sentence).replace("<b>", "").replace(
        "</b>", ""
    )
    digest, who = with_checks(fits, [0.01, 0.02, 0.03, 0.04, 0.045])
    assert f"{who[2]}; and 2 more." in words(unlike(digest))
    assert unlike(with_checks(fits, [0.05])[0]) == ""


def test_an_explicit_number_is_used_as_given_with_a_caution_that_names_the_cure(two):
    found = evaluated(two, 2, prior=0.1)
    assert found.provenance["parameters"]["prior"] == 0.1 and len(found.tables["default_truth"]) == 0
    aside = page_one(found)[2]
    assert "The truth model does not fit" in aside and "The fitted prior describes them: prior='fit'." in aside
    for given in ({"reliability": [0.5, 1, 2]}, {"aggregation": "dirichlet"}, {"plan": {"primary_metric": "accuracy"}}):
        assert evaluated(two, 2, n_resamples=5, **given).provenance["parameters"]["prior"] == 0.1


def test_without_details_nothing_is_checked_and_the_default_is_used(two):
    found = evaluated(two, 2, details=False)
    assert found.provenance["truth_chosen"] is None and found.provenance["parameters"]["prior"] == 0.1


def test_a_default_that_is_not_refuted_leads():
    rng = np.random.default_rng(1)
    said = np.stack([rng.choice(3, 4, p=p) for p in rng.dirichlet([0.1] * 3, 300)])
    found = evaluated(said, 3)
    assert found.provenance["truth_chosen"] == "default" and found.provenance["parameters"]["prior"] == 0.1
    assert [row["role"] for row in found.tables["truth_checks"]] == ["main"] and "refuted" not in page_one(found)[2]


def test_another_truth_model_of_the_check_leads_where_no_prior_fits():
    found = evaluated(of_skills(800, 10, 4), 10)
    assert found.provenance["truth_chosen"] == "fits" and found.provenance["aggregation"] == "dawid-skene"
    assert "Dawid–Skene" in page_one(found)[2]
    (row,) = [row for row in found.tables["panel_check"] if row["annotator"] is None]
    assert row["reliability"] is None and row["p_value"] >= REFUTED


def test_if_nothing_fits_the_vote_and_one_more_annotator_lead(none):
    source, answer, aside = page_one(none)
    digest = Digest(source)
    assert source.unfit and all(row["p_value"] < REFUTED for row in none.tables["truth_checks"])
    voted, people = digest.voted("A"), digest.annotators["A"]
    shown = first.plain_verdict(source)
    assert "No truth model describes these annotators: A agrees with the voted label in " in words(shown)
    assert digest.digits.percent(voted.value) in shown and digest.digits.percent(people.value) in shown
    main = digest.row("A", digest.main)
    assert digest.digits.percent(main.value) not in words(shown) + answer + aside  # nothing else is quoted
    lines = output.model_lines(source)
    (note,) = of_codes(none.notes, "no_truth_fits")
    assert lines[0] == "Results against the voted label:" and note.text in lines and note.text in aside
    assert f"refuted all {len(none.tables['truth_checks'])} truth models that could be tried" in words(methods.render(source).html)
    assert "<figure" not in answer and "No truth model describes these annotators" in aside
    assert len(html(none.to_dict())) > 1000


def test_sensitivity_leaves_out_refuted_settings_and_has_the_areas(fits):
    rows = fits.tables["sensitivity"]
    found = {(row["kind"], row["setting"]) for row in rows}
    assert {
        ("prior", "fitted per class"),
        ("reliability and prior in proportion", "0.5"),
        ("reliability and prior in proportion", "2"),
    } <= found
    refuted = {row["reliability"] for row in fits.tables["panel_check"] if row["annotator"] is None and row["p_value"] < REFUTED}
    assert refuted == {0.2, 0.5, 2.0, 5.0} and not found & {("reliability", "0.5"), ("reliability", "2"), ("prior", "0.1")}
    assert {row["metric"] for row in rows} == {"topk_accuracy", "soft_auroc", "soft_average_precision"}
    source, _, aside = page_one(fits)
    assert Digest(source).unrefuted == [1.0] and "With this prior held-out annotators refute reliabilities 0.2, 0.5, 2 and 5." in aside


def test_the_model_as_an_annotator_is_neither_in_the_headline_nor_in_the_list(fits):
    rows = [row for row in fits.tables["sensitivity"] if row["kind"] == "model as an annotator"]
    assert max(abs(row["change"]) for row in rows) > 0  # the file has it
    section = dependence.render(ReportSource.read(fits.to_dict()))
    assert section is not None and "model as an annotator" not in section.html


def test_uncertainty_is_not_quoted_where_the_truth_is_refuted(two, none):
    for found in (evaluated(two, 2, prior=0.1), none):
        assert "would stay open with any number" not in html(found.to_dict())


def test_rankings_and_cautions_of_every_kind():
    found = evaluated(of_skills(60, 3, 3), 3)
    assert found.provenance["truth_chosen"] in ("default", "fits", "none") and cautions(Digest(ReportSource.read(found.to_dict())))
    assert evaluated(np.tile([[0], [1]], (6, 1)), 2).provenance["truth_chosen"] is None
