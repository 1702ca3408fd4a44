"""For whom differences, biases and judges' means are shown: these annotators, or others like them, too; the sentences from the rows."""

import math

import numpy as np
import pytest

import ugt
from ugt._base.claims import LeadEnds, claim_of
from ugt.report.judging import html, verdicts

N = 150
CASES = ("cases",)
# annotators, how much better B is, how annotators differ in it
PLANTED = {"others": (8, 1.5, 0.1), "others if normal": (4, 1.5, 0.1), "these": (5, 0.7, 0.9), "nobody": (4, 0.0, 0.1)}


def assessed(n_annotators, gain, spread, seed=1, systems="AB", **options):
    """Grades of every annotator, whose likings of the last system differ, with a judge that is half a grade too high."""
    rng = np.random.default_rng(seed)
    quality, liking = rng.normal(size=N), spread * np.linspace(-1, 1, n_annotators) * math.sqrt(3)
    given = {}
    for i, name in enumerate(systems):
        seen = quality[:, None] + i * gain + (name == systems[-1]) * liking + rng.normal(size=(N, n_annotators))
        labels = ugt.Ratings.from_wide(seen, annotators=[f"p{j}" for j in range(n_annotators)])
        given[name] = labels, {"j": quality + i * gain + 0.5 + 0.5 * rng.normal(size=N)}
    return given, ugt.judges.assess_judges(given, **options)


def no(value):
    return None if math.isnan(value) else value


@pytest.mark.parametrize("whom", PLANTED)
def test_a_difference_is_shown_for_whom_its_intervals_say(whom):
    given, made = assessed(*PLANTED[whom])
    (row,) = made.order
    one, other = (ugt.corrected_mean(labels, judges["j"]) for labels, judges in given.values())
    found = one.minus(other)
    assert (row.low, row.high) == found.interval() and (row.cases_low, row.cases_high) == found.interval(random=CASES)
    assert row.n_even == pytest.approx(PLANTED[whom][0]) and row.n_groups is None
    ends = LeadEnds(row.difference, row.cases_low, row.cases_high, row.low, row.high, row.n_even)
    assert row.whom == whom == claim_of([ends.turned if row.difference < 0 else ends])
    assert row.shown == (whom != "nobody")


@pytest.mark.parametrize("whom", PLANTED)
def test_the_sentence_follows_from_the_rows(whom):
    _, made = assessed(*PLANTED[whom])
    n = PLANTED[whom][0]
    expected = {
        "others": f"for these {n} annotators and for others like them (B above A). ",
        "others if normal": f"for these {n} annotators, and for others only if annotators vary like a normal law, which {n} cannot show "
        "(B above A). ",
        "these": f"for these {n} annotators, not shown for others (B above A). ",
    }  # fmt: skip
    (said,) = verdicts(made)
    if whom == "nobody":
        start = "j: the corrected means show no difference between systems."
        assert said == f"{start} The order that the judge gives is neither confirmed nor refuted."
    else:
        start = "j: the corrected means show 1 of 1 difference between systems: "
        end = "The judge alone gives the same order for 1 of 1."
        kinds = " Kinds of annotators that make up less than 31% of all may be missing." if whom == "others" else ""
        assert said == start + expected[whom] + end + kinds
    page = html(made, {"title": None, "date": "2026-01-02", "version": "0", "level": 0.95})
    shown = {"others": "shown, for others too, as", "others if normal": "shown; for others if normal, as", "these": "shown for these, as"}
    assert said in page and shown.get(whom, "<td>not shown") in page
    heading = {"others": "1 of 1 differences are shown for these annotators, 1 for others too"}
    shown_here = int(whom != "nobody")
    assert heading.get(whom, f"{shown_here} of 1 differences are shown for these annotators, none for others too") in page


def test_differences_with_several_claims_are_said_apart():
    _, made = assessed(8, 0.5, 0.9, systems="ABC")
    assert [row.whom for row in made.order] == ["others", "these", "these"]
    (said,) = verdicts(made)
    assert (
        "3 of 3 differences between systems: for these 8 annotators and for others like them (B above A); for these 8 annotators, " in said
    )
    assert "not shown for others (C above A, C above B). The judge alone gives the same order for 3 of 3. Kinds of annotators" in said


@pytest.mark.parametrize(("n", "spread", "whom"), [(8, 0.2, "others"), (4, 0.2, "others if normal"), (5, 1.2, "these")])
def test_a_mean_of_the_judge_differs_for_whom_the_intervals_say(n, spread, whom):
    rng = np.random.default_rng(4)
    lenience = spread * np.linspace(-1, 1, n)
    quality = rng.normal(size=N)
    labels = ugt.Ratings.from_wide(quality[:, None] + lenience + rng.normal(size=(N, n)), annotators=[f"p{j}" for j in range(n)])
    made = ugt.judges.assess_judges(
        {
            "A": (labels, {"j": quality + 0.6}),
        }
    )
    (row,) = made.means
    ends = LeadEnds(
        row.judge_alone - row.corrected, *(row.judge_alone - end for end in (row.cases_high, row.cases_low, row.high, row.low)), row.n_even
    )
    assert row.differs == whom == claim_of([ends])
    said = verdicts(made)[0]
    both = f"({row.cases_low:.2f} to {row.cases_high:.2f} for these {n} annotators, {row.low:.2f} to {row.high:.2f} for others like them)"
    assert both.replace("-", "−") in said
    words = {
        "others": f"above this mean for these {n} annotators and for others like them. Kinds of annotators that make up less than 31%",
        "others if normal": f"above this mean for these {n} annotators, and for others only if annotators vary like a normal law, which "
        f"{n} cannot show.",
        "these": f"above this mean for these {n} annotators, not shown for others.",
    }
    assert words[whom] in said
    near = ugt.judges.assess_judges({"A": (labels, {"j": quality})})
    assert near.means[0].differs == "nobody" and verdicts(near)[0].endswith("which is not shown to differ.")


def test_one_annotator_shows_what_is_so_for_these_only():
    rng = np.random.default_rng(0)
    quality = rng.normal(size=N)
    given = {name: (ugt.Ratings.from_wide((quality + i + rng.normal(size=N))[:, None]), {"j": quality + i}) for i, name in enumerate("AB")}
    made = ugt.judges.assess_judges(given)
    (row,) = made.order
    assert row.whom == "these" and math.isnan(row.low) and math.isnan(row.n_even) and "no interval over annotators" in row.reason
    assert "for this annotator (B above A). " in verdicts(made)[0] and "others" not in verdicts(made)[0]


def test_biases_are_claimed_by_the_same_rule():
    given, made = assessed(8, 0.7, 0.9, columns={"half": dict(enumerate(np.arange(N) % 2))})
    claims = set()
    for row in made.bias:
        for value, low, high, cases_low, cases_high, whom, shown in (row[4:11], row[11:18]):
            ends = LeadEnds(value, no(cases_low), no(cases_high), no(low), no(high), 8.0)
            assert whom == claim_of([ends.turned if value < 0 else ends]) and shown == (whom != "nobody")
            claims.add(whom)
    assert {"others", "nobody"} <= claims
    pooled = next(row for row in made.bias if (row.column, row.group) == ("system", "A"))
    labels, judges = given["A"]
    gap = (judges["j"][:, None] - np.array(labels.value).reshape(N, 8)).mean()
    assert pooled.bias == pytest.approx(gap)
