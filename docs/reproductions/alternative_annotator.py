"""The alternative annotator test, on nine public data sets.

This page compares the 52 printed results of the test with those of `ugt.humans.alternative_annotator_test`, and repeats the test with
texts as the units.

**In short:** all 52 pairs agree to the printed digits. With texts as the units, one of the 52 decisions changes.

Calderon, Reichart & Dror (2025) test whether language models can replace annotators. They print the winning rate ω and the average
advantage ρ of 52 pairs of a data set and a model. Annotations of people and models are in their repository (`nitaytech/AltTest`, folder
`data`), which names no licence for them. `make.py` reads them from a checkout of it, the folder that `UGT_ALTTEST` names, and this page
shows only numbers. The data sets are WAX, LGBTeen, MT-Bench, Framing, CEBaB (aspects and stars), SummEval, 10K Prompts and Lesion.
KiloGram, the tenth of the paper, has no printed result there.
"""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path

from make import Section

import ugt

FOLDER = Path(os.environ.get("UGT_ALTTEST", Path(__file__).resolve().parents[3] / "shared" / "data" / "alttest"))

# What the notebook of the repository (alt_test_example.ipynb, commit 18428b1) prints: ω and ρ; passed is ω >= 0.5.
PRINTED = {
    "wax": {
        "gemini_flash": (0.38, 0.69), "gemini_pro": (0.50, 0.74), "gpt-4o": (0.50, 0.73), "llama-31": (0.00, 0.57),
        "gpt-4o-mini": (0.00, 0.59), "mistral-v03": (0.00, 0.50),
    },
    "lgbteen": {
        "gemini_flash": (0.25, 0.71), "gemini_pro": (0.00, 0.67), "gpt-4o": (0.75, 0.77), "llama-31": (0.00, 0.72),
        "gpt-4o-mini": (0.75, 0.76), "mistral-v03": (0.25, 0.75),
    },
    "mtbench": {
        "gemini_flash": (0.00, 0.72), "gemini_pro": (0.00, 0.76), "gpt-4o": (0.00, 0.77), "llama-31": (0.00, 0.69),
        "gpt-4o-mini": (0.00, 0.74), "mistral-v03": (0.00, 0.68),
    },
    "framing": {
        "gemini_flash": (1.00, 0.83), "gemini_pro": (1.00, 0.91), "gpt-4o": (1.00, 0.92), "llama-31": (0.50, 0.80),
        "gpt-4o-mini": (1.00, 0.87), "mistral-v03": (0.25, 0.80),
    },
    "cebab_aspects": {
        "gemini_flash": (0.70, 0.91), "gemini_pro": (0.90, 0.94), "gpt-4o": (0.90, 0.93), "llama-31": (0.60, 0.89),
        "gpt-4o-mini": (0.50, 0.90), "mistral-v03": (0.10, 0.81),
    },
    "summeval": {
        "gemini_flash": (0.00, 0.46), "gemini_pro": (0.00, 0.44), "gpt-4o": (0.00, 0.48), "llama-31": (0.00, 0.58),
        "gpt-4o-mini": (0.00, 0.54), "mistral-v03": (0.00, 0.62),
    },
    "10k_prompts": {
        "gemini_flash": (0.31, 0.67), "gemini_pro": (0.08, 0.63), "gpt-4o": (0.69, 0.76), "llama-31": (0.15, 0.67),
        "gpt-4o-mini": (0.92, 0.80), "mistral-v03": (0.15, 0.67),
    },
    "cebab_stars": {
        "gemini_flash": (0.60, 0.82), "gemini_pro": (0.80, 0.87), "gpt-4o": (0.90, 0.90), "llama-31": (0.60, 0.85),
        "gpt-4o-mini": (0.90, 0.89), "mistral-v03": (0.50, 0.83),
    },
    "lesion": {
        "gemini_flash": (0.17, 0.71), "gemini_pro": (1.00, 0.81), "gpt-4o": (0.00, 0.62), "gpt-4o-mini": (0.67, 0.73),
    },
}  # fmt: skip
EPSILON = {
    "wax": 0.1, "lgbteen": 0.2, "mtbench": 0.2, "framing": 0.15, "cebab_aspects": 0.1, "summeval": 0.2, "10k_prompts": 0.15,
    "cebab_stars": 0.1, "lesion": 0.15,
}  # fmt: skip
NUMBERS = ("summeval", "10k_prompts", "cebab_stars", "lesion")  # judged by root mean squared error, the others by accuracy


# --- the data -------------------------------------------------------------------------------------------------------------------------


@cache
def data(name):
    """Annotations of the people, and each model's by case."""
    folder = FOLDER / "data" / name
    if not folder.is_dir():
        raise FileNotFoundError(f"no folder {folder}: set UGT_ALTTEST to a checkout of nitaytech/AltTest")
    people, models = (json.loads((folder / f"{who}_annotations.json").read_text(encoding="utf-8")) for who in ("human", "llm"))
    rows = [(case, annotator, value) for annotator, one in people.items() for case, value in one.items()]
    if name in NUMBERS:
        return ugt.Ratings.from_long(*zip(*rows)), models
    classes = sorted({value for *_, value in rows} | {value for one in models.values() for value in one.values()})
    return ugt.Labels.from_long(*zip(*rows), classes=classes), models


