"""Records print short, whatever they hold; in notebooks they are tables without scripts, and names in them stay text."""

import dataclasses
import html
import importlib
import inspect
import pkgutil
import re
import warnings

import numpy as np
import pytest
from public_functions import FUNCTIONS, make_world

import ugt
from ugt._base.records import MOST_LINES
from ugt.tables import ResultTable

N = 200
HOSTILE = "<script>alert(1)</script>\n<img src=http://x>"


def is_short(record):
    text = repr(record)
    return text.count("\n") < MOST_LINES and len(text) <= 2500


def is_harmless(text):
    """No script, nothing that is loaded, every name escaped: no tags but those of tables."""
    return set(re.findall(r"<\W?(\w*)", text)) <= {
        *["p", "strong", "table", "thead", "tbody", "tr", "th", "td", "bdi", "details", "summary", "iframe"]
    }


@pytest.fixture(scope="module")
def world():
    return make_world(N)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_functions_return_prints_short(name, world):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = FUNCTIONS[name].call(world)
    if type(found).__module__.startswith("ugt"):
        assert is_short(found)
        assert not hasattr(found, "_repr_html_") or is_harmless(found._repr_html_())
        if hasattr(found, "resample_shares"):
            assert is_short(found.resample_shares(n_resamples=20))


def public_classes():
    rooms = [ugt, *(importlib.import_module(f"ugt.{room.name}") for room in pkgutil.iter_modules(ugt.__path__) if room.name[0] != "_")]
    named = [getattr(room, name) for room in rooms for name in getattr(room, "__all__", ())]
    return sorted({one for one in named if inspect.isclass(one) and dataclasses.is_dataclass(one)}, key=lambda one: one.__qualname__)


def test_no_public_record_prints_all_of_its_fields():
    found = public_classes()
    assert len(found) >= 40
    assert [one.__name__ for one in found if hasattr(one.__repr__, "__wrapped__")] == []  # what dataclasses make
    assert [one.__name__ for one in found if not hasattr(one, "_repr_html_")] == []
    shown = [(one.__name__, field.name) for one in found for field in dataclasses.fields(one) if field.repr]
    assert [one for one in shown if one[1].startswith("_")] == []


def test_a_large_evaluation():
    rng = np.random.default_rng(0)
    names = [f"{HOSTILE}{i}" for i in range(3)]
    labels = ugt.Labels.from_long(np.arange(3000) // 3, np.tile(["x", "y", HOSTILE], 1000), rng.choice(names, 3000))
    found = ugt.evaluate(labels, {f"{HOSTILE}!": rng.random((1000, 3))}, n_resamples=20, details=False)
    assert is_short(found) and is_harmless(found._repr_html_()) and len(found._repr_html_()) < 100_000
    page = html.unescape(found._repr_html_())  # the first page, as it stands in its frame
    assert "Before you quote these numbers" in page and "<script" not in page and 'id="worklist"' not in page
    assert "990 more rows" in found.cases._repr_html_()
    assert is_harmless(found.cases._repr_html_()) and "&lt;script&gt;" in found.cases._repr_html_()
    assert is_short(ResultTable({f"{HOSTILE}{i}": [1] for i in range(5)})) and is_short(
        ResultTable({f"better_share {i}": [] for i in range(999)})
    )


def test_fields_are_shown_as_they_are_where_they_are_short():
    certain = ugt.annotation_certainty([[0.5, 0.5], [0.9, 0.1]])
    assert repr(certain) == "Certainty(value=0.75, per_case=array([0.5, 1. ]), mc_error=0.0, n_cases=2, left_out={})"
    many = ugt.annotation_certainty(np.tile([0.5, 0.5], (N, 1)))
    assert repr(many) == "Certainty(value=0.5, per_case=<200 array of float64>, mc_error=0.0, n_cases=200, left_out={})"
    assert "<td><bdi>0.5</bdi></td>" in many._repr_html_()
