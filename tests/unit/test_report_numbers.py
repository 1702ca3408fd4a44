"""Every number in a sentence of the report is the record's, with the digits that its interval deserves; nobody is ahead by chance."""

import copy
import math
import re
from statistics import median

import numpy as np
import pytest
from twins import studies
from twins.page import Page

import ugt
from ugt.grades import GRADE_METRICS
from ugt.report.words import metric_name

TOP, VOTED = "topk_accuracy", "voted_accuracy"
LOWER = {"voted_absolute_error", *(name for name, one in GRADE_METRICS.items() if not one.higher_is_better)}  # lower is better
STUDIES = pytest.mark.parametrize("study", studies.STUDIES, ids=[study.__name__ for study in studies.STUDIES])
FIRST_MODEL = 0xE000  # a model's name is one character of the private use area in the texts below


class Record:
    """What sentences are about, read from the plain values of an evaluation."""

    def __init__(self, data):
        self.data, self.models, self.facts = data, data["models"], data["data"]
        self.cases = [e for e in data["cases"] for _ in range(e.get("n_cases", 1))]  # of a row of many cases, each
        self.distance = self.facts["kind"] == "ratings" or any(e["metric"] == "absolute_error" for e in data["metrics"])
        self.metric, self.voted, self.k = ("absolute_error", "voted_absolute_error", None) if self.distance else (TOP, VOTED, 1)
        certain = [e for e in data["certainty"] if e["measure"] == "certainty" and e["k"] == 1] or list(data["least_error"])
        self.reliabilities = [e["reliability"] for e in certain]
        self.main = self.reliabilities[len(certain) // 2]
        pooled = [e for e in data.get("panel_check", ()) if e["annotator"] is None and e["p_value"] is not None]
        refuted = {e["reliability"] for e in pooled if e["p_value"] < 0.05}
        self.ranged = [r for r in self.reliabilities if r == self.main or r not in refuted]
        self.certainty = {e["reliability"]: e for e in (data["least_error"] if self.distance else certain)}
        self.judged = self.top(self.models[0])["n_cases"] if self.models else self.facts["n_cases"]
        self.withheld = self.judged < 20 or (self.facts.get("n_clusters", 99) is not None and self.facts.get("n_clusters", 99) < 3)
        rows = [self.top(m) for m in self.models] or [self.certainty[self.main]]
        by_halves = amount_decimals if self.distance else self.by_halves
        self.decimals = 0 if self.withheld else by_halves([(e["case_low"], e["case_high"]) for e in rows])
        self.order = sorted(self.models, key=lambda m: self.top(m)["value"] * (1 if self.distance else -1))

    @staticmethod
    def by_halves(intervals):
        half = median((high - low) * 50 for low, high in intervals)
        return 0 if half > 5 else 1 if half >= 0.5 else 2

    def one(self, table, **wanted):
        (found,) = (e for e in self.data[table] if all(e[name] == value for name, value in wanted.items()))
        return found

    def top(self, model, reliability=...):
        at = self.main if reliability is ... else reliability
        return self.one("metrics", model=model, metric=self.metric, k=self.k, reliability=at)

    def lead(self, model, other, metric=None, reliability=..., k=...):
        """By how much a model is better, and the interval, which holds for all pairs together."""
        at, metric, k = self.main if reliability is ... else reliability, metric or self.metric, self.k if k is ... else k
        for e in self.data["differences"]:
            if (e["metric"], e["k"], e["reliability"]) == (metric, k, at) and {e["model"], e["other"]} == {model, other}:
                found = e["difference"], e["joint_low"], e["joint_high"]
                return found if (e["model"] == model) != (metric in LOWER) else (-found[0], -found[2], -found[1])
        return None

    def paired(self, model, other):
        """By how much a model is better, its intervals over cases and over annotators, too, of this pair alone, and the annotators."""
        for e in self.data["differences"]:
            if (e["metric"], e["k"], e["reliability"]) == (self.metric, self.k, self.main) and {e["model"], e["other"]} == {model, other}:
                numbers = [e[name] for name in ("low", "high", "two_way_low", "two_way_high")]
                if (e["model"] == model) != (self.metric in LOWER):
                    return e["difference"], *numbers, e["n_annotators"]
                low, high, *both = (None if x is None else -x for x in numbers)
                return -e["difference"], high, low, *reversed(both), e["n_annotators"]
        raise AssertionError((model, other))

    def constant(self, model=None):
        return self.one("constant_answer", model=model or self.order[0], metric=self.metric, reliability=self.main)

    def signs(self, model, other):
        """1, 0 or -1 under each truth."""
        wanted = [(self.metric, r) for r in self.reliabilities] + [(self.voted, None)]
        leads = [self.lead(model, other, metric, r) for metric, r in wanted]
        return [0 if low is None else (low > 0) - (high < 0) for _, low, high in filter(None, leads)]

    def certainties(self):
        key = "certainty_given" if self.main is None else f"certainty_{self.main:g}"
        return [e[key] for e in self.cases if e[key] is not None]

    # as it is written

    def percent(self, share, decimals=None):
        d = self.decimals if decimals is None else decimals
        if self.distance and decimals is None:
            return f"{share:.{d}f}"
        shown = f"{100 * share:.{d}f}"
        if share > 0 and float(shown) == 0:
            return f"<{10.0**-d:g}"
        return f">{100 - 10.0**-d:.{d}f}" if share < 1 and float(shown) == 100 else shown

    def points(self, difference, decimals=None):
        return (
            self.scaled(difference, self.decimals, 1 if self.distance else 100) if decimals is None else self.scaled(difference, decimals)
        )

    def scaled(self, difference, decimals, scale=100):
        shown = f"{scale * difference:.{decimals}f}"
        return (shown.lstrip("-") if float(shown) == 0 else shown).replace("-", "−")

    def ends(self, low, high):
        d, scale = self.decimals, 1 if self.distance else 100
        while any(end and float(f"{scale * end:.{d}f}") == 0 for end in (low, high)):
            d += 1
        return [self.scaled(low, d, scale), self.scaled(high, d, scale)]

    def share_with_ends(self, model):
        e = self.top(model)
        return [self.percent(v) for v in (e["value"], e["case_low"], e["case_high"])]

    def lead_with_ends(self, model, other):
        value, low, high = self.lead(model, other)
        assert low > 0 or high < 0 or (low <= 0 <= high)
        return [self.beside(value, low, high), *self.ends(low, high)]

    def beside(self, value, low, high):
        """A difference with the decimals of its ends."""
        decimals = len(self.ends(low, high)[0].partition(".")[2])
        return self.scaled(value, decimals, 1 if self.distance else 100)


def amount_decimals(intervals):
    """Of numbers in units of a scale."""
    return min(max(-math.floor(math.log10(median((high - low) / 2 for low, high in intervals))), 0), 4)


def beside(r, a):
    """The share within one grade, and kappa."""
    e, kappa = (r.one("metrics", model=a, metric=name, reliability=r.main) for name in ("within_accuracy", "weighted_kappa"))
    within = r.percent(e["value"], r.by_halves([(e["case_low"], e["case_high"])]))
    return [within, f"{kappa['value']:.{amount_decimals([(kappa['case_low'], kappa['case_high'])])}f}"]


def of_grades(r):
    """The order of the two leading models in each measure of grades that both have."""
    asked = {e["metric"] for e in r.data["metrics"] if e["metric"] in GRADE_METRICS}
    found = [r.lead(*r.order[:2], metric, k=None) for metric in asked]
    return [(low > 0) - (high < 0) for _, low, high in filter(None, found)]


def count(n):
    return f"{n:,}"


def ahead(r, a, b):
    """The lead, whose interval must exclude 0."""
    assert r.lead(a, b)[1] > 0
    return r.lead_with_ends(a, b)


def claimed(r):
    """For whom the first model is ahead, the ends of its lead over the next, and the effective number of annotators."""
    leads = [r.paired(r.order[0], other) for other in r.order[1:]]
    if not all(low is not None and low > 0 for _, low, *_ in leads):
        return "nobody", *leads[0]
    n = [people for *_, people in leads]
    if None in n or not all(low > 0 for *_, low, _, _ in leads) or round(min(n)) < 3:
        return "these", *leads[0]
    return "others" if round(min(n)) >= 6 else "others if normal", *leads[0]


def for_others(r, *_):
    kind, value, low, high, *both, _ = claimed(r)
    assert kind == "others"
    return [*n_others(r), count(r.facts["n_annotators"]), r.beside(value, low, high), *r.ends(*both)]


def for_these(r, *_):
    kind, value, low, high, *both, _ = claimed(r)
    assert kind in ("these", "others if normal")
    people = [count(r.facts["n_annotators"])] if (r.facts.get("n_annotators") or 1) > 1 else []
    found = [*n_others(r), *people, r.beside(value, low, high), *r.ends(low, high)]
    found += [] if both[0] is None else r.ends(*both)
    return found + people * (kind == "others if normal")


def n_others(r):
    return [str(len(r.order) - 1)] if len(r.order) > 2 else []


def missing(r):
    kind, *_, n = claimed(r)
    assert kind == "others"
    return [r.percent(1 - 0.05 ** (1 / n), 0)]


def apart(r, a, b):
    """Both values, once if they are the same, and the lead, whose interval must hold 0."""
    _, low, high = r.lead(a, b)
    assert low <= 0 <= high
    return [*dict.fromkeys(r.percent(r.top(m)["value"]) for m in (a, b)), *r.lead_with_ends(a, b)]


def over_constant(r, a):
    e = r.constant(a)
    assert e["lead_low"] > 0 or e["lead_high"] < 0
    ends = (e["lead_low"], e["lead_high"]) if e["lead"] > 0 else (-e["lead_high"], -e["lead_low"])
    return [r.beside(abs(e["lead"]), *ends), *r.ends(*ends)]


def settled(r):
    found = r.certainties()
    return [count(sum(c >= 0.99 for c in found)), count(len(found))]


def panel(r):
    e = r.one("panel_check", annotator=None, reliability=r.main)
    d = r.by_halves([(e["low"], e["high"])])
    return [r.percent(e[name], d) for name in ("observed", "low", "high", "predicted")]


def with_one(r, a):
    e = r.one("next_annotator", model=a)
    return [r.percent(e["agreement"], r.by_halves([(e["agreement_low"], e["agreement_high"])]))]


def chosen(r):
    """What held-out annotators do, and what the default and the truth that leads predict of them."""
    default, main = (next(e for e in r.data["truth_checks"] if e["role"] == role) for role in ("default", "main"))
    e = r.one("panel_check", annotator=None, reliability=r.main)
    decimals = r.by_halves([(e["low"], e["high"])])
    return [f"{100 * x:.{decimals}f}" for x in (default["observed"], default["predicted"], main["predicted"])]


def others_like_these(r, a):
    e = r.one("metrics", model=a, metric=r.metric, reliability=r.main, k=None if r.distance else 1)
    return r.ends(e["two_way_low"], e["two_way_high"])


def refuted(r):
    *some, last = [f"{x:g}" for x in r.reliabilities if x != r.main]
    return [f"{', '.join(some)} and {last}"]


def by_default(r, a):
    own = {e["metric"]: e["value"] for e in r.data["default_truth"] if e["model"] == a}
    areas = [e["value"] for e in r.data["metrics"] if (e["model"], e["metric"], e["reliability"]) == (a, "soft_auroc", r.main)]
    found = [r.percent(r.top(a)["value"]), r.percent(own[TOP])]
    return [*found, *(f"{x:.2f}" for area in areas for x in (area, own["soft_auroc"]))]


def in_proportion(r, a):
    rows = [e for e in r.data["sensitivity"] if (e["kind"], e["model"], e["metric"]) == ("reliability and prior in proportion", a, TOP)]
    return [x for e in rows for x in (r.percent(e["value"]), e["setting"])]


def p_of_panel(r):
    p_value = r.one("panel_check", annotator=None, reliability=r.main)["p_value"]
    return [f"{p_value:.2g}" if p_value >= 0.001 else "0.001"]


def by_certainty(r, a):
    rows = [e for e in r.data["strata"] if (e["stratum"], e["model"], e["metric"]) == ("certainty", a, "topk_accuracy")]
    rows = [e for e in rows if not e["few"] and e["high"] - e["low"] > 1e-9]
    ends = sorted((rows[0], rows[-1]), key=lambda e: -e["value"])
    return [x for e in ends for x in (r.percent(e["value"], 0), *re.findall(N, e["level"]))]


def largest_change(r, a):
    own = [e for e in r.data["sensitivity"] if e["model"] == a and e["metric"] == TOP and e["kind"] != "model as an annotator"]
    change = max((abs(e["change"]) for e in own if e["change"] is not None), default=0.0)
    e = r.one("metrics", model=a, metric=TOP, k=1, reliability=r.main)
    decimals = 0 if r.withheld else 1
    return [r.points(change, decimals), r.points((e["case_high"] - e["case_low"]) / 2, decimals)]


def coefficient(r):
    e = r.data["agreement"][0]
    return [f"{e[name]:.2f}" for name in ("value", "low", "high")]


def ratio(r, a):
    e = r.one("humans", kind="model", name=a)
    return [f"{e[name]:.2f}" for name in ("value", "upper", "two_way_upper") if e[name] is not None]


def confused(r, a):
    rows = [e for e in r.data["confusion"] if e["model"] == a]
    others = [e["n"] for e in rows if e["truth"] != e["predicted"] and "(other classes)" not in (e["truth"], e["predicted"])]
    return [f"{max(others):.0f}", f"{sum(e['n'] for e in rows):,.0f}"]


def of_100(r):
    """Of the positive class, of those the missed ones; of the others those called positive, the others: integers that add up to 100."""
    positive = r.data["provenance"]["positive_class"]
    cells = sorted(r.data["confusion"], key=lambda e: (e["truth"] != positive, e["predicted"] == positive))
    parts = np.array([e["n"] for e in cells]) * 100 / sum(e["n"] for e in cells)
    whole = np.floor(parts).astype(int)
    whole[np.argsort(whole - parts, kind="stable")[: 100 - whole.sum()]] += 1
    missed, found, passed, called = whole.tolist()
    return [str(n) for n in (missed + found, missed, called, called + passed)]


def area(r, a, *names):
    """With the decimals of a proportion."""
    widths = [e["soft_auroc_high"] - e["soft_auroc_low"] for e in r.data["curve_scores"]]
    decimals = min(max(1 - math.floor(math.log10(median(widths))), 2), 4)
    e = r.one("curve_scores", model=a)
    best = r.one("references", reference="the plausibilities themselves", metric="soft_auroc", reliability=r.main)["value"]
    return [f"{best if name is None else e[name]:.{decimals}f}" for name in ("soft_auroc", *names)]


def off_diagonal(r):
    bins = [e for e in r.data["reliability_bins"] if e["class"] == r.data["provenance"]["positive_class"] and not e["few"]]
    return [str(sum(not e["low"] <= e["mean_probability"] <= e["high"] for e in bins)), str(len(bins))]


def open_of_equal(r):
    """Number of equal annotations, and what they leave open."""
    e = r.one("unanimous_cases", reliability=r.main)
    return [str(e["n_annotations"]), r.percent(1 - e["certainty"], 0 if e["certainty"] < 0.95 else 1)]


def worklist(r):
    open_ = [e for e in r.cases if (c := e["certainty_given" if r.main is None else f"certainty_{r.main:g}"]) is not None and c < 0.99]
    return [count(len(open_)), count(len(r.cases)), count(sum(" = " in e["voted"] for e in open_))]


def stays_open(r):
    """The inherent share with the digits of its own interval."""
    e = r.one("uncertainty", reliability=r.main)
    value, low, high = (e[f"inherent_share{end}"] for end in ("", "_low", "_high"))
    half = 50 * (high - low)
    decimals = 0 if half > 5 else 1 if half >= 0.5 else 2
    return [f"{100 * x:.{decimals}f}" for x in (value, low, high)]


def compared(r):
    a, b, *_ = r.order
    asked = {(e["metric"], e["k"]) for e in r.data["metrics"] if not e["metric"].startswith(("voted_", "hard_"))}
    asked = {one for one in asked if one[0] not in GRADE_METRICS}
    found = {one: r.lead(a, b, one[0], k=one[1]) for one in asked}
    return {one: 0 if low is None else (low > 0) - (high < 0) for one, lead in found.items() if lead for _, low, high in [lead]}


def measured(r):
    """Measures that do not judge by votes; that of the order of all classes, which is 1, is none."""
    found = {(e["metric"], e["k"]) for e in r.data["metrics"] if not re.match("voted_|hard_", e["metric"])}
    return [one for one in found if one[1] in (None, 1) or one[1] < r.facts["n_classes"]]


def free(r, a, *others):
    """The leads of the first two models over the constant answer."""
    found = [r.constant(m) for m in (a, *others)]
    return [x for e in found for x in (signed(r.beside(e["lead"], e["lead_low"], e["lead_high"])), *r.ends(e["lead_low"], e["lead_high"]))]


def signed(shown):
    return shown if shown.startswith("−") or float(shown) == 0 else f"+{shown}"


def noted(r):
    """The warnings that the section of notes has in bold."""
    return re.search('<section id="notes".*?</section>', ugt.report.html(r.data), re.DOTALL)[0].count("<li><b>")


def n_signs(r, wanted):
    return str(sum(sign == wanted for sign in compared(r).values()))


def n_comparisons(r):
    measures = sum(lead is not None for lead in compared(r).values())
    if r.distance:
        asked = {e["metric"] for e in r.data["metrics"] if e["metric"] in GRADE_METRICS and GRADE_METRICS[e["metric"]].unit == "grades"}
        measures = sum(r.lead(*r.order[:2], metric, k=None) is not None for metric in asked)
    return [str(len(r.signs(*r.order[:2])) + (measures if measures > 1 else 0))]


# M: a model; N: a number. What the numbers have to be, from the record and the models of the sentence.
M, N = r"([\ue000-\ue0ff])", r"([−<>]?\d[\d,]*(?:\.\d+)?)"
S = r"([+−]?\d[\d,]*(?:\.\d+)?)"
U = "(?:grades?|points? of the scale)"
P = f"(?:percentage points?|{U})"
OTHER = f"(?:{M}|the {N} other models)"
OVER = f"(?: over {M})?"


def of_truth(r, model=None):
    """The first statement of the best model that is not refused."""
    order = sorted(r.models, key=lambda m: -r.one("metrics", model=m, metric=TOP, k=1, reliability=r.main)["value"])
    rows = [r.one("true_accuracy", model=model or order[0], assume=one) for one in ("any difficulty", "latent class")]
    return next(e for e in rows if e["use"] != "refused")


def outwards(e):
    return [f"{math.floor(100 * e['low'] + 1e-9)}", f"{math.ceil(100 * e['high'] - 1e-9)}"]


def limits_of_truth(r, a):
    return outwards(of_truth(r, a))


def independent(r, *_):
    order = sorted(r.models, key=lambda m: -r.one("metrics", model=m, metric=TOP, k=1, reliability=r.main)["value"])
    e = r.one("true_accuracy", model=order[0], assume="latent class")
    ends = e["independent_low"], e["independent_high"]
    decimals = r.by_halves([ends])
    return [r.percent(value, decimals) for value in (e["independent"], *ends)]


CLAIMS = [
    (f"{M} is ahead of {OTHER}, for these {N} annotators and for others like them: by {N} {P}{OVER} \\({N} to {N}\\)", for_others),
    (
        f"{M} is ahead of {OTHER}(?: for these (?:{N} )?annotators| for this annotator)?: "
        f"by {N} {P}{OVER} \\({N} to {N} with other cases\\)"
        f"(?:; not shown for others \\({N} to {N}\\))?"
        f"(?:; for others \\({N} to {N}\\) only if annotators vary like a normal law, which {N} cannot show)?",
        for_these,
    ),
    (f"With other annotators, too, the difference is {N} to {N}", lambda r: r.ends(*claimed(r)[4:6])),
    (f"{N} annotators are too few for a claim about others", lambda r: [count(r.facts["n_annotators"])]),
    (f"With other cases and these annotators the lead is {N} to {N}", lambda r: r.ends(*claimed(r)[2:4])),
    (f"make up less than {N}% of all may be missing", missing),
    (f"{M} differs from the annotators’ truth by {N} {U} on average \\({N} to {N}\\)", lambda r, a: r.share_with_ends(a)),
    (f"(?<=, ){N} {U} less than {M} \\({N} to {N}\\)", lambda r, b: ahead(r, r.order[0], b)),
    (f"(?<=, ){N} {U} (?:more|less) than always answering “” \\({N} to {N}\\)", lambda r: over_constant(r, r.order[0])),
    (
        f"{M} and {M} cannot be distinguished: they differ from the annotators’ truth by {N} and {N} {U} on average, a difference of "
        f"{N} {U} \\({N} to {N}\\)",
        apart,
    ),
    (f"{M} is {N} {U} behind {M} \\({N} to {N}\\)", lambda r, a, b: ahead(r, b, a)),
    (f"[Nn]o prediction can come closer than {N} {U}", lambda r: [r.percent(r.certainty[r.main]["value"])]),
    (f"(?i:always) answering “” differs by {N} {U}", lambda r: [r.percent(r.constant()["value"])]),
    (
        f"{M} changes by {N} {U}",
        lambda r, a: [r.points(max(v) - min(v)) for v in [[r.top(a, at)["value"] for at in r.ranged]]],
    ),
    (
        f"{M} differs by {N} {U} at reliability {N} and by {N} {U} at {N}",
        lambda r, a: [x for at in (r.ranged[0], r.ranged[-1]) for x in (r.percent(r.top(a, at)["value"]), f"{at:g}")],
    ),
    (f"{M} is within one grade in {N}% of cases, and its quadratic kappa is {N}", beside),
    (
        f"{M} is ahead in {N} of {N} measures of (?:grades|ratings)",
        lambda r, a: [str(of_grades(r).count(1 if a == r.order[0] else -1)), str(len(of_grades(r)))],
    ),
    (
        f"Of {N} measures of grades, {N} favours? {M} and {N} {M}",
        lambda r, a, b: [str(len(of_grades(r))), str(of_grades(r).count(1)), str(of_grades(r).count(-1))],
    ),
    (f"of the first of {N} models", lambda r: [str(len(r.models))]),
    (f"in any of the {N} measures of grades", lambda r: [str(len(of_grades(r)))]),
    (f"{M} agrees with the annotators’ truth in {N}% of cases \\({N} to {N}\\)", lambda r, a: r.share_with_ends(a)),
    (f"(?<=, ){N} percentage points? more than {M} \\({N} to {N}\\)", lambda r, b: ahead(r, r.order[0], b)),
    (f"(?<=, ){N} percentage points? (?:more|less) than always answering “” \\({N} to {N}\\)", lambda r: over_constant(r, r.order[0])),
    (
        f"{M} and {M} cannot be distinguished: their first choices agree with the annotators’ truth in {N}%(?: and {N}%)? of cases, a "
        f"difference of {N} percentage points? \\({N} to {N}\\)",
        apart,
    ),
    (f"{M} is {N} percentage points? behind {M} \\({N} to {N}\\)", lambda r, a, b: ahead(r, b, a)),
    (f"and {N} more are further behind", lambda r: [str(sum(r.lead(r.order[0], m)[1] > 0 for m in r.order[1:]) - 1)]),
    (
        f"[Nn]o first choice(?: of a model)? can (?:exceed|agree with the annotators’ truth in more than) {N}%",
        lambda r: [r.percent(r.certainty[r.main]["value"])],
    ),
    (f"(?i:always) answering “” reaches {N}%", lambda r: [{r.percent(r.constant()["value"]), r.percent(r.constant()["value"], 0)}]),
    (f"{N}% is free", lambda r: [r.percent(r.constant()["value"], 0)]),
    (f"(?:(?<=truth: )|(?<=%, )){M} {N}%", lambda r, a: [r.percent(r.top(a)["value"])]),
    (f"settled in {N}% of the cases", lambda r: [r.percent(sum(c >= 0.99 for c in r.certainties()) / len(r.certainties()), 0)]),
    (
        f"settled \\(at least 99% certain\\) in {N} of {N} cases(?: \\({N}%\\))?",
        lambda r: [*settled(r), r.percent(sum(c >= 0.99 for c in r.certainties()) / len(r.certainties()), 0)],
    ),
    (f"{N} of {N} reach 0.99", settled),
    (
        f"{M} changes by {N} percentage points?",
        lambda r, a: [r.points(max(v) - min(v)) for v in [[r.top(a, at)["value"] for at in r.ranged]]],
    ),
    (
        f"{M} agrees in {N}% to {N}% of cases, depending on the reliability",
        lambda r, a: [r.percent(end) for v in [[r.top(a, at)["value"] for at in r.ranged]] for end in (min(v), max(v))],
    ),
    (
        f"{M} has {N}% at reliability {N} and {N}% at {N}",
        lambda r, a: [x for at in (r.ranged[0], r.ranged[-1]) for x in (r.percent(r.top(a, at)["value"]), f"{at:g}")],
    ),
    (
        f"{N} measures (?:of {N} pairs of models )?were computed",
        lambda r: [str(len(measured(r))), str(len(r.models) * (len(r.models) - 1) // 2)],
    ),
    (f"(?:for these|by) {N} annotators?", lambda r: [count(r.facts["n_annotators"])]),
    (f"Only {N} clusters", lambda r: [count(r.facts["n_clusters"])]),
    (f"{N} cases have one annotation", lambda r: [count(sum(e["n_annotations"] == 1 for e in r.cases))]),
    (f"{N} cases were left out case without annotations: {N}", lambda r: [count(sum(r.data["left_out"].values()))] * 2),
    (f"Drawn: {N} models", lambda r: ["5"]),
    (f"{N} models on {N} cases", lambda r: [count(len(r.models)), count(r.judged)]),
    (f"{N} rows stand for {N} cases", lambda r: [count(r.facts["n_rows"]), count(r.facts["n_cases"])]),
    (f"(?:on|Annotations of) {N} cases", lambda r: [count(r.judged)]),
    (f"{N} more favours?", lambda r: [{str(int(n_signs(r, 1)) - 1), str(int(n_signs(r, -1)) - 1)}]),
    (
        f"{M} is ahead in {N} of {N} measures",
        lambda r, a: [n_signs(r, 1 if a == r.order[0] else -1), str(len(compared(r)))],
    ),
    (f"all {N} measures that were compared", lambda r: [str(len(compared(r)))]),
    (
        f"{M} is ahead under {N} of (?:the )?{N} truths",
        lambda r, a: [str(sum(r.signs(*sorted(r.order[:2], key=lambda m: m != a)))), str(len(r.signs(*r.order[:2])))],
    ),
    (f"{N} comparisons are shown", n_comparisons),
    (f"all pairs of the {N} models", lambda r: [str(len(r.models))]),
    (
        f"in {N}% of cases \\({N} to {N}\\); the truth model(?: with the (?:fitted prior|prior 0.1|prior that was given))? predicts {N}%",
        panel,
    ),
    (f"the first {N} of {N} models; humans", lambda r: ["3", str(sum(e["kind"] == "model" for e in r.data["humans"]))]),
    (f"{M} agrees with the only annotator in {N}% of cases", with_one),
    (f"larger than chance explains \\(p [=<] {N}\\)", p_of_panel),
    (f"{M} agrees in {N}% of the cases of certainty {N}[\\w ]*(?:to {N})?, in {N}% of those (?:below )?{N}(?: to {N})?", by_certainty),
    (f"moves {M} by {N} points(?:; other cases would change it by ±{N})?", largest_change),
    (f"{N} of {N} cases are less than 99% certain(?:; {N} of them ha(?:ve|s) a tied vote)?", worklist),
    (f"{M} {N} \\((?:too few (?:cases|clusters) for a|one-sided 95%) limit(?: {N})?(?:; for other annotators too {N})?\\)", ratio),
    (
        f"{N} cases had (?:{N} (?:labels|rankings|ratings)|plausibilities)",
        lambda r: [count(r.facts["n_cases"]), *([count(r.facts["n_annotations"])] if r.facts.get("n_annotations") else [])],
    ),
    (r"up to 400 (?:cases|clusters): Student's t", lambda r: []),
    (f"{N} resamples", lambda r: [count(r.data["provenance"]["n_resamples"])]),
    (f"taken for “” by {M}, concerns about {N} of {N} cases", confused),
    (f"Of {N} cases “” in 100 the model gives {N} the other class, and it calls {N} of the {N} others “”", of_100),
    (f"The scores of {M} reach an area of {N}(?:, where no score can exceed {N})?", lambda r, a: area(r, a, None)),
    (f"(?:(?<=Area: )|(?<=; )){M} {N} \\({N} to {N}\\)", lambda r, a: area(r, a, "soft_auroc_low", "soft_auroc_high")),
    (f"{N} of {N} intervals leave out the diagonal", off_diagonal),
    (
        f"At reliability {N}, {N} (?:equal labels|rankings with the same first class) leave other classes a probability of {N}%",
        lambda r: [f"{r.main:g}", *open_of_equal(r)],
    ),
    (f"Of what is open about one more judgement, {N}% \\({N} to {N}\\) would stay open", stays_open),
    (f"{N} more are in the notes", lambda r: [str(noted(r))]),
    (
        f"agree with the vote of the others in {N}% of cases. The default, .*? predicts {N}% and is refuted; .*? predicts {N}% and leads",
        chosen,
    ),
    (f"{M} has {N}% \\(by default {N}%\\)(?: and AUROC {N} \\({N}\\))?", by_default),
    (
        "refute reliabilities ([\\d., and]+?)\\.(?= |$)",
        refuted,
    ),
    (f"decide between them: {M} has {N}% at {N} and {N}% at {N}", in_proportion),
    (f"in {N}% of cases; the truth model predicts {N}%", lambda r: [panel(r)[0], panel(r)[3]]),
    (f"(?<=not the value alone: ){M} {S} \\({N} to {N}\\), {M} {S} \\({N} to {N}\\) percentage points", free),
    (
        f"The ceiling has {N}% at reliability {N} and {N}% at {N}",
        lambda r: [x for at in (r.ranged[0], r.ranged[-1]) for x in (r.percent(r.certainty[at]["value"]), f"{at:g}")],
    ),
    (
        f"{M} gives the class (?:that most (?:annotators )?like these would give|behind the labels) in {N}% to {N}% of cases",
        limits_of_truth,
    ),
    (f"the accuracy of {M} against the class that most annotators like these would give is between {N}% and {N}%", limits_of_truth),
    (
        f"the accuracy of {M} against the class behind their labels is between {N}% and {N}%",
        lambda r, a: outwards(r.one("true_accuracy", model=a, assume="latent class")),
    ),
    (
        f"a further label alike, the accuracy of {M} is between {N}% and {N}%",
        lambda r, a: outwards(r.one("true_accuracy", model=a, assume="dirichlet")),
    ),
    (
        f"(?:{M}, too, errs independently of the annotators, its accuracy is|its accuracy would be) {N}% \\({N} to {N}\\)",
        independent,
    ),
    (
        f"(?:The claim “” |The claim “”, which always answering “” reaches, )is no longer shown if they are wrong in {N}% of cases",
        lambda r: [f"{100 * of_truth(r)['tipping_error']:.3g}"],
    ),
    (f"With a reference, {N} cases drawn at random", lambda r: [count(of_truth(r)["reference_cases"])]),
    ("It holds if all cases are equally hard[^.]*[.]|Not given, .*$", lambda r: []),  # reasons, which other tests compare
    (f"Annotators with each other: (?:percent agreement|ICC\\(1\\)) {N} \\({N} to {N}\\)", coefficient),
    (f"(?:too, the intervals? (?:is|are) |(?<= and )){N} to {N}(?:%| [a-z ]+?) \\({M}\\)", others_like_these),
    (f"errors that annotators share in {N}% of cases", lambda r: [f"{50 * r.lead(*r.order[:2])[1]:.2g}"]),
    (
        f"a prior \\({N} for each class, 95% interval {N} to {N}\\)",
        lambda r: [f"{r.data['provenance']['prior_fit'][name]:.3g}" for name in ("value", "low", "high")],
    ),
    (f"a prior \\({N} for each class\\)", lambda r: [f"{r.data['provenance']['parameters']['prior']:.3g}"]),
    (f"had refuted {N} truth models?", lambda r: [str(sum(e["p_value"] < 0.05 for e in r.data["truth_checks"]))]),
    (f"the prior of {N}", lambda r: ["0.1"]),
    (f"PrIRN at reliability {N}", lambda r: ["30"]),
    (f"\\(p [=<] {N}\\)", lambda r: [{f"{e['p_value']:.2g}" if e["p_value"] >= 0.001 else "0.001" for e in r.data["truth_checks"]}]),
    (f"reliability {N}", lambda r: [f"{r.main:g}"]),
    (f"and {N} is the main analysis", lambda r: [f"{r.main:g}"]),
]
# Numbers that are no results: names of measures, levels, limits of rules, versions, references.
CONSTANT = "|".join(
    [
        r"[Tt]op-\d+|@\d+|\b\d+% (?:intervals?|certain)|\(95%\)|at least 99% certain|\[\d+(?:, \d+)*\]|ugt \d+\.\d+\.\d+\w*",
        r"adjusted p < 0.05|need not score 100%|to within 5 percentage points|reliabilities from 0.2 to 20",
        r"95% bands|between them lie 95%|a score of 30% means that 30% of labels|fewer than 10 cases",
        r"below 30 clusters|Below 1 |below 1[,;]|below 0 the annotator|in the files, at 1\b|(?:hold|include|exclude)s? 0",
    ]
)


def sentences(study):
    """Text of the verdict, the cautions, headings, paragraphs and captions of figures; models as one character, quoted names empty."""
    data, found, page = studies.data(study), [], Page(studies.page(study))
    references = [e for listed in page.all("ol") if listed["attrs"].get("class") == "refs" for e in listed["within"]]
    for e in page.all("h1", "h2", "h3", "p", "li", "figcaption"):
        if {"nav", "details", "footer"} & set(e["around"]) or e["attrs"].get("class") in ("kicker", "made", "key") or e in references:
            continue
        said = " ".join(e["text"].split())
        for i, name in enumerate(data["models"]):
            said = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", chr(FIRST_MODEL + i), said)
        found.append(re.sub("“[^”]*”", "“”", said))
    return found


def faults(record, texts):
    """Numbers that are not those of the record, or of no known sentence; and how many were looked at."""
    wrong, n_checked = [], 0
    for said in texts:
        left = re.sub(r"reliabilities [\d., ]+ were examined", "", said)
        for pattern, expected in CLAIMS:
            for match in re.finditer(pattern, left):
                names = [record.models[ord(g) - FIRST_MODEL] for g in match.groups() if g and re.match(M, g)]
                numbers = [g for g in match.groups() if g and not re.match(M, g)]
                wanted = expected(record, *names)[: len(numbers)]
                n_checked += len(numbers)
                if len(numbers) != len(wanted) or not all(a in b if isinstance(b, set) else a == b for a, b in zip(numbers, wanted)):
                    wrong.append((match.group(), wanted))
            left = re.sub(pattern, "", left)
        left = re.sub(CONSTANT, "", left)
        if re.search(r"\d", left):
            wrong.append(("not known", left))
    return wrong, n_checked


@STUDIES
def test_every_number_of_a_sentence_is_that_of_the_record(study):
    wrong, n = faults(Record(studies.data(study)), sentences(study))
    assert wrong == [] and n > 8


def test_claims_of_every_kind_are_among_the_reports():
    records = [Record(studies.data(study)) for study in studies.STUDIES]
    found = [claimed(record)[0] for record in records if len(record.order) > 1 and not record.withheld]
    assert set(found) == {"others", "others if normal", "these", "nobody"}
    for record in (one for one in records if len(one.order) > 1):
        (row,) = (e for e in record.data["verdict"] if e["metric"] == record.metric)
        kind, value, *ends, n = claimed(record)
        assert (row["claim"], row["lead"], row["n_annotators"]) == (kind, value, n)
        assert [row[name] for name in ("low", "high", "two_way_low", "two_way_high")] == ends


def test_intervals_that_page_one_withholds_are_withheld_on_the_whole_page(tmp_path):
    few = [[2, 1, 0], [0, 3, 0], [1, 1, 1], [0, 1, 2], [3, 0, 0], [0, 0, 3]]
    wide = [[k for k, n in enumerate(row) for _ in range(n)] for row in few]
    model = np.array([[0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.4, 0.5, 0.1], [0.1, 0.3, 0.6], [0.7, 0.2, 0.1], [0.3, 0.3, 0.4]])

    def shown(times):
        path = tmp_path / "page.html"
        labels = ugt.Labels.from_wide(np.tile(wide, (times, 1)))
        ugt.evaluate(labels, {"A": np.tile(model, (times, 1))}, reliability=(1, 2), n_resamples=50).to_html(path)
        page = path.read_text(encoding="utf-8")
        return [len(re.findall(one, page)) for one in ('class="below">(?!too few)', "one-sided 95% limit", "too few cases for a limit")]

    assert shown(1) == [0, 0, 1]
    below, limits, few_cases = shown(5)
    assert below > 9 and (limits, few_cases) == (1, 0)


def test_a_wrong_number_is_found():
    data = copy.deepcopy(studies.data(studies.two_models))
    for e in data["metrics"]:
        e["value"] = None if e["value"] is None else e["value"] + 0.01
    data["cases"].pop()
    wrong, _ = faults(Record(data), ["120 cases are wrong", *sentences(studies.two_models)])
    found = " ".join(said for said, _ in wrong)
    assert "agree" in found and "less than 99% certain" in found and "not known" in found


@STUDIES
def test_nobody_is_ahead_where_the_interval_holds_0(study):
    record, n = Record(studies.data(study)), 0
    for said in sentences(study):
        for a in re.findall(rf"{M} is ahead", said):
            name = record.models[ord(a) - FIRST_MODEL]
            others = [other for other in record.order if other != name]
            measures = [*compared(record).values(), *(of_grades(record) if record.distance else ())]
            assert any(sign > 0 for other in others for sign in record.signs(name, other)) or any(measures), said
        if "every" in said and "is ahead" in said:
            assert set(record.signs(*record.order[:2])) == {1}
        if "at every reliability" in said and "is ahead" in said:
            assert record.lead(*record.order[:2])[1] > 0
        if "cannot be distinguished at any" in said or "cannot be distinguished under any" in said:
            assert not any(record.signs(*record.order[:2])) and not record.withheld
    labels = {metric_name(e["metric"], e["k"]): (e["metric"], e["k"]) for e in record.data["metrics"]}
    signs = compared(record) if len(record.order) > 1 else {}
    if record.distance and len(record.order) > 1:
        leads = {m: record.lead(*record.order[:2], m, k=None) for m in GRADE_METRICS}
        signs.update({(m, None): (lead[1] > 0) - (lead[2] < 0) for m, lead in leads.items() if lead})
    for table in Page(studies.page(study)).all("table"):
        for row in (e for e in table["within"] if e["tag"] == "tr"):
            cells = [" ".join(e["text"].split()) for e in row["within"] if e["tag"] in ("td", "th")]
            if not cells or not cells[-1].endswith((" ahead", "no clear difference")) or "details" in table["around"]:
                continue
            n += 1
            ends = re.fullmatch(f"{N} to {N}", cells[-2])
            if ends:  # the interval is beside the words
                low, high = (float(x.replace("−", "-")) for x in ends.groups())
                assert cells[-1].endswith(" ahead") == (low > 0 or high < 0), cells
            else:
                (metric,) = (labels[name] for name in labels if cells[0].startswith(name))
                wanted = {1: f"{record.order[0]} ahead", -1: f"{record.order[1]} ahead", 0: "no clear difference"}
                assert cells[-1] == wanted[signs[metric]] or "…" in cells[-1], cells
    assert n or len(record.order) < 2 or record.withheld
