"""The forms of logs of judges: Inspect, promptfoo, DeepEval, lm-evaluation-harness, and plain tables."""

from __future__ import annotations

import io
import math
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .._base.checks import error, option
from .._base.names import listed
from .._base.notes import Note
from .._base.notices import note
from .._base.wording import arg
from .._tabular.foreign import package, table_of
from .._tabular.role_words import ALIASES, ALSO
from .._tabular.roles import MOST_SHOWN, find_roles, plain
from .._tabular.source import Source, check_text
from .annotation_file import MISSING
from .mapping import json_lines, json_shown, parse_json, value_at

FIELDS = ("case", "system", "judge", "verdict", "score", "repeat")
NAMES = {
    "case": ALIASES["case"] | ALSO["case"],
    "system": ALIASES["model"],
    "judge": {"judge", "judgeid", "scorer", "grader", "metric", "criterion"} | ALIASES["annotator"],
    "verdict": {"verdict"} | ALIASES["label"],
    "score": ALIASES["score"] | ALIASES["value"],
    "repeat": {"repeat", "epoch"},
}
OF_HARNESS = {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "doc_hash", "prompt_hash", "target_hash"}
NO_NUMBER = "value that is neither text nor one number"
ZSTANDARD, HEAD = 93, 30  # the number of a compression in archives, and the bytes of a file's header before its name


class Row(NamedTuple):
    """One verdict: text or a number, or both."""

    case: Any
    system: str
    judge: str
    verdict: str | None
    score: float
    repeat: int
    place: str


def rows_of(source: Source, case: str | None, fields: Mapping[str, str]) -> tuple[str, Iterator[Row]]:
    """Return what a file was written by, and its rows."""
    for name in fields:
        option("fields", name, FIELDS)
    if source.ending == ".eval":
        return "Inspect", _inspect(_unpacked(source), case)
    if source.ending in (".jsonl", ".ndjson"):
        return _of_records(list(json_lines(check_text(source.read(text=True)))), case, fields, source)
    if source.ending != ".json":
        return "table", _table(source, case, fields)
    content = parse_json(source.read(text=True))
    if isinstance(content, list):
        return _of_records(list(_placed(content)), case, fields, source)
    return _of_program(content if isinstance(content, Mapping) else {"": content}, case, source)


def is_judge_log(source: Source) -> bool:
    """Return whether a JSON file was written by one of the programs, or holds records with a verdict."""
    try:
        form, _ = rows_of(source, None, {})
        if form != "records":
            return True
        text = source.read(text=True)
        content = parse_json(text) if source.ending == ".json" else [one for _, one in json_lines(check_text(text))]
    except ValueError:
        return False
    return names_verdicts([key for record in content[:1] for key in record])


def names_verdicts(header: Sequence[str]) -> bool:
    """Return whether columns or fields are those of a log of judges: a verdict, or a judge and a score."""
    names = {plain(name) for name in header}
    return "verdict" in names or ("score" in names and not names.isdisjoint({"judge", "judgeid", "scorer"}))


def _of_program(content: Mapping[str, Any], case: str | None, source: Source) -> tuple[str, Iterator[Row]]:
    if isinstance(content.get("eval"), Mapping):
        return "Inspect", _inspect(content, case)
    if "testCases" in content or "conversationalTestCases" in content:
        return "DeepEval", _deepeval(content, case, source.stem)
    inner = content.get("results")
    inner = inner.get("results") if isinstance(inner, Mapping) else inner
    if not isinstance(inner, list):
        got = listed(map(repr, content), MOST_SHOWN) or "{}" if "" not in content else json_shown(content[""])
        raise error("file", "be a log of Inspect, promptfoo or DeepEval, or a list of records", got)
    return "promptfoo", _promptfoo(_placed(inner), case)


def _placed(records: list[Any]) -> Iterator[tuple[str, Any]]:
    return ((f"record {i}", record) for i, record in enumerate(records))


