/* The part of the contract of ugt.h, which includes it, that is about panels of annotators, drawn with replacement. */
#ifndef UGT_PANELS_H
#define UGT_PANELS_H

typedef struct {
    const int64_t *offsets;   /* [n_rows+1] the labels of each row */
    const int32_t *annotator; /* of each label; -1: in every panel once */
    const uint64_t *key;      /* [n_labels][2] of its class, times its count: sums of keys are equal if the labels of each class are */
    const uint64_t *times;    /* [n_annotators][n_panels] how often the annotator is in the panel */
    int64_t n_panels;         /* < 2^31 */
} ugt_panels;

/* Numbers the different labels that the panels give to each row in [begin, end), in the order of the panels: cell [end-begin][n_panels]
 * in 0..n_cells-1; first, code [end-begin][n_panels]: of each cell the first panel and the sum of the first keys, the rest is unspecified;
 * n_cells [end-begin]. */
int ugt_panel_cells(const ugt_panels *panels, int64_t begin, int64_t end, int32_t *cell, int32_t *first, uint64_t *code,
                    int64_t *n_cells);

typedef struct {
    const int32_t *cell;           /* [n_rows][n_panels] */
    const int64_t *row, *start;    /* of each kind of cases: its row, and the place of the values of the row's first cell */
    const double *above, *below;   /* what a case of this kind with these labels adds to the numerator and the denominator */
    const int64_t *offsets, *kind; /* [n_units+1]: the kinds of the cases of each unit */
    const double *times;           /* [n_units] how many units are like it */
    int64_t n_units, n_panels;
} ugt_panel_values;

/* out [UGT_PANEL_SUMS][n_panels], of which [begin, end) are filled: sums over units of a, d, a^2, a d and d^2, with a and d the sums of
 * above and of below over the cases of the unit. */
#define UGT_PANEL_SUMS 5
int ugt_panel_sums(const ugt_panel_values *values, int64_t begin, int64_t end, double *out);

/* out [end-begin]: for each unit in [begin, end) the sum over panels of of_above a + of_below d; both factors [n_panels]. */
int ugt_panel_means(const ugt_panel_values *values, const double *of_above, const double *of_below, int64_t begin, int64_t end,
                    double *out);

/* Scores of cases against masses of a class that follow from the labels of each case. */
typedef struct {
    const int32_t *cell;       /* [n_rows][n_panels] */
    const int64_t *start;      /* [n_rows] place of the mass of the row's first cell */
    const double *positive;    /* mass of a case with these labels, in [0, 1]; NaN: it does not count under such a panel */
    const int64_t *row, *unit; /* [n_cases] of each case, highest score first */
    const uint8_t *last;       /* [n_cases] whether a tie group ends */
    int64_t n_rows, n_cases, n_units, n_panels;
} ugt_panel_scores;

/* out [UGT_PANEL_AREAS][n_panels], of which [begin, end) are filled: the first four sums of UGT_SOFT_*. */
#define UGT_PANEL_AREAS 4
int ugt_panel_areas(const ugt_panel_scores *scores, int64_t begin, int64_t end, double *out);

/* The influence of a case is by[3] (u (by[0] - V) + v (by[1] + U) + by[2] u v), with u its mass, v = 1 - u, U the sum of u of higher scores
 * and half of that of equal ones, V the same of v; by [n_models][4][n_panels]. A unit adds up its cases in all of n_models models, which
 * have as many rows, units and panels. square [n_panels], of which [begin, end) are filled: the sum over units of the square;
 * mean [n_units]: the sum of the influence times p [n_panels] over panels in [begin, end). */
int ugt_panel_influences(const ugt_panel_scores *models, int64_t n_models, const double *by, const double *p, int64_t begin, int64_t end,
                         double *square, double *mean);

#endif
