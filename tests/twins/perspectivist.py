"""The measures of LeWiDi 2025 in plain Python, from the definitions of the shared task: lists of items, each a list of annotators.

An annotation is ``{(case, annotator): label}``; an annotator has one label per case.
"""

import math


def mean(numbers):
    numbers = list(numbers)
    return math.fsum(numbers) / len(numbers)


def per_item(cases, given, predicted, distance):
    """Of each case: the mean distance over its annotators; NaN without any."""
    found = []
    for case in cases:
        own = [distance(label, predicted[case, who]) for (one, who), label in given.items() if one == case]
        found.append(mean(own) if own else math.nan)
    return found


def error_rate(cases, given, predicted):
    return per_item(cases, given, predicted, lambda label, guess: 1.0 - (label == guess))


def absolute_distance(cases, given, predicted, divisor):
    return [one / divisor for one in per_item(cases, given, predicted, lambda label, guess: abs(label - guess))]


def of_annotator(given, predicted, who, distance):
    return mean(distance(label, predicted[case, one]) for (case, one), label in given.items() if one == who)


def manhattan(target, prediction):
    return math.fsum(abs(t - p) for t, p in zip(target, prediction))


def over_labels(columns):
    """Of each item: the mean over its labels."""
    return [mean(row) for row in zip(*columns)]
