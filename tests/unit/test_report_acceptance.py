"""What every report must hold: page one on one screen and one sheet, nothing over another, nothing empty, nothing twice, plain words."""

import json
import re

import numpy as np
import pytest
from twins import studies
from twins.page import Page

from ugt import Rankings, evaluate
from ugt.cli import main

STUDIES = studies.STUDIES
NAMED = {"argvalues": STUDIES, "ids": [study.__name__ for study in STUDIES]}

KINDS = (studies.demo, studies.many_classes, studies.two_classes, studies.eight_models)
SCREEN = (1280, 900)  # px
SHEETS = {studies.demo: 8, studies.many_classes: 8, studies.two_classes: 6, studies.eight_models: 8}
MOST_BYTES = 100_000


@pytest.fixture(scope="module")
def opened(browser, tmp_path_factory):
    """``opened(study)``: the browser with the report of a study, on a wide screen."""
    folder = tmp_path_factory.mktemp("reports")

    def show(study):
        path = folder / f"{study.__name__}.html"
        browser.show(*SCREEN)
        if browser.run("location.href") != path.as_uri():
            path.write_text(studies.page(study), encoding="utf-8")
            browser.open(path.as_uri())
        return browser

    return show


def n_sheets(page):
    """Of the page as it is printed."""
    n = page.pdf().count(b"/MediaBox")
    page.show(*SCREEN)
    return n


# ---- 1 and 2: one screen, one sheet, few sheets, few bytes


def assert_page_one(page):
    """The verdict and both pictures are on the screen; the last caution is on the first sheet, and what follows begins on a new one."""
    ends = page.run("[...document.querySelectorAll('.first .verdict, .first figure')].map(e => e.getBoundingClientRect().bottom)")
    assert 0 < max(ends) < SCREEN[1], ends
    page.show(703, medium="print")
    assert page.run("getComputedStyle(document.querySelector('.first')).breakAfter") == "page"
    assert page.run("document.querySelector('.first').lastElementChild.tagName") == "ASIDE"
    page.run("document.querySelectorAll('.first ~ *, footer').forEach(e => { e.hidden = true; e.style.display = 'none'; })")
    n = n_sheets(page)
    page.run("document.querySelectorAll('.first ~ *, footer').forEach(e => { e.hidden = false; e.style.display = ''; })")
    assert n == 1


@pytest.mark.parametrize("study", **NAMED)
def test_page_one_is_one_screen_and_one_sheet(study, opened):
    assert_page_one(opened(study))


