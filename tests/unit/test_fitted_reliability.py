"""Reliabilities fitted to references and to held-out labels: against likelihoods in plain Python, forms of references, refusals."""

import pickle

import numpy as np
import pytest
import twins.reliability as twin
from scipy.stats import chi2

import ugt
from ugt.plausibilities import weighted

RNG = np.random.default_rng(0)
P = RNG.dirichlet([0.5] * 3, 60)
WIDE = np.array([RNG.choice(3, 3, p=p) for p in P])
LABELS = ugt.Labels.from_wide(WIDE, classes=3, case_ids=[f"c{i}" for i in range(60)], annotators=["x", "y", "z"])
COUNTS = LABELS.counts()
REFERENCE = np.where(RNG.random(60) < 0.8, COUNTS.argmax(1), RNG.integers(0, 3, 60))
RANKINGS = ugt.Rankings.from_blocks(
    [[[[int(k)] for k in RNG.permutation(3)[:2]] for _ in range(2)] for _ in range(40)], n_classes=3, offered="all"
)


def test_likelihood_is_that_of_the_first_class():
    found = ugt.fit_reliability(LABELS, REFERENCE, prior=0.3)
    for g in (10, 16, 22):
        concentrations = found.grid[g] * COUNTS[:8] + 0.3
        part = ugt.fit_reliability(ugt.Labels.from_counts(np.tile(COUNTS[:8], (2, 1))), np.tile(REFERENCE[:8], 2), prior=0.3)
        assert part.profile[g] == pytest.approx(2 * twin.log_likelihood(concentrations, np.eye(3)[REFERENCE[:8]]), abs=1e-7)
    assert found.log_likelihood >= found.profile.max() and len(found.grid) == 33
    low, high = found.interval(0.9)
    for end in (low, high):
        assert found.at(np.log(end)) == pytest.approx(found.log_likelihood - chi2.ppf(0.9, 1) / 2, abs=1e-6)
    again = pickle.loads(pickle.dumps(found))
    assert again.interval() == found.interval() and low < found.value < high


def test_weak_references():
    weak = RNG.dirichlet([1.0] * 3, 60)
    found = ugt.fit_reliability(LABELS, weak, prior=0.3)
    part = np.tile(weak[:5], (2, 1))
    of = ugt.fit_reliability(ugt.Labels.from_counts(np.tile(COUNTS[:5], (2, 1))), part, prior=0.3)
    assert of.profile[16] == pytest.approx(twin.log_likelihood(of.grid[16] * np.tile(COUNTS[:5], (2, 1)) + 0.3, part), abs=1e-7)
    assert found.value < ugt.fit_reliability(LABELS, REFERENCE, prior=0.3).value
    hard = ugt.fit_reliability(LABELS, np.eye(3)[REFERENCE])
    assert hard.profile == pytest.approx(ugt.fit_reliability(LABELS, REFERENCE).profile)
    assert ugt.fit_reliability(LABELS, ugt.Point.from_array(weak), prior=0.3).value == found.value


def test_forms_of_references():
    expected = ugt.fit_reliability(LABELS, np.where(np.arange(60) < 30, REFERENCE, np.nan))
    ids = [f"c{i}" for i in range(30)]
    some = [int(k) if i < 30 else None for i, k in enumerate(REFERENCE)]
    table = np.where(np.arange(60)[:, None] < 30, np.eye(3)[REFERENCE], np.nan)
    for given in (dict(zip(ids, REFERENCE)), (ids, REFERENCE[:30]), some, table):
        assert ugt.fit_reliability(LABELS, given).value == pytest.approx(expected.value)
    named = ugt.Labels.from_wide(np.array(["n", "p"])[np.minimum(WIDE, 1)], classes=["n", "p"])
    by_name = ugt.fit_reliability(named, np.array(["n", "p"])[np.minimum(REFERENCE, 1)])
    assert by_name.value == ugt.fit_reliability(named, np.minimum(REFERENCE, 1)).value
    more = ugt.fit_reliability(LABELS, {**dict(zip(ids, REFERENCE)), "other": 0})
    assert more.value == expected.value and more.left_out == {"reference of a case that is not among the annotations": 1}
    gap = ugt.Labels.from_wide([[None] * 3, *WIDE[1:].tolist()], classes=3)
    assert ugt.fit_reliability(gap, REFERENCE).left_out == {"case with a reference but without annotations": 1}


