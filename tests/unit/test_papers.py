"""The papers, item by item: what docs/papers.md lists is here, is true, and is public. One test for each item."""

import importlib
import inspect
import re
import warnings
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import ugt

PAGE = (Path(__file__).parents[2] / "docs" / "papers.md").read_text(encoding="utf-8")
ROWS = {
    number: (place, item, where) for number, place, item, where in re.findall(r"^\| ([A-D]\d+) \| (.+?) \| (.+?) \| (.+) \|$", PAGE, re.M)
}
NUMBERS = [f"{paper}{i}" for paper, n in (("A", 38), ("B", 19), ("C", 14), ("D", 10)) for i in range(1, n + 1)]
ITEMS = {}

WIDE = np.array([[0, 0, 0, 1], [0, 1, 1, 1], [2, 2, 0, 2], [1, 1, 0, 1], [0, 1, 2, 2], [0, 0, 0, 0]])
LABELS = ugt.Labels.from_wide(WIDE, annotators=["ann", "bob", "cy", "dan"], classes=3)
COUNTS = LABELS.counts()
SHARES = COUNTS / 4
MODEL = np.array([[7, 2, 1], [3, 5, 2], [1, 1, 8], [2, 6, 2], [4, 3, 3], [8, 1, 1]]) / 10
OTHER = np.array([[4, 5, 1], [5, 3, 2], [3, 3, 4], [1, 7, 2], [1, 2, 7], [6, 2, 2]]) / 10
CHOSEN = MODEL.argmax(1)
TRUTH = ugt.dirichlet(LABELS)
DRAWS = TRUTH.draws(4000, seed=1)
NESTED = [[[[0], [1]], [[0, 2]]], [[[1]], [[1], [0]]], [[[2], [0], [1]], [[2]]]]
RANKINGS = ugt.Rankings.from_blocks(NESTED, n_classes=3)
GIVEN = [[0], [0, 1], [], [1], [1, 2], [0, 1, 2]]
close = pytest.approx


def item(number):
    return lambda function: ITEMS.setdefault(number, function)


def near(value, n=4000):
    """A frequency in n draws."""
    return close(value, abs=4 * 0.5 / np.sqrt(n))


def drawn(make, *given, **options):
    """The axes of a plot, or a skip without matplotlib."""
    pytest.importorskip("matplotlib", reason="plots need matplotlib").use("Agg")
    return getattr(importlib.import_module("ugt.plots"), make)(*given, **options)


def line_of(ax, label):
    (found,) = [one for one in ax.lines if one.get_label() == label]
    return found


# ---- the page ----
def test_page_and_tests_list_the_same_items():
    assert list(ROWS) == NUMBERS
    assert sorted(ITEMS) == sorted(NUMBERS)


@pytest.mark.parametrize("number", NUMBERS)
def test_every_name_of_the_page_exists_and_has_an_example(number):
    names = re.findall(r"`([\w.]+)(?:\((.*?)\))?`", ROWS[number][2])
    assert names and f"  # {number}" in PAGE
    for name, options in names:
        if name.startswith("plots."):
            pytest.importorskip("matplotlib", reason="plots need matplotlib")
            importlib.import_module("ugt.plots")
        found, (*path, last) = ugt, name.split(".")
        for part in path:
            found = getattr(found, part)
        assert hasattr(found, last) or last in found.__annotations__, name
        for option in re.findall(r"(\w+)=", options):
            assert option in inspect.signature(getattr(found, last)).parameters, f"{name}({option}=)"


@pytest.mark.parametrize("number", NUMBERS)
def test_item(number):
    ITEMS[number]()


# ---- A ----
@item("A1")
def probability_of_a_class():
    alpha = 0.1 + COUNTS
    assert TRUTH.mean() == close(alpha / alpha.sum(1, keepdims=True))
    assert ugt.Draws.from_array(DRAWS).mean() == close(DRAWS.mean(1)) and ugt.votes(LABELS).mean().max() == 1


@item("A2")
def posterior_that_knows_x():
    law = 2 * OTHER
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the note that this truth judges no model that it is made of
        informed = ugt.dirichlet(LABELS, prior=law)
        assert informed.mean() == close((COUNTS + law) / (4 + 2))
        other_way = ugt.calibration.label_posterior(law, COUNTS).plausibilities()
    assert ugt.ua_topk_accuracy(other_way, MODEL).value == close(ugt.ua_topk_accuracy(informed, MODEL).value)


@item("A3")
def certainty_of_a_class():
    share = (DRAWS.argmax(2)[..., None] == np.arange(3)).mean(1)
    assert TRUTH.membership(1) == near(share)
    assert TRUTH.label_probability(CHOSEN[:, None]) == close(TRUTH.membership(1)[np.arange(6), CHOSEN])


@item("A4")
def annotation_certainty():
    assert ugt.annotation_certainty(TRUTH).per_case == close(TRUTH.membership(1).max(1))
    found = ugt.annotation_certainty(TRUTH, k=2)
    last = (DRAWS.argmin(2)[..., None] == np.arange(3)).mean(1)  # the best two are all but the last
    assert found.per_case == near(last.max(1)) and found.value == close(found.per_case.mean())
    sampled = ugt.annotation_certainty(DRAWS, k=2)
    assert abs(sampled.value - found.value) < 5 * sampled.mc_error + 0.003


@item("A5")
def certainty_of_a_given_set():
    found = ugt.metrics.ua_set_accuracy(TRUTH, GIVEN)
    best = np.argsort(-DRAWS, axis=2)
    share = [np.mean([set(one[: len(given)]) == set(given) for one in best[i]]) if given else 0 for i, given in enumerate(GIVEN)]
    assert found.per_case == near(np.array(share)) and found.per_case == close(TRUTH.set_probability(GIVEN))
    low, high = found.interval()
    assert low < found.value < high and found.draw_std > 0 and found.mean_set_size == 9 / 6


@item("A6")
def best_j_in_best_k():
    inside = np.argsort(np.argsort(-MODEL, axis=1, kind="stable"), axis=1) < 2  # the model's best two
    targets = np.argsort(-DRAWS, axis=2)[:, :, :2]
    both = np.take_along_axis(inside[:, None].repeat(DRAWS.shape[1], 1), targets, axis=2).all(2).mean(1)
    assert ugt.ua_topk_accuracy(TRUTH, MODEL, k=2, j=2, ties="first").per_case == near(both)
    assert ugt.metrics.ua_coverage(TRUTH, inside, j=2).per_case == near(both)


