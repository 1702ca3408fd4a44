/* Annotators with confusion matrices: expectation-maximisation over the given labels (Dawid & Skene 1979, eq. 2.3-2.5).
 *
 * A cell is the probability that an annotator gives a label to a case of some true class. Without pseudo-counts off the diagonal
 * most cells are 0 and stay 0: if an annotator never gave label l in a case that might be k, the cell (l, k) is empty, and k is
 * impossible in each case to which the annotator gave l. So only the cells that can fill up are kept, and the candidates of a case
 * are the classes that have a cell for all of its labels. Counts are summed in a fixed order, so nothing in this file uses threads.
 *
 * Probabilities are multiplied instead of added up in logs, which saves an exponential for each case and class. If a product comes
 * close to the smallest double, the case is computed again in logs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "em.h"

static int ascending(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static void sort_classes(int32_t *at, int64_t n)
{
    if (n > 1)
        qsort(at, (size_t)n, sizeof *at, ascending);
}

static void *room_for(int64_t n, size_t size)
{
    return calloc((size_t)n + 1, size); /* one more item, because calloc may return NULL for a length of 0 */
}

typedef struct {
    int32_t *at;
    int64_t n, room;
} list;

static int push(list *l, int32_t value)
{
    if (l->n == l->room) {
        const int64_t room = l->room == 0 ? 1024 : l->room + l->room / 2;
        int32_t *at = realloc(l->at, (size_t)room * sizeof *at);
        if (at == NULL)
            return UGT_ERR_MEMORY;
        l->at = at;
        l->room = room;
    }
    l->at[l->n++] = value;
    return UGT_OK;
}

/* ---- construction ---- */

static int check_table(const ugt_label_table *t)
{
    const int64_t n = t->offsets[t->n_cases];
    for (int64_t r = 0; r < n; r++)
        if (t->annotator[r] < 0 || t->annotator[r] >= t->n_annotators || t->label[r] < 0 || t->label[r] >= t->n_classes)
            return UGT_ERR_RANGE;
    for (int64_t e = 0; e < t->given_offsets[t->n_cases]; e++)
        if (t->given[e] < 0 || t->given[e] >= t->n_classes)
            return UGT_ERR_RANGE;
    for (int64_t i = 0; i < t->n_cases && t->known != NULL; i++) {
        int64_t e = t->given_offsets[i];
        while (t->known[i] >= 0 && e < t->given_offsets[i + 1] && t->given[e] != t->known[i])
            e++;
        if (t->known[i] >= 0 && (e == t->given_offsets[i + 1] || t->offsets[i] == t->offsets[i + 1]))
            return UGT_ERR_RANGE;
    }
    return UGT_OK;
}

/* Counting sort: sets start [n_groups+1], and order [n], which lists the rows of each group in input order. */
static void sort_by(const int32_t *code, int64_t n, int64_t n_groups, int64_t *start, int64_t *order)
{
    memset(start, 0, (size_t)(n_groups + 1) * sizeof *start);
    for (int64_t r = 0; r < n; r++)
        start[code[r] + 1]++;
    for (int64_t g = 0; g < n_groups; g++)
        start[g + 1] += start[g];
    for (int64_t r = 0; r < n; r++)
        order[start[code[r]]++] = r;
    memmove(start + 1, start, (size_t)n_groups * sizeof *start);
    start[0] = 0;
}

/* Numbers the pairs (annotator, label) in ascending order, and finds the pair of each label. */
static int number_pairs(ugt_confusions *x, const ugt_label_table *t)
{
    int status = UGT_ERR_MEMORY;
    list labels = {0};
    int64_t *start = room_for(x->n_annotators, sizeof *start), *order = room_for(x->n_labels, sizeof *order);
    int32_t *number = malloc((size_t)x->n_classes * sizeof *number);
    if (start == NULL || order == NULL || number == NULL)
        goto out;
    sort_by(t->annotator, x->n_labels, x->n_annotators, start, order);
    for (int64_t k = 0; k < x->n_classes; k++)
        number[k] = -1;
    for (int64_t a = 0; a < x->n_annotators; a++) {
        const int64_t first = labels.n;
        for (int64_t s = start[a]; s < start[a + 1]; s++) {
            const int32_t l = t->label[order[s]];
            if (number[l] < 0) {
                if (push(&labels, l) != UGT_OK)
                    goto out;
                number[l] = 0;
            }
        }
        if (labels.n > first) /* labels.at may still be NULL */
            sort_classes(labels.at + first, labels.n - first);
        for (int64_t p = first; p < labels.n; p++)
            number[labels.at[p]] = (int32_t)p;
        for (int64_t s = start[a]; s < start[a + 1]; s++)
            x->pair[order[s]] = number[t->label[order[s]]];
        for (int64_t p = first; p < labels.n; p++)
            number[labels.at[p]] = -1;
        x->first_pair[a + 1] = labels.n;
    }
    x->n_pairs = labels.n;
    status = UGT_OK;
out:
    x->pair_label = labels.at;
    free(start);
    free(order);
    free(number);
    return status;
}

