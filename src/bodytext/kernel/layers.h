/* The forward pass of the learned method's network. `layers.py` is the same in numpy and explains it.

It is in C because the compiler must be told to multiply several numbers at a time. `layers_pass.h` has the pass itself;
it is compiled for each kind of processor, and the kind at hand is chosen when the network is made. Tables are 32-bit
numbers without gaps, WIDTH to a row. */

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "constants.h"
#include "layers_rows.h"

enum {
    WIDTH = NETWORK_WIDTH,
    HIDDEN = NETWORK_HIDDEN,
    COLUMNS = NETWORK_COLUMNS,
    PAGE_COLUMNS = NETWORK_PAGE_COLUMNS,
    FIRST_ADDRESS = NETWORK_FIRST_ADDRESS,
    STATE = NETWORK_PAGE_STATE,
    TYPES = NETWORK_TYPES,
    HEADS = 2 * WIDTH + STATE, /* of all blocks: two means of their rows, and the page's state */
    GROUPS = NETWORK_MOST_GROUPS,
    LAYERS = NETWORK_STEPS_COUNT,
    EIGHT = 8, /* numbers at a time */
    BITS = 64,
    FULL_COLUMNS = (COLUMNS + BITS - 1) / BITS * BITS,
    SPARE_ROWS = 16, /* of zeros before and after a table: as far as a layer looks from all rows that are multiplied at a time */
    FRESH = 32 /* rows after which a sum of differences begins anew, so that rounding does not add up */
};
typedef char columns_fill_lanes[WIDTH % 24 == 0 && GROUPS % 24 == 0 && HIDDEN % 16 == 0 ? 1 : -1]; /* HELD at a time */

#define LEAST -60.0f /* its exp is as good as 0, and not so small that processors are slow at it */
static const int STEPS[LAYERS] = NETWORK_STEPS;

#if defined(__GNUC__)
#define INLINE static inline __attribute__((always_inline))
#define UNROLLED _Pragma("GCC unroll 16")
#define LOWEST_BIT __builtin_ctzll
#else
#define INLINE static inline
#define UNROLLED
static int LOWEST_BIT(uint64_t bits) {
    int place = 0;
    while (!(bits >> place & 1)) place++;
    return place;
}
#endif

typedef struct {
    float before[WIDTH], own[WIDTH], behind[WIDTH], weights[WIDTH * WIDTH], bias[WIDTH];
} Mix;

/* All weights one after the other, in the order of ORDER in `layers_native.pyx`. Those that do not fill whole lanes of
the processor (8 numbers) come last, so that the rows of all others do. */
typedef struct {
    float start[WIDTH]; /* the product of `zero` with the weights */
    float input[COLUMNS * WIDTH], input_page[STATE * WIDTH], input_bias[WIDTH], page[PAGE_COLUMNS * STATE], page_bias[STATE];
    Mix mix[LAYERS];
    float around[WIDTH * WIDTH], alike[WIDTH * WIDTH], path[WIDTH * WIDTH];
    float all[WIDTH * WIDTH], pool_page[STATE * WIDTH], pool_bias[WIDTH];
    float asked[WIDTH * WIDTH], lifted[WIDTH]; /* the keys times the queries, and times their bias */
    float own_and_seen[2 * WIDTH * HIDDEN], seen_bias[HIDDEN], told[HIDDEN * WIDTH], told_bias[WIDTH];
    float type[HEADS * TYPES], early[TYPES * WIDTH], early_bias[WIDTH], late[TYPES * WIDTH];
    float whole[HEADS * HIDDEN], whole_bias[HIDDEN], whole_told[HIDDEN * WIDTH];
    float last[WIDTH * WIDTH], last_bias[WIDTH], output[WIDTH], lift[HEADS];
    float zero[COLUMNS], mean[COLUMNS], scale[COLUMNS]; /* `zero` is the standardised row of zeros */
    float page_mean[PAGE_COLUMNS], page_scale[PAGE_COLUMNS], type_bias[TYPES], output_bias[1], lift_bias[1];
} Weights;

typedef struct {
    ptrdiff_t rows, around_count, alike_count, path_count;
    const int32_t *first, *stop, *alike, *path; /* of each row: the rows around it, and its groups */
    const float *words;
    double *sums; /* as many as rows */
    float *values, *other; /* tables between SPARE_ROWS of zeros */
    float *table; /* as many rows as all the counts, and SPARE_ROWS */
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

/* The steps of a pass, compiled for one kind of processor. */
typedef struct {
    void (*begin)(const Weights *w, Run *r, float *page);
    void (*read_rows)(const Weights *w, const Run *r, const RowSource *source);
    void (*go_on)(const Weights *w, Run *r);
} Pass;

/* Rows that are in a table already. */
static ptrdiff_t give_row(const void *table, RowState *state, ptrdiff_t row, float *columns) {
    (void)state;
    memcpy(columns, (const float *)table + row * COLUMNS, COLUMNS * sizeof(float));
    return COLUMNS;
}

/* For any processor: four numbers at a time where the compiler has a type for them, else one. */
#define OF_KIND(name) name##_plain
#define FAST static
#define LANE_BYTES 16
#define TOGETHER 2
#define HELD 6
#define HELD_WIDE 4
#include "layers_pass.h"
static const Pass PLAIN = {begin_plain, read_rows_plain, go_on_plain};

#if defined(__GNUC__) && defined(__x86_64__)
/* For nearly all processors of today: eight numbers at a time. */
#define OF_KIND(name) name##_avx2
#define FAST __attribute__((target("avx2,fma"))) static
#define LANE_BYTES 32
#define TOGETHER 4
#define HELD 3
#define HELD_WIDE 2
#include "layers_pass.h"
static const Pass AVX2 = {begin_avx2, read_rows_avx2, go_on_avx2};

/* For servers: twice the registers. Rows of 24 numbers do not fill lanes of sixteen. */
#define OF_KIND(name) name##_avx512
#define FAST __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma"))) static
#define LANE_BYTES 32
#define TOGETHER 8
#define HELD 3
#define HELD_WIDE 2
#include "layers_pass.h"
static const Pass AVX512 = {begin_avx512, read_rows_avx512, go_on_avx512};
#endif

/* The fastest pass of the processor at hand that multiplies at most so many bytes at a time. */
static const Pass *find_pass(int most_bytes) {
#if defined(__GNUC__) && defined(__x86_64__)
    const int has_lines = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")
        && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    const int has_halves = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (most_bytes >= 64 && has_lines && has_halves) return &AVX512;
    if (most_bytes >= 32 && has_halves) return &AVX2;
#endif
    (void)most_bytes;
    return &PLAIN;
}
