/* The contract of the C core. Pure C11: no Python, no numpy, no global state.
 * Every function that can fail returns an int status: UGT_OK or a negative code of the table below (status.c has the messages;
 * _status.pxd turns a code into a Python exception, once). Outputs come last. Unless a comment says otherwise
 *   - arrays are C-contiguous, owned by the caller and not kept; lengths are stated as [..];
 *   - Python has checked finiteness, ranges and duplicates; C checks what memory safety needs (offsets, class indices: UGT_ERR_RANGE);
 *   - functions may be called from several threads at once on different outputs;
 *   - offsets are int64, start at 0 and do not decrease; ragged row i is [offsets[i], offsets[i+1]). */
#ifndef UGT_H
#define UGT_H
#include <stddef.h>
#include <stdint.h>

#define UGT_OK 0
#define UGT_ERR_MEMORY (-1)
#define UGT_ERR_RANGE (-2)
#define UGT_ERR_VALUE (-3)
#define UGT_ERR_SIZE (-4)
#define UGT_ERR_CONVERGENCE (-5)

const char *ugt_status_message(int status);

/* ---- stream.c: counter-keyed random streams ------------------------------------------------------ */

/* State of xoshiro256++ 1.0 (Blackman & Vigna 2019). */
typedef struct {
    uint64_t s[4];
} ugt_stream;

/* Philox4x64-10 (Salmon et al. 2011): one block of four words for (counter, key). */
void ugt_philox(const uint64_t counter[4], const uint64_t key[2], uint64_t out[4]);

/* The stream of (seed, case key, chain, purpose): Philox of the four numbers is the state of xoshiro256++.
 * `purpose` keeps different uses of one seed apart (see UGT_PURPOSE_*). */
void ugt_stream_open(ugt_stream *stream, uint64_t seed, uint64_t case_key, uint64_t chain, uint64_t purpose);

#define UGT_PURPOSE_DRAWS 1
#define UGT_PURPOSE_BOOTSTRAP 2
#define UGT_PURPOSE_SYNTHETIC 3
#define UGT_PURPOSE_GIBBS 4
#define UGT_PURPOSE_SINGLES 5
#define UGT_PURPOSE_GROUPS 6
#define UGT_PURPOSE_NAMES 7
#define UGT_PURPOSE_ANNOTATIONS 8
#define UGT_PURPOSE_FOLDS 9
#define UGT_PURPOSE_RATINGS 10
#define UGT_PURPOSE_COMMITTEES 11
#define UGT_PURPOSE_SETS 12
#define UGT_PURPOSE_ANNOTATORS 13
#define UGT_PURPOSE_POISSON 14

uint64_t ugt_stream_bits(ugt_stream *stream);        /* 64 random bits */
double ugt_stream_uniform(ugt_stream *stream);       /* (0, 1), odd multiples of 2^-53 */
uint64_t ugt_stream_below(ugt_stream *stream, uint64_t n); /* 0..n-1, n >= 1, exactly uniform (Lemire 2019) */
double ugt_stream_exponential(ugt_stream *stream);   /* rate 1 */
double ugt_stream_normal(ugt_stream *stream);
double ugt_stream_gamma(ugt_stream *stream, double shape);     /* shape > 0, rate 1; may underflow to 0 */
double ugt_stream_log_gamma(ugt_stream *stream, double shape); /* its logarithm, finite for any shape > 0 */
int64_t ugt_stream_binomial(ugt_stream *stream, int64_t n, double p); /* n >= 0; p below 0 or above 1 counts as 0 or 1 */
void ugt_stream_words(ugt_stream *stream, int64_t n, uint64_t *word); /* word [n]: n times ugt_stream_bits */

/* ---- profile.c: Dirichlet posteriors without the names of their classes ----------------------------- */

/* A profile is the multiset of a posterior's positive concentrations; cases that share one share its integrals.
 * Opaque, made by ugt_profiles_new, freed by the caller. */
typedef struct ugt_profiles ugt_profiles;

/* offsets [n_cases+1], concentration [offsets[n_cases]] > 0, background [n_cases] >= 0: the concentration of each
 * of the n_classes - (listed) classes of a case. Positive ones from 1e-300 to 1e300, else UGT_ERR_VALUE. Out: case_profile [n_cases], -1 where nothing is positive;
 * entry_group [offsets[n_cases]] and background_group [n_cases] (-1: no unlisted class or background 0): positions
 * in the profile's groups, which are in descending order of concentration. */
int ugt_profiles_new(const int64_t *offsets, const double *concentration, const double *background, int64_t n_cases, int64_t n_classes,
                     ugt_profiles **out, int64_t *case_profile, int32_t *entry_group, int32_t *background_group);
void ugt_profiles_free(ugt_profiles *profiles);
int64_t ugt_profiles_count(const ugt_profiles *profiles);
const int64_t *ugt_profiles_offsets(const ugt_profiles *profiles);  /* [count+1], into groups */
const double *ugt_profiles_concentrations(const ugt_profiles *profiles); /* [groups] */
const int64_t *ugt_profiles_counts(const ugt_profiles *profiles);   /* [groups] */

/* ---- dirichlet.c: exact probabilities of ranks and of overlaps, by quadrature ----------------------- */

/* rank [groups * depth]: for each group of profiles [begin, end), P(one given class of the group has rank r+1),
 * r < depth; ranks beyond the support get 0. Written at the groups' own places. */
