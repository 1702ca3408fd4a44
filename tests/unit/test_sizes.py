"""Tables of more than 2³¹ cells: what is sparse is handled, what is not is refused before memory is filled."""

import os

import numpy as np
import pytest
from public_functions import FUNCTIONS, Entry, labels, posterior
from refusals import refused

import ugt
from ugt._base import checks

pytestmark = pytest.mark.filterwarnings("ignore")

N, K = 2**15, 2**16 + 1  # 2³¹ + 2¹⁵ cells
assert N * K > 2**31


@pytest.fixture(autouse=True)
def one_gigabyte(monkeypatch):
    """As if the machine had one: a table of this size is refused on every machine, and none of it is ever made."""
    monkeypatch.setenv("UGT_MEMORY", "1")


def rows(row, dtype=float, n=N):
    """The same row for every case: a table without memory of its own."""
    return np.broadcast_to(np.asarray(row, dtype), (n, len(row)))


@pytest.fixture(scope="module")
def world():
    first, steps = np.eye(1, K)[0], np.arange(K)
    return {
        "wide": rows([0, 0, K - 1, -1], int), "counts": rows(3 * first, int), "scores": rows(steps % 7), "other": rows(steps % 5),
        "probs": rows(first), "table": rows(first), "shares": rows(first), "sets": rows(steps < 2, bool), "class": np.zeros(N, int),
        "ratings": rows(np.arange(4)), "rated": np.ones(N), "p": rows(first), "s": rows(steps % 3),
        "ranked": np.broadcast_to([[0, K - 1], [1, 2], [5, 7]], (N, 3, 2)), "risk": steps % 3, "chosen": np.arange(N) % 2 == 0,
        "case_ids": np.arange(N),
    }  # fmt: skip


def of_labels(world):
    return ugt.dirichlet(labels(world))


#: tables without memory are refused by these before any is made, or sparse annotations are all that they need
QUICK = (
    "annotation_certainty", "expected_risk", "rating_certainty", "dirichlet", "votes", "plackett_luce_log_likelihood",
    "percent_agreement", "cohen_kappa", "scott_pi", "fleiss_kappa", "gwet_ac1", "krippendorff_alpha",
    "pairwise_agreement", "leave_one_annotator_out", "discrepancy_ratio", "annotator_discrepancy", "alternative_discrepancy_ratios",
    "stratified_discrepancy", "relative_f1", "dirichlet_multinomial_log_likelihood", "label_posterior", "symmetric_statistic",
    "predicted_disagreement", "soft_auroc", "soft_average_precision", "soft_roc_curve",
    "bootstrap_annotations", "evaluate", "graded_response",
)  # fmt: skip
REFUSED = (
    "expected_risk", "plackett_luce_log_likelihood", "stratified_discrepancy", "relative_f1",
    "dirichlet_multinomial_log_likelihood", "label_posterior", "symmetric_statistic", "predicted_disagreement",
    "soft_auroc", "soft_average_precision", "soft_roc_curve", "bootstrap_annotations", "evaluate",
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", QUICK)
def test_functions_handle_or_refuse_it(name, world):
    entry = FUNCTIONS[name]
    entry = Entry(entry.function, tuple(of_labels if one is posterior else one for one in entry.given), entry.fixed)
    if name not in REFUSED:
        entry.call(world)
        return
    with pytest.raises(
        MemoryError, match=r"^\w[^.]* needs at least [\d.e+]+ GB of memory, more than the 1 GB that are available \(.*UGT_MEMORY"
    ):
        entry.call(world)


def test_sparse_answers_are_those_of_a_small_table():
    """Cell numbers beyond 2³¹ are no other cells: the last class of the last case."""
    labels = ugt.Labels.from_long(np.arange(N).repeat(2), np.tile([0, 1], N), np.tile([K - 1, 0], N), classes=K, cases=np.arange(N))
    small = ugt.Labels.from_wide([[1, 0]], classes=2)
    assert ugt.agreement.percent_agreement(labels).value == 0 == ugt.agreement.percent_agreement(small).value
    found = ugt.votes(labels)
    assert found.index[-2:].tolist() == [0, K - 1] and found.value[-2:].tolist() == [0.5, 0.5]
    sets = ugt.conformal.PredictionSets.of([[K - 1]] * 3 + [[0]], K)
    post = ugt.dirichlet(labels, prior=1e-9).take(np.arange(N - 4, N))
    np.testing.assert_allclose(ugt.metrics.ua_coverage(post, sets).per_case, 0.5, atol=1e-4)


@pytest.mark.slow
def test_what_would_not_fit_says_how_much_it_needs(world):
    post, given, ones = of_labels(world), labels(world), np.broadcast_to(1.0, (N, K))
    for call, *arguments in (
        (post.mean,),
        (post.membership, 1),
        (post.draws, 1000),
        (post.top, 10_000, 3),
        (given.counts,),
        (lambda: ugt.votes(given).mean(),),
        (lambda: ugt.truth.committee(given, n_draws=10**6),),
        (lambda: ugt.bootstrap(np.ones((2, 100)), n_resamples=10**9),),
        (lambda: ugt.plackett_luce(given, method="gibbs", n_draws=10**6, n_chains=1),),
        (ugt.Dirichlet.from_array, ones),
        (ugt.Point.from_array, ones),
        (ugt.Draws.from_array, np.broadcast_to(1.0, (N, 16, K // 16))),
        (ugt.Labels.from_counts, np.broadcast_to(1, (N // 8, K))),
        (ugt.Predictions, None, ones),
    ):
        refused(r"needs at least [\d.e+]+ GB of memory, more than the 1 GB that are available", call, *arguments, error=MemoryError)


@pytest.mark.parametrize("said", ["no number", "-1", "nan", "0"])
def test_the_limit_must_be_a_number(said, monkeypatch):
    monkeypatch.setenv("UGT_MEMORY", said)
    with pytest.raises(ValueError, match=r"^the environment variable UGT_MEMORY must be a number of GB above 0. Got"):
        ugt.Labels.from_counts(np.ones((2000, 3), np.int64))


def test_memory_maps_and_the_limit_of_the_machine(monkeypatch, tmp_path):
    # a table of 2³¹ bytes on disk, none of them written: rows of it are evaluated, not all of it
    table = np.memmap(tmp_path / "table", np.uint8, "w+", shape=(2**20, 2**11 + 1))
    table[-3:, 0] = 1
    np.testing.assert_array_equal(ugt.Point.from_array(table[-3:]).mean()[:, 0], 1)
    refused(r"counts needs at least 23\.6 GB", ugt.calibration.symmetric_statistic, table, lambda a, b: a != b, n=2, error=MemoryError)
    assert ugt.calibration.disagreement_losses(table[-3:], np.zeros(3)).n_cases == 0
    monkeypatch.delenv("UGT_MEMORY")
    assert ugt.Labels.from_counts([[1, 2]]).n_labels == 3
    refused(r"needs at least 1e\+09 GB", checks.room, "a table", 1e18, error=MemoryError)
    monkeypatch.delattr("os.sysconf", raising=False)  # as on Windows, which is asked otherwise
    if os.name == "nt":
        refused(r"needs at least 1e\+09 GB", checks.room, "a table", 1e18, error=MemoryError)
    else:
        checks.room("a table", 1e18)
