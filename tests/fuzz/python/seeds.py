"""Writes the seeds of the readers' fuzzers: ``python seeds.py`` fills ../corpus/TARGET with small files, always the same."""

import gzip
import io
import json
from pathlib import Path

import numpy as np

from ugt import states

CORPUS = Path(__file__).parents[1] / "corpus"


def option(number, content):
    """A first byte that stands for a number, and what follows."""
    return bytes([(ord("a") + number) % 256]) + (content if isinstance(content, bytes) else content.encode())


def csv():
    long = 'case,annotator,label\nx1,ann,cat\nx1,bob,dog\nx2,ann,\nx3,"o, \'k",cow\n'
    yield option(0, long)
    yield option(1, "\ufeffitem;rater;grade\r\n1;2;0\r\n1;3;2\r\n2;2;NA\r\n")
    yield option(1, "case\tannotator\tlabel\trank\n1\ta\tb\t1\n1\ta\tc\t2\n1\tb\tb\t1\n")
    yield option(0, "case,annotator,label,confidence\n1,a,b,0.5\n1,a,c,0.5\n2,b,b,1e-3\n")
    yield option(0, "case,annotator,label,count\n1,a,0,2\n1,b,1,1\n2,a,2,3\n")
    yield option(0, "case,label,count\n1,0,2\n1,1,1\n2,2,3\n")
    yield option(5, "case,annotator,ranking\n1,a,b > c = d\n1,b,c\n2,a,\n")
    yield option(6, "case,annotator,value\n1,a,0.5\n1,b,-1e3\n2,a,NaN\n")
    yield option(2, "case,r1,r2,r3\nx,0,1,NA\ny,2,,1\n")
    yield option(0, "case,rater 1,rater 2\nx,a,b\ny,b,-1\nz,99,a\n")
    yield option(3, "annotator,case 1,case 2\na,0,1\nb,1,\n")
    yield option(4, "case,count_a,count_b\nx,1,2\ny,0,0\n")
    yield option(6, "case,r1,r2\nx,1.5,2\ny,,-inf\n")
    yield option(7 + 1, "case,annotator,label\n1,a,0\n1,b,2\n")
    yield option(14 + 1, "case,annotator,label\n1,a,0\n1,b,2\n")
    yield option(21 + 0, '"case","annotator","label"\n"1\n2","a""b","a"\n"1\n2","b","d"\n')
    yield option(28 + 2, "case,a,b\n" + "".join(f"c{i},{i % 3},cat\n" for i in range(30)))
    yield option(0, 'case,annotator,label\n1,a,"open\n')
    yield option(0, "case,annotator,label\n1,a\n")
    yield option(0, "case,annotator,label\n1,é\u202e,=cmd|' /C'!A0\n")
    yield option(0, "case,annotator,label\n1,a,1,5\n2,b,2,5\n")
    yield option(0, b"case,annotator,label\n1,\xe9,a\n")
    yield option(0, b"\xff\xfec\0a\0s\0e\0")


