"""Intervals over cases and annotators: against a twin in plain Python, analysis of variance, and the same computed in slower ways."""

import pickle
import warnings
from dataclasses import replace

import numpy as np
import pytest
from refusals import refused, warned
from surface import public
from twins import panels
from twins import two_way as twin

import ugt
from ugt import resampling, states
from ugt.resampling import spread
from ugt.resampling.spread import SINGLE_LABEL
from ugt.resampling.two_way_spreads import _leaving_out

pytestmark = pytest.mark.filterwarnings("ignore:Intervals are over 2. clusters")
BOTH = ("cases", "annotators")
RNG = np.random.default_rng(5)
N, R, K = 60, 6, 3
TRUE = RNG.integers(0, K, N)
TABLE = np.where(RNG.random((N, R)) < np.linspace(0.45, 0.9, R), TRUE[:, None], RNG.integers(0, K, (N, R)))
MISSING = RNG.random((N, R)) < 0.4
MISSING[:4] = True
MISSING[0, 0] = False  # one case with a single label, three with none
CHOSEN = np.where(RNG.random(N) < 0.7, TRUE, RNG.integers(0, K, N))
SCORES = np.eye(K)[CHOSEN] * 0.5 + RNG.random((N, K))
PROBS = SCORES / SCORES.sum(axis=1, keepdims=True)
CLUSTERS = np.arange(N) // 2


def rows(missing):
    return [[None if missing and MISSING[i, j] else int(TABLE[i, j]) for j in range(R)] for i in range(N)]


def table_of_labels(missing=True):
    return np.array(rows(missing), object)


def labels(missing=True, order=slice(None), annotators=slice(None)):
    table = table_of_labels(missing)[order][:, annotators]
    return ugt.Labels.from_wide(table, classes=K)


def some_rankings():
    long = [(i, f"r{j}", k, 1 + (k != TABLE[i, j])) for i in range(N) for j in range(R) if not MISSING[i, j] for k in range(K - 1)]
    return ugt.Rankings.from_long(*zip(*long), classes=K, cases=range(N), offered="all")


@pytest.mark.parametrize("clusters", [None, CLUSTERS], ids=["cases", "clusters"])
@pytest.mark.parametrize("missing", [False, True], ids=["complete", "incomplete"])
@pytest.mark.parametrize(
    ("function", "plain", "scale"),
    [
        (ugt.fleiss_kappa, twin.fleiss, "complement"),
        (lambda known: ugt.discrepancy_ratio(known, CHOSEN), twin.discrepancy(CHOSEN), "log"),
    ],
    ids=["kappa", "discrepancy ratio"],
)
def test_the_parts_and_the_interval_are_those_of_a_twin(function, plain, scale, missing, clusters):
    result = function(labels(missing))
    found = result.two_way(clusters=clusters)
    of = None if clusters is None else clusters.tolist()
    cases, annotators, both, g, r, df_a = twin.parts(rows(missing), plain, scale, of, least=2 if plain is twin.fleiss else 1)
    assert (found.scale, found.n_units, found.n_annotators, found.random) == (scale, g, r, BOTH)
    np.testing.assert_allclose([*found.parts.values()], [cases, annotators, both], rtol=1e-10)
    half, df = twin.half_width(cases, annotators, both, g, df_a, 0.9)
    assert found.df == pytest.approx(df)
    to = twin.SCALES[scale][0]
    low, high = sorted(to(end) for end in found.interval(0.9))
    ends = result.interval(0.9, random=BOTH, clusters=clusters)
    assert ends == found.interval(0.9) or (scale == "log" and ends[0] <= found.interval(0.9)[0] and found.interval(0.9)[1] <= ends[1])
    below, above = to(result.value) - half, to(result.value) + half
    if scale == "log":  # quantiles of panels without pairs of one annotator are added
        two = [i for i, row in enumerate(rows(missing)) if sum(label is not None for label in row) > 1]
        table, units = [rows(missing)[i] for i in two], None if of is None else [of[i] for i in two]
        number = panels.pair_number(table, lambda one, other: float(one != other), CHOSEN[two], "value")
        spread = panels.spread(number, table, panels.listed(R), units, np.log, lambda x: 1 / x)
        by = panels.by_quantiles(*spread, R, 0.9, df_a + 1)
        assert by[0] < below or above < by[1]
        below, above = min(below, by[0]), max(above, by[1])
    np.testing.assert_allclose([low, high], [below, above], rtol=1e-9)


