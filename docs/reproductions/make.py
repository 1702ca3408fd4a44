"""Makes the pages of published results: ``python docs/reproductions/make.py [NAME ...]`` computes and writes them anew.

Each module beside this one is a page: its docstring is the text at the top, and ``sections()`` computes, from the public API alone, what
the page shows. A section has a title, a text, a table with the paper's numbers beside ours, and mostly a figure. Pages and figures are
kept with the sources, because the data of some of them may not be.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, Callable

HERE = Path(__file__).parent
NAMES = ("evaluation", "calibration", "discrepancy", "soft", "chexpert", "alternative_annotator")


@dataclass(frozen=True)
class Section:
    """A part of a page. ``draw(figure)`` draws into an empty matplotlib figure of ``size`` inches, saved under ``name``."""

    title: str
    text: str
    header: Sequence[str] = ()
    rows: Sequence[Sequence[Any]] = ()
    name: str = ""
    draw: Callable[[Any], None] | None = None
    size: tuple[float, float] = (7.5, 3.2)


def page(module: Any) -> str:
    """The page of a module as Markdown; its figures are saved beside it."""
    title, _, about = inspect.getdoc(module).partition("\n")
    parts = [f"# {title.rstrip('.')}", about.strip()]
    for section in module.sections():
        parts += [f"## {section.title}", section.text.strip()]
        if section.rows:
            parts.append(table(section.header, section.rows))
        if section.draw:
            save(section)
            parts.append(f"![{section.title}]({section.name}.png)")
    return "\n\n".join(parts) + "\n"


def table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A Markdown table; numbers of float type with three digits after the point."""
    lines = [header, ["---"] * len(header), *([cell(value) for value in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def cell(value: Any) -> str:
    """A number or a text as a cell."""
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def save(section: Section) -> None:
    """Draw the figure of a section; without a date or a version in the file, so that it changes only with its content.

    64 colours are enough, and make the file a third as large.
    """
    from matplotlib import pyplot
    from PIL import Image

    figure, drawn = pyplot.figure(figsize=section.size, dpi=110, constrained_layout=True), BytesIO()
    section.draw(figure)
    figure.savefig(drawn, metadata={"Software": None})
    pyplot.close(figure)
    Image.open(drawn).convert("RGB").quantize(64, dither=Image.NONE).save(HERE / f"{section.name}.png", optimize=True)


def main() -> None:
    """Write the pages that are asked for."""
    import matplotlib as mpl

    mpl.use("Agg")
    sys.path.insert(0, str(HERE))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[[], *NAMES], metavar="NAME", help="default: all")
    for name in parser.parse_args().names or NAMES:
        (HERE / f"{name}.md").write_text(page(importlib.import_module(name)), encoding="utf-8")
        print(f"{name}.md")


if __name__ == "__main__":
    main()
