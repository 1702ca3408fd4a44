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
 * `purpose` gives each use of a seed its own streams (see UGT_PURPOSE_*). */
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
#define UGT_PURPOSE_POINTS 15
#define UGT_PURPOSE_LATENT 16
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
 * Opaque; ugt_profiles_new makes it, and the caller frees it. */
typedef struct ugt_profiles ugt_profiles;

/* range: the least and the largest of concentration [n] and of background [n_cases], of which 0 is none; infinity and 0 of nothing, NaN
 * twice if a value is NaN. */
void ugt_concentration_range(const double *concentration, int64_t n, const double *background, int64_t n_cases, double range[2]);

/* offsets [n_cases+1], concentration [offsets[n_cases]] > 0, and background [n_cases] >= 0, the concentration of each of the classes
 * that a case does not list. UGT_ERR_VALUE: a positive one is outside of 1e-300 to 1e300. Out: case_profile [n_cases], -1 if none is
 * positive; entry_group [offsets[n_cases]] and background_group [n_cases] (-1: no unlisted class, or background 0) are positions in
 * the groups of the profile, which are in descending order of concentration. */
int ugt_profiles_new(const int64_t *offsets, const double *concentration, const double *background, int64_t n_cases, int64_t n_classes,
                     ugt_profiles **out, int64_t *case_profile, int32_t *entry_group, int32_t *background_group);
void ugt_profiles_free(ugt_profiles *profiles);
int64_t ugt_profiles_count(const ugt_profiles *profiles);
const int64_t *ugt_profiles_offsets(const ugt_profiles *profiles);  /* [count+1], into groups */
const double *ugt_profiles_concentrations(const ugt_profiles *profiles); /* [groups] */
const int64_t *ugt_profiles_counts(const ugt_profiles *profiles);   /* [groups] */

/* ---- dirichlet.c: exact probabilities of ranks and of overlaps, by quadrature ----------------------- */

/* rank [groups * depth]: for each group of profiles [begin, end), P(one given class of the group has rank r+1),
 * r < depth; ranks beyond the support get 0. Groups of other profiles are not written. */
int ugt_dirichlet_ranks(const ugt_profiles *profiles, int64_t begin, int64_t end, int depth, double *rank);

/* A Dirichlet posterior, with the results of ugt_profiles_new for it. */
typedef struct {
    const ugt_profiles *profiles;
    const int64_t *case_profile;    /* [n_cases] */
    const int64_t *offsets;         /* [n_cases+1] */
    const int32_t *class_index;     /* [offsets[n_cases]], in 0..n_classes-1, no class twice in a case */
    const int32_t *entry_group;     /* [offsets[n_cases]] */
    const int32_t *background_group; /* [n_cases] */
    int64_t n_classes;
} ugt_posterior;

/* Two disjoint sets of classes for each case: certain members of a set, and classes that are tied for its remaining places. */
#define UGT_ROLE_NONE 0
#define UGT_ROLE_CERTAIN 1
#define UGT_ROLE_TIED 2
typedef struct {
    const int64_t *offsets; /* [n_cases+1] */
    const int32_t *class_index;
    const int8_t *role;
    const int8_t *rest_role; /* [n_cases] role of the classes not listed */
} ugt_sets;

/* Sums over the certain and over the tied classes of each case's set. Classes class_index [n_entries], ascending within a case, have
 * value [n_entries]; every other class of case i has rest[i]. The classes that a set does not list have together `total` less the sum of
 * those that it lists. out [n_cases * 4]: the two sums (NaN if rest is NaN), then how many classes are certain, and how many are tied. */
int ugt_role_sums(const int64_t *offsets, const int32_t *class_index, const double *value, const double *rest, const ugt_sets *sets,
                  int64_t n_cases, int64_t n_classes, double total, double *out);

/* Roles in the sets of the best k, for an order of each case (orders as below, without class_index): role [offsets[n_cases]] of listed
 * classes, rest_role [n_cases] of the others. */
void ugt_order_roles(const int64_t *offsets, const int32_t *start, int64_t n_cases, int64_t n_classes, int64_t k, int8_t *role,
                     int8_t *rest_role);