@pytest.mark.parametrize("given", [True, False], ids=["influence", "units left out"])
def test_parts_of_a_mean_of_a_complete_table_are_mean_squares(given):
    ratings = RNG.normal(size=(20, 5)) + RNG.normal(size=(20, 1)) + RNG.normal(size=5)

    def mean(known, weights):
        return weights @ (np.add.reduceat(known.value, known.offsets[:-1]) / np.diff(known.offsets)) / weights.sum()

    def influence(known):
        means = np.add.reduceat(known.value, known.offsets[:-1]) / np.diff(known.offsets)
        return (means - means.mean()) / len(means)

    found = ugt.resampling.two_way(ugt.Ratings.from_wide(ratings), mean, influence if given else None)
    g, r = ratings.shape
    by_case, by_annotator = ratings.mean(axis=1, keepdims=True), ratings.mean(axis=0)
    left = ratings - by_case - by_annotator + ratings.mean()
    squares = by_case.var(ddof=1) * r, by_annotator.var(ddof=1) * g, (left**2).sum() / ((g - 1) * (r - 1))
    np.testing.assert_allclose([*found.parts.values()], np.array(squares) / (g * r), rtol=1e-12)
    assert found.std_error == pytest.approx(np.sqrt((squares[0] + squares[1] - squares[2]) / (g * r)), rel=1e-12)


def results(known):
    truths = [
        ugt.dirichlet(known),
        ugt.dirichlet(known, prior=[0.1, 0.5, 0.2], reliability=2),
        ugt.votes(known),
        ugt.votes(known, kind="mean"),
    ]
    yield from (ugt.krippendorff_alpha(known, level) for level in ("nominal", "ordinal", "interval"))
    for function in (
        ugt.agreement.percent_agreement,
        ugt.fleiss_kappa,
        ugt.agreement.gwet_ac1,
        ugt.agreement.gwet_ac2,
        ugt.agreement.brennan_prediger,
    ):
        yield function(known)
    for truth in truths:
        yield ugt.ua_topk_accuracy(truth, SCORES)
        yield ugt.ua_average_overlap(truth, SCORES, k=2)
        yield ugt.metrics.ua_coverage(truth, [[0, 1]] * N)
        yield ugt.metrics.ua_overlap(truth, [[0, 1], *[[0]] * (N - 1)])
        yield ugt.metrics.ua_plausibility_mass(truth, [[0]] * N)
        yield ugt.soft_auroc(truth, SCORES)
    yield ugt.ua_topk_accuracy(truths[0].take(np.arange(0, N, 2)), SCORES[::2])
    yield from (one(known, SCORES) for one in (ugt.soft_auroc, ugt.soft_average_precision))
    yield ugt.histogram_losses(known, PROBS)
    yield from (public(name)(known, PROBS) for name in SCORED)
    yield ugt.calibration.disagreement_losses(known, ugt.calibration.predicted_disagreement(PROBS))
    yield ugt.discrepancy_ratio(known, CHOSEN)
    yield ugt.papers.individual_equivalence_index(known, CHOSEN)
    yield ugt.metrics.next_annotator_agreement(known, SCORES).minus(ugt.metrics.next_annotator_agreement(known, SCORES[:, ::-1]))
    yield ugt.ua_topk_accuracy(truths[0], SCORES).minus(ugt.ua_topk_accuracy(truths[0], SCORES[:, ::-1]))


def of_rankings():
    known = some_rankings()
    for truth in (ugt.prirn(known, reliability=5), ugt.prirn(known, background=0.1), ugt.irn(known), ugt.votes(known)):
        yield ugt.ua_topk_accuracy(truth, SCORES)
        yield ugt.metrics.ua_set_accuracy(truth, SCORES, k=2)


