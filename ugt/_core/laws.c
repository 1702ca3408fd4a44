/* Laws of gamma variables on the nodes of log s, from tables with cubic Hermite interpolation. */
#include "cubature.h"
#include "wide.h"

#define NEGLIGIBLE 28.0    /* -log of the tails outside of tables */

/* Sets table number *at for shape c, from log x = low or lower on. */
int ugt_law_table(ugt_cubature *w, double c, double low, int64_t *at)
{
    int64_t i = 0;
    while (i < w->n_tables && w->table[i].c != c)
        i++;
    *at = i;
    if (i < w->n_tables && (w->table[i].whole || w->table[i].low <= low))
        return UGT_OK;
    if (i == w->n_tables) {
        const int status = ugt_make_room(&w->table, &w->table_room, i + 1, sizeof *w->table);
        if (status != UGT_OK)
            return status;
        memset(&w->table[w->n_tables++], 0, sizeof *w->table);
    }
    ugt_gamma_table *t = &w->table[i];
    ugt_shape shape;
    ugt_shape_set(&shape, c);
    const double lower = ugt_gamma_log_below(&shape, NEGLIGIBLE), high = ugt_gamma_log_above(&shape, NEGLIGIBLE);
    t->c = c;
    t->per_step = 1;
    while ((double)(t->per_step * t->per_step) < 0.7 * c)
        t->per_step *= 2;
    const double delta = 1.0 / (double)(UGT_PER_UNIT * t->per_step);
    t->whole = lower > low;
    t->low = t->whole ? lower : low - 1.0;
    t->n = (int64_t)ceil((high - t->low) / delta) + 2;
    free(t->law);
    t->law = malloc(ugt_bytes(3 * t->n, sizeof *t->law));
    if (t->law == NULL) {
        t->c = -1.0;
        return UGT_ERR_MEMORY;
    }
    for (int64_t j = 0; j < t->n; j++) {
        const double s = t->low + (double)j * delta, x = exp(s);
        ugt_cell cell;
        ugt_gamma_cell(&shape, s, x, &cell);
        t->law[j] = cell.lower;
        t->law[t->n + j] = cell.density;
        t->law[2 * t->n + j] = (c - x) * cell.density;
    }
    return UGT_OK;
}

void ugt_law_stride(const ugt_gamma_table *t, int64_t steps, ugt_strided_law *out, double *law)
{
    out->c = t->c;
    out->low = t->low;
    out->n = t->n;
    out->stride = steps * t->per_step;
    out->rows = out->stride + 1;
    out->per_unit = (double)(UGT_PER_UNIT * t->per_step);
    out->delta = 1.0 / out->per_unit;
    out->of_stride = 1.0 / (double)out->stride;
    out->row = t->n / out->stride + 2;
    out->whole_rows = (t->n - 2) / out->stride;
    out->left = (t->n - 2) % out->stride;
    out->law = law;
    for (int part = 0; part < 3; part++)
        for (int64_t phase = 0; phase < out->rows; phase++)
            for (int64_t i = 0; i < out->row; i++) {
                const int64_t at = i * out->stride + phase;
                *law++ = at < t->n ? t->law[part * t->n + at] : part == 0 ? 1.0 : 0.0;
            }
}

/* Writes P and f of a class on nodes [begin, end) of s. */
UGT_WIDE void ugt_law_write(const ugt_law_reader *in, int64_t begin, int64_t end, double *restrict p, double *restrict f)
{
    const double h00 = in->h00, h01 = in->h01, h10 = in->h10, h11 = in->h11;
    const double *restrict p0 = in->p0, *restrict p1 = in->p1, *restrict f0 = in->f0, *restrict f1 = in->f1, *restrict g0 = in->g0,
                           *restrict g1 = in->g1;
    int64_t i = begin;
    for (; i < in->begin && i < end; i++)
        p[i] = f[i] = 0.0;
    const int64_t stop = in->end < end ? in->end : end;
    for (int64_t j = i - in->begin; i < stop; i++, j++) {
        p[i] = h00 * p0[j] + h01 * p1[j] + h10 * f0[j] + h11 * f1[j];
        f[i] = h00 * f0[j] + h01 * f1[j] + h10 * g0[j] + h11 * g1[j];
    }
    for (; i < end; i++) {
        p[i] = 1.0;
        f[i] = 0.0;
    }
}

/* Adds weight * P to sum and weight * f to own, from a table; the innermost sum, which takes most of the time. */
UGT_WIDE void ugt_law_add(const ugt_law_reader *in, double weight, double *restrict sum, double *restrict own)
{
    const int64_t n = in->end - in->begin;
    const double h00 = weight * in->h00, h01 = weight * in->h01, h10 = weight * in->h10, h11 = weight * in->h11;
    const double *restrict p0 = in->p0, *restrict p1 = in->p1, *restrict f0 = in->f0, *restrict f1 = in->f1, *restrict g0 = in->g0,
                           *restrict g1 = in->g1;
    sum += in->begin;
    own += in->begin;
    for (int64_t i = 0; i < n; i++) {
        const double a = f0[i], b = f1[i];
        sum[i] += h00 * p0[i] + h01 * p1[i] + h10 * a + h11 * b;
        own[i] += h00 * a + h01 * b + h10 * g0[i] + h11 * g1[i];
    }
}
