"""The discrepancy ratio and its relatives, retyped from Lovchinsky et al. (2020) by enumerating pairs.

``labels[i][j]`` is the list of labels that annotator j gave to case i, empty where there are none; ``model[i]`` the prediction, None where
there is none; ``delta(a, b)`` the distance.
"""

import itertools
import math

NAN = float("nan")


def squared(a, b):
    return (a - b) ** 2


def zero_one(a, b):
    return float(a != b)


def jaccard(a, b):
    a, b = set(a), set(b)
    return 1 - len(a & b) / len(a | b) if a | b else 0.0


def threshold(limit):
    return lambda a, b: max(0.0, abs(a - b) - limit)


def expected(delta, values):
    """The distance to a model that answers with probabilities: its first argument."""
    return lambda p, y: sum(share * delta(v, y) for share, v in zip(p, values))


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else NAN


def ratio(above, below):
    if math.isnan(above) or math.isnan(below) or (above == 0 and below == 0):
        return NAN
    return math.inf if below == 0 else above / below


def psi(first, second, delta):
    """Eq. 1."""
    return mean(delta(a, b) for a in first for b in second)


def alpha_of(case, delta):
    """The inner sum of eq. 2, NaN for fewer than two annotators."""
    present = [one for one in case if one]
    return mean(psi(a, b, delta) for a, b in itertools.permutations(present, 2))


def mu_of(prediction, case, delta):
    """The inner sum of eq. 3."""
    return mean(psi([prediction], one, delta) for one in case if one)


def guessing(model, labels, delta, model_delta=None):
    """Eq. 8 before it is summed: the mean over all pairs of a counted case's prediction and a counted case's annotations."""
    counted = [i for i, case in enumerate(labels) if several(case) and model[i] is not None]
    return mean(mu_of(model[i], labels[k], model_delta or delta) for i in counted for k in counted)


def eq_8(model, shares):
    """Eq. 8 as printed, of two classes: ``((m + y - 2 m y), Cov[m^i, y^i])``."""
    m, y = mean(model), mean(shares)
    return m + y - 2 * m * y, mean(a * b for a, b in zip(model, shares)) - m * y


def several(case):
    return sum(bool(one) for one in case) >= 2


def discrepancy(model, labels, delta, model_delta=None):
    """``{alpha, mu, ratio, alpha_i, mu_i}``; cases with fewer than two annotators or without a prediction count nowhere."""
    counted = [i for i, case in enumerate(labels) if several(case) and model[i] is not None]
    alpha_i = [alpha_of(case, delta) if i in counted else NAN for i, case in enumerate(labels)]
    mu_i = [mu_of(model[i], case, model_delta or delta) if i in counted else NAN for i, case in enumerate(labels)]
    alpha, mu = mean(alpha_i[i] for i in counted), mean(mu_i[i] for i in counted)
    return {"alpha": alpha, "mu": mu, "ratio": ratio(mu, alpha), "n": len(counted), "alpha_i": alpha_i, "mu_i": mu_i}


def t_limit(parts, strata, drawn, q):
    """The bootstrap-t of the logarithm of a ratio: ``parts`` of (above, below) for each unit, ``drawn[b]`` how often it was drawn."""
    import numpy as np
    from scipy import stats

    def log_and_error(copies):
        above, below = (sum(parts[g][side] for g in copies) for side in (0, 1))
        theta, variance = above / below, 0.0
        for h in set(strata):
            own = [parts[g][0] - theta * parts[g][1] for g in copies if strata[g] == h]
            if len(own) > 1:
                variance += len(own) / (len(own) - 1) * sum((one - mean(own)) ** 2 for one in own)
        return math.log(theta), math.sqrt(variance) / above

    log, error = log_and_error(range(len(parts)))
    t = []
    for times in drawn:
        one, spread = log_and_error([g for g, n in enumerate(times) for _ in range(n)])
        t.append((one - log) / spread)
    df = len(strata) - len(set(strata))
    wider = math.sqrt((df + 1) / df) * stats.t.ppf(q, df) / stats.norm.ppf(q)
    return math.exp(log - wider * error * np.quantile(t, 1 - q))


def without(case, j):
    return [[] if k == j else one for k, one in enumerate(case)]


def left_out(labels, j, delta, cases="matched", model=None, model_delta=None):
    """Annotator j taken out and judged as the model [C Table 4]; with a model: that model against the same others on the same cases."""
    others = [without(case, j) for case in labels]
    own = [i for i, case in enumerate(labels) if case[j]]
    two = [i for i in range(len(labels)) if several(others[i])]
    for_mu = [i for i in own if any(others[i])] if cases == "mu1" else [i for i in own if i in two]
    for_alpha = for_mu if cases == "matched" else two
    if model is not None:
        for_mu = [i for i in for_mu if model[i] is not None]
        for_alpha = [i for i in for_alpha if model[i] is not None]
    alpha = mean(alpha_of(others[i], delta) for i in for_alpha)
    if model is None:
        mu = mean(mean(psi(labels[i][j], one, delta) for one in others[i] if one) for i in for_mu)
    else:
        mu = mean(mu_of(model[i], others[i], model_delta or delta) for i in for_mu)
    return {"alpha": alpha, "mu": mu, "ratio": ratio(mu, alpha), "n": len(for_mu)}


