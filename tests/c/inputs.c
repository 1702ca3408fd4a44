/* Inputs of every kernel: small, but large enough for whatever grows to grow. What the numbers mean does not matter here. */
#include "inputs.h"

#include <math.h>
#include <string.h>

/* ---- inputs ---- */

uint64_t KEY[CASES];
int64_t CASE_OFFSETS[CASES + 1], RANKING_OFFSETS[MOST_ITEMS + 1], BLOCK_OFFSETS[MOST_ITEMS + 1], RANKING_COUNT[MOST_ITEMS];
int32_t ITEMS[MOST_ITEMS];
ugt_rankings RANKINGS;
int64_t OFFSETS[CASES + 1]; /* Dirichlet: listed classes */
int32_t CLASS_INDEX[CASES * 8];
double CONCENTRATION[CASES * 8], BACKGROUND[CASES];
double DENSE[CASES * CLASSES], LOGS[CASES * CLASSES], ONES[MOST_ITEMS], NOISE[MOST_ITEMS];
int32_t LABEL[CASES * 8], ANNOTATOR[CASES * 8], GIVEN[CASES * 8], ENTRY[CASES * 8], KNOWN[CASES];
int64_t GIVEN_OFFSETS[CASES + 1], LABEL_OFFSETS[CASES + 1], LABEL_COUNT[CASES * 8];
ugt_label_table LABELS;

static void end_block(int64_t from)
{
    if (RANKINGS.n_items > from)
        BLOCK_OFFSETS[++RANKINGS.n_blocks] = RANKINGS.n_items;
}

/* rankings of 1 to 6 classes in blocks of 1 or 2, 2 to 9 a case; the first case has rankings of 12 classes, in which blocks share stages */
static void fill_rankings(ugt_stream *stream)
{
    RANKINGS = (ugt_rankings){CASES, 0, 0, 0, CLASSES, CASE_OFFSETS, RANKING_OFFSETS, BLOCK_OFFSETS, ITEMS};
    for (int i = 0; i < CASES; i++) {
        const int64_t n = 2 + (int64_t)ugt_stream_below(stream, 8);
        for (int64_t a = 0; a < n; a++) {
            const int64_t length = i == 0 ? 12 : 1 + (int64_t)ugt_stream_below(stream, 6), step = 1 + (int64_t)ugt_stream_below(stream, 3);
            int64_t next = (int64_t)ugt_stream_below(stream, 4), from = RANKINGS.n_items;
            for (int64_t j = 0; j < length; j++, next += step) {
                ITEMS[RANKINGS.n_items++] = (int32_t)(next % CLASSES);
                if (j % 3 != 1) {
                    end_block(from);
                    from = RANKINGS.n_items;
                }
            }
            end_block(from);
            RANKING_COUNT[RANKINGS.n_rankings] = 1;
            RANKING_OFFSETS[++RANKINGS.n_rankings] = RANKINGS.n_blocks;
        }
        CASE_OFFSETS[i + 1] = RANKINGS.n_rankings;
    }
}

/* concentrations of 0 to 5 classes a case, whole numbers, so that profiles repeat */
static void fill_posterior(ugt_stream *stream)
{
    for (int i = 0; i < CASES; i++) {
        int64_t n = i == 3 ? 0 : 2 + (int64_t)ugt_stream_below(stream, 4);
        OFFSETS[i + 1] = OFFSETS[i];
        for (int64_t j = 0; j < n; j++) {
            CLASS_INDEX[OFFSETS[i + 1]] = (int32_t)(3 * j + i % 3);
            CONCENTRATION[OFFSETS[i + 1]++] = 1.0 + (double)ugt_stream_below(stream, 3);
        }
        BACKGROUND[i] = i % 4 == 1 ? 0.5 : 0.0;
    }
}

