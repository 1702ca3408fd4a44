"""How named arguments of a call were joined, which its results can tell."""

from __future__ import annotations

import threading
from functools import wraps
from typing import Any, Callable, NamedTuple, TypeVar

F = TypeVar("F", bound=Callable[..., Any])
POSITION, ID, NAME = "position", "id", "name"
_own = threading.local()  # for each thread: the joins of the calls that are under way, the innermost last


class Join(NamedTuple):
    """How a table was joined: its rows by ``"position"`` or ``"id"``, its columns by ``"position"`` or ``"name"`` ("": it has none)."""

    rows: str
    columns: str = ""


BY_POSITION = Join(POSITION)


def tells_joins(function: F) -> F:
    """Let what a function returns say in ``joined`` how its named arguments were joined."""

    @wraps(function)
    def told_joins(*args: Any, **options: Any) -> Any:
        calls = _own.__dict__.setdefault("calls", [])
        calls.append({})
        try:
            found = function(*args, **options)
        finally:
            joins = calls.pop()
        if joins:
            for one in found if type(found) is tuple else (found,):
                if hasattr(one, "joined"):
                    one.__dict__["_joined"] = {**one.joined, **joins}
        return found

    return told_joins  # type: ignore[return-value]


def tell(argument: str, how: Join) -> None:
    """Note how an argument was joined, for the call that is under way."""
    calls = getattr(_own, "calls", None)
    if calls:
        calls[-1].setdefault(argument, how)


def told_so_far() -> dict[str, Join]:
    """Return how arguments of the call that is under way were joined."""
    calls = getattr(_own, "calls", None)
    return dict(calls[-1]) if calls else {}
