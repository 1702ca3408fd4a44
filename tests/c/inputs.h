/* What the kernels of kernels.c read, and what tells whether they wrote the same as before. */
#ifndef INPUTS_H
#define INPUTS_H

#include "kernels.h"

enum { CASES = 24, CLASSES = 40, MOST_ITEMS = 4000, DEPTH = 3, DRAWS = 6 };

/* written by open_shared(), read only from then on */
extern uint64_t KEY[CASES];
extern int64_t CASE_OFFSETS[CASES + 1], RANKING_OFFSETS[MOST_ITEMS + 1], BLOCK_OFFSETS[MOST_ITEMS + 1], RANKING_COUNT[MOST_ITEMS];
extern int32_t ITEMS[MOST_ITEMS];
extern ugt_rankings RANKINGS;
extern int64_t OFFSETS[CASES + 1]; /* Dirichlet: listed classes */
extern int32_t CLASS_INDEX[CASES * 8];
extern double CONCENTRATION[CASES * 8], BACKGROUND[CASES];
extern double DENSE[CASES * CLASSES], LOGS[CASES * CLASSES], ONES[MOST_ITEMS], NOISE[MOST_ITEMS];
extern int32_t LABEL[CASES * 8], ANNOTATOR[CASES * 8], GIVEN[CASES * 8], ENTRY[CASES * 8];
extern int64_t GIVEN_OFFSETS[CASES + 1], LABEL_OFFSETS[CASES + 1], LABEL_COUNT[CASES * 8];
extern ugt_label_table LABELS;
extern int64_t case_profile[CASES];
extern int32_t entry_group[CASES * 8], background_group[CASES];

void note(uint64_t *digest, const void *at, size_t n); /* adds n bytes to a digest */

#define NOTE(array) note(digest, array, sizeof(array))

/* the first status that is not UGT_OK is what the caller gets */
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        const int status_ = (call);                                                                                    \
        if (status_ != UGT_OK)                                                                                         \
            return status_;                                                                                            \
    } while (0)

/* annotators.c */
int measure_distances(const shared *in, uint64_t *digest);
int measure_masks(const shared *in, uint64_t *digest);
int fit_confusions(const shared *in, uint64_t *digest);
int sample_confusions(const shared *in, uint64_t *digest);
int fit_coins(const shared *in, uint64_t *digest);
int fit_graded(const shared *in, uint64_t *digest);
int fit_two_classes(const shared *in, uint64_t *digest);
int draw_panels(const shared *in, uint64_t *digest);

#endif
