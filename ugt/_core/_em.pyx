"""Annotator models: confusion matrices, and annotators who are right or wrong. Annotators and classes are checked by the C core."""

from _status cimport check, check_rows
from libc.stdint cimport int32_t, int64_t, uint64_t

cdef extern from "em.h" nogil:
    ctypedef struct ugt_label_table:
        const int64_t *offsets
        const int32_t *annotator
        const int32_t *label
        const double *weight
        const int64_t *given_offsets
        const int32_t *given
        int64_t n_cases
        int64_t n_annotators, n_classes
        const int32_t *known
    ctypedef struct ugt_confusions:
        pass
    ctypedef struct ugt_confusions_size:
        int64_t n_pairs, n_cells, n_rows, n_candidates
        int all
    ctypedef struct ugt_pseudo_counts:
        double diagonal, off_diagonal, prevalence
    ctypedef struct ugt_confusion_counts:
        double *count
        double *class_count
    ctypedef struct ugt_skill_options:
        ugt_pseudo_counts concentration
        const uint64_t *case_key
        const uint64_t *annotator_key
        uint64_t seed
        uint64_t chain
        int64_t n_warmup
        int64_t n_draws
        int64_t n_thin
        int64_t first
        int64_t n_total
        int spare
        int classes
    ctypedef struct ugt_coins:
        ugt_label_table table
        const int32_t *entry
    ctypedef struct ugt_glad_prior:
        double ability_mean
        double ability_sd
        double easiness_mean
        double easiness_sd
    int UGT_STOPPED
    int ugt_confusions_new(const ugt_label_table *, int, ugt_confusions **)
    void ugt_confusions_free(ugt_confusions *)
    ugt_confusions_size ugt_confusions_sizes(const ugt_confusions *)
    void ugt_confusions_layout(const ugt_confusions *, int64_t *, int32_t *, int32_t *, int32_t *, int32_t *, int32_t *)
    void ugt_confusions_count(const ugt_confusions *, const double *, ugt_confusion_counts *)
    double ugt_confusions_mode(const ugt_confusions *, const ugt_pseudo_counts *, const ugt_confusion_counts *, double *, double *, double *)
    int ugt_confusions_expect(const ugt_confusions *, const double *, const double *, ugt_confusion_counts *, double *, double *)
    void ugt_vote_start(const int64_t *, const double *, int64_t, const uint64_t *, uint64_t, uint64_t, double *)
    int ugt_skills(const ugt_confusions *, const ugt_skill_options *, const int32_t *, double *, double *, double *, double *)
    int ugt_coins_check(const ugt_coins *)
    int ugt_coins_expect(const ugt_coins *, const double *, const double *, int, const double *, double *, double *, double *, double *,
                         double *)
    double ugt_glad_labels(const ugt_coins *, const ugt_glad_prior *, const double *, const double *, double *, double *)
    int ugt_glad_improve(const ugt_coins *, const ugt_glad_prior *, const double *, double *, double *)
    int ugt_coins_information(const ugt_coins *, const double *, const double *, const ugt_glad_prior *, const double *, const double *, int,
                              double *)


cdef inline double *at(double[::1] x) noexcept nogil:
    return &x[0] if x.shape[0] > 0 else NULL

cdef inline const double *read(const double[::1] x) noexcept nogil:
    return &x[0] if x.shape[0] > 0 else NULL


def start(const int64_t[::1] offsets, const double[::1] vote, const uint64_t[::1] case_key, uint64_t seed, uint64_t number, double[::1] q):
    """Fill q with the shares of the votes of each case (start 0), or with Dirichlet draws around them."""
    cdef int64_t n = case_key.shape[0]
    check_rows(offsets, 0, n, vote.shape[0])
    if offsets.shape[0] != n + 1 or q.shape[0] != vote.shape[0]:
        raise ValueError("keys or output do not fit")
    with nogil:
        ugt_vote_start(&offsets[0], read(vote), n, &case_key[0], seed, number, at(q))


