"""Ctrl-C at random moments: no crash, no half-written file, and the next call says what it always said.

    python tests/stress/interrupt.py 200

Needs a system with POSIX signals.
"""

import faulthandler
import json
import os
import random
import signal
import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from public_functions import both, labels, make_world, numbers, rankings

import ugt
from ugt.io import output_folder

Task = tuple


def evaluated(world, folder):
    found = ugt.evaluate(labels(world), both(world), n_resamples=50, k=1, n_threads=2)
    found.to_json(folder / "evaluation.json")
    found.to_csv(folder / "metrics.csv")
    found.to_html(folder / "report.html")
    return [row["value"] for row in found.metrics]


def resampled(world, folder):
    return numbers(ugt.bootstrap(world["scores"], n_resamples=100_000).interval())


def drawn(world, folder):
    return numbers(
        ugt.plackett_luce(rankings(world), method="gibbs", n_draws=400, n_warmup=1000, n_threads=2, checkpoint=folder / "checkpoint")
    )


def integrated(world, folder):
    """By quasi-Monte Carlo."""
    hard = [[[0, 1], [2, 3], [4]], [[4, 2], [5], [6]], [[6], [1], [3]], [[5, 7], [2]]]
    given = ugt.Rankings.from_blocks([hard[: 3 + i % 2] for i in range(4)], n_classes=9)
    return numbers(ugt.plackett_luce(given, reliability=1.5, tolerance=1e-4, n_threads=2, checkpoint=folder / "checkpoint"))


def certain(world, folder):
    return numbers(ugt.annotation_certainty(ugt.Dirichlet.from_array(world["table"]), k=2))


def written(world, folder):
    with output_folder(folder / "out") as out:
        for name in "abcdef":
            (out / name).write_text("whole", encoding="utf-8")
            time.sleep(0.002)
    return sorted(path.name for path in (folder / "out").iterdir())


TASKS = {
    "evaluate": evaluated,
    "bootstrap": resampled,
    "plackett_luce": drawn,
    "integrals": integrated,
    "certainty": certain,
    "output folder": written,
}


def check_files(folder):
    """Whatever is there by its name is whole."""
    for path in folder.iterdir():
        if path.suffix == ".json":
            json.loads(path.read_text(encoding="utf-8"))
        if path.suffix == ".html":
            assert path.read_text(encoding="utf-8").rstrip().endswith("</html>"), path
        if path.suffix == ".csv":
            assert path.read_text(encoding="utf-8").endswith("\n"), path
        if path.is_dir() and path.name == "out":
            assert sorted(one.name for one in path.iterdir()) == list("abcdef"), "a folder with some of its files"


def once(task, world, expected, seconds):
    """One run that is interrupted after some seconds, and one that is not: whether the first was hit, seconds of the second."""
    hit = False
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
        try:
            try:
                timer.start()
                found = task(world, folder)
            finally:
                timer.cancel()
                timer.join()
            assert found == expected
        except KeyboardInterrupt:
            hit = True
        check_files(folder)
        begin = time.monotonic()
        if (folder / "checkpoint").exists():  # else the next call would have nothing to do
            (folder / "checkpoint").unlink()
        assert task(world, folder) == expected, "the next call says something else"
        check_files(folder)
    return hit, time.monotonic() - begin


def main(tries):
    faulthandler.enable()
    faulthandler.dump_traceback_later(1200, exit=True)
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background it is ignored
    world, dice, expected, seconds = make_world(60), random.Random(1), {}, {}
    for name, task in TASKS.items():
        for _ in range(2):  # the second time everything is imported
            with tempfile.TemporaryDirectory() as folder:
                begin = time.monotonic()
                expected[name] = task(world, Path(folder))
                seconds[name] = time.monotonic() - begin
    hits, runs = dict.fromkeys(TASKS, 0), 0
    while sum(hits.values()) < tries:
        name = list(TASKS)[runs % len(TASKS)]
        hit, seconds[name] = once(TASKS[name], world, expected[name], dice.random() * seconds[name])
        hits[name] += hit
        runs += 1
    print(f"{runs} runs, {tries} interrupted before their end: {hits}")
    print("seconds of a whole run:", {name: round(each, 3) for name, each in seconds.items()})


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
