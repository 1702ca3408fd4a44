/* Computes the distances between the annotators of a case without visiting its pairs [C eq. 1].
 *
 * An entry is one annotator in a case, or a number of annotators with equal labels. Its labels share equally the
 * mass 1 of its law. Let M be the sum of the laws of a case, over its annotators, and let <m, D m'> be the mean distance over all
 * pairs of labels of m and m'. The distance of an entry with law m to all other annotators is then <m, D M> - <m, D m>.
 * One sort of the labels (or one table of masses by class) gives D M; <m, D m> differs from 0 only if an annotator gave
 * different labels. Sums have terms that are not negative and are built from differences: they are exactly 0 if the labels
 * agree, and relative errors are a few roundings if nothing is subtracted. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "distances.h"

#define FEW 128      /* items up to which insertion is faster than qsort: it takes half the time at 64 items, equal time at about 150 */
#define SLACK 1e-12  /* relative; a difference of decimals such as 0.8 - 0.6 exceeds 0.2 only by rounding, and must not exceed lambda */
#define ROW_SUM 1e-4 /* largest accepted error of a sum of probabilities */

static int64_t first_row(const ugt_entries *in, int64_t entry)
{
    return in->row_offsets != NULL ? in->row_offsets[entry] : entry;
}

static double times(const ugt_entries *in, int64_t row)
{
    return in->times != NULL ? (double)in->times[row] : 1.0;
}

/* Returns the number of labels of an entry; a repeated label counts as often as it was given. */
static double n_labels(const ugt_entries *in, int64_t entry)
{
    double n = 0.0;
    for (int64_t r = first_row(in, entry); r < first_row(in, entry + 1); r++)
        n += times(in, r);
    return n;
}

static double n_annotators(const ugt_entries *in, int64_t i)
{
    double n = 0.0;
    for (int64_t e = in->offsets[i]; e < in->offsets[i + 1]; e++)
        n += (double)in->count[e];
    return n;
}

static int64_t most_rows(const ugt_entries *in, int64_t begin, int64_t end)
{
    int64_t most = 1;
    for (int64_t i = begin; i < end; i++) {
        const int64_t n = first_row(in, in->offsets[i + 1]) - first_row(in, in->offsets[i]);
        most = n > most ? n : most;
    }
    return most;
}

/* Returns the distance to all annotators minus the distance to oneself. If the others add nothing, both are sums of the same
 * terms in the same order, so that the result is exactly 0. */
static double others(double all, double own)
{
    return all > own ? all - own : 0.0;
}

/* ---- entries ---------------------------------------------------------------------------------------- */

int ugt_find_entries(const int64_t *offsets, const int32_t *annotator, int64_t n_cases, int64_t n_annotators,
                     int64_t *entry_offsets, int64_t *entry_of, int64_t *n_entries)
{
    int64_t *seen = malloc(ugt_bytes(n_annotators > 0 ? n_annotators : 1, sizeof *seen)), n = 0;
    int status = UGT_OK;
    if (seen == NULL)
        return UGT_ERR_MEMORY;
    for (int64_t a = 0; a < n_annotators; a++)
        seen[a] = -1;
    entry_offsets[0] = 0;
    for (int64_t i = 0; i < n_cases; i++) {
        const int64_t start = n; /* an annotator with an earlier entry has not been seen in this case */
        for (int64_t r = offsets[i]; r < offsets[i + 1]; r++) {
            const int32_t a = annotator[r];
            if (a < -1 || a >= n_annotators) {
                status = UGT_ERR_RANGE;
                goto out;
            }
            if (a >= 0 && seen[a] >= start) {
                entry_of[r] = seen[a];
                continue;
            }
            if (a >= 0)
                seen[a] = n;
            entry_of[r] = n++;
        }
        entry_offsets[i + 1] = n;
    }
    *n_entries = n;
out:
    free(seen);
    return status;
}

/* ---- numbers ------------------------------------------------------------------------------------------ */

typedef struct {
    double y, mass;
    int64_t at;
} item;

static int later(const item *a, const item *b)
{
    return a->y > b->y || (a->y == b->y && a->at > b->at);
}

static int compare_items(const void *a, const void *b)
{
    return later(a, b) - later(b, a);
}

