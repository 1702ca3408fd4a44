"""Memory that cannot be had is a MemoryError, wherever it is asked for: nothing crashes, and the next call works.

A small library between Python and the allocator lets the n-th request of the extension modules fail, for every n.
"""

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ugt._core import _dirichlet, _order, _pairs, _rows, _tables

# Only requests that come from the extension modules are counted: those of Python and of numpy pass.
INTERPOSER = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
static long requests, failing = -1;
static __thread int asking;

static int fails(void *caller)
{
    Dl_info info;
    if (failing < 0 || asking)
        return 0;
    asking = 1;
    const int ours = dladdr(caller, &info) && info.dli_fname != NULL && strstr(info.dli_fname, "ugt/_core/") != NULL;
    asking = 0;
    return ours && ++requests == failing;
}

void *malloc(size_t n) { return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t size) { return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size); }
void *realloc(void *at, size_t n) { return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(at, n); }
void fail_at(long n) { requests = 0; failing = n; }
long requested(void) { return requests; }
"""

SCRIPT = r"""
import ctypes, sys, warnings
import numpy as np
import ugt
from ugt import io

warnings.simplefilter("ignore")
library = ctypes.CDLL(sys.argv[1])
rng = np.random.default_rng(0)
N, K = 6, 4
labels = ugt.Labels.from_wide(rng.integers(0, K, (N, 5)), classes=K)
ratings = ugt.Ratings.from_wide(rng.random((N, 5)))
masks = ugt.Masks.from_wide(rng.random((3, 4, 8, 8)) < 0.5)
rankings = ugt.Rankings.from_blocks([[[[0], [1, 2]], [[2], [0]]], [[[3]], [[1], [3]]], [[[0, 1]], [[1], [0], [2]]]], n_classes=K)
truth = ugt.prirn(labels, background=0.1)
predictions = rng.dirichlet(np.ones(K), N)
counts = rng.integers(1, 5, (N, K))
p, scores = rng.random(50), rng.random(50)
points = ugt.papers.plackett_luce_map(rankings)
draws = ugt.plackett_luce(rankings, method="gibbs", n_draws=4, n_warmup=2, n_chains=2, seed=1)
path = sys.argv[2]

CALLS = {
    "annotations": lambda: ugt.Labels.from_long(["a", "b", "a"], [0, 1, 1], ["x", "y", "y"]).axes.classes,
    "blocks": lambda: ugt.Rankings.from_blocks([[[[0], [1]]]], n_classes=K).axes.classes,
    "csv": lambda: io.read_annotations(path).annotations.axes.classes,
    "irn": lambda: ugt.irn(rankings).value,
    "leave one out": lambda: ugt.agreement.leave_one_annotator_out(rankings).value,
    "partial overlaps": lambda: ugt.agreement.annotator_average_overlap(rankings, 2).value,
    "top k": lambda: ugt.ua_topk_accuracy(truth, predictions, 2).value,
    "kendall": lambda: ugt.metrics.ua_kendall_distance(truth, predictions, 3).value,
    "certainty": lambda: ugt.annotation_certainty(truth, k=2).value,
    "draws": lambda: truth.draws(3, seed=1),
    "plackett-luce": lambda: ugt.plackett_luce(rankings, method="gibbs", n_draws=4, n_warmup=2, n_chains=2, seed=1).values,
    "mode": lambda: ugt.papers.plackett_luce_map(rankings).value,
    "likelihood": lambda: ugt.truth.plackett_luce_log_likelihood(rankings, points),
    "best of draws": lambda: ugt.annotation_certainty(draws, k=2).value,
    "diagnostics": lambda: ugt.annotators.dawid_skene_draws(labels, n_draws=4, n_warmup=2, n_chains=2).diagnostics.rhat,
    "dawid-skene": lambda: ugt.dawid_skene(labels, n_restarts=1).log_likelihood,
    "candidates": lambda: ugt.dawid_skene(labels, n_restarts=1, candidates="seen").log_likelihood,
    "coins": lambda: ugt.dawid_skene(labels, n_restarts=1, model="one-coin").log_likelihood,
    "glad": lambda: ugt.annotators.glad(labels, max_iter=20).log_likelihood,
    "soft": lambda: ugt.soft_auroc(p, scores).value,
    "curve": lambda: ugt.soft.soft_roc_curve(p, scores).thresholds,
    "histogram": lambda: ugt.calibration.histogram_log_loss(counts, predictions).value,
    "scores": lambda: ugt.conformal.conformal_scores(predictions, seed=1),
    "label distances": lambda: ugt.humans.annotator_discrepancy(labels, predictions=predictions, distance="zero-one").value,
    "distances": lambda: ugt.humans.annotator_discrepancy(ratings).value,
    "masks": lambda: ugt.humans.annotator_discrepancy(masks, distance="jaccard").value,
    "bootstrap": lambda: ugt.bootstrap(p, n_resamples=20, seed=1).values,
    "soft resamples": lambda: ugt.soft_auroc(p, scores).interval(n_resamples=20),
    "stability": lambda: ugt.soft.ranking_stability(labels, {"A": predictions, "B": predictions[::-1]}, n_resamples=20).values,
    "histogram losses": lambda: ugt.histogram_losses(counts, predictions).interval(n_resamples=20),
    "sets": lambda: ugt.conformal.SplitConformal().fit(predictions, counts.argmax(1)).p_values(predictions),
    "plausible sets": lambda: ugt.conformal.MonteCarloConformal(m=3).fit(predictions, predictions).p_values(predictions),
    "coefficient": lambda: ugt.krippendorff_alpha(labels).interval(n_resamples=20),
    "expected certainty": lambda: ugt.truth.expected_certainty(ugt.dirichlet(labels)).value,
    "resampled overlaps": lambda: ugt.ua_average_overlap(draws, predictions[:3], 2).interval(n_resamples=20),
}


