"""Names that are markup, formulas, control characters or very long: harmless in every section of the report, in CSV and in JSON."""

import csv
import functools
import io
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest

import ugt
from ugt.report import html, wording
from ugt.report import plan as _plan

LONG = 10_000
NAMES = {
    "markup": "</td></script><script>alert(1)</script><img src=x onerror=alert(1)>",
    "quotes": '" onmouseover="alert(1)" x=\'`&quot;&#34;',
    "comment": "--><svg onload=alert(1)><style>*{display:none}</style><!--",
    "formula": '=HYPERLINK("http://x.example","a")',
    "plus": "+1+cmd|' /C calc'!A0",
    "minus": "-2+3",
    "at": "@SUM(1)",
    "tab": "\t=1+1",
    "return": "\r=1+1",
    "line": "\n=1+1",
    "bidi": "user\u202egnp.exe\u2066\u200f\u061c\u2069",
    "invisible": "a\u200bb\u00adc\ufeff\u2028\U000e0041",
    "controls": "a\x00b\x07c\x1b[31md",
    "template": "{0}{name}%s%(x)s$name${name}\\1\\g<0>{{7*7}}",
    "unicode": "Ünïcode 医師 \U0001f9ea e\u0301 \u05d0\u05d1",
    "long": "<b>&" + "x" * LONG,
    "url": "javascript:alert(1)",
}
KINDS = ("labels", "two classes", "rankings", "draws")
RAW = re.compile("[\u202a-\u202e\u2066-\u2069\u200b\u200e\u200f\u061c\u2060\ufeff\u2028\u2029\u00ad\0-\b\v-\x1f\U000e0000-\U000e007f]")
TAGS = """
    html head meta title style body main header footer nav section article h1 h2 h3 h4 p ul ol li dl div dt dd a span bdi i b em strong
    code pre table caption thead tbody tr th td figure figcaption svg g path rect line circle polyline polygon text tspan desc defs
    aside tfoot clippath br details summary small sup sub ellipse pattern marker use
"""


def some(n, what):
    """n distinct hostile names of cases, annotators, …; such as ids that files hold: none ends in NUL or is blank."""
    names = list(NAMES.values())
    return [f"{names[i % len(names)]} {what} {i}" for i in range(n)]


@functools.cache
def evaluation(kind):
    rng = np.random.default_rng(0)
    n, k = 40, 2 if kind == "two classes" else 5
    cases, annotators, classes = some(n, "case"), some(4, "annotator"), some(17, "class")[:: 17 // k][:k]
    truth = rng.integers(0, k, n)
    wide = np.where(rng.random((n, 4)) < 0.7, truth[:, None], rng.integers(0, k, (n, 4)))
    if kind in ("labels", "two classes"):
        case = np.repeat(np.array(cases, object), 4).tolist()
        known = ugt.Labels.from_long(case, annotators * n, [classes[j] for j in wide.ravel()], classes=classes)
    else:
        nested = [[[[int(j)] for j in rng.permutation(k)[:2]] for _ in range(3)] for _ in range(n)]
        known = ugt.Rankings.from_blocks(nested, classes=classes, case_ids=cases, offered="all")
    models = {name: np.eye(k)[truth] * rng.random((n, 1)) + rng.dirichlet(np.ones(k), n) for name in some(6, "model")[3:]}
    models = {name: table / table.sum(1, keepdims=True) for name, table in models.items()}
    words = list(NAMES.values())
    plan = {
        name: value
        for i, name in enumerate(_plan.FIELDS)
        if name != "positive_class" and (value := planned(name, words[i % len(words)])) is not None
    }
    return ugt.evaluate(
        known, models, k=(1, 2), n_resamples=20, clusters=np.arange(n) // 2, subgroups=subgroups(n), groups=np.arange(k) % 2,
        group_names=some(17, "group")[10:12], plan=plan, aggregation="plackett-luce" if kind == "draws" else "auto",
        provenance={"command": words[1], "inputs": [{"name": word, "sha256": "0" * 64, "role": words[0]} for word in words]},
        **({"reliability": 2, "n_draws": 40, "n_warmup": 10} if kind == "draws" else {}),
    )  # fmt: skip


def planned(field, word):
    """The word as the field's value, if it may be text."""
    try:
        return wording.check(None, {field: word}).get(field) if field in wording.FIELDS else _plan.check_plan({field: word})[field]
    except ValueError:
        return None


def subgroups(n):
    words = list(NAMES.values())
    return {word: [words[(i + j) % 3 + 2] for j in range(n)] for i, word in enumerate(words[:4])}


class Page(HTMLParser):
    """What a browser would make of a page: elements, attributes, text."""

    def __init__(self, source):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.words, self.other = set(), [], [], []
        self.inside = []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.inside.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]

    def handle_endtag(self, tag):
        if tag in self.inside:
            while self.inside.pop() != tag:
                pass

    def handle_data(self, data):
        if "style" not in self.inside:
            self.words.append(data)

    def handle_comment(self, data):
        self.other.append(data)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", KINDS)