/* Finds the cells of each pair: the classes that were given in cases with the pair. */
static int find_cells(ugt_confusions *x, const ugt_label_table *t)
{
    int status = UGT_ERR_MEMORY;
    list cells = {0};
    int64_t *start = room_for(x->n_pairs, sizeof *start), *order = room_for(x->n_labels, sizeof *order);
    int64_t *owner = room_for(x->n_labels, sizeof *owner), *mark = room_for(x->n_classes, sizeof *mark);
    x->pair_cells = room_for(x->n_pairs, sizeof *x->pair_cells);
    if (start == NULL || order == NULL || owner == NULL || mark == NULL || x->pair_cells == NULL)
        goto out;
    for (int64_t i = 0; i < x->n_cases; i++)
        for (int64_t r = x->offsets[i]; r < x->offsets[i + 1]; r++)
            owner[r] = i;
    sort_by(x->pair, x->n_labels, x->n_pairs, start, order);
    for (int64_t p = 0; p < x->n_pairs; p++) {
        for (int64_t s = start[p]; s < start[p + 1]; s++) {
            const int64_t i = owner[order[s]];
            for (int64_t e = t->given_offsets[i]; e < t->given_offsets[i + 1]; e++) {
                if (mark[t->given[e]] == p + 1)
                    continue;
                mark[t->given[e]] = p + 1;
                if (push(&cells, t->given[e]) != UGT_OK)
                    goto out;
            }
        }
        sort_classes(cells.at + x->pair_cells[p], cells.n - x->pair_cells[p]);
        x->pair_cells[p + 1] = cells.n;
    }
    x->n_cells = cells.n;
    status = cells.n > INT32_MAX ? UGT_ERR_SIZE : UGT_OK;
out:
    x->cell_truth = cells.at;
    free(start);
    free(order);
    free(owner);
    free(mark);
    return status;
}

static int find_rows(ugt_confusions *x)
{
    list rows = {0};
    int32_t *number = malloc((size_t)x->n_classes * sizeof *number);
    x->cell_row = room_for(x->n_cells, sizeof *x->cell_row);
    int status = number == NULL || x->cell_row == NULL ? UGT_ERR_MEMORY : UGT_OK;
    for (int64_t k = 0; status == UGT_OK && k < x->n_classes; k++)
        number[k] = -1;
    for (int64_t a = 0; a < x->n_annotators && status == UGT_OK; a++) {
        const int64_t from = x->pair_cells[x->first_pair[a]], to = x->pair_cells[x->first_pair[a + 1]], first = rows.n;
        for (int64_t c = from; c < to && status == UGT_OK; c++) {
            if (number[x->cell_truth[c]] < 0)
                status = push(&rows, x->cell_truth[c]);
            number[x->cell_truth[c]] = 0;
        }
        if (rows.n > first) /* rows.at may still be NULL */
            sort_classes(rows.at + first, rows.n - first);
        for (int64_t j = first; j < rows.n; j++)
            number[rows.at[j]] = (int32_t)j;
        for (int64_t c = from; c < to; c++)
            x->cell_row[c] = number[x->cell_truth[c]];
        for (int64_t j = first; j < rows.n; j++)
            number[rows.at[j]] = -1;
        x->first_row[a + 1] = rows.n;
    }
    x->n_rows = rows.n;
    x->row_truth = rows.at;
    free(number);
    return status;
}