def options():
    long, wide = "case,annotator,label\nx1,ann,Cat\nx1,ann,Cat\nx2,bob,cat \n", "uid;r1;r2;age;;\nx;0;1;30;;\ny;2;;41;;\n;;;;;\n"
    yield "aaaabaabaaa\n" + long
    yield "aaaaaaacaaa\n" + long
    yield "caaaabaaaaa\n" + wide
    yield "aabaaabaaaa\n" + wide.replace("1", "1,0")
    yield "gaaaaaaabaa\n" + 'case,r1,r2\nx,"1,5",2\ny,,3\n'
    yield "gaaaadaabaa\n" + "case\tr1\tr2\nx\t1,5\t2\ny\t-1\t3\n"
    yield b"aaaaaaaaaba\n" + "case,annotator,label\n1,ä,Läsion\n1,b,“x”\n".encode("cp1252")
    yield b"aaaaaaaaaba\n" + "case,annotator,label\n1,ä,Läsion\n".encode()
    yield b"aaaaaaaaaca\n" + "case,annotator,label\n1,ä,Läsion\n".encode("utf-16")
    yield "aaaaaaaaaab\ncase,annotator,ranking\n1,a,b;c;d\n1,b,c\n2,a,\n"
    yield "aaaaaaaaaaa\ncase,annotator,ranking\n1,a,b;c;d\n1,b,c;b\n"
    yield "aaaaaaaaaaae\ncase,annotator,label\n1,a,mild\n1,b,severe\n"
    yield "aaaaaaaaaaab\ncase,annotator,label\n1,a,10\n1,b,2.0\n"
    yield "caaaaaaabaad\ncase;a;b\n1;0;1,0\n2;2;\n"
    yield "gaaaaaaaaaaac\ncase,a,b\n1,1,2\n2,5,\n"
    yield "gaaaaaaabaaad\ncase;a;b\n1;0;0,5\n2;1,0;\n"
    yield "gaaaaaaaaaaab\ncase,a,b\n1,1e308,-1e-320\n2,,7\n"
    yield "aaacaaaaaaa\ncase,annotator,label,rank\n1,a,b,0\n1,a,c,-1\n1,b,c,1\n"
    yield "aaaaaaaaaaa\ncase,annotator,rank1,rank2\n1,a,b,c\n1,b,c,\n"
    yield "aaaaaaaaaaa\ncase,annotator,label\n1,a,0\n1,b,1.0\n2,a,1\n2,b,01\n"
    yield 'aaaaaaaaaaa\ncase,annotator,label\r\n"\n",\t,\r\n1,a,"0\n"\r\n" ","\r\n",""\r\n'


def beside():
    yield "aaaaaa\ncase,cat,dog\nx1,0.9,0.1\n"
    yield "abbaaa\ncase,prob\nx1,0.9\nx2,0.2\n"
    yield "abaabb\nuid;prob_cat;prob_dog;fold\nx1;0,9;0,1;1\n"
    yield b"aeaaab\n" + "case,Läsion,b\nö,0.9,0.1\n".encode("cp1252")
    yield "abaaaa\nmodel,case,label\nm,x1,dog\nn,x1,cat\n"
    yield b"baabab\n" + "uid,patient\nö,ä\nx,\n".encode("cp1252")
    yield b"caabac\n" + "uid,site\nö,ä\nx,\n".encode("utf-16")
    yield b"daaaab\n" + "Läsion\nb\n".encode("cp1252")


