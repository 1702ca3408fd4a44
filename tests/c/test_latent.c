/* Two latent classes: probabilities of rows by plain sums, derivatives by differences, probits far out, and what is refused. */
#include "check.h"
#include "em.h"

enum { TESTS = 3, ROWS = 9, NODES = 4, Q = 2 + 2 * TESTS + 2 };

static double yes[ROWS * TESTS], no[ROWS * TESTS], times[ROWS], log_weight[NODES], z[NODES], own[2 * NODES * TESTS], fixed[2 * NODES * TESTS];
static double of[2 * TESTS];
static int32_t population[ROWS];

/* all rows of three tests, and one whose second test is absent */
static ugt_two_classes make(int mixture)
{
    for (int row = 0; row < ROWS; row++) {
        population[row] = row % 2;
        times[row] = 1 + row % 4;
        for (int j = 0; j < TESTS; j++) {
            yes[row * TESTS + j] = row >> j & 1;
            no[row * TESTS + j] = row == 8 && j == 1 ? 0.0 : 1.0 - yes[row * TESTS + j];
        }
    }
    for (int q = 0; q < NODES; q++) {
        log_weight[q] = log(0.1 * (q + 1));
        z[q] = mixture ? 0.0 : q - 1.5;
    }
    for (int c = 0; c < 2; c++)
        for (int q = 0; q < NODES; q++)
            for (int j = 0; j < TESTS; j++) {
                const int at = (c * NODES + q) * TESTS + j, sure = mixture && q == 0 && j < 2;
                own[mixture && q < 2 ? (c * 2 + q) * TESTS + j : at] = !sure;
                fixed[mixture && q < 2 ? (c * 2 + q) * TESTS + j : at] = sure ? (c ? 2.0 : -2.0) : 0.0;
            }
    for (int j = 0; j < TESTS; j++) {
        of[j] = j < 2;
        of[TESTS + j] = j >= 2;
    }
    return (ugt_two_classes){yes, no, times, population, ROWS, TESTS, 2, mixture ? 2 : NODES, 2, log_weight, z, own, fixed, of, mixture, 0.1};
}

static double normal(double x)
{
    return 0.5 * erfc(-x / sqrt(2.0));
}

/* P(row and class) by its definition */
static double plain(const ugt_two_classes *m, const double *x, int row, int c)
{
    const double *a = x + 2 + c * TESTS, *extra = x + 2 + 2 * TESTS, share = 1.0 / (1.0 + exp(-extra[c]));
    double sum = 0.0;
    for (int q = 0; q < m->n_nodes; q++) {
        double product = m->mixture ? (q ? 1.0 - share : share) : exp(log_weight[q]);
        for (int j = 0; j < TESTS; j++) {
            const int at = (c * (int)m->n_nodes + q) * TESTS + j;
            const double probit = own[at] * (a[j] + z[q] * (of[j] * extra[0] + of[TESTS + j] * extra[1])) + fixed[at];
            product *= pow(normal(probit), yes[row * TESTS + j]) * pow(normal(-probit), no[row * TESTS + j]);
        }
        sum += product;
    }
    return sum / (1.0 + exp(c ? -x[population[row]] : x[population[row]]));
}

static void test_model(int mixture)
{
    const ugt_two_classes m = make(mixture);
    double x[Q], joint[ROWS * 2], scores[2 * ROWS * Q], moved[2][ROWS * 2], spare[2 * ROWS * Q], value, gradient[Q], other[2];
    double sum = 0.0, n = 0.0, slope[Q];
    for (int i = 0; i < Q; i++)
        x[i] = 0.8 * sin(1.0 + i);
    CHECK(ugt_two_classes_parameters(&m) == Q && ugt_two_classes_check(&m) == UGT_OK);
    CHECK(ugt_two_classes_joint(&m, x, joint, scores) == UGT_OK);
    CHECK(ugt_two_classes_value(&m, x, &value, gradient) == UGT_OK);
    for (int row = 0; row < ROWS; row++) {
        for (int c = 0; c < 2; c++)
            CHECK_CLOSE(joint[2 * row + c], log(plain(&m, x, row, c)), 1e-12, 1e-13);
        sum -= times[row] * log(plain(&m, x, row, 0) + plain(&m, x, row, 1));
        n += times[row];
    }
    for (int i = 2; i < Q; i++)
        sum += 0.05 * x[i] * x[i];
    CHECK_CLOSE(value, sum / n, 1e-13, 0.0);
    for (int i = 0; i < Q; i++) {
        const double at = x[i], h = 1e-5;
        for (int side = 0; side < 2; side++) {
            x[i] = side ? at - h : at + h;
            CHECK(ugt_two_classes_joint(&m, x, moved[side], spare) == UGT_OK);
            CHECK(ugt_two_classes_value(&m, x, &other[side], slope) == UGT_OK);
        }
        x[i] = at;
        CHECK_CLOSE(gradient[i], (other[0] - other[1]) / (2.0 * h), 1e-7, 1e-9);
        for (int row = 0; row < ROWS; row++)
            for (int c = 0; c < 2; c++)
                CHECK_CLOSE(scores[(c * ROWS + row) * Q + i], (moved[0][2 * row + c] - moved[1][2 * row + c]) / (2.0 * h), 1e-7, 1e-9);
    }
}

/* log Phi(x) = -x^2/2 - log(-x) - log(2 pi)/2 + log(1 - 1/x^2 + 3/x^4 - ...), on both sides of where erfc is left */
static void test_far_probits(void)
{
    ugt_two_classes m = make(0);
    m.n_extra = 0;
    double x[Q] = {0.0}, joint[ROWS * 2], scores[2 * ROWS * Q], gradient[Q], value;
    const double far[] = {-29.999, -30.001, -60.0, -1e4};
    for (int i = 0; i < 4; i++) {
        const double r = 1.0 / (far[i] * far[i]);
        x[2] = far[i]; /* the first test in class 0: row 1 calls it positive, no other */
        CHECK(ugt_two_classes_joint(&m, x, joint, scores) == UGT_OK);
        const double expected = -0.5 / r - log(-far[i]) - 0.5 * log(2.0 * acos(-1.0)) + log(1.0 - r * (1.0 - r * (3.0 - r * 15.0)));
        CHECK_CLOSE(joint[2] - joint[0], expected, 1e-10, 0.0);
        CHECK(ugt_two_classes_value(&m, x, &value, gradient) == UGT_OK && isfinite(value));
        for (int j = 0; j < Q - 2; j++)
            CHECK(isfinite(gradient[j]));
    }
    for (int side = -1; side < 2; side += 2) { /* prevalences that round to 0 and 1 */
        x[0] = x[1] = 800.0 * side;
        CHECK(ugt_two_classes_value(&m, x, &value, gradient) == UGT_OK && isfinite(value));
    }
}

static void test_refusals(void)
{
    ugt_two_classes m = make(0);
    population[3] = 2;
    CHECK(ugt_two_classes_check(&m) == UGT_ERR_RANGE);
    population[3] = -1;
    CHECK(ugt_two_classes_check(&m) == UGT_ERR_RANGE);
    m = make(1);
    m.n_nodes = 3;
    CHECK(ugt_two_classes_check(&m) == UGT_ERR_RANGE);
    m.n_nodes = 2;
    m.n_extra = 1;
    CHECK(ugt_two_classes_check(&m) == UGT_ERR_RANGE);
}

int main(void)
{
    test_model(0);
    test_model(1);
    test_far_probits();
    test_refusals();
    return RESULT;
}
