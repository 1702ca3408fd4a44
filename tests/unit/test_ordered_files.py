"""Files of grades and ratings: what the order and the scale of a reader mean in each format, and on the command line."""

import csv
import json

import numpy as np
import pytest
from refusals import refused

import ugt
from ugt import Labels, Ratings
from ugt.cli import main
from ugt.io import read_annotations, read_predictions, write_annotations

WORDS = ["mild", "moderate", "severe"]
LONG = "case,annotator,label\na,x,severe\na,y,mild\nb,x,mild\nb,y,mild\n"
WIDE = "case,x,y\na,severe,mild\nb,mild,mild\n"
TRANSPOSED = "annotator,a,b\nx,severe,mild\ny,mild,mild\n"
COUNTS = "case,count_severe,count_mild\na,1,1\nb,0,2\n"
LABELS = {"long.csv": LONG, "wide.csv": WIDE, "transposed.csv": TRANSPOSED, "counts.csv": COUNTS}
NUMBERS = "case,x,y\na,1,5\nb,3,\n"


@pytest.fixture
def written(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize("name", LABELS)
def test_every_table_of_labels_has_the_order(written, name):
    read = read_annotations(written(name, LABELS[name]), ordered=WORDS).annotations
    assert read.ordered and read.axes.classes.tolist() == WORDS and read.counts().tolist() == [[1, 0, 1], [2, 0, 0]]
    turned = read_annotations(written(name, LABELS[name]), ordered=WORDS[::-1]).annotations
    assert turned.counts().tolist() == [[1, 0, 1], [0, 0, 2]]
    message = r"ordered must name every class, lowest first\. Got mild < moderate, without 'severe', first at (case|column)"
    refused(message, read_annotations, written(name, LABELS[name]), ordered=WORDS[:2])
    refused("the classes, lowest first, .*Got no order, and the class", read_annotations, written(name, LABELS[name]), ordered=True)


def test_numbers_are_grades_or_ratings_as_the_reader_says(written):
    path = written("a.csv", NUMBERS)
    labels = read_annotations(path, format="wide", ordered=True).annotations
    assert labels.grades.tolist() == [1, 3, 5]
    rated = read_annotations(path, scale=[1, 2, 3, 4, 5]).annotations
    assert rated.scale == (1, 2, 3, 4, 5) and rated.to_labels().counts().tolist() == [[1, 0, 0, 0, 1], [0, 0, 1, 0, 0]]
    assert read_annotations(path, scale="real").annotations.scale == "real"
    assert read_annotations(path, format="ratings").annotations.scale is None
    refused(r"Got 5, 1 of 3 off the scale, first at case 'a', annotator 'y'", read_annotations, path, scale=[1, 2, 3, 4])
    refused("cell must be a number. Got 'severe', first at line 2, column 'x'", read_annotations, written("b.csv", WIDE), scale="real")
    halves = written("c.csv", "case,x,y\na,1.5,2\nb,1,\n")
    assert read_annotations(halves, scale=[1, 1.5, 2]).annotations.to_labels().grades.tolist() == [1, 1.5, 2]
    assert read_annotations(halves, format="wide", ordered=True).annotations.axes.classes.tolist() == ["1", "1.5", "2"]
    refused(r"without '1\.5' \(it is between two grades", read_annotations, halves, format="wide", ordered=[1, 2])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scale": [1, 2], "ordered": [1, 2]}, r"scale must be left out with ordered="),
        ({"scale": [1, 2], "format": "wide"}, "format must be 'auto' or 'ratings' with scale. Got 'wide'"),
        ({"format": "ratings", "ordered": [1, 2]}, r"ordered must be left out for ratings \(state their scale by scale=\)"),
    ],
)
def test_options_that_contradict_each_other(written, options, message):
    refused(message, read_annotations, written("a.csv", NUMBERS), **options)


def test_rankings_have_no_order_and_no_scale(written):
    path = written("a.csv", "case,annotator,ranking\na,x,mild > severe\n")
    refused("ordered must be left out for rankings", read_annotations, path, ordered=["mild", "severe"])
    refused("be left out for rankings|ratings", read_annotations, path, scale="real")


