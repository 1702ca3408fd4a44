/* Panels of annotators, drawn with replacement: which labels each of them gives to a case, and sums of what follows from these labels. */
#include <stdlib.h>
#include <string.h>

#include "core.h"

#include "wide.h"

#define GOLDEN UINT64_C(0x9E3779B97F4A7C15)

typedef struct {
    uint64_t *code, *seen; /* [2 * n_panels] of the panels; of the cells of the row, side by side */
    int32_t *slot;         /* [1 << bits] a cell, or -1 */
    int bits;
} finder;

static void finder_free(finder *f)
{
    free(f->code);
    free(f->seen);
    free(f->slot);
}

static int finder_new(finder *f, int64_t n_panels)
{
    f->bits = 1;
    while (((int64_t)1 << f->bits) < 2 * n_panels)
        f->bits++;
    f->code = malloc((size_t)n_panels * 2 * sizeof *f->code);
    f->seen = malloc((size_t)n_panels * 2 * sizeof *f->seen);
    f->slot = malloc(((size_t)1 << f->bits) * sizeof *f->slot);
    if (f->code != NULL && f->seen != NULL && f->slot != NULL)
        return UGT_OK;
    finder_free(f);
    return UGT_ERR_MEMORY;
}

UGT_WIDE static void add_times(uint64_t *restrict code, const uint64_t *restrict times, uint64_t key, int64_t n)
{
    for (int64_t b = 0; b < n; b++)
        code[b] += key * times[b];
}

/* Codes of the labels of one row under every panel: the sums of the keys, once for each time that the annotator is in the panel. */
static void add_up(const ugt_panels *x, int64_t row, uint64_t *code)
{
    const int64_t n = x->n_panels;
    memset(code, 0, (size_t)n * 2 * sizeof *code);
    for (int64_t i = x->offsets[row]; i < x->offsets[row + 1]; i++)
        for (int half = 0; half < 2; half++)
            if (x->annotator[i] < 0)
                for (int64_t b = 0; b < n; b++)
                    code[half * n + b] += x->key[2 * i + half];
            else if (x->key[2 * i + half] != 0)
                add_times(code + half * n, x->times + x->annotator[i] * n, x->key[2 * i + half], n);
}

static int32_t number_cells(finder *f, int64_t n, int32_t *cell, int32_t *first, uint64_t *code)
{
    const uint64_t mask = ((uint64_t)1 << f->bits) - 1;
    int32_t found = 0;
    memset(f->slot, 0xff, ((size_t)mask + 1) * sizeof *f->slot);
    for (int64_t b = 0; b < n; b++) {
        const uint64_t low = f->code[b], high = f->code[n + b];
        uint64_t at = ((low ^ (high * GOLDEN)) * GOLDEN) >> (64 - f->bits);
        while (f->slot[at] >= 0 && (f->seen[2 * f->slot[at]] != low || f->seen[2 * f->slot[at] + 1] != high))
            at = (at + 1) & mask;
        if (f->slot[at] < 0) {
            f->slot[at] = found;
            f->seen[2 * found] = low;
            f->seen[2 * found + 1] = high;
            code[found] = low;
            first[found++] = (int32_t)b;
        }
        cell[b] = f->slot[at];
    }
    return found;
}

int ugt_panel_cells(const ugt_panels *x, int64_t begin, int64_t end, int32_t *cell, int32_t *first, uint64_t *code,
                    int64_t *n_cells)
{
    finder f;
    if (finder_new(&f, x->n_panels) != UGT_OK)
        return UGT_ERR_MEMORY;
    for (int64_t row = begin; row < end; row++) {
        const int64_t at = (row - begin) * x->n_panels;
        add_up(x, row, f.code);
        n_cells[row - begin] = number_cells(&f, x->n_panels, cell + at, first + at, code + at);
    }
    finder_free(&f);
    return UGT_OK;
}

