"""The main job: annotations and predictions in, an ``Evaluation`` of every model under every truth out."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _threads, resampling
from ._evaluation import calibration as _calibration
from ._evaluation import details as _details
from ._evaluation import humans as _humans
from ._evaluation import standings
from ._evaluation import tables as _tables
from ._evaluation import truths as _truths
from ._evaluation.details.context import Context
from ._evaluation.input import aggregation_input, check_mapping, group_names_of, joined, options_of, orders_of
from ._evaluation.needs import check_room
from ._evaluation.work import Work
from ._io.whole_file import write_text
from ._version import __version__
from .annotator_models import warn_if_judged

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

NO_ANNOTATIONS = "case without annotations"
CIRCULAR = "{} is a model and an annotator: a truth made of its own predictions flatters it."
NO_PREDICTIONS = "case without predictions (dropped)"


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Models x reliabilities x metrics, with the spread over draws and an interval over cases; made by :func:`evaluate`.

    Attributes
    ----------
    provenance : mapping
        Versions, seed, date, aggregation and its parameters; input files and command where known.
    data : mapping
        Numbers of cases, classes, annotators and annotations.
    left_out : mapping
        Cases left out, by reason.
    notes : tuple of str
        What a reader must know, in sentences.
    models : tuple of str
        Names of the models.
    certainty : tuple of mappings
        One row a reliability and order: ``reliability, measure, k, value, case_low, case_high, mc_error, n_below_099, n_cases``.
    metrics : tuple of mappings
        One row a model, reliability and metric: ``model, reliability, metric, k, value, draw_std, draw_low, draw_high,
        case_low, case_high, both_low, both_high, p_best, rank_low, rank_high, mc_error, n_cases``. ``draw_*``: spread over draws
        of the truth; ``case_*``: over cases, or clusters of them; ``both_*``: over both. ``p_best``, ``rank_*``: share of the
        resamples in which the model is best, and interval of its rank. ``voted_accuracy`` (reliability None) is ordinary
        accuracy against the voted label. Of two classes also ``soft_auroc``, ``soft_average_precision`` (k None) of the second one
        against the means of the plausibilities, and their twins ``hard_*``; they have no spread over draws.
    winners : tuple of mappings
        The best model of each metric and reliability and how often it is best, the runner-up, the margin and its interval
        (paired: both models on the same resamples).
    flips : tuple of mappings
        Where the order of two models changes with the reliability: ``metric, k, model, other, better_above, reliability, low,
        high, p_inside``. ``better_above``: whether ``model`` is the better one above that reliability; None as an end: beyond the
        reliabilities evaluated; ``p_inside``: share of the resamples that have the change among them.
    calibration : tuple of mappings
        Losses of models that give probabilities, where annotations are labels: ``model, loss, class, plugin, bias, debiased, low, high,
        n_cases``; class None: all together. See :func:`histogram_losses`, :func:`disagreement_losses`.
    agreement : tuple of mappings
        Agreement coefficients of labels: ``coefficient, value, low, high, std_error, observed, expected, n_cases, n_annotators, reason``.
        See :func:`agreement_table`.
    humans : tuple of mappings
        Discrepancy ratios of models and annotators, where it is known who gave which label: ``kind, name, value, low, high, upper,
        p_best, n_cases, p_better``; ``upper``: one-sided limit (bootstrap-t); ``p_best``: better than the best annotator; ``p_better``
        (of annotators): share of resamples in which each model is better. A model's prediction is its first choice. See
        :func:`annotator_discrepancy`.
    reliability_bins : tuple of mappings
        ``model, class, bin_low, bin_high, n_cases, mean_probability, label_share, low, high, few``.
    sources : mapping
        For each interval, the sources of uncertainty that it holds.
    cases : mapping
        Columns of the worklist, least certain case first.
    details : mapping of name to tuple of mappings
        Further tables, such as ``"annotators"``, ``"truth_models"``, ``"strata"``, ``"confusion"``, ``"curves"``, ``"set_coverage"`` and
        ``"sensitivity"``; see the guide to the report. Empty ones are those that the data do not allow.

    Examples
    --------
    >>> import ugt
    >>> ev = ugt.evaluate([[6, 2, 0], [1, 1, 3]], {"A": [[0.7, 0.2, 0.1], [0.5, 0.3, 0.2]]}, k=1)
    >>> ev.models, ev.cases["case"], len(ev.metrics)
    (('A',), ['1', '0'], 2)
    """

    provenance: Mapping[str, Any]
    data: Mapping[str, Any]
    left_out: Mapping[str, int]
    notes: tuple[str, ...]
    models: tuple[str, ...]
    certainty: tuple[Mapping[str, Any], ...]
    metrics: tuple[Mapping[str, Any], ...]
    winners: tuple[Mapping[str, Any], ...]
    flips: tuple[Mapping[str, Any], ...]
    calibration: tuple[Mapping[str, Any], ...]
    reliability_bins: tuple[Mapping[str, Any], ...]
    agreement: tuple[Mapping[str, Any], ...]
    humans: tuple[Mapping[str, Any], ...]
    sources: Mapping[str, tuple[str, ...]]
    cases: Mapping[str, Any]
    details: Mapping[str, tuple[Mapping[str, Any], ...]]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values; NaN as None."""
        return _tables.to_dict(self)

    def to_frame(self, table: str = "metrics") -> Any:
        """One table ("metrics", "certainty", "winners", "cases" ..., or one of ``details``): a pandas DataFrame, or a mapping of columns
        without pandas.
        """
        return _tables.to_frame(self, table)

    def to_json(self, path: Any) -> None:
        """Write everything as strict JSON (no NaN tokens)."""
        write_text(path, _tables.json_text(self))

    def to_csv(self, path: Any, table: str = "metrics") -> None:
        """Write one table as CSV; cells that a spreadsheet would run as a formula get a leading apostrophe."""
        write_text(path, _tables.csv_text(self, table))

    def to_html(self, path: Any) -> None:
        """Write the report: one self-contained page."""
        from .report import html  # noqa: PLC0415  (the report is above this module)

        write_text(path, html(self.to_dict()))


def evaluate(
    annotations: Any,
    predictions: Mapping[str, Any],
    *,
    aggregation: str = "auto",
    reliability: float | Sequence[float] | None = None,
    k: int | Sequence[int] | None = None,
    groups: Any = None,
    group_names: Any = None,
    prior: Any = 0.1,
    background: float = 0.0,
    tie_weight: str = "split",
    prior_mass: float | None = None,
    unranked: str = "individual",
    n_draws: int = 1000,
    n_warmup: int = 500,
    n_chains: int = 4,
    ties: str = "expectation",
    missing: str = "error",
    clusters: Any = None,
    subgroups: Mapping[str, Any] | None = None,
    details: bool = True,
    level: float = 0.95,
    interval: str = "percentile",
    n_resamples: int = 1000,
    seed: resampling.Seed = 0,
    n_threads: int = 1,
    plan: Mapping[str, Any] | None = None,
    provenance: Mapping[str, Any] | None = None,
) -> Evaluation:
    """Evaluate models against an uncertain truth.

    Parameters
    ----------
    annotations : Labels, Rankings, array (N, K) of counts, data frame, or plausibilities
        What annotators said; a frame of pandas or polars has the columns that a file may have. Point, Dirichlet or Draws made
        before are judged as they are, without reliabilities.
    predictions : mapping of name to scores
        Arrays (N, K) in the order of the cases; or anything with case ids, then joined by id (see :class:`Predictions`).
        May be empty: then only certainty is evaluated.
    aggregation : {"auto", "dirichlet", "prirn", "irn", "votes", "plackett-luce"}
        How annotations become truth. ``"auto"``: ``"dirichlet"`` for labels, ``"prirn"`` for rankings.
    reliability : number or sequence of numbers
        Trust in annotators, above 0; the whole evaluation is done for each. Default 1 for ``"dirichlet"`` and
        10, 20, 30, 50, 100 for ``"prirn"``, 1, 2, 3, 5, 10 for ``"plackett-luce"``; ``"irn"`` and ``"votes"`` have none.
    k : int or sequence of int
        Orders: certainty and top-k accuracy for each, set accuracy, overlap and average overlap for those above 1.
        Default 1 and 3 (as far as there are classes).
    groups : (K,) integers, optional
        Group of every class (such as its risk): certainty about the group of the best class is added.
    group_names : sequence, optional
        Names of the groups, for the report.
    prior, background, tie_weight
        See :func:`dirichlet`, :func:`prirn`.
    prior_mass, unranked, n_draws, n_warmup, n_chains
        See :func:`plackett_luce`.
    ties : {"expectation", "first"}
        See :func:`ua_topk_accuracy`.
    missing : {"error", "drop"}
        Cases without predictions of some model: refuse, or leave them out everywhere and count them.
    clusters : (N,) ids, or mapping of case id to cluster, optional
        Cases that belong together, such as one patient's: they are resampled together.
    subgroups : mapping of name to (N,) values, or to a mapping of case id to value, optional
        Results are given for each value apart, such as each site; blank, None and cases that a mapping lacks are "not stated".
    details : bool
        Whether to make the further tables of the report. Without them an evaluation takes less time.
    level : float
        Of all intervals, in (0, 1).
    interval : {"percentile", "basic", "bca"}
        Kind of the bootstrap intervals over cases; those over both are percentile intervals.
    n_resamples : int
        Bootstrap resamples of the cases; all models and metrics are computed on the same ones.
    seed : int, Generator or SeedSequence
        Same seed, same bytes, for any number of threads.
    n_threads : int
        Threads to use.
    plan : mapping, optional
        What was prespecified, for the report; see ``ugt plan`` for the fields.
    provenance : mapping, optional
        ``command`` and ``inputs`` for the record.

    Returns
    -------
    Evaluation

    Raises
    ------
    ValueError
        If predictions do not fit the cases and classes, hold NaN, or an option is out of range.
    TypeError
        If annotations are of another kind.

    Examples
    --------
    >>> import numpy as np, ugt
    >>> counts = np.array([[6, 2, 0], [1, 1, 3], [0, 4, 4]])
    >>> models = {"A": [[0.7, 0.2, 0.1]] * 3, "B": [[0.2, 0.2, 0.6], [0.1, 0.2, 0.7], [0.1, 0.5, 0.4]]}
    >>> ev = ugt.evaluate(counts, models, k=1)
    >>> [(row["model"], round(row["value"], 3)) for row in ev.metrics if row["metric"] == "topk_accuracy"]
    [('A', 0.349), ('B', 0.425)]
    """
    planned = _planned(plan)
    if not isinstance(provenance, (Mapping, type(None))):
        raise TypeError(f"provenance must be a mapping. Got {type(provenance).__name__}.")
    options = options_of(level, interval, n_resamples, ties, missing)
    making = {
        "prior": prior, "background": background, "tie_weight": tie_weight, "prior_mass": prior_mass, "unranked": unranked,
        "n_draws": n_draws, "n_warmup": n_warmup, "n_chains": n_chains, "seed": resampling.seed_of(seed), "n_threads": n_threads,
    }  # fmt: skip
    with _threads.threads(n_threads):
        known = aggregation_input(annotations)
        check_mapping(predictions)
        truths = _truths.truths(known, aggregation, reliability, making)
        orders_k = orders_of(k, known.n_classes)
        check_room(known, truths, len(predictions), orders_k, options, groups is not None, details)
        scores, present = joined(predictions, known.axes, missing)
        of_case = standings.clusters_of(clusters, known.axes)
        parts = standings.subgroups_of(subgroups, known.axes)
        work = Work(truths, _truths.voted(known), scores, present, orders_k, groups, options, making["seed"])
        work.run()
        judged = None if of_case is None else of_case[present]
        work.resample(judged)
        tables = _calibration.of_models(known, scores, present, judged, options, making["seed"])
        beside = _humans.of_models(known, scores, present, judged, options, making["seed"])
        circular = [CIRCULAR.format(name) for name in warn_if_judged(known, list(predictions), stacklevel=3)]
        agreement = _humans.agreement(known, present, judged, options, making["seed"])
        settings = truths.settings
        settings.update(options, k=orders_k, seed=seed if isinstance(seed, int) else str(seed))
        further = (
            _details.compute(_context(known, work, scores, judged, parts, {**settings, "calibration": tables[0]}, making))
            if details
            else ({}, [])
        )
    if groups is not None:
        settings["groups"] = group_names_of(group_names, int(np.max(groups)) + 1)
    made = _provenance({**settings, "plan": planned}, provenance)
    return _record(known, work, tables, (agreement, *beside), further, circular, made)


def _certainty_order(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return (row["reliability"] or 0.0, row["measure"], row["k"])


def _planned(plan: Mapping[str, Any] | None) -> dict[str, Any]:
    if plan is None:
        return {}
    from ._evaluation.plan import check_plan  # noqa: PLC0415

    return check_plan(plan)


def _context(
    known: Any, work: Work, scores: Mapping[str, Array], clusters: Any, subgroups: Mapping[str, Any], settings: Any, making: Any
) -> Context:
    rows = work.rows
    return Context(
        known, rows, {name: table[rows] for name, table in scores.items()}, work.voted, clusters,
        {name: values[rows] for name, values in subgroups.items()}, work.metrics, work.columns, work.case_certainty, work.middle, work.mean,
        {**settings, "diagnostics": work.truths.diagnostics}, making, work.options, work.seed, making["n_threads"],
    )  # fmt: skip


def _record(
    known: Any, work: Work, calibration: Any, humans: Any, further: Any, circular: list[str], provenance: dict[str, Any]
) -> Evaluation:
    undefined = int((~work.voted.defined).sum())
    left_out = {NO_ANNOTATIONS: undefined, NO_PREDICTIONS: int((~work.present).sum())}
    return Evaluation(
        provenance,
        _tables.data_summary(known),
        {reason: n for reason, n in left_out.items() if n},
        (
            *_tables.notes(known, provenance),
            *work.truths.notes,
            *calibration[2],
            *humans[2],
            *further[1],
            *circular,
        ),
        tuple(work.orders),
        tuple(sorted(work.certainty, key=_certainty_order)),
        tuple(work.metrics),
        tuple(work.winners),
        tuple(work.flips),
        tuple(calibration[0]),
        tuple(calibration[1]),
        tuple(humans[0]),
        tuple(humans[1]),
        work.sources,
        _tables.worklist(known, work.voted, work.present, work.case_certainty),
        further[0],
    )


def _provenance(settings: dict[str, Any], given: Mapping[str, Any] | None) -> dict[str, Any]:
    from datetime import datetime, timezone  # noqa: PLC0415  (5 ms that only this needs)

    import scipy  # noqa: PLC0415

    versions = {"ugt": __version__, "python": platform.python_version(), "numpy": np.__version__, "scipy": scipy.__version__}
    date = datetime.now(timezone.utc).isoformat(timespec="seconds")
    return {"date": date, "versions": versions, "command": None, "inputs": [], **settings, **(given or {})}
