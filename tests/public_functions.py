"""Every public function in one table: how it is called on a small problem, so that what must hold for all is tested for all."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from types import SimpleNamespace
from typing import Any, Callable

import numpy as np
from surface import public

import ugt
from ugt.agreement.coefficients import DECLARED
from ugt.annotations.other_annotators import keeping
from ugt.grades import GRADE_METRICS
from ugt.plausibilities.metric import METRICS

World = dict  # of arrays by name, cases first


def make_world(n: int = 12, k: int = 3, seed: int = 0) -> World:
    """Raw arrays of n cases: labels and ratings by four annotators, rankings, predictions; nothing is undefined."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, n)
    wide = np.where(rng.random((n, 4)) < 0.6, truth[:, None], rng.integers(0, k, (n, 4)))
    wide[:, 3] = np.where(rng.random(n) < 0.3, -1, wide[:, 3])
    counts = (wide[:, :, None] == np.arange(k)).sum(1)
    scores = rng.normal(size=(n, k)) + 2.0 * np.eye(k)[truth]
    probs = 1 + np.round(4 * np.exp(scores))
    ratings = truth[:, None] + rng.integers(-3, 4, (n, 4)) / 2
    return {
        "wide": wide,
        "counts": counts,
        "scores": np.round(scores * 8) / 8,
        "other": np.round(rng.normal(size=(n, k)) * 8) / 8 + np.eye(k)[truth],
        "probs": probs / probs.sum(1, keepdims=True),
        "table": 0.25 + counts + (rng.random((n, k)) < 0.5),
        "sets": rng.random((n, k)) < 0.5,
        "class": np.where(rng.random(n) < 0.7, truth, rng.integers(0, k, n)),
        "ratings": ratings,
        "rated": ratings[:, 0] + rng.integers(-1, 2, n) / 4,
        "shares": (counts + 0.0) / counts.sum(1, keepdims=True),
        "p": np.append([0.0, 1.0, 0.25, 0.75], rng.integers(0, 9, max(n - 4, 0)) / 8)[:n],
        "s": rng.integers(0, 20, n) / 4,
        "ranked": np.array([[rng.permutation(k) for _ in range(3)] for _ in range(n)]).reshape(n, 3, k),
        "risk": np.arange(k) % 3,
        "chosen": np.arange(n) % 2 == 0,
        "case_ids": np.array([f"case {i}" for i in rng.permutation(n)]),
    }


NOT_PER_CASE = ("risk",)
OF_ROWS = ("frequency", "case_weights")  # arguments that say what a row stands for


def take(world: World, rows: Any) -> World:
    """The problem of some cases; a case that is taken twice has another id the second time."""
    found = {name: values if name in NOT_PER_CASE else values[rows] for name, values in world.items()}
    ids = found["case_ids"].tolist()
    found["case_ids"] = np.array([one if one not in ids[:i] else f"{one}, again {i}" for i, one in enumerate(ids)])
    return found


def relabel(world: World, order: Any) -> World:
    """The same problem with the classes in another order."""
    place = np.argsort(order)
    tables = {name: world[name][:, order] for name in ("counts", "scores", "other", "probs", "table", "sets", "shares")}
    names = {name: np.where(world[name] < 0, -1, place[world[name]]) for name in ("wide", "class", "ranked")}
    return {**world, **tables, **names, "risk": world["risk"][order]}


def classes_of(world: World) -> int:
    return int(world["scores"].shape[1])


# ---- what is made of the arrays before a function gets it ----
def labels(world: World) -> Any:
    return ugt.Labels.from_wide(world["wide"], classes=classes_of(world), case_ids=world["case_ids"], missing=-1)


def positive(world: World) -> Any:
    """The first class or another."""
    wide = np.where(world["wide"] > 0, 1, world["wide"])
    return ugt.Labels.from_wide(wide, classes=2, case_ids=world["case_ids"], missing=-1)


def repeated(world: World) -> Any:
    """Annotators 2 and 3 are 0 and 1, who label the cases again."""
    row, column = np.nonzero(world["wide"] >= 0)
    case, label = world["case_ids"][row], world["wide"][row, column]
    return ugt.Labels.from_long(case, column % 2, label, classes=classes_of(world), cases=world["case_ids"])


