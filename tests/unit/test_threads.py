"""Chunks, threads, progress and interruption."""

import signal
import threading
import time

import numpy as np
import pytest

import ugt
from ugt._base import parallel


def slices(n, chunk, n_threads=1):
    with ugt.resampling.threads(n_threads):
        return parallel.run(lambda begin, end: (begin, end), n, chunk, "nothing")


@pytest.mark.parametrize("n_threads", [1, 2, 5])
@pytest.mark.parametrize("n, chunk", [(0, 4), (1, 4), (4, 4), (5, 4), (100, 7), (3, 1)])
def test_chunks_cover_everything_in_order(n, chunk, n_threads):
    bounds = slices(n, chunk, n_threads)
    assert bounds == slices(n, chunk)  # cut by size alone
    assert [i for begin, end in bounds for i in range(begin, end)] == list(range(n))
    assert all(end - begin == chunk for begin, end in bounds[:-1])


def test_results_keep_their_order_when_chunks_finish_in_another():
    def task(begin, end):
        time.sleep(0.02 if begin == 0 else 0)
        return begin

    with ugt.resampling.threads(3):
        assert parallel.run(task, 6, 1, "nothing") == [0, 1, 2, 3, 4, 5]


def test_as_many_threads_as_asked_for():
    meeting = threading.Barrier(3, timeout=20)
    with ugt.resampling.threads(3):
        names = parallel.run(lambda begin, end: (meeting.wait(), threading.get_ident())[1], 3, 1, "nothing")
    assert len(set(names)) == 3
    assert set(parallel.run(lambda begin, end: threading.get_ident(), 3, 1, "nothing")) == {threading.get_ident()}


def test_blocks_nest_and_end():
    def workers():
        return parallel._n_threads.get()

    with ugt.resampling.threads(4):
        with ugt.resampling.threads(2):
            assert workers() == 2
        assert workers() == 4
        with pytest.raises(KeyError), ugt.resampling.threads(8):
            raise KeyError
        assert workers() == 4
    assert workers() == 1


@pytest.mark.parametrize("n_threads", [0, -1, 2.0, "2", None, True])
def test_bad_numbers_of_threads(n_threads):
    with pytest.raises(ValueError, match=r"n_threads must be a whole number of at least 1. Got"), ugt.resampling.threads(n_threads):
        pass


@pytest.mark.parametrize("n_threads", [1, 3])
@pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt])
def test_an_error_ends_the_work(kind, n_threads):
    started = []

    def task(begin, end):
        started.append(begin)
        if begin == 2:
            raise kind("in the third chunk")
        time.sleep(0.002)

    with pytest.raises(kind, match="in the third chunk"), ugt.resampling.threads(n_threads):
        parallel.run(task, 1000, 1, "nothing")
    # with threads, some more chunks start before the main thread hears of it
    assert len(started) < (4 if n_threads == 1 else 500)


def interrupt():
    signal.raise_signal(signal.SIGINT)  # the handler itself runs at once, for this is the main thread


@pytest.fixture()
def interruptible():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # where tests run in the background it is ignored
    yield
    assert signal.signal(signal.SIGINT, before) is signal.default_int_handler  # what a run leaves behind


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("where", ["submit", "wait", "done", "shutdown"])
def test_an_interrupt_is_held_back_inside_of_the_standard_library(where, monkeypatch):
    """Wherever it comes it ends the work, and never in the middle of an executor's locks."""
    from concurrent import futures

    inside, ended, calls, stop = [], [], [], np.zeros(1)

    def hit(name, function):
        def called(*args, **kwargs):
            calls.append(name)
            if name == where and not inside:
                inside.append("begun")
                interrupt()
                inside.append("not torn")
            return function(*args, **kwargs)

        return called

    for name in ("submit", "shutdown"):
        monkeypatch.setattr(futures.ThreadPoolExecutor, name, hit(name, getattr(futures.ThreadPoolExecutor, name)))
    monkeypatch.setattr(futures, "wait", hit("wait", futures.wait))

    def task(begin, end):
        while not stop[0] and where != "shutdown":
            time.sleep(0.001)
        ended.append(begin)

    if where == "done":
        stop[0] = 1
    with pytest.raises(KeyboardInterrupt), ugt.resampling.threads(2):
        parallel.run(task, 4, 1, "nothing", stop, hit("done", lambda begin, end, result: None))
    assert inside == ["begun", "not torn"]
    assert calls.count("submit") == (1 if where == "submit" else 4)
    assert stop[0] or where == "shutdown"
    n = len(ended)
    time.sleep(0.01)
    assert len(ended) == n, "threads that still work"


def test_handlers_that_raise_nothing_do_not_end_the_work():
    heard = []
    before = signal.signal(signal.SIGINT, lambda *_: heard.append(True))
    try:
        with ugt.resampling.threads(2):
            assert parallel.run(lambda begin, end: begin, 3, 1, "nothing", None, lambda *_: interrupt()) == []
    finally:
        signal.signal(signal.SIGINT, before)
    assert heard == [True] * 3


@pytest.mark.parametrize("handler", [signal.SIG_IGN, signal.SIG_DFL])
def test_other_peoples_choice_for_ctrl_c_stays(handler):
    before = signal.signal(signal.SIGINT, handler)
    try:
        assert slices(4, 1, 2) == slices(4, 1)
        assert signal.getsignal(signal.SIGINT) is handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_work_outside_of_the_main_thread():
    found = []
    other = threading.Thread(target=lambda: found.append(slices(4, 1, 2)))
    other.start()
    other.join()
    assert found == [slices(4, 1)]


class Clock:
    def __init__(self, seconds):
        self.now, self.seconds = 0.0, seconds

    def __call__(self, *_):
        return self.now

    def task(self, begin, end):
        self.now += self.seconds


@pytest.mark.parametrize("seconds, lines", [(0.01, []), (0.6, ["40 %", "60 %", "80 %", "100 %"])])
def test_progress_of_long_steps(seconds, lines, monkeypatch, capsys):
    """Ten chunks: silent for two seconds, then a line every second at most, and the last one."""
    clock = Clock(seconds)
    monkeypatch.setattr(parallel.time, "monotonic", clock)
    with parallel.progress_to_stderr():
        parallel.run(clock.task, 10, 1, "counting")
    assert capsys.readouterr().err.splitlines() == [f"ugt: counting: {line}" for line in lines]
    parallel.run(clock.task, 10, 1, "counting")
    assert capsys.readouterr().err == ""


def test_the_core_lets_other_threads_run():
    """Two threads in the C core at the same time: the main thread counts on while a long integral runs."""
    post = ugt.Dirichlet.from_array(np.random.default_rng(0).uniform(0.5, 9, (400, 12)))
    counted, done = [], threading.Event()

    def count():
        while not done.is_set():
            counted.append(time.perf_counter())
            time.sleep(0.001)

    other = threading.Thread(target=count)
    other.start()
    start = time.perf_counter()
    post.certainty(3)
    end = time.perf_counter()
    done.set()
    other.join()
    assert sum(start < t < end for t in counted) > 3, f"{end - start} seconds"
