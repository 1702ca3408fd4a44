"""States of parts of the data: whatever the parts and the order of merging, what is made of them is what the function says of all."""

import json
import math

import numpy as np
import pytest
from public_functions import GRADE_MEANS
from refusals import refused, warned
from surface import public
from twins.parted import merged, no_part, one_part

import ugt
from ugt import states
from ugt._base.axes import stream_keys_of
from ugt._core import _exact
from ugt.plausibilities.metric import METRICS as DECLARED
from ugt.states import state as state_module

N, K = 60, 4


@pytest.fixture
def rng():
    return np.random.default_rng(20)


def cuts(rng, n, n_parts=6):
    """Rows of parts: a random division, with a part of one case."""
    which = rng.integers(1, n_parts, n)
    which[0] = n_parts
    return [rows for rows in (np.flatnonzero(which == j) for j in range(n_parts + 1)) if len(rows)]


def nested_rankings(rng, n):
    return [[[[int(c)] for c in rng.permutation(K)[:2]] for _ in range(rng.integers(0, 4))] for _ in range(n)]


class Data:
    """Everything about N cases, of which any rows can be taken."""

    def __init__(self, rng):
        self.ids = np.array([f"case {i}" for i in range(N)])
        self.counts = rng.integers(0, 4, (N, K))
        self.counts[3] = 0
        self.scores, self.probs = rng.random((N, K)).round(1), rng.dirichlet(np.ones(K), N)
        self.nested = nested_rankings(rng, N)
        self.others = nested_rankings(rng, N)
        self.ratings = rng.normal(3, 1, (N, 4))
        self.sets = rng.random((N, K)) < 0.5

    def labels(self, rows):
        return ugt.Labels.from_counts(self.counts[rows], case_ids=self.ids[rows])

    def posterior(self, rows):
        return ugt.dirichlet(self.labels(rows), prior=0.3)

    def rankings(self, rows, nested=None):
        return ugt.Rankings.from_blocks([(nested or self.nested)[i] for i in rows], n_classes=K, case_ids=self.ids[rows], offered="all")

    def normal(self, rows):
        ratings = ugt.Ratings.from_wide(self.ratings[rows], case_ids=self.ids[rows])
        return ugt.truth.normal(ratings, prior=ugt.truth.NormalPrior(3.0, 1.0, 2.0, 1.0))

    def drawn(self, rows):
        return ugt.plackett_luce(self.rankings(rows), method="gibbs", n_draws=60, n_warmup=20, n_chains=2, seed=5)


