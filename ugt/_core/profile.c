/* A profile is the sorted multiset of the concentrations of a posterior. It is stored once and shared by all cases that have it.
 * This file also chooses the nodes of its integrals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

struct ugt_profiles {
    int64_t n, n_room, groups_room;
    int64_t *offsets;
    double *c;
    int64_t *count;
};

typedef struct {
    double c;
    int64_t entry; /* -1 for the background */
} member;

static int descending(const void *a, const void *b)
{
    const double x = ((const member *)a)->c, y = ((const member *)b)->c;
    return (x < y) - (x > y);
}

void ugt_profiles_free(ugt_profiles *profiles)
{
    if (profiles == NULL)
        return;
    free(profiles->offsets);
    free(profiles->c);
    free(profiles->count);
    free(profiles);
}

int64_t ugt_profiles_count(const ugt_profiles *profiles)
{
    return profiles->n;
}

const int64_t *ugt_profiles_offsets(const ugt_profiles *profiles)
{
    return profiles->offsets;
}

const double *ugt_profiles_concentrations(const ugt_profiles *profiles)
{
    return profiles->c;
}

const int64_t *ugt_profiles_counts(const ugt_profiles *profiles)
{
    return profiles->count;
}

ugt_profile ugt_profile_at(const ugt_profiles *profiles, int64_t i)
{
    const int64_t first = profiles->offsets[i];
    return (ugt_profile){profiles->offsets[i + 1] - first, profiles->c + first, profiles->count + first};
}

int64_t ugt_profile_support(const ugt_profile *profile)
{
    int64_t support = 0;
    for (int64_t g = 0; g < profile->n_groups; g++)
        support += profile->count[g];
    return support;
}

static int reserve(ugt_profiles *profiles, int64_t n_groups)
{
    if (profiles->n + 2 > profiles->n_room) {
        const int64_t room = 2 * profiles->n_room + 64;
        int64_t *offsets = realloc(profiles->offsets, (size_t)room * sizeof *offsets);
        if (offsets == NULL)
            return UGT_ERR_MEMORY;
        offsets[0] = 0;
        profiles->offsets = offsets;
        profiles->n_room = room;
    }
    const int64_t needed = (profiles->n == 0 ? 0 : profiles->offsets[profiles->n]) + n_groups;
    if (needed > profiles->groups_room) {
        const int64_t room = 2 * needed + 64;
        double *c = realloc(profiles->c, (size_t)room * sizeof *c);
        if (c == NULL)
            return UGT_ERR_MEMORY;
        profiles->c = c;
        int64_t *count = realloc(profiles->count, (size_t)room * sizeof *count);
        if (count == NULL)
            return UGT_ERR_MEMORY;
        profiles->count = count;
        profiles->groups_room = room;
    }
    return UGT_OK;
}

/* ---- the set of profiles seen so far: open addressing on profile numbers ---- */

typedef struct {
    int64_t *slots; /* number of the profile + 1; 0 if the slot is free */
    size_t n_slots; /* a power of two */
} index_set;

static uint64_t hash_profile(const ugt_profile *profile)
{
    uint64_t h = (uint64_t)profile->n_groups;
    for (int64_t g = 0; g < profile->n_groups; g++) {
        uint64_t bits;
        memcpy(&bits, &profile->c[g], sizeof bits);
        h = (h ^ bits ^ ((uint64_t)profile->count[g] << 52)) * 0x9E3779B97F4A7C15u;
        h ^= h >> 29;
    }
    return h * 0xBF58476D1CE4E5B9u;
}

static int same_profile(const ugt_profile *a, const ugt_profile *b)
{
    return a->n_groups == b->n_groups && memcmp(a->c, b->c, (size_t)a->n_groups * sizeof *a->c) == 0 &&
           memcmp(a->count, b->count, (size_t)a->n_groups * sizeof *a->count) == 0;
}

static size_t slot_of(const index_set *set, const ugt_profiles *profiles, const ugt_profile *wanted)
{
    size_t i = (size_t)(hash_profile(wanted) >> 20) & (set->n_slots - 1);
    while (set->slots[i] != 0) {
        const ugt_profile held = ugt_profile_at(profiles, set->slots[i] - 1);
        if (same_profile(&held, wanted))
            break;
        i = (i + 1) & (set->n_slots - 1);
    }
    return i;
}

