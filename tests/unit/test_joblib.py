"""``states.compute`` on processes and threads of joblib gives what it gives without."""

import numpy as np
import pytest

from ugt import states

joblib = pytest.importorskip("joblib", reason="the tests of n_jobs need joblib, which is not installed")

N = 3000


def inputs(metric):
    rng = np.random.default_rng(4)
    if metric.startswith("soft"):
        return rng.random(N), rng.random(N)
    return rng.dirichlet(np.ones(3), N), rng.dirichlet(np.ones(3), N)


@pytest.mark.parametrize("backend", ["loky", "threading"])
@pytest.mark.parametrize("metric", ["ua_topk_accuracy", "soft_auroc", "soft_average_precision"])
def test_answers_do_not_depend_on_joblib(metric, backend):
    tables = inputs(metric)
    parts = [None, *zip(*(np.array_split(table, 7) for table in tables)), None]
    alone = states.compute(metric, parts=parts)
    with joblib.parallel_config(backend=backend):
        found = states.compute(metric, parts=parts, n_jobs=2)
        blocks = states.compute(metric, *tables, n_jobs=2, max_memory="300 MB")
    assert found.value == alone.value and found.numbers == alone.numbers and found.n_cases == N
    assert blocks.value == pytest.approx(alone.value, rel=1e-13)


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_resamples_do_not_depend_on_joblib(backend):
    p, scores = inputs("ua_topk_accuracy")
    parts = list(zip(*(np.array_split(table, 5) for table in (p, scores))))
    named = states.compute("ua_topk_accuracy", p, scores, case_ids=np.arange(N), n_resamples=20, seed=1)
    with joblib.parallel_config(backend=backend):
        again = states.compute("ua_topk_accuracy", p, scores, case_ids=np.arange(N), n_resamples=20, seed=1, n_jobs=2)
        assert states.compute("ua_topk_accuracy", parts=parts, n_jobs=2).value == named.value
    assert np.array_equal(again.resampled, named.resampled)


def test_a_missing_joblib_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "joblib", None)
    with pytest.raises(ImportError, match=r"n_jobs needs joblib: pip install 'ugt\[joblib\]'"):
        states.compute("ua_topk_accuracy", *inputs("ua_topk_accuracy"), n_jobs=2)
