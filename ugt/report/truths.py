"""Words for truth models that held-out annotators were compared with, and what page one says of them."""

from __future__ import annotations

from .._base.wording import arg
from ..tables.panel import CheckedTruth, PanelRow
from ..tables.sensitivity import DefaultTruthRow
from ..truth.leading import FITTED, PER_CLASS
from .digest import Digest, joined, names
from .digits import Digits
from .markup import first_row

MOST_MODELS = 1  # most models whose values under both truths page one gives
AREA = "soft_auroc"
PLAIN = {"prirn": "PrIRN", "plackett-luce": "Plackett–Luce", "dawid-skene": "Dawid–Skene", "dirichlet": "the Dirichlet model"}


def named(e: CheckedTruth) -> str:
    """Return the name of a truth model, such as "the fitted prior"."""
    if e.prior is not None:
        return {FITTED: "the fitted prior", PER_CLASS: "the prior fitted per class"}.get(e.prior, f"the prior of {e.prior}")
    at = "" if e.reliability is None else f" at reliability {e.reliability:g}"
    return f"{PLAIN[e.aggregation]}{at}"


def asked(e: CheckedTruth) -> str:
    """Return the arguments that ask for a truth model; "" if it has none of its own."""
    if e.prior is not None:
        return "" if e.prior == PER_CLASS else arg("prior", FITTED if e.prior == FITTED else float(e.prior))
    weight = [] if e.reliability is None else [arg("reliability", e.reliability)]
    return ", ".join([arg("aggregation", e.aggregation), *weight])


def mean_agreement(digest: Digest, e: CheckedTruth | PanelRow) -> tuple[str, str]:
    """Return the observed and the predicted share of cases in which a held-out annotator agrees with the vote of the others."""
    row = digest.held_out
    digits = Digits(0) if row is None else Digits.of([(row.low, row.high)])
    return digits.percent(e.observed), digits.percent(e.predicted)


def replaced(digest: Digest) -> str:
    """Return the sentences on a default that was refuted and the truth that leads instead, with the numbers under both."""
    rows = digest.source.rows(CheckedTruth)
    default, main = (first_row(e for e in rows if e.role == role) for role in ("default", "main"))
    if default is None or main is None:
        return ""
    seen, said = mean_agreement(digest, default)
    fits = mean_agreement(digest, main)[1]
    values = "; ".join(filter(None, map(lambda m: _both(digest, m), digest.models[:MOST_MODELS])))
    who = named(main)
    return (
        f"Held-out annotators agree with the vote of the others in {seen} of cases. The default, {named(default)}, predicts {said}; "
        f"{who} predicts {fits} and leads. {f'{values}. ' if values else ''}Intervals leave this choice out."
    )


def _both(digest: Digest, model: str) -> str:
    """Return the values of a model under the truth that leads and under the default."""
    own = {e.metric: e for e in digest.source.rows(DefaultTruthRow) if e.model == model}
    top, area = own.get("topk_accuracy"), own.get(AREA)
    accuracy = digest.of_choices.row(model, digest.main)
    parts = []
    if top is not None and top.value is not None and accuracy is not None and accuracy.value is not None:
        digits = digest.of_choices.digits
        parts.append(f"{digits.percent(accuracy.value)} (by default {digits.percent(top.value)})")
    row = digest.of_main(model, AREA)
    if area is not None and area.value is not None and row is not None and row.value is not None:
        parts.append(f"AUROC {row.value:.2f} ({area.value:.2f})")
    return f"{names([model])} has {joined(parts)}" if parts else ""


def nothing_fits(digest: Digest) -> str:
    """Return the sentences on annotators whom no truth model describes."""
    rows = [e for e in digest.source.rows(CheckedTruth) if e.refuted]
    if not rows:
        return ""
    seen = mean_agreement(digest, rows[0])[0]
    tried = joined([f"{named(e)} {mean_agreement(digest, e)[1]}" for e in rows])
    return (
        f"Held-out annotators agree with the vote of the others in {seen} of cases; predicted were: {tried}. This page therefore has "
        "the voted label and one more annotator only. Numbers under a truth model in other sections are not for quoting."
    )


def mending(digest: Digest) -> str:
    """Return the sentence on what describes annotators whom the truth model that was asked for does not describe."""
    rows = digest.source.rows(CheckedTruth)
    found = first_row(e for e in rows if not e.refuted)
    alike = first_row(
        e
        for e in digest.source.rows(PanelRow)
        if e.annotator is None and e.reliability in digest.unrefuted and e.reliability != digest.main
    )
    if found is not None:
        option = asked(found)
        return f"{named(found)[0].upper()}{named(found)[1:]} describes them{f': {option}' if option else ''}."
    if alike is not None and alike.reliability is not None:
        return f"Reliability {alike.reliability:g} describes them."
    if rows:
        tried = joined(list(map(named, rows)))
        return f"No truth model that was tried describes them ({tried}): quote the vote and agreement with one more annotator."
    return "It does not describe these annotators, and no other truth model was tried."
