"""Plackett–Luce without draws: closed forms, independent integration, the slow twin, draws, and equalities that must hold."""

import json
from collections import Counter

import numpy as np
import pytest
from ranked_cases import CHAINS, CONFLICT, PAIR, SEVERAL, TIED, TRIPLE
from scipy.stats import beta
from simulations import ALL
from surface import public
from twins import cubature as slow

import ugt
from ugt import states
from ugt._base.ragged import row_of
from ugt.plausibilities.integrated import EXACT, WEIGHTED
from ugt.truth import plackett_luce_integrals
from ugt.truth.plackett_luce_integrals import TOLERANCE

EVERY = pytest.mark.skipif(not ALL, reason="takes an hour or more: make simulations")


def exact(case, n_classes, **options):
    return ugt.plackett_luce(ugt.Rankings.from_blocks([case], n_classes=n_classes), method="exact", **options)


def numbers(post):
    return np.stack([post.membership(1)[0], post.mean()[0], post.variance()[0]])


def test_labels_have_known_answers():
    two = exact([[[0]]], 2, prior_shape=1.0)  # Beta(2, 1)
    assert numbers(two) == pytest.approx(np.array([[0.75, 0.25], [2 / 3, 1 / 3], [1 / 18, 1 / 18]]), abs=2e-9)
    several = exact([[[0]], [[0]], [[1]]], 6, reliability=1.7, prior_shape=0.3)
    known = ugt.Dirichlet.from_array([[0.3 + 3.4, 0.3 + 1.7, 0.3, 0.3, 0.3, 0.3]])
    assert several.membership(1) == pytest.approx(known.membership(1), abs=4e-9)
    assert several.mean() == pytest.approx(known.mean(), abs=1e-9)
    assert several.certainty(1) == pytest.approx(known.certainty(1), abs=4e-9)
    empty = exact([], 4)
    assert empty.membership(1).tolist() == [[0.25] * 4] and empty.variance()[0, 0] == pytest.approx(0.25 * 0.75 / 2)


@pytest.mark.parametrize(
    ("case", "n_classes", "gamma", "shape", "size"),
    [
        (CONFLICT, 3, 1, 0.5, 40), (CONFLICT, 4, 1, 0.5, 40), (TIED, 4, 1, 0.5, 40), (CHAINS, 4, 1, 0.25, 40), (CHAINS, 4, 2.5, 0.5, 40),
        (CHAINS, 3, 1, 1.0, 40), (TIED, 3, 2, 0.7, 40), (CONFLICT, 5, 1, 0.6, 24), (CHAINS, 5, 1, 0.5, 24),
        ([[[0], [1]], [[1]]], 6, 1, 1.0, 18), ([[[0], [1, 2]]], 4, 1, 0.5, 40), ([[[3], [0, 1, 2]], [[0]]], 4, 1, 0.5, 40),
        (PAIR, 3, 2, 0.5, 40), (SEVERAL, 4, 3, 0.5, 40), ([[[0, 1]], [[0, 2]], [[1]]], 4, 1, 0.5, 40),
    ],
)  # fmt: skip
def test_independent_integration(case, n_classes, gamma, shape, size):
    found = slow.by_ratios(case, gamma, shape, n_classes, size)
    known_to = 3 * np.abs(found - slow.by_ratios(case, gamma, shape, n_classes, size - 6)).max() + 1e-12
    assert known_to < 5e-9
    for tolerance in (1e-8, 1e-6, 1e-4, 1e-2):
        post = exact(case, n_classes, reliability=gamma, prior_shape=shape, tolerance=tolerance)
        assert post.membership(1)[0] == pytest.approx(found, abs=post.error[0] + known_to)
        assert 0 < post.error[0] <= tolerance


