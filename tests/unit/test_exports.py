"""Files of other programs: what they say, what is dropped and counted, and what is refused."""

import json

import pytest
from refusals import refused

import ugt
from ugt import io


def task(number, *answers, data=None):
    return {"id": number, "data": data or {}, "annotations": list(answers)}


def answer(who, *results, cancelled=False):
    return {"completed_by": who, "was_cancelled": cancelled, "result": list(results)}


def result(kind, value, name="tag"):
    return {"from_name": name, "type": kind, "value": {kind: value}}


def studio(tmp_path, tasks, **options):
    path = tmp_path / "export.json"
    path.write_text(json.dumps(tasks), encoding="utf-8")
    return io.read_annotations(path, **options)


def test_choices(tmp_path):
    tasks = [
        task(7, answer(1, result("choices", ["cat"])), answer(2, result("choices", ["dog", "cat"])), answer(3, cancelled=True)),
        task(9, answer({"id": 2, "email": "b@x"}, result("choices", ["dog"])), answer(1), data={"key": "x1"}),
    ]
    asked = r"ticks must be given for answers of several ticks .*Got 'dog', 'cat', first at case 7, annotator 2\."
    refused(asked, studio, tmp_path, tasks)
    found = studio(tmp_path, tasks, ticks="each")
    assert found.format == "label studio" and found.dropped == {"cancelled annotation": 1, "annotation without a result": 1}
    labels = found.annotations
    assert labels.counts().tolist() == [[2, 1], [0, 1]] and labels.axes.case_ids.tolist() == [7, 9]
    assert labels.axes.classes.tolist() == ["cat", "dog"] and set(labels.annotators.tolist()) == {"1", "2", "b@x"}
    assert found.missing_note().startswith(
        "Left out: cancelled annotation (1), annotation without a result (1). An annotator gave several labels"
    )
    sets = studio(tmp_path, tasks, ticks="sets")
    assert sets.annotations.axes.classes.tolist() == ["cat", "cat + dog", "dog"] and not sets.notes
    marked = [*tasks, task(10, {**answer(1, result("choices", ["cat"])), "ground_truth": True})]
    assert studio(tmp_path, marked, ticks="each").dropped["annotation marked as ground truth"] == 1
    assert studio(tmp_path, marked, ticks="each", withdrawn="keep").annotations.n_labels == 5


def test_controls_and_fields(tmp_path):
    tasks = [task(1, answer(1, result("rating", 4, "stars"), result("ranker", {"rank": ["b", "a>1"]}, "order"))), task(2)]
    ratings = studio(tmp_path, tasks, columns={"label": "stars"}).annotations
    assert ratings.value.tolist() == [4.0] and ratings.n_cases == 2
    rankings = studio(tmp_path, tasks, columns={"label": "order"}).annotations
    assert rankings.axes.classes.tolist() == ["a>1", "b"] and rankings.items.tolist() == [1, 0]
    refused(r"file must have one control with results.*Got 'order', 'stars'\.", studio, tmp_path, tasks)
    tasks = [task(i, answer(1, result("choices", [name])), data={"image": name}) for i, name in enumerate(["a.png", "b"], 1)]
    assert studio(tmp_path, tasks, columns={"case": "image"}).annotations.axes.case_ids.tolist() == ["a.png", "b"]
    with pytest.raises(ValueError, match=r"task must have the field 'name' in its data, .* Got none, first at task 0\."):
        studio(tmp_path, tasks, columns={"case": "name"})


def broken(*annotations):
    return [task(1, *annotations)]


