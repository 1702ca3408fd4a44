"""The page: head, style, sections."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import svg
from .markup import bullets, link, text
from .sections import PARTS, checklist

if TYPE_CHECKING:
    from collections.abc import Mapping


# Meaning never rests on colour: rules, bold type and words carry it, so the page survives a grey printer. Text has a contrast of 4.5 or
# more on both papers, lines of 3 or more.
_STYLE = """
:root { color-scheme: light dark; --ink: #1b1d21; --faint: #565c66; --line: #8b929d; --shade: #f3f5f8; --paper: #ffffff;
  --c0: #0072b2; --c1: #d55e00; --c2: #008a64; --c3: #a3578a; --c4: #8a6d00; --c5: #2f86b8; }
@media screen and (prefers-color-scheme: dark) {
  :root { --ink: #e8eaee; --faint: #a8afba; --line: #717988; --shade: #23272e; --paper: #17191d;
    --c0: #56b4e9; --c1: #ff8c42; --c2: #2fc99a; --c3: #dd9fc6; --c4: #f0c000; --c5: #9fd3f0; }
}
@media (forced-colors: active) {
  :root { --ink: CanvasText; --faint: CanvasText; --line: CanvasText; --shade: Canvas; --paper: Canvas;
    --c0: CanvasText; --c1: CanvasText; --c2: CanvasText; --c3: CanvasText; --c4: CanvasText; --c5: CanvasText; }
}
body { margin: 0 auto; padding: 1.5rem; max-width: 72rem; color: var(--ink); background: var(--paper);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif; overflow-wrap: break-word; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .25rem; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .25rem; padding-top: .75rem; border-top: 2px solid var(--ink); }
h3 { font-size: 1.0625rem; margin: 1.75rem 0 .25rem; }
h4 { font-size: 1rem; margin: 1.25rem 0 .25rem; }
section:first-child > h2 { margin-top: 1rem; }
.how, .made { color: var(--faint); max-width: 48rem; margin: .25rem 0 1rem; }
a { color: inherit; text-underline-offset: .15em; }
:focus-visible { outline: 3px solid var(--c0); outline-offset: 2px; }
main:focus { outline: none; }
.skip { position: absolute; left: -100rem; top: .5rem; padding: .5rem 1rem; background: var(--paper); border: 2px solid var(--ink); }
.skip:focus { left: .5rem; z-index: 1; }
nav { margin: 1rem 0 0; font-size: .875rem; line-height: 1.4; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav details > ul { display: grid; grid-template-columns: repeat(auto-fill, minmax(14rem, 1fr)); gap: .5rem 1.5rem; margin-top: .5rem; }
nav details > ul > li { color: var(--faint); }
nav a { color: var(--ink); text-decoration-color: var(--line); }
nav a:hover { text-decoration-color: currentColor; }
summary { cursor: pointer; font-weight: 600; }
p, li { max-width: 48rem; }
dl { margin: 1rem 0; }
dl div { display: grid; grid-template-columns: 12rem minmax(0, 1fr); gap: 1rem; padding: .2rem 0; border-bottom: 1px solid var(--line); }
dt { color: var(--faint); }
dt::first-letter { text-transform: uppercase; }
dd { margin: 0; overflow-wrap: anywhere; }
small, .meaning { font-size: .875rem; color: var(--faint); }
.blank { color: var(--faint); font-style: italic; }
.whole { white-space: nowrap; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
code { font: .875em ui-monospace, "Liberation Mono", Consolas, monospace; overflow-wrap: anywhere; }
.frame { position: relative; overflow-x: auto; margin: 1.25rem 0; }
table { border-collapse: collapse; width: 100%; font-size: .875rem; line-height: 1.35; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding-bottom: .4rem; }
.wordy { table-layout: fixed; min-width: 36rem; }
.wordy thead :is(th, td):first-child { width: 6.5rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid var(--line); min-width: 4.5rem; }
bdi { overflow-wrap: anywhere; }
table bdi { display: inline-block; max-width: 20rem; overflow-wrap: break-word; vertical-align: top; }
thead th { max-width: 10rem; }
th[scope=row] { font-weight: 400; }
thead :is(th, td) { vertical-align: bottom; overflow-wrap: normal; background: var(--shade); border-bottom: 2px solid var(--ink); }
.grouped tbody :is(td, th) { border-bottom-width: 0; }
.grouped:not(.wordy) td { white-space: nowrap; }
.grouped:not(.wordy) th[scope=row] { min-width: 9rem; }
.grouped tbody { border-bottom: 1px solid var(--line); }
.wordy tbody :is(td, th) { border-bottom: 1px solid var(--line); }
.wordy small { display: inline-block; }
figure svg .grid { stroke-width: .5; }
@media screen and (max-width: 40rem) {
  body { padding: 1rem; }
  dl div { grid-template-columns: minmax(0, 1fr); gap: 0; }
  caption { max-width: calc(100vw - 3rem); }
  figure { overflow-x: auto; }
  figure svg { min-width: 34rem; }
  figcaption { position: sticky; left: 0; }
}
@media screen and (min-width: 78rem) {
  body { display: grid; grid-template: "header header" "nav main" "footer footer" / 12.5rem minmax(0, 1fr); column-gap: 2rem;
    max-width: 86rem; }
  header { grid-area: header; }
  nav { grid-area: nav; position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; margin: 0; padding: 1rem 0; }
  nav details > ul { grid-template-columns: minmax(0, 1fr); }
  main { grid-area: main; min-width: 0; }
  footer { grid-area: footer; }
}
@page { size: A4; margin: 15mm 12mm; @bottom-right { content: counter(page) " / " counter(pages); font: 8pt sans-serif; } }
@media print {
  :root { color-scheme: light; --ink: #000; --faint: #333; --line: #888; --shade: #fff; --paper: #fff; }
  body { padding: 0; max-width: none; font-size: 9.5pt; }
  .skip, nav summary { display: none; }
  nav { font-size: 8.5pt; }
  nav details > ul { grid-template-columns: repeat(3, minmax(0, 1fr)); }
  details::details-content { content-visibility: visible; display: block; block-size: auto; }
  table { font-size: 7.5pt; }
  th, td { padding: .15rem .3rem; min-width: 0; }
  th[scope=row], th[scope=rowgroup] { min-width: 3.5rem; }
  .wordy { min-width: 0; }
  .grouped.broad td { white-space: normal; }
  .grouped:not(.wordy) th[scope=row] { min-width: 5em; }
  table bdi { max-width: 12em; }
  figure svg { max-width: 32rem; }
  main figcaption { font-size: 8.5pt; max-width: none; }
  small, .meaning { font-size: inherit; }
  .frame { overflow: visible; }
  h2, h3, h4, .how, caption, thead { break-after: avoid; }
  thead { display: table-header-group; }
  tr, .how, .grouped:not(.wordy) tbody { break-inside: avoid; }
  p, li { orphans: 3; widows: 3; max-width: none; }
}
"""


def html(data: Mapping[str, Any]) -> str:
    """An evaluation as the text (to be written as UTF-8) of one self-contained HTML page.

    ``data`` is what ``Evaluation.to_dict`` returns, or the same read back from its JSON file. The page holds no script and loads nothing;
    every name in it is escaped. It says which leads between models the data show under which reliability, where the data came from and
    what was left out, how annotations became truth, how certain that truth is, how the models perform, and which cases are least certain.
    """
    parts = [(name, [section.render(data) for section in sections if section is not checklist]) for name, sections in PARTS]
    titles = {made.anchor: made.title for _, made_sections in parts for made in made_sections}
    parts[-1][1].append(checklist.render(data, {**titles, checklist.PLAN: "What was prespecified"}))  # it links to the others
    body = "\n".join(made.html for _, made_sections in parts for made in made_sections)
    links = bullets(f"{name}\n{bullets(link(made.anchor, made.title) for made in made_sections)}" for name, made_sections in parts)
    models, cases = len(data["models"]), data["data"]["n_cases"]
    what = f"{models:,} model{'s' * (models != 1)} on" if models else "annotations of"
    made = f"{what} {cases:,} case{'s' * (cases != 1)}, {text(data['provenance']['date'])}"
    return _PAGE.format(style=_STYLE + svg.STYLE, made=made, version=text(data["ugt"]), links=links, body=body)


# The policy forbids whatever the page does not have anyway: scripts and anything loaded.
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Evaluation under uncertain ground truth</title>
<style>{style}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the report</a>
<header>
<h1>Evaluation under uncertain ground truth</h1>
<p class="made">{made}</p>
</header>
<nav aria-label="Contents">
<details open>
<summary>Contents</summary>
{links}
</details>
</nav>
<main id="main" tabindex="-1">
{body}
</main>
<footer><p class="made">Written by ugt {version}.</p></footer>
</body>
</html>
"""