@pytest.mark.parametrize(
    "make", [lambda: results(labels()), lambda: results(labels(False)), of_rankings], ids=["labels", "complete", "rankings"]
)
def test_what_is_quick_without_each_annotator_is_what_it_is_from_the_start(make):
    """Where a statistic knows a faster way; and all of them have an interval that does not depend on pickling."""
    for result in make():
        one = result.statistic
        everybody = np.arange(R)
        if type(one).__name__ not in ("Difference", "NextAgreement"):
            for quick, slow in zip(one.panel.without_each(everybody, [0]), one.panel.one_by_one(everybody, [0])):
                np.testing.assert_allclose(quick.values, slow.values, rtol=1e-11)
                np.testing.assert_allclose(quick.influence, slow.influence, rtol=1e-8, atol=1e-12)
        found = result.two_way()
        low, high = found.interval()
        assert low < result.value < high
        assert min(found.parts.values()) >= 0 and found.variance >= found.parts["cases"]
        again = pickle.loads(pickle.dumps(result))
        assert again.two_way().interval() == (low, high) == pickle.loads(pickle.dumps(found)).interval()
        assert again.interval(random=BOTH) == result.interval(random=BOTH)


@pytest.mark.parametrize("clusters", [None, np.arange(N) // 3], ids=["cases", "clusters"])
@pytest.mark.parametrize(
    "make", [lambda: results(labels()), lambda: results(labels(False)), of_rankings], ids=["labels", "complete", "rankings"]
)
def test_changes_of_quotients_give_the_spread_of_all_influences(monkeypatch, make, clusters):
    n_quick = 0
    for result in make():
        one = result.statistic
        kept = one.kept
        design = resampling.Design.of(int(kept.sum()), None if clusters is None else clusters[: len(kept)][kept])
        quick = spread.spread_of(one, [0], [one.facts.scale_of(0)], design)
        n_quick += one.panel.changes(np.arange(R), 0) is not None
        with monkeypatch.context() as context:
            panel = type(one).panel
            context.setattr(type(one), "panel", property(lambda self, of=panel: of.fget(self)._replace(changes=lambda *_: None)))
            slow = spread.spread_of(one, [0], [one.facts.scale_of(0)], design)
        for x, y in zip(quick[:3], slow[:3]):
            np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-15)
        assert quick[3:] == slow[3:]
    assert n_quick >= 8


def test_many_cases_are_counted_as_few_different_ones():
    """From 1,024 cases on, those that are alike become one."""
    table = RNG.integers(0, 2, (1100, 5))
    table[:, 1] = np.where(RNG.random(1100) < 0.6, table[:, 0], table[:, 1])
    one = ugt.krippendorff_alpha(ugt.Labels.from_wide(table, classes=2)).statistic
    assert one.judged.row is not None
    for quick, slow in zip(one.panel.without_each(np.arange(5), [0, 2]), one.panel.one_by_one(np.arange(5), [0, 2])):
        np.testing.assert_allclose(quick.values, slow.values, rtol=1e-11)
        np.testing.assert_allclose(quick.influence, slow.influence, rtol=1e-8, atol=1e-13)


def test_order_and_names_do_not_matter():
    order, annotators = RNG.permutation(N), RNG.permutation(R)
    for one, other in ((labels(), labels(order=order)), (labels(), labels(annotators=annotators))):
        for function in (ugt.krippendorff_alpha, ugt.agreement.gwet_ac1):
            np.testing.assert_allclose([*function(one).two_way().parts.values()], [*function(other).two_way().parts.values()], rtol=1e-10)
    ends = ugt.discrepancy_ratio(labels(), CHOSEN).two_way().interval()
    np.testing.assert_allclose(ends, ugt.discrepancy_ratio(labels(order=order), CHOSEN[order]).two_way().interval(), rtol=1e-10)


def test_a_statistic_of_ones_own_is_the_coefficient_that_it_is():
    result = ugt.agreement.percent_agreement(labels())
    clusters = {i: i // 2 for i in range(N)}

    def own(known, weights):
        return float(ugt.agreement.percent_agreement(known).statistic.values(weights[None])[0, 0])

    def influence(known):
        return ugt.agreement.percent_agreement(known).influence

    found = ugt.resampling.two_way(labels(), own, influence, scale="logit", clusters=clusters)
    kept = ~np.isnan(result.per_case)
    expected = result.two_way(clusters=CLUSTERS)
    # in the own statistic cases without two labels are units that add 0
    g, more = expected.n_units, len(np.unique(CLUSTERS))
    assert (found.value, found.n_units, g) == (pytest.approx(result.value), more, len(np.unique(CLUSTERS[kept])))
    changed = found.parts["cases"] / (more / (more - 1)) * g / (g - 1)
    assert changed == pytest.approx(expected.parts["cases"])
    units_left_out = ugt.resampling.two_way(labels(), own, scale="logit", clusters=CLUSTERS)
    np.testing.assert_allclose([*units_left_out.parts.values()], [*found.parts.values()], rtol=0.1)


@pytest.mark.parametrize("margin", [-0.2, 0.0, 0.1, 0.5, 1.0])
def test_non_inferiority_with_other_annotators_is_decided_by_the_interval(margin):
    result = ugt.discrepancy_ratio(labels(), CHOSEN)
    found = result.non_inferiority(margin, level=0.9, random=BOTH)
    assert found.limit == result.interval(0.8, random=BOTH)[1] >= result.two_way().interval(0.8)[1] > result.value
    assert found.decision == (found.limit < 1 + margin) and found.limit < result.interval(0.9, random=BOTH)[1]


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (lambda: ugt.fleiss_kappa(labels(annotators=[0])), "one annotator does not show how annotators differ"),
        (lambda: ugt.metrics.next_annotator_agreement(labels(annotators=[2]), SCORES), "one annotator does not show how annotators differ"),
        (lambda: ugt.fleiss_kappa(labels(annotators=[0, 1])), "undefined without annotator 0"),
        (lambda: ugt.cohen_kappa(labels(annotators=[0, 1])), "undefined without annotator 0"),
        (lambda: ugt.cohen_kappa(labels(), annotators=[1, 4]), "undefined without annotator 1"),
        (lambda: ugt.discrepancy_ratio(ugt.Labels.from_wide(np.tile(TRUE[:, None], 4), classes=K), CHOSEN), "the number is not finite"),
    ],
)
@pytest.mark.filterwarnings("ignore:undefined")
def test_without_an_interval_there_is_a_reason(result, message):
    assert np.isnan(warned(message, result().interval, random=BOTH)).all()
    found = warned(message, result().two_way)
    assert found.reason == message and np.isnan(found.variance) and np.isnan(found.interval()).all()


