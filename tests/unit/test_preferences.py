"""Preferences and strengths: against published software, a likelihood in plain Python, and what must be refused."""

import itertools
import json
import math
import warnings

import numpy as np
import pytest
from refusals import refused

import ugt
from ugt.cli import main

CASES = ("cases",)
V, ROWS = 120, np.arange(120)
FIRST = ROWS * 7 % 4
SECOND = (FIRST + 1 + ROWS * 5 % 3) % 4
WINNER = np.where(4 + (FIRST < SECOND) > ROWS * 11 % 7, FIRST, SECOND)
TIED = ROWS * 13 % 5 == 0
ORDERS = [np.argsort([(j * (k + 3) * 7 + k * 5) % 11 + j * 0.01 for j in range(5)])[: 3 + k % 3].tolist() for k in range(30)]
TOP = [(j * j % 5, [(j * j + 1 + j // 7 % 3) % 5, (j * j + 2 + j // 7 % 3) % 5]) for j in range(30)] + [(2, [0, 1]), (3, [4, 1, 0])]


def pairs(preferred=WINNER, **names):
    return ugt.judges.Preferences.from_pairs(FIRST, SECOND, preferred, **names)


def with_ties():
    names = np.array(list("abcd"))
    return ugt.judges.Preferences.from_pairs(
        names[FIRST], names[SECOND], np.where(TIED, "tie", names[WINNER]), annotator=ROWS % 10, case=ROWS // 4
    )


def in_order(found):
    return found.value[np.argsort(found.models)]


# choix 0.4.1: ilsr_pairwise, ilsr_rankings, ilsr_top1 (tol 1e-14), less their means
CHOIX = {
    "pairs": (pairs(), [0.2569297030816194, 0.2569297030816194, -0.10126810168023723, -0.4125913044830015]),
    "rankings": (
        ugt.judges.Preferences.from_rankings(ORDERS),
        [0.18941512307351008, 0.4843511165907717, 0.05468907315139946, -0.024117307448212118, -0.7043380053674692],
    ),
    "best of a subset": (
        ugt.judges.Preferences.from_rankings([[one] for one, _ in TOP], offered=[[*others, one] for one, others in TOP]),
        [0.8313604699441394, 0.7818768200824953, -1.5600764504171956, -1.3895875974599745, 1.3364267578505356],
    ),
}


@pytest.mark.parametrize("name", CHOIX)
def test_strengths_are_those_of_choix(name):
    preferences, expected = CHOIX[name]
    np.testing.assert_allclose(in_order(ugt.judges.strengths(preferences)), expected, rtol=0, atol=1e-10)


def test_standard_errors_are_those_of_statsmodels():
    """statsmodels 0.15.0: GLM(Binomial), cov_type="cluster", without its correction: the first model against the others."""
    of_annotators = [0.276293105402559, 0.18694985391213328, 0.27944283512143137]
    of_cases = [0.3354071086874723, 0.3158206087241782, 0.3651311304368386]
    for names, expected, g in (({"case": ROWS % 10}, of_annotators, 10), ({"case": ROWS // 4}, of_cases, 30)):
        found = ugt.judges.strengths(pairs(**names))
        errors = [found.difference(k, 0, random=("cases",)).std_error * math.sqrt((g - 1) / g) for k in (1, 2, 3)]
        np.testing.assert_allclose(errors, expected, rtol=1e-10)


def test_davidson_is_the_log_linear_model_of_statsmodels():
    """statsmodels 0.15.0: GLM(Poisson) with a term for each pair: θ less that of the first model, and log ν."""
    found = ugt.judges.strengths(with_ties())
    assert found.model == "davidson" and found.n_cases == 30 and found.n_annotators == 10
    value = in_order(found)
    expected = [0.1286886058598776, -0.3187010496606938, -0.5763001424498313, -0.6683336565878994]
    np.testing.assert_allclose([*(value[1:] - value[0]), math.log(found.tie)], expected, rtol=0, atol=1e-10)


def test_the_maximum_is_one_of_the_likelihood_in_plain_python():
    found = ugt.judges.strengths(with_ties())
    theta, models = dict(zip(found.models.tolist(), found.value.tolist())), "abcd"

    def log_likelihood(theta, tie):
        total = 0.0
        for a, b, w, tied in zip(FIRST, SECOND, WINNER, TIED):
            x, y = (math.exp(theta[models[k]]) for k in (a, b))
            chosen = tie * math.sqrt(x * y) if tied else math.exp(theta[models[w]])
            total += math.log(chosen / (x + y + tie * math.sqrt(x * y)))
        return total

    assert log_likelihood(theta, found.tie) == pytest.approx(found.log_likelihood, rel=1e-12)
    for name, step in itertools.product(models, (-1e-3, 1e-3)):
        assert log_likelihood({**theta, name: theta[name] + step}, found.tie) < found.log_likelihood
    assert max(log_likelihood(theta, found.tie + step) for step in (-1e-3, 1e-3)) < found.log_likelihood


def test_a_sandwich_of_both_is_that_of_cases_and_annotators_less_that_of_their_cells():
    found = ugt.judges.strengths(with_ties())
    one = found.difference("a", "b")
    parts = {}
    for name, unit in (("cases", ROWS // 4), ("annotators", ROWS % 10), ("both", ROWS // 4 * 10 + ROWS % 10)):
        names = np.array(list("abcd"))
        alone = ugt.judges.Preferences.from_pairs(names[FIRST], names[SECOND], np.where(TIED, "tie", names[WINNER]), case=unit)
        of_unit = ugt.judges.strengths(alone)
        parts[name] = of_unit.difference("a", "b", random=("cases",)).std_error ** 2
        np.testing.assert_allclose(getattr(found._spread, name), of_unit._spread.cases, rtol=1e-12, atol=1e-15)
    variance = max(parts["cases"] + parts["annotators"] - parts["both"], parts["cases"], parts["annotators"])
    assert one.std_error == pytest.approx(math.sqrt(variance)) and one.low < one.value < one.high
    assert one.share == pytest.approx(1 / (1 + math.exp(-one.value)))
    back = found.difference("b", "a")
    assert (back.low, back.high) == pytest.approx((-one.high, -one.low))


def test_places_are_those_that_the_data_leave_open():
    rng = np.random.default_rng(4)
    strength = np.array([2.0, 0.0, 0.0, -2.0])
    first = rng.integers(0, 4, 3000)
    second = (first + rng.integers(1, 4, 3000)) % 4
    winner = np.where(rng.random(3000) < 1 / (1 + np.exp(strength[second] - strength[first])), first, second)
    found = ugt.judges.strengths(ugt.judges.Preferences.from_pairs(first, second, winner, annotator=rng.integers(0, 20, 3000)))
    rows = found.places()
    assert [row["model"] for row in rows] == found.order
    assert [(row["best"], row["worst"]) for row in rows] == [(1, 1), (2, 3), (2, 3), (4, 4)]
    assert all((row["low"], row["high"]) == found.interval(row["model"]) for row in rows)


def test_places_are_of_intervals_of_all_pairs_that_hold_together():
    """Of six pairs, each at 1 - 0.05 / 6; some intervals at 0.95 exclude 0 and these do not."""
    found = ugt.judges.strengths(pairs(case=ROWS))
    alone, together = ([[found.difference(a, b, level, random=CASES).low > 0 for b in range(4) if a != b] for a in range(4)]
                       for level in (0.95, 1 - 0.05 / 6))  # fmt: skip
    assert alone != together
    rows = {row["model"]: row for row in found.places(random=CASES)}
    assert [4 - rows[a]["worst"] for a in range(4)] == [sum(row) for row in together]


@pytest.mark.parametrize("how", ["order", "names", "sides"])
def test_what_must_not_change_strengths(how):
    found, order = ugt.judges.strengths(pairs(annotator=ROWS % 10, case=ROWS // 4)), np.random.default_rng(0).permutation(V)
    given = {"annotator": ROWS % 10, "case": ROWS // 4}
    if how == "order":
        turned = ugt.judges.Preferences.from_pairs(FIRST[order], SECOND[order], WINNER[order], **{k: v[order] for k, v in given.items()})
    elif how == "names":
        turned = ugt.judges.Preferences.from_pairs(
            FIRST, SECOND, WINNER, annotator=[f"r{i % 10}" for i in ROWS], case=[f"c{i // 4}" for i in ROWS]
        )
    else:
        turned = ugt.judges.Preferences.from_pairs(SECOND, FIRST, WINNER, **given)
    other = ugt.judges.strengths(turned)
    np.testing.assert_allclose(in_order(other), in_order(found), atol=1e-12)
    assert other.difference(0, 1).high == pytest.approx(found.difference(0, 1).high)


def test_two_of_twenty_say_nothing_about_the_other_eighteen():
    """Two models that are always offered together, and others that beat each other: the first two are not before them."""
    ring = [(f"m{k}", f"m{(k + 1) % 18}") for k in range(18)]
    bridge = [("A", "B"), ("B", "A"), ("A", "m0"), ("m0", "A")]
    found = ugt.judges.strengths(ugt.judges.Preferences.from_rankings([*(["A", "B"] for _ in range(50)), *ring, *bridge]))
    value = dict(zip(found.models.tolist(), found.value.tolist()))
    assert value["A"] == pytest.approx(value["m0"]) and value["B"] < min(value[f"m{k}"] for k in range(18))


def test_models_may_be_numbers_beside_the_word_for_ties():
    found = ugt.judges.Preferences.from_pairs([1, 2, 1], [2, 1, 2], [1, "tie", 2])
    assert (found.models.tolist(), found.tied.tolist()) == ([1, 2], [False, True, False])


@pytest.mark.parametrize(
    ("message", "given"),
    [
        ("second must be another model than first. Got 'A', first at row 1", (["A", "A"], ["B", "A"], ["A", "A"])),
        ("preferred must be first, second or 'tie' of its row. Got 'C', first at row 0", (["A"], ["B"], ["C"])),
        ("preferred must be 2 names, one per preference", (["A", "A"], ["B", "B"], ["A"])),
        ("first must be 1 names, one per preference. Got shape", ("A", ["B"], ["A"])),
        ("tie must be a word that is not the name of a model", (["A"], ["tie"], ["A"])),
        ("first and second must not be missing. Got nan, first at row 1", (["A", float("nan")], ["B", "B"], ["A", "B"])),
    ],
)
def test_pairs_that_cannot_be_read_are_refused(message, given):
    refused(message, ugt.judges.Preferences.from_pairs, *given)


@pytest.mark.parametrize(
    ("message", "given"),
    [
        ("ranked must hold each model once", {"ranked": [["A", "A"]]}),
        ("ranked must be some of two or more offered models. Got .*first at preference 1", {"ranked": [["A", "B"], ["A"]]}),
        ("ranked must be some of two or more offered models", {"ranked": [["C"]], "offered": [["A", "B"]]}),
        ("ranked must be lists of models, one per preference. Got 'A>B', first at preference 0", {"ranked": ["A>B"]}),
        ("ranked must be lists of models, one per preference. Got None", {"ranked": None}),
        ("ranked must be lists of models, one per preference. Got 1, first at preference 0", {"ranked": [1, 2]}),
        (r"ranked must be lists of models, .*, without ties. Got \['B', 'C'\], first at preference 0", {"ranked": [["A", ["B", "C"]]]}),
        ("offered must be lists of models, one per preference. Got 'AB'", {"ranked": [["A", "B"]], "offered": ["AB"]}),
        ("offered must be 1 lists, one per preference. Got 2", {"ranked": [["A", "B"]], "offered": [["A", "B"], ["A", "B"]]}),
        ("offered must be 2 lists, one per preference. Got 1", {"ranked": [["A", "B"]] * 2, "offered": [["A", "B"]]}),
        ("annotator must be 1 ids, one per preference. Got 2", {"ranked": [["A", "B"]], "annotator": ["r", "s"]}),
    ],
)
def test_rankings_that_cannot_be_read_are_refused(message, given):
    refused(message, ugt.judges.Preferences.from_rankings, **given)


PAIRS = ["abcd"[k % 4] + ">" + "abcd"[(k + 1) % 4] for k in range(24)]


def test_rankings_that_may_be_answers_to_offered_pairs_are_refused_unless_all_classes_were_offered(tmp_path, capsys):
    """A ranking of two of four is read as before the other two only if that is said."""
    message = "offered must be 'all' if annotators chose from all 4 classes, so that the other 2 are behind both .*ugt.judges.Preferences"
    case, who = np.arange(24), ["ann"] * 24
    nested = [[[[text[0]], [text[2]]]] for text in PAIRS]
    long = {"case": np.repeat(case, 2), "annotator": who * 2, "label": [text[k] for text in PAIRS for k in (0, 2)], "rank": [1, 2] * 24}
    readers = [
        (ugt.Rankings.from_strings, {"case": case, "annotator": who, "ranking": PAIRS}),
        (ugt.Rankings.from_blocks, {"nested": nested, "classes": list("abcd")}),
        (ugt.Rankings.from_long, long),
    ]
    for read, given in readers:
        refused(message, read, **given)
        assert read(**given, offered="all").n_rankings == 24
        refused("offered must be (one of )?'all'", read, **given, offered="pairs")
    table, document = tmp_path / "pairs.csv", tmp_path / "pairs.json"
    table.write_text("case,annotator,ranking\n" + "".join(f"{i},ann,{text}\n" for i, text in enumerate(PAIRS)), encoding="utf-8")
    document.write_text(json.dumps({"rankings": nested, "classes": list("abcd")}), encoding="utf-8")
    for path in (table, document):
        refused(message, ugt.io.read_annotations, path)
        assert ugt.io.read_annotations(path, offered="all").annotations.n_rankings == 24
        assert main(["certainty", str(path), "--aggregation", "irn"]) and "--offered must be 'all'" in capsys.readouterr().err
        assert not main(["certainty", str(path), "--aggregation", "irn", "--offered", "all"])


def test_pairs_of_which_some_are_tied_may_be_offered_ones():
    refused("offered must be 'all'", ugt.Rankings.from_strings, range(24), ["ann"] * 24, ["a=b", *PAIRS[1:-1], "c=d"])


TIES = [text.replace(">", "=") for text in PAIRS]


@pytest.mark.parametrize("texts", [["a>b>c", *PAIRS[1:]], ["a>b=c", *PAIRS[1:]], ["a", *PAIRS[1:]], PAIRS[:2], TIES])
def test_other_rankings_need_no_such_word(texts):
    assert ugt.Rankings.from_strings(np.arange(len(texts)), ["ann"] * len(texts), texts, classes=list("abcd")).n_rankings == len(texts)


def test_strengths_that_are_not_finite_or_do_not_fit_are_refused():
    refused("preferences must be Preferences. Got list", ugt.judges.strengths, [], error=TypeError)
    refused("preferences must hold at least one preference", ugt.judges.strengths, ugt.judges.Preferences.from_pairs([], [], []))
    never = ugt.judges.Preferences.from_pairs(list("ABC"), list("BAA"), list("ABA"))
    refused("preferences must have models that are both preferred .*'C' never preferred to the others", ugt.judges.strengths, never)
    always = ugt.judges.Preferences.from_pairs(list("AABBC"), list("BCCAB"), list("AACAB"))
    refused("preferences must have models .*'A' never behind the others", ugt.judges.strengths, always)
    between = ugt.judges.Preferences.from_pairs(list("ABBCDEF"), list("BACDEFD"), list("ABBCDEF"))
    refused("preferences must have models .*'A', 'B' never behind the others", ugt.judges.strengths, between)
    apart = ugt.judges.Preferences.from_pairs(list("ABCDCE"), list("BADCED"), list("ABCDCE"))
    refused("preferences must have models .*'A', 'B' never compared with the others", ugt.judges.strengths, apart)
    refused(
        "preferences must hold a preference that is not a tie. Got 2 ties",
        ugt.judges.strengths,
        ugt.judges.Preferences.from_pairs(["A", "B"], ["B", "A"], ["tie"] * 2),
    )
    refused("preferences must have no ties for model 'bradley-terry'", ugt.judges.strengths, with_ties(), model="bradley-terry")
    refused(
        "preferences must be pairs for this model", ugt.judges.strengths, ugt.judges.Preferences.from_rankings(ORDERS), model="davidson"
    )
    refused("model must be one of 'bradley-terry'", ugt.judges.strengths, pairs(), model="elo")
    found = ugt.judges.strengths(pairs())
    refused("annotators must be named for intervals over other annotators .*random=", found.interval, 0)
    refused("model must be one of the 4 models. Got 9", found.interval, 9, random=("cases",))
    alone = ugt.judges.strengths(pairs(annotator=["ann"] * V))
    with pytest.warns(RuntimeWarning, match="one annotator does not show how annotators differ"):
        assert np.isnan(alone.interval(0)).all()


def test_models_of_pairs_agree_without_ties():
    one, other = (ugt.judges.strengths(pairs(), model=model) for model in ("bradley-terry", "plackett-luce"))
    assert np.array_equal(one.value, other.value) and ugt.judges.strengths(pairs(), model="davidson").tie == 0


def recession(first, second, preferred):
    """Whether Davidson's likelihood has a direction of recession, by a linear programme over strengths and log ν."""
    from scipy.optimize import linprog

    names = sorted({*first, *second})
    m, rows = len(names), []
    for a, b, who in zip(first, second, preferred):
        weights = np.zeros((3, m + 1))  # of the outcomes a, b, tie
        i, j = names.index(a), names.index(b)
        weights[0, i] = weights[1, j] = weights[2, m] = 1
        weights[2, [i, j]] = 0.5
        k = 2 if who == "tie" else 0 if who == a else 1
        rows += [weights[k] - weights[other] for other in range(3) if other != k]
    rows = np.array(rows)
    fixed = np.eye(m + 1)[:1]  # one strength is 0
    found = linprog(-rows.sum(axis=0), A_ub=-rows, b_ub=np.zeros(len(rows)), A_eq=fixed, b_eq=[0], bounds=[(-1, 1)] * (m + 1))
    return found.fun < -1e-4  # a direction gains at least some tenths, and old versions of scipy solve to 1e-8 only


def test_strengths_with_ties_are_refused_exactly_if_the_likelihood_has_no_maximum():
    circle = "preferences must have a cycle with more preferences than ties, .*Got {}, {} of them ties"
    one = ugt.judges.Preferences.from_pairs(["A"] * 6, ["B"] * 6, ["A", "tie"] * 3)
    refused(circle.format(6, 3), ugt.judges.strengths, one)
    three = ugt.judges.Preferences.from_pairs(list("AABBA"), list("BBCCC"), ["A", "tie", "B", "tie", "A"])
    refused(circle.format(5, 2), ugt.judges.strengths, three)
    tied_only = ugt.judges.strengths(
        ugt.judges.Preferences.from_pairs(list("ABB"), list("BAC"), ["A", "B", "tie"])
    )  # C is only tied, and is finite
    np.testing.assert_allclose(tied_only.value, 0, atol=1e-9)
    rng, seen = np.random.default_rng(0), set()
    for _ in range(150):
        n = int(rng.integers(2, 9))
        first = rng.choice(list("ABCD"), n)
        second = np.array([rng.choice([one for one in "ABCD" if one != a]) for a in first])
        who = np.where(rng.random(n) < 0.3, "tie", np.where(first < second, first, second))
        who = np.where((rng.random(n) < 0.2) & (who != "tie"), np.where(first < second, second, first), who)
        first, second, who = (np.append(one, extra) for one, extra in zip((first, second, who), (list("ABC"), list("BCD"), ["tie"] * 3)))
        if (who == "tie").all():
            continue
        infinite = recession(first, second, who)
        seen.add(infinite)
        if infinite:
            refused("preferences must have a cycle", ugt.judges.strengths, ugt.judges.Preferences.from_pairs(first, second, who))
        else:
            assert np.abs(ugt.judges.strengths(ugt.judges.Preferences.from_pairs(first, second, who)).value).max() < 10
    assert seen == {True, False}


def test_places_of_few_annotators_are_noted():
    rng = np.random.default_rng(2)
    for n_annotators, noted in ((5, True), (8, False)):
        first = rng.integers(0, 3, 400)
        second = (first + rng.integers(1, 3, 400)) % 3
        names = np.array(["A", "B", "C"])
        preferred = np.where(rng.random(400) < 0.6, names[first], names[second])
        who = np.arange(400) % n_annotators
        found = ugt.judges.strengths(ugt.judges.Preferences.from_pairs(names[first], names[second], preferred, annotator=who))
        for random in (("cases", "annotators"), CASES):
            with warnings.catch_warnings(record=True) as heard:
                warnings.simplefilter("always")
                found.places(random=random)
            said = [str(one.message) for one in heard if "cannot show how others vary" in str(one.message)]
            assert bool(said) == (noted and random != CASES)
