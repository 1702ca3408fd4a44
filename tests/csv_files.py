"""CSV files, as tests write and read them."""

import csv


def write(path, *rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


def write_scores(path, names, ids, scores):
    """A row a case, a column a class."""
    write(path, ["case", *names], *([i, *map(repr, row)] for i, row in zip(ids, scores.tolist())))


def read(path):
    """A mapping a row."""
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
