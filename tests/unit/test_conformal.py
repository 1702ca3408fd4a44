"""Prediction sets: scores and labels to the last bit of a slow twin, p-values as fractions, the published quantile by brute force."""

import json
import pickle
import warnings
from fractions import Fraction

import numpy as np
import pytest
import scipy.stats
from refusals import refused, warned
from twins import conformal as twin

import ugt
from ugt._base.axes import Axes
from ugt._core import _sets

RNG = np.random.default_rng()
SCORES = ("lac", "aps", "raps")
NAN = float("nan")


@pytest.fixture(autouse=True)
def _fresh():
    """Every test has its own random numbers, in whatever order tests run."""
    RNG.bit_generator.state = np.random.default_rng(7).bit_generator.state


def keys(n, case_ids=None):
    return [int(key) for key in Axes.of(n, 2, case_ids).stream_keys]


def probabilities(n, k, seed, ties=True):
    """Rows of all kinds: smooth, with ties, with zeros, one-hot."""
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(k, 0.7), n)
    if ties:
        p[::3] = rng.integers(0, 3, (len(p[::3]), k)) + np.eye(k)[rng.integers(0, k, len(p[::3]))]
        p[1::7] = np.eye(k)[rng.integers(0, k, len(p[1::7]))]
    return p / p.sum(1, keepdims=True)


# ---- scores
@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("randomized", [True, False])
def test_scores_are_those_of_the_slow_twin(score, randomized):
    p = probabilities(40, 6, 1)
    options = {"randomized": randomized, "penalty": 0.1, "k_reg": 2}
    found = ugt.conformal.conformal_scores(p, score, seed=3, **options)
    for i, key in enumerate(keys(40)):
        assert found[i].tolist() == twin.scores(p[i].tolist(), score, seed=3, key=key, **options)


def test_last_classes_tie_without_random_numbers():
    """Their score is 1 in every case; rounding gave them 0.9999999999999998 to 1.0000000000000002, and p-values from 0.03 to 0.2."""
    p = probabilities(400, 5, 3)
    p /= p.sum(axis=1, keepdims=True)
    single = p.astype(np.float32)
    for table in (p, single):
        last = table.argmin(axis=1)
        found = ugt.conformal.conformal_scores(table, "aps", randomized=False)
        assert set(found[np.arange(400), last].tolist()) == {1.0}
        assert (found <= 1).all()
    truth = np.random.default_rng(1).integers(0, 5, 60)
    model = ugt.conformal.SplitConformal("aps", alpha=0.2, randomized=False).fit(p[:60], truth)
    found = model.p_values(p[60:])[np.arange(340), p[60:].argmin(axis=1)]
    n_last = int((ugt.conformal.conformal_scores(p[:60], "aps", randomized=False)[np.arange(60), truth] == 1).sum())
    assert np.unique(found).tolist() == pytest.approx([(1 + n_last) / 61])


def test_scores_by_hand():
    p = [[0.1, 0.4, 0.1, 0.4]]
    for score, expected in (("lac", [0.9, 0.6, 0.9, 0.6]), ("aps", [1, 0.8, 1, 0.8]), ("raps", [1.6, 1.0, 1.6, 1.0])):
        found = ugt.conformal.conformal_scores(p, score, randomized=False, penalty=0.2, k_reg=1)
        np.testing.assert_allclose(found, [expected], atol=1e-15)
    # k_reg of 4: nothing is punished
    np.testing.assert_allclose(ugt.conformal.conformal_scores(p, "raps", randomized=False, penalty=9, k_reg=4), [[1, 0.8, 1, 0.8]])


def test_random_scores_are_uniform_where_the_model_is_right():
    """The randomised score of a label drawn from the model is uniform, with ties and zeros too. False alarm: 1e-9 (Kolmogorov)."""
    rng = np.random.default_rng(5)
    p = np.array([[0.3, 0.3, 0.3, 0.1, 0.0]] * 20_000)
    labels = (p.cumsum(1) < rng.random((len(p), 1))).sum(1)
    s = ugt.conformal.conformal_scores(p, "aps", seed=1)[np.arange(len(p)), labels]
    assert scipy.stats.kstest(s, "uniform").pvalue > 1e-9
    # tied classes are first equally often
    first = ugt.conformal.conformal_scores(p, "aps", seed=1)[:, :3].argmin(1)
    assert scipy.stats.chisquare(np.bincount(first, minlength=3)).pvalue > 1e-9