int ugt_dirichlet_ranks(const ugt_profiles *profiles, int64_t begin, int64_t end, int depth, double *rank);

/* A Dirichlet posterior and the results of ugt_profiles_new for it. */
typedef struct {
    const ugt_profiles *profiles;
    const int64_t *case_profile;    /* [n_cases] */
    const int64_t *offsets;         /* [n_cases+1] */
    const int32_t *class_index;     /* [offsets[n_cases]], in 0..n_classes-1, no class twice in a case */
    const int32_t *entry_group;     /* [offsets[n_cases]] */
    const int32_t *background_group; /* [n_cases] */
    int64_t n_classes;
} ugt_posterior;

/* Two disjoint sets of classes per case: what is in the first for certain, and what is tied for the rest of it. */
#define UGT_ROLE_NONE 0
#define UGT_ROLE_CERTAIN 1
#define UGT_ROLE_TIED 2
typedef struct {
    const int64_t *offsets; /* [n_cases+1] */
    const int32_t *class_index;
    const int8_t *role;
    const int8_t *rest_role; /* [n_cases] role of the classes not listed */
} ugt_sets;

/* Sums over the certain and the tied classes of each case's set. Classes have numbers: class_index [n_entries], ascending
 * within a case, have value [n_entries], all others of case i rest[i]; those that a set does not list have together what its listed ones
 * leave of `total`. out [n_cases * 4]: sums over the certain and the tied classes (NaN where rest is), and how many there are. */
int ugt_role_sums(const int64_t *offsets, const int32_t *class_index, const double *value, const double *rest, const ugt_sets *sets,
                  int64_t n_cases, int64_t n_classes, double total, double *out);

/* Joint law of how many classes of the two sets are among the k[i] largest plausibilities of case i.
 * k [n_cases] in 1..k_max. table [n_cases * (k_max+1)^2]: entry (a, b) = P(a of the first and b of the second);
 * NaN where the case is undefined. Where fewer than k classes have a positive concentration, the zeros fill up,
 * each choice alike. Cases [begin, end). */
int ugt_dirichlet_overlaps(const ugt_posterior *posterior, const ugt_sets *sets, const int32_t *k, int k_max, int64_t begin, int64_t end,
                           double *table);

/* ---- tables.c: long tables become ragged arrays -------------------------------------------------- */

/* Numbers the distinct rows of rows[n][width] (bytes, width >= 1) in order of first appearance: code[n] of every row, and in
 * first[0..*n_distinct) the row where each distinct one appears first; first needs room for n. More than 2^31 - 1 distinct rows:
 * UGT_ERR_SIZE. Expected time linear in n * width; 16 to 32 bytes of memory (48 while it grows) per distinct row. */
int ugt_factorize(const uint8_t *rows, int64_t n, int64_t width, int32_t *code, int64_t *first, int64_t *n_distinct);

/* The same of rows of pairs (label, count), row i at [offsets[i], offsets[i+1]), offsets[n_rows] = n_pairs; pairs in another order make
 * another row. With more than limit (<= 2^30) distinct rows it gives up: *n_distinct = -1; first needs room for limit. */
int ugt_distinct_rows(const int64_t *offsets, const int32_t *label, const int64_t *count, int64_t n_rows, int64_t n_pairs, int64_t limit,
                      int32_t *code, int64_t *first, int64_t *n_distinct);

/* Cells of table[n_rows][n_columns] above 0: how many in each row, sizes[n_rows]; then, row after row, the column and count of all
 * n_cells of them (checked). The first returns the first row with a count below 0 or a sum above 2^53, or -1. n_columns < 2^31. */
int64_t ugt_count_cells(const int64_t *table, int64_t n_rows, int64_t n_columns, int64_t *sizes);
int ugt_read_cells(const int64_t *table, int64_t n_rows, int64_t n_columns, int64_t n_cells, int32_t *column, int64_t *count);

/* Stable counting sort: the rows of group g are order[offsets[g] .. offsets[g+1]), in the order in which they came.
 * code[n] in 0..n_groups-1 (checked), offsets[n_groups + 1], order[n]. */
int ugt_group(const int32_t *code, int64_t n, int64_t n_groups, int64_t *offsets, int64_t *order);

/* sum [n_rows]: of value [offsets[n_rows] = n_values] over each row, from its first on; 0 for an empty row. */
int ugt_row_sums(const int64_t *offsets, const double *value, int64_t n_rows, int64_t n_values, double *sum);

/* key[n] of case ids for ugt_stream_open: mix64(FNV-1a-64(UTF-8 bytes of the id)), mix64 being the finaliser of MurmurHash3. The
 * same on every machine. text[n][width]: UCS-4, native byte order, trailing zeros ignored. Integers hash as their decimal digits. */
void ugt_text_keys(const uint32_t *text, int64_t n, int64_t width, uint64_t *key);
void ugt_integer_keys(const int64_t *value, int64_t n, uint64_t *key);

/* ---- irn.c: sums over the annotations of a case -------------------------------------------------- */

/* Annotations of n_cases cases: rankings [case_offsets[n_cases + 1]) of blocks [ranking_offsets[n_rankings + 1]) of classes
 * items[block_offsets[n_blocks + 1]), best block first. Offsets and items are checked against the lengths and n_classes. */
typedef struct {
    int64_t n_cases, n_rankings, n_blocks, n_items, n_classes;
    const int64_t *case_offsets, *ranking_offsets, *block_offsets;
    const int32_t *items;
} ugt_rankings;