static int grow_set(index_set *set, const ugt_profiles *profiles)
{
    index_set grown = {NULL, set->n_slots == 0 ? 256 : 2 * set->n_slots};
    grown.slots = calloc(grown.n_slots, sizeof *grown.slots);
    if (grown.slots == NULL)
        return UGT_ERR_MEMORY;
    for (int64_t p = 0; p < profiles->n; p++) {
        const ugt_profile held = ugt_profile_at(profiles, p);
        grown.slots[slot_of(&grown, profiles, &held)] = p + 1;
    }
    free(set->slots);
    *set = grown;
    return UGT_OK;
}

/* Keeps the profile that was just written behind the last one if it is new, and forgets it otherwise. Writes its number. */
static int intern(index_set *set, ugt_profiles *profiles, int64_t n_groups, int64_t *number)
{
    if (2 * (size_t)(profiles->n + 1) > set->n_slots) {
        const int status = grow_set(set, profiles);
        if (status != UGT_OK)
            return status;
    }
    const int64_t first = profiles->offsets[profiles->n];
    const ugt_profile candidate = {n_groups, profiles->c + first, profiles->count + first};
    const size_t slot = slot_of(set, profiles, &candidate);
    if (set->slots[slot] == 0) {
        profiles->offsets[++profiles->n] = first + n_groups;
        set->slots[slot] = profiles->n;
    }
    *number = set->slots[slot] - 1;
    return UGT_OK;
}

/* Writes sorted members as groups of equal concentration behind the last profile; returns the number of groups. */
static int64_t write_groups(ugt_profiles *profiles, const member *members, int64_t n, int64_t n_unlisted,
                            int32_t *entry_group, int32_t *background_group)
{
    double *c = profiles->c + profiles->offsets[profiles->n];
    int64_t *count = profiles->count + profiles->offsets[profiles->n], g = -1;
    for (int64_t i = 0; i < n; i++) {
        if (g < 0 || members[i].c != c[g]) {
            c[++g] = members[i].c;
            count[g] = 0;
        }
        count[g] += members[i].entry < 0 ? n_unlisted : 1;
        if (members[i].entry < 0)
            *background_group = (int32_t)g;
        else
            entry_group[members[i].entry] = (int32_t)g;
    }
    return g + 1;
}

static void widen(const double *value, int64_t n, int zeros, double range[2])
{
    int unknown = 0;
    for (int64_t j = 0; j < n; j++)
        if (zeros || value[j] != 0.0) {
            range[0] = value[j] < range[0] ? value[j] : range[0];
            range[1] = value[j] > range[1] ? value[j] : range[1];
            unknown |= isnan(value[j]) != 0;
        }
    if (unknown)
        range[0] = range[1] = NAN;
}

void ugt_concentration_range(const double *concentration, int64_t n, const double *background, int64_t n_cases, double range[2])
{
    range[0] = INFINITY, range[1] = 0.0;
    widen(concentration, n, 1, range);
    if (!isnan(range[0]))
        widen(background, n_cases, 0, range);
}

#define LEAST 1e-300 /* from LEAST to MOST, logarithms and nodes of the integrals stay in the range of doubles */
#define MOST 1e300