METRICS = {
    "annotation_certainty": (lambda d, r: (d.posterior(r),), {"k": 2}),
    "expected_risk": (lambda d, r: (d.posterior(r),), {"risk": [0, 1, 2, 5]}),
    **{one.function: (lambda d, r: (d.posterior(r), d.scores[r]), {"k": 2}) for one in DECLARED.values()},
    "ua_average_overlap": (lambda d, r: (d.posterior(r), d.scores[r]), {"k": 3}),
    "ua_kendall_distance": (lambda d, r: (d.posterior(r), d.scores[r]), {"k": 2, "penalty": 0.5}),
    "ua_reciprocal_rank": (lambda d, r: (d.posterior(r), d.scores[r]), {"k": 2}),
    "ua_coverage": (lambda d, r: (d.posterior(r), d.sets[r]), {}),
    **{one.function.__name__: (lambda d, r: (d.posterior(r), d.probs[r]), {}) for one in GRADE_MEANS},
    "ua_plausibility_mass": (lambda d, r: (d.posterior(r), d.sets[r]), {}),
    "leave_one_annotator_out": (lambda d, r: (d.rankings(r),), {}),
    "annotator_average_overlap": (lambda d, r: (d.rankings(r),), {"depth": 2}),
    "rating_certainty": (lambda d, r: (d.normal(r),), {"cut": 3.2}),
    "ua_rating_accuracy": (lambda d, r: (d.normal(r), d.ratings[r, 0]), {"cuts": 3.0}),
    "histogram_brier_score": (lambda d, r: (d.labels(r), d.probs[r]), {}),
    "histogram_log_loss": (lambda d, r: (d.labels(r), d.probs[r]), {}),
    "ranked_probability_score": (lambda d, r: (d.labels(r), d.probs[r]), {}),
    "manhattan_distance": (lambda d, r: (d.labels(r), d.probs[r]), {}),
    "wasserstein_distance": (lambda d, r: (d.labels(r), d.probs[r]), {}),
    "discrepancy_ratio": (lambda d, r: (d.labels(r), d.counts[r].argmax(1)), {"distance": "zero-one"}),
}


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.filterwarnings("ignore:undefined", "ignore:chains")
def test_parts_say_what_all_cases_say(metric, rng):
    data, (make, options) = Data(rng), METRICS[metric]
    found = states.finish(merged(rng, [states.partial(metric, *make(data, part), **options) for part in cuts(rng, N)]))
    truth = public(metric)(*make(data, np.arange(N)), **options)
    assert found.value == pytest.approx(truth.value, rel=1e-13)
    assert (found.n_cases, found.left_out) == (truth.n_cases, dict(truth.left_out))
    for name in ("draw_std", "mc_error", "mean_set_size", "alpha", "mu"):
        if getattr(truth, name, None) is not None:
            assert found.numbers[name] == pytest.approx(getattr(truth, name), rel=1e-9, abs=1e-15)


@pytest.mark.filterwarnings("ignore:chains")
def test_draws_of_the_truth_are_added_up_one_by_one(rng):
    data, every = Data(rng), np.arange(N)
    parts = [states.partial("ua_topk_accuracy", data.drawn(part), data.scores[part]) for part in cuts(rng, N)]
    found, truth = states.finish(merged(rng, parts)), ugt.ua_topk_accuracy(data.drawn(every), data.scores)
    assert found.value == pytest.approx(truth.value, rel=1e-13)
    np.testing.assert_allclose(found.numbers["per_draw"], truth.per_draw, rtol=1e-12)


def test_every_metric_is_tested():
    elsewhere = {"soft_auroc", "soft_average_precision", "histogram_losses", "disagreement_losses", "partial_average_overlap"}
    elsewhere |= {"ua_weighted_kappa", "ua_spearman", "ua_kendall", "ua_concordance", "ua_auroc_at_cuts"}
    elsewhere |= {"annotator_discrepancy", "individual_equivalence_index", "alternative_annotator_test"}
    elsewhere |= {"perspectivist_error_rate", "perspectivist_distance", "multilabel_mean"}
    elsewhere |= {"alternative_discrepancy_ratios", "relative_f1", "pairwise_agreement", "intra_annotator_agreement"}
    ends = ("agreement", "kappa", "_pi", "_ac1", "_ac2", "_alpha", "correlation", "_prediger")
    agreement = {name for name in states.METRICS if name.endswith(ends)}
    assert set(states.METRICS) == set(METRICS) | elsewhere | agreement


# --- sums ---
def test_states_do_not_depend_on_order(rng):
    p, scores = rng.dirichlet(np.ones(K), N) * 10.0 ** rng.integers(-3, 3), rng.random((N, K))
    p = p / p.sum(1, keepdims=True)
    texts = set()
    for _ in range(20):
        state = merged(rng, [states.partial("ua_topk_accuracy", p[part], scores[part]) for part in cuts(rng, N)])
        texts.add(state.to_json())
    assert len(texts) == 1
    one = states.merge([states.partial("ua_topk_accuracy", p[[i]], scores[[i]]) for i in rng.permutation(N)])
    assert texts == {one.to_json()}
    p, scores = rng.random(N), rng.random(N)
    parts = [states.partial("soft_auroc", p[part], scores[part], edges=10) for part in cuts(rng, N)]
    assert len({merged(rng, parts).to_json() for _ in range(10)}) == 1


