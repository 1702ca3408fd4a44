"""Panels of annotators drawn with replacement: cells of labels, and sums over panels."""

from _status cimport check, check_rows
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

cdef extern from "ugt.h" nogil:
    ctypedef struct ugt_panels:
        const int64_t *offsets
        const int32_t *annotator
        const uint64_t *key
        const uint64_t *times
        int64_t n_panels
    ctypedef struct ugt_panel_values:
        const int32_t *cell
        const int64_t *row
        const int64_t *start
        const double *above
        const double *below
        const int64_t *offsets
        const int64_t *kind
        const double *times
        int64_t n_units
        int64_t n_panels
    ctypedef struct ugt_panel_scores:
        const int32_t *cell
        const int64_t *start
        const double *positive
        const int64_t *row
        const int64_t *unit
        const uint8_t *last
        int64_t n_rows
        int64_t n_cases
        int64_t n_units
        int64_t n_panels
    int UGT_PANEL_SUMS
    int UGT_PANEL_AREAS
    int ugt_panel_cells(const ugt_panels *, int64_t, int64_t, int32_t *, int32_t *, uint64_t *, int64_t *)
    int ugt_panel_sums(const ugt_panel_values *, int64_t, int64_t, double *)
    int ugt_panel_means(const ugt_panel_values *, const double *, const double *, int64_t, int64_t, double *)
    int ugt_panel_areas(const ugt_panel_scores *, int64_t, int64_t, double *)
    int ugt_panel_influences(const ugt_panel_scores *, int64_t, const double *, const double *, int64_t, int64_t, double *, double *)

N_SUMS, N_AREAS = UGT_PANEL_SUMS, UGT_PANEL_AREAS


def cells(const int64_t[::1] offsets, const int32_t[::1] annotator, const uint64_t[:, ::1] key, const uint64_t[:, ::1] times, int64_t begin,
          int64_t end, int32_t[:, ::1] cell, int32_t[:, ::1] first, uint64_t[:, ::1] code, int64_t[::1] n_cells):
    """Fill the cells (end - begin, B) of some rows, the first panel and the code of each, and how many there are: see panels.h."""
    cdef int64_t i, n = annotator.shape[0], n_rows = offsets.shape[0] - 1, n_panels = times.shape[1]
    cdef ugt_panels x
    cdef int status
    if n < 1 or begin < 0 or end > n_rows or begin >= end or key.shape[0] != n or key.shape[1] != 2 or times.shape[0] < 1 or n_panels < 1 \
            or n_panels > 2147483647 or cell.shape[0] != end - begin or cell.shape[1] != n_panels or first.shape[0] != end - begin \
            or first.shape[1] != n_panels or code.shape[0] != end - begin or code.shape[1] != n_panels or n_cells.shape[0] != end - begin:
        raise ValueError("rows, labels, panels and output do not fit together")
    check_rows(offsets, begin, end, n)
    for i in range(n):
        if annotator[i] < -1 or annotator[i] >= times.shape[0]:
            raise ValueError("annotator out of range")
    x.offsets, x.annotator, x.key, x.times, x.n_panels = &offsets[0], &annotator[0], &key[0, 0], &times[0, 0], n_panels
    with nogil:
        status = ugt_panel_cells(&x, begin, end, &cell[0, 0], &first[0, 0], &code[0, 0], &n_cells[0])
    check(status)


cdef class Values:
    """What cases add to two sums under every panel, by kinds of cases and cells of labels: see panels.h."""

    cdef ugt_panel_values x
    cdef object _arrays

    def __init__(self, const int32_t[:, ::1] cell, const int64_t[::1] row, const int64_t[::1] start, const double[::1] above,
                 const double[::1] below, const int64_t[::1] offsets, const int64_t[::1] kind, const double[::1] times):
        cdef int64_t i, b, most, n_kinds = row.shape[0], n_units = times.shape[0], n_panels = cell.shape[1]
        if n_kinds < 1 or n_units < 1 or n_panels < 1 or cell.shape[0] < 1 or start.shape[0] != n_kinds + 1 or start[0] != 0 \
                or start[n_kinds] != above.shape[0] or below.shape[0] != above.shape[0] or offsets.shape[0] != n_units + 1 \
                or kind.shape[0] < 1 or above.shape[0] < 1:
            raise ValueError("kinds, values and units do not fit together")
        check_rows(offsets, 0, n_units, kind.shape[0])
        check_rows(start, 0, n_kinds, above.shape[0])
        for i in range(kind.shape[0]):
            if kind[i] < 0 or kind[i] >= n_kinds:
                raise ValueError("kind out of range")
        for i in range(n_kinds):
            if row[i] < 0 or row[i] >= cell.shape[0]:
                raise ValueError("row out of range")
            most = start[i + 1] - start[i]
            for b in range(n_panels):
                if cell[row[i], b] < 0 or cell[row[i], b] >= most:
                    raise ValueError("cell out of range")
        self._arrays = cell, row, start, above, below, offsets, kind, times
        self.x.cell, self.x.row, self.x.start, self.x.above, self.x.below = &cell[0, 0], &row[0], &start[0], &above[0], &below[0]
        self.x.offsets, self.x.kind, self.x.times, self.x.n_units, self.x.n_panels = &offsets[0], &kind[0], &times[0], n_units, n_panels

    def sums(self, double[:, ::1] out):
        """Fill the sums (N_SUMS, B) over units."""
        cdef int status
        if out.shape[0] != UGT_PANEL_SUMS or out.shape[1] != self.x.n_panels:
            raise ValueError("output does not fit")
        with nogil:
            status = ugt_panel_sums(&self.x, 0, self.x.n_panels, &out[0, 0])
        check(status)

    def means(self, const double[::1] of_above, const double[::1] of_below, double[::1] out):
        """Fill for each unit the sum over panels of both, times these factors (B,)."""
        cdef int status
        if of_above.shape[0] != self.x.n_panels or of_below.shape[0] != self.x.n_panels or out.shape[0] != self.x.n_units:
            raise ValueError("factors and output do not fit")
        with nogil:
            status = ugt_panel_means(&self.x, &of_above[0], &of_below[0], 0, self.x.n_units, &out[0])
        check(status)


