"""Logs of judges. Those of programs were written by the programs (the names say which), and cut to the fields that are read."""

import io
import json
import sys
import zipfile
import zlib

import numpy as np
import pytest
from refusals import refused

import ugt.io
from ugt.io import read_judge_log

NAN = float("nan")


def score(value, **more):
    return {"value": value, "answer": "42", "explanation": "...", **more}


# inspect_ai 0.3.285: eval(log_format="json"); the scorers are includes, model_graded_qa, one with a number, one with two values
INSPECT = {
    "version": 2,
    "status": "success",
    "eval": {"task": "arith", "model": "mockllm/model", "config": {"epochs": 1}},
    "samples": [
        {"id": "q0", "epoch": 1, "metadata": {"item": 7}, "scores": {
            "includes": score("C"), "model_graded_qa": score("C"), "length": score(2.0), "rubric": score({"tone": 3, "facts": 0.5})}},
        {"id": "q1", "epoch": 1, "metadata": {"item": 8}, "scores": {
            "includes": score("I"), "model_graded_qa": score(NAN, reason="grader_failed"), "length": score(1.0),
            "rubric": score({"tone": 3, "facts": 0.5})}},
    ],
}  # fmt: skip

# deepeval 4.3.1: evaluate() with DEEPEVAL_RESULTS_FOLDER
DEEPEVAL = {
    "testCases": [
        {"name": f"q{i}", "input": "?", "success": False, "order": i, "metricsData": [
            {"name": "Length", "threshold": 0.5, "success": long, "score": value, "evaluationModel": "rule-1"},
            {"name": "Brevity", "threshold": 0.2, "success": True, "score": value, "evaluationModel": "rule-1"}]}
        for i, (long, value) in enumerate([(False, 0.1), (True, 0.7)])
    ],
    "conversationalTestCases": [],
    "metricsScores": [],
    "testPassed": 1,
}  # fmt: skip

# lm_eval 0.4.13: EvaluationTracker.save_results_samples, in the folder org__model-a
HARNESS = [
    {"doc_id": i, "doc": {"question": "?", "qid": f"q{i}"}, "target": "42", "resps": [[["42"]]], "filtered_resps": ["42"],
     "filter": way, "metrics": ["exact_match"], "doc_hash": "a", "prompt_hash": "b", "target_hash": "c",
     "exact_match": float(way[0] == "s")}
    for i in range(2) for way in ("strict-match", "flexible-extract")
]  # fmt: skip


# promptfoo 0.121.20: eval --output results.json
def of_promptfoo(test, provider, graded, prompt=0, **more):
    known = {"testIdx": test, "promptIdx": prompt, "provider": provider, "vars": {"id": f"q{test}"}, "success": True, "score": 1}
    return {**known, "gradingResult": graded, "failureReason": 0, **more}


def assertion(type_, passed, value, metric=None):
    return {"pass": passed, "score": value, "reason": "...", "assertion": {"type": type_, **({"metric": metric} if metric else {})}}


GRADED = {"pass": False, "score": 0.5, "componentResults": [
    assertion("llm-rubric", True, 1, "tone"), assertion("contains", False, 0), assertion("contains", True, 1)]}  # fmt: skip
PROMPTFOO = {"evalId": "eval-1", "results": {"version": 3, "prompts": [], "results": [
    of_promptfoo(0, {"id": "openai:a", "label": "A"}, GRADED), of_promptfoo(0, {"id": "echo", "label": ""}, GRADED),
    of_promptfoo(1, {"id": "openai:a", "label": "A"}, None, error="timeout"),
    of_promptfoo(1, "echo", {"pass": True, "score": 1, "componentResults": None}),
]}}  # fmt: skip


def rows(log):
    return {(str(c), s, j): v or n for c, s, j, v, n in zip(log.case, log.system, log.judge, log.verdict, log.score)}


def lines(records):
    return "".join(json.dumps(record) + "\n" for record in records)


def test_inspect(write):
    log = read_judge_log(write(INSPECT, "log.json"))
    assert (log.form, log.systems) == ("Inspect", ["mockllm/model"])
    assert log.judges == ["includes", "model_graded_qa", "length", "rubric/tone", "rubric/facts"]
    assert log.left_out == {"no verdict (the judge failed or was not asked)": 1}
    assert log.numbers("includes", values={"C": 1, "P": 0.5, "I": 0}) == {"q0": 1.0, "q1": 0.0}
    assert log.numbers("rubric/facts") == {"q0": 0.5, "q1": 0.5}
    assert read_judge_log(write(INSPECT, "log.json"), case="metadata.item").numbers("length") == {7: 2.0, 8: 1.0}


