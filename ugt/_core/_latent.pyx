"""Two latent classes with dependent tests. Populations and mixtures are checked by the C core."""

from _status cimport check
from libc.stdint cimport int32_t, int64_t

cdef extern from "em.h" nogil:
    ctypedef struct ugt_two_classes:
        const double *yes
        const double *no
        const double *times
        const int32_t *population
        int64_t n_rows, n_tests, n_populations, n_nodes, n_extra
        const double *log_weight
        const double *z
        const double *own
        const double *fixed
        const double *of
        int mixture
        double ridge
    int64_t ugt_two_classes_parameters(const ugt_two_classes *)
    int ugt_two_classes_check(const ugt_two_classes *)
    int ugt_two_classes_joint(const ugt_two_classes *, const double *, double *, double *)
    int ugt_two_classes_value(const ugt_two_classes *, const double *, double *, double *)


cdef class TwoClasses:
    """The likelihood of one form of dependence on distinct rows; holds on to the arrays."""

    cdef ugt_two_classes model
    cdef const double[:, ::1] yes, no, of
    cdef const double[::1] times, log_weight, z
    cdef const double[:, :, ::1] own, fixed
    cdef const int32_t[::1] population

    def __cinit__(self, const double[:, ::1] yes, const double[:, ::1] no, const double[::1] times, const int32_t[::1] population,
                  int64_t n_populations, const double[::1] log_weight, const double[::1] z, const double[:, :, ::1] own,
                  const double[:, :, ::1] fixed, const double[:, ::1] of, bint mixture, double ridge):
        cdef int64_t n = yes.shape[0], j = yes.shape[1], q = z.shape[0]
        if n < 1 or j < 1 or q < 1 or n_populations < 1 or no.shape[0] != n or no.shape[1] != j or times.shape[0] != n \
                or population.shape[0] != n or log_weight.shape[0] != q or own.shape[0] != 2 or own.shape[1] != q or own.shape[2] != j \
                or fixed.shape[0] != 2 or fixed.shape[1] != q or fixed.shape[2] != j or of.shape[1] != j:
            raise ValueError("rows and nodes of two classes do not fit together")
        self.yes, self.no, self.times, self.population, self.of = yes, no, times, population, of
        self.log_weight, self.z, self.own, self.fixed = log_weight, z, own, fixed
        self.model.yes, self.model.no, self.model.times, self.model.population = &yes[0, 0], &no[0, 0], &times[0], &population[0]
        self.model.n_rows, self.model.n_tests, self.model.n_populations, self.model.n_nodes, self.model.n_extra = \
            n, j, n_populations, q, of.shape[0]
        self.model.log_weight, self.model.z, self.model.own, self.model.fixed = &log_weight[0], &z[0], &own[0, 0, 0], &fixed[0, 0, 0]
        self.model.of = &of[0, 0] if of.shape[0] else NULL
        self.model.mixture, self.model.ridge = mixture, ridge
        check(ugt_two_classes_check(&self.model))

    def joint(self, const double[::1] x, double[:, ::1] joint, double[:, :, ::1] scores):
        """Log probabilities of class and row, and their derivatives."""
        cdef int64_t n = self.model.n_rows, q = ugt_two_classes_parameters(&self.model)
        cdef int status
        if x.shape[0] != q or joint.shape[0] != n or joint.shape[1] != 2 or scores.shape[0] != 2 or scores.shape[1] != n \
                or scores.shape[2] != q:
            raise ValueError("parameters or outputs do not fit")
        with nogil:
            status = ugt_two_classes_joint(&self.model, &x[0], &joint[0, 0], &scores[0, 0, 0])
        check(status)

    def value(self, const double[::1] x, double[::1] gradient):  # -> float
        """Minus the mean log-likelihood with the ridge, and its gradient."""
        cdef int64_t q = ugt_two_classes_parameters(&self.model)
        cdef double found = 0.0
        cdef int status
        if x.shape[0] != q or gradient.shape[0] != q:
            raise ValueError("parameters or outputs do not fit")
        with nogil:
            status = ugt_two_classes_value(&self.model, &x[0], &found, &gradient[0])
        check(status)
        return found