def test_prirn():
    reference = RNG.integers(0, 3, 40)
    found = ugt.fit_reliability(RANKINGS, reference, model="prirn", background=0.1)
    post = ugt.prirn(RANKINGS, reliability=float(found.grid[9]), background=0.1)
    assert found.profile[9] == pytest.approx(np.log(post.membership(1)[np.arange(40), reference]).sum())


def test_plackett_luce_by_draws():
    """The spline has the log-likelihoods of draws, within the Monte Carlo error."""
    rng = np.random.default_rng(5)
    named = ugt.Rankings.from_blocks([[[[int(k)] for k in rng.permutation(3)] for _ in range(3)] for _ in range(40)], n_classes=3)
    draws = ugt.plackett_luce(named, method="gibbs", reliability=1.5, n_draws=4000, seed=9)
    reference = draws.draws(1, seed=2)[:, 0].argmax(1)
    found = ugt.fit_reliability(named, reference, model="plackett_luce", method="gibbs", n_draws=400)
    low, high = found.interval()
    assert low < found.value < high and low < 1.5 < high and 0 < found.mc_error < 0.2 * found.value and len(found.grid) == 9
    at = int(np.argmax(found.profile))
    p = ugt.plackett_luce(named, method="gibbs", reliability=float(found.grid[at]), n_draws=8000, seed=1).membership(1)[
        np.arange(40), reference
    ]
    assert found.profile[at] == pytest.approx(np.log(p).sum(), abs=1.0)
    assert found.at(np.log(found.grid[at])) == pytest.approx(found.profile[at], abs=1e-9)
    assert ugt.fit_reliability(named, reference, model="plackett_luce", method="gibbs", n_draws=400).value == found.value


@pytest.mark.full
def test_plackett_luce_by_integrals():
    """Labels have the likelihood of a Dirichlet posterior; ties are integrated; weighted points have an error."""
    prior = {"prior_mass": 0.3}
    found = ugt.fit_reliability(LABELS, REFERENCE, model="plackett_luce", **prior)
    judge = ugt.dirichlet(LABELS, reliability=float(found.grid[4]), prior=0.1).membership(1)[np.arange(60), REFERENCE]
    assert found.profile[4] == pytest.approx(np.log(judge).sum(), abs=1e-3) and found.mc_error == 0
    expected = ugt.fit_reliability(LABELS, REFERENCE, prior=0.1)
    assert found.value == pytest.approx(expected.value, rel=0.02)
    assert found.interval() == pytest.approx(expected.interval(), rel=0.05)
    rng = np.random.default_rng(5)
    nested = [[[[int(k)] for k in rng.permutation(3)] for _ in range(2)] for _ in range(30)]
    reference = [case[0][0][0] for case in nested]
    one, pair, triple = (
        ugt.fit_reliability(ugt.Rankings.from_blocks([*nested[:-1], last], n_classes=4), reference, model="plackett_luce", n_draws=400)
        for last in (nested[-1], [[[0, 1], [2]]], [[[0, 1, 2]], [[2], [0]]])
    )
    assert all(0 < found.mc_error < 0.03 for found in (one, pair, triple))  # some have weighted points at the highest reliabilities
    with pytest.raises(ValueError, match=r"reference must be possible.* 1 such references of 30, first at case 0"):
        known = ugt.Rankings.from_blocks([[[[0], [1]]], *nested[1:]], n_classes=3)
        ugt.fit_reliability(known, np.array([2] + [0] * 29), model="plackett_luce", unranked="ignore")


