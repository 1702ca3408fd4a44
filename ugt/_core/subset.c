/* Computes the probability of one small block of tied classes under Plackett-Luce, by the subset recursion of [A] B.4.1.
 *
 * Arrival times are Exp(lambda_a); the total rate of the later classes is Z. For every subset S of the block, indexed by its
 * bit mask, p(S) is the probability that all of S arrive before the later classes, and
 *
 *   p(S) = Q(S) prod_{a in S} lambda_a / (Z + lambda_a),   Q(S) = sum_{a in S} (Z + lambda_a) Q(S\a) / (Z + lambda(S)),
 *   D(S) = 1 - p(S),                                       D(S) = (Z + sum_{a in S} lambda_a D(S\a)) / (Z + lambda(S)).
 *
 * As 1 <= Q <= |S|!, Q neither overflows nor underflows, and D keeps its digits if p is near 1. (The recursion as printed, in
 * p / prod lambda, gives NaN for rates of 1e29 and 14 classes.) */
#include <math.h>

#include "core.h"

/* with_missed is a constant at each call, so that the compiler leaves out D if it is not needed. */
static inline void fill(const double *lambda, int n, double z, int with_missed, ugt_lattice *lattice)
{
    double *q = lattice->q, *d = lattice->d, *total = lattice->total, rate[UGT_SMALL_BLOCK];
    for (int a = 0; a < n; a++)
        rate[a] = z + lambda[a];
    q[0] = 1.0;
    d[0] = 0.0;
    total[0] = z;
    for (int a = 0; a < n; a++) { /* fills the sets whose last class is a */
        const unsigned first = 1u << a;
        q[first] = 1.0;
        total[first] = rate[a];
        if (with_missed)
            d[first] = z / rate[a];
        for (unsigned s = first + 1; s < 2 * first; s++) {
            double ways = rate[a] * q[s - first], missed = z + lambda[a] * d[s - first];
            for (unsigned rest = s - first, b = 0; rest != 0; b++, rest >>= 1) {
                if (!(rest & 1u))
                    continue;
                ways += rate[b] * q[s & ~(1u << b)];
                if (with_missed)
                    missed += lambda[b] * d[s & ~(1u << b)];
            }
            total[s] = total[s - first] + lambda[a];
            q[s] = ways / total[s];
            if (with_missed)
                d[s] = missed / total[s];
        }
    }
}

void ugt_subset_ways(const double *lambda, int n, double z, ugt_lattice *lattice)
{
    fill(lambda, n, z, 0, lattice);
}

double ugt_subset_log_probability(const double *lambda, int n, double z, ugt_lattice *lattice)
{
    const double *q = lattice->q, *d = lattice->d;
    fill(lambda, n, z, 1, lattice);
    const unsigned all = (1u << n) - 1u;
    if (d[all] < 0.5)
        return log1p(-d[all]);
    double log_p = log(q[all]);
    for (int a = 0; a < n; a++) {
        const double odds = z / lambda[a];
        log_p -= isinf(odds) ? ugt_log_tiny(z) - ugt_log_tiny(lambda[a]) : log1p(odds); /* odds overflow for subnormal rates */
    }
    return log_p;
}

void ugt_subset_share(const double *lambda, int n, double z, ugt_lattice *lattice, double *share)
{
    /* the loop walks the lattice down: reach[S] = P(S remains at some time); E tau_a = sum over S with a of reach / rate */
    double *reach = lattice->d;
    const unsigned all = (1u << n) - 1u;
    for (unsigned s = 0; s < all; s++)
        reach[s] = 0.0;
    reach[all] = 1.0;
    for (int a = 0; a < n; a++)
        share[a] = 1.0;
    for (unsigned s = all; s > 0; s--) {
        const double wait = reach[s] / lattice->total[s], step = wait / lattice->q[s];
        for (int a = 0; a < n; a++) {
            if (!(s >> a & 1u))
                continue;
            const unsigned without = s & ~(1u << a);
            reach[without] += step * (z + lambda[a]) * lattice->q[without];
            share[a] -= lambda[a] * wait;
        }
    }
}