def guesses(world: World) -> Any:
    """One class for all annotators of a case."""
    wide = np.repeat(world["class"][:, None], 4, axis=1)
    return ugt.Labels.from_wide(wide, classes=classes_of(world), case_ids=world["case_ids"])


def ratings(world: World) -> Any:
    return ugt.Ratings.from_wide(world["ratings"], case_ids=world["case_ids"])


def rankings(world: World) -> Any:
    """Three rankings a case, of two blocks of classes at most two."""
    half = (classes_of(world) + 1) // 2
    nested = [[[[int(k)] for k in order[:half]] for order in case] for case in world["ranked"]]
    return ugt.Rankings.from_blocks(nested, classes=classes_of(world), case_ids=world["case_ids"], offered="all")


def nested(world: World) -> Any:
    return [[[int(k)] for k in case[0][:2]] for case in world["ranked"]]


def posterior(world: World) -> Any:
    return ugt.Dirichlet.from_array(world["table"], case_ids=world["case_ids"])


def certain(world: World) -> Any:
    return ugt.annotation_certainty(posterior(world))


def normals(world: World) -> Any:
    return ugt.truth.normal(ratings(world), prior=(1.0, 0.5, 1.5, 2.0))


def both(world: World) -> Any:
    return {"A": world["scores"], "B": world["other"]}


def three(world: World) -> Any:
    """Scores of a positive class by three models."""
    return {"A": world["s"], "B": -world["s"], "C": np.abs(world["s"] - 2.2)}


def models(world: World) -> Any:
    """Those and what everybody tries first: equal scores, the labels themselves, and a model that lacks the first case."""
    missing = ugt.Predictions(world["case_ids"][1:], world["scores"][1:], classes=range(classes_of(world)))
    return {**both(world), "constant": np.zeros_like(world["scores"]), "perfect": world["counts"], "missing": missing}


def draws(world: World) -> Any:
    return ugt.plackett_luce(rankings(world), method="gibbs", n_draws=16, n_warmup=4, n_chains=2)


def guessed_ratings(world: World) -> Any:
    return ugt.Ratings.from_wide(np.repeat(world["rated"][:, None], 4, axis=1), case_ids=world["case_ids"])


def both_distances(world: World) -> Any:
    return {
        "A": ugt.calibration.manhattan_distance(labels(world), world["probs"]),
        "B": ugt.calibration.manhattan_distance(labels(world), world["shares"]),
    }


def pairs_differ(a: int, b: int) -> bool:
    return a != b


def weighted_mean(weights: Any) -> float:
    return float(weights @ np.arange(len(weights)) / max(weights.sum(), 1))


def share_of_first(drawn: Any) -> float:
    return float(drawn.counts()[:, 0].sum() / drawn.counts().sum())


def weighted_share_of_first(known: Any, weights: Any) -> float:
    return float(weights @ known.counts()[:, 0] / (weights @ known.counts().sum(axis=1)))


def swept(annotations: Any, scores: Any, chosen: Any, **more: Any) -> Any:
    return ugt.humans.threshold_sweep(annotations, scores, **more).best(choose_on=chosen)


def with_all(annotations: Any, predictions: Any, **more: Any) -> Any:
    return ugt.humans.bland_altman(annotations, predictions, **more).pairs[-1]


def turned(first: Any, **more: Any) -> Any:
    return ugt.agreement.partial_average_overlap(first, [case[::-1] for case in first], **more)


def likelihood_of_cases(given: Any, table: Any, **more: Any) -> Any:
    return ugt.truth.plackett_luce_log_likelihood(given, table, **more).reshape(len(table), -1)


def posterior_means(table: Any, counts: Any, **more: Any) -> Any:
    return ugt.calibration.label_posterior(table, counts, **more).mean


def primary_shares(found: Any, **more: Any) -> Any:
    return ugt.annotators.disagreement_deconvolution(found, **more).unbiased.table


def fitted(kind: Any, probs: Any, labels: Any, options: dict[str, Any]) -> Any:
    """An object that is fitted; what a row stands for is said to its fit, all else when it is made."""
    said = {name: options.pop(name) for name in OF_ROWS if name in options}
    return kind(**options).fit(probs, labels, **said)


def p_values(probs: Any, classes: Any, **more: Any) -> Any:
    return fitted(ugt.conformal.SplitConformal, probs, classes, {"randomized": False, **more}).p_values(probs)