/* Keeps the classes of `held` that are among the cells of pair p (both ascend), and returns their number. */
static int64_t keep_common(const ugt_confusions *x, int64_t p, int32_t *held, int64_t n)
{
    int64_t kept = 0, c = x->pair_cells[p];
    for (int64_t j = 0; j < n; j++) {
        while (c < x->pair_cells[p + 1] && x->cell_truth[c] < held[j])
            c++;
        if (c < x->pair_cells[p + 1] && x->cell_truth[c] == held[j])
            held[kept++] = held[j];
    }
    return kept;
}

static int64_t candidates_of(const ugt_confusions *x, int64_t i, int32_t *held)
{
    int64_t n = 0, shortest = x->n_classes + 1;
    int32_t first = -1;
    for (int64_t r = x->offsets[i]; r < x->offsets[i + 1]; r++) {
        const int64_t size = x->pair_cells[x->pair[r] + 1] - x->pair_cells[x->pair[r]];
        if (size < shortest) {
            shortest = size;
            first = x->pair[r];
        }
    }
    if (first < 0)
        return 0;
    for (int64_t c = x->pair_cells[first]; c < x->pair_cells[first + 1]; c++)
        held[n++] = x->cell_truth[c];
    for (int64_t r = x->offsets[i]; r < x->offsets[i + 1]; r++)
        if (x->pair[r] != first)
            n = keep_common(x, x->pair[r], held, n);
    return n;
}

static int find_candidates(ugt_confusions *x)
{
    list all = {0}, map = {0};
    int32_t *held = malloc((size_t)x->n_classes * sizeof *held);
    x->map_start = room_for(x->n_cases, sizeof *x->map_start);
    int status = held == NULL || x->map_start == NULL ? UGT_ERR_MEMORY : UGT_OK;
    for (int64_t i = 0; i < x->n_cases && status == UGT_OK; i++) {
        const int64_t n = candidates_of(x, i, held);
        for (int64_t j = 0; j < n && status == UGT_OK; j++)
            status = push(&all, held[j]);
        for (int64_t r = x->offsets[i]; r < x->offsets[i + 1]; r++) {
            int64_t c = x->pair_cells[x->pair[r]];
            for (int64_t j = 0; j < n && status == UGT_OK; j++, c++) {
                while (x->cell_truth[c] != held[j])
                    c++;
                status = push(&map, (int32_t)c);
            }
        }
        x->candidates[i + 1] = all.n;
        x->map_start[i + 1] = map.n;
    }
    x->candidate = all.at;
    x->map = map.at;
    free(held);
    return status;
}

static int every_class(ugt_confusions *x)
{
    free(x->pair_cells);
    free(x->cell_truth);
    x->cell_truth = NULL;
    x->all = 1;
    x->n_cells = x->n_pairs * x->n_classes;
    x->n_rows = x->n_annotators * x->n_classes;
    x->pair_cells = room_for(x->n_pairs, sizeof *x->pair_cells);
    if (x->pair_cells == NULL)
        return UGT_ERR_MEMORY;
    for (int64_t p = 0; p < x->n_pairs; p++)
        x->pair_cells[p + 1] = (p + 1) * x->n_classes;
    for (int64_t a = 0; a < x->n_annotators; a++)
        x->first_row[a + 1] = (a + 1) * x->n_classes;
    for (int64_t i = 0; i < x->n_cases; i++)
        x->candidates[i + 1] = x->candidates[i] + (x->offsets[i + 1] > x->offsets[i] ? x->n_classes : 0);
    return UGT_OK;
}

static inline int32_t truth_of(const ugt_confusions *x, int64_t p, int64_t c)
{
    return x->all ? (int32_t)(c - p * x->n_classes) : x->cell_truth[c];
}

static inline int64_t row_of(const ugt_confusions *x, int64_t a, int64_t p, int64_t c)
{
    return x->all ? a * x->n_classes + (c - p * x->n_classes) : x->cell_row[c];
}

static int count_rows(ugt_confusions *x)
{
    x->row_cells = room_for(x->n_rows, sizeof *x->row_cells);
    x->row_diagonal = room_for(x->n_rows, sizeof *x->row_diagonal);
    if (x->row_cells == NULL || x->row_diagonal == NULL)
        return UGT_ERR_MEMORY;
    for (int64_t a = 0; a < x->n_annotators; a++)
        for (int64_t p = x->first_pair[a]; p < x->first_pair[a + 1]; p++)
            for (int64_t c = x->pair_cells[p]; c < x->pair_cells[p + 1]; c++) {
                if (truth_of(x, p, c) == x->pair_label[p])
                    x->row_diagonal[row_of(x, a, p, c)] = 1;
                else
                    x->row_cells[row_of(x, a, p, c)]++;
            }
    return UGT_OK;
}

