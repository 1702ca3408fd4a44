"""Files whose cases are counted anew within patients, or have a left and a right side: asked, not joined in silence."""

import pytest
from refusals import refused

import ugt
from ugt import io

LESIONS = "patient_id,lesion_id,reader,diagnosis\n" + "".join(
    f"P{p},{i},{who},{'mel' if p == i else 'nev'}\n" for p in (1, 2) for i in (1, 2) for who in "ab"
)
KNEES = "StudyID,Side,Radiologist,grade\n" + "".join(f"S{i},{side},Dr {who},{i % 3}\n" for i in range(6) for side in "LR" for who in "AB")
WIDE = "patient_id,lesion_id,R1,R2\nP1,1,mel,nev\nP1,2,nev,nev\nP2,1,mel,mel\nP2,2,nev,mel\n"
BOTH = r"\(columns={{'case': \['{0}', '{1}'\]}}; if '{0}' alone identifies a case: columns={{'case': '{0}'}}\)\. Got '{0}', which repeats"
WIDE_BOTH = r"\(columns={{'case': \['{0}', '{1}'\]}}\)\. Got '{0}', which repeats"


@pytest.mark.parametrize("change", ["", "diagnosis=value", "diagnosis=label,rank"])
def test_cases_that_count_within_patients(write, change):
    content = LESIONS
    if change == "diagnosis=value":
        content = content.replace("diagnosis", "value").replace("mel", "1").replace("nev", "2")
    elif change:
        content = content.replace("diagnosis", "label,rank").replace("mel", "mel,1").replace("nev", "nev,2")
    path = write(content)
    message = BOTH.format("lesion_id", "patient_id") + r" a case and annotator in rows that differ by 'patient_id', first at line 6"
    refused(message, io.read_annotations, path)
    assert io.read_annotations(path, columns={"case": "patient_id"}, duplicates="first").annotations.n_cases == 2  # as it was asked for


def test_frames():
    pandas = pytest.importorskip("pandas")
    header, *rows = (line.split(",") for line in LESIONS.splitlines())
    frame = pandas.DataFrame(rows, columns=header)
    refused(BOTH.format("lesion_id", "patient_id"), ugt.Labels.from_frame, frame)
    refused(BOTH.format("lesion_id", "patient_id"), io.read_annotations, frame)
    both = frame.assign(lesion_id=frame.patient_id + "/" + frame.lesion_id)
    assert ugt.Labels.from_frame(both).n_cases == 4


def test_one_column_of_both_is_read_without_a_note(write):
    rows = [row.split(",") for row in LESIONS.splitlines()]
    content = "".join(f"{'lesion_id' if i == 0 else p + '/' + lesion},{p},{who},{dx}\n" for i, (p, lesion, who, dx) in enumerate(rows))
    read = io.read_annotations(write(content))
    assert read.annotations.n_cases == 4 and read.notes == ()


def test_sides_of_a_patient(write):
    names = {"annotator": "Radiologist"}
    path = write(KNEES)
    refused(BOTH.format("StudyID", "Side"), io.read_annotations, path, columns=names)
    message = r"label \(if cases differ by 'Side', columns={'case': \['StudyID', 'Side'\]}; else duplicates='first' counts"
    refused(message, io.read_annotations, path, columns={**names, "case": "StudyID"})
    other = {**names, "case": "StudyID"}
    message = r"\(if cases differ by 'Region', columns={'case': \['StudyID', 'Region'\]}"
    refused(message, io.read_annotations, write(KNEES.replace("Side", "Region")), columns=other)
    refused(r"label \(duplicates='first'", io.read_annotations, write(KNEES.replace("Side", "Comment")), columns=other)
    content = KNEES.replace("R,Dr A,", "R,Dr A,1").replace("R,Dr B,", "R,Dr B,1")
    (note,) = io.read_annotations(write(content), columns=other).notes
    assert str(note).endswith("annotator 'Dr A' (if cases differ by 'Side', columns={'case': ['StudyID', 'Side']}).")


def test_two_readings_of_a_case_are_not_parts_of_it(write):
    rows = "".join(f"P{i // 2},i{i},{who},{(i + second) % 2}\n" for i in range(8) for who in "ab" for second in (0, 1))
    read = io.read_annotations(write("patient,image,reader,label\n" + rows))
    assert read.annotations.n_cases == 8 and "several labels to one case" in str(read.notes[0])


def test_wide_tables(write):
    path = write(WIDE)
    refused(WIDE_BOTH.format("patient_id", "lesion_id") + " a case in rows", io.read_annotations, path)
    refused(WIDE_BOTH.format("lesion_id", "patient_id"), io.read_annotations, path, ignore_columns=["patient_id"])
    unique = WIDE.replace("P2,1", "P2,3").replace("P2,2", "P2,4")
    assert io.read_annotations(write(unique), ignore_columns=["patient_id"]).columns["case"] == ("lesion_id",)
    single = "patient,lesion,R1,R2\n" + "".join(f"P{i},{i % 2},{i % 2},1\n" for i in range(8))
    refused(r"annotators with the same classes .* Got 'lesion' among 3", io.read_annotations, write(single), format="wide")
    rows = "patient,lesion,Arzt,Befund\n" + "".join(f"P{i // 2},{i % 2},Dr {who},{'ab'[i % 3 > 0]}\n" for i in range(8) for who in "AB")
    refused(
        r"each row is one annotation, name its columns among patient, lesion, Arzt, Befund: columns={'case': \['patient', 'lesion'\]",
        io.read_annotations,
        write(rows),
    )
