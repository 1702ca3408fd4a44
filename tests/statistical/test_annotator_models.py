"""Annotator models on generated data: known confusion matrices are found again, draws follow the posterior.

False alarms: ALARM is the probability that right code fails a comparison, or all comparisons of a test together where it is divided.
The seeds are fixed.
"""

import numpy as np
import pytest
from scipy import stats
from simulations import holds, sets
from twins import em as twin
from twins import graded

import ugt

pytestmark = pytest.mark.filterwarnings("ignore")

ALARM = 1e-9


def generate(rng, n, confusion, prevalence, share=1.0):
    """True classes, and labels by annotators with these confusion matrices."""
    truth = rng.choice(len(prevalence), n, p=prevalence)
    u = rng.random((n, len(confusion), 1))
    label = (np.cumsum(confusion, 2)[:, truth].transpose(1, 0, 2) < u).sum(2)
    table = np.where(rng.random(label.shape) < share, label, -1)
    return truth, ugt.Labels.from_wide(table, classes=len(prevalence), missing=-1)


@pytest.mark.parametrize("model", ["full", "one-coin"])
def test_known_confusions_are_found_again(model):
    rng = np.random.default_rng(3)
    prevalence = np.array([0.5, 0.3, 0.2])
    if model == "full":
        confusion = np.array([rng.dirichlet(np.where(np.arange(3) == k, 8.0, 1.5), 1)[0] for _ in range(6) for k in range(3)]).reshape(
            6, 3, 3
        )
    else:
        confusion = np.array([np.where(np.eye(3, dtype=bool), w, (1 - w) / 2) for w in (0.9, 0.8, 0.7, 0.6, 0.5, 0.4)])
    truth, labels = generate(rng, 20_000, confusion, prevalence, 0.8)
    found = ugt.dawid_skene(labels, model=model, n_restarts=0)
    # Labels of an annotator with truth k: 0.8 * 20,000 p_k >= 3,000. Were the truths known, the standard error of a cell were below
    # 0.0092; doubt about them adds less than its double here. 7 standard errors of 2 * 0.0092: ALARM with room for 57 numbers.
    off = max(np.abs(found.confusion(a) - confusion[a]).max() for a in range(6))
    assert off < 7 * 2 * 0.0092
    assert np.abs(found.prevalence - prevalence).max() < 7 * 2 * np.sqrt(0.25 / 20_000)
    # nobody does better than the right parameters: the accuracy of the decisions nears that of Bayes' rule
    best = twin.classes(twin.cases_of(labels)[:4000], confusion, prevalence)[0].argmax(1)
    mine = found.plausibilities.mean()[:4000].argmax(1)
    assert (best == mine).mean() > 0.97
    votes = np.nan_to_num(ugt.votes(labels, kind="mean").mean()).argmax(1)
    assert (found.plausibilities.mean().argmax(1) == truth).mean() > (votes == truth).mean()


@pytest.mark.parametrize("model, least, most", [("one-coin", 0.75, 1.35), ("full", 0.6, 1.6)])
def test_standard_errors_are_the_spread_of_the_accuracies(model, least, most):
    rng = np.random.default_rng(5)
    prevalence, w = np.array([0.4, 0.35, 0.25]), np.array([0.85, 0.8, 0.75, 0.7, 0.65])
    confusion = np.array([np.where(np.eye(3, dtype=bool), x, (1 - x) / 2) for x in w])
    found = []
    for _ in range(120):
        _, labels = generate(rng, 400, confusion, prevalence)
        fit = ugt.dawid_skene(labels, model=model, n_restarts=0, tolerance=1e-7)
        found.append((fit.accuracy, fit.accuracy_error))
    accuracy, error = (np.array(column) for column in zip(*found))
    # The spread of 120 numbers is known within 6.5 %; 6.5 standard errors of a ratio of 1 end at 0.58 and 1.42. The approximations
    # (prevalences known; "full": as if one coin) are within the rest, or the bounds would be too narrow for right code.
    spread = accuracy.std(0, ddof=1)
    ratio = error.mean(0) / spread
    assert (ratio > least * (1 - 0.42)).all() and (ratio < most / (1 - 0.42)).all()
    assert least < ratio.mean() < most


def test_known_cases_identify_what_labels_cannot():
    """Two annotators, of whom labels alone say little: 300 data sets, of 400 cases 150 with a known class."""
    rng, w = np.random.default_rng(6), np.array([0.9, 0.35])
    confusion = np.array([[[x, 1 - x], [1 - x, x]] for x in w])
    found, without = [], []
    for s in range(300):
        truth, labels = generate(rng, 400, confusion, np.array([0.6, 0.4]))
        fit = ugt.dawid_skene(labels, known=[*truth[:150].tolist(), *[None] * 250], model="one-coin", n_restarts=0)
        found.append((fit.accuracy, fit.accuracy_error))
        if s < 20:
            without.append(ugt.dawid_skene(labels, model="one-coin", n_restarts=0).accuracy)
    accuracy, error = (np.array(column) for column in zip(*found))
    # the mean of 300 has a standard error of a seventeenth of the spread; 0.005 is room for the bias of maximum likelihood
    assert (np.abs(accuracy.mean(0) - w) < 0.005 + 4 * accuracy.std(0, ddof=1) / np.sqrt(300)).all()
    covered = (np.abs(accuracy - w) < 1.96 * error).mean(0)  # Monte Carlo error 0.013
    assert (covered > 0.9).all() and (covered < 0.99).all()
    assert np.std(without, 0).max() > 2 * accuracy.std(0).max()