def test_standard_errors_are_those_of_the_cases(rng):
    p, scores = rng.dirichlet(np.ones(K), N), rng.random((N, K))
    per_case = ugt.ua_topk_accuracy(p, scores).per_case
    found = one_part("ua_topk_accuracy", p, scores)
    assert found.std_error == pytest.approx(per_case.std(ddof=1) / math.sqrt(N), rel=1e-12)
    assert found.interval(0.9, kind="analytic") == pytest.approx(ugt.ua_topk_accuracy(p, scores).interval(0.9, kind="analytic"), rel=1e-12)
    votes, said = rng.integers(0, 2, (N, 3)), rng.integers(0, 2, N)
    spread = ugt.discrepancy_ratio(votes, said).influence
    assert one_part("discrepancy_ratio", votes, said).std_error == pytest.approx(math.sqrt((spread**2).sum() * N / (N - 1)), rel=1e-9)


# --- resamples ---
@pytest.mark.parametrize("units", ["cases", "clusters"])
@pytest.mark.parametrize("metric", ["ua_overlap", "discrepancy_ratio", "soft_auroc", "soft_average_precision"])
def test_resamples_of_parts_are_those_of_the_whole(metric, units, rng):
    ids, p = np.array([f"c{i}" for i in range(N)]), rng.dirichlet(np.ones(K), N)
    clusters = np.array([f"patient {i % 17}" for i in range(N)])  # lie in several parts
    votes, scores = rng.integers(0, 2, (N, 3)), rng.random((N, K))
    data = {"discrepancy_ratio": (votes, votes[:, 0]), "ua_overlap": (p, scores)}.get(metric, (p[:, 0], scores[:, 0]))
    options = {"edges": 7} if metric.startswith("soft") else {"k": 1} if metric == "ua_overlap" else {}

    def partial(rows):
        by = {"case_ids": ids[rows]} if units == "cases" else {"clusters": clusters[rows]}
        return states.partial(metric, *(one[rows] for one in data), n_resamples=30, seed=4, **by, **options)

    found = states.finish(merged(rng, [partial(part) for part in cuts(rng, N)]))
    whole = states.finish(partial(np.arange(N)))
    np.testing.assert_allclose(found.resampled, whole.resampled, rtol=1e-12)
    assert found.units == units and np.ptp(found.resampled) > 0
    weights = _exact.poisson_weights(stream_keys_of(ids if units == "cases" else clusters), 4, 0, 30).astype(int)
    for b in range(5):  # the cases themselves, as often as they count
        rows = np.repeat(np.arange(N), weights[b])
        again = one_part(metric, *(one[rows] for one in data), **options).value
        assert found.resampled[b] == pytest.approx(again, rel=1e-12)


PERFECT = np.eye(K)[np.arange(N) % K]
ALL_AGREE = ugt.Labels.from_wide([[i % K] * 3 for i in range(N)])


