"""The seeds of the fuzzers through every reader and the command: a success that keeps its promises, or a complaint in words."""

from pathlib import Path

import pytest
from fuzz.python import targets
from refusals import refused

CORPUS = Path(__file__).parents[1] / "fuzz" / "corpus"


@pytest.mark.parametrize("name", targets.TARGETS)
def test_every_seed_is_taken_or_refused_in_words(name):
    seeds = sorted((CORPUS / name).iterdir())
    assert seeds
    for seed in seeds:
        try:
            targets.TARGETS[name](seed.read_bytes())
        except BaseException as problem:
            raise AssertionError(f"{name}/{seed.name}: {problem!r}") from problem


def test_a_fault_is_found(monkeypatch):
    def fault(*_, **__):
        raise KeyError("x")

    monkeypatch.setattr(targets.files, "read_names", fault)
    with pytest.raises(KeyError):
        targets.TARGETS["names"](b"a\n")


def test_a_complaint_without_words_is_found(monkeypatch):
    def silent(*_, **__):
        raise ValueError

    monkeypatch.setattr(targets.files, "read_names", silent)
    refused(r"says nothing", targets.TARGETS["names"], b"a\n", error=AssertionError)


def test_a_broken_promise_is_found(monkeypatch):
    monkeypatch.setattr(targets.files, "read_names", lambda path: [])
    refused(r"names of two kinds", targets.TARGETS["names"], b"a\n", error=AssertionError)
