"""Text for a paper: the computations in two paragraphs that can be pasted, with the references that were used."""

from __future__ import annotations

from ..._base.counts import counted, whole
from ...tables.calibration import LossRow
from ...tables.humans import HumanRow
from ...tables.panel import FITTED_PRIORS, CheckedTruth, model_name
from ...tables.source import ReportSource
from ...tables.standings import MetricRow
from .. import wording, words
from ..digest import Digest, joined
from ..digits import p_said
from ..first import plain_verdict
from ..markup import Section, definitions, finding, level_of, plain, text
from ..words import kind_of_data

# `plain` keeps the nouns of titles, which the authors' nouns for cases and annotators must not replace.
STUTZ = plain("Stutz D, et al. Evaluating AI systems under uncertain ground truth: a case study in dermatology. arXiv:2307.02191, 2023.")
MIMORI = (
    "Mimori T, Sasada K, Matsui H, Sato I. Diagnostic uncertainty calibration: towards reliable machine predictions in medical domain. "
    "AISTATS 2021, PMLR 130:3664–3672."
)
LOVCHINSKY = "Lovchinsky I, et al. Discrepancy ratio: evaluating model performance when even experts disagree on the truth. ICLR 2020."
GNEITING = "Gneiting T. Making and evaluating point forecasts. Journal of the American Statistical Association 2011; 106:746–762."
SAMEJIMA = "Samejima F. Estimation of latent ability using a response pattern of graded scores. Psychometrika Monograph 17, 1969."
DAWID = (
    "Dawid AP, Skene AM. Maximum likelihood estimation of observer error-rates using the EM algorithm. Applied Statistics 1979; 28:20–28."
)
WHITEHILL = "Whitehill J, et al. Whose vote should count more: optimal integration of labels from labelers of unknown expertise. NIPS 2009."
LUCE = "Plackett RL. The analysis of permutations. Applied Statistics 1975; 24:193–202."
MINKA = "Minka TP. Estimating a Dirichlet distribution. Technical report, MIT, 2000."
SOFT = "Lionetti S, et al. Clinical uncertainty impacts machine learning evaluations. arXiv:2509.22242, 2025."
UGT = (
    "The ugt developers. ugt: evaluation of models under uncertain ground truth, version {version}. BSD-3-Clause. CITATION.cff is "
    "installed with the software, among its licences."
)
MODELS = {
    "dirichlet": "each case had a Dirichlet posterior over its classes, from the labels times their reliability and a prior",
    "prirn": "each case had a Dirichlet posterior over its classes, from inverse-rank weights of the rankings times their reliability",
    "plackett-luce": "each case had a posterior over plausibilities of its classes under the Plackett–Luce model of the rankings",
    "normal": "each case had a normal-inverse-gamma posterior, from its ratings times their reliability and a fitted prior",
    "graded-response": "each case had probabilities of its true grade under a graded-response model of the labels",
    "votes": "the label with most votes was taken as certain",
    "irn": "each case had the inverse-rank weights of its annotations as plausibilities of its classes",
    "dawid-skene": "each case had probabilities of its one true class under the Dawid–Skene model, with a confusion matrix of "
    "each annotator",
    "glad": "each case had probabilities of its one true class under the GLAD model, with the ability of each annotator and the "
    "difficulty of each case",
}
OWN = {"dawid-skene": DAWID, "glad": WHITEHILL, "plackett-luce": LUCE}  # references of truth models
MOST_VALUES = 5  # classes of which a prior is given value by value


def render(source: ReportSource) -> Section:
    """Return methods, result, references, and provenance."""
    digest, facts = Digest(source), source.provenance
    references = [STUTZ]
    methods = [_truth(source, digest, references), *_choice(source), _metrics(source, references), _intervals(source)]
    references.append(UGT.format(version=text(source.ugt)))
    methods += [text(note) for note in wording.said(source).note]
    methods.append(f"Analyses used ugt {text(source.ugt)} [{len(references)}].")
    paste = f'<div class="paste"><p>{" ".join(methods)}</p><p>{plain_verdict(source)}</p></div>'
    listed = '<ol class="refs">' + "".join(f"<li>{one}</li>" for one in references) + "</ol>"
    versions = ", ".join(f"{text(name)} {text(one)}" for name, one in facts.versions.items())
    rows = [
        ("command", f"<code>{text(facts.command or 'ugt.evaluate, called from Python')}</code>"),
        ("versions", versions),
        ("seed", text(facts.seed)),
    ]
    none = "none was given; nothing is known to have been specified beforehand"
    rows.append(("plan", "given; see the appendix Files and plan" if facts.plan else none))
    rows += [("input", f"{text(one.name)}, SHA-256 <code>{text(one.sha256)}</code>") for one in facts.inputs or ()]
    return finding("methods", "Methods to cite", "Text for a paper", paste, listed, definitions(rows))


