"""Defaults are part of what is published: "the 95 % interval of ugt" must not become another one unnoticed."""

import dataclasses
import inspect

import pytest
from surface import every, public

#: what a public function or method takes if nobody says otherwise, by the name of the argument
DEFAULTS = {
    "against": ["grade", "mass"], "at": ["macro"],
    "aggregation": ["auto"], "allow_empty": [True], "alpha": [0.1, float("nan")], "average": ["macro"],
    "background": [0.0], "binned": [False], "binning": ["width"], "candidates": ["all"], "cases": ["matched", False, True],
    "coefficient": ["cohen", "percent", True], "correction": ["none"], "coverage": [0.95], "decide": ["class"],
    "deep": [True], "details": [True],
    "distance": ["zero-one"], "divide_by": [1.0], "drawn": ["probabilities"], "drop_intermediate": [True], "epsilon": [0.2],
    "estimate": ["debiased"], "fractional": [False], "gradient": [False], "group_rule": ["sum"], "held": [1, 2],
    "higher_is_better": [True],
    "input": ["logits"], "interval": ["auto"], "j": [1], "k": [1, 3], "k_reg": [5],
    "labels": [False],
    "kind": ["A,1", "auto", "dirichlet", "information", "majority", "mean", "predictive", "probability", "set", "top_class"],
    "least_cases": [1, 30, 50], "least_share": [0.0],
    "level": ["nominal", 0.95], "loss": ["log"], "m": [100], "margin": [0.0], "max_annotators": [50], "max_iter": [1000],
    "max_readers": [50], "mc_error": [0.0], "merge_names": [False],
    "metric": ["agreement"], "missing": ["error"], "model": ["auto", "dirichlet", "full"], "most": [20],
    "multiclass": ["ovr"], "n_annotators": [1],
    "n_bins": [15],
    "n_chains": [4],
    "n_draws": [1000, 2304, 4000], "n_infinite": [0], "of": ["accuracy", "annotators", "group", "labels", "width"],
    "n_resamples": [99, 1000], "n_restarts": [0, 4], "n_steps": [20], "n_thin": [1], "n_threads": [1], "n_warmup": [500],
    "normalize": [True], "normalized": [False], "p": [1.0], "numbered": [False], "numbers": [False], "on_scale": [False],
    "on_nonexistence": ["error"], "parameter": [0.0], "penalty": [0.0, 0.005, 0.01],
    "ordered": [False, True],
    "penalty_b": [0.1, 1.0], "penalty_w": [10.0],
    "per_annotator": [False, True], "per_class": [False], "persistence": [0.9], "prevalence": ["uniform"], "prevalence_error": [0.0],
    "prior": ["auto", "fit", 0.0, 0.1], "prior_rate": [1.0], "progress": [False], "q": [0.05], "randomized": [True], "reliability": [1.0],
    "random": ["auto"], "repeats": ["mean"], "replace": [True],
    "scale": ["identity"],
    "score": ["aps", "lac"], "seed": [0], "self_pairs": ["exclude"], "self_term": ["certain"], "share": [0.5],
    "shared_error": [0.0], "single_bins": ["zero"],
    "singletons": ["omit"], "split": [0.5], "spread": [1.5, True], "table": ["metrics"], "threshold": [0.5], "tie": ["tie"],
    "tie_weight": ["split"],
    "thresholds": ["common"], "tuning": ["each"],
    "tempering": [1.0], "ties": ["drop", "expectation", "group"], "tolerance": [0.0001, 1e-07, 1e-09],
    "figure": ["soft_auroc"], "form": ["auto"],
    "method": ["auto", "or"], "unnamed": [False], "unranked": ["individual"], "validation": [0.2],
    "weights": ["quadratic"], "within": [1.0],
}  # fmt: skip


def callables():
    for name, one in every().items():
        yield name, one
        if inspect.isclass(one):
            yield from ((f"{name}.{part}", getattr(one, part)) for part in dir(one) if part[0] != "_" and callable(getattr(one, part)))


def defaults(function):
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:  # written in C
        return {}
    found = {one.name: one.default for one in parameters if one.name[0] != "_"}
    return {name: value for name, value in found.items() if isinstance(value, (bool, int, float, str))}


@pytest.mark.parametrize(("name", "function"), [pair for pair in callables() if defaults(pair[1])])
def test_every_default_is_one_of_the_table(name, function):
    for argument, value in defaults(function).items():
        assert repr(value) in map(repr, DEFAULTS[argument]), (name, argument)


def test_the_table_holds_nothing_else():
    found = {(argument, repr(value)) for _, function in callables() for argument, value in defaults(function).items()}
    assert {(argument, repr(value)) for argument, values in DEFAULTS.items() for value in values} <= found


NUMBERS_ONLY = ("AlternativeRatios", "BestThreshold", "Chosen", "NonInferiority", "RelativeF1")


@pytest.mark.parametrize("name", [name for name, one in callables() if dataclasses.is_dataclass(one)])
def test_records_cannot_be_changed_and_with_arrays_are_equal_only_to_themselves(name):
    """Arrays have no single truth value; and a record that could be changed would no longer say what it was computed from."""
    record = public(name)
    assert record.__dataclass_params__.frozen
    assert (record.__eq__ is object.__eq__) == (record.__hash__ is object.__hash__) == (name not in NUMBERS_ONLY)