cdef class Scores:
    """The scores of a model against masses of a class under every panel: see panels.h."""

    cdef ugt_panel_scores x
    cdef object _arrays

    def __init__(self, const int32_t[:, ::1] cell, const int64_t[::1] start, const double[::1] positive, const int64_t[::1] row,
                 const int64_t[::1] unit, const uint8_t[::1] last, int64_t n_units):
        cdef int64_t i, b, most, n_rows = cell.shape[0], n_panels = cell.shape[1], n = row.shape[0]
        cdef bint outside = False
        if n_rows < 1 or n_panels < 1 or n < 1 or n_units < 1 or start.shape[0] != n_rows + 1 or start[n_rows] != positive.shape[0] \
                or positive.shape[0] < 1 or unit.shape[0] != n or last.shape[0] != n or not last[n - 1]:
            raise ValueError("rows, masses and cases do not fit together")
        check_rows(start, 0, n_rows, positive.shape[0])
        for i in range(n_rows):
            most = start[i + 1] - start[i]
            for b in range(n_panels):
                outside |= cell[i, b] < 0 or cell[i, b] >= most
        for i in range(n):
            outside |= row[i] < 0 or row[i] >= n_rows or unit[i] < 0 or unit[i] >= n_units
        if outside:
            raise ValueError("cell, row or unit out of range")
        self._arrays = cell, start, positive, row, unit, last
        self.x.cell, self.x.start, self.x.positive = &cell[0, 0], &start[0], &positive[0]
        self.x.row, self.x.unit, self.x.last = &row[0], &unit[0], &last[0]
        self.x.n_rows, self.x.n_cases, self.x.n_units, self.x.n_panels = n_rows, n, n_units, n_panels

    def areas(self, int64_t begin, int64_t end, double[:, ::1] out):
        """Fill the columns [begin, end) of the sums (N_AREAS, B)."""
        cdef int status
        if begin < 0 or end > self.x.n_panels or begin >= end or out.shape[0] != UGT_PANEL_AREAS or out.shape[1] != self.x.n_panels:
            raise ValueError("panels and output do not fit")
        with nogil:
            status = ugt_panel_areas(&self.x, begin, end, &out[0, 0])
        check(status)

    def influences(self, Scores less, const double[:, :, ::1] by, const double[::1] p, int64_t begin, int64_t end, double[::1] square,
                   double[::1] mean):
        # less: Scores | None -> None
        """Fill [begin, end) of the squares (B,), and the mean (n_units,) over these panels; by (1 or 2, 4, B), 2 with another model."""
        cdef ugt_panel_scores models[2]
        cdef int64_t n = self.x.n_panels, n_models = 1
        cdef int status
        models[0] = self.x
        if less is not None:
            models[1], n_models = less.x, 2
            if less.x.n_rows != self.x.n_rows or less.x.n_panels != n or less.x.n_units != self.x.n_units:
                raise ValueError("models do not fit together")
        if begin < 0 or end > n or begin >= end or by.shape[0] != n_models or by.shape[1] != 4 or by.shape[2] != n or p.shape[0] != n \
                or square.shape[0] != n or mean.shape[0] != self.x.n_units:
            raise ValueError("models, panels and output do not fit")
        with nogil:
            status = ugt_panel_influences(models, n_models, &by[0, 0, 0], &p[0], begin, end, &square[0], &mean[0])
        check(status)
