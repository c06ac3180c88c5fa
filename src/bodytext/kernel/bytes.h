/* Find and sort the bytes of a page, sixteen at a time on processors that all can do so; others go byte by byte. */

#ifndef BODYTEXT_BYTES_H
#define BODYTEXT_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#define SIXTEEN 1
#else
#define SIXTEEN 0
#endif

#if defined(__GNUC__)
#define INLINE static inline __attribute__((always_inline))
#define LOWEST(bits) __builtin_ctzll(bits)
#define HIGHEST(bits) (63 - __builtin_clzll(bits))
#else
#define INLINE static inline
static int LOWEST(uint64_t bits) {
    int place = 0;
    while (!(bits >> place & 1)) place++;
    return place;
}
static int HIGHEST(uint64_t bits) {
    int place = 63;
    while (!(bits >> place & 1)) place--;
    return place;
}
#endif

enum {
    AT_ONCE = 48, /* bytes that are sorted at once: one number has a bit for each, and bits to spare */
    LONGEST_SHORT_NAME = 16,
    SPARE = 16,
    COPIED = 32, /* bytes that are copied at once, some of them beyond the end */
    BLANK = 1, /* white space, in a tag */
    SLASH = 2,
    CLOSE = 4,
    EQUALS = 8,
    EDGE = 27, /* a symbol of a name; 1 to 26 are its letters */
    HAS_CAPITALS = 1,
    HAS_DIGITS = 2
};

/* What a byte is between the names of a tag. */
static const uint8_t mark_of[256] = {
    ['\t'] = BLANK, ['\n'] = BLANK, ['\f'] = BLANK, ['\r'] = BLANK, [' '] = BLANK, ['/'] = SLASH, ['>'] = CLOSE, ['='] = EQUALS,
};

/* Have the processor fetch bytes that will be read soon. The address may be any. */
INLINE void fetch(const uint8_t *text) {
#if defined(__GNUC__)
    __builtin_prefetch(text);
#else
    (void)text;
#endif
}

INLINE int count_bits(uint64_t bits) {
    bits -= bits >> 1 & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
    return (int)(((bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0Fu) * 0x0101010101010101u >> 56);
}

#if SIXTEEN
/* Which of sixteen bytes are a given one. */
INLINE uint64_t match_sixteen(const uint8_t *text, uint8_t byte) {
    __m128i bytes = _mm_loadu_si128((const __m128i *)text);
    return (uint64_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8((char)byte)));
}

INLINE uint64_t match_64(const uint8_t *text, uint8_t byte) {
    return match_sixteen(text, byte) | match_sixteen(text + 16, byte) << 16 | match_sixteen(text + 32, byte) << 32
        | match_sixteen(text + 48, byte) << 48;
}
#endif

/* Where a byte is, from `at` on; `end` if it is not there. */
INLINE ptrdiff_t find_byte(const uint8_t *text, ptrdiff_t at, ptrdiff_t end, uint8_t byte) {
    const uint8_t *found;
#if SIXTEEN
    uint64_t bits;
    if (end - at >= 16) {
        bits = match_sixteen(text + at, byte);
        if (bits) return at + LOWEST(bits);
        at += 16;
    }
    if (end - at >= 64) { /* to call a function takes longer */
        bits = match_64(text + at, byte);
        if (bits) return at + LOWEST(bits);
        at += 64;
    }
#endif
    if (at >= end) return end;
    found = memchr(text + at, byte, (size_t)(end - at));
    return found ? found - text : end;
}

/* Where either of two bytes is, from `at` on; `end` if neither is there. */
INLINE ptrdiff_t find_either(const uint8_t *text, ptrdiff_t at, ptrdiff_t end, uint8_t one, uint8_t other) {
#if SIXTEEN
    for (; end - at >= 16; at += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(text + at)), found;
        int bits;
        found = _mm_cmpeq_epi8(bytes, _mm_set1_epi8((char)one));
        found = _mm_or_si128(found, _mm_cmpeq_epi8(bytes, _mm_set1_epi8((char)other)));
        bits = _mm_movemask_epi8(found);
        if (bits) return at + LOWEST((uint64_t)bits);
    }
#endif
    while (at < end && text[at] != one && text[at] != other) at++;
    return at;
}

#if SIXTEEN
/* Which of sixteen bytes are the first of such a pair. */
INLINE int match_pairs(const uint8_t *text, uint8_t one, uint8_t other, ptrdiff_t distance) {
    __m128i here = _mm_loadu_si128((const __m128i *)text), there = _mm_loadu_si128((const __m128i *)(text + distance));
    here = _mm_cmpeq_epi8(here, _mm_set1_epi8((char)one));
    there = _mm_cmpeq_epi8(there, _mm_set1_epi8((char)other));
    return _mm_movemask_epi8(_mm_and_si128(here, there));
}
#endif

