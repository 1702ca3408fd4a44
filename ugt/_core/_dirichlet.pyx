"""Exact integrals and draws of Dirichlet posteriors. Offsets and class indices are checked by the C core."""

from _status cimport check, check_rows
from libc.stdint cimport int8_t, int32_t, int64_t, uint64_t

cdef extern from "ugt.h" nogil:
    ctypedef struct ugt_profiles:
        pass
    ctypedef struct ugt_posterior:
        const ugt_profiles *profiles
        const int64_t *case_profile
        const int64_t *offsets
        const int32_t *class_index
        const int32_t *entry_group
        const int32_t *background_group
        int64_t n_classes
    ctypedef struct ugt_sets:
        const int64_t *offsets
        const int32_t *class_index
        const int8_t *role
        const int8_t *rest_role
    ctypedef struct ugt_orders:
        const int64_t *offsets
        const int32_t *class_index
        const int32_t *start
    ctypedef struct ugt_list_metric:
        int metric
        int depth
        double parameter
        double scale
        int64_t lattice
    ctypedef struct ugt_concentrations:
        const int64_t *offsets
        const int32_t *class_index
        const double *concentration
        const double *background
        const uint64_t *stream_key
        int64_t n_classes
    void ugt_concentration_range(const double *, int64_t, const double *, int64_t, double *)
    int ugt_profiles_new(const int64_t *, const double *, const double *, int64_t, int64_t, ugt_profiles **, int64_t *, int32_t *, int32_t *)
    void ugt_profiles_free(ugt_profiles *)
    int64_t ugt_profiles_count(const ugt_profiles *)
    const int64_t *ugt_profiles_offsets(const ugt_profiles *)
    void ugt_dirichlet_memberships(const ugt_posterior *, int64_t, const double *, int, double *, double *)
    int ugt_dirichlet_ranks(const ugt_profiles *, int64_t, int64_t, int, double *)
    int ugt_dirichlet_overlaps(const ugt_posterior *, const ugt_sets *, const int32_t *, int, int64_t, int64_t, double *)
    int ugt_dirichlet_certainty(const ugt_profiles *, int64_t, int64_t, int, double *)
    int ugt_dirichlet_list_sizes(const ugt_profiles *, int64_t, int64_t, int, int64_t, int64_t *)
    int ugt_dirichlet_lists(const ugt_profiles *, int64_t, int64_t, int, const int64_t *, double *)
    int ugt_dirichlet_list_values(const ugt_posterior *, const ugt_orders *, const ugt_list_metric *, const int64_t *, const double *, int64_t, int64_t, double *, double *)
    int ugt_dirichlet_draws(const ugt_concentrations *, uint64_t, int64_t, int64_t, int64_t, double *)
    int ugt_dirichlet_top(const ugt_concentrations *, uint64_t, int64_t, int64_t, int64_t, int64_t, int32_t *)


def concentration_range(const double[::1] concentration, const double[::1] background):  # -> tuple[float, float]
    """The least and the largest of concentrations and of backgrounds that are not 0; NaN if one is."""
    cdef double found[2]
    cdef int64_t n = concentration.shape[0], m = background.shape[0]
    with nogil:
        ugt_concentration_range(&concentration[0] if n > 0 else NULL, n, &background[0] if m > 0 else NULL, m, found)
    return found[0], found[1]


