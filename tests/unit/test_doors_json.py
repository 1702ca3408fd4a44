"""JSON and arrays: mappings for any other file, exports without annotators, rankings with annotators, whole annotations; broken ones."""

import gzip
import json
from itertools import count

import numpy as np
import pytest
from refusals import refused
from twins.files import rows_of

from ugt import io
from ugt.annotations import Labels, Rankings, Ratings

RECORDS = [
    {"meta": {"id": "p"}, "who": 1, "answer": {"value": "cat", "sure": 3}},
    {"meta": {"id": "q"}, "who": 2, "answer": {"value": None}},
    {"meta": {"id": "p"}, "who": 2, "answer": {"value": "dog", "sure": 1}},
]
FIELDS = {"case": "meta.id", "annotator": "who", "label": "answer.value"}


def test_records(write):
    path = write({"data": {"items": RECORDS}})
    read = io.read_annotations(path, mapping={"records": "data.items", "fields": FIELDS})
    assert rows_of(read.annotations) == [("p", 1, "cat"), ("p", 2, "dog")]
    assert read.annotations.axes.case_ids.tolist() == ["p", "q"] and read.missing == {"": 1}
    lines = "\n".join(map(json.dumps, RECORDS)) + "\n\n"
    for name, content in (("a.jsonl", lines.encode()), ("a.ndjson", lines.encode()), ("a.jsonl.gz", gzip.compress(lines.encode()))):
        assert rows_of(io.read_annotations(write(content, name), mapping={"fields": FIELDS}).annotations) == rows_of(read.annotations)
    positions = {"case": "0", "annotator": "1", "label": "2"}
    assert rows_of(io.read_annotations(write([["p", 1, "cat"]]), mapping={"fields": positions}).annotations) == [("p", 1, "cat")]


def test_no_field_stands_twice(write):
    """Its first value would be lost."""
    once = '{"meta": {"id": "p", "id": "q"}, "who": 1}'
    message = "must have each field of an object once. Got 'id' twice"
    for name, content in (("a.json", f"[{once}]"), ("a.jsonl", f"{once}\n")):
        refused(message, io.read_annotations, write(content.encode(), name), mapping={"fields": {"case": "meta.id", "label": "who"}})
    refused(
        "must have each field of an object once. Got 'path' twice",
        io.read_annotations,
        write([]),
        mapping=write(b'{"path": 1, "path": 2}', "m.json"),
    )


def test_lists_in_records(write):
    tasks = [
        {"id": 7, "answers": [{"by": "ann", "chose": ["cat", "dog"]}, {"by": "bob", "chose": ["dog"]}]},
        {"id": 9, "answers": []},
        {"id": 8},
    ]
    fields = {"case": "id", "annotator": "answers[].by", "label": "answers[].chose[]"}
    labels = io.read_annotations(write(tasks), mapping={"fields": fields}).annotations
    assert rows_of(labels) == [(7, "ann", "cat"), (7, "ann", "dog"), (7, "bob", "dog")]
    assert labels.axes.case_ids.tolist() == [7, 9, 8]
    ranked = io.read_annotations(write(tasks), mapping={"fields": {**fields, "rank": "answers[].chose[#]"}}).annotations
    assert isinstance(ranked, Rankings) and ranked.axes.classes[ranked.items].tolist() == ["cat", "dog", "dog"]
    assert ranked.block_offsets.tolist() == [0, 1, 2, 3]
    first = {"case": "id", "annotator": "answers[].by", "value": "answers[].chose.0"}
    refused(r"value must be a number\. Got 'cat', first at record 0\.", io.read_annotations, write(tasks), mapping={"fields": first})


def test_other_roles_and_options(write):
    path = write([{"c": "p", "a": "x", "v": 2.5}, {"c": "p", "a": "y", "v": -1}])
    fields = {"case": "c", "annotator": "a", "value": "v"}
    assert io.read_annotations(path, mapping={"fields": fields}).annotations.value.tolist() == [2.5, -1.0]
    read = io.read_annotations(path, mapping={"fields": fields, "missing": ["-1"]})
    assert isinstance(read.annotations, Ratings) and read.missing == {"-1": 1}
    flags = write([{"c": 1, "a": "x", "l": True}])
    labels = io.read_annotations(flags, mapping={"fields": {"case": "c", "annotator": "a", "label": "l"}, "classes": ["false", "true"]})
    assert labels.annotations.counts().tolist() == [[0, 1]]


