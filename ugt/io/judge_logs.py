"""Logs of judges: the verdicts that models, rules and scorers gave to the answers of systems under test."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._base.arrays import Array, Int64, NDArray
from .._base.checks import error, option
from .._base.names import listed
from .._base.records import Record
from .._base.wording import arg
from .._tabular.roles import MOST_SHOWN, as_names
from .._tabular.source import Source, naming
from ..annotations import Labels, Ratings
from .judge_programs import NO_NUMBER, Row, rows_of

REPEATS = ("error", "mean", "first")
NO_VERDICT = "no verdict (the judge failed or was not asked)"


@dataclass(frozen=True, eq=False, repr=False)
class JudgeLog(Record):
    r"""The verdicts of judges on the answers of systems, one per row; made by :func:`ugt.io.read_judge_log`.

    Attributes
    ----------
    case, system, judge : (n,) arrays
        The case, the system under test and the judge, of each verdict. A judge is a scorer, a metric, an assertion or a person.
    verdict : (n,) array of str
        The verdicts as they stand in the log; empty text where there is a number only.
    score : (n,) float64
        The numbers of the log; NaN where there is text only.
    repeat : (n,) int64
        Number of the repetition (epoch) of the case.
    form : str
        What the log was read as.
    left_out : mapping of str to int
        What is not among the rows, by reason.

    Examples
    --------
    >>> import tempfile, ugt.io
    >>> with tempfile.NamedTemporaryFile("w", suffix=".jsonl", delete=False) as file:
    ...     _ = file.write('{"case": "a", "judge": "j", "verdict": "good"}\n{"case": "b", "judge": "j", "verdict": "bad"}\n')
    >>> log = ugt.io.read_judge_log({"model 1": file.name})
    >>> log.judges, log.systems, log.numbers(values={"good": 1, "bad": 0})
    (['j'], ['model 1'], {'a': 1.0, 'b': 0.0})
    """

    case: NDArray[Any]
    system: NDArray[Any]
    judge: NDArray[Any]
    verdict: NDArray[Any]
    score: Array
    repeat: Int64
    form: str
    left_out: Mapping[str, int]

    @property
    def judges(self) -> list[str]:
        """Names of the judges, in the order of the log."""
        return list(dict.fromkeys(self.judge.tolist()))

    @property
    def systems(self) -> list[str]:
        """Names of the systems under test, in the order of the log."""
        return list(dict.fromkeys(self.system.tolist()))

    def numbers(
        self, judge: str | None = None, system: str | None = None, *, values: Mapping[str, float] | None = None, repeats: str = "error"
    ) -> dict[Any, float]:
        """Return the number of each case, of one judge on one system: the score of the log, or the value of its verdict.

        Parameters
        ----------
        judge, system : str, optional
            Needed if there are several.
        values : mapping of str to float, optional
            Number of each verdict, such as ``{"C": 1, "P": 0.5, "I": 0}``. Without it, scores are taken.
        repeats : {"error", "mean", "first"}
            What to do with a case that was judged several times: refuse it, or take the mean, or the first one.
        """
        rows = self._of("judge", judge) & self._of("system", system)
        option("repeats", repeats, REPEATS)
        found: dict[Any, list[float]] = {}
        for i in np.flatnonzero(rows).tolist():
            found.setdefault(_plain(self.case[i]), []).append(self._number(i, values))
            if repeats == "error" and len(found[_plain(self.case[i])]) > 1:
                must = "be 'mean' or 'first' if a judge gave several verdicts on a case"
                raise error("repeats", must, repr(repeats), f"case {self.case[i]}")
        return {case: float(np.mean(many)) if repeats == "mean" else many[0] for case, many in found.items()}

    def labels(self, system: str | None = None) -> Labels:
        """Return the verdicts on one system as labels, with the judges as annotators; rows without text are left out."""
        rows = self._of("system", system) & (self.verdict != "")
        if not rows.any():
            raise error("log", "have verdicts in words to be labels (see numbers for scores)", "scores only")
        return Labels.from_long(self.case[rows], self.judge[rows], self.verdict[rows])

    def ratings(self, system: str | None = None, *, values: Mapping[str, float] | None = None) -> Ratings:
        """Return the numbers of all judges on one system, with the judges as annotators: such as a table of people's labels."""
        rows = np.flatnonzero(self._of("system", system))
        return Ratings.from_long(self.case[rows], self.judge[rows], [self._number(i, values) for i in rows.tolist()])

    def _number(self, i: int, values: Mapping[str, float] | None) -> float:
        place = f"case {self.case[i]}"
        if values is None:
            if np.isnan(self.score[i]):
                words = listed(map(repr, sorted({*self.verdict.tolist()} - {""})), MOST_SHOWN)
                raise error("values", "be given, the number of each verdict (such as 1 for pass, 0 for fail)", f"none for {words}", place)
            return float(self.score[i])
        verdict = str(self.verdict[i])
        if verdict not in values:
            raise error("values", "give the number of each verdict", f"none for {verdict!r}", place)
        return float(values[verdict])

    def _of(self, what: str, name: str | None) -> NDArray[np.bool_]:
        names = getattr(self, f"{what}s")
        if name is None and len(names) > 1:
            raise error(what, f"be named, as the log has several {what}s", listed(map(repr, names), MOST_SHOWN))
        return np.asarray(getattr(self, what) == (names[0] if name is None else option(what, name, names)))


