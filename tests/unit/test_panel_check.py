"""The split-panel check: each annotator against a twin, who is held out, ties, kinds of annotations, refusals."""

import numpy as np
import pytest
import twins.panel_check as twin

import ugt

RNG = np.random.default_rng(0)
WIDE = [[int(k) for k in RNG.choice(3, 4, p=p)] for p in RNG.dirichlet([0.5] * 3, 40)]
for i, row in enumerate(WIDE):
    row[i % 4] = None if i % 3 == 0 else row[i % 4]
NAMES = {"case_ids": [f"case {i}" for i in range(40)], "annotators": ["ann", "bob", "cy", "di"], "classes": 3}
LABELS = ugt.Labels.from_wide(WIDE, **NAMES)
RANKINGS = ugt.Rankings.from_blocks(
    [[[[int(k)] for k in RNG.permutation(4)[:2]] for _ in range(3)] for _ in range(30)], n_classes=4, offered="all"
)
RATINGS = ugt.Ratings.from_wide(RNG.normal(size=(60, 1)) + RNG.normal(size=(60, 4)))


@pytest.mark.parametrize(("prior", "gamma"), [([0.1] * 3, 1.0), ([0.2, 1.0, 0.5], 3.0)])
def test_each_annotator(prior, gamma):
    found = ugt.truth.split_panel_check(LABELS, prior=prior, reliability=gamma).per_annotator
    assert found.name.tolist() == NAMES["annotators"]
    for a in range(4):
        expected = twin.annotator(WIDE, a, prior, gamma)
        assert (found.n_cases[a], found.observed[a], found.predicted[a], found.p_value[a]) == pytest.approx(expected)
    order = np.argsort(found.p_value)
    holm = np.minimum(1, np.maximum.accumulate(found.p_value[order] * [4, 3, 2, 1]))
    assert found.adjusted_p_value[order] == pytest.approx(holm)


def test_one_label_of_each_case_is_held_out():
    """With two annotators, one of whom always says 0: agreement shows who was held out."""
    labels = ugt.Labels.from_wide([[0, 1]] * 400, classes=3, case_ids=[f"c{i}" for i in range(400)], annotators=["ann", "bob"])
    found = ugt.truth.split_panel_check(labels, prior=[1.0, 0.0, 1.0])
    share = (found.predicted * 3 - 1) / 1  # predicted is 2 / 3 where the vote is 0, 1 / 3 where it is 1
    assert found.observed == 0 and found.n_cases == 400 and 0.4 < share < 0.6
    other = ugt.truth.split_panel_check(labels, prior=[1.0, 0.0, 1.0], seed=1)
    assert other.predicted != found.predicted
    turned = ugt.Labels.from_wide([[1, 0]] * 400, classes=3, case_ids=[f"c{i}" for i in range(399, -1, -1)], annotators=["bob", "ann"])
    assert ugt.truth.split_panel_check(turned, prior=[1.0, 0.0, 1.0]).predicted == pytest.approx(found.predicted)


def test_bins_and_interval_hold_together():
    found = ugt.truth.split_panel_check(LABELS, prior="fit")
    assert found.bins.n_cases.sum() == found.n_cases == 40 and found.left_out == {}
    assert (found.bins.n_cases @ found.bins.observed) / 40 == pytest.approx(found.observed)
    assert ((found.bins.name[:, 0] <= found.bins.predicted) & (found.bins.predicted <= found.bins.name[:, 1])).all()
    low, high = found.interval()
    assert 0 <= low < found.observed < high <= 1 and found.bins.intervals().shape == (len(found.bins.name), 2)
    assert found.sentence() == (
        f"A further annotator would agree with the vote of the others in {found.predicted:.3f} (predicted); observed {found.observed:.3f} "
        f"(95% interval {low:.3f} to {high:.3f}, 40 cases)."
    )


def test_clusters_and_several_held_out():
    copies = ugt.Labels.from_wide(WIDE * 4, **{**NAMES, "case_ids": np.arange(160)})
    clustered = ugt.truth.split_panel_check(copies, clusters=np.tile(np.arange(40), 4))
    assert clustered.p_value > ugt.truth.split_panel_check(copies).p_value
    assert clustered.n_effective < 100 < ugt.truth.split_panel_check(copies).n_effective
    two = ugt.truth.split_panel_check(LABELS, held=2)
    assert two.n_cases == 40 and 40 <= two.n_effective <= 80
    three = ugt.truth.split_panel_check(LABELS, held=3)
    assert three.left_out == {"case with too few annotators to hold any out": 14}


