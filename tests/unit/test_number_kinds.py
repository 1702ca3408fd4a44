"""A number of numpy's short types, given for any parameter of any public function or method, counts as the number of Python that it is."""

import ast
import inspect
import warnings
from pathlib import Path

import numpy as np
import public_functions
import pytest
from public_functions import FUNCTIONS, make_world, numbers
from surface import public

import ugt

WORLD = make_world(12, 3, seed=1)
WHOLE = (np.int8, np.uint8, np.int16)  # 2 * 100 is beyond the first, 100 * 4 and -1 beyond the second
REAL = (np.float16, np.float32)
#: values of parameters that take another kind of value by default, or whose default would take long or does not fit into a byte
VALUES = {
    "n_resamples": 100, "n_draws": 100, "n_warmup": 4, "n_chains": 2, "n_thin": 2, "max_iter": 100, "n_restarts": 2, "max_annotators": 4,
    "m": 3, "size": 100, "n_classes": 5, "held": 1, "least_cases": 2, "n_bins": 15, "n_annotators": 2, "depth": 2, "n": 2, "n_threads": 2,
    "reliability": 1.1, "prior": 0.3, "prior_mass": 0.7, "prior_shape": 1.3, "tolerance": 0.001, "width": 1.0, "tuning": 0.3, "power": 0.7,
    "difference": 0.3, "margin": 0.3, "cut": 1.1, "level": 0.9, "coverage": 0.9, "penalty": 0.3, "persistence": 0.9, "floor": 0.1,
    "penalty_b": 0.3, "penalty_w": 0.3, "k_reg": 2, "seed": 100, "k": 2, "max_readers": 50, "p": 0.3, "p_flip": 0.3, "at": 0.3, "q": 0.3,
    "min_cases": 2, "threshold": 0.3, "background": 0.3, "spread": 1.1, "divide_by": 1.1, "within": 1.1, "epsilon": 0.1, "cost": 1.1,
}  # fmt: skip
#: what a function is called with besides, so that it takes the number
BESIDE = {
    ("reader_study", "threshold"): {"figure": "sensitivity"},
    ("against_readers", "threshold"): {"figure": "sensitivity", "score_threshold": 0.3},
    ("against_readers", "score_threshold"): {"figure": "sensitivity", "threshold": 0.3},
    ("plan_annotations", "power"): {"difference": 0.3},
    ("bootstrap_annotations", "cases"): {"statistic": lambda drawn, weights=1: float(np.size(weights))},
    ("committee", "replace"): {"size": 2}, ("ua_rating_accuracy", "binned"): {"cuts": [0.5, 1.5]},
}  # fmt: skip
#: parameters that are named like a number and are none here
OTHER = {
    ("bootstrap_statistic", "n_cases"): "that of the data",
    ("plan_annotations", "value"): "of components",
    ("plan_annotations", "margin"): "of two models, in FURTHER",
    ("plackett_luce_log_likelihood", "gradient"): "two answers, in FURTHER",
    ("fit_predictive_reliability", "held"): "needs 50 cases, in FURTHER",
    **{("accuracy_bounds", key): "of labels, in FURTHER" for key in ("least_share", "shared_error", "level")},
}


def kind_of(parameter):
    """The kind of number that a parameter takes: bool, int, float, or None."""
    words = {word.strip() for word in str(parameter.annotation).replace("resampling.", "").split("|")}
    default = parameter.default
    if "bool" in words or isinstance(default, bool):
        return bool
    if words & {"int", "Seed"} or type(default) is int:
        return int
    return float if "float" in words or isinstance(default, float) else None


def asked(function, name, fixed):
    """The parameters of a function that take a number, with pairs of a number of Python and the same one of numpy."""
    for parameter in inspect.signature(function).parameters.values():
        kind, key = kind_of(parameter), parameter.name
        if kind is None or key.startswith("_") or (name, key) in OTHER:
            continue
        value = fixed.get(key, VALUES.get(key, parameter.default))
        if kind is bool:
            yield key, [(one, np.bool_(one)) for one in (False, True)]
        elif isinstance(value, (int, float)):
            kinds, tried = (WHOLE, {value, 1 if key == "k" else value}) if kind is int else (REAL, {value})
            yield key, [(kind(one(x)), one(x)) for one in kinds for x in sorted(tried)]


