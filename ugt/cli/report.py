"""``ugt report``: write the page of an evaluation from its JSON."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any, NoReturn

from .._base.checks import Twice, error, once
from .._base.wording import Text
from .._tabular.source import check_regular
from .._tabular.whole_file import write_text
from ..report import html
from ..report.wording import check
from ..tables import SCHEMA
from .command import add_wording, group, new_command, output_file, say, wording_of

REPORT = """
Writes the report of an evaluation from the JSON that ugt evaluate wrote, such as after an update of ugt, or if only the JSON was kept.
No number is computed again.

ugt report report/evaluation.json
ugt report report/evaluation.json --out pages/second.html
"""


def add(commands: Any) -> None:
    usage = "evaluation.json [--out FILE.html] [options]"
    parser = new_command(commands, "report", _report, "write the HTML page of an evaluation from its JSON", usage, REPORT)
    option = group(parser, "files")
    option("evaluation", "FILE.json", "evaluation.json of ugt evaluate")
    option("--out", "FILE.html", "HTML page to write; default: %(default)s", default="report.html")
    add_wording(parser)


def _report(options: argparse.Namespace) -> dict[str, Any]:
    with output_file(options.out) as draft:
        found = _evaluation(options.evaluation)
        given = check(wording_of(options))
        try:
            found["provenance"]["report"] = {**(found["provenance"].get("report") or {}), **given}
            page = html(found)
        except (KeyError, IndexError, TypeError, ValueError, AttributeError, ArithmeticError) as problem:
            got = f"one that is not complete or holds something else ({type(problem).__name__}: {problem})"
            raise error(Text(options.evaluation), "be an evaluation as ugt evaluate writes it", got) from None
        write_text(draft, page)
    say(f"Report: {options.out}")
    return {"evaluation": {"ugt": found["ugt"], "schema": found["schema"]}, "files": [options.out]}


def _evaluation(path: str) -> dict[str, Any]:
    check_regular(path)
    try:
        found = json.loads(Path(path).read_bytes().decode("utf-8-sig"), parse_constant=_no_constant, object_pairs_hook=once(path))
    except Twice:
        raise
    except (ValueError, RecursionError) as problem:
        raise error(Text(path), "be JSON", str(problem) or type(problem).__name__) from None
    if not isinstance(found, dict) or not {"ugt", "schema", "provenance", "metrics"} <= set(found):
        raise error(Text(path), "be an evaluation as ugt evaluate writes it", "other JSON")
    schema, made = found["schema"], found["provenance"]
    if schema != SCHEMA:
        way = _way_on(schema, made.get("command") if isinstance(made, dict) else None)
        raise error(Text(path), f"have the schema {SCHEMA} of this version of ugt ({way})", repr(schema)[:80])
    return found


def _way_on(schema: object, command: object) -> str:
    """Return what to do with an evaluation of another schema: no such file is read in part."""
    if isinstance(schema, int) and schema > SCHEMA:
        return "a newer one wrote the file: update ugt"
    if isinstance(command, str) and command.startswith("ugt ") and command.isprintable():
        return f"an older one wrote the file: make it again by {command}"
    return "an older one wrote the file: evaluate the data again"


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
