/* How many classes of two given sets are among the k largest plausibilities: the exact joint distribution of both numbers.
 *
 * With the notation of dirichlet.c and three variables, one for each set and one for the rest, the numbers above the
 * threshold have the generating function A(x) T(y) R(z), each a product of (F + x S). The k-th largest is at the
 * threshold and belongs to one of the three. Set accuracy, overlap and certainty of order k are entries and means of this
 * distribution. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

typedef struct {
    int k;
    int64_t stride;
    const int64_t *certain, *tied; /* [n_groups] classes of each group in the first and the second set */
    int most_certain, most_tied;   /* how many of them can be among the k largest */
    double *table;
} overlap_task;

/* Multiplies n more classes of a group into p and its companion dens, in which one class of the set is exactly at the threshold;
 * e [2 * (k + 1)] is scratch. */
static void take_in(double *p, double *dens, double *e, int64_t n, const ugt_columns *column, int64_t i, int k)
{
    const double lower = column->lower[i], upper = column->upper[i], density = column->density[i];
    if (n <= k) { /* adding them one by one takes n k steps instead of k^2 */
        for (; n > 0; n--) {
            for (int a = k; a > 0; a--) {
                dens[a] = density * p[a] + lower * dens[a] + upper * dens[a - 1];
                p[a] = lower * p[a] + upper * p[a - 1];
            }
            dens[0] = density * p[0] + lower * dens[0];
            p[0] *= lower;
        }
        return;
    }
    const double q = (double)n * density;
    ugt_binomial(e, n - 1, lower, upper, k);
    double *shifted = e + k + 1;
    for (int b = 0; b <= k; b++)
        shifted[b] = lower * e[b] + (b > 0 ? upper * e[b - 1] : 0.0);
    for (int a = k; a >= 0; a--) {
        double own = 0.0, carried = 0.0;
        for (int b = 0; b <= a; b++) {
            own += p[a - b] * e[b];
            carried += dens[a - b] * shifted[b];
        }
        dens[a] = q * own + carried;
    }
    ugt_multiply(p, p, shifted, k);
}

static void overlap_at_node(const ugt_profile *profile, ugt_workspace *work, const overlap_task *task, int64_t i)
{
    const int k = task->k;
    const int64_t w = k + 1;
    double *p = work->poly, *e = p + 6 * w; /* p: three sets of (polynomial, companion) */
    memset(p, 0, (size_t)(6 * w) * sizeof *p);
    p[0] = p[2 * w] = p[4 * w] = 1.0;
    for (int64_t g = 0; g < profile->n_groups; g++) {
        const int64_t certain = task->certain[g], tied = task->tied[g];
        take_in(p, p + w, e, certain, &work->columns[g], i, k);
        take_in(p + 2 * w, p + 3 * w, e, tied, &work->columns[g], i, k);
        take_in(p + 4 * w, p + 5 * w, e, profile->count[g] - certain - tied, &work->columns[g], i, k);
    }
    /* the k-th largest is at the threshold: k - 1 above it, and itself in one of the three sets */
    for (int a = 0; a <= task->most_certain; a++) {
        for (int b = 0; b <= task->most_tied && a + b <= k; b++) {
            const int r = k - a - b;
            double sum = 0.0;
            if (a > 0)
                sum += p[w + a - 1] * p[2 * w + b] * p[4 * w + r];
            if (b > 0)
                sum += p[a] * p[3 * w + b - 1] * p[4 * w + r];
            if (r > 0)
                sum += p[a] * p[2 * w + b] * p[5 * w + r - 1];
            task->table[a * task->stride + b] += sum;
        }
    }
}

static int overlap_integral(ugt_workspace *work, const ugt_profile *profile, const ugt_plan *plan, void *task,
                            double *sum)
{
    overlap_task *t = task;
    int64_t certain = 0, tied = 0;
    for (int64_t g = 0; g < profile->n_groups; g++) {
        certain += t->certain[g];
        tied += t->tied[g];
    }
    t->most_certain = certain < t->k ? (int)certain : t->k;
    t->most_tied = tied < t->k ? (int)tied : t->k;
    for (int a = 0; a <= t->k; a++)
        memset(t->table + a * t->stride, 0, (size_t)(t->k + 1) * sizeof *t->table);
    for (int64_t i = 0; i < plan->hi - plan->lo; i++)
        overlap_at_node(profile, work, t, i);
    for (int a = 0; a <= t->k; a++)
        for (int b = 0; a + b <= t->k; b++)
            *sum += t->table[a * t->stride + b];
    return UGT_OK;
}

/* Fills the table for a support m <= k: all m classes are in, and k - m of those of plausibility 0, each choice equally likely. */
static void overlap_of_all(const overlap_task *task, int64_t n_groups, int64_t open, int64_t n_zero)
{
    int64_t in_certain = 0, in_tied = 0;
    for (int64_t g = 0; g < n_groups; g++) {
        in_certain += task->certain[g];
        in_tied += task->tied[g];
    }
    const double certain = (double)task->certain[n_groups], tied = (double)task->tied[n_groups];
    const double all = ugt_choose((double)n_zero, open);
    for (int64_t a = 0; a <= open && (double)a <= certain; a++) {
        for (int64_t b = 0; a + b <= open && (double)b <= tied; b++) {
            const double ways = ugt_choose(certain, a) * ugt_choose(tied, b) *
                                ugt_choose((double)n_zero - certain - tied, open - a - b);
            task->table[(in_certain + a) * task->stride + in_tied + b] = ways / all;
        }
    }
}