@pytest.mark.filterwarnings("ignore")
def test_events_that_no_point_met(monkeypatch):
    """Where points are not relied on and a reference has probability 0 among them, its likelihood is that of one in their number."""
    monkeypatch.setattr(weighted, "LEAST_EFFECTIVE", 10**9)
    nested = [[[[0, 1], [2]], [[0], [1], [2]], [[0], [1], [2]]]] * 20
    post = ugt.plackett_luce(ugt.Rankings.from_blocks(nested, n_classes=400), reliability=20.5, n_draws=16)
    never = int(np.flatnonzero(post.membership(1)[0] == 0)[0])
    found = ugt.fit_reliability(ugt.Rankings.from_blocks(nested, n_classes=400), np.full(20, never), model="plackett_luce", n_draws=16)
    assert np.isfinite(found.profile).all()


def test_open_ends_are_said():
    agreed = ugt.Labels.from_counts(np.eye(2, dtype=int)[np.arange(30) % 2] * 3)
    always, never = ugt.fit_reliability(agreed, np.arange(30) % 2), ugt.fit_reliability(agreed, (np.arange(30) + 1) % 2)
    assert (always.value, always.interval()[1]) == (np.inf, np.inf) and always.sentence().startswith("The reliability is at least ")
    assert (never.value, never.interval()[0]) == (0, 0) and never.sentence().startswith("The reliability is at most ")


def test_references_where_annotators_disagree_are_noted():
    order = np.argsort(COUNTS.max(1), kind="stable")
    chosen = np.where(np.isin(np.arange(60), order[:20]), REFERENCE, np.nan)
    (note,) = ugt.fit_reliability(LABELS, chosen).notes
    assert note.startswith("Annotators disagree more in cases with a reference than in the others")
    assert ugt.fit_reliability(LABELS, np.where(np.arange(60) < 30, REFERENCE, np.nan)).notes == ()


def test_reliability_of_each_annotator():
    rng = np.random.default_rng(3)
    gamma, labels = np.array([3.0, 0.3, 1.0]), rng.integers(0, 3, (200, 3))
    concentration = 0.1 + (gamma[:, None] * np.eye(3)[labels]).sum(1)
    reference = rng.gamma(concentration).argmax(1)
    known = ugt.Labels.from_wide(labels, classes=3, annotators=["x", "y", "z"])
    found = ugt.fit_reliability(known, reference, per_annotator=True)
    assert list(found.value) == ["x", "y", "z"] and found.value["y"] < found.value["z"] < found.value["x"]
    assert all(low < found.value[name] < high for name, (low, high) in found.interval().items())
    post = ugt.dirichlet(known, reliability=found.value)

    def objective(t):
        truth = ugt.dirichlet(known, reliability=dict(zip("xyz", np.exp(t))))
        return np.log(truth.label_probability(reference[:, None])).sum() - ((t - t.mean()) ** 2).sum() / (2 * 1.5**2)

    best = np.log(list(found.value.values()))
    assert objective(best) == pytest.approx(found.log_likelihood) and post.n_cases == 200
    for a in range(3):
        assert objective(best + 0.02 * np.eye(3)[a]) < found.log_likelihood > objective(best - 0.02 * np.eye(3)[a])
    curve = np.array([[(objective(best + u + v) - objective(best + u - v) - objective(best - u + v) + objective(best - u - v)) / 4e-4
                       for v in 0.01 * np.eye(3)] for u in 0.01 * np.eye(3)])  # fmt: skip
    assert list(found.std_error.values()) == pytest.approx(np.sqrt(np.diag(np.linalg.inv(-curve))), rel=1e-2)
    (note,) = ugt.fit_reliability(LABELS, np.where(np.arange(60) < 40, REFERENCE, np.nan), per_annotator=True).notes
    assert note == "Fewer than 50 references of x, y, z: drawn towards the reliability of all annotators."