/* P(among the best `depth`) by the ranks of ugt_dirichlet_ranks for all profiles: member [offsets[n_cases]] of listed classes, rest
 * [n_cases] of each other class. If fewer classes have a positive concentration, the others fill the places at random. NaN in rest: the
 * case is undefined. */
void ugt_dirichlet_memberships(const ugt_posterior *posterior, int64_t n_cases, const double *rank, int depth, double *member, double *rest);

/* Joint law, for cases [begin, end), of how many classes of the two sets are among the k[i] largest plausibilities. k [n_cases] in
 * 1..k_max. table [n_cases * (k_max+1)^2]: entry (a, b) = P(a of the first and b of the second); NaN if the case is undefined. If fewer
 * than k classes have a positive concentration, classes of plausibility 0 fill the other places, every choice being equally likely. */
int ugt_dirichlet_overlaps(const ugt_posterior *posterior, const ugt_sets *sets, const int32_t *k, int k_max, int64_t begin, int64_t end,
                           double *table);

/* ---- tables.c: long tables become ragged arrays -------------------------------------------------- */

/* Numbers the distinct rows of rows[n][width] (bytes, width >= 1) in order of first appearance: code[n] is the number of each row,
 * first[0..*n_distinct) the row in which each number appears first; first needs room for n. UGT_ERR_SIZE: more than 2^31 - 1 distinct
 * rows. The expected time is linear in n * width; a distinct row needs 16 to 32 bytes of memory (48 while the table grows). */
int ugt_factorize(const uint8_t *rows, int64_t n, int64_t width, int32_t *code, int64_t *first, int64_t *n_distinct);

/* Numbers rows of pairs (label, count) like ugt_factorize: row i is [offsets[i], offsets[i+1]), offsets[n_rows] = n_pairs; another order
 * of the pairs makes another row. *n_distinct = -1: stopped at more than limit (<= 2^30) distinct rows; first needs room for limit. */
int ugt_distinct_rows(const int64_t *offsets, const int32_t *label, const int64_t *count, int64_t n_rows, int64_t n_pairs, int64_t limit,
                      int32_t *code, int64_t *first, int64_t *n_distinct);

/* The first function counts the cells above 0 in each row of table[n_rows][n_columns], n_columns < 2^31: offsets[n_rows + 1] go on from
 * offsets[0], which is given. It returns the first row with a count below 0 or a sum above 2^53, or -1. The second writes column and count
 * of all these n_cells (checked) by row. */
int64_t ugt_count_cells(const int64_t *table, int64_t n_rows, int64_t n_columns, int64_t *offsets);
int ugt_read_cells(const int64_t *table, int64_t n_rows, int64_t n_columns, int64_t n_cells, int32_t *column, int64_t *count);

/* Stable counting sort: the rows of group g are order[offsets[g] .. offsets[g+1]), in the order in which they came.
 * code[n] in 0..n_groups-1 (checked), offsets[n_groups + 1], order[n]. */
int ugt_group(const int32_t *code, int64_t n, int64_t n_groups, int64_t *offsets, int64_t *order);

/* sum [n_rows]: the sum of value [offsets[n_rows] = n_values] over each row, added from its first value on; 0 for an empty row. */
int ugt_row_sums(const int64_t *offsets, const double *value, int64_t n_rows, int64_t n_values, double *sum);

/* *equal: whether the sums of count [offsets[n_rows] = n_values] over the rows, of those above 1, are all the same. */
int ugt_equal_totals(const int64_t *offsets, const int64_t *count, int64_t n_rows, int64_t n_values, int *equal);

/* key[n] of case ids for ugt_stream_open: mix64(FNV-1a-64(UTF-8 bytes of the id)), mix64 being the finaliser of MurmurHash3. Keys are the
 * same on every machine. text[n][width]: UCS-4, native byte order; trailing zeros are ignored. Integers hash as their decimal digits. */
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
 * The output is ragged, with offsets[n_cases + 1]: the classes of each case with a positive weight, ascending, in index[] and value[],
 * which need room for n_items. A case in which nothing is ranked gets an empty row.
 * Equal sums give the same double, whatever the order of annotators and classes: see irn.c. */
int ugt_irn(const ugt_rankings *rankings, int full, int64_t depth, int64_t *offsets, int32_t *index, double *value);