/* Inverse rank normalisation, [A] eq. 14-16: a class of the i-th block b_i (i = 1, 2, ...) of a ranking weighs 1/(i |b_i|), or 1/i
 * with full = 1; value = sum of the class / sum of all. Only the first `depth` blocks of a ranking count.
 * Output, ragged, offsets[n_cases + 1]: the classes of each case with a positive weight, ascending, in index[] and value[], which
 * need room for n_items. A case in which nothing is ranked gets an empty row.
 * Equal sums give the same double, in whatever order annotators and classes come: see irn.c. */
int ugt_irn(const ugt_rankings *rankings, int full, int64_t depth, int64_t *offsets, int32_t *index, double *value);

/* Counts of equal labels of a case, added up: label[n_rows], count[n_rows] of case i at [offsets[i], offsets[i+1]); counts >= 0
 * with sums below 2^63. Output as for ugt_irn: labels with a positive sum, ascending; index and total need room for n_rows. */
int ugt_class_counts(int64_t n_cases, int64_t n_rows, int64_t n_classes, const int64_t *offsets, const int32_t *label, const int64_t *count,
                     int64_t *out_offsets, int32_t *index, int64_t *total);

/* Nominal agreement: case i has r_k labels of class k (as for ugt_class_counts, sums below 2^53), r in all, and counts times[i] times
 * (NULL: once). With d = r^2 - sum_k r_k^2, sums[3 + n_classes] are for of_cases = 1 those of d / (r (r - 1)) and 1 where r >= 2, of 1
 * where r >= 1, and of r_k / r; for of_cases = 0, where r >= 2, those of d / (r - 1), r, 0 and r_k. */
int ugt_pair_sums(int64_t n_cases, int64_t n_rows, int64_t n_classes, const int64_t *offsets, const int32_t *label, const int64_t *count,
                  const double *times, int of_cases, double *sums);

/* The first position at which a class stands for the second time in its row of items[offsets[n_rows + 1]); -1: no repetition. */
int ugt_find_repeat(int64_t n_rows, int64_t n_items, int64_t n_classes, const int64_t *offsets, const int32_t *items, int64_t *position);

/* ---- agreement.c: annotators against each other --------------------------------------------------- */

/* Leave one annotator out [A app. D]. Annotator a of a case gave the rankings [annotator_offsets[a], annotator_offsets[a+1]), which lie
 * within one case; annotators are in the order of the cases. count [n_rankings] >= 1: how many annotators gave a ranking, each leaving the
 * same answer; above 1 for rankings of one class only. Sums of counts stay below 2^63.
 * share [n_annotators]: of the classes with the highest IRN weight (see ugt_irn) without annotator a, how many are among those that a
 * ranked; NaN where the others ranked nothing. Ties are exact: see agreement.c. */
int ugt_leave_one_out(const ugt_rankings *rankings, const int64_t *count, int64_t n_annotators, const int64_t *annotator_offsets, int full,
                      double *share);

/* Average overlap of partial rankings [A B.5]: ranking r of x with the rankings from[r] .. to[r]-1 of y, added up, for r in [begin, end).
 * UAO@depth / sqrt(norm_x[r] norm_y[j]), 0 where one of the two is empty; norms [n_rankings] > 0 wherever a ranking is not empty.
 * Classes that a ranking leaves out share its last positions. x and y have the same n_classes; case_offsets are not used; depth in
 * 0..n_classes; no class twice in a ranking. sum [n_rankings of x], filled for [begin, end). */
int ugt_partial_overlaps(const ugt_rankings *x, const ugt_rankings *y, const int64_t *from, const int64_t *to, const double *norm_x,
                         const double *norm_y, int64_t depth, int64_t begin, int64_t end, double *sum);

/* ---- order.c and compare.c: orders of classes and their agreement --------------------------------- */

/* An order: classes best first, each with the start of its bucket of ties (order.c says more). */
typedef struct {
    const int64_t *offsets; /* [n_rows+1] */
    const int32_t *class_index, *start;
} ugt_orders;

/* Orders of the rows of a table, deep enough for the best `depth` >= 1 classes (depth <= n_classes).
 * offsets == NULL: value [n_rows * n_classes], dense. Else ragged rows of (index, value > 0), other classes 0.
 * ties_first: ties broken by position, `depth` classes at the most.
 * Fills order_offsets [n_rows+1] (order_offsets[0] set by the caller), and of order_class and order_start [room] the rows that fit:
 * where order_offsets[n_rows] > room there are more, and it is to be called again with that room. NULL with room 0: offsets only. */
int ugt_order_rows(const int64_t *offsets, const int32_t *index, const double *value, int64_t n_rows, int64_t n_classes, int64_t depth,
                   int ties_first, int64_t room, int64_t *order_offsets, int32_t *order_class, int32_t *order_start);

/* The values of a comparison of orders: a value of each of the first UGT_BY_K at every k = 1..depth, and of the others, metrics of lists of the
 * best `depth`, that of the one asked for (NaN of none); of UGT_TOPK nothing but its values. Python's table of metrics has the same numbers. */
enum { UGT_TOPK, UGT_SET, UGT_OVERLAP, UGT_AVERAGE_OVERLAP, UGT_BY_K, UGT_KENDALL = UGT_BY_K, UGT_FOOTRULE, UGT_RANK_BIASED,
       UGT_WEIGHTED_KENDALL, UGT_DISCOUNTED_GAIN };
