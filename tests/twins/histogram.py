"""Losses against label histograms by sums over single labels, pairs of labels, pairs of cases and bins, retyped from [B]."""

import math
from itertools import combinations, permutations

NAN = float("nan")


def labels_of(row):
    """One class a label: [2, 0, 1] -> [0, 0, 2]."""
    return [k for k, y in enumerate(row) for _ in range(int(y))]


def mean(values):
    values = list(values)
    return math.fsum(values) / len(values) if values else NAN


def bin_of(z, edges):
    """Left-closed, the last bin closed."""
    for b in range(len(edges) - 2):
        if edges[b] <= z < edges[b + 1]:
            return b
    return len(edges) - 2


def argmax_set(values):
    return {k for k, v in enumerate(values) if v == max(values)}


def accuracy(counts, probs):
    """P(a random argmax of z is a random argmax of y), over all pairs of argmaxes."""
    hits = []
    for row, z in zip(counts, probs):
        if sum(row) > 0:
            hits.append(mean(float(a == b) for a in argmax_set(row) for b in argmax_set(z)))
    return mean(hits)


def l_sq(counts, probs):
    """Eq. 23: the mean over the labels of a case of |y - z|²."""
    per_case = []
    for row, z in zip(counts, probs):
        labels = labels_of(row)
        if labels:
            per_case.append(mean(sum(((label == k) - zk) ** 2 for k, zk in enumerate(z)) for label in labels))
    return mean(per_case)


def epistemic(counts, probs, k, inside, n_cases):
    """``(plug-in, debiased)`` EL of class k over the cases inside, by eq. 8 and by pairs of labels, eq. 28."""
    plugin, debiased = [], []
    for i in inside:
        labels, z = [label == k for label in labels_of(counts[i])], probs[i][k]
        m = mean(labels)
        plugin.append((m - z) ** 2)
        squared = mean(a * b for a, b in permutations(labels, 2)) if len(labels) > 1 else NAN
        debiased.append(squared - 2 * m * z + z * z)
    return math.fsum(plugin) / n_cases, math.fsum(debiased) / n_cases


def calibration(observed, predicted, n_cases, single_bins="zero"):
    """``(plug-in, debiased)`` CL of one bin, by eq. 12 and by pairs of cases, eq. 31."""
    size = len(observed)
    if size == 0:
        return 0.0, 0.0
    c, z = mean(observed), mean(predicted)
    plugin = size / n_cases * (c - z) ** 2
    if size == 1:
        return plugin, 0.0 if single_bins == "zero" else plugin
    squared = mean(a * b for a, b in permutations(observed, 2))
    return plugin, size / n_cases * (squared - 2 * c * z + z * z)


def refinement(counts, k, inside, n_cases):
    """``(plug-in RL, debiased RL, plug-in ERL)`` of class k in one bin: d(Y, C) over labels, by pairs of cases, and d(Q, C), eq. 5, 6."""
    shares = [counts[i][k] / sum(counts[i]) for i in inside]
    c = mean(shares)
    rl = mean(mean(((label == k) - c) ** 2 for label in labels_of(counts[i])) for i in inside)
    debiased = c - mean(a * b for a, b in permutations(shares, 2)) if len(shares) > 1 else NAN
    erl = mean((m - c) ** 2 for m in shares)
    return tuple(len(inside) / n_cases * x for x in (rl, debiased, erl))


def losses(counts, probs, edges, single_bins="zero", least=1):
    """Tables [class][bin] of (plug-in, debiased) EL and CL over the cases with at least ``least`` labels, edges by class."""
    kept = [i for i, row in enumerate(counts) if sum(row) >= least]
    el, cl = [], []
    for k in range(len(counts[0])):
        bins = [[i for i in kept if bin_of(probs[i][k], edges[k]) == b] for b in range(len(edges[k]) - 1)]
        el.append([epistemic(counts, probs, k, inside, len(kept)) if inside else (0.0, 0.0) for inside in bins])
        shares = [[counts[i][k] / sum(counts[i]) for i in inside] for inside in bins]
        cl.append([calibration(m, [probs[i][k] for i in inside], len(kept), single_bins) for m, inside in zip(shares, bins)])
    return el, cl


