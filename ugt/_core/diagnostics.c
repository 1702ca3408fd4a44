/* Convergence of Markov chains: rank-normalised split R-hat and effective sample sizes (Vehtari, Gelman, Simpson,
 * Carpenter & Buerkner 2021, Bayesian Analysis 16(2), 667-718).
 *
 * The paper's N and M, after splitting, are `length` and `halves` here; W is `within`, B/N is `between`.
 * Half-chains are interleaved: draw i of half-chain j is at i * halves + j. So the autocovariance at lag t, summed over
 * all half-chains, is one dot product of the array with itself shifted by t rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

typedef struct {
    double value;
    int64_t slot;
} keyed;

typedef struct {
    int64_t length, halves, n; /* n = length * halves draws; even, because every chain gives two half-chains */
    int exponent;              /* value = series * 2^-exponent */
    double *value;             /* [n] the series */
    double *judged;            /* [n] normal scores of the series, or an indicator */
    double *centred;           /* [n] values less the mean of their half-chain */
    double *mean;              /* [halves] */
    double within, between;    /* W and B/N of the values that were centred last */
    keyed *sorted, *spare;     /* [n] */
} room;

/* Outside of these limits a product of two deviations could overflow or underflow, so the series is scaled by a power of two. */
#define LARGE 0x1p+300
#define SMALL 0x1p-300

/* Loads the halves of each chain, without the middle draw of an odd number. Returns 0 if a draw is not finite. */
static int load(room *r, const double *series, int64_t n_draws)
{
    const int64_t n_chains = r->halves / 2;
    double largest = 0.0;
    for (int64_t i = 0; i < n_chains * n_draws; i++) {
        if (!isfinite(series[i]))
            return 0;
        largest = fmax(largest, fabs(series[i]));
    }
    for (int64_t j = 0; j < r->halves; j++) {
        const double *from = series + (j / 2) * n_draws + (j % 2) * (n_draws - r->length);
        for (int64_t i = 0; i < r->length; i++)
            r->value[i * r->halves + j] = from[i];
    }
    r->exponent = 0;
    if (largest > LARGE || (largest < SMALL && largest > 0.0)) {
        frexp(largest, &r->exponent);
        for (int64_t i = 0; i < r->n; i++)
            r->value[i] = ldexp(r->value[i], -r->exponent);
    }
    return 1;
}

/* ---- ranks ---- */

#define RUN 8 /* values that are sorted by insertion before merging starts; affects the speed only */

static void sort_runs(keyed *a, int64_t n)
{
    for (int64_t begin = 0; begin < n; begin += RUN) {
        const int64_t end = begin + RUN < n ? begin + RUN : n;
        for (int64_t i = begin + 1; i < end; i++) {
            const keyed item = a[i];
            int64_t at = i;
            for (; at > begin && item.value < a[at - 1].value; at--)
                a[at] = a[at - 1];
            a[at] = item;
        }
    }
}

static void merge(const keyed *left, int64_t n_left, const keyed *right, int64_t n_right, keyed *out)
{
    const keyed *left_end = left + n_left, *right_end = right + n_right;
    while (left < left_end && right < right_end) { /* the loop avoids an unpredictable branch, which would be slow */
        const int second = right->value < left->value;
        const keyed *least[2] = {left, right};
        *out++ = *least[second];
        right += second;
        left += !second;
    }
    memcpy(out, left, (size_t)(left_end - left) * sizeof *out);
    memcpy(out + (left_end - left), right, (size_t)(right_end - right) * sizeof *out);
}

/* Sorts the values into r->sorted, in ascending order, each with its position. */
static void sort_values(room *r)
{
    const int64_t n = r->n;
    for (int64_t i = 0; i < n; i++)
        r->sorted[i] = (keyed){r->value[i], i};
    sort_runs(r->sorted, n);
    for (int64_t run = RUN; run < n; run *= 2) {
        for (int64_t begin = 0; begin < n; begin += 2 * run) {
            const int64_t middle = begin + run < n ? begin + run : n, end = middle + run < n ? middle + run : n;
            merge(r->sorted + begin, middle - begin, r->sorted + middle, end - middle, r->spare + begin);
        }
        keyed *swap = r->sorted;
        r->sorted = r->spare;
        r->spare = swap;
    }
}

