"""Labels that are in Parquet files, evaluated by ugt.dask on the processes of one machine, each with little memory.

    python benchmarks/beyond/generate.py data --cases 40000000 --files 40
    python benchmarks/beyond/labels.py data --workers 2 --memory-limit 2GiB --output labels.json

Says whether each case lies in one file; makes seven metrics in one pass over the files, and the exact soft AUROC of class 0 (the share
of its labels against the first model's probability). Prints the seconds of each step and the peak memory of each worker; then, on every
hundredth case, the largest relative difference from what one process says that holds these cases in memory.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from pathlib import Path

import numpy as np
import pandas

CLASSES, PRIOR, EVERY = 10, 0.1, 100


def probabilities(table, model):
    """(N, K) from logits."""
    logits = table[[f"{model}_{k}" for k in range(CLASSES)]].to_numpy(np.float64, copy=True)
    logits -= logits.max(axis=1, keepdims=True)
    np.exp(logits, out=logits)
    logits /= logits.sum(axis=1, keepdims=True)
    return logits


def metrics(labels, table):
    """The states of the cases of a file."""
    import ugt
    from ugt import states

    if not np.array_equal(labels.axes.case_ids, table["case"].to_numpy()):
        raise ValueError("labels and predictions must have the same cases in the same order in every file")
    truth, first = ugt.dirichlet(labels, prior=PRIOR), probabilities(table, "first")
    found = {
        "certainty": states.partial("annotation_certainty", truth),
        "accuracy of first": states.partial("ua_topk_accuracy", truth, first),
        "discrepancy ratio of first": states.partial("discrepancy_ratio", labels, first),
    }
    del first
    found["accuracy of second"] = states.partial("ua_topk_accuracy", truth, probabilities(table, "second"))
    found["Fleiss' kappa"] = states.partial("fleiss_kappa", labels)
    found["Krippendorff's alpha"] = states.partial("krippendorff_alpha", labels)
    return found


def share(labels):
    """(N,) of class 0 among the labels of each case."""
    counts = labels.counts()
    return counts[:, 0] / counts.sum(axis=1)


def score(table):
    return pandas.Series(probabilities(table, "first")[:, 0])


def alone(labels, table):
    """The same from the functions themselves, with all cases in memory."""
    import ugt

    truth, first, second = ugt.dirichlet(labels, prior=PRIOR), *(probabilities(table, model) for model in ("first", "second"))
    return {
        "certainty": ugt.annotation_certainty(truth).value,
        "accuracy of first": ugt.ua_topk_accuracy(truth, first).value,
        "discrepancy ratio of first": ugt.discrepancy_ratio(labels, first).value,
        "accuracy of second": ugt.ua_topk_accuracy(truth, second).value,
        "Fleiss' kappa": ugt.fleiss_kappa(labels).value,
        "Krippendorff's alpha": ugt.krippendorff_alpha(labels).value,
        "soft AUROC of class 0": ugt.soft_auroc(share(labels), first[:, 0]).value,
    }


def evaluate(frames, step):
    """All metrics by ugt.dask; ``step(name, function)`` calls a function."""
    import dask

    import ugt.dask

    labels = ugt.dask.labels(frames[0], classes=CLASSES)
    found = step("metrics in one pass", lambda: ugt.dask.compute(metrics, labels, frames[1]))
    columns = [dask.delayed(share)(one) for one in labels], frames[1].map_partitions(score, meta=(None, "f8"))
    found["soft AUROC of class 0"] = step("exact soft AUROC", lambda: ugt.dask.compute("soft_auroc", *columns))
    return {name: {"value": one.value, "std_error": one.std_error, "n_cases": one.n_cases} for name, one in found.items()}


def every(frame):
    return frame[frame["case"] % EVERY == 0]


def on_a_subset(frames):
    """What ugt.dask and one process say of every hundredth case."""
    import ugt

    some = [frame.map_partitions(every) for frame in frames]
    found = evaluate(some, lambda _, call: call())
    rows, table = (frame.compute() for frame in some)
    expected = alone(ugt.Labels.from_long(*(rows[name] for name in ("case", "annotator", "label")), classes=CLASSES), table)
    differences = {name: abs(found[name]["value"] - value) / abs(value) for name, value in expected.items()}
    return {"n_cases": len(table), "relative_differences": differences, "largest": max(differences.values())}


def peak():
    """Bytes that this process has held at most."""
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def run(folder, workers, memory_limit):
    from dask import dataframe
    from distributed import Client, LocalCluster

    import ugt.dask

    seconds = {}

    def step(name, call):
        begin = time.perf_counter()
        found = call()
        seconds[name] = time.perf_counter() - begin
        print(f"{name}: {seconds[name]:.1f} s", flush=True)
        return found

    options = {"n_workers": workers, "threads_per_worker": 1, "memory_limit": memory_limit, "dashboard_address": None}
    with LocalCluster(processes=True, **options) as cluster, Client(cluster) as client:
        frames = [dataframe.read_parquet(str(folder / name), split_row_groups=False) for name in ("labels", "predictions")]
        n_cases, n_shared = step("cases in one file each", lambda: ugt.dask.cases_apart(frames[0]))
        if n_shared:
            raise SystemExit(f"{n_shared} cases lie in two files")
        found = evaluate(frames, step)
        peaks = sorted(client.run(peak).values())
        subset = step("on a subset, both ways", lambda: on_a_subset(frames))
    return {
        "n_cases": n_cases,
        "n_files": frames[0].npartitions,
        "workers": workers,
        "memory_limit": memory_limit,
        "seconds": seconds,
        "peak_bytes_of_workers": peaks,
        "metrics": found,
        "subset": subset,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--memory-limit", default="2GiB", help="of each worker")
    parser.add_argument("--output", type=Path, help="a JSON file for all numbers")
    given = parser.parse_args()
    found = run(given.folder, given.workers, given.memory_limit)
    for name, one in found["metrics"].items():
        print(f"{name}: {one['value']:.6f} ± {one['std_error']:.2g} of {one['n_cases']} cases")
    print("peak memory of each worker:", ", ".join(f"{one / 2**20:.0f} MiB" for one in found["peak_bytes_of_workers"]))
    print(f"largest relative difference on {found['subset']['n_cases']} cases: {found['subset']['largest']:.2g}")
    if given.output:
        given.output.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