int ugt_compare_width(int metric, int depth);         /* values of a comparison */
int ugt_compare_column(int metric, int k, int depth); /* which of them is a metric's, at k in 1..depth */
/* Cases [begin, end): the model's order of a case against n_draws orders of its truth (rows case * n_draws + draw).
 * metric: what is asked for, with its parameter: the penalty of Kendall's distance; for UGT_TOPK j >= 2 best of the truth (NaN at k < j).
 * per_case [n_cases * width] gets means over draws (NaN where not defined); per_draw [n_draws * width] is added to. */
int ugt_compare_orders(const ugt_orders *truth, const ugt_orders *model, const uint8_t *defined, int64_t begin, int64_t end, int64_t
                       n_draws, int64_t n_classes, int depth, int metric, double parameter, double *per_case, double *per_draw);

/* out [n_profiles], filled for [begin, end): P(the k largest plausibilities are those of the k largest
 * concentrations), the highest probability of any set of k; 1 where no more than k concentrations are positive. */
int ugt_dirichlet_certainty(const ugt_profiles *profiles, int64_t begin, int64_t end, int k, double *out);

/* ---- lists.c: the law of the best classes in order ------------------------------------------------ */

/* Number of lists of the best `depth` classes, over groups; 0 where they are more than `most`, or where the
 * concentrations lie too far apart for one grid. size [n_profiles], filled for [begin, end). */
int ugt_dirichlet_list_sizes(const ugt_profiles *profiles, int64_t begin, int64_t end, int depth, int64_t most, int64_t *size);

/* Probability of each list of given classes, one after the other (table_offsets [n_profiles+1] = running sum of the
 * sizes). Lists are enumerated depth first over groups in descending order of concentration. */
int ugt_dirichlet_lists(const ugt_profiles *profiles, int64_t begin, int64_t end, int depth, const int64_t *table_offsets, double *table);

typedef struct {
    int metric, depth;       /* UGT_AVERAGE_OVERLAP or a metric of lists */
    double parameter, scale; /* values of metrics of lists are divided by scale, so that they lie in [0, 1] */
    int64_t lattice;         /* values are counted at i / lattice */
} ugt_list_metric;

/* moments [n_cases * 3]: mean and mean square over the posterior, and the least value (what classes of plausibility 0
 * always add); pmf [n_cases * (lattice+1)]: the law of what exceeds it, on the lattice (a value between two points is
 * split so that the mean stays). NaN where the table has no lists for the profile. */
int ugt_dirichlet_list_values(const ugt_posterior *posterior, const ugt_orders *model, const ugt_list_metric *metric, const int64_t
                              *table_offsets, const double *table, int64_t begin, int64_t end, double *moments, double *pmf);

/* ---- gamma_draws.c ---------------------------------------------------------------------------------- */

typedef struct {
    const int64_t *offsets;      /* [n_cases+1] */
    const int32_t *class_index;  /* [offsets[n_cases]] */
    const double *concentration; /* [offsets[n_cases]] > 0 */
    const double *background;    /* [n_cases] >= 0 */
    const uint64_t *stream_key;  /* [n_cases] */
    int64_t n_classes;
} ugt_concentrations;

/* out [(end-begin) * n_draws * n_classes]: plausibilities, adding up to 1; NaN for an undefined case. */
int ugt_dirichlet_draws(const ugt_concentrations *law, uint64_t seed, int64_t begin, int64_t end, int64_t n_draws, double *out);

/* out [(end-begin) * n_draws * depth]: each draw's best classes, -1 behind the last of positive plausibility.
 * The draws are those of ugt_dirichlet_draws. */
int ugt_dirichlet_top(const ugt_concentrations *law, uint64_t seed, int64_t begin, int64_t end, int64_t n_draws, int64_t depth, int32_t
                      *out);

/* ---- resample.c ------------------------------------------------------------------------------------- */

/* What a bootstrap draws: within each stratum (units [offsets[s], offsets[s+1]), at least one) as many units as it has, with
 * replacement. Resample b of a seed is the same whatever range of resamples it is computed in. */
typedef struct {
    const int64_t *offsets; /* [n_strata+1] */
    int64_t n_strata;
    uint64_t seed;
} ugt_design;

/* Resamples [begin, end), drawn once. sums [(end-begin) * m]: of the m columns of value [units * m] over the units drawn (columns 0 to 3
 * of all units, row by row, then 4 to 7, and so on); with m = 0 neither is read. weights [n_cases * (end-begin)], or NULL: how often the
 * unit [n_cases] of each case was drawn. */
int ugt_bootstrap(const ugt_design *design, const double *value, int64_t m, const int32_t *unit, int64_t n_cases, int64_t begin,
                  int64_t end, double *sums, double *weights);

/* Bootstrap of annotations within cases: row j holds count[j] >= 0 of them. Resample b (stream: seed, b) draws the n of a case with
 * replacement; urn: from n - 2 balls for each and one more for each draw. out [(end-begin) * offsets[n_cases]]: how often each was. */
int ugt_resample_rows(const int64_t *offsets, const int64_t *count, int64_t n_cases, uint64_t seed, int64_t begin, int64_t end, int urn,
                      int64_t *out);

/* ---- grouped.c -------------------------------------------------------------------------------------- */

/* Sums by group under weights of cases [n_cases * stride], of each the first n_weights. Entry i is of case row [n], of group [n] in [0, n_groups), and has value
 * [n * m], or NULL: 1, with m = 1. out [n_weights * n_groups * m]: sums of weight * value over the entries of each group, added in their order. */
