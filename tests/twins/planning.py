"""Plans in plain Python: components of variance from all pairs of labels, and scores by leaving labels out one by one."""

from itertools import combinations, permutations


def components(cells):
    """(cases, annotators, labels) of ``{(case, annotator): score}``: mean products of pairs of labels, less those that share nothing."""
    mean = sum(cells.values()) / len(cells)
    products = {"case": [], "annotator": [], "neither": []}
    for (i, j), (k, m) in permutations(cells, 2):
        kind = "case" if i == k else "annotator" if j == m else "neither"
        products[kind].append((cells[i, j] - mean) * (cells[k, m] - mean))
    case, annotator, neither = (sum(found) / len(found) for found in products.values())
    own = sum((score - mean) ** 2 for score in cells.values()) / len(cells)
    return case - neither, annotator - neither, own - case - annotator + neither


def disagreement(labels):
    """How often two of the labels differ."""
    pairs = list(combinations(labels, 2))
    return sum(a != b for a, b in pairs) / len(pairs)


def pseudo_values(labels):
    """n d - (n - 1) d without each of n labels."""
    n = len(labels)
    return [n * disagreement(labels) - (n - 1) * disagreement(labels[:j] + labels[j + 1 :]) for j in range(n)]


def pair_remainder(labels):
    """E e_jk² - 2 E e_jk e_jl + E e_jk e_lm over different labels of a case."""
    e = [[float(a != b) for b in labels] for a in labels]
    rows = range(len(labels))

    def mean(numbers):
        found = list(numbers)
        return sum(found) / len(found)

    one = mean(e[j][k] ** 2 for j, k in permutations(rows, 2))
    two = mean(e[j][k] * e[j][m] for j, k, m in permutations(rows, 3))
    return one - 2 * two + mean(e[j][k] * e[m][n] for j, k, m, n in permutations(rows, 4))


def soft_auroc_scores(cells, scores):
    """The AUROC, and what each label (1: positive) adds: N / (P Q) (Σ_k q_k ψ_ik - θ Q), or (Σ_k p_k ψ_ki - θ P)."""
    cases = sorted({i for i, _ in cells})
    p = {i: sum(v for (k, _), v in cells.items() if k == i) / sum(k == i for k, _ in cells) for i in cases}
    positive, negative = sum(p.values()), sum(1 - one for one in p.values())

    def above(i, k):
        return float(scores[i] > scores[k]) + 0.5 * (scores[i] == scores[k])

    value = sum(p[i] * (1 - p[k]) * above(i, k) for i, k in permutations(cases, 2)) / (positive * negative)
    found = {}
    for (i, j), label in cells.items():
        others = [k for k in cases if k != i]
        as_positive = sum((1 - p[k]) * above(i, k) for k in others) - value * negative
        as_negative = sum(p[k] * above(k, i) for k in others) - value * positive
        found[i, j] = len(cases) / (positive * negative) * (as_positive if label else as_negative)
    return value, found
