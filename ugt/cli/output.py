"""The lines that commands print: the results of an evaluation, and on standard error the progress of long steps."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from .._base import parallel
from .._base.notes import notes_of, of_codes
from ..evaluation.facts import by_definition
from ..grades import GRADE_METRICS
from ..plausibilities.metric import METRICS
from ..report.cautions import spoilt
from ..report.digest import Digest, words_for_few
from ..report.digits import Digits
from ..report.first import said_first
from ..report.truths import leading_name
from ..soft.ranking import WORDS
from ..tables.answer import ReferenceRow
from ..tables.names import ERROR, TOP, VOTED, VOTED_ERROR
from ..tables.performance import CertaintyRow
from ..tables.source import DataFacts, ReportSource
from ..tables.standings import FlipRow, MetricRow
from ..tables.strata import FEW_CASES
from ..tables.uncertainty import UncertaintyRow
from ..tables.worklist import CaseColumns
from .command import aligned, decimal, in_blocks, spanned
from .facts import counted
from .wording import worded

# Headings of the printed table; those of the report are longer.
HEADINGS = {
    **{name: one.heading for name, one in GRADE_METRICS.items()},
    VOTED_ERROR: "voted MAE",
    "voted_accuracy": "voted top-{k}",
    **{name: one.heading for name, one in METRICS.items()},
    "topk_accuracy": "UA top-{k}",
    "group_accuracy": "group",
    **{f"{kind}_{name}": f"{before}{heading}" for name, _, heading, _ in WORDS for kind, before in (("soft", ""), ("hard", "hard "))},
}

# codes of notes on how predictions, classes and rows were read
HOW_READ = ("no_calibration", "classes_like_grades", "positive_class", "rows_of_many", "not_for_rows", "truth_not_tried")
ACCURACIES = (VOTED, TOP)
WITH_ENDS = (*ACCURACIES, ERROR, VOTED_ERROR)  # metrics that are printed with their intervals

# Parts of an evaluation that commands print, as lines or as JSON; the files hold all parts.
PARTS = ("data", "left_out", "notes", "models", "metrics", "winners", "flips", "verdict")


def data_lines(found: Mapping[str, Any], note: str = "") -> list[str]:
    """Return lines on cases left out, on how predictions were read, on cells read as missing, and on what makes all numbers doubtful."""
    left_out, notes = (f"Left out: {reason}: {n:,}." for reason, n in found["left_out"].items()), notes_of(found)
    scores = (worded(one.text) for one in of_codes(notes, *HOW_READ))
    doubts = (f"{claim}: {one}" for claim, said in spoilt(notes) for one in said)
    return [*left_out, *filter(None, [worded(found["data"].get("joined") or ""), note]), *scores, *doubts]


def sizes_line(data: DataFacts) -> str:
    by = f" by {counted(data.n_annotators, 'annotator')}" if data.n_annotators else ""
    kind = "ranking" if data.kind == "rankings" else "label"
    numbers = ((data.n_cases, "case"), (data.n_classes, "class"), (data.n_annotations or 0, kind))
    return f"{', '.join(counted(n, what) for n, what in numbers)}{by}."


def certainty_lines(found: Sequence[CertaintyRow], n_classes: int, cut: float | None = None) -> list[str]:
    """Return a table of the mean certainty at each reliability: of the top classes, or of the sides of a cut of ratings."""
    rows = {(row.reliability, row.k): row for row in found if row.measure == "certainty"}
    every = list(dict.fromkeys(k for _, k in rows))
    orders = [k for k in every if k == 1 or k < n_classes] or every  # top-3 of 3 classes is always certain
    decimals = Digits.proportion((row.case_low, row.case_high) for row in rows.values()).decimals
    lines = [["reliability", *(f"top-{k}" if cut is None else "certainty" for k in orders), "cases below 99%"]]
    few = max((row.n_cases for row in rows.values()), default=0) < FEW_CASES
    for reliability in dict.fromkeys(reliability for reliability, _ in rows):
        at = [rows[reliability, k] for k in orders]
        values = [decimal(row.value, decimals) if few else spanned(row.value, row.case_low, row.case_high, decimals) for row in at]
        lines.append([_reliability(reliability), *values, f"{rows[reliability, 1].n_below_099:,}"])
    what = "the top classes" if cut is None else f"the side of {cut:g} on which the mean rating of a case lies"
    said = by_definition(every, n_classes) if cut is None else []
    how = "no intervals: too few cases" if few else "in brackets: 95% interval over cases"
    return [f"Mean certainty of {what} ({how}):", *aligned(lines), *map(str, said)]


class Uncertain(NamedTuple):
    """A case of the worklist; the kind and both parts of what is open about one more judgement, if they are known."""

    case: str
    n_annotations: int | None
    voted: str | float | None
    certainty: float
    kind: str | None = None
    inherent: float | None = None
    annotation: float | None = None
    n_cases: int = 1  # that are like it


def worklist(cases: CaseColumns, n: int = 10) -> list[Uncertain]:
    """Return the least certain cases."""
    parts = [one for one in (cases.kind, cases.inherent, cases.annotation) if one is not None]
    columns = zip(cases.case, cases.n_annotations, cases.voted, cases.mean_certainty, *parts)
    return [Uncertain(*row)._replace(n_cases=times) for row, times in zip(columns, cases.often) if row[3] is not None][:n]


def worklist_lines(cases: CaseColumns, n: int = 10) -> list[str]:
    heads, worst = ["case", "annotations", "voted", "certainty"], worklist(cases, n)
    lines = [[row.case, str(row.n_annotations), _voted(row.voted), decimal(row.certainty)] for row in worst]
    if cases.n_cases is not None:
        heads, lines = [heads[0], "cases", *heads[1:]], [[line[0], f"{row.n_cases:,}", *line[1:]] for line, row in zip(lines, worst)]
    if cases.kind is None:
        return ["Least certain cases:", *aligned([heads, *lines])]
    lines = [[*line, row.kind or "-", *(decimal(part) for part in row[5:7])] for line, row in zip(lines, worst)]
    how = "Open about one more judgement, in nats: with any number of such annotators (inherent), because of these annotations."
    return [how, "Least certain cases:", *aligned([[*heads, "kind", "inherent", "annotation"], *lines])]


def uncertainty_lines(rows: Sequence[UncertaintyRow]) -> list[str]:
    """Return a line on the share of what is open that would stay open; none if it is unknown, or of too few cases for an interval."""
    e = next((row for row in rows if row.inherent_share_low is not None), None)
    if e is None or e.n_cases < FEW_CASES:
        return []
    decimals = Digits.proportion([(e.inherent_share_low, e.inherent_share_high)]).decimals
    share = spanned(e.inherent_share, e.inherent_share_low, e.inherent_share_high, decimals)
    at = "" if e.reliability is None else f" at reliability {e.reliability:g}"
    said = f"Of what is open about one more judgement, {share} would stay open with any number of such annotators{at},"
    return [said, "if the truth model describes them: ugt evaluate holds annotators out to check it."]


def _voted(voted: str | float | None) -> str:
    return decimal(voted) if isinstance(voted, float) else str(voted)


def model_lines(source: ReportSource) -> list[str]:
    """Return a table of models and metrics at the middle reliability, and lines on the differences that the data show."""
    digest, n_classes = Digest(source), source.data.n_classes
    # Orders of all classes are left out: top-3 of 3 classes is always 1.
    metrics = [row for row in source.rows(MetricRow) if (row.k or 1) in (1, *range(n_classes))]
    if not digest.headline.higher_is_better:  # first the measures of grades, of the others the accuracy of the first choice
        metrics = [row for row in metrics if row.metric in (*GRADE_METRICS, VOTED_ERROR) or (row.metric in ACCURACIES and row.k == 1)]
    if digest.source.unfit:  # what is left to quote: the voted label, and one more annotator
        metrics = [row for row in metrics if row.metric == digest.headline.voted]
        table = in_blocks(_model_table(digest, metrics))
        return ["Results against the voted label:", *(line.rstrip() for line in table), *_of_choice(source), said_first(source)]
    orders = [row.k for row in source.rows(MetricRow) if row.k is not None]
    legend = [*_legend(digest), *map(str, by_definition(orders, n_classes))]
    legend += ["The report explains the other columns."] if any(row.metric not in WITH_ENDS for row in metrics) else []
    flips = [row for row in source.rows(FlipRow) if (row.k or 1) in (1, *range(n_classes))]
    leads = _lead_lines(Digest(source.with_tables({"metrics": metrics})))
    order = [] if len(source.models) < 2 else [said_first(source), *leads, *_flip_lines(flips)]
    order = [f"There are {words_for_few(digest)} to say which model is ahead."] if order and digest.withheld else order
    return [
        f"{_title(digest)}:",
        *(line.rstrip() for line in in_blocks(_model_table(digest, metrics))),
        *_of_choice(source),
        *legend,
        *order,
    ]


def _of_choice(source: ReportSource) -> list[str]:
    """Return the sentence on a default truth that was refuted, if another one leads or none fits."""
    return [note.text for note in of_codes(source.notes, "default_truth_refuted", "no_truth_fits")]


def _middle(source: ReportSource) -> float | None:
    reliabilities = source.provenance.reliability
    return reliabilities[len(reliabilities) // 2] if reliabilities else None


def _title(digest: Digest) -> str:
    shown, reliabilities = _middle(digest.source), digest.source.provenance.reliability or ()
    under = leading_name(digest)
    results = f"Results{f' under {under}' if under else ''}"
    if shown is None or under.endswith(f" at reliability {shown:g}"):
        return results
    several = f" (the report has all of {', '.join(map(_reliability, reliabilities))})" if len(reliabilities) > 1 else ""
    return f"{results} at reliability {shown:g}{several}"


def _model_table(digest: Digest, metrics: Sequence[MetricRow]) -> list[list[str]]:
    """Return the cells of the table: a row for each model and each reference, a column for each metric."""
    source, shown = digest.source, _middle(digest.source)
    table: dict[str, dict[str, MetricRow]] = {}
    for row in metrics:
        if row.reliability in (None, shown):
            table.setdefault(HEADINGS[row.metric].format(k=row.k), {})[row.model] = row
    ends = {name: [(row.case_low, row.case_high) for row in rows.values()] for name, rows in table.items()}
    digits = {name: Digits.proportion(intervals).decimals for name, intervals in ends.items()}
    lines = [["model", *table]]
    cells = {name: {model: _cell(row, digits[name], digest.withheld) for model, row in rows.items()} for name, rows in table.items()}
    lines += [[model, *(own.get(model, "") for own in cells.values())] for model in source.models]
    for reference in dict.fromkeys(row.reference for row in source.rows(ReferenceRow)):
        known = [row for row in source.rows(ReferenceRow) if (row.reference, row.reliability) == (reference, shown)]
        values = {HEADINGS[row.metric].format(k=row.k): row.value for row in known}
        lines.append([f"({reference})", *(decimal(values[name], digits[name]) if name in values else "" for name in table)])
    return lines


def _legend(digest: Digest) -> list[str]:
    """Return what the columns mean."""
    headline, level = digest.headline, f"In brackets: {100 * digest.source.provenance.level:g}% intervals over cases."
    level = f"No intervals: {words_for_few(digest)}." if digest.withheld else level
    return [
        f"{level} Voted top-k: how often the first k choices hold the",
        "voted label. UA top-k: how often they hold a truth drawn from what the annotations leave open. This is not the probability",
        "that the model is right.",
    ] if headline.higher_is_better else [
        f"{level} MAE: mean distance of the prediction from a truth drawn from",
        f"what the annotations leave open, in {headline.units}; lower is better. Voted MAE: distance from the {headline.voted_name}.",
    ]  # fmt: skip


def _cell(row: MetricRow, decimals: int, alone: bool) -> str:
    """Return a value; an accuracy with its interval over cases, unless it must stand ``alone``."""
    if alone or row.metric not in WITH_ENDS:
        return decimal(row.value, decimals)
    return spanned(row.value, row.case_low, row.case_high, decimals)


def _lead_lines(digest: Digest) -> list[str]:
    """Which leads by the headline measure the data support, under each reliability and by the voted label."""
    lines = []
    own_rows = digest.found(metric=digest.headline.metric)
    metric, found = digest.headline.metric, list(dict.fromkeys(row.reliability for row in own_rows))
    truths = [at for at in found if at in digest.unrefuted]
    for k in dict.fromkeys(row.k for row in own_rows):
        said: dict[str, list[tuple[Any, tuple[float, float] | None]]] = {}
        for at in truths:
            one = digest.standing(metric, at, k)
            if one is not None:
                words, ends = one.phrase()
                said.setdefault(words, []).append((at, ends))
        parts = []
        for words, own in said.items():
            shown, ends = next((one for one in own if one[0] == digest.main), own[len(own) // 2])
            main = f" at reliability {shown:g}" if len(own) > 1 and shown is not None and ends is not None else ""
            parts.append(_verdict(digest, words, ends, main) + (_where([at for at, _ in own]) if len(truths) > 1 else ""))
        by_vote = digest.standing(digest.headline.voted, k=k)
        if by_vote is not None:
            words, ends = by_vote.phrase()
            parts.append(f"{_verdict(digest, words, ends)} by the {digest.headline.voted_name}")
        lines.append(f"By {'MAE' if k is None else f'top-{k}'}: {'; '.join(parts)}.")
    return [*lines, *_not_counted(digest, found)]


def _not_counted(digest: Digest, found: Sequence[Any]) -> list[str]:
    """Return the line on the truths that held-out annotators refute, if there are any."""
    refuted = [at for at in found if at not in digest.unrefuted]
    return [f"Not counted, because held-out annotators refute the truth:{_where(refuted)}."] if refuted else []


def _verdict(digest: Digest, words: str, ends: tuple[float, float] | None, at: str = "") -> str:
    """Complete the words with the interval of the lead, which is that at one reliability."""
    return words if ends is None else f"{words} {_span(digest, *ends)}{at})"


def _where(at: Sequence[Any]) -> str:
    return f" at reliability {', '.join(map(_reliability, at))}"


def _span(digest: Digest, low: float, high: float) -> str:
    """Return the interval of a lead with its unit, as in the sentences before it, with as many decimals as it deserves."""
    digits = digest.headline.digits([(low, high)]).beside(low, high)
    return f"{' to '.join(digits.points(end) for end in (low, high))} {digest.headline.units}".replace("−", "-")


def _flip_lines(flips: Sequence[FlipRow]) -> list[str]:
    """Where the order of two models by top-k accuracy changes, if the data show it."""
    lines = []
    for row in flips:
        if row.metric in (TOP, ERROR) and row.is_shown:
            below, above = (row.other, row.model) if row.better_above else (row.model, row.other)
            at = f"{row.reliability:.3g} (interval: {row.low:.3g} to {row.high:.3g})"
            by = "MAE" if row.k is None else f"top-{row.k}"
            lines.append(f"By {by}, {below} is better below reliability {at}, {above} above.")
    return lines


def _reliability(value: float | None) -> str:
    return "none" if value is None else f"{value:g}"


# --- progress: a bar of tqdm on a terminal if tqdm is installed, else plain lines, and few of them ---------------------------

FORMAT = "{desc}: {percentage:3.0f} %|{bar}| {remaining}"
SECONDS = 5.0  # between lines where standard error is a file or a pipe


@contextmanager
def progress(wanted: bool) -> Iterator[None]:
    """Print the progress of long steps inside the block, if it is wanted."""
    if not wanted:
        yield
        return
    say: Any = Lines()
    if sys.stderr.isatty():
        say = parallel._line  # one line, overwritten
        with suppress(ImportError):
            from tqdm import tqdm  # noqa: PLC0415  (optional)

            say = Bars(tqdm)
    token = parallel._progress.set(say)
    try:
        yield
    finally:
        parallel._progress.reset(token)
        if isinstance(say, Bars):
            say.close()


class Lines:
    """Progress as one line every few seconds, and one at the end of a step that had a line."""

    def __init__(self) -> None:
        self.next = 0.0
        self.spoken = ""

    def __call__(self, what: str, share: float) -> None:
        now = time.monotonic()
        if now >= self.next or (share >= 1.0 and self.spoken == what):
            parallel._line(what, share)
            self.spoken, self.next = what, now + SECONDS


class Bars:
    """Progress as bars of tqdm, one per step."""

    def __init__(self, make: Any) -> None:
        self.make = make
        self.bar: Any = None
        self.what = ""

    def __call__(self, what: str, share: float) -> None:
        if self.bar is None or what != self.what:
            self.close()
            width = shutil.get_terminal_size().columns  # without a width, tqdm shows nothing on some terminals
            self.bar = self.make(total=100, desc=f"ugt: {what}", file=sys.stderr, ncols=width, bar_format=FORMAT)
            self.what = what
        self.bar.update(round(100 * share) - self.bar.n)
        if share >= 1.0:
            self.close()

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()
            self.bar = None