def test_random_numbers_belong_to_the_case():
    p = probabilities(30, 4, 2)
    ids = [f"p{i}" for i in range(30)]
    found = ugt.conformal.conformal_scores(p, "aps", case_ids=ids, seed=4)
    order = RNG.permutation(30)
    np.testing.assert_array_equal(ugt.conformal.conformal_scores(p[order], "aps", case_ids=[ids[i] for i in order], seed=4), found[order])
    assert (ugt.conformal.conformal_scores(p, "aps", case_ids=ids, seed=5) != found).any()
    many = np.tile(p, (3000, 1))
    alone = ugt.conformal.conformal_scores(many, "aps")
    with ugt.resampling.threads(3):
        np.testing.assert_array_equal(ugt.conformal.conformal_scores(many, "aps"), alone)


def test_two_classes_by_one_column_and_other_types():
    p = np.array([0.2, 0.9, 0.5])
    both = np.stack([1 - p, p], 1)
    np.testing.assert_array_equal(ugt.conformal.conformal_scores(p), ugt.conformal.conformal_scores(both))
    halves = np.array([[0.5, 0.25, 0.25], [0.125, 0.75, 0.125]])
    for table in (halves.astype(np.float32), np.asfortranarray(halves), halves.astype(">f8"), halves.tolist()):
        np.testing.assert_array_equal(ugt.conformal.conformal_scores(table, "raps"), ugt.conformal.conformal_scores(halves, "raps"))


# ---- sampled labels
def test_labels_are_those_of_the_slow_twin():
    p = probabilities(25, 5, 3) * 7.3
    out = np.empty((25, 30), np.int32)
    _sets.labels(p, np.array(keys(25), np.uint64), 9, 2, out)
    for i, key in enumerate(keys(25)):
        assert out[i].tolist() == twin.labels(p[i].tolist(), 30, 9, key, 2)
        assert (p[i][out[i]] > 0).all()


def test_labels_have_the_frequencies_of_their_plausibilities():
    """False alarm: 1e-9 (chi square)."""
    p = np.array([[0.0, 0.5, 0.2, 0.0, 0.3, 0.0]])
    out = np.empty((1, 100_000), np.int32)
    _sets.labels(p, np.zeros(1, np.uint64), 1, 2, out)
    count = np.bincount(out[0], minlength=6)
    assert count[[0, 3, 5]].sum() == 0
    assert scipy.stats.chisquare(count[[1, 2, 4]], 100_000 * p[0, [1, 2, 4]]).pvalue > 1e-9


def test_kernels_refuse_what_does_not_fit():
    one = np.zeros(1, np.uint64)
    refused(r"fit together", _sets.scores, 1, True, 0.0, 0, 0, 0, np.ones((2, 2)), one, np.ones((2, 2)))
    refused(r"kind", _sets.scores, 3, True, 0.0, 0, 0, 0, np.ones((1, 2)), one, np.ones((1, 2)))
    refused(r"fit together", _sets.labels, np.ones((2, 2)), one, 0, 0, np.ones((2, 2), np.int32))


# ---- p-values and sets
def calibration(p, truth, m, score, seed, group, class_group):
    """Scores and categories of the twin's sampled labels, and of one more label each."""
    found, more = [], []
    for i, key in enumerate(keys(len(p))):
        s = twin.scores(p[i].tolist(), score, seed=seed, key=key)
        sampled = twin.labels(truth[i].tolist(), m, seed, key), twin.labels(truth[i].tolist(), 1, seed, key, twin.HELD_OUT)
        rows = [[(s[k], (group[i], class_group[k])) for k in labels] for labels in sampled]
        found.append(rows[0])
        more.append(rows[1][0])
    return found, more


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("m", [1, 4])
@pytest.mark.parametrize("by", ["all", "class", "class groups", "groups", "both"])
@pytest.mark.parametrize("correction", ["none", "ecdf"])
@pytest.mark.filterwarnings("ignore:too few:RuntimeWarning")
def test_p_values_are_those_of_the_slow_twin(score, m, by, correction):
    n, k, seed = 24, 3, 11
    p, truth, new = probabilities(n, k, 4), probabilities(n, k, 5), probabilities(12, k, 6)
    class_group = {"class": [0, 1, 2], "both": [0, 1, 2], "class groups": [0, 1, 0]}.get(by, [0, 0, 0])
    given = {"class": "each", "both": "each", "class groups": [0, 1, 0]}.get(by)
    group, new_group = (([0, 1, 1] * n)[:n], [1, 0] * 6) if by in ("groups", "both") else ([0] * n, [0] * 12)
    names = np.array(["north", "south"])
    groups, new_groups = (names[group], names[new_group]) if by in ("groups", "both") else (None, None)
    model = ugt.conformal.MonteCarloConformal(score, 0.2, m=m, correction=correction, class_groups=given, seed=seed)
    model.fit(p, truth, groups=groups)
    labelled, more = calibration(p, truth, m, score, seed, group, class_group)
    out = model._held_out(n, seed)
    assert out.sum() == model.n_held_out_ == (12 if correction == "ecdf" else 0)
    expected = []
    for i, key in enumerate(keys(12)):
        s = twin.scores(new[i].tolist(), score, seed=seed, key=key, chain=twin.PREDICTED)
        row = []
        for c in range(k):
            category, kept = (new_group[i], class_group[c]), [labelled[j] for j in range(n) if not out[j]]
            if correction == "none":
                row.append(twin.p_value(s[c], kept, category))
            else:
                row.append(twin.corrected(s[c], kept, [more[j] for j in range(n) if out[j]], category))
        expected.append(row)
    found = model.p_values(new, groups=new_groups)
    np.testing.assert_allclose(found, [[float(x) for x in row] for row in expected], rtol=1e-14)
    # sets are those of p > alpha, also where they are equal
    for alpha in (Fraction(1, 5), Fraction(1, 3), expected[0][0], expected[3][1], expected[5][2]):
        if 0 < alpha < 1:
            mask = model.predict_sets(new, alpha=float(alpha), groups=new_groups).mask()
            np.testing.assert_array_equal(mask, [[x > alpha for x in row] for row in expected])


