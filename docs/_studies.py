"""The worked studies: where their data are, their pictures, and the notebooks to download.

``python docs/_studies.py [NAME ...]`` runs the code of the pages and draws their pictures anew.
"""

from __future__ import annotations

import contextlib
import doctest
import json
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

STUDIES = Path(__file__).resolve().parent / "studies"
PAGES = tuple(sorted(path.stem for path in STUDIES.glob("*.md") if path.stem != "index"))

# Data that may not be passed on: how the page names them, and the variable that says where they are.
ELSEWHERE = {
    "judge": ("AltTest", "UGT_ALTTEST"),
    "labels": ("cheXpert-test-set-labels", "UGT_CHEXPERT"),
    "rankings": ("dermatology_ddx", "UGT_DATA"),
    "reader-study": ("vandyke.csv", "UGT_VANDYKE"),
    "strictness": ("vandyke.csv", "UGT_VANDYKE"),
}
BLOCK = re.compile(r"^```pycon\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def lay_out(page: str, folder: Path) -> None:
    """Put the data of a page into a folder, under the names that its code has. FileNotFoundError: they are not here."""
    sources = {path.name: path for path in (STUDIES / "data").iterdir() if path.suffix in (".csv", ".npz")}
    if page in ELSEWHERE:
        name, variable = ELSEWHERE[page]
        sources[name] = Path(os.environ.get(variable, STUDIES.parents[2] / "shared" / "data" / name)).resolve()
        if not sources[name].exists():
            raise FileNotFoundError(f"no {sources[name]}: set {variable} to run this page")
    for name, source in sources.items():
        (folder / name).symlink_to(source)


def cells(page: str) -> list[dict[str, Any]]:
    """The cells of a page's notebook: its text, and its code, of which each cell ends where something is printed."""
    found: list[dict[str, Any]] = []
    for at, part in enumerate(BLOCK.split((STUDIES / f"{page}.md").read_text(encoding="utf-8"))):
        if at % 2:
            found += code_cells(part)
        elif text(part):
            found.append({"cell_type": "markdown", "metadata": {}, "source": text(part)})
    return [{**cell, "id": f"{page}-{at}"} for at, cell in enumerate(found)]


def code_cells(block: str) -> list[dict[str, Any]]:
    """The code of one block without its prompts, with what it prints."""
    found, source = [], ""
    examples = doctest.DocTestParser().get_examples(block)
    for at, example in enumerate(examples):
        source += example.source
        if example.want or at == len(examples) - 1:
            printed = [{"output_type": "stream", "name": "stdout", "text": example.want}] if example.want else []
            code = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": printed, "source": source.rstrip("\n")}
            found, source = [*found, code], ""
    return found


def text(markdown: str) -> str:
    """Text without pictures, which the code draws, and without links to other pages, which are not beside a notebook."""
    markdown = re.sub(r"^!\[[^\]]*\]\([^)]*\)\n", "", markdown, flags=re.MULTILINE)
    markdown = re.sub(r"\[([^\]]*)\]\((?!https?:)[^)]*\)", r"\1", markdown)
    return re.sub(r"\{\w+\}`([^`<]*?)(?: <[^>]*>)?`", r"\1", markdown).strip()


def write_notebook(page: str) -> Path:
    """Write a page as a notebook of format 4.5 beside it."""
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    path = STUDIES / f"{page}.ipynb"
    notebook = {"cells": cells(page), "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def draw(page: str) -> None:
    """Run the code of a page, and save the last figure beside it."""
    from matplotlib import pyplot, rc_context  # noqa: PLC0415

    names: dict[str, Any] = {}
    style = {"figure.figsize": (6.4, 4.0), "figure.dpi": 100, "figure.constrained_layout.use": True}
    with tempfile.TemporaryDirectory() as folder, rc_context(style):
        lay_out(page, Path(folder))
        with contextlib.chdir(folder):
            for cell in cells(page):
                if cell["cell_type"] == "code":
                    exec(cell["source"], names)
        pyplot.savefig(STUDIES / f"{page}.png", metadata={"Software": None})
        pyplot.close("all")


if __name__ == "__main__":
    for name in sys.argv[1:] or PAGES:
        draw(name)
