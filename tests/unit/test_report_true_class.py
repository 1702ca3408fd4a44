"""What the report says of a true class: statements with their conditions, areas of a rare class, errors shared with annotators."""

import functools
import re

import numpy as np
import pytest
from twins import details
from twins.page import Page, parsed, rows_of, words_of

import ugt
from ugt.report import html
from ugt.report.cautions import every
from ugt.report.digest import Digest
from ugt.report.first import render as first_page
from ugt.report.markup import words as html_words
from ugt.report.sections import scores, true_accuracy
from ugt.tables import latent_class
from ugt.tables.names import ANY_DIFFICULTY, LATENT_CLASS
from ugt.tables.source import ReportSource


def latent(n=800, accuracies=(0.95, 0.8), n_annotators=5, seed=1):
    """Labels of annotators who err independently in 15% of the cases, and models that do, too."""
    rng = np.random.default_rng(seed)
    true = rng.integers(0, 2, n)
    said = np.where(rng.random((n, n_annotators)) < 0.85, true[:, None], 1 - true[:, None])
    models = {name: np.eye(2)[np.where(rng.random(n) < share, true, 1 - true)] for name, share in zip("AB", accuracies)}
    return ugt.Labels.from_wide(said, classes=["no", "yes"]), models


@functools.cache
def page(**options):
    known, models = latent()
    return ugt.evaluate(known, models, k=1, n_resamples=50, **options).to_dict()


def words(data):
    return words_of(parsed(true_accuracy.render(ReportSource.read(data)).html))


def outwards(low, high):
    return f"{int(np.floor(100 * low))}% and {int(np.ceil(100 * high - 1e-9))}%"


def test_each_statement_has_its_condition_and_its_interval():
    known, models = latent()
    found = {one: ugt.metrics.accuracy_bounds(known, models["A"], assume=one) for one in ("any difficulty", "latent class")}
    said = words(page())
    whatever, alike = found.values()
    assert (
        "Whatever the difficulty of the cases, if annotators label them independently of each other, the accuracy of A against the class "
        "that most annotators like these would give is between "
        f"{outwards(whatever.low, whatever.high)} (95% interval)."
    ) in said
    assert (
        "If all cases are equally hard and these annotators err independently, the accuracy of A against the class behind their labels is "
        f"between {outwards(alike.low, alike.high)} (95% interval). It holds if all cases are equally hard; its fit is not refuted, but "
        "mild differences would not show."
    ) in said
    assert f"If A, too, errs independently of the annotators, its accuracy is {100 * alike.independent:.1f}%" in said
    assert f"With a reference, {whatever.reference_cases(0.05)} cases drawn at random would give the accuracy of A to within 5" in said
    heading = f"A gives the class that most annotators like these would give in {outwards(whatever.low, whatever.high)} of cases"
    assert heading.replace(" and ", " to ") in said
    rows = rows_of(true_accuracy.render(ReportSource.read(page())), "Accuracy against the true class")
    assert rows[1][:3] == ["A", outwards(whatever.low, whatever.high).replace("%", "").replace("and", "to"), rows[1][2]] and len(rows) == 3


def test_no_end_of_the_bounds_is_shown_without_its_interval():
    """The estimates of the two ends are in the file, next to the interval; the upper one is below the truth of most good models."""
    known, models = latent()
    found, said = ugt.metrics.accuracy_bounds(known, models["A"], assume="latent class"), words(page())
    assert f"{100 * found.lower:.1f}" not in said and f"{100 * found.upper:.1f}" not in said


def test_errors_of_all_annotators_and_the_claim_that_they_upset():
    known, models = latent()
    found = ugt.metrics.accuracy_bounds(known, models["A"], assume="any difficulty")
    said = words(page(shared_error=0.05, claim=0.7))
    assert (
        f"If annotators as a group are wrong in at most 5% of cases, the accuracy against the true class is between "
        f"{outwards(found.low - 0.05, min(1, found.high + 0.05))}. The claim “above 70%” is no longer shown if they are wrong in "
        f"{100 * found.tipping_error(0.7):.3g}% of cases or more."
    ) in said
    said = words(page())
    assert "subtract this share from the lower end and add it to the upper one. The claim “above" in said
    assert "reaches, is no longer shown if they are wrong in" in said
    assert "The claim “above 99%” is not shown even without such errors." in words(page(claim=0.99))