/* Adds up the counts of equal labels of each case. Case i has label[n_rows], count[n_rows] at [offsets[i], offsets[i+1]); counts are >= 0
 * with sums below 2^63. Output as for ugt_irn: labels with a positive sum, ascending; index and total need room for n_rows. */
int ugt_class_counts(int64_t n_cases, int64_t n_rows, int64_t n_classes, const int64_t *offsets, const int32_t *label, const int64_t *count,
                     int64_t *out_offsets, int32_t *index, int64_t *total);

/* Sums for nominal agreement. Case i has r_k labels of class k (as for ugt_class_counts, sums below 2^53), r in all, and counts times[i]
 * times (NULL: once); d = r^2 - sum_k r_k^2. sums[3 + n_classes] are over cases. With of_cases = 1: of d / (r (r - 1)) and of 1 if r >= 2,
 * of 1 if r >= 1, and of r_k / r. With of_cases = 0, over cases with r >= 2: of d / (r - 1), r, 0 and r_k. */
int ugt_pair_sums(int64_t n_cases, int64_t n_rows, int64_t n_classes, const int64_t *offsets, const int32_t *label, const int64_t *count,
                  const double *times, int of_cases, double *sums);

/* *position: the first place in items[offsets[n_rows + 1]) at which a class occurs for the second time in its row; -1: none is repeated. */
int ugt_find_repeat(int64_t n_rows, int64_t n_items, int64_t n_classes, const int64_t *offsets, const int32_t *items, int64_t *position);

/* ---- agreement.c: annotators against each other --------------------------------------------------- */

/* Leaves one annotator out [A app. D]. Annotator a of a case gave the rankings [annotator_offsets[a], annotator_offsets[a+1]), which are
 * within one case; annotators are in the order of the cases. count [n_rankings] >= 1: how many annotators gave a ranking, with the same
 * result whichever of them is left out; it may be above 1 only for rankings of one class. Sums of counts stay below 2^63.
 * share [n_annotators]: the share of the classes with the highest IRN weight (see ugt_irn) without annotator a that a ranked; NaN if the
 * others ranked nothing. Ties are exact: see agreement.c. */
int ugt_leave_one_out(const ugt_rankings *rankings, const int64_t *count, int64_t n_annotators, const int64_t *annotator_offsets, int full,
                      double *share);

/* Adds up the average overlap of partial rankings [A B.5] of ranking r of x with rankings j = from[r] .. to[r]-1 of y, for r in [begin,
 * end): UAO@depth / sqrt(norm_x[r] norm_y[j]), or 0 if one of the two is empty; norms [n_rankings] > 0 if the ranking is not empty. Classes
 * that a ranking leaves out share its last positions. x and y have the same n_classes; case_offsets are not used; depth in 0..n_classes; no
 * class is twice in a ranking. sum [n_rankings of x], filled for [begin, end). */
int ugt_partial_overlaps(const ugt_rankings *x, const ugt_rankings *y, const int64_t *from, const int64_t *to, const double *norm_x,
                         const double *norm_y, int64_t depth, int64_t begin, int64_t end, double *sum);

/* ---- order.c and compare.c: orders of classes and their agreement --------------------------------- */

/* An order lists classes best first, each with the start of its bucket of ties (order.c explains buckets). */
typedef struct {
    const int64_t *offsets; /* [n_rows+1] */
    const int32_t *class_index, *start;
} ugt_orders;

/* Orders the rows of a table, deep enough for the best `depth` >= 1 classes (depth <= n_classes).
 * offsets == NULL: value [n_rows * n_classes] is dense. Else rows are ragged, of (index, value > 0), and other classes have 0.
 * ties_first: ties are broken by position, and an order has at most `depth` classes.
 * Fills order_offsets [n_rows+1] (the caller sets order_offsets[0]), and in order_class and order_start [room] the rows that fit. If
 * order_offsets[n_rows] > room, call it again with that room. With room 0 both may be NULL, to compute the offsets only. */
int ugt_order_rows(const int64_t *offsets, const int32_t *index, const double *value, int64_t n_rows, int64_t n_classes, int64_t depth,
                   int ties_first, int64_t room, int64_t *order_offsets, int32_t *order_class, int32_t *order_start);

/* A comparison of orders has a value of each metric below UGT_BY_K at every k = 1..depth, then one of the requested metric of lists of
 * the best `depth` (NaN: none requested). For UGT_TOPK it has only that metric's values. Python's table of metrics has the same numbers. */