def test_frames_keep_the_order_of_their_categories():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"case": ["a", "b"], "annotator": "x", "label": pd.Categorical(["severe", "mild"], WORDS, ordered=True)})
    wide = pd.DataFrame({"x": frame.label, "y": frame.label}, index=["a", "b"])
    for table, options in ((frame, {}), (wide, {"format": "wide"})):
        read = read_annotations(table, **options)
        assert read.annotations.ordered and read.annotations.axes.classes.tolist() == WORDS
        assert any("Read the ordered categories as grades, in the order mild < moderate < severe" in one for one in map(str, read.notes))
        again = read_annotations(table, ordered=True, **options)
        assert again.annotations.ordered and not any("categories" in one for one in map(str, again.notes))
        without = read_annotations(table, ordered=False, **options)
        assert not without.annotations.ordered and not any("categories" in one for one in map(str, without.notes))


def test_tables_of_other_programs(tmp_path):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    column = pd.Categorical(["severe", "mild"], WORDS, ordered=True)
    frame = pd.DataFrame({"item": ["a", "b"], "annotator": "x", "label": column})
    frame.to_parquet(tmp_path / "a.parquet")
    assert read_annotations(tmp_path / "a.parquet").annotations.axes.classes.tolist() == WORDS
    assert read_annotations(tmp_path / "a.parquet").annotations.ordered
    assert not read_annotations(tmp_path / "a.parquet", ordered=False).annotations.ordered
    frame.assign(label=column.as_unordered()).to_parquet(tmp_path / "b.parquet")
    assert not read_annotations(tmp_path / "b.parquet").annotations.ordered
    frame.to_stata(tmp_path / "a.dta", write_index=False)  # labels of values have no order there
    assert not read_annotations(tmp_path / "a.dta").annotations.ordered
    assert read_annotations(tmp_path / "a.dta", ordered=WORDS).annotations.grades.tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    "given",
    [
        Labels.from_wide([["severe", "mild"], ["mild", None]], ordered=WORDS),
        Labels.from_wide([[1, 5], [2, None]], ordered=[5, 4, 3, 2, 1]),
        Labels.from_counts([[3, 0, 1]], ordered=WORDS),
        Ratings.from_wide([[1, 5], [2, None]], scale=[1, 2, 3, 4, 5]),
        Ratings.from_wide([[1, 5], [2, None]], scale="real"),
        Ratings.from_wide([[1, 5], [2, None]]),
    ],
)
def test_npz_holds_the_order_and_the_scale_and_other_files_say_that_they_do_not(tmp_path, given):
    assert write_annotations(tmp_path / "a.npz", given) == ()
    read = read_annotations(tmp_path / "a.npz").annotations
    rated = isinstance(given, Ratings)
    assert getattr(read, "scale" if rated else "ordered") == getattr(given, "scale" if rated else "ordered")
    said = " ".join(write_annotations(tmp_path / "a.csv", given))
    assert ("is not in the file" in said) == (not rated or given.scale is not None)
    option = {"scale": given.scale} if rated else {"ordered": given.axes.classes.tolist()}
    again = read_annotations(tmp_path / "a.csv", **({} if option.get("scale", "") is None else option)).annotations
    assert (again.value.tolist() == given.value.tolist()) if rated else (again.counts().tolist() == given.counts().tolist())
    if not rated:
        assert np.array_equal(read.grades, given.grades) and np.array_equal(again.grades, given.grades)
        turned = given.axes.classes[::-1].tolist()
        assert read_annotations(tmp_path / "a.npz", ordered=turned).annotations.axes.classes.tolist() == turned
        assert not read_annotations(tmp_path / "a.npz", ordered=False).annotations.ordered


def test_damaged_orders_in_npz_files(tmp_path):
    write_annotations(tmp_path / "a.npz", Ratings.from_wide([[1, 5]], scale=[1, 5]))
    arrays = dict(np.load(tmp_path / "a.npz"))
    np.savez(tmp_path / "b.npz", **{**arrays, "scale": np.array([1.0, 4.0])})
    refused("every rating must be on the scale 1 < 4", read_annotations, tmp_path / "b.npz")
    np.savez(tmp_path / "c.npz", **{**arrays, "ordered": np.array(True)})
    refused("file must hold the arrays", read_annotations, tmp_path / "c.npz")