@item("A7")
def accuracy():
    assert ugt.ua_topk_accuracy(ugt.votes(LABELS), MODEL).per_case == close([1, 1, 1, 1, 0, 1])
    for k in (1, 2):
        inside = np.argsort(-MODEL, axis=1, kind="stable")[:, :k]
        hit = (DRAWS.argmax(2)[:, :, None] == inside[:, None]).any(2).mean(1)
        assert ugt.ua_topk_accuracy(TRUTH, MODEL, k=k, ties="first").per_case == near(hit)


@item("A8")
def set_accuracy():
    two = np.argsort(-MODEL, axis=1, kind="stable")[:, :2]
    assert ugt.metrics.ua_set_accuracy(TRUTH, MODEL, k=2, ties="first").per_case == close(ugt.metrics.ua_set_accuracy(TRUTH, two).per_case)
    assert (
        ugt.metrics.ua_set_accuracy(TRUTH, np.ones((6, 3), bool)).value == close(1)
        and ugt.metrics.ua_set_accuracy(TRUTH, [[]] * 6).value == 0
    )


@item("A9")
def overlap():
    inside = [TRUTH.membership(len(given))[i, given].mean() if given else 0 for i, given in enumerate(GIVEN)]
    assert ugt.metrics.ua_overlap(TRUTH, GIVEN).per_case == close(np.array(inside))


@item("A10")
def average_overlap():
    by_depth = [ugt.metrics.ua_overlap(TRUTH, MODEL, k=k).per_case for k in (1, 2, 3)]
    assert ugt.ua_average_overlap(TRUTH, MODEL, k=3).per_case == close(np.mean(by_depth, axis=0))


@item("A11")
def distances_of_orders():
    order = np.array([[3.0, 2.0, 1.0]])
    turned = ugt.Point.from_array(np.array([[1.0, 2.0, 3.0]]) / 6)
    for distance, turned_around in ((ugt.metrics.ua_kendall_distance, 3 / 9), (ugt.papers.ua_footrule_distance, 4 / 12)):
        assert distance(turned, order, k=3).value == close(turned_around) and distance(turned, -order, k=3).value == close(0)


@item("A12")
def other_ranking_measures():
    p, scores = np.array([0.5, 0.3, 0.2]), np.array([2.0, 3.0, 1.0])
    point = ugt.Point.from_array(p[None])
    tau = stats.weightedtau(scores, p, rank=np.argsort(np.argsort(-p)))[0]
    assert 1 - 2 * ugt.papers.ua_weighted_kendall_distance(point, scores[None], k=3).value * 3 / 2 == close(tau)
    overlaps = np.array([0, 1, 1])  # of the first 1, 2 and 3 classes
    persistence = 0.9
    extrapolated = overlaps[-1] * persistence**3 + (1 - persistence) * (overlaps * persistence ** np.arange(3)).sum()
    assert ugt.metrics.ua_rank_biased_overlap(point, scores[None], k=3, persistence=persistence).value == close(extrapolated)
    discount = 1 / np.log2([2, 3, 4])
    assert ugt.papers.ua_ndcg(point, scores[None], k=3).value == close((discount @ [2, 3, 1]) / (discount @ [3, 2, 1]))


@item("A13")
def point_masses():
    point = ugt.Point.from_array(SHARES - [[0, 1e-3, 2e-3]] * (SHARES > 0))
    assert ugt.annotation_certainty(point).per_case == close(1)
    assert ugt.ua_topk_accuracy(point, MODEL).value == (point.mean().argmax(1) == CHOSEN).mean()
    without_ties = ugt.irn(RANKINGS)
    trusted = ugt.prirn(RANKINGS, reliability=1e6)
    clear = np.sort(without_ties.mean(), axis=1)[:, -1] - np.sort(without_ties.mean(), axis=1)[:, -2] > 0.01
    assert ugt.annotation_certainty(trusted).per_case[clear] == close(1) and clear.any()


@item("A14")
def reliabilities():
    found = ugt.evaluate(LABELS, {"model": MODEL, "other": OTHER}, reliability=(0.5, 1, 3), k=1, n_resamples=20, details=False)
    rows = {(row["model"], row["reliability"]): row["value"] for row in found.metrics if row["metric"] == "topk_accuracy"}
    for reliability in (0.5, 1, 3):
        assert rows["model", reliability] == close(ugt.ua_topk_accuracy(ugt.dirichlet(LABELS, reliability=reliability), MODEL).value)
    assert len(drawn("metric_by_reliability", found).lines) >= 2
    models = {name: np.random.default_rng(seed).random((20, 2)) for seed, name in enumerate("ab")}
    labels = ugt.Labels.from_counts([[3, 1], [1, 3], [4, 0], [2, 2]] * 5)
    swept = ugt.evaluate(labels, models, reliability=(0.1, 1, 10), k=1, n_resamples=20, details=False)
    flips = [row for row in swept.flips if row["metric"] == "soft_average_precision"]
    assert flips  # there the order of the models changes
    for row in flips:
        value = {(one["model"], one["reliability"]): one["value"] for one in swept.metrics if one["metric"] == row["metric"]}
        ahead = [value["a", r] > value["b", r] for r in (0.1, 1, 10)]
        assert 0.1 < row["reliability"] < 10 and len(set(ahead)) == 2


@item("A15")
def spread_over_draws():
    found = ugt.ua_topk_accuracy(TRUTH, MODEL)
    values = (DRAWS.argmax(2) == CHOSEN[:, None]).mean(0)
    assert found.draw_std == close(values.std(), rel=0.05)
    assert found.draw_interval(0.9) == close(tuple(np.quantile(values, [0.05, 0.95])))
    assert found.draw_quantile([0, 1]) == close([0, 1])  # worst and best
    assert found.value in drawn("accuracy_over_draws", found).lines[0].get_xdata()


@item("A16")
def sorted_certainty():
    certainty = ugt.annotation_certainty(TRUTH)
    assert drawn("certainty_curve", certainty).lines[0].get_ydata() == close(np.sort(certainty.per_case))


@item("A17")
def accuracy_over_sorted_cases():
    certainty, accuracy = ugt.annotation_certainty(TRUTH), ugt.ua_topk_accuracy(TRUTH, MODEL)
    assert drawn("certainty_curve", accuracy).lines[0].get_ydata() == close(np.sort(accuracy.per_case))
    below, top = (one.get_ydata() for one in drawn("certainty_curve", {"": accuracy, "certainty": certainty}, by=certainty).lines)
    assert (below <= top + 1e-12).all()  # the certainty of a case is the most that a model can have there