def _truth(source: ReportSource, digest: Digest, references: list[str]) -> str:
    data, name = source.data, str(source.provenance.aggregation)
    how = MODELS.get(name)
    annotators = f" by {counted(data.n_annotators, 'annotator')}" if data.n_annotators else ""
    labels = f"{whole(data.n_annotations)} {kind_of_data(source)}{annotators}" if data.n_annotations else "plausibilities of their classes"
    given = f"{counted(data.n_cases, 'case')} had {labels}"
    found, at = [f"{r:g}" for r in digest.reliabilities if r is not None], ""
    if len(found) > 1 and digest.main is not None:
        at = f"; reliabilities {', '.join(found)} were examined, and {digest.main:g} is the main analysis"
    cited = "[1]"
    if name in OWN:
        references.append(OWN[name])
        cited = f"[1, {len(references)}]"
    prior = _prior(source, references)
    return f"{given[0].upper()}{given[1:]}{f'; {how}' if how else ''}{prior}{at} {cited}."


def _prior(source: ReportSource, references: list[str]) -> str:
    """Return the prior of labels, and that it was fitted to them."""
    facts = source.provenance
    fit, given = facts.prior_fit, facts.parameters.get("prior")
    if facts.aggregation != "dirichlet" or given is None:
        return ""
    if isinstance(given, (int, float)):
        value = f"{given:.3g} for each class"
    else:
        listed = [f"{one:.3g}" for one in given]
        value = f"{joined(listed)} for the classes" if len(listed) <= MOST_VALUES else f"{sum(given):.3g} over all classes"
    leads = next((e for e in source.rows(CheckedTruth) if e.role == "main"), None)
    if fit is None and (leads is None or leads.prior not in FITTED_PRIORS):
        return f" ({value})"
    references.append(MINKA)
    ends = (
        ""
        if fit is None or fit.low is None
        else f", {level_of(source)} interval {fit.low:.3g} {f'to {fit.high:.3g}' if fit.high else 'or more'}"
    )
    return f" ({value}{ends}) that was fitted to the same labels [{len(references)}]"


def _choice(source: ReportSource) -> list[str]:
    """Return the sentence on how the truth model was chosen, if none was asked for."""
    rows, chosen = source.rows(CheckedTruth), source.provenance.truth_chosen
    main = next((e for e in rows if e.role == "main"), None)
    if chosen is None or main is None:
        return []
    who, at = model_name(main), p_said(main.p_value)
    refuted = [f"{model_name(e)} ({p_said(e.p_value)})" for e in rows if e.refuted]
    if chosen == "default":
        return [f"Held-out annotators did not refute the default, {who} ({at})."]
    if chosen == "none":
        all_ = f"all {len(refuted)} truth models" if len(refuted) > 1 else "the only truth model"
        return [f"Held-out annotators refuted {all_} that could be tried: {joined(refuted)}. No result under a truth model is quoted."]
    return [
        f"{who[0].upper()}{who[1:]} ({at}) was chosen on the same data, after held-out annotators had refuted "
        f"{counted(len(refuted), 'truth model')}: {joined(refuted)}. Intervals leave this choice out."
    ]


def _metrics(source: ReportSource, references: list[str]) -> str:
    names = {e.metric for e in source.rows(MetricRow)}
    if source.unfit:  # what is quoted
        return "We report agreement of the model’s first choice with the voted label, and with one more annotator."
    parts = (
        [
            "uncertainty-adjusted (UA) accuracy, how often a model’s first choice agrees with a truth drawn from what the "
            f"annotations leave open{'' if Digest(source).misfit() else ', which cannot exceed the mean certainty of the annotations'} [1]"
        ]
        if "topk_accuracy" in names
        else []
    )
    for wanted, said, reference in (
        (
            "absolute_error" in names,
            "the mean absolute error of predictions against a truth drawn from what the annotations leave open",
            GNEITING,
        ),
        (source.provenance.aggregation == "graded-response", "the leniency of annotators by the graded-response model", SAMEJIMA),
        ("soft_auroc" in names, "the soft AUROC and average precision", SOFT),
        (bool(source.rows(LossRow)), "calibration losses against label histograms with the bias of few labels taken out", MIMORI),
        (bool(source.rows(HumanRow)), "discrepancy ratios of models and annotators", LOVCHINSKY),
    ):
        if wanted:
            references.append(reference)
            parts.append(f"{said} [{len(references)}]")
    positive = source.provenance.positive_class
    of_class = f" The positive class is {text(positive)}." if positive is not None and "soft_auroc" in names else ""
    return f"We report {'; '.join(parts)}.{of_class}" if parts else ""


def _intervals(source: ReportSource) -> str:
    unit = words.unit(source)
    named = any(e.two_way_low is not None for e in source.rows(MetricRow))
    people = f"intervals over {unit} and annotators treat both as random" if named else "annotators were taken as fixed"
    paired = ", paired between models" if len(source.models) > 1 else ""
    return (
        f"Intervals ({level_of(source)}) are over {unit} ({words.interval_kind(source)}){paired}; {people}. No correction "
        "was made for the number of measures."
    )