def test_one_cluster_has_no_interval_for_a_reason():
    """The corrected mean of a judge with one labelled cluster, and a coefficient of one cluster."""
    message = "fewer than two cases, or clusters of cases, have annotations"
    ratings = ugt.Ratings.from_long([0, 0, 1, 1, 2, 2], [*"abcabc"], [1, 0, 0, 1, 1, 1], cases=range(9))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        judged = ugt.corrected_mean(ratings, np.arange(9) / 9)
    for one, clusters in ((judged, [0, 0, 0, *range(1, 7)]), (ugt.fleiss_kappa(labels()), np.zeros(labels().n_cases))):
        assert np.isnan(warned(message, one.interval, random=BOTH, clusters=clusters)).all()
        assert warned(message, one.two_way, clusters=clusters).reason == message


@pytest.mark.parametrize(
    ("n", "note"),
    [
        (2, "2 annotators: the interval depends on their differences, with one degree of freedom"),
        (4, "4 annotators: .* differences"),
        (5, None),
    ],
)
def test_few_annotators_are_noted(n, note):
    with pytest.warns(UserWarning, match=note) if note else np.errstate():
        found = ugt.metrics.next_annotator_agreement(labels(False, annotators=slice(n)), SCORES).two_way()
    assert len(found.notes) == bool(note) and np.isfinite(found.interval()).all()


def test_one_annotator_unlike_all_others_is_noted():
    """Of panels from a population with careless annotators, most of the spread is whether one is there."""
    table = np.where(RNG.random((300, 8)) < [0.9] * 7 + [0.1], RNG.integers(0, K, 300)[:, None], RNG.integers(0, K, (300, 8)))
    known = ugt.Labels.from_wide(table, classes=K, annotators=[f"r{j}" for j in range(8)])
    with pytest.warns(UserWarning, match="annotator 'r7' makes up nearly all of the spread between annotators"):
        ugt.krippendorff_alpha(known).interval(random=BOTH)
    assert ugt.krippendorff_alpha(labels(False)).two_way().notes == ()


