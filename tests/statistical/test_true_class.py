"""Intervals for the accuracy against the true class: whether they hold it where their condition holds, and where it does not.

``PYTHONPATH=tests python tests/statistical/test_true_class.py 400`` makes the first table of docs/intervals-checked.md, and
``... 200 "any difficulty"`` the second, ``... 100 checks`` the third, ``... 100 few`` that of many annotators with few labels each.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any, Callable, NamedTuple

import numpy as np
import pytest
from simulations import holds, sets

import ugt

LATENT, ANY = "latent class", "any difficulty"
SEED = 20_611
LARGE = 200_000  # cases from which the accuracy of a model is known to 0.001


def labelled(rng, true, right, k, n_annotators):
    """Labels (n, A) that are right with these probabilities and else fall on all other classes alike."""
    shape = len(true), n_annotators
    other = (true[:, None] + rng.integers(1, k, shape)) % k
    return np.where(rng.random(shape) < right, true[:, None], other)


def drawn(rng, shares):
    return (shares.cumsum(axis=-1)[..., :-1] < rng.random((*shares.shape[:-1], 1))).sum(axis=-1)


def same(right):
    def make(rng, n, k, a):
        true = rng.integers(0, k, n)
        return true, labelled(rng, true, right, k, a)

    return make


def unequal(rng, n, k, a):
    true = rng.integers(0, k, n)
    return true, labelled(rng, true, np.linspace(0.68, 0.92, a), k, a)


def dirichlet(rng, n, k, a):
    """Every case has a law of its own; the true class is the one that most annotators would give."""
    shares = rng.dirichlet([1 / 3] * k, n)
    return shares.argmax(axis=1), drawn(rng, np.repeat(shares[:, None, :], a, axis=1))


def easy_hard(rng, n, k, a):
    true, hard = rng.integers(0, k, n), rng.random(n) < 0.3
    return true, labelled(rng, true, np.where(hard, 0.6, 0.97)[:, None], k, a)


def look_alikes(rng, n, k, a):
    """In a fifth of the cases most annotators take the true class for another one, the same for all."""
    true, alike = rng.integers(0, k, n), rng.random(n) < 0.2
    other = (true + rng.integers(1, k, n)) % k
    return true, np.where(rng.random((n, a)) < np.where(alike, 0.3, 0.95)[:, None], true[:, None], other[:, None])


def rare(rng, n, k, a):
    """Three classes with shares 0.75, 0.18 and 0.07, and errors that depend on the class."""
    true = drawn(rng, np.broadcast_to([0.75, 0.18, 0.07], (n, 3)))
    rows = np.array([[0.92, 0.06, 0.02], [0.15, 0.75, 0.10], [0.05, 0.15, 0.80]])
    return true, drawn(rng, np.repeat(rows[true][:, None, :], a, axis=1))


def by_class(rng, n, k, a):
    """One class of three is right in 0.6 only, and mostly taken for the first one."""
    true, rows = rng.integers(0, 3, n), np.array([[0.9, 0.08, 0.02], [0.25, 0.6, 0.15], [0.02, 0.08, 0.9]])
    return true, drawn(rng, np.repeat(rows[true][:, None, :], a, axis=1))


def rota(rng, n, k, a):
    """Each case has three of the annotators, whose skill differs."""
    true = (rng.random(n) < 0.3).astype(int)
    said = labelled(rng, true, np.linspace(0.75, 0.95, a), k, a)
    absent = np.argsort(rng.random((n, a)), axis=1)[:, 3:]
    np.put_along_axis(said, absent, -1, axis=1)
    return true, said


def three_levels(rng, n, k, a):
    """Cases of three difficulties: 0.95, 0.8 and 0.6 of the annotators would give the true class."""
    true = rng.integers(0, k, n)
    return true, labelled(rng, true, np.array([0.95, 0.8, 0.6])[rng.integers(0, 3, n)][:, None], k, a)


def mild(rng, n, k, a):
    """In 30% of the cases 0.7 of the annotators would give the true class, in the others 0.9."""
    true = rng.integers(0, k, n)
    return true, labelled(rng, true, np.where(rng.random(n) < 0.3, 0.7, 0.9)[:, None], k, a)


def model(rng, kind, true, said, k):
    """Choices of a model that is right with a probability, copies the vote in 95%, or takes half of its choices from annotator 0."""
    if kind == "copies":
        count = np.stack([(said == c).sum(axis=1) for c in range(k)], axis=1) + 0.1 * rng.random((len(true), k))
        base, kept = count.argmax(axis=1), rng.random(len(true)) < 0.95
    elif kind == "half":
        own = np.where(rng.random(len(true)) < 0.95, true, (true + 1) % k)
        base, kept = np.where((rng.random(len(true)) < 0.5) & (said[:, 0] >= 0), said[:, 0], own), np.full(len(true), True)
    else:
        base, kept = true, rng.random(len(true)) < kind
    return np.where(kept, base, (base + rng.integers(1, k, len(true))) % k)


class Design(NamedTuple):
    """How labels are made, of how many classes, annotators and cases, and the models."""

    name: str
    make: Callable[..., Any]
    k: int
    a: int
    models: tuple[Any, ...]
    n: int = 400


RIGHT = [  # labels of a case are independent given its true class
    Design("right in 0.85, 2 classes", same(0.85), 2, 3, (0.99, 0.9, "copies")),
    Design("right in 0.85, 3 classes", same(0.85), 3, 3, (1.0, 0.99, 0.95, "copies")),
    Design("right in 0.85, 3 classes", same(0.85), 3, 3, (0.99,), 150),
    Design("right in 0.85, 3 classes", same(0.85), 3, 3, (0.99,), 1500),
    Design("right in 0.8, 3 classes", same(0.8), 3, 5, (0.99, 0.9)),
    Design("right in 0.8, 5 classes", same(0.8), 5, 3, (0.99, 0.9)),
    Design("right in 0.7, 2 classes", same(0.7), 2, 3, (0.99, "copies")),
    Design("right in 0.7, 2 classes", same(0.7), 2, 5, (0.99, "copies")),
    Design("right in 0.95, 3 classes", same(0.95), 3, 3, (0.99, "copies")),
    Design("right in 0.7, 5 classes", same(0.7), 5, 5, (0.99, "copies")),
    Design("right in 0.68 to 0.92, 3 classes", unequal, 3, 3, (0.99, 0.9, "copies")),
    Design("right in 0.68 to 0.92, 2 classes", unequal, 2, 5, (0.99, 0.9)),
    Design("errors by class, shares 0.75, 0.18, 0.07", rare, 3, 5, (0.97, 0.85, "half"), 800),
    Design("three of six annotators per case, 2 classes", rota, 2, 6, (0.97, "half", "copies"), 500),
    Design("right in 0.75, 4 classes", same(0.75), 4, 4, (0.97, "half")),
    Design("errors by class, right in 0.9, 0.6, 0.9", by_class, 3, 3, (0.99,), 300),
    Design("errors by class, right in 0.9, 0.6, 0.9", by_class, 3, 3, (0.99,), 1000),
]
WRONG = [  # cases differ in difficulty, or annotators err together
    Design("shares of labels differ, Dirichlet 1/3, 3 classes", dirichlet, 3, 3, (0.99, 0.8, "copies")),
    Design("shares of labels differ, Dirichlet 1/3, 2 classes", dirichlet, 2, 5, (0.99, 0.8, "copies")),
    Design("30% hard cases, 3 classes", easy_hard, 3, 3, (0.99, 0.9, "copies")),
    Design("30% hard cases, 2 classes", easy_hard, 2, 5, (0.99, 0.9, "copies")),
    Design("look-alikes in 20%, 3 classes", look_alikes, 3, 3, (0.97, 0.8)),
    Design("look-alikes in 20%, 3 classes", look_alikes, 3, 5, (0.97, 0.8)),
    Design("three difficulties, 3 classes", three_levels, 3, 5, (0.97, "copies")),
]


CHECKED = [
    Design("right in 0.85, 2 classes", same(0.85), 2, 3, ()),
    Design("right in 0.85, 2 classes", same(0.85), 2, 5, ()),
    Design("right in 0.8, 3 classes", same(0.8), 3, 5, ()),
    Design("30% of cases right in 0.7, else 0.9, 2 classes", mild, 2, 5, ()),
    Design("shares of labels differ, Dirichlet 1/3, 2 classes", dirichlet, 2, 3, ()),
    Design("shares of labels differ, Dirichlet 1/3, 2 classes", dirichlet, 2, 5, ()),
    Design("30% hard cases, 2 classes", easy_hard, 2, 3, ()),
    Design("30% hard cases, 2 classes", easy_hard, 2, 5, ()),
    Design("look-alikes in 20%, 3 classes", look_alikes, 3, 3, ()),
]


class Panel(NamedTuple):
    """Many annotators with unequal skill, of whom three label each case."""

    k: int
    n_annotators: int
    each: int  # labels of an annotator
    skills: tuple[float, float]

    def labels(self, rng):
        n, a = self.n_annotators * self.each // 3, self.n_annotators
        true, skill = rng.integers(0, self.k, n), rng.uniform(*self.skills, a)
        said = labelled(rng, true, skill, self.k, a)
        np.put_along_axis(said, np.argsort(rng.random((n, a)), axis=1)[:, 3:], -1, axis=1)
        return true, said


SKILLS = (0.55, 0.95), (0.7, 0.9)
EACH = (20, 25, 40, 60, 75, 150)
PANELS = [Panel(k, a, each, SKILLS[0]) for k in (2, 3) for a in (12, 60) for each in EACH] + [
    Panel(2, 30, each, SKILLS[1]) for each in EACH
]


def of_panels(panel, n_sets, accuracy=0.92):
    """Statements on a model of this accuracy and on the vote, the vote's accuracy, and the interval by two steps of three classes."""
    found = []
    for i in range(n_sets):
        rng = np.random.default_rng([SEED, 11, i])
        true, said = panel.labels(rng)
        labels = ugt.Labels.from_wide(said, classes=panel.k, missing=-1)
        chosen, vote = (model(rng, kind, true, said, panel.k) for kind in (accuracy, "copies"))
        own, other = (ugt.metrics.accuracy_bounds(labels, np.eye(panel.k)[one], assume=LATENT) for one in (chosen, vote))
        outside = (
            ugt.metrics.latent_accuracy(labels, np.eye(panel.k)[chosen], model="outside").interval() if panel.k > 2 else (np.nan, np.nan)
        )
        found.append((own, other, float((vote == true).mean()), outside))
    return found