def weighted_losses(observed, predicted, spreads, edges, weights):
    """Of one class ``{"l_sq", "el", "el bias", "cl", "cl debiased"}``, cases of weight 0 left out; spreads: m (1 - m) / (n - 1).

    CL by pairs of different cases of a bin: the mean of (m_i - z)(m_j - z) by w_i w_j, z the bin's mean prediction by weight.
    """
    total = math.fsum(weights)
    rows = [row for row in zip(weights, observed, predicted, spreads) if row[0] > 0]
    found = {"l_sq": math.fsum(w * ((m - z) ** 2 + m * (1 - m)) for w, m, z, _ in rows) / total}
    found["el"] = math.fsum(w * (m - z) ** 2 for w, m, z, _ in rows) / total
    found["el bias"] = math.fsum(w * spread for w, *_, spread in rows) / total
    found["cl"] = found["cl debiased"] = 0.0
    for b in range(len(edges) - 1):
        inside = [(w, m, z) for w, m, z, _ in rows if bin_of(z, edges) == b]
        size = math.fsum(w for w, *_ in inside)
        if inside:
            z_mean = math.fsum(w * z for w, _, z in inside) / size
            found["cl"] += size / total * (math.fsum(w * (m - z_mean) for w, m, _ in inside) / size) ** 2
            pairs = [(a[0] * c[0], (a[1] - z_mean) * (c[1] - z_mean)) for a, c in permutations(inside, 2)]
            if pairs:
                found["cl debiased"] += size / total * math.fsum(w * x for w, x in pairs) / math.fsum(w for w, _ in pairs)
    return found


def calibration_error(observed, predicted, edges, weights, p):
    """Definition 2 of one class: (Σ_bins share of the cases, by weight, times |mean observed - mean predicted|^p)^(1/p)."""
    powers = []
    for b in range(len(edges) - 1):
        inside = [(w, m, z) for w, m, z in zip(weights, observed, predicted) if bin_of(z, edges) == b]
        size = math.fsum(w for w, *_ in inside)
        if size > 0:
            powers.append(size / math.fsum(weights) * abs(math.fsum(w * (m - z) for w, m, z in inside) / size) ** p)
    return math.fsum(powers) ** (1 / p)


def irreducible(counts):
    """Mean over pairs of labels of whether they differ: what a new label adds to L_sq whatever is predicted."""
    return mean(statistic(row, lambda a, b: float(a != b), 2) for row in counts if sum(row) >= 2)


def statistic(row, phi, n):
    """Eq. 17: mean of phi over all sets of n labels of a case."""
    sets = list(combinations(labels_of(row), n))
    return mean(phi(*chosen) for chosen in sets) if sets else NAN


def statistic_losses(counts, predicted, phi, n, edges, single_bins="zero"):
    """``(L, plug-in CL, debiased CL)`` of a statistic, eq. 39 and 41-44."""
    kept = [i for i, row in enumerate(counts) if sum(row) >= n]
    loss = mean(mean((phi(*chosen) - predicted[i]) ** 2 for chosen in combinations(labels_of(counts[i]), n)) for i in kept)
    cl = []
    for b in range(len(edges) - 1):
        inside = [i for i in kept if bin_of(predicted[i], edges) == b]
        cl.append(calibration([statistic(counts[i], phi, n) for i in inside], [predicted[i] for i in inside], len(kept), single_bins))
    return loss, math.fsum(p for p, _ in cl), math.fsum(d for _, d in cl)


def rows_of(counts, probs, edges):
    """Shares, cells and facts of cases as resamples need them; cells by bins, classes and whether a case has several labels, -1 without."""
    shares, cells, facts = [], [], []
    for row, z in zip(counts, probs):
        n = sum(row)
        shares.append([y / n if n else 0.0 for y in row])
        first = len(row) if n >= 2 else 0
        cells.append([(first + k) * (len(edges[k]) - 1) + bin_of(zk, edges[k]) if n else -1 for k, zk in enumerate(z)])
        facts.append([n, accuracy([row], [z]) if n else 0.0, 1 / (n - 1) if n >= 2 else 0.0])
    return shares, cells, facts