def test_an_annotator_with_a_single_label_is_counted():
    table = np.array(rows(False), object)
    table[1:, 0] = None
    found = ugt.fleiss_kappa(ugt.Labels.from_wide(table, classes=K)).two_way()
    assert found.left_out == {SINGLE_LABEL: 1} and found.n_annotators == R - 1 and found.reason is None


def test_two_annotators_who_say_the_same_are_two():
    twice = np.column_stack([TABLE, TABLE[:, 0]])
    one, two = (ugt.metrics.next_annotator_agreement(ugt.Labels.from_wide(table, classes=K), SCORES).two_way() for table in (TABLE, twice))
    assert (one.n_annotators, two.n_annotators) == (R, R + 1)


def test_the_brier_score_has_the_interval_of_l_sq():
    scored, losses = ugt.calibration.histogram_brier_score(labels(), PROBS), ugt.histogram_losses(labels(), PROBS)
    np.testing.assert_allclose([*scored.two_way().parts.values()], [*losses.two_way().parts.values()], rtol=1e-10)


def test_at_an_end_of_the_range_there_are_as_many_trials_as_annotators():
    same = ugt.Labels.from_wide(np.tile(TRUE[:, None], 5), classes=K)
    found = ugt.metrics.next_annotator_agreement(same, np.eye(K)[TRUE])
    assert found.interval(random=BOTH) == (pytest.approx(0.025 ** (1 / 5)), 1.0)
    assert found.interval() == (pytest.approx(0.025 ** (1 / N)), 1.0)


UNNAMED = ugt.Labels.from_counts([[2, 1, 0], [0, 3, 1]])
NAMED = r"annotators must be named for intervals over other annotators\. Got "


@pytest.mark.parametrize(
    ("message", "result"),
    [
        (NAMED, lambda: ugt.fleiss_kappa(UNNAMED)),
        (NAMED, lambda: ugt.discrepancy_ratio(UNNAMED, [0, 1])),
        (NAMED, lambda: ugt.metrics.next_annotator_agreement(UNNAMED, np.eye(3)[:2])),
        (NAMED, lambda: ugt.calibration.histogram_brier_score(UNNAMED, np.full((2, 3), 1 / 3))),
        (NAMED, lambda: ugt.histogram_losses(UNNAMED, np.full((2, 3), 1 / 3))),
        (NAMED, lambda: ugt.ua_topk_accuracy(ugt.dirichlet(UNNAMED), np.eye(3)[:2])),
        (NAMED, lambda: ugt.ua_topk_accuracy([[0.5, 0.5], [0.2, 0.8]], np.eye(2))),
        (
            r"p must be labels of named annotators, or a truth made of them, .* Got probabilities",
            lambda: ugt.soft_auroc([0.1, 0.9, 0.4], [1.0, 2, 3]),
        ),
        (r"p must be labels of named annotators, .* Got label counts", lambda: ugt.soft_auroc(UNNAMED, np.eye(3)[:2])),
    ],
)
def test_annotators_must_be_named(message, result):
    refused(message, result().interval, random=BOTH)
    refused(message, result().two_way)


@pytest.mark.parametrize(
    ("message", "options"),
    [
        (r"random must be \('cases',\) or \('cases', 'annotators'\)\. Got \('annotators',\)\.", {"random": ("annotators",)}),
        (r"random must be .* Got \('cases', 'readers'\)\.", {"random": ("cases", "readers")}),
        (r"random must be .* Got None\.", {"random": None}),
        (r"kind must be 'auto' or 'analytic' if annotators are random\. Got 'bca'\.", {"random": BOTH, "kind": "bca"}),
        (r"strata must be None if annotators are random\.", {"random": BOTH, "strata": TRUE}),
        (r"clusters must be 60 ids", {"random": BOTH, "clusters": [1]}),
    ],
)
def test_options_that_do_not_fit(message, options):
    refused(message, ugt.fleiss_kappa(labels()).interval, **options)


def part(metric, at):
    known = ugt.Labels.from_wide(table_of_labels()[at], classes=K, case_ids=np.arange(N)[at])
    if metric.startswith("ua_"):
        return (ugt.dirichlet(known), SCORES[at] if metric == "ua_topk_accuracy" else [[0, 1]] * len(CHOSEN[at]))
    if metric in SCORED:
        return known, PROBS[at]
    return (known, CHOSEN[at]) if metric == "discrepancy_ratio" else (known,)