@pytest.mark.parametrize("shape", [1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001])
@pytest.mark.parametrize("unranked", ["individual", "lump", "ignore"])
def test_one_chain_is_a_stick_of_beta_variables(shape, unranked):
    """One ranking: what is broken off at each place is Beta, also where the exponent of what is left is as small as the shape."""
    chain = [[[2], [0], [3], [1]]]
    for n_classes in (5, 419):
        others = {"individual": (n_classes - 4) * shape, "lump": shape, "ignore": 0.0}[unranked]
        total, left, mean = 4 * shape + others, 1.0, []
        for place in range(4):
            exponent = shape * (3 - place) + others
            # stick b ~ Beta(shape + 1, exponent): the stage divides by the sum of it and all that is left
            won = 1.0 if exponent > 0 else 0.0
            mean.append(left * (shape + won) / (shape + won + exponent))
            left *= exponent / (shape + won + exponent)
        assert total > 0
        post = exact(chain, n_classes, prior_shape=shape, unranked=unranked)
        assert post.mean()[0, [2, 0, 3, 1]] == pytest.approx(mean, abs=1e-10)
        fine = exact(chain, n_classes, prior_shape=shape, unranked=unranked, tolerance=1e-6)
        for tolerance in (1e-2, 1e-3, 1e-4, 1e-5):
            found = exact(chain, n_classes, prior_shape=shape, unranked=unranked, tolerance=tolerance)
            assert np.abs(found.membership(1) - fine.membership(1)).max() <= found.error[0] + fine.error[0]


@pytest.mark.parametrize(
    ("case", "gamma", "tolerance"),
    [
        (CHAINS, 1, 1e-3), (CHAINS, 2, 1e-3), (CHAINS, 0.6, 1e-3), (TIED, 1, 1e-3), ([[[0], [1]], [[0, 1]]], 2, 1e-3),
    ],
)  # fmt: skip
def test_slow_twin(case, gamma, tolerance):
    post = exact(case, 4, reliability=gamma, prior_shape=0.5)
    found, error = slow.adaptive(case, gamma, 0.5, 4, tolerance)
    assert numbers(post) == pytest.approx(found, abs=error + post.error[0])
    assert error < tolerance


def dimensions(case):
    """The number of sets of classes that are gone before a stage, in one order of the tied classes."""
    orders = [[y for block in ranking for y in block] for ranking in case]
    return len({frozenset(order[:n]) for order in orders for n in range(1, len(order))})


@pytest.mark.full
@EVERY
@pytest.mark.parametrize("gamma", [1, 2.5])
def test_a_million_draws(dermatology, gamma):
    """Cases of every dimension, tied and not: differences from draws are as large as their standard errors, which come from batches."""
    taken: Counter[tuple[int, bool]] = Counter()
    z = []
    for case in dermatology.annotations:
        kind = dimensions(case), any(len(block) > 1 for ranking in case for block in ranking)
        taken[kind] += 1
        if not 1 <= kind[0] <= 9 or taken[kind] > 4:
            continue
        names = sorted({y for ranking in case for block in ranking for y in block})
        short = [[[names.index(y) for y in block] for block in ranking] for ranking in case]
        rankings = ugt.Rankings.from_blocks([short], n_classes=len(names) + 1)
        post = ugt.plackett_luce(rankings, reliability=gamma)
        draws = ugt.plackett_luce(rankings, reliability=gamma, method="gibbs", n_draws=1_000_000)
        best = draws.draws(1_000_000)[0].argmax(1).reshape(200, 5000)
        for k in np.flatnonzero(np.abs(post.membership(1)[0] - 0.5) < 0.48):
            share = (best == k).mean(1)
            error = np.hypot(share.std(ddof=1) / np.sqrt(200), post.error[0])
            z.append((share.mean() - post.membership(1)[0, k]) / error)
    assert set(taken) >= {(dims, True) for dims in range(1, 10)} | {(dims, False) for dims in range(1, 7)}
    assert np.abs(z).max() < 4.5
    assert 0.9 < np.sqrt(np.mean(np.square(z))) < 1.1


