"""Files that pandas wrote with its index: numbers of rows are not the case if another column may be."""

import csv
import re

import pytest
from noted import heard
from refusals import refused

from ugt import cli, io
from ugt._base.axes import Axes
from ugt.io.beside import subgroup_file
from ugt.io.kinds import kind_of_file

CLASSES = ["BKL", "MEL", "NV"]
MEANT = [3, 5, 0, 4, 1, 2]  # the image of each row
FIRST = ["NV", "MEL", "BKL", "NV", "MEL", "BKL"]  # the voted label of each image
WIDE = ["NV,NV,MEL", "MEL,MEL,MEL", "BKL,NV,BKL", "NV,NV,NV", "MEL,BKL,MEL", "BKL,BKL,BKL"]
LEFT = "Left out the column without a name: 'image_id' names the cases."


def indexed(columns, row, index=""):
    """A CSV file with the index of pandas, whose rows are of the images in the order ``MEANT``."""
    return f"{index},{columns}\n" + "".join(f"{i},{row(image)}\n" for i, image in enumerate(MEANT))


def scores(image):
    return f"{image}," + ",".join("0.8" if name == FIRST[image] else "0.1" for name in CLASSES)


def label(image):
    return f"{image},{FIRST[image]}"


def text_ids(image):
    return f"i{image}.png," + scores(image).partition(",")[2]


@pytest.fixture
def write(tmp_path):
    def write(content, name="m.csv"):
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize("index", ["", "Unnamed: 0", "index", "level_0", "Unnamed: 0.1,Unnamed: 0"])
def test_predictions_are_joined_by_the_known_name(write, index):
    row = scores if "," not in index else (lambda image: f"7,{scores(image)}")
    with heard() as said:
        model = io.read_predictions(write(indexed("image_id,BKL,MEL,NV", row, index)), classes=CLASSES)
    found, _ = model.aligned(Axes.of(6, 3, [*range(6)], CLASSES))
    assert [CLASSES[k] for k in found.argmax(axis=1)] == FIRST
    assert any("'image_id' names the cases." in text for text in map(str, said)), said


@pytest.mark.parametrize(
    ("columns", "row", "options"),
    [
        ("image_id,prediction", label, {}),
        ("image_id,net", label, {"model_columns": ["net"]}),
        ("image_id,note,prob_MEL", lambda image: f"{image},n{image},{0.9 if FIRST[image] == 'MEL' else 0.2}", {"positive_class": "MEL"}),
    ],
)
def test_one_column_of_a_model_is_joined_by_the_known_name(write, columns, row, options):
    classes = ["BKL", "MEL"] if options.get("positive_class") else CLASSES
    with heard() as said:
        model = io.read_predictions(write(indexed(columns, row)), classes=classes, **options)
    assert model.case_ids.tolist() == MEANT and LEFT in map(str, said)
    found, _ = model.aligned(Axes.of(6, len(classes), [*range(6)], classes))
    assert (found.argmax(axis=1) == classes.index("MEL")).tolist() == [name == "MEL" for name in FIRST]


def test_an_evaluation_of_files_that_pandas_wrote(write, tmp_path, capsys):
    """The model names the voted label of each image; joined by the numbers of rows it would be right for three of six."""
    truth = write("image_id,r1,r2,r3\n" + "".join(f"{i},{row}\n" for i, row in enumerate(WIDE)), "a.csv")
    model = write(indexed("image_id,BKL,MEL,NV", scores))
    assert cli.main(["evaluate", "--annotations", str(truth), "--predictions", str(model), "--out", str(tmp_path / "out")]) == 0
    assert LEFT in capsys.readouterr().out
    with (tmp_path / "out" / "metrics.csv").open(encoding="utf-8", newline="") as file:
        assert [
            float(row["value"]) for row in csv.DictReader(file) if (row["model"], row["metric"], row["k"]) == ("m", "voted_accuracy", "1")
        ] == [1.0]


def test_annotators_beside_an_index(write):
    read = io.read_annotations(write(indexed("image_id,r1,r2,r3", lambda image: f"{image},{WIDE[image]}")))
    assert read.columns == {"case": ("image_id",), "annotator": ("r1", "r2", "r3")}
    assert read.annotations.axes.case_ids.tolist() == MEANT and LEFT in map(str, read.notes)
    counts = io.read_annotations(write(indexed("study_id,a,b", lambda image: f"{image},{image},1")), format="counts")
    assert counts.annotations.axes.case_ids.tolist() == MEANT and counts.annotations.axes.classes.tolist() == ["a", "b"]


