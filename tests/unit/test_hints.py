"""Every hint that the readers of files can print is printed for a file, on which it is then followed with success."""

import io
import json
import re
import shlex

import numpy as np
import pytest
from hints import Printed, sites

from ugt import cli


def table(header, *rows):
    return "\n".join([header, *rows]) + "\n"


def lines(*records):
    return "".join(json.dumps(one) + "\n" for one in records)


def studio(*answers, **task):
    results = [{"type": "choices", "from_name": name, "value": {"choices": chosen}} for name, chosen in answers]
    return json.dumps([{"id": 7, **task, "annotations": [{"completed_by": who, "result": results} for who in (1, 2)]}])


def array(values):
    np.save(buffer := io.BytesIO(), np.array(values))
    return buffer.getvalue()


WIDE = table("case,R1,R2", "p,a,b", "q,a,a", "r,b,b")
PETS = table("case,annotator,label", "p,x,cat", "p,y,dog", "q,x,cat")
SYSTEMS = "case,system,annotator,label\n" + "".join(f"q{i % 2},{s},{a},{s}{i % 2}\n" for i in range(2) for s in "AB" for a in "xy")
NIGHTS = "record,epoch,s1,s2\n" + "".join(f"N{n},{e},{'WR'[e % 2]},{'WR'[(e + n) % 2]}\n" for n in (1, 2) for e in (1, 2, 3))
STUDY = "{},case,rating,truth\n" + "".join(f"{r},c{i},{i % 2 + r % 2},{i % 2}\n" for r in range(4) for i in range(12))
READINGS, TRUTH = STUDY.format("reader").replace(",truth\n", ",other\n"), "key,path,age\n" + "".join(f"c{i},{i % 2},5\n" for i in range(12))
GRADES = [(1, 1, 1), (2, 2, 3), (3, 3, 3), (4, 4, 4), (5, 5, 4), (1, 2, 1), (2, 2, 2), (3, 3, 3), (5, 5, 5), (4, 4, 3)]
LESIONS = "case,ann,bob,eve,lesions\n" + "".join(f"c{i},{a},{b},{c},{1 + i * 7 % 3}\n" for i, (a, b, c) in enumerate(GRADES))
FREE = "case,annotator,label\n" + "".join(f"c{i},w{j},{i * 3 + j}.5\n" for i in range(400) for j in range(3))
TOTALS = table(",count,hate,rude,neither,class,post", "0,3,3,0,0,0,x y", "1,3,1,2,0,1,y z", "2,6,0,6,0,1,z x")
ARGILLA = [{"id": "1", **{f"{q}.responses{end}": v for q in "ab" for end, v in (("", ["x"]), (".users", ["u"]))}}]
IDS = ",".join('"{""ImportId"":""' + name + '""}"' for name in ("start", "_recordId", "QID1", "QID2"))
QUALTRICS = table("StartDate,ResponseId,Q1,Q2", "Start,Id,One?,Two?", IDS, "d,R1,a,b", "d,R2,a,a")
FORM = table("Respondent ID,Start Date,End Date,A,B", "1,9,10,x,y", "2,9,11,x,x")
PEOPLE = "case,annotator,label\n" + "".join(f"q{i},{a},{'good' if i % 2 else 'bad'}\n" for i in range(8) for a in "xy")
JUDGE = "case,judge,verdict\n" + "".join(f"q{i},gpt,{'good' if i % 3 else 'bad'}\n" for i in range(8))
RUNS = JUDGE.replace("verdict", "verdict,run").replace("good\n", "good,1\n").replace("bad\n", "bad,1\n") + "q1,gpt,bad,2\n"
VALUES = "--values good=1 bad=0"
MAPPING = '{"fields": {"case": "a", "annotator": "b[].w", "label": "b[].v"}}'
OBJECTS = lines(*({"case": f"q{i}", "judge": {"name": "gpt"}, "verdict": "good" if i % 3 else "bad"} for i in range(8)))
FOO = {"results": {"results": [
    {"success": True, "score": 1, "vars": {"id": "q", "x": "same"}, "testIdx": i, "promptIdx": 0, "provider": "m"} for i in range(2)
]}}  # fmt: skip