def test_equal_posteriors():
    """Annotations given once with reliability 3 or three times; classes with other names; more classes with the same total prior."""
    once = numbers(exact(SEVERAL, 5, reliability=3, prior_shape=0.2))
    assert numbers(exact(3 * SEVERAL, 5, prior_shape=0.2)) == pytest.approx(once, abs=1e-9)
    named = [[[4 - y for y in block] for block in ranking] for ranking in reversed(SEVERAL)]
    fine = {"reliability": 3, "prior_shape": 0.2, "tolerance": 1e-8}
    assert numbers(exact(named, 5, **fine))[:, ::-1] == pytest.approx(numbers(exact(SEVERAL, 5, **fine)), abs=1e-9)
    for unranked, first in (("ignore", 0), ("lump", 1)):  # each of more unmentioned classes has less of the lump, and is seldom first
        few, many = (numbers(exact(CHAINS, k, prior_shape=0.2, unranked=unranked))[first:, :3] for k in (4, 40_000))
        assert few == pytest.approx(many, abs=1e-9)
    few, many = (numbers(exact(PAIR, k, prior_shape=0.2, unranked="lump"))[1:, :3] for k in (4, 40_000))
    assert few == pytest.approx(many, abs=1e-9)
    weighted = ugt.Rankings.from_blocks([[*SEVERAL, [[0]]]], n_classes=5)
    again = ugt.plackett_luce(weighted, method="exact", reliability=[1.0, 1.0, 0.25, 0.75], prior_shape=0.2)
    assert numbers(again) == pytest.approx(numbers(exact(SEVERAL, 5, prior_shape=0.2)), abs=1e-9)
    halves = ugt.plackett_luce(ugt.Rankings.from_blocks([2 * SEVERAL], n_classes=5), method="exact", reliability=[0.5] * 6, prior_shape=0.2)
    assert numbers(halves) == pytest.approx(numbers(again), abs=1e-9)  # a tie of two annotators who count a half counts once
    few, many = (exact(CHAINS, k, prior_mass=1.0).membership(1)[0, :3] for k in (400, 40_000))
    assert few == pytest.approx(many, abs=2e-3)  # the total of the unmentioned classes is nearly the same


@pytest.mark.parametrize("unranked", ["individual", "lump", "ignore"])
@pytest.mark.parametrize("gamma", [1, 2.5, 3])
def test_draws_agree(unranked, gamma):
    cases = [CHAINS, CONFLICT, [[[0], [1], [2]]], [[[2]], [[2], [1]]], SEVERAL, PAIR if gamma == 2.5 else TIED]
    rankings = ugt.Rankings.from_blocks(cases, n_classes=5)
    options = {"reliability": gamma, "unranked": unranked, "prior_shape": 0.5}
    post = ugt.plackett_luce(rankings, method="auto", **options)
    draws = ugt.plackett_luce(rankings, method="gibbs", n_draws=40_000, seed=3, **options)
    error = np.maximum(ugt.truth.plackett_luce_diagnostics(draws).mcse_mean, 0.5 / np.sqrt(40_000))[:, None]
    error = error + post.error[:, None]
    assert (np.abs(post.membership(1) - draws.membership(1)) < 6 * error).all()
    assert (np.abs(post.mean() - draws.mean()) < 4 * error).all()
    assert (np.abs(post.variance() - draws.draws(40_000).var(1)) < 4 * error).all()
    assert (post.rest[post.how == EXACT, 0] > 0).all() == (unranked != "ignore")


