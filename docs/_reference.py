"""The reference: a page for each namespace of ``ugt``, written from the package at every build.

The title of a page and what it is about are the first paragraph of the namespace's docstring, before and after the colon. A namespace
without a page fails `make docs` and tests/test_documentation.py.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from pathlib import Path
from typing import Any

FOLDER = "reference"

# The pages, in the order of the contents, with those that explain what is on them.
EXPLAINED = {
    "annotations": "data-model",
    "evaluation": "quickstart reading-the-report",
    "truth": "truth-models ratings reliability-and-priors",
    "annotators": "annotator-models",
    "metrics": "glossary how-often-right latent-accuracy small-print",
    "soft": "small-print",
    "calibration": "calibration",
    "conformal": "prediction-sets",
    "agreement": "coming-from",
    "humans": "comparing-with-humans discrepancy",
    "grades": "grades",
    "studies": "readers-and-cases planning",
    "judges": "judges",
    "resampling": "small-print extending",
    "io": "files",
    "plots": "gallery",
    "states": "beyond-one-machine",
    "dask": "beyond-one-machine",
    "synthetic": "planning",
    "papers": "papers",
}


def problems(spaces: Iterable[str]) -> list[str]:
    """What is wrong with the pages, in sentences; empty if every namespace has one."""
    missing, unknown = sorted(set(spaces) - set(EXPLAINED)), sorted(set(EXPLAINED) - set(spaces))
    return [
        *(f"ugt.{space} is a namespace without a page: add it to EXPLAINED of docs/_reference.py." for space in missing),
        *(f"{space} is in EXPLAINED of docs/_reference.py but not in ugt._NAMESPACES." for space in unknown),
    ]


def public_members(space: Any) -> dict[str, Any]:
    """The public functions of a namespace in the order of its list, then the classes."""
    names = {name: getattr(space, name) for name in space.__all__}
    found = {name: one for name, one in names.items() if callable(one)}
    return dict(sorted(found.items(), key=lambda item: inspect.isclass(item[1])))


def directive(name: str, value: Any) -> str:
    """The reStructuredText that documents one name; a class with its members."""
    if inspect.isclass(value):
        builtin = next((base.__name__ for base in value.__mro__[1:] if base.__module__ == "builtins"), "object")
        return f".. autoclass:: {name}\n   :members:\n   :inherited-members: {builtin}\n"
    return f".. autofunction:: {name}\n"


def on_top(package: Any, name: str, value: Any) -> bool:
    """Whether a name is also a name of the package itself."""
    return name in package.__all__ and getattr(package, name) is value


def page(package: Any, label: str, space: Any) -> str:
    """A page: heading, introduction, a table of the names with their summaries, then each in full, by the shortest name that it has."""
    title, _, about = " ".join((inspect.getdoc(space) or "").split("\n\n")[0].split()).partition(": ")
    known = public_members(space)
    names = {f"{package.__name__}.{name if on_top(package, name, one) else f'{label}.{name}'}": one for name, one in known.items()}
    table = "\n".join(f"   {name}" for name in names)
    entries = "\n".join(directive(name, value) for name, value in names.items())
    explained = ", ".join(f":doc:`/{one}`" for one in EXPLAINED[label].split())
    rule = "=" * len(title)
    head = f".. _reference-{label}:\n\n{title}\n{rule}\n\n{about[:1].upper()}{about[1:]} Explained in {explained}.\n"
    return f"{head}\n.. autosummary::\n   :nosignatures:\n\n{table}\n\n{entries}"


def pages(package: Any, spaces: dict[str, Any]) -> dict[str, str]:
    """All pages of the reference: file name to text."""
    wrong = problems(spaces)
    if wrong:
        raise ValueError("\n".join(wrong))
    return {f"{label}.rst": page(package, label, spaces[label]) for label in EXPLAINED}


def write(folder: Path, package: Any, spaces: dict[str, Any]) -> None:
    """Write the pages into ``folder``; leave files as they are that would not change, remove those that are no longer made."""
    folder.mkdir(exist_ok=True)
    made = pages(package, spaces)
    for old in set(folder.glob("*.rst")) - {folder / name for name in made}:
        old.unlink()
    for name, text in made.items():
        target = folder / name
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            target.write_text(text, encoding="utf-8")