int ugt_grouped_sums(const int64_t *row, const int32_t *group, const double *value, int64_t n, int64_t m, int64_t n_groups,
                     const double *weight, int64_t stride, int64_t n_weights, double *out);

/* The law of a sum of independent lattice variables: pmf [n * width] over 0..width-1, each adding up to 1.
 * law [n * (width-1) + 1]; tails below 1e-20 are dropped as they arise. */
int ugt_law_of_sum(const double *pmf, int64_t n, int64_t width, double *law);

/* ---- poisson.c and exact.c: results that can be computed in parts ------------------------------------------- */

/* weight [(end-begin) * n]: how often the case (or cluster) of each key counts in resamples [begin, end), Poisson(1). Word b % 8 of the
 * eight 32-bit words (low halves first) of Philox with counter (key, b / 8, UGT_PURPOSE_POISSON, 0), keyed as in ugt_stream_open. */
int ugt_poisson_weights(const uint64_t *key, int64_t n, uint64_t seed, int64_t begin, int64_t end, double *weight);

/* Exact sums of the columns (parts [m * max_parts]) or rows (parts [n * max_parts]) of x [n * m]: part 0 is the sum rounded to the nearest
 * double, ties to even, part 1 what is then left, rounded, and so on; zeros follow. They depend on the exact sum alone, not on an order
 * (no part is -0), and may be added up themselves. *n_parts: the most that a sum has, at least 1. UGT_EXACT_PARTS suffice, and for
 * rows m + 1; UGT_ERR_SIZE: max_parts do not. UGT_ERR_VALUE: a number is not finite, or a sum is beyond the largest double. */
#define UGT_EXACT_PARTS 42
int ugt_exact_columns(const double *x, int64_t n, int64_t m, int64_t max_parts, double *parts, int64_t *n_parts);
int ugt_exact_rows(const double *x, int64_t n, int64_t m, int64_t max_parts, double *parts, int64_t *n_parts);

/* ---- sort.c and soft.c: metrics of a ranking by scores ---------------------------------------------- */

typedef struct {
    const double *score; /* [n], or single [n] */
    const float *single;
    const double *load; /* internal: NULL */
    int64_t n;          /* 1 to 2^32 - 1 */
} ugt_scores;

/* order [n]: stable, highest first; 0 and -0 are tied. UGT_ERR_RANGE with *nan_at >= 0: the first NaN. */
int ugt_argsort_descending(const ugt_scores *in, int64_t *order, int64_t *nan_at);

/* The sums that the metrics are made of; "hard" counts p > threshold as 1. */
enum {
    UGT_SOFT_POSITIVE,       /* sum w p */
    UGT_SOFT_NEGATIVE,       /* sum w (1 - p) */
    UGT_SOFT_SELF,           /* sum w p (1 - p) */
    UGT_SOFT_PAIRS,          /* pairs in order, ties a half, a case with itself too */
    UGT_SOFT_CERTAIN,        /* average precision times positive, self term certain */
    UGT_SOFT_PROBABLE,       /* the same with the self term p */
    UGT_SOFT_HARD_POSITIVE,
    UGT_SOFT_HARD_NEGATIVE,
    UGT_SOFT_HARD_PAIRS,
    UGT_SOFT_HARD_PRECISION,
    UGT_SOFT_SUMS
};

/* p [n] in [0, 1]; weight [n] >= 0 or NULL; expected: precision of tied scores as the mean over their orders, else at the
 * end of the tie group. above [4], or NULL: none: positive, negative, hard positive and hard negative of cases with higher scores than
 * all of these, finite and >= 0; with it the sums of ranges of scores add up to those of all, each having the totals of its own cases.
 * sum [UGT_SOFT_SUMS]. Memory: 18 bytes a case and the largest bucket. */
int ugt_soft_sums(const ugt_scores *scores, const double *p, const double *weight, double threshold, int expected,
                  const double *above, double *sum, int64_t *nan_at);

/* positive, negative, score [n]: sum w p and sum w (1 - p) down to the end of each tie group, and its score. */
int ugt_soft_curve(const ugt_scores *scores, const double *p, const double *weight, double *positive, double *negative,
                   double *score, int64_t *n_points, int64_t *nan_at);

typedef struct {
    const int64_t *row;     /* [n] cases in the order of their scores, each in [0, n_cases) */
    const uint8_t *last;    /* [n] whether a tie group ends here; the last one is 1 */
    const double *positive; /* [n] in that order */
    const double *negative; /* [n], or NULL: 1 - positive */
    double threshold;
    int expected;
    int64_t n, n_cases;
} ugt_soft_column;

/* weight [n_cases * stride], of each case the first n, or NULL: 1; p [n * n_cases] or NULL: as in the column. out [n * UGT_SOFT_SUMS] */
int ugt_soft_resampled(const ugt_soft_column *column, const double *weight, int64_t stride, const double *p, int64_t n, double *out);

/* The same sums of tie groups [n * UGT_SOFT_GROUP], highest scores first, of which only totals are known: sum w p, w (1 - p),
 * w p (1 - p), and hard positives and negatives. above, expected as for ugt_soft_sums. bounds: groups are bins of scores, and behind
 * the sums stand the least and the most that they may be for any order within the bins. sum [UGT_SOFT_SUMS], with bounds 3 times. */
#define UGT_SOFT_GROUP 5
void ugt_soft_groups(const double *groups, int64_t n, const double *above, int expected, int bounds, double *sum);

