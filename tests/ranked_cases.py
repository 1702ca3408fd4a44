"""Rankings of one case, as blocks of classes: chains, conflicts and ties; and random ones."""

CONFLICT = [[[0], [1]], [[1], [0]]]
PAIR = [[[0, 1]], [[2], [0]]]
TIED = [[[0, 1]], [[2, 0]], [[1], [2]]]
CHAINS = [[[0], [1], [2]], [[0], [2]], [[1]]]
SEVERAL = [[[0, 1], [2]], [[2], [0]], [[0]]]
TRIPLE = [[[0, 1, 2], [3]], [[2], [0]], [[0]]]


def random_case(rng, n_classes, n_annotators, tied, most):
    """Rankings of some of the classes, in which a class is tied with the one before it with a probability, and at most so many are tied."""
    case = []
    for _ in range(n_annotators):
        blocks = []
        for y in rng.permutation(n_classes)[: rng.integers(1, n_classes)].tolist():
            if blocks and rng.random() < tied and len(blocks[-1]) < most:
                blocks[-1].append(y)
            else:
                blocks.append([y])
        case.append(blocks)
    return case