IN_PARTS = [
    (name, {}) for name in ("percent_agreement", "fleiss_kappa", "gwet_ac1", "discrepancy_ratio", "ua_topk_accuracy", "ua_coverage")
]
SCORED = ("histogram_brier_score", "histogram_log_loss", "ranked_probability_score", "manhattan_distance", "wasserstein_distance")
IN_PARTS += [(name, {}) for name in SCORED] + [("ranked_probability_score", {"normalized": True})]
IN_PARTS += [("krippendorff_alpha", {"level": level}) for level in ("nominal", "ordinal", "interval")]


@pytest.mark.parametrize(("metric", "options"), IN_PARTS)
def test_parts_of_the_data_have_the_interval_of_all(metric, options):
    one = public(metric)(*part(metric, slice(None)), **options).statistic
    expected = _leaving_out(one, [0], resampling.Design.of(int(one.kept.sum())))[0]
    pieces = [slice(0, 25), slice(25, 26), slice(26, N)]
    panel = np.arange(R)[::-1]
    found = states.merge([states.partial(metric, *part(metric, one), random=BOTH, panel=panel, **options) for one in pieces])
    two_way = states.finish(states.State.from_json(found.to_json())).two_way()
    np.testing.assert_allclose([*two_way.parts.values()], [*expected.parts.values()], rtol=1e-9)
    np.testing.assert_allclose(two_way.interval(0.9), replace(expected, _cases=None).interval(0.9), rtol=1e-9)
    assert (two_way.n_units, two_way.n_annotators, two_way.scale) == (expected.n_units, expected.n_annotators, expected.scale)


WEIGHTS = RNG.integers(0, 4, N) / 2
EDGES = np.linspace(0.05, 1.45, 8)
PIECES = [slice(0, 25), slice(25, 26), slice(26, N)]


def some(kind, at=slice(None), k=K, r=R):
    """Data of the cases at these places, and their record with scores replaced by their bins."""
    found = ugt.Labels.from_wide(tables(kind, k, r)[at], classes=k, case_ids=np.arange(N)[at])
    probs = PROBS[:, :k] / PROBS[:, :k].sum(axis=1, keepdims=True)
    scores = SCORES[:, :k] if kind != "perfect" else np.eye(k)[TRUE % k]
    return found, {"scores": scores[at], "bins": np.searchsorted(EDGES, scores[at], side="right") * 1.0, "probs": probs[at]}


def tables(kind, k, r):
    table = {"perfect": np.tile(TRUE[:, None], R), "incomplete": table_of_labels(), "complete": TABLE}[kind].copy()[:, :r]
    for i, j in np.ndindex(*table.shape):
        table[i, j] = table[i, j] if table[i, j] is None else int(table[i, j]) % k
    return table


def losses(at, given="first", n_bins=5):
    """A state's metric."""
    found, of = some("incomplete", at)
    given = {"given": {"first": first_of_losses() if at != slice(None) else None}.get(given, given)}
    return states.finish(states.partial("histogram_losses", found, of["probs"], n_bins=n_bins, random=BOTH, panel=range(R), **given))


def first_of_losses(n_bins=5):
    found, of = some("incomplete")
    return states.partial("histogram_losses", found, of["probs"], n_bins=n_bins, random=BOTH)


def again(given):
    return states.partial("fleiss_kappa", labels(), random=BOTH, given=given)


IN_ROUNDS = [
    ("soft_auroc", {"average": "macro", "self_pairs": "exclude"}, "value hard"),
    ("soft_auroc", {"average": "weighted", "self_pairs": "unbiased"}, "value hard"),
    ("soft_average_precision", {"average": "macro", "self_term": "certain"}, "value hard"),
    ("soft_average_precision", {"average": "weighted", "self_term": "probability"}, "value hard"),
    ("histogram_losses", {"n_bins": 5}, "l_sq el cl dl il accuracy"),
    ("histogram_losses", {"n_bins": 3, "singletons": "zero", "single_bins": "plugin"}, "l_sq el cl dl il"),
    ("histogram_losses", {"n_bins": 3, "weights": WEIGHTS}, "l_sq el cl dl il accuracy"),
    ("disagreement_losses", {"n_bins": 4}, "l_phi cl"),
    ("disagreement_losses", {"n_bins": 4, "weights": WEIGHTS}, "l_phi cl"),
    ("krippendorff_alpha", {"level": "ordinal"}, ""),
]