# The files, the command, the hint, and what is then printed. The hint is "OLD -> NEW & BESIDE": options of the command that NEW takes the
# place of, the options that are printed, and others that the second command needs.
HINTS = {
    "ids beside an index": (
        {"f.csv": table(",bild,R1,R2", "0,p.png,a,b", "1,r.png,a,a", "2,q.png,b,b")},
        "agreement f.csv",
        "--case-column bild",
        "'bild' names the cases",
    ),
    "ids of predictions beside an index": (
        {"a.csv": WIDE, "f.csv": table(",bild,a,b", "0,r,.2,.8", "1,p,.9,.1", "2,q,.8,.2")},
        "evaluate --annotations a.csv --predictions f.csv --out out",
        "--case-column f.csv=bild & --positive-class b",
        "3 of 3 cases",
    ),
    "counts beside their total": (
        {"f.csv": TOTALS},
        "agreement f.csv --case-column post",
        "--format counts --annotator-columns hate rude neither",
        r"percent agreement +0\.778 ",
    ),
    "counts beside their total and a label": (
        {"f.csv": TOTALS},
        "agreement f.csv --case-column post --label-column class",
        "--label-column class ->  & --format counts --annotator-columns hate rude neither",
        r"percent agreement +0\.778 ",
    ),
    "a mapping": (
        {"f.jsonl": lines({"a": "p", "b": [{"w": "x", "v": "y"}]}), "m.json": MAPPING},
        "agreement f.jsonl",
        "--mapping m.json",
        "1 case",
    ),
    "one of several controls": (
        {"f.json": studio(("tag", ["a"]), ("mood", ["b"]))},
        "agreement f.json",
        "--label-column tag",
        "2 annotators",
    ),
    "a field of the task": (
        {"f.json": studio(("tag", ["a"]), data={"key": "p"}).replace('"id": 7, ', "")},
        "agreement f.json",
        "--case-column key",
        "1 case",
    ),
    "models of votes": (
        {"f.csv": table("left,right,preferred", "A,B,A", "B,A,A", "A,B,B", "A,C,A", "C,B,C", "B,C,B")},
        "preferences f.csv",
        "--first-column left --second-column right",
        "A",
    ),
    "two verdicts on a case": (
        {"h.csv": PEOPLE, "j.csv": RUNS},
        f"judge h.csv j.csv {VALUES}",
        "--fields repeat=run & --repeats mean",
        "gpt",
    ),
    "readers of a study": ({"f.csv": STUDY.format("who")}, "reader-study f.csv", "--reader-column who", "soft_auroc"),
    "cases of a truth": (
        {"f.csv": READINGS, "t.csv": TRUTH},
        "reader-study f.csv --truth t.csv --truth-column path",
        "--case-column t=key",
        "soft_auroc",
    ),
    "clusters": (
        {"f.csv": WIDE, "c.csv": table("case,family,age", "p,1,5", "q,1,6", "r,2,7")},
        "agreement f.csv --clusters c.csv",
        "--cluster-column family",
        "2 annotators",
    ),
    "cases of clusters": (
        {"f.csv": WIDE, "c.csv": table("key,patient,age", "p,1,5", "q,1,6", "r,2,7")},
        "agreement f.csv --clusters c.csv",
        "--case-column c=key",
        "2 annotators",
    ),
    "cases of subgroups": (
        {"f.csv": WIDE, "s.csv": table("key,site", "p,A", "q,A", "r,B")},
        "check f.csv subgroups=s.csv",
        "--case-column s=key",
        "3 of 3",
    ),
    "a question of Argilla": ({"f.jsonl": lines(*ARGILLA)}, "agreement f.jsonl", "--label-column a", "1 case"),
    "confidence of labels": (
        {"f.csv": table("case,annotator,label,confidence", "p,x,a,.9", "p,y,b,.5")},
        "check f.csv",
        "--format rankings",
        "rankings",
    ),
    "confidence of rankings": (
        {"f.csv": table("case,annotator,label,confidence", "p,x,a,.9", "p,y,b,.5")},
        "check f.csv --format rankings",
        "--format rankings -> --confidence-column ''",
        "labels",
    ),
    "annotators without names": (
        {"f.csv": table("case,label", "p,x", "p,y", "q,x")},
        "agreement f.csv",
        "--annotator-column ''",
        "2 cases",
    ),
    "names of columns": ({"f.csv": table("key,annotator,label", "p,x,a", "p,y,b")}, "agreement f.csv", "--case-column key", "1 case"),
    "another format": ({"f.csv": table("annotator,label", "p,a", "q,b")}, "check f.csv", "--format transposed", "1 case"),
    "rankings": ({"f.csv": table("case,annotator,order", "p,x,a > b", "p,y,b > a")}, "check f.csv", "--ranking-column order", "rankings"),
    "no header": (
        {"f.csv": table("w1,d1,yes", "w2,d1,no", "w1,d2,yes")},
        "check f.csv --annotator-column w1 --case-column d1 --label-column yes",
        "--annotator-column w1 --case-column d1 --label-column yes -> --no-header & --annotator-column 1 --case-column 2 --label-column 3",
        "2",
    ),
    "no header of several files": (
        {"a.csv": table("A1,N", "A2,A", "A3,N"), "b.csv": table("A1,A", "A2,A", "A3,N")},
        "agreement a.csv b.csv",
        "--no-header",
        "3 cases, 2 annotators",
    ),
    "columns of several files": (
        {"a.csv": table("key,ill", "A1,ill", "A2,well"), "b.csv": table("key,ill", "A1,ill", "A2,ill")},
        "agreement a.csv b.csv",
        "--case-column key --label-column ill",
        "2 cases, 2 annotators",
    ),
    "numbers as labels": ({"f.csv": FREE}, "check f.csv", "--scale real", "ratings"),
    "an array of numbers": (
        {"f.npy": array([[0.5, 1.5], [2.5, 2.0]])},
        "agreement f.npy --format wide",
        "--format wide -> --format ratings",
        "ICC",
    ),
    "rows that are repeated, once": ({"f.csv": PETS + "q,x,cat\n"}, "check f.csv", "--duplicates first", "3"),
    "rows that are repeated, each": ({"f.csv": PETS + "q,x,cat\n"}, "check f.csv", "--duplicates count", "4"),
    "files of one role": (
        {"a.csv": table("case,label", "p,1", "q,2"), "b.csv": table("case,value", "p,1", "q,1")},
        "agreement a.csv b.csv",
        "--label-column b=value",
        "2 annotators",
    ),
    "a label in a file": (
        {"a.csv": table("case,label", "p,1", "q,2"), "b.csv": table("case,first,second", "p,1,1", "q,2,1")},
        "agreement a.csv b.csv",
        "--label-column b=first",
        "2 annotators",
    ),
    "sets of ticks": ({"f.csv": PETS + "q,y,cat;dog\n"}, "agreement f.csv", "--ticks sets", "3 classes"),
    "each tick": ({"f.json": studio(("tag", ["a", "b"]))}, "agreement f.json", "--ticks each", "2 classes"),
    "ticks that are labels": (
        {"f.json": studio(("tag", ["a", "b"]))},
        "agreement f.json --ticks each",
        "--ticks each -> --ticks sets",
        "1.000",
    ),
    "ticks that are classes": (
        {"f.csv": PETS + "q,y,cat;dog\n"},
        "check f.csv --ticks each",
        "--ticks each -> --ticks sets",
        "cat [+] dog",
    ),
    "grades that are ratings": (
        {"f.csv": WIDE.replace("a", "1").replace("b", "2").replace("c1se", "case")},
        "check f.csv --ratings --ordered 1,2",
        "--ratings --ordered 1,2 -> --scale 1,2",
        "ratings",
    ),
    "an order beside a scale": (
        {"f.csv": table("case,annotator,value", "p,x,1", "p,y,2")},
        "check f.csv --scale 1,2 --ordered 1,2",
        "--ordered 1,2 -> ",
        "ratings",
    ),
    "a column without a name": (
        {"f.csv": table("case,a,,b", "p,x,1,y", "q,y,2,y")},
        "check f.csv",
        "--ignore-columns ''",
        "2 annotators|annotators   2",
    ),
    "chosen columns of rows": (
        {"f.csv": table("id,rater_id,anger,joy", "p,1,1,0", "p,2,0,1", "q,1,1,0")},
        "check f.csv --annotator-columns anger joy",
        "--annotator-columns anger joy -> --label-column anger --case-column id",
        "annotators   2",
    ),
    "a score that is a word": (
        {"h.csv": PEOPLE, "j.csv": JUDGE.replace("verdict", "mark")},
        f"judge h.csv j.csv {VALUES} --fields score=mark",
        "--fields score=mark -> --fields verdict=mark",
        "gpt",
    ),
    "a judge that is an object": (
        {"h.csv": PEOPLE, "j.jsonl": OBJECTS},
        f"judge h.csv j.jsonl {VALUES} --fields judge=judge",
        "--fields judge=judge -> --fields judge=judge.name",
        "gpt",
    ),
    "tests with equal variables": ({"j.json": json.dumps(FOO)}, "check verdicts=j.json", "", "verdicts"),
    "columns of judges": (
        {"h.csv": PEOPLE, "j.csv": JUDGE.replace("case", "key")},
        f"judge h.csv j.csv {VALUES}",
        "--fields case=key",
        "gpt",
    ),
    "a survey": (
        {"f.csv": QUALTRICS},
        "agreement f.csv",
        "--format transposed --annotator-column ResponseId --ignore-columns StartDate",
        "2 annotators",
    ),
    "facts of a survey": (
        {"f.csv": FORM},
        "agreement f.csv --format transposed --annotator-column 'Respondent ID'",
        "--ignore-columns 'Start Date' 'End Date'",
        "2 cases, 2 annotators",
    ),
    "a first column like the others": (
        {"f.csv": table("R1,R2", "a,b", "a,a", "b,b")},
        "agreement f.csv",
        "--case-column ''",
        "3 cases, 2 annotators",
    ),
    "a case alone": ({"f.csv": SYSTEMS}, "check f.csv", "--case-column case", "cases        2"),
    "a case in several columns": ({"f.csv": SYSTEMS}, "check f.csv", "--case-column case system", "cases        4"),
    "epochs of nights": ({"f.csv": NIGHTS}, "check f.csv", "--case-column record epoch", "cases        6"),
    "a case that is a label": (
        {"f.csv": table("Ann,Ben", "a,a", "a,b", "b,b")},
        "agreement f.csv",
        "--case-column ''",
        "3 cases, 2 annotators",
    ),
    "rows that are annotations": (
        {"f.csv": table("im,rater,dx", "p,x,a", "p,y,b", "q,x,a")},
        "check f.csv --format wide",
        "--format wide -> --case-column im",
        "annotators   2",
    ),
    "a long table that is called wide": (
        {"f.csv": table("case,annotator,label", "p,x,a", "p,y,b", "q,x,a")},
        "check f.csv --format wide",
        "--format wide -> ",
        "annotators   2",
    ),
    "another encoding": (
        {"f.csv": WIDE.replace("a", "ä").replace("cäse", "case").encode("cp1252")},
        "check f.csv",
        "--encoding cp1252",
        "ä",
    ),
    "tick boxes": ({"f.csv": table("case,dx___1,dx___2", "p,1,0", "q,0,1")}, "check f.csv", "--format counts", "labels       2"),
    "several questions": (
        {"f.csv": table("case,Hue_1,Hue_2,Rim_1,Rim_2", "p,a,b,x,y", "q,a,a,x,x")},
        "check f.csv",
        "--annotator-columns Hue_*",
        "annotators   2",
    ),
    "what is no annotator": (
        {"f.csv": table("case,R1,R2,microscope", "p,a,b,x1", "q,a,a,x2", "r,b,b,x1")},
        "check f.csv",
        "--ignore-columns microscope",
        "annotators   2",
    ),
    "annotators of any name": (
        {"f.csv": table("case,R1,R2,microscope", "p,a,b,x1", "q,a,a,x2", "r,b,b,x1")},
        "check f.csv",
        "--annotator-columns R1 R2",
        "annotators   2",
    ),
    "an odd annotator": ({"f.csv": LESIONS}, "check f.csv --format wide", "--ignore-columns lesions", "annotators   3"),
    "a decimal comma": ({"f.csv": 'case,annotator,value\np,x,"0,5"\np,y,"1,5"\n'}, "check f.csv", "--decimal ,", "ratings"),
    "points of thousands": ({"f.csv": table("case;annotator;value", "p;x;1.234", "p;y;2.500")}, "check f.csv", "--decimal ,", "ratings"),
    "columns of annotators in predictions": (
        {"f.csv": WIDE},
        "check f.csv --format wide --label-column R1",
        "--label-column R1 -> --annotator-columns R1 R2",
        "annotators   2",
    ),
    "points beside commas": (
        {"f.csv": table("case,annotator,value", "p,x,0.5", "p,y,1.5")},
        "check f.csv --decimal ,",
        "--decimal , -> ",
        "ratings",
    ),
    "models, not classes": (
        {
            "f.csv": WIDE.replace("a", "0").replace("b", "1").replace("c0se", "case"),
            "m.csv": table("case,model_0,model_1", "p,.2,.3", "q,.6,.1"),
        },
        "check f.csv predictions=m.csv --format wide",
        "--model-columns m=model_0 m=model_1 & --positive-class 1",
        "model_0",
    ),
    "models of other names": (
        {"f.csv": WIDE, "m.csv": table("case,net,deep", "p,.2,.3", "q,.6,.1")},
        "check f.csv predictions=m.csv",
        "--model-columns net deep & --positive-class a",
        "net, deep",
    ),
    "one column of two classes": (
        {"f.csv": WIDE, "m.csv": table("case,net", "p,.2", "q,.6")},
        "check f.csv predictions=m.csv --model-columns net",
        "--positive-class a",
        "net",
    ),
    "labels or probabilities": (
        {"f.csv": WIDE, "m.csv": table("case,label,a_x", "p,a,.2", "q,b,.6")},
        "check f.csv predictions=m.csv",
        "--positive-class a & --ignore-columns m=label",
        "probabilit",
    ),
    "probabilities of a class": (
        {"f.csv": WIDE, "m.csv": table("case,score", "p,.2", "q,.6")},
        "check f.csv predictions=m.csv",
        "--positive-class a",
        "probabilit",
    ),
    "names that look alike": ({"f.csv": PETS.replace("q,x,cat", "q,x,Cat")}, "check f.csv", "--merge-names", "classes      2"),
    "codes for none": ({"f.csv": PETS + "q,y,unknown\nq,z,?\n"}, "check f.csv", "--na unknown '?'", "classes      2"),
    "percentages": ({"f.csv": table("case,annotator,label", "p,x,90%", "p,y,80%")}, "check f.csv", "", "classes"),
    "a positive class": (
        {"f.csv": "reader,case,rating,truth\n" + "".join(f"{r},c{i},{i % 3},{'MN'[i % 2]}\n" for r in "ab" for i in range(12))},
        "reader-study f.csv",
        "--positive M",
        "Positive class: M",
    ),
    "the positive class by its name": (
        {
            "f.csv": WIDE.replace("a", "sick").replace("b", "normal").replace("csickse", "case"),
            "m.csv": table("case,net", "p,sick", "q,normal", "r,sick"),
        },
        "evaluate --annotations f.csv --predictions m.csv --model-columns net --no-details --n-boot 5 --out r",
        "--positive-class normal",
        "Results",
    ),
    "a positive class of several": (
        {"f.csv": "reader,case,rating,truth\n" + "".join(f"{r},c{i},{i % 3},{'abc'[i % 3]}\n" for r in "xy" for i in range(12))},
        "reader-study f.csv",
        "--positive c",
        "Positive class: c",
    ),
}


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """``run(files, words)`` returns the exit code and all that is printed, the options of lines that are one."""
    monkeypatch.chdir(tmp_path)

    def go(files, words):
        for name, content in files.items():
            (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        code = cli.main(words)
        return code, "".join(capsys.readouterr())

    return go


def followed(words, hint):
    """Return the words of the command with the hint, and the options that the hint is about."""
    old, _, new = hint.rpartition(" -> ")
    new, _, beside = new.partition(" & ")
    assert old in words
    return shlex.split(f"{words.replace(old, '', 1) if old else words} {new} {beside}"), {
        word for word in shlex.split(new) if word[:2] == "--"
    }


@pytest.mark.parametrize("name", HINTS)
def test_a_hint_is_followed_with_success(name, run):
    files, words, hint, found = HINTS[name]
    _, printed = run(files, shlex.split(words))
    then, options = followed(words, hint)
    assert options <= set(re.findall(r"--[a-z-]+", printed)), printed
    code, printed = run(files, then)
    assert code == 0 and re.search(found, printed), printed


def test_every_hint_is_printed_for_a_file(run, monkeypatch):
    printed = Printed(monkeypatch)
    for files, words, *_ in HINTS.values():
        run(files, shlex.split(words))
    known = {site for own in sites().values() for site, _, _ in own}
    assert sorted(known - printed.found) == []