@pytest.mark.parametrize(
    ("metric", "data"),
    [
        ("ua_topk_accuracy", (PERFECT, PERFECT)),
        ("annotation_certainty", (PERFECT,)),
        ("fleiss_kappa", (ALL_AGREE,)),
        ("percent_agreement", (ALL_AGREE,)),
        ("soft_auroc", (PERFECT[:, 0], PERFECT[:, 0])),
    ],
)
def test_perfect_results_have_the_interval_of_the_record(metric, data):
    found = one_part(metric, *data, case_ids=np.arange(N), n_resamples=50)
    expected = public(metric)(*data).interval()
    assert found.value == 1 > expected[0] and found.interval() == pytest.approx(expected, rel=1e-12)
    assert found.interval(kind="percentile") == (1, 1)
    over_clusters = one_part(metric, *data, clusters=np.arange(N) // 2, n_resamples=50)
    assert np.isnan(warned("over clusters, as a state does not know how many", over_clusters.interval)).all()


def test_intervals_by_resamples(rng):
    p, scores = rng.dirichlet(np.ones(K), 400), rng.random((400, K))
    found = one_part("ua_topk_accuracy", p, scores, case_ids=np.arange(400), n_resamples=2000)
    assert found.resampled.std() == pytest.approx(found.std_error, rel=0.1)
    assert found.interval() == pytest.approx(np.quantile(found.resampled, [0.025, 0.975]), abs=2e-3)
    other = one_part("ua_topk_accuracy", p, p, case_ids=np.arange(400), n_resamples=2000)
    difference = other.minus(found)  # paired
    assert np.array_equal(difference.values[:, 0], other.resampled - found.resampled)
    assert difference.estimate[0] == other.value - found.value
    for one, error in ((found.metric, TypeError), (one_part("expected_risk", p, np.arange(K)), ValueError)):
        refused(r"other must (be Merged|have the same resamples, 2000 of cases)", found.minus, one, error=error)


def test_resamples_need_and_know_ids(rng):
    no_part(r"case_ids must be given for resamples.*Got None", "annotation_certainty", [[0.5, 0.5]], n_resamples=3)
    no_part(r"case_ids must be 1 ids, one per case. Got 2", "annotation_certainty", [[0.5, 0.5]], n_resamples=3, case_ids=[1, 2])
    no_part("clusters must be given with n_resamples", "annotation_certainty", [[0.5, 0.5]], clusters=["a"])
    refused("be 'analytic' for a state without resamples", one_part("annotation_certainty", [[0.5, 0.5]]).interval)
    labels = ugt.Labels.from_counts(rng.integers(0, 4, (9, 3)) + 1, case_ids=[f"x{i}" for i in range(9)])
    named = states.partial("annotation_certainty", ugt.dirichlet(labels, prior=1), n_resamples=4)
    alike = ugt.Dirichlet.from_array(labels.counts() + 1.0)
    assert named == states.partial("annotation_certainty", alike, n_resamples=4, case_ids=[f"x{i}" for i in range(9)])


# --- text ---
def test_text_and_back_for_ever(rng, monkeypatch):
    p, scores = rng.dirichlet(np.ones(K), N), rng.random((N, K))
    state = states.partial("ua_topk_accuracy", p, scores, k=2, case_ids=np.arange(N), n_resamples=3)
    again = states.State.from_json(state.to_json())
    assert again == state and again != states.partial("ua_topk_accuracy", p, scores, k=2)
    assert repr(again).startswith("State(metric='ua_topk")
    for name, table in state.sums.items():
        assert table.tobytes() == again.sums[name].tobytes()
    assert states.finish(again).value == states.finish(state).value
    state = states.State.from_json(VERSION_2)
    assert states.finish(state).value == 0.8 and states.finish(state).left_out == {"case without annotations": 1}
    new = states.partial("annotation_certainty", [[0.6, 0.4], [0.3, 0.7]], k=1)
    both = states.finish(states.merge([state, new]))
    assert both.n_cases == 4 and both.value == pytest.approx((1.6 + 2.0) / 4)  # a Point is certain of its best class
    assert sorted(state_module.UPGRADES) == list(range(state_module.FIRST, state_module.VERSION))
    monkeypatch.setattr(state_module, "VERSION", 4)
    renamed = {2: lambda d: {**d, "metric": d["metric"].upper()}, 3: lambda d: {**d, "metric": d["metric"].lower()}}
    monkeypatch.setattr(state_module, "UPGRADES", renamed)
    state = states.State.from_json(VERSION_2)
    assert state.metric == "annotation_certainty" and json.loads(state.to_json())["ugt_state"] == 4


VERSION_2 = (
    '{"ugt_state": 2, "metric": "annotation_certainty", "settings": {"options": {"k": 1, "kind": "set", "groups": null, "group_rule": '
    '"sum", "ties": "expectation"}, "numbers": ["mc_error"], "n_draws": 0, "n_resamples": 0}, "n_cases": 2, '
    '"left_out": {"case without annotations": 1}, "sums": {"sums": [[1.6], [2.0]], "squares": '
    '[[[1.4500000000000002], [1.6]], [[1.6], [2.0]]], "fixed": [[0.0]]}, "replicates": {}}'
)


INTRA = states.partial("intra_annotator_agreement", ugt.Labels.from_wide([[0, 1]], classes=2)).to_json()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "text must be the JSON of a state. Got JSONDecodeError"),
        (None, "text must be the JSON of a state. Got TypeError"),
        ("[1]", "with its version as 'ugt_state'. Got None"),
        ('{"ugt_state": true}', "with its version as 'ugt_state'. Got True"),
        ('{"ugt_state": 99}', "be of version 2 or earlier: it was written by a later ugt. Got 99"),
        ('{"ugt_state": 1}', "be of version 2 or later. Got 1"),
        ('{"ugt_state": 2}', "be that of a whole state"),
        (VERSION_2.replace('"n_cases": 2', '"n_cases": -2'), "n_cases must be a whole number"),
        (VERSION_2.replace("1.45", "NaN, 1.45"), "tables of finite numbers"),
        (VERSION_2.replace('[1.6], [2.0]], "squ', '[1.6], []], "squ'), "tables of finite numbers"),
        (VERSION_2.replace("[[0.0]]}", '[["x"]]}'), "tables of finite numbers"),
        (VERSION_2.replace('"metric": "annotation', '"metric": "no'), "whose sums fit its metric. Got ValueError: metric must be one of"),
        (INTRA.replace('"sums": [[', '"sums": [[1.0], ['), "whose sums fit its metric. Got ValueError: sums must be 10. Got 11"),
        (VERSION_2.replace('"sums": [[', '"sum": [['), "whose sums fit its metric. Got KeyError: 'sums'"),
        (VERSION_2.replace('[[1.6], [2.0]], "squ', '[[1.6]], "squ'), "whose sums fit its metric. Got IndexError"),
    ],
)
def test_damaged_text(text, message):
    refused(message.replace("(", r"\("), states.State.from_json, text)