/* ---- histogram.c: losses of probabilities against label histograms ----------------------------------- */
/* A table of numbers in the caller's memory, strides in bytes; every element is aligned. */
typedef struct {
    const void *at;
    int64_t row_stride, column_stride;
    int type; /* of the enum below */
} ugt_table;
enum { UGT_FLOAT64, UGT_FLOAT32, UGT_INT64, UGT_INT32 };
typedef struct {
    ugt_table counts, probs; /* counts of type float64, int64 or int32; probs of type float64 or float32 */
    int64_t n_classes, n_bins;
    const double *edges;     /* [n_bins+1] if uniform, else [n_classes][n_bins+1], ascending; the first is -inf and the last inf */
    int uniform, fractional; /* edges are i / n_bins up to rounding, and n_bins is at most 10^5; counts need not be whole */
    double tolerance;        /* by which a probability may lie outside of [0, 1], at most UGT_HISTOGRAM_OUTSIDE */
} ugt_histograms;

/* Sums over rows [begin, end), added to what is there. Of each row with labels, with n = their number, m = y_k / n:
 * cell [2][n_classes][n_bins][UGT_HISTOGRAM_SUMS], first rows with n < 2, then the others: 1, z, m, m^2, (m - z)^2 and
 * m (1 - m) / (n - 1) (0 for n < 2); total [2 * UGT_HISTOGRAM_TOTALS + 1]: rows, P(an argmax of z is an argmax of y), n, for either
 * kind, then rows without labels. fault [3]: what is wrong first (0: nothing), in which row and class; sums are meaningless then. */
enum { UGT_HISTOGRAM_SUMS = 6, UGT_HISTOGRAM_TOTALS = 3, UGT_HISTOGRAM_FACTS = 3 };
/* A count below 0; NaN, infinite or above 2^53; not whole. A probability NaN or outside of [0, 1]. A row of probabilities that adds up to 1
 * no better than within UGT_HISTOGRAM_ROW_SUM; of counts, to more than 2^53, or to less than 1e-300 but not 0. */
enum { UGT_HISTOGRAM_NEGATIVE = 1, UGT_HISTOGRAM_NOT_FINITE, UGT_HISTOGRAM_FRACTION, UGT_HISTOGRAM_PROBABILITY,
       UGT_HISTOGRAM_SUM, UGT_HISTOGRAM_TOTAL };
#define UGT_HISTOGRAM_ROW_SUM 1e-4
#define UGT_HISTOGRAM_OUTSIDE 1e-6
int ugt_histogram_sums(const ugt_histograms *in, int64_t begin, int64_t end, double *cell, double *total, int64_t *fault);
/* Rows for resamples: cells [n_rows][n_columns] from 0 to n_cells - 1 or, throughout a row that does not count, -1; fact [n_rows][3]: n,
 * P(an argmax of z is one of y), 1 / (n - 1) or 0; or NULL. read: rows [begin, end), 2 n_classes n_bins cells, fault as above. resampled:
 * the sums with any weight [n_rows][stride], of which each row has n_weights: out [n_weights], each the cells and, with facts, totals. */
typedef struct {
    double *share, *prob, *fact;
    int32_t *cell;
    int64_t n_rows, n_columns, n_cells;
} ugt_histogram_rows;
int ugt_histogram_read(const ugt_histograms *in, int64_t begin, int64_t end, ugt_histogram_rows *out, int64_t *fault);
int ugt_histogram_resampled(const ugt_histogram_rows *in, const double *weight, int64_t stride, int64_t n_weights, double *out);
/* Predictions prob that two labels of a case differ, then that just one is class k; counts (of n_classes), edges (of n_columns) from in.
 * share: what was observed, NaN for n < 2, or as it is (known); cells [n_columns][n_bins], sum as above without the 2; fault as above. */
int ugt_disagreement_sums(const ugt_histograms *in, int64_t n_classes, int known, ugt_histogram_rows *out, double *sum, int64_t *fault);

/* ---- dirmult.c: Dirichlet-multinomial log-likelihoods ------------------------------------------------ */

/* For cases [begin, end): log P(labels in an order | Dirichlet with mean z and total exp(log_total[i])), and its first and second
 * derivative by log_total. Case i has count[j] > 0 labels of a class with log z = log_share[j] for offsets[i] <= j < offsets[i + 1];
 * counts are whole, log_share is at most 0 and may be -inf. A case without labels has 0 everywhere. */
void ugt_dirichlet_multinomial(const int64_t *offsets, const double *log_share, const double *count, const double *log_total,
                               int64_t begin, int64_t end, double *value, double *first, double *second);

/* ---- likelihood.c: Plackett-Luce with ties and unranked classes ------------------------------------ */

/* log_p [n_rankings], for the rankings of cases [begin, end): log probability of each given plausibility
 * [n_cases * n_classes] >= 0, which need not add up to 1. -INFINITY where a ranked class has plausibility 0 and a later
 * one has not. gradient [n_cases * n_classes] or NULL: derivative of a case's sum by log plausibility (NaN where that is
 * -INFINITY). */
int ugt_plackett_luce_log_likelihood(const ugt_rankings *rankings, const double *plausibility, int64_t begin, int64_t end,
                                     double *log_p, double *gradient);

/* ---- stages.c: rankings as samplers and optimisers see them ----------------------------------------- */

/* Opaque, made by ugt_stages_new, freed by the caller. rest: whether classes that nobody mentioned come after all
 * others (0: they are ignored). No class twice in a ranking, no empty block. weight [n_rankings] > 0: how often each counts; NULL: once. */
