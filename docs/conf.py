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

import ugt  # noqa: E402

project = "ugt"
author = "the ugt developers"
project_copyright = author
version = release = ugt.__version__

extensions = ["sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc", "myst_parser", "_mathml"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_*"]
suppress_warnings = ["config.cache"]

# The reference: pages are written by _reference.py, so autosummary makes tables only.
autosummary_generate = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings say types, shapes and ranges
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
numpydoc_validation_checks: set[str] = set()
default_role = "code"

myst_heading_anchors = 3
html_math_renderer = "mathml"

html_theme = "alabaster"
html_theme_options = {
    "description": "Evaluation of models under uncertain ground truth",
    "page_width": "84rem",
    "sidebar_width": "15rem",
    "fixed_sidebar": False,
    "font_family": "system-ui, sans-serif",
    "head_font_family": "system-ui, sans-serif",
    "show_powered_by": False,
}
html_sidebars = {"**": ["about.html", "searchfield.html", "navigation.html"]}
html_static_path = ["_static"]
html_css_files = ["ugt.css"]
html_show_sourcelink = False
html_copy_source = False


def write_reference(app: Any) -> None:
    """Write the pages of the reference from the package as it is."""
    modules = {name: importlib.import_module(f"ugt.{name}") for name in _reference.MODULES}
    _reference.write(HERE / _reference.FOLDER, ugt, modules)


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


def setup(app: Any) -> None:
    """Register what is made before the pages are read."""
    app.connect("builder-inited", write_reference)
    app.connect("builder-inited", draw_gallery)
