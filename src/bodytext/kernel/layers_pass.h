/* The steps of the forward pass for one kind of processor: `layers.h` includes this file once for each, and says by
OF_KIND what a name is called there, by FAST how the compiler is told of the kind, by LANE_BYTES how wide its numbers are
together, and by TOGETHER and HELD how many rows are multiplied at a time, and how many sums of each the processor holds
(HELD_WIDE if the products have HIDDEN columns). */

#if defined(__GNUC__)
typedef float OF_KIND(Lanes) __attribute__((vector_size(LANE_BYTES), aligned(4), may_alias));
#else
typedef float OF_KIND(Lanes);
#endif
enum { OF_KIND(PARTS) = WIDTH * sizeof(float) / sizeof(OF_KIND(Lanes)) };

/* Shares that sum to 1: exp(row * scale + lift) over their sum. */
INLINE void OF_KIND(soften)(float *row, ptrdiff_t width, float scale, const float *lift) {
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

/* found = bias + row * weights, of HIDDEN columns at most; `found` may be `bias`. */
INLINE void OF_KIND(dense)(const float *row, ptrdiff_t depth, const float *weights, ptrdiff_t width, const float *bias, float *found) {
    float sums[HIDDEN]; /* apart from all tables, so that they may stay in the processor */
    ptrdiff_t at, column;
    for (column = 0; column < width; column++) sums[column] = bias[column];
    for (at = 0; at < depth; at++)
        for (column = 0; column < width; column++) sums[column] += row[at] * weights[at * width + column];
    for (column = 0; column < width; column++) found[column] = sums[column];
}

/* The products of TOGETHER rows, `depth` numbers each, with a matrix of `width` columns. The sums of `held` lanes of
columns stay in the processor, then those of the next. */
INLINE void OF_KIND(multiply)(const float *rows, ptrdiff_t depth, const float *weights, int width, int held, float *found) {
    const OF_KIND(Lanes) nothing = {0};
    const int parts = width * sizeof(float) / sizeof(OF_KIND(Lanes));
    OF_KIND(Lanes) sums[TOGETHER][HELD];
    ptrdiff_t at;
    int first, part, row;
    for (first = 0; first < parts; first += held) {
        UNROLLED for (row = 0; row < TOGETHER; row++)
            UNROLLED for (part = 0; part < held; part++) sums[row][part] = nothing;
        for (at = 0; at < depth; at++) {
            const OF_KIND(Lanes) *line = (const OF_KIND(Lanes) *)(weights + at * width) + first;
            UNROLLED for (row = 0; row < TOGETHER; row++)
                UNROLLED for (part = 0; part < held; part++) sums[row][part] += rows[row * depth + at] * line[part];
        }
        UNROLLED for (row = 0; row < TOGETHER; row++)
            UNROLLED for (part = 0; part < held; part++)
                ((OF_KIND(Lanes) *)(found + row * width))[first + part] = sums[row][part];
    }
}

/* Every row of a table times a square matrix, in place. The table has SPARE_ROWS more. */
INLINE void OF_KIND(multiply_table)(float *table, ptrdiff_t rows, const float *weights) {
    float found[TOGETHER][WIDTH];
    ptrdiff_t row;
    for (row = 0; row < rows; row += TOGETHER) {
        ptrdiff_t count = rows - row < TOGETHER ? rows - row : TOGETHER;
        OF_KIND(multiply)(table + row * WIDTH, WIDTH, weights, WIDTH, HELD, found[0]);
        memcpy(table + row * WIDTH, found, count * sizeof found[0]);
    }
}

/* A row, and what is above zero of change + bias. `found` may be the row. */
INLINE void OF_KIND(add_rectified)(const float *row, const float *change, const float *bias, float *found) {
    int column;
    for (column = 0; column < WIDTH; column++) {
        float value = change[column] + bias[column];
        found[column] = row[column] + (value > 0 ? value : 0);
    }
}

/* The page's state, and the sum that every row begins with. */
FAST void OF_KIND(begin)(const Weights *w, Run *r, float *page) {
    float bias[WIDTH];
    const int has_address = page[FIRST_ADDRESS] != 0;
    ptrdiff_t column;
    for (column = 0; column < PAGE_COLUMNS; column++) {
        float value = (page[column] - w->page_mean[column]) * w->page_scale[column];
        value = value < NETWORK_PAGE_LIMIT ? value : NETWORK_PAGE_LIMIT;
        page[column] = value > -NETWORK_PAGE_LIMIT ? value : -NETWORK_PAGE_LIMIT;
    }
    for (column = FIRST_ADDRESS; column < PAGE_COLUMNS; column++) page[column] = has_address ? page[column] : 0;
    OF_KIND(dense)(page, PAGE_COLUMNS, w->page, STATE, w->page_bias, r->state);
    for (column = 0; column < STATE; column++) r->state[column] = r->state[column] > 0 ? r->state[column] : 0;
    OF_KIND(dense)(r->state, STATE, w->input_page, WIDTH, w->input_bias, bias);
    for (column = 0; column < WIDTH; column++) r->start[column] = w->start[column] + bias[column];
}

/* A bit for each of 64 numbers that are not zero. */
FAST inline uint64_t OF_KIND(find_set)(const float *numbers) {
    uint64_t found = 0;
    int at;
#if defined(__GNUC__) && defined(__x86_64__)
    const OF_KIND(Lanes) nothing = {0};
    for (at = 0; at < BITS; at += LANE_BYTES / (int)sizeof(float)) {
        const OF_KIND(Lanes) here = *(const OF_KIND(Lanes) *)(numbers + at);
#if LANE_BYTES == 64
        found |= (uint64_t)(uint16_t)__builtin_ia32_cmpps512_mask(here, nothing, 4, -1, 4) << at;
#elif LANE_BYTES == 32
        found |= (uint64_t)(unsigned)__builtin_ia32_movmskps256((OF_KIND(Lanes))(here != nothing)) << at;
#else
        found |= (uint64_t)(unsigned)__builtin_ia32_movmskps((OF_KIND(Lanes))(here != nothing)) << at;
#endif
    }
#else
    for (at = 0; at < BITS; at++) found |= (uint64_t)(numbers[at] != 0) << at;
#endif
    return found;
}

/* The first layer. A row has most of its features from the row before: what they add to the product stays. */
FAST void OF_KIND(read_rows)(const Weights *w, const Run *r, const RowSource *source) {
    float row[FULL_COLUMNS] = {0}, had[FULL_COLUMNS], changes[FULL_COLUMNS]; /* `had`: the row before, standardised */
    float mean[FULL_COLUMNS] = {0}, scale[FULL_COLUMNS] = {0}, zero[FULL_COLUMNS] = {0};
    OF_KIND(Lanes) sum[OF_KIND(PARTS)] = {{0}};
    RowState state;
    float *found = r->values;
    ptrdiff_t number, column, first;
    int part;
    memset(&state, 0xFF, sizeof state);
    memcpy(mean, w->mean, sizeof w->mean);
    memcpy(scale, w->scale, sizeof w->scale);
    memcpy(zero, w->zero, sizeof w->zero);
    for (number = 0; number < r->rows; number++, found += WIDTH) {
        ptrdiff_t stop = source->fill(source->tables, &state, number, row);
        if (number % FRESH == 0) {
            memcpy(had, zero, sizeof had);
            for (part = 0; part < OF_KIND(PARTS); part++) sum[part] = ((const OF_KIND(Lanes) *)r->start)[part];
            stop = COLUMNS;
        }
        stop = (stop + BITS - 1) / BITS * BITS;
        for (column = 0; column < stop; column++) {
            float value = (row[column] - mean[column]) * scale[column];
            value = value < NETWORK_LIMIT ? value : NETWORK_LIMIT;
            value = value > -NETWORK_LIMIT ? value : -NETWORK_LIMIT;
            changes[column] = value - had[column];
            had[column] = value;
        }
        for (first = 0; first < stop; first += BITS) {
            uint64_t changed = OF_KIND(find_set)(changes + first);
            for (; changed; changed &= changed - 1) {
                const float change = changes[first + LOWEST_BIT(changed)];
                const OF_KIND(Lanes) *weights =
                    (const OF_KIND(Lanes) *)(w->input + (first + LOWEST_BIT(changed)) * WIDTH);
                for (part = 0; part < OF_KIND(PARTS); part++) sum[part] += change * weights[part];
            }
        }
        for (part = 0; part < OF_KIND(PARTS); part++) ((OF_KIND(Lanes) *)found)[part] = sum[part];
        for (column = 0; column < WIDTH; column++) found[column] = found[column] > 0 ? found[column] : 0;
    }
}

/* Add to each row what it makes of those `step` places before and after it. */
INLINE void OF_KIND(mix)(const Mix *m, Run *r, ptrdiff_t step) {
    float mixed[TOGETHER][WIDTH], found[TOGETHER][WIDTH];
    float *table = r->other;
    ptrdiff_t row, index, column;
    for (row = 0; row < r->rows; row += TOGETHER) {
        ptrdiff_t count = r->rows - row < TOGETHER ? r->rows - row : TOGETHER;
        for (index = 0; index < TOGETHER; index++) {
            const float *here = r->values + (row + index) * WIDTH;
            for (column = 0; column < WIDTH; column++) {
                float value = here[column] * m->own[column];
                value += here[column - step * WIDTH] * m->before[column];
                mixed[index][column] = value + here[column + step * WIDTH] * m->behind[column];
            }
        }
        OF_KIND(multiply)(mixed[0], WIDTH, m->weights, WIDTH, HELD, found[0]);
        for (index = 0; index < count; index++) {
            ptrdiff_t at = (row + index) * WIDTH;
            OF_KIND(add_rectified)(r->values + at, found[index], m->bias, table + at);
        }
    }
    r->other = r->values;
    r->values = table;
}

/* The means of all rows, by number and by words; then the page's state. */
INLINE void OF_KIND(sum_up)(const Run *r, float heads[HEADS]) {
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
INLINE void OF_KIND(find_type)(const Weights *w, Run *r, const float *heads) {
    static const float nothing[TYPES] = {0};
    OF_KIND(dense)(heads, HEADS, w->type, TYPES, w->type_bias, r->types);
    OF_KIND(soften)(r->types, TYPES, 1, nothing);
}

/* The sums of the rows of each group, and of their weights, which are 1 if none are given. */
INLINE void OF_KIND(add_up)(const Run *r, const int32_t *group, ptrdiff_t count, const float *weights, float *table) {
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

/* The means of the rows of each group, by the same weights. */
INLINE void OF_KIND(find_means)(const Run *r, const int32_t *group, ptrdiff_t count, const float *weights, float *table) {
    ptrdiff_t row, column;
    OF_KIND(add_up)(r, group, count, weights, table);
    for (row = 0; row < count; row++) {
        float scale = r->sums[row] > 0 ? (float)(1 / r->sums[row]) : 0;
        for (column = 0; column < WIDTH; column++) table[row * WIDTH + column] *= scale;
    }
}

/* The mean of the rows of each group times a matrix. */
INLINE void OF_KIND(pool_groups)(const Run *r, const int32_t *group, ptrdiff_t count, const float *weights, float *table) {
    OF_KIND(find_means)(r, group, count, NULL, table);
    OF_KIND(multiply_table)(table, count, weights);
}

/* Whether the rows around a row are others than those around the row before it. */
INLINE int OF_KIND(has_others_around)(const Run *r, ptrdiff_t row) {
    return row == 0 || r->first[row] != r->first[row - 1] || r->stop[row] != r->stop[row - 1];
}

/* The mean of the rows around each row times a matrix; once for neighbours with the same rows around them. */
INLINE void OF_KIND(pool_around)(const Run *r, const float *weights, float *table) {
    float *running = r->other, *at = table; /* the sum of each row and all before it */
    ptrdiff_t row, column;
    for (row = 0; row < r->rows; row++)
        for (column = 0; column < WIDTH; column++)
            running[row * WIDTH + column] = running[(row - 1) * WIDTH + column] + r->values[row * WIDTH + column];
    for (row = 0; row < r->rows; row++) {
        const float *low = running + (r->first[row] - 1) * (ptrdiff_t)WIDTH;
        const float *high = running + (r->stop[row] - 1) * (ptrdiff_t)WIDTH;
        int32_t count = r->stop[row] - r->first[row];
        float scale = 1 / (float)(count > 1 ? count : 1);
        if (!OF_KIND(has_others_around)(r, row)) continue;
        for (column = 0; column < WIDTH; column++) at[column] = (high[column] - low[column]) * scale;
        at += WIDTH;
    }
    OF_KIND(multiply_table)(table, r->around_count, weights);
}

/* Add to each row what the means over like rows, the rows around it and all rows make of it. */
INLINE void OF_KIND(pool)(const Weights *w, Run *r) {
    float bias[WIDTH], heads[HEADS];
    float *around = r->table, *alike = around + r->around_count * WIDTH, *path = alike + r->alike_count * WIDTH;
    ptrdiff_t row, column;
    OF_KIND(pool_around)(r, w->around, around);
    OF_KIND(pool_groups)(r, r->alike, r->alike_count, w->alike, alike);
    OF_KIND(pool_groups)(r, r->path, r->path_count, w->path, path);
    OF_KIND(sum_up)(r, heads);
    OF_KIND(dense)(r->state, STATE, w->pool_page, WIDTH, w->pool_bias, bias);
    OF_KIND(dense)(heads, WIDTH, w->all, WIDTH, bias, bias);
    for (row = 0; row < r->rows; row++) {
        const float *one = alike + r->alike[row] * (ptrdiff_t)WIDTH, *two = path + r->path[row] * (ptrdiff_t)WIDTH;
        float *here = r->values + row * WIDTH, found[WIDTH];
        if (row && OF_KIND(has_others_around)(r, row)) around += WIDTH;
        for (column = 0; column < WIDTH; column++) found[column] = around[column] + one[column] + two[column];
        OF_KIND(add_rectified)(here, found, bias, here);
    }
}

/* Choose the groups with the most words, of equals the earlier; return how many they are. */
INLINE int OF_KIND(choose_groups)(const Run *r, int32_t chosen[GROUPS]) {
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

/* What each group of like rows makes of itself and of those with the most words, at which it looks (attention); all its
rows get it.

Keys and queries are both products of groups: a group times one small matrix is how much it looks at each of the chosen.
What the keys' bias adds is the same for all of them and changes no share. */
INLINE void OF_KIND(look)(const Weights *w, Run *r) {
    static const float nothing[WIDTH] = {0};
    float means[GROUPS + SPARE_ROWS][WIDTH] = {{0}}, turned[GROUPS + SPARE_ROWS][WIDTH], asked[WIDTH][GROUPS] = {{0}};
    float lift[GROUPS], likeness[TOGETHER][GROUPS], seen[TOGETHER][WIDTH], both[TOGETHER][2 * WIDTH];
    float hidden[TOGETHER][HIDDEN], told[TOGETHER][WIDTH];
    const float scale = 1 / sqrtf(NETWORK_LOOK_WIDTH);
    int32_t chosen[GROUPS];
    int count, group, column;
    ptrdiff_t row, index;
    OF_KIND(find_means)(r, r->alike, r->alike_count, r->words, r->table);
    count = OF_KIND(choose_groups)(r, chosen);
    for (group = count; group < GROUPS; group++) lift[group] = -1e30f; /* those that are not there */
    for (group = 0; group < count; group++) {
        memcpy(means[group], r->table + chosen[group] * (ptrdiff_t)WIDTH, sizeof means[group]);
        lift[group] = 0;
        for (column = 0; column < WIDTH; column++) lift[group] += means[group][column] * w->lifted[column];
        lift[group] = lift[group] * scale + logf((float)r->sums[chosen[group]]) * NETWORK_GROUP_WEIGHT;
    }
    memcpy(turned, means, sizeof means);
    OF_KIND(multiply_table)(turned[0], count, w->asked);
    for (column = 0; column < WIDTH; column++)
        for (group = 0; group < count; group++) asked[column][group] = turned[group][column];
    for (row = 0; row < r->alike_count; row += TOGETHER) {
        ptrdiff_t rows = r->alike_count - row < TOGETHER ? r->alike_count - row : TOGETHER;
        float *here = r->table + row * WIDTH;
        OF_KIND(multiply)(here, WIDTH, asked[0], GROUPS, HELD, likeness[0]);
        for (index = 0; index < rows; index++) OF_KIND(soften)(likeness[index], GROUPS, scale, lift);
        OF_KIND(multiply)(likeness[0], GROUPS, means[0], WIDTH, HELD, seen[0]);
        for (index = 0; index < TOGETHER; index++)
            for (column = 0; column < WIDTH; column++) {
                both[index][column] = here[index * WIDTH + column];
                both[index][WIDTH + column] = seen[index][column];
            }
        OF_KIND(multiply)(both[0], 2 * WIDTH, w->own_and_seen, HIDDEN, HELD_WIDE, hidden[0]);
        for (index = 0; index < TOGETHER; index++)
            for (column = 0; column < HIDDEN; column++) {
                float value = hidden[index][column] + w->seen_bias[column];
                hidden[index][column] = value > 0 ? value : 0;
            }
        OF_KIND(multiply)(hidden[0], HIDDEN, w->told, WIDTH, HELD, told[0]);
        for (index = 0; index < rows; index++, here += WIDTH)
            OF_KIND(add_rectified)(nothing, told[index], w->told_bias, here);
    }
    for (row = 0; row < r->rows; row++) {
        const float *here = r->table + r->alike[row] * (ptrdiff_t)WIDTH;
        for (column = 0; column < WIDTH; column++) r->values[row * WIDTH + column] += here[column];
    }
}

/* The last layer: a logit a row. */
INLINE void OF_KIND(conclude)(const Weights *w, Run *r, const float *heads) {
    float bias[WIDTH], whole[HIDDEN], found[TOGETHER][WIDTH], lift;
    ptrdiff_t row, index;
    int column, lane;
    OF_KIND(dense)(heads, HEADS, w->whole, HIDDEN, w->whole_bias, whole);
    for (column = 0; column < HIDDEN; column++) whole[column] = whole[column] > 0 ? whole[column] : 0;
    OF_KIND(dense)(r->types, TYPES, w->late, WIDTH, w->last_bias, bias);
    OF_KIND(dense)(whole, HIDDEN, w->whole_told, WIDTH, bias, bias);
    OF_KIND(dense)(heads, HEADS, w->lift, 1, w->lift_bias, &lift);
    lift += w->output_bias[0];
    for (row = 0; row < r->rows; row += TOGETHER) {
        ptrdiff_t rows = r->rows - row < TOGETHER ? r->rows - row : TOGETHER;
        OF_KIND(multiply)(r->values + row * WIDTH, WIDTH, w->last, WIDTH, HELD, found[0]);
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
FAST void OF_KIND(go_on)(const Weights *w, Run *r) {
    float heads[HEADS], early[WIDTH];
    ptrdiff_t row, column;
    int layer;
    for (layer = 0; layer < LAYERS; layer++) {
        if (layer == NETWORK_POOL_BEFORE) OF_KIND(pool)(w, r);
        OF_KIND(mix)(&w->mix[layer], r, STEPS[layer]);
        if (layer == 0) {
            OF_KIND(sum_up)(r, heads);
            OF_KIND(find_type)(w, r, heads);
            OF_KIND(dense)(r->types, TYPES, w->early, WIDTH, w->early_bias, early);
            for (row = 0; row < r->rows; row++)
                for (column = 0; column < WIDTH; column++) r->values[row * WIDTH + column] += early[column];
        }
        if (layer == NETWORK_LOOK_AFTER) OF_KIND(look)(w, r);
    }
    OF_KIND(sum_up)(r, heads);
    OF_KIND(find_type)(w, r, heads);
    OF_KIND(conclude)(w, r, heads);
}

#undef OF_KIND
#undef FAST
#undef LANE_BYTES
#undef TOGETHER
#undef HELD
#undef HELD_WIDE