int ugt_profiles_new(const int64_t *offsets, const double *concentration, const double *background, int64_t n_cases,
                     int64_t n_classes, ugt_profiles **out, int64_t *case_profile, int32_t *entry_group,
                     int32_t *background_group)
{
    int status = UGT_ERR_MEMORY;
    index_set set = {NULL, 0};
    member *members = NULL;
    int64_t longest = 0;
    ugt_profiles *profiles = calloc(1, sizeof *profiles);
    if (profiles == NULL)
        goto out;
    for (int64_t i = 0; i < n_cases; i++) {
        const int64_t n = offsets[i + 1] - offsets[i];
        if (n < 0 || n > n_classes) {
            status = UGT_ERR_RANGE;
            goto out;
        }
        longest = n > longest ? n : longest;
    }
    members = malloc((size_t)(longest + 1) * sizeof *members);
    if (members == NULL || (status = reserve(profiles, 0)) != UGT_OK)
        goto out;
    for (int64_t i = 0; i < n_cases; i++) {
        const int64_t first = offsets[i], listed = offsets[i + 1] - first, n_unlisted = n_classes - listed;
        int64_t n = 0;
        for (int64_t e = 0; e < listed; e++)
            members[n++] = (member){concentration[first + e], e};
        if (background[i] > 0.0 && n_unlisted > 0)
            members[n++] = (member){background[i], -1};
        case_profile[i] = background_group[i] = -1;
        if (n == 0)
            continue;
        qsort(members, (size_t)n, sizeof *members, descending);
        if (!(members[n - 1].c >= LEAST && members[0].c <= MOST)) {
            status = UGT_ERR_VALUE;
            goto out;
        }
        if ((status = reserve(profiles, n)) != UGT_OK)
            goto out;
        const int64_t n_groups =
            write_groups(profiles, members, n, n_unlisted, entry_group + first, &background_group[i]);
        if ((status = intern(&set, profiles, n_groups, &case_profile[i])) != UGT_OK)
            goto out;
    }
    status = UGT_OK;
out:
    free(set.slots);
    free(members);
    if (status == UGT_OK) {
        *out = profiles;
    } else {
        ugt_profiles_free(profiles);
    }
    return status;
}

/* ---- range and step of the integrals ---- */

#define NEGLIGIBLE 39.2 /* -log(1e-17): the mass cut off at either end is below one unit in the last place of 1 */

/* Returns the log of n^k / k!, an upper bound of binomial(n, k). */
static double log_choose_bound(double n, double k)
{
    return k * log(n) - ugt_log_gamma(k + 1.0);
}

/* Returns the log of a point that the order-th largest variable is below with probability < 1e-17. If it is below, so are at least
 * n - order + 1 of the variables with the n largest concentrations, for any n. Each n gives a bound; the best of those tried is used. */
static double lower_end(const ugt_profile *profile, int64_t order)
{
    double best = -INFINITY;
    int64_t n = 0, next = order;
    for (int64_t g = 0; g < profile->n_groups; g++) {
        n += profile->count[g];
        if (n < next && !(n >= order && g == profile->n_groups - 1))
            continue;
        next = n + n / 4 + 1; /* n grows geometrically, so that a few dozen tries suffice for any number of groups */
        const double below = (double)(n - order + 1);
        ugt_shape shape;
        ugt_shape_set(&shape, profile->c[g]);
        const double t = (NEGLIGIBLE + log_choose_bound((double)n, (double)(order - 1))) / below;
        const double s = ugt_gamma_log_below(&shape, t);
        best = s > best ? s : best;
    }
    return best;
}

ugt_plan ugt_plan_order(const ugt_profile *profile, int64_t order)
{
    int64_t seen = 0, g = 0, support = ugt_profile_support(profile);
    while (seen + profile->count[g] < order)
        seen += profile->count[g++];
    ugt_shape shape;
    ugt_shape_set(&shape, profile->c[g]);
    /* if the order-th largest variable is above top, so is one of those with the support - order + 1 smallest concentrations */
    const double top = ugt_gamma_log_above(&shape, NEGLIGIBLE + log((double)(support - order + 1)));
    const double u0 = ugt_grid_coordinate(lower_end(profile, order)), u1 = ugt_grid_coordinate(top);
    /* the narrowest law inside the range determines the step; laws far above the range are constant within it */
    double narrow = profile->c[g];
    for (int64_t i = 0; i < g; i++) {
        const double c = profile->c[i], x = exp(top);
        if (x >= c || c * ugt_log1p_defect(x / c - 1.0) < NEGLIGIBLE) {
            narrow = c;
            break;
        }
    }
    int level = 2; /* h = 1/4 resolves every shape <= 1 (|Gamma(c + 2 pi i / h)| / Gamma(c) < 1e-16) */
    while (ldexp(1.0, -level) > 0.66 / sqrt(narrow) && level < 40)
        level++;
    return (ugt_plan){level, (int64_t)floor(ldexp(u0, level)), (int64_t)ceil(ldexp(u1, level)) + 1};
}

ugt_plan ugt_plan_halve(const ugt_plan *plan)
{
    return (ugt_plan){plan->grid + 1, 2 * plan->lo, plan->grid < UGT_PANELS ? 2 * plan->hi - 1 : 2 * plan->hi};
}