/* Sorts the draws by |value - median| into r->spare by merging the halves of r->sorted outwards from the middle, which needs no second
   sort. The distances are from the nearer of the two middle draws, whose mean is the median: all are less by the same amount, and the
   middle draws tie, however that mean is rounded. */
static void sort_folded(room *r)
{
    const keyed *v = r->sorted;
    const double low = v[r->n / 2 - 1].value, high = v[r->n / 2].value;
    int64_t below = r->n / 2 - 1, above = r->n / 2;
    for (int64_t i = 0; i < r->n; i++) {
        const double down = below >= 0 ? low - v[below].value : INFINITY;
        const double up = above < r->n ? v[above].value - high : INFINITY;
        r->spare[i] = down <= up ? (keyed){down, v[below].slot} : (keyed){up, v[above].slot};
        below -= down <= up;
        above += !(down <= up);
    }
}

/* Writes normal scores to r->judged. Tied values get the score of their average rank: for ranks i+1..j, (i+j+1)/2, at index i+j-1. */
static void normal_scores(room *r, const keyed *sorted, const double *score)
{
    for (int64_t i = 0, j; i < r->n; i = j) {
        for (j = i + 1; j < r->n && sorted[j].value == sorted[i].value; j++)
            ;
        for (int64_t k = i; k < j; k++)
            r->judged[sorted[k].slot] = score[i + j - 1];
    }
}

/* ---- moments ---- */

static double dot(const double *a, const double *b, int64_t n)
{
    double sum[8] = {0.0}; /* eight independent sums fix an order of additions that vector units can follow */
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < 8; k++)
            sum[k] += a[i + k] * b[i + k];
    for (; i < n; i++)
        sum[i % 8] += a[i] * b[i];
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

/* Fills r->centred and computes its W and B/N. Both are exactly 0 if nothing varies, because the mean of a constant
 * half-chain is set to its value, and means are averaged as differences from the first of them. */
static void centre(room *r, const double *x)
{
    const int64_t m = r->halves;
    double *restrict mean = r->mean;
    memset(mean, 0, (size_t)m * sizeof *mean);
    for (int64_t i = 0; i < r->length; i++)
        for (int64_t j = 0; j < m; j++)
            mean[j] += x[i * m + j];
    double excess = 0.0, squares = 0.0;
    for (int64_t j = 0; j < m; j++) {
        int64_t same = 1;
        while (same < r->length && x[same * m + j] == x[j])
            same++;
        mean[j] = same == r->length ? x[j] : mean[j] / (double)r->length;
        excess += mean[j] - mean[0];
    }
    const double grand = mean[0] + excess / (double)m;
    for (int64_t j = 0; j < m; j++)
        squares += (mean[j] - grand) * (mean[j] - grand);
    for (int64_t i = 0; i < r->length; i++)
        for (int64_t j = 0; j < m; j++)
            r->centred[i * m + j] = x[i * m + j] - mean[j];
    r->between = squares / (double)(m - 1);
    r->within = dot(r->centred, r->centred, r->n) / (double)(m * (r->length - 1));
}

/* Returns R-hat of the centred values: 1 if all are equal, infinite if they vary between half-chains only. */
static double potential_scale_reduction(const room *r)
{
    const double length = (double)r->length;
    if (r->within == 0.0)
        return r->between > 0.0 ? INFINITY : 1.0;
    return sqrt((length - 1.0) / length + r->between / r->within);
}

/* Returns the effective sample size of the mean of the centred values (section 3.2) by Geyer's initial monotone sequence.
 * Pairs of neighbouring lags are summed while they are positive, each capped at the one before it. From the pair that ends
 * the sum, the even lag, if positive, counts once (Stan's improvement for antithetic chains). If no pair is negative, the
 * paper leaves the end open: as in `posterior`, the authors' own implementation, the first pair from lag N - 5 on ends
 * the sum, but the pair of lags 0 and 1 always counts. Lags are computed only when needed. If nothing varies, all n draws
 * count. */