@pytest.mark.parametrize(
    ("part", "gamma"),
    [
        *(pytest.param(slice(None), gamma, marks=[pytest.mark.full, EVERY]) for gamma in (1, 0.3, 2.5)),
        (slice(3, None, 60), 1),
        (slice(5, None, 90), 2.5),
    ],
)
def test_stated_errors_are_upper_bounds(dermatology, monkeypatch, part, gamma):
    """The true error of dermatology cases of up to five dimensions, from a tolerance a hundred times smaller."""
    rankings = ugt.Rankings.from_blocks(dermatology.annotations[part], n_classes=419)
    post = ugt.plackett_luce(rankings, reliability=gamma, n_draws=16)
    monkeypatch.setattr(plackett_luce_integrals, "MOST_DIMENSIONS", 5)
    monkeypatch.setattr(plackett_luce_integrals, "MOST_NODES", 6_000_000)
    finer = ugt.plackett_luce(rankings, reliability=gamma, tolerance=TOLERANCE / 100, n_draws=16)
    known = (post.how == EXACT) & (finer.how == EXACT)
    assert known.mean() > (0.85 if gamma == 1 else 0.3)
    off = np.abs(post.rest - finer.rest).max(1)
    np.maximum.at(off, row_of(post.offsets), np.abs(post.listed - finer.listed).max(1))
    assert off[known].max() > 2e-9  # these are different numbers
    assert (off <= post.error)[known].all()


def test_orders_that_seem_negligible_at_first():
    """Ten times a tie has many orders, of which most are far larger than their first nodes say; one look at them was not enough."""
    case = [[[0, 1], [2]], [[0, 1]], [[0], [1]]]
    known = exact(case, 419, reliability=10, tolerance=1e-7)
    for tolerance in (1e-5, 3e-6, 1e-6):
        found = exact(case, 419, reliability=10, tolerance=tolerance)
        assert np.abs(numbers(found) - numbers(known)).max() <= found.error[0] <= 1.01 * tolerance


def test_alike_classes_have_equal_numbers():
    """Four classes tied behind one are 24 orders."""
    post = exact([[[0], [1, 2, 3, 4]]], 30)
    p = post.membership(1)[0]
    assert (p[1:5] == p[1]).all() and p[0] > p[1] > p[5]
    apart = exact([[[0], [1, 2, 3, 4]], [[1]]], 30).membership(1)[0]
    assert (apart[2:5] == apart[2]).all() and apart[1] > apart[2]


def test_cases_that_are_not_exact():
    rng = np.random.default_rng(1)
    deep = [[[int(y)] for y in rng.permutation(8)[:4]] for _ in range(5)]
    rankings = ugt.Rankings.from_blocks([CONFLICT, TRIPLE, [], deep], n_classes=40, case_ids=["a", "b", "c", "d"])
    known = r"method must be 'auto' or 'weighted' for cases whose integral does not reach 0.0001. Got "
    with pytest.raises(ValueError, match=known + r"ties at a reliability that is not whole.* 2 of 4 cases .* first at case 'b'"):
        ugt.plackett_luce(rankings, method="exact", reliability=1.5)
    with pytest.raises(ValueError, match=known + r"\d+ dimensions and 1 terms; 1 of 4 cases .* first at case 'd'"):
        ugt.plackett_luce(rankings, method="exact")
    post = ugt.plackett_luce(rankings, method="auto", reliability=1.5)
    drawn = ugt.plackett_luce(rankings, method="gibbs", reliability=1.5, n_draws=40_000)
    assert post.how.tolist() == [EXACT, WEIGHTED, 0, WEIGHTED] and "exact=1, weighted=2" in repr(post)
    assert post.membership(1)[[1, 3]] == pytest.approx(drawn.membership(1)[[1, 3]], abs=0.02)
    assert (post.certainty_error(post.certainty(1), 1, "set")[[1, 3]] > 0).all() and post.error.max() <= 2e-3
    assert 0 < ugt.annotation_certainty(post).mc_error < 2e-3
    assert 0 < ugt.ua_topk_accuracy(post, rng.random((4, 40)), k=3).mc_error < 3e-3
    assert 0 < ugt.truth.expected_risk(post, np.arange(40)).mc_error < 0.3
    other = ugt.plackett_luce(rankings, reliability=1.5, seed=1)
    assert other.membership(1) == pytest.approx(post.membership(1), abs=6 * post.error.max()) and other.how.tolist() == post.how.tolist()
    for method in ("exact", "weighted"):
        with pytest.raises(ValueError, match=r"method must be 'gibbs' with a tempering other than 1"):
            ugt.plackett_luce(rankings, method=method, tempering=2)
    assert isinstance(ugt.plackett_luce(rankings, method="auto", tempering=2, unranked="lump", n_draws=8), ugt.Draws)


