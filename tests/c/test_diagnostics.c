/* Convergence diagnostics: ArviZ's numbers (those of tests/unit/test_diagnostics.py), other scales, and series that do not vary. */
#include "check.h"
#include "ugt.h"

enum { CHAINS = 4, DRAWS = 200, SERIES = 4, ALL = UGT_RHAT | UGT_ESS_BULK | UGT_ESS_TAIL | UGT_ESS_MEAN };

static double series[SERIES * CHAINS * DRAWS], score[2 * CHAINS * DRAWS - 1];

static const double ARVIZ[SERIES][UGT_DIAGNOSTICS] = {
    {1.0035790813748797, 444.65001929117153, 669.9164224489989, 465.302644336259, 0.013746568326745244},
    {1.1433643016089887, 23.32478587994604, 85.85895395040639, 22.686162788046328, 0.19577119591869174},
    {1.5400744379214166, 7.455209748133911, 36.644562263283056, 5.264335667936247, 0.32893158881171647},
    {1.0259951694387652, 189.0610684665458, 189.06106846654572, 189.06106846654572, 0.035231099130662746},
};

/* mixing well, mixing slowly, one chain elsewhere, binary */
static void fill_series(void)
{
    const double phi[] = {0.3, 0.95, 0.6, 0.8}, shift[] = {0.0, 0.0, 1.5, 0.0};
    uint64_t state = 1;
    for (int s = 0; s < SERIES; s++)
        for (int c = 0; c < CHAINS; c++) {
            double value = 0.0;
            for (int t = 0; t < DRAWS; t++) {
                state = state * 6364136223846793005u + 1442695040888963407u;
                value = phi[s] * value + (double)(state >> 11) * 0x1p-53 - 0.5;
                const double moved = value + (c == 3 ? shift[s] : 0.0);
                series[(s * CHAINS + c) * DRAWS + t] = s == 3 ? moved > 0.2 : moved;
            }
        }
}

/* of ranks 1, 3/2, 2, ..., n: the normal quantile of (rank - 3/8) / (n + 1/4), by Newton's method */
static void fill_scores(double *z, int64_t n)
{
    for (int64_t h = 0; h < 2 * n - 1; h++) {
        const double p = (1.0 + (double)h / 2.0 - 3.0 / 8) / ((double)n + 1.0 / 4);
        double x = 0.0;
        for (int step = 0; step < 60; step++)
            x -= fmax(-1.0, fmin(1.0, (0.5 * erfc(-x / sqrt(2.0)) - p) * sqrt(2.0 * acos(-1.0)) * exp(0.5 * x * x)));
        z[h] = x;
    }
}

static void test_arviz(void)
{
    double out[SERIES * UGT_DIAGNOSTICS], one[UGT_DIAGNOSTICS];
    CHECK(ugt_diagnostics(series, SERIES, CHAINS, DRAWS, score, ALL, out) == UGT_OK);
    for (int s = 0; s < SERIES; s++) {
        for (int j = 0; j < UGT_DIAGNOSTICS; j++)
            CHECK_CLOSE(out[s * UGT_DIAGNOSTICS + j], ARVIZ[s][j], 1e-10, 0.0);
        const int wanted[] = {UGT_RHAT, UGT_ESS_BULK, UGT_ESS_TAIL, UGT_ESS_MEAN};
        for (int j = 0; j < 4; j++) { /* one at a time */
            CHECK(ugt_diagnostics(series + s * CHAINS * DRAWS, 1, CHAINS, DRAWS, score, wanted[j], one) == UGT_OK);
            CHECK(one[j] == out[s * UGT_DIAGNOSTICS + j]);
        }
    }
}

static void test_scales(double factor)
{
    double *scaled = NEW(double, SERIES * CHAINS * DRAWS), out[SERIES * UGT_DIAGNOSTICS];
    for (int i = 0; i < SERIES * CHAINS * DRAWS; i++)
        scaled[i] = factor * series[i];
    CHECK(ugt_diagnostics(scaled, SERIES, CHAINS, DRAWS, score, ALL, out) == UGT_OK);
    for (int s = 0; s < SERIES; s++)
        for (int j = 0; j < UGT_DIAGNOSTICS; j++)
            CHECK_CLOSE(out[s * UGT_DIAGNOSTICS + j] / (j == 4 ? factor : 1.0), ARVIZ[s][j], 1e-10, 0.0);
}

static void test_nothing_varies(void)
{
    enum { SHORT = 7 }; /* odd: the middle draw is left out */
    double same[2 * 2 * SHORT], z[2 * 2 * SHORT], out[2 * UGT_DIAGNOSTICS];
    fill_scores(z, 12);
    for (int i = 0; i < 2 * 2 * SHORT; i++)
        same[i] = i < 2 * SHORT || i < 3 * SHORT ? 0.1 : 0.3; /* one number; a number for each chain */
    CHECK(ugt_diagnostics(same, 2, 2, SHORT, z, ALL, out) == UGT_OK);
    CHECK(out[0] == 1.0 && out[1] == 12.0 && out[2] == 12.0 && out[3] == 12.0 && out[4] == 0.0);
    CHECK(out[UGT_DIAGNOSTICS] == INFINITY);
    same[3] = 1e9; /* the middle one of the first chain */
    CHECK(ugt_diagnostics(same, 1, 2, SHORT, z, ALL, out) == UGT_OK && out[0] == 1.0);
}

static void test_undefined(void)
{
    double few[] = {1.0, 2.0, 3.0, INFINITY, 1.0, 2.0, 3.0, 4.0}, z[7], out[2 * UGT_DIAGNOSTICS];
    fill_scores(z, 4);
    CHECK(ugt_diagnostics(few, 2, 1, 4, z, ALL, out) == UGT_OK);
    for (int j = 0; j < UGT_DIAGNOSTICS; j++)
        CHECK(isnan(out[j]) && isfinite(out[UGT_DIAGNOSTICS + j]));
    CHECK(ugt_diagnostics(few, 2, 1, 3, NULL, ALL, out) == UGT_OK);
    for (int j = 0; j < 2 * UGT_DIAGNOSTICS; j++)
        CHECK(isnan(out[j]));
}

int main(void)
{
    fill_series();
    fill_scores(score, CHAINS * DRAWS);
    test_arviz();
    test_scales(0x1p-1000);
    test_scales(0x1p+1000);
    test_nothing_varies();
    test_undefined();
    return RESULT;
}
