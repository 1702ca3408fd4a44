"""What attackers tried, once each: masked cells, pipes, bombs, closed streams, damaged checkpoints, formulas, halves of characters."""

import csv
import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from public_functions import FUNCTIONS, make_world, numbers
from refusals import refused

import ugt
from ugt._base.checkpoints import MAGIC, Checkpoint
from ugt._tabular import csv_table, lines
from ugt._tabular.csv_text import csv_cell, guarded, unguarded
from ugt._tabular.source import Source
from ugt.cli import main
from ugt.io import read_annotations, read_clusters, read_names, read_predictions, write_annotations, write_predictions
from ugt.truth import plackett_luce_draws as _plackett_luce

posix = pytest.mark.skipif(sys.platform == "win32", reason="of POSIX")


def cells_of(array):
    """The last row is masked where it counts as much as any other."""
    mask = np.zeros(array.shape, bool)
    mask[-1] = True
    return np.ma.array(array, mask=mask)


# ---- what arrays hide
PLAIN = [  # arrays of the table of all functions that reach the function as they are
    (name, one)
    for name, entry in FUNCTIONS.items()
    for one in entry.given
    if isinstance(one, str)
    and one not in ("ratings", "wide", "case_ids")  # where a masked cell is no annotation; ids are copied from
    and (name, one) != ("fit_reliability", "class")  # or no reference
    and (name, one) not in (("assess_judges", "chosen"), ("corrected_mean", "chosen"))  # which chooses rows of the table
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "array"), PLAIN)
def test_masked_cells_never_count(name, array):
    """numpy.asarray shows what is under a mask: forty functions took it for data."""
    world = make_world()
    entry = FUNCTIONS[name]
    refused(r" must ", entry.call, {**world, array: cells_of(world[array])}, error=(ValueError, TypeError))
    nothing = np.ma.array(world[array])  # a masked array without masked cells is an array
    assert numbers(entry.call({**world, array: nothing})) == numbers(entry.call(world))


def test_masked_cells_of_models_tables_and_lists():
    counts, scores = np.array([[3, 1], [1, 2], [0, 2]]), np.array([[0.9, 0.1], [0.4, 0.6], [0.3, 0.7]])
    refused(r"scores must be numbers. Got dtype object", ugt.evaluate, ugt.Labels.from_counts(counts), {"A": cells_of(scores)})
    refused(r"plausibilities must be an array of numbers", ugt.ua_topk_accuracy, cells_of(scores), scores)
    refused(r"scores must be numbers", ugt.ua_topk_accuracy, scores, list(cells_of(scores)))
    with pytest.raises(ValueError, match=r"prior must be one number, 2 numbers \(one per class\)"):
        ugt.dirichlet(ugt.Labels.from_counts(counts), prior=np.ma.array([1.0, 2.0], mask=[False, True]))
    wide = np.ma.array([[0, 1], [1, 1]], mask=[[False, True], [False, False]])
    for table in (wide, list(wide)):  # here a masked cell is no label
        assert ugt.Labels.from_wide(table, classes=2, missing=None).n_labels == 3
        assert ugt.Ratings.from_wide(table).n_ratings == 3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ugt.Labels.from_wide(1.5), r"table must be two-dimensional, cases x annotators. Got float"),
        (lambda: ugt.Ratings.from_wide(np.array([["2020-01-01"]], "M8[D]")), r"table must hold numbers or strings. Got an array of"),
        (lambda: ugt.Labels.from_wide(np.zeros((2, 2), [("a", "f8")])), r"table must hold numbers or strings"),
        (lambda: ugt.soft_auroc([[0.1, 0.2], [0.3]], [1, 2]), r"p must be numbers of shape \(N,\) or \(N, K\). Got object"),
        (lambda: ugt.metrics.ua_coverage([[0.5, 0.5]], 1.5), r"sets must hold one set for each of the 1 cases. Got float"),
        (lambda: ugt.bootstrap([[1, 2], [3]]), r"contributions must be an array of numbers"),
        (
            lambda: ugt.truth.plackett_luce_log_likelihood(ugt.Rankings.from_blocks([[[[0]]]], classes=2), np.ones((1, 2), complex)),
            r"be numbers of shape",
        ),
        (lambda: ugt.Labels.from_counts([[1, 2], [3]]), r"counts must be a table of numbers"),
    ],
)
def test_what_is_no_table_is_named(call, message):
    """numpy's own messages do not say which argument it is."""
    refused(message, call)


