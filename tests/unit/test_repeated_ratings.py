"""Ratings that an annotator repeats in a case, and numbers of labels that go with disagreement: what is computed, and what is said."""

import math
import warnings

import numpy as np
import pytest

import ugt
from ugt import states
from ugt.agreement.icc import EQUAL_MEANS, KINDS
from ugt.agreement.scales import sizes_matter
from ugt.annotations.other_annotators import of_cases


def heard(call):
    """What a call returns, and its warnings."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        return call(), [str(one.message) for one in found]


def quiet(*given, **more):
    return heard(lambda: ugt.agreement.intraclass_correlation(*given, **more))[0]


def readings(n, n_annotators=3, times=2, seed=0):
    """Variances of 1 between cases, 0.25 of an annotator in a case, 1 of a reading."""
    rng = np.random.default_rng(seed)
    mean = rng.normal(size=(n, 1, 1)) + 0.5 * rng.normal(size=(n, n_annotators, 1)) + rng.normal(size=(n, n_annotators, times))
    case, annotator, _ = np.indices(mean.shape)
    return ugt.Ratings.from_long(case.ravel(), annotator.ravel(), mean.ravel())


TOTAL_DISAGREEMENT = ugt.Ratings.from_long(
    np.repeat(["c1", "c2", "c3"], 4), ["ann", "ann", "bob", "bob"] * 3, [5, 1, 1, 5, 4, 2, 2, 4, 1, 5, 5, 1]
)


@pytest.mark.parametrize("kind", KINDS)
def test_equal_means_are_no_agreement(kind):
    found, said = heard(lambda: ugt.agreement.intraclass_correlation(TOTAL_DISAGREEMENT, kind))
    assert math.isnan(found.value) and found.reason == EQUAL_MEANS and np.isnan(found.interval()).all()
    assert said == [
        "6 ratings repeat a rating of the same annotator and case. Intraclass correlations are of the means of such ratings; "
        "repeats='one' gives those of one rating."
    ]
    one, said = heard(lambda: ugt.agreement.intraclass_correlation(TOTAL_DISAGREEMENT, kind, repeats="one"))
    assert (one.value, one.reason, said) == (0, None, []) and one.coefficient == f"ICC({kind}), one rating"
    equal = ugt.Ratings.from_long([0, 0, 0, 1, 1], ["a", "a", "b", "a", "b"], [2.0] * 5)
    assert quiet(equal, kind).value == quiet(equal, kind, repeats="one").value == 1


def test_one_rating_reaches_the_truth():
    """Population values: 1 / 1.75 of means of two readings, 1 / 2.25 of one reading."""
    data = readings(20_000)
    for kind in ("1", "A,1", "C,1"):
        for repeats, expected in (("mean", 1 / 1.75), ("one", 1 / 2.25)):
            found = quiet(data, kind, repeats=repeats)
            assert abs(found.value - expected) < 5 * found.std_error < 0.03


def test_one_rating_by_hand():
    """Two annotators, who both rated two cases twice: variances within annotator and case of 1, 0, 0.25 and 0.25, with divisor 2."""
    data = ugt.Ratings.from_long([0] * 4 + [1] * 4, [0, 0, 1, 1] * 2, [0, 2, 3, 3, 5, 6, 7, 8])
    means = np.array([[1, 3], [5.5, 7.5]])
    between, within = 2 * means.mean(axis=1).var(ddof=1), means.var(axis=1, ddof=1).mean()
    expected = (between - within) / (between + within + 2 * (1 + 0 + 0.25 + 0.25) / 4)
    assert quiet(data, "1", repeats="one").value == pytest.approx(expected, rel=1e-12)
    assert quiet(data, "1k", repeats="one").value == pytest.approx((between - within) / (between + (1 + 0.5) / 4), rel=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_influence_is_the_derivative(kind):
    one = quiet(readings(12, seed=2), kind, repeats="one").statistic
    for case in (0, 5):
        weights = np.ones((2, 12))
        weights[:, case] += (1e-6, -1e-6)
        up, down = one.values(weights)[:, 0]
        assert one.influence()[case, 0] == pytest.approx((up - down) / 2e-6, rel=1e-5)


@pytest.mark.parametrize("kind", ["1", "1k", "C,1"])
def test_without_repeats_both_forms_are_equal(kind):
    data = ugt.Ratings.from_wide(np.random.default_rng(1).normal(size=(20, 1)) + np.random.default_rng(2).normal(size=(20, 3)))
    one, other = (ugt.agreement.intraclass_correlation(data, kind, repeats=which) for which in ("mean", "one"))
    assert (one.value, one.std_error, one.interval()) == (other.value, other.std_error, other.interval())


@pytest.mark.parametrize("kind", ["1", "A,1"])
def test_parts_of_repeated_ratings(kind):
    data = readings(30)
    expected = quiet(data, kind, repeats="one")
    more = {"annotators": [0, 1, 2]} if kind != "1" else {}
    parts = [
        states.partial("intraclass_correlation", of_cases(data, rows), kind=kind, repeats="one", **more)
        for rows in (np.arange(11), np.arange(11, 30))
    ]
    assert states.finish(states.merge(parts)).value == pytest.approx(expected.value, rel=1e-9)


def test_the_table_has_both_forms_and_one_note():
    table, said = heard(lambda: ugt.agreement_table(readings(30)))
    assert [one.coefficient for one in table.found[:6]] == [
        f"ICC({kind}){more}" for more in ("", ", one rating") for kind in ("1", "A,1", "C,1")
    ]
    assert len(said) == 1 and said[0].startswith("90 ratings repeat a rating")
    assert not heard(lambda: ugt.agreement_table(readings(30, times=1)))[1]


# ---- numbers of labels that go with disagreement


def labels_of(seed, more_for_hard, n=150):
    """Three cases of ten are hard; these, or as many others, have six labels instead of two."""
    rng = np.random.default_rng(seed)
    hard, truth = rng.random(n) < 0.3, rng.integers(0, 2, n)
    size = np.where(hard if more_for_hard else rng.random(n) < 0.3, 6, 2)
    table = (truth[:, None] ^ (rng.random((n, 6)) < np.where(hard, 0.35, 0.03)[:, None])).astype(float)
    table[np.arange(6) >= size[:, None]] = np.nan
    return ugt.Labels.from_wide(table, classes=2)


def test_more_labels_of_hard_cases_are_noted():
    labels = labels_of(0, True)
    alpha, said = heard(lambda: ugt.krippendorff_alpha(labels))
    kappa = ugt.fleiss_kappa(labels)
    note = sizes_matter(alpha.statistic)
    assert said == [str(note)] and note.code == "sizes_go_with_disagreement"
    assert (note.values["alpha"], note.values["equal"]) == (pytest.approx(alpha.value), pytest.approx(kappa.value))
    assert kappa.value - alpha.value > 0.1 and note.values["more"] == "more" and note.values["n"] == 150
    assert heard(lambda: ugt.agreement_table(labels))[1] == said
    assert any(one.code == note.code for one in ugt.evaluate(labels, {}, n_resamples=2, details=False).notes)


def test_each_level_has_the_note():
    labels = labels_of(1, True)
    for level in ("nominal", "ordinal", "interval", "ratio"):
        assert sizes_matter(heard(lambda level=level: ugt.krippendorff_alpha(labels, level))[0].statistic).values["equal"] > 0.5


def test_rules_of_the_note():
    """The test by hand; hardly any of 200 sound data sets has a note, and all planted ones have."""
    labels = labels_of(3, True)
    counts = labels.counts()
    size = counts.sum(axis=1)
    apart = 1 - (counts * (counts - 1)).sum(axis=1) / (size * (size - 1))
    product = (size - size.mean()) * (apart - apart.mean())
    assert sizes_matter(heard(lambda: ugt.krippendorff_alpha(labels))[0].statistic).values["t"] == pytest.approx(
        product.sum() / np.sqrt((product**2).sum())
    )
    noted = [[len(heard(lambda s=s, p=p: ugt.krippendorff_alpha(labels_of(s, p)))[1]) for s in range(60)] for p in (True, False)]
    assert (sum(noted[0]), sum(noted[1]) <= 4) == (60, True)
    few = labels_of(0, True, n=19)
    assert sizes_matter(heard(lambda: ugt.krippendorff_alpha(few))[0].statistic) is None
