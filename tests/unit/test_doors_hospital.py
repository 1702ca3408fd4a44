"""Files as spreadsheets, REDCap, LIMS and crowds write them: read as they are meant, with a note where something looks odd, or refused."""

import json
import os
import re

import numpy as np
import pytest
from refusals import refused

from ugt import io
from ugt.io.beside import subgroup_file
from ugt.io.kinds import kind_of_file

CASES = [f"P{i:03d}" for i in range(12)]
LONG = "".join(f"{case},{who},{'ab'[(i * j) % 2]}\n" for i, case in enumerate(CASES) for j, who in enumerate(("Meier", "Özdemir"), 1))
HEAD = "case,annotator,label\n"
WIDE = "case,Meier,Özdemir\n" + "".join(f"{case},{i % 3},{i % 2}\n" for i, case in enumerate(CASES))
BOXES = "record_id,dx___1,dx___2\n" + "".join(f"{i},{i % 2},{1 - i % 2}\n" for i in range(12))
WORDS = "Record ID,Dx (choice=Naevus),Dx (choice=Other)\n" + "".join(
    f"{i},{'Checked' if i % 2 else 'Unchecked'},Unchecked\n" for i in range(9)
)
ROWS = [row.split(",") for row in LONG.splitlines()]
GAPS = WIDE.replace("P003,0,1", "P003,0,").replace(",1\n", ",1.0\n").replace(",0\n", ",0.0\n")
CODES = [
    "unk",
    "n.a",
    "k. A.",
    "nicht beurteilbar",
    "n.b.",
    "fehlt",
    "entfällt",
    "not read",
    "Not done",
    "ND",
    "NR",
    "ungradable",
    "skipped",
]
CODES += [
    "not readable",
    "cannot assess",
    "No image",
    "nicht lesbar",
    "not gradable",
    "non évaluable",
    "manquant",
    "inconnu",
    "–",
    "—",
    "??",
    "undefined",
]

READ = {
    "a line that tells Excel the separator": ("sep=;\r\n" + (HEAD + LONG).replace(",", ";"), {}, ""),
    "the same, with a mark before it": ("\ufeff\"sep=,\"\n" + HEAD + LONG, {}, ""),
    "row names of R": (",".join(['""', HEAD]) + "".join(f'"{i}",{row}\n' for i, row in enumerate(LONG.splitlines())), {}, ""),
    "MTurk": (
        "HITId,WorkerId,Input.image,Answer.label,Reject\n" + "".join(f"h,{who},{case},{label},\n" for case, who, label in ROWS),
        {"columns": {"case": "Input.image", "label": "Answer.label"}},
        "",
    ),
    "a second header": (HEAD + "ID,Initials,Diagnosis\n" + LONG, {}, "the row below the header like the others, though it shares no value"),
    "a second header of a wide table": (WIDE.replace("\n", "\nID,R 1,R 2\n", 1), {}, "the row below the header like the others"),
    "a row of totals": (
        WIDE + "Total,12,6\n",
        {"format": "wide"},
        r"the last row, 'Total', like the others \(if it is a sum of the others",
    ),
    "totals of counts": ("case,count_a,count_b\np,1,2\nq,3,0\nSumme,4,2\n", {}, "the last row, 'Summe', like the others"),
    "numbers below names": (
        WIDE.replace(",0", ",no").replace(",1", ",yes").replace(",2", ",yes") + "N,12,12\nKappa,0.4,0.6\n",
        {},
        r"the last row, 'Kappa', like the others, though it has numbers \(if it is no case, remove it",
    ),
    "a mark of doubt": (HEAD + LONG + "P001,Bo,b?\n", {}, r"different classes, though one may be .* a mark: 'b\?' and 'b' \(write"),
    "what a spreadsheet cannot compute": (WIDE.replace("P003,0", "P003,#DIV/0!"), {}, r"codes for 'none': '#DIV/0!'"),
    "nothing, in German": (HEAD + LONG + "P001,Schulz,k.A.\n", {}, r"codes for 'none': 'k\.A\.'"),
    "cases of two spellings": (HEAD + LONG + "p003,Bo,a\n", {}, r"different cases, .* 'P003' and 'p003' \(write them alike\)"),
    "initials": (HEAD + LONG.replace(",a", ",no").replace(",b", ",yes") + "x,Bo,Y\nx,Al,N\n", {}, "short for .*: 'N' and 'no', 'Y'"),
    "a confidence for each label": (
        "case,annotator,label,confidence\n" + LONG.replace("\n", ",3\n"),
        {},
        r"one for each case and annotator: their confidence is not used \(for rankings of one class: format='rankings'\)",
    ),
    "differential diagnoses as labels": (
        HEAD + "P1,Al,nevus > wart\nP1,Bo,wart\n",
        {},
        r"look like rankings: 'nevus > wart' \(write one ranking",
    ),
    "an answer that is none": (HEAD + LONG + "P001,Al,unklar\n", {}, r"codes for 'none': 'unklar'"),
    "points between thousands": ("case;annotator;value\np;a;1.250\np;b;1.310\n", {}, r"'1\.250' as 1\.25, a number below 1,000 \(if"),
    **{f"nothing, as {code!r}": (HEAD + LONG + f"P001,Schulz,{code}\n", {}, re.escape(f"codes for 'none': {code!r}")) for code in CODES},
    "percentages as labels": (HEAD + LONG + "P001,Schulz,7%\n", {}, r"percentages as classes, not as numbers: '7%' \(for numbers write"),
    "a gap that made numbers decimal": (GAPS, {"format": "wide"}, "'1.0' is read as 1"),
    "a consensus in rows": (HEAD + LONG + "P000,Consensus,a\n", {}, r"Counted as annotators, .* a model: 'Consensus' \(if they are none"),
    "a consensus in rows of annotators": (
        "reader,P1,P2\nMeier,a,b\nWolf,a,a\nFinal,a,a\n",
        {"format": "transposed"},
        r"Counted as annotators, .*: 'Final' \(if",
    ),
    "ids that a spreadsheet rounded": (HEAD + "1.2E+12,Bo,a\n1.3E+12,Bo,b\n", {}, r"Case ids such as '1\.2E\+12' look like numbers that"),
    "boxes of one annotator": (BOXES, {"format": "counts"}, ""),
}  # fmt: skip