def test_a_mapping_as_the_file(write):
    write("study_uid,doc,dx\np,x,1\np,y,-9\n", "table.csv")
    columns = {"case": "study_uid", "annotator": "doc", "label": "dx"}
    mapping = {"path": "table.csv", "format": "long", "columns": columns, "missing": ["-9"]}
    read = io.read_annotations(write({**mapping, "classes": [0, 1]}, "mapping.json"))
    assert read.annotations.counts().tolist() == [[0, 1]] and read.missing == {"-9": 1}
    assert io.read_annotations(write(mapping, "mapping.json"), classes=4).annotations.n_classes == 4  # what is said goes first
    write([{"c": "p", "a": "x", "l": "cat"}], "data.json")
    inner = {"path": "data.json", "fields": {"case": "c", "annotator": "a", "label": "l"}}
    assert rows_of(io.read_annotations(write(inner, "mapping.json")).annotations) == [("p", "x", "cat")]
    table = write("uid,who,dx\np,x,cat\n", "a.csv")
    by_file = io.read_annotations(table, mapping=write({"columns": {"case": "uid", "annotator": "who", "label": "dx"}}, "how.json"))
    assert rows_of(by_file.annotations) == [("p", "x", "cat")]


def of_items(**fields):
    return {"fields": {**FIELDS, **fields}, "records": "data.items"}


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ({"records": "data.items"}, r"file\.json: mapping must have fields for a JSON file, such as .* Got none\."),
        ({"fields": FIELDS}, r"file\.json: records must have the field 'meta\.id' .* Got none\."),
        ({"fields": FIELDS, "records": "data"}, r"records must be the path of a list, or of .*\. Got 'data', an object\."),
        ({"fields": FIELDS, "records": "items"}, r"records must be the path of a list, or of an object .*\. Got 'items'\."),
        (of_items(label="answer.name"), r"records must have the field 'answer\.name' .* Got none\."),
        (of_items(label="answer"), r"have text or a number at 'answer' .* Got an object, first at record 0"),
        (of_items(label="who.x"), r"records must be objects along 'who\.x'\. Got 1, first at record"),
        (of_items(label="answer[]"), r"have a list at 'answer'\. Got an object, first at record 0"),
        (of_items(annotator="a[]", label="b[]"), r"have the field 'a\[\]' \(at least one record\)\. Got none\."),
        ({"fields": {"annotator": "who", "label": "answer.value"}, "records": "data.items"}, r"long table must have columns for case, "),
        ({"fields": {"who": "who"}}, r"mapping: fields must give paths for the roles case, .* Got 'who': 'who'\."),
        ({"fields": ["who"]}, r"mapping: fields must be an object\. Got \['who'\]\."),
        ({"classses": 3}, r"mapping must have only the keys path, format, .* Got 'classses'\."),
        ({"format": "tall"}, r"mapping: format must be one of auto, .* Got 'tall'\."),
        ({"missing": "NA"}, r"mapping: missing must be a list\. Got 'NA'\."),
        (3, r"mapping must be a JSON file or a mapping\. Got int\."),
    ],
    ids=count(),
)
def test_bad_mappings(write, mapping, message):
    refused(message, io.read_annotations, write({"data": {"items": RECORDS}}), mapping=mapping)