def test_a_scorer_that_failed_is_counted(write):
    """The program leaves a scorer that raised an error out of the sample (fail_on_error=False)."""
    first, second = INSPECT["samples"]
    failed = {**second, "scores": {"includes": score("I")}, "error": {"message": "RuntimeError"}}
    log = read_judge_log(write({**INSPECT, "samples": [first, failed]}, "log.json"))
    assert log.left_out == {"no verdict (the judge failed or was not asked)": 3}
    assert log.numbers("length") == {"q0": 2.0}


def test_packed_logs_of_inspect(tmp_path):
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps({name: INSPECT[name] for name in ("status", "eval")}))
        for sample in INSPECT["samples"]:
            archive.writestr(f"samples/{sample['id']}_epoch_1.json", json.dumps(sample))
    assert read_judge_log(path).numbers("length") == {"q0": 2.0, "q1": 1.0}
    path.write_bytes(path.read_bytes()[:50])
    refused(r"log\.eval: file must be a log of Inspect \(is it cut off\?\)\. Got no archive\.", read_judge_log, path)


class Unpacked:
    """Stands for zstandard: what it unpacks is deflated here."""

    ZstdError = zlib.error

    def ZstdDecompressor(self):
        return self

    def stream_reader(self, data, read_across_frames):
        assert read_across_frames
        return io.BytesIO(zlib.decompress(data, -15))


@pytest.mark.skipif(hasattr(zipfile, "ZIP_ZSTANDARD"), reason="Python reads this compression")
def test_logs_of_inspect_in_the_compression_that_it_writes_now(tmp_path, monkeypatch):
    """inspect_ai 0.3.285 packs its logs by method 93, which Python reads from 3.14 on, and the package zstandard that comes with it."""
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", json.dumps({name: INSPECT[name] for name in ("status", "eval")}))
        for sample in INSPECT["samples"]:
            info = zipfile.ZipInfo(f"samples/{sample['id']}_epoch_1.json")
            info.compress_type, info.extra = zipfile.ZIP_DEFLATED, b"\x99\x99\x02\x00ab"
            archive.writestr(info, json.dumps(sample))
    for before in (b"\x14\x00\x00\x00", b"\x14\x00\x14\x00\x00\x00", b"\x14\x03\x14\x00\x00\x00"):
        path.write_bytes(path.read_bytes().replace(before + b"\x08\x00", before + b"\x5d\x00"))
    monkeypatch.setitem(sys.modules, "zstandard", None)
    message = r"log\.eval: logs of Inspect in this compression must be read with zstandard \(pip install zstandard, or have Inspect write"
    refused(message, read_judge_log, path)
    monkeypatch.setitem(sys.modules, "zstandard", Unpacked())
    assert read_judge_log(path).numbers("length") == {"q0": 2.0, "q1": 1.0}
    packed, at = path.read_bytes(), path.read_bytes().index(b"_epoch_1.json") + 40
    for broken in (packed[:at] + bytes(20) + packed[at + 20 :], packed.replace(b"ab", b"abx")):
        path.write_bytes(broken)
        refused(r"log\.eval: file must be a log of Inspect \(is it cut off\?\)\. Got no archive\.", read_judge_log, path)


def test_deepeval(write):
    log = read_judge_log({"model 1": write(DEEPEVAL, "test_run_1.json")})
    assert (log.form, log.systems, log.judges) == ("DeepEval", ["model 1"], ["Length", "Brevity"])
    assert log.numbers("Length") == {"q0": 0.1, "q1": 0.7}
    assert log.numbers("Length", values={"pass": 1, "fail": 0}) == {"q0": 0.0, "q1": 1.0}


def test_answers_do_not_fail_where_the_judge_failed(write):
    """deepeval writes no score and an error (ignore_errors=True), promptfoo the score 0 and graderError."""
    broken = {"name": "Length", "success": False, "score": None, "error": "ValueError: no JSON"}
    first, second = DEEPEVAL["testCases"]
    log = read_judge_log(write({"testCases": [first, {**second, "metricsData": [broken]}]}, "test_run_1.json"))
    assert log.numbers("Length", values={"pass": 1, "fail": 0}) == {"q0": 0.0}
    assert log.left_out == {"no verdict (the judge failed or was not asked)": 1}
    graded = {"pass": False, "score": 0, "componentResults": [
        {**assertion("llm-rubric", False, 0), "metadata": {"graderError": True}}, assertion("contains", False, 0)]}  # fmt: skip
    log = read_judge_log(write({"results": [of_promptfoo(0, "a", graded)]}, "a.json"))
    assert (log.judges, log.left_out) == (["contains"], {"no verdict (the judge failed or was not asked)": 1})