def test_losses_of_tables_that_have_changed_are_not_resampled():
    counts, probs = make_world()["counts"].copy(), make_world()["probs"].copy()
    found, resampled = (ugt.histogram_losses(counts, probs, n_bins=3) for _ in range(2))
    before = resampled.resamples(n_resamples=5).values.tobytes()
    counts[0] = counts[0, ::-1]
    assert resampled.resamples(n_resamples=5).values.tobytes() == before  # what was read once is kept
    refused(r"counts and probs must be as they were when the losses were computed. Got other numbers", found.resamples, n_resamples=5)


# ---- files
@posix
@pytest.mark.parametrize("read", [read_annotations, read_predictions, read_names, read_clusters])
def test_pipes_and_devices_are_refused(read, tmp_path):
    """A pipe was waited for without end, or read in part."""
    os.mkfifo(tmp_path / "pipe.csv")
    refused(r"file must be a regular file.*Got a pipe", read, tmp_path / "pipe.csv")
    refused(r"file must be a regular file.*Got a device", read, "/dev/zero")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "read"), [("x.npy.gz", read_predictions), ("x.json.gz", read_annotations), ("x.txt.gz", read_names)])
def test_a_small_file_that_would_fill_the_memory(name, read, tmp_path, monkeypatch):
    (tmp_path / name).write_bytes(gzip.compress(bytes(40_000_000)))
    monkeypatch.setenv("UGT_MEMORY", "0.03")
    refused(r"the file needs at least 0.03\d+ GB of memory", read, tmp_path / name, error=MemoryError)


def test_a_line_without_end(tmp_path, monkeypatch):
    monkeypatch.setattr(lines, "LONGEST_LINE", 1 << 20)
    (tmp_path / "x.csv").write_bytes(b"case,a,b\n" + b"x" * (9 << 20))
    refused(r"file must have lines of at most 1 MB. Got a longer one", read_annotations, tmp_path / "x.csv")
    (tmp_path / "y.csv").write_bytes(b"case,reader 1,reader 2\r" + b"x,yes,no\r" * (5 << 17))
    assert csv_table.Table(Source(tmp_path / "y.csv")).header == ["case", "reader 1", "reader 2"]


@pytest.mark.parametrize("cell", ["1_000", "1_0.5", "1e1_0"])
def test_digits_with_underscores_are_no_numbers(cell, tmp_path):
    path = tmp_path / "x.csv"
    path.write_text(f"case,a,b\nx,{cell},1\ny,2,3\n", encoding="utf-8")
    refused(rf"cell must be a number. Got '{cell}', first at line 2, column 'a'", read_predictions, path)
    path.write_text(f"case,annotator,value\nx,ann,{cell}\ny,ann,3\n", encoding="utf-8")
    refused(rf"value must .*Got '{cell}'", read_annotations, path)


@pytest.mark.parametrize("name", ["x.json", "x.jsonl"])
def test_a_number_of_thousands_of_digits(name, tmp_path):
    (tmp_path / name).write_text('{"rankings": [[[[' + "1" * 5000 + "]]]]}\n", encoding="utf-8")
    refused(r"hold numbers of at most 4,300 digits|have|be ", read_annotations, tmp_path / name)


# ---- formulas
NAMES = [
    "=1+1", "'=1+1", "''=1+1", "+a", "-b", "@c", "\uff1dd", "\uff0de", "x;=cmd|'/C calc'!A0", "x; '-3y", "'tis", "a=b", "it's", "-", "'",
    "-5x",
]  # fmt: skip


def opened(text, separator):
    """The cells as a spreadsheet has them that splits by this separator."""
    return [cell for row in csv.reader(text.splitlines(), delimiter=separator) for cell in row]


