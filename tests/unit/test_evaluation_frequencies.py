"""Evaluations of rows that stand for several equal cases: every table is that of the rows repeated, or is left out with its reason."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from refusals import refused

import ugt
from ugt import cli
from ugt.annotations.adjudication import adjudicated
from ugt.metrics import any_difficulty
from ugt.report.cautions import cautions
from ugt.report.digest import Digest
from ugt.report.page import html
from ugt.report.sections import worklist
from ugt.tables.makers import MAKERS, ONE_ROW_EACH
from ugt.tables.source import ReportSource
from ugt.truth.held_out import divided
from ugt.truth.panel_check import Halves

pytestmark = pytest.mark.filterwarnings("ignore")
N = 60
# Columns that tell the rows of a table apart.
KEYS = (
    "model", "other", "reliability", "metric", "k", "measure", "loss", "class", "bin_low", "stratum", "level", "truth", "predicted", "kind",
    "setting", "x", "curve", "coefficient", "source", "name", "reference", "answer", "n_annotations", "annotator", "group", "aggregation",
    "prior", "assume",
)  # fmt: skip
# Numbers from resamples, which are others for rows and for repeated rows: columns by table.
RESAMPLED = {
    "curves": ("low", "high"),
    "curve_scores": tuple(f"soft_{name}_{end}" for name in ("auroc", "average_precision") for end in ("low", "high")),
    "subgroup_differences": ("joint_low", "joint_high"),  # of which the claim follows
    "sources_of_spread": ("std",),
}
DRAWN = ("panel_check", "truth_checks", "true_accuracy")  # which annotators are held out is drawn
LEFT_OUT = {name for maker in ONE_ROW_EACH for name in maker.TABLES}


def problem(n_classes, n=N, seed=0):
    """Counts, two models, a subgroup and the frequencies of rows, of which some are 0 and one has no labels."""
    rng = np.random.default_rng(seed)
    counts = np.array([rng.multinomial(5, law) for law in rng.dirichlet(np.full(n_classes, 0.6), n)])
    counts[3] = 0
    blind, good = rng.dirichlet(np.ones(n_classes), n), rng.dirichlet(np.ones(n_classes), n) * counts.clip(0.3)
    site = np.array(["a", "b", "c"])[rng.integers(0, 3, n)]
    frequency = rng.integers(0, 9, n)
    frequency[3] = 7
    return counts, {"blind": blind, "good": good / good.sum(axis=1, keepdims=True)}, site, frequency


def both(n_classes, n=N, ordered=False, **options):
    """The evaluation of rows, and that of the rows repeated."""
    counts, models, site, frequency = problem(n_classes, n)
    names = [f"c{k}" for k in range(n_classes)]
    options = {"prior": 0.1, "n_resamples": 400, **({"positive_class": "c1"} if n_classes == 2 else {}), **options}

    def of(rows, **more):
        labels = ugt.Labels.from_counts(counts[rows], classes=names, **({"ordered": names} if ordered else {}))
        return ugt.evaluate(labels, {name: one[rows] for name, one in models.items()}, subgroups={"site": site[rows]}, **options, **more)

    return of(np.arange(n), frequency=frequency), of(np.repeat(np.arange(n), frequency))


def keyed(table):
    names = [name for name in KEYS if name in table.columns]
    found = {tuple(row[name] for name in names): row for row in table}
    assert len(found) == len(table), names
    return found


def same_table(name, found, expected):
    found, expected = keyed(found), keyed(expected)
    expected = {key: row for key, row in expected.items() if "labels" not in key and not any("disagreement" in str(one) for one in key)}
    if name == "sensitivity":  # settings that the drawn annotators refute are not shown
        assert len(found.keys() & expected.keys()) > 0.5 * len(expected)
        expected = {key: row for key, row in expected.items() if key in found}
    else:
        assert found.keys() == expected.keys(), name
    apart = {column: [] for column in RESAMPLED.get(name, ())}
    for key, row in expected.items():
        for column, value in row.items():
            own = found[key][column]
            if column == "claim":
                continue
            if column in apart:
                assert (own is None) == (value is None), (name, key, column)
                apart[column] += [] if own is None else [abs(own - value)]
            elif isinstance(value, float):
                assert own == pytest.approx(value, rel=1e-11, abs=1e-12), (name, key, column)
            else:
                assert own == value, (name, key, column)
    # Ends of 200 or 400 resamples of shares of some 250 cases: their errors are about 0.01 each; without frequencies they are 0.05 apart.
    assert all(np.mean(each) < 0.03 for each in apart.values() if each), name


@pytest.mark.parametrize(
    ("n_classes", "options"),
    [(2, {}), (3, {}), (4, {"groups": [0, 0, 1, 1]}), (3, {"aggregation": "votes"}), (3, {"prior": [0.2, 0.1, 0.4], "ties": "first"})],
    ids=str,
)
def test_every_table_is_that_of_the_rows_repeated(n_classes, options):
    options = {**options, **({"prior": "auto"} if "aggregation" in options else {})}
    found, expected = both(n_classes, **options)
    assert (
        found.left_out == expected.left_out and found.data["n_rows"] == (problem(n_classes)[3] > 0).sum() and "n_rows" not in expected.data
    )
    for fact in ("n_cases", "n_annotations", "annotations_per_case", "n_unused_classes", "n_classes"):
        assert found.data[fact] == expected.data[fact], fact
    assert {name for name in expected.tables if len(expected.tables[name])} > {"metrics", "strata", "confusion", "sensitivity"}
    for name, table in expected.tables.items():
        if name in LEFT_OUT:
            assert len(found.tables[name]) == 0
        elif name not in (*DRAWN, "cases"):
            same_table(name, found.tables[name], table)


def test_the_cases_of_the_worklist_say_how_many_they_are():
    found, expected = both(3)
    rows, n = list(found.cases), found.cases["n_cases"]
    assert sum(n) == len(expected.cases) and min(n) >= 1 and "n_cases" not in expected.cases.columns
    certainty = np.repeat([np.nan if row["mean_certainty"] is None else row["mean_certainty"] for row in rows], n)
    np.testing.assert_allclose(certainty, [np.nan if x is None else x for x in expected.cases["mean_certainty"]], rtol=1e-12)
    kinds = [(row["kind"], row["voted"]) for row, times in zip(rows, n) for _ in range(times)]
    assert sorted(kinds) == sorted(zip(expected.cases["kind"], expected.cases["voted"]))


def test_without_models_and_without_details():
    counts, _, _, frequency = problem(3)
    rows = np.repeat(np.arange(N), frequency)
    for options in ({}, {"details": False}):
        found = ugt.evaluate(ugt.Labels.from_counts(counts), {}, frequency=frequency, prior=0.1, **options)
        expected = ugt.evaluate(ugt.Labels.from_counts(counts[rows]), {}, prior=0.1, **options)
        for name in ("certainty", "agreement", "uncertainty"):
            same_table(name, found.tables[name], expected.tables[name])


def test_a_truth_that_was_made_before_and_frequencies_by_id():
    counts, models, _, frequency = problem(3)
    labels = ugt.Labels.from_counts(counts, case_ids=[f"p{i}" for i in range(N)])
    by_id = {f"p{i}": int(f) for i, f in enumerate(frequency)}
    options = {"k": 1, "details": False}
    for truth in (ugt.dirichlet(labels, prior=0.3), ugt.votes(labels)):
        found, expected = (ugt.evaluate(truth, models, frequency=given, **options) for given in (dict(reversed(by_id.items())), frequency))
        assert list(found.metrics) == list(expected.metrics)
    assert found.metrics[0]["n_cases"] == frequency.sum() - 7


def test_many_cases_have_the_law_of_resamples_of_repeated_rows():
    """With over 400 cases intervals are of resamples: their ends differ by Monte Carlo errors only."""
    counts, models, _, frequency = problem(3)
    rows = np.repeat(np.arange(N), frequency * 20)
    options = {"prior": 0.1, "n_resamples": 2000, "k": 1, "details": False, "reliability": 1}
    found = ugt.evaluate(ugt.Labels.from_counts(counts), models, frequency=frequency * 20, **options)
    expected = ugt.evaluate(ugt.Labels.from_counts(counts[rows]), {name: one[rows] for name, one in models.items()}, **options)
    for own, other in zip(found.metrics, expected.metrics):
        width = other["case_high"] - other["case_low"]
        # the end of a 95% interval of 2,000 resamples has a standard error of 0.05 standard deviations, 0.013 widths: below 1e-9 for both
        assert own["value"] == pytest.approx(other["value"], rel=1e-11)
        assert own["case_low"] == pytest.approx(other["case_low"], abs=0.12 * width)
        assert own["case_high"] == pytest.approx(other["case_high"], abs=0.12 * width)


def test_what_is_left_out_is_said():
    found, _ = both(3, ordered=True)
    notes = {note.code: note for note in found.notes}
    assert str(notes["rows_of_many"]).startswith(f"{found.data['n_rows']} rows stand for {found.data['n_cases']} cases")
    assert "measures of grades" in str(notes["not_for_rows"]) and "prediction sets" in str(notes["not_for_rows"])
    assert {row["metric"] for row in found.metrics} >= {"topk_accuracy", "voted_accuracy"}
    assert not {row["metric"] for row in found.metrics} & {"absolute_error", "voted_absolute_error"}
    assert set(ONE_ROW_EACH) <= set(MAKERS)
    plain = ugt.evaluate(ugt.Labels.from_counts([[2, 1], [0, 3]]), {}, frequency=[3, 2], n_resamples=20)
    assert "truth_not_tried" in [note.code for note in plain.notes]
    said = next(str(note) for note in plain.notes if note.code == "not_for_rows")
    assert said.startswith("1 kind of results was left out") and "precision of larger studies" in said
    quick = ugt.evaluate(ugt.Labels.from_counts([[2, 1], [0, 3]]), {}, frequency=[3, 2], n_resamples=20, details=False)
    assert "not_for_rows" not in [note.code for note in quick.notes]


def test_statements_on_the_true_class_are_those_of_the_rows_repeated():
    counts = np.array([[5, 0], [4, 1], [3, 2], [2, 3], [1, 4], [0, 5], [3, 0], [0, 0], [2, 1]])
    frequency, right = np.array([150, 42, 25, 21, 40, 130, 30, 5, 0]), np.array([0, 0, 0, 1, 1, 1, 0, 0, 1])
    model = {"A": np.eye(2)[right], "B": np.full((9, 2), 0.5)}
    rows = np.repeat(np.arange(9), frequency)
    options = {"positive_class": 1, "n_resamples": 400, "prior": 0.1, "k": 1, "claim": 0.6}
    found = ugt.evaluate(ugt.Labels.from_counts(counts), model, frequency=frequency, **options)
    expected = ugt.evaluate(ugt.Labels.from_counts(counts[rows]), {name: one[rows] for name, one in model.items()}, **options)
    ours, theirs = keyed(found.tables["true_accuracy"]), keyed(expected.tables["true_accuracy"])
    assert ours.keys() == theirs.keys()
    shown = 0
    for key, row in theirs.items():
        if "any difficulty" in key:
            assert row["low"] is not None and ours[key] == {
                k: pytest.approx(v, rel=1e-6) if isinstance(v, float) else v for k, v in row.items()
            }
        elif row["low"] is not None and ours[key]["low"] is not None:
            shown += 1
            assert ours[key]["n_cases"] == row["n_cases"] == frequency.sum()
            assert (ours[key]["low"], ours[key]["high"]) == pytest.approx((row["low"], row["high"]), abs=0.03)  # of 400 resamples
    assert shown


def test_bounds_and_statements_of_rows():
    counts, models, _, frequency = problem(3)
    rows, scores, bounds = np.repeat(np.arange(N), frequency), models["good"], ugt.metrics.accuracy_bounds
    labels, repeated = ugt.Labels.from_counts(counts), ugt.Labels.from_counts(counts[rows])
    for least in (10, 50):
        found = bounds(ugt.dirichlet(labels, prior=0.3), scores, frequency=frequency, least_cases=least)
        expected = bounds(ugt.dirichlet(repeated, prior=0.3), scores[rows], least_cases=least)
        for name in ("n_groups", "n_cases", "left_out", "form"):
            assert getattr(found, name) == getattr(expected, name), name
        np.testing.assert_allclose(found.statistic.estimate, expected.statistic.estimate, rtol=1e-10)
        np.testing.assert_allclose(found.statistic.std_error(), expected.statistic.std_error(), rtol=1e-9)
    whatever = {"assume": "any difficulty"}
    found, expected = bounds(labels, scores, frequency=frequency, **whatever), bounds(repeated, scores[rows], **whatever)
    assert (found.n_cases, found.left_out, found.one_law) == (expected.n_cases, expected.left_out, expected.one_law)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-6)
    laws = [any_difficulty.alike_laws(c, t) for c, t in ((UNLIKE, UNLIKE_TIMES), (np.repeat(UNLIKE, UNLIKE_TIMES.astype(int), 0), None))]
    assert laws == [False, False] and any_difficulty.alike_laws(UNLIKE)
    given = {**whatever, "frequency": [1, 2, 3]}
    refused("frequency must be left out for truth of annotators with names", bounds, NAMED, MODEL["A"], **given)
    refused("clusters must be left out with frequency=", bounds, COUNTS, MODEL["A"], **given, clusters=[0, 0, 1])


UNLIKE, UNLIKE_TIMES = np.array([[3, 0], [2, 1], [5, 0], [3, 2]]), np.array([190.0, 10, 60, 140])  # more labels, less agreement
NAMED = ugt.Labels.from_wide([[0, 1], [1, 1], [0, 0]], classes=2, annotators=["ann", "bob"])
COUNTS = ugt.Labels.from_counts([[2, 1], [0, 3], [3, 0]], classes=["no", "yes"], case_ids=["p1", "p2", "p3"])
MODEL = {"A": [[0.6, 0.4], [0.2, 0.8], [0.7, 0.3]]}


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        (COUNTS, {"frequency": [1, 2.5, 1]}, r"frequency must be whole numbers of at least 0, .*Got 2\.5, first at case 'p2'"),
        (COUNTS, {"frequency": [1, -2, 1]}, r"frequency must be whole numbers .*Got -2, first at case 'p2'"),
        (COUNTS, {"frequency": [0, 0, 0]}, "frequency must be whole numbers .*Got 0 for all"),
        (COUNTS, {"frequency": {"p1": 1, "p3": 2}}, "frequency must hold a number for every case.*first at case 'p2'"),
        (COUNTS, {"clusters": [0, 0, 1]}, "clusters must be left out with frequency=.*give one row per case"),
        (
            COUNTS,
            {"aggregation": "plackett-luce"},
            "aggregation must be one of 'auto', .* with frequency=.*one row per case.*Got 'plackett-luce'",
        ),
        (COUNTS, {"prior": "fit"}, "prior must be numbers with frequency=, since the fit took each row for one case"),
        (NAMED, {}, r"frequency must be left out for annotations of annotators with names.*Labels\.from_counts\(labels\.counts\(\)\)"),
        (ugt.dirichlet(NAMED), {}, "frequency must be left out for annotations of annotators with names"),
        (ugt.Draws.from_array(np.full((3, 5, 2), 0.5)), {}, "annotations must be labels as counts, a Point or a Dirichlet posterior"),
        (
            ugt.Rankings.from_strings([0, 1, 2], ["a"] * 3, ["0 > 1", "0", "1"], classes=2),
            {},
            "annotations must be labels as counts.*Got Rankings",
        ),
    ],
    ids=lambda one: str(one)[:40],
)
def test_what_rows_with_frequencies_cannot_have(given, options, message):
    refused(message, ugt.evaluate, given, MODEL, **{"frequency": [1, 2, 3], "positive_class": 1, **options})


def test_predictions_of_rows_that_stand_for_none_and_of_no_others():
    named = {"case_ids": ["p2", "p3"], "scores": [[0.2, 0.8], [0.7, 0.3]], "classes": ["no", "yes"]}
    refused("model 'A': predictions must cover every case", ugt.evaluate, COUNTS, {"A": named}, frequency=[5, 1, 1], positive_class="yes")
    options = {"missing": "drop", "positive_class": "yes", "n_resamples": 20}
    assert ugt.evaluate(COUNTS, {"A": named}, frequency=[5, 1, 1], **options).left_out == {"case without predictions": 5}
    assert ugt.evaluate(COUNTS, {"A": named}, frequency=[0, 1, 1], **options).left_out == {}
    refused("predictions must cover at least one case", ugt.evaluate, COUNTS, {"A": named}, frequency=[5, 0, 0], **options)


# ---- the parts ----


def test_labels_held_out_of_rows_have_the_law_of_those_of_cases():
    labels, times = ugt.Labels.from_counts([[3, 1], [1, 0], [0, 0], [2, 2], [5, 0]]), np.array([4000.0, 30, 2, 900, 0])
    rest, out, often = divided(labels, times, 7)
    counts, held = rest.counts() + out.counts(), out.counts()
    assert often.sum() == times.sum() and (held.sum(axis=1) == (counts.sum(axis=1) > 1)).all()
    of_row = [(counts == row).all(axis=1) for row in labels.counts()]
    assert [often[here].sum() for here in of_row] == times.tolist()
    share = often[of_row[0]] @ held[of_row[0]][:, 1] / 4000
    assert abs(share - 0.25) < 6 * np.sqrt(0.25 * 0.75 / 4000)  # six standard errors: below 1e-8
    assert abs(often[of_row[3]] @ held[of_row[3]][:, 1] / 900 - 0.5) < 6 * np.sqrt(0.25 / 900)
    again = divided(labels, times, 7)
    assert (again[2] == often).all() and (divided(labels, times, 8)[2] != often).any()


def test_the_check_of_held_out_rows_is_that_of_rows_repeated():
    """For given held-out labels: those of rows, repeated as cases, have the same numbers."""
    counts, _, _, frequency = problem(3)
    rows = Halves.of_rows(ugt.Labels.from_counts(counts), frequency.astype(float), 3)
    at = np.repeat(np.arange(rows.rest.n_cases), rows.times.astype(int))
    rest, out = (ugt.Labels.from_counts(one.counts()[at]) for one in (rows.rest, rows.out))
    cases = Halves(None, rest, out, rows.vote[at], None, 1, 3)
    for model, options in (("dirichlet", {"prior": 0.3, "reliability": 2.0}), ("prirn", {"reliability": 20})):
        found, expected = (one.check(model, False, options) for one in (rows, cases))
        for name in ("observed", "predicted", "p_value", "n_cases", "n_effective", "left_out"):
            assert getattr(found, name) == pytest.approx(getattr(expected, name), rel=1e-11), name
        for name in ("n_cases", "observed", "predicted", "p_value", "n_effective"):
            np.testing.assert_allclose(getattr(found.bins, name), getattr(expected.bins, name), rtol=1e-11, err_msg=name)
    refused("annotations must have a case of more than 1", Halves.of_rows, ugt.Labels.from_counts([[1, 0], [0, 1]]), np.array([3.0, 2]), 0)


@pytest.mark.parametrize("per_class", [False, True])
def test_a_prior_fitted_to_rows(per_class):
    counts, _, _, frequency = problem(3)
    rows = np.repeat(np.arange(N), frequency)
    found = ugt.truth.fit_dirichlet_prior(ugt.Labels.from_counts(counts), per_class=per_class, frequency=frequency)
    expected = ugt.truth.fit_dirichlet_prior(ugt.Labels.from_counts(counts[rows]), per_class=per_class)
    assert found.n_cases == expected.n_cases and found.left_out == expected.left_out and found.at_edge == expected.at_edge
    np.testing.assert_allclose(found.value, expected.value, rtol=1e-7)  # where Newton's steps end
    for kind in ("profile", "sandwich"):
        np.testing.assert_allclose(found.interval(kind=kind), expected.interval(kind=kind), rtol=1e-6)
    assert found.log_likelihood == pytest.approx(expected.log_likelihood, rel=1e-11)
    assert found.log_likelihood_at(0.3) == pytest.approx(expected.log_likelihood_at(0.3), rel=1e-11)
    fit = ugt.truth.fit_dirichlet_prior
    refused("clusters must be left out with frequency=", fit, ugt.Labels.from_counts(counts), frequency=frequency, clusters=np.arange(N))
    refused("labels must have a case with two labels", fit, ugt.Labels.from_counts([[1, 0], [2, 1]]), frequency=[4, 0])


def test_the_table_of_agreement_of_rows():
    counts, _, _, frequency = problem(3)
    found = ugt.agreement_table(ugt.Labels.from_counts(counts), frequency=frequency)
    expected = ugt.agreement_table(ugt.Labels.from_counts(counts[np.repeat(np.arange(N), frequency)]))
    np.testing.assert_allclose(found.interval(kind="analytic"), expected.interval(kind="analytic"), rtol=1e-10)
    np.testing.assert_allclose(found.prevalence, expected.prevalence, rtol=1e-12)
    assert found.left_out == expected.left_out
    for own, other in zip(found.found, expected.found):
        assert (own.value, own.observed, own.expected) == pytest.approx((other.value, other.observed, other.expected), rel=1e-11)
    refused("frequency must be left out for annotations of annotators with names", ugt.agreement_table, NAMED, frequency=[1, 2, 3])


def test_labels_that_were_added_where_the_first_ones_differ():
    counts, times = np.array([[2, 0], [0, 2], [2, 1], [1, 2]]), np.array([60.0, 40, 15, 20])
    found, expected = (
        adjudicated(ugt.Labels.from_counts(counts), times),
        adjudicated(ugt.Labels.from_counts(np.repeat(counts, times.astype(int), 0))),
    )
    assert str(found.note) == str(expected.note) and adjudicated(ugt.Labels.from_counts(counts)).note is None
    assert adjudicated(ugt.Labels.from_counts([*counts, [1, 1]]), np.append(times, 0.0)).note is not None
    notes = ugt.evaluate(ugt.Labels.from_counts(counts), {}, frequency=times.astype(int), n_resamples=20).notes
    assert [str(note) for note in notes if note.code == "adjudicated"] == [str(expected.note)]


def test_the_interval_of_a_bin_whose_cases_are_alike_does_not_depend_on_rounding():
    """Equal shares say nothing about other cases, so that the bin counts as its cases and not as their labels, for any number of them."""
    for n in range(2, 30):
        curve = ugt.histogram_losses([[3, 7]] * n, [[0.31, 0.69]] * n, n_bins=2).reliability_curve(1)
        rows = ugt.histogram_losses([[3, 7]], [[0.31, 0.69]], n_bins=2, frequency=[n]).reliability_curve(1)
        low, high = ugt._base.laws.wilson(np.array([0.7]), np.array([float(n)]), 0.95)[0]
        assert (curve.low[1], curve.high[1]) == pytest.approx((low, high)) == (rows.low[1], rows.high[1])


def test_a_share_of_one_half_has_the_degrees_of_freedom_of_all_units():
    """Its units are equally far from it: with a kurtosis of 1 less a rounding error, n - 1 degrees of freedom became a third of them."""
    for n in range(20, 200, 2):
        right = np.arange(n) % 2
        found = ugt.ua_topk_accuracy(ugt.Point.from_array(np.eye(2)[right]), np.eye(2)[np.zeros(n, int)]).interval()
        half = ugt._base.laws.t_quantile(n - 1, 0.975) * np.sqrt(0.25 / (n - 1)) / 0.25
        assert found[1] == pytest.approx(1 / (1 + np.exp(-half)), rel=1e-9), n


def test_the_page_and_the_json_say_how_many_cases_rows_stand_for(tmp_path):
    found, expected = both(3)
    found.to_html(tmp_path / "rows.html")
    found.to_json(tmp_path / "rows.json")
    page, stored = (tmp_path / "rows.html").read_text(encoding="utf-8"), json.loads((tmp_path / "rows.json").read_text(encoding="utf-8"))
    n_rows, n_cases = found.data["n_rows"], found.data["n_cases"]
    assert f"{n_rows} rows stand for {n_cases} cases" in page.split("</header>")[0] and "Rows, each with its number of cases" in page
    assert (stored["data"]["n_rows"], stored["data"]["n_cases"]) == (n_rows, n_cases)
    assert sum(row["n_cases"] for row in stored["cases"]) == n_cases
    assert html(stored) == page  # from the file, too
    own, other = (Digest(ReportSource.read(one.to_dict())) for one in (found, expected))
    for reliability in own.reliabilities:
        assert own.settled(reliability) == other.settled(reliability)
        assert own.shares(reliability) == pytest.approx(other.shares(reliability), rel=1e-12)
    ours, theirs = (worklist.render(one.source).markup for one in (own, other))
    assert re.search(r"\d+ of \d+ cases are less than 99% certain[^<]*", ours)[0] == re.search(r"\d+ of \d+ cases are less[^<]*", theirs)[0]


def test_cautions_count_cases():
    counts, frequency = [[1, 0], [3, 2], [0, 5], [4, 1]], [30, 20, 25, 25]
    ev = ugt.evaluate(ugt.Labels.from_counts(counts, classes=["no", "yes"]), {}, frequency=frequency, n_resamples=20)
    said = [one.claim for one in cautions(Digest(ReportSource.read(ev.to_dict())))]
    assert "30 cases have one annotation" in said


# ---- the command ----

ROWS = "case,no,yes,model,n\nr1,3,0,no,500\nr2,2,1,no,80\nr3,0,3,yes,420\n"


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    """Run a command on a file of rows; return its exit code, what it printed, and what was wrong."""
    monkeypatch.chdir(tmp_path)

    def run(*words, rows=ROWS):
        (tmp_path / "rows.csv").write_text(rows, encoding="utf-8")
        code = cli.main(list(words))
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


WIDE = "case,ann,bob,n\np1,no,yes,3\np2,yes,yes,2\n"
EVALUATE = ("evaluate", "--annotations", "rows.csv", "--model-columns", "model", "--out", "report", "--n-boot", "50")


def test_the_command_evaluates_rows(command, tmp_path):
    code, out, err = command(*EVALUATE, "--frequency", "n")
    assert code == 0, err
    assert "3 rows stand for 1,000 cases" in out and "left out, because one row per case is needed" in out
    stored = json.loads((tmp_path / "report" / "evaluation.json").read_text(encoding="utf-8"))
    counts = ugt.Labels.from_counts([[3, 0], [2, 1], [0, 3]], classes=["no", "yes"], case_ids=["r1", "r2", "r3"])
    model = {"model": ugt.Predictions.from_any([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])}
    expected = ugt.evaluate(counts, model, frequency=[500, 80, 420], n_resamples=50)
    for own, other in zip(stored["metrics"], expected.to_dict()["metrics"]):
        assert (own["metric"], own["value"], own["n_cases"]) == (other["metric"], other["value"], other["n_cases"])
    assert stored["data"]["n_cases"] == 1000 and stored["data"]["joins"]["frequency"]["rows"] == "id"


def test_the_commands_of_certainty_and_agreement_take_rows(command):
    code, out, err = command("certainty", "rows.csv", "--frequency", "n", "--ignore-columns", "model", "--json")
    assert code == 0, err
    found = json.loads(out)
    assert found["data"]["n_cases"] == 1000 and {row["n_cases"] for row in found["certainty"]} == {1000}
    assert [one["n_cases"] for one in found["least_certain"]] == [80, 500, 420]
    code, out, err = command("agreement", "rows.csv", "--frequency", "n", "--ignore-columns", "model", "--json", "--page", "a.html")
    found = json.loads(out)
    expected = ugt.fleiss_kappa(ugt.Labels.from_counts([[3, 0], [2, 1], [0, 3]]), frequency=[500, 80, 420])
    assert code == 0 and found["data"]["n_cases"] == 1000
    assert next(row for row in found["agreement"] if row["coefficient"] == "Fleiss' kappa")["value"] == expected.value
    assert "3 rows stand for 1,000 cases" in Path("a.html").read_text(encoding="utf-8")


def test_rows_without_a_column_of_the_case(command):
    rows = "no,yes,model,n\n3,0,no,5\n2,1,no,8\n0,3,yes,4\n"
    code, out, err = command(
        "certainty", "rows.csv", "--case-column", "", "--ignore-columns", "model", "--frequency", "n", "--json", rows=rows
    )
    assert code == 0 and json.loads(out)["data"]["n_cases"] == 17, err


@pytest.mark.parametrize(
    ("rows", "words", "message"),
    [
        (ROWS, ("--frequency", "times"), "--frequency must be one of the columns case, no, yes, model, n. Got 'times'"),
        (ROWS.replace(",80\n", ",80.5\n"), ("--frequency", "n"), "frequency must be whole numbers .*Got 80.5, first at case 'r2'"),
        (ROWS.replace(",80\n", ",-80\n"), ("--frequency", "n"), "frequency must be whole numbers .*Got -80.0, first at case 'r2'"),
        (ROWS.replace(",80\n", ",\n"), ("--frequency", "n"), "frequency must be a number"),
        (ROWS.replace(",80\n", ",many\n"), ("--frequency", "n"), "frequency must be a number. Got 'many'"),
        (re.sub(",[0-9]+\n", ",0\n", ROWS), ("--frequency", "n"), "frequency must be whole numbers .*Got 0 for all"),
        (ROWS, ("--frequency", "n", "--clusters", "patients.csv"), "clusters must be left out with --frequency"),
        (WIDE, ("--frequency", "n", "--format", "wide"), "--frequency must be a column of one table of counts"),
    ],
)  # fmt: skip
def test_what_the_command_refuses(command, tmp_path, rows, words, message):
    (tmp_path / "patients.csv").write_text("case,patient\nr1,a\nr2,a\nr3,b\n", encoding="utf-8")
    ignored = ("--ignore-columns", "model") if "model" in rows else ()
    code, _, err = command("agreement", "rows.csv", *words, *ignored, rows=rows)
    assert code != 0 and re.search(message, " ".join(err.split())), err


def test_rows_without_any_label_have_no_value():
    with pytest.warns(RuntimeWarning, match="no case is left"):
        found = ugt.ua_topk_accuracy(ugt.dirichlet(ugt.Labels.from_counts([[0, 0]])), [[0.6, 0.4]], frequency=[5])
    assert np.isnan(found.value) and found.n_cases == 0 and found.left_out == {"case without annotations": 5}
