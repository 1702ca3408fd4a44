"""The split-panel check in plain Python: one annotation at a time, from a table of predictive probabilities."""

import math


def tops(values):
    """Which of the values are the highest, each with its share."""
    highest = max(values)
    wins = [abs(value - highest) < 1e-12 for value in values]
    return [win / sum(wins) for win in wins]


def labels(rest, label, prior, gamma):
    """``(agreement, predicted, variance)`` of one label, the others of the case being ``rest``."""
    counts = [rest.count(k) for k in range(len(prior))]
    total = gamma * sum(counts) + sum(prior)
    p = [(gamma * c + a) / total for c, a in zip(counts, prior)]
    w = tops(counts)
    mean = sum(x * y for x, y in zip(w, p))
    return w[label], mean, sum(x * x * y for x, y in zip(w, p)) - mean**2


def annotator(wide, a, prior, gamma=1.0):
    """``(n, observed, predicted, p-value)`` of one annotator of a table of labels, None where there is none."""
    rows = [(row[a], [x for b, x in enumerate(row) if b != a and x is not None]) for row in wide if row[a] is not None]
    found = [labels(rest, label, prior, gamma) for label, rest in rows if rest]
    n, observed, predicted, variance = (len(found), *(sum(one[i] for one in found) for i in range(3)))
    return n, observed / n, predicted / n, math.erfc(abs(observed - predicted) / math.sqrt(2 * variance))
