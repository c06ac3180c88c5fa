/* The forward pass of the learned method's network. `layers.py` is the same in numpy and explains it.

It is in C because the compiler must be told to multiply several numbers at a time. `layers_pass.h` has the pass itself;
it is compiled for each kind of processor, and the kind at hand is chosen when the network is made. Tables are 32-bit
numbers without gaps, WIDTH to a row. */

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
    HELD = 6, /* sums of a row that a processor of 16 registers holds, beside those of another row */
    BITS = 64,
    FRESH = 32 /* rows after which a sum of differences begins anew, so that rounding does not add up */
};
typedef char groups_fill_a_row[GROUPS == WIDTH ? 1 : -1]; /* `look` multiplies tables of groups as tables of rows */

#define LEAST -60.0f /* its exp is as good as 0, and not so small that processors are slow at it */
static const int STEPS[LAYERS] = NETWORK_STEPS;

#if defined(__GNUC__)
#define LOWEST_BIT __builtin_ctzll
#define INLINE static inline __attribute__((always_inline))
#else
static int LOWEST_BIT(uint64_t bits) {
    int place = 0;
    while (!(bits >> place & 1)) place++;
    return place;
}
#define INLINE static inline
#endif

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

/* The steps of a pass, compiled for one kind of processor. */
typedef struct {
    void (*begin)(const Weights *w, Run *r, float *page);
    void (*read_rows)(const Weights *w, const Run *r, const float *rows, ptrdiff_t count, float *found);
    void (*go_on)(const Weights *w, Run *r);
} Pass;

/* For any processor: four numbers at a time where the compiler has a type for them, else one. */
#define OF_KIND(name) name##_plain
#define FAST static
#define LANE_BYTES 16
#include "layers_pass.h"
static const Pass PLAIN = {begin_plain, read_rows_plain, go_on_plain};

/* For nearly all processors of today: eight numbers at a time. */
#if defined(__GNUC__) && defined(__x86_64__)
#define OF_KIND(name) name##_avx2
#define FAST __attribute__((target("avx2,fma"))) static
#define LANE_BYTES 32
#include "layers_pass.h"
static const Pass AVX2 = {begin_avx2, read_rows_avx2, go_on_avx2};
static const Pass *fastest_pass(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &AVX2 : &PLAIN;
}
#else
static const Pass *fastest_pass(void) { return &PLAIN; }
#endif
static const Pass *plain_pass(void) { return &PLAIN; }