@pytest.mark.slow
@pytest.mark.parametrize("n, m", [(1, 1), (9, 1), (10, 1), (19, 3), (20, 7), (33, 10)])
@pytest.mark.filterwarnings("ignore:too few:RuntimeWarning")
def test_threshold_is_the_published_quantile(n, m):
    """⌊alpha m (n + 1)⌋ - m + 1 of the n m scores, and the largest set of p > alpha, by brute force."""
    p, truth = probabilities(n, 4, n), probabilities(n, 4, n + 1)
    model = ugt.conformal.MonteCarloConformal("aps", m=m, seed=2).fit(p, truth)
    rows, _ = calibration(p, truth, m, "aps", 2, [0] * n, [0] * 4)
    pool = [s for row in rows for s, _ in row]
    for numerator in range(1, 100):
        alpha = Fraction(numerator, 100)
        expected = twin.threshold(pool, n, m, alpha)
        assert model.thresholds(float(alpha)).tolist() == [[expected]]
        above = [s for s in pool if Fraction(m + sum(x >= s for x in pool), m * (n + 1)) > alpha]
        smallest = Fraction(1, n + 1)
        assert expected == (float("inf") if smallest > alpha else max(above))


@pytest.mark.parametrize("class_groups", [None, "each", [0, 0, 1, 1]])
@pytest.mark.filterwarnings("ignore:too few:RuntimeWarning")
def test_one_hot_plausibilities_are_plain_split_conformal(class_groups):
    p, new = probabilities(50, 4, 1), probabilities(30, 4, 2)
    labels = RNG.integers(0, 4, 50)
    for score in SCORES:
        plain = ugt.conformal.SplitConformal(score, 0.15, class_groups=class_groups, seed=5).fit(p, labels)
        for truth in (np.eye(4)[labels], ugt.Point.from_array(np.eye(4)[labels]), ugt.Labels.from_counts(3 * np.eye(4, dtype=int)[labels])):
            for m in (1, 13):
                model = ugt.conformal.MonteCarloConformal(score, 0.15, m=m, class_groups=class_groups, seed=5).fit(p, truth)
                np.testing.assert_array_equal(model.p_values(new), plain.p_values(new))
                np.testing.assert_array_equal(model.thresholds(), plain.thresholds())
                np.testing.assert_array_equal(model.predict_sets(new).mask(), plain.predict_sets(new).mask())


def test_split_takes_labels_and_their_case_ids():
    p, new = probabilities(20, 3, 1), probabilities(9, 3, 2)
    label, ids = RNG.integers(0, 3, 20), [f"c{i}" for i in range(20)]
    labels = ugt.Labels.from_long(ids, ["ann"] * 20, label.tolist(), classes=["a", "b", "c"])
    found = ugt.conformal.SplitConformal(alpha=0.2).fit(p, labels)
    plain = ugt.conformal.SplitConformal(alpha=0.2).fit(p, label, case_ids=ids)
    np.testing.assert_array_equal(found.p_values(new), plain.p_values(new))
    assert found.predict_sets(new).names(0) == [["a", "b", "c"][k] for k in plain.predict_sets(new)[0]]