typedef struct ugt_stages ugt_stages;
int ugt_stages_new(const ugt_rankings *rankings, int rest, ugt_stages **out);
int ugt_stages_weighted(const ugt_rankings *rankings, const double *weight, int rest, ugt_stages **out);
void ugt_stages_free(ugt_stages *stages);
int64_t ugt_stages_count(const ugt_stages *stages);
const int64_t *ugt_stages_class_offsets(const ugt_stages *stages); /* [n_cases+1] */
const int32_t *ugt_stages_class_index(const ugt_stages *stages);   /* mentioned classes, ascending within a case */

/* ---- gibbs.c: posterior draws of plausibilities ------------------------------------------------------ */

typedef struct {
    double reliability, tempering; /* > 0; rankings are those of lambda^tempering; 1, or no UGT_REST_INDIVIDUAL where some are not mentioned */
    double shape, rate; /* prior Gamma of a single class, > 0; normalised draws do not depend on the rate */
    int rest;           /* UGT_REST_*: what stands for the classes that nobody mentioned */
    int64_t n_warmup, n_draws, n_thin, n_chains; /* per chain; n_draws kept, one of n_thin sweeps */
    uint64_t seed;
} ugt_gibbs_options;

#define UGT_REST_IGNORE 0
#define UGT_REST_INDIVIDUAL 1 /* each an own class of the prior's shape */
#define UGT_REST_LUMP 2       /* one class of the prior's shape for all of them */

/* Cases [begin, end). draws: one case after the other, the normalised plausibilities of its m mentioned classes and of
 * the lump, [n_chains][n_draws][m + 1].
 * stream_key [n_cases]. *stop: polled between sweeps; once it is not 0 the function returns UGT_STOPPED soon. */
#define UGT_STOPPED 1
int ugt_gibbs(const ugt_stages *stages, const uint64_t *stream_key, const ugt_gibbs_options *options, int64_t begin,
              int64_t end, const volatile int32_t *stop, double *draws);

/* ---- map.c: posterior modes and maximum-likelihood estimates ---------------------------------------- */

/* Cases [begin, end): the plausibilities that maximise reliability * log likelihood + sum_k shape_k log lambda_k, which is
 * the mode of log lambda under Gamma(shape_k, any rate). reliability > 0; shape [n_cases]: of a single class, > 0, or 0 for
 * the maximum of the likelihood alone, with UGT_REST_IGNORE and where ugt_unbeaten marks every class; rest: UGT_REST_*,
 * the stages made without a rest for UGT_REST_IGNORE and with it otherwise.
 * lambda: for case i, from class_offsets[i] + i on, its m mentioned classes and the lump, adding up to 1 (0 without any).
 * Relative error 1e-6 at most, some 1e-13 as a rule; UGT_ERR_CONVERGENCE: the case *stopped_at has no maximum within that
 * precision and the range of doubles. */
int ugt_modes(const ugt_stages *stages, double reliability, const double *shape, int rest, int64_t begin, int64_t end,
              double *lambda, int64_t *stopped_at);

/* unbeaten [class_offsets[n_cases]], filled for cases [begin, end): 1 for a least set of mentioned classes that no other
 * mentioned class is ever placed before. The likelihood has a unique maximum over them iff that is all of them. */
void ugt_unbeaten(const ugt_stages *stages, int64_t begin, int64_t end, uint8_t *unbeaten);

/* ---- diagnostics.c ---------------------------------------------------------------------------------- */

/* Convergence of the chains series [n_series][n_chains][n_draws], n_chains and n_draws >= 1. score [2 n - 1], with
 * n = 2 n_chains floor(n_draws / 2) draws compared (the middle one of an odd number is left out): score[h] is the normal
 * score of rank 1 + h/2. wanted: what to compute. out [n_series][UGT_DIAGNOSTICS]: R-hat, bulk, tail and mean effective
 * sample size, Monte Carlo standard error of the mean; NaN where a series has something that is not finite or fewer than
 * 4 draws a chain. Columns that were not wanted hold no promise. */
#define UGT_DIAGNOSTICS 5
#define UGT_RHAT 1
#define UGT_ESS_BULK 2
#define UGT_ESS_TAIL 4
#define UGT_ESS_MEAN 8 /* and the standard error */
int ugt_diagnostics(const double *series, int64_t n_series, int64_t n_chains, int64_t n_draws, const double *score,
                    int wanted, double *out);

/* ---- singles.c: draws of mentioned classes and a lump ------------------------------------------------ */

typedef struct {
    const int64_t *class_offsets; /* [n_cases+1] */
    const int32_t *class_index;   /* mentioned classes, ascending within a case */
    const uint64_t *stream_key;   /* [n_cases] */
    int64_t n_classes, n_draws;
    int rest;                     /* UGT_REST_*; for INDIVIDUAL each unmentioned class has a share of its own, */
    double shape;                 /* with this prior shape; for LUMP all have the same */
    uint64_t seed;
} ugt_mentioned;

/* value: of cases [begin, end), [n_draws][m + 1] each as ugt_gibbs writes them. out [(end-begin) * n_draws * depth]: best
 * classes, best first, -1 behind the last. */
int ugt_mentioned_top(const ugt_mentioned *draws, const double *value, int64_t begin, int64_t end, int64_t depth, int32_t *out);