@pytest.mark.parametrize(
    ("tasks", "message"),
    [
        (
            broken({"was_cancelled": False, "result": [result("choices", ["x"])]}),
            r"annotations must name their annotator \(completed_by; annotator in JSON-MIN\)",
        ),
        (broken(answer(1)), r"file must have annotations: choices, ratings or rankings\. Got none\."),
        ([{"annotations": []}], r"task must have an id"),
        (broken(answer(1, result("ranker", {"good": ["a"], "bad": ["b"]}))), r"ranker must hold one ordered list"),
        (broken({"completed_by": 1, "result": None}), r"annotations must have a list of results\. Got null"),
        (broken("x"), r"annotations must be objects\. Got 'x', first at task 1\."),
        ([{"id": 1, "annotations": 3}], r"annotations must be a list\. Got 3, first at task 1\."),
        (broken({"completed_by": 1, "result": [None]}), r"results must be objects\. Got null, first at task 1\."),
        (broken(answer(1, {**result("choices", []), "value": []})), r"choices must be a list of names\. Got None, first at task 1\."),
        (broken(answer(1, result("choices", "cat"))), r"choices must be a list of names\. Got 'cat', first at task 1\."),
        (broken(answer(1, result("choices", [None]))), r"choices must be a list of names\. Got \[None\], first at task 1\."),
        (broken(answer(1, result("rating", "4"))), r"rating must be a number\. Got '4', first at task 1\."),
        (broken(answer(1, result("ranker", [["a"]]))), r"ranker must be a list of names\. Got \[\['a'\]\], first at task 1\."),
        (broken(answer(1, result("ranker", []))), r"file must have annotations: .* Got rankings of nothing\."),
        (
            broken(answer(1, result("choices", ["x"]), result("rating", 4))),
            r"control must have results of one kind\. Got rating and choices of 'tag'",
        ),
    ],
)
def test_label_studio_refused(tmp_path, tasks, message):
    refused(message, studio, tmp_path, tasks)


def written(tmp_path, name, text, **options):
    (tmp_path / name).write_text(text, encoding="utf-8")
    return io.read_annotations(tmp_path / name, **options)


def prodigy(tmp_path, *lines, **options):
    content = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines) + "\n"
    return written(tmp_path, "export.jsonl", content, **options)


def test_prodigy_choices_and_labels(tmp_path):
    found = prodigy(
        tmp_path,
        {"_input_hash": 5, "_annotator_id": "db-ann", "accept": ["a"], "answer": "accept"},
        {"_input_hash": 5, "_session_id": "db-bob", "accept": ["b", "a"], "answer": "accept"},
        "",
        {"_input_hash": -6, "_annotator_id": "db-ann", "accept": [], "answer": "ignore"},
        {"_input_hash": -6, "_annotator_id": "db-bob", "accept": [], "answer": "accept"},
        ticks="each",
    )
    assert found.format == "prodigy" and found.dropped == {"ignored or rejected task": 1, "annotation without a result": 1}
    assert found.annotations.counts().tolist() == [[2, 1], [0, 0]] and found.annotations.axes.case_ids.tolist() == [5, -6]
    one = {"_task_hash": 1, "label": "SPAM", "_annotator_id": "a"}
    found = prodigy(tmp_path, {**one, "answer": "accept"}, {**one, "_annotator_id": "b", "answer": "reject"})
    assert found.annotations.axes.classes.tolist() == ["accept", "reject"] and found.annotations.counts().tolist() == [[1, 1]]


ONE = {"_input_hash": 1, "_annotator_id": "x"}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"_input_hash": 1,', r"file must have a JSON object on every line \(is it cut off\?\)\. .*first at line 1\."),
        ([1], r"file must have a JSON object on every line\. Got a list"),
        ({"_input_hash": 1, "accept": ["a"], "answer": "accept"}, r"file must name the annotator of each answer"),
        ({**ONE, "accept": ["a"], "answer": "yes"}, r"answer must be 'accept', 'reject' or 'ignore'"),
        ({"accept": ["a"], "_annotator_id": "x", "answer": "accept"}, r"file must have '_input_hash' on every line"),
        ({"_input_hash": 1, "accept": [], "_annotator_id": "x", "answer": "ignore"}, r"file must have annotations"),
        *(
            (
                {**ONE, "_task_hash": 2, "text": "Lipitor", key: [], "answer": "accept"},
                rf"file must have tasks with choices.*Got the key '{key}'",
            )
            for key in ("spans", "relations", "audio_spans")
        ),
        ({**ONE, "accept": [None], "answer": "accept"}, r"accept must be a list of names\. Got \[None\], first at line 1\."),
    ],
)
def test_prodigy_refused(tmp_path, line, message):
    refused(message, prodigy, tmp_path, line)