@pytest.mark.parametrize("what", READ)
def test_files_that_are_read(write, what):
    content, options, note = READ[what]
    read = io.read_annotations(write(content), **options)
    said = [one for one in map(str, read.notes) if "each row as a case" not in one]
    assert len(said) == (note != "") and all(re.search(note, one) for one in said), said


FIRST = r"header must be the first line and separate its columns by commas, semicolons or tabs\. Got "
REFUSED = {
    "boxes": (BOXES, r"not tick boxes .* Got 'dx___1', 'dx___2'\."),
    "boxes with labels": (WORDS, r"not tick boxes .* Got 'Dx \(choice=Naevus\)'"),
    "boxes of events": ("record_id,reader,dx___1,dx___2\n1,a,1,0\n1,b,0,1\n", r"not tick boxes .* Got 'dx___1'"),
    "whether a form is complete": (WIDE.replace("Özdemir", "reading_complete"), r"ignore_columns.* Got 'reading_complete' among 2"),
    "a consensus": (WIDE.replace("Özdemir", "Consensus").replace("P003,0", "P003,x"), r"ignore_columns.* Got 'Consensus' among 2"),
    "times beside readers": ("case,reader1,reader1_time\np,a,7\nq,b,8\n", r"ignore_columns.* Got 'reader1_time' among 2"),
    "three tables in one file": (HEAD + LONG + HEAD + LONG + HEAD + LONG, r"rows must not repeat the header .* first at line 26\."),
    "two wide tables in one file": (WIDE + WIDE, r"rows must not repeat the header .* first at line 14\."),
    "a column of totals": (WIDE.replace("Özdemir", "Total"), r"ignore_columns.* Got 'Total' among 2"),
    "a column without a name": ("case,,Meier\np,1,a\nq,2,b\n", r"have names \(leave out columns by ignore_columns, .* Got a blank"),
    "rounded ids": (HEAD + 2 * "1.2E+12,Bo,a\n", r"a spreadsheet rounded the ids.*; else duplicates=.* first at case '1\.2E\+12'"),
    "rounded ids of one row each": ("case,Bo,Al\n" + 2 * "1E+12,a,b\n", r"Got '1E\+12' twice \(a spreadsheet rounded the ids"),
    "a title": ("Reader study 2024,,\n" + HEAD + LONG, r"different names \(remove lines above the header, .* Got two blank ones"),
    "a title alone in its line": ("Reader study 2024\n" + HEAD + LONG, FIRST + r"'Reader study 2024'"),
    "remarks before": ("# of the LIMS\n" + HEAD + LONG, FIRST + r"'# of the LIMS'"),
    "remarks behind": (HEAD + LONG + "(24 rows affected)\n", r"or is this line not a row of the table\?\)\. Got 1, first at line 26\."),
    "another sign between columns": ((HEAD + LONG).replace(",", "|"), r"separate its columns by commas, .* Got 'case\|annotator\|label'"),
    "XML": ("<?xml version='1.0'?><annotations/>", r"Got XML \(export CSV or JSON\)"),
    "percentages": ("case,annotator,value\np,a,85 %\n", r"Got '85 %' \(a percentage; write 0\.9 for 90%\)"),
    "percentages of a wide table": ("case,R1,R2\np,0.5,85 %\n", r"cell must be a number\. Got '85 %' \(a perc.*at line 2, column 'R2'\."),
    "thousands": (
        'case,annotator,value\np,a,"1,250"\n',
        r"Got '1,250' \(signs between thousands, which must be removed, or a decimal comma",
    ),
    "rows of two forms": (HEAD + LONG, r"case must occur once .*, leave out format=\)\. Got 'P000' twice, first at line 3\."),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_files_that_are_refused(write, what):
    content, message = REFUSED[what]
    wide = what.startswith(("a c", "rows of", "whether"))
    refused(
        r"file\.csv: .*" + message,
        io.read_annotations,
        write(content),
        format="ratings" if "of a wide" in what else "wide" if wide else "auto",
    )


def test_scores_that_look_like_ranks(write):
    ranks = ["1,2,3", "2,3,1", "3,2,1", "1,3,2", "2,1,3"]
    with pytest.warns(UserWarning, match=r"Scores of 'file' look like ranks, .* \(if 1 is the first choice, write .* a minus sign\)"):
        io.read_predictions(write("case,x,y,z\n" + "".join(f"{i},{row}\n" for i, row in enumerate(ranks))))
    io.read_predictions(write("case,x,y,z\n" + "".join(f"{i},{row}\n" for i, row in enumerate([*ranks, "1,1,3"]))))
    io.read_predictions(write("case,x,y\n" + "".join(f"{i},{i % 2},{1 - i % 2}\n" for i in range(9))))  # labels


@pytest.mark.parametrize("read, what", [(subgroup_file, "site"), (io.read_clusters, "patient")])
def test_values_that_look_alike_beside_cases(write, read, what):
    with pytest.warns(UserWarning, match=rf"different values of '{what}', though .*: 'Ulm' and 'ulm' \(write them alike\)"):
        read(write(f"case,{what}\np,Ulm\nq,ulm\nr,Bonn\n"))
    read(write(f"case,{what}\np,Ulm\nq,Ulm\nr,Bonn\n"))


def test_subgroups_of_numbers(write):
    with pytest.warns(
        UserWarning, match=r"Column 'age' has 20 numbers for 40 cases, and each is a subgroup \(write ranges instead, such as"
    ):
        subgroup_file(write("case,age,arm\n" + "".join(f"{i},{30 + i % 20},{i % 3}\n" for i in range(40))))
    subgroup_file(write("case,age,site\n" + "".join(f"{i},{30 + i % 8},s{i}\n" for i in range(40))))


YES = "case,{}\n" + "".join(f"{i}," + ",".join("yes" if (i + j) % 3 else "no" for j in range(4)) + "\n" for i in range(9))
KNOWN_OTHERWISE = ["Pathology", "Histology", "Histologie", "Biopsy", "Truth", "GT", "Reference", "Referenz", "Konsens", "Final diagnosis"]
KNOWN_OTHERWISE += ["Outcome", "Arbitrator", "AI", "KI", "CNN", "Confidence 1", "time_2", "lesion_id"]


@pytest.mark.parametrize("name", KNOWN_OTHERWISE)
def test_columns_that_are_named_as_no_annotator(write, name):
    path = write(YES.format(f"R1,R2,R3,{name}"))
    refused(rf"annotators with the same classes .*ignore_columns.* Got '{name}' among 4 columns", io.read_annotations, path)
    assert len(io.read_annotations(path, ignore_columns=[name]).annotations.annotators) == 3
    assert len(io.read_annotations(path, annotator_columns=["*"]).annotations.annotators) == 4
    counts = write(f"case,R1,R2,R3,{name}\np,1,0,2,3\n")
    assert name in io.read_annotations(counts, format="counts").annotations.axes.classes


PEOPLE = "Meier,Weiß,Wolf"
NEXT_TO_PEOPLE = ["Gold", "Final Dx", "FinalDx", "Majority label", "Consensus reading", "y_true", "Endgültig", "AI prediction", "Diagnosis"]
NEXT_TO_NUMBERS = ["R1,R2,R3,Kontrolle", "Reader 1,Reader 2,Reader 3,GPT-4"]


@pytest.mark.parametrize("names", [*(f"{PEOPLE},{name}" for name in NEXT_TO_PEOPLE), *NEXT_TO_NUMBERS])
def test_columns_of_a_truth_or_a_model_next_to_annotators(write, names):
    name = names.split(",")[-1]
    refused(rf"annotators with the same classes .* Got '{name}' among 4 columns", io.read_annotations, write(YES.format(names)))


ALL_ANNOTATORS = ["Meier,Weiß,Wolf,Lee 2", "Final A,Final B,Final C,Final D", "A12X,A9,A77,B3Q", "GPT-4,GPT-5,Claude,Gemini"]


@pytest.mark.parametrize("names", ALL_ANNOTATORS)
def test_columns_that_may_all_be_annotators(write, names):
    assert len(io.read_annotations(write(YES.format(names))).annotations.annotators) == 4
    assert len(io.read_annotations(write(YES.format("Reader 1,Reader 2,Resident 1,Senior reader"))).annotations.annotators) == 4


@pytest.mark.parametrize("names", ["Meier,Sure M,Wolf,Sure W", "Reader 1,Sure 1,Reader 2,Sure 2"])
def test_groups_of_columns_without_a_common_class(write, names):
    rows = "".join(f"{i},{'ab'[i % 2]},{1 + i % 3},{'ab'[i % 3 > 0]},{1 + i % 2}\n" for i in range(9))
    sure = ", ".join(f"'{name}'" for name in names.split(",")[1::2])
    path = write(f"case,{names}\n{rows}")
    refused(rf"annotators with the same classes .* Got {sure} among 4 columns", io.read_annotations, path)
    assert io.read_annotations(path, ignore_columns=["Sure*"]).annotations.axes.classes.tolist() == ["a", "b"]


CROSSED = "R1_edema,R1_effusion,R2_edema,R2_effusion"


@pytest.mark.parametrize("names", [CROSSED, CROSSED.replace("R", "Reader ").replace("_", " ")])
def test_a_column_for_each_annotator_and_question(write, names):
    path = write(YES.format(names))
    message = r"columns must answer one question \(choose: annotator_columns=\['\*edema'\], .* Got 'edema', 'effusion'"
    refused(message, io.read_annotations, path)
    assert len(io.read_annotations(path, annotator_columns=["*edema"]).annotations.annotators) == 2
    assert len(io.read_annotations(path, annotator_columns=["*"]).annotations.annotators) == 4


READINGS = ["R1 read 1,R1 read 2,R2 read 1,R2 read 2", "Ann_pre,Bo_pre,Ann_post,Bo_post", "R1.1,R1.2,R2.1,R2.2", "R1a,R1b,R2a,R2b"]


@pytest.mark.parametrize("names", READINGS)
def test_several_readings_by_one_annotator(write, names):
    path = write(YES.format(names))
    message = r"columns must be one per annotator \(choose one of each: annotator_columns=\['\*(.+)'\], or the names of all annotators; "
    with pytest.raises(ValueError, match=message) as found:
        io.read_annotations(path)
    one = "*" + re.search(message, str(found.value))[1]
    assert len(io.read_annotations(path, annotator_columns=[one]).annotations.annotators) == 2
    assert len(io.read_annotations(path, annotator_columns=["*"]).annotations.annotators) == 4


@pytest.mark.parametrize(
    "names", ["R1,R2,R3,R10", "Reader A,Reader B,Reader C,Reader D", "Ulm reader A,Ulm reader B,Bonn reader A,Bonn reader B"]
)
def test_columns_of_different_annotators(write, names):
    assert len(io.read_annotations(write(YES.format(names))).annotations.annotators) == 4


def test_classes_of_two_annotators_may_be_joined(write):
    path = write(
        "case,r1,r2\n" + "".join(f"{case},{'No' if i % 2 else 'Yes'},{'no' if i % 3 else 'yes'}\n" for i, case in enumerate(CASES))
    )
    refused(r"the same classes \(.*; or write classes alike\)", io.read_annotations, path)
    assert io.read_annotations(path, merge_names=True).annotations.n_classes == 2


@pytest.mark.parametrize("content", [{"images": [], "annotations": []}, [{"ID": 1, "Label": {}}]])
def test_exports_of_other_programs(write, content):
    refused(
        r"file\.json: .* \(for any other file, mapping= gives the place of each field; predictions are read from tables, NPY and NPZ\)",
        io.read_annotations,
        write(json.dumps(content), "file.json"),
    )


P = np.arange(12) * 8 + 1
SCORES = "case,benign,malignant\n" + "".join(f"{case},{100 - p},{p}\n" for case, p in zip(CASES, P))


def test_percentages_are_no_probabilities(write):
    with pytest.warns(UserWarning, match=r"Scores of 'file' look like percentages, .* \(for probabilities divide them by 100\)"):
        assert io.read_predictions(write(SCORES)).scores[0].tolist() == [99, 1]
    refused(r"Got '99 %' \(a percentage", io.read_predictions, write(SCORES.replace(",99,", ",99 %,")))


@pytest.fixture
def study(write):
    rows = (f"{case},{who},{'benign' if i % 3 else 'malignant'}\n" for i, case in enumerate(CASES) for who in "xy")
    folder = write(HEAD + "".join(rows), "labels.csv").parent
    for name in "ab":
        (folder / name).mkdir()
    return write


def test_models_in_files_of_one_name(study, command):
    for folder in "ab":
        study(SCORES, f"{folder}/preds.csv")
    (line,) = [one.split() for one in command("check", "labels.csv", "a/preds.csv", "b/preds.csv").splitlines() if "ugt evaluate" in one]
    assert line[5:7] == ["a=a/preds.csv", "b=b/preds.csv"]
    assert json.loads(command(*line[1:], "--json", "--no-details", "--n-boot", "20"))["models"] == ["a", "b"]
    said = "be of models with different names (write a=a/preds.csv b=b/preds.csv). Got 'preds' twice."
    assert said in command("evaluate", "--annotations", "labels.csv", "--predictions", "a/preds.csv", "b/preds.csv", "--out", "r", code=2)
    for folder in "ab":
        study(SCORES, f"{folder}/p.csv")
    files = ["a/preds.csv", "b/preds.csv", "a/p.csv", "b/p.csv"]
    assert " ".join(f"{file[0]}-{file[2:-4]}={file}" for file in files) in command("check", "labels.csv", *files)
    quote = '"' if os.name == "nt" else "'"
    assert f"{quote}p 1=a/p.csv{quote} {quote}p 2=a/p.csv{quote}" in command("check", "labels.csv", "a/p.csv", "a/p.csv")


@pytest.mark.parametrize("old, new, hint", [("P0", "P", "(there is 'P000'"), ("P", "/scans/P", "(there is 'P000'")])
def test_cases_that_are_written_otherwise(study, command, old, new, hint):
    study(SCORES.replace(old, new), "m.csv")
    assert f"match no annotated case {hint}; write both alike)." in command("check", "labels.csv", "m.csv")
    assert f"{hint}; write both alike)" in command(
        "evaluate", "--annotations", "labels.csv", "--predictions", "m.csv", "--out", "r", code=2
    )


def test_whole_numbers_of_a_model_beside_annotations(study, command):
    study(SCORES, "percent.csv")
    study("case,benign,malignant\n" + "".join(f"{case},{i % 2},{1 - i % 2}\n" for i, case in enumerate(CASES)), "one.csv")
    study("case,benign,malignant\n" + "".join(f"{case},{i % 3},{i % 2}\n" for i, case in enumerate(CASES)), "counts.csv")
    found = json.loads(command("check", "labels.csv", "percent.csv", "one.csv", "--json"))["inputs"]
    assert [one["kind"] for one in found] == ["annotations", "predictions", "predictions"]
    refused(r"format must be 'wide'", io.read_annotations, "counts.csv")
    assert kind_of_file("counts.csv", ["benign", "malignant"]) == "annotations"
    words = ("calibrate", "--annotations", "labels.csv", "--fit", "percent.csv", "--apply", "percent.csv", "--out", "c")
    assert "--input must be given for values that look like percentages" in command(*words, code=2)


def test_tables_with_several_rows_per_case_are_annotations(write):
    for header, kind in (("case,reader,score", "annotations"), ("case,model,score", "predictions"), ("case,label", "annotations")):
        assert kind_of_file(write(header + "\n" + "".join(f"p,{','.join('xy'[: header.count(',')])}\n" for _ in range(2)))) == kind
    assert kind_of_file(write("case,label\np,x\nq,x\n")) == "predictions"


@pytest.mark.parametrize("rows", [WIDE.replace("P003,0", "P003,-9"), WIDE.replace(",1\n", ",1.0\n").replace(",0\n", ",\n")])
def test_whole_numbers_with_codes_and_gaps_are_annotations(write, rows):
    assert kind_of_file(write(rows)) == ""  # and so annotations where there are no others
    assert kind_of_file(write(rows), [0, 1, 2]) == "annotations"


TOTALS = ["3,3,0,0,0,x y", "3,1,2,0,1,y z", "6,0,6,0,1,z x", "3,0,1,2,2,u v"]


def totals(write, *rows, header="count,hate,rude,neither,class,post"):
    return write("\n".join([header, *(rows or TOTALS)]) + "\n")


def test_a_total_is_no_count_of_one_label(write):
    """Three annotators per post, of whom some differ: the label of the majority with their number would say that all agree."""
    refused(
        r"count must count the annotators who gave the label of the row \(if these columns are counts: format='counts', "
        r"annotator_columns=\['hate', 'rude', 'neither'\]\)\. Got the sums of 'hate', 'rude', 'neither' in 'count', and one row",
        io.read_annotations,
        totals(write),
        columns={"case": "post"},
    )
    read = io.read_annotations(totals(write), columns={"case": "post"}, format="counts", annotator_columns=["hate", "rude", "neither"])
    assert read.annotations.counts().tolist() == [[3, 0, 0], [1, 2, 0], [0, 6, 0], [0, 1, 2]]


@pytest.mark.parametrize("rows", [[*TOTALS[:3], "3,0,1,1,2,u v"], [*TOTALS, "2,2,0,0,1,x y"], [*TOTALS, "1,1,0,,2,w"]])
def test_counts_that_are_no_sums_are_read(write, rows):
    """Another number in one row, a case with two labels, a cell that is no count."""
    read = io.read_annotations(totals(write, *rows), columns={"case": "post"})
    assert read.annotations.counts().sum() == sum(int(row[0]) for row in rows)


def test_a_stated_count_is_not_doubted(write):
    assert io.read_annotations(totals(write), columns={"case": "post", "count": "count"}).annotations.counts().sum() == 15


@pytest.mark.parametrize("name", ["n_lesions", "num_nodules", "Number of foci", "count_cysts"])
def test_an_amount_beside_annotators_is_none(write, name):
    path = write(f"image_id,anna,ben,carl,{name}\n" + "".join(f"{i},{i % 3},{i % 2},{i % 3},{(i + 1) % 3}\n" for i in range(9)))
    refused(rf"leave out: ignore_columns=\['{name}'\].* Got '{name}' among 4 columns", io.read_annotations, path, format="wide")
    read = io.read_annotations(path, format="wide", ignore_columns=[name])
    assert read.columns == {"case": ("image_id",), "annotator": ("anna", "ben", "carl")}
    named = io.read_annotations(path, format="wide", annotator_columns=["anna", "ben", name])
    assert named.columns == {"case": ("image_id",), "annotator": ("anna", "ben", name)}
    alike = io.read_annotations(write("image_id,n_a,n_b\n" + "".join(f"{i},{i % 3},{i % 2}\n" for i in range(9))), format="wide")
    assert alike.columns == {"case": ("image_id",), "annotator": ("n_a", "n_b")}