def test_the_old_name_of_draws():
    with pytest.raises(ValueError, match=r"method must be 'weighted' .* or 'gibbs' .*. Got 'draws'"):
        ugt.plackett_luce(ugt.Rankings.from_blocks([CHAINS], n_classes=5), method="draws")


def test_more_ties_than_have_orders():
    """Nine tied classes have no sum over their orders, and 39 sets more dimensions than an integral may have."""
    tied = [[list(range(9)), [9]], [[2], [0]]], "ties at a reliability that is not whole or with more than 200 orders, or too large .*"
    for case, why in (tied, ([[[k] for k in range(40)]], "39 dimensions")):
        with pytest.raises(ValueError, match=f"Got {why}; 1 of 1 cases are such"):
            exact(case, 50)
        assert ugt.plackett_luce(ugt.Rankings.from_blocks([case], n_classes=50)).how.tolist() == [WEIGHTED]


def test_metrics():
    """Top-1 results are integrals with the spread of independent cases."""
    rng = np.random.default_rng(2)
    rankings = ugt.Rankings.from_blocks([CHAINS, TIED, SEVERAL, [[[3]]], []], n_classes=5)
    scores = rng.random((5, 5))
    post, draws = ugt.plackett_luce(rankings, method="exact"), ugt.plackett_luce(rankings, method="gibbs", n_draws=4000, seed=5)
    for k in (1, 2):
        found, sampled = (ugt.ua_topk_accuracy(truth, scores, k=k) for truth in (post, draws))
        p = np.take_along_axis(post.membership(1), np.argsort(-scores, axis=1)[:, :k], axis=1).sum(1)
        assert found.per_case == pytest.approx(p) and found.mc_error == 0 and found.per_draw is None
        assert found.draw_std == pytest.approx(np.sqrt((p * (1 - p)).sum()) / 5)
        assert found.value == pytest.approx(sampled.value, abs=0.03) and found.draw_std == pytest.approx(sampled.draw_std, rel=0.1)
    certainty = ugt.annotation_certainty(post)
    assert certainty.mc_error == 0 and certainty.per_case == pytest.approx(post.membership(1).max(1))
    assert ugt.annotation_certainty(post, k=2).per_case[:4] == pytest.approx(ugt.annotation_certainty(draws, k=2).per_case[:4], abs=0.03)
    group = ugt.annotation_certainty(post, groups=[0, 0, 1, 1, 1], group_rule="top_class")
    assert group.per_case == pytest.approx(np.stack([post.membership(1)[:, :2].sum(1), post.membership(1)[:, 2:].sum(1)]).max(0))
    some = post.take([3, 1])
    assert some.membership(1) == pytest.approx(post.membership(1)[[3, 1]])
    assert some.certainty(2) == pytest.approx(post.certainty(2)[[3, 1]])
    labels = ugt.metrics.ua_coverage(post, [[0], [1, 2], [], [3], [0]])
    assert labels.per_case == pytest.approx(
        [*post.membership(1)[0, :1], post.membership(1)[1, 1:3].sum(), 0, post.membership(1)[3, 3], 0.2]
    )


def test_conflicts_of_two_classes_are_beta():
    """Among two classes a ranking is a label: its class is first with the probability that a Beta variable is above one half."""
    rankings = ugt.Rankings.from_blocks([2 * [[[0], [1]]] + [[[1], [0]]]], n_classes=2)
    for gamma in (0.7, 1, 3.3):
        law = beta(0.4 + 2 * gamma, 0.4 + gamma)
        post = ugt.plackett_luce(rankings, method="exact", reliability=gamma, prior_shape=0.4)
        assert numbers(post)[:, 0] == pytest.approx([law.sf(0.5), law.mean(), law.var()], abs=1e-8)