/* Counts the classes of each group (and, last, those of plausibility 0) in the two sets; role_of is all 0 before and after. */
static int place_sets(const ugt_posterior *posterior, const ugt_sets *sets, int64_t i, int64_t n_groups,
                      int8_t *role_of, int64_t *certain, int64_t *tied)
{
    int64_t left[3] = {0, 0, 0}, outside = posterior->background_group[i] < 0 ? n_groups : posterior->background_group[i];
    const int64_t listed = sets->offsets[i + 1] - sets->offsets[i];
    if (listed < 0 || listed > posterior->n_classes || sets->rest_role[i] < 0 || sets->rest_role[i] > UGT_ROLE_TIED)
        return UGT_ERR_RANGE;
    memset(certain, 0, (size_t)(n_groups + 1) * sizeof *certain);
    memset(tied, 0, (size_t)(n_groups + 1) * sizeof *tied);
    for (int64_t j = sets->offsets[i]; j < sets->offsets[i + 1]; j++) {
        if (sets->class_index[j] < 0 || sets->class_index[j] >= posterior->n_classes || sets->role[j] < 0 ||
            sets->role[j] > UGT_ROLE_TIED)
            return UGT_ERR_RANGE;
        role_of[sets->class_index[j]] = (int8_t)(sets->role[j] - sets->rest_role[i]);
        left[sets->role[j]]++;
    }
    left[sets->rest_role[i]] += posterior->n_classes - listed;
    for (int64_t e = posterior->offsets[i]; e < posterior->offsets[i + 1]; e++) {
        const int role = role_of[posterior->class_index[e]] + sets->rest_role[i];
        certain[posterior->entry_group[e]] += role == UGT_ROLE_CERTAIN;
        tied[posterior->entry_group[e]] += role == UGT_ROLE_TIED;
        left[role]--;
    }
    certain[outside] += left[UGT_ROLE_CERTAIN];
    tied[outside] += left[UGT_ROLE_TIED];
    for (int64_t j = sets->offsets[i]; j < sets->offsets[i + 1]; j++)
        role_of[sets->class_index[j]] = 0;
    return UGT_OK;
}

static int overlap_case(ugt_workspace *work, const ugt_posterior *posterior, int64_t i, overlap_task *task)
{
    const ugt_profile profile = ugt_profile_at(posterior->profiles, posterior->case_profile[i]);
    const int64_t support = ugt_profile_support(&profile);
    if (support <= task->k) {
        overlap_of_all(task, profile.n_groups, task->k - support, posterior->n_classes - support);
        return UGT_OK;
    }
    const int status = ugt_grow(&work->poly, &work->n_poly, 8 * (task->k + 1));
    return status != UGT_OK
               ? status
               : ugt_integrate(work, &profile, ugt_plan_order(&profile, task->k), overlap_integral, task);
}

/* Cases with the same profile and k whose sets hold as many classes of each group have the same distribution, which is common if
 * labels are few. The memo has the keys of the cases so far, one after the other, and a hash table of their places (open addressing,
 * at most half full). */
enum { MEMO_SLOTS = 1024, MEMO_GROUPS = 64 };
typedef struct {
    int64_t *key, n, room; /* key [room], n of them taken */
    int64_t n_cases;
    struct {
        int64_t at, row; /* where the key starts; the case, or -1 */
    } slot[MEMO_SLOTS];
} overlap_memo;

static overlap_memo *memo_new(void)
{
    overlap_memo *memo = malloc(sizeof *memo);
    if (memo != NULL) {
        *memo = (overlap_memo){.key = NULL};
        for (int s = 0; s < MEMO_SLOTS; s++)
            memo->slot[s].row = -1;
    }
    return memo;
}

static void memo_free(overlap_memo *memo)
{
    if (memo != NULL)
        free(memo->key);
    free(memo);
}

