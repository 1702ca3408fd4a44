"""Accuracy against the latent class: how often intervals include the true value, by what annotators and the model share.

``PYTHONPATH=tests python tests/statistical/test_latent_accuracy.py 400`` makes the table of docs/intervals-checked.md.
"""

import sys

import numpy as np
import pytest
from simulations import holds, sets

import ugt

SENS, SPEC = 0.88, 0.93  # of the model, unless a design says otherwise


def probits(p, loading):
    """The probits whose mean probability over a normal difficulty with this loading is p."""
    from scipy.special import ndtri

    return ndtri(p) * np.sqrt(1 + loading**2)


def two_classes(rng, n, readers, prevalence, loading=0.0, shared=0.0, easy=0.0, own=(SENS, SPEC), model_easy=False):
    """Labels of readers (N, R) and of the model (N,), and the truth.

    ``loading``, ``shared``: loadings of readers and of the model on a normal difficulty; ``easy``: share of cases in which all readers are
    right, and the model if ``model_easy``.
    """
    from scipy.special import ndtr

    truth = rng.random(n) < prevalence
    sens, spec = np.append(np.linspace(0.72, 0.84, readers), own[0]), np.append(np.linspace(0.9, 0.86, readers), own[1])
    inside = np.append(np.full(readers, True), model_easy)
    loadings = np.append(np.full(readers, loading), shared)
    if easy:
        sens, spec = (np.where(inside, (one - easy) / (1 - easy), one) for one in (sens, spec))
    center = np.where(truth[:, None], probits(sens, loadings), -probits(spec, loadings))
    said = rng.random((n, readers + 1)) < ndtr(center + loadings * rng.normal(size=(n, 1)))
    said = np.where((rng.random(n) < easy)[:, None] & inside, truth[:, None], said).astype(int)
    return said[:, :-1], said[:, -1], truth


# readers + model, cases, prevalence, and what they share
AS_TEST = {
    "2 readers + model, 600 cases, independent": (2, 600, 0.35, {}),
    "3 readers + model, 500 cases, independent": (3, 500, 0.35, {}),
    "5 readers + model, 300 cases, independent": (5, 300, 0.25, {}),
    "5 readers + model, 300 cases, independent, model .99": (5, 300, 0.35, {"own": (0.99, 0.99)}),
    "5 readers + model, 1,200 cases, all share a difficulty": (5, 1200, 0.35, {"loading": 0.8, "shared": 0.8}),
    "5 readers + model, 1,200 cases, readers share a difficulty": (5, 1200, 0.35, {"loading": 0.8}),
    "5 readers + model, 400 cases, readers share a difficulty": (5, 400, 0.35, {"loading": 0.8}),
    "5 readers + model, 1,200 cases, all right in the same half": (5, 1200, 0.35, {"easy": 0.5, "model_easy": True}),
    "5 readers + model, 1,200 cases, readers right in the same half": (5, 1200, 0.35, {"easy": 0.5}),
    "3 readers + model, 1,200 cases, readers share a difficulty": (3, 1200, 0.35, {"loading": 0.8}),
}


def as_test(design, seed):
    """The interval of sensitivity and specificity, the same of the lowest BIC alone, and whether the number is determined."""
    readers, n, prevalence, shared = AS_TEST[design]
    said, model, _ = two_classes(np.random.default_rng([7, seed]), n, readers, prevalence, **shared)
    found = ugt.metrics.latent_accuracy(ugt.Labels.from_wide(said, classes=2), np.eye(2)[model])
    ends = [found.interval(of=name) for name in ("sensitivity", "specificity")]
    best = next((one for one in found.fits if one.form == found.form), None)
    alone = [(np.nan, np.nan)] * 2 if best is None else [best.interval(of=name) for name in ("sensitivity", "specificity")]
    return ends, alone, found


KINDS = ("information", "normal")
OF_KINDS = "5 readers + model, 300 cases, independent"


