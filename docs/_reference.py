"""The reference: which public names stand on which page, and the pages, written from the package at every build.

A name of ``ugt.__all__`` that stands in no group, or in two, fails `make docs` and tests/test_documentation.py. Add it here.
"""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any, NamedTuple

PACKAGE = "ugt"
FOLDER = "reference"
WITHOUT_A_PAGE = ("__version__",)  # no function or class; in the reference's introduction

# Modules of which every public function and class is in the reference, besides the names of the package itself.
MODULES = {
    "io": ("Files", "Readers and writers behind the command line. Formats and examples: :doc:`/files`."),
    "plots": ("Plots", "One function each, with matplotlib. Pictures: :doc:`/gallery`."),
    "states": (
        "Metrics of data in several places",
        "Sums instead of cases: made in each place, merged, finished. Explained in :doc:`/beyond-one-machine`.",
    ),
    "dask": ("Metrics on Dask", "The same on partitions of Dask collections. Explained in :doc:`/beyond-one-machine`."),
    "synthetic": ("Generated data", "Annotations and predictions with a known truth: for examples, tests, and planning a study."),
}


class Group(NamedTuple):
    """One page: its title, a sentence on what it is about, the names."""

    title: str
    about: str
    names: tuple[str, ...]


GROUPS = {
    "annotations": Group(
        "Annotations and predictions",
        "What you bring. Explained in :doc:`/data-model`.",
        ("Labels", "Rankings", "Ratings", "Masks", "Axes", "Predictions"),
    ),
    "evaluation": Group(
        "The whole evaluation",
        "Annotations and predictions in, every number out. Explained in :doc:`/quickstart` and :doc:`/reading-the-report`.",
        ("evaluate", "Evaluation"),
    ),
    "aggregation": Group(
        "From labels and rankings to truth",
        "Aggregations, and the three kinds of truth that they make. Explained in :doc:`/truth-models`.",
        ("votes", "irn", "prirn", "dirichlet", "Point", "Dirichlet", "Draws"),
    ),
    "plackett-luce": Group(
        "Plackett–Luce: a model of rankings with ties",
        "Explained in :doc:`/truth-models` and :doc:`/small-print`.",
        (
            "plackett_luce",
            "plackett_luce_diagnostics",
            "plackett_luce_log_likelihood",
            "plackett_luce_gradient",
            "plackett_luce_mle",
            "plackett_luce_map",
        ),
    ),
    "annotator-models": Group(
        "Models of annotators",
        "Who is how good, estimated from the same labels. Explained in :doc:`/annotator-models`.",
        ("dawid_skene", "dawid_skene_draws", "glad", "AnnotatorModel", "AnnotatorDraws", "warn_if_judged"),
    ),
    "ratings": Group(
        "Truth from ratings",
        "Numbers on a scale. Explained in :doc:`/ratings`.",
        ("normal", "NormalPosterior", "fit_normal_prior", "NormalPrior", "rating_certainty", "ua_rating_accuracy"),
    ),
    "certainty": Group(
        "Certainty of the truth",
        "How far the annotations settle a case, and which case to annotate next. Explained in :doc:`/reliability-and-priors`.",
        ("annotation_certainty", "Certainty", "expected_risk", "expected_certainty", "ExpectedCertainty", "committee"),
    ),
    "metrics": Group(
        "Metrics that know the truth is uncertain",
        "Uncertainty-adjusted accuracies, overlaps and distances. Explained in :doc:`/glossary` and :doc:`/small-print`.",
        (
            "ua_topk_accuracy",
            "ua_set_accuracy",
            "ua_overlap",
            "ua_average_overlap",
            "ua_kendall_distance",
            "ua_footrule_distance",
            "ua_plausibility_mass",
            "ua_coverage",
            "Estimate",
        ),
    ),
    "soft-labels": Group(
        "Metrics against soft labels",
        "AUROC and average precision against probabilities of being positive. Explained in :doc:`/small-print`.",
        (
            "soft_auroc",
            "soft_average_precision",
            "soft_roc_curve",
            "soft_precision_recall_curve",
            "SoftScore",
            "RocCurve",
            "PrecisionRecallCurve",
        ),
    ),
    "histograms": Group(
        "Losses and distances against label histograms",
        "Calibration with the bias of few labels taken out, disagreement, scores. Explained in :doc:`/calibration`.",
        (
            "histogram_losses",
            "HistogramLosses",
            "ReliabilityCurve",
            "HistogramAccumulator",
            "histogram_brier_score",
            "histogram_log_loss",
            "HistogramScore",
            "HistogramLogLoss",
            "predicted_disagreement",
            "PredictedDisagreement",
            "disagreement_losses",
            "DisagreementLosses",
            "symmetric_statistic",
            "label_posterior",
            "LabelPosterior",
            "dirichlet_multinomial_log_likelihood",
            "manhattan_distance",
            "wasserstein_distance",
            "ranked_probability_score",
        ),
    ),
    "calibrators": Group(
        "Calibrators",
        "Fitted on validation cases with label histograms. Explained in :doc:`/calibration`.",
        (
            "TemperatureScaling",
            "PlattScaling",
            "VectorScaling",
            "MatrixScaling",
            "AlphaCalibration",
            "DirichletPredictions",
            "load_calibrator",
        ),
    ),
    "prediction-sets": Group(
        "Prediction sets",
        "Conformal prediction under uncertain truth. Explained in :doc:`/prediction-sets`.",
        (
            "MonteCarloConformal",
            "SplitConformal",
            "PredictionSets",
            "SetCoverage",
            "PlausibilityRegions",
            "conformal_scores",
            "combine_p_values",
            "effective_tests",
        ),
    ),
    "agreement": Group(
        "Agreement among annotators",
        "Coefficients with intervals, for labels and for rankings.",
        (
            "agreement_table",
            "AgreementTable",
            "percent_agreement",
            "cohen_kappa",
            "scott_pi",
            "fleiss_kappa",
            "gwet_ac1",
            "gwet_ac2",
            "krippendorff_alpha",
            "intraclass_correlation",
            "intra_annotator_agreement",
            "Agreement",
            "pairwise_agreement",
            "PairwiseAgreement",
            "leave_one_annotator_out",
            "annotator_average_overlap",
            "partial_average_overlap",
            "AgreementScore",
        ),
    ),
    "humans": Group(
        "Models beside annotators",
        "No truth is needed. Explained in :doc:`/comparing-with-humans` and :doc:`/discrepancy`.",
        (
            "discrepancy_ratio",
            "DiscrepancyRatio",
            "NonInferiority",
            "annotator_discrepancy",
            "AnnotatorDiscrepancy",
            "stratified_discrepancy",
            "group_discrepancy",
            "GroupedDiscrepancy",
            "threshold_sweep",
            "ThresholdSweep",
            "alternative_discrepancy_ratios",
            "AlternativeRatios",
            "relative_f1",
            "RelativeF1",
            "alternative_annotator_test",
            "AlternativeAnnotatorTest",
            "individual_equivalence_index",
            "IndividualEquivalence",
        ),
    ),
    "resampling": Group(
        "Intervals, comparisons, threads",
        "One engine for every interval. Explained in :doc:`/small-print`; used for a metric of your own in :doc:`/extending`.",
        (
            "bootstrap",
            "bootstrap_statistic",
            "bootstrap_annotations",
            "jackknife",
            "Resamples",
            "ranking_stability",
            "RankingStability",
            "threads",
        ),
    ),
}


