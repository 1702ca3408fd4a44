"""The whole evaluation: annotations and predictions in, every number of every model under every truth out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from .. import resampling
from .._base import checks, parallel
from .._base.lazy import cached_property
from .._base.notes import Note
from .._base.records import Record
from .._base.version import __version__
from .._tabular.csv_text import plain_value
from .._tabular.whole_file import write_text
from ..annotations.joins import tells_joins
from ..annotators import warn_if_judged
from ..report.wording import check
from ..tables import SCHEMA, ResultTable
from ..tables.context import Options
from ..tables.makers import OF_RATINGS
from . import facts
from .input import informed
from .passes import tables_of
from .study import ModelsAsked, Page, TruthAsked, read
from .suspicions import suspicions

__all__ = ["Evaluation", "evaluate"]


CIRCULAR = "{model} is a model and an annotator: a truth made of its own predictions flatters it."
FRAME = 920  # height of the first page in a notebook, in pixels


def _table(name: str) -> Any:
    return property(lambda self: self.tables[name], doc=f'``tables["{name}"]``.')


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Record):
    """The results of models under reliabilities, with the spread over draws and intervals over cases; made by :func:`evaluate`.

    Attributes
    ----------
    provenance : mapping
        Versions, seed, date, truth model and its parameters; input files and command if known.
    data : mapping
        Numbers of cases, classes, annotators and annotations.
    left_out : mapping
        Cases left out, by reason.
    notes : tuple of Note
        Limits that a reader must know: each has a ``code``, its ``values``, and the sentence (``text``, ``str(note)``).
    models : tuple of str
        Names of the models.
    sources : mapping
        For each interval, the sources of uncertainty that it includes.
    tables : mapping of name to ResultTable
        Rows of plain values under named columns. An evaluation without ``details`` has the first ten only, which are also attributes.
        Tables that the data do not allow have no rows.

    Notes
    -----
    The tables:

    - ``metrics``: one row per model, reliability and metric: ``model, reliability, metric, k, value, draw_std, draw_low, draw_high,
      case_low, case_high, both_low, both_high, two_way_low, two_way_high, best_share, rank_low, rank_high, mc_error, n_cases``.
      ``draw_*``: spread over draws of the truth; ``case_*``: over cases, or clusters of them, judged by the same annotators; ``both_*``:
      over cases and draws; ``two_way_*``: over cases and annotators (:class:`TwoWay`), if annotators have names and the truth is made
      case by case. Quote the interval over cases, and name what it leaves out. ``best_share``, ``rank_*``: share of the resamples (not a
      probability) in which the model is best, and interval of its rank. ``topk_accuracy`` is UA accuracy, the expected agreement with a
      truth drawn from the uncertain truth (:func:`ua_topk_accuracy`); ``voted_accuracy`` (reliability None) is agreement with the voted
      label; ``group_accuracy`` is UA accuracy of groups of classes (:func:`ua_group_accuracy`). For two classes there are also
      ``soft_auroc`` and ``soft_average_precision`` (k None) of the positive class against the means of the plausibilities, and ``hard_*``
      against labels cut at one half of these means; they have no spread over draws.
    - ``certainty``: one row per reliability and order: ``reliability, measure, k, value, case_low, case_high, mc_error, n_below_099,
      n_cases``.
    - ``winners``: the model with the highest value of each metric and reliability, the share of resamples in which it is best, the
      runner-up, the lead over it (``margin``, not shrunk: inflated on average, as the same cases picked the model) with an interval that
      is simultaneous over all pairs of models (max-t, on the same resamples), and ``n_undistinguished``: the number of models over which
      the interval of its lead includes 0. The data show that the model is best only if this number is 0.
    - ``flips``: changes of the order of two models with the reliability: ``metric, k, model, other, better_above, reliability, low,
      high, share_inside``. ``better_above``: whether ``model`` is ahead above that reliability. An end of the interval that is None is
      beyond the evaluated reliabilities; only a change with both ends is shown by the data. ``share_inside``: share of the resamples in
      which the change is between evaluated reliabilities.
    - ``calibration``: losses of models that give probabilities, if annotations are labels: ``model, loss, class, plugin, bias,
      debiased, low, high, n_cases``; class None: all classes together. See :func:`histogram_losses`, :func:`disagreement_losses`.
    - ``reliability_bins``: ``model, class, bin_low, bin_high, n_cases, mean_probability, label_share, low, high, few``.
    - ``agreement``: agreement coefficients of labels: ``coefficient, value, low, high, two_way_low, two_way_high, std_error, observed,
      expected, n_cases, n_annotators, reason``. See :func:`agreement_table`.
    - ``humans``: discrepancy ratios of models and annotators, if annotators are named: ``kind, name, value, low, high,
      two_way_low, two_way_high, two_way_upper, upper, best_share, n_cases`` and ``better_share`` of each model. ``upper``: one-sided limit
      (bootstrap-t), ``two_way_upper`` the limit for other annotators; ``best_share``: share of resamples in which the model is closer than
      the best annotator; ``better_share`` (of annotators): share in which that model is closer. A model's prediction is its first choice.
      See :func:`annotator_discrepancy`.
    - ``cases``: the worklist, least certain case first: ``case, n_annotations, voted``, ``certainty_`` under each reliability,
      ``mean_certainty``; with frequencies ``n_cases``, how many equal cases each row stands for.
    - further tables, such as ``annotators``, ``panel_check`` (:func:`split_panel_check`), ``truth_checks`` (the truth models that were
      compared with held-out annotators), ``default_truth`` (values under the default, if another truth leads), ``truth_models``,
      ``strata``, ``confusion``, ``subgroup_differences``, ``group_agreement``, ``curves``, ``set_coverage``, ``differences`` and
      ``sensitivity``; see the guide to the report.

    Examples
    --------
    >>> import ugt
    >>> ev = ugt.evaluate(ugt.Labels.from_counts([[6, 2, 0], [1, 1, 3]]), {"A": [[0.7, 0.2, 0.1], [0.5, 0.3, 0.2]]}, reliability=1, k=1)
    >>> ev.models, ev.cases["case"], len(ev.metrics)
    (('A',), ['1', '0'], 2)
    """

    provenance: Mapping[str, Any]
    data: Mapping[str, Any]
    left_out: Mapping[str, int]
    notes: tuple[Note, ...]
    models: tuple[str, ...]
    sources: Mapping[str, tuple[str, ...]]
    tables: Mapping[str, ResultTable]

    metrics = _table("metrics")
    certainty = _table("certainty")
    winners = _table("winners")
    flips = _table("flips")
    calibration = _table("calibration")
    reliability_bins = _table("reliability_bins")
    agreement = _table("agreement")
    humans = _table("humans")
    cases = _table("cases")

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python values, tables as lists of rows; NaN as None."""
        known = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "tables"}
        tables = {name: list(table) for name, table in self.tables.items()}
        found = plain_value({**known, "notes": [note.to_dict() for note in self.notes], **tables})
        when = ("date", "command", "versions", "report")  # what changes no number
        results = {**found, "provenance": {name: value for name, value in found["provenance"].items() if name not in when}}
        return {"ugt": __version__, "schema": SCHEMA, "run": facts.run_of(results), **found}

    @cached_property
    def run(self) -> str:
        """The name that the page, the JSON and every row of the tables as CSV carry; equal results have equal names."""
        return str(self.to_dict()["run"])

    def to_frame(self, table: str = "metrics") -> Any:
        """Return one of ``tables`` as a pandas DataFrame, or as a mapping of columns without pandas."""
        found = self._named(table).values
        try:
            import pandas  # noqa: PLC0415  (optional)
        except ImportError:
            return found
        return pandas.DataFrame(found)

    def to_json(self, path: object) -> None:
        """Write everything as strict JSON (no NaN tokens)."""
        import json  # noqa: PLC0415  (what only writing needs is not imported with the library)

        write_text(path, json.dumps(self.to_dict(), indent=1, allow_nan=False, ensure_ascii=False) + "\n")

    def to_csv(self, path: object, table: str = "metrics") -> None:
        """Write one table as CSV, with a last column ``run``; cells that a spreadsheet would run as a formula get a leading apostrophe."""
        found = self._named(table)
        write_text(path, ResultTable({**found.values, "run": [self.run] * len(found)}).csv_text())

    def to_html(self, path: object, *, report: Mapping[str, Any] | None = None) -> None:
        """Write the report as one self-contained page; ``report`` as in :func:`evaluate`, in place of what was given there."""
        from ..report.page import html  # noqa: PLC0415  (what only pages need)

        found = self.to_dict()
        found["provenance"]["report"].update(check(report))
        write_text(path, html(found))

    def _repr_html_(self) -> str:
        """Return the first page of the report, in its own frame."""
        from html import escape  # noqa: PLC0415  (what only pages need)

        from ..report.page import first_page  # noqa: PLC0415

        return f'<iframe title="Evaluation" width="100%" height="{FRAME}" srcdoc="{escape(first_page(self.to_dict()))}"></iframe>'

    def _named(self, table: str) -> ResultTable:
        return self.tables[checks.option("table", table, tuple(self.tables))]