cdef class Profiles:
    """The distinct multisets of concentrations of a posterior, and the places of each case and class in them.

    The arrays are the caller's; outputs are filled at construction.
    """

    cdef ugt_profiles *profiles
    cdef const int64_t[::1] offsets, case_profile
    cdef const int32_t[::1] index, entry_group, background_group
    cdef readonly int64_t n_cases, n_classes

    def __cinit__(self, const int64_t[::1] offsets, const int32_t[::1] index, const double[::1] concentration,
                  const double[::1] background, int64_t n_classes, int64_t[::1] case_profile, int32_t[::1] entry_group,
                  int32_t[::1] background_group):
        cdef int64_t n = offsets.shape[0] - 1, e
        cdef int status
        if n < 0 or offsets[0] != 0 or offsets[n] != index.shape[0] or index.shape[0] != concentration.shape[0] \
                or background.shape[0] != n or case_profile.shape[0] != n or entry_group.shape[0] != index.shape[0] \
                or background_group.shape[0] != n or n_classes < 1:
            raise ValueError("arrays of a posterior do not fit together")
        for e in range(index.shape[0]):
            if index[e] < 0 or index[e] >= n_classes:
                raise ValueError("class index out of range")
        self.n_cases = n
        self.n_classes = n_classes
        self.offsets, self.index = offsets, index
        self.case_profile, self.entry_group, self.background_group = case_profile, entry_group, background_group
        with nogil:
            status = ugt_profiles_new(&offsets[0], first_double(concentration), first_double(background), n, n_classes,
                                      &self.profiles, first_out64(case_profile), first_out32(entry_group),
                                      first_out32(background_group))
        check(status)

    def __dealloc__(self):
        ugt_profiles_free(self.profiles)

    def __len__(self):  # -> int
        return ugt_profiles_count(self.profiles)

    cdef ugt_posterior posterior(self) noexcept nogil:
        cdef ugt_posterior p
        p.profiles = self.profiles
        p.case_profile = first64(self.case_profile)
        p.offsets = &self.offsets[0]
        p.class_index = first32(self.index)
        p.entry_group = first32(self.entry_group)
        p.background_group = first32(self.background_group)
        p.n_classes = self.n_classes
        return p

    def n_groups(self):  # -> int
        cdef int64_t n = ugt_profiles_count(self.profiles)
        return 0 if n == 0 else ugt_profiles_offsets(self.profiles)[n]

    def first_groups(self, int64_t[::1] first):
        """Write the position of the first group of each profile."""
        cdef int64_t i
        if first.shape[0] != ugt_profiles_count(self.profiles):
            raise ValueError("output does not fit")
        for i in range(first.shape[0]):
            first[i] = ugt_profiles_offsets(self.profiles)[i]

    def ranks(self, int64_t begin, int64_t end, double[:, ::1] rank):
        cdef int depth = <int> rank.shape[1], status
        if begin < 0 or end > ugt_profiles_count(self.profiles) or rank.shape[0] != self.n_groups() or depth < 1:
            raise ValueError("range or output does not fit")
        if begin >= end:
            return
        with nogil:
            status = ugt_dirichlet_ranks(self.profiles, begin, end, depth, &rank[0, 0])
        check(status)

    def memberships(self, const double[:, ::1] rank, double[::1] member, double[::1] rest):
        cdef ugt_posterior posterior = self.posterior()
        if rank.shape[0] != self.n_groups() or rank.shape[1] < 1 or member.shape[0] != self.index.shape[0] or rest.shape[0] != self.n_cases:
            raise ValueError("ranks or outputs do not fit the posterior")
        if self.n_cases == 0:
            return
        with nogil:
            ugt_dirichlet_memberships(&posterior, self.n_cases, &rank[0, 0] if rank.shape[0] > 0 else NULL, <int> rank.shape[1],
                                      first_out(member), &rest[0])

    def overlaps(self, const int64_t[::1] offsets, const int32_t[::1] index, const int8_t[::1] role,
                 const int8_t[::1] rest_role, const int32_t[::1] k, int64_t begin, int64_t end, double[:, :, ::1] table):
        cdef int k_max = <int> table.shape[1] - 1, status
        cdef ugt_sets sets
        cdef ugt_posterior posterior = self.posterior()
        if offsets.shape[0] != self.n_cases + 1 or offsets[0] != 0 or offsets[self.n_cases] != index.shape[0] or role.shape[0] != index.shape[0] \
                or rest_role.shape[0] != self.n_cases or k.shape[0] != self.n_cases or table.shape[0] != self.n_cases \
                or table.shape[2] != k_max + 1 or begin < 0 or end > self.n_cases:
            raise ValueError("arrays of the sets do not fit the posterior")
        if begin >= end:
            return
        check_rows(offsets, begin, end, index.shape[0])
        sets.offsets, sets.class_index, sets.role, sets.rest_role = &offsets[0], first32(index), first8(role), &rest_role[0]
        with nogil:
            status = ugt_dirichlet_overlaps(&posterior, &sets, &k[0], k_max, begin, end, &table[0, 0, 0])
        check(status)

    def certainty(self, int64_t begin, int64_t end, int k, double[::1] out):
        cdef int status
        if begin < 0 or end > ugt_profiles_count(self.profiles) or out.shape[0] != ugt_profiles_count(self.profiles) or k < 1:
            raise ValueError("range or output does not fit")
        if begin >= end:
            return
        with nogil:
            status = ugt_dirichlet_certainty(self.profiles, begin, end, k, &out[0])
        check(status)

    def list_sizes(self, int64_t begin, int64_t end, int depth, int64_t most, int64_t[::1] size):
        cdef int status
        if begin < 0 or end > ugt_profiles_count(self.profiles) or size.shape[0] != ugt_profiles_count(self.profiles) or depth < 1:
            raise ValueError("range or output does not fit")
        if begin >= end:
            return
        with nogil:
            status = ugt_dirichlet_list_sizes(self.profiles, begin, end, depth, most, &size[0])
        check(status)

    def lists(self, int64_t begin, int64_t end, int depth, const int64_t[::1] table_offsets, double[::1] table):
        cdef int64_t n = ugt_profiles_count(self.profiles)
        cdef int status
        if begin < 0 or end > n or table_offsets.shape[0] != n + 1 or table_offsets[n] != table.shape[0] or depth < 1:
            raise ValueError("range or output does not fit")
        if begin >= end or table.shape[0] == 0:
            return
        check_rows(table_offsets, begin, end, table.shape[0])
        with nogil:
            status = ugt_dirichlet_lists(self.profiles, begin, end, depth, &table_offsets[0], &table[0])
        check(status)

    def list_values(self, const int64_t[::1] offsets, const int32_t[::1] index, const int32_t[::1] start, int number, int depth,
                    double parameter, double scale, const int64_t[::1] table_offsets, const double[::1] table, int64_t begin,
                    int64_t end, double[:, ::1] moments, double[:, ::1] pmf):
        cdef ugt_orders orders
        cdef ugt_list_metric metric
        cdef ugt_posterior posterior = self.posterior()
        cdef int status
        if offsets.shape[0] != self.n_cases + 1 or offsets[0] != 0 or offsets[self.n_cases] != index.shape[0] or start.shape[0] != index.shape[0] \
                or moments.shape[0] != self.n_cases or moments.shape[1] != 3 or pmf.shape[0] != self.n_cases or pmf.shape[1] < 2 \
                or begin < 0 or end > self.n_cases or table_offsets.shape[0] != ugt_profiles_count(self.profiles) + 1 \
                or depth < 1 or depth > self.n_classes:
            raise ValueError("arrays of the orders do not fit the posterior")
        if begin >= end:
            return
        check_rows(offsets, begin, end, index.shape[0])
        orders.offsets, orders.class_index, orders.start = &offsets[0], first32(index), first32(start)
        metric.metric, metric.depth, metric.parameter, metric.scale, metric.lattice = number, depth, parameter, scale, pmf.shape[1] - 1
        with nogil:
            status = ugt_dirichlet_list_values(&posterior, &orders, &metric, &table_offsets[0], first_double(table), begin, end,
                                               &moments[0, 0], &pmf[0, 0])
        check(status)


