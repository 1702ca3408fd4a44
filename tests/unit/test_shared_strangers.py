"""Files that strangers brought: the right value by the first or second command, or a refusal that names the way on."""

import re
import subprocess
import sys
import time

import pytest

from ugt import cli

# file, further words of the command, pattern of what is printed; a refusal if the pattern begins with "ugt: error".
AGREEMENT = [
    ("med/no_case_column.csv", "--scale real", r"ugt: error: .*if there is none: --case-column ''"),
    ("med/no_case_column.csv", ["--scale", "real", "--case-column", ""], r"3 annotators.*ICC\(A,1\) +0\.975"),
    ("med/no_case_column.csv", "--scale real --annotator-columns R1 R2 R3", r"3 annotators.*ICC\(A,1\) +0\.975"),
    ("med/no_case_grades.csv", ["--ratings", "--case-column", ""], r"ICC\(1\) +0\.089.*ICC\(A,1\) +0\.118.*ICC\(C,1\) +0\.131"),
    ("med/no_case_grades.csv", ["--case-column", ""], r"Fleiss' kappa +-0\.068"),
    ("med/grouped_readers.csv", "", r"ugt: error: .*leave out: --ignore-columns difficulty"),
    ("med/grouped_readers.csv", "--ignore-columns difficulty", r"5 annotators.*Fleiss' kappa +0\.400"),
    (
        "med/grouped_readers.csv",
        "--annotator-columns SeniorPath1 SeniorPath2 MidPath JuniorPath1 JuniorPath2",
        r"5 annotators.*Fleiss' kappa +0\.400",
    ),
    ("med/findings_one_reader.csv", "", r"ugt: error: .*not findings"),
    ("med/vote_counts_float.csv", "--format counts --ignore-columns comment", r"Fleiss' kappa +0\.477.*\(nominal\) +0\.437"),
    ("med/vote_counts_float.csv", "--format counts --annotator-columns reads_*", r"Fleiss' kappa +0\.477"),
    ("med/measurements_with_mean.csv", "--scale real", r"ugt: error: .*--ignore-columns Mean"),
    ("med/measurements_with_mean.csv", "--scale real --ignore-columns Mean", r"ICC\(A,1\) +0\.996"),
    ("med/measurements_with_volume.csv", "--scale real", r"ugt: error: .*--ignore-columns volume_ml"),
    ("med/measurements_with_volume.csv", "--scale real --ignore-columns volume_ml", r"ICC\(A,1\) +0\.996"),
    ("med/ls_regions.json", "", r"ugt: error: .*choices for each region"),
    ("med/negative_grades.csv", "--ordered -1,0,1", r"order -1 < 0 < 1"),
    ("med/negative_grades.csv", "--scale -1,0,1", r"scale -1 < 0 < 1"),
    ("med/epochs_wide.csv", "", r"ugt: error: .*\(--case-column record epoch\)"),
    ("med/epochs_wide.csv", "--case-column record epoch", r"8 cases, 3 annotators.*Fleiss' kappa +0\.674"),
    ("med/label_is_json.csv", "--label-column annotations", r"ugt: error: .*not JSON"),
    ("med/role_names.csv", "", r"2 annotators"),
    ("med/missing_drawing.xlsx", "", r"5 cases, 2 annotators"),
    ("med/constant_label.csv", "--label-column term", r"No label differs within its case.*name the column of the annotators' labels"),
    ("nlp/overlap.csv", "", r"Fleiss' kappa +1\.000 +0\.054 to.*AC1 +1\.000 +0\.693 to.*Prediger +1\.000 +0\.537 to"),
    ("nlp/overlap_only.csv", "", r"Fleiss' kappa +1\.000 +0\.054 to.*AC1 +1\.000 +0\.693 to.*Prediger +1\.000 +0\.537 to"),
    ("nlp/overlap_one.csv", "", r"percent agreement +1\.000 +- .*Fleiss' kappa +1\.000 +- "),
    ("nlp/single.csv", "", r"no case has labels of two annotators"),
    ("nlp/system.csv", "", r"ugt: error: .*--case-column case system"),
    ("nlp/system.csv", "--case-column case system", r"percent agreement +1\.000"),
    ("nlp/system_repeat.csv", "", r"ugt: error: .*--case-column case system"),
    ("nlp/system_repeat.csv", "--case-column case system", r"percent agreement +1\.000"),
    ("nlp/icc_models.csv", "--scale 1,2,3,4,5", r"ugt: error: .*--case-column item model"),
    ("nlp/headerless.tsv", "", r"ugt: error: .*--no-header"),
    ("nlp/headerless.tsv", "--annotator-column w1 --case-column d1 --label-column yes", r"ugt: error: .*--no-header"),
    ("nlp/headerless.tsv", "--no-header --annotator-column 1 --case-column 2 --label-column 3", r"3 cases, 2 annotators, .* 6 labels"),
    (
        "nlp/rejected_mturk.csv",
        "--case-column HITId --label-column Answer.sentiment.label",
        r"Left out: row with Rejected in the column 'AssignmentStatus' \(2\).*percent agreement +1\.000",
    ),
    ("nlp/tainted.csv", "", r"'_golden' \(3\).*'_tainted' \(3\).*percent agreement +1\.000"),
    ("nlp/discarded.jsonl", "--mapping discarded_mapping.json", r"row with discarded in the column 'status' \(1\)"),
    ("nlp/flat.jsonl", "", r"percent agreement +0\.500"),
    ("nlp/flat.json", "", r"percent agreement +0\.500"),
    ("nlp/ticks_json.csv", "", r"ugt: error: .*--ticks sets"),
    ("nlp/ticks_json.csv", "--ticks sets", r"percent agreement +0\.667"),
    ("nlp/ticks_brackets.csv", "--case-column sentence --label-column relations --ticks sets", r"percent agreement +0\.750"),
    ("nlp/ticks_brackets.csv", "--case-column sentence --label-column relations", r"ugt: error: .*--ticks sets"),
    ("nlp/ticks_studio.json", "", r"ugt: error: .*--ticks sets"),
    ("nlp/ticks_studio.json", "--ticks each", r"agree by one half: --ticks sets compares sets.*percent agreement +0\.500"),
    ("nlp/ticks_studio.json", "--ticks sets", r"percent agreement +0\.667"),
    ("nlp/survey3heads.csv", "", r"ugt: error: .*--format transposed and --annotator-column ResponseId and --ignore-columns StartDate"),
    (
        "nlp/survey3heads.csv",
        "--format transposed --annotator-column ResponseId --ignore-columns StartDate EndDate Status Progress Finished",
        r"headings of a survey in line 2 and line 3.* 0\.667 ",
    ),
    ("med/one_reader_a.csv", "one_reader_b.csv", r"percent agreement +0\.667"),
    ("tables/rad1.csv", "rad2.csv rad3.csv", r"240 cases, 3 annotators, 2 classes, 708 labels.*Fleiss' kappa +0\.482"),
    ("tables/r3.csv", "", r"Fleiss' kappa +0\.482"),
    (
        "nlp/parallel.jsonl",
        "--mapping parallel_mapping.json",
        r"Left out: row with discarded in the column 'status' \(1\).*percent agreement +1\.000",
    ),
    ("nlp/parallel.jsonl", "--mapping parallel_mapping.json --withdrawn keep", r"percent agreement +0\.500"),
    ("nlp/discarded.jsonl", "", r"row with discarded in the column 'status' \(1\)"),
]
STUDIES = [
    ("med/binary_calls.csv", "--model model_prob.csv --figure sensitivity", r"ugt: error: --score-threshold must be given"),
    ("med/binary_calls.csv", "--model model_prob.csv --figure sensitivity --score-threshold 0.5", r"model +0\.9167.*readers +0\.1167"),
    ("med/contradictory_truth.csv", "", r"ugt: error: .*truth must be the same in all rows of a case\. Got 0 and 1, first at case '1'"),
    ("med/cancer_normal.csv", "--figure sensitivity", r"Positive class: cancer.*0\.9167"),
    ("med/cancer_normal.csv", "--figure specificity", r"Positive class: cancer.*0\.7222"),
    ("med/cancer_normal.csv", "--figure sensitivity --positive normal", r"0\.2778.*add up to 0\.36"),
    ("med/readings_code99.csv", "", r"look like codes for 'none': '99'"),
    ("med/readings_code99.csv", "--na 99", r" a +0\.7808"),
    ("med/study.imrmc", "", r"film +0\.7986.*digital +0\.7431.*0\.0556.*0\.2004"),
    ("med/truth_reader_capital.csv", "", r"film +0\.7986.*digital +0\.7431.*0\.0556.*0\.2004"),
    ("med/three_sheets.xlsx", "", r"ugt: error: .*the layout of RJafroc is not read"),
]


