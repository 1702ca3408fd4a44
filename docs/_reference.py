"""The reference: which topics stand on which page, and the pages, written from the package at every build.

The names of a topic are those of ``ugt._HOMES``. A topic on no page, or on two, fails `make docs` and tests/test_documentation.py.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

PACKAGE = "ugt"
FOLDER = "reference"

# Modules of which every public function and class is in the reference, besides the names of the package itself.
MODULES = {
    "io": ("Files", "Readers and writers behind the command line. Formats and examples: :doc:`/files`."),
    "plots": ("Plots", "One function each, with matplotlib. Pictures: :doc:`/gallery`."),
    "states": (
        "Metrics of data in several places",
        "Sums instead of cases: made in each place, merged, finished. Explained in :doc:`/beyond-one-machine`.",
    ),
    "dask": ("Metrics on Dask", "The same on partitions of Dask collections. Explained in :doc:`/beyond-one-machine`."),
    "synthetic": ("Generated data", "Annotations and predictions with a known truth: for examples, tests, and planning a study."),
}


class Group(NamedTuple):
    """One page: its title, a sentence on what it is about, the topics."""

    title: str
    about: str
    topics: tuple[str, ...]


GROUPS = {
    "annotations": Group(
        "Annotations and predictions",
        "What you bring. Explained in :doc:`/data-model`.",
        ("annotations",),
    ),
    "evaluation": Group(
        "The whole evaluation",
        "Annotations and predictions in, every number out. Explained in :doc:`/quickstart` and :doc:`/reading-the-report`.",
        ("evaluation",),
    ),
    "aggregation": Group(
        "From labels and rankings to truth",
        "Aggregations, among them models of rankings with ties (Plackett–Luce), and the three kinds of truth "
        "that they make. Explained in :doc:`/truth-models` and :doc:`/small-print`.",
        ("aggregation", "plausibilities"),
    ),
    "annotator-models": Group(
        "Models of annotators",
        "Who is how good, estimated from the same labels. Explained in :doc:`/annotator-models`.",
        ("annotator_models",),
    ),
    "ratings": Group(
        "Truth from ratings",
        "Numbers on a scale. Explained in :doc:`/ratings`.",
        ("plausibilities.normal",),
    ),
    "grades": Group(
        "Metrics of grades",
        "Predicted grades, severity scores and ratings against an uncertain truth. Explained in :doc:`/grades`.",
        ("grades",),
    ),
    "certainty": Group(
        "Certainty of the truth",
        "How far the annotations settle a case, and which case to annotate next. Explained in :doc:`/reliability-and-priors`.",
        ("certainty",),
    ),
    "metrics": Group(
        "Metrics that know the truth is uncertain",
        "Uncertainty-adjusted accuracies, overlaps and distances. Explained in :doc:`/glossary` and :doc:`/small-print`.",
        ("accuracy",),
    ),
    "soft-labels": Group(
        "Metrics against soft labels",
        "AUROC and average precision against probabilities of being positive. Explained in :doc:`/small-print`.",
        ("soft",),
    ),
    "studies": Group(
        "Studies",
        "Readers with and without a model, and how many cases, labels, annotators and readers a study needs. Explained in "
        ":doc:`/readers-and-cases` and :doc:`/planning`.",
        ("studies",),
    ),
    "judges": Group(
        "Judges",
        "Means of a judge's scores, corrected by people who disagree, and preferences among models. Explained in :doc:`/judges`.",
        ("studies.judges",),
    ),
    "histograms": Group(
        "Losses and distances against label histograms and single labels",
        "Calibration with the bias of few labels taken out, disagreement, scores. Explained in :doc:`/calibration`.",
        ("histogram", "discrepancy.perspectivist"),
    ),
    "calibrators": Group(
        "Calibrators",
        "Fitted on validation cases with label histograms. Explained in :doc:`/calibration`.",
        ("calibrators",),
    ),
    "prediction-sets": Group(
        "Prediction sets",
        "Conformal prediction under uncertain truth. Explained in :doc:`/prediction-sets`.",
        ("conformal",),
    ),
    "agreement": Group(
        "Agreement among annotators",
        "Coefficients with intervals, for labels and for rankings.",
        ("agreement",),
    ),
    "humans": Group(
        "Models beside annotators",
        "No truth is needed. Explained in :doc:`/comparing-with-humans` and :doc:`/discrepancy`.",
        ("discrepancy",),
    ),
    "resampling": Group(
        "Intervals, comparisons, threads",
        "One engine for every interval. Explained in :doc:`/small-print`; used for a metric of your own in :doc:`/extending`.",
        ("resampling", "_base.parallel"),
    ),
}


def problems(topics: Iterable[str]) -> list[str]:
    """What is wrong with the groups, in sentences; empty if every topic stands in one group exactly."""
    listed = [topic for group in GROUPS.values() for topic in group.topics]
    missing, unknown = sorted(set(topics) - set(listed)), sorted(set(listed) - set(topics))
    twice = sorted({topic for topic in listed if listed.count(topic) > 1})
    return [
        *(f"ugt.{topic} has public names but stands in no group of docs/_reference.py: add it to GROUPS." for topic in missing),
        *(f"{topic} stands in a group of docs/_reference.py but not in ugt._HOMES." for topic in unknown),
        *(f"{topic} stands in docs/_reference.py more than once." for topic in twice),
    ]


def names_of(package: Any, group: Group) -> dict[str, Any]:
    """The public names of a group's topics, topic by topic: functions, then classes."""
    names = {name: getattr(package, name) for topic in group.topics for name in package._HOMES[topic].split()}
    return dict(sorted(names.items(), key=lambda item: inspect.isclass(item[1])))


