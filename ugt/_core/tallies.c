/* Sums over the weighted points of a case: numbers with their errors, and how far these can be relied on. */
#include "points.h"

#define LEAST_EFFECTIVE 400.0
#define HEAVY 0.7 /* k, above which errors of samples of any size are doubtful; and 1 - 1 / log10 of the effective size (Vehtari et al. 2024) */
#define SPREAD_OF_T 1.0741723110591493 /* standard deviation of Student's t with 15 degrees of freedom, sqrt(15 / 13) */

/* Keeps a log weight if it is among the largest ones. */
void ugt_tally_offer(ugt_tally *t, double value)
{
    double *heap = t->large;
    int at = 0;
    if (t->n_large < UGT_MOST_LARGE) {
        for (at = t->n_large++; at > 0 && heap[(at - 1) / 2] > value; at = (at - 1) / 2)
            heap[at] = heap[(at - 1) / 2];
    } else {
        if (!(value > heap[0]))
            return;
        for (int next = 1; next < UGT_MOST_LARGE; next = 2 * at + 1) {
            next += next + 1 < UGT_MOST_LARGE && heap[next + 1] < heap[next];
            if (heap[next] >= value)
                break;
            heap[at] = heap[next];
            at = next;
        }
    }
    heap[at] = value;
}

/* Makes the unit of weights larger if a block needs it. */
void ugt_tally_raise_peak(ugt_tally *t, const ugt_point_work *w)
{
    double top = -INFINITY;
    for (int i = 0; i < w->n; i++)
        top = fmax(top, w->log_weight[i]);
    if (!(top > t->peak + 200.0 || t->peak == -INFINITY))
        return;
    const double scale = exp(t->peak - top);
    for (int64_t j = 0; j < UGT_SHIFTS * (1 + 3 * t->width) && t->peak > -INFINITY; j++)
        t->sum[j] *= scale;
    t->squares *= t->peak > -INFINITY ? scale * scale : 1.0;
    t->peak = top;
}

/* Gives exchangeable classes the same sums. */
void ugt_tally_share_evenly(const ugt_point_work *w, ugt_tally *t)
{
    for (int64_t part = 0; part < 3 * UGT_SHIFTS; part++)
        ugt_share_evenly(w->image, w->m, t->sum + part / 3 * (1 + 3 * t->width) + 1 + part % 3 * t->width);
}

/* Sets out and error [3 * width]; returns the largest error of a probability or mean. */
double ugt_tally_numbers(const ugt_tally *t, double *out, double *error)
{
    const int64_t row = 1 + 3 * t->width;
    double total[1] = {0.0}, most = 0.0;
    for (int r = 0; r < UGT_SHIFTS; r++)
        total[0] += t->sum[r * row];
    const double least = t->squares / (total[0] * total[0]);
    for (int64_t j = 0; j < 3 * t->width; j++) {
        double value = 0.0, squares = 0.0;
        const int64_t mean_at = 1 + j - t->width;
        const double mean = j < 2 * t->width ? 0.0 : out[j - t->width];
        for (int r = 0; r < UGT_SHIFTS; r++)
            value += t->sum[r * row + 1 + j] / total[0];
        for (int r = 0; r < UGT_SHIFTS; r++) {
            const double *own = t->sum + r * row;
            double off = own[1 + j] - value * own[0];
            if (j >= 2 * t->width) /* of a variance, to first order */
                off -= 2.0 * mean * (own[mean_at] - mean * own[0]);
            squares += off * off;
        }
        out[j] = j < 2 * t->width ? value : fmax(value - mean * mean, 0.0);
        error[j] = fmax(SPREAD_OF_T * UGT_SHIFTS * sqrt(squares / (UGT_SHIFTS * (UGT_SHIFTS - 1.0))) / total[0], least);
        most = j < 2 * t->width ? fmax(most, error[j]) : most;
    }
    return most;
}

static int descending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Returns the mean of log(1 - b x). */
static double mean_log(double b, const double *x, int n)
{
    double sum = 0.0, product = 1.0;
    for (int i = 0; i < n; i++) {
        product *= 1.0 - b * x[i];
        if (i % 8 == 7 || i == n - 1 || product < 1e-60 || product > 1e60) {
            sum += log(product);
            product = 1.0;
        }
    }
    return sum / n;
}

/* Returns k of the generalised Pareto law of n excesses, ascending (Zhang & Stephens 2009), as Vehtari et al. (2024) regularise it. */
static double pareto_shape(const double *excess, int n)
{
    enum { MOST = 33 };
    const int m = 20 + (int)sqrt((double)n);
    const double quartile = excess[(int)(0.25 * n + 0.5) - 1], largest = excess[n - 1];
    double b[MOST], height[MOST], mean = 0.0, weights = 0.0;
    for (int j = 0; j < m; j++) {
        b[j] = 1.0 / largest + (1.0 - sqrt(m / (j + 0.5))) / (3.0 * quartile);
        const double shape = mean_log(b[j], excess, n);
        height[j] = n * (log(-b[j] / shape) - shape - 1.0);
    }
    for (int j = 0; j < m; j++) {
        double inverse = 0.0;
        for (int i = 0; i < m; i++)
            inverse += exp(height[i] - height[j]);
        if (inverse < INFINITY) {
            mean += b[j] / inverse;
            weights += 1.0 / inverse;
        }
    }
    return (mean_log(mean / weights, excess, n) * n + 5.0) / (n + 10.0);
}

/* Sets info[2 .. 4]: effective size, k, and how many points hold half of the weight; returns whether the errors can be relied on. */
int ugt_tally_diagnose(const ugt_tally *t, double *info)
{
    double total = 0.0, held = 0.0, large[UGT_MOST_LARGE], excess[UGT_MOST_LARGE];
    for (int r = 0; r < UGT_SHIFTS; r++)
        total += t->sum[r * (1 + 3 * t->width)];
    info[2] = total * total / t->squares;
    for (int i = 0; i < t->n_large; i++)
        large[i] = exp(t->large[i] - t->peak);
    qsort(large, (size_t)t->n_large, sizeof *large, descending);
    int half = 0;
    while (half < t->n_large && held < 0.5 * total)
        held += large[half++];
    info[4] = half;
    const int n = (int)fmin(fmin(0.2 * (double)t->n, 3.0 * sqrt((double)t->n)), t->n_large - 1.0);
    info[3] = NAN;
    if (n >= 5 && large[(int)(0.75 * n)] - large[n] > 1e-12 * large[n]) {
        for (int i = 0; i < n; i++)
            excess[i] = large[n - 1 - i] - large[n];
        info[3] = pareto_shape(excess, n);
    }
    return info[2] >= LEAST_EFFECTIVE && !(info[3] > fmin(1.0 - 1.0 / log10(info[2]), HEAVY));
}