def test_truth_of_every_kind():
    """A posterior or draws give labels of their means; annotations those of their shares; undefined cases are left out."""
    counts = RNG.integers(1, 5, (40, 3))
    counts[5] = 0
    p, new = probabilities(40, 3, 1), probabilities(10, 3, 2)
    fit = lambda truth, q=p, **options: ugt.conformal.MonteCarloConformal(m=5, seed=3, **options).fit(q, truth)  # noqa: E731
    labels = ugt.Labels.from_counts(counts)
    found = fit(labels)
    assert found.left_out_ == {"case without annotations": 1} and found.n_cases_ == 39
    with np.errstate(invalid="ignore"):
        shares = counts / counts.sum(1, keepdims=True)
    np.testing.assert_array_equal(found.p_values(new), fit(shares).p_values(new))
    posterior = ugt.dirichlet(labels, prior=0.5)
    np.testing.assert_array_equal(fit(posterior).p_values(new), fit(posterior.mean()).p_values(new))
    draws = RNG.dirichlet(np.ones(3), (40, 8))
    np.testing.assert_array_equal(fit(draws).p_values(new), fit(ugt.Draws.from_array(draws).mean()).p_values(new))
    # the case that is left out takes no random numbers from the others
    kept = np.arange(40) != 5
    again = ugt.conformal.MonteCarloConformal(m=5, seed=3).fit(p[kept], shares[kept], case_ids=np.flatnonzero(kept))
    np.testing.assert_array_equal(again.p_values(new), found.p_values(new))


def test_too_few_cases_give_all_classes_and_say_so():
    p, truth, new = probabilities(8, 3, 1), probabilities(8, 3, 2), probabilities(5, 3, 3)
    for model, given in (
        (ugt.conformal.SplitConformal(alpha=0.1), np.zeros(8, int)),
        (ugt.conformal.MonteCarloConformal(alpha=0.1), truth),
    ):
        warned(r"too few calibration labels for alpha = 0.1: all classes are in every set", model.fit, p, given)
        assert model.thresholds().tolist() == [[np.inf]]
        assert (model.predict_sets(new).sizes == 3).all()
        warned(r"alpha = 0.01", model.predict_sets, new, alpha=0.01)
    # nine cases are enough at 0.1 with one label each: r = 1
    assert np.isfinite(ugt.conformal.SplitConformal(alpha=0.1).fit(probabilities(9, 3, 1), np.zeros(9, int)).thresholds()).all()
    # a class that never occurs
    with pytest.warns(RuntimeWarning, match=r"in 1 of 3 groups: all classes there"):
        model = ugt.conformal.SplitConformal(alpha=0.2, class_groups="each").fit(probabilities(40, 3, 1), np.arange(40) % 2)
    assert np.isposinf(model.thresholds()).tolist() == [[False, False, True]]
    assert model.predict_sets(new).mask()[:, 2].all()
    assert (model.p_values(new)[:, 2] == 1).all()


def test_empty_sets_are_counted_or_filled():
    p = np.full((60, 4), 0.25)
    p[:40] = [0.97, 0.01, 0.01, 0.01]
    model = ugt.conformal.SplitConformal("lac", 0.5).fit(p[:40], np.zeros(40, int))
    sets = model.predict_sets(p[40:])
    assert sets.n_empty == 20 and sets.mean_size == 0
    model.set_params(allow_empty=False)
    filled = model.predict_sets(np.array([[0.2, 0.3, 0.4, 0.1], [0.25] * 4]))
    assert [row.tolist() for row in filled] == [[2], [0]]


def test_same_bytes_for_any_number_of_threads():
    p, truth = probabilities(3000, 150, 1, ties=False), probabilities(3000, 150, 2, ties=False)

    def numbers():
        model = ugt.conformal.MonteCarloConformal("raps", m=9, correction="ecdf", seed=8).fit(p, truth)
        return model.to_json(), model.p_values(p).tobytes(), model.predict_sets(p).index.tobytes()

    one = numbers()
    with ugt.resampling.threads(4):
        assert numbers() == one


def test_calibration_and_prediction_draw_different_numbers():
    """Else the u of a new case without an id would be that of a calibration case."""
    p = np.full((200, 2), 0.5)
    model = ugt.conformal.SplitConformal("aps", 0.1).fit(p, np.zeros(200, int))
    own = ugt.conformal.conformal_scores(p, "aps")[:, 0]
    place = 1 + (own[:, None] <= own).sum(1)
    assert (model.p_values(p)[:, 0] != place / 201).mean() > 0.9


# ---- conventions of scikit-learn; JSON


INT, FLOAT = ({"dtype": dtype} for dtype in ("int64", "float64"))
DAMAGED = [
    ("n_classes_", (0, -1, 4, 1.5, 10**400, None)),
    ("n_cases_", (-1, "x", 10**400)),
    ("m_", (-1, True)),
    ("classes_", ([0, 1], [0, 0, 1], [0, 1, "x"], [0, 1, None], "abc")),
    ("left_out_", ({"x": -1}, {"x": "y"}, [])),
    ("rule_", ({}, {"score": "lac"}, [])),
    ("groups_", ([], ["even", "even"], ["even"], "even", [{}, 1])),
    ("class_group_", ({"array": [0, 1], **INT}, {"array": [0, 1, 2**31], **INT}, {"array": 3, **INT}, {"array": [0, 2, 2], **INT})),
    ("base_p_", ({"array": [0.5], **FLOAT}, {"array": [0.5, 0.5, 0.5, 1.5], **FLOAT}, {"array": [[0.5] * 4], **FLOAT})),
    ("level_offsets_", ({"array": [0, 1], **INT}, {"array": [0, 5, 3, 2, 1], **INT}, {"array": [0.0] * 5, **FLOAT})),
    ("level_score_", ({"array": [0.5], **FLOAT}, {"array": ["nan"], **FLOAT})),
    ("level_p_", ({"array": [], **FLOAT}, {"array": ["nan"], **FLOAT})),
]


