"""Graded response: annotators who see the severity of a case. Annotators and grades are checked by the C core."""

from _status cimport check
from libc.stdint cimport int32_t, int64_t

cdef extern from "em.h" nogil:
    ctypedef struct ugt_label_table:
        const int64_t *offsets
        const int32_t *annotator
        const int32_t *label
        const double *weight
        int64_t n_cases
        int64_t n_annotators, n_classes
    ctypedef struct ugt_graded:
        const double *discrimination
        const double *cut
        const double *node
        const double *mass
        int64_t n_annotators
        int64_t n_grades
        int64_t n_nodes
    int ugt_graded_check(const ugt_label_table *)
    int ugt_graded_probabilities(const ugt_graded *, double *)
    int ugt_graded_expect(const ugt_label_table *, const ugt_graded *, const double *, const int32_t *, double *, double *, double *,
                          double *)
    int ugt_graded_score(const ugt_graded *, const double *, int, double *, double *)
    int ugt_graded_missing(const ugt_label_table *, const ugt_graded *, const double *, int, int, double *)


cdef class Grades:
    """Who gave which grade; holds on to the arrays."""

    cdef ugt_label_table table
    cdef const int64_t[::1] offsets
    cdef const int32_t[::1] annotator, grade
    cdef const double[::1] weight

    def __cinit__(self, const int64_t[::1] offsets, const int32_t[::1] annotator, const int32_t[::1] grade, const double[::1] weight,
                  int64_t n_annotators, int64_t n_grades):
        cdef int64_t n = offsets.shape[0] - 1, i
        if n < 1 or offsets[0] != 0 or annotator.shape[0] < 1 or annotator.shape[0] != grade.shape[0] or offsets[n] != grade.shape[0] \
                or (weight is not None and weight.shape[0] != grade.shape[0]):
            raise ValueError("arrays of the grades do not fit together")
        for i in range(n):
            if offsets[i + 1] < offsets[i]:
                raise ValueError("offsets must not decrease")
        self.offsets, self.annotator, self.grade, self.weight = offsets, annotator, grade, weight
        self.table.offsets, self.table.annotator, self.table.label = &offsets[0], &annotator[0], &grade[0]
        self.table.weight = &weight[0] if weight is not None else NULL
        self.table.n_cases, self.table.n_annotators, self.table.n_classes = n, n_annotators, n_grades
        check(ugt_graded_check(&self.table))


cdef class Graded:
    """Graded response at some parameters; holds on to the labels and the parameters."""

    cdef Grades held
    cdef ugt_graded x
    cdef const double[::1] discrimination, node, mass
    cdef const double[:, ::1] cut
    cdef double[:, :, ::1] p

    def __cinit__(self, Grades grades, const double[::1] discrimination, const double[:, ::1] cut, const double[::1] node,
                  const double[::1] mass, double[:, :, ::1] p):
        cdef int64_t n = grades.table.n_annotators, k = grades.table.n_classes
        cdef int status
        if discrimination.shape[0] != n or cut.shape[0] != n or cut.shape[1] != k - 1 or k < 2 or node.shape[0] < 1 \
                or mass.shape[0] != node.shape[0] or p.shape[0] != n or p.shape[1] != k or p.shape[2] != node.shape[0]:
            raise ValueError("parameters of the graded response do not fit")
        self.held, self.discrimination, self.cut, self.node, self.mass, self.p = grades, discrimination, cut, node, mass, p
        self.x.discrimination, self.x.cut, self.x.node, self.x.mass = &discrimination[0], &cut[0, 0], &node[0], &mass[0]
        self.x.n_annotators, self.x.n_grades, self.x.n_nodes = n, k, node.shape[0]
        with nogil:
            status = ugt_graded_probabilities(&self.x, &p[0, 0, 0])
        check(status)

    def expect(self, double[:, :, ::1] count, double[:, ::1] law=None, double[:, ::1] moments=None, const int32_t[::1] grade=None):
        # -> float
        """Expected labels at each node (or None), the law and moments of each case (or None), the log-likelihood."""
        cdef double log_likelihood = 0.0
        cdef double *to = NULL
        cdef double *laws = NULL
        cdef double *two = NULL
        cdef const int32_t *bins = NULL
        cdef int64_t n = self.held.table.n_cases, q
        cdef int status
        if count is not None:
            if count.shape[0] != self.p.shape[0] or count.shape[1] != self.p.shape[1] or count.shape[2] != self.p.shape[2]:
                raise ValueError("counts do not fit")
            to = &count[0, 0, 0]
        if law is not None:
            if grade is None or moments is None or law.shape[0] != n or law.shape[1] != self.x.n_grades or moments.shape[0] != n \
                    or moments.shape[1] != 2 or grade.shape[0] != self.x.n_nodes:
                raise ValueError("outputs do not fit")
            for q in range(self.x.n_nodes):
                if grade[q] < 0 or grade[q] >= self.x.n_grades:
                    raise ValueError("grades of nodes are out of range")
            laws, two, bins = &law[0, 0], &moments[0, 0], &grade[0]
        with nogil:
            status = ugt_graded_expect(&self.held.table, &self.x, &self.p[0, 0, 0], bins, to, laws, two, &log_likelihood)
        check(status)
        return log_likelihood

    def score(self, const double[:, :, ::1] count, bint observed, double[:, ::1] slope, double[:, :, ::1] information):
        """Slope and information of the expected log-likelihood of each annotator."""
        cdef int64_t n = self.x.n_annotators, k = self.x.n_grades
        cdef int status
        if count.shape[0] != n or count.shape[1] != k or count.shape[2] != self.x.n_nodes or slope.shape[0] != n or slope.shape[1] != k \
                or information.shape[0] != n or information.shape[1] != k or information.shape[2] != k:
            raise ValueError("counts or outputs do not fit")
        with nogil:
            status = ugt_graded_score(&self.x, &count[0, 0, 0], observed, &slope[0, 0], &information[0, 0, 0])
        check(status)

    def missing(self, bint shared, double[:, ::1] out):
        """Takes the information that is lost with the severities from out (P, P), or from its diagonal (1, P)."""
        cdef int64_t n = self.x.n_annotators, k = self.x.n_grades
        cdef int64_t size = 2 * n + k - 1 if shared else n * k
        cdef int status
        if out.shape[1] != size or (out.shape[0] != size and out.shape[0] != 1):
            raise ValueError("out does not fit")
        with nogil:
            status = ugt_graded_missing(&self.held.table, &self.x, &self.p[0, 0, 0], shared, out.shape[0] == size, &out[0, 0])
        check(status)
