"""The page: head, style, sections."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import sections, svg
from .calibration import calibration
from .humans import agreement, humans
from .markup import text
from .summary import summary

if TYPE_CHECKING:
    from collections.abc import Mapping

_SECTIONS = (
    summary,
    sections.provenance,
    sections.data,
    sections.truth,
    agreement,
    sections.certainty,
    sections.performance,
    calibration,
    humans,
    sections.comparison,
    sections.worklist,
    sections.notes,
)

# Meaning never rests on colour: rules, bold type and words carry it, so the page survives a grey printer.
_STYLE = """
:root { color-scheme: light dark; --ink: #1b1d21; --faint: #565c66; --line: #c9ced6; --shade: #f3f5f8; --paper: #ffffff;
  --c0: #0072b2; --c1: #d55e00; --c2: #009e73; --c3: #a3578a; --c4: #8a6d00; --c5: #2f86b8; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8eaee; --faint: #a8afba; --line: #454b56; --shade: #23272e; --paper: #17191d;
    --c0: #56b4e9; --c1: #ff8c42; --c2: #2fc99a; --c3: #dd9fc6; --c4: #f0c000; --c5: #9fd3f0; }
}
body { margin: 0 auto; padding: 1.5rem; max-width: 72rem; color: var(--ink); background: var(--paper);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .25rem; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .25rem; padding-top: .75rem; border-top: 2px solid var(--ink); }
.how, .made { color: var(--faint); max-width: 48rem; margin: .25rem 0 1rem; }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; padding: 0; margin: 1rem 0 0; list-style: none; }
a { color: inherit; }
p, li { max-width: 48rem; }
dl { margin: 1rem 0; }
dl div { display: grid; grid-template-columns: 12rem 1fr; gap: 1rem; padding: .2rem 0; border-bottom: 1px solid var(--line); }
dt { color: var(--faint); }
dt::first-letter { text-transform: uppercase; }
dd { margin: 0; }
code { font: .875em ui-monospace, "Liberation Mono", Consolas, monospace; }
.frame { overflow-x: auto; margin: 1.25rem 0; }
table { border-collapse: collapse; width: 100%; font-size: .875rem; line-height: 1.35; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding-bottom: .4rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid var(--line); min-width: 4.5rem; }
th[scope=row] { font-weight: 400; }
thead th { vertical-align: bottom; overflow-wrap: normal; background: var(--shade); border-bottom: 2px solid var(--ink); }
.grouped tbody :is(td, th) { border-bottom-width: 0; }
.grouped td, .grouped th[scope=row] { white-space: nowrap; }
.grouped tbody { border-bottom: 1px solid var(--faint); }
@page { size: A4; margin: 15mm 12mm; }
@media print {
  :root { --ink: #000; --faint: #333; --line: #888; --shade: #fff; --paper: #fff; }
  body { padding: 0; max-width: none; font-size: 9.5pt; }
  nav { display: none; }
  table { font-size: 7.5pt; }
  th, td { padding: .15rem .3rem; min-width: 2.5rem; }
  th[scope=rowgroup] { min-width: 6rem; }
  .frame { overflow: visible; }
  h2, .how, caption, thead { break-after: avoid; }
  tr { break-inside: avoid; }
}
"""


def html(data: Mapping[str, Any]) -> str:
    """Return an evaluation as the text of one self-contained HTML page.

    The page holds no script and loads nothing; every name in it is escaped. It says which model wins under which reliability, where the
    data came from and what was left out, how annotations became truth, how certain that truth is, how the models perform, and which cases
    are least certain.

    Parameters
    ----------
    data : mapping
        What ``Evaluation.to_dict`` returns, or the same read back from its JSON file.

    Returns
    -------
    str
        The page, to be written as UTF-8.
    """
    parts = [make(data) for make in _SECTIONS]
    links = "\n".join(f'<li><a href="#{part.anchor}">{part.title}</a></li>' for part in parts)
    body = "\n".join(part.html for part in parts)
    return _PAGE.format(style=_STYLE + svg.STYLE, made=_made(data), version=text(data["ugt"]), links=links, body=body)


def _made(data: Mapping[str, Any]) -> str:
    """What was evaluated, in a line."""
    models = len(data["models"])
    cases = data["data"]["n_cases"]
    return f"{models:,} model{'s' * (models != 1)} on {cases:,} case{'s' * (cases != 1)}, {text(data['provenance']['date'])}"


# The policy forbids whatever the page does not have anyway: scripts and anything loaded.
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Evaluation under uncertain ground truth</title>
<style>{style}</style>
</head>
<body>
<header>
<h1>Evaluation under uncertain ground truth</h1>
<p class="made">{made}</p>
<nav aria-label="Sections"><ul>
{links}
</ul></nav>
</header>
<main>
{body}
</main>
<footer><p class="made">Written by ugt {version}.</p></footer>
</body>
</html>
"""
