"""Annotations and predictions: labels, rankings, ratings and masks, as ragged arrays that are checked once and immutable."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .._base import identifiers
from .._base.arrays import Array, Int32, Int64, NDArray
from .._base.axes import Axes, OnAxes, class_axis, frozen, owned
from .._base.checks import error, room
from .._base.grades import ORDERED, as_grades, grades_of, named_by, not_in_order, order_of
from .._base.notices import note
from .._base.ragged import dense, n_empty, row_at, row_of
from .._core import _tables
from .._tabular.rows import LongRows, WideCells, held_cells, wide
from .count_tables import read_counts, table_of
from .given import categories_note, several_note
from .masks import Masks
from .predictions import Predictions
from .rankings import Rankings
from .ratings import Ratings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .._base.axes import Classes
    from .._base.grades import Order

NOBODY = frozen(np.empty(0, np.int64))  # the annotators of counts

__all__ = ["Axes", "Labels", "Masks", "Predictions", "Rankings", "Ratings"]


@dataclass(frozen=True, eq=False, repr=False)
class Labels(OnAxes):
    """The labels that annotators gave to cases, each one class. The ``from_*`` constructors make them.

    Parameters
    ----------
    axes : Axes
        Names of the N cases and K classes.
    annotators : (A,) array of int64 or str
        Annotator ids; empty if only counts are known.
    offsets : (N + 1,) int64
        The rows of case i are ``offsets[i]`` to ``offsets[i + 1]``, in the order of the input.
    annotator : (R,) int32
        Position in ``annotators``; -1 if only counts are known.
    label : (R,) int32
        Position in ``axes.classes``.
    count : (R,) int64
        How often the label was given: 1, or more in counts.
    ordered : bool
        Whether the classes are the grades of a scale, lowest first.

    Notes
    -----
    One annotator may label a case several times: every label counts. A case without labels is kept.
    """

    axes: Axes
    annotators: NDArray[Any]
    offsets: Int64
    annotator: Int32
    label: Int32
    count: Int64
    ordered: bool = False

    @classmethod
    def from_long(
        cls,
        case: object,
        annotator: object,
        label: object,
        *,
        classes: Classes = None,
        ordered: Order = None,
        cases: object = None,
        merge_names: bool = False,
    ) -> Labels:
        """Read a long table with one row per label.

        Parameters
        ----------
        case, annotator, label : sequences of n ids
            Each column holds integers (of any width, or whole floats), strings or bools, which are the names "False" and "True".
        classes : None, int K or sequence of K names
            None: the categories of a categorical column of pandas or an Enum of polars, used or not; else the labels that occur,
            sorted. K: labels are 0 to K-1.
            Names: labels are names, equal as text or as numbers, or positions in the list if the labels are integers and the names are
            not. Classes without labels are kept.
        ordered : True or sequence of K names, optional
            That the classes are the grades of a scale, all of them, lowest first; grades without labels are kept. True: the names of the
            classes are numbers, which ascend. Default: classes have no order, except those of an ordered categorical column.
        cases : sequence of case ids, optional
            All cases in the desired order, also those without labels. Default: cases in order of first appearance.
        merge_names : bool
            Whether classes, and annotators, whose names differ only by case, blanks, Unicode form or leading zeros are joined under the
            commonest name.

        Raises
        ------
        ValueError
            If columns differ in length; an id is missing, empty or of another kind than the others of its column;
            a class or a case is unknown; a class has no place in the order.

        Warns
        -----
        UserWarning
            If names are equal as numbers (1, 1.0 and "1.0" are one name), look alike (unless they are merged), or look like codes for
            "no label" such as -1 or 99; or if an annotator gave several labels to a case.

        Examples
        --------
        >>> labels = Labels.from_long(["p1", "p1", "p2"], ["ann", "bob", "ann"], ["benign", "malign", "benign"])
        >>> labels
        Labels(n_cases=2, n_empty=0, n_classes=2, n_labels=3, n_annotators=2)
        >>> labels.counts().tolist()
        [[1, 1], [1, 0]]
        >>> labels = Labels.from_long([7, 7], ["ann", "bob"], ["mild", "severe"], ordered=["mild", "moderate", "severe"])
        >>> labels.ordered, labels.grades.tolist()
        (True, [1.0, 2.0, 3.0])
        """
        return _several_noted(cls._of_columns(case, annotator, label, classes, cases, merge_names, ordered))

    @classmethod
    def _of_columns(
        cls,
        case: object,
        annotator: object,
        label: object,
        classes: Classes = None,
        cases: object = None,
        merge_names: bool = False,
        ordered: Order = None,
    ) -> Labels:
        """Return the labels of a long table, without a note if an annotator gave a case several labels."""
        classes = identifiers.categories(label) if (classes := named_by(classes, ordered)) is None else classes
        label = label if ordered is None else as_grades(label)
        rows = LongRows.read(case, annotator, cases, merge_names)
        column = identifiers.number("label", label, rows.where)
        rows.check_length("label", len(column.code))
        return cls._of_rows(rows, column, classes, merge_names, ordered)

    @classmethod
    def _of_rows(
        cls, rows: LongRows, label: identifiers.Column, classes: Classes, merge_names: bool = False, ordered: Order = None
    ) -> Labels:
        """Return the labels of a long table whose columns are numbered."""
        names, index = class_axis("label", label, classes, rows.where, merge_names)
        offsets, order = rows.grouped()
        annotator, index = rows.annotator[order], index[order]
        del order
        arrays = offsets, annotator, index, np.ones(len(index), np.int64)
        return cls._made(Axes(rows.case_ids, names), rows.annotators, arrays, ordered, classes)

    @classmethod
    def from_frame(
        cls,
        frame: object,
        *,
        columns: Mapping[str, str] | None = None,
        classes: Classes = None,
        ordered: Order = None,
        merge_names: bool = False,
    ) -> Labels:
        """Read a long data frame of pandas, polars or pyarrow with one row per label.

        Parameters
        ----------
        frame : DataFrame
            Columns for case, annotator and label, by their usual names (task, item, subject; worker, rater, reader; class, answer,
            grade). Rows with a null or blank label are left out, but their cases are kept.
        columns : mapping of str to str, optional
            The column for each of the roles case, annotator, label, if it has no usual name.
        classes, ordered, merge_names
            As for :meth:`from_long`.

        Raises
        ------
        ValueError
            If the frame or a column does not exist, a case or an annotator is missing, or as for :meth:`from_long`.

        Examples
        --------
        >>> import types, numpy as np
        >>> column = lambda *cells: types.SimpleNamespace(to_numpy=lambda: np.array(cells, object))
        >>> class Frame(dict):  # the parts of a data frame that ugt uses
        ...     columns = property(list)
        >>> frame = Frame(item=column("p", "p", "q"), rater=column("ann", "bob", "ann"), label=column("cat", "dog", None))
        >>> Labels.from_frame(frame)
        Labels(n_cases=2, n_empty=1, n_classes=2, n_labels=2, n_annotators=2)
        """
        from .._tabular.frames import Columns  # noqa: PLC0415  (only files and frames need it)

        rows, label, names = Columns.of(frame).labels(columns or {}, named_by(classes, ordered), merge_names)
        return _several_noted(cls._of_rows(rows, label, names, merge_names, ordered))

    @classmethod
    def from_wide(
        cls,
        table: object,
        *,
        classes: Classes = None,
        ordered: Order = None,
        case_ids: object = None,
        annotators: object = None,
        missing: object = (None, "", float("nan")),
        merge_names: bool = False,
    ) -> Labels:
        """Read a wide table with one row per case and one column per annotator.

        Parameters
        ----------
        table : (N, A) array or list of lists
            Integer or string labels, and values that mean "no label". In a data frame the columns name the annotators and the index,
            unless it is numbered, holds the case ids.
        classes, ordered
            As for :meth:`from_long`.
        case_ids : sequence of N ids, optional
            Default: 0 to N-1.
        annotators : sequence of A ids, optional
            Default: 0 to A-1.
        missing : value or sequence of values
            The values that mean "no label", such as -1 or 99. None or nan means every kind of null.
        merge_names : bool
            As for :meth:`from_long`, for classes.

        Raises
        ------
        ValueError
            As for :meth:`from_long`; if the table is not two-dimensional; if ids are repeated or of another number.

        Examples
        --------
        >>> Labels.from_wide([[0, 1], [None, 1]], classes=3)
        Labels(n_cases=2, n_empty=0, n_classes=3, n_labels=3, n_annotators=2)
        """
        if identifiers.is_frame(table):
            from .._tabular.frames import wide_names  # noqa: PLC0415

            case_ids, annotators, classes = wide_names(table, case_ids, annotators, named_by(classes, ordered))
        cells = wide(table)
        return cls._of_cells(cells.shape, *held_cells(cells, missing), case_ids, annotators, classes, merge_names, ordered)

    @classmethod
    def _of_cells(
        cls,
        shape: tuple[int, ...],
        at: Int64,
        held: NDArray[Any],
        case_ids: object,
        annotators: object,
        classes: Classes,
        merge_names: bool = False,
        ordered: Order = None,
    ) -> Labels:
        """Return the labels in the cells ``at`` (flat, ascending) of a table."""
        classes, held = named_by(classes, ordered), held if ordered is None else as_grades(held)
        cells = WideCells.of(shape, at, case_ids, annotators)
        names, index = class_axis("table", identifiers.number("table", held, cells.where), classes, cells.where, merge_names)
        arrays = *cells.grouped(), index, np.ones(len(at), np.int64)
        return cls._made(Axes(cells.case_ids, names, case_ids is None), cells.annotators, arrays, ordered, classes)

    @classmethod
    def from_counts(cls, counts: object, *, case_ids: object = None, classes: Classes = None, ordered: Order = None) -> Labels:
        """Read a table of label counts with one row per case and one column per class, without annotators.

        Parameters
        ----------
        counts : (N, K) array of non-negative whole numbers
            Number of annotators who chose each class; a row of zeros is a case without labels. In a data frame the columns name the
            classes and the index, unless it is numbered, holds the case ids.
        case_ids : sequence of N ids, optional
            Default: 0 to N-1.
        classes : sequence of K names, optional
            Default: the names of ``ordered``, else 0 to K-1.
        ordered : True or sequence of K names, optional
            As for :meth:`from_long`. Columns are put into this order by the names in ``classes``.

        Raises
        ------
        ValueError
            If a count is negative, not finite or not whole; if ids are repeated or of another number.

        Examples
        --------
        >>> Labels.from_counts([[8, 2, 0], [0, 0, 0]])
        Labels(n_cases=2, n_empty=1, n_classes=3, n_labels=10)
        """
        table, case_ids, classes = table_of(counts, case_ids, classes)
        axes = Axes.of(table.shape[0], table.shape[1], case_ids, named_by(classes, ordered))
        offsets, index, count = read_counts(table, axes)
        annotator = np.empty(len(index), np.int32)
        annotator.fill(-1)
        return cls._made(axes, NOBODY, (offsets, annotator, index, count), ordered, classes)

    @classmethod
    def _made(cls, axes: Axes, annotators: NDArray[Any], arrays: tuple[Any, ...], ordered: Order, classes: Classes) -> Labels:
        """Return the labels in the order that was given or, with a note, that of categories; without one, in none."""
        labels: Labels = cls._owning(axes, frozen(annotators), *arrays, False)
        if isinstance(classes, identifiers.Grades) and (ordered is None or ordered is True):
            if isinstance(classes, identifiers.OrderedCategories) and ordered is None:
                note(categories_note(axes))
            ordered = classes
        return labels if ordered is None or ordered is False else labels.in_order(ordered)

    @property
    def n_labels(self) -> int:
        """Number of labels, each counted as often as it was given."""
        return int(self.count.sum())

    @property
    def grades(self) -> Array:
        """(K,) numbers of the grades: the names of the classes if these are numbers, which ascend or descend, else 1 to K.

        Classes without an order have none: a ValueError.
        """
        if not self.ordered:
            raise error("labels", "be ordered", "classes without an order", way=ORDERED + ", or in_order")
        return owned(grades_of(self.axes.classes))[0]

    def in_order(self, ordered: bool | Sequence[Any] = True) -> Labels:
        """Return the labels with their classes as the grades of a scale.

        Parameters
        ----------
        ordered : True or sequence of K names
            As for :meth:`from_long`. The reverse of an order reverses the scale.

        Raises
        ------
        ValueError
            If a class has no place in the order, a name is repeated, or names that are numbers neither ascend nor descend.

        Examples
        --------
        >>> labels = Labels.from_counts([[3, 1]], classes=["severe", "mild"]).in_order(["mild", "severe"])
        >>> labels.axes.classes.tolist(), labels.counts().tolist()
        (['mild', 'severe'], [[1, 3]])
        """
        names, at = order_of(ordered, self.axes.classes)
        lost = np.flatnonzero(at < 0)
        if len(lost):
            rows = np.flatnonzero(np.isin(self.label, lost))
            item = self.axes.classes[self.label[rows[0]] if len(rows) else lost[0]]
            raise not_in_order(names, item, self._where(rows[0]) if len(rows) else "")
        return replace(self, axes=Axes(self.axes.case_ids, names, self.axes.numbered), label=at[self.label], ordered=True)

    def _where(self, row: Any) -> str:
        """Return the case and the annotator of a label in messages."""
        who = self.annotator[row]
        by = f", annotator {identifiers.name(self.annotators[who])}" if who >= 0 else ""
        return f"case {self.axes.case_name(row_at(self.offsets, int(row)))}{by}"

    def class_counts(self) -> tuple[Int64, Int32, Int64]:
        """Return the label counts as ragged arrays.

        Returns
        -------
        offsets : (N + 1,) int64
        index : int32
            The classes with labels of each case, ascending.
        count : int64
            How often each class was chosen.

        Examples
        --------
        >>> [part.tolist() for part in Labels.from_wide([[2, 0, 2], [1, 1, None]]).class_counts()]
        [[0, 2, 3], [0, 2, 1], [1, 2, 2]]
        """
        return _tables.class_counts(self.offsets, self.label, self.count, self.n_classes)

    def counts(self) -> Int64:
        """Return the label counts as a table (N, K)."""
        room("a table of counts", 8 * self.n_cases * self.n_classes)
        offsets, index, count = self.class_counts()
        return dense(offsets, index, count, self.n_classes)

    def _weighted_counts(self, annotators: object) -> Array:
        """Return counts (N, K) in which each label has the weight of its annotator (A,)."""
        at = row_of(self.offsets) * self.n_classes + self.label
        weights = self.count * np.asarray(annotators, np.float64)[self.annotator]
        return np.asarray(np.bincount(at, weights, self.n_cases * self.n_classes), np.float64).reshape(self.n_cases, -1)

    def __repr__(self) -> str:
        known = f", n_annotators={len(self.annotators)}" if len(self.annotators) else ""
        sizes = f"n_cases={self.n_cases}, n_empty={n_empty(self.offsets)}, n_classes={self.n_classes}"
        return f"Labels({sizes}, n_labels={self.n_labels}{known}{', ordered=True' * self.ordered})"


def _several_noted(labels: Labels) -> Labels:
    """Return the labels, with a note if an annotator gave a case several labels, equal or different."""
    at = _tables.find_repeat(labels.offsets, labels.annotator, max(1, len(labels.annotators)))
    if at >= 0:
        rows = identifiers.factorize(np.stack([row_of(labels.offsets).astype(np.int32), labels.annotator], axis=1))[1]
        note(several_note(len(labels.label) - len(rows), labels._where(at)))
    return labels
