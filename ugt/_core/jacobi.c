/* Gauss-Jacobi quadrature for a Beta law (Golub & Welsch 1969): nodes are the eigenvalues of the matrix of the three-term recurrence,
 * weights the squares of the first components of its eigenvectors. */
#include "chains.h"

#include <math.h>

/* Fills the diagonal and the elements beside it, for b in (0, 1). */
static void recurrence(double p, double q, int n, double *diagonal, double *beside)
{
    const double alpha = q - 1.0, beta = p - 1.0, sum = alpha + beta;
    diagonal[0] = p / (p + q);
    for (int k = 1; k < n; k++) {
        const double twice = 2.0 * k + sum;
        diagonal[k] = 0.5 + 0.5 * (beta - alpha) * (beta + alpha) / (twice * (twice + 2.0));
        /* for k = 1 a factor k + alpha + beta cancels against twice - 1, and both may be 0 */
        const double ratio = k == 1 ? 1.0 : (k + sum) / (twice - 1.0);
        beside[k - 1] = sqrt(k * (k + alpha) * (k + beta) * ratio / (twice + 1.0)) / twice;
    }
    beside[n - 1] = 0.0;
}

/* Diagonalises by implicit QL steps; first [n] becomes the first components of the eigenvectors. Returns whether it converged. */
static int diagonalise(int n, double *diagonal, double *beside, double *first)
{
    for (int l = 0; l < n; l++) {
        for (int sweep = 0;; sweep++) {
            int m = l;
            for (; m < n - 1; m++)
                if (fabs(beside[m]) <= 1e-17 * (fabs(diagonal[m]) + fabs(diagonal[m + 1])))
                    break;
            if (m == l)
                break;
            if (sweep == 60)
                return 0;
            const double half = (diagonal[l + 1] - diagonal[l]) / (2.0 * beside[l]), root = sqrt(half * half + 1.0);
            double g = diagonal[m] - diagonal[l] + beside[l] / (half + copysign(root, half)), s = 1.0, c = 1.0, shift = 0.0;
            int i = m - 1;
            for (; i >= l; i--) {
                const double f = s * beside[i], b = c * beside[i], r = sqrt(f * f + g * g);
                beside[i + 1] = r;
                if (r == 0.0) {
                    diagonal[i + 1] -= shift;
                    beside[m] = 0.0;
                    break;
                }
                s = f / r;
                c = g / r;
                g = diagonal[i + 1] - shift;
                const double t = (diagonal[i] - g) * s + 2.0 * c * b;
                shift = s * t;
                diagonal[i + 1] = g + shift;
                g = c * t - b;
                const double above = first[i + 1];
                first[i + 1] = s * first[i] + c * above;
                first[i] = c * first[i] - s * above;
            }
            if (i >= l)
                continue;
            diagonal[l] -= shift;
            beside[l] = g;
            beside[m] = 0.0;
        }
    }
    return 1;
}

int ugt_gauss_jacobi(double p, double q, int n, double *node, double *rest, double *weight, double *scratch)
{
    recurrence(p, q, n, node, scratch);
    for (int i = 0; i < n; i++)
        weight[i] = i == 0;
    if (!diagonalise(n, node, scratch, weight))
        return 0;
    for (int i = 0; i < n; i++) {
        node[i] = fmin(fmax(node[i], 1e-300), 1.0);
        rest[i] = fmax(1.0 - node[i], 1e-17);
        weight[i] *= weight[i];
    }
    return 1;
}
