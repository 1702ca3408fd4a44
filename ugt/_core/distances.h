/* pairs.c and masks.c: distances between the annotators of a case, and to predictions. */
#ifndef UGT_DISTANCES_H
#define UGT_DISTANCES_H

#include "ugt.h"

/* An entry is an annotator in a case, or count annotators with equal labels. Its rows are its labels, which form one distribution. */
typedef struct {
    const int64_t *offsets;     /* [n_cases+1], into entries */
    const int64_t *row_offsets; /* [n_entries+1], into rows, at least one row each; NULL: entry e is row e */
    const int64_t *count;       /* [n_entries] >= 1; must be 1 for entries with several rows */
    const int64_t *times;       /* [n_rows] >= 1: how often a label was given; NULL: once */
} ugt_entries;

typedef struct {
    int kind;             /* between numbers: UGT_SQUARED, or UGT_THRESHOLD: max(0, |y - y'| - lambda) */
    double lambda;        /* >= 0 */
    int64_t n_classes;    /* used between classes only, as are cost and number */
    const double *cost;   /* [n_classes * n_classes], symmetric, >= 0, 0 on the diagonal; NULL: 1 between any two classes */
    const double *number; /* [n_classes], or NULL; predicted probabilities use the distances between these numbers if cost is NULL */
} ugt_distance;

#define UGT_SQUARED 0
#define UGT_THRESHOLD 1

/* Rows of one annotator in one case share an entry; each row of annotator -1 has its own. entry_offsets [n_cases+1], entry_of
 * [n_rows]: entries are numbered in the order of their first rows. */
int ugt_find_entries(const int64_t *offsets, const int32_t *annotator, int64_t n_cases, int64_t n_annotators, int64_t *entry_offsets,
                     int64_t *entry_of, int64_t *n_entries);

/* For cases [begin, end). to_others [n_entries]: sum over the other annotators of the case of the mean distance over all pairs of
 * labels; to_model [n_entries]: mean distance to the prediction of the case, NaN if there is none (NaN, class -1). The absolute values
 * of numbers, and of the numbers of classes, are below 1e100. */
int ugt_number_distances(const ugt_entries *in, const ugt_distance *distance, const double *value, int64_t begin, int64_t end,
                         double *to_others);
void ugt_number_predictions(const ugt_entries *in, const ugt_distance *distance, const double *value, const double *prediction,
                            int64_t begin, int64_t end, double *to_model);
int ugt_class_distances(const ugt_entries *in, const ugt_distance *distance, const int32_t *label, int64_t begin, int64_t end,
                        double *to_others);
int ugt_class_predictions(const ugt_entries *in, const ugt_distance *distance, const int32_t *label, const int64_t *prediction,
                          int64_t begin, int64_t end, double *to_model);

/* to_model: expected distances under probability [(end-begin) * n_classes]; a row of NaN is no prediction. *fault: the first case with
 * an invalid row (a number below 0, only some NaN, or a sum that is not 1 within 1e-4), or -1. */
int ugt_class_probabilities(const ugt_entries *in, const ugt_distance *distance, const int32_t *label, const double *probability,
                            int64_t begin, int64_t end, double *to_model, int64_t *fault);

/* Over the annotators of each case: their number n [n_cases]; the sum of to_others over pairs, each of which is in two entries, total
 * [n_cases], and its mean alpha [n_cases]; the mean of to_model [n_models * n_entries], mu [n_models * n_cases]. Means are NaN for fewer
 * than two annotators. */
void ugt_case_sums(const ugt_entries *in, const double *to_others, const double *to_model, int64_t n_cases, int64_t n_models, int64_t *n,
                   double *total, double *alpha, double *mu);

/* ---- masks.c: these distances for masks ------------------------------------------------------------------------- */

typedef struct {
    const int64_t *start; /* [n_rows+1]: mask r is word[start[r]] up to word[start[r+1]], one bit per pixel, 0 after the last */
    const uint64_t *word;
} ugt_masks;

#define UGT_JACCARD 0
#define UGT_DICE 1

/* All masks of a case must have one length, else UGT_ERR_RANGE. predicted: one mask per case, used if present [n_cases]. */
int ugt_mask_distances(const ugt_entries *in, const ugt_masks *masks, int kind, int64_t begin, int64_t end, double *to_others);
int ugt_mask_predictions(const ugt_entries *in, const ugt_masks *masks, const ugt_masks *predicted, const uint8_t *present, int kind,
                         int64_t begin, int64_t end, double *to_model);

#endif
