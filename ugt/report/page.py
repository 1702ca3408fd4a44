"""The page: head, style, sections."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from ..tables.rows import ResultTable
from ..tables.source import ReportSource
from . import few, first, svg, wording
from .markup import bullets, link, text, words
from .markup import html as rendered
from .sections import APPENDICES, SECTIONS, checklist

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .markup import Section


# Meaning never depends on colour: rules, bold type and words carry it, so that the page can be printed in grey. Text has a contrast of
# 4.5 or more on both papers, lines of 3 or more.
_STYLE = """
:root { color-scheme: light dark; --ink: #15181c; --faint: #545c66; --line: #8b929d; --shade: #f4f5f7; --paper: #ffffff;
  --hair: #e3e6eb; --main: #eef3f7; --serious: #8a2c00; --on: #ffffff;
  --z0: #1c4d63; --z1: #44788f; --z2: #86adbc; --z3: #bdd3dc; --z4: #ebf1f4;
  --c0: #0b62a8; --c1: #b8430a; --c2: #0f7357; --c3: #7f4a8e; --c4: #6b6f76; }
@media screen and (prefers-color-scheme: dark) {
  :root { --ink: #e9ebee; --faint: #a9b1bb; --line: #717988; --shade: #1c2026; --paper: #14171b;
    --hair: #2f353d; --main: #1d2730; --serious: #ffb48a; --on: #0e1418;
    --z0: #a8d8ea; --z1: #71a9c0; --z2: #456f83; --z3: #2f5361; --z4: #20333c;
    --c0: #63b3ee; --c1: #ff9a5c; --c2: #3fcf9f; --c3: #d7a0e2; --c4: #a0a6ae; }
}
@media (forced-colors: active) {
  :root { --ink: CanvasText; --faint: CanvasText; --line: CanvasText; --shade: Canvas; --paper: Canvas;
    --hair: GrayText; --main: Canvas; --serious: CanvasText; --on: Canvas;
    --z0: CanvasText; --z1: GrayText; --z2: GrayText; --z3: Canvas; --z4: Canvas;
    --c0: CanvasText; --c1: CanvasText; --c2: CanvasText; --c3: CanvasText; --c4: CanvasText; }
}
body { margin: 0 auto; padding: .9rem 1.75rem; max-width: 77rem; color: var(--ink); background: var(--paper);
  font: 15px/1.5 -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, "Liberation Sans", sans-serif; overflow-wrap: break-word; }
header { border-bottom: 2px solid var(--ink); margin-bottom: .6rem; }
header .made { margin: 0 0 .3rem; font-size: .875rem; }
.kicker { display: flex; justify-content: space-between; gap: 1rem; font-size: .78rem; color: var(--faint); margin: 0; max-width: none; }
h1 { font-size: 1.25rem; line-height: 1.25; margin: .1rem 0; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .25rem; padding-top: .75rem; border-top: 2px solid var(--ink); }
h3 { font-size: 1.0625rem; margin: 1.75rem 0 .25rem; }
.how, .made { color: var(--faint); max-width: 48rem; margin: .25rem 0 1rem; }
a { color: inherit; text-underline-offset: .15em; }
:focus-visible { outline: 3px solid var(--c0); outline-offset: 2px; }
main:focus { outline: none; }
.skip { position: absolute; left: -100rem; top: .5rem; padding: .5rem 1rem; background: var(--paper); border: 2px solid var(--ink); }
.skip:focus { left: .5rem; z-index: 1; }
nav { margin: .75rem 0 0; font-size: .8rem; line-height: 1.5; }
nav ul, nav ol { margin: 0; padding: 0 0 0 1.2rem; }
nav b { color: var(--faint); font-weight: 600; }
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
.grouped tbody { border-bottom: 1px solid var(--line); }
.wordy tbody :is(td, th) { border-bottom: 1px solid var(--line); }
.wordy small { display: inline-block; }
@media screen and (max-width: 40rem) {
  body { padding: 1rem; }
  dl div { grid-template-columns: minmax(0, 1fr); gap: 0; }
  caption { max-width: calc(100vw - 3rem); }
  figure { overflow-x: auto; }
  figure svg { min-width: 34rem; }
  figcaption { position: sticky; left: 0; }
}
@page { size: A4; margin: 15mm 12mm; }
@media print {
  :root { color-scheme: light; --ink: #000; --faint: #464d55; --line: #888; --shade: #fff; --paper: #fff; }
  body { padding: 0; max-width: none; font-size: 9.5pt; }
  .skip { display: none; }
  details:not([open]) { display: none; }
  table { font-size: 7.5pt; }
  th, td { padding: .15rem .3rem; min-width: 0; }
  th[scope=row], th[scope=rowgroup] { min-width: 3.5rem; }
  .wordy { min-width: 0; }
  table bdi { max-width: 12em; }
  figure svg { max-width: 32rem; }
  main figcaption { font-size: 8.5pt; max-width: none; }
  small, .meaning { font-size: inherit; }
  .frame { overflow: visible; }
  h2, h3, .how, caption, thead { break-after: avoid; }
  thead { display: table-header-group; }
  tr, .how { break-inside: avoid; }
  p, li { orphans: 3; widows: 3; max-width: none; }
}
.first { display: grid; grid-template-columns: minmax(0, 1fr) 20rem; gap: 0 2.25rem; align-items: start; }
.first h2 { border: 0; padding: 0; margin: 0 0 .25rem; }
.first .verdict { font-size: 1.3125rem; line-height: 1.3; text-wrap: pretty; font-weight: 600; }
.first .verdict.long { font-size: 1.125rem; }
.sub { color: var(--faint); margin: 0 0 .5rem; max-width: none; }
.first .frame { margin: .25rem 0 0; overflow: visible; }
.yard { font-size: .875rem; }
.yard caption { padding: 0 0 .1rem; }
.yard caption small { display: block; font-weight: 400; font-size: .8125rem; }
.yard th, .yard td { min-width: 0; padding: .25rem .6rem .25rem 0; vertical-align: middle; border-bottom: 1px solid var(--hair); }
.yard thead :is(th, td) { background: none; font-weight: 400; font-size: .78rem; color: var(--faint); line-height: 1.25;
  border-bottom: 1px solid var(--ink);  max-width: none; vertical-align: bottom; }
.yard tbody th[scope=row] { font-weight: 600; white-space: nowrap; }
.yard .ref th[scope=row], .yard .ref b { font-weight: 400; }
.yard tbody th small { display: block; font-weight: 400; font-size: .78rem; line-height: 1.3; }
.yard .r { text-align: right; white-space: nowrap; }
.yard .ends { font-size: .78rem; color: var(--faint); white-space: nowrap; }
.yard .plot { width: 30%; padding: 0 .9rem 0 .25rem; position: relative; height: 2rem; }
.yard .ref .plot { height: 1.6rem; }
.stands thead th { white-space: nowrap; }
.stands .ref .plot { height: 1.5rem; }
.many { font-size: .8125rem; }
.many :is(th, td) { padding-top: .1rem; padding-bottom: .1rem; }
.many .plot, .many .ref .plot { height: 1.25rem; }
.yard td.plot > svg { position: absolute; inset: 0 .9rem 0 .25rem; width: calc(100% - 1.15rem); height: 100%; max-width: none; }
.yard tfoot td { border: 0; padding: 0 .9rem 0 .25rem; }
.yard tfoot .plot { height: 1.1rem; }
.yard svg text { fill: var(--faint); }
.mark { display: inline-block; width: 14px; height: 14px; vertical-align: -2px; margin-right: .4rem; }
.key { display: flex; flex-wrap: wrap; gap: .1rem 1rem; font-size: .78rem; color: var(--faint); margin: .1rem 0 .7rem; max-width: none; }
.key svg { display: inline-block; width: 20px; height: 13px; vertical-align: -2px; margin-right: .3rem; }
svg { overflow: visible; }
svg .zero { stroke: var(--ink); stroke-width: 1.2; }
svg .hair { stroke: var(--hair); stroke-width: 1; }
svg .trivial { stroke: var(--faint); stroke-width: 1.6; stroke-dasharray: 2 3; }
svg .most { stroke: var(--ink); stroke-width: 2.4; }
svg .hollow { fill: var(--paper); stroke: var(--faint); stroke-width: 1.6; }
svg .thin { stroke-width: 1.4; }
svg .shaded { fill: var(--main); }
svg text.soft { fill: var(--faint); } svg text.bold { font-weight: 700; fill: var(--ink); }
svg text.t0 { fill: var(--c0); } svg text.t1 { fill: var(--c1); } svg text.t2 { fill: var(--c2); }
svg text.t3 { fill: var(--c3); } svg text:is(.t4, .t5, .t6, .t7) { fill: var(--c4); }
svg .z0 { fill: var(--z0); } svg .z1 { fill: var(--z1); } svg .z2 { fill: var(--z2); } svg .z3 { fill: var(--z3); }
svg .z4 { fill: var(--z4); stroke: var(--z2); stroke-width: .7; }
svg text.q0, svg text.q1 { fill: var(--on); font-weight: 600; }
svg .frame-line { fill: none; stroke: var(--ink); stroke-width: 1.6; }
main { counter-reset: topic; }
.kick { counter-increment: topic; font-size: .78rem; color: var(--faint); margin: 2rem 0 0; padding-top: .6rem;
  border-top: 1px solid var(--line); max-width: none; }
.kick::before { content: counter(topic) "  "; }
.finding h2 { border: 0; margin: 0 0 .3rem; padding: 0; }
.finding > p:not(.kick) { max-width: 74ch; }
.finding .frame { margin: .5rem 0 1rem; }
.finding .yard thead th, .finding .yard tbody th small { white-space: normal; }
.finding > .frame > .yard { width: auto; min-width: min(100%, 36rem); }
.finding > .frame > .yard :is(th, td) { padding-right: 1.5rem; }
.two { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0 2rem; align-items: start; }
.two > * { min-width: 0; }
.yard .below { display: block; font-size: .78rem; color: var(--faint); font-weight: 400; white-space: nowrap; }
.yard tr.main { background: var(--main); }
.paste { background: var(--shade); border-left: 3px solid var(--line); padding: .6rem 1rem; margin: .4rem 0 .8rem; max-width: 84ch;
  font-family: Georgia, "Times New Roman", "Liberation Serif", serif; }
.paste p { max-width: none; margin: 0 0 .5rem; }
.refs { font-size: .85rem; max-width: 88ch; }
.pair { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 1rem 2rem; align-items: start; }
.pair figure { margin: 0; min-width: 0; }
.pair figure svg { max-width: 27rem; min-width: 0; }
.pair figcaption { font-size: .8125rem; line-height: 1.4; margin-bottom: .3rem; }
.pair figcaption b { display: block; font-size: .9rem; color: var(--ink); }
aside { border-left: 1px solid var(--line); padding-left: 1.25rem; }
aside h2 { font-size: .9375rem; }
aside > ol { list-style: none; margin: 0; padding: 0; counter-reset: caution; }
aside > ol > li { position: relative; padding: .35rem 0 .35rem 1.5rem; border-top: 1px solid var(--hair); font-size: .84rem;
  line-height: 1.4;  counter-increment: caution; }
aside > ol > li:first-child { border-top: 0; padding-top: 0; }
aside > ol > li::before { content: counter(caution); position: absolute; left: 0; font-weight: 700; color: var(--serious); }
aside > ol > li > b:first-child { display: block; }
aside .serious > b:first-child { color: var(--serious); }
aside nav { border-top: 1px solid var(--line); padding-top: .4rem; }
@media screen and (max-width: 75rem) {
  .first, .two { grid-template-columns: minmax(0, 1fr); }
  aside { border: 0; border-top: 1px solid var(--line); padding: .75rem 0 0; margin-top: 1rem; }
}
@media screen and (max-width: 61.25rem) {
  .pair { grid-template-columns: minmax(0, 1fr); }
  .first .frame { overflow-x: auto; }
}
@media screen and (max-width: 40rem) {
  .kicker { flex-wrap: wrap; gap: 0 1rem; }
  .first .verdict { font-size: 1.1875rem; }
  .yard:not(.stands) .plot { display: none; }
  .yard tbody th[scope=row] { white-space: normal; }
  .stands, .stands :is(caption, tbody, tfoot) { display: block; }
  .stands thead { position: absolute; left: -100rem; }
  .stands tr { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 .6rem; padding: .4rem 0;
    border-bottom: 1px solid var(--hair); }
  .stands tbody :is(th, td) { padding: 0; border: 0; }
  .stands tbody th[scope=row] { flex: 1 0 9rem; }
  .stands bdi { display: inline; }
  .stands .plot { order: 1; flex: 1 0 100%; height: 1.75rem; box-sizing: border-box; padding: 0; }
  .stands td.plot > svg { inset: 0; width: 100%; }
  .stands .more { order: 2; font-size: .8125rem; }
  .stands .more::before { content: attr(data-head) ": "; color: var(--faint); }
  .stands .none, .stands tfoot td:not(.plot) { display: none; }
  .stands .ref .plot { display: none; }
  .stands tfoot tr { border: 0; padding: 0; }
}
@media print {
  .first { display: block; break-after: page; }
  .kicker, .sub, .first .key, .pair figcaption, .yard caption small { font-size: 8.5pt; }
  .first .verdict { font-size: 13pt; }
  .first .verdict.long { font-size: 12pt; }
  .yard { font-size: 8.5pt; }
  .yard thead :is(th, td), .yard :is(.ends, .below), .yard tbody th small { font-size: 7.8pt; }
  h2 { font-size: 13pt; }
  .refs, .refs li { font-size: 8.6pt; max-width: none; }
  .paste { max-width: none; }
  .yard .plot { padding: 0 .5rem 0 .1rem; }
  .two { grid-template-columns: minmax(0, 1fr); }
  .yard:not(.stands) :is(th[scope=row], .below, .r, .ends) { white-space: normal; }
  .stands :is(th, td) { padding-right: .4rem; }
  .stands .plot { width: 22%; }
  .pair figure svg { max-width: none; }
  .pair figcaption b { font-size: 9.5pt; }
  aside { border: 0; border-top: 1px solid var(--line); padding: .5rem 0 0; margin-top: .6rem; }
  aside > ol { columns: 2; column-gap: 2rem; }
  aside > ol > li { break-inside: avoid; font-size: 8.6pt; border: 0; padding-top: 0; }
  aside > ol > li > b:first-child { display: inline; }
  aside > ol > li > b:first-child::after { content: ". "; }
  aside nav { display: none; }
}
"""


def first_page(data: Mapping[str, Any]) -> str:
    """Return the first page alone, as the text of an HTML page."""
    source = ReportSource.read(data)
    answer, cautions = first.render(source)
    body = f'<div class="first">\n{answer.markup}\n<aside aria-labelledby="cautions">\n{cautions}\n</aside>\n</div>'
    return _filled(source, body)


def html(data: Mapping[str, Any]) -> str:
    """Return an evaluation as the text (to be written as UTF-8) of one self-contained HTML page.

    ``data`` is the result of ``Evaluation.to_dict``, or the same read back from its JSON file. The page holds no script and loads nothing;
    every name in it is escaped. The first page has the answer, its basis and the cautions; a few sections follow with further results;
    everything else is in folded appendices.
    """
    source = ReportSource.read(data)
    answer, cautions = first.render(source)
    main, folded = _sections(source)
    folded.append(checklist.render(source, _titles(answer, *main, *folded)))
    links = bullets((link(made.anchor, made.title) for made in main), "ol")
    more = f"<details>\n<summary>Appendices</summary>\n{bullets(link(made.anchor, made.title) for made in folded)}\n</details>"
    nav = f'<nav aria-label="Contents">\n<b>In this report</b>\n{links}\n{more}\n</nav>'
    body = "\n".join(
        [
            f'<div class="first">\n{answer.markup}\n<aside aria-labelledby="cautions">\n{cautions}\n{nav}\n</aside>\n</div>',
            *(m.markup for m in main),
        ]
    )
    opened = " open" * _opened(source)
    appendices = "\n".join(f"<details{opened}>\n<summary>{made.title}</summary>\n{made.markup}\n</details>" for made in folded)
    head = '<section id="appendices" aria-labelledby="appendices-heading">\n<h2 id="appendices-heading">Appendices</h2>'
    how = "Numbers that few readers need, and what the report rests on. Only open appendices are printed."
    return _filled(source, f'{body}\n{head}\n<p class="how">{how}</p>\n</section>\n{appendices}')


def guidelines(data: Mapping[str, Any]) -> ResultTable:
    """Return each item of the reporting guidelines with the place of the report that answers it, and how far."""
    source = ReportSource.read(data)
    main, folded = _sections(source)
    rows = checklist.rows(source, _titles(first.render(source)[0], *main, *folded))
    found = ResultTable.of(checklist.GuidelineRow, rows)
    return ResultTable({**found.values, "run": [source.run] * len(found)})


def _sections(source: ReportSource) -> tuple[list[Section], list[Section]]:
    """Return the sections that have content: first the open ones, then the folded ones."""
    shown = few.withheld(source)
    main, folded = ([made for made in (one.render(shown) for one in some) if made is not None] for some in (SECTIONS, APPENDICES))
    return main, folded


def _titles(*sections: Section) -> dict[str, str]:
    return {one.anchor: one.title for one in sections}


def _filled(source: ReportSource, body: str) -> str:
    date = source.provenance.date[:10]
    paper = "" if _opened(source) else f'\n<p class="paper">{_NOT_PRINTED}</p>'
    page = _PAGE.format(
        kicker=f"{text(date)} · ugt {text(source.ugt)}", title=first.title(source), defs=svg.DEFS, subtitle=first.subtitle(source),
        body=body, version=text(source.ugt), paper=paper,
    )  # fmt: skip
    return _HEAD.format(style=_style(first.running_title(source), date)) + rendered(page, wording.nouns(source))


def sheet(title: str, subtitle: str, body: str, date: str, version: str) -> str:
    """Return another page of the same style, from markup."""
    page = _PAGE.format(
        kicker=f"{text(date[:10])} · ugt {text(version)}", title=title, defs=svg.DEFS, subtitle=subtitle, body=body, version=text(version),
        paper="",
    )  # fmt: skip
    return _HEAD.format(style=_style(first.safe(words(title)), date[:10])) + rendered(page)


def _style(running: str, date: str) -> str:
    return _short(_STYLE + svg.STYLE) + _RUNNING.format(title=running, date="".join(one for one in date if one.isdecimal() or one == "-"))


@cache
def _short(style: str) -> str:
    """Return a style sheet without the blanks and ends of lines that mean nothing: a seventh of it."""
    parts = " ".join(line.strip() for line in style.splitlines()).split('"')
    for blank, short in ((" {", "{"), ("{ ", "{"), (" }", "}"), ("} ", "}"), ("; ", ";"), (", ", ","), (": ", ":")):
        parts[::2] = [part.replace(blank, short) for part in parts[::2]]  # others are texts in quotes
    return '"'.join(parts).strip()


def _opened(source: ReportSource) -> bool:
    return wording.said(source).appendices == "open"


_NOT_PRINTED = "Folded appendices are not printed. Open them in the HTML page, or write the page with --appendices open."


# On each printed page; the first has the title and the date in its header.
_RUNNING = """
@page {{ @top-left {{ content: "{title}"; font: 8pt sans-serif; }} @top-right {{ content: "{date}"; font: 8pt sans-serif; }}
  @bottom-right {{ content: "Page " counter(page) " of " counter(pages); font: 8pt sans-serif; }} }}
@page :first {{ @top-left {{ content: ""; }} @top-right {{ content: ""; }} }}
.paper {{ display: none; }}
@media print {{ .paper {{ display: block; }} }}
"""
# The policy forbids scripts and anything loaded, which the page does not have in the first place.
_HEAD = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Evaluation under uncertain ground truth</title>
<style>{style}</style>
</head>
"""
_PAGE = """<body>
<a class="skip" href="#main">Skip to the report</a>
{defs}
<header>
<p class="kicker"><span>Evaluation under uncertain ground truth</span><span>{kicker}</span></p>
<h1>{title}</h1>
<p class="made">{subtitle}</p>
</header>
<main id="main" tabindex="-1">
{body}
</main>
<footer><p class="made">Written by ugt {version}. The same input, version and seed give this report again.</p>{paper}</footer>
</body>
</html>
"""
