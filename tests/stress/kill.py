"""SIGKILL at random moments of a sampling run, and resume: the same bytes.

    python tests/stress/kill.py 100

Needs a system with POSIX signals.
"""

import hashlib
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUN = """
import hashlib, sys, warnings
import numpy as np
warnings.simplefilter("ignore")
import ugt
rng = np.random.default_rng(0)
nested = [[[[int(k)] for k in rng.permutation(8)[:3]] for _ in range(4)] for _ in range(400)]
rankings = ugt.Rankings.from_blocks(nested, n_classes=20)
print("ready", flush=True)
checkpoint = sys.argv[1] or None
post = ugt.plackett_luce(rankings, method="gibbs", reliability=2.5, n_draws=40, n_warmup=WARMUP, n_threads=2, checkpoint=checkpoint)
print(hashlib.sha256(post.values.tobytes()).hexdigest())
"""


def started(checkpoint, warmup):
    command = [sys.executable, "-c", RUN.replace("WARMUP", str(warmup)), str(checkpoint)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, universal_newlines=True)
    assert process.stdout.readline() == "ready\n", "the run did not start"
    return process


def finished(process):
    """What a run printed; None if it was killed."""
    said = process.communicate(timeout=300)[0].strip()
    return said if process.returncode == 0 else None


def main(kills):
    dice, warmup = random.Random(2), 3000
    begin = time.monotonic()
    process = started("", warmup)
    ready = time.monotonic()
    expected = finished(process)
    seconds = time.monotonic() - ready
    killed = rounds = early = 0
    with tempfile.TemporaryDirectory() as folder:
        while killed < kills:
            rounds += 1
            checkpoint, sizes = Path(folder) / f"run {rounds}", []
            while True:  # one sampling run, killed until it ends or has been killed often enough
                process = started(checkpoint, warmup)
                if killed >= kills or len(sizes) >= 4:
                    assert finished(process) == expected, "a resumed run says something else"
                    break
                time.sleep(dice.random() * 0.6 * seconds)
                process.send_signal(signal.SIGKILL)
                said = finished(process)
                if said is not None:
                    early += 1
                    assert said == expected, "a resumed run says something else"
                    break
                killed += 1
                sizes.append(checkpoint.stat().st_size if checkpoint.exists() else 0)
            print(f"run {rounds}: killed {len(sizes)} times, bytes of the checkpoint then: {sizes}", flush=True)
            held = hashlib.sha256(checkpoint.read_bytes()).hexdigest()
            assert finished(started(checkpoint, warmup)) == expected
            assert hashlib.sha256(checkpoint.read_bytes()).hexdigest() == held, "a finished checkpoint was written to"
            checkpoint.unlink()
    print(
        f"{killed} kills in {rounds} runs ({early} ended before the signal), all with the same bytes; a run takes {seconds:.2f} s;", end=" "
    )
    print(f"{time.monotonic() - begin:.0f} s in all")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
