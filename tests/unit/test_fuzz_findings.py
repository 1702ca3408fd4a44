"""What the fuzzers found, once each: files that crashed a reader, exhausted the memory or were read as something they are not."""

import io
import json
import zipfile

import numpy as np
import pytest
from refusals import labels_of_rows, refused

import ugt
from ugt._core import _dirichlet
from ugt._tabular.csv_table import Table
from ugt.io import read_annotations, read_names, read_predictions, write_annotations


@pytest.fixture
def given(tmp_path):
    """``given(name, content)``: a file."""

    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def test_a_damaged_header_of_an_npy_file(given):
    """A TokenError of Python's own reader of Python code."""
    data = npy(np.zeros((2, 2), np.int8)).replace(b"}  ", b"} (", 1)
    refused(r"file must be an NPY or NPZ file of plain arrays", read_annotations, given("x.npy", data), format="wide")


def test_an_npz_file_with_a_part_that_is_no_array(given):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("kind.npy", npy(np.array("labels")))
        archive.writestr("offsets.npy", b"no array")
    refused(r"NPY or NPZ file of plain arrays .*, first at 'offsets\.npy'\.", read_annotations, given("x.npz", file.getvalue()))


@pytest.mark.parametrize("order", ["<", ">"])
def test_text_with_numbers_that_are_no_characters(given, order):
    """Python took them for a fault of its own (SystemError)."""
    data = npy(np.array([["a", "b"]], f"{order}U1"))
    number = np.array([0x110000], f"{order}u4").tobytes()
    refused(r"array must be text. Got a character with the number", read_annotations, given("x.npy", data[:-4] + number), format="wide")
    assert read_annotations(given("x.npy", data), format="wide").annotations.axes.classes.tolist() == ["a", "b"]


def test_scores_in_a_damaged_file(given):
    refused(
        r"file must be an NPY or NPZ file", read_predictions, given("x.npy", npy(np.zeros((2, 2), "<f8")).replace(b"'<f8'", b"'<f8(", 1))
    )


def test_a_file_of_control_characters_has_no_names(given):
    """An empty list was returned."""
    refused(r"have a name on every line. Got a blank, first at line 1", read_names, given("x.txt", b"\x1e"))


def test_a_mapping_that_names_itself(given):
    path = given("x.json", json.dumps({"path": "x.json"}))
    refused(r"mapping: path must name a file of annotations. Got another mapping with a path", read_annotations, path)


def test_a_mapping_that_names_a_file_is_followed(given):
    given("x.csv", "case,annotator,label\n1,a,b\n")
    assert read_annotations(given("x.json", json.dumps({"path": "x.csv"}))).annotations.n_labels == 1


def test_a_count_of_named_annotators_that_no_memory_holds(given):
    table = "case,annotator,label,count\n1,a,b,{}\n2,a,c,1\n"
    for count in (10**7, 10**11, 10**17):
        with pytest.raises(ValueError, match=r"count must add up to at most 10,000,000 if annotators are named. Got 1"):
            read_annotations(given("x.csv", table.format(count)))
    assert read_annotations(given("x.csv", table.format(3))).annotations.n_labels == 4


HEAD = "# NUMBER ALTERNATIVES: 1\n# ALTERNATIVE NAME 1: a\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD + "99999999999: 1\n", r"have at most 1,000,000 voters. Got 99,999,999,999, first at line 3"),
        (HEAD + "900000: 1\n900000: 1\n", r"have at most 1,000,000 voters. Got 1,800,000, first at line 4"),
        ("# NUMBER ALTERNATIVES: x\n1: 1\n", r"by their numbers. Got '# NUMBER ALTERNATIVES: x', first at line 1"),
        ("# ALTERNATIVE NAME : a\n1: 1\n", r"by their numbers. Got '# ALTERNATIVE NAME : a', first at line 1"),
        (HEAD + "9" * 5000 + ": 1\n", r"have orders such as"),
        (HEAD + "1: " + "9" * 5000 + "\n", r"have numbers of alternatives in its orders"),
    ],
)
def test_numbers_of_preflib_files(given, text, message):
    refused(message, read_annotations, given("x.soc", text))


def test_the_case_of_a_preflib_file_is_called_like_the_file(given):
    assert read_annotations(given("x.soc", HEAD + "2: 1\n")).annotations.axes.case_ids.tolist() == ["x"]


def test_both_ways_to_read_a_table_count_missing_cells_in_one_order(given, monkeypatch):
    """The csv module's rows were numbered column by column."""
    path = given("x.csv", "case,r1,r2,r3\nx,0,1,NA\ny,2,,1\n")
    notes = [read_annotations(path, format="wide").missing_note()]
    monkeypatch.setattr(Table, "_split", lambda self, groups: None)
    notes.append(read_annotations(path, format="wide").missing_note())
    assert notes[0] == notes[1] == "Read as missing: 'NA' (1 cells), blank (1 cells)."


def test_probabilities_of_lists_are_not_negative():
    """Of lists that are next to impossible, rounding was left: -2e-64."""
    concentration = np.array([100.0, 100.0, 100.0, 100.0, 3.375, 2.4375])
    out = np.empty(1, np.int64), np.empty(6, np.int32), np.empty(1, np.int32)
    profiles = _dirichlet.Profiles(np.array([0, 6]), np.arange(6, dtype=np.int32), concentration, np.zeros(1), 6, *out)
    size = np.empty(1, np.int64)
    profiles.list_sizes(0, 1, 3, 2000, size)
    table = np.empty(size[0])
    profiles.lists(0, 1, 3, np.array([0, size[0]]), table)
    assert len(table) == 13 and (table >= 0).all() and table[0] == pytest.approx(1 / 24)


def test_counts_that_no_file_holds_are_not_written_one_by_one(tmp_path):
    axes = labels_of_rows([0, 0], [3, 3], [1, 0])
    labels = ugt.Labels(axes.axes, axes.annotators, axes.offsets, axes.annotator, axes.label, np.array([1, 0x2F000000000001]))
    refused(r"a file with one row per label needs at least .* GB", write_annotations, tmp_path / "x.csv", labels, error=MemoryError)
    assert not (tmp_path / "x.csv").exists()
    assert write_annotations(tmp_path / "x.npz", labels) == ()
    labels = ugt.Labels(axes.axes, axes.annotators, axes.offsets, axes.annotator, axes.label, np.array([1, 10**7]))
    refused(
        r"count must add up to at most 10,000,000 .*\(or be written as NPZ\)\. Got 10,000,001",
        write_annotations,
        tmp_path / "x.csv",
        labels,
    )


def test_tabs_before_the_first_cell_of_a_row(given):
    """Whether such a row is blank was tried in twice as many ways for every tab."""
    path = given("x.csv", "case" + "".join(f"\tr{i}" for i in range(99)) + "\n" + "\t" * 99 + "a\nx" + "\ta" * 99 + "\n")
    refused(r"case must not be blank", read_annotations, path, format="wide")


def test_a_table_of_blank_rows_has_no_line_to_show(given):
    refused(r"header must be the first line and separate its columns .* Got ''", read_annotations, given("x.csv", ";;;;"))
