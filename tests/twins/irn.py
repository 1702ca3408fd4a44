"""Inverse rank normalisation and votes, retyped from Stutz et al. (2023), eq. 14-16, in rational numbers."""

from fractions import Fraction


def unnormalized(ranking, n_classes, full=False):
    """Eq. 14: one annotator's ranking, a list of blocks of classes."""
    return [
        sum((Fraction(1, i) / (1 if full else len(block)) for i, block in enumerate(ranking, start=1) if y in block), Fraction(0))
        for y in range(n_classes)
    ]


def irn(rankings, n_classes, full=False):
    """Eq. 15, 16; None where nothing is ranked."""
    weights = [unnormalized(ranking, n_classes, full) for ranking in rankings]
    sums = [sum((w[y] for w in weights), Fraction(0)) for y in range(n_classes)]
    total = sum(sums)
    return [s / total for s in sums] if total else None


def mean_vote(rankings, n_classes):
    """Each annotator's one vote, split over the first block."""
    return irn([ranking[:1] for ranking in rankings], n_classes)


def majority(rankings, n_classes):
    mean = mean_vote(rankings, n_classes)
    if mean is None:
        return None
    winners = [y for y in range(n_classes) if mean[y] == max(mean)]
    return [Fraction(y in winners, len(winners)) for y in range(n_classes)]


# ---- a reliability for each annotation (a label is a ranking of one block of one class)
def concentrations(rankings, weights, n_classes, full=False, counted=False):
    """sum_r gamma_r u_r, over the total of all u_r unless ``counted`` (labels of the Dirichlet model); None where nothing is ranked."""
    tables = [unnormalized(ranking, n_classes, full) for ranking in rankings]
    sums = [sum((Fraction(w) * table[y] for w, table in zip(weights, tables)), Fraction(0)) for y in range(n_classes)]
    total = 1 if counted else sum(map(sum, tables))
    return [s / total for s in sums] if any(rankings) else None