/* Sets *row to an earlier case with the same distribution, or to -1, and then keeps case i if there is room. counts [2 * (n_groups + 1)] */
static int memo_find(overlap_memo *memo, int64_t i, int64_t profile, int64_t k, const int64_t *counts, int64_t n_groups, int64_t *row)
{
    const int64_t width = 2 * (n_groups + 1) + 2;
    *row = -1;
    if (n_groups > MEMO_GROUPS || 2 * memo->n_cases >= MEMO_SLOTS)
        return UGT_OK;
    if (memo->n + width > memo->room) {
        int64_t *grown = realloc(memo->key, (size_t)(2 * memo->room + width) * sizeof *grown);
        if (grown == NULL)
            return UGT_ERR_MEMORY;
        memo->key = grown;
        memo->room = 2 * memo->room + width;
    }
    int64_t *key = memo->key + memo->n;
    key[0] = profile;
    key[1] = k;
    memcpy(key + 2, counts, (size_t)(width - 2) * sizeof *key);
    uint64_t hash = 0;
    for (int64_t j = 0; j < width; j++)
        hash = ((hash ^ (uint64_t)key[j]) * 0x9E3779B97F4A7C15u) ^ (hash >> 29);
    for (size_t s = (size_t)(hash >> 32) % MEMO_SLOTS;; s = (s + 1) % MEMO_SLOTS) {
        if (memo->slot[s].row < 0) {
            memo->slot[s].row = i;
            memo->slot[s].at = memo->n;
            memo->n += width;
            memo->n_cases++;
            return UGT_OK;
        }
        /* keys of one profile have one width, so that no comparison passes the end of a key */
        const int64_t *kept = memo->key + memo->slot[s].at;
        if (kept[0] == profile && memcmp(kept, key, (size_t)width * sizeof *key) == 0) {
            *row = memo->slot[s].row;
            return UGT_OK;
        }
    }
}

int ugt_dirichlet_overlaps(const ugt_posterior *posterior, const ugt_sets *sets, const int32_t *k, int k_max,
                           int64_t begin, int64_t end, double *table)
{
    int status = UGT_ERR_MEMORY;
    const int64_t w = (int64_t)k_max + 1;
    ugt_workspace work = {.cells = ugt_cells_new()};
    /* a case has at most as many groups as classes */
    int64_t *counts = malloc(2 * (size_t)(posterior->n_classes + 1) * sizeof *counts);
    int8_t *role_of = calloc((size_t)posterior->n_classes, sizeof *role_of);
    overlap_memo *memo = memo_new();
    if (work.cells == NULL || counts == NULL || role_of == NULL || memo == NULL)
        goto out;
    status = UGT_OK;
    for (int64_t i = begin; i < end && status == UGT_OK; i++) {
        double *out = table + i * w * w;
        if (posterior->case_profile[i] < 0) {
            for (int64_t j = 0; j < w * w; j++)
                out[j] = NAN;
            continue;
        }
        memset(out, 0, (size_t)(w * w) * sizeof *out);
        if (k[i] < 1 || k[i] > k_max || k[i] > posterior->n_classes) {
            status = UGT_ERR_RANGE;
            break;
        }
        const int64_t n_groups = ugt_profile_at(posterior->profiles, posterior->case_profile[i]).n_groups;
        overlap_task task = {.k = k[i], .stride = w, .certain = counts, .tied = counts + n_groups + 1, .table = out};
        status = place_sets(posterior, sets, i, n_groups, role_of, counts, counts + n_groups + 1);
        int64_t same = -1;
        if (status == UGT_OK)
            status = memo_find(memo, i, posterior->case_profile[i], k[i], counts, n_groups, &same);
        if (status == UGT_OK && same >= 0)
            memcpy(out, table + same * w * w, (size_t)(w * w) * sizeof *out);
        else if (status == UGT_OK)
            status = overlap_case(&work, posterior, i, &task);
        ugt_cells_trim(work.cells);
    }
out:
    memo_free(memo);
    ugt_workspace_free(&work);
    free(counts);
    free(role_of);
    return status;
}

/* Counts the k largest concentrations in each group. If several classes tie for the last place, any choice is equally certain. */
static void largest(const ugt_profile *profile, int64_t k, int64_t *certain)
{
    for (int64_t g = 0; g < profile->n_groups; g++) {
        certain[g] = profile->count[g] < k ? profile->count[g] : k;
        k -= certain[g];
    }
}

int ugt_dirichlet_certainty(const ugt_profiles *profiles, int64_t begin, int64_t end, int k, double *out)
{
    int status = UGT_OK;
    int64_t *counts = NULL, room = 0;
    const int64_t w = (int64_t)k + 1;
    double *table = malloc(ugt_bytes(w * w, sizeof *table)); /* k is an int, so that w * w is at most 2^62 */
    ugt_workspace work = {.cells = ugt_cells_new()};
    if (work.cells == NULL || table == NULL)
        status = UGT_ERR_MEMORY;
    for (int64_t p = begin; p < end && status == UGT_OK; p++) {
        const ugt_profile profile = ugt_profile_at(profiles, p);
        if (ugt_profile_support(&profile) <= k) {
            out[p] = 1.0;
            continue;
        }
        if (profile.n_groups > room) {
            free(counts);
            room = 2 * profile.n_groups;
            counts = calloc(2 * (size_t)room, sizeof *counts); /* zeros in the second half: nothing is tied */
        }
        if (counts == NULL || ugt_grow(&work.poly, &work.n_poly, 8 * w) != UGT_OK) {
            status = UGT_ERR_MEMORY;
            break;
        }
        largest(&profile, k, counts);
        overlap_task task = {.k = k, .stride = w, .certain = counts, .tied = counts + room, .table = table};
        status = ugt_integrate(&work, &profile, ugt_plan_order(&profile, k), overlap_integral, &task);
        out[p] = table[k * w];
        ugt_cells_trim(work.cells);
    }
    ugt_workspace_free(&work);
    free(counts);
    free(table);
    return status;
}
