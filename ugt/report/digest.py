"""The numbers of the first page, read from the tables of an evaluation: values, leads, baselines and ceilings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Union

from .._base.claims import NOBODY
from .._base.counts import counted, whole
from .._base.lazy import cached_property
from ..tables.answer import ConstantRow, ReferenceRow
from ..tables.comparison import DifferenceRow
from ..tables.errors import LeastErrorRow, NextErrorRow
from ..tables.names import PERFECT, UNWEIGHTED, VOTED, higher_is_better
from ..tables.panel import SIGNIFICANT, PanelRow
from ..tables.performance import CertaintyRow
from ..tables.rows import defined, reliability_key
from ..tables.source import ReportSource
from ..tables.standings import MetricRow
from ..tables.strata import FEW_CASES, FEW_CLUSTERS
from ..tables.true_accuracy import NextAnnotatorRow
from ..tables.verdict import VerdictRow
from .digits import Digits, Ends
from .headline import ACCURACY, Headline, headline_of
from .lead import Lead, Standing
from .markup import LONGEST, Value, distinct, first_row, level_of, short, text, unique, visible
from .svg import N_COLOURS

SETTLED = 0.99
CERTAINTIES = (SETTLED, 0.9, 0.8, 0.5)


Limit = Union[CertaintyRow, LeastErrorRow]  # of a value: the most, or the least, that any model can have


class BesidePeople(NamedTuple):
    """The value of a model against one annotator, and that of annotators against each other."""

    value: float | None
    annotators: float | None


def briefly(names: Sequence[str]) -> list[str]:
    """Return names for narrow cells, as markup."""
    return [text(one) for one in distinct(names, 16)]


def shown(name: object, most: int = LONGEST, elements: str = "bdi") -> str:
    """Return a short name as markup, isolated from its neighbours, with the whole name as its title."""
    return Value(visible(" ".join(str(name).split())), visible(short(str(name), most)), elements).markup


@dataclass(frozen=True)
class Digest:
    """The numbers of an evaluation that the first page needs, in its headline measure."""

    source: ReportSource
    measure: Headline | None = None  # default: that of the first page

    @cached_property
    def headline(self) -> Headline:
        return headline_of(self.source) if self.measure is None else self.measure

    @cached_property
    def of_choices(self) -> Digest:
        """The same in UA top-1 accuracy, for sections on first choices."""
        return self if self.headline is ACCURACY else Digest(self.source, ACCURACY)

    @cached_property
    def n_cases(self) -> int:
        return int(self.source.data.n_cases)

    @cached_property
    def n_clusters(self) -> int | None:
        found = self.source.data.n_clusters
        return None if found is None else int(found)

    @property
    def withheld(self) -> bool:
        """Whether there are too few cases or clusters for any interval."""
        return self.judged < FEW_CASES or (self.n_clusters is not None and self.n_clusters < FEW_CLUSTERS)

    @property
    def intervals(self) -> str:
        """Words for the intervals of a table, or that there are none."""
        return f"no intervals: {words_for_few(self)}" if self.withheld else f"{level_of(self.source)} intervals"

    @cached_property
    def reliabilities(self) -> list[float | None]:
        """The reliabilities of the truths, in ascending order; [None] if the truth has none."""
        found = unique(e.reliability for e in self.source.rows(CertaintyRow) if (e.measure, e.k) == ("certainty", 1))
        return found or unique(e.reliability for e in self.least_errors) or [None]

    @cached_property
    def unrefuted(self) -> list[float | None]:
        """The reliabilities over which page one has ranges: the main one, and those that held-out annotators do not refute."""
        rows = (e for e in self.source.rows(PanelRow) if e.annotator is None and e.p_value is not None)
        refuted = {e.reliability for e in rows if defined(e.p_value) < SIGNIFICANT}
        return [r for r in self.reliabilities if r == self.main or r not in refuted]

    @property
    def n_refuted(self) -> int:
        """The number of reliabilities that held-out annotators refute; the main one is not among them."""
        return len(self.reliabilities) - len(self.unrefuted)

    @cached_property
    def main(self) -> float | None:
        """The middle reliability; all numbers of the first page are under this truth."""
        return self.reliabilities[len(self.reliabilities) // 2]

    @property
    def at_main(self) -> str:
        """Words for the main truth, after a noun."""
        return "" if self.main is None else f", reliability {self.main:g}"

    @cached_property
    def top(self) -> dict[tuple[str, str, float | None], MetricRow]:
        """The rows of the headline measure by metric, model and reliability."""
        wanted, k = (self.headline.voted, self.headline.metric), self.headline.k
        rows = (e for e in self.source.rows(MetricRow) if e.k == k and e.metric in wanted and e.value is not None)
        return {(e.metric, e.model, e.reliability): e for e in rows}

    def row(self, model: str, reliability: float | None = None) -> MetricRow | None:
        """Return the row of a model under a truth."""
        return self.top.get((self.headline.metric, model, reliability))

    def of_main(self, model: str, metric: str, k: object = ...) -> MetricRow | None:
        """Return the row of a model in any measure under the main truth."""
        return first_row(self.found(metric=metric, k=k, model=model, reliability=self.main))

    def voted(self, model: str) -> MetricRow | None:
        """Return the row of a model against the voted label."""
        return self.top.get((self.headline.voted, model, None))

    @cached_property
    def models(self) -> list[str]:
        """The models with a value under the main truth, the best first; by the voted label if no truth model describes the annotators."""
        found = [m for m in self.source.models if self.row(m, self.main)]
        values = {m: defined(row.value) if self.source.unfit and (row := self.voted(m)) else self.value(m) for m in found}
        return sorted(found, key=values.__getitem__, reverse=self.headline.higher_is_better)

    def style(self, model: str) -> int:
        """Return the number of a model's mark: its place among all models, or among the best if there are more models than colours."""
        return (self.models if len(self.source.models) > N_COLOURS else self.source.models).index(model)

    def value(self, model: str) -> float:
        """Return the value of a model under the main truth."""
        row = self.row(model, self.main)
        assert row is not None
        return defined(row.value)

    @cached_property
    def digits(self) -> Digits:
        """The digits of all values under the main truth."""
        if self.withheld:
            return self.headline.whole
        rows = [self.row(m, self.main) for m in self.models] if self.models else self.limits
        return self.headline.digits((e.case_low, e.case_high) for e in rows if e)

    def share_digits(self, intervals: Iterable[Ends]) -> Digits:
        """Return the digits of shares with these intervals."""
        return Digits(0) if self.withheld else Digits.of(intervals)

    def amount_digits(self, intervals: Iterable[Ends]) -> Digits:
        """Return the digits of numbers in units of the scale with these intervals."""
        return self.headline.whole if self.withheld else Digits.amount(intervals)

    def amount(self, value: float) -> str:
        """Return a value of the headline measure with its unit."""
        return self.headline.amount(self.digits, value)

    def case_ends(self, row: MetricRow) -> Ends:
        """Return the interval over cases of a row of metrics; (None, None) if there are too few cases."""
        return self.ends(row.case_low, row.case_high)

    def ends(self, low: float | None, high: float | None) -> Ends:
        """Return an interval over cases; (None, None) if there are too few cases."""
        return (None, None) if self.withheld else (low, high)

    @cached_property
    def measures(self) -> list[tuple[str, int | None]]:
        """The measures against the uncertain truth, with their orders."""
        found = unique((e.metric, e.k) for e in self.source.rows(MetricRow))
        return [(metric, k) for metric, k in found if not metric.startswith(("voted_", "hard_"))]

    # ---- leads

    @cached_property
    def _pairs(self) -> dict[tuple[str, int | None, float | None, str, str], Lead]:
        found: dict[Any, Lead] = {}
        for e in self.source.rows(DifferenceRow):
            if e.difference is not None:
                metric, k, at = e.metric, e.k, e.reliability
                lead = Lead(e.difference, e.joint_low, e.joint_high)
                lead = lead if higher_is_better(metric) else lead.turned
                found[metric, k, at, e.model, e.other] = lead
                found[metric, k, at, e.other, e.model] = lead.turned
        return found

    def _asked(self, metric: str | None, reliability: Any, k: Any) -> tuple[str, float | None, int | None]:
        """Return a measure, a reliability and an order; default: the headline measure under the main truth."""
        wanted = self.headline.metric if metric is None else metric
        voted = wanted in (VOTED, self.headline.voted)
        return wanted, None if voted else self.main if reliability is ... else reliability, self.headline.k if k is ... else k

    def lead(self, model: str, other: str, metric: str | None = None, reliability: object = ..., k: object = ...) -> Lead | None:
        """Of a model over another in a measure under a truth."""
        metric, at, k = self._asked(metric, reliability, k)
        return self._pairs.get((metric, k, at, model, other))

    def signs(self, model: str, other: str) -> dict[Any, int]:
        """Return which model is ahead under each truth, the voted label last."""
        leads: dict[Any, Lead | None] = {r: self.lead(model, other, reliability=r) for r in self.unrefuted}
        leads["voted"] = self.lead(model, other, self.headline.voted)
        return {name: lead.sign for name, lead in leads.items() if lead is not None}

    def standing(self, metric: str | None = None, reliability: object = ..., k: object = ...) -> Standing | None:
        """What the data support under a truth: whether one model is ahead, and from which models it cannot be distinguished."""
        metric, at, k = self._asked(metric, reliability, k)
        rows = [e for e in self.found(metric=metric, k=k, reliability=at) if e.value is not None]
        ordered = sorted(rows, key=lambda e: defined(e.value), reverse=higher_is_better(metric))
        if not ordered:
            return None
        best, *others = [e.model for e in ordered]
        leads = {m: self.lead(best, m, metric, at, k) for m in others}
        alike = tuple(m for m, lead in leads.items() if lead is None or lead.sign == 0)
        return Standing(best, alike, next(iter(leads.items()), None))

    @cached_property
    def verdict(self) -> VerdictRow | None:
        """Whether the model with the best value is ahead of all others, and for whom, in the headline measure under the main truth."""
        wanted = self.headline.metric, self.headline.k, self.main
        return first_row(e for e in self.source.rows(VerdictRow) if e[:3] == wanted)

    @cached_property
    def leaders(self) -> list[str]:
        """The model with the best value, alone if it is ahead; or with all that cannot be distinguished from it."""
        if self.verdict is not None and self.verdict.claim != NOBODY:
            return self.models[:1]
        found = self.standing()
        return [] if found is None else [found.best, *found.alike]

    # ---- baselines and ceilings

    @cached_property
    def constants(self) -> dict[tuple[str, str, float | None], ConstantRow]:
        """The rows of the constant answer, by metric, model and reliability."""
        rows = self.source.rows(ConstantRow)
        if self.source.data.kind == "ratings":  # the median has the digits of the errors
            rows = [e._replace(answer=self.digits.value(float(e.answer))) for e in rows]
        return {(e.metric, e.model, e.reliability): e for e in rows}

    def constant(self, metric: str | None = None, reliability: object = ...) -> ConstantRow | None:
        """Return the row of the constant answer under a truth: the commonest class, or the median."""
        metric, at, _ = self._asked(metric, reliability, None)
        return self.constants.get((metric, self.models[0], at)) if self.models else None

    def over_constant(self, model: str) -> Lead | None:
        """Return the lead of a model over the constant answer."""
        e = self.constants.get((self.headline.metric, model, self.main))
        return None if e is None or e.lead is None else Lead(e.lead, e.lead_low, e.lead_high)

    @cached_property
    def certainty_rows(self) -> list[CertaintyRow]:
        """The rows of mean certainty under each truth, which no first choice can exceed."""
        rows = [
            first_row(e for e in self.source.rows(CertaintyRow) if (e.measure, e.k, e.reliability) == ("certainty", 1, r))
            for r in self.reliabilities
        ]
        return [e for e in rows if e is not None]

    @cached_property
    def least_errors(self) -> list[LeastErrorRow]:
        """The rows of the least error that any prediction can have under each truth."""
        return [e for e in self.source.rows(LeastErrorRow) if e.value is not None]

    @cached_property
    def limits(self) -> Sequence[Limit]:
        """The rows of the value under each truth that no model can exceed; none if annotators who were held out refute the truth."""
        if self.misfit():
            return ()
        if self.headline.higher_is_better:
            return self.certainty_rows
        return self.least_errors

    @property
    def ceiling(self) -> Limit | None:
        """The row of the limit under the main truth."""
        return first_row(e for e in self.limits if e.reliability == self.main)

    @cached_property
    def next_annotators(self) -> Mapping[str, NextAnnotatorRow]:
        """The agreement of each model with one annotator."""
        return {e.model: e for e in self.source.rows(NextAnnotatorRow) if e.agreement is not None}

    @cached_property
    def next_errors(self) -> Mapping[str, NextErrorRow]:
        """The error of each model against one annotator."""
        return {e.model: e for e in self.source.rows(NextErrorRow) if e.error is not None}

    @cached_property
    def annotators(self) -> Mapping[str, BesidePeople]:
        """The value of each model against one annotator, and of annotators against each other."""
        if self.headline.higher_is_better:
            return {model: BesidePeople(e.agreement, e.annotators) for model, e in self.next_annotators.items()}
        return {model: BesidePeople(e.error, e.annotators) for model, e in self.next_errors.items()}

    @cached_property
    def held_out(self) -> PanelRow | None:
        """The row that compares held-out annotators with the truth model; None without an interval."""
        e = first_row(e for e in self.source.rows(PanelRow) if e.annotator is None and e.reliability == self.main)
        return None if e is None or e.low is None else e

    def misfit(self, p_value: float = SIGNIFICANT) -> bool:
        """Return whether the truth model does not describe held-out annotators."""
        return self.held_out is not None and self.held_out.p_value is not None and self.held_out.p_value < p_value

    def certainties(self, reliability: float | None) -> list[tuple[float, int]]:
        """Return the certainties of the cases that have one, and the number of cases with each."""
        cases = self.source.cases
        return [(one, n) for one, n in zip(cases.certainty.get(reliability_key(reliability), ()), cases.often) if one is not None]

    def settled(self, reliability: float | None) -> tuple[int, int]:
        """Return the number of cases with a certainty of at least 99%, and the number of all cases with a certainty."""
        found = self.certainties(reliability)
        return sum(n for one, n in found if one >= SETTLED), sum(n for _, n in found)

    def shares(self, reliability: float | None) -> list[float]:
        """Return the shares of the cases by certainty, the highest class of certainty first."""
        found = self.certainties(reliability)
        above = [sum(n for one, n in found if one >= end) for end in (*CERTAINTIES, 0.0)]
        return [(high - low) / max(above[-1], 1) for low, high in zip([0, *above], above)]

    def reference(self, name: str, metric: str, k: object = ...) -> ReferenceRow | None:
        """Return the value of a simple or a perfect model under the main truth; no limit of a refuted one."""
        if name == PERFECT and metric.startswith("soft_") and self.misfit():
            return None
        wanted = name, self.main, metric
        return first_row(e for e in self.source.rows(ReferenceRow) if e[:3] == wanted and k in (..., e.k))

    # ---- words

    @property
    def cases(self) -> str:
        """Text such as "2,000 cases", "377 cases of 26 clusters", or "296 of 300 cases" if a model has no predictions for some."""
        left_out = self.judged != self.n_cases
        of_clusters = "" if self.n_clusters is None else f"{',' if left_out else ' of'} {counted(self.n_clusters, 'cluster')}"
        of_all = f"{whole(self.judged)} of " if left_out else ""
        return f"{of_all}{counted(self.n_cases, 'case')}{of_clusters}"

    @property
    def judged(self) -> int:
        """The number of cases that count for the first model."""
        row = self.row(self.models[0], self.main) if self.models else None
        return self.n_cases if row is None else int(row.n_cases)

    def found(self, *, metric: str, k: object = ..., model: str | None = None, reliability: object = ...) -> Sequence[MetricRow]:
        """Return rows of the table of metrics; what is not given may be anything."""
        return [
            row
            for row in self.source.rows(MetricRow)
            if row.metric == metric
            and (k is ... or row.k == k)
            and (model is None or row.model == model)
            and (reliability is ... or row.reliability == reliability)
        ]