@pytest.mark.parametrize("listed", [True, False])
def test_harness(tmp_path, listed):
    path = tmp_path / "org__model-a" / "samples_gsm8k_1.jsonl"
    path.parent.mkdir()
    path.write_text(lines({name: one for name, one in row.items() if listed or name != "metrics"} for row in HARNESS), "utf-8")
    log = read_judge_log([path], case="doc.qid")
    assert (log.form, log.systems) == ("lm-evaluation-harness", ["org__model-a"])
    assert log.numbers("exact_match,strict-match") == {"q0": 1.0, "q1": 1.0}
    assert log.numbers("exact_match,flexible-extract") == {"q0": 0.0, "q1": 0.0}


@pytest.mark.parametrize(
    "name, content",
    [("a.json", PROMPTFOO), ("a.json", PROMPTFOO["results"]), ("a.jsonl", lines(PROMPTFOO["results"]["results"]))],
)
def test_promptfoo(write, name, content):
    log = read_judge_log(write(content, name))
    assert log.form == "promptfoo"
    assert log.systems == ["A", "echo"]
    assert rows(log) == {
        **{("0", system, judge): verdict for system in ("A", "echo")
           for judge, verdict in (("tone", "pass"), ("contains", "fail"), ("contains 2", "pass"))},
        ("1", "echo", "all assertions"): "pass",
    }  # fmt: skip
    assert log.left_out == {"no verdict (the judge failed or was not asked)": 1}
    assert read_judge_log(write(content, name), case="vars.id").numbers("tone", "A") == {"q0": 1.0}
    labels = log.labels("A")
    assert (labels.annotators.tolist(), labels.axes.classes.tolist()) == (["tone", "contains", "contains 2"], ["fail", "pass"])


def test_several_prompts_are_several_systems(write):
    """``promptIdx`` numbers the pairs of provider and prompt."""
    content = {"results": [of_promptfoo(0, name, GRADED, prompt) for prompt, name in enumerate(["a", "b", "b"])]}
    assert read_judge_log(write(content, "a.json")).systems == ["a", "b, prompt 1", "b, prompt 2"]


def test_repeated_tests_are_the_same_case_if_a_path_names_it(write):
    content = {"results": [of_promptfoo(test, "a", GRADED, vars={"id": "q"}) for test in (0, 1)]}
    log = read_judge_log(write(content, "a.json"), case="vars.id")
    assert log.repeat.tolist() == [1, 1, 1, 2, 2, 2]
    with pytest.warns(UserWarning, match="Tests with the same variables were read as different cases"):
        assert read_judge_log(write(content, "a.json")).repeat.max() == 1


PLAIN = [{"id": 1, "model": "m", "scorer": "gpt", "label": "good"}, {"id": 2, "model": "m", "scorer": "gpt", "label": True}]
TABLE = "case;system;judge;score;repeat\n1;a;j;0,5;1\n1;a;j;1,5;2\n2;a;j;;1\n"


def test_plain_tables(write):
    log = read_judge_log(write(lines(PLAIN), "a.jsonl"))
    assert rows(log) == {("1", "m", "gpt"): "good", ("2", "m", "gpt"): "true"}
    nested = lines([{"meta": {"q": "a"}, "who": "j", "said": {"n": 2}}])
    fields = {"case": "meta.q", "judge": "who", "score": "said.n"}
    assert read_judge_log(write(nested, "b.jsonl"), fields=fields).numbers() == {"a": 2.0}
    with pytest.warns(UserWarning, match="Read commas as decimal signs"):
        log = read_judge_log(write(TABLE, "c.csv"))
    assert (log.numbers(repeats="mean"), log.numbers(repeats="first")) == ({1: 1.0}, {1: 0.5})
    refused(r"repeats must be 'mean' or 'first' if a judge gave several verdicts on a case\. Got 'error', first at case 1\.", log.numbers)
    assert np.isnan(log.score).sum() == 0
    assert log.left_out == {"no verdict (the judge failed or was not asked)": 1}