def shares_of_panels(found, accuracy=0.92):
    """How many statements there are, and the shares that hold: of the model, of the vote, under independent errors, by two steps."""
    own = [one for one, *_ in found if not one.reason]
    voted = [(other, share) for _, other, share, _ in found if not other.reason]
    alone = [one for one in own if not one.why_not_independent]
    held = [low <= accuracy <= high for *_, (low, high) in found if np.isfinite(low)]
    return [
        (len(own), hits(own, accuracy)), (len(voted), sum(one.low <= share <= one.high for one, share in voted)),
        (len(alone), sum(one.independent_low <= accuracy <= one.independent_high for one in alone)), (len(held), sum(held)),
    ]  # fmt: skip


@sets(20, 100)
@pytest.mark.parametrize("at", [PANELS.index(Panel(2, 60, 20, SKILLS[0])), PANELS.index(Panel(3, 60, 25, SKILLS[0]))])
def test_many_annotators_with_few_labels_each_get_no_statement(at, n_sets):
    assert shares_of_panels(of_panels(PANELS[at], n_sets))[0][0] < 0.2 * n_sets


@sets(20, 100)
@pytest.mark.parametrize("at", [PANELS.index(Panel(2, 30, 75, SKILLS[1])), PANELS.index(Panel(3, 12, 75, SKILLS[0]))])
def test_statements_of_many_annotators_hold_the_accuracy(at, n_sets):
    (n, held), (n_voted, held_by_vote), *_ = shares_of_panels(of_panels(PANELS[at], n_sets))
    assert n > 0.3 * n_sets and holds(held, n, 0.95, 1.0) and holds(held_by_vote, n_voted, 0.95, 1.0)


