"""Instructions that the kernels take, counted by callgrind: the same every day, whatever else the machine does.

``python benchmarks/instructions.py`` counts and compares with instructions.json: a kernel that takes over 5 % more, in all and for each
call, is a failure. A kernel that is only called more often is not slower: its line says so.
``--write`` keeps the new numbers. They hold for one compiler, C library and numpy: with others they are shown, and nothing fails.
Needs valgrind; takes about a minute.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

KEPT = Path(__file__).with_suffix(".json")
MOST = 1.05  # blocks of memory that can or cannot grow where they are make a difference of some 2 %
LEAST = 200_000  # instructions: below it is no kernel
KERNEL = re.compile(r"^\s*([\d,]+) .*?:(ugt_\w+) \[.*/ugt/_core/", re.MULTILINE)
CALLED = re.compile(r"^c?fn=\((\d+)\)(?: (\S+))?\n(?:calls=(\d+))?", re.MULTILINE)  # a function's name stands where it is met first


def work():
    """Every kernel through public functions, on generated data of up to some thousand cases."""
    import numpy as np

    import ugt
    from ugt import states, synthetic
    from ugt.resampling import PartMeans

    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    labels, _ = synthetic.make_labels(2000, 10, 5, seed=1)
    rankings, models, _ = synthetic.make_demo()
    model = next(iter(models.values()))
    scores, probability = rng.random((2000, 10)), rng.dirichlet(np.ones(10), 2000)
    p, s = rng.random(50_000), rng.random(50_000)
    halves = slice(0, 1000), slice(1000, 2000)

    ugt.soft.soft_roc_curve(p, s)
    ugt.soft_auroc(p, s).interval(kind="percentile", n_resamples=20)
    post = ugt.dirichlet(labels, prior=0.1)
    for truth in (post, ugt.votes(labels)):
        ugt.annotation_certainty(truth, k=2)
        ugt.ua_average_overlap(truth, scores, 3)
        ugt.metrics.ua_set_accuracy(truth, scores, 2)
        ugt.ua_topk_accuracy(truth, scores, 2)
    post.draws(20)
    post.top(20, 3)
    ugt.bootstrap(scores, n_resamples=50)
    PartMeans(2000, [(np.arange(2000), scores)]).sums(np.arange(40_000.0).reshape(20, 2000) % 3)
    ugt.resampling.bootstrap_annotations(labels, lambda again: again.n_labels, n_resamples=20)
    by_nine, two = synthetic.make_labels(500, 2, 9, seed=1)[0], np.random.default_rng(1).random((2, 500))
    for metric, (one, other) in ((ugt.metrics.next_annotator_agreement, np.stack([two, 1 - two], axis=2)), (ugt.soft_auroc, two)):
        metric(by_nine, one).minus(metric(by_nine, other)).two_way()
    ugt.histogram_losses(labels, probability).interval(n_resamples=20)
    ugt.calibration.disagreement_losses(labels, ugt.calibration.predicted_disagreement(probability)).interval(n_resamples=20)
    ugt.calibration.dirichlet_multinomial_log_likelihood(labels.counts(), 5 * probability)
    for predicted in (probability, scores.argmax(1)):
        ugt.discrepancy_ratio(labels, predicted)
    ugt.fleiss_kappa(ugt.Labels.from_counts(rng.multinomial(3, [0.5, 0.3, 0.2], 10_000)))
    _ = ugt.krippendorff_alpha(labels).std_error
    ugt.conformal.conformal_scores(probability, "raps")
    for fit in (ugt.dawid_skene, ugt.annotators.glad):
        fit(labels)
    ugt.annotators.graded_response(labels, max_iter=20)
    said = (np.random.default_rng(1).random((500, 7)) < np.linspace(0, 1, 500)[:, None]).astype(int)
    ugt.metrics.latent_accuracy(ugt.Labels.from_wide(said[:, :5]), said[:, 5:])
    ugt.annotators.dawid_skene_draws(labels, n_draws=20, n_warmup=10)
    for unranked in ("individual", "lump"):
        draws = ugt.plackett_luce(rankings, method="gibbs", unranked=unranked, n_draws=100, n_warmup=50, seed=1)
        ugt.ua_average_overlap(draws, model, 3)
    ugt.plackett_luce(ugt.Rankings.from_blocks([[[[0, 1], [2]], [[2], [0]]]], classes=4), method="exact")
    cycles = [[[(i + j) % 8] for j in range(4)] for i in range(8)]
    integrated = ugt.plackett_luce(ugt.Rankings.from_blocks([[[[0], [1]], [[1], [0]]], cycles], n_classes=10), tolerance=1e-3)
    ugt.annotation_certainty(integrated, groups=np.arange(10) % 3)
    weighted = ugt.plackett_luce(ugt.Rankings.from_blocks([cycles, [[[0, 1], [2, 3, 4]]]] * 5, n_classes=10), method="weighted")
    ugt.annotation_certainty(weighted, k=2)
    ugt.ua_average_overlap(weighted, np.random.default_rng(1).random((10, 10)), 3)
    ugt.papers.plackett_luce_map(rankings)
    ugt.truth.plackett_luce_log_likelihood(rankings, model)
    ugt.irn(rankings)
    ugt.agreement.leave_one_annotator_out(rankings)
    ugt.agreement.annotator_average_overlap(rankings, 3)
    parts = [states.partial("ua_topk_accuracy", probability[half], scores[half], case_ids=range(1000), n_resamples=40) for half in halves]
    states.merge(parts)
    states.compute("soft_auroc", p, s)
    states.finish(states.partial("soft_average_precision", p, s))


def calls(text):
    """Calls of each function in the text of a file of callgrind."""
    names, found = {}, {}
    for number, name, times in CALLED.findall(text):
        names.setdefault(number, name)
        found[names[number]] = found.get(names[number], 0) + int(times or 0)
    return found


def counted():
    """Instructions of each kernel with all that it calls, and its calls."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "callgrind.out"
        # hashes of text, and with them the order of sets, must not change from run to run
        environment = {**os.environ, "PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"}
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", sys.executable, __file__, "--work"]
        subprocess.run(command, check=True, env=environment, capture_output=True)
        listed = ["callgrind_annotate", "--inclusive=yes", "--threshold=100", "--show-percs=no", "--auto=no", str(out)]
        text = subprocess.run(listed, check=True, capture_output=True, text=True).stdout
        times = calls(re.sub(r"^(?:cfi|cob|fi|fe|fl|ob)=.*\n", "", out.read_text(encoding="utf-8"), flags=re.MULTILINE))
    found = {}
    for number, name in KERNEL.findall(text):
        found[name] = max(found.get(name, 0), int(number.replace(",", "")))
    return {name: (n, times[name]) for name, n in sorted(found.items()) if n >= LEAST}


