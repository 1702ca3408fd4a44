"""Texts in parts, some of which name arguments: they read in Python's terms, and a command words them by its options.

What users gave, such as a name or a cell, is a plain part, which nothing rewrites.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Callable, NamedTuple, Union

MOST_SAID = 400  # characters of the given value in a message


class Arg(NamedTuple):
    """An argument that a text names, with the value to give it: ``...`` for any, a mapping of keys to values, None to name it only."""

    name: str
    value: object = None

    def __str__(self) -> str:
        return self.name if self.value is None else f"{self.name}={'' if self.value is ... else _spelled(self.value)}"


class Subject(NamedTuple):
    """The argument that a message is about; ``needed`` if it must be given."""

    name: str
    needed: bool = False

    def __str__(self) -> str:
        return self.name


class Either(NamedTuple):
    """Two words for one thing: in Python, and in a command."""

    python: str
    typed: str

    def __str__(self) -> str:
        return self.python


Named = Union[Arg, Subject]
Part = Union[str, Arg, Subject, Either]


def _spelled(value: object) -> str:
    """Return the Python of a value, with ``...`` for what the reader fills in."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key!r}: {_spelled(one)}' for key, one in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_spelled, value))}]"
    return "..." if value is ... else repr(value)


class Text(str):
    """A text that keeps its parts; it is the text in Python's terms.

    Adding texts keeps the parts. Other operations of ``str``, such as formatting, return plain text in Python's terms.
    """

    parts: tuple[Part, ...]

    def __new__(cls, *parts: object) -> Text:
        found = _flat(parts)
        self = super().__new__(cls, "".join(map(str, found)))
        self.parts = found
        return self

    def __add__(self, other: str) -> Text:
        return Text(self, other)

    def __radd__(self, other: str) -> Text:
        return Text(other, self)

    def __reduce__(self) -> tuple[Any, ...]:
        return Text, self.parts

    def worded(self, spell: Callable[[Named], str]) -> str:
        """Return the text with other words for the arguments that it names."""
        return "".join(
            part.typed if isinstance(part, Either) else spell(part) if isinstance(part, (Arg, Subject)) else part for part in self.parts
        )


def _flat(parts: tuple[object, ...]) -> tuple[Part, ...]:
    found: list[Part] = []
    for part in parts:
        found += part.parts if isinstance(part, Text) else [part if isinstance(part, (str, Arg, Subject, Either)) else str(part)]
    return tuple(part for part in found if part != "")


def arg(name: str, value: object = None) -> str:
    """Return a text that names an argument: ``n_resamples``, with any value ``classes=``, with one ``missing='drop'``."""
    return Text(Arg(name, value))


class Refusal(Text):
    """The message of an error, with its parts: ``argument must be so (way on). Got value, first at place.``"""

    argument: str
    must: str
    got: object
    where: str
    way: str
    context: str

    def __new__(cls, argument: str, must: str, got: object, where: str = "", way: str = "", context: str = "") -> Refusal:
        about: object = argument if isinstance(argument, Text) else Subject(argument, must.startswith("be given"))
        said = got if isinstance(got, Text) else str(got)
        if said == "None":
            said = Text(Either("None", "none"))
        elif len(said) > MOST_SAID:
            said = f"{said[:MOST_SAID]} …"
        before, beside = f"{context}: " if context else "", (" (", way, ")") if way else ()
        place = (", first at ", where) if where else ()
        self: Refusal = super().__new__(cls, before, about, " must ", must, *beside, ". Got ", said, *place, ".")  # type: ignore[assignment]
        self.argument, self.must, self.got, self.where, self.way, self.context = argument, must, got, where, way, context
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Refusal, (self.argument, self.must, self.got, self.where, self.way, self.context)

    def but(self, **changed: Any) -> Refusal:
        """Return the message with other parts."""
        names = ("argument", "must", "got", "where", "way", "context")
        return Refusal(**{name: changed.get(name, getattr(self, name)) for name in names})


def words_of(problem: BaseException) -> Text:
    """Return the message of an error or a warning, with its parts if it has some."""
    said = problem.args[0] if problem.args else ""
    return said if isinstance(said, Text) else Text(str(problem))


def changed(problem: BaseException, **parts: Any) -> ValueError:
    """Return the error with other parts of its message; one without parts stays as it is."""
    said = words_of(problem)
    return ValueError(said.but(**parts) if isinstance(said, Refusal) else said)


def renamed(problem: BaseException, **names: str) -> ValueError:
    """Return the error with its argument as it is called here."""
    about = getattr(words_of(problem), "argument", "")
    return changed(problem, argument=names.get(about, about))


def within(context: str, problem: BaseException) -> ValueError:
    """Return the error with a file or a model before its message: ``model 'a': scores must be finite. Got nan.``"""
    said = words_of(problem)
    if isinstance(said, Refusal):
        return ValueError(said.but(context=f"{context}: {said.context}" if said.context else context))
    return ValueError(Text(f"{context}: ", said))


# Ways on that several topics name.
CLASSES_WAY = "name them all with " + arg("classes", ...) + " if the annotations miss some"
OTHERS_OUT = arg("missing", "drop") + " leaves the others out"
NO_RANK = "if it means no rank, give it as " + arg("missing", ...) + "; to ranks that start at 0 add 1"
FLOOR_WAY = "or give " + arg("floor", ...) + ", such as 1e-12"
