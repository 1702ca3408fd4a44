/* The likelihood of a case under Plackett-Luce as a sum of products of powers.
 *
 * A stage of one class j, for which the classes R compete, has probability lambda_j / S(R). A tied stage is the sum over the orders
 * of its classes of such chains. If it counts a whole number of times, its power is again a sum of chains, with multinomial coefficients;
 * chains with equal exponents are joined. All terms are positive. A tied stage that counts another number of times has no such sum. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chains.h"

#define WHOLE 1e-9       /* a number of copies this close to a whole number counts as whole */
#define MOST_SETS 2048   /* distinct sets of classes of a case */
#define MOST_TIED 8      /* classes of a tied stage; 8! orders are more terms than are ever integrated */
#define MOST_COPIES 60000.0 /* the exponents of tied stages are words of 16 bits */

void ugt_chains_free(ugt_chains *chains)
{
    free(chains->set);
    free(chains->base);
    free(chains->copies);
    free(chains->coefficient);
    memset(chains, 0, sizeof *chains);
}

/* Returns the number of a set, which is added if it is new; -1: out of memory, -2: too many sets. */
static int64_t number_of(ugt_chains *chains, uint64_t set)
{
    for (int64_t s = 0; s < chains->n_sets; s++)
        if (chains->set[s] == set)
            return s;
    if (chains->n_sets == MOST_SETS)
        return -2;
    if (ugt_make_room(&chains->set, &chains->set_room, chains->n_sets + 1, sizeof *chains->set) != UGT_OK ||
        ugt_make_room(&chains->base, &chains->base_room, chains->n_sets + 1, sizeof *chains->base) != UGT_OK)
        return -1;
    chains->set[chains->n_sets] = set;
    chains->base[chains->n_sets] = 0.0;
    return chains->n_sets++;
}

static uint64_t gone_before(const ugt_stages *stages, const ugt_stage *stage, int64_t m)
{
    uint64_t set = m == 64 ? ~(uint64_t)0 : ((uint64_t)1 << m) - 1;
    for (int64_t j = 0; j < (int64_t)stage->size + stage->n_later; j++)
        set &= ~((uint64_t)1 << stages->member[stage->at + j]);
    return set;
}

/* Terms during the expansion: a table of exponents with a hash index. */
typedef struct {
    int64_t n, width, most, n_slots;
    double *coefficient;
    uint16_t *copies;
    int64_t *slot; /* number of a term + 1; 0: free */
} terms;

static void terms_free(terms *t)
{
    free(t->coefficient);
    free(t->copies);
    free(t->slot);
}

static int terms_new(terms *t, int64_t most, int64_t width)
{
    memset(t, 0, sizeof *t);
    t->most = most;
    t->width = width;
    t->n_slots = 64;
    while (t->n_slots < 2 * most)
        t->n_slots *= 2;
    t->coefficient = malloc(ugt_bytes(most, sizeof *t->coefficient));
    t->copies = malloc(ugt_bytes((most + 1) * (width + 1), sizeof *t->copies)); /* the last row is the candidate */
    t->slot = malloc(ugt_bytes(t->n_slots, sizeof *t->slot));
    if (t->coefficient == NULL || t->copies == NULL || t->slot == NULL)
        return UGT_ERR_MEMORY;
    return UGT_OK;
}

static void terms_clear(terms *t)
{
    t->n = 0;
    memset(t->slot, 0, (size_t)t->n_slots * sizeof *t->slot);
}

/* Adds the candidate in the row after the last; returns whether there was room. */
static int terms_add(terms *t, double coefficient)
{
    const uint16_t *fresh = t->copies + t->n * t->width;
    uint64_t h = 1469598103934665603u;
    for (int64_t s = 0; s < t->width; s++)
        h = (h ^ fresh[s]) * 1099511628211u;
    h ^= h >> 29;
    int64_t at = (int64_t)(h & (uint64_t)(t->n_slots - 1));
    for (; t->slot[at] != 0; at = (at + 1) & (t->n_slots - 1)) {
        if (memcmp(t->copies + (t->slot[at] - 1) * t->width, fresh, (size_t)t->width * sizeof *fresh) == 0) {
            t->coefficient[t->slot[at] - 1] += coefficient;
            return 1;
        }
    }
    if (t->n == t->most)
        return 0;
    t->coefficient[t->n++] = coefficient;
    t->slot[at] = t->n;
    return 1;
}

/* Adds to `to` the term `from` times each order of a tied stage: path[left] is the number of the set once the classes of `left` are gone. */
static int add_orders(const terms *from, int64_t term, const int64_t *number, unsigned all, unsigned gone, int64_t *path, int n, terms *to)
{
    if (gone == all) {
        uint16_t *fresh = to->copies + to->n * to->width;
        memcpy(fresh, from->copies + term * from->width, (size_t)to->width * sizeof *fresh);
        for (int j = 0; j < n - 1; j++)
            fresh[path[j]]++;
        return terms_add(to, from->coefficient[term]);
    }
    for (unsigned a = 1; a <= all; a <<= 1) {
        if (gone & a)
            continue;
        path[n] = number[gone | a];
        if (!add_orders(from, term, number, all, gone | a, path, n + 1, to))
            return 0;
    }
    return 1;
}