enum { UGT_TOPK, UGT_SET, UGT_OVERLAP, UGT_AVERAGE_OVERLAP, UGT_BY_K, UGT_KENDALL = UGT_BY_K, UGT_FOOTRULE, UGT_RANK_BIASED,
       UGT_WEIGHTED_KENDALL, UGT_DISCOUNTED_GAIN };
int ugt_compare_width(int metric, int depth);         /* number of values of a comparison */
int ugt_compare_column(int metric, int k, int depth); /* position of a metric's value at k in 1..depth */
/* Compares, for cases [begin, end), the model's order with n_draws orders of the truth (rows case * n_draws + draw). parameter of the
 * metric: penalty of Kendall's distance, persistence of rank-biased overlap; for UGT_TOPK, j >= 2: the j best of the truth (NaN at k < j).
 * per_case [n_cases * width] is set to means over draws (NaN for undefined cases); values are added to per_draw [n_draws * width]. */
int ugt_compare_orders(const ugt_orders *truth, const ugt_orders *model, const uint8_t *defined, int64_t begin, int64_t end, int64_t
                       n_draws, int64_t n_classes, int depth, int metric, double parameter, double *per_case, double *per_draw);

/* out [n_profiles], filled for [begin, end): P(the k largest plausibilities are those of the k largest concentrations),
 * which is the highest probability of any set of k classes; 1 if at most k concentrations are positive. */
int ugt_dirichlet_certainty(const ugt_profiles *profiles, int64_t begin, int64_t end, int k, double *out);

/* ---- lists.c: the law of the best classes in order ------------------------------------------------ */

/* size [n_profiles], filled for [begin, end): the number of lists of the best `depth` classes, over groups; 0 if there are more than
 * `most`, or if the concentrations differ too much for one grid. */
int ugt_dirichlet_list_sizes(const ugt_profiles *profiles, int64_t begin, int64_t end, int depth, int64_t most, int64_t *size);

/* Probability of each list of given classes, one after the other (table_offsets [n_profiles+1] = running sum of the
 * sizes). Lists are enumerated depth first over groups in descending order of concentration. */
int ugt_dirichlet_lists(const ugt_profiles *profiles, int64_t begin, int64_t end, int depth, const int64_t *table_offsets, double *table);

typedef struct {
    int metric, depth;       /* UGT_AVERAGE_OVERLAP or a metric of lists */
    double parameter, scale; /* values of metrics of lists are divided by scale, so that they lie in [0, 1] */
    int64_t lattice;         /* pmf has the points i / lattice */
} ugt_list_metric;

/* moments [n_cases * 3]: mean and mean square over the posterior, and the least value, which classes of plausibility 0
 * always add; pmf [n_cases * (lattice+1)]: the law of the value less that least one, on the lattice (a value between two
 * points is split so that the mean is kept). NaN if the table has no lists for the profile. */
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

/* out [(end-begin) * n_draws * depth]: the best classes of each draw, then -1 after the last of positive plausibility.
 * The draws are those of ugt_dirichlet_draws. */
int ugt_dirichlet_top(const ugt_concentrations *law, uint64_t seed, int64_t begin, int64_t end, int64_t n_draws, int64_t depth, int32_t
                      *out);

/* ---- resample.c ------------------------------------------------------------------------------------- */

/* A bootstrap draws within each stratum (units [offsets[s], offsets[s+1]), at least one) as many units as the stratum has, with
 * replacement. Resample b of a seed does not depend on the range of resamples in which it is computed. */
typedef struct {
    const int64_t *offsets; /* [n_strata+1] */
    int64_t n_strata;
    uint64_t seed;
} ugt_design;

/* Draws resamples [begin, end). sums [(end-begin) * m]: sums over the drawn units of the m columns of value [units * m], which holds
 * columns 0 to 3 of all units, row by row, then 4 to 7, and so on; with m = 0 neither is used. weights [n_cases * (end-begin)], or NULL:
 * how often the unit [n_cases] of each case was drawn. */
int ugt_bootstrap(const ugt_design *design, const double *value, int64_t m, const int32_t *unit, int64_t n_cases, int64_t begin,
                  int64_t end, double *sums, double *weights);