def said(capsys, *words):
    code = cli.main(list(words))
    out, err = capsys.readouterr()
    return code, out + err


def holds(capsys, command, file, words, pattern):
    code, printed = said(capsys, command, file, *(words.split() if isinstance(words, str) else words))
    assert re.search(pattern, printed, re.DOTALL), printed
    assert code == (2 if pattern.startswith("ugt: error") else 0)


@pytest.mark.parametrize(("file", "words", "pattern"), AGREEMENT)
def test_agreement(strangers, capsys, file, words, pattern):
    if file.endswith("xlsx"):
        pytest.importorskip("openpyxl")
    holds(capsys, "agreement", strangers(file), words, pattern)


@pytest.mark.parametrize(("file", "words", "pattern"), STUDIES)
def test_reader_studies(strangers, capsys, file, words, pattern):
    if file.endswith("xlsx"):
        pytest.importorskip("openpyxl")
    holds(capsys, "reader-study", strangers(file), words, pattern)


def test_a_log_of_one_judge_is_named_after_its_file(strangers, capsys, tmp_path):
    file = strangers("nlp/judge_simple.csv")
    labels = "case,annotator,label\nq0,a,good\nq0,b,good\nq1,a,bad\nq2,b,good\nq3,a,good\n"
    (people := tmp_path / "people.csv").write_text(labels, encoding="utf-8")
    code, printed = said(capsys, "judge", str(people), file, "--values", "good=1", "bad=0")
    assert code == 0 and "40 verdicts by judge_simple" in printed


