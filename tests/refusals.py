"""Calls that must be refused, or warn, and in which words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any, Callable

import pytest

import ugt


def refused(message: str, function: Callable[..., Any], /, *given: Any, error: Any = ValueError, **options: Any) -> None:
    """The function raises the error when it is called so; ``message`` is a pattern that is found in what it says."""
    with pytest.raises(error, match=message):
        function(*given, **options)


def warned(message: str, function: Callable[..., Any], /, *given: Any, **options: Any) -> Any:
    """What the function answers when it is called so; it must warn, too, in words in which the pattern is found."""
    with pytest.warns(RuntimeWarning, match=message):
        return function(*given, **options)


def labels_of_rows(case: Sequence[Any], annotator: Sequence[Any], label: Sequence[Any], **more: Any) -> ugt.Labels:
    """Labels of a long table in which an annotator may give several to a case: then, and only then, that is noted."""
    with ExitStack() as stack:
        if len({*zip(case, annotator)}) < len(case):
            stack.enter_context(pytest.warns(UserWarning, match="An annotator gave several labels to one case"))
        return ugt.Labels.from_long(case, annotator, label, **more)


def results(out: str) -> str:
    """What a command printed behind the lines on what it read."""
    lines = out.splitlines(keepends=True)
    return "".join(
        line
        for line in lines
        if not re.search(
            r": (labels|rankings|ratings|readings|truth|predictions|clusters|subgroups|verdicts|columns|probabilities|strata)( of .*)?"
            r"( \(.*\))?: .*\.$",
            line,
        )
    )