/* Where a byte is that has another one at a distance after it, from `at` on; `end` if it is not there. */
INLINE ptrdiff_t find_pair(
    const uint8_t *text, ptrdiff_t at, ptrdiff_t end, uint8_t one, uint8_t other, ptrdiff_t distance
) {
#if SIXTEEN
    int bits;
    for (; end - at >= 16; at += 16) {
        bits = match_pairs(text + at, one, other, distance);
        if (bits) return at + LOWEST((uint64_t)bits);
    }
    if (at < end && end >= 16) { /* the last sixteen bytes, without those that were looked at */
        bits = match_pairs(text + end - 16, one, other, distance) >> (at - end + 16);
        return bits ? at + LOWEST((uint64_t)bits) : end;
    }
#endif
    while (at < end && !(text[at] == one && text[at + distance] == other)) at++;
    return at;
}

/* Where the name of a tag or an attribute ends, from `at` on: at white space, ">" and the given marks. */
INLINE ptrdiff_t find_name_end(const uint8_t *text, ptrdiff_t at, ptrdiff_t end, int marks) {
#if SIXTEEN
    for (; end - at >= 16; at += 16) {
        /* Control characters are found with white space, and "<" and "?" with "=": few names have them. */
        __m128i bytes = _mm_loadu_si128((const __m128i *)(text + at)), found, close = bytes;
        int bits;
        found = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(' ')), bytes);
        if (marks & EQUALS) close = _mm_or_si128(bytes, _mm_set1_epi8('<' ^ '?'));
        found = _mm_or_si128(found, _mm_cmpeq_epi8(close, _mm_set1_epi8(marks & EQUALS ? '?' : '>')));
        if (marks & SLASH) found = _mm_or_si128(found, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('/')));
        for (bits = _mm_movemask_epi8(found); bits; bits &= bits - 1) {
            const ptrdiff_t place = at + LOWEST((uint64_t)bits);
            if (mark_of[text[place]] & (marks | BLANK | CLOSE)) return place;
        }
    }
#endif
    while (at < end && !(mark_of[text[at]] & (marks | BLANK | CLOSE))) at++;
    return at;
}

/* A name of at most sixteen bytes, in small letters. */
typedef struct {
    uint64_t first, second;
} ShortName;

/* The first bytes of a text as a number that does not depend on the processor: eight, or as many as it has. `left` bytes
can be read. */
INLINE uint64_t read_number(const uint8_t *text, ptrdiff_t length, ptrdiff_t left) {
    static const uint64_t parts[9] = {
        0, 0xFF, 0xFFFF, 0xFFFFFF, 0xFFFFFFFF, 0xFFFFFFFFFF, 0xFFFFFFFFFFFF, 0xFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF,
    };
    uint64_t bytes = 0;
    if (length > 8) length = 8;
    if (SIXTEEN && left >= 8) {
        memcpy(&bytes, text, 8);
        bytes &= parts[length];
    } else {
        for (ptrdiff_t at = 0; at < length; at++) bytes |= (uint64_t)text[at] << 8 * at;
    }
    return bytes;
}

/* The same in small letters: the capitals of ASCII are small, and so are the signs beside them, which no name and no word
has. */
INLINE uint64_t read_eight(const uint8_t *text, ptrdiff_t length, ptrdiff_t left) {
    const uint64_t bytes = read_number(text, length, left);
    return bytes | (bytes & ~(bytes >> 1) & 0x4040404040404040u) >> 1;
}

INLINE ShortName read_short_name(const uint8_t *text, ptrdiff_t length, ptrdiff_t left) {
    ShortName name = {read_eight(text, length, left), 0};
    if (length > 8) name.second = read_eight(text + 8, length - 8, left - 8);
    return name;
}

/* An attribute of a tag: where its name and its value are, and where to go on. */
typedef struct {
    ptrdiff_t name, name_end, value, value_end;
    ptrdiff_t next; /* after the tag's ">" if there is no attribute left, -1 if the text ends before that */
    int self_closing;
} TagAttribute;