cdef inline const double *first_double(const double[::1] x) noexcept nogil:
    return &x[0] if x.shape[0] > 0 else NULL

cdef inline double *first_out(double[::1] x) noexcept nogil:
    return &x[0] if x.shape[0] > 0 else NULL

cdef inline const int64_t *first64(const int64_t[::1] x) noexcept nogil:
    return &x[0] if x.shape[0] > 0 else NULL

cdef inline const int32_t *first32(const int32_t[::1] x) noexcept nogil:
    return &x[0] if x.shape[0] > 0 else NULL

cdef inline const int8_t *first8(const int8_t[::1] x) noexcept nogil:
    return &x[0] if x.shape[0] > 0 else NULL

cdef inline int64_t *first_out64(int64_t[::1] x) noexcept nogil:
    return &x[0] if x.shape[0] > 0 else NULL

cdef inline int32_t *first_out32(int32_t[::1] x) noexcept nogil:
    return &x[0] if x.shape[0] > 0 else NULL


cdef ugt_concentrations concentrations(const int64_t[::1] offsets, const int32_t[::1] index, const double[::1] concentration,
                                       const double[::1] background, const uint64_t[::1] stream_key, int64_t n_classes) except *:
    cdef ugt_concentrations law
    cdef int64_t n = offsets.shape[0] - 1
    if n < 1 or offsets[n] != index.shape[0] or concentration.shape[0] != index.shape[0] or background.shape[0] != n \
            or stream_key.shape[0] != n or n_classes < 1:
        raise ValueError("arrays of a posterior do not fit together")
    law.offsets, law.class_index, law.concentration = &offsets[0], first32(index), first_double(concentration)
    law.background, law.stream_key, law.n_classes = &background[0], &stream_key[0], n_classes
    return law


def draws(const int64_t[::1] offsets, const int32_t[::1] index, const double[::1] concentration, const double[::1] background,
          const uint64_t[::1] stream_key, int64_t n_classes, uint64_t seed, int64_t begin, int64_t end, double[:, :, ::1] out):
    cdef ugt_concentrations law = concentrations(offsets, index, concentration, background, stream_key, n_classes)
    cdef int64_t n_draws = out.shape[1]
    cdef int status
    if begin < 0 or end > background.shape[0] or out.shape[0] != end - begin or out.shape[2] != n_classes:
        raise ValueError("range or output does not fit")
    if begin >= end or n_draws == 0:
        return
    check_rows(offsets, begin, end, index.shape[0])
    with nogil:
        status = ugt_dirichlet_draws(&law, seed, begin, end, n_draws, &out[0, 0, 0])
    check(status)


def top(const int64_t[::1] offsets, const int32_t[::1] index, const double[::1] concentration, const double[::1] background,
        const uint64_t[::1] stream_key, int64_t n_classes, uint64_t seed, int64_t begin, int64_t end, int32_t[:, :, ::1] out):
    cdef ugt_concentrations law = concentrations(offsets, index, concentration, background, stream_key, n_classes)
    cdef int64_t n_draws = out.shape[1], depth = out.shape[2]
    cdef int status
    if begin < 0 or end > background.shape[0] or out.shape[0] != end - begin or depth < 1:
        raise ValueError("range or output does not fit")
    if begin >= end or n_draws == 0:
        return
    check_rows(offsets, begin, end, index.shape[0])
    with nogil:
        status = ugt_dirichlet_top(&law, seed, begin, end, n_draws, depth, &out[0, 0, 0])
    check(status)
