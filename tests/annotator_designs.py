"""Designs of studies in which annotators differ in a way that favours one model or another; models are equal in the population.

A design returns labels (n, r), the number of classes, the choices (n,) of each of m models (some designs have two), and scores or None.
"""

import numpy as np


def _seen(truth, right, k, rng):
    """Labels that are the truth with these probabilities, otherwise any class."""
    return np.where(rng.random(np.shape(right)) < right, truth, rng.integers(0, k, np.shape(right)))


def skills(n, r, rng, m=2):
    """Annotators of unequal skill; hard cases are hard for models, too."""
    truth, ease, skill = rng.integers(0, 3, n), 0.6 + 0.4 * rng.beta(3, 1, n), rng.beta(6, 2, r)
    labels = _seen(truth[:, None], ease[:, None] * skill, 3, rng)
    return labels, 3, *(_seen(truth, 0.75 * ease, 3, rng) for _ in range(m)), None


def leniency(n, r, rng, m=2):
    """Annotators with thresholds of their own on a severity; every other model calls early, the others late."""
    severity = rng.normal(0, 1.5, n)
    labels = severity[:, None] + rng.normal(0, 0.7, (n, r)) > rng.normal(0, 0.6, r)
    scores = [severity + rng.normal(0, 0.7, n) for _ in range(m)]
    return labels.astype(int), 2, *((one > (-0.4 if i % 2 else 0.4)).astype(int) for i, one in enumerate(scores)), scores


def _by_two_signs(angle, n, r, rng, m):
    signs = rng.normal(size=(n, 2))
    view = signs @ np.stack([np.cos(angle), np.sin(angle)])
    labels = view + rng.normal(0, 0.5, (n, r)) > rng.normal(0, 0.2, r)
    scores = [signs[:, i % 2] + 0.4 * signs[:, 1 - i % 2] + rng.normal(0, 0.3, n) for i in range(m)]
    return labels.astype(int), 2, *((one > 0).astype(int) for one in scores), scores


def angles(n, r, rng, m=2):
    """Annotators weigh two signs of a disease as they like; each model prefers one sign."""
    return _by_two_signs(np.pi / 4 + rng.normal(0, 0.5, r), n, r, rng, m)


def camps(n, r, rng, m=2):
    """Annotators look at one of two signs."""
    return _by_two_signs(np.where(rng.random(r) < 0.5, 0.0, np.pi / 2), n, r, rng, m)


def conventions(n, r, rng):
    """Borderline cases have one name in one half of the schools, and another in the other."""
    borderline, truth, school = rng.random(n) < 0.3, rng.integers(0, 3, n), rng.random(r) < 0.5
    called = np.where(borderline[:, None], np.where(school, 1, 2), truth[:, None])
    labels = _seen(called, np.full((n, r), 0.85), 3, rng)
    one, two = (_seen(np.where(borderline, name, truth), np.full(n, 0.85), 3, rng) for name in (1, 2))
    return labels, 3, one, two, None


def careless(n, r, rng):
    """One annotator in five says the same class nearly always."""
    truth, skill = rng.integers(0, 2, n), rng.beta(8, 2, r)
    bad, favourite = rng.random(r) < 0.2, rng.integers(0, 2, r)
    labels = np.where(rng.random((n, r)) < skill, truth[:, None], 1 - truth[:, None])
    labels = np.where(bad, np.where(rng.random((n, r)) < 0.9, favourite, 1 - favourite), labels)
    one, two = (np.where(rng.random(n) < 0.8, truth, constant) for constant in (0, 1))
    return labels, 2, one, two, tuple(truth + rng.normal(0, 0.8, n) for _ in range(2))


def grades(n, r, rng):
    """Four grades with cuts of each annotator; one model is a grade too strict as often as the other is too lenient."""
    severity = rng.normal(0, 1.2, n)
    cuts = np.array([-1.0, 0.0, 1.0])[:, None] + rng.normal(0, 0.5, r)
    seen = severity[:, None] + rng.normal(0, 0.5, (n, r))
    labels = (seen > cuts[:, None, :]).sum(axis=0)
    one, two = ((severity[:, None] + rng.normal(0, 0.5, (n, 1)) > np.array([-1.0, 0.0, 1.0]) + by).sum(axis=1) for by in (0.3, -0.3))
    return labels, 4, one, two, None


def specialists(n, r, rng):
    """Two rare classes, each known to one half of the annotators and to one model; others take them for the common class."""
    truth, knows = rng.choice(3, n, p=[0.8, 0.1, 0.1]), 1 + (rng.random(r) < 0.5)
    called = np.where((truth[:, None] == 0) | (truth[:, None] == knows), truth[:, None], 0)
    labels = _seen(called, np.full((n, r), 0.9), 3, rng)
    one, two = (_seen(np.where((truth == 0) | (truth == known), truth, 0), np.full(n, 0.9), 3, rng) for known in (1, 2))
    return labels, 3, one, two, None


def experience(n, r, rng):
    """Trainees call what is doubtful positive, experienced annotators negative, half of each; so do the models."""
    risk, trainee = rng.beta(1, 1, n), rng.random(r) < 0.5
    labels = risk[:, None] + rng.normal(0, 0.15, (n, r)) > np.where(trainee, 0.35, 0.65)
    one, two = (risk + rng.normal(0, 0.1, n) > cut for cut in (0.4, 0.6))
    return labels.astype(int), 2, one.astype(int), two.astype(int), None


DESIGNS = (skills, leniency, angles, camps, conventions, careless, grades, specialists, experience)