#if SIXTEEN
/* Read an attribute of the most frequent form, whose name begins at `found->name`: a short name, "=", and a value in double
quotes. Return whether it is one. 64 bytes can be read. The ends of name and value are sought at once, so that neither has
to wait for the other. */
INLINE int read_quoted(const uint8_t *text, ptrdiff_t length, TagAttribute *found) {
    const uint8_t *name = text + found->name;
    const uint64_t quotes = match_64(name, '"'), others = quotes & (quotes - 1);
    const __m128i bytes = _mm_loadu_si128((const __m128i *)name);
    /* What may end a name, as in find_name_end. */
    __m128i ends = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(' ')), bytes);
    int end;
    ends = _mm_or_si128(ends, _mm_cmpeq_epi8(_mm_or_si128(bytes, _mm_set1_epi8('<' ^ '?')), _mm_set1_epi8('?')));
    ends = _mm_or_si128(ends, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('/')));
    end = LOWEST((uint64_t)((_mm_movemask_epi8(ends) & 0xFFFE) | 0x10000)); /* a name may begin with "=" */
    if (!quotes || LOWEST(quotes) != end + 1 || name[end] != '=') return 0;
    found->name_end = found->name + end;
    found->value = found->name_end + 2;
    found->value_end = others ? found->name + LOWEST(others) : find_byte(text, found->name + 64, length, '"');
    found->next = found->value_end + 1;
    return found->value_end < length;
}
#endif

/* Read the attribute at `found->next`; return whether there is one. After the text comes a NUL, which ends all that is
passed over. */
INLINE int next_attribute(const uint8_t *text, ptrdiff_t length, TagAttribute *found) {
    ptrdiff_t at = found->next;
    while (mark_of[text[at]] & (BLANK | SLASH)) at++;
    if (text[at] == '>') {
        found->self_closing = at > found->next && text[at - 1] == '/';
        found->next = at + 1;
        return 0;
    }
    if (at >= length) {
        found->next = -1;
        return 0;
    }
    found->name = at;
#if SIXTEEN
    if (length - at >= 64 && read_quoted(text, length, found)) return 1;
#endif
    at = find_name_end(text, at + 1, length, SLASH | EQUALS); /* a name may begin with "=" */
    found->name_end = found->value = found->value_end = found->next = at;
    while (mark_of[text[at]] & BLANK) at++;
    if (text[at] != '=') return 1;
    do at++;
    while (mark_of[text[at]] & BLANK);
    found->value = at;
    if (text[at] == '"' || text[at] == '\'') {
        found->value = at + 1;
        found->value_end = find_byte(text, at + 1, length, text[at]);
        if (found->value_end >= length) {
            found->next = -1;
            return 0;
        }
        found->next = found->value_end + 1;
        return 1;
    }
    found->next = found->value_end = find_name_end(text, at, length, 0);
    return 1;
}

/* Whether a text, which has a byte at least, is white space alone; `left` bytes can be read. */
INLINE int is_blank(const uint8_t *text, ptrdiff_t length, ptrdiff_t left) {
    ptrdiff_t at = 0;
    if (text[0] > ' ') return 0; /* most texts */
#if SIXTEEN
    for (; at < length && left - at >= 16; at += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(text + at)), from_tab, blank;
        uint32_t others;
        from_tab = _mm_sub_epi8(bytes, _mm_set1_epi8('\t'));
        blank = _mm_cmpeq_epi8(_mm_min_epu8(from_tab, _mm_set1_epi8(4)), from_tab);
        blank = _mm_or_si128(blank, _mm_cmpeq_epi8(bytes, _mm_set1_epi8(' ')));
        others = ~(uint32_t)_mm_movemask_epi8(blank) & 0xFFFF;
        if (length - at < 16) others &= (1u << (length - at)) - 1;
        if (others) return 0;
    }
#endif
    while (at < length && (text[at] == ' ' || ('\t' <= text[at] && text[at] <= '\r'))) at++;
    return at >= length;
}

/* Which of some bytes are visible, which of these are letters or digits of ASCII, and which need a look of their own:
beyond ASCII, control characters, and the "&" of references. */
typedef struct {
    uint64_t visible, word, special;
} Sorted;

