/* Annotator models: part of the contract of the core. The rules at the top of ugt.h hold here as well. */
#ifndef UGT_EM_H
#define UGT_EM_H

#include "ugt.h"

/* ---- em.c: annotators with confusion matrices (Dawid & Skene 1979) ------------------------------------ */

typedef struct {
    const int64_t *offsets;       /* [n_cases+1] labels of each case */
    const int32_t *annotator;     /* [n_labels] in 0..n_annotators-1 */
    const int32_t *label;         /* [n_labels] in 0..n_classes-1 */
    const double *weight;         /* [n_labels] > 0: how often the label was given; NULL: once */
    const int64_t *given_offsets; /* [n_cases+1] */
    const int32_t *given;         /* [given_offsets[n_cases]] the distinct classes given to a case, ascending */
    int64_t n_cases, n_annotators, n_classes;
    const int32_t *known;         /* [n_cases] the true class, one of the given ones, or -1: unknown; NULL: all unknown */
} ugt_label_table;

/* Opaque. A cell is (annotator, given label, true class); a pair is (annotator, label), and the cells of a pair are contiguous. With
 * UGT_CELLS_ALL a pair has a cell for every class, and a case may have any true class. With UGT_CELLS_SEEN a pair has cells for the
 * classes that any annotator gave in a case with this pair, and a case may have the classes with cells in all of its pairs: if EM
 * without pseudo-counts starts with given classes only, it never leaves these. UGT_CELLS_EITHER means SEEN if that saves memory. */
#define UGT_CELLS_SEEN 0
#define UGT_CELLS_ALL 1
#define UGT_CELLS_EITHER 2
typedef struct ugt_confusions ugt_confusions;
int ugt_confusions_new(const ugt_label_table *table, int cells, ugt_confusions **out);
void ugt_confusions_free(ugt_confusions *confusions);

typedef struct {
    int64_t n_pairs, n_cells, n_rows, n_candidates; /* a row is (annotator, true class); candidates are summed over cases */
    int all;
} ugt_confusions_size;
ugt_confusions_size ugt_confusions_sizes(const ugt_confusions *confusions);
/* offsets [n_cases+1], index [n_candidates]: the true classes that a case may have, ascending; a case without labels has none.
 * annotator, label, truth, row [n_cells]: those of each cell. */
void ugt_confusions_layout(const ugt_confusions *confusions, int64_t *offsets, int32_t *index, int32_t *annotator, int32_t *label,
                           int32_t *truth, int32_t *row);

/* Pseudo-counts, >= 0: of each row's cell on the diagonal, of each of its other cells, and of each class. */
typedef struct {
    double diagonal, off_diagonal, prevalence;
} ugt_pseudo_counts;

typedef struct {
    double *count;       /* [n_cells] expected labels */
    double *class_count; /* [n_classes] expected cases */
} ugt_confusion_counts;

/* Sums the class probabilities q [n_candidates] into counts. */
void ugt_confusions_count(const ugt_confusions *confusions, const double *q, ugt_confusion_counts *counts);

/* Sets probability [n_cells] and prevalence [n_classes] to the mode given the counts; returns the log prior density there, up to a
 * constant. row_total [n_rows]: expected labels plus pseudo-counts. The cells of a row with a total of 0 get probability 0. */
double ugt_confusions_mode(const ugt_confusions *confusions, const ugt_pseudo_counts *prior, const ugt_confusion_counts *counts,
                           double *probability, double *prevalence, double *row_total);

/* Computes expected counts, q [n_candidates] (or NULL) and the log-likelihood. UGT_ERR_CONVERGENCE: the log-likelihood is -INFINITY. */
int ugt_confusions_expect(const ugt_confusions *confusions, const double *probability, const double *prevalence,
                          ugt_confusion_counts *counts, double *q, double *log_likelihood);

/* ---- skills.c: posterior draws of confusion matrices ----------------------------------------------------- */

typedef struct {
    ugt_pseudo_counts concentration; /* of the Dirichlet priors, > 0 */
    const uint64_t *case_key;        /* [n_cases] */
    const uint64_t *annotator_key;   /* [n_annotators] */
    uint64_t seed, chain;
    int64_t n_warmup, n_draws, n_thin; /* of this chain */
    int64_t first, n_total;            /* the draws of this chain are [first, first + n_draws) of n_total */
    int spare, classes;                /* 1: room for a last plausibility 0 in each draw, else 0; whether to write drawn true classes */
} ugt_skill_options;

/* Runs one chain. value: for each case [n_total][m + spare] with its m candidates: class probabilities given the drawn parameters, or 1
 * for the drawn class. accuracy [n_total * n_annotators] = sum_k prevalence_k P(label k | true k), prevalence [n_total * n_classes].
 * cell_mean [n_cells]: mean probability of each cell. *stop works as in ugt_gibbs. */