cdef class Table:
    """The labels with their annotators, and the distinct classes given to each case; keeps the arrays alive."""

    cdef ugt_label_table table
    cdef const int64_t[::1] offsets, given_offsets
    cdef const int32_t[::1] annotator, label, given, known
    cdef const double[::1] weight

    def __cinit__(self, const int64_t[::1] offsets, const int32_t[::1] annotator, const int32_t[::1] label, const double[::1] weight,
                  const int64_t[::1] given_offsets, const int32_t[::1] given, int64_t n_annotators, int64_t n_classes,
                  const int32_t[::1] known=None):
        cdef int64_t n = offsets.shape[0] - 1, i
        if n < 1 or offsets[0] != 0 or given_offsets.shape[0] != n + 1 or given_offsets[0] != 0 or annotator.shape[0] != label.shape[0] \
                or offsets[n] != label.shape[0] or given_offsets[n] != given.shape[0] or n_annotators < 1 or n_classes < 1 \
                or (weight is not None and weight.shape[0] != label.shape[0]) or (known is not None and known.shape[0] != n):
            raise ValueError("arrays of the labels do not fit together")
        for i in range(n):
            if offsets[i + 1] < offsets[i] or given_offsets[i + 1] < given_offsets[i]:
                raise ValueError("offsets must not decrease")
        self.offsets, self.given_offsets = offsets, given_offsets
        self.annotator, self.label, self.given, self.weight, self.known = annotator, label, given, weight, known
        self.table.known = &known[0] if known is not None else NULL
        self.table.offsets, self.table.given_offsets = &offsets[0], &given_offsets[0]
        self.table.annotator = &annotator[0] if annotator.shape[0] > 0 else NULL
        self.table.label = &label[0] if label.shape[0] > 0 else NULL
        self.table.given = &given[0] if given.shape[0] > 0 else NULL
        self.table.weight = &weight[0] if weight is not None and weight.shape[0] > 0 else NULL
        self.table.n_cases, self.table.n_annotators, self.table.n_classes = n, n_annotators, n_classes


