"""Numbering, grouping and hashing, one row at a time."""


def factorize(rows):
    """``(code, first)`` in order of first appearance."""
    first = {}
    for i, row in enumerate(rows):
        first.setdefault(row, i)
    codes = {row: code for code, row in enumerate(first)}
    return [codes[row] for row in rows], list(first.values())


def group(code, n_groups):
    """``(offsets, order)`` of a stable sort by code."""
    groups = [[i for i, c in enumerate(code) if c == g] for g in range(n_groups)]
    return [sum(map(len, groups[:g])) for g in range(n_groups + 1)], [i for rows in groups for i in rows]


def fnv1a(data):
    """FNV-1a, 64 bits: xor a byte, multiply by the prime."""
    h = 0xCBF29CE484222325
    for byte in data:
        h = (h ^ byte) * 0x100000001B3 % 2**64
    return h


def mix64(h):
    """The finaliser of MurmurHash3."""
    h = (h ^ h >> 33) * 0xFF51AFD7ED558CCD % 2**64
    h = (h ^ h >> 33) * 0xC4CEB9FE1A85EC53 % 2**64
    return h ^ h >> 33


def stream_key(case_id):
    return mix64(fnv1a(str(case_id).encode("utf-8", "surrogatepass")))


def pair_sums(cases, times, n_classes, of_cases):
    """What nominal agreement is made of: disagreement of pairs, how much is compared, how much there is, and classes."""
    sums = [0.0] * (3 + n_classes)
    for rows, often in zip(cases, times):
        counts = class_counts(rows)
        r = sum(total for _, total in counts)
        differ = r * r - sum(total * total for _, total in counts)
        two = r >= 2
        sums[0] += often * differ / (r * (r - 1) if of_cases else r - 1) if two else 0.0
        sums[1] += often * two * (1 if of_cases else r)
        sums[2] += often * (r >= 1) * of_cases
        for k, total in counts:
            sums[3 + k] += often * (total / r if of_cases else two * total)
    return sums


def class_counts(rows):
    """Merged counts of one case's (label, count) rows, by ascending label."""
    totals = {}
    for label, count in rows:
        totals[label] = totals.get(label, 0) + count
    return [(label, total) for label, total in sorted(totals.items()) if total > 0]