int ugt_skills(const ugt_confusions *confusions, const ugt_skill_options *options, const volatile int32_t *stop, double *value,
               double *accuracy, double *prevalence, double *cell_mean);

/* q [offsets[n_cases]]: where EM starts. Start 0 has the shares of vote [offsets[n_cases]] > 0 in each case. Other starts are draws from
 * Dirichlet(votes) (stream: seed, key of the case, start); all starts follow the votes, so that classes keep their names. */
void ugt_vote_start(const int64_t *offsets, const double *vote, int64_t n_cases, const uint64_t *case_key, uint64_t seed, uint64_t start,
                    double *q);

/* ---- coins.c: annotators who are right or wrong, all wrong labels alike --------------------------------- */

/* entry [n_labels]: position of the class of each label in `given`. */
typedef struct {
    ugt_label_table table;
    const int32_t *entry;
} ugt_coins;

int ugt_coins_check(const ugt_coins *coins); /* annotators, classes and entries; the functions below do not check them again */

/* right, wrong: log probability (may be -INFINITY) of a right label, and of one specific wrong label, for each annotator or, with
 * per_label, for each label. q [given_offsets[n_cases]]: probabilities of the given classes; rest [n_cases]: the probability of any other
 * class k, divided by its prevalence[k]. right_count [n_annotators], class_count [n_classes]: expected right labels, expected cases. */
int ugt_coins_expect(const ugt_coins *coins, const double *right, const double *wrong, int per_label, const double *prevalence,
                     double *q, double *rest, double *right_count, double *class_count, double *log_likelihood);

/* GLAD: P(right) = 1 / (1 + exp(-ability * exp(easiness))), with normal priors. */
typedef struct {
    double ability_mean, ability_sd, easiness_mean, easiness_sd; /* sd > 0 */
} ugt_glad_prior;

/* right, wrong [n_labels]: log probabilities as above, per label; returns the log prior density up to a constant. */
double ugt_glad_labels(const ugt_coins *coins, const ugt_glad_prior *prior, const double *ability, const double *easiness, double *right,
                       double *wrong);
/* Takes one round of safeguarded Newton steps, which never lower the expected log posterior given q. */
int ugt_glad_improve(const ugt_coins *coins, const ugt_glad_prior *prior, const double *q, double *ability, double *easiness);

/* Computes the observed information (Louis 1982) of the logit of each annotator's chance of being right, with unknown classes.
 * chance_right [n_labels]. If prior is NULL, ability and easiness are not read. Else the model is GLAD: the information is that of the
 * abilities, with every easiness unknown too. out [n_annotators^2], or [n_annotators] for the diagonal alone (joint = 0), is NaN for the
 * annotators of a case whose easiness is not at a maximum. */
int ugt_coins_information(const ugt_coins *coins, const double *q, const double *chance_right, const ugt_glad_prior *prior,
                          const double *ability, const double *easiness, int joint, double *out);

/* ---- graded.c: annotators who see a severity and put thresholds between grades (Samejima 1969) ----------- */

/* Severity x has mass [n_nodes] at node [n_nodes]. For annotator j, P(grade >= k | x) = 1 / (1 + exp(-discrimination_j (x - cut_jk)));
 * cut [n_annotators * (n_grades - 1)] ascends within each annotator. Labels of a table are grades; known and given are not read. */
typedef struct {
    const double *discrimination, *cut, *node, *mass;
    int64_t n_annotators, n_grades, n_nodes;
} ugt_graded;

int ugt_graded_check(const ugt_label_table *table); /* annotators and grades; the functions below do not check them again */
/* p [n_annotators * n_grades * n_nodes]: P(grade | node), at least 1e-30. */
int ugt_graded_probabilities(const ugt_graded *graded, double *p);
/* count [n_annotators * n_grades * n_nodes], or NULL: expected labels at each node. law [n_cases * n_grades], or NULL: posterior mass of
 * the nodes of each grade (grade [n_nodes]: that of a node); moments [n_cases * 2]: posterior mean and standard deviation of severity. */
int ugt_graded_expect(const ugt_label_table *table, const ugt_graded *graded, const double *p, const int32_t *grade, double *count,
                      double *law, double *moments, double *log_likelihood);
/* Computes, for the expected log-likelihood given counts, slope [n_annotators * n_grades] by (log discrimination, cuts) of each
 * annotator, and information [n_annotators * n_grades * n_grades], the observed or Fisher's. */
