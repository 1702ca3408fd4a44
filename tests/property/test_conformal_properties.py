"""What holds of prediction sets whatever the data: p-values are p-values, sets are nested, names and order of classes do not matter."""

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from twins import conformal as twin

import ugt

pytestmark = pytest.mark.filterwarnings("ignore")

SCORES = st.sampled_from(["lac", "aps", "raps"])


def tables(draw, n, k):
    """Rows of few different numbers, so that ties and zeros are common."""
    row = st.lists(st.integers(0, 3), min_size=k, max_size=k).filter(any)
    table = np.array(draw(st.lists(row, min_size=n, max_size=n)), float)
    return table / table.sum(1, keepdims=True)


@st.composite
def problems(draw):
    n, k = draw(st.integers(2, 9)), draw(st.integers(2, 4))
    p, truth, new = tables(draw, n, k), tables(draw, n, k), tables(draw, 3, k)
    options = {
        "score": draw(SCORES),
        "alpha": draw(st.integers(1, 99)) / 100,
        "m": draw(st.integers(1, 5)),
        "correction": draw(st.sampled_from(["none", "ecdf"])),
        "class_groups": draw(st.sampled_from([None, "each"])),
        "randomized": draw(st.booleans()),
        "penalty": draw(st.sampled_from([0.0, 0.125])),
        "k_reg": draw(st.integers(0, 3)),
    }
    return p, truth, new, options


@examples(60)
@given(problems(), st.integers(1, 99))
def test_sets_are_what_p_values_say(problem, percent):
    p, truth, new, options = problem
    model = ugt.conformal.MonteCarloConformal(**options).fit(p, truth)
    p_values = model.p_values(new)
    assert ((p_values > 0) & (p_values <= 1)).all()
    sets = model.predict_sets(new).mask()
    other = model.predict_sets(new, alpha=percent / 100).mask()
    np.testing.assert_array_equal(sets, p_values > options["alpha"] * (1 + 1e-12))
    smaller, larger = (other, sets) if percent / 100 >= options["alpha"] else (sets, other)
    assert not (smaller & ~larger).any()  # nested


@examples(60)
@given(problems(), st.randoms(use_true_random=False))
def test_order_of_cases_and_classes(problem, random):
    """Of cases in any setting; of classes where nothing is random."""
    p, truth, new, options = problem
    options = {**options, "correction": "none"}
    ids = np.arange(len(p)) + 100
    order = random.sample(range(len(p)), len(p))
    fit = lambda q, t, i: ugt.conformal.MonteCarloConformal(**options).fit(q, t, case_ids=i)  # noqa: E731
    model = fit(p, truth, ids)
    np.testing.assert_allclose(fit(p[order], truth[order], ids[order]).p_values(new), model.p_values(new), rtol=1e-12)
    one_hot = np.eye(p.shape[1])[truth.argmax(1)]  # sampled labels depend on the order of classes otherwise
    options["randomized"] = False
    classes = random.sample(range(p.shape[1]), p.shape[1])
    moved = fit(p[:, classes], one_hot[:, classes], ids).p_values(new[:, classes])
    np.testing.assert_allclose(moved, fit(p, one_hot, ids).p_values(new)[:, classes], rtol=1e-12)


@examples(60)
@given(st.data(), SCORES, st.booleans(), st.integers(0, 3))
def test_scores(data, score, randomized, k_reg):
    p = tables(data.draw, 3, data.draw(st.integers(2, 6)))
    found = ugt.conformal.conformal_scores(p, score, randomized=randomized, penalty=0.125, k_reg=k_reg)
    assert ((found >= 0) & (found <= 1 + 0.125 * p.shape[1])).all()
    for i in range(3):
        for a in range(p.shape[1]):
            for b in range(p.shape[1]):
                assert p[i, a] <= p[i, b] or found[i, a] <= found[i, b] + 1e-12  # the more probable, the less strange
                if p[i, a] == p[i, b] and not randomized:
                    assert found[i, a] == found[i, b]
    expected = [twin.scores(row.tolist(), score, randomized, 0.125, k_reg, 0, key) for row, key in zip(p, stream_keys(3))]
    assert found.tolist() == expected


def stream_keys(n):
    return [int(key) for key in ugt.annotations.Axes.of(n, 2).stream_keys]