/* Bootstrap of annotations within cases: row j holds count[j] >= 0 of them. Resample b (stream: seed, b) draws the n of a case with
 * replacement or, with urn, from an urn with n - 2 balls for each annotation, to which every draw adds a ball of the annotation drawn.
 * out [(end-begin) * offsets[n_cases]]: how often an annotation of each row was drawn. */
int ugt_resample_rows(const int64_t *offsets, const int64_t *count, int64_t n_cases, uint64_t seed, int64_t begin, int64_t end, int urn,
                      int64_t *out);

/* ---- grouped.c -------------------------------------------------------------------------------------- */

/* Sums by group under weights of cases [n_cases * stride], of which the first n_weights of each case are used. Entry i belongs to case
 * row [n] (NULL: i) and group [n] in [0, n_groups), and has value [n * m] (NULL: 1, with m = 1). out [n_weights * n_groups * m]: sums of
 * weight * value over the entries of each group, in their order. */
int ugt_grouped_sums(const int64_t *row, const int32_t *group, const double *value, int64_t n, int64_t m, int64_t n_groups,
                     const double *weight, int64_t stride, int64_t n_weights, double *out);

/* law [n * (width-1) + 1]: the law of the sum of n = starts[n_groups] > 0 independent variables on a lattice. Variables
 * [starts[g], starts[g+1]) have the law pmf [n_groups * width] over 0..width-1, each adding up to 1; starts [n_groups + 1] ascends from 0.
 * Tails below 1e-20 are dropped as they arise. */
int ugt_law_of_sum(const double *pmf, const int64_t *starts, int64_t n_groups, int64_t width, double *law);

/* ---- poisson.c and exact.c: results that can be computed in parts ------------------------------------------- */

/* weight [(end-begin) * n]: Poisson(1) counts of the case (or cluster) of each key in resamples [begin, end). Resample b uses word b % 8 of
 * the eight 32-bit words (low halves first) of Philox with counter (key, b / 8, UGT_PURPOSE_POISSON, 0), keyed as in ugt_stream_open. */
int ugt_poisson_weights(const uint64_t *key, int64_t n, uint64_t seed, int64_t begin, int64_t end, double *weight);

/* Exact sums of the columns (parts [m * max_parts]) or rows (parts [n * max_parts]) of x [n * m]: part 0 is the sum rounded to the nearest
 * double, ties to even, part 1 the remainder rounded, and so on; zeros follow. Parts depend on the exact sum only, not on the order of
 * additions (no part is -0), and can be summed exactly in turn. *n_parts: the most parts of any sum, at least 1. UGT_EXACT_PARTS are always
 * enough, and m + 1 for rows; UGT_ERR_SIZE: max_parts is too small. UGT_ERR_VALUE: a number is not finite, or a sum exceeds DBL_MAX. */
#define UGT_EXACT_PARTS 42
int ugt_exact_columns(const double *x, int64_t n, int64_t m, int64_t max_parts, double *parts, int64_t *n_parts);
int ugt_exact_rows(const double *x, int64_t n, int64_t m, int64_t max_parts, double *parts, int64_t *n_parts);

/* ---- sort.c and soft.c: metrics of a ranking by scores ---------------------------------------------- */

typedef struct {
    const double *score; /* [n], or single [n] */
    const float *single;
    const double *load; /* internal; must be NULL */
    int64_t n;          /* 1 to 2^32 - 1 */
} ugt_scores;

/* order [n] is stable, highest first; 0 and -0 are tied. UGT_ERR_RANGE with *nan_at >= 0: position of the first NaN. */
int ugt_argsort_descending(const ugt_scores *in, int64_t *order, int64_t *nan_at);

/* The sums that the metrics are made of; "hard" counts p > threshold as 1. */
enum {
    UGT_SOFT_POSITIVE,       /* sum w p */
    UGT_SOFT_NEGATIVE,       /* sum w (1 - p) */
    UGT_SOFT_SELF,           /* sum w p (1 - p) */
    UGT_SOFT_PAIRS,          /* pairs in the right order; a tie counts a half, and so does a case with itself */
    UGT_SOFT_CERTAIN,        /* average precision times positive, if a case is certainly positive at its own rank */
    UGT_SOFT_PROBABLE,       /* the same, but a case is positive with probability p at its own rank */
    UGT_SOFT_HARD_POSITIVE,
    UGT_SOFT_HARD_NEGATIVE,
    UGT_SOFT_HARD_PAIRS,
    UGT_SOFT_HARD_PRECISION,
    UGT_SOFT_SUMS
};

