"""Many threads and processes at once, on the same inputs: the same bytes; Ctrl-C at any moment, and the next call works."""

import functools
import multiprocessing
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from all_answers import NAMES, answers, other_process
from public_functions import make_world

import ugt
from ugt._base.lazy import cached_property

pytestmark = pytest.mark.filterwarnings("ignore")
STRESS = Path(__file__).parents[1] / "stress"
LONG = [("interrupt.py", 20), ("kill.py", 4)]


@pytest.fixture(scope="module")
def expected():
    return answers(make_world(), range(len(NAMES)))


@pytest.mark.slow
def test_many_threads_call_everything_on_shared_inputs(expected):
    world, n = make_world(), len(NAMES)
    found, start = [None] * 6, threading.Barrier(6, timeout=60)

    def work(t):
        start.wait()
        with ugt.resampling.threads(1 + t % 3):
            found[t] = answers(world, [(i * (1, 5, 7, 11, 13, 17)[t] + t) % n if n % (1, 5, 7, 11, 13, 17)[t] else i for i in range(n)])

    threads = [threading.Thread(target=work, args=(t,)) for t in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one in found:
        assert one is not None, "a thread ended with an error"
        assert one == expected


def test_many_threads_ask_one_posterior(expected):
    """What a posterior computes once and keeps is asked for by all threads at the same time."""
    for _ in range(20):
        post = ugt.Dirichlet.from_array(make_world(200)["table"])
        wanted = ugt.Dirichlet.from_array(make_world(200)["table"])
        found, start = [], threading.Barrier(8, timeout=60)

        def work(post=post, start=start, found=found):
            start.wait()
            found.append([post.certainty(2).tobytes(), post.membership(2).tobytes(), post.axes.stream_keys.tobytes()])

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [[wanted.certainty(2).tobytes(), wanted.membership(2).tobytes(), wanted.axes.stream_keys.tobytes()]] * 8


@pytest.mark.slow
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_other_processes_say_the_same(method, expected):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {method} on this system")
    with ugt.resampling.threads(2):  # there have been threads before the fork
        ugt.annotation_certainty(ugt.Dirichlet.from_array(make_world(2000)["table"]), k=2)
    with multiprocessing.get_context(method).Pool(2) as pool:
        for found in pool.map_async(other_process, [1, 3]).get(timeout=120):  # a worker that dies is waited for without end
            assert found == expected


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
@pytest.mark.parametrize(
    "script, n_sets", [("interrupt.py", 8), *(pytest.param(*one, marks=pytest.mark.full) for one in (("kill.py", 1), *LONG))]
)
def test_interrupted_and_killed_runs(script, n_sets, tmp_path):
    """A short version of ``make interrupt`` and ``make kill``."""
    command = [sys.executable, str(STRESS / script), str(n_sets)]
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=tmp_path, timeout=120)
    assert done.returncode == 0, done.stdout[-3000:]


class Crossing:
    """Two attributes, each of which may read the other one of another object."""

    def __init__(self, other=None, meet=None):
        self.other, self.meet = other, meet

    @cached_property
    def p(self):
        if self.meet is not None:
            self.meet.wait(5)
        return 1 if self.other is None else self.other.q + 1

    @cached_property
    def q(self):
        if self.meet is not None:
            self.meet.wait(5)
        return 1 if self.other is None else self.other.p + 1


def test_attributes_that_threads_compute_for_each_other_hold_no_locks():
    meet = threading.Barrier(2)
    one, other = Crossing(Crossing(), meet), Crossing(Crossing(), meet)
    tasks = [threading.Thread(target=getattr, args=pair, daemon=True) for pair in ((one, "p"), (other, "q"))]
    for task in tasks:
        task.start()
    for task in tasks:
        task.join(10)
    assert not any(task.is_alive() for task in tasks)
    assert vars(one)["p"] == vars(other)["q"] == 2 and isinstance(Crossing.p, functools.cached_property)
