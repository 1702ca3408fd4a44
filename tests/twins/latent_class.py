"""Bounds against a latent class, row by row and with derivatives by differences; labels are rows of classes, None where there is none."""

import math

STEP = 1e-5


def softmax(x):
    table = [math.exp(one - max(x)) for one in x]
    return [one / sum(table) for one in table]


def confusions(x, n_classes, n_annotators, form):
    """Prevalences and confusions of the parameters: logs of ratios of shares to the first, logits of accuracies or logs of cells."""
    p, rest = softmax([0.0, *x[: n_classes - 1]]), x[n_classes - 1 :]
    if form == "one accuracy":
        right = [1 / (1 + math.exp(-one)) for one in rest]
        return p, [[[w if t == c else (1 - w) / (n_classes - 1) for c in range(n_classes)] for t in range(n_classes)] for w in right]
    size = n_classes - 1
    cells = [softmax([0.0, *rest[size * i : size * (i + 1)]]) for i in range(n_annotators * n_classes)]
    return p, [cells[n_classes * a : n_classes * (a + 1)] for a in range(n_annotators)]


def posterior(row, p, theta):
    """The probabilities of the classes given a row of labels, and the log-likelihood of the row."""
    joint = [p[t] * math.prod(theta[a][t][c] for a, c in enumerate(row) if c is not None) for t in range(len(p))]
    return [one / sum(joint) for one in joint], math.log(sum(joint))


def maximised(rows, n_classes, form, n_steps=4000):
    """Parameters after so many steps of expectation-maximisation from sharpened shares of the labels."""
    a, q = len(rows[0]), []
    for row in rows:
        shares = [sum(c == t for c in row) + 1e-3 for t in range(n_classes)]
        squares = [(one / sum(shares)) ** 2 for one in shares]
        q.append([0.9 * one / sum(squares) + 0.1 / n_classes for one in squares])
    for _ in range(n_steps):
        p = [sum(one[t] for one in q) / len(rows) for t in range(n_classes)]
        theta = []
        for j in range(a):
            counts = [[sum(w[t] for w, row in zip(q, rows) if row[j] == c) for c in range(n_classes)] for t in range(n_classes)]
            if form == "one accuracy":
                right = sum(counts[t][t] for t in range(n_classes)) / sum(map(sum, counts))
                counts = [[right if t == c else (1 - right) / (n_classes - 1) for c in range(n_classes)] for t in range(n_classes)]
            theta.append([[one / sum(line) for one in line] for line in counts])
        q = [posterior(row, p, theta)[0] for row in rows]
    x = [math.log(one / p[0]) for one in p[1:]]
    for table in theta:
        if form == "one accuracy":
            x.append(math.log(table[0][0] / (1 - table[0][0])))
        else:
            x += [math.log(one / line[0]) for line in table for one in line[1:]]
    return x


def grouped(rows, pi, n_classes, least):
    """The group of each row: alike sorted counts, merged in the order of the mean highest probability."""
    kinds = {}
    for i, row in enumerate(rows):
        kinds.setdefault(tuple(sorted(sum(c == t for c in row) for t in range(n_classes))), []).append(i)
    found, held = [[]], 0
    for members in sorted(kinds.values(), key=lambda m: sum(max(pi[i]) for i in m) / len(m)):
        if held >= least:
            found.append([])
            held = 0
        found[-1] += members
        held += len(members)
    if held < least and len(found) > 1:
        found[-2] += found.pop()
    return found


def interval(rows, choices, n_classes, form, least, z, numpy):
    """Low and high end of the interval, and the bounds without their sampling error."""
    n, k, x = len(rows), n_classes, maximised(rows, n_classes, form)

    def at(parameters):
        p, theta = confusions(parameters, k, len(rows[0]), form)
        return [posterior(row, p, theta) for row in rows]

    here = at(x)
    pi = [one[0] for one in here]
    order = [sorted(range(k), key=lambda t, p=p: -p[t]) for p in pi]
    a = [[p[t] for t in o] for p, o in zip(pi, order)]
    y = [[float(t == c) for t in o] for o, c in zip(order, choices)]
    scores, steps = [], []
    for d in range(len(x)):
        moved = at([one + STEP * (i == d) for i, one in enumerate(x)])
        scores.append([(new[1] - old[1]) / STEP for new, old in zip(moved, here)])
        steps.append([[(new[0][t] - old[0][t]) / STEP for t in o] for new, old, o in zip(moved, here, order)])
    s = numpy.array(scores).T
    inverse = numpy.linalg.inv(s.T @ s / n)
    groups = grouped(rows, pi, k, least)
    lower, upper, low_each, high_each = 0.0, 0.0, [0.0] * n, [0.0] * n
    low_step, high_step = [0.0] * len(x), [0.0] * len(x)
    for members in groups:
        size = len(members)
        mean_a, mean_y = ([sum(table[i][r] for i in members) / size for r in range(k)] for table in (a, y))
        jacobian = [[sum(one[i][r] for i in members) / size for one in steps] for r in range(k)]

        def error(r, sign, members=members, size=size, jacobian=jacobian, mean=(mean_a, mean_y)):
            total = 0.0
            by = s @ inverse @ numpy.array(jacobian[r])
            for i in range(n):
                own = (a[i][r] + sign * y[i][r] - mean[0][r] - sign * mean[1][r]) * n / size if i in members else 0.0
                total += (own + by[i]) ** 2
            return math.sqrt(total / n / n + 0.25 / size**2)

        kappa = math.sqrt(math.log(n))
        undecided = all(abs(mean_a[r] - mean_y[r]) <= kappa * error(r, -1) for r in range(k))
        for r in range(k):
            lower += size / n * max(0.0, mean_a[r] + mean_y[r] - 1)
            upper += size / n * min(mean_a[r], mean_y[r])
            keep = mean_a[r] + mean_y[r] - 1 > kappa * error(r, 1)
            for i in members:
                low_each[i] += keep * (a[i][r] + y[i][r] - 1)
                high_each[i] += 1.0 / k if undecided else a[i][r] if mean_a[r] < mean_y[r] else y[i][r]
            for d in range(len(x)):
                low_step[d] += keep * size / n * jacobian[r][d]
                high_step[d] += (not undecided and mean_a[r] < mean_y[r]) * size / n * jacobian[r][d]
    ends = []
    for each, step in ((low_each, low_step), (high_each, high_step)):
        psi = numpy.array(each) - sum(each) / n + s @ inverse @ numpy.array(step)
        ends.append((sum(each) / n, math.sqrt((psi**2).mean() / n)))
    (low, low_error), (high, high_error) = ends
    high = 1.0 if high + math.sqrt(math.log(n)) * high_error >= 1 else high + z * high_error
    return max(0.0, low - z * low_error), min(1.0, high), lower, upper
