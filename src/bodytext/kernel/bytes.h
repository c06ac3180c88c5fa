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
    BLANK = 1, /* white space, in a tag */
    SLASH = 2,
    CLOSE = 4,
    EQUALS = 8
};

/* What a byte is between the names of a tag. */
static const uint8_t mark_of[256] = {
    ['\t'] = BLANK, ['\n'] = BLANK, ['\f'] = BLANK, ['\r'] = BLANK, [' '] = BLANK, ['/'] = SLASH, ['>'] = CLOSE, ['='] = EQUALS,
};

INLINE int count_bits(uint64_t bits) {
    bits -= bits >> 1 & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
    return (int)(((bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0Fu) * 0x0101010101010101u >> 56);
}

/* Where a byte is, from `at` on; `end` if it is not there. */
INLINE ptrdiff_t find_byte(const uint8_t *text, ptrdiff_t at, ptrdiff_t end, uint8_t byte) {
    const uint8_t *found;
#if SIXTEEN
    if (end - at >= 16) {
        int bits = _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(text + at)), _mm_set1_epi8((char)byte)));
        if (bits) return at + LOWEST((uint64_t)bits);
        at += 16;
    }
#endif
    if (at >= end) return end;
    found = memchr(text + at, byte, (size_t)(end - at));
    return found ? found - text : end;
}

/* Where the name of a tag or an attribute ends, from `at` on: at white space, ">" and the given marks. */
INLINE ptrdiff_t find_name_end(const uint8_t *text, ptrdiff_t at, ptrdiff_t end, int marks) {
#if SIXTEEN
    while (end - at >= 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(text + at)), from_tab, found;
        int bits;
        from_tab = _mm_sub_epi8(bytes, _mm_set1_epi8('\t'));
        found = _mm_cmpeq_epi8(_mm_min_epu8(from_tab, _mm_set1_epi8(4)), from_tab);
        found = _mm_andnot_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\v')), found);
        found = _mm_or_si128(found, _mm_cmpeq_epi8(bytes, _mm_set1_epi8(' ')));
        found = _mm_or_si128(found, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('>')));
        if (marks & SLASH) found = _mm_or_si128(found, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('/')));
        if (marks & EQUALS) found = _mm_or_si128(found, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('=')));
        bits = _mm_movemask_epi8(found);
        if (bits) return at + LOWEST((uint64_t)bits);
        at += 16;
    }
#endif
    while (at < end && !(mark_of[text[at]] & (marks | BLANK | CLOSE))) at++;
    return at;
}

/* A name of at most sixteen bytes in lower case, as two numbers, the rest zero. `left` bytes can be read. */
typedef struct {
    uint64_t first, second;
} ShortName;

INLINE uint64_t lower_eight(uint64_t bytes) {
    uint64_t seven = bytes & 0x7F7F7F7F7F7F7F7Fu;
    uint64_t after_z = seven + 0x2525252525252525u, from_a = seven + 0x3F3F3F3F3F3F3F3Fu;
    return bytes | ((from_a ^ after_z) & ~bytes & 0x8080808080808080u) >> 2;
}

/* Eight bytes of a text in lower case, fewer if it has fewer, as a number that does not depend on the processor. */
INLINE uint64_t read_eight(const uint8_t *text, ptrdiff_t length, ptrdiff_t left) {
    uint64_t bytes = 0;
#if SIXTEEN
    if (left >= 8) {
        memcpy(&bytes, text, 8);
        if (length < 8) bytes &= ((uint64_t)1 << 8 * length) - 1;
        return lower_eight(bytes);
    }
#endif
    for (ptrdiff_t index = 0; index < length && index < 8; index++) bytes |= (uint64_t)text[index] << 8 * index;
    return lower_eight(bytes);
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

/* Read the attribute at `found->next`; return whether there is one. */
INLINE int next_attribute(const uint8_t *text, ptrdiff_t length, TagAttribute *found) {
    ptrdiff_t at = found->next;
    if (at < length && text[at] == ' ') at++; /* mostly one space */
    while (at < length && mark_of[text[at]] & (BLANK | SLASH)) at++;
    if (at >= length) {
        found->next = -1;
        return 0;
    }
    if (text[at] == '>') {
        found->self_closing = at > found->next && text[at - 1] == '/';
        found->next = at + 1;
        return 0;
    }
    found->name = at;
    at = find_name_end(text, at + 1, length, SLASH | EQUALS); /* a name may begin with "=" */
    found->name_end = found->value = found->value_end = found->next = at;
    while (at < length && mark_of[text[at]] & BLANK) at++;
    if (at >= length || text[at] != '=') return 1;
    at++;
    while (at < length && mark_of[text[at]] & BLANK) at++;
    found->value = at;
    if (at < length && (text[at] == '"' || text[at] == '\'')) {
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

#endif