def problems(public: list[str]) -> list[str]:
    """What is wrong with the groups, in sentences; empty if every public name stands in one group exactly."""
    listed = [name for group in GROUPS.values() for name in group.names]
    missing = sorted(set(public) - set(listed) - set(WITHOUT_A_PAGE))
    unknown = sorted(set(listed) - set(public))
    twice = sorted({name for name in listed if listed.count(name) > 1})
    return [
        *(
            f"ugt.{name} is public but stands in no group of docs/_reference.py: add it to the GROUPS entry it belongs to."
            for name in missing
        ),
        *(f"{name} stands in a group of docs/_reference.py but not in ugt.__all__." for name in unknown),
        *(f"{name} stands in docs/_reference.py more than once." for name in twice),
    ]


def public_members(module: Any) -> list[str]:
    """Functions and classes that a module defines or lists, without a leading underscore, in the order of its source."""
    listed = getattr(module, "__all__", None)
    if listed is not None:
        return [name for name in listed if callable(getattr(module, name))]
    own = {
        name: value
        for name, value in vars(module).items()
        if not name.startswith("_") and inspect.isroutine(value) | inspect.isclass(value)
    }
    return [name for name, value in own.items() if value.__module__.startswith(module.__name__)]


def directive(name: str, value: Any) -> str:
    """The reStructuredText that documents one name; a class with its members."""
    if inspect.isclass(value):
        builtin = next((base.__name__ for base in value.__mro__[1:] if base.__module__ == "builtins"), "object")
        return f".. autoclass:: {name}\n   :members:\n   :inherited-members: {builtin}\n"
    return f".. autofunction:: {name}\n"


def page(label: str, home: str, title: str, about: str, names: dict[str, Any]) -> str:
    """A page: heading, introduction, a table of the names with their summaries, then each name in full."""
    rule = "=" * len(title)
    table = "\n".join(f"   {name}" for name in names)
    entries = "\n".join(directive(name, value) for name, value in names.items())
    head = f".. _reference-{label}:\n\n.. currentmodule:: {home}\n\n{title}\n{rule}\n\n{about}\n"
    return f"{head}\n.. autosummary::\n   :nosignatures:\n\n{table}\n\n{entries}"


def pages(package: Any, modules: dict[str, Any]) -> dict[str, str]:
    """All pages of the reference: file name to text."""
    wrong = problems(package.__all__)
    if wrong:
        raise ValueError("\n".join(wrong))
    made = {}
    for label, group in GROUPS.items():
        made[label] = page(label, PACKAGE, group.title, group.about, {name: getattr(package, name) for name in group.names})
    for label, (title, about) in MODULES.items():
        names = {name: getattr(modules[label], name) for name in public_members(modules[label])}
        made[label] = page(label, f"{PACKAGE}.{label}", title, about, names)
    return {f"{label}.rst": text for label, text in made.items()}


def write(folder: Path, package: Any, modules: dict[str, Any]) -> None:
    """Write the pages into ``folder``; leave files as they are that would not change, remove those that are no longer made."""
    folder.mkdir(exist_ok=True)
    made = pages(package, modules)
    for old in set(folder.glob("*.rst")) - {folder / name for name in made}:
        old.unlink()
    for name, text in made.items():
        target = folder / name
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            target.write_text(text, encoding="utf-8")