def test_json_that_no_fit_finds():
    p, groups = probabilities(40, 3, 1), np.where(np.arange(40) % 2, "odd", "even")
    model = ugt.conformal.MonteCarloConformal("lac", 0.2, m=2, class_groups=[0, 1, 1]).fit(p, p, groups=groups)
    held = json.loads(model.to_json())
    for name, values in DAMAGED:
        for value in values:
            text = json.dumps({**held, "fitted": {**held["fitted"], name: value}})
            with pytest.raises(ValueError, match=r"^source must have .* of a MonteCarloConformal\. Got"):
                ugt.conformal.MonteCarloConformal.from_json(text)
        lacking = {key: value for key, value in held["fitted"].items() if key != name}
        refused(
            f"source must have all fitted numbers of a MonteCarloConformal. Got no {name}",
            ugt.conformal.MonteCarloConformal.from_json,
            json.dumps({**held, "fitted": lacking}),
        )
    for name in ("level_score_", "level_p_"):  # in the wrong order
        array = {**held["fitted"][name], "array": held["fitted"][name]["array"][::-1]}
        text = json.dumps({**held, "fitted": {**held["fitted"], name: array}})
        refused(f"source must have {name} of a MonteCarloConformal", ugt.conformal.MonteCarloConformal.from_json, text)
    n = len(model.level_score_)
    for ends in ([0, 0, 0, 0, n - 1], [1, 1, 1, 1, n], [0, n, 3, 3, n]):
        text = json.dumps({**held, "fitted": {**held["fitted"], "level_offsets_": {**held["fitted"]["level_offsets_"], "array": ends}}})
        refused("source must have level_offsets_ of a MonteCarloConformal", ugt.conformal.MonteCarloConformal.from_json, text)
    refused("alpha must be", ugt.conformal.MonteCarloConformal.from_json, json.dumps({**held, "params": {"alpha": 10**400}}))


def test_parameters_and_json(tmp_path):
    p, truth = probabilities(40, 3, 1), probabilities(40, 3, 2)
    groups = np.where(np.arange(40) % 2, "odd", "even")
    model = ugt.conformal.MonteCarloConformal(
        "raps", 0.2, m=7, correction="ecdf", penalty=0.3, k_reg=1, class_groups=[0, 1, 1], split=0.6, seed=4
    )
    assert repr(model).startswith("MonteCarloConformal(score='raps', alpha=0.2, m=7, correction='ecdf', split=0.6, class_groups=[0, 1, 1]")
    assert model.get_params()["k_reg"] == 1
    refused(r"must be fitted first", model.predict_sets, p)
    warned(r"too few", model.fit, p, truth, groups=groups)
    text = model.to_json(tmp_path / "model.json")
    json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    for source in (text, tmp_path / "model.json"):
        again = ugt.conformal.MonteCarloConformal.from_json(source)
        np.testing.assert_array_equal(again.p_values(p, groups=groups), model.p_values(p, groups=groups))
        np.testing.assert_array_equal(again.thresholds(), model.thresholds())
    refused(r"source must hold a SplitConformal", ugt.conformal.SplitConformal.from_json, text)
    before = model.p_values(p, groups=groups)
    model.set_params(alpha=0.4, m=1, score="lac", penalty=0.0, randomized=False, seed=1, correction="none", class_groups=None)
    assert model.guarantee == 0.6
    np.testing.assert_array_equal(model.p_values(p, groups=groups), before)  # as it was fitted
    refused(r"params must be among", model.set_params, beta=1)


@pytest.mark.parametrize("correction, m, expected", [("none", 10, 0.7), ("none", 1, 0.85), ("ecdf", 10, 0.85)])
def test_guarantee(correction, m, expected):
    assert ugt.conformal.MonteCarloConformal(alpha=0.15, m=m, correction=correction).guarantee == pytest.approx(expected)
    assert ugt.conformal.SplitConformal(alpha=0.15).guarantee == 0.85
    fitted = ugt.conformal.MonteCarloConformal(alpha=0.15, m=m, correction=correction).fit(GOOD["p"], GOOD["truth"])
    assert fitted.set_params(m=1 + (m == 1)).guarantee == pytest.approx(expected)


