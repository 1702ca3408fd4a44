"""`ugt check`: what files are taken for, what they allow, and that every command begins by saying what it read."""

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from noted import texts

from ugt import cli

CLASSES = ("cat", "dog", "ibex")
CASES = [f"c{i}" for i in range(12)]
LABELS = np.arange(48).reshape(12, 4) * 7 % 11 % 3
PROBS = np.round(np.random.default_rng(5).dirichlet(np.ones(3), 12), 6)
LAWS = np.where(np.arange(6) == np.arange(12)[:, None] % 5, 0.5, 0.1)  # of grades 0 to 5


def table(header, rows, sign=","):
    return "\n".join(sign.join(map(str, row)) for row in [header, *rows]) + "\n"


def comma(value):
    return str(value).replace(".", ",")


SCORED = [(case, *row) for case, row in zip(CASES, PROBS.tolist())]
FILES = {
    "labels.csv": table(("case", "annotator", "label"), [(c, f"r{a}", CLASSES[k]) for c, r in zip(CASES, LABELS) for a, k in enumerate(r)]),
    "extra.csv": table(("case", "reader", "grade", "site"), [(c, "ann", CLASSES[LABELS[i, 0]], "Ulm") for i, c in enumerate(CASES)]),
    "wide.csv": table(("case", "reader 1", "reader 2"), [(c, CLASSES[a], CLASSES[b]) for c, (a, b, *_) in zip(CASES, LABELS)]),
    "patient-wide.csv": table(("Patient", "site", "reader 1"), [(c, "Ulm", CLASSES[a]) for c, (a, *_) in zip(CASES, LABELS)]),
    "counts.csv": table(("case", *CLASSES), [(c, *np.bincount(row, minlength=3)) for c, row in zip(CASES, LABELS)]),
    "rank.csv": table(("case", "reader", "ranking"), [(c, r, "cat > dog = ibex") for c in CASES for r in "xy"]),
    "rating.csv": table(("case", "reader", "rating"), [(c, r, i % 5) for i, c in enumerate(CASES) for r in "xy"]),
    "differ.csv": table(("case", "reader", "rating"), [(c, r, i % 5 + (r == "y")) for i, c in enumerate(CASES) for r in "xy"]),
    "guess.csv": table(("case", "rating"), [(c, i % 5 + 0.25) for i, c in enumerate(CASES)]),
    "low.csv": table(("case", *range(6)), [(c, *LAWS[i]) for i, c in enumerate(CASES[:8])]),
    "high.csv": table(("case", *range(6)), [(c, *LAWS[8 + i]) for i, c in enumerate(CASES[8:])]),
    "a.csv": table(("case", *CLASSES), SCORED),
    "part.csv": table(("case", *CLASSES), SCORED[:8]),
    "rest.csv": table(("case", *CLASSES), SCORED[8:]),
    "europe.csv": table(("Fall", *CLASSES), [(row[0], *map(comma, row[1:])) for row in SCORED], ";"),
    "prefix.csv": table(("case", "fold", *(f"prob_{name}" for name in CLASSES)), [(row[0], 1, *row[1:]) for row in SCORED]),
    "models.csv": table(("model", "case", *CLASSES), [(m, *row) for m in "AB" for row in SCORED]),
    "rule.csv": table(("case", "label"), [(c, CLASSES[row[0]]) for c, row in zip(CASES, LABELS)]),
    "long.csv": table(("case", "class", "score"), [(c, k, v) for c, *row in SCORED for k, v in zip(CLASSES, row)]),
    "patients.csv": table(("case", "patient"), [(c, i // 2) for i, c in enumerate(CASES)]),
    "padded.csv": table(("case", "patient"), [(f"c{i:03d}", i // 2) for i in range(12)]),
    "sites.csv": table(("case", "site", "age"), [(c, "Ulm" if i % 2 else "Bonn", 40 + i) for i, c in enumerate(CASES)]),
    "device.csv": table(("case", "device"), [(c, "new" if i % 2 else "old") for i, c in enumerate(CASES)]),
    "blank.csv": "",
    "image.png": b"\x89PNG\r\n\x1a\n\0\0",
}  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    np.savez("ids.npz", probs=PROBS[::-1], ids=CASES[::-1])
    np.savez("bare.npz", scores=PROBS)
    np.save("array.npy", PROBS)
    (tmp_path / "folder").mkdir()
    return tmp_path


@pytest.fixture
def checked(capsys):
    def checked(*words, code=0):
        capsys.readouterr()
        assert cli.main(["check", *map(str, words), "--json"]) == code
        return json.loads(capsys.readouterr().out)

    return checked


TAKEN = {  # what stands beside labels.csv: taken for, layout, columns by role, not used
    "extra.csv": ("labels", "one row per label", {"case": ["case"], "annotator": ["reader"], "label": ["grade"]}, ["site"]),
    "wide.csv": ("labels", "one row per case, one column per annotator", {"case": ["case"], "annotator": ["reader 1", "reader 2"]}, []),
    "rank.csv": ("rankings", "one row per ranking", {"case": ["case"], "annotator": ["reader"], "ranking": ["ranking"]}, []),
    "rating.csv": ("ratings", "one row per rating", {"case": ["case"], "annotator": ["reader"], "value": ["rating"]}, []),
    "a.csv": ("predictions", "one column per class", {"case": ["case"], "class": list(CLASSES)}, []),
    "europe.csv": ("predictions", "one column per class", {"case": ["Fall"], "class": list(CLASSES)}, []),
    "prefix.csv": ("predictions", "one column per class", {"case": ["case"], "class": [f"prob_{name}" for name in CLASSES]}, ["fold"]),
    "models.csv": ("predictions", "one column per class", {"model": ["model"], "case": ["case"], "class": list(CLASSES)}, []),
    "rule.csv": ("predictions", "predicted labels", {"case": ["case"], "label": ["label"]}, []),
    "long.csv": ("predictions", "one row per score", {"case": ["case"], "label": ["class"], "score": ["score"]}, []),
    "ids.npz": ("predictions", "arrays", {"scores": ["probs"], "case_ids": ["ids"]}, []),
    "array.npy": ("predictions", "arrays", {}, []),
    "patients.csv": ("clusters", "one row per case", {"case": ["case"], "cluster": ["patient"]}, []),
    "sites.csv": ("subgroups", "one row per case", {"case": ["case"], "subgroup": ["site", "age"]}, []),
    "device.csv": ("subgroups", "one row per case", {"case": ["case"], "subgroup": ["device"]}, []),
}


@pytest.mark.parametrize("name", TAKEN)
def test_what_a_file_is_taken_for(checked, name):
    """Also if it comes before the annotations that it is joined to."""
    for words in (("labels.csv", name), (name, "labels.csv")):
        first, second = (one for one in checked(*words)["inputs"] if one)
        found = second if words[1] == name else first
        assert (found["taken_for"], found["layout"], found["columns"], found["not_used"]) == TAKEN[name]
        if found["kind"] != "annotations":
            assert (found["joined"]["n_cases"], found["joined"]["n_annotated"]) == (12, 12)
            assert found["joined"]["by"] == ("position" if name == "array.npy" else "case id")


def test_files_without_usual_names_are_annotations_where_none_else_are(checked):
    rows = [(c, who, CLASSES[LABELS[i, a]]) for i, c in enumerate(CASES) for a, who in enumerate("xy")]
    with open("odd.csv", "w", encoding="utf-8") as file:
        file.write(table(("Fall", "Arzt", "Befund"), rows))
    words = ("--case-column", "Fall", "--annotator-column", "Arzt", "--label-column", "Befund")
    first, second = checked("a.csv", "odd.csv", *words)["inputs"]
    assert (first["joined"]["n_cases"], second["taken_for"], second["n_annotators"]) == (12, "labels", 2)


def test_lines_of_a_file_say_all_that_the_json_says(capsys):
    (wide,) = FILES["wide.csv"].splitlines()[1:2]
    text = FILES["wide.csv"].replace(wide, "c0,cat,NA") + "c12,,NA\n"
    with open("gaps.csv", "w", encoding="utf-8") as file:
        file.write(text)
    assert cli.main(["check", "gaps.csv", "array.npy"]) == 2  # 13 cases, 12 rows
    out, err = capsys.readouterr()
    assert "ugt: error: array.npy: scores must have one row for each of the 13 cases" in err
    assert "  not read     as predictions: see the error" in out
    assert cli.main(["check", "gaps.csv", "a.csv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:6] == [
        "gaps.csv",
        "  read as      labels: one row per case, one column per annotator",
        "  columns      'case' (case); 'reader 1', 'reader 2' (annotator)",
        "  cases        13 (1 of them without annotations)",
        "  annotators   2",
        "  labels       23, 1 to 2 per case",
    ]
    assert lines[6].startswith("  classes      3: ") and "  missing      'NA' (2), blank (1): read as not annotated" in lines
    assert "  joined       to gaps.csv by case id: 12 of 13 cases" in lines and "  values       probabilities of 3 classes" in lines


def test_long_lists_say_how_many_are_not_shown(capsys, folder):
    rows = [(f"c{i}", who, f"class {i % 20}") for i in range(40) for who in "xy"]
    (folder / "many.csv").write_text(table(("case", "annotator", "label"), rows), encoding="utf-8")
    assert cli.main(["check", "many.csv"]) == 0
    assert re.search(r"classes      20: (class \d+ \(4\), ){7}class \d+ \(4\) and 12 more", capsys.readouterr().out)


def test_rows_that_are_joined_by_position_name_their_ends(checked):
    _, found = checked("labels.csv", "array.npy")["inputs"]
    assert texts(found)[:2] == [
        "The probabilities of array (6 decimals) are rounded: those of each case were divided by their sum.",
        "The scores of array.npy came without case ids and were joined by position: row 1 is case 'c0', row 12 is case 'c11'.",
    ]


def test_columns_without_names_say_the_order_in_which_they_were_read(checked, capsys, folder):
    (folder / "stages.csv").write_text("case,annotator,label\n1,a,normal\n2,a,mild\n3,a,severe\n", encoding="utf-8")
    np.savez(folder / "bare.npz", probs=np.eye(3), ids=[1, 2, 3])
    said = "The columns of bare{} have no names: they were read in the order mild, normal, severe (if it is another one, "
    assert any(note.startswith(said.format(".npz")) for note in texts(checked("stages.csv", "bare.npz")["inputs"][1]))
    capsys.readouterr()
    cli.main(["evaluate", "--annotations", "stages.csv", "--predictions", "bare.npz", "--n-boot", "20", "--out", "r", "--no-details"])
    assert said.format("") in capsys.readouterr().out
    (folder / "order.txt").write_text("normal\nmild\nsevere\n", encoding="utf-8")
    assert not any("no names" in note for note in texts(checked("stages.csv", "bare.npz", "--classes", "order.txt")["inputs"][1]))


@pytest.mark.parametrize("decimals", [1, 2, 3])
def test_rounded_probabilities_are_said_alike_by_all_commands(checked, capsys, folder, decimals):
    thirds = np.arange(12)[:, None] % 4 == 0  # whose sums are off at every number of decimals
    rows = [(case, *row) for case, row in zip(CASES, np.round(np.where(thirds, 1 / 3, 0.9 * PROBS + 1 / 30), decimals).tolist())]
    for name, some in (("few.csv", rows), ("first.csv", rows[:8]), ("second.csv", rows[8:])):
        (folder / name).write_text(table(("case", *CLASSES), some), encoding="utf-8")
    (found,) = checked("labels.csv", "few.csv")["inputs"][1:]
    assert cli.main(["evaluate", "--annotations", "labels.csv", "--predictions", "few.csv", "--n-boot", "20", "--out", "r"]) == 0
    printed = capsys.readouterr().out.splitlines()
    evaluated = json.loads((folder / "r" / "evaluation.json").read_text(encoding="utf-8"))
    words = ["calibrate", "--annotations", "labels.csv", "--fit", "first.csv", "--apply", "second.csv", "--n-boot", "20", "--out", "c"]
    code = cli.main([*words, "--json"])
    out, err = capsys.readouterr()
    note = f"The probabilities of few ({decimals} decimals) are rounded: those of each case were divided by their sum."
    if decimals > 1:
        assert (found["values"], note in texts(found), note in texts(evaluated)) == ("probabilities", True, True)
        assert note in printed
        assert code == 0 and note.replace("few", "first.csv") in texts(json.loads(out), "reading")
        return
    why = re.search(r"the values of a case add up to .*, not to 1.*; give more digits if they were rounded", found["values"])
    note = f"The scores of model few are not probabilities ({why[0]}): its calibration was not computed."
    assert note in texts(evaluated) and note in printed
    assert code == 2 and re.search(r"--input must be given, because .*\. Got 'auto' \(the values of a case add up to", err)


def test_models_of_a_file_that_differ_are_said_apart(checked, folder):
    rows = [("A", *row) for row in SCORED] + [("B", case, *(9 * x for x in row)) for case, *row in SCORED]
    (folder / "two.csv").write_text(table(("model", "case", *CLASSES), rows), encoding="utf-8")
    (found,) = checked("labels.csv", "two.csv")["inputs"][1:]
    assert re.fullmatch(r"A: probabilities; B: scores \(not probabilities: the values go from .*\)", found["values"])


def test_ids_that_are_written_in_another_way_are_named(checked):
    _, found = checked("labels.csv", "padded.csv")["inputs"]
    assert found["joined"]["n_cases"] == 0 and texts(found) == ["The file has no row for case 'c0' (there is 'c000'; write both alike)."]


REFUSED = {
    "blank.csv": r"blank\.csv: file must not be empty",
    "image.png": r"image\.png: file must be UTF-8 text",
    "folder": r"folder: is a directory",
    "nowhere.csv": r"nowhere\.csv: no such file",
    "counts.csv": r"counts\.csv: --format must be 'wide' .* or 'counts'",
    "patient-wide.csv": r"patient-wide\.csv: columns must be annotators.*leave out: --ignore-columns site; or --annotator-columns names",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_is_refused_and_the_rest_reported(checked, capsys, name):
    found = checked(name, "labels.csv", "patients.csv", code=2)
    assert [one.get("taken_for") for one in found["inputs"]] == [None, "labels", "clusters"] and found["refused"] == 1
    assert re.match(REFUSED[name], found["inputs"][0]["error"]) and found["allows"]
    assert cli.main(["check", name, "labels.csv"]) == 2
    out, err = capsys.readouterr()
    assert re.match("ugt: error: " + REFUSED[name], err) and err.count("\n") == 1 and "Analyses that these files allow:" in out


def test_a_kind_before_a_name_says_what_a_file_is(checked):
    (found,) = checked("subgroups=patients.csv")["inputs"]
    assert (found["taken_for"], found["file"]) == ("subgroups", "patients.csv")
    (found,) = checked("counts.csv", "--format", "counts")["inputs"]
    assert (found["n_annotators"], found["columns"]["class"]) == (None, list(CLASSES))


def test_files_may_come_after_an_option(checked):
    found = checked("rating.csv", "--scale", "0,1,2,3,4,5", "patients.csv")
    assert [one["file"] for one in found["inputs"]] == ["rating.csv", "patients.csv"]


CERTAINTY = "certainty of each case"
FITTED = "calibration, prediction sets"
ALLOWED = [  # files, what is allowed (beside certainty), what is not
    (("labels.csv",), ["agreement of annotators", "Cohen's kappa"], ["evaluation of a model", "intervals over patients"]),
    (("extra.csv",), [], ["agreement of annotators", "evaluation of a model", "intervals over patients"]),
    (("labels.csv", "part.csv", "patients.csv", "sites.csv"), ["evaluation of a model", "intervals over clusters"], [FITTED]),
    (("labels.csv", "part.csv", "rest.csv", "padded.csv"), ["calibration", "prediction sets"], ["intervals over clusters"]),
    (("rank.csv", "a.csv"), ["agreement of annotators", "evaluation of a model"], ["intervals over patients"]),
    (("rating.csv", "--ratings"), ["agreement of annotators"], [CERTAINTY, "evaluation of a model"]),
    (("differ.csv", "guess.csv", "--scale", "real"), [CERTAINTY, "evaluation of a model"], ["intervals over patients"]),
    (("rating.csv", "guess.csv", "--scale", "real"), ["agreement of annotators"], [CERTAINTY, "evaluation of a model"]),
    (("differ.csv", "low.csv", "high.csv", "--scale", "0,1,2,3,4,5"), [CERTAINTY, "calibration", "prediction sets"], []),
    (("counts.csv", "--format", "counts"), ["agreement of annotators"], ["Cohen's kappa, single annotators"]),
]  # fmt: skip


def test_models_of_other_cases_are_left_out_of_the_evaluation(checked):
    rows = {row["what"]: row for row in checked("labels.csv", "part.csv", "a.csv", "rest.csv", "rule.csv")["allows"]}
    row = rows["evaluation of a model"]
    assert row["why"].startswith("3 models on 8 cases; --missing drop") and "rest.csv" not in row["command"]
    assert "part.csv a.csv rule.csv --missing drop" in row["command"]
    with open("away.csv", "w", encoding="utf-8") as file:
        file.write(table(("case", *CLASSES), [(f"away {i}", *row) for i, row in enumerate(PROBS.tolist())]))
    rows = {row["what"]: row for row in checked("labels.csv", "away.csv")["allows"]}
    assert rows["evaluation of a model"]["why"] == "no annotated case has predictions; make the case ids equal in all files"


def test_cases_that_are_equal_as_numbers_are_joined(checked, tmp_path):
    (tmp_path / "l.csv").write_text(
        table(("case", "annotator", "label"), [(i, r, "xy"[i % 2]) for i in range(4) for r in "ab"]), encoding="utf-8"
    )
    (tmp_path / "p.csv").write_text(table(("case", "x", "y"), [(f"{i}.0", 0.4, 0.6) for i in range(4)]), encoding="utf-8")
    found = [checked(tmp_path / "l.csv", tmp_path / "p.csv", *more)["allows"] for more in ([], ["--positive-class", "y"])]
    asked, row = (one for allows in found for one in allows if one["what"] == "evaluation of a model")
    assert row["possible"] and row["why"] == "1 model on 4 cases"
    assert not asked["possible"] and "(--positive-class x or --positive-class y)" in asked["why"]


def test_numbers_that_an_evaluation_would_ask_about(checked, tmp_path):
    grades = [(c, r, i % 5) for i, c in enumerate(CASES) for r in "ab"]
    (tmp_path / "kl.csv").write_text(table(("case", "reader", "grade"), grades), encoding="utf-8")
    for top, possible in ((4, True), (5, False)):
        (tmp_path / "m.csv").write_text(table(("case", "grade"), [(c, min(i, top)) for i, c in enumerate(CASES)]), encoding="utf-8")
        rows = {row["what"]: row for row in checked(tmp_path / "kl.csv", tmp_path / "m.csv", "--ordered")["allows"]}
        row = rows["evaluation of a model"]
        assert row["possible"] == possible and bool(row["command"]) == possible
    assert row["why"].startswith("model 'm': --predictions-are must be given: 'numbers'") and "the prediction 5 on a scale" in row["why"]


@pytest.mark.parametrize(("words", "allowed", "not_allowed"), ALLOWED, ids=lambda value: value[0] if value else "none")
def test_what_files_allow_with_commands_that_run(checked, words, allowed, not_allowed):
    rows = checked(*words)["allows"]
    assert {*allowed} <= {row["what"] for row in rows if row["possible"]}
    assert {*not_allowed} <= {row["what"] for row in rows if not row["possible"]}
    for command in dict.fromkeys(row["command"] for row in rows if row["command"]):
        fewer = ["--n-boot", "20", "--no-details"] if " evaluate " in command else []
        assert cli.main([*shlex.split(command)[1:], *fewer, "--quiet"]) == 0, command


def test_commands_begin_with_what_they_read(capsys):
    line = "labels.csv: labels (one row per label): 12 cases, 4 annotators, 3 classes, 48 labels."
    for words in (("certainty", "labels.csv"), ("agreement", "labels.csv", "--n-boot", "20"), ("convert", "labels.csv", "out.npz")):
        assert cli.main([*words]) == 0
        assert capsys.readouterr().out.splitlines()[0] == line
    assert cli.main(["certainty", "labels.csv", "--json"]) == 0
    assert capsys.readouterr().err == f"ugt: {line}\n"
    assert cli.main(["certainty", "labels.csv", "--quiet"]) == 0 and capsys.readouterr() == ("", "")


def test_examples_are_files_that_every_command_reads(capsys, folder, monkeypatch):
    assert cli.main(["example"]) == 0
    out = capsys.readouterr().out
    made = {path.name: path.read_bytes() for path in (folder / "ugt-example").iterdir()}
    readme = made.pop("README.md").decode()
    assert all(f"`{name}`" in readme and name in out for name in made) and "labels.csv: one row per label" in out and "(1,000 rows)" in out
    monkeypatch.chdir(folder / "ugt-example")
    commands = re.findall(r"^ugt (.*)$", readme, re.MULTILINE)
    for command in commands:
        fewer = {"evaluate": ["--n-boot", "20", "--no-details"], "agreement": ["--n-boot", "20"]}.get(command.split()[0], [])
        assert cli.main([*shlex.split(command), *fewer, "--quiet"]) == 0, command
    assert len(commands) > len(made) and {path.name: path.read_bytes() for path in folder.glob("ugt-example/*.csv")} == made


def test_examples_replace_nothing_unless_told(capsys, folder):
    (folder / "here").mkdir()
    (folder / "here" / "labels.csv").write_text("mine", encoding="utf-8")
    for words in ((), ("labels",)):
        assert cli.main(["example", *words, "--out", "here"]) == 2
        assert "without these files (--overwrite replaces them). Got 'here', which has labels.csv." in capsys.readouterr().err
    assert [path.name for path in (folder / "here").iterdir()] == ["labels.csv"]
    assert (folder / "here" / "labels.csv").read_text(encoding="utf-8") == "mine"
    assert cli.main(["example", "ratings", "--out", "here"]) == 0 and cli.main(["example", "labels", "--out", "here", "--overwrite"]) == 0
    assert (folder / "here" / "labels.csv").read_text(encoding="utf-8") != "mine" and len(list((folder / "here").iterdir())) == 2


def test_messages_are_put_into_options_in_one_place():
    """Elsewhere they are in the words of Python."""
    package = Path(cli.__file__).parents[1]
    for path in package.rglob("*.py"):
        if "cli" not in path.parts and path.name not in ("page.py", "svg.py"):  # of style sheets
            assert not re.findall(r"(?<![\w-])--[a-z]\w*", path.read_text(encoding="utf-8")), path


def test_classes_that_look_like_grades_are_said_by_all_commands(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [(c, r, (i + (r == "y")) % 3) for i, c in enumerate(CASES) for r in "xy"]
    Path("kl.csv").write_text(table(("case", "annotator", "label"), rows), encoding="utf-8")
    Path("m.csv").write_text(table(("case", "label"), [(c, i % 3) for i, c in enumerate(CASES)]), encoding="utf-8")
    said = "The classes look like numbers or grades (0, 1, 2), which have an order. They are treated as unordered"
    words = ["evaluate", "--annotations", "kl.csv", "--predictions", "m.csv", "--out", "r", "--n-boot", "20", "--no-details"]
    for command in (["check", "kl.csv"], ["agreement", "kl.csv", "--page", "a.html"], words):
        assert cli.main(command) == 0
        out = capsys.readouterr().out
        assert out.count(said) == 1 and "lowest first, by --ordered)" in out
    assert said in Path("a.html").read_text(encoding="utf-8")
    assert said in " ".join(texts(json.loads(Path("r/evaluation.json").read_text(encoding="utf-8"))))
    for command in (["agreement", "kl.csv", "--weights", "linear"], ["agreement", "kl.csv", "--ordered"], [*words, "--ordered"]):
        assert cli.main(command) == 0
        assert said not in capsys.readouterr().out


def test_numbers_of_a_file_may_be_grades_and_predicted_grades_are_predictions(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [(c, r, (i + (r == "y")) % 5) for i, c in enumerate(CASES) for r in "xy"]
    Path("kl.csv").write_text(table(("Study ID", "Reader", "grade"), rows), encoding="utf-8")
    Path("model.csv").write_text(table(("Study ID", "Predicted grade"), [(c, i % 5) for i, c in enumerate(CASES)]), encoding="utf-8")
    assert cli.main(["check", "kl.csv", "model.csv"]) == 0
    out = capsys.readouterr().out
    assert "'Study ID' (case); 'Reader' (annotator); 'grade' (label)" in out and "'Predicted grade' (label)" in out
    assert "The classes look like numbers or grades (0, 1, 2, 3, ...), which have an order." in out and "by --ordered)" in out
    assert cli.main(["check", "kl.csv", "model.csv", "--ordered"]) == 0
    assert "look like numbers or grades" not in capsys.readouterr().out
