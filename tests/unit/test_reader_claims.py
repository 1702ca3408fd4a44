"""For whom a test, a model or readers are ahead: the rule, its sentences from the record, and the intervals for these readers."""

import json
import math

import numpy as np
import pytest

import ugt
from ugt._base.claims import LeadEnds, claim_of
from ugt.cli.reader_claims import claimed, verdict

CASES = ("cases",)
# readers, the gain of the second test, how readers differ in it: the four verdicts
PLANTED = {"others": (8, 1.0, 0.1), "others if normal": (4, 1.0, 0.1), "these": (5, 0.5, 0.8), "nobody": (4, 0.0, 0.1)}


def planted(n_readers, gain, spread, seed=0, n_tests=2, n=120):
    rng, truth = np.random.default_rng(seed), np.arange(n) % 2
    skill = 1 + np.arange(n_tests)[:, None, None] * gain + spread * rng.normal(size=(n_tests, n_readers, 1))
    x = skill * truth + rng.normal(size=n) + rng.normal(size=(n_tests, n_readers, n))
    return truth, ugt.studies.Readings.from_array(x, tests=list("abc")[:n_tests])


def of_twins(one, others, level):
    """The claim from intervals of two studies: readers and cases random, and cases alone."""
    fixed, both = (found.difference(one.first, one.second).interval(level) for found in others)
    return claim_of([LeadEnds(one.value, *fixed, *both, float(others[0].n_readers))])


@pytest.mark.parametrize("method", ["or", "u"])
@pytest.mark.parametrize("whom", PLANTED)
def test_the_verdict_is_that_of_two_studies(whom, method):
    truth, readings = planted(*PLANTED[whom])
    study = ugt.reader_study(truth, readings, method=method)
    covariance = {} if method == "or" else {"covariance": "unbiased"}
    fixed = ugt.reader_study(truth, readings, random=CASES, **covariance)
    found, (difference,) = study.verdict, study.differences
    lead = study.difference(found.first, found.others[0])
    assert difference.interval(random=CASES) == pytest.approx(fixed.differences[0].interval())
    assert found.whom == whom == of_twins(lead, (fixed, study), 0.95)
    assert (found.low, found.high) == lead.interval(random="cases") and (found.two_way_low, found.two_way_high) == lead.interval()
    assert found.n == study.n_readers and found.missing_share == pytest.approx(1 - 0.05 ** (1 / study.n_readers))
    assert found.undecided == (found.others if whom == "nobody" else ())
    alone = fixed.verdict
    assert alone.whom == ("nobody" if whom == "nobody" else "these") and math.isnan(alone.two_way_low) and math.isnan(alone.n)
    assert ugt.reader_study(truth, readings, random=("readers",)).verdict is None


def ends(low, high, n=2):
    return f"{low:.{n}f} to {high:.{n}f}"


def decimals(found):
    """Decimals by the widths, and so many that no end rounds onto 0."""
    widths = [high - low for low, high in ((found.low, found.high), (found.two_way_low, found.two_way_high)) if high == high]
    n = min(max(1 - math.floor(math.log10(np.median(widths))), 2), 4)
    while any(float(f"{end:.{n}f}") == 0 for end in (found.low, found.high, found.two_way_low, found.two_way_high) if end == end):
        n += 1
    return n


@pytest.mark.parametrize("whom", PLANTED)
def test_sentences_follow_from_the_record(whom):
    truth, readings = planted(*PLANTED[whom])
    found = ugt.reader_study(truth, readings).verdict
    n, r = decimals(found), PLANTED[whom][0]
    these, both = ends(found.low, found.high, n), ends(found.two_way_low, found.two_way_high, n)
    first, other, by = found.first, found.others[0], f"{found.lead:.{n}f}"
    of_these = f"{first} is ahead of {other} for these {r} readers: by {by} ({these} with other cases)"
    expected = {
        "others": [
            f"{first} is ahead of {other}, for these {r} readers and for others like them: by {by} ({both}).",
            f"With other cases and these readers the lead is {these}.",
            "Kinds of readers that make up less than 31% of all may be missing.",
        ],
        "others if normal": [f"{of_these}; for others ({both}) only if readers vary like a normal law, which {r} cannot show."],
        "these": [f"{of_these}; not shown for others ({both})."],
        "nobody": [
            f"{first} and {other} cannot be distinguished, a difference of {by} "
            f"({these} for these {r} readers, {both} for others like them)."
        ],
    }  # fmt: skip
    assert verdict(found) == expected[whom]
    fixed = ugt.reader_study(truth, readings, random=CASES).verdict
    if whom != "nobody":  # the readers are all there are
        m = decimals(fixed)
        by, held = f"{fixed.lead:.{m}f}", ends(fixed.low, fixed.high, m)
        assert verdict(fixed) == [f"{first} is ahead of {other} for these {r} readers: by {by} ({held} with other cases)."]