static int build(ugt_confusions *x, const ugt_label_table *t, int cells)
{
    x->n_cases = t->n_cases;
    x->n_labels = t->offsets[t->n_cases];
    x->n_annotators = t->n_annotators;
    x->n_classes = t->n_classes;
    x->offsets = room_for(x->n_cases, sizeof *x->offsets);
    x->pair = room_for(x->n_labels, sizeof *x->pair);
    x->first_pair = room_for(x->n_annotators, sizeof *x->first_pair);
    x->first_row = room_for(x->n_annotators, sizeof *x->first_row);
    x->candidates = room_for(x->n_cases, sizeof *x->candidates);
    if (x->offsets == NULL || x->pair == NULL || x->first_pair == NULL || x->first_row == NULL || x->candidates == NULL)
        return UGT_ERR_MEMORY;
    memcpy(x->offsets, t->offsets, (size_t)(x->n_cases + 1) * sizeof *x->offsets);
    if (t->weight != NULL) {
        x->weight = room_for(x->n_labels, sizeof *x->weight);
        if (x->weight == NULL)
            return UGT_ERR_MEMORY;
        memcpy(x->weight, t->weight, (size_t)x->n_labels * sizeof *x->weight);
    }
    if (t->known != NULL) {
        x->known = room_for(x->n_cases, sizeof *x->known);
        if (x->known == NULL)
            return UGT_ERR_MEMORY;
        memcpy(x->known, t->known, (size_t)x->n_cases * sizeof *x->known);
    }
    int status = number_pairs(x, t);
    if (status == UGT_OK && cells != UGT_CELLS_ALL)
        status = find_cells(x, t);
    if (status == UGT_OK && (cells == UGT_CELLS_ALL || (cells == UGT_CELLS_EITHER && 2 * x->n_cells >= x->n_pairs * x->n_classes)))
        status = every_class(x);
    else {
        status = status == UGT_OK ? find_rows(x) : status;
        status = status == UGT_OK ? find_candidates(x) : status;
    }
    return status == UGT_OK ? count_rows(x) : status;
}

int ugt_confusions_new(const ugt_label_table *table, int cells, ugt_confusions **out)
{
    *out = NULL;
    int status = check_table(table);
    if (status != UGT_OK)
        return status;
    ugt_confusions *x = calloc(1, sizeof *x);
    if (x == NULL)
        return UGT_ERR_MEMORY;
    status = build(x, table, cells);
    if (status == UGT_OK)
        *out = x;
    else
        ugt_confusions_free(x);
    return status;
}

void ugt_confusions_free(ugt_confusions *x)
{
    if (x == NULL)
        return;
    void *parts[] = {x->offsets, x->weight, x->known, x->pair, x->first_pair, x->pair_label, x->pair_cells, x->cell_truth, x->cell_row,
                     x->first_row, x->row_truth, x->row_cells, x->row_diagonal, x->candidates, x->candidate, x->map_start, x->map};
    for (size_t j = 0; j < sizeof parts / sizeof *parts; j++)
        free(parts[j]);
    free(x);
}

ugt_confusions_size ugt_confusions_sizes(const ugt_confusions *x)
{
    const ugt_confusions_size sizes = {x->n_pairs, x->n_cells, x->n_rows, x->candidates[x->n_cases], x->all};
    return sizes;
}

void ugt_confusions_layout(const ugt_confusions *x, int64_t *offsets, int32_t *index, int32_t *annotator, int32_t *label, int32_t *truth,
                           int32_t *row)
{
    memcpy(offsets, x->candidates, (size_t)(x->n_cases + 1) * sizeof *offsets);
    for (int64_t e = 0; e < x->candidates[x->n_cases]; e++)
        index[e] = x->all ? (int32_t)(e % x->n_classes) : x->candidate[e];
    for (int64_t a = 0; a < x->n_annotators; a++)
        for (int64_t p = x->first_pair[a]; p < x->first_pair[a + 1]; p++)
            for (int64_t c = x->pair_cells[p]; c < x->pair_cells[p + 1]; c++) {
                annotator[c] = (int32_t)a;
                label[c] = x->pair_label[p];
                truth[c] = truth_of(x, p, c);
                row[c] = (int32_t)row_of(x, a, p, c);
            }
}