static void sort_items(item *items, int64_t n)
{
    if (n > FEW) {
        qsort(items, (size_t)n, sizeof *items, compare_items);
        return;
    }
    for (int64_t i = 1; i < n; i++) {
        const item held = items[i];
        int64_t j = i;
        for (; j > 0 && later(&items[j - 1], &held); j--)
            items[j] = items[j - 1];
        items[j] = held;
    }
}

/* Writes to reach[at] the sum over all items of mass * max(0, |y - y'| - lambda). The items must be sorted. Index j passes the
 * items that are more than lambda away; from one item to the next the sum grows by the step times the mass that j has passed. */
static void reach_of(const item *items, int64_t n, double lambda, double *reach)
{
    const double least = lambda * (1.0 + SLACK);
    double sum = 0.0, mass = 0.0;
    for (int64_t i = 0, j = 0; i < n; i++) {
        if (i > 0)
            sum += mass * (items[i].y - items[i - 1].y);
        for (; items[i].y - items[j].y > least; j++) {
            sum += items[j].mass * (items[i].y - items[j].y - lambda);
            mass += items[j].mass;
        }
        reach[items[i].at] = sum;
    }
    sum = mass = 0.0;
    for (int64_t i = n - 1, j = n - 1; i >= 0; i--) {
        if (i < n - 1)
            sum += mass * (items[i + 1].y - items[i].y);
        for (; items[j].y - items[i].y > least; j--) {
            sum += items[j].mass * (items[j].y - items[i].y - lambda);
            mass += items[j].mass;
        }
        reach[items[i].at] += sum;
    }
}

typedef struct {
    item *items;
    double *reach;
} room;

/* Returns the mean of the sums in reach over the labels of an entry; reach[0] belongs to row start. */
static double mean_reach(const ugt_entries *in, int64_t entry, int64_t start, const double *reach)
{
    double sum = 0.0;
    for (int64_t r = first_row(in, entry); r < first_row(in, entry + 1); r++)
        sum += times(in, r) * reach[r - start];
    return sum / n_labels(in, entry);
}

/* Writes the items of the entries [begin, end), whose first row is start; returns their number. */
static int64_t fill_items(const ugt_entries *in, const double *value, int64_t begin, int64_t end, int64_t start, item *items)
{
    int64_t n = 0;
    for (int64_t e = begin; e < end; e++) {
        const double share = (double)in->count[e] / n_labels(in, e);
        for (int64_t r = first_row(in, e); r < first_row(in, e + 1); r++, n++)
            items[n] = (item){value[r], share * times(in, r), r - start};
    }
    return n;
}

static void sorted_case(const ugt_entries *in, const double *value, double lambda, int64_t i, room *room, double *out)
{
    const int64_t begin = in->offsets[i], end = in->offsets[i + 1], start = first_row(in, begin);
    const int64_t n = fill_items(in, value, begin, end, start, room->items);
    sort_items(room->items, n);
    reach_of(room->items, n, lambda, room->reach);
    for (int64_t e = begin; e < end; e++)
        out[e] = mean_reach(in, e, start, room->reach);
    for (int64_t e = begin; e < end; e++) {
        const int64_t first = first_row(in, e), m = first_row(in, e + 1) - first;
        if (m < 2)
            continue;
        fill_items(in, value, e, e + 1, first, room->items);
        sort_items(room->items, m);
        reach_of(room->items, m, lambda, room->reach);
        out[e] = others(out[e], mean_reach(in, e, first, room->reach));
    }
}

/* Writes the squared distances, from the mean a and the mean square s of each entry: (R - 1) s + (S - s) - 2 a (A - a), where A
 * and S are the sums of a and s over the R annotators. Labels are taken relative to the mean of the case, so that A is close to
 * 0 and no part is negative. That mean is computed relative to the first label, so that labels that agree give exactly 0. */
static void squared_case(const ugt_entries *in, const double *value, int64_t i, room *room, double *out)
{
    const int64_t begin = in->offsets[i], end = in->offsets[i + 1];
    const double n = n_annotators(in, i), origin = begin < end ? value[first_row(in, begin)] : 0.0;
    double centre = 0.0, all = 0.0, squares = 0.0;
    for (int64_t e = begin; e < end; e++) {
        double sum = 0.0;
        for (int64_t r = first_row(in, e); r < first_row(in, e + 1); r++)
            sum += times(in, r) * (value[r] - origin);
        centre += (double)in->count[e] * (sum / n_labels(in, e));
    }
    centre = origin + centre / n;
    for (int64_t e = begin; e < end; e++) {
        double sum = 0.0, square = 0.0;
        for (int64_t r = first_row(in, e); r < first_row(in, e + 1); r++) {
            const double y = value[r] - centre;
            sum += times(in, r) * y;
            square += times(in, r) * y * y;
        }
        room->reach[e - begin] = sum / n_labels(in, e);
        out[e] = square / n_labels(in, e);
        all += (double)in->count[e] * room->reach[e - begin];
        squares += (double)in->count[e] * out[e];
    }
    for (int64_t e = begin; e < end; e++) {
        const double a = room->reach[e - begin], sum = (n - 2.0) * out[e] + squares - 2.0 * a * (all - a);
        out[e] = n > 1.0 && sum > 0.0 ? sum : 0.0;
    }
}