@pytest.mark.parametrize("whom", PLANTED)
def test_a_margin_is_shown_for_the_same_whom(whom):
    truth, readings = planted(*PLANTED[whom])
    one = ugt.reader_study(truth, readings).difference("b", "a")
    r = PLANTED[whom][0]
    for claim, least in ((one.superiority(), 0.0), (one.superiority(0.02), 0.02), (one.non_inferiority(0.03), -0.03)):
        fixed, both = one.interval(0.9, random=CASES), one.interval(0.9)
        assert (claim.low, claim.cases_low) == (both[0], fixed[0])
        assert claim.whom == claim_of([LeadEnds(one.value, *fixed, *both, float(r))], least)
        assert claim.decision == (both[0] > least)
    width = 1e-9 + max(map(abs, (*fixed, *both)))
    expected = {8: "others"}.get(r, "others if normal")
    assert one.equivalence(width).whom == expected and one.equivalence(width - 2e-9).whom in ("nobody", "these")
    claim = one.non_inferiority(0.03)
    (said, *more) = claimed(claim, "b against a")
    words = {
        "others": f"demonstrated for these {r} readers and for others like them;",
        "others if normal": f"demonstrated for these {r} readers, and for others only if readers vary like a normal law, which {r} cannot "
        "show;",
        "these": f"demonstrated for these {r} readers; not shown for others;",
        "nobody": "not demonstrated (this does not show that it is worse);",
    }
    limits = f"lower limit {claim.cases_low:.4f} with other cases, {claim.low:.4f} for others like them, margin 0.03, one-sided level 0.95."
    assert said == f"Non-inferiority of b against a: {words[claim.whom]} {limits}"
    assert more == (["Kinds of readers that make up less than 31% of all may be missing."] if claim.whom == "others" else [])


def test_the_best_of_three_tests_must_be_ahead_of_all():
    truth, readings = planted(8, 0.5, 0.1, n_tests=3)
    study = ugt.reader_study(truth, readings)
    found = study.verdict
    assert (found.first, found.others, found.whom) == ("c", ("b", "a"), "others")
    assert found.lead == study.difference("c", "b").value
    assert verdict(found)[0].startswith(
        f"c is ahead of the 2 other tests, for these 8 readers and for others like them: by {found.lead:.3f} over b"
    )
    truth, readings = planted(8, 0.0, 0.1, n_tests=3)
    assert ugt.reader_study(truth, readings).verdict.whom == "nobody"


def test_two_readers_show_nothing_of_others():
    truth, readings = planted(2, 1.0, 0.1)
    found = ugt.reader_study(truth, readings).verdict
    assert found.whom == "these" and found.two_way_low > 0
    assert verdict(found)[-1] == "2 readers cannot show how others differ."


def test_tests_with_their_own_readers_count_the_fewest():
    truth, readings = planted(8, 2.0, 0.05)
    rating = readings.rating.copy()
    rating[0, 3:], rating[1, :3] = np.nan, np.nan
    found = ugt.reader_study(truth, ugt.studies.Readings.from_array(rating, tests=["a", "b"])).verdict
    assert found.n == 3 and found.whom == "others if normal"
    assert " for these 3 and 5 readers: by " in verdict(found)[0] and verdict(found)[0].endswith("which 3 cannot show.")