def in_rounds(metric, found, of):
    """What the function and what the parts are called with."""
    if metric.startswith("soft"):
        return (found, of["bins"]), (found, of["scores"]), {"edges": EDGES}, {"ties": "expected"} if "precision" in metric else {}
    given = (found, *{"h": [of["probs"]], "d": [ugt.calibration.predicted_disagreement(of["probs"])]}.get(metric[0], []))
    return given, given, {}, {}


@pytest.mark.filterwarnings("ignore:(no interval|undefined|. annotators|annotator)")
@pytest.mark.parametrize("clustered", [False, True], ids=["cases", "clusters"])
@pytest.mark.parametrize(
    ("kind", "k", "r"), [("incomplete", 3, R), ("complete", 2, 3), ("incomplete", 2, 2), ("complete", 2, 1), ("perfect", 2, R)]
)
@pytest.mark.parametrize(("metric", "options", "numbers"), IN_ROUNDS)
def test_in_two_rounds_parts_have_the_interval_of_all(metric, options, numbers, kind, k, r, clustered, monkeypatch):
    """What takes many sums; exact ones of scores in bins."""
    monkeypatch.setattr("ugt.states.two_way.MOST", 0)
    data, _, _, more = in_rounds(metric, *some(kind, k=k, r=r))
    units = np.where(np.arange(N) < 26, np.arange(N), CLUSTERS + N) if clustered else None
    record, panel = public(metric)(*data, **options, **more), range(r)[::-1]

    def state(at, given=None):
        _, data, more, _ = in_rounds(metric, *some(kind, at, k, r))
        clusters = None if units is None else units[at]
        own = {**options, "weights": WEIGHTS[at]} if "weights" in options else options
        return states.partial(metric, *data, random=BOTH, panel=panel, clusters=clusters, given=given, **own, **more)

    first = states.merge([state(at) for at in PIECES])
    parts = [state(at, states.State.from_json(first.to_json())) for at in PIECES]
    found = states.merge(parts[::-1])
    assert found == states.merge([states.merge(parts[1:]), parts[0]]) == states.State.from_json(found.to_json())
    for number in numbers.split() or [None]:
        expected = record.two_way(of=number, clusters=units)
        two_way = states.finish(found).two_way(of=number)
        known = slice(None if expected.reason is None else 1)
        np.testing.assert_allclose([*two_way.parts.values()][known], [*expected.parts.values()][known], rtol=1e-9, atol=1e-15)
        np.testing.assert_allclose(two_way.interval(0.9), replace(expected, _cases=None).interval(0.9), rtol=1e-9)
        for name in ("n_units", "n_annotators", "scale", "reason", "notes", "left_out"):
            assert getattr(two_way, name) == getattr(expected, name)


@pytest.mark.parametrize(("metric", "options"), [("soft_auroc", {"edges": EDGES}), ("fleiss_kappa", {})])
def test_rounds_that_follow_by_themselves(metric, options):
    """In blocks on one machine, and in partitions of dask; where one round is enough, there is one."""
    parts = [(labels(order=at), SCORES[at])[: 1 + len(options)] for at in PIECES]
    binned = np.searchsorted(EDGES, SCORES, side="right") * 1.0
    data = (labels(), binned)[: 1 + len(options)]
    units = np.where(np.arange(N) < 26, np.arange(N), CLUSTERS + N)
    expected = public(metric)(*data).two_way(clusters=units).interval()
    given = {"random": BOTH, "panel": range(R), **options}
    found = states.compute(metric, parts=parts, clusters=[units[at] for at in PIECES], **given)
    np.testing.assert_allclose(found.two_way().interval(), expected, rtol=1e-9)
    pytest.importorskip("dask")
    from ugt import dask

    found = dask.compute(metric, *map(list, zip(*parts)), clusters=[units[at] for at in PIECES], **given)
    np.testing.assert_allclose(found.two_way().interval(), expected, rtol=1e-9)
    whole = dask.partial(metric, *map(list, zip(*parts)), clusters=[CLUSTERS[at] for at in PIECES], **given)
    refused("clusters must be whole in one part", whole.compute)