def test_clones_of_scikit_learn():
    base = pytest.importorskip("sklearn.base")
    model = ugt.conformal.MonteCarloConformal("raps", 0.3, class_groups=[0, 1, 1]).fit(GOOD["p"], GOOD["truth"])
    again = base.clone(model)
    assert again.get_params() == model.get_params() and not hasattr(again, "rule_")


@pytest.mark.filterwarnings("ignore:chains have not:RuntimeWarning")
def test_draws_of_rankings_as_truth():
    """Draws that hold mentioned classes only."""
    rankings = ugt.Rankings.from_blocks([[[[i % 3], [3]], [[i % 3]]] for i in range(20)], n_classes=5)
    draws = ugt.plackett_luce(rankings, method="gibbs", n_draws=20, n_warmup=20, n_chains=2)
    p, new = probabilities(20, 5, 1), probabilities(6, 5, 2)
    found = ugt.conformal.MonteCarloConformal(alpha=0.3, m=4).fit(p, draws)
    np.testing.assert_array_equal(found.p_values(new), ugt.conformal.MonteCarloConformal(alpha=0.3, m=4).fit(p, draws.mean()).p_values(new))
    regions = ugt.conformal.PlausibilityRegions(alpha=0.3, m=4).fit(p, draws)
    dense = ugt.conformal.PlausibilityRegions(alpha=0.3, m=4).fit(p, draws.draws(20))
    np.testing.assert_array_equal(regions.p_values(new, new), dense.p_values(new, new))


# ---- bad input
GOOD = {"p": np.full((20, 3), 1 / 3), "truth": np.full((20, 3), 1 / 3), "labels": np.zeros(20, int)}


@pytest.mark.parametrize(
    "params, message",
    [
        *(({"alpha": bad}, r"alpha must be a number between 0 and 1\. Got") for bad in (0, 1.0, True, NAN, "0.1")),
        ({"score": "hps"}, r"score must be one of 'lac', 'aps', 'raps'\. Got 'hps'"),
        ({"randomized": 1}, r"randomized must be True or False"),
        ({"penalty": -1}, r"penalty must be a finite number of at least 0"),
        ({"k_reg": 1.5}, r"k_reg must be a whole number"),
        ({"allow_empty": None}, r"allow_empty must be True or False"),
        ({"class_groups": "all"}, r"class_groups must be None, 'each' or 3 integers"),
        ({"class_groups": [0, 1]}, r"class_groups must be 3 integers"),
        ({"class_groups": [0, -1, 1]}, r"class_groups must hold group numbers"),
        ({"seed": -1}, r"seed must"),
        *(({"m": bad}, r"m must be a whole number from 1") for bad in (0, 2.0)),
        ({"correction": "bonferroni"}, r"correction must be one of 'none', 'ecdf'"),
        *(({"correction": "ecdf", "split": bad}, r"^split must be a (share|finite number)") for bad in (1.0, 0.0, 0.999)),
    ],
)
def test_bad_parameters(params, message):
    refused(message, ugt.conformal.MonteCarloConformal(**{"alpha": 0.2, **params}).fit, GOOD["p"], GOOD["truth"])
    if not {"m", "correction"} & set(params):
        refused(message, ugt.conformal.SplitConformal(**{"alpha": 0.2, **params}).fit, GOOD["p"], GOOD["labels"])


def changed(table, at, value):
    table = np.array(table, float)
    table[at] = value
    return table


@pytest.mark.parametrize(
    "p, message",
    [
        *((changed(GOOD["p"], (4, 1), bad), r"predictions must be probabilities from 0.*case 4, class 1") for bad in (NAN, -0.2, np.inf)),
        (changed(GOOD["p"], (7, 0), 0.5), r"predictions must add up to 1.*case 7"),
        (np.full((20, 1), 1.0), r"predictions must have at least 2 classes"),
        *((bad, r"predictions must be numbers of shape") for bad in (np.zeros((0, 3)), [["a"] * 3] * 20, np.full((2, 3, 4), 0.25), None)),
    ],
)
def test_bad_predictions(p, message):
    refused(message, ugt.conformal.MonteCarloConformal(alpha=0.2).fit, p, GOOD["truth"])
    refused(message, ugt.conformal.SplitConformal(alpha=0.2).fit, p, GOOD["labels"])
    refused(message, ugt.conformal.conformal_scores, p)