def test_guards_against_formulas_are_taken_away_again():
    texts = [*NAMES, "", "\n=1", "\t\t=", "a\n\t '+", ";;@", "' =", " =1", "'" * 9 + "=", "a\r=b", ";'x"]
    assert [unguarded(guarded(text)) for text in texts] == texts
    assert len({guarded(text) for text in texts}) == len(texts)
    for text in texts:
        for part in guarded(text).replace("\r", "\n").replace("\t", "\n").replace(";", "\n").split("\n"):
            assert part.lstrip(" ")[:1] not in ("=", "+", "-", "@", "\uff1d", "\uff0d"), text
    assert csv_cell(-2.5) == "-2.5"
    assert csv_cell(-2) == -2


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_files_of_data_hold_no_formulas_and_give_the_same_names(separator, tmp_path):
    n, path = len(NAMES), tmp_path / "x.csv"
    labels = ugt.Labels.from_long(NAMES * 2, NAMES + NAMES[::-1], NAMES[1:] + NAMES[:1] + NAMES, classes=NAMES)
    ratings = ugt.Ratings.from_long(NAMES, NAMES, -np.arange(n) - 0.5)
    rankings = ugt.Rankings.from_long(NAMES, NAMES, NAMES, np.ones(n), classes=NAMES)
    model = ugt.Predictions(NAMES, -np.eye(n), NAMES)
    for given in (labels, ratings, rankings, model):
        if given is model:
            write_predictions(path, given)
            back = read_predictions(path)
            assert back.scores.tobytes() == given.scores.tobytes()
            assert back.classes.tolist() == NAMES
        else:
            write_annotations(path, given)
            back = read_annotations(path, **({} if given is ratings else {"classes": NAMES})).annotations
            assert sorted(back.annotators.tolist()) == sorted(NAMES)
        cases = (back if given in (ratings, model) else back.axes).case_ids.tolist()
        assert sorted(cases) == sorted(NAMES)
        for cell in opened(path.read_text(encoding="utf-8"), separator):
            if cell.strip(" ")[:1] in ("=", "+", "-", "@", "\uff1d", "\uff0d"):
                float(cell.split(",")[0])  # a negative number is one
    few = ugt.Labels.from_counts([[1, 2, 3]], case_ids=["=x"], classes=["=a", "'=a", "u;-v"])
    write_annotations(path, few, format="counts")
    back = read_annotations(path).annotations.axes
    assert (back.case_ids.tolist(), back.classes.tolist()) == (["=x"], ["=a", "'=a", "u;-v"])


# ---- halves of characters
def test_halves_of_characters_in_names():
    """JSON may hold half a pair, names of files bytes that are no UTF-8; a report at the end of a long run failed with them."""
    odd = ["a\ud800", "b\udcff", "c"]
    labels = ugt.Labels.from_wide(np.array([[odd[0], odd[1]], [odd[2], odd[2]], [odd[1], odd[1]]]), case_ids=odd)
    found = ugt.evaluate(labels, {"m\udc80": np.eye(3)[[0, 1, 2]]}, n_resamples=5, plan={"question": "\ud800?"})
    text = json.dumps(found.to_dict(), allow_nan=False, ensure_ascii=False)
    text.encode("utf-8")
    assert json.loads(text)["models"] == ["m\\udc80"]
    for table in found.tables:
        found.tables[table].csv_text().encode("utf-8")


@pytest.mark.slow
@posix
def test_output_for_halves_of_characters(tmp_path):
    (tmp_path / "x.json").write_text(
        '{"rankings": [[[["\\ud800"], ["b"]]], [[["b"]]]], "case_ids": ["\\udcff", "y"], "classes": ["\\ud800", "b"]}', encoding="utf-8"
    )
    (tmp_path / "m.csv").write_text("case,x\n", encoding="utf-8")
    done = command(["certainty", "x.json", "--json", "--out", "c.csv"], tmp_path)
    assert done.returncode == 0, done.stderr
    json.loads(done.stdout)
    assert "\\udcff" in (tmp_path / "c.csv").read_text(encoding="utf-8")


