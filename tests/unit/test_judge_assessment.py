"""Judges assessed by people: tables, the page, the command."""

import json
import re

import numpy as np
import pytest
from refusals import refused

import ugt
from ugt.report import judging
from ugt.report.judging import html, verdicts

N, LABELLED, PEOPLE = 300, 120, 6


def labels_of(quality, seed, **more):
    """Three labels of each of the first cases, by six people of different leniency."""
    rng = np.random.default_rng(seed)
    case = np.repeat(np.arange(LABELLED), 3)
    who = (np.tile([0, 1, 2], LABELLED) + case) % PEOPLE
    right = quality[case] + np.linspace(-0.5, 0.5, PEOPLE)[who] + rng.logistic(size=len(case)) > 0
    return ugt.Ratings.from_long(case, np.char.add("p", who.astype(str)), right * 1.0, cases=np.arange(N), **more)


def systems(kinder=0.0):
    rng = np.random.default_rng(5)
    found = {}
    for i, name in enumerate(("A", "B")):
        quality = rng.normal(2.0 * i, 1.0, N)
        found[name] = labels_of(quality, i), {"j": (quality + rng.logistic(size=N) > -kinder) * 1.0, "rule": (quality > 1) * 1.0}
    return found


@pytest.fixture(scope="module")
def made():
    columns = {"topic": dict(enumerate(np.array(["law", "health"])[np.arange(N) % 2])), "length": dict(enumerate(range(N)))}
    return ugt.judges.assess_judges(systems(), columns=columns)


def row(rows, **wanted):
    (found,) = [one for one in rows if all(getattr(one, name) == value for name, value in wanted.items())]
    return found


def test_means_and_order_are_corrected_means(made):
    known = systems()
    means = {name: ugt.corrected_mean(labels, judges["j"]) for name, (labels, judges) in known.items()}
    found = row(made.means, judge="j", system="A")
    assert [found.corrected, found.judge_alone, found.tuning] == [means["A"].value, means["A"].judge, means["A"].tuning]
    assert (found.low, found.high) == means["A"].interval()
    assert (found.cases_low, found.cases_high) == means["A"].interval(random=("cases",))
    assert found.people_alone == means["A"].without_judge.value
    pair = row(made.order, judge="j")
    assert (pair.low, pair.high) == means["A"].minus(means["B"]).interval()
    assert pair.shown
    assert pair.survives
    assert pair.difference < 0


def test_distances_are_those_of_the_functions(made):
    labels, judges = systems()["A"]
    found = row(made.distance, judge="rule", system="A")
    test = ugt.humans.alternative_annotator_test(labels, judges["rule"])
    assert (found.winning_rate, found.advantage, found.passed) == (test.winning_rate, test.value, test.passed)
    assert found.ratio == ugt.discrepancy_ratio(labels, judges["rule"], distance="zero-one").value
    assert found.increase == ugt.papers.individual_equivalence_index(labels, judges["rule"], distance="zero-one").value
    people = row(made.people, system="A")
    assert people.alpha == ugt.krippendorff_alpha(labels, level="interval").value
    assert (people.n_annotators, people.n_several) == (PEOPLE, LABELLED)


def test_biases_are_means_of_score_less_label(made):
    labels, judges = systems()["A"]
    at = np.repeat(np.arange(N), np.diff(labels.offsets))
    gap = judges["rule"][at] - labels.value
    by_case = np.bincount(at, gap, N)[:LABELLED] / 3
    assert row(made.bias, judge="rule", column="system", group="A").bias == pytest.approx(by_case.mean(), abs=1e-12)
    law = np.concatenate([by_case[::2], np.bincount(at, systems()["B"][1]["rule"][at] - systems()["B"][0].value, N)[:LABELLED:2] / 3])
    found = row(made.bias, judge="rule", column="topic", group="law")
    assert found.bias == pytest.approx(law.mean(), abs=1e-12)
    assert found.n_labelled == LABELLED
    assert len([one for one in made.bias if one.column == "length" and one.judge == "j"]) == 3  # thirds of 300 numbers
    health = row(made.bias, judge="rule", column="topic", group="health")
    assert found.apart == pytest.approx(found.bias - health.bias, abs=1e-12) == -health.apart
    assert (found.apart_low, found.apart_high) == pytest.approx((-health.apart_high, -health.apart_low), abs=1e-12)
    said = row(made.by_score, judge="j", score="1")
    assert said.low < said.people < said.high