def call(name):
    value = CALLS[name]()
    return np.asarray(value() if callable(value) else value).tobytes()


for name in CALLS:
    call(name)  # what is kept from now on is there
    library.fail_at(0)
    expected = call(name)
    n = library.requested()
    if n == 0:
        raise SystemExit(f"{name}: asked for nothing")
    for k in range(1, n + 1):
        library.fail_at(k)
        try:
            call(name)
        except MemoryError:
            continue
        finally:
            library.fail_at(-1)
        raise SystemExit(f"{name}: request {k} of {n} failed, and nobody said so")
    if call(name) != expected:
        raise SystemExit(f"{name}: another result afterwards")
    print(name, n, sep="\t", flush=True)
"""


@pytest.mark.slow
def test_every_request_that_fails_is_a_memory_error(tmp_path):
    compiler = shutil.which("cc") or shutil.which("gcc")
    if platform.libc_ver()[0] != "glibc" or compiler is None or "LD_PRELOAD" in os.environ:
        pytest.skip("needs glibc, a C compiler and an allocator that nothing else stands before")
    source, library, table = tmp_path / "interpose.c", tmp_path / "interpose.so", tmp_path / "labels.csv"
    source.write_text(INTERPOSER, encoding="utf-8")
    table.write_text("case,annotator,label\n" + "".join(f"c{i},a{i % 3},{i % 2}\n" for i in range(30)), encoding="utf-8")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", source, "-o", library, "-ldl"], check=True, timeout=60)
    root = Path(_tables.__file__).parents[2]
    environment = {**os.environ, "LD_PRELOAD": str(library), "PYTHONPATH": str(root), "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", SCRIPT, library, table]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert sum(int(line.split("\t")[1]) for line in done.stdout.splitlines()) > 500


ROW, ONE, CLASS = np.array([0, 1]), np.ones(1), np.zeros(1, np.int32)
RANKINGS = (ROW, ROW, ROW, CLASS)


def entries(n):
    _pairs.find_entries(ROW, CLASS, n)


def counts(n):
    _tables.class_counts(ROW, CLASS, np.ones(1, np.int64), n)


def pairs_of_labels(n):
    _tables.pair_sums(ROW, CLASS, np.ones(1, np.int64), None, n, True)


def inverse_ranks(n):
    _tables.irn(*RANKINGS, n, False, 1)


def overlaps(n):
    _tables.partial_overlaps(RANKINGS, RANKINGS, n, ROW[:1], ROW[1:], ONE, ONE, n, 0, 1, np.zeros(1))


def order(n):
    _order.ragged_rows(ROW, CLASS, ONE, n, 1, False, np.zeros(2, np.int64))


def comparison(n):
    out, defined = (np.empty((1, 1)), np.zeros((1, 1))), np.ones(1, np.uint8)
    _order.compare(ROW, CLASS, CLASS, ROW, CLASS, CLASS, defined, 0, 1, 1, n, 1, 0, 0.0, *out)


def certain(n):
    found = _dirichlet.Profiles(ROW, CLASS, ONE, ONE, 9, np.empty(1, np.int64), np.empty(1, np.int32), np.empty(1, np.int32))
    found.certainty(0, 1, min(n, 2**31 - 1), np.empty(1))


def reader(n):
    _rows.RowReader(ord(","), CLASS, 1, n)


def readers(n):
    _rows.RowReader(ord(","), CLASS, n, 1)


@pytest.mark.parametrize(
    "function", [entries, counts, pairs_of_labels, inverse_ranks, overlaps, order, comparison, certain, reader, readers]
)
@pytest.mark.parametrize("n", [2**47, 2**60, 2**61, 2**62, 2**63 - 1])
def test_sizes_that_no_memory_holds(function, n):
    """Among them those whose product with the size of an item wraps around to a small number."""
    with pytest.raises(MemoryError):
        function(n)