@pytest.mark.parametrize(
    "name, content, message",
    [
        ("a.json", "3", r"file must be a log of Inspect, promptfoo or DeepEval, or a list of records\. Got 3\."),
        ("a.json", {"eval": {"model": "m"}}, r"file must hold its samples \(with log_samples\)\. Got none\."),
        ("a.json", {"testCases": []}, r"file must hold verdicts\. Got none\."),
        ("a.json", {"eval": {}, "samples": [{"id": 1}]}, r"log must hold verdicts\. Got no verdict \(the judge failed or was not asked\)"),
        ("a.json", {"eval": {}, "samples": [{"scores": {"a": score(1)}}]}, r"case must be given, the path of the case id in each sample\."),
        ("a.json", {"testCases": [DEEPEVAL["testCases"][0]] * 2},
         r"log must hold one verdict of a judge on a case of a .* Got two by 'Length' on case 'q0', first at testCases 0 and testCases"),
        ("a.jsonl", "[1]\n", r"file must hold objects\. Got a list of 1, first at line 1\."),
        ("a.jsonl", '{"id": 1, "text": "x"}\n', r"file must have fields for case and verdict .* Got no verdict or score among"),
        ("a.csv", "case,judge,score\n1,j,x\n", r"score must be a number \(words are verdicts.*\)\. Got 'x', first at line 2\."),
        ("a.csv", "case,judge,verdict,repeat\n1,j,x,one\n", r"repeat must be a whole number\. Got 'one', first at line 2\."),
    ],
)  # fmt: skip
def test_refused(write, name, content, message):
    refused(message, read_judge_log, write(content, name))


OBJECTS = r"file must hold objects\. Got 7, first at "


@pytest.mark.parametrize(
    "content, message",
    [
        ([], r"file must hold records\. Got none\."),
        ({}, r"file must be a log of Inspect, promptfoo or DeepEval, or a list of records\. Got {}\."),
        ([{**PLAIN[0], "epoch": 1.5}], r"repeat must be a whole number\. Got 1\.5, first at record 0\."),
        ([{**PLAIN[0], "scorer": {"name": "gpt"}}], r"judge must be text or a number \(.*\)\. Got an object, first at record 0"),
        ({"eval": {}, "samples": [7]}, OBJECTS + r"sample 0\."),
        ({"eval": {}, "samples": [{"id": 1, "scores": 7}]}, OBJECTS + r"scores of sample 0\."),
        ({"eval": {}, "samples": [{"id": 1, "epoch": "x", "scores": {"a": score(1)}}]}, r"repeat must be a whole number\. Got 'x'"),
        ({"testCases": 7}, r"file must hold a list\. Got 7, first at testCases\."),
        ({"testCases": [7]}, OBJECTS + r"testCases 0\."),
        ({"testCases": [{"name": "a", "metricsData": [{"score": "high"}]}]}, r"score must be a number .* Got 'high', first at testCases 0"),
        ({"results": [of_promptfoo(0, "a", 7)]}, OBJECTS + r"record 0\."),
    ],
)
def test_logs_of_another_form_are_refused_in_words(write, content, message):
    refused(message, read_judge_log, write(content, "a.json"))


def test_what_is_not_named_is_asked(write):
    log = read_judge_log(write(INSPECT, "log.json"))
    refused(r"judge must be named, as the log has several judges\. Got 'includes', 'model_graded_qa'", log.numbers)
    refused(
        r"values must be given, the number of each verdict \(such as .*\)\. Got none for 'C', 'I', first at case q0\.",
        log.numbers,
        "includes",
    )
    refused(r"values must give the number of each verdict\. Got none for 'I', first at case q1\.", log.numbers, "includes", values={"C": 1})
    refused(r"judge must be one of 'includes'", log.numbers, "nobody")
    refused(r"fields must be one of 'case'", read_judge_log, write(lines(PLAIN), "a.jsonl"), fields={"who": "x"})
    scores = read_judge_log(write("case,judge,score\n1,j,2\n", "s.csv"))
    refused(r"log must have verdicts in words to be labels \(see numbers for scores\)\. Got scores only\.", scores.labels)
    with pytest.warns(UserWarning, match="The evaluation ended with the status 'error'"):
        assert ugt.io.read_judge_log(write({**INSPECT, "status": "error"}, "log.json")).numbers("length") == {"q0": 2.0, "q1": 1.0}