int ugt_number_distances(const ugt_entries *in, const ugt_distance *distance, const double *value, int64_t begin, int64_t end,
                         double *to_others)
{
    const size_t most = (size_t)most_rows(in, begin, end);
    room room = {malloc(most * sizeof(item)), malloc(most * sizeof(double))};
    int status = UGT_OK;
    if (room.items == NULL || room.reach == NULL) {
        status = UGT_ERR_MEMORY;
        goto out;
    }
    for (int64_t i = begin; i < end; i++) {
        if (distance->kind == UGT_SQUARED)
            squared_case(in, value, i, &room, to_others);
        else
            sorted_case(in, value, distance->lambda, i, &room, to_others);
    }
out:
    free(room.items);
    free(room.reach);
    return status;
}

static double apart(const ugt_distance *distance, double x, double y)
{
    const double difference = fabs(x - y);
    if (distance->kind == UGT_SQUARED)
        return difference * difference;
    return difference > distance->lambda * (1.0 + SLACK) ? difference - distance->lambda : 0.0;
}

void ugt_number_predictions(const ugt_entries *in, const ugt_distance *distance, const double *value, const double *prediction,
                            int64_t begin, int64_t end, double *to_model)
{
    for (int64_t i = begin; i < end; i++) {
        for (int64_t e = in->offsets[i]; e < in->offsets[i + 1]; e++) {
            double sum = 0.0;
            for (int64_t r = first_row(in, e); r < first_row(in, e + 1); r++)
                sum += times(in, r) * apart(distance, value[r], prediction[i]);
            to_model[e] = isnan(prediction[i]) ? NAN : sum / n_labels(in, e);
        }
    }
}

/* ---- classes ------------------------------------------------------------------------------------------ */

typedef struct {
    double *mass, *share;    /* [n_classes] masses of the case; shares of an entry; 0 between cases and entries */
    double *reach;           /* [n_classes] cost of a class to all labels of the case */
    int32_t *chosen, *own;   /* [n_classes] lists of the classes with mass, and with a share */
    int64_t n_chosen, n_own;
} tables;

static void free_tables(tables *t)
{
    free(t->mass);
    free(t->share);
    free(t->reach);
    free(t->chosen);
    free(t->own);
}

static int new_tables(tables *t, int64_t n_classes)
{
    const size_t n = (size_t)n_classes;
    *t = (tables){.mass = calloc(n, sizeof(double)), .share = calloc(n, sizeof(double)), .reach = malloc(n * sizeof(double)),
                  .chosen = malloc(n * sizeof(int32_t)), .own = malloc(n * sizeof(int32_t))};
    return t->mass == NULL || t->share == NULL || t->reach == NULL || t->chosen == NULL || t->own == NULL ? UGT_ERR_MEMORY : UGT_OK;
}

static int labels_fit(const ugt_entries *in, const int32_t *label, int64_t n_classes, int64_t begin, int64_t end)
{
    for (int64_t r = first_row(in, in->offsets[begin]); r < first_row(in, in->offsets[end]); r++)
        if (label[r] < 0 || label[r] >= n_classes)
            return 0;
    return 1;
}

/* Writes the classes of an entry and the share of each. Equal labels are added up before the division, so that an entry with one
 * class has a share of exactly 1. */
static void open_entry(const ugt_entries *in, const int32_t *label, int64_t entry, tables *t)
{
    double n = 0.0;
    t->n_own = 0;
    for (int64_t r = first_row(in, entry); r < first_row(in, entry + 1); r++) {
        if (t->share[label[r]] == 0.0)
            t->own[t->n_own++] = label[r];
        t->share[label[r]] += times(in, r);
        n += times(in, r);
    }
    for (int64_t a = 0; a < t->n_own; a++)
        t->share[t->own[a]] /= n;
}

