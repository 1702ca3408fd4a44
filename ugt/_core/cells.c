/* Tables of (P, Q, density) on grid nodes, kept per (concentration, grid) and grown on demand.
 *
 * A value depends only on the concentration, the grid and the node. So it is the same to the last bit, whatever the order of
 * requests and the number of caches. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

#include "gauss.h"

#define BUDGET ((size_t)32 << 20) /* bytes of tables above which a trim drops them; 0.2 million nodes of three columns take 5 MB */

typedef struct {
    double c;
    int grid;
    int64_t lo, hi; /* nodes held: [lo, hi) */
    double *data;   /* three columns of hi - lo */
} table;

struct ugt_cells {
    table *slots;
    size_t n_slots, n_used, bytes; /* n_slots is a power of two, at most half full */
};

double ugt_grid_point(int grid, int64_t i, double *s)
{
    double u, weight = 1.0;
    if (grid < UGT_PANELS) {
        u = ldexp((double)i, -grid);
    } else {
        const int64_t j = ((i % UGT_GAUSS) + UGT_GAUSS) % UGT_GAUSS;
        grid -= UGT_PANELS;
        weight = GAUSS_WEIGHT[j];
        u = ldexp((double)((i - j) / UGT_GAUSS) + GAUSS_NODE[j], -grid);
    }
    const double bend = exp(-(u + UGT_GRID_BEND));
    *s = u - bend;
    return ldexp(weight * (1.0 + bend), -grid);
}

double ugt_grid_coordinate(double s)
{
    /* u - exp(-(u+B)) is increasing and concave, so Newton's method converges monotonically from the left of the root. */
    double u = s > -UGT_GRID_BEND ? s : -UGT_GRID_BEND - log(1.0 - s);
    for (int i = 0; i < 50; i++) {
        const double bend = exp(-(u + UGT_GRID_BEND)), step = (u - bend - s) / (1.0 + bend);
        u -= step;
        if (fabs(step) < 1e-9)
            break;
    }
    return u;
}

ugt_cells *ugt_cells_new(void)
{
    ugt_cells *cells = calloc(1, sizeof *cells);
    if (cells == NULL)
        return NULL;
    cells->n_slots = 256;
    cells->slots = calloc(cells->n_slots, sizeof *cells->slots);
    if (cells->slots == NULL) {
        free(cells);
        return NULL;
    }
    return cells;
}

static void forget(ugt_cells *cells)
{
    for (size_t i = 0; i < cells->n_slots; i++)
        free(cells->slots[i].data);
    memset(cells->slots, 0, cells->n_slots * sizeof *cells->slots);
    cells->n_used = 0;
    cells->bytes = 0;
}

void ugt_cells_free(ugt_cells *cells)
{
    if (cells == NULL)
        return;
    forget(cells);
    free(cells->slots);
    free(cells);
}

void ugt_cells_trim(ugt_cells *cells)
{
    if (cells->bytes > BUDGET)
        forget(cells);
}

static table *find(table *slots, size_t n_slots, double c, int grid)
{
    uint64_t key;
    memcpy(&key, &c, sizeof key);
    key = (key ^ (uint64_t)(grid + 64)) * 0x9E3779B97F4A7C15u;
    size_t i = (size_t)(key >> 32) & (n_slots - 1);
    while (slots[i].data != NULL && !(slots[i].c == c && slots[i].grid == grid))
        i = (i + 1) & (n_slots - 1);
    return &slots[i];
}

static int make_room(ugt_cells *cells)
{
    if (2 * (cells->n_used + 1) <= cells->n_slots)
        return UGT_OK;
    const size_t n_slots = 2 * cells->n_slots;
    table *slots = calloc(n_slots, sizeof *slots);
    if (slots == NULL)
        return UGT_ERR_MEMORY;
    for (size_t i = 0; i < cells->n_slots; i++)
        if (cells->slots[i].data != NULL)
            *find(slots, n_slots, cells->slots[i].c, cells->slots[i].grid) = cells->slots[i];
    free(cells->slots);
    cells->slots = slots;
    cells->n_slots = n_slots;
    return UGT_OK;
}

/* Returns data for nodes [lo, hi), which must include those of `old`; NULL if memory runs out. */
static double *filled(const table *old, double c, int grid, int64_t lo, int64_t hi)
{
    const int64_t n = hi - lo, n_old = old->data == NULL ? 0 : old->hi - old->lo;
    double *data = malloc((size_t)n * 3 * sizeof *data);
    if (data == NULL)
        return NULL;
    for (int column = 0; column < 3 && n_old > 0; column++)
        memcpy(data + column * n + (old->lo - lo), old->data + column * n_old, (size_t)n_old * sizeof *data);
    ugt_shape shape;
    ugt_shape_set(&shape, c);
    for (int64_t i = 0; i < n; i++) {
        if (n_old > 0 && lo + i >= old->lo && lo + i < old->hi)
            continue;
        double s;
        ugt_cell cell;
        const double weight = ugt_grid_point(grid, lo + i, &s);
        ugt_gamma_cell(&shape, s, exp(s), &cell);
        data[i] = cell.lower;
        data[n + i] = cell.upper;
        data[2 * n + i] = cell.density * weight;
    }
    return data;
}

int ugt_cells_get(ugt_cells *cells, double c, int grid, int64_t lo, int64_t hi, ugt_columns *out)
{
    int status = make_room(cells);
    if (status != UGT_OK)
        return status;
    table *held = find(cells->slots, cells->n_slots, c, grid);
    if (held->data == NULL || lo < held->lo || hi > held->hi) {
        table grown = {c, grid, lo, hi, NULL};
        if (held->data != NULL && (lo > held->hi || hi < held->lo)) { /* the ranges do not meet, and their union could be huge */
            cells->bytes -= (size_t)(held->hi - held->lo) * 3 * sizeof(double);
            held->lo = held->hi = lo;
        } else if (held->data != NULL) {
            grown.lo = lo < held->lo ? lo : held->lo;
            grown.hi = hi > held->hi ? hi : held->hi;
        }
        grown.data = filled(held, c, grid, grown.lo, grown.hi);
        if (grown.data == NULL)
            return UGT_ERR_MEMORY;
        cells->n_used += held->data == NULL;
        cells->bytes += (size_t)(grown.hi - grown.lo - (held->data == NULL ? 0 : held->hi - held->lo)) * 3 * sizeof(double);
        free(held->data);
        *held = grown;
    }
    const int64_t n = held->hi - held->lo;
    out->lower = held->data + (lo - held->lo);
    out->upper = out->lower + n;
    out->density = out->upper + n;
    return UGT_OK;
}