# --- what does not fit together ---
def test_only_what_was_made_alike_is_merged(rng):
    p = [[0.6, 0.4], [0.3, 0.7]]
    one = states.partial("ua_topk_accuracy", p, p)
    for other, message in (
        (states.partial("annotation_certainty", p), "one metric, 'ua_topk_accuracy'. Got 'annotation_certainty', first at state 1"),
        (states.partial("ua_topk_accuracy", p, p, k=2), "with the same options"),
        (states.partial("ua_topk_accuracy", p, p, case_ids=[1, 2], n_resamples=2), "with the same n_resamples, 0. Got 2"),
    ):
        refused(message, states.merge, [one, other])
    refused(r"states must be State. Got float", states.merge, [one, 0.5], error=TypeError)
    refused("state must be a State", states.finish, 0.5, error=TypeError)
    refused(r"states must be at least one. Got none", states.merge, [])
    no_part("metric must be one of 'alternative_annotator_test'", "accuracy", p, p)
    draws = [ugt.Draws.from_array(rng.dirichlet(np.ones(K), (3, n))) for n in (10, 20)]
    parts = [states.partial("ua_topk_accuracy", one, rng.random((3, K))) for one in draws]
    refused(r"the same n_draws, 10\. Got 20", states.merge, parts)
    no_part(r"have a finite score in every case.*Got inf, first at row 1", "histogram_log_loss", [[1, 1], [2, 0]], [[0.5, 0.5], [0.0, 1.0]])
    no_part("knows no option 'weights'", "soft_auroc", [0.1, 0.9], [0.2, 0.3], weights=[1, 2], error=TypeError)
    no_part("knows no option 'level'", "discrepancy_ratio", [[0, 1]], [1], level=0.9, error=TypeError)


