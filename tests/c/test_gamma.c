/* Gamma cells against mpmath, and the tables of cells that the integrals read. */
#include "check.h"
#include "core.h"

#include "gamma_table.h"

static void test_cells(void)
{
    for (size_t i = 0; i < LENGTH(GAMMA_TABLE); i++) {
        const double *row = GAMMA_TABLE[i], c = row[0];
        ugt_shape shape;
        ugt_cell cell;
        ugt_shape_set(&shape, c);
        ugt_gamma_cell(&shape, row[1], row[2], &cell);
        /* tails of tiny shapes have an absolute error only: log Gamma(1 + c) has */
        CHECK_CLOSE(cell.lower, row[3], 1e-12, 0.0);
        CHECK_CLOSE(cell.upper, row[4], 1e-12, 2e-16);
        CHECK_CLOSE(cell.density, row[5], 1e-12, 0.0);
    }
}

/* s(u) of core.h */
static double bent(double u)
{
    return u - exp(-(u + UGT_GRID_BEND));
}

/* The weights of the nodes on an interval of u add up to its length in s; the coordinate is the inverse of s(u). */
static void test_grids(void)
{
    for (int level = 0; level <= 6; level++) {
        const double step = ldexp(1.0, -level), span = 8.0;
        const int64_t n = (int64_t)(span / step);
        double s, trapezoid = 0.0, gauss = 0.0;
        for (int64_t i = -n; i <= n; i++) {
            trapezoid += ugt_grid_point(level, i, &s) * (i == -n || i == n ? 0.5 : 1.0);
            CHECK_CLOSE(s, bent((double)i * step), 1e-14, 0.0);
            CHECK_CLOSE(ugt_grid_coordinate(s), (double)i * step, 1e-9, 1e-9);
        }
        for (int64_t i = -n * UGT_GAUSS; i < n * UGT_GAUSS; i++)
            gauss += ugt_grid_point(UGT_PANELS + level, i, &s);
        CHECK_CLOSE(trapezoid, bent(span) - bent(-span), 0.0, step * step / 12.0 * exp(span - UGT_GRID_BEND));
        CHECK_CLOSE(gauss, bent(span) - bent(-span), 1e-13, 0.0);
    }
}

/* A table grows to either side, jumps and is forgotten; its numbers stay the same bits. */
static void test_tables_of_cells(void)
{
    const int64_t ranges[][2] = {{-5, 5}, {0, 3}, {-40, -2}, {3, 60}, {2000, 2010}, {-5, 5}};
    ugt_cells *cells = ugt_cells_new(), *fresh = ugt_cells_new();
    CHECK(cells != NULL && fresh != NULL);
    for (int shape = 0; shape < 700; shape++) { /* more tables than the first 256 slots */
        const double c = 0.01 * (1 + shape);
        for (size_t r = 0; r < LENGTH(ranges); r++) {
            const int64_t lo = ranges[r][0], hi = ranges[r][1];
            ugt_columns a, b;
            CHECK(ugt_cells_get(cells, c, 2, lo, hi, &a) == UGT_OK);
            CHECK(ugt_cells_get(fresh, c, 2, lo, hi, &b) == UGT_OK);
            CHECK(memcmp(a.lower, b.lower, (size_t)(hi - lo) * sizeof(double)) == 0);
            CHECK(memcmp(a.upper, b.upper, (size_t)(hi - lo) * sizeof(double)) == 0);
            CHECK(memcmp(a.density, b.density, (size_t)(hi - lo) * sizeof(double)) == 0);
            for (int64_t i = 0; i < hi - lo; i++)
                CHECK_CLOSE(a.lower[i] + a.upper[i], 1.0, 1e-14, 0.0);
            ugt_cells_free(fresh);
            fresh = ugt_cells_new();
        }
        ugt_cells_trim(cells);
    }
    ugt_cells_free(cells);
    ugt_cells_free(fresh);
    ugt_cells_free(NULL);
}

int main(void)
{
    test_cells();
    test_grids();
    test_tables_of_cells();
    return RESULT;
}