int ugt_graded_score(const ugt_graded *graded, const double *count, int observed, double *slope, double *information);
/* Subtracts the information lost because severities are unknown (Louis 1982) from out [P * P], or its diagonal [P] (joint = 0). Parameters
 * are log discrimination and cuts of each annotator in turn; or (shared) log discrimination and shift of each, then the common cuts. */
int ugt_graded_missing(const ugt_label_table *table, const ugt_graded *graded, const double *p, int shared, int joint, double *out);

/* ---- latent.c: two classes, in each of which tests depend on each other by nodes (Qu, Tan & Kutner 1996) ---- */

/* P(row | class c) = sum_q w_q prod_j Phi(probit)^yes (1 - Phi(probit))^no; the probit of test j at node q of class c is
 * own (a_cj + z_q sum_e of_ej extra_e) + fixed. Parameters x [q]: logit prevalence of each population, a_0 [n_tests], a_1 [n_tests] and
 * extra [n_extra], with q = n_populations + 2 n_tests + n_extra. */
typedef struct {
    const double *yes, *no;    /* [n_rows * n_tests] positive and negative labels of each test */
    const double *times;       /* [n_rows] cases with this row, >= 0, some > 0 */
    const int32_t *population; /* [n_rows] in 0..n_populations-1 */
    int64_t n_rows, n_tests, n_populations, n_nodes, n_extra;
    const double *log_weight;  /* [n_nodes] log w */
    const double *z;           /* [n_nodes] */
    const double *own, *fixed; /* [2 * n_nodes * n_tests] */
    const double *of;          /* [n_extra * n_tests]; not read if mixture */
    int mixture;               /* 1: two nodes, in class c with weights 1 / (1 + exp(-extra_c)) and the rest; z is 0; else 0 */
    double ridge;              /* of all parameters but the prevalences */
} ugt_two_classes;

int64_t ugt_two_classes_parameters(const ugt_two_classes *model); /* q */
int ugt_two_classes_check(const ugt_two_classes *model);          /* populations and mixture; the functions below do not check again */
/* joint [n_rows * 2]: log probabilities of class and row; scores [2 * n_rows * q]: their derivatives by x, class by class. */
int ugt_two_classes_joint(const ugt_two_classes *model, const double *x, double *joint, double *scores);
/* Sets *value to minus the mean log-likelihood plus ridge / 2 times the sum of squares per case, and gradient [q] to its derivatives. */
int ugt_two_classes_value(const ugt_two_classes *model, const double *x, double *value, double *gradient);

/* ---- shared by em.c and skills.c ------------------------------------------------------------------------ */

#define UGT_EM_SMALL 1e-250 /* products of probabilities below this are computed in logs, long before they underflow */

struct ugt_confusions {
    int64_t n_cases, n_labels, n_annotators, n_classes, n_pairs, n_cells, n_rows;
    int all;              /* whether each pair has a cell for every class */
    int64_t *offsets;     /* [n_cases+1] */
    double *weight;       /* [n_labels] or NULL */
    int32_t *known;       /* [n_cases] or NULL */
    int32_t *pair;        /* [n_labels] */
    int64_t *first_pair;  /* [n_annotators+1] the pairs of each annotator, ascending by label */
    int32_t *pair_label;  /* [n_pairs] */
    int64_t *pair_cells;  /* [n_pairs+1] the cells of each pair, ascending by true class */
    int32_t *cell_truth, *cell_row; /* [n_cells]; NULL if all: every pair, and every annotator, has one per class in order */
    int64_t *first_row;   /* [n_annotators+1] the rows of each annotator, ascending by true class */
    int32_t *row_truth;   /* [n_rows]; NULL if all */
    int32_t *row_cells;   /* [n_rows] how many cells are off the diagonal */
    uint8_t *row_diagonal; /* [n_rows] whether the row has its cell on the diagonal */
    int64_t *candidates;  /* [n_cases+1] */
    int32_t *candidate;   /* NULL if all */
    int64_t *map_start;   /* [n_cases+1]; label t of case i and its candidate j: map[map_start[i] + t m + j]; NULL if all */
    int32_t *map;
};

/* Sets q [m] of case i, normalised; returns the log of its divisor, or -INFINITY if no class is possible. */
double ugt_confusions_case(const ugt_confusions *x, int64_t i, const double *probability, const double *prevalence, double *q);
/* Returns which candidate of case i is known to be the true class, or -1. */
int64_t ugt_confusions_known(const ugt_confusions *x, int64_t i);
int64_t ugt_confusions_widest(const ugt_confusions *x);
static inline int64_t ugt_confusions_cell(const ugt_confusions *x, int64_t i, int64_t t, int64_t m, int64_t j)
{
    return x->all ? x->pair[x->offsets[i] + t] * x->n_classes + j : x->map[x->map_start[i] + t * m + j];
}

#endif