def test_page_one_of_the_dermatology_data(dermatology, browser, tmp_path):
    """Two models of 419 classes: what half of the dermatologists named first, and the same with errors."""
    half = np.zeros((len(dermatology.annotations), 419))
    for row, rankings in zip(half, dermatology.annotations):
        for blocks in rankings[: (len(rankings) + 1) // 2]:
            row[blocks[0]] += 1 / len(blocks[0])
    noisy = half + np.random.default_rng(0).random(half.shape) * np.linspace(0, 2, len(half))[:, None]
    rankings = Rankings.from_blocks(dermatology.annotations, classes=dermatology.conditions)
    made = evaluate(rankings, {"half of the panel": half, "the same with errors": noisy}, k=1, n_resamples=20, reliability=(10, 30, 100))
    path = tmp_path / "dermatology.html"
    made.to_html(path)
    browser.show(*SCREEN)
    browser.open(path.as_uri())
    assert_page_one(browser)
    assert n_sheets(browser) <= 8


@pytest.mark.parametrize("study", **NAMED)
def test_sheets_without_appendices(study, opened):
    assert 2 <= n_sheets(opened(study)) <= SHEETS.get(study, 8)


@pytest.mark.parametrize("study", KINDS, ids=[study.__name__ for study in KINDS])
def test_size(study):
    assert len(studies.page(study).encode()) <= MOST_BYTES


@pytest.mark.parametrize("study", **NAMED)
def test_no_script_and_nothing_loaded(study):
    assert not re.search(r"<script|https?:|url\(|@import|\bsrc=", studies.page(study))


# ---- 3: every width

BOXES = """(() => {
  const seen = e => { const b = e.getBoundingClientRect(); return b.width > 0 && b.height > 0; };
  const faults = [], cut = 1.5;
  for (const svg of document.querySelectorAll('svg')) {
    if (svg.ownerSVGElement || !seen(svg)) continue;
    const frame = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll('text')].filter(seen).map(e => [e.textContent, e.getBoundingClientRect()]);
    texts.forEach(([said, b], i) => {
      if (b.left < frame.left - cut || b.right > frame.right + cut || b.top < frame.top - cut || b.bottom > frame.bottom + cut)
        faults.push('outside: ' + said);
      for (const [other, o] of texts.slice(i + 1))
        if (b.left < o.right - cut && o.left < b.right - cut && b.top < o.bottom - 3 && o.top < b.bottom - 3)
          faults.push('over another: ' + said + ' | ' + other);
    });
  }
  for (const table of document.querySelectorAll('.first table')) {
    const frame = table.closest('.frame'), end = frame.getBoundingClientRect().right + cut;
    if (getComputedStyle(frame).overflowX === 'visible' && table.getBoundingClientRect().right > end)
      faults.push('out of its frame: ' + table.caption.textContent);
  }
  return faults; })()"""
SIDEWAYS = "[document.documentElement.scrollWidth - document.documentElement.clientWidth, document.body.scrollWidth > innerWidth]"


@pytest.mark.parametrize("width", [1280, 1205, 1100, 800, 390, 320])
@pytest.mark.parametrize("study", **NAMED)
def test_no_scrolling_sideways_and_no_text_over_another(study, width, opened):
    page = opened(study)
    page.show(width)
    for open_ in ("false", "true") if width in (1280, 390) else ("false",):  # the appendices
        page.run(f"document.querySelectorAll('details').forEach(e => {{ e.open = {open_}; }})")
        assert page.run(SIDEWAYS) == [0, False]
        assert page.run(BOXES) == []
    page.run("document.querySelectorAll('details').forEach(e => { e.open = false; })")


@pytest.mark.parametrize("study", **NAMED)
def test_page_one_fits_a_phone_and_is_read_in_the_order_of_its_source(study, opened):
    page = opened(study)
    page.show(390)
    assert page.run("[...document.querySelectorAll('.first .frame')].every(e => e.scrollWidth <= e.clientWidth + 1)")
    tops = page.run(
        """[...document.querySelectorAll('h1, .verdict, .sub, .first table, .key, .first figure, aside h2, aside li, nav')]
        .map(e => e.getBoundingClientRect().top)"""
    )
    assert tops == sorted(tops) and len(tops) > 5
    assert page.run("[...document.querySelectorAll('[tabindex]')].every(e => e.tabIndex <= 0)")


# ---- 5: nothing empty, nothing twice

NUMBER = re.compile(r"[−<>]?\d[\d,]*(?:\.\d+)?")


def tables_of(study):
    """Caption and numbers of the body of each table."""
    found = []
    for table in Page(studies.page(study)).all("table"):
        (caption,) = (e["text"] for e in table["within"] if e["tag"] == "caption")
        cells = [e["text"] for e in table["within"] if e["tag"] == "td" and "aria-hidden" not in e["attrs"]]
        numbers = [n for cell in cells for n in NUMBER.findall(cell)]
        found.append((" ".join(caption.split()), len(cells), sorted(numbers)))
    return found


@pytest.mark.parametrize("study", **NAMED)
def test_nothing_is_empty(study, tmp_path):
    page = Page(studies.page(study))
    for part in page.all("section", "figure", "p", "li", "td", "th", "caption", "dd", "ul", "ol"):
        corner = part["tag"] == "td" and {"thead", "tfoot"} & set(part["around"])
        assert corner or part["text"].strip() or part["within"], part
    assert all(n for _, n, _ in tables_of(study))
    headed = [e["attrs"]["id"] for e in page.all("section") if not {"table", "p", "ul", "dl", "figure"} & {w["tag"] for w in e["within"]}]
    assert headed == []


@pytest.mark.parametrize("study", **NAMED)
def test_no_two_tables_have_the_same_numbers(study):
    known = [(caption, numbers) for caption, _, numbers in tables_of(study) if len(numbers) > 3]
    same = [(a, b) for i, (a, x) in enumerate(known) for b, y in known[i + 1 :] if x == y]
    assert same == []


def test_the_same_bytes_again_and_no_file_without_rows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for command in (
        "example --out given --quiet",
        "evaluate --annotations given/labels.csv --predictions given/careful.csv given/hasty.csv --out made --n-boot 20 --quiet",
        "report made/evaluation.json --out again.html --quiet",
    ):
        assert not main(command.split())
    assert (tmp_path / "again.html").read_bytes() == (tmp_path / "made" / "report.html").read_bytes()
    files = list((tmp_path / "made").glob("*.csv"))
    assert len(files) > 20
    assert [path.name for path in files if len(path.read_text(encoding="utf-8").splitlines()) < 2] == []


# ---- 6: without colour, and in the dark

LIGHTNESS = """(() => { const at = (name) => { const e = document.createElement('i');
  e.style.color = 'var(--' + name + ')'; document.body.append(e); const c = getComputedStyle(e).color.match(/[\\d.]+/g).map(Number);
  e.remove(); return c.slice(0, 3); };
  return Object.fromEntries(NAMES.map(name => [name, at(name)])); })()"""


def luminance(rgb):
    """Relative luminance of sRGB, as WCAG 2 has it."""
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in np.array(rgb) / 255]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