@pytest.mark.parametrize("aggregation", ["auto", "dawid-skene"])
def test_a_refuted_statement_has_its_reason_and_no_number(aggregation):
    data = page(aggregation=aggregation)
    row = next(e for e in data["true_accuracy"] if e["assume"] == "dirichlet")
    assert row["use"] == "refused" and f"Not given, the Dirichlet posterior with the fitted prior: {row['reason']}" in words(data)
    assert "Under Dirichlet posteriors" not in words(data)


def test_labels_without_annotators_have_one_statement_and_none_if_there_is_none():
    known, models = latent()
    data = ugt.evaluate(ugt.Labels.from_counts(known.counts()), models, k=1, n_resamples=20).to_dict()
    assert "Not given, all cases equally hard: The labels do not say which annotator gave them." in words(data)
    rows = [{**e, **dict.fromkeys(("low", "high"), None), "use": "refused"} for e in data["true_accuracy"]]
    assert words({**data, "true_accuracy": rows}).count("Not given") == 3
    assert "These labels do not say how often A gives the true class" in words({**data, "true_accuracy": rows})
    assert true_accuracy.render(ReportSource.read({**data, "true_accuracy": []})) is None


def test_one_accuracy_of_each_annotator_is_part_of_the_condition():
    """With few cases per parameter errors that depend on the class would make the interval too short."""
    known, models = latent(60)
    condition = "If all cases are equally hard and each annotator errs independently and equally often in all classes, the accuracy"
    found = ugt.metrics.accuracy_bounds(known, models["A"], assume="latent class")
    assert found.form == "one accuracy" and found.sentence().startswith(condition)
    data = ugt.evaluate(known, models, k=1, n_resamples=20).to_dict()
    assert f"{condition} of A against" in words(data)


def test_clusters_are_those_of_the_evaluation():
    known, models = latent(200)
    clusters = np.arange(200) // 2
    data = ugt.evaluate(known, models, k=1, n_resamples=20, clusters=clusters).to_dict()
    for assume in (ANY_DIFFICULTY, LATENT_CLASS):
        own = ugt.metrics.accuracy_bounds(known, models["A"], assume=assume, clusters=clusters)
        alone = ugt.metrics.accuracy_bounds(known, models["A"], assume=assume)
        (row,) = (e for e in data["true_accuracy"] if (e["model"], e["assume"]) == ("A", assume))
        assert (row["low"], row["high"]) == (own.low, own.high) and row["low"] != alone.low


# ---- a rare class


@functools.cache
def rare(prevalence=0.02, n=1000, seed=0):
    """Half of six annotators per case, who find 80% of the positive cases and call 2% of the others positive; a model of .90."""
    rng = np.random.default_rng(seed)
    true = rng.random(n) < prevalence
    said = (rng.random((n, 6)) < np.where(true[:, None], 0.8, 0.02)).astype(int)
    said[rng.random((n, 6)).argsort(axis=1) >= 3] = -1
    score = rng.normal(size=n) + 1.81 * true
    known = ugt.Labels.from_wide(said, classes=["neg", "pos"], missing=-1)
    p = 1 / (1 + np.exp(-1.5 * (score - 2.2)))
    return known, {"net": np.stack([1 - p, p], axis=1)}


def test_page_one_has_three_areas_of_a_rare_class_with_what_each_is():
    known, models = rare()
    data = ugt.evaluate(known, models, reliability=1, n_resamples=50).to_dict()
    source, found = ReportSource.read(data), ugt.metrics.latent_accuracy(known, models["net"])
    (row,) = data["latent_class"]
    assert (row["auroc"], row["auroc_low"], row["auroc_high"]) == pytest.approx((found.auroc, *found.interval(of="auroc")))
    assert row["share"] == pytest.approx(known.counts()[:, 1].sum() / known.n_labels) and row["determined"]
    lines = {line[0]: line[2:] for line in rows_of(first_page(source)[0], "net against the annotators")}
    soft, hard, own = (
        next(cells for name, cells in lines.items() if name.startswith(what)) for what in ("Area under", "Area, hard", "Area, lat")
    )
    of = {e["metric"]: e for e in data["metrics"] if e["reliability"] == 1}
    assert soft[0] == f"{100 * of['soft_auroc']['value']:.0f}" and hard[0] == f"{100 * of['hard_auroc']['value']:.0f}"
    assert own[:2] == [f"{100 * found.auroc:.0f}", " to ".join(f"{100 * end:.0f}" for end in found.interval(of="auroc"))]
    names = " ".join(lines)
    assert (
        "soft: each case is “pos” in part" in names
        and "cases voted “pos”" in names
        and "if score and annotators err independently" in names
    )
    assert "expected cases" not in names and "voted so" in names
    (said,) = (one for one in every(Digest(source)) if one.claim == "Three areas of a rare class")
    assert said.serious and "of the labels are" in said.sentence and "err independently" in said.sentence
    assert "its area, and the share of “pos” that a model finds, can be too low" in html_words(said.sentence)
    assert "against the latent class, if score and annotators err independently" in words_of(parsed(scores.render(source).html))