def test_bad_mapping_files(write):
    table = write("case,annotator,label\np,x,cat\n", "a.csv")
    refused(r"how\.json: mapping must be a JSON object\. Got a list of [0-9]+\.", io.read_annotations, table, mapping=write([], "how.json"))
    cut = write('{"columns": ', "how.json")
    refused(r"how\.json: file must be JSON \(is it cut off\?\)\. Got .* first at line 1\.", io.read_annotations, table, mapping=cut)
    lines = "\n".join([json.dumps(RECORDS[0]), "", json.dumps({**RECORDS[0], "meta": {}})])
    for content, name, more, message in (
        ("case\n", "a.csv", {}, r"a\.csv: mapping must have fields and records for JSON and JSONL only \(columns for tables\)\."),
        (
            '{"a": 1}\n',
            "x.jsonl",
            {"records": "x"},
            r"x\.jsonl: mapping: records must be left out for JSONL, where each line is a r.*Got 'x'\.",
        ),
        ('{"who": 1}\n{"who": ', "x.jsonl", {}, r"x\.jsonl: file must have a JSON object on every line \(is it cut off\?\)\..* line 2\."),
        (lines, "x.jsonl", {}, r"case must not be blank\. Got a blank cell, first at line 3\."),
    ):
        refused(message, io.read_annotations, write(content, name), mapping={"fields": FIELDS, **more})
    with pytest.raises(FileNotFoundError):
        io.read_annotations(write({"path": "nowhere.csv"}, "mapping.json"))
    refused(r"file must have records\. Got none\.", io.read_annotations, write([]), mapping={"fields": FIELDS})


@pytest.mark.parametrize(
    ("content", "name", "message"),
    [
        (
            [{"study": 1, "dx": 2}],
            "a.json",
            r"or an export of Label Studio \(for any other file, mapping= .* Got objects with the keys 'study', 'dx'\.",
        ),
        ([{"id": 1, "annotations": [{"result": []}]}], "a.json", r"file must have annotations: choices, ratings or rankings\. Got none\."),
        (
            {"text": "x", "label": "y"},
            "a.jsonl",
            r"an export of Prodigy, or .*mapping= gives the place of each field; .*\)\. Got an object .*, first at line 1\.",
        ),
        (
            {"_input_hash": 1, "accept": ["a"], "answer": "accept"},
            "a.jsonl",
            r"name the annotator of each answer .* in named sessions\)\. Got null",
        ),
        (b'{"_input_hash": 1}\xff\n', "a.jsonl", r"file must be UTF-8 text\. Got the byte 0xff"),
        ("1: 1,2\n", "a.soc", r"a\.soc: file must name all alternatives in its head\. Got 0 of None\."),
        ("# NUMBER ALTERNATIVES: 1\n# ALTERNATIVE NAME 1: a\nx: 1\n", "a.toc", r"a\.toc: file must have orders such as .*at line 3\."),
        (b"\0", "a.toi", r"a\.toi: file must be UTF-8 text\. Got a NUL byte"),
        ("", "a.soi", r"a\.soi: file must not be empty"),
        ("p > ", "a.npy", r"a\.npy: file must be an NPY or NPZ file"),
    ],
    ids=count(),
)
def test_broken_files_of_other_programs(write, content, name, message):
    refused(message, io.read_annotations, write(content, name))


def test_compressed_exports(write):
    result = {"type": "choices", "from_name": "t", "value": {"choices": ["x"]}}
    tasks = [{"id": 1, "annotations": [{"completed_by": 5, "result": [result]}]}]
    assert rows_of(io.read_annotations(write(gzip.compress(json.dumps(tasks).encode()), "a.json.gz")).annotations) == [(1, 5, "x")]
    text = b"# NUMBER ALTERNATIVES: 2\n# ALTERNATIVE NAME 1: a\n# ALTERNATIVE NAME 2: b\n3: 2,1\n"
    read = io.read_annotations(write(gzip.compress(text), "vote.soc.gz"))
    assert read.annotations.n_rankings == 3 and read.annotations.axes.case_ids.tolist() == ["vote"]


def test_rankings_with_annotators(write):
    content = {"rankings": [[[["a"], ["b"]], [["b"]]], [[["a"]]]], "annotators": [["x", "y"], ["y"]]}
    rankings = io.read_annotations(write(content)).annotations
    assert rankings.annotators.tolist() == ["x", "y"] and rankings.annotator.tolist() == [0, 1, 1]
    for annotators, message in (
        ([["x", "y"]], r"annotators must be a list of 2 lists of ids, as rankings\. Got a list of 1\."),
        ([["x"], ["y"]], r"annotators must be 2 ids for the 2 rankings\. Got \['x'\], first at case 0\."),
        ([["x", "x"], ["y"]], r"annotators must rank each case once\. Got \['x', 'x'\], first at case 0\."),
        ([["x", None], ["y"]], r"annotators must not be missing\. Got None, first at ranking 1\."),
    ):
        refused(r"file\.json: " + message, io.read_annotations, write({**content, "annotators": annotators}))