def world():
    """What the numbers hold for."""
    import numpy as np
    import scipy

    compiler = subprocess.run([os.environ.get("CC", "cc"), "-dumpfullversion"], check=False, capture_output=True, text=True).stdout.strip()
    names = {"compiler": compiler, "libc": " ".join(platform.libc_ver()), "machine": platform.machine()}
    return {**names, "python": platform.python_version(), "numpy": np.__version__, "scipy": scipy.__version__}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="keep the numbers")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        return work()
    if not shutil.which("valgrind"):
        return print("no valgrind here: nothing is counted")
    here, found = world(), counted()
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {"world": {}, "instructions": {}, "calls": {}}
    more = []
    for name, (n, times) in found.items():
        old, old_times = kept["instructions"].get(name, n), kept["calls"].get(name, times)
        ratio, each = n / old, n / times / (old / old_times)
        more += [name] if min(ratio, each) > MOST else []
        why = "  MORE" if min(ratio, each) > MOST else "  called more often" if ratio > MOST else "" if name in kept["calls"] else "  new"
        print(f"{name:36s}{n:15,d}{times:9,d} calls  {ratio:7.4f}{why}")
    for name in sorted(set(kept["calls"]) - set(found)):
        print(f"{name:36s}{'gone':>15s}")
    if given.write:
        two = {"instructions": {name: n for name, (n, _) in found.items()}, "calls": {name: times for name, (_, times) in found.items()}}
        KEPT.write_text(json.dumps({"world": here, **two}, indent=1) + "\n", encoding="utf-8")
    elif here != kept["world"]:
        print(f"counted with {here}, kept with {kept['world']}: a difference may be theirs")
    elif more:
        sys.exit(f"{len(more)} kernels take over {MOST - 1:.0%} more instructions than before")
    return None


if __name__ == "__main__":
    main()
