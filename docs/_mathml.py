"""Formulas as MathML, which browsers show by themselves: no script, no font, no picture, no network."""

from __future__ import annotations

from html import escape
from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

# What the docstrings write and the converter of some version of docutils does not know.
KNOWN = {
    **{"≠": r"\ne ", "…": r"\ldots ", "×": r"\times ", "·": r"\cdot ", "≤": r"\le ", "≥": r"\ge ", "∞": r"\infty ", "∈": r"\in "},
    **{"∝": r"\propto ", "−": "-", "²": "^2", "ȳ": r"\overline{y}"},
    **{r"\text{": r"\mathrm{", r"\tfrac": r"\frac", r"\Big[": "[", r"\Big]": "]"},
}


def mathml(tex: str, block: bool, place: Any = None) -> str:
    """One formula as markup; one that cannot be converted is shown as it was written, with a warning."""
    written = tex.strip()
    for character, command in KNOWN.items():
        tex = tex.replace(character, command)
    try:
        return str(tex2mathml(tex.strip(), as_block=block))
    except Exception as problem:  # SyntaxError in docutils <= 0.21, MathError after
        logging.getLogger(__name__).warning("formula %s: %s", written, problem, location=place)
        return f"<code>{escape(written)}</code>"


def visit_inline(writer: Any, node: Any) -> None:
    """Write a formula in a line."""
    writer.body.append(mathml(node.astext(), False, node))
    raise nodes.SkipNode


def visit_block(writer: Any, node: Any) -> None:
    """Write a formula that stands alone."""
    writer.body.append(f'<div class="math">{mathml(node.astext(), True, node)}</div>\n')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Make this the renderer ``mathml``."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