static double effective_sample_size(const room *r)
{
    const double n = (double)r->n, length = (double)r->length;
    const double variance = r->within * (length - 1.0) / length + r->between; /* var+ */
    if (variance == 0.0)
        return n;
    double sum = 0.0, pair = INFINITY, beyond = 0.0;
    for (int64_t t = 0; t + 1 < r->length; t += 2) {
        double rho[2];
        for (int64_t k = 0; k < 2; k++) {
            const int64_t shift = (t + k) * r->halves;
            const double covariance = dot(r->centred, r->centred + shift, r->n - shift) / n;
            rho[k] = t + k == 0 ? 1.0 : 1.0 - (r->within - covariance) / variance;
        }
        const double both = rho[0] + rho[1];
        if (!(both > 0.0) || (t > 0 && t >= r->length - 5)) {
            beyond = both >= 0.0 ? rho[0] : fmax(rho[0], 0.0);
            break;
        }
        pair = fmin(pair, both);
        sum += pair;
    }
    return n / fmax(2.0 * sum - 1.0 + beyond, 1.0 / log10(n)); /* Stan's cap: at most n log10 n */
}

/* ---- one series ---- */

/* Returns the effective sample size of the indicator that a draw is at most the quantile, between order statistics `at` and `at` + 1. */
static double quantile_sample_size(room *r, int64_t at)
{
    const double limit = r->sorted[at].value;
    for (int64_t i = 0; i < r->n; i++)
        r->judged[i] = r->value[i] <= limit ? 1.0 : 0.0;
    centre(r, r->judged);
    return effective_sample_size(r);
}

static void diagnose(room *r, const double *score, int wanted, double *out)
{
    if (wanted & (UGT_RHAT | UGT_ESS_BULK | UGT_ESS_TAIL))
        sort_values(r);
    if (wanted & (UGT_RHAT | UGT_ESS_BULK)) {
        normal_scores(r, r->sorted, score);
        centre(r, r->judged);
        out[0] = potential_scale_reduction(r);
        if (wanted & UGT_ESS_BULK)
            out[1] = effective_sample_size(r);
    }
    if (wanted & UGT_RHAT) {
        sort_folded(r);
        normal_scores(r, r->spare, score);
        centre(r, r->judged);
        out[0] = fmax(out[0], potential_scale_reduction(r));
    }
    if (wanted & UGT_ESS_TAIL)
        out[2] = fmin(quantile_sample_size(r, (r->n - 1) / 20), quantile_sample_size(r, (r->n - 1) * 19 / 20));
    if (wanted & UGT_ESS_MEAN) {
        centre(r, r->value);
        out[3] = effective_sample_size(r);
        const double squares = r->within * (double)(r->n - r->halves) + r->between * (double)(r->n - r->length);
        out[4] = ldexp(sqrt(squares / (double)(r->n - 1) / out[3]), r->exponent);
    }
}

int ugt_diagnostics(const double *series, int64_t n_series, int64_t n_chains, int64_t n_draws, const double *score,
                    int wanted, double *out)
{
    int status = UGT_ERR_MEMORY;
    room r = {.length = n_draws / 2, .halves = 2 * n_chains, .n = n_draws / 2 * (2 * n_chains)};
    const size_t n = (size_t)r.n;
    for (int64_t i = 0; i < n_series * UGT_DIAGNOSTICS; i++)
        out[i] = NAN;
    if (n_draws < 4)
        return UGT_OK;
    r.value = malloc(n * sizeof *r.value);
    r.judged = malloc(n * sizeof *r.judged);
    r.centred = malloc(n * sizeof *r.centred);
    r.mean = malloc((size_t)r.halves * sizeof *r.mean);
    r.sorted = malloc(n * sizeof *r.sorted);
    r.spare = malloc(n * sizeof *r.spare);
    if (!r.value || !r.judged || !r.centred || !r.mean || !r.sorted || !r.spare)
        goto out;
    status = UGT_OK;
    for (int64_t i = 0; i < n_series; i++)
        if (load(&r, series + i * n_chains * n_draws, n_draws))
            diagnose(&r, score, wanted, out + i * UGT_DIAGNOSTICS);
out:
    free(r.value);
    free(r.judged);
    free(r.centred);
    free(r.mean);
    free(r.sorted);
    free(r.spare);
    return status;
}