def test_the_whole_report_is_harmless(kind, tmp_path):
    evaluation(kind).to_html(tmp_path / "report.html")
    source = (tmp_path / "report.html").read_text(encoding="utf-8")
    page = Page(source)
    assert page.tags <= set(TAGS.split()), page.tags
    assert not page.other or not any("alert" in one or "onload" in one for one in page.other)
    assert not RAW.search(source)
    for tag, name, value in page.attributes:
        assert not name.startswith("on"), (tag, name)
        assert re.fullmatch(r"[a-z][a-zA-Z:-]*[0-9]?", name.lower()) or name == "viewbox", (tag, name)
        if name in ("href", "src", "xlink:href", "action", "data", "srcset", "formaction"):
            assert value.startswith("#"), (tag, name, value)
        if name == "style":
            assert "url(" not in value and "expression" not in value
        if name == "id":
            assert re.fullmatch(r"[\w-]+", value), value
    ids = [value for _, name, value in page.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    words = "".join(page.words)
    bidi = "user[U+202E]gnp.exe[U+2066][U+200F][U+061C][U+2069]"
    for shown in (NAMES["markup"], NAMES["template"].split("{{")[0], NAMES["unicode"], bidi):
        assert shown in words, shown
    assert "x" * LONG in words or "x" * 20 in words


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", KINDS)
def test_every_table_guards_against_formulas(kind):
    found = evaluation(kind)
    seen = 0
    for table in found.tables:
        text = found.tables[table].csv_text()
        assert "\0" not in text and (table != "cases" or "a[U+0000]b" in text)
        rows = list(csv.reader(io.StringIO(text, newline="")))
        columns = found.tables[table].values
        assert len({len(row) for row in rows}) == 1, table
        for row in rows:
            for cell in row:
                if cell[:1] in ("=", "+", "-", "@", "\t", "\r", "\n"):
                    float(cell)  # a negative number is one
                seen += cell[:1] == "'"
        assert len(rows) == 1 + max((len(values) for values in columns.values()), default=0)
    assert seen > 10


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", KINDS)
def test_json_is_strict_and_keeps_names(kind, tmp_path):
    found = evaluation(kind)
    found.to_json(tmp_path / "evaluation.json")
    raw = (tmp_path / "evaluation.json").read_text(encoding="utf-8")
    read = json.loads(raw, parse_constant=pytest.fail)
    assert read["models"] == some(6, "model")[3:] and {e["case"] for e in read["cases"]} == set(some(40, "case"))
    assert [one["name"] for one in read["provenance"]["inputs"]] == list(NAMES.values())
    raw.encode("utf-8")  # no lone surrogates


def test_undefined_numbers_in_json_and_csv():
    """Nothing is known: NaN everywhere, and still strict."""
    found = ugt.evaluate(ugt.Labels.from_counts(np.array([[1, 0], [0, 1], [0, 0]])), {"A": np.eye(2)[[0, 0, 1]]}, k=1, n_resamples=5)
    json.loads(json.dumps(found.to_dict(), allow_nan=False, ensure_ascii=False), parse_constant=pytest.fail)
    for table in found.tables:
        for row in csv.reader(io.StringIO(found.tables[table].csv_text(), newline="")):
            assert not {"nan", "NaN", "inf", "-inf", "Infinity"} & set(row), table


@pytest.mark.parametrize("name", NAMES)
def test_messages_of_the_command_line_print_names_harmlessly(name, write, command):
    path = write("case,annotator,label\n" + "".join(f"{i},ann,0\n" for i in range(3)))
    said = command("evaluate", "--annotations", path, f"--predictions={NAMES[name][:50]}=none", "--out", "out", code=2)
    assert not RAW.search(said.replace("\n", "")), repr(said)


# What a report takes from an evaluation without making text of it: numbers and words of its own, in a file that is not forged.
FORGED = [
    ("provenance", "interval"),
    ("certainty", 0, "k"),
    ("metrics", 0, "k"),
    ("humans", 0, "kind"),
    ("sources", "case_low, case_high", 0),
    ("sources_of_spread", 0, "k"),
    ("set_coverage", 0, "score"),
    ("differences", 0, "k"),
]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("place", FORGED)
def test_a_forged_evaluation_makes_no_elements(place):
    """``ugt report`` of somebody else's file: orders and kinds that are markup became elements of the page."""
    found = json.loads(json.dumps(evaluation("labels").to_dict(), allow_nan=False, ensure_ascii=False))
    inner = found
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = "<script>alert(1)</script>"
    try:
        page = Page(html(found))
    except (ValueError, TypeError, KeyError, IndexError, AttributeError):
        return  # refused, as ``ugt report`` says then
    assert page.tags <= set(TAGS.split())
