"""Differences of subgroups on the page: the table, and the heading that says where a model is shown to be worse."""

import re

import numpy as np

import ugt
from ugt.report import subgroups as module
from ugt.report.digest import Digest
from ugt.report.sections import difficulty
from ugt.tables.source import ReportSource
from ugt.tables.subgroups import SubgroupDifferenceRow

N = 240
RNG = np.random.default_rng(5)
TRUTH, SITE = RNG.integers(0, 2, N), np.resize(["north", "south", "west"], N)
SEEN = np.where(RNG.random((N, 8)) < 0.9, TRUTH[:, None], 1 - TRUTH[:, None])


def choosing(right):
    return np.eye(2)[np.where(RNG.random(N) < right, TRUTH, 1 - TRUTH)]


EVEN, LOWER = choosing(0.85), choosing(np.where(SITE == "south", 0.45, 0.95))


def source(models, subgroups, r=8, n=N, **options):
    known = ugt.Labels.from_wide(SEEN[:n, :r], classes=2, annotators=[f"a{j}" for j in range(r)])
    given = {name: values[:n] for name, values in subgroups.items()}
    scores = {name: one[:n] for name, one in models.items()}
    return ReportSource.read(ugt.evaluate(known, scores, reliability=1, k=1, subgroups=given, n_resamples=300, **options).to_dict())


def section(found):
    made = difficulty.render(found)
    return re.sub(r"<[^>]+>", " ", made.html.replace("</h2>", "|")) if made else ""


def heading(found):
    return module.heading(module.compared(Digest(found).of_choices))


def plain(markup):
    from ugt.report.markup import html

    return re.sub(r"<[^>]+>", "", html(markup))


def test_the_heading_says_where_a_model_is_worse():
    found = source({"A": EVEN, "B": LOWER}, {"site": SITE})
    assert plain(heading(found)) == "B is shown to be worse in south (site) than in the other cases"
    shown = section(found)
    assert "Each subgroup less the other cases" in shown and "shown, also for other annotators" in shown
    assert "hold together" in shown and "of the cases of certainty" in shown  # what the heading said before is a sentence
    assert "shown for these annotators" in section(source({"B": LOWER}, {"site": SITE}, r=4))


def test_the_heading_says_that_none_is_shown_to_be_worse():
    half = np.resize(["x", "y"], N)
    assert plain(heading(source({"A": EVEN}, {"site": SITE}))) == "In no subgroup of site is A shown to be worse than in the other cases"
    found = source({"A": EVEN, "C": choosing(0.85)}, {"site": SITE, "half": half, "age": half})
    assert plain(heading(found)) == "In no subgroup of site, half or age is a model shown to be worse than in the other cases"


def test_without_subgroups_the_page_is_as_before():
    found = source({"A": EVEN}, {})
    assert heading(found) == "" and "less the other cases" not in section(found)
    lacks = found.with_tables({"subgroup_differences": ()})
    assert section(lacks) == section(found)


def test_few_cases_are_said():
    sizes = np.array(["big"] * 220 + ["twelve"] * 12 + ["eight"] * 8)
    found = source({"A": EVEN}, {"size": sizes})
    entries = module.compared(Digest(found).of_choices)
    assert [e.level for e in entries] == ["big", "twelve"]  # a group of 8 has no difference with an interval
    shown = section(found)
    assert re.search(r"size\s*:\s*twelve\s+12\s+few", shown) and "fewer than 10 cases" in str(found.notes[-1])
    assert module.compared(Digest(source({"A": EVEN}, {"site": SITE}, n=15)).of_choices) == []  # no interval is shown at all


def test_one_of_several_models_may_have_no_interval_and_many_rows_are_cut():
    row = SubgroupDifferenceRow(
        "site", "s0", "A", "topk_accuracy", -0.2, -0.3, -0.1, -0.35, -0.05, None, None, "these", 50, 150, None, None, None, None, None,
        False, None,
    )  # fmt: skip
    rows = [row._replace(level=f"s{i}", difference=-0.01 * i, claim="these" if i > 3 else "nobody") for i in range(20)]
    rows += [one._replace(model="B", low=None, high=None, claim="nobody", reason="alike") for one in rows[:1]]
    found = source({"A": EVEN, "B": LOWER}, {"site": SITE}).with_tables({"subgroup_differences": rows})
    digest = Digest(found).of_choices
    entries = module.compared(digest)
    assert plain(heading(found)) == "A is shown to be worse in s19 (site), s18 (site), s17 (site) and 13 more than in the other cases"
    shown = plain(module.table(digest, entries))
    assert "the 15 largest of 20" in shown and "s19" in shown and "s4" not in shown
    few = plain(module.table(digest, [rows[0], rows[-1]]))
    assert "too few for an interval" in few
    many = [row._replace(model=f"M{i}") for i in range(5)]
    assert plain(module.heading(many)).endswith("; so are 2 more models")