@tells_joins
def evaluate(
    annotations: object,
    predictions: Mapping[str, Any],
    *,
    aggregation: str = "auto",
    reliability: float | Sequence[float] | Mapping[Any, float] | None = None,
    k: int | Sequence[int] | None = None,
    groups: object = None,
    group_names: object = None,
    prior: object = "auto",
    background: float = 0.0,
    tie_weight: str = "split",
    method: str = "auto",
    prior_mass: float | None = None,
    unranked: str = "individual",
    n_draws: int = 2304,
    n_warmup: int = 500,
    n_chains: int = 4,
    ties: str = "expectation",
    missing: str = "error",
    positive_class: object = None,
    predictions_are: str | None = None,
    clusters: object = None,
    subgroups: Mapping[str, Any] | None = None,
    frequency: object = None,
    details: bool = True,
    level: float = 0.95,
    interval: str = "auto",
    n_resamples: int = 1000,
    random: str | tuple[str, ...] = ("cases", "annotators"),
    margin: float | None = None,
    shared_error: float = 0.0,
    claim: float | None = None,
    seed: resampling.Seed = 0,
    n_threads: int = 1,
    plan: Mapping[str, Any] | None = None,
    report: Mapping[str, Any] | None = None,
    provenance: Mapping[str, Any] | None = None,
) -> Evaluation:
    """Evaluate models against an uncertain truth.

    Parameters
    ----------
    annotations : Labels, Rankings, Ratings, data frame, table of text, or plausibilities
        The annotations; a frame of pandas or polars has the columns that a file may have, other tables of text have one column per
        annotator. Plausibilities (Point, Dirichlet or Draws) are used without reliabilities. Ordered labels, and ratings on a finite
        scale, add measures of grades, and models may then give one number per case; models of ratings on the scale "real" must.
    predictions : mapping of name to scores
        Arrays (N, K) in the order of the cases; or anything with case ids, then joined by id (see :class:`Predictions`).
        If it is empty, only certainty is evaluated.
    aggregation : {"auto", "dirichlet", "prirn", "irn", "votes", "plackett-luce", "dawid-skene", "glad", "graded-response", "normal"}
        The truth model. ``"auto"``: ``"dirichlet"`` for labels, ``"prirn"`` for rankings, ``"normal"`` (:func:`normal` with a fitted
        prior) for ratings on a real scale. ``"graded-response"`` needs ordered labels with their annotators: each case has one true grade,
        with the probabilities of :func:`graded_response`. ``"dawid-skene"`` and ``"glad"`` need labels with their annotators: each case
        has one true class, with the probabilities of :func:`dawid_skene` with the pseudo-counts (1, 0.1, 1), or of :func:`glad`.
    reliability : number, sequence of numbers, or mapping of annotator to number
        Weight of the annotations, above 0; all results are given for each. Default 0.2, 0.5, 1, 2, 5 for ``"dirichlet"``
        and ``"normal"``, 10, 20, 30, 50, 100 for ``"prirn"`` and 1, 2, 3, 5, 10 for ``"plackett-luce"``; the others have none. Below 1
        a label counts less than one independent label, for example because annotators share errors. A mapping gives each annotator a
        separate reliability (see :func:`dirichlet`); tables then have the one reliability 1, which stands for them.
    k : int or sequence of int
        Orders: certainty and top-k accuracy for each, set accuracy, overlap and average overlap for those above 1.
        Default 1 and 3; with three classes 1 and 2, with two 1. The order of all classes, whose numbers are 1, is only for those who ask.
    groups : (K,) integers or names, or mapping of class to integer or name, optional
        Group of every class (such as its risk): certainty about the group of the best class, the accuracy of groups (``group_accuracy``)
        and agreement given the group (table ``group_agreement``) are added. See :func:`ua_group_accuracy`, ``group_rule="top_class"``.
    group_names : sequence, optional
        Names of the groups if they are integers, for the report.
    prior : "auto", "fit", number, (K,) array, mapping of class to number, or DirichletPrior
        Prior of the Dirichlet model, see :func:`dirichlet`. Default ``"auto"``: 0.1, unless annotators who are held out refute the default
        truth (p < 0.05 in :func:`ugt.truth.split_panel_check`). The first truth that they do not refute then leads: the fitted prior, the
        prior fitted per class, and ``"dawid-skene"`` for labels; ``"plackett-luce"`` for rankings. If none fits, the default is used, and
        the report leads with the voted label and one more annotator. ``"auto"`` is 0.1 without a check if ``aggregation``,
        ``reliability``, ``background`` or a plan is given, and without ``details``. A fitted prior (``"fit"``) is the same for all
        reliabilities; the notes and the report give its interval and its gain in log-likelihood over 0.1.
    background, tie_weight
        See :func:`prirn`.
    method, prior_mass, unranked, n_draws, n_warmup, n_chains
        See :func:`plackett_luce`. The notes count the cases that were integrated and those by weighted points; the table ``diagnostics``
        has the numbers under each reliability.
    ties : {"expectation", "first"}
        See :func:`ua_topk_accuracy`.
    missing : {"error", "drop"}
        What to do with cases without predictions of some model: refuse them, or leave them out for all models and count them.
        Predictions for cases that are not annotated: refuse them, or leave them out with a note.
    positive_class : int or str, optional
        For two classes, the positive one, of which AUROC, average precision and curves are, and single columns of probabilities. Default:
        1 of 0 and 1, the higher grade, or the class beside a word of absence (normal, healthy, negative, benign, no ...). It must be given
        for models of two classes whose names do not show it.
    predictions_are : {"numbers", "grades", "positions"}, optional
        For ordered labels, what one number per case is, if it is doubtful: a number on the scale of the grades, also between or outside of
        them; the number of a grade; the position 0 to K-1 of a grade.
    clusters : (N,) ids, or mapping of case id to cluster, optional
        Cases that belong together, such as one patient's: they are resampled together.
    subgroups : mapping of name to (N,) values, or to a mapping of case id to value, optional
        Results are given for each value separately, such as each site, and for its difference to the other cases; blank, None and cases
        that a mapping lacks are "not stated".
    frequency : (N,) whole numbers, Series or mapping of case id to number, optional
        How many equal cases each row stands for: the same counts of labels, prediction and subgroup, such as from ``GROUP BY``. Numbers and
        intervals are those of one row per case. For labels as counts, a Point or a Dirichlet posterior, without ``clusters``, with the
        truth models ``"dirichlet"``, ``"prirn"``, ``"irn"`` and ``"votes"``, and without a fitted prior. The notes say what is left out.
    details : bool
        Whether to compute the further tables of the report. Without them an evaluation takes less time, and the truth is not checked.
    level : float
        Level of all intervals, in (0, 1).
    interval : {"auto", "percentile", "basic", "bca"}
        Kind of the intervals over cases, see :meth:`Resamples.interval`; those over both are percentile intervals.
    n_resamples : int
        Number of bootstrap resamples of the cases; all models and metrics use the same resamples.
    random : ("cases", "annotators") or ("cases",)
        Of whom the verdict and the intervals of models are: these annotators and others like them, or these only, if they are all there
        are, such as the panel of one hospital. They are also without others if annotators have no names. The verdict makes no claim for
        others of rankings, and of truths that weigh annotators, because their intervals leave annotators out one by one.
    margin : float, optional
        For the verdict, in units of the first measure (a share of cases, or grades), at least 0: whether the best model is ahead of all
        others by more (superiority), and behind none by more (non-inferiority).
    shared_error : float
        Share of the cases in which annotators as a group may be wrong, from 0 to 1, by which statements on the accuracy against the true
        class are wider; see :func:`accuracy_bounds`.
    claim : float, optional
        An accuracy, from 0 to 1, that is claimed to be exceeded: the report says from which share of such errors on it is no longer shown.
        Default: the UA accuracy of always giving the commonest class.
    seed : int, Generator or SeedSequence
        On one machine, the same seed gives the same bytes, for any number of threads.
    n_threads : int
        Threads to use.
    plan : mapping, optional
        What was prespecified, for the report; ``ugt plan`` gives the fields.
    report : mapping, optional
        Texts of the authors for the page; fields that are not given come from the plan. ``title``; ``authors``; ``note``, a
        text or several, each of which the first page shows; ``unit`` and ``annotators_are``, nouns for a case and an annotator such as
        "image" and "reader"; ``appendices``, "folded" (default) or "open" for printing.
    provenance : mapping, optional
        ``command`` and ``inputs`` for the record.

    Returns
    -------
    Evaluation

    Raises
    ------
    ValueError
        If predictions do not fit the cases and classes or hold NaN; if an option is out of range; if a model has the name of an annotator;
        if frequencies are negative, not whole, missing or all 0, or beside names of annotators, clusters or a truth that cannot have any.
    TypeError
        If annotations are of another kind.

    Examples
    --------
    >>> import numpy as np, ugt
    >>> counts = np.array([[6, 2, 0], [1, 1, 3], [0, 4, 4]])
    >>> models = {"A": [[0.7, 0.2, 0.1]] * 3, "B": [[0.2, 0.2, 0.6], [0.1, 0.2, 0.7], [0.1, 0.5, 0.4]]}
    >>> ev = ugt.evaluate(ugt.Labels.from_counts(counts), models, reliability=1, k=1)
    >>> [(row["model"], round(row["value"], 3)) for row in ev.metrics if row["metric"] == "topk_accuracy"]
    [('A', 0.349), ('B', 0.425)]
    """
    planned = facts.planned(plan)
    page = Page(planned, check(report, planned), provenance)
    positive_class = planned.get("positive_class") if positive_class is None else positive_class
    asked = ModelsAsked(
        k, groups, group_names, positive_class, predictions_are, clusters, subgroups, checks.flag("details", details), frequency
    )
    options = Options(level=level, interval=interval, n_resamples=n_resamples, ties=ties, missing=missing, random=random, margin=margin,
                      shared_error=shared_error, claim=claim)  # fmt: skip
    word = resampling.seed_of(seed)
    with parallel.threads(n_threads):
        truth = TruthAsked.of(
            aggregation, reliability, plan is None,
            prior=prior, background=background, tie_weight=tie_weight, method=method, prior_mass=prior_mass,
            unranked=unranked, n_draws=n_draws, n_warmup=n_warmup, n_chains=n_chains, seed=word, n_threads=n_threads,
        )  # fmt: skip
        study = read(annotations, predictions, truth, asked, options)
        context = study.judged()
        known, given = context.known, context.known.given
        tables, said = tables_of(context, OF_RATINGS) if study.real else tables_of(context)
        circular = [Note("model_and_annotator", CIRCULAR, model=name) for name in warn_if_judged(given, list(predictions), stacklevel=3)]
        circular += [] if study.real else informed(given, context.scores, known.rows)
    return Evaluation(
        provenance=facts.provenance(study.settings(page, seed), page.provenance),
        data=study.data(),
        left_out=study.left_out(),
        notes=(*study.notes(said), *circular, *(() if study.real else suspicions(context))),
        models=tuple(context.scores),
        sources=facts.sources(context.unit_names, bool(context.scores), len(known.annotators) > 0),
        tables=tables,
    )