def test_tolerance():
    rankings = ugt.Rankings.from_blocks([SEVERAL, CHAINS], n_classes=6)
    fine = ugt.plackett_luce(rankings, method="exact", tolerance=1e-8)
    for tolerance in (1e-2, 1e-4, 1e-6):
        post = ugt.plackett_luce(rankings, method="exact", tolerance=tolerance)
        assert (post.error <= tolerance).all()
        assert (np.abs(post.membership(1) - fine.membership(1)) <= (post.error + fine.error)[:, None]).all()
    with pytest.raises(ValueError, match=r"tolerance must be from 1e-08 to 0.01. Got 0.1"):
        ugt.plackett_luce(rankings, tolerance=0.1)


def test_cases_do_not_depend_on_each_other():
    cases = [CHAINS, TIED, SEVERAL, CONFLICT, [[[3]]], [], [[[4, 1], [0]]] * 3]
    ids = list("abcdefg")
    post = ugt.plackett_luce(ugt.Rankings.from_blocks(cases, n_classes=30, case_ids=ids), reliability=2)
    for rows in ([6, 2, 0, 1, 5], [3], [4, 3, 2]):
        some = ugt.Rankings.from_blocks([cases[i] for i in rows], n_classes=30, case_ids=[ids[i] for i in rows])
        found = ugt.plackett_luce(some, reliability=2)
        assert found.membership(1).tobytes() == post.membership(1)[rows].tobytes()
        assert found.variance().tobytes() == post.take(rows).variance().tobytes()


def test_threads_and_checkpoints(tmp_path):
    rankings = ugt.Rankings.from_blocks([CHAINS, TIED, SEVERAL, CONFLICT] * 10, n_classes=30)
    file = tmp_path / "run"
    first = ugt.plackett_luce(rankings, method="auto", checkpoint=file)
    for options in ({"n_threads": 3}, {"checkpoint": file}):
        again = ugt.plackett_luce(rankings, method="auto", **options)
        assert again.listed.tobytes() == first.listed.tobytes() and again.error.tobytes() == first.error.tobytes()
    with pytest.raises(ValueError, match="checkpoint"):
        ugt.plackett_luce(rankings, method="auto", reliability=2, checkpoint=file)


def evaluated(rankings, **options):
    scores = {"a": np.random.default_rng(0).random((rankings.n_cases, rankings.n_classes))}
    return ugt.evaluate(rankings, scores, aggregation="plackett-luce", n_resamples=20, **options)


def diagnostics(found):
    return {(row["reliability"], row["quantity"]): row["value"] for row in found.tables["diagnostics"]}


def page_of(found, file):
    found.to_html(file)
    return file.read_text(encoding="utf-8")


def test_evaluation_says_how_cases_were_computed(tmp_path):
    rankings = ugt.Rankings.from_blocks([CHAINS, [[[0, 1, 2]], [[2], [0]], [[1], [2]]], CONFLICT, [[[3]]]] * 3, n_classes=5)
    found = evaluated(rankings, k=1, reliability=(1, 1.5))
    (note,) = (note for note in map(str, found.notes) if note.startswith("Plackett-Luce"))
    said = "an error of at most 0.0001 in 21 of 24 cases, over 2 reliabilities; 3 are by weighted points (largest standard error 0.00"
    assert said in note and "Orders" not in note
    rows = diagnostics(found)
    assert rows[1.0, "cases with an exact integral"] == 12 and rows[1.5, "cases by weighted points"] == 3
    assert 0 < rows[1.5, "largest standard error of these"] <= 2e-3 and not any("R-hat" in quantity for _, quantity in rows)
    assert rows[1.5, "cases whose points are not reliable"] == 0
    post = ugt.plackett_luce(rankings, reliability=1)
    assert found.certainty[0]["value"] == ugt.annotation_certainty(post).value and found.certainty[0]["mc_error"] == 0
    assert found.provenance["parameters"]["method"] == "auto"
    page = page_of(found, tmp_path / "x.html")
    assert "How the cases were computed" in page and "Diagnostics of the Markov chains" not in page
    orders = evaluated(rankings, k=(1, 2), reliability=1)
    assert "Orders, sets and groups of classes use weighted points, 2,304 a case (effective number at least" in " ".join(
        map(str, orders.notes)
    )
    assert (1.0, "largest R-hat") not in diagnostics(orders)
    given = ugt.evaluate(post, {"a": np.ones((12, 5))}, k=1, n_resamples=20)
    assert diagnostics(given)[None, "cases with an exact integral"] == 12


