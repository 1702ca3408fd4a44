"""Configuration of Sphinx. ``make docs`` builds the pages into build/docs; nothing in them is loaded from a network."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import _reference  # noqa: E402
import _studies  # noqa: E402
from pygments.lexers.special import TextLexer  # noqa: E402
from sphinx.util.nodes import make_refnode  # noqa: E402

import ugt  # noqa: E402

project = "ugt"
author = "the ugt developers"
project_copyright = author
version = release = ugt.__version__

extensions = ["sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc", "myst_parser", "sphinx_copybutton", "_mathml", "_offline"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_*", "**.ipynb"]
suppress_warnings = ["config.cache"]

# The reference: pages are written by _reference.py, so autosummary makes tables only.
autosummary_generate = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings say types, shapes and ranges
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
numpydoc_validation_checks: set[str] = set()
default_role = "code"
highlight_options = {"pycon": {"stripnl": True}}  # without the blank line at the end that doctest needs

myst_heading_anchors = 3

# The copy button takes the lines behind a prompt, without the prompt and without what they print.
copybutton_prompt_text = r">>> |\.\.\. ?|\$ "
copybutton_prompt_is_regexp = True
html_math_renderer = "mathml"

html_theme = "furo"
html_title = f"{project} {version}"
html_static_path = ["_static"]
html_css_files = ["ugt.css"]
html_show_sourcelink = False
html_copy_source = False


def write_reference(app: Any) -> None:
    """Write the pages of the reference from the package as it is."""
    spaces = {name: importlib.import_module(f"ugt.{name}") for name in ugt._NAMESPACES}
    _reference.write(HERE / _reference.FOLDER, ugt, spaces)


def find(app: Any, env: Any, node: Any, contents: Any) -> Any:
    """Link a name of Python that is written without its namespace, or in one though it is on top, as docstrings write it."""
    if node.get("refdomain") != "py":
        return None
    target, own = node["reftarget"], f"ugt.{Path(node['refdoc']).name}."
    known = [one for name in (target, target.rpartition(".")[2]) for one in env.get_domain("py").find_obj(env, None, None, name, None, 1)]
    known.sort(key=lambda one: (one[0] != f"ugt.{target}", not one[0].startswith(own)))  # on top first, then of the page's namespace
    return make_refnode(app.builder, node["refdoc"], known[0][1].docname, known[0][1].node_id, contents, target) if known else None


def draw_gallery(app: Any) -> None:
    """Draw the images of the gallery beside the script that makes them, unless all are there and newer than the package."""
    script = HERE / "gallery" / "plots_gallery.py"
    sources = [script, *Path(ugt.__file__).parent.rglob("*.py")]
    images = [HERE / name for name in re.findall(r"gallery/\w+\.png", (HERE / "gallery.md").read_text(encoding="utf-8"))]
    drawn = [path.stat().st_mtime if path.exists() else 0.0 for path in images]
    if min(drawn) > max(path.stat().st_mtime for path in sources):
        return
    found = os.pathsep.join([str(Path(ugt.__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "MPLBACKEND": "Agg", "PYTHONPATH": found}
    subprocess.run([sys.executable, str(script), str(script.parent)], check=True, env=environment)


def write_notebooks(app: Any) -> None:
    """Write each worked study beside its page as a notebook to download."""
    for page in _studies.PAGES:
        _studies.write_notebook(page)


def setup(app: Any) -> None:
    """Register what is made before the pages are read, and a language of blocks that Pygments does not know."""
    app.add_lexer("csv", TextLexer)
    app.connect("builder-inited", write_reference)
    app.connect("builder-inited", draw_gallery)
    app.connect("builder-inited", write_notebooks)
    app.connect("missing-reference", find)
