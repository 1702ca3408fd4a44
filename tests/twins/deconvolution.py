"""Primary labels of annotators, retyped from Gordon et al. (2021): one case and one label at a time."""


def primary(p, f):
    """Distribution of primary labels from shares p of K classes and one flip rate; what is below 0 is set to 0."""
    k = len(p)
    found = [max((share - f / (k - 1)) / (1 - k * f / (k - 1)), 0.0) for share in p]
    return [one / sum(found) for one in found]


def disagree(f, k):
    """How often two labels by one annotator differ, every pair of labels given each primary label in turn."""
    chances = [1 - f] + [f / (k - 1)] * (k - 1)
    return sum(a * b for i, a in enumerate(chances) for j, b in enumerate(chances) if i != j)


def flip_rate(d, k):
    """The f at which they differ as often as d says, by bisection."""
    low, high = 0.0, 1 - 1 / k
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if disagree(middle, k) < d else (low, middle)
    return low


def of_annotator(primary_labels, labels, f):
    """Probability of each class to be the primary label of an annotator who gave these labels."""
    found = list(primary_labels)
    for k in range(len(found)):
        for label in labels:
            found[k] *= 1 - f if label == k else f / (len(found) - 1)
    return [one / sum(found) for one in found]