def plausible(probs: Any, shares: Any, **more: Any) -> Any:
    return fitted(ugt.conformal.MonteCarloConformal, probs, shares, {"randomized": False, "m": 3, **more}).p_values(probs)


def calibrated(probs: Any, counts: Any, **more: Any) -> Any:
    return fitted(ugt.calibration.TemperatureScaling, probs, counts, {"input": "probabilities", **more}).transform(probs)


def calibrated_at_cuts(counts: Any, probs: Any, **more: Any) -> Any:
    return ugt.grades.calibration_at_cuts(counts, probs, **more)[-1]


def concentrated(probs: Any, counts: Any, **more: Any) -> Any:
    return fitted(ugt.calibration.AlphaCalibration, probs, counts, more).transform(probs)


def studied(p: Any, table: Any, **more: Any) -> Any:
    return ugt.reader_study(p, ugt.studies.Readings.from_array([table.T, abs(table.T - 1)]), **more).differences[0]


def compared_with_readers(p: Any, table: Any, scores: Any, **more: Any) -> Any:
    return ugt.studies.against_readers(p, ugt.studies.Readings.from_array([table.T]), scores, **more).difference


#: the arrays that each of these is made of
MADE_OF: Mapping[Callable[[World], Any], tuple[str, ...]] = {
    labels: ("wide", "case_ids"), repeated: ("wide", "case_ids"), positive: ("wide", "case_ids"), ratings: ("ratings", "case_ids"),
    rankings: ("ranked", "case_ids"), nested: ("ranked",), posterior: ("table", "case_ids"), certain: ("table", "case_ids"),
    normals: ("ratings", "case_ids"), guesses: ("class", "case_ids"), guessed_ratings: ("rated", "case_ids"),
    both_distances: ("wide", "probs", "shares", "case_ids"),
    both: ("scores", "other"), models: ("scores", "other", "counts", "case_ids"), draws: ("ranked", "case_ids"),
    three: ("s",),
}  # fmt: skip


@dataclass(frozen=True)
class Entry:
    """A function, what it is given (names of arrays, or functions of the problem), and what its answer consists of.

    ``values`` and ``per_case`` name parts of the answer: attributes, methods without arguments (``mean()``), or the answer (``.``).
    ``lacks``: properties that it does not have, and why. ``least``: cases from which it has a number.
    """

    function: Callable[..., Any]
    given: tuple[Any, ...]
    fixed: Mapping[str, Any] = field(default_factory=dict)
    values: tuple[str, ...] = ("value",)
    per_case: tuple[str, ...] = ()
    lacks: Mapping[str, str] = field(default_factory=dict)
    least: int = 12

    def call(self, world: World, **more: Any) -> Any:
        made = [one(world) if callable(one) else world[one] for one in self.given]
        return self.function(*made, **{**self.fixed, **more})

    @property
    def arrays(self) -> tuple[str, ...]:
        """The arrays that it is given, or that what it is given is made of."""
        found: list[str] = []
        for one in self.given:
            found += MADE_OF[one] if callable(one) else [one]
        return tuple(dict.fromkeys(found))


def part(answer: Any, name: str) -> Any:
    """A part of an answer, by its name in :class:`Entry`."""
    if name == ".":
        return answer
    found = getattr(answer, name.rstrip("()"))
    return found() if name.endswith("()") else found


def computed_when_asked(record: Any) -> list[str]:
    """Public attributes of a record that holds nothing but what they are made of."""
    found = [key for key, one in inspect.getmembers(type(record), lambda one: isinstance(one, (property, cached_property)))]
    return [key for key in found if not key.startswith("_") and key not in ("statistic", "paired")]


def numbers(answer: Any) -> dict[str, Any]:
    """All public numbers and names of an answer, by their paths, as bytes or text: to compare answers to the last bit."""
    found: dict[str, Any] = {}

    def visit(path: str, value: Any) -> None:
        if isinstance(value, (np.ndarray, np.generic)):
            array = np.asarray(value)
            little = array.astype(array.dtype.newbyteorder("<"))  # the same bytes on every machine
            found[path] = array.tolist() if array.dtype == object else (little.dtype.str, array.shape, little.tobytes())
        elif isinstance(value, Mapping):
            for key, item in value.items():
                if key not in ("provenance", "seconds"):
                    visit(f"{path}.{key}", item)
        elif isinstance(value, (tuple, list)):
            for i, item in enumerate(value):
                visit(f"{path}[{i}]", item)
        elif hasattr(value, "__dict__") and not callable(value):
            known = {key: item for key, item in vars(value).items() if not key.startswith("_")}
            lazy = computed_when_asked(value) if known.keys() <= {"left_out"} else ()
            visit(path, {**known, **{key: getattr(value, key) for key in lazy}})
        elif value is None or isinstance(value, (bool, int, float, str)):
            found[path] = repr(value)

    visit("", answer)
    return found