def public_members(module: Any) -> list[str]:
    """Functions and classes that a module defines or lists, without a leading underscore, in the order of its source."""
    listed = getattr(module, "__all__", None)
    if listed is not None:
        return [name for name in listed if callable(getattr(module, name))]
    own = {
        name: value
        for name, value in vars(module).items()
        if not name.startswith("_") and inspect.isroutine(value) | inspect.isclass(value)
    }
    return [name for name, value in own.items() if value.__module__.startswith(module.__name__)]


def directive(name: str, value: Any) -> str:
    """The reStructuredText that documents one name; a class with its members."""
    if inspect.isclass(value):
        builtin = next((base.__name__ for base in value.__mro__[1:] if base.__module__ == "builtins"), "object")
        return f".. autoclass:: {name}\n   :members:\n   :inherited-members: {builtin}\n"
    return f".. autofunction:: {name}\n"


def page(label: str, home: str, title: str, about: str, names: dict[str, Any]) -> str:
    """A page: heading, introduction, a table of the names with their summaries, then each name in full."""
    rule = "=" * len(title)
    table = "\n".join(f"   {name}" for name in names)
    entries = "\n".join(directive(name, value) for name, value in names.items())
    head = f".. _reference-{label}:\n\n.. currentmodule:: {home}\n\n{title}\n{rule}\n\n{about}\n"
    return f"{head}\n.. autosummary::\n   :nosignatures:\n\n{table}\n\n{entries}"


def pages(package: Any, modules: dict[str, Any]) -> dict[str, str]:
    """All pages of the reference: file name to text."""
    wrong = problems(package._HOMES)
    if wrong:
        raise ValueError("\n".join(wrong))
    made = {}
    for label, group in GROUPS.items():
        made[label] = page(label, PACKAGE, group.title, group.about, names_of(package, group))
    for label, (title, about) in MODULES.items():
        names = {name: getattr(modules[label], name) for name in public_members(modules[label])}
        made[label] = page(label, f"{PACKAGE}.{label}", title, about, names)
    return {f"{label}.rst": text for label, text in made.items()}


def write(folder: Path, package: Any, modules: dict[str, Any]) -> None:
    """Write the pages into ``folder``; leave files as they are that would not change, remove those that are no longer made."""
    folder.mkdir(exist_ok=True)
    made = pages(package, modules)
    for old in set(folder.glob("*.rst")) - {folder / name for name in made}:
        old.unlink()
    for name, text in made.items():
        target = folder / name
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            target.write_text(text, encoding="utf-8")