@item("A18")
def certainty_of_risks():
    by_sum = ugt.annotation_certainty(TRUTH, groups=[0, 0, 1]).per_case
    assert by_sum == near(np.maximum(*[(DRAWS[..., 2] > 0.5).mean(1), (DRAWS[..., 2] < 0.5).mean(1)]))
    by_top = ugt.annotation_certainty(TRUTH, groups=["low", "low", "high"], group_rule="top_class").per_case
    best = TRUTH.membership(1)
    assert by_top == close(np.maximum(best[:, 2], best[:, 0] + best[:, 1]))


@item("A19")
def expected_risk():
    best, risk = TRUTH.membership(1), np.array([0, 1, 2])
    assert ugt.truth.expected_risk(TRUTH, risk).per_case == close(best @ risk)
    found = ugt.truth.expected_risk(TRUTH, risk, kind="plausibility")
    assert found.per_case == close(TRUTH.mean() @ risk)
    assert sum(bar.get_height() for bar in drawn("case_histogram", found, bins=4).patches) == 6


@item("A20")
def accuracy_of_risks():
    high, said = DRAWS[..., 2] > 0.5, MODEL[:, 2:] > 0.5
    found = ugt.metrics.ua_group_accuracy(TRUTH, MODEL, ["low", "low", "high"])
    assert found.per_case == near((high == said).mean(1)) and found.value == close(found.per_case.mean())
    evaluated = ugt.evaluate(LABELS, {"model": MODEL}, groups=[0, 0, 1], reliability=1, k=1, n_resamples=20)
    (row,) = [row for row in evaluated.metrics if row["metric"] == "group_accuracy" and row["reliability"] == 1]
    assert row["value"] == close(ugt.metrics.ua_group_accuracy(TRUTH, MODEL, [0, 0, 1], group_rule="top_class").value)


@item("A21")
def accuracy_given_high_risk():
    weight = (DRAWS.argmax(2) == 2).mean(1)
    found = ugt.metrics.ua_group_accuracy(TRUTH, MODEL, [0, 0, 1], given=1, group_rule="top_class")
    assert found.weight == near(weight) and found.value == close(weight[CHOSEN == 2].sum() / weight.sum(), abs=0.03)
    certain = ugt.metrics.ua_group_accuracy(
        ugt.votes(LABELS).take(np.arange(4)), OTHER[:4], [0, 1, 1], given=1, group_rule="top_class", of="class"
    )
    voted = np.array([1, 2, 1])  # of the second, third and fourth case, which are of the group
    assert certain.value == close((OTHER[1:4].argmax(1) == voted).mean())


@item("A22")
def reliabilities_of_annotators_and_from_data():
    each = np.array([2.0, 1.0, 0.5, 1.0])
    weighted = ((WIDE[:, :, None] == np.arange(3)) * each[:, None]).sum(1)
    found = ugt.dirichlet(LABELS, reliability=dict(zip(LABELS.annotators.tolist(), each)))
    assert found.mean() == close((weighted + 0.1) / (4.5 + 0.3))
    rng = np.random.default_rng(1)
    q = rng.dirichlet([0.3] * 2, 1500)
    labels = ugt.Labels.from_counts([rng.multinomial(4, one) for one in q])
    fitted = ugt.fit_reliability(labels, q.argmax(1), prior=0.3)  # labels are what the model says: the reliability is 1
    low, high = fitted.interval()
    assert low < 1 < high and fitted.value == close(1, rel=0.4)


@item("A23")
def committees():
    found = ugt.truth.committee(ugt.Labels.from_wide([[0, 0, 1]], classes=2), 3, n_draws=4000)
    assert ugt.annotation_certainty(found).value == near(20 / 27)  # two or three of three that say 0, each with 2/3


@item("A24")
def models_of_crowdsourcing():
    rng = np.random.default_rng(0)
    meant = rng.integers(0, 2, 400)
    said = np.where(rng.random((400, 4)) < [0.9, 0.8, 0.7, 0.6], meant[:, None], 1 - meant[:, None])
    crowd, known = ugt.Labels.from_wide(said, classes=2), {i: int(meant[i]) for i in range(100)}
    for fit in (ugt.dawid_skene, ugt.annotators.glad):
        found = fit(crowd, known=known)
        assert found.plausibilities.mean()[np.arange(100), meant[:100]] == close(1)
        assert (np.argsort(-found.accuracy) == np.arange(4)).all()
    grade, bias = rng.integers(0, 5, 600), np.array([0.0, 0.0, 0.8])
    seen = np.clip(np.rint(grade[:, None] + bias + 0.5 * rng.standard_normal((600, 3))), 0, 4).astype(int)
    fitted = ugt.dawid_skene(ugt.Labels.from_wide(seen, classes=5), model="ordinal", known=dict(enumerate(grade[:200].tolist())))
    assert fitted.bias == close(bias, abs=0.15) and fitted.spread == close(np.full(3, 0.5), abs=0.1)


@item("A25")
def disagreement_deconvolution():
    flip, primary = 0.15, np.array([0.9, 0.4, 0.2])
    shares = primary * (1 - flip) + (1 - primary) * flip
    labels = ugt.Labels.from_counts(np.round(1000 * np.stack([1 - shares, shares], axis=1)).astype(int))
    assert ugt.annotators.disagreement_deconvolution(labels, p_flip=flip).primary.mean()[:, 1] == close(primary, abs=1e-9)
    rng = np.random.default_rng(0)
    meant = rng.integers(0, 2, 3000)
    said = np.where(rng.random((2, 3000)) < flip, 1 - meant, meant)  # each annotator labels each case twice
    with pytest.warns(UserWarning, match="several labels"):
        again = ugt.Labels.from_long(np.tile(np.arange(3000), 2), ["ann"] * 6000, said.ravel(), classes=2)
    assert ugt.annotators.disagreement_deconvolution(again).flips.value == close(flip, abs=0.03)


@item("A26")
def dirichlet_of_counts():
    found = ugt.dirichlet(LABELS, reliability=2, prior=0.5)
    assert found.mean() == close((2 * COUNTS + 0.5) / (2 * 4 + 1.5))
    corners = drawn("ternary", {"case 1": DRAWS[0]}).texts
    assert len(corners) == 3


@item("A27")
def ratings():
    given = np.array([[-1, 0, 2, 1, -2, 0, 1, 1, -1, 0]], float)
    post = ugt.truth.normal(given, prior=(0, 1, 2, 1.5))
    assert post.location == close(given.sum() / 11) and post.kappa == close(11) and post.shape == close(2 + 5)
    below = stats.t.cdf((0 - post.location) / np.sqrt(post.scale / post.shape * (1 + 1 / 11)), 2 * post.shape)
    assert ugt.truth.rating_certainty(post, 0).per_case == close(np.maximum(below, 1 - below))
    assert ugt.truth.fit_normal_prior(np.array([[1, 2, 3], [7, 6, 8], [4, 4, 5], [2, 9, 4]], float)).converged