def by_kind(seed):
    """The intervals of sensitivity and specificity of each kind (2, 2, 2)."""
    found = as_test(OF_KINDS, seed)[2]
    return [[found.interval(of=name, kind=kind) for name in ("sensitivity", "specificity")] for kind in KINDS]


COPIED = 0.6  # share of the cases of a cluster that are copies of its first case


def in_clusters(seed, assume=None):
    """Intervals with clusters and without them, of sensitivity and specificity or of the accuracy under a condition: 100 clusters of 4."""
    rng = np.random.default_rng([10, seed])
    said, model, _ = two_classes(rng, 400, 5, 0.35)
    case, cluster = np.arange(400), np.arange(400) // 4
    row = np.where(rng.random(400) < COPIED, 4 * cluster, case)
    labels, scores = ugt.Labels.from_wide(said[row], classes=2), np.eye(2)[model[row]]
    given = [{"clusters": cluster}, {}]
    if assume is not None:
        found = [ugt.metrics.accuracy_bounds(labels, scores, assume=assume, **one) for one in given]
        return [[(one.low, one.high)] for one in found]
    found = [ugt.metrics.latent_accuracy(labels, scores, forms=["ind"], **one) for one in given]
    return [[one.interval(of=name) for name in ("sensitivity", "specificity")] for one in found]


def included(found, true):
    """How many intervals (N, ways, numbers, 2) include the true values, (ways, numbers)."""
    ends = np.array(found)
    return ((ends[..., 0] <= true) & (np.array(true) <= ends[..., 1])).sum(axis=0)


# classes, readers, how often they are right, cases, prevalences
OUTSIDE = {
    "2 classes, 4 readers, 400 cases": (2, 4, 0.82, 400, [0.65, 0.35]),
    "3 classes, 4 readers, 500 cases": (3, 4, 0.8, 500, [0.4, 0.35, 0.25]),
    "3 classes, 3 readers right in .7, 600 cases": (3, 3, 0.7, 600, [0.4, 0.35, 0.25]),
    "4 classes, 5 readers right in .7, 1,500 cases": (4, 5, 0.7, 1500, [0.4, 0.3, 0.2, 0.1]),
    "3 classes, 4 readers, 150 cases (one accuracy per reader)": (3, 4, 0.8, 150, [0.4, 0.35, 0.25]),
    "3 classes, one of .06, 4 readers, 800 cases": (3, 4, 0.8, 800, [0.62, 0.32, 0.06]),
}
RECALLS = [0.94, 0.88, 0.82, 0.75]


def outside(design, seed):
    """Whether the intervals of the accuracy and of each recall include the true value."""
    k, readers, right, n, prevalence = OUTSIDE[design]
    rng = np.random.default_rng([8, seed])
    truth, recalls = rng.choice(k, n, p=prevalence), np.array(RECALLS[:k])
    other = (truth[:, None] + rng.integers(1, k, (n, readers))) % k
    said = np.where(rng.random((n, readers)) < right, truth[:, None], other)
    choice = np.where(rng.random(n) < recalls[truth], truth, (truth + rng.integers(1, k, n)) % k)
    found = ugt.metrics.latent_accuracy(ugt.Labels.from_wide(said, classes=k), np.eye(k)[choice], model="outside")
    names = ["specificity", "sensitivity"] if k == 2 else [f"recall {t}" for t in range(k)]
    true = {"accuracy": float(np.array(prevalence) @ recalls), **dict(zip(names, recalls))}
    return [(low <= true[name] <= high) for name, (low, high) in ((name, found.interval(of=name)) for name in true)]


# positives, cases, readers, readers of each case, false positives, and the loading that the score shares with the readers
AUROC = {
    "3% positive, 1,500 cases, 4 of 7 readers": (0.03, 1500, 7, 4, 0.03, 0.0),
    "3% positive, 500 cases, 4 of 7 readers": (0.03, 500, 7, 4, 0.03, 0.0),
    "25% positive, 300 cases, 4 readers": (0.25, 300, 4, 4, 0.1, 0.0),
    "40% positive, 200 cases, 3 readers": (0.4, 200, 3, 3, 0.1, 0.0),
    "25% positive, 300 cases, 4 readers, score shares their difficulty": (0.25, 300, 4, 4, 0.1, 1.0),
}
SHIFT = 1.7