def weighted_sums(shares, probs, cells, facts, n_cells, weight):
    """Of each cell 1, z, m, m², (m - z)², m (1 - m) / (n - 1); with facts totals: cases, right ones, labels, by kind, cases without."""
    sums, totals = [[0.0] * 6 for _ in range(n_cells)], [0.0] * 7
    for i, w in enumerate(weight):
        n, right, per = facts[i] if facts else (0, 0.0, 0.0)
        for cell, m, z in zip(cells[i], shares[i], probs[i]):
            if cell >= 0:
                sums[cell] = [old + w * new for old, new in zip(sums[cell], (1, z, m, m * m, (m - z) ** 2, m * (1 - m) * per))]
        for j, value in enumerate((1, right, n) if n else (1,)):
            totals[6 if not n else 3 * (n >= 2) + j] += w * value
    return [x for cell in sums for x in cell] + (totals if facts else [])


def disagreement_rows(counts, predicted, edges):
    """Shares of pairs of labels that differ, then that just one is class k, as far as predicted; cells by bins and columns."""

    def shares_of(row):
        one_is = [statistic(row, lambda a, b, k=k: float((a == k) != (b == k)), 2) for k in range(len(row))]
        return [statistic(row, lambda a, b: float(a != b), 2), *one_is]

    shares = [shares_of(row)[: len(edges)] for row in counts]
    at = [[j * (len(edges[j]) - 1) + bin_of(z, edges[j]) for j, z in enumerate(row)] for row in predicted]
    return shares, [cells if sum(row) >= 2 else [-1] * len(edges) for row, cells in zip(counts, at)]


def log_loss(row, z):
    """Mean of -log z over labels."""
    return mean(-math.log(z[label]) if z[label] > 0 else math.inf for label in labels_of(row))


def log_parts(counts, probs, n_bins, weights):
    """``(calibration, its bias, refinement)`` of the log loss, theorem 1, in groups by the likeliest class and its probability's bin.

    The bias of unweighted groups: half of the sum over classes of the variance of the mean share over the mean share.
    """
    edges, groups = [b / n_bins for b in range(n_bins + 1)], {}
    for row, z, w in zip(counts, probs, weights):
        if sum(row) and w:
            groups.setdefault((z.index(max(z)), bin_of(max(z), edges)), []).append((w, [y / sum(row) for y in row], z))
    total = math.fsum(w for inside in groups.values() for w, *_ in inside)
    calibration, bias, refinement = [], [], []
    for inside in groups.values():
        size = math.fsum(w for w, *_ in inside)
        kl = entropy = curved = 0.0
        for k in range(len(probs[0])):
            c, z = (math.fsum(w * table[k] for w, *tables in inside for table in [tables[j]]) / size for j in (0, 1))
            variance = mean((m[k] - c) ** 2 for _, m, _ in inside) / (len(inside) - 1) if len(inside) > 1 else NAN
            kl += c * math.log(c / z) if c else 0.0
            entropy -= c * math.log(c) if c else 0.0
            curved += variance / (2 * c) if c else 0.0
        calibration.append(size / total * kl)
        bias.append(size / total * (curved if len(inside) > 1 else kl))
        refinement.append(size / total * entropy)
    return math.fsum(calibration), math.fsum(bias), math.fsum(refinement)


def ranked_probability(row, z):
    """Mean over labels of the squared differences of cumulative sums."""

    def of_label(label):
        return sum(((label <= k) - sum(z[: k + 1])) ** 2 for k in range(len(z) - 1))

    return mean(of_label(label) for label in labels_of(row))


def wasserstein(row, z, positions):
    """The least cost of moving one distribution onto the other: mass goes from left to right in order."""
    have, want = [y / sum(row) for y in row], list(z)
    cost, a, b = 0.0, 0, 0
    while a < len(have) and b < len(want):
        moved = min(have[a], want[b])
        cost += moved * abs(positions[a] - positions[b])
        have[a] -= moved
        want[b] -= moved
        a, b = a + (have[a] <= 1e-15), b + (want[b] <= 1e-15)
    return cost