def test_nothing_left_and_no_positives():
    empty = ugt.dirichlet(ugt.Labels.from_counts([[0, 0]]))
    state = states.partial("annotation_certainty", empty)
    with pytest.warns(RuntimeWarning, match="undefined: no case is left"):
        found = states.finish(state)
    assert math.isnan(found.value) and found.reason == "no case is left" and found.left_out == {"case without annotations": 1}
    with pytest.warns(RuntimeWarning, match="undefined: no class has both"):
        found = one_part("soft_auroc", [0.0, 0.0], [0.1, 0.2])
    assert math.isnan(found.value) and found.reason == "no class has both positives and negatives"


# --- small groups ---
def test_states_hold_no_case_and_no_small_groups(rng):
    p, q = [[0.6, 0.4], [0.3, 0.7]], [0.1, 0.9, 0.95]
    state = states.partial("annotation_certainty", p, min_cases=2)
    no_part(r"at least min_cases = 3 cases.*Got 2 cases", "annotation_certainty", p, min_cases=3)
    refused("at least min_cases = 5 cases", states.merge, [state, state], min_cases=5)
    assert states.merge([state, state], min_cases=4).n_cases == 4
    refused("at least min_cases = 3 cases", states.finish, state, min_cases=3)
    no_part("Got 3 cases, and 1 groups of fewer, the smallest of 1", "soft_auroc", [0, 1, 1], q, edges=2, min_cases=2)
    no_part("min_cases must be a whole number", "annotation_certainty", p, min_cases=-1)
    few, many = (states.partial("ua_topk_accuracy", rng.dirichlet(np.ones(K), n), rng.random((n, K))) for n in (10, 10_000))
    assert few.n_sums <= many.n_sums <= 3 * few.n_sums  # a few more doubles a sum, whatever the number of cases
    assert len(many.to_json()) < 1000


# --- ranking ---
@pytest.mark.parametrize("metric", ["soft_auroc", "soft_average_precision"])
@pytest.mark.parametrize("kind", ["soft", "hard", "tied"])
def test_bins_bound_the_exact_value(metric, kind, rng):
    n = 3000
    p = rng.random(n) if kind == "soft" else (rng.random(n) < 0.2) * 1.0
    scores = 1 / (1 + np.exp(-(p + rng.normal(size=n))))
    scores = scores.round(2) if kind == "tied" else scores
    exact, width = public(metric)(p, scores), []
    for n_bins in (2, 30, 500, 20_000):
        found = one_part(metric, p, scores, edges=n_bins)
        for value, name in ((exact.value, ""), (exact.hard, "hard ")):
            low, high = found.numbers[f"{name}low"], found.numbers[f"{name}high"]
            assert low - 1e-12 <= value <= high + 1e-12
            assert low <= (found.numbers["hard"] if name else found.value) <= high
        width.append(found.numbers["high"] - found.numbers["low"])
        assert "per_class" not in found.numbers
    assert (np.diff(width) < 1e-12).all() and (width[-1] < 0.01 or kind == "tied")


@pytest.mark.parametrize("metric", ["soft_auroc", "soft_average_precision"])
@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_one_bin_a_score_is_exact(metric, average, rng):
    p, scores = rng.dirichlet(np.ones(3), 50), rng.permutation(150).reshape(50, 3) / 150
    exact = public(metric)(p, scores, average=average)
    edges = (np.arange(150) + 0.5) / 150
    parts = [states.partial(metric, p[part], scores[part], average=average, edges=edges) for part in cuts(rng, 50)]
    found = states.finish(merged(rng, parts))
    values = [found.value, *(found.numbers[name] for name in ("low", "high", "hard"))]
    assert values == pytest.approx([*[exact.value] * 3, exact.hard], rel=1e-12)
    np.testing.assert_allclose(found.numbers["per_class"], exact.per_class, rtol=1e-12)