@item("A28")
def one_rated_case():
    post = ugt.truth.normal(np.array([[1.0, 2, 2, 4]]), prior=(0, 1, 2, 1.5))
    for spread, middle in (("precision", post.shape / post.scale), ("std", (post.shape / post.scale) ** -0.5)):
        dots = drawn("rated_case", post, 0, spread=spread).lines[0]
        assert np.median(dots.get_xdata()) == close(post.location[0], abs=0.2) and np.median(dots.get_ydata()) == close(middle[0], rel=0.2)


@item("A29")
def partial_rankings():
    written = ugt.Rankings.from_strings(["p"], ["a"], ["x > y = z"], classes=["x", "y", "z", "w"])
    sure = ugt.Rankings.from_long(["p"] * 3, ["a"] * 3, ["x", "y", "z"], confidence=[9, 2, 2], classes=["x", "y", "z", "w"])
    nested = ugt.Rankings.from_blocks([[[[0], [1, 2]]]], n_classes=4)
    for one in (sure, nested):
        assert one.items.tolist() == written.items.tolist() == [0, 1, 2]
        assert one.block_offsets.tolist() == written.block_offsets.tolist() == [0, 1, 3]


@item("A30")
def inverse_ranks():
    one = ugt.Rankings.from_blocks([[[[0], [1]], [[1]]]], n_classes=3)
    weights = np.array([1, 1 / 2 + 1, 0])
    assert ugt.irn(one).mean()[0] == close(weights / weights.sum())
    assert ugt.prirn(one, reliability=1e6).draws(1, seed=0)[0, 0] == close(weights / weights.sum(), abs=0.01)


@item("A31")
def likelihood_of_partial_rankings():
    p = np.array([0.4, 0.3, 0.2, 0.1])
    case = ugt.Rankings.from_blocks([[[[0, 1, 2]]]], n_classes=4)
    orders = [p[a] * p[b] / (1 - p[a]) * p[c] / (1 - p[a] - p[b]) for a, b, c in permutations(range(3))]
    assert np.exp(ugt.truth.plackett_luce_log_likelihood(case, p[None])) == close(sum(orders))


@item("A32")
def gibbs_sampler():
    one = ugt.Rankings.from_blocks([[[[0]], [[0]], [[1]]]], n_classes=2)
    found = ugt.plackett_luce(one, method="gibbs", reliability=2, prior_shape=0.5, n_draws=1000)
    # first choices of two classes are labels: a Dirichlet posterior in closed form, of labels that count twice
    assert found.mean()[0] == close(ugt.Dirichlet.from_array([[4.5, 2.5]]).mean()[0], abs=0.02)
    assert ugt.truth.plackett_luce_diagnostics(found).rhat.max() < 1.05


@item("A33")
def tempered_plackett_luce():
    one = ugt.Rankings.from_blocks([[[[0]], [[0]], [[1]]]], n_classes=2)
    assert ugt.truth.plackett_luce_mle(one, tempering=2).mean()[0] == close(np.sqrt([2, 1]) / np.sqrt([2, 1]).sum())
    sampled = ugt.plackett_luce(one, method="gibbs", tempering=2, prior_shape=1, n_draws=2000)
    s = (np.arange(4000) + 0.5) / 4000  # by quadrature: the first of two shares with a flat prior
    first = s**2 / (s**2 + (1 - s) ** 2)
    density = first**2 * (1 - first)
    assert sampled.mean()[0, 0] == close((s * density).sum() / density.sum(), abs=0.02)


@item("A34")
def maximum_likelihood():
    one = ugt.Rankings.from_blocks([[[[0], [1]], [[0], [1]], [[1], [0]]]], n_classes=2)
    assert ugt.truth.plackett_luce_mle(one).mean()[0] == close([2 / 3, 1 / 3])
    assert ugt.papers.plackett_luce_map(one, prior_shape=2).mean()[0] == close([4 / 7, 3 / 7])  # two more choices of each class


@item("A35")
def overlap_of_partial_rankings():
    first, second = [[0], [1, 2]], [[1], [0]]
    same = ugt.agreement.partial_average_overlap([first], [first], 3, n_classes=4)
    assert same.value == close(1)
    depth = ugt.agreement.partial_average_overlap([first], [second], 2, n_classes=4, normalize=False)
    assert depth.value == close((0 + (1 * 1 + 1 / 2 * 1) / 2) / 2)
    pairs = ugt.agreement.annotator_average_overlap(ugt.Rankings.from_blocks([[first, second]], n_classes=4), 2, normalize=False)
    assert pairs.value == close(depth.value)


@item("A36")
def annotators_and_conditions():
    risk = np.array(["low", "low", "high"])[ugt.irn(RANKINGS).mean().argmax(1)]
    found = ugt.agreement.case_counts(RANKINGS, risk)
    assert found.n_annotators.tolist() == [2, 2, 2] and found.n_classes.tolist() == [3, 2, 3]
    assert found.groups.tolist() == ["high", "low"] and found.mean_classes == close(np.array([3, 2.5]))
    assert sum(bar.get_height() for bar in drawn("case_histogram", found.by_group("classes")).patches) == 3


@item("A37")
def agreement_and_certainty():
    agreement = ugt.agreement.leave_one_annotator_out(LABELS)
    # case 2: without its only 0, annotators 1 to 3 are right; the annotator who says 0 is alone
    assert agreement.per_case[1] == close(3 / 4)
    certainty = ugt.annotation_certainty(TRUTH)
    found = ugt.truth.case_correlation(certainty, agreement)
    assert found.value == close(np.corrcoef(certainty.per_case, agreement.per_case)[0, 1])
    assert f"r = {found.value:.2f}" in drawn("case_scatter", found).get_legend().get_texts()[0].get_text()


@item("A38")
def one_case():
    point = ugt.irn(RANKINGS)
    ax = drawn("plausibilities", ugt.prirn(RANKINGS, reliability=10), 0, annotations=RANKINGS, points={"IRN": point})
    assert ax.lines[-1].get_xdata() == close(np.sort(point.mean()[0])[::-1]) and len(ax.lines) == 4  # draws of three classes


# ---- B ----
def losses_of(probs=MODEL, **options):
    return ugt.histogram_losses(COUNTS, probs, n_bins=2, **options)