# ---- the command
def command(words, folder, **more):
    source = str(Path(ugt.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": source, "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.run(
        [sys.executable, "-m", "ugt", *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False, **more
    )


@pytest.mark.slow
@posix
@pytest.mark.parametrize("closed", [(1,), (0, 1, 2)])
def test_closed_streams(closed, tmp_path):
    """``>&-``: a traceback; and a file that is written would get the number of a stream, which a library may write to."""
    (tmp_path / "labels.csv").write_text(
        "case,annotator,label\n" + "".join(f"{i},{a},{i % 2}\n" for i in range(4) for a in "rs"), encoding="utf-8"
    )

    def close():
        for number in closed:
            os.close(number)

    done = command(["certainty", "labels.csv", "--out", "certainty.csv"], tmp_path, preexec_fn=close)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "certainty.csv").read_text(encoding="utf-8").startswith("case,")
    assert command(["certainty", "none.csv"], tmp_path, preexec_fn=close).returncode == 2
    assert command(["--version"], tmp_path, preexec_fn=close).returncode == 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
def test_an_error_that_cannot_be_told(tmp_path):
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([sys.executable, "-m", "ugt", "certainty", "none.csv"], cwd=tmp_path, stderr=full, check=False, timeout=60)
    assert done.returncode in (2, 120)  # 120: Python's own, where it cannot flush


# ---- checkpoints
def run(path):
    rankings = ugt.Rankings.from_blocks([[[[0], [1]], [[1]]] for _ in range(33)], classes=3)
    return ugt.plackett_luce(rankings, method="gibbs", n_draws=4, n_warmup=2, n_chains=2, seed=1, checkpoint=path).mean().tobytes()


@pytest.mark.filterwarnings("ignore")
def test_a_checkpoint_with_a_damaged_length(tmp_path):
    """A length of 2**63 was asked for: MemoryError or OverflowError."""
    path = tmp_path / "run.checkpoint"
    expected, begin = run(path), len(MAGIC) + 32
    data = path.read_bytes()
    for i in range(begin, begin + 28):
        for bit in (1, 128):
            path.write_bytes(data[:i] + bytes([data[i] ^ bit]) + data[i + 1 :])
            try:
                assert run(path) == expected
            except ValueError as problem:
                assert "checkpoint must not be damaged" in str(problem)


@posix
@pytest.mark.filterwarnings("ignore")
def test_two_runs_do_not_share_a_checkpoint(tmp_path):
    path = tmp_path / "run.checkpoint"
    expected = run(path)
    data = path.read_bytes()
    held = Checkpoint(path, data[len(MAGIC) : len(MAGIC) + 32])
    refused(r"checkpoint must not be in use by another run", run, path)
    held.close()
    assert path.read_bytes() == data
    assert run(path) == expected


def test_a_checkpoint_is_no_number_of_an_open_file():
    assert _plackett_luce.Checkpoint is Checkpoint
    for number in (True, 1, 1.5):
        with pytest.raises(ValueError, match="checkpoint must be the path of a file"):
            Checkpoint(number, b"x" * 32)


# ---- calibrators, plans, evaluations
def test_json_of_calibrators_is_strict_and_whole(tmp_path, monkeypatch):
    """NaN is no JSON; and what was there stays if the new file cannot be written."""
    calibrator = ugt.calibration.TemperatureScaling().fit(np.array([[1.0, 0.0], [0.0, 2.0], [0.5, 0.0]]), [[3, 1], [1, 3], [2, 2]])
    path = tmp_path / "calibrator.json"
    calibrator.to_json(path)
    before = path.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    refused(r"No space", calibrator.to_json, path, error=OSError)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["calibrator.json"]


def test_json_of_calibrators_has_no_numbers_that_are_none():
    """A penalty under which there is no best map has the loss inf, which was written as Infinity."""
    rng = np.random.default_rng(0)
    logits, counts = rng.normal(size=(40, 3)), rng.integers(0, 4, (40, 3))
    counts[:, 2] = 0
    chosen = ugt.calibration.VectorScaling(penalty_b=(0, 0.1)).fit(logits, counts)
    assert chosen.path_[0]["loss"] == np.inf
    chosen.more_ = np.array([[1.5, np.nan], [-np.inf, 0.1]])
    text = chosen.to_json()
    held = json.loads(text, parse_constant=pytest.fail)
    assert held["fitted"]["more_"]["array"] == [[1.5, "nan"], ["-inf", 0.1]]
    del chosen.more_
    assert ugt.calibration.load_calibrator(chosen.to_json()).path_ == chosen.path_


@posix
@pytest.mark.parametrize("option", ["--clusters", "--subgroups", "--plan", "--classes"])
def test_other_inputs_are_no_pipes_either(option, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe.json")
    Path("labels.csv").write_text(
        "case,annotator,label\n" + "".join(f"{i},{a},{i % 2}\n" for i in range(4) for a in "rs"), encoding="utf-8"
    )
    Path("m.csv").write_text("case,0,1\n" + "".join(f"{i},0.4,0.6\n" for i in range(4)), encoding="utf-8")
    assert main(["evaluate", "--annotations", "labels.csv", "--predictions", "m.csv", "--out", "out", option, "pipe.json"]) == 2
    assert "file must be a regular file" in capsys.readouterr().err
    assert main(["report", "pipe.json", "--out", "out.html"]) == 2
    assert not os.path.exists("out")


def test_an_evaluation_with_a_number_beyond_floats(tmp_path, capsys):
    """OverflowError, with a traceback."""
    found = ugt.evaluate(ugt.Labels.from_counts(np.array([[3, 1], [1, 3], [0, 4]])), {"A": np.eye(2)[[0, 1, 1]]}, n_resamples=5).to_dict()
    found["metrics"][0]["value"] = 10**400
    (tmp_path / "x.json").write_text(json.dumps(found), encoding="utf-8")
    assert main(["report", str(tmp_path / "x.json"), "--out", str(tmp_path / "x.html")]) == 2
    assert "must be an evaluation as ugt evaluate writes it" in capsys.readouterr().err