static void close_entry(tables *t)
{
    for (int64_t a = 0; a < t->n_own; a++)
        t->share[t->own[a]] = 0.0;
}

static void fill_mass(const ugt_entries *in, const int32_t *label, int64_t i, tables *t)
{
    t->n_chosen = 0;
    for (int64_t e = in->offsets[i]; e < in->offsets[i + 1]; e++) {
        open_entry(in, label, e, t);
        for (int64_t a = 0; a < t->n_own; a++) {
            const int32_t k = t->own[a];
            if (t->mass[k] == 0.0)
                t->chosen[t->n_chosen++] = k;
            t->mass[k] += (double)in->count[e] * t->share[k];
        }
        close_entry(t);
    }
}

static void fill_reach(const ugt_distance *distance, tables *t)
{
    for (int64_t a = 0; a < t->n_chosen; a++) {
        const double *cost = distance->cost + t->chosen[a] * distance->n_classes;
        double sum = 0.0;
        for (int64_t b = 0; b < t->n_chosen; b++)
            sum += cost[t->chosen[b]] * t->mass[t->chosen[b]];
        t->reach[t->chosen[a]] = sum;
    }
}

/* Returns the cost of the entry whose shares open_entry has written. */
static double entry_cost(const ugt_distance *distance, const tables *t)
{
    double all = 0.0, own = 0.0;
    for (int64_t a = 0; a < t->n_own; a++) {
        const double *cost = distance->cost + t->own[a] * distance->n_classes;
        double sum = 0.0;
        for (int64_t b = 0; b < t->n_own; b++)
            sum += t->share[t->own[b]] * cost[t->own[b]];
        all += t->share[t->own[a]] * t->reach[t->own[a]];
        own += t->share[t->own[a]] * sum;
    }
    return others(all, own);
}

/* Returns the number of annotators with another class: the n - 1 others minus their mass at the class. */
static double entry_differing(double n, const tables *t)
{
    double sum = 0.0;
    for (int64_t a = 0; a < t->n_own; a++) {
        const double share = t->share[t->own[a]], differ = n - 1.0 - (t->mass[t->own[a]] - share);
        sum += share * (differ > 0.0 ? differ : 0.0);
    }
    return sum;
}

static void class_case(const ugt_entries *in, const ugt_distance *distance, const int32_t *label, int64_t i, tables *t, double *out)
{
    const double n = n_annotators(in, i);
    fill_mass(in, label, i, t);
    if (distance->cost != NULL)
        fill_reach(distance, t);
    for (int64_t e = in->offsets[i]; e < in->offsets[i + 1]; e++) {
        open_entry(in, label, e, t);
        out[e] = distance->cost != NULL ? entry_cost(distance, t) : entry_differing(n, t);
        close_entry(t);
    }
    for (int64_t a = 0; a < t->n_chosen; a++)
        t->mass[t->chosen[a]] = 0.0;
}

int ugt_class_distances(const ugt_entries *in, const ugt_distance *distance, const int32_t *label, int64_t begin, int64_t end,
                        double *to_others)
{
    tables t;
    int status = new_tables(&t, distance->n_classes);
    if (status == UGT_OK && !labels_fit(in, label, distance->n_classes, begin, end))
        status = UGT_ERR_RANGE;
    for (int64_t i = begin; status == UGT_OK && i < end; i++)
        class_case(in, distance, label, i, &t, to_others);
    free_tables(&t);
    return status;
}

int ugt_class_predictions(const ugt_entries *in, const ugt_distance *distance, const int32_t *label, const int64_t *prediction,
                          int64_t begin, int64_t end, double *to_model)
{
    if (!labels_fit(in, label, distance->n_classes, begin, end))
        return UGT_ERR_RANGE;
    for (int64_t i = begin; i < end; i++) {
        const int64_t k = prediction[i];
        if (k < -1 || k >= distance->n_classes)
            return UGT_ERR_RANGE;
        for (int64_t e = in->offsets[i]; e < in->offsets[i + 1]; e++) {
            double sum = 0.0;
            for (int64_t r = first_row(in, e); k >= 0 && r < first_row(in, e + 1); r++)
                sum += times(in, r) * (distance->cost != NULL ? distance->cost[label[r] * distance->n_classes + k] : label[r] != k);
            to_model[e] = k < 0 ? NAN : sum / n_labels(in, e);
        }
    }
    return UGT_OK;
}