def test_counts_and_repeated_labels():
    counts = ugt.Labels.from_counts(LABELS.counts())
    found = ugt.truth.split_panel_check(counts, prior="fit")
    assert found.per_annotator is None and found.n_cases == 40
    assert found.predicted == pytest.approx(ugt.truth.split_panel_check(LABELS, prior="fit").predicted, abs=0.1)
    with pytest.warns(UserWarning, match="several labels"):
        repeated = ugt.Labels.from_long([0, 0, 0, 1, 1], ["a", "a", "b", "a", "b"], [0, 1, 0, 1, 1])
    found = ugt.truth.split_panel_check(repeated).per_annotator
    assert found.observed.tolist() == [0.75, 0.75] and found.n_cases.tolist() == [2, 2]
    assert np.isnan(found.p_value).all()  # of two cases


def test_all_agree():
    with pytest.warns(RuntimeWarning, match="the fitted prior is 0"):
        found = ugt.truth.split_panel_check(ugt.Labels.from_counts([[3, 0], [0, 2], [4, 0]]), prior="fit")
    assert (found.observed, found.predicted, found.p_value) == (1, 1, 1) and found.interval()[1] == 1


@pytest.mark.parametrize(
    "options", [{"reliability": 20, "background": 0.1}, {"model": "plackett_luce", "n_draws": 800, "per_annotator": False}]
)
def test_rankings(options):
    found = ugt.truth.split_panel_check(RANKINGS, **options)
    assert found.per_annotator is None and found.n_cases == 30 and found.p_value < 0.05  # orders are noise: the truth models say otherwise
    named = ugt.Rankings.from_long(["a", "a", "b", "b"], ["x", "y", "x", "y"], [0, 0, 1, 0], [1, 1, 1, 1], classes=2)
    each = ugt.truth.split_panel_check(named, reliability=4, background=0.5).per_annotator
    assert each.observed.tolist() == [0.5, 0.5] and each.predicted == pytest.approx([0.9, 0.9])


def test_ratings():
    found = ugt.truth.split_panel_check(RATINGS)
    assert found.predicted == 0.5 and found.bins.n_cases.tolist() == [60] * 10 and found.bins.observed.sum() == pytest.approx(1)
    post = ugt.truth.normal(np.delete(RATINGS.value.reshape(60, 4), 2, axis=1), prior=ugt.truth.fit_normal_prior(RATINGS))
    inside = [0.25 <= post.cdf(value)[i] <= 0.75 for i, value in enumerate(RATINGS.value.reshape(60, 4)[:, 2])]
    assert found.per_annotator.observed[2] == pytest.approx(np.mean(inside))
    assert "A further rating would be in the middle half" in found.sentence()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: ugt.truth.split_panel_check(ugt.Labels.from_counts([[1, 0]])),
            ValueError,
            "annotations must have a case of more than 1 annot",
        ),
        (lambda: ugt.truth.split_panel_check(LABELS, held=0), ValueError, "held must be a whole number"),
        (lambda: ugt.truth.split_panel_check(LABELS, model="prim"), ValueError, "model must be one of 'auto', 'dirichlet'"),
        (lambda: ugt.truth.split_panel_check(LABELS, model="normal"), TypeError, "annotations must be of a kind that model='normal' takes"),
        (lambda: ugt.truth.split_panel_check([[1, 0]]), TypeError, "annotations must be of a kind .* Got list"),
        (lambda: ugt.truth.split_panel_check(LABELS, prior="fits"), ValueError, "prior must be a finite number"),
        (lambda: ugt.truth.split_panel_check(LABELS, background=1), TypeError, "background"),
        (lambda: ugt.truth.split_panel_check(LABELS, clusters=[1]), ValueError, "clusters must be 40 ids"),
    ],
)
def test_refusals(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.full
def test_dermatology(dermatology):
    """Observed .549; PrIRN without a background predicts the same under every reliability, Plackett-Luce what is observed."""
    rankings = ugt.Rankings.from_blocks(dermatology.annotations, n_classes=419)
    one, ten = (ugt.truth.split_panel_check(rankings, reliability=gamma) for gamma in (1, 10))
    assert one.n_cases == 1922 and round(one.observed, 3) == 0.549 and round(one.predicted, 3) == 0.621 == round(ten.predicted, 3)
    order = ugt.truth.split_panel_check(rankings, model="plackett_luce", n_draws=400, n_warmup=100)
    assert order.p_value > 0.3 and order.predicted == pytest.approx(0.542, abs=0.005)
