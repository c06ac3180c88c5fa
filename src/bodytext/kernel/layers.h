/* The forward pass of the learned method's network. `layers.py` is the same in numpy and explains it.

It is in C because the compiler must be told to multiply eight numbers at a time, as nearly all processors can; on
others the numpy twin is used. Tables are 32-bit numbers without gaps, WIDTH to a row. */

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "constants.h"

enum {
    WIDTH = NETWORK_WIDTH, /* products of this width only are written here */
    COLUMNS = NETWORK_COLUMNS,
    PAGE_COLUMNS = NETWORK_PAGE_COLUMNS,
    STATE = NETWORK_PAGE_STATE,
    TYPES = NETWORK_TYPES,
    HEADS = 2 * WIDTH + STATE, /* of all blocks: two means of their rows, and the page's state */
    GROUPS = NETWORK_MOST_GROUPS,
    LAYERS = NETWORK_STEPS_COUNT,
    EIGHT = 8, /* numbers at a time */
    BITS = 64,
    FRESH = 32 /* rows after which a sum of differences begins anew, so that rounding does not add up */
};
typedef char groups_fill_a_row[GROUPS == WIDTH ? 1 : -1]; /* `look` multiplies tables of groups as tables of rows */

#define LEAST -60.0f /* its exp is as good as 0, and not so small that processors are slow at it */
static const int STEPS[LAYERS] = NETWORK_STEPS;