@pytest.mark.parametrize(
    "truth, kind, message",
    [
        *((changed(GOOD["truth"], (3, 0), bad), ValueError, r"truth must hold finite numbers.*case 3") for bad in (NAN, -1)),
        *((changed(GOOD["truth"], 3, bad), ValueError, r"finite sums above 0.*case 3") for bad in (0, np.inf, 1e308)),
        (np.full((20, 3), NAN), ValueError, r"truth must hold plausibilities for at least one case"),
        (np.full((19, 3), 1 / 3), ValueError, r"truth must be of shape \(20, 3\) like the predictions.*\(19, 3\)"),
        *((bad, ValueError, r"truth must be of shape") for bad in (np.full((20, 4), 1 / 4), ugt.Labels.from_counts([[1, 2, 3]] * 19))),
        (np.full((20, 3), "x"), ValueError, r"truth must be numbers"),
        *((bad, TypeError, r"truth must be plausibilities") for bad in (np.zeros(20, int), "shares", None)),
        (ugt.Rankings.from_blocks([[[[0], [1]]]] * 20, n_classes=3, offered="all"), TypeError, r"Got Rankings: aggregate them first"),
    ],
)
def test_bad_truth(truth, kind, message):
    refused(message, ugt.conformal.MonteCarloConformal(alpha=0.2).fit, GOOD["p"], truth, error=kind)
    refused(message, ugt.conformal.PlausibilityRegions(alpha=0.2).fit, GOOD["p"], truth, error=kind)


@pytest.mark.parametrize(
    "labels, message",
    [
        (np.full(20, 3), r"labels must be class numbers from 0 to 2\. Got 3, first at case 0"),
        (np.where(np.arange(20) == 6, -1, 0), r"Got -1, first at case 6"),
        (np.zeros(20), r"labels must be 20 class numbers.*float64"),
        *((bad, r"labels must be 20 class numbers") for bad in (np.zeros(19, int), np.zeros((20, 3), int), ["a"] * 20)),
        (ugt.Labels.from_counts([[1, 0, 0]] * 19 + [[1, 1, 0]]), r"labels must be one per case.*2 labels, first at case 19"),
        *((ugt.Labels.from_counts(np.outer(np.arange(20) != i, [1, 0, 0])), rf"Got 0 labels, first at case {i}") for i in (0, 19)),
        (ugt.Labels.from_counts([[1, 0]] * 20), r"labels must be of 20 cases and 3 classes"),
    ],
)
def test_bad_labels(labels, message):
    refused(message, ugt.conformal.SplitConformal(alpha=0.2).fit, GOOD["p"], labels)


def test_bad_groups_and_new_cases():
    groups = ["a", "b"] * 10
    model = ugt.conformal.SplitConformal(alpha=0.2).fit(GOOD["p"], GOOD["labels"], groups=groups)
    for given, message in (
        (None, r"groups must be given if and only if the fit had groups\. Got none"),
        (["a"] * 19, r"groups must be 20 ids"),
        (["a"] * 19 + ["c"], r"groups must be groups of the fit\. Got 'c', first at row 19"),
        ([1] * 20, r"groups must be groups of the fit"),
        (["a"] * 19 + [None], r"groups must not be missing"),
    ):
        refused(message, model.predict_sets, GOOD["p"], groups=given)
    plain = ugt.conformal.SplitConformal(alpha=0.2).fit(GOOD["p"], GOOD["labels"])
    for call, message in (
        (lambda: plain.predict_sets(GOOD["p"], groups=groups), r"Got groups"),
        (lambda: plain.predict_sets(np.full((2, 4), 0.25)), r"predictions must have 3 classes, as in the fit\. Got 4"),
        (lambda: plain.predict_sets(GOOD["p"], alpha=2), r"alpha must be"),
        (lambda: plain.predict_sets(GOOD["p"], case_ids=["a"] * 20), r"case_ids must not repeat"),
        (lambda: plain.p_values(changed(GOOD["p"], (2, 2), NAN)), r"case 2, class 2"),
        (lambda: ugt.conformal.SplitConformal(alpha=0.2).fit(GOOD["p"], GOOD["labels"], groups=["a"]), r"groups must be 20 ids"),
        (lambda: ugt.conformal.SplitConformal(alpha=0.2).fit(GOOD["p"], GOOD["labels"], case_ids=[1, 2]), r"case_ids must be 20 ids"),
    ):
        refused(message, call)


def test_a_fit_that_fails_leaves_things_as_they_were():
    models = (
        ugt.conformal.MonteCarloConformal(alpha=0.2),
        ugt.conformal.SplitConformal(alpha=0.2),
        ugt.conformal.PlausibilityRegions(alpha=0.2),
    )
    for model, truth in zip(models, (GOOD["truth"], GOOD["labels"], GOOD["truth"])):
        refused(r"must be", model.fit, GOOD["p"], truth[:7])
        refused(r"must be fitted first", model.p_values, *([GOOD["p"]] * (2 if model is models[2] else 1)))
        model.fit(GOOD["p"], truth)
        text = model.to_json()
        refused(r"case 4", model.fit, changed(GOOD["p"], (4, 1), NAN), truth)
        assert model.to_json() == text