def simulated(design, kind, rng, n=None):
    """Labels, choices of the model and the true classes of one data set."""
    true, said = design.make(rng, n or design.n, design.k, design.a)
    return said, model(rng, kind, true, said, design.k), true


def accuracy_of(design, kind):
    _, chosen, true = simulated(design, kind, np.random.default_rng([SEED, 0]), LARGE)
    return kind if isinstance(kind, float) else float((chosen == true).mean())


def intervals(design, kind, assume, n_sets, seed=SEED):
    """The statements of all data sets."""
    found = []
    for i in range(n_sets):
        said, chosen, _ = simulated(design, kind, np.random.default_rng([seed, i + 1]))
        labels = ugt.Labels.from_wide(said, classes=design.k, missing=-1)
        found.append(ugt.metrics.accuracy_bounds(labels, np.eye(design.k)[chosen], assume=assume))
    return found


def hits(found, accuracy):
    return sum(one.low <= accuracy + 1e-9 and accuracy - 1e-9 <= one.high for one in found)


@sets(40, 400)
@pytest.mark.parametrize("at, kind", [(0, 0.9), (1, "copies"), (12, "half"), (13, 0.97)])
def test_latent_class_holds_the_accuracy_of_any_model(at, kind, n_sets):
    design = RIGHT[at]
    found = intervals(design, kind, LATENT, n_sets)
    assert holds(hits(found, accuracy_of(design, kind)), n_sets, 0.95, 1.0)