/* Adds what the cases of one unit contribute under the panels [begin, end). */
static void gather(const ugt_panel_values *x, int64_t unit, int64_t begin, int64_t end, double *restrict above, double *restrict below)
{
    const int64_t n = end - begin;
    memset(above, 0, (size_t)n * sizeof *above);
    memset(below, 0, (size_t)n * sizeof *below);
    for (int64_t i = x->offsets[unit]; i < x->offsets[unit + 1]; i++) {
        const int64_t kind = x->kind[i];
        const int32_t *restrict cell = x->cell + x->row[kind] * x->n_panels + begin;
        const double *restrict a = x->above + x->start[kind], *restrict d = x->below + x->start[kind];
        for (int64_t b = 0; b < n; b++) {
            above[b] += a[cell[b]];
            below[b] += d[cell[b]];
        }
    }
}

UGT_WIDE static void add_squares(const double *restrict v, const double *restrict z, double times, int64_t n, int64_t width,
                                 double *restrict out)
{
    for (int64_t b = 0; b < n; b++) {
        const double tv = times * v[b], tz = times * z[b];
        out[b] += tv;
        out[width + b] += tz;
        out[2 * width + b] += tv * v[b];
        out[3 * width + b] += tv * z[b];
        out[4 * width + b] += tz * z[b];
    }
}

int ugt_panel_sums(const ugt_panel_values *x, int64_t begin, int64_t end, double *out)
{
    const int64_t n = end - begin;
    double *room = malloc((size_t)n * 2 * sizeof *room);
    if (room == NULL)
        return UGT_ERR_MEMORY;
    for (int64_t j = 0; j < UGT_PANEL_SUMS; j++)
        memset(out + j * x->n_panels + begin, 0, (size_t)n * sizeof *out);
    for (int64_t unit = 0; unit < x->n_units; unit++) {
        gather(x, unit, begin, end, room, room + n);
        add_squares(room, room + n, x->times[unit], n, x->n_panels, out + begin);
    }
    free(room);
    return UGT_OK;
}

int ugt_panel_means(const ugt_panel_values *x, const double *of_above, const double *of_below, int64_t begin, int64_t end, double *out)
{
    const int64_t n = x->n_panels;
    double *room = malloc((size_t)n * 2 * sizeof *room);
    if (room == NULL)
        return UGT_ERR_MEMORY;
    for (int64_t unit = begin; unit < end; unit++) {
        double sum = 0.0;
        gather(x, unit, 0, n, room, room + n);
        for (int64_t b = 0; b < n; b++)
            sum += of_above[b] * room[b] + of_below[b] * room[n + b];
        out[unit - begin] = sum;
    }
    free(room);
    return UGT_OK;
}

/* ---- scores against masses that follow from labels: areas under curves ---- */

#define LANES 16 /* panels that pass through the cases together */

typedef struct {
    double u[LANES], v[LANES]; /* positive and negative mass of a row of labels */
} masses;

/* Reads the masses of every row under n panels from b on; what is in the other lanes is not used. */
static void read_masses(const ugt_panel_scores *x, int64_t b, int64_t n, masses *room)
{
    for (int64_t row = 0; row < x->n_rows; row++) {
        const int32_t *restrict cell = x->cell + row * x->n_panels + b;
        const double *restrict positive = x->positive + x->start[row];
        masses *restrict to = room + row;
        for (int64_t k = 0; k < n; k++) {
            const double u = positive[cell[k]];
            to->u[k] = u >= 0.0 ? u : 0.0;
            to->v[k] = u >= 0.0 ? 1.0 - u : 0.0;
        }
    }
}

UGT_WIDE static void add_areas(const ugt_panel_scores *x, const masses *restrict room, double (*restrict sum)[LANES])
{
    for (int64_t i = 0; i < x->n_cases;) {
        double u[LANES] = {0.0}, v[LANES] = {0.0};
        do {
            const masses *restrict m = room + x->row[i];
            for (int k = 0; k < LANES; k++) {
                u[k] += m->u[k];
                v[k] += m->v[k];
                sum[2][k] += m->u[k] * m->v[k];
            }
        } while (!x->last[i++]);
        for (int k = 0; k < LANES; k++) {
            sum[3][k] += v[k] * (sum[0][k] + 0.5 * u[k]);
            sum[0][k] += u[k];
            sum[1][k] += v[k];
        }
    }
}