def test_biases_and_spreads_of_ordered_classes_are_found_again():
    """60 data sets of 1,000 cases: the means are right within Monte Carlo error and a small-sample bias of 0.01; votes know less."""
    rng, k = np.random.default_rng(8), 4
    bias, spread, prevalence = np.array([0.0, 0.3, -0.4, 0.2]), np.array([0.4, 0.6, 0.5, 0.9]), [0.35, 0.3, 0.2, 0.15]
    found, right = [], []
    for _ in range(60):
        truth = rng.choice(k, 1000, p=prevalence)
        seen = truth[:, None] + bias + spread * rng.standard_normal((1000, 4))
        labels = ugt.Labels.from_wide(np.clip(np.rint(seen), 0, k - 1).astype(int), classes=k)
        fit = ugt.dawid_skene(labels, known=[*truth[:100].tolist(), *[None] * 900], model="ordinal", n_restarts=0)
        found.append(np.concatenate([fit.bias, fit.spread]))
        votes = ugt.votes(labels).mean()[np.arange(1000), truth].mean()
        right.append((fit.plausibilities.mean().argmax(1) == truth)[100:].mean() - votes)
    found = np.array(found)
    error = found.std(0, ddof=1) / np.sqrt(60)
    assert (np.abs(found.mean(0) - np.concatenate([bias, spread])) < 0.01 + 4 * error).all()
    assert np.mean(right) > 0.02


def test_glad_finds_abilities_and_difficulties():
    rng = np.random.default_rng(2)
    ability, b = rng.normal(1, 0.7, 25), rng.normal(0.5, 0.8, 1500)
    truth = rng.integers(0, 4, 1500)
    right = rng.random((1500, 25)) < 1 / (1 + np.exp(-ability * np.exp(b)[:, None]))
    label = np.where(right, truth[:, None], (truth[:, None] + rng.integers(1, 4, (1500, 25))) % 4)
    found = ugt.annotators.glad(ugt.Labels.from_wide(label, classes=4), prior=(1, 0.7, 0.5, 0.8))
    # about 375 and 25 labels each: correlations of 0.9 and 0.5 are many standard errors (0.2/sqrt(25), 1/sqrt(1500)) below the right ones
    assert np.corrcoef(found.ability, ability)[0, 1] > 0.9
    assert np.corrcoef(-np.log(found.difficulty), b)[0, 1] > 0.5
    assert (found.plausibilities.mean().argmax(1) == truth).mean() > 0.9
    score = (found.ability - ability) / found.ability_error
    assert 0.4 < score.std() < 2.5 and np.abs(score).max() < 6.5  # P(|N| > 6.5) = 8e-11


@pytest.mark.parametrize("drawn", ["probabilities", "classes"])
@pytest.mark.parametrize(
    "n_classes, table, known",
    [
        (2, [[0, 0, 1], [1, 1, None], [0, 1, 1], [1, 1, 1], [None, 0, 0]], None),
        (4, [[0, 0, None], [1, 3, 2], [3, 3, None], [1, 0, None]], None),
        (4, [[0, 0, None], [1, 3, 2], [3, 3, None], [1, 0, None]], [1, -1, -1, 0]),
    ],
)
def test_draws_have_the_moments_of_the_exact_posterior(drawn, n_classes, table, known):
    labels, prior = ugt.Labels.from_wide(table, classes=n_classes), (2.5, 0.7, 1.3)
    n = len(labels.annotators)
    classes, prevalence, confusion = twin.exact_posterior(twin.cases_of(labels), n, n_classes, prior, known)
    chains = 200
    gold = None if known is None else [None if k < 0 else k for k in known]
    found = ugt.annotators.dawid_skene_draws(
        labels, known=gold, prior=prior, drawn=drawn, n_draws=chains * 100, n_warmup=50, n_chains=chains, seed=7
    )
    values = found.plausibilities.draws(chains * 100).reshape(len(table), chains, 100, n_classes).mean(2)
    means = [*values.transpose(0, 2, 1).reshape(-1, chains), *found.prevalence_draws.reshape(chains, 100, -1).mean(1).T]
    expected = np.concatenate([classes.ravel(), prevalence])
    for series, value in zip(means, expected):  # independent chains: t tests
        limit = stats.t.isf(ALARM / 2 / len(expected), chains - 1) * series.std(ddof=1) / np.sqrt(chains)
        assert abs(series.mean() - value) <= limit + 1e-12
    # the confusion matrices have no error of their own: as many independent numbers at least as chains
    for a, annotator in enumerate(labels.annotators):
        assert np.abs(found.confusion(annotator) - confusion[a]).max() < 7 * 0.5 / np.sqrt(chains)


