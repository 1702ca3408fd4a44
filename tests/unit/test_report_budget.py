"""Page one has a budget: what stands on it is in a slot of the table in docs/development.md, and within its room."""

import re
from pathlib import Path

import pytest
from twins import studies

from ugt.report import cautions

DOCS = Path(__file__).parents[2] / "docs" / "development.md"
SCREEN, SHEET = (1280, 900), 703  # px: a window; the width of an A4 sheet within its margins
SHEET_HEIGHT = 1009  # px: 267 mm

HEIGHTS = "[...document.querySelectorAll(SLOTS)].map(e => e.getBoundingClientRect().height)"
# elements of page one that hold content of their own and are in none of the slots
HOMELESS = """(() => { const slots = [...document.querySelectorAll(SLOTS)];
  const own = e => [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
  return [...document.querySelectorAll('.first *, header *')]
    .filter(e => (own(e) || e.tagName === 'svg') && !slots.some(s => s.contains(e)) && e.id !== 'cautions')
    .map(e => e.outerHTML.slice(0, 120)); })()"""


def slots():
    """``(name, selector, most, px on the screen, px on the sheet)`` of each row of the table."""
    (part,) = re.findall(r"## Page one has a budget\n(.*?)\n## ", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    rows = re.findall(r"^\| ([a-z ]+) \| `([^`]+)` \| (\d+) \| (\d+) \| (\d+) \|", part, re.MULTILINE)
    return [(name, selector, *map(int, numbers)) for name, selector, *numbers in rows]


SLOTS = slots()


@pytest.fixture(scope="module", params=studies.STUDIES, ids=[study.__name__ for study in studies.STUDIES])
def page(request, browser, tmp_path_factory):
    path = tmp_path_factory.mktemp("budget") / "report.html"
    path.write_text(studies.page(request.param), encoding="utf-8")
    browser.show(*SCREEN)
    browser.open(path.as_uri())
    return browser


def over(page, at):
    """The slots that hold more elements than they may, or one that is too high; ``at``: the place of the room in a row."""
    found = {slot[0]: (slot, page.run(HEIGHTS.replace("SLOTS", repr(slot[1])))) for slot in SLOTS}
    return {name: heights for name, (slot, heights) in found.items() if len(heights) > slot[2] or max(heights, default=0) > slot[at]}


def homeless(page):
    """What is on page one and in none of the slots."""
    return page.run(HOMELESS.replace("SLOTS", repr(", ".join(selector for _, selector, *_ in SLOTS))))


def test_the_table_has_the_slots_and_they_add_up():
    room = {name: numbers for name, _, *numbers in SLOTS}
    assert list(room) == ["header", "answer", "grey line", "yardsticks", "key", "pictures", "cautions", "contents"]
    beside = ("header", "answer", "grey line", "yardsticks", "key", "pictures")
    assert sum(room[name][1] for name in beside) <= SCREEN[1] and cautions.MOST == 6 and room["pictures"][0] == 2
    assert sum(room[name][2] for name in (*beside, "cautions")) <= 1.02 * SHEET_HEIGHT  # no report fills all of them


def test_every_slot_is_within_its_room_on_the_screen(page):
    page.show(*SCREEN)
    assert over(page, 3) == {}
    assert page.run("document.querySelectorAll('aside > ol > li').length") <= cautions.MOST


def test_every_slot_is_within_its_room_on_paper(page):
    page.show(SHEET, medium="print")
    try:
        assert over(page, 4) == {}
        assert page.run("document.querySelector('.first').getBoundingClientRect().bottom") <= SHEET_HEIGHT
    finally:
        page.show(*SCREEN)


def test_nothing_on_page_one_is_outside_of_the_slots(page):
    assert homeless(page) == []


def test_an_element_without_a_slot_and_a_seventh_caution_are_seen(page):
    page.run("document.querySelector('#answer').insertAdjacentHTML('beforeend', '<p id=\"guest\">A guest.</p>')")
    page.run("document.querySelector('aside > ol').insertAdjacentHTML('beforeend', '<li style=\"height: 700px\">x</li>')")
    try:
        assert len(homeless(page)) == 1
        assert "cautions" in over(page, 3)
    finally:
        page.run("document.querySelector('#guest').remove(); document.querySelector('aside > ol').lastElementChild.remove()")