def contrast(a, b):
    low, high = sorted([luminance(a), luminance(b)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_certainty_is_shown_by_lightness(scheme, opened):
    page = opened(studies.demo)
    page.show(*SCREEN, scheme=scheme)
    names = ["z0", "z1", "z2", "z3", "z4"]
    found = page.run(LIGHTNESS.replace("NAMES", json.dumps(names)))
    grey = [116 * luminance(found[name]) ** (1 / 3) - 16 for name in names]  # L* of CIE 1976: steps that the eye sees as equal
    steps = np.diff(grey)
    assert (steps > 8).all() or (steps < -6).all(), grey


# colour of each text, the colour behind it; colour of each mark
SHOWN = """(() => {
  const rgb = c => (c.match(/[\\d.]+/g) || []).map(Number), clear = c => !c || c === 'none' || rgb(c)[3] === 0;
  const seen = e => { const b = e.getBoundingClientRect(); return b.width > 0 && b.height > 0 && !e.closest('.skip'); };
  const behind = e => { for (let at = e; at; at = at.parentElement) { const c = getComputedStyle(at).backgroundColor;
    if (!clear(c)) return c; } return 'rgb(255, 255, 255)'; };
  const paper = behind(document.body), found = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walk.nextNode());) {
    const e = node.parentElement;
    if (!node.textContent.trim() || !seen(e) || e.closest('title, desc')) continue;
    const drawn = e.closest('svg'); let back = drawn ? behind(drawn) : behind(e);
    if (drawn) { // the last filled shape below the middle of the text
      const b = e.getBoundingClientRect(), x = (b.left + b.right) / 2, y = (b.top + b.bottom) / 2;
      for (const r of drawn.querySelectorAll('rect')) { const o = r.getBoundingClientRect();
        const s = getComputedStyle(r), share = s.opacity * s.fillOpacity;
        if (o.left <= x && x <= o.right && o.top <= y && y <= o.bottom && !clear(s.fill) && r.compareDocumentPosition(e) & 4)
          back = `rgb(${rgb(s.fill).slice(0, 3).map((c, i) => share * c + (1 - share) * rgb(back)[i])})`; } }
    const style = getComputedStyle(e);
    found.push(['text', e.textContent.trim().slice(0, 40), rgb(drawn ? style.fill : style.color).slice(0, 3), rgb(back).slice(0, 3)]);
  }
  for (const e of document.querySelectorAll('svg .line, svg .most, svg .trivial, svg .zero, svg .hollow, svg .axis'))
    if (seen(e.closest('svg'))) found.push(['mark', e.getAttribute('class'), rgb(getComputedStyle(e).stroke).slice(0, 3),
      rgb(paper).slice(0, 3)]);
  const once = {}; found.forEach(f => once[JSON.stringify([f[0], f[2], f[3]])] = f);
  return Object.values(once); })()"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("study", KINDS)
def test_contrast(study, scheme, opened):
    page = opened(study)
    page.show(*SCREEN, scheme=scheme)
    found = page.run(SHOWN)
    assert {kind for kind, *_ in found} == {"text", "mark"} and len(found) > 10
    pale = [(kind, said, a, b) for kind, said, a, b in found if contrast(a, b) < {"text": 4.5, "mark": 3}[kind]]
    assert pale == []


def test_models_are_distinguished_by_shape(opened):
    page = opened(studies.eight_models)
    shapes = page.run(
        """[...document.querySelectorAll('.first tbody .mark')].map(e => { const s = e.firstElementChild,
        d = document.querySelector(s.getAttribute('href'));
        return [d.tagName, s.classList.contains('line'), d.getAttribute('d')].join(); })"""
    )
    assert len(shapes) == len(set(shapes)) == 8


# ---- 7: words

NEVER = re.compile(r"\b(winners?|highest possible|significant\w*|best model|told apart|overstates?|accuracy of the model)\b")
DENIED = re.compile(
    r"(?<!not )(?<!not the )\b(?:sensitivity and specificity|probability that [\w ’]+? is (?:best|right)(?! only if|, one must assume))\b"
)


@pytest.mark.parametrize("study", **NAMED)
def test_words_that_claim_too_much(study):
    page = Page(studies.page(study))
    assert NEVER.findall(page.text) == [] and DENIED.findall(page.text) == []
    claims = " ".join(e["text"] for e in page.all("h1", "h2", "p") if e["tag"] != "p" or e["attrs"].get("class") == "sub")
    assert not re.findall(r"\b(correct|right|best|equal|proves?|confirms?)\b", claims)