/* Numbers that are multiplied at once, and whether the processor at hand can. */
#if defined(__GNUC__)
#define LOWEST_BIT __builtin_ctzll
#else
static int LOWEST_BIT(uint64_t bits) {
    int place = 0;
    while (!(bits >> place & 1)) place++;
    return place;
}
#endif
#if defined(__GNUC__) && defined(__x86_64__)
typedef float Lanes __attribute__((vector_size(32), aligned(4), may_alias));
#define FAST __attribute__((target("avx2,fma"))) static
#define INLINE static inline __attribute__((always_inline))
static int is_fast(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
#elif defined(__GNUC__)
typedef float Lanes __attribute__((vector_size(16), aligned(4), may_alias));
#define FAST static
#define INLINE static inline __attribute__((always_inline))
static int is_fast(void) { return 1; }
#else
typedef float Lanes;
#define FAST static
#define INLINE static inline
static int is_fast(void) { return 0; }
#endif
enum { PARTS = WIDTH * sizeof(float) / sizeof(Lanes) };

typedef struct {
    float before[WIDTH], own[WIDTH], behind[WIDTH], weights[WIDTH * WIDTH], bias[WIDTH];
} Mix;

/* All weights one after the other, in the order of ORDER in `layers_native.pyx`. Those that do not fill whole lines of
the processor's cache (16 numbers) come last, so that the rows of all others do. */
typedef struct {
    float start[WIDTH]; /* the product of `zero` with the weights */
    float input[COLUMNS * WIDTH], input_page[STATE * WIDTH], input_bias[WIDTH], page[PAGE_COLUMNS * STATE], page_bias[STATE];
    Mix mix[LAYERS];
    float around[WIDTH * WIDTH], alike[WIDTH * WIDTH], path[WIDTH * WIDTH];
    float whole[WIDTH * WIDTH], pool_page[STATE * WIDTH], pool_bias[WIDTH];
    float asked[WIDTH * WIDTH], lifted[WIDTH]; /* the keys times the queries, and times their bias */
    float value[WIDTH * WIDTH], value_bias[WIDTH];
    float type[HEADS * TYPES], early[TYPES * WIDTH], early_bias[WIDTH], late[TYPES * WIDTH];
    float last[WIDTH * WIDTH], last_bias[WIDTH], output[WIDTH], lift[HEADS];
    float zero[COLUMNS], mean[COLUMNS], scale[COLUMNS]; /* `zero` is the standardised row of zeros */
    float page_mean[PAGE_COLUMNS], page_scale[PAGE_COLUMNS], type_bias[TYPES], output_bias[1], lift_bias[1];
} Weights;

typedef struct {
    ptrdiff_t rows, around_count, alike_count, path_count;
    const int32_t *first, *stop, *alike, *path; /* of each row: the rows around it, and its groups */
    const float *words;
    double *sums; /* as many as rows */
    float *values, *other; /* tables of one row more */
    float *table; /* as many rows as all the counts */
    float *logits;
    float state[STATE], start[WIDTH], types[TYPES];
} Run;

/* exp for LEAST <= x <= 0: a power of two, and a polynomial for the rest. */
INLINE float exp_of(float x) {
    union { int32_t bits; float number; } factor;
    int32_t power = (int32_t)(x * 1.44269504f - 0.5f); /* of 2; cut towards zero, so to the nearest */
    float rest = x - power * 0.693359375f + power * 2.12194440e-4f; /* ln 2 in two parts: the first product is exact */
    factor.bits = (power + 127) * (1 << 23);
    return factor.number * (1 + rest * (1 + rest * (0.5f + rest * (1 / 6.0f + rest * (1 / 24.0f + rest * (
        1 / 120.0f + rest * (1 / 720.0f)))))));
}

/* Shares that sum to 1: exp(row * scale + lift) over their sum. */
INLINE void soften(float *row, ptrdiff_t width, float scale, const float *lift) {
    float lanes[EIGHT], highest, total = 0;
    ptrdiff_t column, lane, whole = width - width % EIGHT;
    for (column = 0; column < width; column++) row[column] = row[column] * scale + lift[column];
    for (lane = 0; lane < EIGHT; lane++) lanes[lane] = row[0];
    for (column = 0; column < whole; column += EIGHT)
        for (lane = 0; lane < EIGHT; lane++)
            lanes[lane] = row[column + lane] > lanes[lane] ? row[column + lane] : lanes[lane];
    highest = lanes[0];
    for (lane = 1; lane < EIGHT; lane++) highest = lanes[lane] > highest ? lanes[lane] : highest;
    for (column = whole; column < width; column++) highest = row[column] > highest ? row[column] : highest;
    for (column = 0; column < width; column++)
        row[column] = row[column] - highest > LEAST ? row[column] - highest : LEAST;
    for (column = 0; column < width; column++) row[column] = exp_of(row[column]); /* apart: compilers like it */
    for (lane = 0; lane < EIGHT; lane++) lanes[lane] = 0;
    for (column = 0; column < whole; column += EIGHT)
        for (lane = 0; lane < EIGHT; lane++) lanes[lane] += row[column + lane];
    for (lane = 0; lane < EIGHT; lane++) total += lanes[lane];
    for (column = whole; column < width; column++) total += row[column];
    total = 1 / total;
    for (column = 0; column < width; column++) row[column] *= total;
}

/* found = bias + row * weights, of WIDTH columns at most; `found` may be `bias`. */
INLINE void dense(const float *row, ptrdiff_t depth, const float *weights, ptrdiff_t width, const float *bias, float *found) {
    float sums[WIDTH]; /* apart from all tables, so that they may stay in the processor */
    ptrdiff_t at, column;
    for (column = 0; column < width; column++) sums[column] = bias[column];
    for (at = 0; at < depth; at++)
        for (column = 0; column < width; column++) sums[column] += row[at] * weights[at * width + column];
    for (column = 0; column < width; column++) found[column] = sums[column];
}

/* The products of two rows with a matrix; all sums stay in the processor. */
INLINE void multiply(const float *one, const float *two, ptrdiff_t depth, const float *weights, float found[2][WIDTH]) {
    const Lanes nothing = {0};
    Lanes left[PARTS], right[PARTS];
    ptrdiff_t at;
    int part;
    for (part = 0; part < PARTS; part++) left[part] = right[part] = nothing;
    for (at = 0; at < depth; at++) {
        const Lanes *row = (const Lanes *)(weights + at * WIDTH);
        for (part = 0; part < PARTS; part++) {
            left[part] += one[at] * row[part];
            right[part] += two[at] * row[part];
        }
    }
    for (part = 0; part < PARTS; part++) {
        ((Lanes *)found[0])[part] = left[part];
        ((Lanes *)found[1])[part] = right[part];
    }
}

/* Every row of a table times a square matrix, in place. */
INLINE void multiply_table(float *table, ptrdiff_t rows, const float *weights) {
    float found[2][WIDTH];
    ptrdiff_t row;
    for (row = 0; row < rows; row += 2) {
        ptrdiff_t count = row + 1 < rows ? 2 : 1;
        float *here = table + row * WIDTH;
        multiply(here, here + (count - 1) * WIDTH, WIDTH, weights, found);
        memcpy(here, found[0], sizeof found[0]);
        if (count > 1) memcpy(here + WIDTH, found[1], sizeof found[1]);
    }
}

/* A row, and what is above zero of change + bias. `found` may be the row. */
INLINE void add_rectified(const float *row, const float *change, const float *bias, float *found) {
    int column;
    for (column = 0; column < WIDTH; column++) {
        float value = change[column] + bias[column];
        found[column] = row[column] + (value > 0 ? value : 0);
    }
}

/* The page's state, and the sum that every row begins with. */
FAST void begin(const Weights *w, Run *r, float *page) {
    float bias[WIDTH];
    ptrdiff_t column;
    for (column = 0; column < PAGE_COLUMNS; column++) {
        float value = (page[column] - w->page_mean[column]) * w->page_scale[column];
        value = value < NETWORK_PAGE_LIMIT ? value : NETWORK_PAGE_LIMIT;
        page[column] = value > -NETWORK_PAGE_LIMIT ? value : -NETWORK_PAGE_LIMIT;
    }
    dense(page, PAGE_COLUMNS, w->page, STATE, w->page_bias, r->state);
    for (column = 0; column < STATE; column++) r->state[column] = r->state[column] > 0 ? r->state[column] : 0;
    dense(r->state, STATE, w->input_page, WIDTH, w->input_bias, bias);
    for (column = 0; column < WIDTH; column++) r->start[column] = w->start[column] + bias[column];
}

/* A bit for each of some numbers, 64 at most, that differ in two rows. */
FAST inline uint64_t find_changed(const float *one, const float *two, ptrdiff_t count) {
    uint64_t found = 0;
    ptrdiff_t at = 0;
#if defined(__GNUC__) && defined(__x86_64__)
    for (; at + EIGHT <= count; at += EIGHT) {
        Lanes differs = (Lanes)(*(const Lanes *)(one + at) != *(const Lanes *)(two + at));
        found |= (uint64_t)(unsigned)__builtin_ia32_movmskps256(differs) << at;
    }
#endif
    for (; at < count; at++) found |= (uint64_t)(one[at] != two[at]) << at;
    return found;
}

/* The first layer. A row has most of its features from the row before: what they add to the product stays. */
FAST void read_rows(const Weights *w, const Run *r, const float *rows, ptrdiff_t count, float *found) {
    static const float nothing[COLUMNS] = {0};
    const float *before = nothing;
    float had[COLUMNS]; /* of `before`, standardised */
    Lanes sum[PARTS];
    ptrdiff_t row, first, column;
    int part;
    for (row = 0; row < count; row++, before = rows, rows += COLUMNS, found += WIDTH) {
        if (row % FRESH == 0) {
            before = nothing;
            memcpy(had, w->zero, sizeof had);
            for (part = 0; part < PARTS; part++) sum[part] = ((const Lanes *)r->start)[part];
        }
        for (first = 0; first < COLUMNS; first += BITS) {
            ptrdiff_t left = COLUMNS - first;
            uint64_t changed = find_changed(rows + first, before + first, left < BITS ? left : BITS);
            for (; changed; changed &= changed - 1) {
                const Lanes *weights;
                float value, change;
                column = first + LOWEST_BIT(changed);
                value = (rows[column] - w->mean[column]) * w->scale[column];
                value = value < NETWORK_LIMIT ? value : NETWORK_LIMIT;
                value = value > -NETWORK_LIMIT ? value : -NETWORK_LIMIT;
                change = value - had[column];
                had[column] = value;
                weights = (const Lanes *)(w->input + column * WIDTH);
                for (part = 0; part < PARTS; part++) sum[part] += change * weights[part];
            }
        }
        for (part = 0; part < PARTS; part++) ((Lanes *)found)[part] = sum[part];
        for (column = 0; column < WIDTH; column++) found[column] = found[column] > 0 ? found[column] : 0;
    }
}

/* Add to each row what it makes of those `step` places before and after it. */
INLINE void mix(const Mix *m, Run *r, ptrdiff_t step) {
    float mixed[2][WIDTH], found[2][WIDTH];
    float *table = r->other;
    ptrdiff_t row, index, column;
    for (row = 0; row < r->rows; row += 2) {
        ptrdiff_t count = row + 1 < r->rows ? 2 : 1;
        for (index = 0; index < count; index++) {
            const float *here = r->values + (row + index) * WIDTH;
            for (column = 0; column < WIDTH; column++) mixed[index][column] = here[column] * m->own[column];
            if (row + index >= step)
                for (column = 0; column < WIDTH; column++)
                    mixed[index][column] += here[column - step * WIDTH] * m->before[column];
            if (row + index + step < r->rows)
                for (column = 0; column < WIDTH; column++)
                    mixed[index][column] += here[column + step * WIDTH] * m->behind[column];
        }
        multiply(mixed[0], mixed[count - 1], WIDTH, m->weights, found);
        for (index = 0; index < count; index++) {
            ptrdiff_t at = (row + index) * WIDTH;
            add_rectified(r->values + at, found[index], m->bias, table + at);
        }
    }
    r->other = r->values;
    r->values = table;
}

/* The means of all rows, by number and by words; then the page's state. */
INLINE void sum_up(const Run *r, float heads[HEADS]) {
    double words = 0;
    ptrdiff_t row, column;
    float by_number, by_words;
    memset(heads, 0, 2 * WIDTH * sizeof(float));
    for (row = 0; row < r->rows; row++) {
        const float *here = r->values + row * WIDTH;
        words += r->words[row];
        for (column = 0; column < WIDTH; column++) {
            heads[column] += here[column];
            heads[WIDTH + column] += here[column] * r->words[row];
        }
    }
    by_number = 1 / (float)r->rows;
    by_words = (float)(1 / words);
    for (column = 0; column < WIDTH; column++) {
        heads[column] *= by_number;
        heads[WIDTH + column] *= by_words;
    }
    memcpy(heads + 2 * WIDTH, r->state, sizeof r->state);
}

/* How likely each kind of page is. */
INLINE void find_type(const Weights *w, Run *r, const float *heads) {
    static const float nothing[TYPES] = {0};
    dense(heads, HEADS, w->type, TYPES, w->type_bias, r->types);
    soften(r->types, TYPES, 1, nothing);
}

/* The sums of the rows of each group, and of their weights, which are 1 if none are given. */
INLINE void add_up(const Run *r, const int32_t *group, ptrdiff_t count, const float *weights, float *table) {
    ptrdiff_t row, column;
    memset(table, 0, count * WIDTH * sizeof(float));
    memset(r->sums, 0, count * sizeof(double));
    for (row = 0; row < r->rows; row++) {
        const float *here = r->values + row * WIDTH;
        float *at = table + group[row] * (ptrdiff_t)WIDTH;
        float weight = weights ? weights[row] : 1;
        r->sums[group[row]] += weight;
        for (column = 0; column < WIDTH; column++) at[column] += here[column] * weight;
    }
}

/* The mean of the rows of each group times a matrix. */
INLINE void pool_groups(const Run *r, const int32_t *group, ptrdiff_t count, const float *weights, float *table) {
    ptrdiff_t row, column;
    add_up(r, group, count, NULL, table);
    for (row = 0; row < count; row++) {
        float scale = r->sums[row] > 0 ? (float)(1 / r->sums[row]) : 0;
        for (column = 0; column < WIDTH; column++) table[row * WIDTH + column] *= scale;
    }
    multiply_table(table, count, weights);
}

/* Whether the rows around a row are others than those around the row before it. */
INLINE int has_others_around(const Run *r, ptrdiff_t row) {
    return row == 0 || r->first[row] != r->first[row - 1] || r->stop[row] != r->stop[row - 1];
}

/* The mean of the rows around each row times a matrix; once for neighbours with the same rows around them. */
INLINE void pool_around(const Run *r, const float *weights, float *table) {
    float *running = r->other, *at = table;
    ptrdiff_t row, column;
    memset(running, 0, WIDTH * sizeof(float));
    for (row = 0; row < r->rows; row++)
        for (column = 0; column < WIDTH; column++)
            running[(row + 1) * WIDTH + column] = running[row * WIDTH + column] + r->values[row * WIDTH + column];
    for (row = 0; row < r->rows; row++) {
        const float *low = running + r->first[row] * (ptrdiff_t)WIDTH, *high = running + r->stop[row] * (ptrdiff_t)WIDTH;
        int32_t count = r->stop[row] - r->first[row];
        float scale = 1 / (float)(count > 1 ? count : 1);
        if (!has_others_around(r, row)) continue;
        for (column = 0; column < WIDTH; column++) at[column] = (high[column] - low[column]) * scale;
        at += WIDTH;
    }
    multiply_table(table, r->around_count, weights);
}

/* Add to each row what the means over like rows, the rows around it and all rows make of it. */
INLINE void pool(const Weights *w, Run *r) {
    float bias[WIDTH], heads[HEADS];
    float *around = r->table, *alike = around + r->around_count * WIDTH, *path = alike + r->alike_count * WIDTH;
    ptrdiff_t row, column;
    pool_around(r, w->around, around);
    pool_groups(r, r->alike, r->alike_count, w->alike, alike);
    pool_groups(r, r->path, r->path_count, w->path, path);
    sum_up(r, heads);
    dense(r->state, STATE, w->pool_page, WIDTH, w->pool_bias, bias);
    dense(heads, WIDTH, w->whole, WIDTH, bias, bias);
    for (row = 0; row < r->rows; row++) {
        const float *one = alike + r->alike[row] * (ptrdiff_t)WIDTH, *two = path + r->path[row] * (ptrdiff_t)WIDTH;
        float *here = r->values + row * WIDTH, found[WIDTH];
        if (row && has_others_around(r, row)) around += WIDTH;
        for (column = 0; column < WIDTH; column++) found[column] = around[column] + one[column] + two[column];
        add_rectified(here, found, bias, here);
    }
}

/* Choose the groups with the most words, of equals the earlier; return how many they are. */
INLINE int choose_groups(const Run *r, int32_t chosen[GROUPS]) {
    ptrdiff_t group;
    int count = 0, at;
    for (group = 0; group < r->alike_count; group++) {
        float words = (float)r->sums[group];
        if (count == GROUPS && words <= (float)r->sums[chosen[GROUPS - 1]]) continue;
        count += count < GROUPS;
        for (at = count - 1; at > 0 && (float)r->sums[chosen[at - 1]] < words; at--) chosen[at] = chosen[at - 1];
        chosen[at] = (int32_t)group;
    }
    return count;
}

/* Attention of each row to the groups of like rows with the most words.

Keys and queries are both products, of groups and of rows: a row times one small matrix is how much it looks at each
group. What the keys' bias adds is the same for all groups and changes no share. */
INLINE void look(const Weights *w, Run *r) {
    float means[GROUPS][WIDTH], turned[GROUPS][WIDTH], asked[WIDTH][GROUPS] = {{0}};
    float lift[GROUPS], likeness[2][GROUPS], found[2][WIDTH];
    const float scale = 1 / sqrtf(NETWORK_LOOK_WIDTH);
    int32_t chosen[GROUPS];
    int count, group, column;
    ptrdiff_t row, index;
    add_up(r, r->alike, r->alike_count, r->words, r->table);
    count = choose_groups(r, chosen);
    for (group = count; group < GROUPS; group++) lift[group] = -1e30f; /* those that are not there */
    for (group = 0; group < count; group++) {
        const float words = (float)r->sums[chosen[group]];
        lift[group] = 0;
        for (column = 0; column < WIDTH; column++) {
            means[group][column] = r->table[chosen[group] * (ptrdiff_t)WIDTH + column] / words;
            lift[group] += means[group][column] * w->lifted[column];
        }
        lift[group] = lift[group] * scale + logf(words) * NETWORK_GROUP_WEIGHT;
    }
    memcpy(turned, means, sizeof means);
    multiply_table(turned[0], count, w->asked);
    for (column = 0; column < WIDTH; column++)
        for (group = 0; group < count; group++) asked[column][group] = turned[group][column];
    multiply_table(means[0], count, w->value);
    for (row = 0; row < r->rows; row += 2) {
        ptrdiff_t rows = row + 1 < r->rows ? 2 : 1;
        float *here = r->values + row * WIDTH;
        multiply(here, here + (rows - 1) * WIDTH, WIDTH, asked[0], likeness);
        for (index = 0; index < rows; index++) soften(likeness[index], GROUPS, scale, lift);
        multiply(likeness[0], likeness[rows - 1], count, means[0], found);
        for (index = 0; index < rows; index++, here += WIDTH) add_rectified(here, found[index], w->value_bias, here);
    }
}

/* The last layer: a logit a row. */
INLINE void conclude(const Weights *w, Run *r, const float *heads) {
    float bias[WIDTH], found[2][WIDTH], lift;
    ptrdiff_t row, index;
    int column, lane;
    dense(r->types, TYPES, w->late, WIDTH, w->last_bias, bias);
    dense(heads, HEADS, w->lift, 1, w->lift_bias, &lift);
    lift += w->output_bias[0];
    for (row = 0; row < r->rows; row += 2) {
        ptrdiff_t rows = row + 1 < r->rows ? 2 : 1;
        const float *here = r->values + row * WIDTH;
        multiply(here, here + (rows - 1) * WIDTH, WIDTH, w->last, found);
        for (index = 0; index < rows; index++) {
            float lanes[EIGHT] = {0}, total = lift;
            for (column = 0; column < WIDTH; column += EIGHT)
                for (lane = 0; lane < EIGHT; lane++) {
                    float value = found[index][column + lane] + bias[column + lane];
                    lanes[lane] += (value > 0 ? value : 0) * w->output[column + lane];
                }
            for (lane = 0; lane < EIGHT; lane++) total += lanes[lane];
            r->logits[row + index] = total;
        }
    }
}

/* All that follows the first layer. */
FAST void go_on(const Weights *w, Run *r) {
    float heads[HEADS], early[WIDTH];
    ptrdiff_t row, column;
    int layer;
    for (layer = 0; layer < LAYERS; layer++) {
        if (layer == NETWORK_POOL_BEFORE) pool(w, r);
        mix(&w->mix[layer], r, STEPS[layer]);
        if (layer == 0) {
            sum_up(r, heads);
            find_type(w, r, heads);
            dense(r->types, TYPES, w->early, WIDTH, w->early_bias, early);
            for (row = 0; row < r->rows; row++)
                for (column = 0; column < WIDTH; column++) r->values[row * WIDTH + column] += early[column];
        }
        if (layer == NETWORK_LOOK_AFTER) look(w, r);
    }
    sum_up(r, heads);
    find_type(w, r, heads);
    conclude(w, r, heads);
}