def takes(name: str, argument: str) -> bool:
    """Whether a public function, or the fit of a public class, has an argument."""
    made = public(name)
    return argument in inspect.signature(made.fit if inspect.isclass(made) else made).parameters


def floats(answer: Any) -> dict[str, Any]:
    """All public numbers of an answer as arrays, by their paths; of an evaluation those of its table of metrics."""
    if isinstance(answer, ugt.evaluation.Evaluation):
        answer = {"metrics": np.array([[row["value"], row["n_cases"]] for row in answer.metrics])}
    found: dict[str, Any] = {}
    for path, one in numbers(answer).items():
        if isinstance(one, tuple) and np.dtype(one[0]).kind in "fiub":
            found[path] = np.frombuffer(one[2], np.dtype(one[0])).reshape(one[1]).astype(float)
        elif isinstance(one, str):
            with suppress(ValueError):
                found[path] = np.array(float(one))
    return found


def some_labelled(table: Any, chosen: Any) -> Any:
    """Ratings of the chosen cases; the others have none."""
    known = ugt.Ratings.from_wide(table)
    return keeping(known, chosen[np.repeat(np.arange(len(table)), np.diff(known.offsets))])


def judged(table: Any, judge: Any, chosen: Any, **more: Any) -> Any:
    """A corrected mean; the chosen cases have labels."""
    return ugt.corrected_mean(some_labelled(table, chosen), judge, **more)


def assessed(table: Any, judge: Any, chosen: Any, **more: Any) -> Any:
    """The means of an assessment of one judge and one system."""
    (row,) = ugt.judges.assess_judges({"model": (some_labelled(table, chosen), {"judge": judge})}, **more).means
    return SimpleNamespace(value=np.array([row.judge_alone, row.people_alone]))


def strongest(ranked: Any, **more: Any) -> Any:
    """Strengths of classes as models, each ranked first once more in a ring, by class."""
    k = ranked.shape[2]
    ring = [np.roll(np.arange(k), j).tolist() for j in range(k)]
    found = ugt.judges.strengths(ugt.judges.Preferences.from_rankings(ranked.reshape(-1, k).tolist() + ring), **more)
    return SimpleNamespace(value=found.value[np.argsort(found.models)])


def ranked(annotations: Any, scores: Any, **more: Any) -> Any:
    found = ugt.soft_auroc(annotations, scores)
    return ugt.rank_sets({"one": found, "other": found}, random=("cases",), **more)


def class_averages(annotations: Any, scores: Any, **more: Any) -> Any:
    """The averages over classes as numbers."""
    found = ugt.soft.accuracy_by_class(annotations, scores, **more)
    return SimpleNamespace(macro=np.array(list(found.macro.values())), micro=np.array(list(found.micro.values())))


def cost_of_errors(annotations: Any, scores: Any, **more: Any) -> Any:
    return ugt.soft.expected_cost(annotations, scores, 1.0 - np.eye(scores.shape[1]), **more)


def planned(annotations: Any, scores: Any, **options: Any) -> Any:
    """A plan's value and components as numbers."""
    found = ugt.plan_annotations(annotations, scores, **{"width": 1.0, "max_annotators": 4, **options})
    return SimpleNamespace(value=found.value, parts=np.array(list(found.components.values())))


def agreement_rows(annotations: Any, **options: Any) -> Any:
    made = {key: options.pop(key) for key in inspect.signature(ugt.agreement_table).parameters if key in options}
    return ugt.agreement_table(annotations, **made).rows(**options)


QUICK = {"n_resamples": 20}
SHORT = {"n_draws": 16, "n_warmup": 4, "n_chains": 2}
ZERO_ONE = {"distance": "zero-one"}
CASES = ("per_case",)
CERTAIN_OF_ITSELF = "a case is certain of itself"
CORRECTED = "corrected for the finite number of units"
ORDINAL = "classes have an order, or are numbers"
FITTED = "a fit that stops at a tolerance, or whose prior counts once"
DRAWN = "random numbers belong to case ids and to positions of classes"
COPIES = "a case with an uncertain truth is a pair with its copy"
COLUMNS = "columns of the answer are classes"