def words_for_few(digest: Digest) -> str:
    """Return the words that replace an interval."""
    return "too few cases" if digest.n_clusters is None or digest.judged < FEW_CASES else "too few clusters"


def names(given: Sequence[str], joint: str = "and") -> str:
    """Return text such as "A, B and C" in bold."""
    bold = [shown(one, elements="b bdi") for one in given]
    return bold[0] if len(bold) == 1 else f"{', '.join(bold[:-1])}{joint if joint == ',' else f' {joint}'} {bold[-1]}"


def reliability_words(given: Sequence[Any], voted: str = "voted label") -> str:
    """Return text such as "at reliabilities 10 and 20 and against the voted label"; None is a truth without a reliability."""
    numbers = [f"{one:g}" for one in given if isinstance(one, (int, float))]
    parts = [f"at {'reliability' if len(numbers) == 1 else 'reliabilities'} {joined(numbers)}"] if numbers else []
    against = [*([UNWEIGHTED] if None in given else []), *([f"the {voted}"] if "voted" in given else [])]
    return joined([*parts, *([f"against {joined(against)}"] if against else [])])


def joined(given: Sequence[str]) -> str:
    """Return text such as "a, b and c"."""
    return " and ".join(filter(None, [", ".join(given[:-1]), *given[-1:]]))