def answer_or_error(call):
    """The numbers of an answer, or the kind of a refusal."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return numbers(call())
        except (ValueError, TypeError) as refusal:
            return type(refusal)


CASES = [(name, *one) for name, entry in FUNCTIONS.items() for one in asked(public(name), name, entry.fixed)]


def compare(call, pairs):
    """Call with each number of Python and of numpy; the answers must be the same, and one of them no refusal."""
    known = {}
    for python, numpy in pairs:
        if python not in known:
            known[python] = answer_or_error(lambda: call(python))  # noqa: B023  (called at once)
        assert answer_or_error(lambda: call(numpy)) == known[python], repr(numpy)  # noqa: B023
    return [one for one in known.values() if isinstance(one, dict)]


@pytest.mark.parametrize(("name", "key", "pairs"), CASES, ids=[f"{name}-{key}" for name, key, _ in CASES])
def test_numbers_of_numpy_are_those_of_python(name, key, pairs):
    beside = BESIDE.get((name, key), {})
    assert compare(lambda value: FUNCTIONS[name].call(WORLD, **{**beside, key: value}), pairs), "no number is taken"


PARTS = {"cases": 0.2, "annotators": 0.02, "labels": 0.1}
READERS = {"error": 0.0027, "cov1": 0.0012, "cov2": 0.0015, "cov3": 0.0007, "test_reader": 0.0007, "n_cases": 100}
LARGE = make_world(150, 3, seed=1)
FURTHER = {
    "likelihood": (
        lambda x: ugt.truth.plackett_luce_log_likelihood(public_functions.rankings(WORLD), WORLD["table"], gradient=x), bool, True
    ),
    "held": (lambda x: ugt.truth.fit_predictive_reliability(public_functions.labels(LARGE), held=x), int, 2),
    "margin": (lambda x: ugt.plan_annotations(components=PARTS, metric="difference", margin=x, power=0.8), float, 0.1),
    "value": (lambda x: ugt.plan_annotations(components=PARTS, value=x, width=0.5), float, 0.7),
    "component": (lambda x: ugt.plan_annotations(components={**PARTS, "cases": x}, value=0.5, width=0.5), float, 0.2),
    "cost": (lambda x: ugt.plan_annotations(components=PARTS, width=0.5, cost=(x, 1, 2)), float, 1.1),
    **{
        f"readers: {name}": (
            lambda x, name=name: ugt.studies.plan_reader_study(READERS, **{"margin": 0.05, "power": 0.8, name: x}), kind, value
        )
        for name, kind, value in (
            ("margin", float, 0.06), ("difference", float, 0.01), ("power", float, 0.7), ("width", float, 0.2), ("level", float, 0.9),
            ("max_readers", int, 20),
        )
    },
    "reliabilities": (lambda x: ugt.dirichlet(public_functions.labels(WORLD), reliability={0: x, 1: 1, 2: 1, 3: 1}), float, 0.7),
    **{
        f"bounds: {name}": (
            lambda x, name=name: ugt.metrics.accuracy_bounds(
                public_functions.labels(WORLD), WORLD["scores"], assume="any difficulty", **{name: x}
            ), float, value,
        )
        for name, value in (("least_share", 0.4), ("shared_error", 0.1), ("level", 0.9))
    },
    "p_flip": (lambda x: ugt.annotators.disagreement_deconvolution(public_functions.labels(WORLD), p_flip=x), float, 0.1),
    "threads": (lambda x: ugt.resampling.threads(x).__enter__(), int, 1),
}  # fmt: skip


@pytest.mark.parametrize("name", FURTHER)
def test_further_numbers(name):
    call, kind, value = FURTHER[name]
    kinds = {bool: (np.bool_,), int: WHOLE, float: REAL}[kind]
    assert compare(call, [(kind(one(value)), one(value)) for one in kinds])


def methods():
    """The methods with numbers of all kinds of records: a kind, its first record, a method, and the numbers it is called with."""
    seen, made = set(), [one for entry in FUNCTIONS.values() for one in entry.given if callable(one)]
    calls = [lambda one=one: one(WORLD) for one in dict.fromkeys(made)]
    calls += [lambda entry=entry: entry.call(WORLD) for name, entry in FUNCTIONS.items() if name != "evaluate"]
    for call in calls:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            record = call()
        for method in (one for one in dir(type(record)) if not one.startswith("_")):
            function = getattr(type(record), method)
            if inspect.isfunction(function) and (kind := getattr(function, "__qualname__", "")) not in seen:
                seen.add(kind)
                for key, pairs in asked(function, kind, {}):
                    yield kind, key, getattr(record, method), pairs


def test_numbers_that_methods_take():
    """Those that are called with nothing but numbers; the others are refused alike."""
    compared = set()
    for kind, key, method, pairs in methods():
        needed = [one.name for one in inspect.signature(method).parameters.values() if one.default is one.empty and one.kind < 2]
        beside = {one: VALUES[one] for one in needed if one in VALUES}
        if compare(lambda value: method(**{**beside, key: value}), pairs):  # noqa: B023  (called at once)
            compared.add((kind, key))
    assert len(compared) > 60


def test_no_checked_number_is_dropped():
    """A check returns the number of Python; what is used after a check that stands alone would be the number as it was given."""
    checks, dropped = {"whole", "scalar", "flag", "finite", "check_level", "check_one_sided"}, []
    for path in sorted(Path(ugt.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                called = node.value.func
                name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
                if name in checks and "self." not in ast.unparse(node):  # options of estimators stay as they were given
                    dropped.append(f"{path.name}:{node.lineno} {ast.unparse(node)}")
    assert not dropped
