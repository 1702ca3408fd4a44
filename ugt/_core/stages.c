/* Stages are the parts of the rankings of a case that samplers and optimisers use.
 *
 * They contain only the classes that an annotator ranked (local numbers 0..m-1); all others are one lump. A stage is a block of
 * tied classes and the mentioned classes that come later; the lump comes after everything. A stage that several rankings share
 * is stored once with its count: rankings that agree only at the top share that stage. A block with nothing after it has
 * probability 1 and is left out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

#define SAME 1e-12 /* relative difference of counts that are the same up to rounding */

void ugt_stages_free(ugt_stages *stages)
{
    if (stages == NULL)
        return;
    free(stages->class_offsets);
    free(stages->class_index);
    free(stages->stage_offsets);
    free(stages->stage);
    free(stages->member);
    free(stages);
}

int64_t ugt_stages_count(const ugt_stages *stages)
{
    return stages->stage_offsets[stages->n_cases];
}

const int64_t *ugt_stages_class_offsets(const ugt_stages *stages)
{
    return stages->class_offsets;
}

const int32_t *ugt_stages_class_index(const ugt_stages *stages)
{
    return stages->class_index;
}

typedef struct {
    const ugt_rankings *rankings;
    const double *weight; /* [n_rankings] or NULL */
    int has_rest;
    int32_t *local; /* [n_classes] local number; -1 if not mentioned */
    uint8_t *done;  /* [n_classes] by local number: whether the ranking has the class already */
    int64_t n_stages, n_members, stage_room, member_room;
    int64_t *slots; /* hash table of the stages of the current case: number + 1; 0 if the slot is free */
    size_t n_slots;
} builder;