def test_ties_in_bins_and_two_rankings_of_each_case(rng):
    p, scores = rng.random(200), rng.integers(0, 5, 200).astype(float)
    found = one_part("soft_average_precision", p, scores, edges=[0.5, 1.5, 2.5, 3.5])
    assert found.value == pytest.approx(ugt.soft_average_precision(p, scores, ties="expected").value, rel=1e-12)
    data = Data(rng)
    kept = [i for i in range(N) if len(data.nested[i]) and len(data.others[i])]
    first, second = ([data_of[i][0] for i in kept] for data_of in (data.nested, data.others))
    truth = ugt.agreement.partial_average_overlap(first, second, 2, n_classes=K)
    halves = [slice(0, 10), slice(10, None)]
    found = states.merge([states.partial("partial_average_overlap", first[h], second[h], depth=2, n_classes=K) for h in halves])
    assert states.finish(found).value == pytest.approx(truth.value, rel=1e-13)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"edges": 1}, "edges must be a whole number from 2"),
        ({"edges": [1.0, 1.0]}, "edges must be a number of bins"),
        ({"edges": [np.nan]}, "edges must be a number of bins"),
        ({"average": "micro"}, "average must be one of"),
        ({"self_pairs": "no"}, "self_pairs must be one of"),
        ({"threshold": 2}, "threshold must be from 0 to 1"),
    ],
)
def test_options_of_ranking(options, message):
    no_part(message, "soft_auroc", [0.1, 0.9], [0.2, 0.3], **options)


@pytest.mark.parametrize("columns", [1, 3])
def test_a_part_without_truth_is_left_out(columns, rng):
    p, scores = rng.random((40, columns)), rng.random((40, columns))
    p[10:20] = np.nan
    p, scores = (p[:, 0], scores[:, 0]) if columns == 1 else (p, scores)
    for metric in ("soft_auroc", "soft_average_precision"):
        cut = [slice(0, 10), slice(10, 20), slice(20, 40)]
        truth = public(metric)(p, scores)
        found = states.finish(states.merge([states.partial(metric, p[part], scores[part], edges=10) for part in cut]))
        assert found.numbers["low"] <= truth.value <= found.numbers["high"] and found.left_out == dict(truth.left_out)
        exact = states.compute(metric, parts=[(p[part], scores[part]) for part in cut])
        assert exact.value == pytest.approx(truth.value, rel=1e-13) and exact.left_out == dict(truth.left_out)
        with pytest.warns(RuntimeWarning, match="undefined"):
            assert math.isnan(states.compute(metric, p[10:20], scores[10:20]).value)


# --- two hospitals ---
def test_two_hospitals_get_the_pooled_answer_from_text(rng):
    """Different annotators, numbers of them and readers' gaps; a patient who was in both."""
    votes = [rng.integers(0, 3, (50, 4)).astype(float), rng.integers(0, 3, (70, 3)).astype(float)]
    votes[1][rng.random(votes[1].shape) < 0.2] = np.nan
    model = [rng.integers(0, 3, len(table)) for table in votes]
    patients = [[f"patient {i // 2 + 20 * j}" for i in range(len(table))] for j, table in enumerate(votes)]

    cells = [(j, i, a, x) for j, table in enumerate(votes) for i, row in enumerate(table) for a, x in enumerate(row) if not math.isnan(x)]
    rows = [[(f"{j}-{i}", f"reader {j}-{a}", int(x)) for j, i, a, x in cells if j == where] for where in range(2)]
    options = {"n_resamples": 50, "seed": 1}
    for metric, more in (
        ("discrepancy_ratio", {"distance": "zero-one"}),
        ("fleiss_kappa", {}),
        ("krippendorff_alpha", {"level": "ordinal"}),
    ):

        def state(some, predicted, clusters, metric=metric, more=more):
            data = (some,) if metric != "discrepancy_ratio" else (some, predicted)
            return states.partial(metric, *data, clusters=clusters, **options, **more)

        each = [ugt.Labels.from_long(*zip(*part), classes=3) for part in rows]
        by_case = [dict(zip((f"{j}-{i}" for i in range(200)), zip(model[j].tolist(), patients[j]))) for j in range(2)]
        known = [[by_case[j][case] for case in part.axes.case_ids.tolist()] for j, part in enumerate(each)]
        sent = [state(part, [m for m, _ in k], [c for _, c in k]).to_json() for part, k in zip(each, known)]
        every = ugt.Labels.from_long(*zip(*rows[0], *rows[1]), classes=3)
        together = [*known[0], *known[1]]
        pooled = states.finish(state(every, [m for m, _ in together], [c for _, c in together]))
        found = states.finish(states.merge(states.State.from_json(text) for text in sent))
        data = (every,) if metric != "discrepancy_ratio" else (every, [m for m, _ in together])
        assert found.value == pytest.approx(public(metric)(*data, **more).value, abs=1e-12)
        assert found.n_cases == pooled.n_cases and found.units == "clusters"
        np.testing.assert_allclose(found.resampled, pooled.resampled, rtol=0, atol=1e-12)
        assert found.interval() == pytest.approx(pooled.interval(), abs=1e-12)


