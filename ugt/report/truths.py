"""Words for truth models that held-out annotators were compared with, and what page one says of them."""

from __future__ import annotations

from html import escape

from .._base.wording import arg
from ..tables.panel import FITTED_PRIORS, SIGNIFICANT, CheckedTruth, PanelRow, chosen, model_name
from ..tables.rows import defined
from ..tables.sensitivity import DefaultTruthRow
from ..truth.leading import FITTED, PER_CLASS
from .digest import Digest, joined, names
from .digits import Digits
from .markup import first_row

MOST_MODELS = 1  # most models whose values under both truths page one gives
AREA = "soft_auroc"
MOST_NAMED = 3  # most annotators that a sentence names


def asked(e: CheckedTruth) -> str:
    """Return the arguments that ask for a truth model; "" if it has none of its own."""
    if e.prior is not None:
        return "" if e.prior == PER_CLASS else arg("prior", FITTED if e.prior == FITTED else float(e.prior))
    weight = [] if e.reliability is None else [arg("reliability", e.reliability)]
    return ", ".join([arg("aggregation", e.aggregation), *weight])


def with_prior(digest: Digest) -> str:
    """Return the prior of the truth of labels, such as " with the prior 0.1"; "" if it has none."""
    facts = digest.source.provenance
    given = facts.parameters.get("prior")
    if facts.aggregation != "dirichlet" or given is None:
        return ""
    leads = first_row(e for e in digest.source.rows(CheckedTruth) if e.role == "main")
    if facts.prior_fit is not None or (leads is not None and leads.prior in FITTED_PRIORS):
        return " with the fitted prior"
    return f" with the prior {given:g}" if isinstance(given, (int, float)) else " with the prior that was given"


def mean_agreement(digest: Digest, e: CheckedTruth | PanelRow) -> tuple[str, str]:
    """Return the observed and the predicted share of cases in which a held-out annotator agrees with the vote of the others."""
    row = digest.held_out
    digits = Digits(0) if row is None else Digits.of([(row.low, row.high)])
    return digits.percent(e.observed), digits.percent(e.predicted)


def said_of_choice(digest: Digest) -> str:
    """Return the sentence on a default that was refuted, and on the truth that leads instead, or that none fits; "" if it leads."""
    found = chosen(digest.source.rows(CheckedTruth), digest.held_out)
    return "" if found is None else escape(str(found), quote=False)


def replaced(digest: Digest) -> str:
    """Return the sentences on a default that was refuted and the truth that leads instead, with the numbers under both."""
    said = said_of_choice(digest)
    values = "; ".join(filter(None, map(lambda m: _both(digest, m), digest.models[:MOST_MODELS])))
    return f"{said} {f'{values}. ' if values else ''}Intervals leave this choice out." if said else ""


def leading_name(digest: Digest) -> str:
    """Return the name of the truth that leads in place of a default that was refuted; "" if the default leads, or was not checked."""
    rows = digest.source.rows(CheckedTruth) if digest.source.provenance.truth_chosen == "fits" else ()
    return next((model_name(e) for e in rows if e.role == "main"), "")


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
    return (
        f"{said_of_choice(digest)} This page therefore has the voted label and one more annotator only. Numbers under a truth model in "
        "other sections are not for quoting."
    )


def unlike(digest: Digest) -> str:
    """Return the sentence on annotators who, held out one by one, differ from what a truth that fits says of them; "" if none does."""
    rows = [e for e in digest.source.rows(PanelRow) if e.adjusted_p_value is not None and e.reliability == digest.main]
    ordered = sorted(rows, key=lambda e: defined(e.adjusted_p_value))
    found = [e for e in ordered if e.annotator is not None and defined(e.adjusted_p_value) < SIGNIFICANT]
    if not found or digest.misfit():
        return ""
    listed = []
    for how, lower in (("less often than it predicts (adjusted p &lt; 0.05)", True), ("more often", False)):
        who = [str(e.annotator) for e in found[:MOST_NAMED] if (e.observed < e.predicted) == lower]
        listed += [f"{how}: {names(who)}"] if who else []
    if len(listed) == 1 and "more" in listed[0]:
        listed = [listed[0].replace("more often", "more often than it predicts (adjusted p &lt; 0.05)", 1)]
    others = len(found) - MOST_NAMED
    more = f"; and {others} more" if others > 0 else ""
    return (
        "The truth model takes them as equally good. Held out one by one, some agree with the vote of the others "
        f"{'; '.join(listed)}{more}."
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
        return f"{model_name(found)[0].upper()}{model_name(found)[1:]} describes them{f': {option}' if option else ''}."
    if alike is not None and alike.reliability is not None:
        return f"Reliability {alike.reliability:g} describes them."
    if rows:
        tried = joined(list(map(model_name, rows)))
        return f"No truth model that was tried describes them ({tried}): quote the vote and agreement with one more annotator."
    return "It does not describe these annotators, and no other truth model was tried."