@sets(40, 400)
def test_latent_class_does_not_hold_where_cases_differ(n_sets):
    """The page says so: the condition is in the sentence, and five labels show that it fails."""
    design = WRONG[3]
    assert hits(intervals(design, 0.99, LATENT, n_sets), 0.99) < 0.3 * n_sets


@sets(20, 200)
@pytest.mark.parametrize("at, kind", [(1, "copies"), (1, 0.99), (3, 0.9)])
def test_any_difficulty_holds_the_accuracy_also_where_cases_differ(at, kind, n_sets):
    design = WRONG[at]
    found = intervals(design, kind, ANY, n_sets)
    assert holds(hits(found, accuracy_of(design, kind)), n_sets, 0.95, 1.0)


@sets(40, 400)
def test_independent_covers_the_parameters_of_the_annotators(n_sets):
    design = Design("right in 0.7, 3 classes", same(0.7), 3, 3, (0.9,))
    found = intervals(design, 0.9, LATENT, n_sets)
    given = [one for one in found if not one.why_not_independent and not one.reason]
    assert len(given) > 0.8 * n_sets and holds(
        sum(one.independent_low <= 0.9 <= one.independent_high for one in given), len(given), 0.9, 0.99
    )


def refused(design, n_sets):
    """The share of data sets in which the check refuses a latent class."""
    found = []
    for i in range(n_sets):
        _, said = design.make(np.random.default_rng([SEED, 7, i]), design.n, design.k, design.a)
        found.append(ugt.truth.true_class_statements(ugt.Labels.from_wide(said, classes=design.k), n_resamples=39).use[LATENT] == "no")
    return float(np.mean(found))


@sets(20, 100)
def test_the_check_seldom_refuses_a_right_model_of_annotators(n_sets):
    assert holds(round(refused(CHECKED[1], n_sets) * n_sets), n_sets, 0.01, 0.12)


@sets(20, 100)
def test_the_check_sees_strong_differences_with_five_labels(n_sets):
    assert refused(CHECKED[5], n_sets) > 0.6


def line(design, kind, assume, n_sets):
    accuracy = accuracy_of(design, kind)
    found = intervals(design, kind, assume, n_sets)
    made = [one for one in found if not one.reason]
    none = f"; no statement in {len(found) - len(made)}" if len(made) < len(found) else ""
    held, n = hits(made, accuracy) / len(made), len(made)
    ends = sum(one.lower <= accuracy <= one.upper for one in made) / n
    error = max(np.sqrt(held * (1 - held) / n), 0.5 / n)
    mean = [np.mean([getattr(one, name) for one in made]) for name in ("low", "high")]
    alone = f"{ends:.2f}" if assume == LATENT else ""
    shown = f"{held:.3f}" if held >= 0.93 else f"**{held:.3f}**"
    given = [one for one in made if not one.why_not_independent]
    share = sum(one.independent_low <= accuracy <= one.independent_high for one in given) / max(1, len(given))
    beside = f" {share:.3f} |" if assume == LATENT and isinstance(kind, float) else " |"
    cells = f"{design.name}, {design.a} labels" if design.make is not rota else design.name
    interval = f"{mean[0]:.2f} to {mean[1]:.2f}{none}"
    print(f"| {cells} | {design.n:,} | {kind} ({accuracy:.3f}) | {alone} | {shown} ({error:.3f}) | {interval} |{beside}", flush=True)


def main(n_sets, assume=LATENT):
    if assume == "few":
        for panel in PANELS:
            cells = [f"{n} | {held / n:.2f}" if n else f"{n} | " for n, held in shares_of_panels(of_panels(panel, n_sets))]
            cells = [cells[0], *(cell.split(" | ")[-1] for cell in cells[1:2]), *cells[2:]]
            skills = f"{panel.skills[0]:g} to {panel.skills[1]:g}"
            print(f"| {panel.k} | {skills} | {panel.n_annotators} | {panel.each} | {' | '.join(cells)} |", flush=True)
        return
    if assume == "checks":
        for design in CHECKED:
            share = refused(design, n_sets)
            error = max(np.sqrt(share * (1 - share) / n_sets), 0.5 / n_sets)
            print(f"| {design.name}, {design.a} labels | {share:.2f} ({error:.2f}) |", flush=True)
        return
    of_programme = [RIGHT[at] for at in (0, 1, 4, 7, 9, 10, 12, 13)]  # a programme takes longer
    for design in (RIGHT if assume == LATENT else of_programme) + WRONG:
        ends = design.models[-1:] if design in RIGHT else design.models[:: len(design.models) - 1]
        for kind in design.models if assume == LATENT else ends:
            line(design, kind, assume, n_sets)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(int(sys.argv[1]), *sys.argv[2:])