def test_classes_that_are_called_like_cases_are_no_cases(write):
    """A nodule is a finding, too: beside it the numbers of rows are all that can name the cases."""
    read = io.read_annotations(write(",nodule,mass\n0,3,1\n1,2,2\n2,0,4\n"), format="counts")
    assert read.annotations.axes.case_ids.tolist() == [0, 1, 2] and read.annotations.axes.classes.tolist() == ["nodule", "mass"]


def test_subgroups_beside_an_index(write):
    path = write(indexed("image_id,site", lambda image: f"{image},{'ab'[image % 2]}"))
    with heard() as said:
        assert subgroup_file(path).values == {"site": {str(image): "ab"[image % 2] for image in MEANT}}
    assert LEFT in map(str, said)


def test_the_kind_of_a_file_is_told_without_its_index(write):
    assert kind_of_file(write(indexed("image_id,site", lambda image: f"{image},{'ab'[image % 2]}"))) == "subgroups"


ASKED = "case column must be given for a table whose first column may only number its rows"


def test_ids_of_an_unknown_name_are_asked_for(write):
    """Both ways on are followed: the column is named, or the index is."""
    path = write(indexed("bild,r1,r2,r3", lambda image: f"i{image}.png,{WIDE[image]}"))
    refused(
        ASKED + re.escape(" (columns={'case': 'bild'}; if the column without a name names the cases, call it 'case')"),
        io.read_annotations,
        path,
    )
    assert io.read_annotations(path, columns={"case": "bild"}).annotations.axes.case_ids.tolist() == [f"i{image}.png" for image in MEANT]
    model = write(indexed("bild,BKL,MEL,NV", text_ids))
    refused(ASKED + re.escape(" (case_column='bild'; if"), io.read_predictions, model, classes=CLASSES)
    assert io.read_predictions(model, classes=CLASSES, case_column="bild").case_ids.tolist() == [f"i{image}.png" for image in MEANT]
    named = write(indexed("bild,BKL,MEL,NV", text_ids, "case"))
    assert io.read_predictions(named, classes=CLASSES).case_ids.tolist() == [*range(6)]


def test_files_of_annotators_with_an_index(write, capsys):
    """By the numbers of rows, the two would agree on half of the images."""
    anna = write(",bild,befund\n" + "".join(f"{i},f{i}.png,{'ja' if i % 2 == 0 else 'nein'}\n" for i in range(6)), "anna.csv")
    order, said = [3, 5, 0, 4, 1, 2], ["nein", "nein", "ja", "ja", "nein", "nein"]
    ben = write(",bild,befund\n" + "".join(f"{i},f{one}.png,{text}\n" for i, (one, text) in enumerate(zip(order, said))), "ben.csv")
    words = ["agreement", str(anna), str(ben), "--label-column", "befund"]
    assert cli.main(words) == 2 and "(--case-column bild; if the column without a name" in capsys.readouterr().err
    assert cli.main([*words, "--case-column", "bild"]) == 0
    assert re.search(r"percent agreement +0\.833 ", capsys.readouterr().out)


def test_an_index_alone_names_the_cases(write):
    """Remarks, ids that repeat and labels are no ids of cases, so that nothing is asked."""
    for columns, row in [
        ("prediction", lambda image: f"{FIRST[image]}"),
        ("comment,prediction", lambda image: f"no {image},{FIRST[image]}"),
        ("BKL,MEL,NV", lambda image: scores(image).partition(",")[2]),
    ]:
        assert io.read_predictions(write(indexed(columns, row)), classes=CLASSES).case_ids.tolist() == [*range(6)]
    read = io.read_annotations(write(",r1,r2\n0,a,a\n1,b,b\n"))
    assert read.annotations.axes.case_ids.tolist() == [0, 1]


def test_ids_of_one_file_are_named_for_this_file(write, tmp_path, capsys):
    truth = write("image_id,r1,r2,r3\n" + "".join(f"i{i}.png,{row}\n" for i, row in enumerate(WIDE)), "a.csv")
    model = write(indexed("bild,BKL,MEL,NV", text_ids))
    words = ["evaluate", "--annotations", str(truth), "--predictions", str(model), "--out", str(tmp_path / "out")]
    assert cli.main(words) == 2 and "(--case-column FILE=bild, with the name of this file; if" in capsys.readouterr().err
    assert cli.main([*words, "--case-column", f"{model}=bild"]) == 0
    assert "joined by case id: 6 of 6 cases" in capsys.readouterr().out
