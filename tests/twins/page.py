"""Reading the report again: a page, a section, a drawing."""

import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import numpy as np


class Page(HTMLParser):
    """Elements in order: tag, attributes, the tags around it, and the text within; fails where a tag is not closed in order."""

    def __init__(self, html):
        super().__init__()
        self.found, self.open, self.words = [], [], []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        around = [e["tag"] for e in self.open]
        element = {"tag": tag, "attrs": dict(attrs), "around": around, "within": [], "words": [], "text": ""}
        for outer in self.open:
            outer["within"].append(element)
        self.found.append(element)
        if tag not in ("meta", "br"):
            self.open.append(element)

    def handle_endtag(self, tag):
        element = self.open.pop()
        assert element["tag"] == tag
        element["text"] = "".join(element.pop("words"))

    def handle_data(self, data):
        for element in self.open:
            element["words"].append(data)
        if all(element["tag"] != "style" for element in self.open):
            self.words.append(data)

    def all(self, *tags):
        return [e for e in self.found if e["tag"] in tags]

    @property
    def tags(self):
        return [e["tag"] for e in self.found]

    @property
    def text(self):
        return re.sub(r"\s+", " ", "".join(self.words))


def parsed(html):
    """The tree of a section: balanced tags, every reference of XML."""
    return ET.fromstring(f"<r>{html.replace('<br>', ' ')}</r>")


def words_of(element):
    return " ".join("".join(element.itertext()).split())


def rows_of(section, caption):
    """The cells of the table with that beginning of its caption."""
    (found,) = [t for t in parsed(section.html).iter("table") if words_of(t.find("caption")).startswith(caption)]
    return [[words_of(cell) for cell in row] for row in found.iter("tr")]


def drawings(html):
    """All figures of a section."""
    return [ET.fromstring(found) for found in re.findall(r"<svg.*?</svg>", html, flags=re.DOTALL)]


def elements(root, name):
    return [e for e in root.iter() if e.tag.endswith(name)]


def points(element):
    return [tuple(map(float, pair.split(","))) for pair in element.attrib["points"].split()]


def texts(root):
    return [e.text for e in elements(root, "text")]


def checked(section):
    """Its HTML: well-formed, described, nothing loaded, all shapes on the paper; ids are unique."""
    root = parsed(section.html)
    assert root[0].get("id") == section.anchor
    assert not any(word in section.html for word in ("<script", "href", "http", "src=", "url("))
    (how,) = (p for p in root.iter("p") if p.get("class") == "how")
    assert words_of(how).endswith(".")
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    for table in root.iter("table"):
        widths = {len(row) for row in table.find("thead")}
        body = [row for part in table.findall("tbody") for row in part]
        grouped = any(cell.get("scope") == "rowgroup" for row in body for cell in row)
        assert {len(row) for row in body} <= (widths | {min(widths) - 1} if grouped else widths)
    for figure in root.iter("figure"):
        drawn = figure.find("svg")
        title, said = drawn.find("title"), drawn.find("desc")
        assert drawn.get("role") == "img" and drawn.get("aria-labelledby") == f"{title.get('id')} {said.get('id')}"
        assert title.text and len(said.text) > 30
        width, height = map(float, drawn.get("viewBox").split()[2:])
        for shape in drawn.iter():
            assert not any("nan" in value.lower() or "inf" in value.lower() for value in shape.attrib.values())
            for key, most in (("x", width), ("cx", width), ("x1", width), ("x2", width), ("y", height), ("cy", height)):
                assert shape.get(key) is None or -1 <= float(shape.get(key)) <= most + 1
    return section.html


def at(element, *names):
    """Coordinates of a shape."""
    return [float(element.attrib[name]) for name in names]


def same_points(found, expected):
    """As far as drawings have digits."""
    np.testing.assert_allclose(found, expected, atol=0.06)