/* Sort at most AT_ONCE bytes; `left` can be read. */
INLINE Sorted sort_bytes(const uint8_t *text, ptrdiff_t count, ptrdiff_t left, int has_references) {
    Sorted sorted = {0, 0, 0};
    uint64_t all = ((uint64_t)1 << count) - 1;
#if SIXTEEN
    uint8_t copy[AT_ONCE];
    const __m128i reference = _mm_set1_epi8(has_references ? '&' : 0x7F);
    if (left < AT_ONCE) {
        memset(copy, 0, sizeof(copy));
        memcpy(copy, text, (size_t)count);
        text = copy;
    }
    for (ptrdiff_t at = 0; at < count; at += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(text + at)), from_tab, from_a, from_0, blank, control;
        from_tab = _mm_sub_epi8(bytes, _mm_set1_epi8('\t'));
        from_a = _mm_sub_epi8(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), _mm_set1_epi8('a'));
        from_0 = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
        blank = _mm_cmpeq_epi8(_mm_min_epu8(from_tab, _mm_set1_epi8(4)), from_tab);
        control = _mm_andnot_si128(blank, _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1F)), bytes));
        control = _mm_or_si128(control, _mm_cmpeq_epi8(bytes, _mm_set1_epi8(0x7F)));
        control = _mm_or_si128(control, _mm_cmpeq_epi8(bytes, reference));
        blank = _mm_or_si128(blank, _mm_cmpeq_epi8(bytes, _mm_set1_epi8(' ')));
        from_a = _mm_cmpeq_epi8(_mm_min_epu8(from_a, _mm_set1_epi8(25)), from_a);
        from_0 = _mm_cmpeq_epi8(_mm_min_epu8(from_0, _mm_set1_epi8(9)), from_0);
        sorted.visible |= (uint64_t)(~_mm_movemask_epi8(blank) & 0xFFFF) << at;
        sorted.word |= (uint64_t)_mm_movemask_epi8(_mm_or_si128(from_a, from_0)) << at;
        sorted.special |= (uint64_t)_mm_movemask_epi8(_mm_or_si128(control, bytes)) << at;
    }
    sorted.visible &= all, sorted.word &= all, sorted.special &= all;
#else
    for (ptrdiff_t at = 0; at < count; at++) {
        uint8_t byte = text[at], letter = byte | 0x20;
        uint64_t bit = (uint64_t)1 << at;
        if (byte != ' ' && !('\t' <= byte && byte <= '\r')) sorted.visible |= bit;
        if (('a' <= letter && letter <= 'z') || ('0' <= byte && byte <= '9')) sorted.word |= bit;
        if (byte >= 0x7F || (byte < ' ' && !('\t' <= byte && byte <= '\r')) || (byte == '&' && has_references))
            sorted.special |= bit;
    }
    (void)left, (void)all;
#endif
    return sorted;
}

#if SIXTEEN
/* Which of sixteen bytes are a space, and above these which are neither that nor plain. */
INLINE uint32_t sort_sixteen(__m128i bytes) {
    __m128i other = _mm_cmplt_epi8(bytes, _mm_set1_epi8(' ')); /* beyond ASCII bytes are negative */
    other = _mm_or_si128(other, _mm_cmpeq_epi8(bytes, _mm_set1_epi8(0x7F)));
    other = _mm_or_si128(other, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('&')));
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(' '))) | (uint32_t)_mm_movemask_epi8(other) << 16;
}
#endif

/* Copy plain text from its beginning: visible ASCII but "&", with one space between words. Return how much it is; what
is left may be plain, too. `left` bytes can be read, and COPIED bytes more than the text has can be written. */
INLINE ptrdiff_t copy_plain(uint8_t *out, const uint8_t *text, ptrdiff_t length, ptrdiff_t left) {
    ptrdiff_t at = 0;
#if SIXTEEN
    while (at < length && left - at >= COPIED) {
        const __m128i here = _mm_loadu_si128((const __m128i *)(text + at));
        const __m128i there = _mm_loadu_si128((const __m128i *)(text + at + 16));
        const uint64_t first = sort_sixteen(here), second = sort_sixteen(there);
        const uint64_t space = (first & 0xFFFF) | (second & 0xFFFF) << 16;
        uint64_t stop = first >> 16 | (second >> 16) << 16 | (uint64_t)1 << (length - at < COPIED ? length - at : COPIED);
        int count;
        stop |= space & (space | stop) >> 1; /* the last byte, if it is a space, comes with the next ones */
        count = LOWEST(stop);
        _mm_storeu_si128((__m128i *)(out + at), here);
        _mm_storeu_si128((__m128i *)(out + at + 16), there);
        at += count;
        if (count < COPIED - 1) break;
    }
#else
    (void)out, (void)text, (void)length, (void)left;
#endif
    return at;
}