/* ---- probabilities ------------------------------------------------------------------------------------ */

/* Returns the sum of n probabilities; NaN if none is given; a number below 0 if they are not probabilities. */
static double total_of(const double *p, int64_t n)
{
    double sum = 0.0;
    int64_t good = 0, missing = 0;
    for (int64_t k = 0; k < n; k++) {
        good += p[k] >= 0.0;
        missing += isnan(p[k]) != 0; /* C promises a nonzero value, not 1: MinGW gives -1 */
        sum += p[k];
    }
    if (missing == n)
        return NAN;
    return good == n && fabs(sum - 1.0) <= ROW_SUM ? sum : -1.0;
}

static double expected(const ugt_distance *distance, const double *p, double total, int32_t k)
{
    const int64_t n = distance->n_classes;
    double sum = 0.0;
    if (distance->cost != NULL) {
        const double *cost = distance->cost + k * n;
        for (int64_t c = 0; c < n; c++)
            sum += p[c] * cost[c];
    } else if (distance->number != NULL) {
        for (int64_t c = 0; c < n; c++)
            sum += p[c] * apart(distance, distance->number[k], distance->number[c]);
    } else {
        sum = total - p[k];
    }
    return sum > 0.0 ? sum / total : 0.0;
}

static void expected_case(const ugt_entries *in, const ugt_distance *distance, const int32_t *label, const double *p, double total,
                          int64_t i, double *kept, double *out)
{
    const int64_t begin = first_row(in, in->offsets[i]), end = first_row(in, in->offsets[i + 1]);
    for (int64_t e = in->offsets[i]; e < in->offsets[i + 1]; e++) {
        double sum = 0.0;
        for (int64_t r = first_row(in, e); r < first_row(in, e + 1); r++) {
            if (kept[label[r]] < 0.0)
                kept[label[r]] = expected(distance, p, total, label[r]);
            sum += times(in, r) * kept[label[r]];
        }
        out[e] = sum / n_labels(in, e);
    }
    for (int64_t r = begin; r < end; r++)
        kept[label[r]] = -1.0;
}

int ugt_class_probabilities(const ugt_entries *in, const ugt_distance *distance, const int32_t *label, const double *probability,
                            int64_t begin, int64_t end, double *to_model, int64_t *fault)
{
    double *kept = malloc((size_t)distance->n_classes * sizeof *kept);
    *fault = -1;
    if (kept == NULL)
        return UGT_ERR_MEMORY;
    int status = labels_fit(in, label, distance->n_classes, begin, end) ? UGT_OK : UGT_ERR_RANGE;
    for (int64_t k = 0; k < distance->n_classes; k++)
        kept[k] = -1.0;
    for (int64_t i = begin; status == UGT_OK && i < end; i++) {
        const double *p = probability + (i - begin) * distance->n_classes, total = total_of(p, distance->n_classes);
        if (total < 0.0) {
            *fault = i;
            break;
        }
        if (isnan(total)) {
            for (int64_t e = in->offsets[i]; e < in->offsets[i + 1]; e++)
                to_model[e] = NAN;
        } else {
            expected_case(in, distance, label, p, total, i, kept, to_model);
        }
    }
    free(kept);
    return status;
}

void ugt_case_sums(const ugt_entries *in, const double *to_others, const double *to_model, int64_t n_cases, int64_t n_models, int64_t *n,
                   double *total, double *alpha, double *mu)
{
    for (int64_t i = 0; i < n_cases; i++) {
        n[i] = 0;
        total[i] = 0.0;
        for (int64_t e = in->offsets[i]; e < in->offsets[i + 1]; e++) {
            n[i] += in->count[e];
            total[i] += (double)in->count[e] * to_others[e];
        }
        total[i] /= 2.0;
        const double several = (double)n[i];
        alpha[i] = n[i] < 2 ? NAN : total[i] / (several * (several - 1.0) / 2.0);
        for (int64_t m = 0; m < n_models; m++) {
            double *sum = &mu[m * n_cases + i];
            *sum = 0.0;
            for (int64_t e = in->offsets[i]; e < in->offsets[i + 1]; e++)
                *sum += (double)in->count[e] * to_model[m * in->offsets[n_cases] + e];
            *sum = n[i] < 2 ? NAN : *sum / several;
        }
    }
}