@item("B1")
def calibration_error():
    for p in (1, 2, 3.5):
        by_hand = np.zeros(3)
        for k in range(3):
            upper = MODEL[:, k] >= 0.5
            for one in (upper, ~upper):
                by_hand[k] += one.mean() * abs(SHARES[one, k].mean() - MODEL[one, k].mean()) ** p if one.any() else 0
        found = losses_of().calibration_error(p)
        assert found.per_class == close(by_hand ** (1 / p)) and found.value == close(by_hand.sum() ** (1 / p))
    assert losses_of().calibration_error(2).value == close(np.sqrt(losses_of().cl.plugin))
    assert losses_of().ece == close(losses_of().calibration_error(1).mean)


@item("B2")
def squared_loss():
    expected = ((WIDE[:, :, None] == np.arange(3)) - MODEL[:, None]) ** 2
    assert losses_of().l_sq == close(expected.sum(2).mean())
    assert ugt.calibration.histogram_brier_score(COUNTS, MODEL).value == close(losses_of().l_sq)
    two, p = np.stack([COUNTS[:, 0], 4 - COUNTS[:, 0]], axis=1), np.stack([MODEL[:, 0], 1 - MODEL[:, 0]], axis=1)
    half = ((WIDE == 0) - MODEL[:, :1]) ** 2
    assert ugt.histogram_losses(two, p).l_sq / 2 == close(half.mean())


@item("B3")
def weights_of_cases():
    weights = np.array([1, 2, 0, 1, 1, 3])
    again = np.repeat(np.arange(6), weights)
    found, copied = losses_of(weights=weights), ugt.histogram_losses(COUNTS[again], MODEL[again], n_bins=2)
    assert found.l_sq == close(copied.l_sq) and found.el.plugin == close(copied.el.plugin) and found.cl.plugin == close(copied.cl.plugin)


@item("B4")
def refinement_losses():
    found = losses_of()
    labels = (WIDE[:, :, None] == np.arange(3)).astype(float)
    by_hand = 0.0
    for k in range(3):
        upper = MODEL[:, k] >= 0.5
        mean = np.where(upper, labels[upper, :, k].mean() if upper.any() else 0, labels[~upper, :, k].mean() if not upper.all() else 0)
        by_hand += ((labels[:, :, k] - mean[:, None]) ** 2).mean()
    assert found.rl.plugin == close(by_hand)
    assert found.l_sq == close(found.cl.plugin + found.rl.plugin + found.within)
    assert found.rl.plugin == close(found.erl.plugin + found.il.plugin)


@item("B5")
def parts_of_the_log_loss():
    one = np.tile([[0.2, 0.3, 0.5]], (6, 1))  # a single prediction: one group, in which nothing differs
    found, c = ugt.calibration.histogram_log_loss(COUNTS, one), SHARES.mean(0)
    assert found.calibration.plugin == close((c * np.log(c / one[0])).sum()) and found.refinement.plugin == close(-(c * np.log(c)).sum())
    assert found.value == close(found.calibration.plugin + found.refinement.plugin)
    q = np.where(SHARES > 0, SHARES, 1)
    assert found.divergence.plugin == close((SHARES * np.log(q / one)).sum(1).mean())


@item("B6")
def plugin_and_debiased():
    found = losses_of()
    assert found.el.plugin == close(((SHARES - MODEL) ** 2).sum(1).mean())
    assert found.el.bias == close((SHARES * (1 - SHARES)).sum(1).mean() / 3)
    for one in (found.el, found.cl, found.dl):
        assert one.debiased == close(one.plugin - one.bias)
    assert found.el.plugin == close(found.cl.plugin + found.dl.plugin)


@item("B7")
def by_class_and_bin():
    found = losses_of()
    assert found.per_class.cl.plugin.sum() == close(found.cl.plugin) == close(found.per_bin.cl.plugin.sum())
    with np.errstate(invalid="ignore"):
        assert found.ce_per_class == close(np.sqrt(found.per_class.cl.debiased), nan_ok=True)


@item("B8")
def bias_is_taken_away():
    rng = np.random.default_rng(0)
    q = rng.dirichlet([1, 1, 1], 20_000)
    counts = np.array([rng.multinomial(2, one) for one in q])
    found = ugt.histogram_losses(counts, q)  # the model knows the truth: nothing is lost
    assert abs(found.el.debiased) < 0.01 < found.el.plugin and abs(found.cl.debiased) < found.cl.plugin


@item("B9")
def disagreement():
    found = ugt.calibration.disagreement_losses(COUNTS, ugt.calibration.predicted_disagreement(MODEL), n_bins=2)
    pairs = [(a, b) for a in range(4) for b in range(4) if a != b]
    said = (1 - (MODEL**2).sum(1))[:, None]
    differ = np.stack([WIDE[:, a] != WIDE[:, b] for a, b in pairs], axis=1)
    assert found.l_phi == close(((differ - said) ** 2).mean())
    one_has = np.stack([(WIDE[:, a] == 0) != (WIDE[:, b] == 0) for a, b in pairs], axis=1)
    assert found.l_per_class[0] == close(((one_has - (2 * MODEL[:, :1] * (1 - MODEL[:, :1]))) ** 2).mean())


@item("B10")
def refinement_of_disagreement():
    found = ugt.calibration.disagreement_losses(COUNTS, np.full(6, 0.3), n_bins=2)  # all in one bin
    differ = np.stack([WIDE[:, a] != WIDE[:, b] for a, b in permutations(range(4), 2)], axis=1)
    assert found.rl.plugin == close(differ.mean() * (1 - differ.mean())) and found.l_phi == close(found.cl.plugin + found.rl.plugin)


@item("B11")
def symmetric_statistics():
    found = ugt.calibration.symmetric_statistic(COUNTS, lambda a, b, c: a == b == c, 3)
    triples = list(permutations(range(4), 3))
    same = np.mean([(WIDE[:, a] == WIDE[:, b]) & (WIDE[:, b] == WIDE[:, c]) for a, b, c in triples], axis=0)
    assert found == close(same)
    assert ugt.calibration.disagreement_losses(COUNTS, (MODEL**3).sum(1), statistic=found).observed == close(same)


@item("B12")
def statistics_of_several_values():
    found = ugt.calibration.symmetric_statistic(COUNTS, lambda a, b, c: [len({a, b, c}) == m for m in (1, 2, 3)], 3)
    triples = list(permutations(range(4), 3))
    n_classes = np.array([[len(set(row[list(one)])) for one in triples] for row in WIDE])
    assert found == close(np.stack([(n_classes == m).mean(1) for m in (1, 2, 3)], axis=1))
    predicted = np.tile([[0.2, 0.5, 0.3]], (6, 1))
    by_hand = sum((((n_classes == m) - predicted[0, m - 1]) ** 2).mean() for m in (1, 2, 3))
    assert np.sum(ugt.calibration.disagreement_losses(COUNTS, predicted, statistic=found).l_per_class) == close(by_hand)