def _plain(case: Any) -> Any:
    return case.item() if isinstance(case, np.generic) else case


def read_judge_log(paths: Any, *, case: str | None = None, fields: Mapping[str, str] | None = None, encoding: str = "utf-8") -> JudgeLog:
    """Read the verdicts of judges from logs of evaluation programs, or from plain tables.

    ====================== ==================================== =========================== =====================================
    written by             file                                 judge                       case (without ``case``)
    ====================== ==================================== =========================== =====================================
    Inspect                ``.json`` or ``.eval``               scorer (and key)            ``id`` of the sample
    promptfoo              ``.json`` or ``.jsonl``              metric or type of assertion ``testIdx``
    DeepEval               ``test_run_*.json``                  metric                      ``name`` of the test case
    lm-evaluation-harness  ``samples_*.jsonl``                  metric (and filter)         ``doc_id``
    anything else          JSONL, CSV and other tables          its column or field         its column or field
    ====================== ==================================== =========================== =====================================

    Before Python 3.14, ``.eval`` files of present versions of Inspect need the package zstandard, which comes with Inspect.

    Parameters
    ----------
    paths : path, sequence of paths, or mapping of the name of a system to its path
        The logs. DeepEval does not write the name of the system: it is the name of the file, unless given; of
        lm-evaluation-harness it is the name of the folder.
    case : str, optional
        Path of the case id in a sample, such as ``"metadata.item"`` or ``"vars.id"``, to join the log with labels.
    fields : mapping, optional
        Of plain tables: the column or the path of the field of ``"case"``, ``"system"``, ``"judge"``, ``"verdict"``, ``"score"`` and
        ``"repeat"``. Default: usual names, such as id, model, scorer, label.
    encoding : str
        Encoding of text files.

    Returns
    -------
    JudgeLog
        The verdicts, as they stand in the logs.

    Raises
    ------
    ValueError
        If a file is none of these, holds no verdict, or judges a case of a system twice in one repetition.

    Examples
    --------
    See :class:`JudgeLog`.
    """
    several = paths if isinstance(paths, (list, tuple)) else [paths]
    given: list[tuple[Any, Any]] = [*paths.items()] if isinstance(paths, Mapping) else [(None, one) for one in several]
    rows: list[Row] = []
    forms: dict[str, None] = {}
    for system, path in given:
        with naming(path):
            form, own = rows_of(Source(path, encoding), case, fields or {})
            before = len(rows)
            rows += own if system is None else [row._replace(system=str(system)) for row in own]
            if len(rows) == before:
                raise error("file", "hold verdicts", "none")
            forms[form] = None
    return _log(rows, " and ".join(forms))


def _log(rows: list[Row], form: str) -> JudgeLog:
    kept, left_out, seen = [], dict[str, int](), dict[tuple[Any, ...], str]()
    for row in rows:
        if row.verdict is None and math.isnan(row.score):
            reason = NO_VERDICT if not row.place.endswith(NO_NUMBER) else NO_NUMBER
            left_out[reason] = left_out.get(reason, 0) + 1
            continue
        key = (row.case, row.system, row.judge, row.repeat)
        if key in seen:
            way = "name the path of the case ids: " + arg("case", ...) + ", the repetitions: " + arg("fields", {"repeat": ...})
            way += ", or the systems: {name: path}"
            got, place = f"two by {row.judge!r} on case {row.case!r}", f"{seen[key]} and {row.place}"
            raise error("log", "hold one verdict of a judge on a case of a system", got, place, way=way)
        seen[key] = row.place
        kept.append(row)
    if not kept:
        raise error("log", "hold verdicts", listed(left_out, MOST_SHOWN))
    system, judge, verdict = (np.array([getattr(row, name) or "" for row in kept]) for name in ("system", "judge", "verdict"))
    score, repeat = np.array([row.score for row in kept], np.float64), np.array([row.repeat for row in kept], np.int64)
    return JudgeLog(as_names([row.case for row in kept]), system, judge, verdict, score, repeat, form, left_out)