def _of_records(records: list[tuple[str, Any]], case: str | None, fields: Mapping[str, str], source: Source) -> tuple[str, Iterator[Row]]:
    for place, record in records:
        _object(record, place)
    if not records:
        raise error("file", "hold records", "none")
    first = records[0][1]
    if "testIdx" in first and "success" in first:
        return "promptfoo", _promptfoo(iter(records), case)
    if "doc_id" in first and ("resps" in first or "filtered_resps" in first):
        # the program writes MODEL/samples_TASK_DATE.jsonl
        folder = source.path.resolve().parent.name if source.stem.startswith("samples_") else ""
        return "lm-evaluation-harness", _harness(records, case, folder or source.stem)
    return "records", _plain_records(records, case, fields, source.stem)


def _read(value: Any) -> tuple[str | None, float, str]:
    """Return a value of a log as text or number; (None, NaN) if it is neither, with the reason."""
    if isinstance(value, bool):
        return str(value).lower(), float(value), ""
    if isinstance(value, (int, float)):
        return None, float(value), ""
    if value is None or isinstance(value, str):
        return (value or None), math.nan, ""
    return None, math.nan, NO_NUMBER


def _object(value: Any, place: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise error("file", "hold objects", json_shown(value), place)
    return value


def _list(value: Any, place: str) -> list[Any]:
    if not isinstance(value, (list, type(None))):
        raise error("file", "hold a list", json_shown(value), place)
    return value or []


def _score(value: Any, place: str) -> float:
    """Return a number of a log, which may be text; NaN for none."""
    try:
        return math.nan if value is None else float(value)
    except (TypeError, ValueError):
        way = "words are verdicts: " + arg("fields", {"verdict": ...})
        raise error("score", "be a number", repr(value), place, way=way) from None


def _repeat(value: Any, place: str) -> int:
    number = 1 if value in (None, "") else value
    try:
        if int(number) == float(number):
            return int(number)
    except (TypeError, ValueError, OverflowError):
        pass
    raise error("repeat", "be a whole number", repr(value), place)


def _named(role: str, value: Any, place: str) -> str:
    if isinstance(value, (Mapping, list)):
        way = "or give the path of its name: " + arg("fields", {role: ...})
        raise error(role, "be text or a number", json_shown(value), place, way=way)
    return str(value)


def _id(record: Any, path: str | None, default: Any, place: str) -> Any:
    found = default if path is None else value_at(record, path, place)
    if found is None or isinstance(found, (dict, list, bool, float)):
        must = "be the path of an id in each sample" if path else "be given, the path of the case id in each sample"
        raise error("case", must, f"{path!r}, where there is {json_shown(found)}" if path else "none", place)
    return str(found)


# ---- the programs


def _unpacked(source: Source) -> dict[str, Any]:
    """Return a packed log of Inspect as its JSON form has it."""
    data = source.read()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = [name for name in archive.namelist() if name.startswith("samples/")]
            head = next((name for name in ("header.json", "_journal/start.json") if name in archive.namelist()), None)
            if head is None:
                raise error("file", "be a log of Inspect", "an archive without a header")
            head, *samples = (parse_json(_member(archive, name, data)) for name in (head, *names))
            return {**head, "samples": samples}
    except zipfile.BadZipFile:
        raise error("file", "be a log of Inspect (is it cut off?)", "no archive") from None


def _member(archive: zipfile.ZipFile, name: str, data: bytes) -> bytes:
    """Return a file of an archive; Python before 3.14 leaves one compression to a package."""
    known = archive.getinfo(name)
    if known.compress_type != ZSTANDARD or hasattr(zipfile, "ZIP_ZSTANDARD"):
        return archive.read(name)
    way = "zstandard, or have Inspect write them as JSON (inspect log convert)"
    zstandard = package("zstandard", "logs of Inspect in this compression", way)
    at = known.header_offset
    at += HEAD + sum(int.from_bytes(data[at + k : at + k + 2], "little") for k in (26, 28))  # the name and what follows it
    try:
        with zstandard.ZstdDecompressor().stream_reader(data[at : at + known.compress_size], read_across_frames=True) as unpacked:
            found: bytes = unpacked.read()
    except zstandard.ZstdError as problem:
        raise zipfile.BadZipFile(str(problem)) from None
    if zlib.crc32(found) != known.CRC:
        raise zipfile.BadZipFile(name)
    return found


def _inspect(log: Mapping[str, Any], case: str | None) -> Iterator[Row]:
    samples = log.get("samples")
    if not isinstance(samples, list) or not samples:
        raise error("file", "hold its samples (with log_samples)", "none")
    if log.get("status", "success") != "success":
        words = "The evaluation ended with the status {status!r}: the samples that have scores are read."
        note(Note("not_finished", words, status=str(log["status"])))
    system = str(log["eval"].get("model", "model"))
    scored = []
    for i, sample in enumerate(samples):
        scores = _object(sample, f"sample {i}").get("scores") or ({"score": sample["score"]} if sample.get("score") else {})
        scored.append(_object(scores, f"scores of sample {i}"))
    scorers = dict.fromkeys(scorer for scores in scored for scorer in scores)
    for i, (sample, scores) in enumerate(zip(samples, scored)):
        place = f"sample {i}"
        own, repeat = _id(sample, case, sample.get("id"), place), _repeat(sample.get("epoch"), place)
        for scorer in scorers or [""]:  # one that failed is absent
            score = scores.get(scorer)
            value = score.get("value") if isinstance(score, Mapping) else score
            parts = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else [("", value)]
            for key, part in parts:
                text, number, why = _read(part)
                yield Row(own, system, scorer if key == "" else f"{scorer}/{key}", text, number, repeat, f"{place} {why}".strip())


def _promptfoo(records: Iterator[tuple[str, Any]], case: str | None) -> Iterator[Row]:
    known = list(records)
    prompts: dict[str, set[Any]] = {}
    for place, record in known:
        if not isinstance(record, Mapping) or "success" not in record:
            raise error("file", "hold results of promptfoo, with success", json_shown(record), place)
        prompts.setdefault(_provider(record), set()).add(record.get("promptIdx"))
    if case is None and len({str(record.get("vars")) for _, record in known}) < len({record.get("testIdx") for _, record in known}):
        words = "Tests with the same variables were read as different cases (if they repeat one case, name its id: "
        words += arg("case", "vars.id") + ")."
        note(Note("equal_tests", words))
    times: Counter[tuple[Any, str]] = Counter()  # tests that are repeated have other numbers, but the same id if a path names one
    for place, record in known:
        name = _provider(record)
        system = name if len(prompts[name]) == 1 else f"{name}, prompt {record.get('promptIdx')}"
        own = _id(record, case, record.get("testIdx"), place)
        times[own, system] += 1
        for judge, found in _assertions(record, place):
            yield _passed(judge, found, own, system, place, repeat=times[own, system])


def _assertions(record: Mapping[str, Any], place: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the name and the result of each assertion, or of all together if they are not known one by one."""
    graded = _object(record.get("gradingResult") or {}, place)
    parts = [_object(part, place) for part in _list(graded.get("componentResults"), place) if part]
    if not parts:
        failed = record.get("failureReason") == 2 or (not graded and record.get("error"))
        yield "all assertions", {} if failed else {"pass": record["success"], "score": record.get("score")}
    names: Counter[str] = Counter()
    for part in parts:
        asked = _object(part.get("assertion") or {}, place)
        judge = str(asked.get("metric") or asked.get("type") or "assertion")
        names[judge] += 1
        yield judge if names[judge] == 1 else f"{judge} {names[judge]}", part


def _provider(record: Mapping[str, Any]) -> str:
    """Return the name of the system: one provider may stand there for each of several prompts."""
    provider = record.get("provider")
    return str(provider.get("label") or provider.get("id") if isinstance(provider, Mapping) else provider)


def _passed(judge: str, found: Mapping[str, Any], case: Any, system: str, place: str, key: str = "pass", repeat: int = 1) -> Row:
    """Return whether an answer passed; if the judge itself failed, the programs write that the answer did, and name the error elsewhere."""
    failed = found.get("error") or _object(found.get("metadata") or {}, place).get("graderError")
    done, score = (None, None) if failed else (found.get(key), found.get("score"))
    text = None if done is None else "pass" if done else "fail"
    return Row(case, system, judge, text, _score(score, place), repeat, place)


def _deepeval(content: Mapping[str, Any], case: str | None, stem: str) -> Iterator[Row]:
    for kind in ("testCases", "conversationalTestCases"):
        for i, record in enumerate(_list(content.get(kind), kind)):
            place = f"{kind} {i}"
            own = _id(record, case, _object(record, place).get("name"), place)
            for metric in _list(record.get("metricsData"), place):
                yield _passed(str(_object(metric, place).get("name")), metric, own, stem, place, "success")


def _harness(records: list[tuple[str, Any]], case: str | None, stem: str) -> Iterator[Row]:
    for place, record in records:
        own = _id(record, case, record.get("doc_id"), place)
        by = record.get("filter", "none")
        for metric in record.get("metrics", [key for key in record if key not in OF_HARNESS]):
            text, number, why = _read(record.get(metric))
            yield Row(own, stem, metric if by in ("none", None) else f"{metric},{by}", text, number, 1, f"{place} {why}".strip())


# ---- plain tables


def _plain_records(records: list[tuple[str, Any]], case: str | None, fields: Mapping[str, str], stem: str) -> Iterator[Row]:
    header = list(dict.fromkeys(key for _, record in records for key in record))
    given = {**({"case": case} if case else {}), **fields}
    usual = find_roles(header, {role: None for role in given}, FIELDS, NAMES)
    paths = {**{role: header[c] for role, c in usual.items()}, **given}
    _check_roles(paths, header)
    for place, record in records:
        found = {role: value_at(record, path, place) for role, path in paths.items() if role not in ("case",)}
        found = found if "judge" in paths else {**found, "judge": stem}  # one judge, named after the file
        yield _plain_row(_id(record, paths["case"], None, place), found, stem, place)


def _table(source: Source, case: str | None, fields: Mapping[str, str]) -> Iterator[Row]:
    table = table_of(source)
    roles = find_roles(table.header, {**({"case": case} if case else {}), **fields}, FIELDS, NAMES)
    _check_roles(roles, table.header)
    table.used = {role: [c] for role, c in roles.items()}
    cells = dict(zip(roles, table.coded(*([c] for c in roles.values()))))
    if "score" in cells:
        cells["score"] = table.decimals(cells["score"], "score", MISSING)
    for row, place in zip(range(len(cells["case"].codes)), table.places()):
        found = {role: one.values[one.codes[row, 0]] for role, one in cells.items()}
        found = {role: None if text in ("", *MISSING) else text for role, text in found.items()}
        found = found if "judge" in cells else {**found, "judge": source.stem}
        yield _plain_row(_id({}, None, found.pop("case"), place), found, source.stem, place)


def _check_roles(roles: Mapping[str, Any], header: Sequence[str]) -> None:
    absent = [role for role in ("case",) if role not in roles]
    absent += ["verdict or score"] if not {"verdict", "score"} & roles.keys() else []
    if absent:
        way = "name the existing ones: " + arg("fields", {absent[0].split()[0]: ...})
        got = f"no {' and no '.join(absent)} among {listed(map(repr, header), MOST_SHOWN)}"
        raise error("file", "have fields for case and verdict or score, and for the judge if there are several", got, way=way)


def _plain_row(case: Any, found: Mapping[str, Any], stem: str, place: str) -> Row:
    text, number, why = _read(found.get("verdict"))
    if found.get("score") is not None:
        number = _score(found["score"], place)
    system, judge = (found.get(role) for role in ("system", "judge"))
    if judge is None:
        raise error("judge", "be named in every row", "none", place)
    system, repeat = stem if system is None else _named("system", system, place), _repeat(found.get("repeat"), place)
    return Row(case, system, _named("judge", judge, place), text, number, repeat, f"{place} {why}".strip())