def auroc(design, seed, whatever=False):
    """The AUROC of a score with its interval, and ``whatever`` the score has to do with the readers."""
    prevalence, n, readers, of_each, false, shared = AUROC[design]
    rng = np.random.default_rng([9, seed])
    truth, hard = rng.random(n) < prevalence, rng.normal(size=n)
    score = rng.normal(size=n) + SHIFT * truth + shared * hard
    logit = np.where(truth[:, None], 1.4, np.log(false / (1 - false))) + rng.normal(0, 0.4, readers) + shared * hard[:, None]
    said = (rng.random((n, readers)) < 1 / (1 + np.exp(-logit))).astype(int)
    said[rng.random((n, readers)).argsort(axis=1) >= of_each] = -1
    found = ugt.metrics.latent_accuracy(
        ugt.Labels.from_wide(said, classes=2, missing=-1), np.stack([-score, score], axis=1), model="outside"
    )
    return found.auroc, *(found.auroc_bounds(seed=seed) if whatever else found.interval(of="auroc"))


def area(shared):
    from scipy.special import ndtr

    return float(ndtr(SHIFT / np.sqrt(2 * (1 + shared**2))))


@sets(60, 800)
@pytest.mark.parametrize("design", [name for name in AS_TEST if "independent" in name and "model" in name[:18]])
def test_intervals_of_a_model_as_a_test_where_tests_are_independent(design, n_sets):
    true = AS_TEST[design][3].get("own", (SENS, SPEC))
    found = [as_test(design, seed)[0] for seed in range(n_sets)]
    for j in (0, 1):
        assert holds(sum(ends[j][0] <= true[j] <= ends[j][1] for ends in found), n_sets, 0.93, 0.999)


@sets(60, 400)
def test_the_hull_holds_where_readers_share_a_difficulty(n_sets):
    found = [as_test("5 readers + model, 1,200 cases, readers share a difficulty", seed)[0] for seed in range(n_sets)]
    for j, true in enumerate((SENS, SPEC)):
        assert holds(sum(ends[j][0] <= true <= ends[j][1] for ends in found), n_sets, 0.85, 0.99)


@sets(80, 800)
@pytest.mark.parametrize("design", ["2 classes, 4 readers, 400 cases", "3 classes, 3 readers right in .7, 600 cases"])
def test_intervals_of_a_model_outside(design, n_sets):
    hits = np.array([outside(design, seed) for seed in range(n_sets)]).sum(axis=0)
    assert all(holds(int(hit), n_sets, 0.92, 0.98) for hit in hits)


@sets(80, 800)
def test_intervals_of_the_auroc(n_sets):
    found = [auroc("25% positive, 300 cases, 4 readers", seed) for seed in range(n_sets)]
    assert holds(sum(low <= area(0) <= high for _, low, high in found), n_sets, 0.93, 0.98)
    assert np.mean([value for value, *_ in found]) == pytest.approx(area(0), abs=5 * 0.025 / np.sqrt(n_sets) + 0.01)


@sets(20, 200)
@pytest.mark.parametrize(
    "design", ["25% positive, 300 cases, 4 readers", "25% positive, 300 cases, 4 readers, score shares their difficulty"]
)
def test_bounds_of_the_auroc_whatever_the_score(design, n_sets):
    true = area(AUROC[design][-1])
    assert holds(sum(low <= true <= high for _, low, high in (auroc(design, seed, True) for seed in range(n_sets))), n_sets, 0.95, 1.0)


@sets(40, 400)
def test_intervals_with_clusters(n_sets):
    hits = included([in_clusters(seed) for seed in range(n_sets)], (SENS, SPEC))
    assert all(holds(int(hit), n_sets, 0.9, 0.99) for hit in hits[0])


