"""Warnings of the package: heard in the thread that asks, said in all others."""

import threading
import warnings

import pytest
from refusals import refused, warned

from ugt._base import notices


def test_nobody_hears_what_nobody_asked_for():
    with pytest.warns(RuntimeWarning, match=r"^so it is$") as record:
        notices.warn("so it is", stacklevel=1)
    assert record[0].filename == __file__


def test_what_is_heard_is_not_said():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with notices.heard() as outer:
            notices.warn("one")
            with notices.heard() as inner:
                notices.warn("two", UserWarning)
            notices.warn("three")
        assert ([*map(str, outer)], [*map(str, inner)]) == (["one", "three"], ["two"])
        refused(r"^four$", notices.warn, "four", UserWarning, error=UserWarning)


def test_after_an_error_nobody_hears():
    with pytest.raises(KeyError), notices.heard():
        raise KeyError
    warned(r"^said$", notices.warn, "said")


def test_other_threads_are_not_heard():
    begun, done = threading.Event(), threading.Event()
    heard = []

    def listen():
        with notices.heard() as found:
            begun.set()
            assert done.wait(60)
            heard.append(found)

    thread = threading.Thread(target=listen)
    thread.start()
    assert begun.wait(60)
    warned(r"^elsewhere$", notices.warn, "elsewhere")
    done.set()
    thread.join()
    assert heard == [[]]