/* p [n] in [0, 1]; weight [n] >= 0 or NULL; expected: precision of tied scores is the mean over their orders, else that at the
 * end of the tie group. above [4], or NULL (no cases): positive, negative, hard positive and hard negative sums of the cases with higher
 * scores than all of these, finite and >= 0. With it, sums over ranges of scores, each with its own totals, add up to those of all cases.
 * sum [UGT_SOFT_SUMS]. Memory: 18 bytes per case, plus the largest bucket. */
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

/* weight [n_cases * stride] (n of each case are used), or NULL: 1; p [n * n_cases], or NULL: as in the column. out [n * UGT_SOFT_SUMS] */
int ugt_soft_resampled(const ugt_soft_column *column, const double *weight, int64_t stride, const double *p, int64_t n, double *out);

/* The sums of ugt_soft_sums from totals of tie groups [n * UGT_SOFT_GROUP], highest scores first: sum w p, w (1 - p), w p (1 - p), and
 * hard positives and negatives. above, expected as for ugt_soft_sums. sum [UGT_SOFT_SUMS]. With bounds, groups are bins of scores, and
 * sum [3 * UGT_SOFT_SUMS] also has the least and then the greatest values that are possible for any order within the bins. */
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
    double tolerance;        /* how far a probability may be outside of [0, 1], at most UGT_HISTOGRAM_OUTSIDE */
} ugt_histograms;

/* Adds sums over rows [begin, end) to cell and total. For each row with labels, n is their number and m = y_k / n.
 * cell [2][n_classes][n_bins][UGT_HISTOGRAM_SUMS]: for rows with n < 2, then for the others, the sums of 1, z, m, m^2, (m - z)^2 and
 * m (1 - m) / (n - 1) (0 for n < 2). total [2 * UGT_HISTOGRAM_TOTALS + 1]: rows, P(an argmax of z is an argmax of y) and n, for both
 * kinds of rows, then rows without labels. fault [3]: the first fault (0: none), its row and class; with a fault the sums are invalid. */
enum { UGT_HISTOGRAM_SUMS = 6, UGT_HISTOGRAM_TOTALS = 3, UGT_HISTOGRAM_FACTS = 3 };
/* The faults, in order: a count below 0; NaN, infinite or above 2^53; not whole. A probability that is NaN or outside of [0, 1]. A row of
 * probabilities whose sum is not 1 within UGT_HISTOGRAM_ROW_SUM. A row of counts whose sum is above 2^53, or below 1e-300 but not 0. */
enum { UGT_HISTOGRAM_NEGATIVE = 1, UGT_HISTOGRAM_NOT_FINITE, UGT_HISTOGRAM_FRACTION, UGT_HISTOGRAM_PROBABILITY,
       UGT_HISTOGRAM_SUM, UGT_HISTOGRAM_TOTAL };
#define UGT_HISTOGRAM_ROW_SUM 1e-4
#define UGT_HISTOGRAM_OUTSIDE 1e-6
int ugt_histogram_sums(const ugt_histograms *in, int64_t begin, int64_t end, double *cell, double *total, int64_t *fault);
/* Rows for resamples: cell [n_rows][n_columns] is from 0 to n_cells - 1, or -1 throughout a row that does not count; fact [n_rows][3], or
 * NULL: n, P(an argmax of z is an argmax of y), and 1 / (n - 1) or 0. ugt_histogram_read fills rows [begin, end), with 2 n_classes n_bins
 * cells and fault as above. ugt_histogram_resampled computes the sums under weight [n_rows][stride], of which the first n_weights of each
 * row are used: out [n_weights] has the cells and, with facts, the totals of each. */
typedef struct {
    double *share, *prob, *fact;
    int32_t *cell;
    int64_t n_rows, n_columns, n_cells;
} ugt_histogram_rows;
int ugt_histogram_read(const ugt_histograms *in, int64_t begin, int64_t end, ugt_histogram_rows *out, int64_t *fault);
int ugt_histogram_resampled(const ugt_histogram_rows *in, const double *weight, int64_t stride, int64_t n_weights, double *out);
/* Sums for predictions prob that two labels of a case differ, and then that exactly one of them is class k. counts (of n_classes) and edges
 * (of n_columns) come from in. share: read if known, else set to the observed values (NaN for n < 2). cells [n_columns][n_bins]; sum is as
 * cell above, without the dimension of 2; fault as above. */