def test_masked_input_is_missing_input():
    masked = np.ma.masked_array(GOOD["p"], mask=np.zeros((20, 3), bool))
    masked.mask[3, 1] = True
    refused(r"predictions must be numbers", ugt.conformal.conformal_scores, masked)
    with pytest.raises(ValueError, match=r"labels must be 20 class numbers"):
        ugt.conformal.SplitConformal(alpha=0.2).fit(GOOD["p"], np.ma.masked_array(GOOD["labels"], mask=np.arange(20) == 2))


def test_sets_can_be_pickled():
    sets = ugt.conformal.PredictionSets.of([[0, 1], [], [2]], 3, case_ids=["a", "b", "c"], alpha=0.2)
    again = pickle.loads(pickle.dumps(sets))
    assert [row.tolist() for row in again] == [[0, 1], [], [2]] and again.alpha == 0.2
    assert not again.index.flags.writeable


def test_all_cases_without_a_truth_are_counted():
    probs = np.full((5, 2), 0.5)
    truth = np.array([[0.6, 0.4], [np.nan] * 2, [np.nan] * 2, [np.nan] * 2, [0.2, 0.8]])
    fitted = ugt.conformal.MonteCarloConformal(alpha=0.5).fit(probs, truth)
    assert fitted.left_out_ == {"case without annotations": 3} and fitted.n_cases_ == 2


def test_a_split_leaves_cases_on_both_sides():
    probs, counts = np.array([[0.7, 0.3], [0.4, 0.6]]), [[2, 1], [1, 3]]
    fit = lambda **options: ugt.conformal.MonteCarloConformal(alpha=0.4, m=3, **options).fit(probs, ugt.Labels.from_counts(counts))  # noqa: E731
    with pytest.warns(RuntimeWarning, match="too few calibration labels"):
        fit(correction="ecdf", split=0.5)  # one and one
    for options in ({"correction": "none", "split": 1.5}, {"correction": "ecdf", "split": 1.0}, {"correction": "ecdf", "split": 0.1}):
        refused(r"split must be a share in \(0, 1\) that leaves cases on both sides", fit, **options)


def test_numbers_are_no_mask():
    """0 and 1 are classes 0 and 1 unless they are booleans."""
    assert ugt.conformal.PredictionSets.of(np.array([[0, 1], [1, 0]]), 3).sizes.tolist() == [2, 2]
    assert ugt.conformal.PredictionSets.of(np.array([[False, True], [True, True]])).sizes.tolist() == [1, 2]
    refused(r"n_classes must be given unless sets are a boolean mask", ugt.conformal.PredictionSets.of, np.array([[0, 1], [1, 0]]))


# ---- one row for many equal cases
@pytest.mark.parametrize("score", ["lac", "aps", "raps"])
@pytest.mark.parametrize("by_class", [None, "each"])
@pytest.mark.parametrize("grouped", [False, True])
def test_frequencies_are_repeated_rows(score, by_class, grouped):
    rng = np.random.default_rng(11)
    probs, labels, times = rng.dirichlet([1, 1, 1], 30).round(1), rng.integers(0, 3, 30), rng.integers(0, 4, 30)
    probs[:, 2] = 1 - probs[:, 0] - probs[:, 1]
    probs, groups = np.clip(probs, 0, 1), np.arange(30) % 2
    times[labels == 1], times[:2] = 0, 1  # a class without cases; both groups begin in their order
    rows = np.repeat(np.arange(30), times)

    def fit(at, **more):
        one = ugt.conformal.SplitConformal(score, class_groups=by_class, randomized=False)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return one.fit(probs[at], labels[at], groups=groups[at] if grouped else None, **more)

    found, repeated = fit(slice(None), frequency=times), fit(rows)
    for name in ("level_score_", "level_p_", "base_p_", "level_offsets_", "n_cases_", "left_out_"):
        np.testing.assert_array_equal(getattr(found, name), getattr(repeated, name), err_msg=name)
    once, twice = fit(slice(None), frequency=np.ones(30)), fit(slice(None))
    np.testing.assert_array_equal(once.level_p_, twice.level_p_)


def test_frequencies_that_conformal_predictors_refuse():
    one, probs, labels = ugt.conformal.SplitConformal("lac"), [[0.6, 0.4], [0.3, 0.7], [0.5, 0.5]], [0, 1, 1]
    for given, got in (([1, -1, 2], "-1"), ([1, 2, 0.5], r"0\.5"), ([0, 0, 0], "0 for all")):
        refused(
            f"frequency must be whole numbers of at least 0, of which some are above 0. Got {got}", one.fit, probs, labels, frequency=given
        )
    message = r"randomized must be False with frequency= and this score, since equal cases have random numbers of their own.*Got True"
    refused(message, ugt.conformal.SplitConformal("aps").fit, probs, labels, frequency=[1, 1, 1])