@pytest.mark.parametrize(
    ("message", "call"),
    [
        (r"random must be \('cases',\) for intraclass", lambda: states.partial("intraclass_correlation", TABLE * 1.0, random=BOTH)),
        ("annotators must be named for intervals over other annotators", lambda: states.partial("fleiss_kappa", UNNAMED, random=BOTH)),
        ("annotators must name all annotators", lambda: states.partial("fleiss_kappa", labels(), random=BOTH, panel=[0, 1])),
        (r"random must be \('cases', 'annotators'\) when the parts", states.finish(states.partial("fleiss_kappa", labels())).two_way),
        ("state must be of a second round, .* Got one of a first round, of 57 cases", lambda: losses(slice(None)).two_way()),
        (
            "state must be merged from the same parts as the given state, each once. Got one of 22 units and 74 labels, of 207",
            lambda: losses(slice(25)).two_way(),
        ),
        ("given must be the merged state of a first round, .* Got State", lambda: again(states.partial("fleiss_kappa", labels()))),
        ("given must be left out unless random", lambda: states.partial("fleiss_kappa", labels(), given=first_of_losses())),
        ("states must be made with the same edges, .*, first at the part", lambda: losses(slice(None), given=first_of_losses(4))),
        (
            "edges must be given with random, because intervals over annotators need",
            lambda: states.compute("soft_auroc", parts=[()], random=BOTH),
        ),
        ("edges must be given with n_resamples", lambda: states.compute("soft_auroc", SCORES, SCORES, n_resamples=9)),
        (
            "clusters must be whole in one part each if annotators are random .* Got 12 in several, first at part 1",
            lambda: states.compute(
                "fleiss_kappa", parts=[(labels(order=one),) for one in PIECES], clusters=[CLUSTERS[one] for one in PIECES], random=BOTH
            ),
        ),
    ],
)
def test_parts_that_cannot_have_it(message, call):
    refused(message, call)


@pytest.mark.filterwarnings("ignore:undefined")
def test_states_of_which_settings_differ_are_not_merged():
    pair = [states.partial("fleiss_kappa", labels(annotators=one), random=BOTH) for one in ([0, 1, 2], [0, 1, 2, 3])]
    refused("states must be made with the same panel", states.merge, pair)
    one = states.finish(states.partial("fleiss_kappa", labels(annotators=[0]), random=BOTH))
    assert warned("one annotator does not show how annotators differ", one.two_way).reason


def test_all_numbers_have_intervals():
    result = ugt.metrics.next_annotator_agreement(labels(), SCORES)
    ends = result.intervals(random=BOTH)
    np.testing.assert_array_equal(ends, [result.interval(of=name, random=BOTH) for name in result.statistic.names])
    grouped = ugt.humans.stratified_discrepancy(labels(), CHOSEN, ties="lowest")
    assert np.isfinite(grouped.intervals(random=BOTH)).all()


def test_own_statistics_that_do_not_fit():
    refused(
        "annotations must be Labels, Rankings or Ratings", ugt.resampling.two_way, [[1, 2]], lambda known, weights: 0.0, error=TypeError
    )
    refused(NAMED, ugt.resampling.two_way, UNNAMED, lambda known, weights: 0.0)
    refused("statistic must return a number", ugt.resampling.two_way, labels(), lambda known, weights: weights)
    refused(f"influence must return {N} numbers", ugt.resampling.two_way, labels(), lambda known, weights: 1.0, lambda known: [1.0])
    refused("scale must be", ugt.resampling.two_way, labels(), lambda known, weights: 1.0, scale="probit")
    other = ugt.fleiss_kappa(labels(False))
    refused("other must be of the same annotations", ugt.fleiss_kappa(labels()).minus(other).interval, random=BOTH)


def test_a_calibration_loss_says_that_its_interval_is_weak():
    rng = np.random.default_rng(3)
    labels = ugt.Labels.from_wide(rng.integers(0, 2, (80, 6)).astype(float), classes=2)
    found = ugt.histogram_losses(labels, np.stack([p := rng.random(80), 1 - p], 1))
    with pytest.warns(UserWarning, match="a calibration loss is a square"):
        notes = found.two_way(of="cl").notes
    assert any("square" in note.text for note in notes) and not any("square" in note.text for note in found.two_way().notes)