int ugt_disagreement_sums(const ugt_histograms *in, int64_t n_classes, int known, ugt_histogram_rows *out, double *sum, int64_t *fault);

/* ---- dirmult.c: Dirichlet-multinomial log-likelihoods ------------------------------------------------ */

/* For cases [begin, end): log P(labels in a given order | Dirichlet with mean z and total exp(log_total[i])), and its first and second
 * derivatives by log_total. Case i has count[j] > 0 labels of a class with log z = log_share[j] for offsets[i] <= j < offsets[i + 1];
 * counts are whole, log_share is at most 0 and may be -inf. A case without labels has 0 everywhere. */
void ugt_dirichlet_multinomial(const int64_t *offsets, const double *log_share, const double *count, const double *log_total,
                               int64_t begin, int64_t end, double *value, double *first, double *second);

/* ---- likelihood.c: Plackett-Luce with ties and unranked classes ------------------------------------ */

/* log_p [n_rankings], for the rankings of cases [begin, end): log probability of each, given plausibility [n_cases * n_classes] >= 0, which
 * need not add up to 1. -INFINITY if a ranked class has plausibility 0 and a later one has not. gradient [n_cases * n_classes] or NULL:
 * derivative of the sum over a case by log plausibility (NaN if that sum is -INFINITY). */
int ugt_plackett_luce_log_likelihood(const ugt_rankings *rankings, const double *plausibility, int64_t begin, int64_t end,
                                     double *log_p, double *gradient);

/* ---- stages.c: rankings as samplers and optimisers see them ----------------------------------------- */

/* Opaque; ugt_stages_new makes it, and the caller frees it. rest: whether classes that nobody mentioned come after all others (0: they are
 * ignored). No class may be twice in a ranking, and no block empty. weight [n_rankings] > 0: how often each counts; NULL: once. */
typedef struct ugt_stages ugt_stages;
int ugt_stages_new(const ugt_rankings *rankings, const double *weight, int rest, ugt_stages **out);
void ugt_stages_free(ugt_stages *stages);
int64_t ugt_stages_count(const ugt_stages *stages);
const int64_t *ugt_stages_class_offsets(const ugt_stages *stages); /* [n_cases+1] */
const int32_t *ugt_stages_class_index(const ugt_stages *stages);   /* mentioned classes, ascending within a case */

/* ---- gibbs.c: posterior draws of plausibilities ------------------------------------------------------ */

typedef struct {
    double reliability, tempering; /* > 0; rankings follow lambda^tempering; it must be 1 if UGT_REST_INDIVIDUAL has unmentioned classes */
    double shape, rate; /* prior Gamma of a single class, > 0; normalised draws do not depend on the rate */
    int rest;           /* UGT_REST_*: how the classes that nobody mentioned are treated */
    int64_t n_warmup, n_draws, n_thin, n_chains; /* per chain; n_draws are kept, one of every n_thin sweeps */
    uint64_t seed;
} ugt_gibbs_options;

#define UGT_REST_IGNORE 0
#define UGT_REST_INDIVIDUAL 1 /* each is a class of its own, with the shape of the prior */
#define UGT_REST_LUMP 2       /* all of them together are one class, the lump, with the shape of the prior */

/* Cases [begin, end). draws: one case after the other, the normalised plausibilities of its m mentioned classes and of
 * the lump, [n_chains][n_draws][m + 1].
 * stream_key [n_cases]. *stop: polled between sweeps; once it is not 0 the function returns UGT_STOPPED soon. */
#define UGT_STOPPED 1
int ugt_gibbs(const ugt_stages *stages, const uint64_t *stream_key, const ugt_gibbs_options *options, int64_t begin,
              int64_t end, const volatile int32_t *stop, double *draws);

/* ---- map.c: posterior modes and maximum-likelihood estimates ---------------------------------------- */

