"""Files in any other form: a mapping names the columns of a table or the fields of JSON records of cases, annotators and labels."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from .._base.checks import Twice, error, once, room
from .._base.wording import changed
from .._tabular.frames import Columns
from .._tabular.role_words import ALIASES
from .._tabular.roles import plain
from .._tabular.source import Source, check_text, naming, too_long
from .annotation_file import ROLES, Reading
from .withdrawn import is_status

KEYS = ("path", *Reading._fields, "records", "fields")


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
    kinds: dict[str, Any] = dict.fromkeys(("path", "format", "records", "duplicates", "decimal", "encoding", "withdrawn"), str)
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


def records_table(content: Any, records: str, fields: Mapping[str, str]) -> Columns:
    """Return the fields of JSON records as columns named by their roles.

    ``content`` is JSON content, or pairs of the name of a line and its content.
    """
    if not fields:
        raise error("mapping", "have fields for a JSON file, such as {'case': 'meta.id'}", "none")
    rows: list[dict[str, Any]] = []
    names: list[str] = []
    for name, record in _records(content, records):
        found = list(_expanded(record, fields, name))
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
    header = list(dict.fromkeys(key for row in rows for key in row))
    roles = {role for role, names in ALIASES.items() if any(plain(name) in names for name in header)}
    if not {"case", "annotator"} <= roles or "_task_hash" in header:  # a task of Prodigy
        return None
    return Columns(header, [[_plain_value(row.get(key)) for row in rows] for key in header], [f"record {i}" for i in range(len(rows))])


def _records(content: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(content, Iterator):
        if path:
            raise error("mapping: records", "be left out for JSONL, where each line is a record", repr(path))
        yield from content
        return
    found = content
    for key in path.split(".") if path else ():
        if not isinstance(found, Mapping) or key not in found:
            raise error("mapping: records", "be the path of a list in the file", repr(path))
        found = found[key]
    if not isinstance(found, list):
        raise error("mapping: records", "be the path of a list in the file", f"{path!r}, {json_shown(found)}")
    yield from ((f"record {i}", record) for i, record in enumerate(found))


def _expanded(record: Any, fields: Mapping[str, str], name: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a record: one, or one for each element of the list (also a nested one) in which fields with ``[]`` are."""
    outer = {role: _scalar(record, field, name) for role, field in fields.items() if "[" not in field}
    if isinstance(record, Mapping):  # the status of work, by which rows are left out and counted
        outer |= {key: value for key, value in record.items() if is_status(key) and isinstance(value, (str, bool))}
    through = {role: field.partition("[") for role, field in fields.items() if "[" in field}
    lists = list(dict.fromkeys(parts[0] for parts in through.values()))
    if len(lists) > 1 and (side := _side_by_side(record, through, name)):
        yield from ({**outer, **row} for row in side)
        return
    if len(lists) > 1:
        raise error("mapping: fields", "go through one list", " and ".join(map(repr, lists)))
    elements = value_at(record, lists[0], name) if lists else []
    if elements is None:
        elements = []
    if not isinstance(elements, list):
        raise error("records", f"have a list at {lists[0]!r}", json_shown(elements), name)
    if not elements:  # a case without annotations is kept
        yield outer
    inner = {role: rest[2:].lstrip(".") if rest.startswith("#") else rest[1:].lstrip(".") for role, (_, _, rest) in through.items()}
    counted = {role for role, (_, _, rest) in through.items() if rest.startswith("#")}
    for position, element in enumerate(elements, 1):
        deeper = {role: rest for role, rest in inner.items() if role not in counted}
        for row in _expanded(element, deeper, name):
            yield {**outer, **dict.fromkeys(counted, position), **row}


def _side_by_side(record: Any, through: Mapping[str, tuple[str, str, str]], name: str) -> list[dict[str, Any]]:
    """Return the rows of lists of equal length whose elements are values, such as users and their labels; none for other lists."""
    columns = {role: value_at(record, path, name) for role, (path, _, rest) in through.items() if rest == "]"}
    sizes = {len(one) if isinstance(one, list) else -1 for one in columns.values()}
    if len(columns) < len(through) or len(sizes) > 1 or min(sizes) < 0:
        return []
    if any(isinstance(value, (dict, list)) for one in columns.values() for value in one):
        return []
    return [dict(zip(columns, map(_plain_value, values))) for values in zip(*columns.values())]


def _plain_value(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value


def _scalar(record: Any, field: str, name: str) -> Any:
    value = value_at(record, field, name)
    if isinstance(value, (dict, list)):
        raise error("records", f"have text or a number at {field!r} (write [] after a list)", json_shown(value), name)
    return _plain_value(value)


def value_at(record: Any, path: str, name: str) -> Any:
    """Return the value at a path of keys and positions; None if there is none."""
    found = record
    for key in filter(None, path.split(".")):
        if isinstance(found, Mapping):
            found = found.get(key)
        elif isinstance(found, list) and key.isdecimal():
            found = found[int(key)] if int(key) < len(found) else None
        elif found is None:
            return None
        else:
            raise error("records", f"be objects along {path!r}", json_shown(found), name)
    return found
