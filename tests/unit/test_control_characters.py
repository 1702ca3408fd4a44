"""Control characters of ids in written files, errors of the system that name the file, and no warnings of numpy."""

import errno
import os
import warnings

import numpy as np
import pytest
from csv_files import read

import ugt
from ugt._base.checkpoints import naming
from ugt._tabular.csv_text import csv_text


def test_control_characters_of_ids_are_written_out(tmp_path):
    ids = ["a\x1b[2Jb", "c\x9bd", "e\x7ff", "g\x08h"]
    labels = ugt.Labels.from_wide([[0, 1], [0, 0], [1, 1], [0, 1]], classes=2, case_ids=ids)
    found = ugt.evaluate(labels, {"m\x1b[31m": np.full((4, 2), 0.5)}, n_resamples=5, reliability=1, details=False)
    for table in ("cases", "metrics"):
        found.to_csv(tmp_path / f"{table}.csv", table)
        text = (tmp_path / f"{table}.csv").read_text(encoding="utf-8")
        assert not set(text) & {chr(c) for c in (*range(9), 11, 12, *range(14, 32), *range(127, 160))}
    found.to_html(tmp_path / "page.html")
    assert not set((tmp_path / "page.html").read_text(encoding="utf-8")) & set("\x1b\x9b\x7f\x08")
    assert {row["case"] for row in read(tmp_path / "cases.csv")} == {"a[U+001B][2Jb", "c[U+009B]d", "e[U+007F]f", "g[U+0008]h"}


def test_tabs_and_line_ends_stay():
    assert csv_text(["x"], [["a\tb"], ["c\nd"]]) == 'x\na\tb\n"c\nd"\n'


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no full device")
def test_a_full_disk_names_the_file(tmp_path):
    rankings = ugt.Rankings.from_blocks([[[[0], [1]], [[1], [0]]]] * 3, n_classes=3)
    with pytest.raises(OSError, match="/dev/full") as found:
        ugt.plackett_luce(rankings, method="gibbs", n_draws=8, n_chains=2, checkpoint="/dev/full")
    assert found.value.errno == errno.ENOSPC


def test_errors_of_the_system_name_the_file():
    with pytest.raises(OSError, match=r"No space left on device: 'a\.csv'"), naming("a.csv"):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    with pytest.raises(FileNotFoundError, match=r"b\.csv"), naming("a.csv"):
        raise FileNotFoundError(errno.ENOENT, "no such file", "b.csv")


@pytest.mark.parametrize("path", ["", 5, memoryview(b"x")])
def test_what_is_no_path_is_refused(path):
    rankings = ugt.Rankings.from_blocks([[[[0], [1]]]], n_classes=2)
    with pytest.raises(ValueError, match=r"checkpoint must be the path of a file\. Got"):
        ugt.plackett_luce(rankings, method="gibbs", n_draws=8, n_chains=2, checkpoint=path)


def test_labels_of_short_floats_give_no_warning_of_numpy():
    table = np.array([[1.0, np.nan], [0.0, 1.0]], np.float16)
    assert ugt.Labels.from_wide(table, classes=2).counts().tolist() == [[0, 1], [1, 1]]


def test_grade_metrics_name_predictions_that_are_missing():
    with pytest.raises(TypeError, match=r"predictions must be numbers, names of grades or probabilities\. Got NoneType"):
        ugt.grades.ua_absolute_error([[0.5, 0.5]], None)


@pytest.mark.parametrize("label", [0, 1])
def test_a_pilot_of_one_class_is_refused_without_a_warning_of_numpy(label):
    labels = ugt.Labels.from_wide(np.full((12, 3), label), classes=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        with pytest.raises(ValueError, match="must"):
            ugt.plan_annotations(labels, np.arange(12) / 12, metric="soft_auroc", width=0.2)