@cache
def found(name, model):
    """The test, with the settings of its authors."""
    annotations, models = data(name)
    distance = "squared" if name in NUMBERS else "zero-one"
    annotated = set((annotations.case_ids if name in NUMBERS else annotations.axes.case_ids).tolist())
    given = {case: value for case, value in models[model].items() if case in annotated}
    return ugt.humans.alternative_annotator_test(annotations, given, distance=distance, epsilon=EPSILON[name], missing="drop")


def text_of(name, case):
    """What a case is about: the part of its id before ``__``, such as an image, a post, an article; of WAX the whole."""
    return case if name == "wax" else case.split("__")[0]


@cache
def over_texts(name, model):
    """The same, with texts as the independent units."""
    test = found(name, model)
    return test.over_clusters({case: text_of(name, case) for case in test.case_ids.tolist()})


# --- the tables -----------------------------------------------------------------------------------------------------------------------


def pairs():
    return [(name, model, printed) for name, one in PRINTED.items() for model, printed in one.items()]


def agree(name, model, printed):
    """Whether ω, ρ and the decision are the printed ones, to the printed digits."""
    one = found(name, model)
    return (f"{one.winning_rate:.2f}", f"{one.value:.2f}", one.passed) == (f"{printed[0]:.2f}", f"{printed[1]:.2f}", printed[0] >= 0.5)


def rows():
    table = []
    for name, model, (omega, rho) in pairs():
        one, wider = found(name, model), over_texts(name, model)
        verdicts = ["passed" if passed else "failed" for passed in (omega >= 0.5, one.passed, wider.passed)]
        cells = [f"{omega:.2f}", f"{one.winning_rate:.2f}", f"{rho:.2f}", f"{one.value:.2f}", *verdicts[:2], f"{wider.winning_rate:.2f}"]
        table.append([name, model, *cells, verdicts[2]])
    return table


def data_rows():
    table = []
    for name, one in PRINTED.items():
        annotations, _ = data(name)
        tests = [found(name, model) for model in one]
        texts = len({text_of(name, case) for case in tests[0].case_ids.tolist()})
        sizes = [annotations.n_cases, texts, len(tests[0].annotators), len(annotations.annotators)]
        changed = sum(test.passed != over_texts(name, model).passed for model, test in zip(one, tests))
        passed = sum(test.passed for test in tests)
        distance = "squared" if name in NUMBERS else "zero-one"
        table.append([name, *map(str, sizes), distance, f"{EPSILON[name]:.2f}", f"{passed} of {len(one)}", str(changed)])
    return table


@cache
def leading(name):
    """The two models with the highest ρ, and the interval of their difference over texts."""
    first, second = sorted(PRINTED[name], key=lambda model: -found(name, model).value)[:2]
    a, b = found(name, first), found(name, second)
    clusters = {case: text_of(name, case) for case in a.case_ids.tolist()}
    return first, second, a.minus(b).value, a.minus(b).interval(clusters=clusters)


def leader_rows():
    table = []
    for name in PRINTED:
        first, second, difference, (low, high) = leading(name)
        table.append([name, first, second, f"{difference:.3f} ({low:.3f} to {high:.3f})", "yes" if low > 0 else "no"])
    return table


# --- the page -------------------------------------------------------------------------------------------------------------------------

TEXT_TABLE = """
The table has ω and ρ as printed, and ours. All 52 pairs agree to the printed digits, and so do the decisions (ω ≥ 0.5). Settings are
those of the authors: their ε, false discovery rate 0.05, annotators with 30 cases or more. The distance is `"zero-one"` for their
accuracy and `"squared"` for their root mean squared error, which orders in the same way. The last two columns are the test with texts as
the units ([below](#several-cases-about-one-text)).
"""

TEXT_DATA = """
The published test takes cases as independent. In six of the nine data sets several cases are about one text. Examples are five features
of one image, four qualities of sixteen summaries of one article, or ten questions about answers to one post. `over_clusters` takes texts
(the part of a case's id before `__`) as the units of the t-test. One decision of the 52 changes: GPT-4o mini no longer passes on LGBTeen,
whose 880 cases are about 22 posts. A t-test of 22 units is an approximation, too.
"""

TEXT_LEADERS = """
The authors advise to choose among models by ρ. The table has the two models with the highest ρ in each data set, and the 95% interval
over texts of their paired difference. In six of the nine data sets it includes 0. "No" means that these data do not distinguish the two,
not that they are equal. The first was picked from six models (Lesion: four), which flatters its lead.
"""


def sections():
    tested = ["data", "model", "ω printed", "ω", "ρ printed", "ρ", "printed", "ours", "ω over texts", "over texts"]
    sets = ["data", "cases", "texts", "annotators tested", "annotators", "distance", "ε", "passed", "decisions that change over texts"]
    leaders = ["data", "highest ρ", "next", "difference", "distinguished"]
    return [
        Section("Printed and computed", TEXT_TABLE, tested, rows()),
        Section("Several cases about one text", TEXT_DATA, sets, data_rows()),
        Section("Which model is chosen", TEXT_LEADERS, leaders, leader_rows()),
    ]