def test_an_area_that_is_not_determined_is_not_shown_and_a_common_class_has_the_soft_one():
    known, models = rare()
    data = ugt.evaluate(known, models, reliability=1, n_resamples=20).to_dict()
    data["latent_class"][0]["determined"] = False
    said = words_of(parsed(first_page(ReportSource.read(data))[0].html))
    assert "not determined by these labels" in said
    claims = [one.claim for one in every(Digest(ReportSource.read(data)))]
    assert "Two areas of a rare class" in claims and "Three areas of a rare class" not in claims
    known, models = latent(200, (0.9,))
    source = ReportSource.read(ugt.evaluate(known, models, reliability=1, n_resamples=20).to_dict())
    said = words_of(parsed(first_page(source)[0].html))
    assert "Area, hard" not in said and "Average precision" in said and "expected cases" not in said


# ---- errors shared with the annotators


def shared(seed, planted, n=1000):
    """Five annotators whose errors go with a difficulty; A (.86) errs with them if planted, B (.90) never does."""
    from scipy.special import ndtr, ndtri

    rng = np.random.default_rng(seed)
    true, hard = rng.random(n) < 0.4, rng.normal(size=n)

    def test(right, loading):
        probit = ndtri(right) * np.sqrt(1 + loading**2)
        return (rng.random(n) < ndtr(np.where(true, probit, -probit) + loading * hard)).astype(int)

    said = np.stack([test(0.85, 1.0) for _ in range(5)], axis=1)
    a, b = test(0.86, 1.0 * planted), test(0.9, 0.0)
    return ugt.Labels.from_wide(said, classes=["no", "yes"]), {"A": np.eye(2)[a], "B": np.eye(2)[b]}


def rows_of_pair(seed, planted):
    rows, _ = details.made(latent_class, *shared(seed, planted), reliability=1)
    return [
        latent_class.LatentClassRow(**{**{k: v for k, v in row.items() if k != "class"}, "class_": row["class"]})
        for row in rows["latent_class"]
    ]


def test_a_model_that_errs_with_the_annotators_is_seen_and_one_that_does_not_is_not():
    """Of 24 simulated pairs some, because the loadings of few annotators are uncertain; of 24 in which neither errs with them none."""
    planted = [rows_of_pair(seed, True) for seed in range(24)]
    assert sum(a.shares_errors and b.errs_apart for a, b in planted) >= 3
    assert not any(b.shares_errors and a.errs_apart for a, b in planted)
    pairs = [rows_of_pair(seed, False) for seed in range(24)]
    assert not any((a.shares_errors and b.errs_apart) or (b.shares_errors and a.errs_apart) for a, b in pairs)


def test_the_caution_names_the_model_that_errs_with_the_annotators():
    seed = next(seed for seed in range(24) for a, b in [rows_of_pair(seed, True)] if a.shares_errors and b.errs_apart)
    data = ugt.evaluate(*shared(seed, True), reliability=1, n_resamples=20, random=("cases",)).to_dict()
    (said,) = (one for one in every(Digest(ReportSource.read(data))) if "shares the annotators" in one.claim)
    assert said.serious and html_words(f"{said.claim}: {said.sentence}") == (
        "A shares the annotators’ errors: Given the class behind the labels, its errors go with those of the annotators; those of B do "
        "less, so that agreement favours A. Agreement with them does not show how often it is right."
    )
    alone = {**data, "latent_class": [{**e, "p_own": 0.5, "loading": 0.0} for e in data["latent_class"]]}
    alone["true_accuracy"] = [{**e, "shares_errors": False} for e in data["true_accuracy"]]
    assert not any("shares the annotators" in one.claim for one in every(Digest(ReportSource.read(alone))))