@item("B13")
def diagram_of_disagreement():
    said = ugt.calibration.predicted_disagreement(MODEL).overall
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few cases
        curve = ugt.calibration.disagreement_losses(COUNTS, ugt.calibration.predicted_disagreement(MODEL), n_bins=2).reliability_curve()
    differ = np.mean([WIDE[:, a] != WIDE[:, b] for a, b in permutations(range(4), 2)], axis=0)
    for b, one in enumerate((said < 0.5, said >= 0.5)):
        assert (curve.mean_probability[b], curve.label_share[b]) == close((said[one].mean(), differ[one].mean()))
    assert line_of(drawn("reliability_diagram", {"model": curve}), "model").get_ydata() == close(curve.label_share)


@item("B14")
def calibration_dispersion_map():
    found = losses_of()
    ax = drawn("calibration_dispersion_map", {"model": found}, estimate="plugin")
    assert ax.lines[0].get_xydata()[0] == close([found.dl.plugin, found.cl.plugin])


@item("B15")
def calibrators():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for one in (
            ugt.calibration.TemperatureScaling(input="probabilities"),
            ugt.calibration.VectorScaling(),
            ugt.calibration.MatrixScaling(),
        ):
            scores = MODEL if isinstance(one, ugt.calibration.TemperatureScaling) else np.log(MODEL)
            found = one.fit_transform(scores, COUNTS)
            assert found.sum(1) == close(1)
            assert ugt.calibration.histogram_log_loss(COUNTS, found).value < ugt.calibration.histogram_log_loss(COUNTS, MODEL).value + 0.05
    scaled = np.log(ugt.calibration.TemperatureScaling(input="probabilities").fit_transform(MODEL, COUNTS))
    apart, before = (table[:, 2] - table[:, 0] for table in (scaled, np.log(MODEL)))
    assert apart == close(apart[0] / before[0] * before)  # one temperature for all


@item("B16")
def predicted_disagreement():
    alpha = np.array([[3.0, 2.0, 1.0]])
    z = np.random.default_rng(0).dirichlet(alpha[0], 100_000)
    assert ugt.calibration.predicted_disagreement(alpha, kind="dirichlet").overall[0] == close((1 - (z**2).sum(1)).mean(), abs=0.003)
    mean = ugt.calibration.predicted_disagreement(np.stack([MODEL, OTHER])).overall
    assert mean == close(
        (ugt.calibration.predicted_disagreement(MODEL).overall + ugt.calibration.predicted_disagreement(OTHER).overall) / 2
    )


@item("B17")
def alpha_calibration():
    probs = np.array([[0.5, 0.5]] * 6)
    split, agreed = np.array([[2, 2], [3, 1], [1, 3]] * 2), np.array([[4, 0], [0, 4], [4, 0]] * 2)
    high, low = (ugt.calibration.AlphaCalibration().fit(probs, counts).concentration(6)[0] for counts in (split, agreed))
    assert high > 10 > 1 > low  # annotators who differ within cases draw from spread-out laws; those who agree from the corners
    nearer = ugt.calibration.AlphaCalibration(penalty=10).fit(probs, split).concentration(6)[0]
    assert 1 < nearer < high  # λ pulls the logarithm to 0


@item("B18")
def after_labels():
    assert ugt.calibration.label_posterior([[2.0, 1.0]], [[3, 1]]).mean == close(np.array([[5, 2]]) / 7)
    weights = ugt.calibration.label_posterior([[[0.9, 0.1]], [[0.5, 0.5]]], [[1, 2]], kind="probability").weights[:, 0]
    likely = np.array([0.9 * 0.1**2, 0.5**3])
    assert weights == close(likely / likely.sum())


@item("B19")
def experiments():
    rng = np.random.default_rng(0)  # in little: the true probabilities have a lower loss than blunt ones
    q = rng.dirichlet([0.5, 0.5], 2000)
    counts = np.array([rng.multinomial(5, one) for one in q])
    sharp, blunt = (ugt.histogram_losses(counts, one) for one in (q, 0.5 * q + 0.25))
    assert sharp.l_sq < blunt.l_sq and sharp.cl.debiased < blunt.cl.debiased and sharp.accuracy == close(blunt.accuracy)


# ---- C ----
def ratio_of(labels=LABELS, chosen=CHOSEN, **options):
    return ugt.discrepancy_ratio(labels, chosen, **{"distance": "zero-one", **options})


@item("C1")
def mean_pairwise_deviation():
    first, second = [1.0, 4.0, 2.0], [3.0, 0.0]
    by_hand = np.mean([(a - b) ** 2 for a in first for b in second])
    assert ugt.humans.mean_pairwise_deviation(first, second, distance="squared") == close(by_hand)


@item("C2")
def discrepancies():
    found = ratio_of()
    pairs = np.mean([WIDE[:, a] != WIDE[:, b] for a, b in permutations(range(4), 2)])
    assert (found.alpha, found.mu) == close((pairs, (CHOSEN[:, None] != WIDE).mean()))
    assert found.value == close(found.mu / found.alpha)
    with pytest.warns(UserWarning, match="several labels"):  # a labels case 0 twice, b skips case 1
        again = ugt.Labels.from_long([0, 0, 0, 1], ["a", "a", "b", "a"], [0, 1, 1, 0], classes=2)
    assert ratio_of(again, [1, 0]).alpha == close(1 / 2)


@item("C3")
def distances():
    table = np.array([[1.0, 2.0, 4.0], [7.0, 6.0, 9.0], [3.0, 3.0, 4.0]])
    said = np.array([2.0, 6.0, 3.0])

    def by_hand(distance):
        apart = np.mean([distance(table[:, a], table[:, b]) for a, b in permutations(range(3), 2)])
        return np.mean(distance(said[:, None], table)) / apart

    for given, distance in (("squared", lambda a, b: (a - b) ** 2), ("absolute", lambda a, b: abs(a - b))):
        assert ugt.discrepancy_ratio(ugt.Ratings.from_wide(table), said, distance=given).value == close(by_hand(distance))


@item("C4")
def distances_of_masks():
    square = np.zeros((9, 9), int)
    square[2:5, 2:5] = 1
    moved = np.roll(square, 3, axis=1)
    two = ugt.Masks.from_maps(["p", "p"], ["a", "b"], [square, moved], classes=[1, 2])
    p = square.mean()
    agree, chance = (square == moved).mean(), p * p + (1 - p) * (1 - p)
    assert ugt.discrepancy_ratio(two, [square], distance="kappa").alpha == close(1 - (agree - chance) / (1 - chance))
    assert ugt.discrepancy_ratio(two, [square], distance="hausdorff").alpha == close(3)
    assert ugt.discrepancy_ratio(two, [square], distance="dice").mu == close(1 / 2)  # none from a, all from b