/* ---- steps ---- */

int64_t ugt_confusions_widest(const ugt_confusions *x)
{
    int64_t widest = 0;
    for (int64_t i = 0; i < x->n_cases; i++)
        if (x->candidates[i + 1] - x->candidates[i] > widest)
            widest = x->candidates[i + 1] - x->candidates[i];
    return widest;
}

static void add_case(const ugt_confusions *x, int64_t i, const double *q, ugt_confusion_counts *counts)
{
    const int64_t from = x->candidates[i], m = x->candidates[i + 1] - from, n = x->offsets[i + 1] - x->offsets[i];
    for (int64_t t = 0; t < n; t++) {
        const double w = x->weight == NULL ? 1.0 : x->weight[x->offsets[i] + t];
        if (x->all) {
            double *restrict cell = counts->count + x->pair[x->offsets[i] + t] * m;
            for (int64_t j = 0; j < m; j++)
                cell[j] += w * q[j];
        } else {
            const int32_t *map = x->map + x->map_start[i] + t * m;
            for (int64_t j = 0; j < m; j++)
                counts->count[map[j]] += w * q[j];
        }
    }
    for (int64_t j = 0; j < m; j++)
        counts->class_count[x->all ? j : x->candidate[from + j]] += q[j];
}

static void clear(const ugt_confusions *x, ugt_confusion_counts *counts)
{
    memset(counts->count, 0, (size_t)x->n_cells * sizeof *counts->count);
    memset(counts->class_count, 0, (size_t)x->n_classes * sizeof *counts->class_count);
}

void ugt_confusions_count(const ugt_confusions *x, const double *q, ugt_confusion_counts *counts)
{
    clear(x, counts);
    for (int64_t i = 0; i < x->n_cases; i++)
        add_case(x, i, q + x->candidates[i], counts);
}

/* Returns the log density of the cells of a row that can receive no label, and so have exactly the prior's share. */
static double unseen(const ugt_confusions *x, const ugt_pseudo_counts *prior, int64_t row, double total)
{
    double sum = 0.0;
    const double n_off = (double)(x->n_classes - 1 - x->row_cells[row]);
    if (prior->off_diagonal > 0.0 && n_off > 0.0)
        sum += n_off * prior->off_diagonal * log(prior->off_diagonal / total);
    if (prior->diagonal > 0.0 && !x->row_diagonal[row])
        sum += prior->diagonal * log(prior->diagonal / total);
    return sum;
}

double ugt_confusions_mode(const ugt_confusions *x, const ugt_pseudo_counts *prior, const ugt_confusion_counts *counts, double *probability,
                           double *prevalence, double *row_total)
{
    const double row_prior = prior->diagonal + (double)(x->n_classes - 1) * prior->off_diagonal;
    double density = 0.0, total = 0.0;
    for (int64_t row = 0; row < x->n_rows; row++)
        row_total[row] = row_prior;
    for (int64_t a = 0; a < x->n_annotators; a++)
        for (int64_t p = x->first_pair[a]; p < x->first_pair[a + 1]; p++)
            for (int64_t c = x->pair_cells[p]; c < x->pair_cells[p + 1]; c++)
                row_total[row_of(x, a, p, c)] += counts->count[c];
    for (int64_t a = 0; a < x->n_annotators; a++)
        for (int64_t p = x->first_pair[a]; p < x->first_pair[a + 1]; p++)
            for (int64_t c = x->pair_cells[p]; c < x->pair_cells[p + 1]; c++) {
                const double pseudo = truth_of(x, p, c) == x->pair_label[p] ? prior->diagonal : prior->off_diagonal;
                const double all = row_total[row_of(x, a, p, c)];
                probability[c] = all > 0.0 ? (counts->count[c] + pseudo) / all : 0.0;
                if (pseudo > 0.0)
                    density += pseudo * log(probability[c]);
            }
    for (int64_t row = 0; row < x->n_rows && row_prior > 0.0; row++)
        density += unseen(x, prior, row, row_total[row]);
    for (int64_t k = 0; k < x->n_classes; k++)
        total += counts->class_count[k] + prior->prevalence;
    for (int64_t k = 0; k < x->n_classes; k++) {
        prevalence[k] = (counts->class_count[k] + prior->prevalence) / total;
        if (prior->prevalence > 0.0)
            density += prior->prevalence * log(prevalence[k]);
    }
    return density;
}

