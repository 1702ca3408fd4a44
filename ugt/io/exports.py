"""Exports of other programs: Label Studio (JSON), Prodigy (JSONL), PrefLib (soc, soi, toc, toi)."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from .._base import identifiers
from .._base.checks import error
from .._base.names import listed
from .._base.notes import Note
from .._base.ragged import sizes_of
from .._base.wording import arg
from ..annotations import Labels, Rankings, Ratings
from .annotation_file import AnnotationFile, Reading
from .mapping import json_lines, json_shown
from .repeats import once
from .ticks import ask_ticks, set_of, way_of_ticks

OTHER = "for any other file, " + arg("mapping", ...) + " gives the place of each field; predictions are read from tables, NPY and NPZ"
NAMED = "or be read with the name of one (" + arg("columns", {"label": ...}) + ")"  # the way out if a file has several controls
PREFLIB = (".soc", ".soi", ".toc", ".toi")
GROUND_TRUTH = "annotation marked as ground truth"
CANCELLED, IGNORED, EMPTY = "cancelled annotation", "ignored or rejected task", "annotation without a result"
KINDS = ("choices", "rating", "ranker")
PLACES = {"x", "y", "start", "end", "points", "rle", "startOffset"}  # keys of results of Label Studio about a part of a task
SIGNS = {"_input_hash", "_task_hash", "_session_id", "_annotator_id", "answer", "accept"}  # keys of Prodigy, some of which a file has
MARKS = ("spans", "relations", "audio_spans")  # keys of Prodigy for parts of a text or recording

Rows = list[tuple[Any, Any, Any]]  # case, annotator, value


def _texts(ids: list[Any]) -> list[Any]:
    """Return the ids unchanged if all are numbers; else as text."""
    return ids if all(isinstance(one, int) and not isinstance(one, bool) for one in ids) else [str(one) for one in ids]


def _name(value: Any, argument: str, must: str, where: str) -> Any:
    """Return the name of a case or an annotator; refuse what is neither text nor a whole number."""
    if not isinstance(value, (str, int)) or isinstance(value, bool) or value == "":
        raise error(argument, must, json_shown(value), where)
    return value


# ---- Label Studio


def label_studio(content: list[Any], how: Reading) -> AnnotationFile:
    """Return choices, ratings or rankings of one control; ``columns`` may name it (label) and the data field of the case id (case)."""
    rows: Rows = []
    dropped: Counter[str] = Counter()
    kind = None
    control = how.columns.get("label") or None
    seen: dict[str, str] = {}
    cases = []
    for i, task in enumerate(content):
        case = _case_of(task, i, how.columns.get("case") or None)
        cases.append(case)
        where = f"task {case!r}"
        if not isinstance(task["annotations"], list):
            raise error("annotations", "be a list", json_shown(task["annotations"]), where)
        for annotation in task["annotations"]:
            if not isinstance(annotation, dict):
                raise error("annotations", "be objects", json_shown(annotation), where)
            if annotation.get("was_cancelled") or (how.withdrawn == "drop" and annotation.get("ground_truth")):
                dropped[CANCELLED if annotation.get("was_cancelled") else GROUND_TRUTH] += 1
                continue
            answers = list(_answers(annotation, control, seen, where))
            if not answers:
                dropped[EMPTY] += 1
            for name, value in answers:
                kind = name
                rows.append((case, _annotator_of(annotation, where), value))
    if control is None and len(seen) > 1:
        raise error("file", "have one control with results, " + NAMED, listed(map(repr, sorted(seen))))
    return _export(rows, kind, _texts(cases), how, "label studio", dropped)


def _case_of(task: Mapping[str, Any], i: int, field: str | None) -> Any:
    if field is None:
        if "id" not in task:
            way = "or name a field of its data: " + arg("columns", {"case": ...})
            raise error("task", "have an id", "none", f"task {i}", way=way)
        return task["id"]
    data = task.get("data")
    if not isinstance(data, dict) or field not in data or not isinstance(data[field], (str, int)):
        raise error("task", f"have the field {field!r} in its data, text or a whole number", "none", f"task {i}")
    return data[field]


def _annotator_of(annotation: Mapping[str, Any], where: str) -> Any:
    who = annotation.get("completed_by")
    if isinstance(who, dict):
        who = who.get("email") or who.get("id")
    return _name(who, "annotations", "name their annotator (completed_by; annotator in JSON-MIN)", where)


def _answers(annotation: Mapping[str, Any], control: str | None, seen: dict[str, str], where: str) -> Iterator[tuple[str, Any]]:
    results = annotation.get("result")
    if not isinstance(results, list):
        raise error("annotations", "have a list of results", json_shown(results), where)
    for result in results:
        if not isinstance(result, dict):
            raise error("results", "be objects", json_shown(result), where)
        kind, name = result.get("type"), str(result.get("from_name"))
        if kind not in KINDS or (control is not None and name != control):
            continue
        if seen.setdefault(name, kind) != kind:
            raise error("control", "have results of one kind", f"{kind} and {seen[name]} of {name!r}", where)
        content = result.get("value")
        value = content.get(kind) if isinstance(content, dict) else None
        if kind == "choices" and isinstance(content, dict) and (inside := PLACES & content.keys()):
            must = "be of whole tasks (choices for each region are not labels of a case)"
            raise error("choices", must, f"a choice with {min(inside)!r}", where)
        if kind == "choices":
            yield from [("choices", chosen)] if (chosen := _names(value, "choices", where)) else []
        elif kind == "rating":
            if not isinstance(value, (int, float)) or isinstance(value, bool):
                raise error("rating", "be a number", json_shown(value), where)
            yield "rating", value
        else:
            yield "ranker", _ranked(value, where)


def _names(value: Any, what: str, where: str) -> list[Any]:
    if not isinstance(value, list) or not all(isinstance(one, (str, int)) and not isinstance(one, bool) for one in value):
        raise error(what, "be a list of names", repr(value), where)
    return value


def _ranked(value: Any, where: str) -> list[str]:
    lists = list(value.values()) if isinstance(value, dict) else [value]
    if len(lists) != 1 or not isinstance(lists[0], list):
        raise error("ranker", "hold one ordered list (buckets have no order)", f"{len(lists)} buckets", where)
    return [str(item) for item in _names(lists[0], "ranker", where)]


def label_studio_min(content: list[Any], how: Reading) -> AnnotationFile:
    """Return the annotations of an export with one object per annotation: data fields, id, controls, annotator, in this order."""
    controls: dict[str, None] = {}
    for one in content:
        keys = list(one)
        controls.update(dict.fromkeys(keys[keys.index("id") + 1 : keys.index("annotator")]))
    told, field = how.columns.get("label") or None, how.columns.get("case") or "id"
    if told is None and len(controls) != 1:
        got = ", ".join(map(repr, controls)) or "none"
        raise error("file", "have one control between 'id' and 'annotator', " + NAMED, got)
    control = next(iter(controls)) if told is None else told
    if not any(control in one for one in content):
        raise error("label column", f"be one of the controls {', '.join(map(repr, controls))}", repr(control))
    rows: Rows = []
    dropped: Counter[str] = Counter()
    kinds: set[str] = set()
    cases = []
    for one in content:
        where = f"annotation {one['annotation_id']!r}"
        case = _name(one.get(field), "annotation", f"have the field {field!r}, text or a whole number", where)
        cases.append(case)
        given = one.get(control)
        parts = given if isinstance(given, list) else [] if given is None else [given]
        if not parts:
            dropped[EMPTY] += 1
        chosen = [part for part in parts if isinstance(part, (str, int))]
        result = [{"type": "choices", "value": {"choices": chosen}}] if chosen else []
        result += [_typed(part, where) for part in parts if part not in chosen]
        for kind, value in (answer for one in result for answer in _answers({"result": [one]}, None, {}, where)):
            kinds.add(kind)
            rows.append((case, _annotator_of({"completed_by": one["annotator"]}, where), value))
    if len(kinds) > 1:
        raise error("control", "have results of one kind", " and ".join(sorted(kinds)))
    found = _export(rows, next(iter(kinds), None), _texts(cases), how, "label studio", dropped)
    return dataclasses.replace(
        found, notes=(*found.notes, Note("control", "Read {control!r} as the label, one annotation per object.", control=control))
    )


def _typed(part: Any, where: str) -> dict[str, Any]:
    """Return a result of JSON-MIN in the form of the full export."""
    kind = next((kind for kind in KINDS if isinstance(part, dict) and kind in part), None)
    if kind is None:
        must = "be choices, a rating or a ranker (marks inside a text or an image are not labels of a case)"
        got = f"an object with the keys {', '.join(map(repr, part))}" if isinstance(part, dict) else repr(part)
        raise error("results", must, got, where)
    return {"type": kind, "value": part}


def of_objects(content: list[Any], how: Reading) -> AnnotationFile:
    """Return the annotations of an export that is a list of objects; refuse other lists."""
    if all(isinstance(one, dict) and "annotations" in one for one in content):
        return label_studio(content, how)
    if all(isinstance(one, dict) and {"id", "annotator", "annotation_id"} <= one.keys() for one in content):
        return label_studio_min(content, how)
    must = "be rankings or an export of Label Studio (" + OTHER + ")"
    raise error("file", must, f"objects with the keys {listed(map(repr, content[0]))}")


# ---- Prodigy


def prodigy(text: str, how: Reading) -> AnnotationFile:
    """Return the choices of accepted tasks or, for tasks about one label, whether it was accepted or rejected."""
    rows: Rows = []
    dropped: Counter[str] = Counter()
    kinds = set()
    cases: dict[Any, None] = {}
    for where, task in json_lines(text):
        if not isinstance(task, dict):
            raise error("file", "have a JSON object on every line", json_shown(task), where)
        if not SIGNS.intersection(task):
            must = "be an export of Prodigy, or records with the fields case, annotator and label (" + OTHER + ")"
            raise error("file", must, f"an object with the keys {listed(map(repr, task)) or 'none'}", where)
        choice = isinstance(task.get("accept"), list)
        marked = next((key for key in MARKS if not choice and key in task), None)
        if marked:
            must = "have tasks with choices, or about one label of a whole text or image (marks inside it are not labels of a case)"
            raise error("file", must, f"the key {marked!r}", where)
        kinds.add(choice)
        # The case is the text if classes are chosen, and the text with the label if one label is judged.
        field = how.columns.get("case") or ("_input_hash" if choice else "_task_hash")
        case = _name(task.get(field), "file", f"have {field!r} on every line, text or a whole number (" + OTHER + ")", where)
        cases[case] = None
        must = "name the annotator of each answer (_annotator_id or _session_id; annotate in named sessions)"
        who = _name(task.get("_annotator_id") or task.get("_session_id"), "file", must, where)
        answer = task.get("answer")
        if answer not in ("accept", "reject", "ignore"):
            raise error("answer", "be 'accept', 'reject' or 'ignore'", repr(answer), where)
        if answer == "ignore" or (choice and answer == "reject"):
            dropped[IGNORED] += 1
        elif choice:
            if not task["accept"]:
                dropped[EMPTY] += 1
            rows.append((case, who, _names(task["accept"], "accept", where)))
        else:
            rows.append((case, who, [answer]))
    if len(kinds) > 1:
        raise error("file", "have tasks of one kind: with choices (accept), or about one label", "both kinds")
    return _export(rows, "choices", _texts(list(cases)), how, "prodigy", dropped)


def _export(rows: Rows, kind: str | None, cases: list[Any], how: Reading, program: str, dropped: Mapping[str, int]) -> AnnotationFile:
    rows = _ticked(rows, how) if kind == "choices" else rows
    if kind is None or not rows:
        raise error("file", "have annotations: choices, ratings or rankings", "none")
    distinct = list(dict.fromkeys(cases))
    case, who, values = (list(column) for column in zip(*rows))
    case, who = [str(one) for one in case] if distinct and isinstance(distinct[0], str) else case, _texts(who)
    named: dict[str, Any] = {"cases": distinct, "classes": how.classes, "merge_names": how.merge_names}
    annotations: Labels | Rankings | Ratings
    if kind == "rating":
        annotations = once(Ratings.from_long(case, who, values, cases=distinct), how.duplicates)
    elif kind == "ranker":
        flat = [(a, b, item, place) for a, b, items in zip(case, who, values) for place, item in enumerate(items, 1)]
        if not flat:
            raise error("file", "have annotations: choices, ratings or rankings", "rankings of nothing")
        annotations = Rankings.from_long(*map(list, zip(*flat)), **named, offered=how.offered)
    else:
        annotations = once(Labels._of_columns(case, who, _texts(values), **named), how.duplicates, way_of_ticks)
    return AnnotationFile(annotations, program, {}, dict(dropped))


def _ticked(rows: Rows, how: Reading) -> Rows:
    """Return a row for each tick, or for the ticks that an annotator set in a case."""
    ticks: dict[tuple[Any, Any], list[Any]] = {}
    for case, who, own in rows:
        ticks.setdefault((case, who), []).extend(own)
    if how.ticks == "sets":
        return [(case, who, set_of([*map(str, own)]) if len(own) > 1 else own[0]) for (case, who), own in ticks.items() if own]
    several = next(((case, who, own) for case, who, own in rows if len(own) > 1), None)
    if how.ticks == "ask" and several is not None:
        case, who, own = several
        raise ask_ticks(listed(map(repr, own)), f"case {identifiers.name(case)}, annotator {identifiers.name(who)}")
    return [(case, who, one) for case, who, own in rows for one in own]


def rankings_json(content: Any, how: Reading) -> Rankings:
    """Return the rankings of nested lists, or of an object that holds them."""
    if not isinstance(content, dict):
        content = {"rankings": content}
    if not {"rankings"} <= set(content) <= {"rankings", "case_ids", "classes", "annotators"}:
        must = "have the key 'rankings' and optionally 'case_ids' and 'classes' (" + OTHER + ")"
        raise error("file", must, f"the keys {listed(content) or 'none'}")
    names = content.get("classes") if how.classes is None else how.classes
    rankings = Rankings.from_blocks(content["rankings"], classes=names, case_ids=content.get("case_ids"), offered=how.offered)
    nested = content.get("annotators")  # one list per case, in the order of its rankings
    if nested is None:
        return rankings
    sizes = sizes_of(rankings.case_offsets).tolist()
    if not isinstance(nested, list) or len(nested) != len(sizes):
        raise error("annotators", f"be a list of {len(sizes)} lists of ids, as rankings", json_shown(nested))
    for i, (own, n) in enumerate(zip(nested, sizes)):
        where = f"case {rankings.axes.case_name(i)}"
        if not isinstance(own, list) or len(own) != n:
            raise error("annotators", f"be {n} ids for the {n} rankings", repr(own), where)
        if len({*map(str, own)}) < n:
            raise error("annotators", "rank each case once", repr(own), where)
    column = identifiers.number("annotators", [one for own in nested for one in own], "ranking {}".format)
    return dataclasses.replace(rankings, annotators=column.ids, annotator=column.code)


# ---- PrefLib

_HEAD = re.compile(r"#\s*(ALTERNATIVE NAME|NUMBER ALTERNATIVES)\s*(\d{0,9}):\s*(.*)")
_ORDER = re.compile(r"(\d{1,18})\s*:\s*(.*)")
MOST_VOTERS = 10**6


def preflib(text: str, name: str, how: Reading) -> AnnotationFile:
    """Return the orders of alternatives, with ties in braces, as one case with one ranking per voter."""
    lines = [(f"line {number}", line) for number, line in enumerate(text.splitlines(), 1)]
    orders, names = _orders(lines), _alternatives(lines)
    bad = next((k for order in orders for block in order for k in block if k not in names), None)
    if bad is not None or not orders:
        raise error("file", f"have orders of alternatives from 1 to {len(names)}", "no orders" if bad is None else bad)
    called = [names[k] for k in sorted(names)]
    axes = called if len(set(called)) == len(names) else [f"{k} {one}" for k, one in enumerate(called, 1)]
    nested = [[[axes[k - 1] for k in block] for block in order] for order in orders]
    classes = axes if how.classes is None else how.classes
    return AnnotationFile(Rankings.from_blocks([nested], classes=classes, case_ids=[name], offered=how.offered), "preflib", {})


def _alternatives(lines: list[tuple[str, str]]) -> dict[int, str]:
    """Return the names of all alternatives by their numbers, from the head of a file."""
    names: dict[int, str] = {}
    wanted = None
    for where, line in lines:
        if head := _HEAD.match(line):
            is_name, key, value = head.group(1) == "ALTERNATIVE NAME", head.group(2), head.group(3).strip()
            if not re.fullmatch(r"\d{1,9}", key if is_name else value):
                raise error("file", "name all alternatives in its head by their numbers", repr(line[:60]), where)
            if is_name:
                names[int(key)] = value
            else:
                wanted = int(value)
    if wanted is None or sorted(names) != list(range(1, wanted + 1)):
        raise error("file", "name all alternatives in its head", f"{len(names)} of {wanted}")
    return names


def _orders(lines: list[tuple[str, str]]) -> list[list[list[int]]]:
    """Return the order of each voter, as blocks of tied alternatives."""
    orders: list[list[list[int]]] = []
    for where, line in lines:
        if line.startswith("#") or not line.strip():
            continue
        found = _ORDER.fullmatch(line.strip())
        if not found:
            raise error("file", "have orders such as '3: 1,{2,3},4' (the format of PrefLib since 2022)", repr(line[:60]), where)
        if len(orders) + int(found.group(1)) > MOST_VOTERS:
            raise error("file", f"have at most {MOST_VOTERS:,} voters", f"{len(orders) + int(found.group(1)):,}", where)
        orders += [_blocks(found.group(2), where)] * int(found.group(1))
    return orders


def _blocks(text: str, where: str) -> list[list[int]]:
    """Return an order such as ``1,{2,3},4`` as blocks."""
    blocks: list[list[int]] = []
    for piece in re.findall(r"\{[^{}]*\}|[^,{}]+", text):
        inside = piece.strip("{}").split(",") if piece.startswith("{") else [piece]
        members = [part.strip() for part in inside if part.strip()]
        if not all(re.fullmatch(r"\d{1,9}", part) for part in members):
            raise error("file", "have numbers of alternatives in its orders", repr(piece), where)
        if members:
            blocks.append([int(part) for part in members])
    return blocks