def test_predictive_reliability():
    """Every case has as many labels left as are seen of one class only: the likelihood is that of the twin, whatever is held out."""
    counts = np.array([[6, 0, 0]] * 10 + [[0, 6, 0]] * 10)
    found = ugt.truth.fit_predictive_reliability(ugt.Labels.from_counts(counts), held=2)
    gamma = float(found.grid[5])
    best = max(20 * twin.log_dirichlet_multinomial([2, 0, 0], [4 * gamma + a, a, a]) for a in np.exp(np.linspace(-14, 7, 64)))
    assert found.profile[5] == pytest.approx(best, abs=1e-9)
    split = ugt.truth.fit_predictive_reliability(ugt.Labels.from_counts(np.array([[3, 3, 0], [2, 2, 2], [4, 2, 0]] * 10)), held=3)
    assert split.prior > 0 and split.n_cases == 30 and ugt.truth.fit_predictive_reliability(LABELS).value >= 0
    assert ugt.truth.fit_predictive_reliability(ugt.Labels.from_counts([[2, 0]] + [[3, 1]] * 20)).left_out == {
        "case with too few labels to hold them out": 1
    }


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ugt.fit_reliability(LABELS), ValueError, r"reference must be given\. Got None: labels alone do not show errors"),
        (lambda: ugt.fit_reliability(LABELS, {"c1": 0}), ValueError, r"reference must be known for at least 10 annotated cases\. Got 1"),
        (lambda: ugt.fit_reliability(LABELS, [None] * 60), ValueError, r"reference must be known for at least 10 annotated cases\. Got 0"),
        (lambda: ugt.fit_reliability(LABELS, {"q": 0}), ValueError, "reference must hold an id for every case"),
        (lambda: ugt.fit_reliability(LABELS, [7] * 60), ValueError, r"reference must be one of the 3 classes\. Got 7, first at case 'c0'"),
        (lambda: ugt.fit_reliability(LABELS, [[0.5, 0.5]] * 60), ValueError, r"reference must be one class per case, or probabilities"),
        (lambda: ugt.fit_reliability(LABELS, [[0.5, 0.5, 0.5]] * 60), ValueError, "reference must be probabilities that add up to 1"),
        (lambda: ugt.fit_reliability(LABELS, REFERENCE, prior=0), ValueError, r"reference must be possible: .* such references of 60"),
        (lambda: ugt.fit_reliability(LABELS, ugt.dawid_skene(LABELS)), ValueError, "reference must come from other data"),
        (lambda: ugt.fit_reliability(LABELS, ugt.dirichlet(LABELS)), ValueError, "reference must come from other data"),
        (lambda: ugt.fit_reliability(LABELS, REFERENCE, model="votes"), ValueError, "model must be one of 'dirichlet', 'prirn', 'plack"),
        (lambda: ugt.fit_reliability(RANKINGS, [0] * 40), TypeError, "annotations must be of a kind that model='dirichlet' takes"),
        (
            lambda: ugt.fit_reliability(LABELS, REFERENCE, per_annotator=True, spread=0),
            ValueError,
            "spread must be a finite number above 0",
        ),
        (
            lambda: ugt.fit_reliability(ugt.Labels.from_counts(COUNTS), REFERENCE, per_annotator=True),
            ValueError,
            "per_annotator must be False except for labels of named annotators",
        ),
        (lambda: ugt.truth.fit_predictive_reliability(LABELS, held=1), ValueError, "held must be at least 2: one held-out label"),
        (
            lambda: ugt.truth.fit_predictive_reliability(LABELS, held=3),
            ValueError,
            "labels must have at least 10 cases of more than 3 labels",
        ),
        (lambda: ugt.truth.fit_predictive_reliability(COUNTS), TypeError, r"labels must be Labels\. Got ndarray"),
    ],
)
def test_refusals(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_a_masked_reference_is_none():
    rng = np.random.default_rng(0)
    labels, classes = ugt.Labels.from_wide(rng.integers(0, 3, (40, 4)).astype(float), classes=3), rng.integers(0, 3, 40)
    found = ugt.fit_reliability(labels, np.ma.array(classes, mask=np.arange(40) >= 30))
    known = ugt.fit_reliability(labels, {case: int(classes[case]) for case in range(30)})
    assert found.n_cases == known.n_cases == 30 and found.log_likelihood == known.log_likelihood
