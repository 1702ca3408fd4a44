"""Annotations as grades in an order or as ratings on a scale, if the reader of a file was told so."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from .._base.checks import error
from .._base.grades import named_by
from .._base.wording import arg
from ..annotations import Labels, Ratings
from .annotation_file import AnnotationFile, Reading

BY_SCALE = "state their scale by " + arg("scale", ...)


def with_scale(how: Reading) -> Reading:
    """Return the options with what an order or a scale says about the format and the classes."""
    if how.scale is not None:
        if how.ordered not in (None, False):
            must = "be left out with " + arg("ordered", ...) + " (ratings are numbers, grades are classes in an order)"
            raise error("scale", must, repr(how.scale))
        if how.format not in ("auto", "ratings"):
            raise error("format", "be 'auto' or 'ratings' with scale", repr(how.format))
        how = how._replace(format="ratings")
    elif how.format == "ratings" and how.ordered not in (None, False):
        raise error("ordered", "be left out for ratings", repr(how.ordered), way=BY_SCALE)
    return how._replace(classes=named_by(how.classes, how.ordered))


def on_scale(read: AnnotationFile, how: Reading) -> AnnotationFile:
    """Return the annotations as ratings on the scale, or as labels in the order, that the options give."""
    given: Any = read.annotations
    kind = type(given).__name__.lower()
    if how.format == "ratings" and isinstance(given, Labels):
        given = Ratings.from_labels(given)
    if how.format == "ratings" and not isinstance(given, Ratings):
        raise error("scale" if how.scale is not None else "format", f"be left out for {kind}", repr(how.scale or how.format))
    if how.scale is not None:
        given = given.on_scale(how.scale)
    if how.ordered is not None and not isinstance(given, Labels):
        raise error("ordered", f"be left out for {kind}", repr(how.ordered), way=BY_SCALE if kind == "ratings" else "")
    if how.ordered is False:
        given = replace(given, ordered=False)
    elif how.ordered is not None and not (given.ordered and how.ordered is True):
        given = given.in_order(how.ordered)
    return replace(read, annotations=given)