def whole(write, given, **changed):
    path = write(b"", "a.npz")
    io.write_annotations(path, given)
    arrays = {**np.load(path), **changed}
    return write({key: array for key, array in arrays.items() if array is not None}, "a.npz")


LABELS = Labels.from_wide([["a", "b"], [None, "a"]], classes=["a", "b", "c"])
RANKINGS = Rankings.from_strings(["p", "q"], ["x", "x"], ["a > b", "b"])
RATINGS = Ratings.from_wide([[1.5, 2.0], [None, 3.0]])


@pytest.mark.parametrize(
    ("given", "changed", "message"),
    [
        (LABELS, {"kind": np.array("votes")}, r"kind must be one of labels, rankings, ratings\. Got 'votes'\."),
        (LABELS, {"case_ids": np.array("p")}, r"case_ids must have one dimension\. Got shape \(\)\."),
        (LABELS, {"numbered": np.zeros(2)}, r"numbered must be one value, true or false\. Got float64 of shape \(2,\)\."),
        (LABELS, {"label": None}, r"file must hold the arrays annotator, annotators, case_ids, classes, count, "),
        (LABELS, {"label": np.array([0, 1, 3])}, r"label must be 3 whole numbers from 0 to 2\. Got int\d\d of shape \(3,\)\."),
        (LABELS, {"label": np.array([0, 1])}, r"label must be 3 whole numbers from 0 to 2\. Got int\d\d of shape \(2,\)\."),
        (LABELS, {"annotator": np.array([0, 1, -1])}, r"annotator must be 3 whole numbers from 0 to 1\."),
        (LABELS, {"offsets": np.array([0, 3, 2])}, r"offsets must be 3 whole numbers that begin at 0 and do not decrease\."),
        (LABELS, {"offsets": np.array([1, 2, 3])}, r"offsets must be 3 whole numbers that begin at 0"),
        (LABELS, {"offsets": np.array([0, 2, 10**12])}, r"annotator must be 1000000000000 whole numbers"),
        (LABELS, {"count": np.array([1, 0, 1])}, r"count must be 3 whole numbers of at least 1\."),
        (LABELS, {"case_ids": np.array([4, 4])}, r"case_ids must not repeat an id\. Got 4 twice"),
        (RANKINGS, {"items": np.array([0, 0, 1])}, r"items must not repeat a class within a ranking\. Got 'a' twice, first at case 'p'"),
        (RANKINGS, {"block_offsets": np.array([0, 0, 2, 3])}, r"block_offsets must not hold an empty block\. Got one, first at block 0\."),
        (RANKINGS, {"ranking_offsets": np.array([0, 1])}, r"ranking_offsets must be 3 whole numbers that begin at 0"),
        (RATINGS, {"value": np.array([1.0, np.nan, 2.0])}, r"value must be 3 finite numbers\. Got float64 of shape \(3,\)\."),
        (RATINGS, {"value": np.array([1.0])}, r"value must be 3 finite numbers"),
    ],
    ids=count(),
)
def test_whole_annotations_are_checked(write, given, changed, message):
    refused(r"a\.npz: " + message, io.read_annotations, whole(write, given, **changed))


def test_whole_annotations_have_their_classes(write):
    refused(r"classes must be left out for a file that names them\. Got 3\.", io.read_annotations, whole(write, LABELS), classes=3)


@pytest.mark.parametrize(("content", "name"), [(b"\x93NUMPY\x01\0", "a.npy"), (b"PK\3\4", "a.npz"), ("case,cat\np,0.5", "a.npz")])
@pytest.mark.parametrize("read", [io.read_predictions, io.read_models])
def test_broken_arrays_of_scores(write, content, name, read):
    refused(rf"{name}: file must be an NPY or NPZ file", read, write(content, name))


class Frame(dict):
    columns = property(list)


def test_any_columns_are_a_frame():
    frame = Frame(case=np.array([1]), annotator=np.array(["x"]), label=np.array([0]))
    assert io.read_annotations(frame).format == "long"