cdef class Confusions:
    """The cells (annotator, label, true class) that can be above 0, and the candidate classes of each case."""

    cdef ugt_confusions *x
    cdef ugt_confusions_size size
    cdef int64_t n_cases, n_annotators, n_classes

    def __cinit__(self, Table table, int cells):
        cdef int status
        with nogil:
            status = ugt_confusions_new(&table.table, cells, &self.x)
        check(status)
        self.size = ugt_confusions_sizes(self.x)
        self.n_cases, self.n_annotators, self.n_classes = table.table.n_cases, table.table.n_annotators, table.table.n_classes

    def __dealloc__(self):
        ugt_confusions_free(self.x)

    def sizes(self):  # -> tuple[int, int, int, bool]
        """Return the numbers of cells, rows (annotator, true class) and candidates of all cases; whether all classes are candidates."""
        return self.size.n_cells, self.size.n_rows, self.size.n_candidates, bool(self.size.all)

    def layout(self, int64_t[::1] offsets, int32_t[::1] index, int32_t[:, ::1] cells):
        """Fill the candidates of each case, and the annotator, label, truth and row of each cell."""
        cdef int64_t n = self.size.n_cells
        cdef int32_t dummy = 0
        cdef int32_t *first = &index[0] if index.shape[0] > 0 else &dummy
        cdef int32_t *cell = &cells[0, 0] if n > 0 else &dummy
        if offsets.shape[0] != self.n_cases + 1 or index.shape[0] != self.size.n_candidates or cells.shape[0] != 4 or cells.shape[1] != n:
            raise ValueError("outputs do not fit")
        ugt_confusions_layout(self.x, &offsets[0], first, cell, cell + n, cell + 2 * n, cell + 3 * n)

    cdef int fits(self, const double[::1] cells, const double[::1] classes) except -1:
        if cells.shape[0] != self.size.n_cells or classes.shape[0] != self.n_classes:
            raise ValueError("counts or probabilities do not fit")
        return 0

    def count(self, const double[::1] q, double[::1] count, double[::1] class_count):
        cdef ugt_confusion_counts counts
        self.fits(count, class_count)
        if q.shape[0] != self.size.n_candidates:
            raise ValueError("probabilities of classes do not fit")
        counts.count, counts.class_count = at(count), at(class_count)
        with nogil:
            ugt_confusions_count(self.x, read(q), &counts)

    def mode(self, double diagonal, double off_diagonal, double prevalence_prior, double[::1] count, double[::1] class_count,
             double[::1] probability, double[::1] prevalence, double[::1] row_total):  # -> float
        """Fill the parameters of highest density given the counts; return the log prior at them."""
        cdef ugt_confusion_counts counts
        cdef ugt_pseudo_counts prior
        cdef double density
        self.fits(count, class_count)
        self.fits(probability, prevalence)
        if row_total.shape[0] != self.size.n_rows:
            raise ValueError("row totals do not fit")
        counts.count, counts.class_count = at(count), at(class_count)
        prior.diagonal, prior.off_diagonal, prior.prevalence = diagonal, off_diagonal, prevalence_prior
        with nogil:
            density = ugt_confusions_mode(self.x, &prior, &counts, at(probability), at(prevalence), at(row_total))
        return density

    def expect(self, const double[::1] probability, const double[::1] prevalence, double[::1] count, double[::1] class_count,
               double[::1] q=None):  # -> float
        """Fill the expected counts under the parameters; return the log-likelihood."""
        cdef ugt_confusion_counts counts
        cdef double *out = NULL
        cdef double log_likelihood = 0.0
        cdef int status
        self.fits(probability, prevalence)
        self.fits(count, class_count)
        if q is not None:
            if q.shape[0] != self.size.n_candidates:
                raise ValueError("output does not fit")
            out = at(q)
        counts.count, counts.class_count = at(count), at(class_count)
        with nogil:
            status = ugt_confusions_expect(self.x, read(probability), read(prevalence), &counts, out, &log_likelihood)
        check(status)
        return log_likelihood

    def sample(self, tuple concentration, const uint64_t[::1] case_key, const uint64_t[::1] annotator_key, uint64_t seed, tuple schedule,
               int spare, int classes, int32_t[::1] stop, double[::1] value, double[:, ::1] accuracy, double[:, ::1] prevalence,
               double[::1] cell_mean):  # concentration: tuple[float, float, float], schedule: tuple[int, int, int, int, int, int] -> bool
        """Run one chain and return whether it was completed; schedule: (chain, first, n_total, n_warmup, n_draws, n_thin)."""
        cdef ugt_skill_options o
        cdef int status
        o.concentration.diagonal, o.concentration.off_diagonal, o.concentration.prevalence = concentration
        o.chain, o.first, o.n_total, o.n_warmup, o.n_draws, o.n_thin = schedule
        o.seed, o.spare, o.classes = seed, spare != 0, classes
        if case_key.shape[0] != self.n_cases or annotator_key.shape[0] != self.n_annotators or stop.shape[0] != 1 or o.n_total < 1 \
                or o.first < 0 or o.n_draws < 1 or o.first + o.n_draws > o.n_total or o.n_warmup < 0 or o.n_thin < 1 \
                or value.shape[0] != (self.size.n_candidates + o.spare * self.n_cases) * o.n_total or accuracy.shape[0] != o.n_total \
                or accuracy.shape[1] != self.n_annotators or prevalence.shape[0] != o.n_total or prevalence.shape[1] != self.n_classes \
                or cell_mean.shape[0] != self.size.n_cells or not min(concentration) > 0:
            raise ValueError("options or output of the sampler do not fit")
        o.case_key, o.annotator_key = &case_key[0], &annotator_key[0]
        with nogil:
            status = ugt_skills(self.x, &o, &stop[0], at(value), &accuracy[0, 0], &prevalence[0, 0], at(cell_mean))
        if status == UGT_STOPPED:
            return False
        check(status)
        return True


