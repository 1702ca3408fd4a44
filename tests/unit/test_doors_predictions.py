"""Predictions that people have: predicted labels, one column for two classes, prefixes, columns that are no class, names of arrays."""

import gzip
import io as buffers
import json
import re

import numpy as np
import pytest
from noted import heard
from refusals import refused

import ugt
from ugt import cli, io
from ugt._base.axes import Axes
from ugt.annotations import Predictions

PETS, TWO = ["cat", "dog", "ibex"], ["benign", "malignant"]
LABELS = "Predicted labels were read as 1 for the label and 0 for every other class: the other classes are tied"
LEFT = "Columns that are not classes were left out: "
SCORES = [[0.5, 0.25, 0.25], [0.25, 0.0, 0.75]]
CAT, IBEX = [1, 0, 0], [0, 0, 1]


def npz(**arrays):
    file = buffers.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def read_for(path, classes, positive_class=None):
    """The scores of the cases p and q in the order of classes, and what was said."""
    with heard() as said:
        model = io.read_predictions(path, classes=classes, positive_class=positive_class)
        scores, _ = model.aligned(Axes.of(2, len(classes), ["p", "q"], classes))
    return scores.tolist(), " ".join(said)


@pytest.fixture
def write(tmp_path):
    def write(content, name="m.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


READ = [
    ("case,label\nq,ibex\np,cat\n", PETS, None, [CAT, IBEX], LABELS),
    ("id,prediction,explanation\nq,ibex,horns\np,cat,purrs\n", PETS, None, [CAT, IBEX], LEFT + "'explanation'."),
    ("case,predicted_class\nq,3\np,1\n", [1, 2, 3], None, [CAT, IBEX], LABELS),
    ("case,pred,confidence\nq,ibex,0.9\np,cat,0.8\n", PETS, None, [CAT, IBEX], LEFT + "'confidence'."),
    ("case,label,cat,dog,ibex\nq,dog,.25,0,.75\np,dog,.5,.25,.25\n", PETS, None, SCORES, LEFT + "'label'."),
    ("case,prob_cat,prob_ibex,prob_dog\nq,.25,.75,0\np,.5,.25,.25\n", PETS, None, SCORES, "Columns of classes are named 'prob_...'."),
    ("case,logit_2,logit_0,logit_1\nq,.75,.25,0\np,.25,.5,.25\n", [0, 1, 2], None, SCORES, "'logit_...'"),
    ("cat (p),dog (p),ibex (p),image\n.25,0,.75,q\n.5,.25,.25,p\n", PETS, None, SCORES, "'... (p)'"),
    (",case,fold,cat,dog,ibex,note\n0,q,1,5,0,15,a\n1,p,2,10,5,5,\n", PETS, None, [[10, 5, 5], [5, 0, 15]], LEFT + "'fold', 'note'."),
    ("case,age,cat,dog,ibex\nq,50,.25,0,.75\np,61,.5,.25,.25\n", PETS, None, SCORES, LEFT + "'age'."),
    ("case,probability\nq,0.25\np,0.75\n", TWO, "malignant", [[0.25, 0.75], [0.75, 0.25]], ""),
    ("case,P(x)\nq,0.25\np,0.75\n", TWO, "benign", [[0.75, 0.25], [0.25, 0.75]], "'P(x)' was read as the probability of 'benign'."),
    ("case,prob_benign\nq,0.25\np,0.75\n", TWO, "malignant", [[0.75, 0.25], [0.25, 0.75]], "the probability of 'benign'."),
    ("case,malignant\nq,0.25\np,0.75\n", TWO, "benign", [[0.25, 0.75], [0.75, 0.25]], "the probability of 'malignant'."),
    ("case,p_no_tumor,age\nq,0.25,7\np,1,8\n", ["no_tumor", "tumor"], "tumor", [[1, 0], [0.25, 0.75]], "the probability of 'no_tumor'."),
    ("case,prediction,p_malignant\nq,benign,.25\np,malignant,1\n", TWO, "malignant", [[0, 1], [0.75, 0.25]], LEFT + "'prediction'."),
    ("case,p_malignant,pred,split\nq,.25,benign,a\np,1,malignant,b\n", TWO, None, [[0, 1], [0.75, 0.25]], LEFT + "'pred', 'split'."),
    ("case,pred,net malignant prob\nq,benign,.25\np,benign,1\n", TWO, None, [[0, 1], [0.75, 0.25]], "probability of 'malignant'."),
    ("case,prediction,benign\nq,benign,.25\np,malignant,1\n", TWO, None, [[1, 0], [0.25, 0.75]], "the probability of 'benign'."),
    ("case;pred;p_benign\nq;benign;0,25\np;benign;1\n", TWO, None, [[1, 0], [0.25, 0.75]], "the probability of 'benign'."),
    ("case,share_malignant,pred\nq,.25,benign\np,1,benign\n", TWO, "benign", [[0, 1], [0.75, 0.25]], LEFT + "'pred'."),
    ("case,malignant\nq,0.25\np,0.75\n", TWO, None, [[0.25, 0.75], [0.75, 0.25]], "the probability of 'malignant'."),
    ("case,is_malignant,pred\nq,1,benign\np,0,malignant\n", TWO, None, [[0, 1], [1, 0]], LEFT + "'is_malignant'."),
    ("case,malignant_mm,pred\nq,3.5,benign\np,0.5,malignant\n", TWO, None, [[0, 1], [1, 0]], LEFT + "'malignant_mm'."),
    ("case,p_cat,pred\nq,.25,ibex\np,1,cat\n", PETS, None, [CAT, IBEX], LEFT + "'p_cat'."),
    ("case,p_1,fold\nq,0.25,a\np,1,b\n", [0, 1], "1", [[0, 1], [0.75, 0.25]], LEFT + "'fold'."),
    ("case,label\nq,benign\np,malignant\n", TWO, "malignant", [[0, 1], [1, 0]], LABELS),
    ("case,p_benign,p_malignant\nq,.2,.8\np,1,0\n", TWO, "malignant", [[1, 0], [0.2, 0.8]], "'p_...'"),
]


@pytest.mark.parametrize(
    ("content", "classes", "positive_class", "scores", "said"), READ, ids=[case[0].partition("\n")[0] for case in READ]
)
def test_files_that_people_have(write, content, classes, positive_class, scores, said):
    found, notes = read_for(write(content), classes, positive_class)
    assert found == scores and said in notes and bool(said) == bool(notes)


ONE = r"or one of probabilities and its class \(positive_class"
REFUSED = [
    (
        "case,label\np,cat\nq,cow\n",
        PETS,
        None,
        r"labels must be classes of the annotations \(name them all .*Got 'cow' \(the annotations have 'cat', 'dog'",
    ),
    ('case,label\np,cat\nq,"dog, cat"\n', PETS, None, r"Got 'dog, cat', which is several classes \(give one column per class instead"),
    ("case,label\np,cat\nq,cat\n", ["Cat", "dog"], None, r"Got 'cat' \(there is 'Cat'; write both alike\)"),
    ("case,label\np,cat\np,dog\n", PETS, None, r"m\.csv: case must occur once .* Got 'p' twice"),
    ("case,label\np,cat\nq,\n", PETS, None, r"m\.csv: label must not be blank\. Got a blank cell, first at line 3"),
    (
        "case,diagnosis,confidence\np,cat,.9\nq,dog,.8\n",
        PETS,
        None,
        r"Got 'cat', first at line 2, column 'diagnosis'\. If column 'diagnosis' holds predicted labels, name it 'prediction'\.",
    ),
    ("case,pred,label\np,cat,dog\nq,cat,dog\n", PETS, None, r"one column of predicted labels .* Got 'pred' and 'label'"),
    (
        "case,label,score\np,cat,.9\nq,dog,.8\n",
        PETS,
        None,
        r"every case and class \(from files with one label per case, remove the scores",
    ),
    ("case,prediction,prob\np,benign,.5\nq,malignant,.9\n", TWO, "malignant", r"name the class .* Got the columns 'prediction' and 'prob'"),
    ("case,share_malignant\np,.5\nq,.25\n", TWO, None, rf"'benign' and 'malignant', {ONE}\)\. Got the column 'share_malignant'"),
    ("case,malignant_a,benign_b\np,.5,.5\nq,.25,.75\n", TWO, None, r"\. Got a column for class 'malignant_a'"),
    (
        "case,malignant\np,1.5\nq,-3\n",
        TWO,
        None,
        r"scores must be probabilities from 0 to 1 .* Got 1\.5, first at case 'p', column 'malignant'",
    ),
    (
        "case,share_malignant,pred\np,.5,benign\nq,.25,benign\n",
        TWO,
        None,
        r"file must have either predicted labels or probabilities \(.*name a class: positive_class\)\. Got the columns 'pred', 'share_ma",
    ),
    ("case,model_1,pred\np,.5,1\nq,.25,0\n", [0, 1], None, r"either predicted labels or probabilities .* the columns 'pred', 'model_1'"),
    (
        "case,p_cat,p_dog,pred\np,.5,.5,ibex\nq,1,0,cat\n",
        PETS,
        None,
        r"probabilities of every class, or predicted labels alone \(.*\)\. Got 'pred' and those of 2 of 3 classes, 'p_cat', 'p_dog'",
    ),
    ("case,prob,p\np,.5,1\nq,.25,1\n", TWO, "benign", r"\(remove the other columns\)\. Got the column 'prob' and 'p'"),
    ("case,prob\np,.5\nq,-3\n", TWO, "benign", r"scores must be probabilities from 0 to 1 .*Got -3\.0, first at case 'q', column 'prob'"),
    ("case,prob\np,.5\nq,.2\n", TWO, "other", r"positive_class must be one of the classes 'benign' and 'malignant'\. Got 'other'"),
    ("case,prob\np,.5\nq,.2\n", PETS, "cat", r"positive_class must be given for two classes\. Got 3 classes"),
    ("case,prob\np,.5\nq,.2\n", None, "cat", r"positive_class must be given together with classes"),
    (
        "case,cat,dog,ibex,yak\np,1,2,3,4\nq,4,3,2,1\n",
        PETS,
        None,
        r"only for classes .*, or remove columns that are not classes\)\. Got a column for class 'yak'",
    ),
    ("case,p_cat,p_dog,p_yak\np,1,0,0\nq,1,0,0\n", PETS[:2], None, r"columns only for classes .*Got a column for class 'p_yak'"),
    ("case,p_a,p_b,l_a,l_b\np,1,0,1,0\nq,0,1,0,1\n", ["a", "b"], None, r"one column for the class 'a' .*Got 'l_a' and 'p_a'"),
    ("case,cat,dog,Ibexes\np,1,0,0\nq,1,0,0\n", PETS, None, r"a column for class 'Ibexes'"),
    ("case,prob_A,prob_B\np,.9,.9\n", ["a", "A"], None, "a column for class 'prob_B'"),
    ("case,prob_cat,prob_ibex\np,.3,.4\n", ["cat", "dog"], None, "a column for class 'prob_ibex'"),
    ("case,p1,p2\np,.9,.9\n", [0, 1], None, "a column for class 'p1'|remove the other"),
    ("cat,dog,ibex\n1,0,0\n0,1,0\n", PETS, None, r"m\.csv: file must have a column for the case"),
]


@pytest.mark.parametrize(("content", "classes", "positive_class", "message"), REFUSED)
def test_files_that_are_refused(write, content, classes, positive_class, message):
    path = write(content)
    refused(
        ".*" + message,
        lambda: read_for(path, classes or PETS, positive_class) if classes else io.read_predictions(path, positive_class="a"),
    )


@pytest.mark.parametrize(
    ("arrays", "notes"),
    [
        ({"probs": SCORES}, ""),
        ({"logits": SCORES, "ids": ["p", "q"]}, ""),
        ({"Probabilities": SCORES, "image_ids": ["p", "q"], "class_names": PETS}, ""),
        ({"scores": SCORES, "features": [1, 2], "y_true": [0, 1]}, "Arrays that were not used: 'features', 'y_true'."),
    ],
)
def test_arrays_by_their_usual_names(write, arrays, notes):
    assert read_for(write(npz(**arrays), "m.npz"), PETS) == (SCORES, notes)


def test_arrays_that_are_refused(write):
    both = write(npz(probs=SCORES, logits=SCORES), "m.npz")
    refused(r"m\.npz: file must hold one array of scores \(remove the others\)\. Got 'probs' and 'logits'", io.read_predictions, both)
    none = write(npz(features=SCORES), "m.npz")
    refused(r"m\.npz: file must hold an array 'scores' \(or 'probs', .*Got the arrays 'features'", io.read_predictions, none)


def test_models_of_one_file(write):
    path = write("model,case,label\nA,p,cat\nA,q,dog\nB,p,ibex\nB,q,ibex\n")
    with heard() as said:
        found = {name: one.aligned(Axes.of(2, 3, ["p", "q"], PETS))[0].tolist() for name, one in io.read_models(path, classes=PETS).items()}
    assert found == {"A": [CAT, [0, 1, 0]], "B": [IBEX, IBEX]} and said[0].startswith(LABELS)


def test_arrays_of_labels_and_of_one_class():
    pandas = pytest.importorskip("pandas")
    two, three = Axes.of(2, 2, ["p", "q"], TWO), Axes.of(2, 3, ["p", "q"], PETS)
    with heard() as said:
        for labels in (
            ["cat", "ibex"],
            np.array(["cat", "ibex"]),
            pandas.Series(["ibex", "cat"], index=["q", "p"]),
            (["q", "p"], ["ibex", "cat"]),
        ):
            assert Predictions.from_any(labels, PETS).aligned(three)[0].tolist() == [CAT, IBEX]
        frame = pandas.DataFrame({"case": ["q", "p"], "label": ["ibex", "cat"]})
        assert Predictions.from_any(frame, PETS).aligned(three)[0].tolist() == [CAT, IBEX]
    assert len(said) == 5
    for scores in ([0.25, 1.0], np.array([[0.25], [1.0]])):
        assert Predictions.from_any(scores, TWO, "malignant").aligned(two)[0].tolist() == [[0.75, 0.25], [0, 1]]
        refused(r"scores must be a table .*\(or name the class of a single column: positive_class\)", Predictions.from_any, scores, TWO)


def test_predictions_for_cases_that_are_not_annotated():
    model, axes = Predictions([1, 2, 3], [[1.0, 0], [0, 1], [1, 1]]), Axes.of(2, 2, ["001", "2"], TWO)
    refused(
        r"predictions must be for annotated cases only \(missing='drop' .*Got 2 unknown of 3, first at 1 \(there is '001'; write",
        model.aligned,
        axes,
    )
    with heard() as said:
        scores, present = model.aligned(axes, missing="drop")
    assert present.tolist() == [False, True] and scores[1].tolist() == [0, 1]
    assert said == ["Predictions for cases that are not annotated were left out: 2 of 3, first 1."]
    refused(r"predictions must be for annotated cases\. Got 3", model.aligned, Axes.of(1, 2, ["x"], TWO), missing="drop")


def test_evaluate_takes_them(write, capsys):
    """A rule beside probabilities of one class; a case more than is annotated."""
    readings = write(
        "case,annotator,label\n" + "".join(f"{c},{a},{TWO[(c + a) % 3 > 0]}\n" for c in range(8) for a in range(3)), "readings.csv"
    )
    rule = write("case,label\n" + "".join(f"{c},{TWO[c % 2]}\n" for c in range(8)), "rule.csv")
    net = write("case,prob\n" + "".join(f"{c},{c / 8}\n" for c in range(9)), "net.csv")
    out = str(readings.parent / "report")
    words = ["evaluate", "--annotations", str(readings), "--predictions", str(rule), str(net), "--out", out, "--n-boot", "20"]
    assert cli.main(words) == 2 and "(--positive-class)" in capsys.readouterr().err
    words += ["--positive-class", "malignant"]
    assert cli.main(words) == 2 and "Got 1 unknown of 9, first at 8" in capsys.readouterr().err
    assert cli.main([*words, "--missing", "drop"]) == 0
    said = capsys.readouterr().out
    assert LABELS in said and "Predictions for cases that are not annotated were left out: 1 of 9, first 8." in said
    evaluation = ugt.evaluate(
        io.read_annotations(readings).annotations,
        {"rule": [TWO[c % 2] for c in range(8)], "net": (range(9), [c / 8 for c in range(9)])},
        positive_class="malignant", missing="drop", details=False, n_resamples=20,
    )  # fmt: skip
    assert [note for note in map(str, evaluation.notes) if note.startswith((LABELS, "Predictions for cases"))][1].endswith(
        "1 of 9, first 8."
    )


def test_probabilities_of_a_named_class_win_over_predicted_labels(command, tmp_path):
    """In the command, in what ugt check recommends, and in frames; as if the positive class was named."""
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(3)
    score = rng.random(40).round(4)
    wide = np.array(TWO)[(rng.random((40, 3)) < score[:, None]).astype(int)]
    pandas.DataFrame({"case": range(40), **{f"r{j}": wide[:, j] for j in range(3)}}).to_csv(tmp_path / "readers.csv", index=False)
    export = pandas.DataFrame({"case": range(40), "prob_malignant": score, "pred": np.array(TWO)[(score > 0.7).astype(int)], "split": "a"})
    export.to_csv(tmp_path / "export.csv", index=False)
    labels = io.read_annotations(tmp_path / "readers.csv").annotations
    given = export, (range(40), np.column_stack([1 - score, score]))
    found = [ugt.evaluate(labels, {"export": one}, n_resamples=20, details=False, prior=0.1).metrics for one in given]
    assert [row["value"] for row in found[0]] == [row["value"] for row in found[1]]
    words = ["evaluate", "--annotations", "readers.csv", "--predictions", "export.csv", "--n-boot", "20", "--json", "--prior", "0.1"]
    for i, more in enumerate(([], ["--positive-class", "malignant"])):
        told = json.loads(command(*words, "--out", f"report{i}", *more))
        aurocs = [[row["value"] for row in rows if row["metric"] == "soft_auroc"] for rows in (told["metrics"], found[1])]
        assert len(aurocs[1]) > 1 and aurocs[0] == aurocs[1]
    told = json.loads(command("check", "readers.csv", "export.csv", "--json"))
    assert told["inputs"][1]["layout"] == "one column of probabilities" and told["inputs"][1]["not_used"] == ["pred", "split"]
    assert [one["command"] for one in told["allows"] if one["what"] == "evaluation of a model"] == [
        "ugt evaluate --annotations readers.csv --predictions export.csv --out report"
    ]


def test_one_number_per_case_may_have_a_decimal_comma(command, tmp_path):
    (tmp_path / "ratings.csv").write_text("case;ann;bob\np;2,5;2\nq;4;3,5\nr;1;1,5\n", encoding="utf-8")
    for sign in ".,":
        (tmp_path / "m.csv").write_text(f"case;prediction\np;1{sign}17\nq;4{sign}2\nr;1\n", encoding="utf-8")
        told = command(
            "evaluate", "--annotations", "ratings.csv", "--ratings", "--scale", "real", "--predictions", "m.csv", "--n-boot", "20",
            "--out", f"report{ord(sign)}",
        )  # fmt: skip
        assert "predictions (one column of number" in told and "0.59" in told


@pytest.mark.parametrize("name", ["p.json", "p.jsonl.gz", "p.ndjson"])
def test_predictions_in_json_are_refused_with_the_way_to_convert_them(tmp_path, name):
    records = [{"case": 1, "x": 0.9, "y": 0.1}, {"case": 2, "x": 0.4, "y": 0.6}]
    text = json.dumps(records) if name == "p.json" else "".join(json.dumps(one) + "\n" for one in records)
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    lines = "" if name == "p.json" else ", lines=True"
    message = rf"file must be a table, .* NPZ for predictions \(.*read_json\(file{lines}\)\.to_csv\(other, index=False\)\)\. Got JSON"
    refused(message, io.read_predictions, path)
    refused(message, io.read_clusters, path)


@pytest.mark.parametrize(
    ("columns", "classes", "said"),
    [
        ("P(cat),P(dog)", ["cat", "dog"], "'P(cat)' as cat, 'P(dog)' as dog"),
        ("prob_cat,p_dog", ["cat", "dog"], "'prob_cat' as cat, 'p_dog' as dog"),
        ("DOG,CAT", ["dog", "cat"], "'DOG' as dog, 'CAT' as cat"),
        ("Prob_Cat,Prob_Dog", ["cat", "dog"], "'Prob_Cat' as cat"),
        ("CAT_PROB,DOG_PROB", ["cat", "dog"], "'DOG_PROB' as dog"),
        ("p_cat,dog_score", ["cat", "dog"], "'dog_score' as dog"),
        ("cat,proba_dog", ["cat", "dog"], "'proba_dog' as dog"),
        ("p(0),p(1)", [0, 1], "'p(0)' as 0"),
        ("p_mild_disease,NoDisease", ["Mild disease", "No disease"], "'NoDisease' as No disease"),
        ("p0,p1", [0, 1], "named 'p...'"),
        ("prob_0,prob_1", [0, 1], "named 'prob_...'"),
        ("0_prob,1_prob", [0, 1], "named '..._prob'"),
    ],
)
def test_columns_of_classes_with_other_names(write, columns, classes, said):
    path = write(f"case,{columns}\np,.25,.75\nq,.5,.5\n")
    with pytest.warns(UserWarning, match=re.escape(said)):
        found = io.read_predictions(path, classes=classes)
    assert found.scores.tolist() == [[0.25, 0.75], [0.5, 0.5]] and found.classes.tolist() == classes


@pytest.mark.parametrize(
    ("columns", "classes", "asked"),
    [
        ("p0,p1", ["cat", "dog"], r"must be named after them.*such as 'prob_cat'\)\. Got 'p0', 'p1' for the classes 'cat', 'dog'"),
        ("P(1),P(2)", ["cat", "dog"], "must be named after them"),
        ("prob_Cat,p_cat,dog", ["cat", "dog"], r"one column for the class 'cat' \(remove the others\)"),
        ("model_0,model_1", [0, 1], r"not be called like models \(if each is of one model: model_columns=\['model_0', 'model_1'\]"),
    ],
)
def test_columns_that_match_no_class_one_to_one_are_asked_for(write, columns, classes, asked):
    row = ",".join(".9" for _ in columns.split(","))
    refused(asked, io.read_predictions, write(f"case,{columns}\np,{row}\n"), classes=classes)


def test_probabilities_of_the_predicted_class_are_not_those_of_one_class(write):
    path = write("case,label,prob\np,0,.9\nq,1,.8\n")
    for positive in (None, 1):
        message = "file must name the class of its probabilities .*Got the columns 'label' and 'prob'"
        refused(message, io.read_predictions, path, classes=[0, 1], positive_class=positive)
    path = write("case,y_pred,y_prob\np,0,.1\nq,1,.8\n")
    assert io.read_predictions(path, classes=[0, 1], positive_class=1).scores[:, 1].tolist() == [0.1, 0.8]
    path = write("id,predicted\np,.1\nq,.8\n")
    refused("or one of probabilities and its class", io.read_predictions, path, classes=[0, 1])
    assert io.read_predictions(path, classes=[0, 1], positive_class=1).scores[:, 1].tolist() == [0.1, 0.8]


@pytest.mark.parametrize("columns", ["true_cat,true_dog", "cat_gt,dog_gt"])
def test_columns_of_a_truth_are_no_model(write, columns):
    path = write(f"case,{columns}\np,0,1\nq,1,0\n")
    refused("columns of classes must be of a model, not of a truth", io.read_predictions, path, classes=["cat", "dog"])
