/* Terms of a case that differ only by the names of classes have the same integral. Orders of a tied block whose classes are otherwise
 * alike make many of them: one is integrated, and its numbers are added up for each of the others under the names of their classes. */
#include "cubature.h"

#define ROUNDS 3

/* A term under names that depend on its structure only: classes sorted by how they occur. Equal forms prove that terms are images of each
 * other; images with unequal forms are integrated twice. */
typedef struct {
    int64_t term;
    double p[UGT_MOST_DIMENSIONS];
    uint64_t set[UGT_MOST_DIMENSIONS];
    double wins[UGT_MOST_MENTIONED];
    uint8_t name[UGT_MOST_MENTIONED]; /* the class at each place */
} form;

static uint64_t mixed(uint64_t h)
{
    h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u;
    h = (h ^ h >> 27) * 0x94d049bb133111ebu;
    return h ^ h >> 31;
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return mixed(bits);
}

/* Colors of classes: from their wins, and in each round from the sets that they are in and the classes of these. */
static void color_classes(const ugt_cubature *w, const ugt_component *one, uint64_t *color)
{
    for (int64_t k = 0; k < w->m; k++)
        color[k] = bits_of(w->wins[k]);
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t next[UGT_MOST_MENTIONED];
        memcpy(next, color, sizeof next);
        for (int d = 0; d < one->n_dims; d++) {
            uint64_t sum = bits_of(one->p[d]);
            for (int64_t k = 0; k < w->m; k++)
                sum += one->set[d] >> k & 1u ? mixed(color[k]) : 0;
            for (int64_t k = 0; k < w->m; k++)
                next[k] += one->set[d] >> k & 1u ? mixed(sum) : 0;
        }
        memcpy(color, next, sizeof next);
    }
}

static void form_of(const ugt_cubature *w, int64_t term, form *out)
{
    const ugt_component *one = &w->component[term];
    uint64_t color[UGT_MOST_MENTIONED] = {0};
    memset(out, 0, sizeof *out);
    out->term = term;
    color_classes(w, one, color);
    int place[UGT_MOST_MENTIONED];
    for (int k = 0; k < w->m; k++) { /* by insertion: there are few */
        int at = k;
        for (; at > 0 && color[out->name[at - 1]] > color[k]; at--)
            out->name[at] = out->name[at - 1];
        out->name[at] = (uint8_t)k;
    }
    for (int i = 0; i < w->m; i++) {
        place[out->name[i]] = i;
        out->wins[i] = w->wins[out->name[i]];
    }
    for (int d = 0; d < one->n_dims; d++) {
        uint64_t set = 0;
        for (int k = 0; k < w->m; k++)
            set |= (one->set[d] >> k & 1u) << place[k];
        int at = d;
        for (; at > 0 && out->set[at - 1] > set; at--) {
            out->set[at] = out->set[at - 1];
            out->p[at] = out->p[at - 1];
        }
        out->set[at] = set;
        out->p[at] = one->p[d];
    }
}

static int compare_structures(const form *x, const form *y)
{
    const int by_set = memcmp(x->set, y->set, sizeof x->set), by_p = memcmp(x->p, y->p, sizeof x->p);
    return by_set != 0 ? by_set : by_p != 0 ? by_p : memcmp(x->wins, y->wins, sizeof x->wins);
}

static int compare_forms(const void *a, const void *b)
{
    const form *x = a, *y = b;
    const int by_structure = compare_structures(x, y);
    return by_structure != 0 ? by_structure : (x->term > y->term) - (x->term < y->term);
}

/* Keeps one term of each structure, in their order; `image` [(m + 1)^2] of each: how often its class k stands for class j of the case. */
int ugt_merge_components(ugt_cubature *w)
{
    const int64_t n = w->n_components, side = w->m + 1;
    int64_t kept = 0;
    int status = ugt_make_room(&w->image, &w->image_room, n * side * side, sizeof *w->image);
    if (status != UGT_OK)
        return status;
    memset(w->image, 0, ugt_bytes(n * side * side, sizeof *w->image));
    form *forms = malloc(ugt_bytes(n, sizeof *forms));
    if (forms == NULL)
        return UGT_ERR_MEMORY;
    for (int64_t t = 0; t < n; t++)
        form_of(w, t, &forms[t]);
    qsort(forms, (size_t)n, sizeof *forms, compare_forms);
    for (int64_t first = 0, end; first < n; first = end) {
        const int64_t own = forms[first].term;
        double *image = w->image + own * side * side;
        w->component[own].n_images = 0;
        for (end = first; end < n && compare_structures(&forms[first], &forms[end]) == 0; end++) {
            const double times = w->component[forms[end].term].factor / w->component[own].factor;
            for (int64_t i = 0; i < w->m; i++)
                image[forms[end].name[i] * side + forms[first].name[i]] += times;
            image[side * side - 1] += times;
            w->component[own].n_images++;
            if (end > first)
                w->component[forms[end].term].n_images = 0;
        }
    }
    for (int64_t t = 0; t < n; t++) {
        if (w->component[t].n_images == 0)
            continue;
        memmove(w->image + kept * side * side, w->image + t * side * side, ugt_bytes(side * side, sizeof *w->image));
        w->component[kept++] = w->component[t];
    }
    w->n_components = kept;
    free(forms);
    return UGT_OK;
}

/* Replaces the numbers [width] of a component by their sum over its images. */
void ugt_add_images(const ugt_cubature *w, const ugt_component *one, double *out)
{
    const int64_t side = w->m + 1;
    const double *image = w->image + (one - w->component) * side * side;
    if (one->n_images == 1)
        return;
    for (int64_t part = 0; part < w->width / side; part++) {
        double own[UGT_MOST_MENTIONED + 1];
        memcpy(own, out + part * side, (size_t)side * sizeof *own);
        for (int64_t j = 0; j < side; j++) {
            double sum = 0.0;
            for (int64_t k = 0; k < side; k++)
                sum += image[j * side + k] * own[k];
            out[part * side + j] = sum;
        }
    }
}