@item("C5")
def closed_forms():
    y = (WIDE == 0).mean(1)
    found = ratio_of(ugt.Labels.from_wide((WIDE == 0).astype(int), classes=2), (CHOSEN == 0).astype(int))
    assert found.alpha_per_case == close(2 * y * (1 - y) * 4 / 3)  # eq. 6, which is eq. 5 with its variance y (1 - y)
    assert found.alpha_per_case == close(2 * y * (1 - y) + 2 * y * (1 - y) / 3)
    m = (CHOSEN == 0).astype(float)
    assert found.mu_per_case == close(m + y - 2 * m * y)  # eq. 7


@item("C6")
def guessing_and_covariance():
    m, y = (CHOSEN == 0).astype(float), (WIDE == 0).mean(1)
    found = ratio_of(ugt.Labels.from_wide((WIDE == 0).astype(int), classes=2), (CHOSEN == 0).astype(int))
    assert found.guessing_baseline == close(m.mean() + y.mean() - 2 * m.mean() * y.mean())
    assert found.covariance == close(np.cov(m, y, bias=True)[0, 1]) and found.mu == close(found.guessing_baseline - 2 * found.covariance)


@item("C7")
def non_inferiority():
    found = ratio_of()
    decided = found.non_inferiority(0.1)
    assert decided.decision == (decided.limit < 1.1) and decided.estimate == found.value <= decided.limit


@item("C8")
def naive_vote_and_relative_f1():
    naive = ugt.ua_topk_accuracy(ugt.Point.from_array(np.eye(3)[WIDE[:, 0]]), MODEL)
    assert naive.value == (WIDE[:, 0] == CHOSEN).mean()
    assert ugt.ua_topk_accuracy(ugt.votes(LABELS), MODEL).per_case[:4] == close(1)
    found = ugt.papers.relative_f1(LABELS, CHOSEN, held_out=["dan"])
    assert found.model == close(1)  # of four cases whose vote of ann, bob and cy has a majority, or more, all are right
    assert found.value == close(found.model - found.annotators)


@item("C9")
def number_of_annotators():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 4000)
    said = np.where(rng.random((4000, 9)) < 0.8, truth[:, None], 1 - truth[:, None])
    few, many = (ratio_of(ugt.Labels.from_wide(said[:, :a], classes=2), truth).value for a in (3, 9))
    assert few == close(many, abs=0.05)  # it does not depend on how many there are
    skipped = said.astype(float)
    hard = (said[:, 1:].mean(1) > 0.2) & (said[:, 1:].mean(1) < 0.8)
    skipped[hard, 0] = np.nan  # annotator 0 labels easy cases only
    assert ratio_of(ugt.Labels.from_wide(skipped, classes=2), truth).value == close(
        ratio_of(ugt.Labels.from_wide(said, classes=2), truth).value, abs=0.05
    )


@item("C10")
def mean_labels():
    shares, n = np.unique((WIDE == 0).mean(1), return_counts=True)
    bars = [bar for bar in drawn("soft_labels", (WIDE == 0).mean(1)).patches if bar.get_height() > 0]
    assert [bar.get_x() + bar.get_width() / 2 for bar in bars] == close(shares) and [bar.get_height() for bar in bars] == n.tolist()


@item("C11")
def thresholds_and_annotators():
    two = ugt.Labels.from_wide((WIDE == 0).astype(int), annotators=list("abcd"), classes=2)
    swept = ugt.humans.threshold_sweep(two, MODEL[:, 0])
    at = 0.4
    by_hand = ratio_of(two, (MODEL[:, 0] >= at).astype(int)).value
    assert swept.value[np.isclose(swept.thresholds, at)] == close(by_hand)
    each = ugt.humans.annotator_discrepancy(two, distance="zero-one")
    left = ugt.Labels.from_wide((WIDE[:, 1:] == 0).astype(int), classes=2)
    assert each.value[0] == close(ratio_of(left, (WIDE[:, 0] == 0).astype(int)).value)
    assert len(drawn("forest", each).get_yticklabels()) == 4


@item("C12")
def schools_and_strata():
    schools = ugt.humans.group_discrepancy(LABELS, CHOSEN, ["A", "A", "B", "B"], distance="zero-one")
    assert schools.value[0] == close(ratio_of(ugt.Labels.from_wide(WIDE[:, :2], classes=3)).value)
    strata = np.array(["x", "y"] * 3)
    found = ugt.humans.stratified_discrepancy(LABELS, CHOSEN, strata=strata)
    first = strata == "x"
    assert found.value[0] == close(ratio_of(ugt.Labels.from_wide(WIDE[first], classes=3), CHOSEN[first]).value)


@item("C13")
def limits_of_agreement_and_points():
    table, said = np.array([[1.0, 2.0], [3.0, 3.5], [5.0, 5.0], [2.0, 3.5]]), np.array([1.0, 3, 5, 3])
    found = ugt.humans.bland_altman(ugt.Ratings.from_wide(table), said)
    first = found.pairs[0]
    apart = table[:, 0] - table[:, 1]
    assert first.bias == close(apart.mean()) and (first.lower, first.upper) == close(
        tuple(apart.mean() + np.array([-1, 1]) * stats.norm.ppf(0.975) * apart.std(ddof=1))
    )
    assert drawn("bland_altman", first).get_xlabel()
    yes = (WIDE == 0).astype(int)
    points = ugt.humans.annotator_roc_points(yes, SCORE).table()
    others = yes[:, 1:].mean(1)
    assert points[0]["sensitivity"] == close((others * yes[:, 0]).sum() / others.sum())
    assert drawn("annotator_roc_points", ugt.humans.annotator_roc_points(yes, SCORE)).get_xlabel().startswith("false positive rate")


@item("C14")
def other_ratios():
    found = ugt.papers.alternative_discrepancy_ratios(ugt.Ratings.from_wide([[1.0, 2, 4], [7, 6, 9]]), [2.0, 7.0], distance="squared")
    assert found.prime == close(found.ratio)  # everybody rated every case
    table = np.array([[1.0, 2, 4], [7, 6, 9]])
    others = (table.sum(1, keepdims=True) - table) / 2
    double = ((np.array([[2.0], [7.0]]) - others) ** 2).mean() / ((table - others) ** 2).mean()
    assert found.double_prime == close(double)


# ---- D ----
P, SCORE = SHARES[:, 0], np.array([0.7, 0.3, 0.1, 0.2, 0.4, 0.8])


