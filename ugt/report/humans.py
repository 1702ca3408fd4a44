"""The section that sets models beside annotators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import figures, svg
from .design import grid_height, squares
from .markup import UNDEFINED, Section, bullets, interval, number, plain, section, share, table, text

if TYPE_CHECKING:
    from collections.abc import Mapping

    Data = Mapping[str, Any]

MOST_PAIRS = 20
OF_RANKINGS = (
    "How often an annotator's ranking has the class that the others put first, and how much of the first places two annotators of a case "
    "share (1: the same classes in the same order). Neither is corrected for chance, which matters little where there are many classes."
)


def agreement(source: Data) -> Section:
    """Agreement among annotators, by every usual coefficient."""
    how = (
        "Percent agreement is how often two annotators of a case say the same. The others set it beside what chance would give, each in "
        "its own way: where one class is much more common than others they differ, and a low value need not mean careless annotators."
    )
    entries = source.get("agreement") or []
    if not entries:
        none = "<p>None was computed: it needs labels or rankings, several to a case.</p>"
        return section("agreement", "Agreement among annotators", how, none)
    level = f"{source['provenance']['level'] * 100:g}% interval"
    if source["data"]["kind"] == "rankings":
        listed = [[text(e["coefficient"]), number(e["value"]), interval(e["low"], e["high"]), f"{e['n_cases']:,}"] for e in entries]
        shown = table("Agreement of rankings", ["measure", "value", level, "cases"], listed)
        return section("agreement", "Agreement among annotators", OF_RANKINGS, shown)
    rows = [
        [
            text(e["coefficient"]),
            number(e["value"]),
            text(e["reason"]) if e["reason"] else interval(e["low"], e["high"]),
            number(e["observed"]),
            number(e["expected"]),
            f"{e['n_cases']:,}",
        ]
        for e in entries
    ]
    columns = ["coefficient", "value", level, "observed", "by chance", "cases"]
    overall = table("Coefficients of agreement", columns, rows)
    return section("agreement", "Agreement among annotators", how, overall, *_by_class(source, level), *_by_pair(source, level))


def _by_class(source: Data, level: str) -> list[str]:
    entries = source.get("agreement_by_class") or ()
    if not entries:
        return []
    rows = [
        [text(e["class"]), *_with_kappa(e), share(e["prevalence"]), f"{e['n_cases']:,}"]
        for e in entries
    ]  # fmt: skip
    columns = ["class", "another annotator gives it too", level, "kappa against all others", level, "share of labels", "cases"]
    return [table("Agreement class by class", columns, rows)]


def _by_pair(source: Data, level: str) -> list[str]:
    entries = source.get("agreement_by_pair") or ()
    if not entries:
        return []
    names = list(dict.fromkeys(name for e in entries for name in (e["annotator"], e["other"])))
    at = {name: i for i, name in enumerate(names)}
    value = {(at[e["annotator"]], at[e["other"]]): e for e in entries if e["agreement"] is not None}
    value.update({(b, a): e for (a, b), e in value.items()})
    said = {(a, b): f"{names[a]} and {names[b]}: agree in {share(e['agreement'])} of {e['n_cases']:,} cases" for (a, b), e in value.items()}
    said.update({(i, i): name for i, name in enumerate(names)})
    content = squares(
        names,
        names,
        {key: e["agreement"] for key, e in value.items()},
        {key: f"{100 * e['agreement']:.0f}" for key, e in value.items()},
        said,
        1.0,
    )
    note = "Percent of the shared cases in which two annotators agree; the darker, the more. Empty: they share no case, or one"
    drawn = svg.figure("agreement-pairs", "Agreement of every two annotators", note, content, height=grid_height(len(names), len(names)))
    shown = sorted(entries, key=lambda e: -int(e["n_cases"]))[:MOST_PAIRS]
    rows = [[f"{text(e['annotator'])}, {text(e['other'])}", *_with_kappa(e), f"{e['n_cases']:,}"] for e in shown]
    columns = ["annotators", "percent agreement", level, "Cohen's kappa", level, "cases"]
    more = f"<p>{len(shown):,} of {len(entries):,} pairs are shown; the file agreement_by_pair.csv has all of them.</p>"
    listed = table("Agreement pair by pair, those with most cases first", columns, rows)
    return [drawn, listed, *([more] if len(shown) < len(entries) else [])]


def _with_kappa(entry: Mapping[str, Any]) -> list[str]:
    kappa = interval(entry["kappa_low"], entry["kappa_high"])
    return [number(entry["agreement"]), interval(entry["low"], entry["high"]), number(entry["kappa"]), kappa]


def humans(source: Data) -> Section:
    """Discrepancy ratios: a forest plot, the table behind it, and a sentence for each model."""
    how = (
        "The discrepancy ratio is how often a model's first choice differs from an annotator's label, divided by how often two annotators "
        "differ on the same case: 1 means that the model agrees with annotators as well as they agree with each other; less is better. An "
        "annotator's ratio is that of the annotator against the others."
    )
    entries = source.get("humans") or []
    if not entries:
        said = "<p>None was computed: it needs labels, two annotators or more, and their names.</p>"
        return section("humans", "Models and annotators", how, said)
    level = f"{source['provenance']['level'] * 100:g}%"
    models = [e for e in entries if e["kind"] == "model"]
    columns = ["", "", "ratio", f"{level} interval", "cases", *(f"share of resamples in which {text(e['name'])} is better" for e in models)]
    rows = [
        [
            text(e["name"]),
            plain(str(e["kind"])),
            number(e["value"]),
            interval(e["low"], e["high"]),
            f"{e['n_cases']:,}",
            *_chances(e, models),
        ]
        for e in entries
    ]
    said = bullets(_sentence(e, level) for e in models)
    return section("humans", "Models and annotators", how, said, figures.forest(source), table("Discrepancy ratios", columns, rows))


def _chances(entry: Mapping[str, Any], models: list[Mapping[str, Any]]) -> list[str]:
    if entry["kind"] == "model":
        return ["–"] * len(models)
    return [share(entry["p_better"].get(e["name"])) for e in models]


def _sentence(entry: Mapping[str, Any], level: str) -> str:
    name = text(entry["name"])
    if entry["value"] is None or entry["upper"] is None:
        return f"{name}: {UNDEFINED}."
    limit = number(entry["upper"])
    if entry["upper"] < 1:
        verdict = f"its ratio is below 1 (one-sided {level} limit {limit}): it agrees with annotators better than they do with each other"
    else:
        verdict = f"a ratio of 1 or more is not ruled out (one-sided {level} limit {limit})"
    best = f"; it is better than every single annotator in {share(entry['p_best'])} of resamples" if entry["p_best"] is not None else ""
    return f"{name}: {verdict}{best}."