def test_true_parameters_rank_evenly_among_draws():
    """Simulation-based calibration (Talts et al. 2018): parameters and data from the prior; the rank of the truth among draws."""
    rng = np.random.default_rng(11)
    prior, n_annotators, n_classes, n_draws, repeats = (3.0, 1.0, 1.5), 3, 3, 39, 800
    alpha = twin.pseudo_table(prior, n_classes)
    ranks = []
    for repeat in range(repeats):
        prevalence = rng.dirichlet(np.full(n_classes, prior[2]))
        confusion = np.array([[rng.dirichlet(row) for row in alpha] for _ in range(n_annotators)])
        truth, labels = generate(rng, 12, confusion, prevalence)
        options = {"n_draws": n_draws, "n_warmup": 60, "n_chains": 1, "n_thin": 12, "seed": repeat}
        found = ugt.annotators.dawid_skene_draws(labels, prior=prior, drawn="classes", **options)
        accuracy = (prevalence * confusion[:, range(n_classes), range(n_classes)]).sum(1)
        # of the true classes, the share of the first: ties are broken at random
        share = (found.plausibilities.draws(n_draws)[:, :, 0] == 1).mean(0)
        now = (truth == 0).mean()
        tied = rng.integers(0, (share == now).sum() + 1)
        ranks.append([
            *(found.accuracy_draws < accuracy).sum(0),
            *(found.prevalence_draws < prevalence).sum(0),
            (share < now).sum() + tied,
        ])  # fmt: skip
    columns = np.array(ranks).T
    for column in columns:
        counts = np.bincount(column // 4, minlength=10)
        assert stats.chisquare(counts).pvalue > ALARM / len(columns)


def test_skill_that_is_doubtful_widens_what_follows():
    rng = np.random.default_rng(1)
    confusion = np.array([np.where(np.eye(2, dtype=bool), w, 1 - w) for w in (0.9, 0.8, 0.7)])
    spreads = []
    for n in (40, 4000):
        _, labels = generate(rng, n, confusion, np.array([0.5, 0.5]))
        found = ugt.annotators.dawid_skene_draws(labels, prior=(2, 1, 1), n_draws=400, n_warmup=200, seed=1)
        spreads.append(found.plausibilities.draws(400)[:40].std(1).mean())
    assert spreads[0] > 3 * spreads[1]  # 10 expected


# ---- graded response
FOUR = (-1.0, -0.2, 0.6, 1.4)


@sets(25, 200)
@pytest.mark.parametrize(
    ("n_cases", "missing", "n_annotators", "threshold", "options"),
    [
        (300, 0.0, 8, FOUR, {}),
        (600, 0.5, 8, FOUR, {}),
        (400, 0.8, 20, FOUR, {}),
        (200, 0.0, 3, FOUR, {}),
        (100, 0.0, 5, FOUR, {}),
        (400, 0.0, 6, (0.6,), {}),
        (300, 0.0, 6, (-0.5, 0.7), {"prior": None}),
        (400, 0.0, 6, (-0.5, 0.7), {"thresholds": "own"}),
        (400, 0.0, 6, (-0.5, 0.5, 2.2), {}),
    ],
)
def test_standard_errors_of_the_graded_response(n_cases, missing, n_annotators, threshold, options, n_sets):
    """Measured with 200 sets: .930 to .964 in every cell, see intervals-checked.md."""
    rng, threshold = np.random.default_rng(21), np.array(threshold)
    inside = {"leniency": [], "log discrimination": [], "thresholds": []}
    for _ in range(n_sets):
        shift, slope = rng.normal(0, 0.6, n_annotators), np.exp(rng.normal(0.6, 0.4, n_annotators))
        shift -= shift.mean()
        table = graded.simulate(rng, n_cases, shift, slope, threshold, missing)
        found = ugt.annotators.graded_response(ugt.Labels.from_wide(table, classes=len(threshold) + 1), **options)
        for name, z in (
            ("leniency", (found.leniency - shift) / found.leniency_error),
            ("log discrimination", np.log(found.discrimination / slope) * found.discrimination / found.discrimination_error),
            ("thresholds", (found.thresholds - threshold) / found.thresholds_error),
        ):
            inside[name].append(np.abs(z) < 1.96)
    for name, those in inside.items():
        assert holds(np.sum(those, axis=0).mean().round(), n_sets, 0.93, 0.97), name
    print({name: np.mean(those).round(4) for name, those in inside.items()})