int ugt_panel_areas(const ugt_panel_scores *x, int64_t begin, int64_t end, double *out)
{
    masses *room = calloc((size_t)x->n_rows, sizeof *room);
    if (room == NULL)
        return UGT_ERR_MEMORY;
    for (int64_t b = begin; b < end; b += LANES) {
        const int64_t n = b + LANES <= end ? LANES : end - b;
        double sum[UGT_PANEL_AREAS][LANES] = {{0.0}};
        read_masses(x, b, n, room);
        add_areas(x, room, sum);
        for (int j = 0; j < UGT_PANEL_AREAS; j++)
            memcpy(out + j * x->n_panels + b, sum[j], (size_t)n * sizeof *out);
    }
    free(room);
    return UGT_OK;
}

/* Adds the influences of the cases to those of their units. below, above: by[0] - V and by[1] + U. */
UGT_WIDE static void add_influences(const ugt_panel_scores *x, const masses *restrict room, double (*restrict by)[LANES],
                                    double (*restrict psi)[LANES])
{
    double *restrict below = by[0], *restrict above = by[1];
    for (int64_t i = 0, end = 0; i < x->n_cases;) {
        double u[LANES] = {0.0}, v[LANES] = {0.0};
        do {
            const masses *restrict m = room + x->row[end];
            for (int k = 0; k < LANES; k++) {
                u[k] += 0.5 * m->u[k];
                v[k] += 0.5 * m->v[k];
            }
        } while (!x->last[end++]);
        for (int k = 0; k < LANES; k++) {
            above[k] += u[k];
            below[k] -= v[k];
        }
        for (; i < end; i++) {
            const masses *restrict m = room + x->row[i];
            double *restrict to = psi[x->unit[i]];
            for (int k = 0; k < LANES; k++)
                to[k] += by[3][k] * (m->u[k] * below[k] + m->v[k] * above[k] + by[2][k] * m->u[k] * m->v[k]);
        }
        for (int k = 0; k < LANES; k++) {
            above[k] += u[k];
            below[k] -= v[k];
        }
    }
}

/* Adds squares, and the influence of each unit times p; lanes are added in pairs, in the same order on every machine. */
UGT_WIDE static void add_units(double (*restrict psi)[LANES], int64_t n_units, const double *restrict p, double *restrict square,
                               double *restrict mean)
{
    for (int64_t unit = 0; unit < n_units; unit++) {
        double part[LANES];
        for (int k = 0; k < LANES; k++) {
            part[k] = p[k] * psi[unit][k];
            square[k] += psi[unit][k] * psi[unit][k];
        }
        for (int half = LANES / 2; half > 0; half /= 2)
            for (int k = 0; k < half; k++)
                part[k] += part[k + half];
        mean[unit] += part[0];
    }
}

int ugt_panel_influences(const ugt_panel_scores *models, int64_t n_models, const double *by, const double *p, int64_t begin, int64_t end,
                         double *square, double *mean)
{
    const int64_t n_panels = models->n_panels, n_units = models->n_units;
    masses *room = calloc((size_t)models->n_rows, sizeof *room);
    double(*psi)[LANES] = malloc(ugt_bytes(n_units, sizeof *psi));
    const int status = room == NULL || psi == NULL ? UGT_ERR_MEMORY : UGT_OK;
    memset(mean, 0, (size_t)n_units * sizeof *mean);
    for (int64_t b = begin; b < end && status == UGT_OK; b += LANES) {
        const int64_t n = b + LANES <= end ? LANES : end - b;
        double own[4][LANES] = {{0.0}}, weight[LANES] = {0.0}, squares[LANES] = {0.0};
        memset(psi, 0, (size_t)n_units * sizeof *psi);
        for (int64_t j = 0; j < 4 * n_models; j++) {
            memcpy(own[j % 4], by + j * n_panels + b, (size_t)n * sizeof *by);
            if (j % 4 == 3) {
                read_masses(models + j / 4, b, n, room);
                add_influences(models + j / 4, room, own, psi);
            }
        }
        memcpy(weight, p + b, (size_t)n * sizeof *p);
        add_units(psi, n_units, weight, squares, mean);
        memcpy(square + b, squares, (size_t)n * sizeof *square);
    }
    free(room);
    free(psi);
    return status;
}