def test_random_annotators_of_the_truth_are_among_the_others():
    truth, readings = planted(8, 1.0, 0.1)
    seen = np.where(np.random.default_rng(1).random((120, 4)) < 0.85, truth[:, None], 1 - truth[:, None])
    labels = ugt.Labels.from_wide(seen, annotators=list("wxyz"), classes=2)
    found = ugt.reader_study(labels, readings).verdict
    assert found.n == pytest.approx(4) and found.whom == "others if normal"
    kinds = "readers and annotators of the truth"
    assert f" for these 8 {kinds[:7]} and 4 annotators of the truth: by " in verdict(found)[0]
    assert verdict(found)[0].endswith(f"only if {kinds} vary like a normal law, which 4 cannot show.")
    fixed = ugt.reader_study(labels, readings, random=("cases", "annotators")).verdict
    assert fixed.whom == "others if normal" and " for these 4 annotators of the truth: by " in verdict(fixed)[0]
    assert (fixed.low, fixed.high) == pytest.approx((found.low, found.high))  # readers and truth as they are
    assert ugt.reader_study(labels, readings, random=CASES).verdict.low == pytest.approx(found.low)


@pytest.mark.parametrize(
    ("noise", "n_readers", "whom"), [(0.3, 8, "others"), (0.3, 4, "others if normal"), (0.9, 8, "nobody"), (9, 8, "others")]
)
def test_a_model_against_readers(noise, n_readers, whom):
    truth, readings = planted(n_readers, 0.0, 0.1, n_tests=1)
    scores = truth + noise * np.random.default_rng(3).normal(size=120)
    one, fixed = (ugt.studies.against_readers(truth, readings, scores, margin=0.05, random=random) for random in (None, CASES))
    found = one.verdict
    assert one.difference.interval(random=CASES) == pytest.approx(fixed.difference.interval())
    assert found.first == ("model" if one.difference.value > 0 else "readers")
    of_first = (one.difference, fixed.difference)
    both, these = (one.interval() if found.first == "model" else tuple(-end for end in one.interval()[::-1]) for one in of_first)
    assert found.whom == whom == claim_of([LeadEnds(found.lead, *these, *both, float(n_readers))])
    named = {"model": "the model", "readers": "the mean of the readers"}
    first, other = named[found.first], named[found.others[0]]
    start = f"T{first[1:]} and {other} cannot" if whom == "nobody" else f"T{first[1:]} is ahead of {other}"
    assert verdict(found, alone=True)[0].startswith(start)
    assert one.claim.whom == claim_of(
        [LeadEnds(0, *fixed.difference.interval(0.9), *one.difference.interval(0.9), float(n_readers))], -0.05
    )


def test_the_command_says_it_and_writes_it(command, write):
    truth, readings = planted(4, 1.0, 0.1)
    rows = [f"{test},r{r},p{i},{readings.rating[t, r, i]},{truth[i]}" for t, test in enumerate("ab") for r in range(4) for i in range(120)]
    write("test,reader,case,rating,truth\n" + "\n".join(rows), "study.csv")
    write("case,score\n" + "\n".join(f"p{i},{truth[i] + 0.01 * (i % 7)}" for i in range(120)), "model.csv")
    study, words = ugt.reader_study(truth, readings), ("study.csv", "--new", "b", "--old", "a", "--margin", "0.05")
    printed, found = command("reader-study", *words), json.loads(command("reader-study", *words, "--json"))
    assert verdict(study.verdict)[0] in printed and claimed(study.non_inferiority("b", "a", 0.05), "b against a")[0] in printed
    assert found["verdict"]["whom"] == found["claim"]["whom"] == "others if normal"
    assert [found["differences"][0][name] for name in ("cases_low", "cases_high")] == pytest.approx(
        study.differences[0].interval(random=CASES)
    )
    assert "_about" not in json.dumps(found)
    assert "The model is ahead of the mean of the readers for these 4 readers: by " in command(
        "reader-study", "study.csv", "--model", "model.csv", "--test", "a"
    )


def test_the_line_on_missing_kinds_is_printed_once(command, write):
    truth, readings = planted(8, 1.0, 0.1)
    rows = [f"{test},r{r},p{i},{readings.rating[t, r, i]},{truth[i]}" for t, test in enumerate("ab") for r in range(8) for i in range(120)]
    write("test,reader,case,rating,truth\n" + "\n".join(rows), "study.csv")
    printed = command("reader-study", "study.csv", "--new", "b", "--old", "a", "--margin", "0.05")
    assert printed.count("for these 8 readers and for others like them") == 2
    assert printed.count("Kinds of readers that make up less than 31% of all may be missing.") == 1


def test_other_populations_are_refused():
    truth, readings = planted(4, 1.0, 0.1)
    with pytest.raises(ValueError, match=r"random must be \('cases',\), or be left out"):
        ugt.reader_study(truth, readings).differences[0].interval(random=("readers",))