static int compare_index(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Lists the mentioned classes of case i in ascending order, and checks that all classes are in range. */
static int list_classes(builder *build, ugt_stages *stages, int64_t i)
{
    const ugt_rankings *in = build->rankings;
    int64_t m = 0, first = stages->class_offsets[i];
    for (int64_t r = in->case_offsets[i]; r < in->case_offsets[i + 1]; r++) {
        for (int64_t b = in->ranking_offsets[r]; b < in->ranking_offsets[r + 1]; b++) {
            for (int64_t j = in->block_offsets[b]; j < in->block_offsets[b + 1]; j++) {
                if (in->items[j] < 0 || in->items[j] >= in->n_classes)
                    return UGT_ERR_RANGE;
                if (build->local[in->items[j]] < 0) {
                    build->local[in->items[j]] = 0;
                    stages->class_index[first + m++] = in->items[j];
                }
            }
        }
    }
    if (m > 0)
        qsort(stages->class_index + first, (size_t)m, sizeof *stages->class_index, compare_index);
    for (int64_t k = 0; k < m; k++)
        build->local[stages->class_index[first + k]] = (int32_t)k;
    stages->class_offsets[i + 1] = first + m;
    return UGT_OK;
}

static uint64_t hash_stage(const ugt_stages *stages, const ugt_stage *stage)
{
    uint64_t h = (uint64_t)stage->size;
    for (int64_t j = 0; j < (int64_t)stage->size + stage->n_later; j++) {
        h = (h ^ (uint64_t)(uint32_t)stages->member[stage->at + j]) * 0x9E3779B97F4A7C15u;
        h ^= h >> 32;
    }
    return h;
}

/* Keeps the stage that was just written; if the case has it already, adds its count to the existing stage instead. */
static void merge(builder *build, ugt_stages *stages, int64_t first)
{
    const ugt_stage *fresh = &stages->stage[build->n_stages];
    const int64_t length = (int64_t)fresh->size + fresh->n_later;
    size_t slot = (size_t)hash_stage(stages, fresh) & (build->n_slots - 1);
    for (; build->slots[slot] != 0; slot = (slot + 1) & (build->n_slots - 1)) {
        ugt_stage *held = &stages->stage[first + build->slots[slot] - 1];
        if (held->size == fresh->size && held->n_later == fresh->n_later &&
            memcmp(stages->member + held->at, stages->member + fresh->at, (size_t)length * sizeof *stages->member) == 0) {
            held->count += fresh->count;
            return;
        }
    }
    build->slots[slot] = build->n_stages - first + 1;
    build->n_stages++;
    build->n_members += length;
}

static int add_ranking(builder *build, ugt_stages *stages, int64_t i, int64_t r)
{
    const ugt_rankings *in = build->rankings;
    const int64_t m = stages->class_offsets[i + 1] - stages->class_offsets[i], first = stages->stage_offsets[i];
    memset(build->done, 0, (size_t)m);
    for (int64_t b = in->ranking_offsets[r]; b < in->ranking_offsets[r + 1]; b++) {
        const int64_t n = in->block_offsets[b + 1] - in->block_offsets[b];
        if (n < 1 || n > m)
            return UGT_ERR_RANGE;
        int status = ugt_make_room(&stages->stage, &build->stage_room, build->n_stages + 1, sizeof *stages->stage);
        if (status == UGT_OK)
            status = ugt_make_room(&stages->member, &build->member_room, build->n_members + m, sizeof *stages->member);
        if (status != UGT_OK)
            return status;
        int32_t *member = stages->member + build->n_members, later = 0;
        for (int64_t j = 0; j < n; j++) {
            member[j] = build->local[in->items[in->block_offsets[b] + j]];
            if (build->done[member[j]])
                return UGT_ERR_RANGE; /* the ranking has the class twice */
            build->done[member[j]] = 1;
        }
        qsort(member, (size_t)n, sizeof *member, compare_index);
        for (int32_t k = 0; k < m; k++)
            if (!build->done[k])
                member[n + later++] = k;
        stages->stage[build->n_stages] = (ugt_stage){(int32_t)n, later, build->n_members, build->weight == NULL ? 1.0 : build->weight[r]};
        if (later > 0 || (build->has_rest && m < in->n_classes))
            merge(build, stages, first);
    }
    return UGT_OK;
}

static int add_case(builder *build, ugt_stages *stages, int64_t i)
{
    const ugt_rankings *in = build->rankings;
    int status = list_classes(build, stages, i);
    int64_t blocks = in->ranking_offsets[in->case_offsets[i + 1]] - in->ranking_offsets[in->case_offsets[i]];
    if (status == UGT_OK && 2 * (size_t)blocks > build->n_slots) {
        size_t n_slots = build->n_slots;
        while (n_slots < 2 * (size_t)blocks)
            n_slots *= 2;
        free(build->slots);
        build->slots = malloc(n_slots * sizeof *build->slots);
        build->n_slots = n_slots;
        if (build->slots == NULL)
            return UGT_ERR_MEMORY;
    }
    memset(build->slots, 0, build->n_slots * sizeof *build->slots);
    for (int64_t r = in->case_offsets[i]; r < in->case_offsets[i + 1] && status == UGT_OK; r++)
        status = add_ranking(build, stages, i, r);
    for (int64_t j = stages->class_offsets[i]; status == UGT_OK && j < stages->class_offsets[i + 1]; j++)
        build->local[stages->class_index[j]] = -1;
    stages->stage_offsets[i + 1] = build->n_stages;
    return status;
}

int ugt_stages_new(const ugt_rankings *rankings, const double *weight, int rest, ugt_stages **out)
{
    int status = UGT_ERR_MEMORY;
    builder build = {.rankings = rankings, .weight = weight, .has_rest = rest, .n_slots = 64};
    ugt_stages *stages = calloc(1, sizeof *stages);
    if (stages == NULL)
        return status;
    stages->n_cases = rankings->n_cases;
    stages->n_classes = rankings->n_classes;
    stages->class_offsets = calloc((size_t)rankings->n_cases + 1, sizeof *stages->class_offsets);
    stages->stage_offsets = calloc((size_t)rankings->n_cases + 1, sizeof *stages->stage_offsets);
    stages->class_index = malloc((size_t)(rankings->n_items + 1) * sizeof *stages->class_index);
    build.local = malloc((size_t)rankings->n_classes * sizeof *build.local);
    build.done = malloc((size_t)rankings->n_classes);
    build.slots = malloc(build.n_slots * sizeof *build.slots);
    if (!stages->class_offsets || !stages->stage_offsets || !stages->class_index || !build.local || !build.done || !build.slots)
        goto out;
    memset(build.local, 0xff, (size_t)rankings->n_classes * sizeof *build.local);
    status = UGT_OK;
    for (int64_t i = 0; i < rankings->n_cases && status == UGT_OK; i++) {
        status = add_case(&build, stages, i);
    }
out:
    free(build.local);
    free(build.done);
    free(build.slots);
    if (status == UGT_OK)
        *out = stages;
    else
        ugt_stages_free(stages);
    return status;
}

/* ---- classes that are alike ---- */

/* Whether a stage is another one once classes j and k have changed places. */
static int is_image(const int32_t *member, const ugt_stage *one, const ugt_stage *other, int32_t j, int32_t k)
{
    const int32_t *a = member + one->at, *b = member + other->at;
    if (one->size != other->size || one->n_later != other->n_later || fabs(one->count - other->count) > SAME * one->count)
        return 0;
    for (int32_t i = 0; i < one->size + one->n_later; i++) {
        const int32_t wanted = a[i] == j ? k : a[i] == k ? j : a[i], end = i < one->size ? one->size : one->size + one->n_later;
        int32_t l = 0;
        while (l < end && b[l] != wanted)
            l++;
        if (l == end)
            return 0;
    }
    return 1;
}

static int are_alike(const ugt_stages *in, int64_t i, int32_t j, int32_t k)
{
    for (int64_t s = in->stage_offsets[i]; s < in->stage_offsets[i + 1]; s++) {
        int64_t o = in->stage_offsets[i];
        while (o < in->stage_offsets[i + 1] && !is_image(in->member, &in->stage[s], &in->stage[o], j, k))
            o++;
        if (o == in->stage_offsets[i + 1])
            return 0;
    }
    return 1;
}

void ugt_exchangeable(const ugt_stages *stages, int64_t i, int64_t *image)
{
    const int64_t m = stages->class_offsets[i + 1] - stages->class_offsets[i];
    for (int64_t k = 0; k < m; k++) {
        image[k] = k;
        for (int64_t j = 0; j < k && image[k] == k; j++)
            if (image[j] == j && are_alike(stages, i, (int32_t)j, (int32_t)k))
                image[k] = j;
    }
}

void ugt_share_evenly(const int64_t *image, int64_t m, double *value)
{
    for (int64_t j = 0; j < m; j++) {
        double total = 0.0, n = 0.0;
        for (int64_t k = j; k < m; k++) {
            total += image[k] == j ? value[k] : 0.0;
            n += image[k] == j ? 1.0 : 0.0;
        }
        for (int64_t k = j; k < m; k++)
            value[k] = image[k] == j ? total / n : value[k];
    }
}