/* Multiplies the terms by a tied stage that counts `times` times; returns whether there was room. */
static int multiply(terms *now, terms *next, const int64_t *number, int size, int64_t times)
{
    int64_t path[MOST_TIED + 1];
    for (int64_t copy = 0; copy < times; copy++) {
        terms_clear(next);
        for (int64_t t = 0; t < now->n; t++)
            if (!add_orders(now, t, number, (1u << size) - 1u, 0, path, 0, next))
                return 0;
        const terms swapped = *now;
        *now = *next;
        *next = swapped;
    }
    return 1;
}

/* Numbers the sets that are gone within a tied stage; returns UGT_ERR_SIZE if there are too many. */
static int number_subsets(const ugt_stages *stages, const ugt_stage *stage, uint64_t before, ugt_chains *chains, int64_t *number)
{
    for (unsigned part = 1; part < (1u << stage->size) - 1u; part++) {
        uint64_t set = before;
        for (int a = 0; a < stage->size; a++)
            if (part >> a & 1u)
                set |= (uint64_t)1 << stages->member[stage->at + a];
        number[part] = number_of(chains, set);
        if (number[part] < 0)
            return number[part] == -1 ? UGT_ERR_MEMORY : UGT_ERR_SIZE;
    }
    number[(1u << stage->size) - 1u] = 0; /* the last class of an order is the end of its path */
    return UGT_OK;
}

/* Adds the exponents of the sets before each stage, and the wins. UGT_ERR_SIZE: the case has no such sum, or too large a one. */
static int add_stages(const ugt_stages *stages, int64_t i, int64_t m, double reliability, ugt_chains *chains, double *wins, int *any_tied)
{
    int64_t number[1 << MOST_TIED];
    for (int64_t at = stages->stage_offsets[i]; at < stages->stage_offsets[i + 1]; at++) {
        const ugt_stage *stage = &stages->stage[at];
        const double copies = reliability * stage->count;
        const uint64_t before = gone_before(stages, stage, m);
        const int64_t own = number_of(chains, before);
        if (own < 0)
            return own == -1 ? UGT_ERR_MEMORY : UGT_ERR_SIZE;
        chains->base[own] += copies;
        for (int32_t a = 0; a < stage->size; a++)
            wins[stages->member[stage->at + a]] += copies;
        if (stage->size == 1)
            continue;
        *any_tied = 1;
        if (stage->size > MOST_TIED || copies > MOST_COPIES || fabs(copies - floor(copies + 0.5)) > WHOLE * copies)
            return UGT_ERR_SIZE;
        const int status = number_subsets(stages, stage, before, chains, number);
        if (status != UGT_OK)
            return status;
    }
    return UGT_OK;
}

static int expand(const ugt_stages *stages, int64_t i, int64_t m, double reliability, int64_t most, ugt_chains *chains)
{
    int64_t number[1 << MOST_TIED];
    terms now, next = {0};
    int status = terms_new(&now, most, chains->n_sets);
    if (status == UGT_OK)
        status = terms_new(&next, most, chains->n_sets);
    if (status != UGT_OK)
        goto out;
    terms_clear(&now);
    memset(now.copies, 0, (size_t)chains->n_sets * sizeof *now.copies);
    terms_add(&now, 1.0);
    for (int64_t at = stages->stage_offsets[i]; at < stages->stage_offsets[i + 1] && status == UGT_OK; at++) {
        const ugt_stage *stage = &stages->stage[at];
        if (stage->size == 1)
            continue;
        status = number_subsets(stages, stage, gone_before(stages, stage, m), chains, number);
        if (status == UGT_OK && !multiply(&now, &next, number, stage->size, (int64_t)floor(reliability * stage->count + 0.5)))
            status = UGT_ERR_SIZE;
    }
    if (status == UGT_OK) {
        free(chains->copies);
        free(chains->coefficient);
        chains->copies = now.copies;
        chains->coefficient = now.coefficient;
        chains->n_terms = now.n;
        now.copies = NULL;
        now.coefficient = NULL;
    }
out:
    terms_free(&now);
    terms_free(&next);
    return status;
}

int ugt_chains_of_case(const ugt_stages *stages, int64_t i, double reliability, int64_t most_terms, ugt_chains *chains, double *wins)
{
    const int64_t m = stages->class_offsets[i + 1] - stages->class_offsets[i];
    int any_tied = 0;
    chains->n_sets = chains->n_terms = 0;
    if (m > UGT_MOST_MENTIONED)
        return UGT_OK;
    memset(wins, 0, (size_t)m * sizeof *wins);
    int status = add_stages(stages, i, m, reliability, chains, wins, &any_tied);
    if (status == UGT_OK)
        status = expand(stages, i, m, reliability, any_tied ? most_terms : 1, chains);
    return status == UGT_ERR_SIZE ? UGT_OK : status;
}
