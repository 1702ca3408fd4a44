"""Cases that say nothing about a number change neither its value nor its standard error nor any of its intervals.

Cases without labels say nothing about any number of labels; cases with one label say nothing where pairs of labels are compared.
"""

import numpy as np
import pytest
from public_functions import FUNCTIONS, make_world, part, take
from simulations import in_ci

import ugt
from ugt.agreement.coefficients import DECLARED
from ugt.resampling import Results

pytestmark = pytest.mark.filterwarnings("ignore")
OF_ANNOTATIONS = [name for name, entry in FUNCTIONS.items() if {"wide", "ratings", "counts"} & {*entry.arrays}]
#: functions for which cases without labels count, and why
OF_ALL_CASES = {"assess_judges": "a judge scored them, too", "corrected_mean": "a judge scored them, too"}
FORMULA = "the published formula takes the classes of all cases, as the docstring says"
PREVALENCE = "a single label tells of the prevalence of the latent class, or of how many labels there are"
ONE_LABEL = "a single label is compared with something else than labels of other annotators"
#: functions for which cases with one label count, and why
OF_SINGLE_LABELS = {
    **OF_ALL_CASES,
    **{name: FORMULA for name, one in DECLARED.items() if not one.two and one.chance is not None and one.chance.of_shares},
    "case_counts": "it counts them",
    **dict.fromkeys(("latent_accuracy", "true_class_statements"), PREVALENCE),
    **dict.fromkeys(
        (
            "accuracy_by_class", "expected_cost",
            "bland_altman", "bootstrap_annotations", "by_annotators", "calibration_at_cuts", "histogram_brier_score", "histogram_log_loss",
            "histogram_losses", "manhattan_distance", "multilabel_mean", "next_annotator_agreement", "perspectivist_distance",
            "perspectivist_error_rate", "plan_annotations", "ranked_probability_score", "ranking_stability", "rating_certainty",
            "reader_study", "against_readers", "relative_f1", "two_way", "ua_rating_accuracy", "wasserstein_distance",
        ),
        ONE_LABEL,
    ),
}  # fmt: skip


def with_more(world, single):
    """The problem with four more cases, which have no label or a single one."""
    found = {
        **take(world, np.append(np.arange(12), np.arange(4))),
        "case_ids": np.append(world["case_ids"], [f"more {i}" for i in range(4)]),
    }
    given = np.ones((16, 4), bool)
    given[12:] = single & np.eye(4, dtype=bool)
    found["wide"] = np.where(given, found["wide"], -1)
    if single:
        found["wide"][range(12, 16), range(4)] = found["class"][12:]
    found["ratings"] = np.where(given, found["ratings"], np.nan)
    found["counts"] = (found["wide"][:, :, None] == np.arange(3)).sum(1)
    return found


def numbers_of(entry, answer):
    """Values, standard errors and intervals of each kind that there is."""
    found = {value: part(answer, value) for value in entry.values}
    if isinstance(answer, Results):
        found["std_error"] = getattr(answer, "std_error", 0.0)
        for kind in ("auto", "percentile", "bca", "analytic"):
            try:
                found[kind] = answer.intervals(kind=kind, n_resamples=40)
            except ValueError:
                assert kind in ("analytic", "bca"), kind
        try:
            found["for other annotators"] = answer.intervals(random=("cases", "annotators"))
        except ValueError as problem:
            assert "annotators" in str(problem) or "random" in str(problem)
    return found


def test_exceptions_are_in_the_table():
    assert {*OF_SINGLE_LABELS} <= {*OF_ANNOTATIONS}


@pytest.mark.parametrize("seed", [3, *in_ci(8, 21)])
@pytest.mark.parametrize(
    ("name", "single"),
    [
        (name, single)
        for single, lacking in ((False, OF_ALL_CASES), (True, OF_SINGLE_LABELS))
        for name in OF_ANNOTATIONS
        if name not in lacking
    ],
)
def test_such_cases_change_nothing(name, single, seed):
    entry, world = FUNCTIONS[name], make_world(seed=seed)
    before, after = (numbers_of(entry, entry.call(one)) for one in (world, with_more(world, single)))
    assert before.keys() == after.keys()
    for what, values in before.items():
        np.testing.assert_allclose(np.asarray(after[what], float), np.asarray(values, float), rtol=1e-9, atol=1e-9, err_msg=what)


@pytest.mark.parametrize("name", ["fleiss_kappa", "gwet_ac1"])
def test_a_difference_has_the_units_of_both(name):
    """More than 400 cases, of which 30 have two labels: the jackknife of 30 units and not quantiles of resamples."""
    rng = np.random.default_rng(1)
    wide = rng.integers(0, 2, (600, 2)).astype(float)
    wide[:, 1] = np.where(rng.random(600) < 0.8, wide[:, 0], wide[:, 1])
    wide[30:, 1] = np.nan
    one, other = (getattr(ugt.agreement, which)(ugt.Labels.from_wide(wide, classes=2)) for which in (name, "percent_agreement"))
    found = one.minus(other)
    assert found.interval(n_resamples=2) == found.interval(n_resamples=40)
