"""Published tables of tests without a reference, as rows of labels with numbers of cases.

Carcinoma: seven pathologists, 118 slides (Holmquist 1967; Agresti 2002, table 13.1). Dentistry: five dentists, 3,869 X-rays (Espeland &
Handelman 1989). HIV: four tests, 428 sera (Alvord 1988; Qu, Tan & Kutner 1996). Myocardial: four signs, 94 patients (Rindskopf 1986).
Hui & Walter (1980): two tests in two populations.
"""

from __future__ import annotations

import numpy as np

import ugt

TABLES: dict[str, dict[str, int]] = {
    "carcinoma": {
        "0000000": 34, "0000100": 2, "0100000": 6, "0100001": 1, "0100100": 4, "0100101": 5, "1000000": 2, "1010101": 1, "1100000": 2,
        "1100001": 1, "1100100": 2, "1100101": 7, "1100111": 1, "1101001": 1, "1101101": 2, "1101111": 3, "1110101": 13, "1110111": 5,
        "1111101": 10, "1111111": 16,
    },
    "dentistry": {
        "00000": 1880, "00001": 789, "00010": 43, "00011": 75, "00100": 23, "00101": 63, "00110": 8, "00111": 22, "01000": 188,
        "01001": 191, "01010": 17, "01011": 67, "01100": 15, "01101": 85, "01110": 8, "01111": 56, "10000": 22, "10001": 26,
        "10010": 6, "10011": 14, "10100": 1, "10101": 20, "10110": 2, "10111": 17, "11000": 2, "11001": 20, "11010": 6, "11011": 27,
        "11100": 3, "11101": 72, "11110": 1, "11111": 100,
    },
    "myocardial": {
        "1111": 24, "0111": 5, "1011": 4, "0011": 3, "1101": 3, "0101": 5, "1001": 2, "0001": 7, "0010": 1, "0100": 7, "0000": 33,
    },
    "hiv": {
        "0000": 170, "0001": 15, "0100": 6, "1000": 4, "1001": 17, "1011": 83, "1100": 1, "1101": 4, "1111": 128,
    },
}  # fmt: skip
HUI_WALTER = ({"11": 14, "10": 4, "01": 9, "00": 528}, {"11": 887, "10": 31, "01": 37, "00": 367})


def cases(table: dict[str, int]) -> np.ndarray:
    """The labels of single cases, (N, T)."""
    return np.array([[int(label) for label in row] for row, n in table.items() for _ in range(n)])


def judged(said: np.ndarray, **options: object) -> ugt.metrics.LatentAccuracy:
    """The last column as a model, the others as annotators; two classes."""
    return ugt.metrics.latent_accuracy(ugt.Labels.from_wide(said[:, :-1], classes=2, missing=-1), np.eye(2)[said[:, -1]], **options)  # type: ignore[arg-type]


def made(
    n: int = 400, n_tests: int = 5, seed: int = 0, absent: float = 0.0, rate: float = 0.85, prevalence: float = 0.35
) -> tuple[np.ndarray, np.ndarray]:
    """Labels of tests that err independently, and the truth."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < prevalence).astype(int)
    said = np.where(rng.random((n, n_tests)) < rate, truth[:, None], 1 - truth[:, None])
    said[:, :-1][rng.random((n, n_tests - 1)) < absent] = -1
    return said, truth