def test_new_labels_go_where_cases_and_spread_are(made):
    for rows in (made.next_labels[:2], made.next_labels[-2:]):
        weight = np.array([one.n_cases * one.std for one in rows])
        assert np.allclose([one.share for one in rows], weight / weight.sum(), rtol=0, atol=1e-12)
    found = row(made.widths, judge="j", system="A")
    labels, judges = systems()["A"]
    mean = ugt.corrected_mean(labels, judges["j"])
    (low, high), now = mean.interval(), mean.expected_width(PEOPLE)
    assert found.now == high - low  # the page has both
    assert found.more_annotators / found.now == pytest.approx(mean.expected_width(2 * PEOPLE) / now)
    assert found.more_cases / found.now == pytest.approx(mean.expected_width(PEOPLE, 2 * LABELLED) / now)


def test_a_kind_judge_is_found():
    found = ugt.judges.assess_judges(systems(kinder=3.0))
    assert row(found.bias, judge="j", column="system", group="A").shown
    assert row(found.bias, judge="j", column="system", group="A").bias > 0.2
    assert "The judge alone" in verdicts(found)[0]


def test_a_bias_by_length_shows_where_annotators_differ():
    """Lenient annotators hide it in each group, and cancel between groups."""
    rng = np.random.default_rng(3)
    case, long = np.repeat(np.arange(200), 2), np.arange(200) % 2
    who = (case // 2 + np.tile([0, 1], 200)) % 4
    said = rng.normal(size=200)[case] + np.array([-2.0, -1.0, 1.0, 2.0])[who] + rng.normal(size=400)
    found = ugt.judges.assess_judges(
        {"A": (ugt.Ratings.from_long(case, who, said), {"j": 1.5 * long})}, columns={"long": dict(enumerate(long))}
    )
    own = row(found.bias, group="1")
    assert (own.apart_whom, own.apart_shown) == ("others if normal", True)
    assert own.low < 0 < own.high and own.whom in ("these", "nobody")  # these four may be lenient or strict
    assert own.apart == pytest.approx(1.5, abs=0.5)


def test_systems_whose_cases_are_in_another_order_or_read_by_others_are_compared():
    rng = np.random.default_rng(4)
    quality, people = rng.normal(size=N), np.array(["ann", "bob", "cid", "dee"])
    known = {}
    for name in ("A", "B"):
        case = np.repeat(rng.permutation(N)[:LABELLED], 2)
        who = np.concatenate([rng.permutation(4)[:2] for _ in range(LABELLED)])
        right = (quality[case] + (name == "A") + 0.3 * who + rng.logistic(size=len(case)) > 0) * 1.0
        judge = dict(zip(rng.permutation(N).tolist(), [0.0] * N)) | dict(enumerate((quality + rng.normal(size=N) > 0) * 1.0))
        known[name] = ugt.Ratings.from_long(case, people[who], right), {"j": judge}
    found = ugt.judges.assess_judges(known).order[0]
    assert found.reason == ""
    assert found.low < found.difference < found.high


def test_cases_with_more_chance_to_be_labelled_count_less():
    (labels, judges), chance = systems()["A"], dict(enumerate(np.where(np.arange(N) < 60, 0.8, 0.4)))
    found = ugt.judges.assess_judges({"A": (labels, judges)}, probabilities=chance, columns={"topic": dict.fromkeys(range(N), "all")})
    by_case = labels.means()[:LABELLED]
    weight = 1 / np.array([*chance.values()])[:LABELLED]
    bias = weight @ (judges["rule"][:LABELLED] - by_case) / weight.sum()
    assert row(found.bias, judge="rule", column="topic").bias == pytest.approx(bias, abs=1e-12)
    assert row(found.means, judge="rule").corrected == ugt.corrected_mean(labels, judges["rule"], probabilities=chance).value
    strata = ugt.judges.assess_judges({"A": (labels, judges)}, strata=dict(enumerate(np.arange(N) % 3)))
    assert row(strata.means, judge="j").corrected == ugt.corrected_mean(labels, judges["j"], strata=np.arange(N) % 3).value


def test_one_annotator_has_intervals_over_cases_only():
    labels = ugt.Ratings.from_wide(np.where(np.arange(60) < 30, np.arange(60) % 2, np.nan)[:, None].tolist())
    found = ugt.judges.assess_judges({"A": (labels, {"j": np.tile([0.0, 1.0, 1.0], 20)})})
    one = found.means[0]
    assert one.notes[-1].text == "one annotator: how annotators differ is not known."
    assert (one.low, one.high) == (one.cases_low, one.cases_high)
    assert found.distance[0].reason
    assert np.isnan(found.people[0].alpha)
    assert "–" in html(found, {"title": None, "date": "2026-01-01", "version": "0", "level": 0.95})


def test_systems_are_compared_on_the_cases_that_the_judge_scored_on_both():
    """One failure of the judge does not take the order away."""
    known = systems()
    scores = {case: score for case, score in enumerate(known["B"][1]["j"].tolist()) if case not in (3, 200)}
    given = {"A": (known["A"][0], {"j": known["A"][1]["j"]}), "B": (known["B"][0], {"j": scores})}
    refused(
        "j on B: judge must have a score for every case .*Got none for 2 of 300 cases, first at case 3", ugt.judges.assess_judges, given
    )
    found = ugt.judges.assess_judges(
        given, missing="drop", clusters=dict(enumerate(np.arange(N) // 4)), strata=dict(enumerate(np.arange(N) % 2))
    )
    left_out = "1 labelled case without a score of the judge was left out: the mean is of the cases that it scored."
    assert [left_out in map(str, one.notes) for one in found.means] == [False, True]
    kept = np.array([case for case in range(N) if case not in (3, 200)])
    means = []
    for name in "AB":
        one = known[name][0]
        rows = np.isin(np.repeat(np.arange(N), np.diff(one.offsets)), kept)
        case, who = np.repeat(np.arange(N), np.diff(one.offsets))[rows], one.annotators[one.annotator[rows]]
        labels = ugt.Ratings.from_long(case, who, one.value[rows], cases=kept)
        means.append(ugt.corrected_mean(labels, known[name][1]["j"][kept], strata=kept % 2))
    (pair,) = found.order
    expected = means[0].minus(means[1])
    assert pair.difference == pytest.approx(expected.value, rel=1e-12)
    np.testing.assert_allclose([pair.low, pair.high], expected.interval(clusters=kept // 4), rtol=1e-12)
    assert (pair.n_cases, pair.n_all, pair.survives) == (298, 300, True)
    assert pair.judge_alone == pytest.approx(means[0].judge - means[1].judge)
    page = html(found, {"title": None, "date": "2026-01-02T03:04", "version": "0.1.0", "level": 0.95})
    assert (
        "shown, for others too, as by the judge (298 of 300 cases)" in page
        and "Cases that the judge scored on one of the two systems only" in page
    )


def test_groups_are_the_same_in_all_systems_and_hold_all_cases():
    """Thirds of a column or score are cut once; most scores may be alike, and numbers may differ in late digits only."""
    rng = np.random.default_rng(6)
    cases = np.arange(200)
    given = {}
    for name, size in (("A", 200), ("B", 190)):
        case, quality = np.repeat(np.arange(80), 2), rng.normal(-0.6, 1, size)
        labels = ugt.Ratings.from_long(case, np.tile(["p", "q"], 80), (quality[case] + rng.normal(size=160) > 0) * 1.0, cases=cases[:size])
        given[name] = labels, {"j": np.maximum(quality, 0)}
    found = ugt.judges.assess_judges(given, columns={"length": {i: 1_000_000 + i for i in range(200)}})
    assert [one.score for one in found.by_score] == ["up to 0", "above 0"]
    assert sum(one.n_labelled for one in found.by_score) == 160
    zero = np.concatenate([scores["j"][:80] == 0 for _, scores in given.values()])
    labelled = np.concatenate([labels.means()[:80] for labels, _ in given.values()])
    weight = np.repeat([200, 190], 80)  # each labelled case stands for others of its system
    assert found.by_score[0].people == pytest.approx(np.average(labelled[zero], weights=weight[zero]))
    lengths = [one for one in found.bias if one.column == "length"]
    assert [one.group for one in lengths] == ["up to 1.00006e+06", "up to 1.00013e+06", "above 1.00013e+06"]
    assert sum(one.n_labelled for one in lengths) == 160
    assert all(not np.isnan(one.share) for one in found.next_labels)


@pytest.mark.parametrize(("by", "noted"), [(100, True), (-1, True), (0.9, False), (1.4, False)])
def test_scores_of_another_scale_than_labels_are_noted(by, noted):
    """The corrected mean takes any scale; the judge alone, distances and biases do not."""
    labels, judges = systems()["A"]
    (found,) = ugt.judges.assess_judges({"A": (labels, {"j": by * judges["j"]})}).means
    assert any("compare numbers of different scales" in note.text for note in found.notes) == noted
    always, above = np.ones(N), 1 + judges["j"]
    rows = ugt.judges.assess_judges({"A": (labels, {"always": always, "above": above})}).means
    assert [any("different scales" in note.text for note in one.notes) for one in rows] == [False, True]
    if by == 100:
        assert f"scores are from 0 to {by}, labels from 0 to 1: the judge alone" in found.notes[0].text


def test_cells_without_a_value_are_a_group_of_their_own():
    """A blank among lengths does not make a group of each length."""
    labels, judges = systems()["A"]
    lengths = {i: "" if i % 4 == 0 else str(100 + i) for i in range(N - 10)}
    found = [row for row in ugt.judges.assess_judges({"A": (labels, judges)}, columns={"length": lengths}).bias if row.judge == "j"]
    assert [row.group for row in found] == ["up to 197", "up to 293", "above 293", "not stated"]
    assert [row.n_labelled for row in found] == [73, 17, 0, 30]


def test_systems_with_other_cases_have_no_order():
    labels, judges = systems()["A"]
    other = ugt.Ratings.from_wide([[1, 0], [1, 1], [0, 1]] * 10, case_ids=[f"x{i}" for i in range(30)])
    found = ugt.judges.assess_judges({"A": (labels, {"j": judges["j"]}), "B": (other, {"j": np.ones(30)})})
    assert np.isnan(found.order[0].low)
    assert found.order[0].reason == "systems must have cases in common, to be compared. Got none for 'A' and 'B'."


@pytest.mark.parametrize(
    "given, message",
    [
        ({}, r"systems must be a mapping of the name of a system to \(labels, scores of judges\)\. Got none\."),
        (
            {"A": (labels_of(np.zeros(N), 0), {})},
            r"systems must name the judges of each system, as a mapping to their scores\. Got none for 'A'",
        ),
    ],
)
def test_refused(given, message):
    refused(message, ugt.judges.assess_judges, given)
    refused("level must", ugt.judges.assess_judges, {"A": 0}, level=2)


def test_page(made):
    page = html(made, {"title": "<b>judges</b> & co", "date": "2026-01-02T03:04", "version": "0.1.0", "level": 0.95})
    assert "<script" not in page
    assert "&lt;b&gt;judges&lt;/b&gt; &amp; co" in page
    assert len(page.encode()) < 100_000
    assert len(re.findall(r"<section", page)) == 7
    for sentence in verdicts(made):
        assert sentence in page
    assert verdicts(made)[0] == (
        "j: the corrected means show 1 of 1 difference between systems: for these 6 annotators and for others like them (B above A). The "
        "judge alone gives the same order for 1 of 1. Kinds of annotators that make up less than 39% of all may be missing."
    )


# ---- the command


@pytest.fixture
def files(write):
    rng = np.random.default_rng(2)
    quality = rng.normal(size=60)
    words = ("bad", "good")
    people = [("case", "system", "annotator", "label")]
    people += [(i, s, f"p{a}", words[int(quality[i] + a / 3 + rng.logistic() > 0)]) for i in range(40) for s in "AB" for a in range(4)]
    write("\n".join(",".join(map(str, line)) for line in people) + "\n", "people.csv")
    one = [line for line in people if line[1] != "B"]
    write("\n".join(f"{line[0]},{line[2]},{line[3]}" for line in one) + "\n", "one.csv")
    for system in "AB":
        rows = [{"id": i, "scorer": "gpt", "label": words[int(quality[i] > 0)]} for i in range(60)]
        write("".join(json.dumps(row) + "\n" for row in rows), f"{system}.jsonl")
    write("case,a,b\n1,2,3\n", "three.csv")
    write("case,topic\n" + "".join(f"{i},{'law' if i % 2 else 'health'}\n" for i in range(60)), "topics.csv")


WORDS = ("--values", "good=1", "bad=0")


def test_command(files, command, tmp_path):
    said = command("judge", "people.csv", "A=A.jsonl", "B=B.jsonl", *WORDS, "--columns", "topics.csv", "--out", "out")
    assert "people.csv: labels (one row per label): 320 labels by 4 annotators on A, B." in said
    assert "gpt: the corrected means show no difference between systems. The order that the judge gives is neither confirmed nor" in said
    assert re.search(r"\n +corrected mean +same annotators +judge alone +labels alone +labelled\n", said)
    page = (tmp_path / "out" / "judge.html").read_text("utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert (tmp_path / "out" / "means.csv").read_text("utf-8").startswith("judge,system,n_cases,")
    made = (tmp_path / "out" / "bias.csv").read_text("utf-8")
    rows = "".join(f"{i},{'0.5' if i < 40 else '0.2'}\n" for i in range(60))
    (tmp_path / "chance.csv").write_text("case,probability\n" + rows, encoding="utf-8")
    (tmp_path / "halves.csv").write_text("case,stratum\n" + "".join(f"{i},{i // 30}\n" for i in range(60)), encoding="utf-8")
    for words in (("--probabilities", "chance.csv"), ("--strata", "halves.csv")):
        said = command("judge", "people.csv", "A=A.jsonl", "B=B.jsonl", *WORDS, "--columns", "topics.csv", *words, "--out", "weighted")
        assert "topics.csv: columns (one row per case): " in said
        assert f"{words[1]}: {words[0].lstrip('-')} (one row per case): 60 cases, 2 in " in said
        other = (tmp_path / "weighted" / "bias.csv").read_text("utf-8")
        assert (other == made) == (words[0] == "--probabilities")  # all labelled cases have the same probability
        for path in (tmp_path / "weighted").iterdir():
            path.unlink()
        (tmp_path / "weighted").rmdir()
    found = json.loads(command("judge", "one.csv", "A.jsonl", *WORDS, "--json"))
    assert found["means"][0]["n_labelled"] == 40
    assert found["order"] == []


def test_command_with_scores_beside_words_and_failures_of_the_judge(files, write, command):
    """DeepEval and promptfoo write pass or fail beside a score; a case of A has no verdict."""
    for system in "AB":
        rows = [{"id": i, "judge": "gpt", "verdict": "pass", "score": i / 60} for i in range(60) if (system, i) != ("A", 5)]
        write("".join(json.dumps(row) + "\n" for row in rows), f"{system}2.jsonl")
    given = ("judge", "people.csv", "A=A2.jsonl", "B=B2.jsonl", *WORDS)
    assert "gpt on A: judge must have a score for every case (--missing drop leaves the others out). Got none for 1 of 40 cases" in command(
        *given, code=2
    )
    found = json.loads(command(*given, "--missing", "drop", "--json"))
    assert [round(row["judge_alone"], 6) for row in found["means"]] == [round((1770 - 5) / 59 / 60, 6), round(1770 / 60 / 60, 6)]
    assert [row["n_labelled"] for row in found["means"]] == [39, 40]
    assert (found["order"][0]["n_cases"], found["order"][0]["n_all"]) == (59, 60)
    assert 0 <= found["by_score"][0]["low"] <= found["by_score"][0]["high"] <= 1
    said = command(*given, "--missing", "drop")
    assert "gpt on A: its scores are taken, as --values has none of its verdicts 'pass'." in command.err
    assert "Note: gpt on A: 1 labelled case without a score of the judge was left out" in said


@pytest.mark.parametrize(
    "words, message",
    [
        (
            ("one.csv", "A=A.jsonl", "B=B.jsonl", *WORDS),
            "HUMANS must have a column for the system, as there are several: A, B (or choose one",
        ),
        (("people.csv", "C=A.jsonl", *WORDS), "system must have labels of people (choose: --systems A). Got none for C."),
        (("people.csv", "A=A.jsonl"), "--values must be given, the number of each verdict (such as 1 for pass, 0 for fail)."),
        (("people.csv", "A=A.jsonl", "--values", "good"), "--values must give each verdict a number, such as good=1 bad=0. Got 'good'."),
        (("people.csv", "A=A.jsonl", *WORDS, "good=0"), "--values must give each verdict one number. Got 'good=1', 'bad=0', 'good=0'."),
        (("people.csv", "A=A.jsonl", *WORDS, "--judges", "x"), "--judges must be among 'gpt'. Got 'x'."),
        (("people.csv", "A=A.jsonl", *WORDS, "--systems", "x"), "--systems must be among 'A'. Got 'x'."),
        (
            ("people.csv", "A=A.jsonl", *WORDS, "--probabilities", "topics.csv"),
            "--probabilities must hold numbers. Got 'health', first at case",
        ),
        (("people.csv", "A=A.jsonl", *WORDS, "--strata", "people.csv"), "case must occur once"),
        (
            ("people.csv", "A=A.jsonl", *WORDS, "--strata", "three.csv"),
            "--strata must be a file of two columns, one of them case. Got 'a', 'b'.",
        ),
        (("people.csv", "A=A.jsonl", *WORDS, "--fields", "judge"), "--fields must be ROLE=NAME, such as judge=scorer. Got 'judge'."),
        (
            ("people.csv", "three.csv", *WORDS),
            "(name the existing ones: --fields verdict=NAME). Got no verdict or score among 'case', 'a', 'b'.",
        ),
        (("people.csv", "A=A.jsonl", "A=B.jsonl", *WORDS), "JUDGE must name each system once. Got A, A."),
    ],
)
def test_command_refuses(files, command, words, message):
    assert message in command("judge", *words, code=2)


def test_a_ratio_without_an_upper_end_is_said_in_words():
    """Of few people: α may be 0 for others. Once the page could not be made."""
    digits = judging._digits([(0.32, np.inf), (0.3, 0.6)])
    assert judging._ends(digits, 0.32, np.inf) == "0.32 or more" and judging._ends(digits, 0.3, 0.6) == "0.30\xa0to\xa00.60"
    assert judging._digits([(0.32, np.inf)]) == judging._digits([])