def test_evaluation_by_one_method():
    rankings = ugt.Rankings.from_blocks([CHAINS, TRIPLE, CONFLICT, [], [[[3]]]] * 3, n_classes=5)
    drawn = evaluated(rankings, method="gibbs", reliability=1, k=1)
    assert "The truth is given as draws" in " ".join(map(str, drawn.notes)) and (1.0, "cases by weighted points") not in diagnostics(drawn)
    exact, auto = (evaluated(rankings, method=method, reliability=1, k=1) for method in ("exact", "auto"))
    assert exact.certainty[0]["value"] == auto.certainty[0]["value"]
    assert auto.left_out == drawn.left_out == {"case without annotations": 3}
    assert auto.certainty[0]["n_cases"] == drawn.certainty[0]["n_cases"] == 12
    with pytest.raises(ValueError, match=r"method must be 'auto' or 'weighted' for cases .* first at case 1"):
        evaluated(rankings, method="exact", reliability=1.5)
    with pytest.raises(ValueError, match=r"method must be one of 'auto', 'exact', 'weighted', 'gibbs'"):
        evaluated(rankings, method="sampled")


def test_command(command, tmp_path):
    (tmp_path / "x.csv").write_text("case,annotator,ranking\np,ann,a > b\np,bob,b > a\nq,ann,a = b = c > d\nq,bob,c\n", encoding="utf-8")
    options = "x.csv", "--aggregation", "plackett-luce", "--k", 1, "--reliability"
    assert "method must be" in command("certainty", *options, 1.5, "--method", "exact", code=2)
    found = json.loads(command("certainty", *options, 1, "--method", "exact", "--json"))
    assert found["certainty"][0]["mc_error"] == 0
    drawn = json.loads(command("certainty", *options, 1, "--method", "gibbs", "--json"))
    assert drawn["certainty"][0]["value"] == pytest.approx(found["certainty"][0]["value"], abs=0.05)
    assert drawn["certainty"][0]["mc_error"] > 0


def test_states_of_parts():
    """States of integrated truths merge into the result of all cases, with its error."""
    rng = np.random.default_rng(8)
    cases = [CHAINS, TIED, SEVERAL, CONFLICT] * 3 + [[[[int(y)] for y in rng.permutation(8)[:4]] for _ in range(5)]]
    ids = [f"case {i}" for i in range(13)]
    scores = rng.random((13, 9))

    def truth(rows):
        return ugt.plackett_luce(ugt.Rankings.from_blocks([cases[i] for i in rows], n_classes=9, case_ids=[ids[i] for i in rows]))

    for function, rest in (("annotation_certainty", ()), ("ua_topk_accuracy", (scores,))):
        parts = [states.partial(function, truth(rows), *(table[rows] for table in rest)) for rows in (np.arange(7), np.arange(7, 13))]
        found, whole = states.finish(states.merge(parts)), public(function)(truth(np.arange(13)), *rest)
        assert found.value == pytest.approx(whole.value, abs=1e-15) and found.numbers["mc_error"] == pytest.approx(
            whole.mc_error, rel=1e-12
        )
        assert whole.mc_error > 0
