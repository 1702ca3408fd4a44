"""The memory limit is kept while files are read; time grows with the columns, not with their square."""

import gzip
import json
import time
import tracemalloc

import numpy as np
import pytest
from refusals import refused

from ugt.io import read_annotations, read_clusters, read_names, read_predictions

LIMIT = 2e7  # bytes: files of a few kB that hold some times more


def text(head, row, n):
    return lambda path: path.write_bytes(gzip.compress((head + row * n).encode(), 1))


def rows(head, row, n):
    return lambda path: path.write_bytes(gzip.compress((head + "".join(map(row.format, range(n)))).encode(), 1))


def arrays(**named):
    return lambda path: np.savez_compressed(path, **named)


WIDE = "case," + ",".join(f"reader {a}" for a in range(20)) + "\n"
COUNTS = "case," + ",".join(f"count_{k}" for k in range(20)) + "\n"
ZEROS = np.broadcast_to(np.zeros((), np.int8), (3_000_000, 10))
BOMBS = {  # ending, what writes it, what reads it
    "labels": (".csv.gz", text("case,annotator,label\n", "a,b,c\n", 1_000_000), read_annotations),
    "many cases": (".csv.gz", rows("case,annotator,label\n", "case {},b,c\n", 400_000), read_annotations),
    "long names": (".csv.gz", rows("case,annotator,label\n", f"{{}}{'x' * 200},b,c\n", 100_000), read_annotations),
    "ratings": (".csv.gz", text("case,annotator,value\n", "a,b,1\n", 1_000_000), read_annotations),
    "ranks": (".csv.gz", rows("case,annotator,label,rank\n", "{},b,c,1\n", 400_000), read_annotations),
    "wide": (".csv.gz", rows(WIDE, "{}" + ",x" * 20 + "\n", 50_000), read_annotations),
    "counts": (".csv.gz", rows(COUNTS, "{}" + ",1" * 20 + "\n", 100_000), read_annotations),
    "by the csv module": (".csv.gz", text("case,annotator,label,x\n", 'a,b,c,"x\n"\n', 600_000), read_annotations),
    "scores": (".csv.gz", rows("case,x,y,z\n", "{},1,1,1\n", 500_000), read_predictions),
    "patients": (".csv.gz", rows("case,patient\n", "{},p\n", 500_000), read_clusters),
    "names": (".txt.gz", rows("", "{}\n", 300_000), read_names),
    "json": (".json.gz", text("[", "[[[0]]],", 200_000), read_annotations),
    "json lines": (".jsonl.gz", text("", '{"text":"a","accept":["x"],"answer":"accept"}\n', 200_000), read_annotations),
    "table": (".npz", arrays(table=ZEROS), read_annotations),
    "table that is just unpacked": (".npz", arrays(table=ZEROS[:1_500_000]), read_annotations),
    "table of counts": (".npz", arrays(counts=ZEROS), read_annotations),
    "array of scores": (".npz", arrays(scores=ZEROS), read_predictions),
    "array of long texts": (".npz", arrays(scores=np.ones((2, 2)), classes=np.array(["a", "b" * 10_000_000])), read_predictions),
}  # fmt: skip


@pytest.mark.parametrize("kind", BOMBS)
def test_a_small_file_that_holds_more_than_the_limit(kind, tmp_path, monkeypatch):
    ending, write, read = BOMBS[kind]
    path = tmp_path / f"x{ending}"
    write(path)
    monkeypatch.setenv("UGT_MEMORY", str(LIMIT / 1e9))
    tracemalloc.start()
    try:
        refused(r"needs at least 0\.\d+ GB of memory, more than the 0\.02 GB that are available", read, path, error=MemoryError)
        assert tracemalloc.get_traced_memory()[1] < 2.5 * LIMIT
    finally:
        tracemalloc.stop()


def test_an_array_whose_header_promises_too_much(tmp_path, monkeypatch):
    """The header decides what is allocated, whatever follows."""
    np.save(tmp_path / "x.npy", np.ones((3, 2)))
    whole = (tmp_path / "x.npy").read_bytes()
    (tmp_path / "x.npy").write_bytes(whole.replace(b"(3, 2), }  ", b"(3000000000, 2), }"[:-1] + b"}")[: len(whole)])
    monkeypatch.setenv("UGT_MEMORY", "1")
    refused(r"x\.npy: the file needs at least 48 GB|the file needs at least 48 GB", read_predictions, tmp_path / "x.npy", error=MemoryError)


def test_what_fits_is_read(tmp_path, monkeypatch):
    monkeypatch.setenv("UGT_MEMORY", str(LIMIT / 1e9))
    rows("case,annotator,label\n", "{},b,c\n", 50_000)(tmp_path / "x.csv.gz")
    (tmp_path / "x.json").write_text(json.dumps([[[[0]], [[1]]]] * 1000), encoding="utf-8")
    assert read_annotations(tmp_path / "x.csv.gz").annotations.n_labels == 50_000
    assert read_annotations(tmp_path / "x.json").annotations.n_cases == 1000


@pytest.mark.parametrize("what", ["scores", "counts", "wide"])
def test_time_grows_with_the_columns(what, tmp_path):
    def seconds(n):
        head = ",".join(f"{'count_' if what == 'counts' else 'reader ' if what == 'wide' else 'c'}{i}" for i in range(n))
        path = tmp_path / f"{n}.csv"
        path.write_text("case," + head + "\n" + "".join(f"{case}" + ",1" * n + "\n" for case in "pqr"), encoding="utf-8")
        begin = time.process_time()
        (read_predictions if what == "scores" else read_annotations)(path)
        return time.process_time() - begin

    seconds(500)
    few, many = (min(seconds(n) for _ in range(3)) for n in (2000, 20_000))
    assert many < 20 * few  # ten times where it grows with them, a hundred times with their square
