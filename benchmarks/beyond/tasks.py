"""What dask's scheduler takes for each task: the same cases in few partitions and in many, on two workers.

    python benchmarks/beyond/tasks.py --cases 2000000 --partitions 10 1000 --ranges 64

Prints, for each number of partitions, the tasks and seconds of one metric in parts and of the exact soft AUROC; from both ends the
seconds that a task adds. The answers must agree to 1e-12.
"""

from __future__ import annotations

import argparse
import time

import numpy as np


def data(begin, end):
    """Scores and labels of cases; the same, however they are divided."""
    case = np.arange(begin, end, dtype=np.uint64)
    mixed = (case * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(11)
    scores = mixed / float(1 << 53)
    return ((case * np.uint64(0xD1B54A32D192ED03)) >> np.uint64(40)) / float(1 << 24) < scores, scores


def accuracy(case):
    """The state of some cases."""
    from ugt import states

    labels, scores = data(int(case[0]), int(case[-1]) + 1)
    return states.partial("ua_topk_accuracy", np.stack([1.0 - labels, labels], axis=1), np.stack([1 - scores, scores], axis=1))


def timed(graph):
    """Tasks, seconds and the value of something delayed."""
    from ugt import states

    begin = time.perf_counter()
    tasks = len(graph.__dask_graph__())
    state = graph.compute()
    return tasks, time.perf_counter() - begin, states.finish(state).value


def main():
    import dask
    from distributed import Client, LocalCluster

    import ugt.dask

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=2_000_000)
    parser.add_argument("--partitions", type=int, nargs=2, default=[10, 1000])
    parser.add_argument("--ranges", type=int, default=64)
    given = parser.parse_args()
    found = {"a metric in parts": [], "exact soft AUROC": []}
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster):
        for n in given.partitions:
            bounds = np.linspace(0, given.cases, n + 1).astype(int)
            pairs = [dask.delayed(data, nout=2)(int(begin), int(end)) for begin, end in zip(bounds[:-1], bounds[1:])]
            cases = [dask.delayed(np.arange)(int(begin), int(end)) for begin, end in zip(bounds[:-1], bounds[1:])]
            graphs = {
                "a metric in parts": ugt.dask.partial(accuracy, cases),
                "exact soft AUROC": ugt.dask.partial(
                    "soft_auroc", [p for p, _ in pairs], [scores for _, scores in pairs], n_ranges=given.ranges
                ),
            }
            for name, graph in graphs.items():
                found[name].append(timed(graph))
                print(f"{name}, {n} partitions: {found[name][-1][0]} tasks, {found[name][-1][1]:.1f} s", flush=True)
    for name, ((few, fast, one), (many, slow, other)) in found.items():
        assert abs(one - other) <= 1e-12 * one, f"{name}: {one} of few partitions, {other} of many"
        print(f"{name}: {1e3 * (slow - fast) / (many - few):.2f} ms a task")


if __name__ == "__main__":
    main()