def sweep(labels, scores, delta):
    """``{threshold: ratio}`` for the decision score >= threshold, at every score and at infinity."""
    return {t: discrepancy([float(s >= t) for s in scores], labels, delta)["ratio"] for t in [*sorted(set(scores)), math.inf]}


def majority(case, ties):
    """Every annotator has one vote, shared evenly among their labels; None if tied and ties are dropped."""
    votes = {}
    for one in case:
        for label in one:
            votes[label] = votes.get(label, 0) + 1 / len(one)
    if not votes:
        return None
    best = sorted(label for label, vote in votes.items() if vote > max(votes.values()) - 1e-9)
    return best[0] if len(best) == 1 or ties == "lowest" else None


def stratified(model, labels, delta, n_classes, ties="drop"):
    """Appendix E: ``(per class, mean over the classes that have cases)``."""
    classes = [majority(case, ties) for case in labels]
    found = []
    for k in range(n_classes):
        inside = [i for i, c in enumerate(classes) if c == k]
        found.append(discrepancy([model[i] for i in inside], [labels[i] for i in inside], delta))
    return [one["ratio"] for one in found], mean(one["ratio"] for one in found if one["n"])


def prime(model, labels, delta, printed=False):
    """Appendix C.1, ``(α', μ')``: averages over cases before those over annotators, as in example C.1, or with the printed 1 / (N A)."""
    n, n_annotators = len(labels), len(labels[0])
    below, above = [], []
    for j in range(n_annotators):
        terms = [psi([model[i]], labels[i][j], delta) for i in range(n) if labels[i][j]]
        above.append(sum(terms) / n if printed else mean(terms))
    for j, k in itertools.permutations(range(n_annotators), 2):
        terms = [psi(labels[i][j], labels[i][k], delta) for i in range(n) if labels[i][j] and labels[i][k]]
        below.append(sum(terms) / n if printed else mean(terms))
    above, below = ([v for v in values if not math.isnan(v)] for values in (above, below))
    return mean(below), mean(above)


def double_prime(model, labels, delta):
    """Appendix C.2, ``(α'', μ'')``: against the mean of the other annotators' means, on cases with two annotators."""
    above, below = [], []
    for prediction, case in zip(model, labels):
        if not several(case) or prediction is None:
            continue
        present = [one for one in case if one]
        means = [mean(one) for one in present]
        rest = [mean(means[:j] + means[j + 1 :]) for j in range(len(means))]
        below.append(mean(psi(one, [r], delta) for one, r in zip(present, rest)))
        above.append(mean(delta(prediction, r) for r in rest))
    return mean(below), mean(above)


def f1(predicted, truth, classes):
    """Macro average over the classes that occur."""
    scores = []
    for k in classes:
        right = sum(p == k == t for p, t in zip(predicted, truth))
        all_ = sum(p == k for p in predicted) + sum(t == k for t in truth)
        if all_:
            scores.append(2 * right / all_)
    return mean(scores)


def relative_f1(model, labels, held_out, classes):
    """Sec. 4.1.3: F1 of the model less the mean F1 of the annotators held out, against the majority vote of the others."""
    kept = [j for j in range(len(labels[0])) if j not in held_out]
    vote = [majority([case[j] for j in kept], "drop") for case in labels]

    def score(pairs):
        pairs = [(p, v) for p, v in pairs if v is not None and p is not None]
        return f1([p for p, _ in pairs], [v for _, v in pairs], classes)

    own = [score([(case[j][0] if case[j] else None, v) for case, v in zip(labels, vote)]) for j in held_out]
    return score(zip(model, vote)) - mean(own)


def alternative_annotator(model, labels, delta, epsilon, q=0.05):
    """Calderon et al. (2025), one label an annotator: ``{j: (rho_f, rho_h, t)}``, rejected annotators and the winning rate."""
    from scipy import stats

    found, p_values = {}, {}
    for j in range(len(labels[0])):
        wins_f, wins_h = [], []
        for prediction, case in zip(model, labels):
            others = [one for one in without(case, j) if one]
            if prediction is None or not case[j] or not others:
                continue
            d_f, d_h = mean(psi([prediction], one, delta) for one in others), mean(psi(case[j], one, delta) for one in others)
            wins_f.append(d_f <= d_h + 1e-9)
            wins_h.append(d_h <= d_f + 1e-9)
        difference = [float(h) - float(f) for f, h in zip(wins_f, wins_h)]
        p_values[j] = stats.t.cdf(stats.ttest_1samp(difference, epsilon)[0], len(difference) - 1)
        found[j] = mean(wins_f), mean(wins_h), p_values[j]
    m = len(p_values)
    harmonic = sum(1 / i for i in range(1, m + 1))
    order = sorted(p_values, key=p_values.get)
    last = max([i + 1 for i, j in enumerate(order) if p_values[j] <= (i + 1) / m * q / harmonic], default=0)
    return found, sorted(order[:last]), last / m


def equivalence(model, labels, delta):
    """``(overall, per annotator)``: mean disagreement of the model with the others less that of the annotator it replaces."""
    per_annotator = []
    for j in range(len(labels[0])):
        terms = []
        for prediction, case in zip(model, labels):
            others = [one for one in without(case, j) if one]
            if case[j] and others and prediction is not None:
                terms.append(mean(psi([prediction], one, delta) - psi(case[j], one, delta) for one in others))
        per_annotator.append(mean(terms))
    found = discrepancy(model, labels, delta)
    return found["mu"] - found["alpha"], per_annotator
