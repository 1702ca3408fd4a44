"""Files in any other form: a mapping names the columns of a table or the fields of JSON records of cases, annotators and labels."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from .._base.checks import Twice, error, once, room
from .._base.wording import changed
from .._tabular.case_columns import check_case, is_part
from .._tabular.frames import Columns
from .._tabular.role_words import ALIASES
from .._tabular.roles import plain
from .._tabular.source import Source, check_text, naming, too_long
from .annotation_file import ROLES, Reading
from .withdrawn import is_status

KEYS = ("path", *Reading._fields, "records", "fields")


# A path, and the sign of what is gone through there: a list, an object, or a text with commas; [#] is a position, {#} a key.
THROUGH = re.compile(r"([^\[{]*)(\[[,#]?\]|\{#?\})\.?(.*)")
KEY = "#"  # the field that is the key of the record


def parse_json(data: bytes) -> Any:
    check_room(data)
    try:
        return json.loads(check_text(data), object_pairs_hook=once("file"))
    except json.JSONDecodeError as problem:
        raise error("file", "be JSON (is it cut off?)", problem.msg, f"line {problem.lineno}") from None
    except RecursionError:
        raise error("rankings", "be nested four deep (cases, annotators, blocks, classes)", "a far deeper nesting") from None
    except ValueError as problem:
        raise too_long(problem) from None


def check_room(data: bytes) -> None:
    """Reject JSON that would not fit into memory: its bytes, its text, one reference per comma, lists and objects."""
    room("what the file holds", 2 * len(data) + 8 * data.count(b",") + 56 * data.count(b"[") + 64 * data.count(b"{"))


MOST_SHOWN = 80  # characters of a value in a message


def json_shown(value: Any) -> str:
    """Return a value of JSON as messages show it."""
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else f"a list of {len(value):,}"
    said = json.dumps(value) if value is None or isinstance(value, bool) else repr(value)
    return said if len(said) <= MOST_SHOWN else said[:MOST_SHOWN] + "..."


def json_lines(text: str) -> Iterator[tuple[str, Any]]:
    """Yield ``(line 7, content)`` for each line that is not blank."""
    for number, line in enumerate(text.split("\n"), 1):  # not splitlines: text in JSON may hold other line ends
        if line.strip():
            try:
                yield f"line {number}", json.loads(line, object_pairs_hook=once("file"))
            except Twice as problem:
                raise changed(problem, where=f"line {number}") from None
            except (json.JSONDecodeError, RecursionError) as problem:
                got = problem.msg if isinstance(problem, json.JSONDecodeError) else "a far too deep nesting"
                raise error("file", "have a JSON object on every line (is it cut off?)", got, f"line {number}") from None
            except ValueError as problem:
                raise too_long(problem) from None


def read_mapping(mapping: Any) -> dict[str, Any]:
    """Return a mapping from a JSON file or an object after checks; ``path`` is relative to the folder of the JSON file."""
    if isinstance(mapping, Mapping) or mapping is None:
        return checked(mapping or {})
    if not isinstance(mapping, (str, os.PathLike)):
        raise error("mapping", "be a JSON file or a mapping", type(mapping).__name__)
    with naming(mapping):
        return checked(parse_json(Source(mapping).read()), Path(mapping).parent)


def checked(content: Any, folder: Path | None = None) -> dict[str, Any]:
    if not isinstance(content, Mapping):
        raise error("mapping", "be a JSON object", json_shown(content))
    unknown = [key for key in content if key not in KEYS]
    if unknown:
        raise error("mapping", f"have only the keys {', '.join(KEYS)}", repr(unknown[0]))
    many = (list, tuple)
    kinds: dict[str, Any] = dict.fromkeys(("path", "format", "records", "duplicates", "decimal", "encoding", "withdrawn", "ticks"), str)
    kinds |= {**dict.fromkeys(("columns", "fields"), Mapping), **dict.fromkeys(("missing", "annotator_columns", "ignore_columns"), many)}
    kinds |= {"merge_names": bool, "header": bool, "ordered": (bool, *many), "scale": (str, *many)}
    for key, kind in kinds.items():
        if key in content and not isinstance(content[key], kind):
            words = {str: "text", Mapping: "an object", bool: "true or false", (bool, list, tuple): "true or a list"}
            wanted = words.get(kind, "'real' or a list" if key == "scale" else "a list")
            raise error(f"mapping: {key}", f"be {wanted}", repr(content[key]))
    found = dict(content)
    if folder is not None and "path" in found:
        found["path"] = os.fspath(folder / found["path"])
    for role, field in found.get("fields", {}).items():
        if role not in ROLES or not isinstance(field, str):
            raise error("mapping: fields", f"give paths for the roles {', '.join(ROLES)}", f"{role!r}: {field!r}")
    return found


def mapped_table(content: Any, given: Mapping[str, Any], how: Reading) -> tuple[Columns, Reading]:
    """Return the records of JSON content as a table, and the options with the columns that their fields are."""
    fields = given.get("fields", {})
    table = records_table(content, given.get("records", ""), fields)
    together = how.columns.get("case")
    if not together and "case" in fields:
        check_case(table, [table.header.index(role) for role in ("case", "annotator") if role in fields])
    own = {role: name for role, name in how.columns.items() if role not in fields} | {role: role for role in fields}
    return table, how._replace(columns=own | ({"case": together} if together else {}))


def records_table(content: Any, records: str, fields: Mapping[str, str]) -> Columns:
    """Return the fields of JSON records as columns named by their roles.

    ``content`` is JSON content, or pairs of the name of a line and its content.
    """
    if not fields:
        raise error("mapping", "have fields for a JSON file, such as {'case': 'meta.id'}", "none")
    rows: list[dict[str, Any]] = []
    names: list[str] = []
    for name, key, record in _records(content, records):
        found = _expanded(record, fields, name, key)
        rows += found
        names += [name] * len(found)
    if not rows:
        raise error("file", "have records", "none")
    for role, field in fields.items():
        if all(row.get(role) is None for row in rows):
            raise error("records", f"have the field {field!r} (at least one record)", "none")
    names_of = list(dict.fromkeys([*fields, *(key for row in rows for key in row)]))
    return Columns(names_of, [[_plain_value(row.get(key)) for row in rows] for key in names_of], names)


def flat_table(content: Iterator[tuple[str, Any]]) -> Columns | None:
    """Return records with one value per field, which have a case and a label, as a table; None for other content."""
    rows = []
    for _, record in content:
        if not isinstance(record, Mapping) or any(isinstance(value, (dict, list)) for value in record.values()):
            return None
        rows.append(record)
    header = {key for row in rows for key in row}
    roles = {role for role, names in ALIASES.items() if any(plain(name) in names for name in header)}
    return plain_table(rows) if {"case", "annotator"} <= roles and "_task_hash" not in header else None  # a task of Prodigy


def plain_table(content: Any) -> Columns:
    """Return the fields of records that hold one value each as a table; lists and objects, such as conversations, are not in it."""
    if not isinstance(content, list) or not content or not all(isinstance(record, Mapping) for record in content):
        raise error("file", "hold records, which are objects", json_shown(content))
    nested = {key for record in content for key, value in record.items() if isinstance(value, (dict, list))}
    header = [key for key in dict.fromkeys(key for record in content for key in record) if key not in nested]
    if not header:
        raise error("records", "have fields of one value", "none")
    places = [f"record {i}" for i in range(len(content))]
    return Columns(header, [[_plain_value(record.get(key)) for record in content] for key in header], places)


def _records(content: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    """Yield ``(place, key, record)`` of the records in a list, or of the values of an object, each of which has a key."""
    if isinstance(content, Iterator):
        if path:
            raise error("mapping: records", "be left out for JSONL, where each line is a record", repr(path))
        yield from ((name, None, record) for name, record in content)
        return
    found, must = content, "be the path of a list, or of an object of objects, in the file"
    for key in path.split(".") if path else ():
        if not isinstance(found, Mapping) or key not in found:
            raise error("mapping: records", must, repr(path))
        found = found[key]
    if isinstance(found, Mapping) and all(isinstance(record, Mapping) for record in found.values()):
        yield from ((f"record {key!r}", key, record) for key, record in found.items())
    elif isinstance(found, list):
        yield from ((f"record {i}", None, record) for i, record in enumerate(found))
    else:
        raise error("mapping: records", must, f"{path!r}, {json_shown(found)}")


def _expanded(record: Any, fields: Mapping[str, str], name: str, key: Any = None) -> list[dict[str, Any]]:
    """Return the rows of a record; a record without annotations is one row, which keeps its case."""
    alone = {role: field for role, field in fields.items() if THROUGH.fullmatch(field) is None}
    return list(_rows(record, fields, name, key)) or list(_rows(record, alone, name, key))


def _rows(record: Any, fields: Mapping[str, str], name: str, key: Any = None) -> Iterator[dict[str, Any]]:
    """Yield one row, or one for each part (also of a part) of what fields with ``[]``, ``{}`` or ``[,]`` go through."""
    steps = {role: THROUGH.fullmatch(field) for role, field in fields.items()}
    outer = {role: _scalar(record, fields[role], name, key) for role, step in steps.items() if step is None}
    if isinstance(record, Mapping):  # the status of work, by which rows are left out and counted, and what may be a part of the case
        more = {key: value for key, value in record.items() if is_status(key) or (is_part(key) and key not in fields.values())}
        outer |= {key: _plain_value(value) for key, value in more.items() if key not in ROLES and isinstance(value, (str, bool, int))}
    through = {role: (step[1], step[2], step[3]) for role, step in steps.items() if step is not None}
    ways = list(dict.fromkeys(path + sign.replace("#", "") for path, sign, _ in through.values()))
    if len(ways) > 1 and (side := _side_by_side(record, through, name)) is not None:
        yield from ({**outer, **row} for row in side)
        return
    if len(ways) > 1:
        raise error("mapping: fields", "go through one list or object", " and ".join(map(repr, ways)))
    path, sign, _ = next(iter(through.values()), ("", "[]", ""))
    parts = _parts(record, path, sign, name) if ways else []
    if not ways:
        yield outer
    deeper = {role: rest for role, (_, own, rest) in through.items() if "#" not in own}
    status = _status_beside(record, [path], len(parts), name) if sign[0] == "[" else {}
    for i, (at, part) in enumerate(parts):
        own_status = {key: values[i] for key, values in status.items()}
        for row in _rows(part, deeper, name, key):
            yield {**outer, **own_status, **{role: at for role, (_, own, _) in through.items() if "#" in own}, **row}


def _parts(record: Any, path: str, sign: str, name: str) -> list[tuple[Any, Any]]:
    """Return the parts at a path, each with its position from 1 or its key: of a list, an object, or a text with commas."""
    found = value_at(record, path, name)
    if found is None:
        return []
    if sign[0] == "{":
        if not isinstance(found, Mapping):
            raise error("records", f"have an object at {path!r}", json_shown(found), name)
        return list(found.items())
    if sign == "[,]" and isinstance(found, str):
        found = [one.strip() for one in found.split(",")] if found.strip() else []
    if not isinstance(found, list):
        raise error("records", f"have {'text' if sign == '[,]' else 'a list'} at {path!r}", json_shown(found), name)
    return list(enumerate(found, 1))


def _side_by_side(record: Any, through: Mapping[str, tuple[str, str, str]], name: str) -> list[dict[str, Any]] | None:
    """Return the rows of lists of equal length whose elements are values, such as users and their labels; None for other lists."""
    if any(rest or sign not in ("[]", "[,]") for _, sign, rest in through.values()):
        return None
    columns = {role: [part for _, part in _parts(record, path, sign, name)] for role, (path, sign, _) in through.items()}
    if len({*map(len, columns.values())}) > 1 or any(isinstance(value, (dict, list)) for one in columns.values() for value in one):
        return None
    n = len(next(iter(columns.values())))
    columns |= _status_beside(record, [path for path, _, _ in through.values()], n, name)
    return [dict(zip(columns, map(_plain_value, values))) for values in zip(*columns.values())]


def _status_beside(record: Any, paths: Sequence[str], n: int, name: str) -> dict[str, list[Any]]:
    """Return lists of the status of each of ``n`` labels, such as ``label.responses.status`` of ``label.responses``, by their last word."""
    found: dict[str, list[Any]] = {}
    for key, value in record.items() if isinstance(record, Mapping) else ():
        before, _, last = key.rpartition(".")
        own = any(before and path.startswith(before) for path in paths)
        if isinstance(value, list) and is_status(last) and (own or not before):
            if len(value) == n:
                found[last] = value
            elif own:
                raise error("records", f"have one {key!r} for each of {n:,} labels", f"a list of {len(value):,}", name)
    return found


def _plain_value(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value


def _scalar(record: Any, field: str, name: str, key: Any = None) -> Any:
    if field == KEY and key is not None:
        return key
    value = value_at(record, field, name)
    if isinstance(value, (dict, list)):
        way = "write " + ("[] after a list" if isinstance(value, list) else "{} after an object, {#} for its keys")
        raise error("records", f"have text or a number at {field!r}", json_shown(value), name, way=way)
    return _plain_value(value)


def value_at(record: Any, path: str, name: str) -> Any:
    """Return the value at a path of keys and positions; None if there is none."""
    found, left = record, [*filter(None, path.split("."))]
    while left:
        key, left = left[0], left[1:]
        if isinstance(found, Mapping):
            more = next((n for n in range(len(left), 0, -1) if ".".join([key, *left[:n]]) in found), 0)  # a key may have points
            found, left = found.get(".".join([key, *left[:more]])), left[more:]
        elif isinstance(found, list) and key.isdecimal():
            found = found[int(key)] if int(key) < len(found) else None
        elif found is None:
            return None
        else:
            raise error("records", f"be objects along {path!r}", json_shown(found), name)
    return found
