"""``ugt preferences`` and ``ugt check``: votes between two models, and logs of judges."""

import json
import random

import pytest
from refusals import refused

from ugt.io.preference_files import preference_file
from ugt.judges import Preferences, strengths

HEAD = "question_id,model_a,model_b,winner,judge\n"


def rows(words):
    generator, strength = random.Random(1), {"p": 2, "q": 1, "r": 0}
    for case in range(30):
        for judge in "abcdefg":
            first, second = generator.sample(sorted(strength), 2)
            apart = strength[first] - strength[second] + generator.gauss(0, 1)
            yield case, first, second, words[2 if abs(apart) < 0.2 else int(apart < 0)], judge


@pytest.mark.parametrize("words", [("model_a", "model_b", "tie (bothbad)"), ("A", "B", "tie"), ("1", "2.0", "both")])
def test_votes(command, write, words):
    given = [*rows(words)]
    write(HEAD + "".join(",".join(map(str, row)) + "\n" for row in given), "votes.csv")
    found = json.loads(command("preferences", "votes.csv", "--json"))
    named = [row[1 + words.index(row[3])] if row[3] != words[2] else "tie" for row in given]
    columns = list(zip(*given))
    slow = strengths(Preferences.from_pairs(columns[1], columns[2], named, annotator=columns[4], case=columns[0]))
    assert [row["model"] for row in found["strengths"]] == slow.order == ["p", "q", "r"]
    assert [row["value"] for row in found["strengths"]] == [row["value"] for row in slow.places()]
    assert found["random"] == ["cases", "annotators"] and found["n_preferences"] == 210


def test_records_and_outcomes(write):
    line = {"id": 1, "model_a": "p", "model_b": "q", "winner": "q", "conversation_a": [{"role": "user"}]}
    read = preference_file(write(json.dumps(line) + "\n", "votes.jsonl"))
    assert read.preferred.tolist() == ["q"] and read.annotator is None and read.case.tolist() == ["1"]
    head = "id,model_a,model_b,winner_model_a,winner_model_b,winner_tie\n"
    assert preference_file(write(head + "1,p,q,0,1,0\n2,p,q,0,0,1\n")).preferred.tolist() == ["q", "tie"]
    refused("row must have one 1 among the columns", preference_file, write(head + "1,p,q,1,1,0\n"))
    refused(
        r"must have columns for the first .*columns=\{'second': \.\.\., 'preferred': \.\.\.\}", preference_file, write("model_a,x\np,q\n")
    )
    refused(r"preferred must be one of the two models .* Got 'r', first at line 3", preference_file, write(HEAD + "1,p,q,p,j\n2,p,q,r,j\n"))
    read = preference_file(write(HEAD + "1,p,q,,j\n2,p,q,p,j\n"))
    assert read.left_out == {"row without a preference": 1} and read.preferred.tolist() == ["p"]


def test_check_knows_votes_and_verdicts(command, write):
    write(HEAD + "1,p,q,p,j\n", "votes.csv")
    write("case,verdict\nc1,good\nc2,bad\n", "judge.csv")
    write("case,judge,score\nc1,j,0.5\nc2,j,1\n", "scores.csv")
    write('{"doc_id": 1, "resps": [["x"]], "acc": 1.0, "metrics": ["acc"]}\n', "samples.jsonl")
    write("case,a,b\nc1,good,bad\nc2,good,good\n", "people.csv")
    printed = command("check", "votes.csv", "judge.csv", "scores.csv", "samples.jsonl", "people.csv")
    assert "votes: one row per vote" in printed and "ugt preferences votes.csv" in printed
    assert "verdicts: lm-evaluation-harness" in printed and "--values bad=X good=X" in printed
    assert "ugt judge people.csv scores.csv" in printed
    alone = command("check", "judge.csv")
    assert "no file has labels or ratings by people" in alone