def caution(data, claim="Agreement, not correctness"):
    (said,) = (one for one in every(Digest(ReportSource.read(data))) if one.claim == claim)
    return said.sentence


def test_beside_a_lead_stands_from_which_share_of_shared_errors_on_they_can_make_it():
    said = "A model that makes the annotators’ errors gains by it and can be ahead of a better one"
    data = page()
    (row,) = (e for e in data["verdict"] if e["metric"] == "topk_accuracy")
    assert row["claim"] != "nobody" and row["low"] > 0
    assert f"{said} (errors that annotators share in {50 * row['low']:.2g}% of cases can be all of this lead);" in caution(data)
    nobody = {**data, "verdict": [{**e, "claim": "nobody"} for e in data["verdict"]]}
    assert f"{said};" in caution(nobody)


def test_page_one_has_the_interval_against_a_true_class_and_a_link_to_its_section():
    data = page()
    e = next(e for e in data["true_accuracy"] if (e["model"], e["assume"]) == ("A", ANY_DIFFICULTY))
    much = outwards(e["low"], e["high"]).replace("and", "to")
    said = html_words(caution(data))
    assert f"If annotators label independently, A gives the class that most like these would give in {much} of cases (" in said
    assert 'href="#true-class"' in caution(data) and 'id="true-class"' in html(data)
    without = changed(data, ANY_DIFFICULTY, use="refused", reason="No.")
    assert much not in html_words(caution(without)) and 'href="#true-class"' in caution(without)
    assert "true class" not in caution({**data, "true_accuracy": []})


def changed(data, assume, **columns):
    return {**data, "true_accuracy": [{**e, **(columns if e["assume"] == assume else {})} for e in data["true_accuracy"]]}


def test_what_the_labels_do_not_determine_has_no_number_and_gives_no_heading():
    data = changed(page(), ANY_DIFFICULTY, use="refused", reason="No.")
    assert "If all cases are equally hard, A gives the class behind the labels in" in words(data)
    said = words(changed(data, LATENT_CLASS, determined=False))
    assert "These labels do not say how often A gives the true class" in said and "errs independently of the annotators" not in said
    assert "Not given, all cases equally hard: These labels do not determine how often the annotators err." in said
    shared = changed(page(), LATENT_CLASS, determined=False, shares_errors=True)
    assert not any("shares the annotators" in one.claim for one in every(Digest(ReportSource.read(shared))))
    assert not re.search(r"\d+% to \d+%", said)


def test_shares_of_an_accuracy_end_at_0_and_100_per_cent():
    ends = {"independent": 0.97, "independent_low": 0.94, "independent_high": 1.006}
    assert "its accuracy is 97% (84 to 100)" in words(changed(page(), LATENT_CLASS, **{**ends, "independent_low": 0.84}))
    nothing = words(changed(page(), LATENT_CLASS, **{**ends, "independent_low": -9.53, "independent_high": 11.43}))
    assert "errs independently of the annotators" not in nothing and "953" not in nothing
    above = words(changed(page(), LATENT_CLASS, independent=1.03, independent_low=1.01, independent_high=1.05, shares_errors=False))
    assert "shares errors" in above and "its accuracy would be 103" in above


def test_the_table_says_whose_class_its_columns_are_about():
    said = "the true class is the one that such annotators would give"
    assert f"{said};" in words(page()) and f"{said} but in the last column;" in words(page(shared_error=0.05, claim=0.7))


def test_of_a_refuted_truth_no_page_says_what_no_model_can_exceed():
    data = page()
    for p_value, said in ((0.5, True), (0.01, False)):
        found = {**data, "panel_check": [{**e, "p_value": p_value} for e in data["panel_check"]]}
        whole = words_of(parsed(first_page(ReportSource.read(found))[0].html))
        assert ("Ceiling set by the annotations" in whole) == said and ("can exceed" in Page(html(found)).text) == said
        without = {**found, "models": [], "metrics": [], "true_accuracy": [], "latent_class": []}
        assert ("No first choice of a model can agree" in words_of(parsed(first_page(ReportSource.read(without))[0].html))) == said