def test_objects_keyed_by_case_and_by_annotator(strangers, capsys, tmp_path):
    file = strangers("nlp/keyed.json")
    fields = '{"fields": {"case": "#", "annotator": "annotations{#}", "label": "annotations{}"}}'
    (mapping := tmp_path / "mapping.json").write_text(fields, encoding="utf-8")
    holds(capsys, "agreement", file, ["--mapping", str(mapping)], r"2 cases, 3 annotators, 2 classes, 5 labels.*percent agreement +0\.667")


MODELS = r"model_a .* 0\.767 .* 0\.831 .* 0\.899.*model_b .* 0\.708 .* 0\.766 .* 0\.806"
EVALUATIONS = [
    ("--annotations r3.csv --predictions export.csv", r"export .* 0\.831 .* 0\.899"),
    ("--annotations r3.csv --predictions export.csv --positive-class malignant", r"export .* 0\.831 .* 0\.899"),
    ("--annotations r3.csv --predictions probs.csv", r"ugt: error: .*--model-columns model_a model_b"),
    ("--annotations r3.csv --predictions probs.csv --model-columns model_a model_b", r"ugt: error: .*--positive-class benign or"),
    ("--annotations r3.csv --predictions probs.csv --model-columns model_a model_b --positive-class malignant", MODELS),
    ("--annotations rad1.csv rad2.csv rad3.csv --predictions model_a.csv model_b.csv", r"ugt: error: .*--positive-class"),
    ("--annotations rad1.csv rad2.csv rad3.csv --predictions model_a.csv model_b.csv --positive-class malignant", MODELS),
    ("--annotations reads.csv --predictions model_a.csv model_b.csv", r"ugt: error: .*--ignore-columns patient_id site age"),
    (
        "--annotations reads.csv --ignore-columns patient_id site age --predictions model_a.csv model_b.csv --positive-class malignant "
        "--clusters patients.csv",
        rf"240 cases, 120 in 'patient_id'.*{MODELS}",
    ),
]


@pytest.mark.parametrize(("words", "pattern"), EVALUATIONS)
def test_evaluations(strangers, capsys, tmp_path, words, pattern):
    strangers("tables/r3.csv")
    first, *more = words.split()
    holds(capsys, "evaluate", first, [*more, "--no-details", "--n-boot", "20", "--out", str(tmp_path / "report")], pattern)


def test_free_text_is_told_at_once(strangers, capsys, tmp_path):
    made = subprocess.run([sys.executable, strangers("nlp/free_text.py"), "700", "7", "700"], capture_output=True, text=True, check=True)
    (path := tmp_path / "free.csv").write_text(made.stdout, encoding="utf-8")
    begin = time.process_time()
    holds(capsys, "agreement", str(path), "", r"ugt: error: .*4,900 classes for 4,900 labels, as free text has")
    assert time.process_time() - begin < 10


def test_models_beside_readers(strangers, capsys, tmp_path):
    strangers("tables/all.csv")
    words = ["--annotations", "all.csv", "--annotator-columns", "rad*", "--model-columns", "model_*", "--no-details", "--n-boot", "20"]
    words += ["--out", str(tmp_path / "report")]
    code, printed = said(capsys, "evaluate", *words)
    assert code == 2 and "--positive-class benign or --positive-class malignant" in printed
    code, printed = said(capsys, "evaluate", *words, "--positive-class", "malignant")
    assert code == 0 and re.search(r"model_a .* 0\.831 .* 0\.899", printed)