@item("D1")
def soft_curves():
    down = np.argsort(-SCORE)
    roc = ugt.soft.soft_roc_curve(P, SCORE, drop_intermediate=False)
    assert roc.true_positive_rate == close(np.append(0, np.cumsum(P[down]) / P.sum()))
    assert roc.false_positive_rate == close(np.append(0, np.cumsum(1 - P[down]) / (1 - P).sum()))
    curve = ugt.soft.soft_precision_recall_curve(P, SCORE)
    precision, recall = np.cumsum(P[down]) / np.arange(1, 7), np.cumsum(P[down]) / P.sum()
    assert {(round(a, 9), round(b, 9)) for a, b in zip(precision, recall)} <= {
        (round(float(a), 9), round(float(b), 9)) for a, b in zip(curve.precision, curve.recall)
    }


@item("D2")
def soft_areas():
    down = P[np.argsort(-SCORE)]
    above = sum(down[j] * (1 - down[i]) for i in range(6) for j in range(i)) / (down.sum() * (1 - down).sum())
    assert ugt.soft_auroc(P, SCORE).value == close(above)
    printed = sum(down[i] * down[: i + 1].sum() / (i + 1) for i in range(6)) / down.sum()
    assert ugt.soft_average_precision(P, SCORE, self_term="probability").value == close(printed)
    assert ugt.soft_average_precision(np.round(P), SCORE).value == close(ugt.soft_average_precision(P, SCORE).hard)


@item("D3")
def several_classes():
    each = [ugt.soft_auroc(SHARES[:, k], MODEL[:, k]).value for k in range(3)]
    assert ugt.soft_auroc(SHARES, MODEL).value == close(np.mean(each))
    findings = np.stack([P, 1 - P[::-1]], axis=1)  # of several labels at once each column is a finding of its own
    scores = np.stack([SCORE, SCORE[::-1]], axis=1)
    assert ugt.soft_auroc(findings, scores).value == close(np.mean([ugt.soft_auroc(*pair).value for pair in zip(findings.T, scores.T)]))
    assert 0 < ugt.soft_auroc(LABELS, MODEL, multiclass="ovo").value < 1


@item("D4")
def hard_against_soft():
    models = {"a": SCORE, "b": OTHER[:, 0], "c": OTHER[:, 1]}
    found = ugt.soft.hard_against_soft(P, models)
    areas = [ugt.soft_auroc(P, one) for one in models.values()]
    hard, soft = ([getattr(one, name) for one in areas] for name in ("hard", "value"))
    assert found.r_squared[0] == close(np.corrcoef(hard, soft)[0, 1] ** 2)
    assert found.soft_ranks[0] == close(stats.rankdata(-np.array(soft), "min")) and found.hard_ranks[0].min() == 1


@item("D5")
def stability_of_rankings():
    names, tables = list("abcd"), {"one": WIDE == 0, "two": WIDE == 1}
    findings = {name: ugt.Labels.from_wide(one.astype(int), annotators=names, classes=2) for name, one in tables.items()}
    found = ugt.soft.ranking_stability(findings, {"model": MODEL[:, :2], "other": OTHER[:, :2]}, n_resamples=30)
    by_hand = np.mean([ugt.soft_auroc(one.mean(1), MODEL[:, k]).value for k, one in enumerate(tables.values())])
    assert found.values[0, 0] == close(by_hand) and found.resampled.shape == (4, 30, 2) and 0 <= found.p_value["auroc"] <= 1


@item("D6")
def soft_labels_and_their_cut():
    bars = drawn("soft_labels", P, threshold=0.5).patches
    above = sum(bar.get_height() for bar in bars if bar.get_x() + bar.get_width() / 2 > 0.5)
    assert above == (P > 0.5).sum() and sum(bar.get_height() for bar in bars) == 6


@item("D7")
def item_response():
    found = ugt.annotators.glad(ugt.Labels.from_wide([[0, 0, 0], [1, 1, 1], [0, 0, 1], [1, 1, 0]] * 10, classes=2))
    p = found.plausibilities.mean()[:, 1]
    assert found.accuracy[2] < found.accuracy[0] == close(found.accuracy[1]) and p[:4].round().tolist() == [0, 1, 0, 1]
    score = np.tile([0.1, 0.9, 0.3, 0.2], 10)
    assert ugt.soft_auroc(p, score).value == close(
        ugt.soft_auroc(ugt.Point.from_array(np.stack([1 - p, p], axis=1)).mean()[:, 1], score).value
    )


@item("D8")
def another_aggregation_each_time():
    def aggregated(labels):
        return ugt.soft_auroc(ugt.annotators.glad(labels).plausibilities.mean()[:, 0], SCORE).value

    found = ugt.resampling.bootstrap_annotations(LABELS, aggregated, n_resamples=20)
    assert found.estimate == close(aggregated(LABELS)) and found.values.std() > 0


@item("D9")
def dummies_tests_and_means():
    dummies = ugt.dirichlet(LABELS, prior=1).mean()
    wide = np.column_stack([WIDE, np.tile([0, 1, 2], (6, 1))])  # an annotator for each class who always says it
    assert dummies == close(ugt.Labels.from_wide(wide, classes=3).counts() / 7)
    difference = ugt.soft_auroc(P, SCORE).minus(ugt.soft_auroc(P, OTHER[:, 0]))
    low, high = difference.interval()
    assert low < difference.value < high
    yes = ugt.Labels.from_wide((WIDE == 0).astype(int), annotators=LABELS.annotators, classes=2)
    each = [ugt.soft_auroc(WIDE[:, a] == 0, SCORE).value for a in range(4)]
    assert ugt.resampling.by_annotators(ugt.soft_auroc(yes, SCORE)).mean().value == close(np.mean(each))


@item("D10")
def disagreement_and_demographics():
    groups = {"ann": "A", "bob": "A", "cy": "B", "dan": "B"}
    yes = ugt.Labels.from_wide((WIDE == 0).astype(int), annotators=LABELS.annotators, classes=2)
    found = ugt.resampling.by_annotators(ugt.soft_auroc(yes, SCORE), groups)
    each = [ugt.soft_auroc((WIDE[:, at] == 0).mean(1), SCORE).value for at in ([0, 1], [2, 3])]
    assert found.values == close(np.array(each)) and found.difference("A", "B").value == close(each[0] - each[1])
    apart = ugt.agreement.agreement_by_group(LABELS, groups)
    same = {(a, b): (WIDE[:, a] == WIDE[:, b]).mean() for a in range(4) for b in range(a)}
    assert apart.within == close((same[1, 0] + same[3, 2]) / 2)
    assert apart.between == close(np.mean([same[2, 0], same[2, 1], same[3, 0], same[3, 1]]))