def test_a_mapping_may_hold_the_order(written):
    path = written("a.csv", LONG)
    assert read_annotations(path, mapping={"ordered": WORDS}).annotations.ordered
    refused("mapping: ordered must be true or a list. Got 'mild'", read_annotations, path, mapping={"ordered": "mild"})
    refused("mapping: scale must be 'real' or a list. Got 5", read_annotations, path, mapping={"scale": 5})


@pytest.mark.parametrize(
    ("name", "content", "words", "line"),
    [
        ("a.csv", LONG, ["--ordered", "mild,moderate,severe"], "3 grades, in the order mild < moderate < severe, 4 labels."),
        ("a.csv", NUMBERS, ["--ordered", "5,4,3,2,1", "--format", "wide"], "5 grades, in the order 5 < 4 < 3 < 2 < 1, 3 labels."),
        ("a.csv", NUMBERS, ["--format", "wide", "--ordered"], "3 grades, in the order 1 < 3 < 5, 3 labels."),
        ("a.csv", NUMBERS, ["--scale", "1,2,3,4,5"], "3 ratings, scale 1 < 2 < 3 < 4 < 5."),
        ("a.csv", NUMBERS, ["--scale", "real"], "3 ratings, scale real numbers."),
        ("a.csv", NUMBERS, ["--ratings"], "3 ratings, scale not stated."),
        ("a.csv", 'case,annotator,label\na,x,"a, b"\na,y,c\n', ["--ordered", '"a, b",c'], "2 grades, in the order a, b < c, 2 labels."),
    ],
)
def test_commands_say_what_was_understood(written, capsys, tmp_path, name, content, words, line):
    path = written(name, content)
    main(["agreement", str(path), *words])
    assert capsys.readouterr().out.splitlines()[0].endswith(line)
    main(["convert", str(path), str(tmp_path / "b.npz"), *words])
    assert capsys.readouterr().out.splitlines()[0].endswith(line)
    main(["check", str(path), *words])
    out = capsys.readouterr().out
    assert ("grades       in the order" in out) == ("--ordered" in words) and ("scale        " in out) == ("--ordered" not in words)
    assert f"ugt agreement {path} " in out  # and the options of reading follow, in a form that can be run again
    command = next(one for one in out.splitlines() if "ugt agreement" in one)
    assert all(word in command for word in words[:1])


def test_check_says_how_grades_and_ratings_are_stated(written, capsys):
    main(["check", str(written("a.csv", LONG.replace("b,y,mild", "b,y,moderate")))])
    assert "to read them as grades, give their order, lowest first, by --ordered" in capsys.readouterr().out
    main(["check", str(written("a.csv", NUMBERS)), "--ratings"])
    assert "the scale of the ratings is not stated (--scale real, or its numbers, such as --scale 1,2,3,4,5)" in capsys.readouterr().out