cdef class Coins:
    """Annotators who are right or wrong. entry: the position of each label among the given classes."""

    cdef Table held
    cdef const int32_t[::1] entry
    cdef ugt_coins x

    def __cinit__(self, Table table, const int32_t[::1] entry):
        if entry.shape[0] != table.label.shape[0]:
            raise ValueError("entries do not fit the labels")
        self.held, self.entry = table, entry
        self.x.table = table.table
        self.x.entry = &entry[0] if entry.shape[0] > 0 else NULL
        check(ugt_coins_check(&self.x))

    cdef int fits(self, const double[::1] q, const double[::1] per_case, const double[::1] per_annotator) except -1:
        if q.shape[0] != self.held.given.shape[0] or per_case.shape[0] != self.x.table.n_cases \
                or per_annotator.shape[0] != self.x.table.n_annotators:
            raise ValueError("arrays of the annotators or classes do not fit")
        return 0

    def expect(self, const double[::1] right, const double[::1] wrong, const double[::1] prevalence, double[::1] q, double[::1] rest,
               double[::1] right_count, double[::1] class_count, bint per_label):  # -> float
        """Fill expectations given log probabilities of a right and of one wrong label, by annotator or label; return the log-likelihood."""
        cdef int64_t n = self.entry.shape[0] if per_label else self.x.table.n_annotators
        cdef double log_likelihood = 0.0
        cdef int status
        self.fits(q, rest, right_count)
        if right.shape[0] != n or wrong.shape[0] != n or prevalence.shape[0] != self.x.table.n_classes \
                or class_count.shape[0] != self.x.table.n_classes:
            raise ValueError("probabilities do not fit")
        with nogil:
            status = ugt_coins_expect(&self.x, read(right), read(wrong), per_label, &prevalence[0], at(q), &rest[0], &right_count[0],
                                      &class_count[0], &log_likelihood)
        check(status)
        return log_likelihood

    def labels(self, tuple prior, const double[::1] ability, const double[::1] easiness, double[::1] right, double[::1] wrong):
        # prior: tuple[float, float, float, float] -> float
        """GLAD: fill the log probabilities of each label; return the log prior."""
        cdef ugt_glad_prior p
        cdef double density
        p.ability_mean, p.ability_sd, p.easiness_mean, p.easiness_sd = prior
        if right.shape[0] != self.entry.shape[0] or wrong.shape[0] != self.entry.shape[0] or ability.shape[0] != self.x.table.n_annotators \
                or easiness.shape[0] != self.x.table.n_cases:
            raise ValueError("arrays of the annotators or labels do not fit")
        with nogil:
            density = ugt_glad_labels(&self.x, &p, &ability[0], &easiness[0], at(right), at(wrong))
        return density

    def improve(self, tuple prior, const double[::1] q, double[::1] ability, double[::1] easiness):
        # prior: tuple[float, float, float, float] -> None
        """GLAD: replace abilities and easiness by ones with a higher expected log posterior."""
        cdef ugt_glad_prior p
        cdef int status
        p.ability_mean, p.ability_sd, p.easiness_mean, p.easiness_sd = prior
        self.fits(q, easiness, ability)
        with nogil:
            status = ugt_glad_improve(&self.x, &p, read(q), &ability[0], &easiness[0])
        check(status)

    def information(self, const double[::1] q, const double[::1] chance, double[:, ::1] out, tuple prior=None,
                    const double[::1] ability=None, const double[::1] easiness=None):
        # prior: tuple[float, float, float, float] | None -> None
        """Fill the observed information of the abilities: out (A, A), or (1, A) for its diagonal."""
        cdef ugt_glad_prior p
        cdef ugt_glad_prior *given = NULL
        cdef const double *a = NULL
        cdef const double *b = NULL
        cdef int64_t n = self.x.table.n_annotators
        cdef int status, joint = out.shape[0] == n
        if q.shape[0] != self.held.given.shape[0] or chance.shape[0] != self.entry.shape[0] or out.shape[1] != n \
                or (out.shape[0] != n and out.shape[0] != 1):
            raise ValueError("arrays of the information do not fit")
        if prior is not None:
            self.fits(q, easiness, ability)
            p.ability_mean, p.ability_sd, p.easiness_mean, p.easiness_sd = prior
            given, a, b = &p, &ability[0], &easiness[0]
        with nogil:
            status = ugt_coins_information(&self.x, read(q), read(chance), given, a, b, joint, &out[0, 0])
        check(status)