def all_for(reason: str) -> dict[str, str]:
    """No property holds, for one reason."""
    return dict.fromkeys(("order", "duplication", "relabelling"), reason)


GRADE_MEANS = [one for one in GRADE_METRICS.values() if one.function.__annotations__["return"] == "Estimate"]
OF_PAIRS = ("kendall", "concordance", "auroc_at_cuts")

FUNCTIONS: dict[str, Entry] = {
    # certainty and accuracies
    **{one.function: Entry(public(one.function), (posterior, "scores"), {"k": 1 + one.wider}, per_case=CASES) for one in METRICS.values()},
    "accuracy_bounds": Entry(ugt.metrics.accuracy_bounds, (posterior, "scores"), {"k": 2}),
    "latent_accuracy": Entry(ugt.metrics.latent_accuracy, (labels, "scores"), {}, ("value",), (), all_for(FITTED), 60),
    "next_annotator_agreement": Entry(ugt.metrics.next_annotator_agreement, (labels, "scores"), per_case=CASES),
    "annotation_certainty": Entry(ugt.annotation_certainty, (posterior,), per_case=CASES),
    "case_correlation": Entry(ugt.truth.case_correlation, ("p", certain)),
    "expected_certainty": Entry(ugt.truth.expected_certainty, (posterior,), per_case=("per_case", "current")),
    "expected_risk": Entry(ugt.truth.expected_risk, (posterior, "risk"), per_case=CASES),
    **{
        one.function.__name__: Entry(
            one.function,
            (posterior, "probs"),
            per_case=CASES if one in GRADE_MEANS else (),
            lacks={"relabelling": ORDINAL, **({"duplication": COPIES} if one.name in OF_PAIRS else {})},
        )
        for one in GRADE_METRICS.values()
    },
    "rating_certainty": Entry(ugt.truth.rating_certainty, (normals,), {"cut": 1.0}, per_case=CASES, lacks={"relabelling": ORDINAL}),
    "ua_coverage": Entry(ugt.metrics.ua_coverage, (posterior, "sets"), per_case=CASES),
    "ua_group_accuracy": Entry(ugt.metrics.ua_group_accuracy, (posterior, "scores", "risk"), {"group_rule": "top_class"}, per_case=CASES),
    "ua_reciprocal_rank": Entry(ugt.metrics.ua_reciprocal_rank, (posterior, "scores"), per_case=CASES),
    "ua_plausibility_mass": Entry(ugt.metrics.ua_plausibility_mass, (posterior, "sets"), per_case=CASES),
    "ua_rating_accuracy": Entry(
        ugt.metrics.ua_rating_accuracy, (normals, "rated"), {"cuts": [0.5, 1.5]}, per_case=CASES, lacks={"relabelling": ORDINAL}
    ),
    # aggregations
    "committee": Entry(ugt.truth.committee, (labels,), {"n_draws": 20}, (), ("mean()",), {"duplication": DRAWN, "relabelling": DRAWN}),
    "dirichlet": Entry(ugt.dirichlet, (labels,), {}, (), ("mean()",)),
    "fit_dirichlet_prior": Entry(ugt.truth.fit_dirichlet_prior, (labels,)),
    "fit_predictive_reliability": Entry(ugt.truth.fit_predictive_reliability, (labels,), {}, ("profile",), lacks={"duplication": DRAWN}),
    "fit_reliability": Entry(ugt.fit_reliability, (labels, "class"), {}, (), (), all_for(FITTED)),
    "fit_normal_prior": Entry(
        ugt.truth.fit_normal_prior, (ratings,), {}, (), (), {"relabelling": ORDINAL, "duplication": FITTED, "order": FITTED}
    ),
    "irn": Entry(ugt.irn, (rankings,), {}, (), ("mean()",)),
    "normal": Entry(ugt.truth.normal, (ratings,), {"prior": (1.0, 0.5, 1.5, 2.0)}, (), ("location", "scale"), {"relabelling": ORDINAL}),
    "plackett_luce": Entry(ugt.plackett_luce, (rankings,), SHORT, (), ("mean()",), {"duplication": DRAWN, "relabelling": DRAWN}),
    "plackett_luce_diagnostics": Entry(
        ugt.truth.plackett_luce_diagnostics, (draws,), {}, (), ("rhat",), {"duplication": DRAWN, "relabelling": DRAWN}
    ),
    "plackett_luce_log_likelihood": Entry(likelihood_of_cases, (rankings, "table"), {}, (), (".",)),
    "plackett_luce_map": Entry(ugt.papers.plackett_luce_map, (rankings,), {}, (), ("mean()",)),
    "plackett_luce_mle": Entry(ugt.truth.plackett_luce_mle, (rankings,), {"on_nonexistence": "map"}, (), ("mean()",)),
    "prirn": Entry(ugt.prirn, (rankings,), {}, (), ("mean()",)),
    "split_panel_check": Entry(
        ugt.truth.split_panel_check, (labels,), {"prior": "fit"}, ("observed", "predicted", "p_value"), lacks={"duplication": DRAWN}
    ),
    "uncertainty_parts": Entry(
        ugt.truth.uncertainty_parts,
        (posterior,),
        {},
        ("value", "inherent", "annotation", "inherent_share"),
        ("per_case", "inherent_per_case", "annotation_per_case"),
    ),
    "true_class_statements": Entry(
        ugt.truth.true_class_statements, (labels,), {"n_resamples": 9}, ("p_latent", "p_panel", "labels_per_case"), (), all_for(DRAWN)
    ),
    "votes": Entry(ugt.votes, (labels,), {}, (), ("mean()",)),
    # annotator models
    "disagreement_deconvolution": Entry(primary_shares, (labels,), {"p_flip": 0.1}, (), (".",), {"relabelling": COLUMNS}),
    "dawid_skene": Entry(ugt.dawid_skene, (labels,), {"model": "one-coin", "max_iter": 20}, (), (), all_for(FITTED)),
    "dawid_skene_draws": Entry(ugt.annotators.dawid_skene_draws, (labels,), SHORT, (), (), all_for(DRAWN)),
    "glad": Entry(ugt.annotators.glad, (labels,), {"max_iter": 10}, (), (), all_for(FITTED)),
    "graded_response": Entry(ugt.annotators.graded_response, (labels,), {}, (), (), all_for(FITTED)),
    # agreement
    "agreement_table": Entry(agreement_rows, (labels,), QUICK, (), (), {"order": DRAWN, "duplication": CORRECTED, "relabelling": COLUMNS}),
    "annotator_average_overlap": Entry(ugt.agreement.annotator_average_overlap, (rankings,), {"depth": 2}, per_case=CASES),
    **{
        name: Entry(
            public(name),
            (labels,),
            {"annotators": [0, 1]} if one.two else {},
            lacks={"relabelling": ORDINAL} if one.weighted else {},
        )
        for name, one in DECLARED.items()
    },
    "annotator_strictness": Entry(
        ugt.agreement.annotator_strictness,
        (ratings,),
        {},
        ("value", "spread", "f_value"),
        lacks={"duplication": COPIES, "relabelling": ORDINAL},
    ),
    "case_counts": Entry(ugt.agreement.case_counts, (labels,), {}, ("mean_annotators", "mean_classes"), ("n_annotators", "n_classes")),
    "intra_annotator_agreement": Entry(ugt.agreement.intra_annotator_agreement, (repeated,)),
    "intraclass_correlation": Entry(
        ugt.agreement.intraclass_correlation, ("ratings",), lacks={"duplication": CORRECTED, "relabelling": ORDINAL}
    ),
    "krippendorff_alpha": Entry(ugt.krippendorff_alpha, (labels,), lacks={"duplication": CORRECTED}),
    "leave_one_annotator_out": Entry(ugt.agreement.leave_one_annotator_out, (labels,), per_case=CASES),
    "pairwise_agreement": Entry(ugt.agreement.pairwise_agreement, (labels,), values=("value", "per_annotator")),
    "partial_average_overlap": Entry(turned, (nested,), {"depth": 2, "n_classes": 5}, per_case=CASES),
    # histogram losses and disagreement
    "dirichlet_multinomial_log_likelihood": Entry(
        ugt.calibration.dirichlet_multinomial_log_likelihood, ("counts", "table"), {}, (), (".",)
    ),
    "disagreement_losses": Entry(ugt.calibration.disagreement_losses, ("counts", "p"), {}, ("l_phi",), ("observed",)),
    "histogram_brier_score": Entry(ugt.calibration.histogram_brier_score, ("counts", "probs"), per_case=CASES),
    "histogram_log_loss": Entry(ugt.calibration.histogram_log_loss, ("counts", "probs"), per_case=CASES),
    "calibration_at_cuts": Entry(calibrated_at_cuts, ("counts", "probs"), {}, ("l_sq",), lacks={"relabelling": ORDINAL}),
    "histogram_losses": Entry(ugt.histogram_losses, ("counts", "probs"), {}, ("l_sq",)),
    "label_posterior": Entry(posterior_means, ("table", "counts"), {}, (), (".",), {"relabelling": COLUMNS}),
    "manhattan_distance": Entry(ugt.calibration.manhattan_distance, ("counts", "probs"), per_case=CASES),
    "predicted_disagreement": Entry(ugt.calibration.predicted_disagreement, ("probs",), {}, (), ("overall",)),
    "ranked_probability_score": Entry(
        ugt.calibration.ranked_probability_score, ("counts", "probs"), per_case=CASES, lacks={"relabelling": ORDINAL}
    ),
    "symmetric_statistic": Entry(ugt.calibration.symmetric_statistic, ("counts",), {"phi": pairs_differ, "n": 2}, (), (".",)),
    "wasserstein_distance": Entry(
        ugt.calibration.wasserstein_distance, ("counts", "probs"), per_case=CASES, lacks={"relabelling": ORDINAL}
    ),
    # predictions of each annotator's label
    "multilabel_mean": Entry(ugt.humans.multilabel_mean, (both_distances,), per_case=CASES),
    "perspectivist_distance": Entry(
        ugt.humans.perspectivist_distance, (ratings, guessed_ratings), per_case=CASES, lacks={"relabelling": ORDINAL}
    ),
    "perspectivist_error_rate": Entry(ugt.humans.perspectivist_error_rate, (labels, guesses), per_case=CASES),
    # soft scores
    "agreement_by_group": Entry(ugt.agreement.agreement_by_group, (labels,), {"groups": ["a", "a", "b", "b"]}),
    "rank_sets": Entry(ranked, (labels, "scores"), {"n_draws": 100}, ()),
    "by_annotators": Entry(lambda found, scores: ugt.resampling.by_annotators(ugt.soft_auroc(found, scores)).mean(), (labels, "scores")),
    "hard_against_soft": Entry(ugt.soft.hard_against_soft, ("p", three), {}, ("r_squared",), lacks={"duplication": CERTAIN_OF_ITSELF}),
    "ranking_stability": Entry(ugt.soft.ranking_stability, (labels, both), QUICK, ("values",), lacks={"duplication": CORRECTED}),
    "soft_auroc": Entry(ugt.soft_auroc, ("p", "s"), {"self_pairs": "half"}),
    "soft_average_precision": Entry(ugt.soft_average_precision, ("p", "s"), lacks={"duplication": CERTAIN_OF_ITSELF}),
    "soft_precision_recall_curve": Entry(ugt.soft.soft_precision_recall_curve, ("p", "s"), {}, ("area",)),
    "soft_roc_curve": Entry(ugt.soft.soft_roc_curve, ("p", "s"), {}, ("area",)),
    # decisions
    "diagnostic_accuracy": Entry(
        ugt.soft.diagnostic_accuracy, ("p", "s"), {"threshold": 2.0}, ("sensitivity", "specificity", "ppv", "mcc", "lr_positive")
    ),
    "net_benefit": Entry(ugt.soft.net_benefit, ("p", "p"), {"thresholds": [0.2, 0.5]}, ("value", "treat_all", "avoided")),
    "accuracy_by_class": Entry(class_averages, (labels, "scores"), {}, ("macro", "micro")),
    "expected_cost": Entry(cost_of_errors, (labels, "scores"), {}, ("value", "constant", "perfect", "standardized")),
    # studies
    "reader_study": Entry(studied, ("p", "ratings"), {}, ("value", "std_error", "p_value"), (), {"duplication": COPIES}),
    "against_readers": Entry(
        compared_with_readers, ("p", "ratings", "s"), {}, ("value", "std_error", "p_value"), (), {"duplication": COPIES}
    ),
    # discrepancy
    "alternative_annotator_test": Entry(
        ugt.humans.alternative_annotator_test, (labels, "class"), {"least_cases": 2}, lacks={"duplication": CORRECTED}
    ),
    "alternative_discrepancy_ratios": Entry(
        ugt.papers.alternative_discrepancy_ratios, (labels, "class"), {"distance": "zero-one"}, ("ratio",)
    ),
    "annotator_discrepancy": Entry(ugt.humans.annotator_discrepancy, (labels,), ZERO_ONE),
    "annotator_roc_points": Entry(
        ugt.humans.annotator_roc_points, (positive, "s"), {}, ("sensitivity", "specificity"), lacks={"relabelling": ORDINAL}
    ),
    "bland_altman": Entry(
        with_all, (ratings, "rated"), {}, ("bias", "sd", "lower"), lacks={"duplication": CORRECTED, "relabelling": ORDINAL}
    ),
    "mean_pairwise_deviation": Entry(ugt.humans.mean_pairwise_deviation, ("s", "p"), {"distance": "squared"}, (".",)),
    "discrepancy_ratio": Entry(ugt.discrepancy_ratio, (labels, "class"), ZERO_ONE, ("value",), ("alpha_per_case", "mu_per_case")),
    "group_discrepancy": Entry(ugt.humans.group_discrepancy, (labels, "class"), {"groups": ["x", "x", "y", "y"], **ZERO_ONE}),
    "individual_equivalence_index": Entry(ugt.papers.individual_equivalence_index, (labels, "class"), ZERO_ONE),
    "relative_f1": Entry(ugt.papers.relative_f1, (labels, "class"), {"held_out": [3]}),
    "stratified_discrepancy": Entry(
        ugt.humans.stratified_discrepancy,
        (labels, "class"),
        {"ties": "lowest"},
        ("value",),
        (),
        {"relabelling": "ties go to the lowest class"},
    ),
    "threshold_sweep": Entry(swept, (positive, "s", "chosen"), {}, ("threshold", "apparent"), (), {"relabelling": ORDINAL}),
    # conformal and calibration
    "conformal_scores": Entry(ugt.conformal.conformal_scores, ("probs",), {"randomized": False}, (), (".",), {"relabelling": COLUMNS}),
    "AlphaCalibration": Entry(concentrated, ("probs", "counts"), {}, (), (), all_for(FITTED)),
    "MonteCarloConformal": Entry(plausible, ("probs", "shares"), {}, (), (), all_for(DRAWN)),
    "SplitConformal": Entry(p_values, ("probs", "class"), {}, (), (".",), {"duplication": CORRECTED, "relabelling": COLUMNS}),
    "TemperatureScaling": Entry(calibrated, ("probs", "counts"), {}, (), (), all_for(FITTED)),
    # judges and studies
    "assess_judges": Entry(assessed, ("ratings", "s", "chosen")),
    "corrected_mean": Entry(judged, ("ratings", "s", "chosen"), {"tuning": 0.5}, ("value", "judge")),
    "strengths": Entry(strongest, ("ranked",), {}, ("value",), (), all_for(FITTED)),
    "plan_annotations": Entry(planned, (labels, "scores"), values=("value", "parts"), lacks={"duplication": CORRECTED}),
    # resampling and evaluations
    "bootstrap": Entry(ugt.bootstrap, ("scores",), QUICK, ("estimate",), (), {"relabelling": COLUMNS}),
    "bootstrap_annotations": Entry(
        ugt.resampling.bootstrap_annotations, (labels,), {"statistic": share_of_first, **QUICK}, ("estimate",), (), {"relabelling": COLUMNS}
    ),
    "bootstrap_statistic": Entry(
        ugt.resampling.bootstrap_statistic, (), {"statistic": weighted_mean, "n_cases": 12, **QUICK}, ("estimate",)
    ),
    "two_way": Entry(ugt.resampling.two_way, (labels,), {"statistic": weighted_share_of_first}, ("value",), (), {"relabelling": COLUMNS}),
    "evaluate": Entry(
        ugt.evaluate,
        (labels, models),
        {"k": 1, "reliability": [0.5, 2], "details": False, "missing": "drop", **QUICK},
        (),
        (),
        all_for(DRAWN),
    ),
}

#: public functions that judge nothing
OTHERS = {"load_calibrator": "reads a file", "plan_reader_study": "plans from components", "threads": "sets how many threads are used"}