int64_t ugt_confusions_known(const ugt_confusions *x, int64_t i)
{
    if (x->known == NULL || x->known[i] < 0 || x->all)
        return x->known == NULL ? -1 : x->known[i];
    int64_t j = x->candidates[i];
    while (x->candidate[j] < x->known[i])
        j++;
    return j - x->candidates[i];
}

/* Returns the log joint probability of the labels of case i and of its candidate j. */
static double log_joint(const ugt_confusions *x, int64_t i, int64_t j, const double *probability, const double *prevalence)
{
    const int64_t from = x->candidates[i], m = x->candidates[i + 1] - from, n = x->offsets[i + 1] - x->offsets[i];
    double sum = log(prevalence[x->all ? j : x->candidate[from + j]]);
    for (int64_t t = 0; t < n; t++)
        sum += (x->weight == NULL ? 1.0 : x->weight[x->offsets[i] + t]) * log(probability[ugt_confusions_cell(x, i, t, m, j)]);
    return sum;
}

static double in_logs(const ugt_confusions *x, int64_t i, const double *probability, const double *prevalence, double *q)
{
    const int64_t m = x->candidates[i + 1] - x->candidates[i];
    double top = -INFINITY, sum = 0.0;
    for (int64_t j = 0; j < m; j++) {
        q[j] = log_joint(x, i, j, probability, prevalence);
        top = q[j] > top ? q[j] : top;
    }
    if (top == -INFINITY)
        return top;
    for (int64_t j = 0; j < m; j++)
        sum += q[j] = exp(q[j] - top);
    for (int64_t j = 0; j < m; j++)
        q[j] /= sum;
    return top + log(sum);
}

double ugt_confusions_case(const ugt_confusions *x, int64_t i, const double *probability, const double *prevalence, double *restrict q)
{
    const int64_t from = x->candidates[i], m = x->candidates[i + 1] - from, n = x->offsets[i + 1] - x->offsets[i];
    const int64_t sure = ugt_confusions_known(x, i);
    double sum = 0.0;
    if (sure >= 0) {
        memset(q, 0, (size_t)m * sizeof *q);
        q[sure] = 1.0;
        return log_joint(x, i, sure, probability, prevalence);
    }
    if (x->weight != NULL)
        return in_logs(x, i, probability, prevalence, q);
    if (x->all) {
        memcpy(q, prevalence, (size_t)m * sizeof *q);
        for (int64_t t = 0; t < n; t++) {
            const double *cell = probability + x->pair[x->offsets[i] + t] * m;
            for (int64_t j = 0; j < m; j++)
                q[j] *= cell[j];
        }
    } else {
        for (int64_t j = 0; j < m; j++)
            q[j] = prevalence[x->candidate[from + j]];
        for (int64_t t = 0; t < n; t++) {
            const int32_t *map = x->map + x->map_start[i] + t * m;
            for (int64_t j = 0; j < m; j++)
                q[j] *= probability[map[j]];
        }
    }
    for (int64_t j = 0; j < m; j++)
        sum += q[j];
    if (!(sum > UGT_EM_SMALL))
        return in_logs(x, i, probability, prevalence, q);
    for (int64_t j = 0; j < m; j++)
        q[j] /= sum;
    return log(sum);
}

int ugt_confusions_expect(const ugt_confusions *x, const double *probability, const double *prevalence, ugt_confusion_counts *counts,
                          double *q, double *log_likelihood)
{
    double *room = malloc((size_t)(ugt_confusions_widest(x) + 1) * sizeof *room), total = 0.0;
    if (room == NULL)
        return UGT_ERR_MEMORY;
    clear(x, counts);
    for (int64_t i = 0; i < x->n_cases; i++) {
        const int64_t from = x->candidates[i], m = x->candidates[i + 1] - from;
        if (m == 0)
            continue;
        total += ugt_confusions_case(x, i, probability, prevalence, room);
        if (total == -INFINITY)
            break;
        add_case(x, i, room, counts);
        if (q != NULL)
            memcpy(q + from, room, (size_t)m * sizeof *q);
    }
    free(room);
    *log_likelihood = total;
    return total == -INFINITY ? UGT_ERR_CONVERGENCE : UGT_OK;
}