/* 0 to 7 labels a case by 6 annotators over 5 classes */
static void fill_labels(ugt_stream *stream)
{
    for (int i = 0; i < CASES; i++) {
        const int n = (int)ugt_stream_below(stream, 8);
        int64_t at[5] = {-1, -1, -1, -1, -1}, first = LABEL_OFFSETS[i];
        LABEL_OFFSETS[i + 1] = first + n;
        for (int64_t r = first; r < first + n; r++) {
            ANNOTATOR[r] = (int32_t)(r - first) % 6;
            LABEL[r] = (int32_t)ugt_stream_below(stream, 5);
            LABEL_COUNT[r] = 1 + (int64_t)ugt_stream_below(stream, 3);
            at[LABEL[r]] = 0;
        }
        GIVEN_OFFSETS[i + 1] = GIVEN_OFFSETS[i];
        for (int k = 0; k < 5; k++)
            if (at[k] == 0) {
                at[k] = GIVEN_OFFSETS[i + 1]++;
                GIVEN[at[k]] = k;
            }
        for (int64_t r = first; r < first + n; r++)
            ENTRY[r] = (int32_t)at[LABEL[r]];
        KNOWN[i] = n > 0 && i % 5 == 0 ? LABEL[first] : -1;
    }
    LABELS = (ugt_label_table){LABEL_OFFSETS, ANNOTATOR, LABEL, NULL, GIVEN_OFFSETS, GIVEN, CASES, 6, 5, KNOWN};
}

static void fill(void)
{
    ugt_stream stream;
    ugt_stream_open(&stream, 8, 0, 0, 99);
    for (int i = 0; i < CASES; i++) {
        double sum = 0.0;
        KEY[i] = ugt_stream_bits(&stream);
        for (int k = 0; k < CLASSES; k++)
            sum += DENSE[i * CLASSES + k] = k < 5 ? ugt_stream_uniform(&stream) + 0.1 : 0.0;
        for (int k = 0; k < CLASSES; k++) {
            DENSE[i * CLASSES + k] /= sum;
            LOGS[i * CLASSES + k] = log(DENSE[i * CLASSES + k] + 0.01);
        }
    }
    for (int j = 0; j < MOST_ITEMS; j++) {
        ONES[j] = 1.0;
        NOISE[j] = ugt_stream_uniform(&stream);
    }
    memset(&RANKINGS, 0, sizeof RANKINGS);
    memset(OFFSETS, 0, sizeof OFFSETS);
    fill_rankings(&stream);
    fill_posterior(&stream);
    fill_labels(&stream);
}

/* ---- what is opaque ---- */

int64_t case_profile[CASES];
int32_t entry_group[CASES * 8], background_group[CASES];

int open_shared(shared *in)
{
    int status;
    *in = (shared){0};
    fill();
    status = ugt_profiles_new(OFFSETS, CONCENTRATION, BACKGROUND, CASES, CLASSES, &in->profiles, case_profile, entry_group, background_group);
    if (status == UGT_OK)
        status = ugt_stages_new(&RANKINGS, NULL, 1, &in->stages);
    if (status == UGT_OK)
        status = ugt_stages_new(&RANKINGS, NULL, 0, &in->ignoring);
    if (status == UGT_OK)
        status = ugt_confusions_new(&LABELS, UGT_CELLS_SEEN, &in->confusions);
    in->posterior = (ugt_posterior){in->profiles, case_profile, OFFSETS, CLASS_INDEX, entry_group, background_group, CLASSES};
    return status;
}

void close_shared(shared *in)
{
    ugt_profiles_free(in->profiles);
    ugt_stages_free(in->stages);
    ugt_stages_free(in->ignoring);
    ugt_confusions_free(in->confusions);
}

/* ---- digests ---- */

/* MemorySanitizer alone knows whether a kernel has written all of its output. */
#define CHECK_WRITTEN(at, n)
#ifdef __has_feature
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#undef CHECK_WRITTEN
#define CHECK_WRITTEN(at, n) __msan_check_mem_is_initialized(at, n)
#endif
#endif

void note(uint64_t *digest, const void *at, size_t n)
{
    const uint8_t *byte = at;
    CHECK_WRITTEN(at, n);
    uint64_t h = *digest ^ UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < n; i++)
        h = (h ^ byte[i]) * UINT64_C(0x100000001b3);
    *digest = h;
}