/* Write the symbol of each byte of a name, and return what it has. SPARE bytes more can be read, which are 0, and written. */
INLINE int write_symbols(const uint8_t *text, ptrdiff_t length, uint8_t *symbols) {
#if SIXTEEN
    __m128i capitals = _mm_setzero_si128(), digits = capitals;
    for (ptrdiff_t at = 0; at < length; at += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(text + at)), symbol, capital, digit;
        symbol = _mm_sub_epi8(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), _mm_set1_epi8('a'));
        symbol = _mm_add_epi8(_mm_min_epu8(symbol, _mm_set1_epi8(EDGE - 1)), _mm_set1_epi8(1));
        capital = _mm_sub_epi8(bytes, _mm_set1_epi8('A'));
        digit = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
        capitals = _mm_or_si128(capitals, _mm_cmpeq_epi8(_mm_min_epu8(capital, _mm_set1_epi8(25)), capital));
        digits = _mm_or_si128(digits, _mm_cmpeq_epi8(_mm_min_epu8(digit, _mm_set1_epi8(9)), digit));
        _mm_storeu_si128((__m128i *)(symbols + at), symbol);
    }
    return (_mm_movemask_epi8(capitals) ? HAS_CAPITALS : 0) | (_mm_movemask_epi8(digits) ? HAS_DIGITS : 0);
#else
    int found = 0;
    for (ptrdiff_t at = 0; at < length; at++) {
        uint8_t byte = text[at], letter = (uint8_t)((byte | 0x20) - 'a');
        symbols[at] = letter < 26 ? letter + 1 : EDGE;
        if ('A' <= byte && byte <= 'Z') found |= HAS_CAPITALS;
        if ('0' <= byte && byte <= '9') found |= HAS_DIGITS;
    }
    return found;
#endif
}

/* Which of some bytes are parts of words, which of these are digits and capitals, which are white space, and which need a
look of their own: beyond ASCII, and "&". */
typedef struct {
    uint64_t letter, digit, upper, space, other;
} Letters;

/* Sort at most AT_ONCE bytes; `left` can be read. Control characters are parts of words. */
INLINE Letters sort_letters(const uint8_t *text, ptrdiff_t count, ptrdiff_t left) {
    Letters sorted = {0, 0, 0, 0, 0};
    uint64_t all = ((uint64_t)1 << count) - 1;
#if SIXTEEN
    uint8_t copy[AT_ONCE];
    if (left < AT_ONCE) {
        memset(copy, 0, sizeof(copy));
        memcpy(copy, text, (size_t)count);
        text = copy;
    }
    for (ptrdiff_t at = 0; at < count; at += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(text + at)), space, small, upper, digit, control, other;
        space = _mm_sub_epi8(bytes, _mm_set1_epi8('\t'));
        small = _mm_sub_epi8(bytes, _mm_set1_epi8('a'));
        upper = _mm_sub_epi8(bytes, _mm_set1_epi8('A'));
        digit = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
        space = _mm_cmpeq_epi8(_mm_min_epu8(space, _mm_set1_epi8(4)), space);
        small = _mm_cmpeq_epi8(_mm_min_epu8(small, _mm_set1_epi8(25)), small);
        upper = _mm_cmpeq_epi8(_mm_min_epu8(upper, _mm_set1_epi8(25)), upper);
        digit = _mm_cmpeq_epi8(_mm_min_epu8(digit, _mm_set1_epi8(9)), digit);
        control = _mm_andnot_si128(space, _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1F)), bytes));
        control = _mm_or_si128(control, _mm_cmpeq_epi8(bytes, _mm_set1_epi8(0x7F)));
        space = _mm_or_si128(space, _mm_cmpeq_epi8(bytes, _mm_set1_epi8(' ')));
        other = _mm_or_si128(bytes, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('&')));
        small = _mm_or_si128(_mm_or_si128(small, upper), _mm_or_si128(digit, control));
        sorted.letter |= (uint64_t)_mm_movemask_epi8(small) << at;
        sorted.digit |= (uint64_t)_mm_movemask_epi8(digit) << at;
        sorted.upper |= (uint64_t)_mm_movemask_epi8(upper) << at;
        sorted.space |= (uint64_t)_mm_movemask_epi8(space) << at;
        sorted.other |= (uint64_t)_mm_movemask_epi8(other) << at;
    }
    sorted.letter &= all, sorted.digit &= all, sorted.upper &= all, sorted.space &= all, sorted.other &= all;
#else
    for (ptrdiff_t at = 0; at < count; at++) {
        uint8_t byte = text[at];
        uint64_t bit = (uint64_t)1 << at;
        int digit = '0' <= byte && byte <= '9', upper = 'A' <= byte && byte <= 'Z';
        int space = byte == ' ' || ('\t' <= byte && byte <= '\r');
        if (digit) sorted.digit |= bit;
        if (upper) sorted.upper |= bit;
        if (space) sorted.space |= bit;
        if (byte >= 0x80 || byte == '&') sorted.other |= bit;
        if (digit || upper || ('a' <= byte && byte <= 'z') || byte == 0x7F || (byte < ' ' && !space)) sorted.letter |= bit;
    }
    (void)left, (void)all;
#endif
    return sorted;
}

#endif