/* Cases [begin, end): the plausibilities that maximise reliability * log likelihood + sum_k shape_k log lambda_k, which is the mode of log
 * lambda under Gamma(shape_k, any rate). reliability > 0; shape [n_cases]: of a single class, > 0, or 0 for the maximum of the likelihood
 * alone, which needs UGT_REST_IGNORE and ugt_unbeaten marking every class; rest: UGT_REST_*; the stages must have been made without a rest
 * for UGT_REST_IGNORE, and with it otherwise. lambda: for case i, from class_offsets[i] + i on, its m mentioned classes and the lump (0:
 * there is none), adding up to 1. The relative error is at most 1e-6, typically 1e-13. UGT_ERR_CONVERGENCE: the case *stopped_at has no
 * maximum within that precision and the range of doubles. */
int ugt_modes(const ugt_stages *stages, double reliability, const double *shape, int rest, int64_t begin, int64_t end,
              double *lambda, int64_t *stopped_at);

/* unbeaten [class_offsets[n_cases]], filled for cases [begin, end): 1 for a smallest set of mentioned classes before which no other
 * mentioned class is ever placed. The likelihood has a unique maximum over the mentioned classes iff the set holds all of them. */
void ugt_unbeaten(const ugt_stages *stages, int64_t begin, int64_t end, uint8_t *unbeaten);

/* ---- diagnostics.c ---------------------------------------------------------------------------------- */

/* Convergence of chains: series [n_series][n_chains][n_draws], n_chains and n_draws >= 1. score [2 n - 1], with n = 2 n_chains
 * floor(n_draws / 2) draws compared (the middle one of an odd number is left out): score[h] is the normal score of rank 1 + h/2. wanted:
 * what to compute. out [n_series][UGT_DIAGNOSTICS]: R-hat, bulk, tail and mean effective sample size, Monte Carlo standard error of the
 * mean; NaN if a series has a value that is not finite, or fewer than 4 draws per chain. Columns that were not wanted are unspecified. */
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
    int rest;                     /* UGT_REST_*; unmentioned classes have a share each (INDIVIDUAL), or equal shares of the lump (LUMP) */
    double shape;                 /* prior shape of an unmentioned class, for INDIVIDUAL */
    uint64_t seed;
    int logs;                     /* whether values are logs of plausibilities */
    int unnamed;                  /* whether unmentioned classes, which are exchangeable, have no names in lists: UGT_UNNAMED */
} ugt_mentioned;

#define UGT_UNNAMED (-2)

/* value: [n_draws][m + 1] of each case in [begin, end), as ugt_gibbs or ugt_points write them. out [(end-begin) * n_draws * depth]: the best
 * classes of each draw, best first, then -1. */
int ugt_mentioned_top(const ugt_mentioned *draws, const double *value, int64_t begin, int64_t end, int64_t depth, int32_t *out);

/* group [n_classes] in 0..n_groups-1; out [(end-begin) * n_draws * n_groups]: plausibilities of the groups. */
int ugt_mentioned_groups(const ugt_mentioned *draws, const double *value, int64_t begin, int64_t end, const int64_t *group,
                         int64_t n_groups, double *out);

/* ---- sets.c: prediction sets -------------------------------------------------------------------------- */

typedef struct {
    int kind;       /* UGT_SCORE_* */
    int randomised; /* whether u and the order of tied classes come from the stream of (seed, key of the case, chain) */
    double penalty; /* RAPS, >= 0: added for each place beyond rank >= 0 */
    int64_t rank, n_classes;
    uint64_t seed, chain;
} ugt_set_rule;

#define UGT_SCORE_LAC 0
#define UGT_SCORE_APS 1
#define UGT_SCORE_RAPS 2

/* probability, score [n_rows * n_classes], stream_key [n_rows]: how little each class conforms (sets.c has the formulas). */
int ugt_set_scores(const ugt_set_rule *rule, const double *probability, const uint64_t *stream_key, int64_t n_rows, double *score);

/* label [n_rows * m]: m labels of each case, drawn from plausibilities [n_rows * n_classes] >= 0 with finite sums above 0. */
int ugt_sampled_labels(const double *plausibility, int64_t n_rows, int64_t n_classes, const uint64_t *stream_key, uint64_t seed,
                       uint64_t chain, int64_t m, int32_t *label);

#include "integrals.h"
#include "panels.h"
#endif