@sets(12, 200)
def test_intervals_of_drawn_cases(n_sets):
    hits = included([by_kind(seed) for seed in range(n_sets)], (SENS, SPEC))
    assert all(holds(int(hit), n_sets, 0.91, 0.995) for hit in hits[1])


def more(n_sets):
    print("| kind | sensitivity | specificity |\n|---|---|---|")
    for kind, hits in zip(KINDS, included([by_kind(seed) for seed in range(n_sets)], (SENS, SPEC)) / n_sets):
        print(f"| {kind} | {hits[0]:.3f} | {hits[1]:.3f} |", flush=True)
    print("\n| intervals with clusters | with | without |\n|---|---|---|")
    with_, without = included([in_clusters(seed) for seed in range(n_sets)], (SENS, SPEC)) / n_sets
    print(f"| sensitivity | {with_[0]:.3f} | {without[0]:.3f} |\n| specificity | {with_[1]:.3f} | {without[1]:.3f} |", flush=True)
    accuracy = 0.35 * SENS + 0.65 * SPEC
    for assume in ("latent class", "any difficulty"):
        with_, without = included([in_clusters(seed, assume) for seed in range(n_sets)], accuracy) / n_sets
        print(f"| accuracy, {assume} | {with_[0]:.3f} | {without[0]:.3f} |", flush=True)


def main(n_sets):
    print("| design | sensitivity | specificity | lowest BIC alone | not determined | undefined |\n|---|---|---|---|---|---|")
    for design, (*_, shared) in AS_TEST.items():
        true = shared.get("own", (SENS, SPEC))
        found = [as_test(design, seed) for seed in range(n_sets)]
        known = [one for one in found if np.isfinite(one[0]).all()]
        hull, best = ([np.mean([one[part][j][0] <= true[j] <= one[part][j][1] for one in known]) for j in (0, 1)] for part in (0, 1))
        width = [np.median([np.diff(one[0][j]) for one in known]) for j in (0, 1)]
        open_ = np.mean([not one[2].determined["sensitivity"] or not one[2].determined["specificity"] for one in known])
        print(
            f"| {design} | {hull[0]:.3f} (width {width[0]:.2f}) | {hull[1]:.3f} ({width[1]:.2f}) | {best[0]:.3f}; {best[1]:.3f} | "
            f"{open_:.2f} | {1 - len(known) / n_sets:.2f} |", flush=True
        )  # fmt: skip
    print("\n| design | accuracy | recalls |\n|---|---|---|")
    for design in OUTSIDE:
        hits = np.mean([outside(design, seed) for seed in range(n_sets)], axis=0)
        print(f"| {design} | {hits[0]:.3f} | {', '.join(f'{one:.3f}' for one in hits[1:])} |", flush=True)
    print("\n| design | true | mean of values | coverage | whatever the score | undefined |\n|---|---|---|---|---|---|")
    for design, (*_, shared) in AUROC.items():
        found = np.array([auroc(design, seed) for seed in range(n_sets)])
        known = found[np.isfinite(found).all(axis=1)]
        inside = np.mean((known[:, 1] <= area(shared)) & (area(shared) <= known[:, 2]))
        mean = known[:, 0].mean()
        bounds = np.array([auroc(design, seed, True)[1:] for seed in range(n_sets)])
        bounds = bounds[np.isfinite(bounds).all(axis=1)]
        held = (
            f"{np.mean((bounds[:, 0] <= area(shared)) & (area(shared) <= bounds[:, 1])):.3f} ({np.median(bounds[:, 1] - bounds[:, 0]):.2f})"
        )
        print(f"| {design} | {area(shared):.3f} | {mean:.3f} | {inside:.3f} | {held} | {1 - len(known) / n_sets:.2f} |", flush=True)


if __name__ == "__main__":
    n_sets = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    main(n_sets)
    more(n_sets)