def refused_with_other_classes(metric, make, **options):
    """Parts of two classes, of three, and of the two in another order: whatever is merged has the same classes in the same order."""
    names = ["no", "yes"], ["no", "yes", "maybe"], ["yes", "no"]
    labels = [ugt.Labels.from_wide([["no", "yes"], ["yes", "yes"]], classes=own, case_ids=["a", "b"]) for own in names]
    parts = [states.partial(metric, *make(one), **options) for one in labels]
    for other, own in zip(parts[1:], names[1:]):
        with pytest.raises(ValueError, match="states must be made with the same classes") as found:
            states.merge([parts[0], other])
        assert str(names[0]) in str(found.value) and str(own) in str(found.value)
    states.merge([parts[0], parts[0]])


@pytest.mark.parametrize(
    "metric",
    ["ua_topk_accuracy", "ua_overlap", "ua_coverage", "annotation_certainty", "discrepancy_ratio", "histogram_brier_score", "fleiss_kappa",
     "leave_one_annotator_out", "alternative_annotator_test", "disagreement_losses", "manhattan_distance"],
)  # fmt: skip
def test_states_of_other_classes_are_refused(metric):
    def make(labels):
        table = np.full((2, labels.n_classes), 1 / labels.n_classes)
        post = ugt.dirichlet(labels)
        return {
            "annotation_certainty": (post,), "discrepancy_ratio": (labels, ["no", "yes"]),
            "alternative_annotator_test": (labels, ["no", "yes"]),
            "ua_coverage": (post, table > 0), "fleiss_kappa": (labels,),
            "leave_one_annotator_out": (labels,), "histogram_brier_score": (labels, table), "manhattan_distance": (labels, table),
            "disagreement_losses": (labels, [0.5, 0.5]),
        }.get(metric, (post, table))  # fmt: skip

    distance = {"distance": "zero-one"} if metric in ("discrepancy_ratio",) else {}
    refused_with_other_classes(metric, make, **{**distance, **({"k": 1} if metric == "ua_overlap" else {})})


def test_tables_without_names_of_other_classes_are_refused():
    parts = [states.partial("ua_topk_accuracy", np.full((2, k), 1 / k), np.eye(k)[:2]) for k in (2, 3)]
    with pytest.raises(ValueError, match="classes of the data, 2"):
        states.merge(parts)
    scores = [[0.1, 0.9], [0.8, 0.2]]
    with pytest.raises(ValueError, match="parts must have the same classes in the same order, 2"):
        states.compute("soft_auroc", parts=[(scores, scores), (np.eye(3)[:2], np.eye(3)[:2])])
    labels = [ugt.Labels.from_wide([["no", "yes"], ["yes", "yes"]], classes=own) for own in (["no", "yes"], ["yes", "no"])]
    with pytest.raises(ValueError, match=r"\['no', 'yes'\]. Got \['yes', 'no'\], first at part 1"):
        states.compute("soft_auroc", parts=[(one, scores) for one in labels])