HEAD = "# FILE NAME: x.toi\n# NUMBER ALTERNATIVES: 4\n# NUMBER VOTERS: 3\n" + "".join(
    f"# ALTERNATIVE NAME {k}: {name}\n" for k, name in enumerate(["Ann", "Bob", "Cy", "Dee"], 1)
)


def preflib(tmp_path, text, name="vote.toi"):
    return written(tmp_path, name, text)


def test_preflib(tmp_path):
    found = preflib(tmp_path, HEAD + "2: 1,{2,3}\n1: 4, 1\n")
    rankings = found.annotations
    assert found.format == "preflib" and rankings.axes.case_ids.tolist() == ["vote"] and rankings.n_rankings == 3
    expected = ugt.Rankings.from_blocks([[[[0], [1, 2]]] * 2 + [[[3], [0]]]], n_classes=4)
    assert rankings.items.tolist() == expected.items.tolist() and rankings.block_offsets.tolist() == expected.block_offsets.tolist()
    assert rankings.axes.classes.tolist() == ["Ann", "Bob", "Cy", "Dee"]
    same = preflib(tmp_path, HEAD.replace("Bob", "Ann") + "1: 2,1\n", "two.soi").annotations
    assert same.axes.classes.tolist() == ["1 Ann", "2 Ann", "3 Cy", "4 Dee"] and same.items.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("4\n1,Ann\n", r"file must have orders such as '3: 1,\{2,3\},4'.*first at line 1\."),
        (HEAD, r"file must have orders of alternatives from 1 to 4\. Got no orders\."),
        (HEAD + "1: 1,5\n", r"file must have orders of alternatives from 1 to 4\. Got 5\."),
        (HEAD + "1: 1,x\n", r"file must have numbers of alternatives in its orders\. Got 'x', first at line 8\."),
        ("# NUMBER ALTERNATIVES: 3\n# ALTERNATIVE NAME 1: a\n1: 1\n", r"file must name all alternatives in its head\. Got 1 of 3\."),
        (HEAD + "1: 1,1\n", r"twice|repeat"),
    ],
)
def test_preflib_refused(tmp_path, text, message):
    refused(message, preflib, tmp_path, text)


def test_by_command(write, command):
    said = [[answer(a, result("choices", ["x" if a < i else "y"])) for a in (1, 2, 3)] for i in (1, 2, 3)]
    tasks = [task(i, *answers, answer(9, cancelled=True)) for i, answers in enumerate(said, 1)]
    assert "Left out: cancelled annotation (3)." in command("certainty", write(tasks))


def simple(number, who, value, **more):
    """One object of JSON-MIN, in the order in which Label Studio writes its fields."""
    return {
        "text": "a text",
        "id": number,
        **more,
        **({} if value is None else {"tag": value}),
        "annotator": who,
        "annotation_id": number,
        "lead_time": 2.5,
    }


def test_json_min(tmp_path):
    tasks = [simple(7, 1, "cat"), simple(7, 2, {"choices": ["dog", "cat"]}), simple(9, 1, None), simple(8, "b@x", ["dog", "cat"])]
    refused("ticks must be given for answers of several ticks", studio, tmp_path, tasks)
    found = studio(tmp_path, tasks, ticks="each")
    assert found.annotations.counts().tolist() == [[2, 1], [0, 0], [1, 1]] and found.annotations.axes.case_ids.tolist() == [7, 9, 8]
    said = (
        "An annotator gave several labels to one case, and each counts: 2 times, first at case 7, annotator '2' (if they are ticks of one "
        "answer, two equal answers of two ticks agree by one half: ticks='sets' compares sets).",
    )
    assert found.dropped == {"annotation without a result": 1}
    assert sorted(map(str, found.notes)) == [*said, "Read 'tag' as the label, one annotation per object."]
    assert studio(tmp_path, [simple(7, 1, [{"rating": 4}])]).annotations.value.tolist() == [4.0]
    assert studio(tmp_path, [simple(7, 1, [{"ranker": ["b", "a"]}])]).annotations.n_rankings == 1
    two = [simple(7, 1, "cat", mood="good")]
    assert studio(tmp_path, two, columns={"label": "mood", "case": "text"}).annotations.axes.classes.tolist() == ["good"]