def test_check_gives_the_evaluation_of_ratings_and_says_positions_of_columns(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    main(["example", "areas", "--out", "."])
    capsys.readouterr()
    main(["check", "areas.csv", "area-model.csv", "--scale", "real"])
    command = next(line for line in capsys.readouterr().out.splitlines() if "ugt evaluate" in line).split()
    main([*command[1:], "--n-boot", "20", "--no-details"])
    assert "MAE" in capsys.readouterr().out
    main(["example", "severity", "--out", "."])
    rows = np.loadtxt("grader.csv", delimiter=",", skiprows=1, usecols=range(1, 5), encoding="utf-8")
    np.save("bare.npy", rows)
    words = ["--ordered", "absent,mild,moderate,severe", "--n-boot", "20", "--no-details", "--out", "r"]
    main(["evaluate", "--annotations", "severity.csv", "--predictions", "bare.npy", *words])
    assert "The columns of bare have no names: they were taken for the grades absent < mild < moderate < severe." in capsys.readouterr().out
    frame = np.loadtxt("grader.csv", delimiter=",", dtype=str, encoding="utf-8")[:, [0, 4, 2, 1, 3]]  # columns in another order
    (tmp_path / "turned.csv").write_text("\n".join(map(",".join, frame)), encoding="utf-8")
    found = []
    for name in ("grader.csv", "turned.csv"):
        main(["evaluate", "--annotations", "severity.csv", "--predictions", f"m={name}", "--json", *words])
        found.append([row["value"] for row in json.loads(capsys.readouterr().out)["metrics"]])
    assert found[0] == found[1]


def test_the_example_of_grades_is_read_in_its_order(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    main(["example", "severity", "--out", "."])
    main(["check", "severity.csv", "grader.csv", "--ordered", "absent,mild,moderate,severe"])
    out = capsys.readouterr().out
    assert "in the order absent < mild < moderate < severe" in out and "values       probabilities of 4 classes" in out
    scores = read_predictions("grader.csv", classes=["absent", "mild", "moderate", "severe"]).scores
    assert np.abs(scores.sum(axis=1) - 1).max() < 1e-7


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["agreement", "--ordered", "a.csv"], "--ordered: must be classes separated by commas, lowest first, or stand alone at the end"),
        (["agreement", "a.csv", "--scale", "1,two"], "--scale: must be real, or numbers separated by commas"),
        (["agreement", "a.csv", "--scale", "1,2", "--ordered"], "--scale must be left out with --ordered"),
        (["agreement", "a.csv", "--scale", "5,4,3,2,1"], "--scale must be 'real', or at least two ascending finite numbers"),
        (["agreement", "a.csv", "--scale", "1,2,3"], "every rating must be on the scale 1 < 2 < 3"),
        (["agreement", "a.csv", "--ratings", "--format", "wide"], "--format must be left out with --ratings"),
        (["agreement", "a.csv", "--format", "wide", "--ordered", "1,2,3"], "--ordered must name every class"),
    ],
)
def test_commands_refuse(written, capsys, monkeypatch, tmp_path, words, message):
    written("a.csv", NUMBERS)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        raise SystemExit(main(words))
    assert message in capsys.readouterr().err


RATED = "case,annotator,rating\n" + "".join(f"c{i},r{a},{(i + a) % 3 + 1}\n" for i in range(12) for a in range(3))


def test_certainty_of_ratings_of_stated_grades_is_that_of_labels(written, capsys):
    path = str(written("rated.csv", RATED))
    assert main(["certainty", path, "--ratings", "--scale", "1,2,3", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["certainty"]
    assert main(["certainty", str(written("labels.csv", RATED.replace("rating", "label"))), "--ordered", "--json"]) == 0
    assert found == json.loads(capsys.readouterr().out)["certainty"]
    assert found[0]["n_cases"] == 12


def test_certainty_of_a_side_of_a_cut(written, tmp_path, capsys):
    path, out = written("rated.csv", RATED), tmp_path / "cases.csv"
    words = ["certainty", str(path), "--ratings", "--scale", "real", "--cut", "-1.5", "--reliability", "1", "2"]
    assert main([*words, "--out", str(out), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    ratings = read_annotations(path, format="ratings", scale="real").annotations
    one, two = (ugt.truth.rating_certainty(ugt.truth.normal(ratings, reliability=r), -1.5, kind="mean") for r in (1, 2))
    assert [row["value"] for row in found["certainty"]] == [one.value, two.value]
    assert found["certainty"][0]["case_low"] <= one.value <= found["certainty"][0]["case_high"]
    with open(out, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    means = (one.per_case + two.per_case) / 2
    assert [float(row["mean_certainty"]) for row in rows] == sorted(means.tolist())
    assert {row["case"]: float(row["certainty_2"]) for row in rows} == dict(zip(ratings.case_ids.tolist(), two.per_case.tolist()))
    assert main(words) == 0
    assert "the side of -1.5 on which the mean rating of a case lies" in capsys.readouterr().out


def test_prediction_sets_of_ratings_hold_their_grades(written, tmp_path, capsys):
    scores = "case,1,2,3\n" + "".join(f"c{i},0.5,0.3,0.2\n" for i in range(12))
    path, model = str(written("rated.csv", RATED)), str(written("model.csv", scores))
    words = ["--ratings", "--scale", "1,2,3", "--calibrate", model, "--apply", model, "--out", str(tmp_path / "sets"), "--json"]
    assert main(["conformal", "--annotations", path, *words]) == 0
    assert json.loads(capsys.readouterr().out)["data"] == {"n_cases": 12, "n_classes": 3}