/* group [n_classes] in 0..n_groups-1; out [(end-begin) * n_draws * n_groups]: plausibilities of the groups. */
int ugt_mentioned_groups(const ugt_mentioned *draws, const double *value, int64_t begin, int64_t end, const int64_t *group,
                         int64_t n_groups, double *out);

/* share [n_cases]: of the draws' sets of k best classes (top [n_cases * n_draws * depth]), the most frequent one's;
 * example [n_cases]: a draw that has it. */
int ugt_modal_sets(const int32_t *top, int64_t n_cases, int64_t n_draws, int64_t depth, int64_t k, double *share,
                   int64_t *example);

/* ---- sets.c: prediction sets -------------------------------------------------------------------------- */

typedef struct {
    int kind;       /* UGT_SCORE_* */
    int randomised; /* u and the order of tied classes from the stream of (seed, key of the case, chain) */
    double penalty; /* RAPS, >= 0: for every place beyond rank >= 0 */
    int64_t rank, n_classes;
    uint64_t seed, chain;
} ugt_set_rule;

#define UGT_SCORE_LAC 0
#define UGT_SCORE_APS 1
#define UGT_SCORE_RAPS 2

/* probability, score [n_rows * n_classes], stream_key [n_rows]: how little each class conforms (sets.c has the formulas). */
int ugt_set_scores(const ugt_set_rule *rule, const double *probability, const uint64_t *stream_key, int64_t n_rows, double *score);

/* label [n_rows * m]: m labels of each case from plausibilities [n_rows * n_classes] >= 0 with finite sums above 0. */
int ugt_sampled_labels(const double *plausibility, int64_t n_rows, int64_t n_classes, const uint64_t *stream_key, uint64_t seed,
                       uint64_t chain, int64_t m, int32_t *label);

/* ---- pairs.c: distances between the annotators of a case, and to predictions -------------------------------- */

/* An entry is an annotator in a case, or count annotators with equal labels. Its rows are its labels, all of them one law. */
typedef struct {
    const int64_t *offsets;     /* [n_cases+1], into entries */
    const int64_t *row_offsets; /* [n_entries+1], into rows, at least one row each; NULL: entry e is row e */
    const int64_t *count;       /* [n_entries] >= 1; of entries with several rows 1 */
    const int64_t *times;       /* [n_rows] >= 1: how often a label was given; NULL: once */
} ugt_entries;

typedef struct {
    int kind;             /* of numbers: UGT_SQUARED, or UGT_THRESHOLD: max(0, |y - y'| - lambda) */
    double lambda;        /* >= 0 */
    int64_t n_classes;    /* of classes, and */
    const double *cost;   /* [n_classes * n_classes], symmetric, >= 0, 0 on the diagonal; NULL: 1 for any two classes, */
    const double *number; /* [n_classes], or NULL; used for probabilities: the distance of these */
} ugt_distance;

#define UGT_SQUARED 0
#define UGT_THRESHOLD 1

/* Rows of one annotator in one case share an entry; rows of annotator -1 have one each. entry_offsets [n_cases+1], entry_of
 * [n_rows]: entries are numbered in the order of their first rows. */
int ugt_find_entries(const int64_t *offsets, const int32_t *annotator, int64_t n_cases, int64_t n_annotators, int64_t *entry_offsets,
                     int64_t *entry_of, int64_t *n_entries);

/* Of cases [begin, end). to_others [n_entries]: sum over the other annotators of the case of the mean distance over all pairs of
 * labels; to_model [n_entries]: mean distance to the prediction of the case, NaN where there is none (NaN, class -1). Numbers and
 * numbers of classes are below 1e100 in size. */
int ugt_number_distances(const ugt_entries *in, const ugt_distance *distance, const double *value, int64_t begin, int64_t end,
                         double *to_others);
void ugt_number_predictions(const ugt_entries *in, const ugt_distance *distance, const double *value, const double *prediction,
                            int64_t begin, int64_t end, double *to_model);
int ugt_class_distances(const ugt_entries *in, const ugt_distance *distance, const int32_t *label, int64_t begin, int64_t end,
                        double *to_others);
int ugt_class_predictions(const ugt_entries *in, const ugt_distance *distance, const int32_t *label, const int64_t *prediction,
                          int64_t begin, int64_t end, double *to_model);

/* probability [(end-begin) * n_classes]: expected distances; a row of NaN: no prediction. *fault: the first case whose row is
 * something else (below 0, NaN in parts, or not adding up to 1 within 1e-4), or -1. */
int ugt_class_probabilities(const ugt_entries *in, const ugt_distance *distance, const int32_t *label, const double *probability,
                            int64_t begin, int64_t end, double *to_model, int64_t *fault);

/* ---- masks.c: the same for masks ---------------------------------------------------------------------------- */

typedef struct {
    const int64_t *start; /* [n_rows+1]: mask r is word[start[r]] to word[start[r+1]], a bit a pixel, 0 behind the last */
    const uint64_t *word;
} ugt_masks;

#define UGT_JACCARD 0
#define UGT_DICE 1

/* All masks of a case are of one length, else UGT_ERR_RANGE. predicted: a mask a case, where present [n_cases]. */
int ugt_mask_distances(const ugt_entries *in, const ugt_masks *masks, int kind, int64_t begin, int64_t end, double *to_others);
int ugt_mask_predictions(const ugt_entries *in, const ugt_masks *masks, const ugt_masks *predicted, const uint8_t *present, int kind,
                         int64_t begin, int64_t end, double *to_model);

#endif