@pytest.mark.parametrize(
    ("task", "message"),
    [
        (simple(7, 1, "cat", mood="good"), r"have one control between 'id' and 'annotator', or be read with .* Got 'mood', 'tag'"),
        (simple(7, 1, None), r"have one control .* Got none"),
        (
            simple(7, 1, [{"x": 3, "y": 4, "rectanglelabels": ["cat"]}]),
            r"results must be choices, a rating .* keys 'x', 'y', .*at annotation 7",
        ),
        (simple(7, 1, [{"rating": 4}, "cat"]), r"control must have results of one kind\. Got choices and rating"),
        (simple(7, None, "cat"), r"annotations must name their annotator"),
        (simple([1], 1, "cat"), r"annotation must have the field 'id', text or a whole number\. Got a list of 1"),
    ],
)
def test_json_min_that_is_refused(tmp_path, task, message):
    refused(r"export\.json: .*" + message, studio, tmp_path, [task])


def argilla(case, who, what, status, question="tone"):
    names = [f"{question}.responses{end}" for end in ("", ".users", ".status")]
    return {"id": case, "text": "...", **dict(zip(names, (what, who, status)))}


RECORDS = [
    argilla("1", ["u", "v"], ["x", "y"], ["submitted", "discarded"]),
    argilla("2", ["u", "v", "w"], ["x", "x", "y"], ["submitted", "submitted", "draft"]),
    argilla("3", [], [], []),
]
NESTED = [
    {"id": "1", "responses": {"tone": [{"value": "x", "user_id": "u", "status": "submitted"}]}},
    {
        "id": "2",
        "responses": {"tone": [{"value": "y", "user_id": who, "status": s} for who, s in (("u", "submitted"), ("v", "discarded"))]},
    },
]


@pytest.mark.parametrize("ending", ["json", "jsonl"])
@pytest.mark.parametrize(
    ("records", "cases", "labels", "dropped"),
    [
        (RECORDS, ["1", "2", "3"], 3, {"row with discarded in the column 'status'": 1, "row with draft in the column 'status'": 1}),
        (NESTED, ["1", "2"], 2, {"row with discarded in the column 'status'": 1}),
    ],
)
def test_argilla(tmp_path, ending, records, cases, labels, dropped):
    lines = json.dumps(records) if ending == "json" else "\n".join(map(json.dumps, records))
    (path := tmp_path / f"records.{ending}").write_text(lines, encoding="utf-8")
    read = io.read_annotations(path)
    assert [*map(str, read.annotations.axes.case_ids.tolist())] == cases and read.annotations.n_labels == labels
    assert read.dropped == dropped
    kept = io.read_annotations(path, withdrawn="keep")
    assert kept.annotations.n_labels == labels + sum(dropped.values()) and kept.dropped == {}


def test_argilla_with_several_questions(tmp_path):
    both = [{**one, **argilla(one["id"], ["u"], ["n"], ["submitted"], "ok")} for one in RECORDS[:2]] + RECORDS[2:]
    (path := tmp_path / "records.json").write_text(json.dumps(both), encoding="utf-8")
    refused(r"answers to one question \(name it: columns=\{'label': 'tone'\}\)\. Got 'tone', 'ok'", io.read_annotations, path)
    assert io.read_annotations(path, columns={"label": "tone"}).annotations.n_labels == 3
    assert io.read_annotations(path, columns={"label": "ok", "case": "id"}).annotations.n_labels == 2
    refused("label column must be one of the questions 'tone', 'ok'", io.read_annotations, path, columns={"label": "other"})


def test_a_list_of_the_status_beside_lists_of_labels(tmp_path):
    records = [{"id": "1", "who": ["u", "v"], "what": ["x", "y"], "status": ["submitted", "discarded"]}]
    (path := tmp_path / "lists.json").write_text(json.dumps(records), encoding="utf-8")
    for who in ("who[]", "what[#]"):
        mapping = {"fields": {"case": "id", "annotator": who, "label": "what[]"}}
        assert io.read_annotations(path, mapping=mapping).dropped == {"row with discarded in the column 'status'": 1}
    uneven = [argilla("1", ["u", "v"], ["x", "y"], ["discarded"])]
    path.write_text(json.dumps(uneven), encoding="utf-8")
    refused(r"one 'tone\.responses\.status' for each of 2 labels. Got a list of 1", io.read_annotations, path)
