"""The report in a real browser: nothing is loaded, nothing is complained of, everything is there, at every width and in print."""

import re
import warnings

import pytest
from twins import studies

import ugt
from ugt.report import html
from ugt.report import plan as _plan

WIDE, NARROW = 1280, 390  # px
A4 = (595.28, 841.89)  # points
PRINTED = 703  # px: A4 less the margins that the page asks for
TAB, ENTER = ("Tab", 9), ("Enter", 13)


# Of each report; Plackett–Luce leads the demo at one reliability, so that there is no figure of several.
FIGURES = {studies.demo: ["by-certainty"], studies.two_models: ["by-certainty", "roc", "calibration-plot"]}


@pytest.fixture(scope="module", params=[studies.demo, studies.two_models])
def page(request, browser, tmp_path_factory):
    """The browser with a report opened."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(studies.page(request.param), encoding="utf-8")
    browser.show(WIDE)
    browser.open(path.as_uri())
    browser.url, browser.figures = path.as_uri(), FIGURES[request.param]
    browser.run("document.querySelectorAll('details').forEach(e => e.setAttribute('open', ''))")
    return browser


def complaints(page):
    """What the browser has to say."""
    said = [e["entry"] for e in page.of("Log.entryAdded") if e["entry"]["level"] in ("warning", "error")]
    said += [e for e in page.of("Runtime.consoleAPICalled") if e["type"] in ("warning", "error", "assert")]
    return said + page.of("Runtime.exceptionThrown") + page.of("Inspector.targetCrashed")


def loaded(page):
    """Whatever was asked for beside the file."""
    return [e["request"]["url"] for e in page.of("Network.requestWillBeSent") if e["request"]["url"].split("#")[0] != page.url]


def missing(page):
    """Headings and figures without a size."""
    return page.run(
        """[...document.querySelectorAll('h1, h2, h3, h4, figure, figure svg, table, figcaption, caption')].filter(e => {
        const box = e.getBoundingClientRect(); return !(box.width > 0 && box.height > 0); }).map(e => e.outerHTML.slice(0, 200))"""
    )


def dangling(page):
    """Ids that stand twice, and references to none."""
    return page.run(
        """(() => { const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
        const twice = ids.filter((id, i) => ids.indexOf(id) !== i);
        const named = [...document.querySelectorAll('[aria-labelledby]')].flatMap(e => e.getAttribute('aria-labelledby').split(' '));
        const linked = [...document.querySelectorAll('[href]')].map(e => e.getAttribute('href'));
        return [...twice, ...named.filter(id => !ids.includes(id)),
          ...linked.filter(href => href[0] !== '#' || !ids.includes(href.slice(1)))]; })()"""
    )


def overflowing(page):
    """How much wider the page is than the window, and what stands out of it but for frames that scroll."""
    return page.run(
        """(() => { const wide = document.documentElement.clientWidth;
        const inside = e => e.closest('.frame, figure, .skip');
        const out = [...document.querySelectorAll('body *')].filter(e => !inside(e) && e.getBoundingClientRect().right > wide + 1);
        const extra = document.documentElement.scrollWidth - wide;
        return [...(extra > 0 ? [extra] : []), ...out.map(e => e.outerHTML.slice(0, 200))]; })()"""
    )


def bare_figures(page):
    """Figures in sections that have no table with their numbers."""
    return page.run("[...document.querySelectorAll('figure')].filter(e => !e.closest('section').querySelector('table')).map(e => e.id)")


def spoken(page):
    """What a screen reader is told: role and name of everything that has a part in it."""
    nodes = page.call("Accessibility.getFullAXTree")["nodes"]
    return [(n["role"]["value"], n.get("name", {}).get("value", "").strip()) for n in nodes if not n["ignored"]]


def nameless(told):
    """Roles of pictures, tables, regions and links without a name."""
    roles = {"image", "img", "graphics-document", "table", "region", "link", "heading", "navigation"}
    return [role for role, name in told if role in roles and not name]


@pytest.mark.slow
def test_nothing_is_loaded_and_nothing_is_complained_of(page):
    assert len(page.of("Network.requestWillBeSent")) == 1
    assert loaded(page) == [] and complaints(page) == []


def test_every_heading_figure_and_table_is_there(page):
    page.show(WIDE)
    source = page.run("document.documentElement.outerHTML")
    for tag in ("h2", "h3", "figure", "table"):
        assert page.run(f"document.querySelectorAll('{tag}').length") == len(re.findall(f"<{tag}[ >]", source))
    assert page.run("document.querySelectorAll('main h2').length") >= 20
    assert page.run("[...document.querySelectorAll('figure')].map(e => e.id)") == page.figures
    assert missing(page) == [] and dangling(page) == [] and bare_figures(page) == []


def test_the_plan_is_on_the_page(page):
    said = page.run("document.querySelector('#provenance').textContent")
    assert ("This run departs from the plan in: reliability" in said) != ("No plan was given" in said)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [WIDE, 800, NARROW])
def test_no_width_and_no_scheme_lets_the_page_run_over(page, width, scheme):
    page.show(width, scheme=scheme)
    assert overflowing(page) == [] and missing(page) == []
    dark = page.run("getComputedStyle(document.body).backgroundColor") == "rgb(20, 23, 27)"
    assert dark == (scheme == "dark")


@pytest.mark.slow
def test_forced_colours_reach_the_figures(page):
    page.show(WIDE, forced_colors="active")
    colours = page.run("[...new Set([...document.querySelectorAll('svg .line')].map(e => getComputedStyle(e).stroke))]")
    page.show(WIDE)
    assert len(colours) == 1
    assert len(page.run("[...new Set([...document.querySelectorAll('svg .line')].map(e => getComputedStyle(e).stroke))]")) > 1


def test_a_section_has_content(page):
    empty = "[...document.querySelectorAll('section')].filter(e => !e.querySelector('table, dl, ul, figure')).map(e => e.id)"
    # Rankings have no coefficients of agreement, no losses against label histograms, no discrepancy ratios and no Markov chains here.
    without = {"appendices", "agreement", "calibration", "dispersion", "humans"}
    assert set(page.run(empty)) <= (without if "rankings" in page.run("document.querySelector('#data dl').textContent") else {"appendices"})


@pytest.mark.slow
def test_it_prints_on_a4(page):
    page.show(WIDE)
    pdf = page.pdf()
    page.show(WIDE)
    assert pdf.startswith(b"%PDF") and pdf.rstrip().endswith(b"%%EOF")
    boxes = [tuple(map(float, box.split())) for box in re.findall(rb"/MediaBox\s*\[([^\]]*)\]", pdf)]
    assert len(boxes) > 5 and all(box[:2] == (0, 0) and box[2:] == pytest.approx(A4, abs=1) for box in boxes)


@pytest.mark.slow
def test_no_table_is_cut_in_print(page):
    page.show(PRINTED, medium="print")
    cut = "[...document.querySelectorAll('.frame, figure')].filter(e => e.scrollWidth > e.clientWidth + 1)"
    assert page.run(f"{cut}.map(e => e.textContent.slice(0, 80))") == [] and missing(page) == []
    assert page.run("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    page.run("document.querySelectorAll('details').forEach(e => e.removeAttribute('open'))")
    assert not page.run("document.querySelector('#provenance').checkVisibility()")  # folded appendices are not printed
    page.show(WIDE)
    page.run("document.querySelectorAll('details').forEach(e => e.setAttribute('open', ''))")


def test_the_keyboard_reaches_links_and_frames(page):
    page.show(WIDE)
    page.call("Page.bringToFront")
    page.run("document.activeElement.blur(); scrollTo(0, 0)")
    reached = []
    for _ in range(3):
        page.press(*TAB)
        reached.append(page.run("document.activeElement.className || document.activeElement.tagName"))
        outline = page.run("getComputedStyle(document.activeElement).outlineStyle")
        assert outline not in ("none", ""), reached
    assert reached == ["skip", "frame", "A"]
    n_links = page.run("document.querySelectorAll('nav a').length")
    for _ in range(n_links):
        page.press(*TAB)
    assert page.run("document.activeElement.closest('main') !== null")
    assert page.run("[...document.querySelectorAll('a, .frame')].every(e => e.tabIndex === 0)")


def test_the_way_past_the_contents(page):
    page.run("document.querySelector('.skip').focus()")
    assert page.run("document.querySelector('.skip').getBoundingClientRect().left") >= 0  # seen once it has the focus
    page.press(*ENTER)
    assert page.run("location.hash") == "#main" and page.run("document.activeElement.id") == "main"
    page.press(*TAB)
    assert page.run("document.activeElement.closest('main') !== null && document.activeElement.id !== 'main'")
    assert loaded(page) == []


@pytest.mark.slow
def test_a_screen_reader_has_names_for_everything(page):
    page.show(WIDE)
    told = spoken(page)
    assert nameless(told) == []
    roles = [role for role, _ in told]
    assert sum(role in ("image", "img") for role in roles) == page.run("document.querySelectorAll('figure svg').length")
    shown = page.run("[...document.querySelectorAll('caption')].map(e => e.textContent)")
    bare = ["".join(name.split()) for role, name in told if role == "table"]
    assert bare == ["".join(caption.split()) for caption in shown]
    assert [roles.count(role) for role in ("main", "navigation", "banner", "contentinfo")] == [1, 1, 1, 1]


@pytest.mark.slow
def test_long_and_foreign_names_stay_on_the_page(browser, tmp_path):
    long, foreign = "x" * 3000, "\u200fنموذج <b> &amp; \u202e"
    counts = ugt.Labels.from_counts([[3, 1], [1, 4], [2, 2]] * 4, case_ids=[f"{long}{i}" for i in range(12)], classes=[long, foreign])
    shorter = {"title": long[:200], "note": [long[:400]], "unit": "scan", "annotators_are": "reader", "appendices": "open"}
    plan = {**dict.fromkeys(_plan.FIELDS, long), **shorter}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        models = {long: [[0.9, 0.1]] * 12, foreign: [[0.3, 0.7]] * 12}
        found = ugt.evaluate(counts, models, k=1, n_resamples=10, plan=plan, provenance={"command": long})
    path = tmp_path / "report.html"
    path.write_text(html(found.to_dict()), encoding="utf-8")
    browser.url = path.as_uri()
    browser.open(browser.url)
    for width in (WIDE, NARROW):
        browser.show(width)
        assert overflowing(browser) == [] and missing(browser) == []
    assert complaints(browser) == [] and loaded(browser) == [] and dangling(browser) == []


FAULTY = """<!DOCTYPE html><html><body><main><section><h2 id="a"></h2><figure id="a"><svg role="img" aria-labelledby="b"></svg></figure>
<a href="#c">x</a><p style="width: 3000px">x</p><img src="http://127.0.0.1:9/x.png" alt="x"><table><tr><td>x<td>y</table></section></main>
<section><figure id="d"><svg role="img" width="5" height="5"></svg></figure></section>
<script>console.warn("x"); throw new Error("y")</script></body></html>"""


def test_the_questions_have_another_answer_for_a_faulty_page(browser, tmp_path):
    path = tmp_path / "faulty.html"
    path.write_text(FAULTY, encoding="utf-8")
    browser.url = path.as_uri()
    browser.show(WIDE)
    browser.open(browser.url)
    assert len(complaints(browser)) >= 2 and loaded(browser) == ["http://127.0.0.1:9/x.png"]
    assert any(fault.startswith('<h2 id="a">') for fault in missing(browser)) and dangling(browser) == ["a", "b", "#c"]
    assert overflowing(browser)[0] > 1000 and bare_figures(browser) == ["d"]
    assert {"heading", "image"} <= set(nameless(spoken(browser)))