def check():
    """What other readers have as seeds, by the ending of the file: alone or beside others, and as any kind."""
    tables = [*(one[1:] for one in csv()), *TEXTS["predictions"], *TEXTS["clusters"], *TEXTS["subgroups"]]
    for ending, contents in enumerate((tables, [one[1:] for one in rankings()], [one[1:] for one in prodigy()])):
        for i, content in enumerate(contents):
            yield option(ending + 4 * (i % 5) + 20 * (i // 2 % 5) + 100 * (i % 2), content)


def rankings():
    yield option(0, json.dumps([[[[0], [1, 2]], [[2]]], [[[1]]]]))
    yield option(1, json.dumps({"rankings": [[[[0], [1]]], []], "case_ids": ["x", "y"], "classes": [0, 1, 2], "annotators": [["a"], []]}))
    yield option(3, json.dumps({"rankings": [[[["a", "b"], ["c"]]]], "annotators": [[7]]}))
    tasks = [
        {"id": 1, "data": {"name": "x"}, "annotations": [_choice(1, "a@b.c", "cat"), _choice(2, {"id": 5}, "dog")]},
        {"id": 2, "data": {"name": "y"}, "annotations": [{"was_cancelled": True}, {"completed_by": 3, "result": []}]},
    ]
    yield option(0, json.dumps(tasks))
    yield option(6, json.dumps(tasks))
    for kind, value in (("rating", {"rating": 4}), ("ranker", {"ranker": {"rank": ["b", "a"]}}), ("ranker", {"ranker": ["c", "b"]})):
        result = {"type": kind, "from_name": "grade", "value": value}
        yield option(12, json.dumps([{"id": 1, "annotations": [{"completed_by": 1, "result": [result]}]}]))
    yield option(0, json.dumps([{"annotation_id": 1, "choice": "a"}]))
    yield option(0, "[" * 300)
    yield option(0, '[[[[NaN, 1e999, "\\ud800", 18446744073709551616]]]]')


def _choice(i, who, *labels):
    return {"id": i, "completed_by": who, "result": [{"type": "choices", "from_name": "grade", "value": {"choices": list(labels)}}]}


def prodigy():
    task = {"_input_hash": 1, "_task_hash": 2, "id": "x", "_annotator_id": "a", "answer": "accept", "accept": ["cat"]}
    rows = [task, {**task, "_annotator_id": "b", "accept": ["dog", "cat"]}, {**task, "_input_hash": 3, "answer": "ignore"}]
    yield option(0, "\n".join(map(json.dumps, rows)))
    yield option(6, "\n\n".join(map(json.dumps, rows)) + "\n")
    plain = {"_task_hash": 2, "label": "cat", "_session_id": "a", "answer": "accept"}
    yield option(0, "\n".join(map(json.dumps, [plain, {**plain, "answer": "reject", "_session_id": "b"}])))
    yield option(0, json.dumps({**task, "accept": []}) + "\n" + json.dumps({**task, "accept": [1, True, None]}))


def preflib():
    head = "# FILE NAME: x.soc\n# NUMBER ALTERNATIVES: 3\n# ALTERNATIVE NAME 1: a\n# ALTERNATIVE NAME 2: b\n# ALTERNATIVE NAME 3: {n}\n"
    yield option(0, head.format(n="c") + "3: 1,2,3\n1: 3,2,1\n")
    yield option(2, head.format(n="a") + "2: 1,{2,3}\n1: {1,2,3}\n")
    yield option(1, head.format(n="c") + "1: 2\n1: 3,1\n")
    yield option(4, head.format(n="c") + "4: 3,{1}\n")
    yield option(0, "# NUMBER ALTERNATIVES: 0\n1: 1\n")


def _npz(**held):
    file = io.BytesIO()
    np.savez(file, **held)
    return file.getvalue()


def _npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def arrays():
    yield option(0, _npz(counts=np.array([[1, 2], [0, 3]]), case_ids=np.array(["x", "y"]), classes=np.array([5, 7])))
    yield option(0, _npz(table=np.array([["a", "b"], ["", "a"]])))
    yield option(2, _npz(scores=np.array([[0.5, 0.5], [1, 0]]), case_ids=np.array([1, 2]), classes=np.array(["a", "b"])))
    yield option(1 + 2, _npy(np.array([[0.5, 0.5], [1, 0]], np.float32)))
    yield option(1 + 8, _npy(np.array([[0, 1], [2, 1]], ">i4")))
    yield option(1 + 16, _npy(np.asfortranarray(np.array([[0, 1], [2, 1]], np.int8))))
    yield option(1 + 24, _npy(np.array([[0.5, 1], [2, np.nan]])))
    yield option(0, _npz(kind=np.array("labels"), numbered=np.array(True), **_labels()))
    nested = {"case_offsets": [0, 1], "ranking_offsets": [0, 2], "block_offsets": [0, 1, 3], "items": [0, 2, 1], "annotator": [0]}
    held = {name: np.array(values) for name, values in nested.items()}
    named = {"case_ids": np.array([0]), "classes": np.array([0, 1, 2]), "annotators": np.array(["a"]), "numbered": np.array(True)}
    yield option(0, _npz(kind=np.array("rankings"), **held, **named))
    yield option(0, _npz(counts=np.array([[1, 2], [0, 3]]))[:-9])


def _labels():
    named = {"case_ids": [0, 1], "classes": [0, 1], "annotators": [3]}
    held = {**named, "offsets": [0, 1, 2], "annotator": [0, 0], "label": [1, 0], "count": [1, 1]}
    return {name: np.array(values) for name, values in held.items()}


def npz():
    for template in range(5):
        yield bytes([template, *([0, 2, 1, 0] * 12)])
        yield bytes([template, *([0, 1, 0, 3, 4, 8, 16, 3] * 8)])
        yield bytes([template, *([5, 3, 1, 2, 0, 7, 5, 6] * 8)])


def mapping():
    fields = json.dumps({"records": "data", "fields": {"case": "id", "annotator": "a[].who", "label": "a[].what"}})
    records = json.dumps({"data": [{"id": 1, "a": [{"who": "x", "what": "c"}, {"who": "y", "what": None}]}, {"id": 2, "a": []}]})
    ranked = json.dumps({"fields": {"case": "id", "annotator": "who", "label": "order[]", "rank": "order[#]"}})
    lines = '{"id": 1, "who": "x", "order": ["b", "a"]}\n{"id": 1, "who": "y", "order": ["a"]}\n'
    for kind in (0, 4):
        yield option(kind, f"{fields}\0{records}")
        yield option(kind + 1, f"{ranked}\0{lines}")
        yield option(kind + 2, '{"format": "wide", "missing": ["?"], "classes": 3, "columns": {"case": "b"}}\0a,b,c\n0,1,?\n2,2,1\n')
        yield option(kind + 3, '{"columns": {"case": "a", "annotator": "b", "label": "c", "rank": ""}}\0a,b,c,rank\n0,1,2,x\n')
    yield option(0, '{"records": 5, "fields": []}\0[]')


def state():
    p, scores = [[0.5, 0.5], [1.0, 0.0]], [[0.25, 0.75], [0.5, 0.5]]
    yield states.partial("ua_topk_accuracy", p, scores, case_ids=[1, 2], n_resamples=2).to_json().encode()
    yield states.partial("soft_average_precision", [0.5, 1.0, 0.0], [0.5, 0.25, 0.75], edges=3).to_json().encode()
    yield states.partial("discrepancy_ratio", [[0, 1], [1, 1]], [1, 1]).to_json().encode()


def plan():
    yield option(0, json.dumps({"question": "Is B better than A?", "reliability": [1, 5], "level": 0.95, "_level": "?", "blinding": ""}))
    yield option(1, "question: Is B better?\nreliability: [1, 5]\ndate: 2020-01-02\nseed: 0x10\nlevel: .nan\n")
    yield option(1, "a: &a [*a]\n")
    yield option(1, "? [1]\n: 2\n")
    yield option(0, '{"seed": 1, "seed": 2, "level": 1e999, "sample_size": true}')


def gz():
    table = b"case,annotator,label\n1,a,b\n1,b,c\n2,a,b\n"
    for kind in range(4):
        yield option(kind, table)
    yield option(0, gzip.compress(table, mtime=0))
    yield option(0, gzip.compress(table, mtime=0) * 2)
    yield option(4, gzip.compress(b"[[[[0],[1]]]]", mtime=0))
    yield option(7, "[[[[0],[1]]]]")


def grades():
    """Tables, orders and scales: words, numbers, text of numbers, fractions, and what attackers would write."""
    tables = [
        ([["mild", "severe"], ["mild", None]], ["mild", "moderate", "severe"], [1, 2]),
        ([[1, 2], [3, None]], True, [1, 2, 3]),
        ([["1", "2.0"], [None, "10"]], ["10", "2", "1"], "real"),
        ([[1.5, 2], [1, 1]], [1, 1.5, 2], [1, 1.5, 2, 2.5]),
        ([["1,5", "2"]], ["1,5", "2"], [1.5, 2]),
        ([["\u0661", "\u0662"]], True, [1, 2]),
        ([["\u00b2", "\uff11"]], ["\u00b2", "\uff11"], [1, 2]),
        ([[1e308, -1e308]], [-1e308, 1e308], [-1e308, 1e308]),
        ([[9007199254740993, 9007199254740992]], True, [9007199254740992, 9007199254740993]),
        ([[0, -0.0]], [0, -0.0], [0, -0.0]),
        ([["1", "1.0", "01"]], True, [1, 1.0]),
        ([["1e400", "nan", "inf"]], True, [1, float("inf")]),
        ([["a"]], ["a", "a"], []),
        ([["a"]], [], [1]),
        ([["a"]], "abc", "abc"),
        ([["a"]], {"a": 1}, {"1": 2}),
        ([["a"]], [["a"]], [[1, 2]]),
        ([["a"]], [None, "a"], [None, 1]),
        ([["a"]], False, True),
        ([[3, 1], [2, 2]], [3, 1, 2], [3, 2, 1]),
        ([], True, [1, 2]),
        ([[None]], [1, 2], [1, 2]),
        ([[True, False]], True, [0, 1]),
        ([["a\0", "b"]], ["a\0", "b"], 5),
    ]
    for one in tables:
        yield json.dumps(one)


def cli():
    """Starts of each command; what follows decides on options and operands."""
    for command in range(9):
        for i in range(3):
            yield bytes([command, *((i * 37 + j * j * (command + 3) + j) % 256 for j in range(24 + i))])


#: texts as they are
TEXTS = {
    "predictions": [
        b"case,cat,dog\nx1,0.9,0.1\nx2,-inf,1e5\n",
        b"case,cat,dog\nx1,0.9,0.1\nx2,-1.5,1e5\n",
        b"case;class;score\n1;a;0.5\n1;b;0.5\n2;b;1\n2;a;0\n",
        b'case,0,1,2\n"x\n1",1,2,3\n',
        b"case,label,probability\n1,a,0.5\n1,a,0.5\n",
        b"case,cat\nx1,0,5\n",
    ],
    "models": [
        b"model,case,cat,dog\nA,x1,0.9,0.1\nB,x1,0.2,0.8\nA,x2,1,1\n",
        b"system;case;class;score\nA;1;a;0.5\nA;1;b;0.5\nB;1;b;1\nB;1;a;0\n",
        b"case,a,b\nx,1,2\n",
    ],
    "names": [
        b"1\n2\n3\n",
        "cat\r\ndog \u00e9\u2028\n x\n".encode(),
        b"a\n\nb\n",
    ],
    "clusters": [
        b"case,cluster\n1,a\n2,a\n3,b\n",
        b"patient;case\np;x\np;y\n",
        b"case,cluster\n1,a\n1,b\n",
    ],
    "subgroups": [
        b"case,site,age\n1,north,40-59\n2,south,\n",
        b"site,case\nnorth,x\nsouth,y\n",
        b"case,,b\n1,2,3\n",
    ],
    "evaluation": [
        b'{"ugt": "1", "schema": 2, "provenance": {}, "metrics": []}',
        b'{"ugt": "1", "schema": 2, "provenance": {"reliability": [1]}, "metrics": [], "models": ["a"], "winners": [], "certainty": []}',
        b'{"schema": 3}',
    ],
}

READERS = (csv, options, beside, check, rankings, prodigy, preflib, arrays, npz, mapping, plan, gz, state, grades, cli)


def main():
    for name, contents in {**TEXTS, **{make.__name__: make() for make in READERS}}.items():
        folder = CORPUS / name
        folder.mkdir(parents=True, exist_ok=True)
        for i, content in enumerate(contents):
            (folder / f"seed-{i:02d}").write_bytes(content.encode() if isinstance(content, str) else content)


if __name__ == "__main__":
    main()
