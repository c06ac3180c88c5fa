# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Read clues from names and letters: the native twin of `clues.py`, which explains how."""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memchr, memcmp, memcpy, memset

include "constants.pxi"
include "columns.pxi"
include "characters.pxi"
include "page_tables.pxi"

import numpy as np

from bodytext.kernel.class_names import TOPIC_WORDS
from bodytext.kernel.feature_columns import NAMED_TAGS
from bodytext.kernel.letters import CLASS_OF, LEARNT

cdef extern from "bytes.h" nogil:
    enum:
        AT_ONCE, EDGE, HAS_CAPITALS, HAS_DIGITS, SLASH, SPARE

    ctypedef struct TagAttribute:
        Py_ssize_t name, name_end, value, value_end, next

    ctypedef struct Letters:
        uint64_t letter, digit, upper, space, other

    int count_bits(uint64_t bits)
    void fetch(const uint8_t* text)
    int LOWEST(uint64_t bits)
    int HIGHEST(uint64_t bits)
    Py_ssize_t find_pair(
        const uint8_t* text, Py_ssize_t at, Py_ssize_t end, uint8_t one, uint8_t other, Py_ssize_t distance
    )
    Py_ssize_t find_name_end(const uint8_t* text, Py_ssize_t at, Py_ssize_t end, int marks)
    uint64_t read_number(const uint8_t* text, Py_ssize_t length, Py_ssize_t left)
    uint64_t read_eight(const uint8_t* text, Py_ssize_t length, Py_ssize_t left)
    bint next_attribute(const uint8_t* text, Py_ssize_t length, TagAttribute* found)
    int write_symbols(const uint8_t* text, Py_ssize_t length, uint8_t* symbols)
    Letters sort_letters(const uint8_t* text, Py_ssize_t count, Py_ssize_t left)

cdef enum:
    VOCABULARY_BYTES = VOCABULARY >> 3
    STRETCHES_BYTES = STRETCHES >> 3
    REMEMBERED_BITS = 9
    REMEMBERED = 1 << REMEMBERED_BITS  # tags, and values of attributes, that are kept for the next ones like them
    SHORTEST_NAMED = 8  # bytes of a tag with a name: <p id=a>
    LOWER_BIT = 0x20  # tells a small letter of ASCII from its capital
    BEGINNING = 4  # symbols of a word that are looked for first
    BEGINNING_BITS = 14
    MOST_SYMBOLS = 2 * LONGEST_CLASS + 2 + SPARE  # an edge may come before each letter
    AHEAD = 8  # tags, or runs, from the one that is read to the one that is fetched from memory
    KINDS_TOLD = 3  # title, description, structured data

cdef const uint8_t* class_of
cdef object class_table = CLASS_OF
class_of = <const uint8_t*><char*>class_table

cdef uint8_t has_names[TAGS_COUNT]
cdef uint8_t learnt[KINDS_TOLD]
cdef uint8_t symbol_of[256]


cdef struct TopicWord:
    uint64_t first, second  # its first sixteen symbols
    uint64_t first_mask, second_mask
    uint64_t topic
    bint is_last  # of those whose beginnings have its hash
    uint8_t length
    uint8_t text[LONGEST_TOPIC_WORD]


cdef TopicWord topic_words[TOPIC_WORDS_COUNT]  # in the order of the hashes of their beginnings
cdef uint8_t begins_word[1 << (BEGINNING_BITS - 3)]  # a bit for each hash of a beginning
cdef uint16_t first_word[1 << BEGINNING_BITS]  # with that hash


cdef int fill_tables() except -1:
    cdef int index
    for index in range(KINDS_TOLD):
        learnt[index] = LEARNT[index]
    for index in range(TAGS_COUNT):
        has_names[index] = NAMED_TAGS[index]
    for index in range(256):
        symbol_of[index] = (index | LOWER_BIT) - c'a' + 1 if is_letter(index) else EDGE
    words = [(word.encode(), topic) for topic, line in enumerate(TOPIC_WORDS.values()) for word in line.split()]
    if min([len(word) for word, _ in words]) < BEGINNING:
        raise ImportError("a word of a topic is too short")
    hashed = sorted([(hash_word(word), word, topic) for word, topic in words])
    for index, (_, word, topic) in enumerate(hashed):
        add_word(index, word, 1ULL << <int>topic)
    return 0


cdef uint32_t hash_word(bytes text) except? 0:
    """The hash of the beginning of a word."""
    cdef uint8_t symbols[BEGINNING]
    cdef int index
    for index in range(BEGINNING):
        symbols[index] = symbol_of[<uint8_t>text[index]]
    return hash_beginning(symbols)


cdef int add_word(int number, bytes text, uint64_t topic) except -1:
    cdef TopicWord* word = topic_words + number
    cdef uint32_t hashed = hash_word(text)
    cdef int index
    word.length, word.topic, word.is_last = len(text), topic, True
    for index in range(len(text)):
        word.text[index] = symbol_of[text[index]]
        if index < 16:
            (<uint8_t*>(&word.first_mask if index < 8 else &word.second_mask))[index % 8] = 0xFF
    memcpy(&word.first, word.text, min(len(text), 8))
    memcpy(&word.second, word.text + 8, max(min(len(text) - 8, 8), 0))
    if begins_word[hashed >> 3] >> (hashed & 7) & 1:
        topic_words[number - 1].is_last = False
    else:
        begins_word[hashed >> 3] |= 1 << (hashed & 7)
        first_word[hashed] = number
    return 0


cdef inline uint32_t hash_beginning(const uint8_t* symbols) noexcept nogil:
    cdef uint32_t beginning
    memcpy(&beginning, symbols, BEGINNING)
    return beginning * 0x9E3779B9u >> (32 - BEGINNING_BITS)


cdef inline uint64_t letters_of(bytes name):
    return read_eight(name, len(name), len(name))


fill_tables()
cdef uint64_t NAME_CLASS = letters_of(b"class"), NAME_ID = letters_of(b"id"), NAME_ROLE = letters_of(b"role")
cdef uint64_t NAME_PROPERTY = letters_of(b"itemprop"), NAME_TYPE = letters_of(b"itemtype")


cdef inline int sort_of(uint64_t name, Py_ssize_t length) noexcept nogil:
    """2 for a class, 1 for another attribute whose value is a name, else 0."""
    if name == NAME_CLASS:
        return 2 if length == 5 else 0
    if name == NAME_ID:
        return length == 2
    if name == NAME_ROLE:
        return length == 4
    return length == 8 and (name == NAME_PROPERTY or name == NAME_TYPE)


cdef struct Value:
    const uint8_t* text
    Py_ssize_t length
    uint64_t topics
    uint32_t signature


cdef struct Tag:
    const uint8_t* text
    Py_ssize_t length
    uint64_t topics
    uint32_t signature


cdef struct Reading:
    Tag tags[REMEMBERED]
    Value values[REMEMBERED]


cdef inline uint64_t match_words(const uint8_t* symbols) noexcept nogil:
    """The topics of the words at a place where one may begin."""
    cdef const TopicWord* word = topic_words + first_word[hash_beginning(symbols)]
    cdef uint64_t topics = 0, first, second
    memcpy(&first, symbols, 8)
    memcpy(&second, symbols + 8, 8)
    while True:
        if (first ^ word.first) & word.first_mask | (second ^ word.second) & word.second_mask == 0 \
                and (word.length <= 16 or memcmp(word.text + 16, symbols + 16, word.length - 16) == 0):
            topics |= word.topic
        if word.is_last:
            return topics
        word += 1


cdef uint64_t find_topics(const uint8_t* symbols, Py_ssize_t count) noexcept nogil:
    """The topics of the words in a name, after whose symbols there is room for as many as a word has.

    The places where a word may begin are listed first, without a branch that nobody can foresee.
    """
    cdef uint16_t places[MOST_SYMBOLS]
    cdef uint64_t topics = 0
    cdef uint32_t hashed
    cdef Py_ssize_t index, found = 0
    for index in range(count - BEGINNING + 1):
        hashed = hash_beginning(symbols + index)
        places[found] = <uint16_t>index
        found += begins_word[hashed >> 3] >> (hashed & 7) & 1
    for index in range(found):
        topics |= match_words(symbols + places[index])
    return topics


cdef int add_edges(const uint8_t* text, int length, uint8_t* symbols) noexcept nogil:
    """Write the symbols of a name with an edge before each capital after a small letter; return how many they are."""
    cdef int index, count = 0
    for index in range(length):
        symbols[count] = EDGE
        count += index > 0 and c'A' <= text[index] <= c'Z' and c'a' <= text[index - 1] <= c'z'
        symbols[count] = symbol_of[text[index]]
        count += 1
    return count


cdef inline bint has_digits(uint64_t eight) noexcept nogil:
    """Whether one of eight bytes is a digit, which is less than ten without the bits of "0"."""
    cdef uint64_t values = eight ^ 0x3030303030303030u
    return ~(values | (values & 0x7F7F7F7F7F7F7F7Fu) + 0x7676767676767676u) & 0x8080808080808080u != 0


cdef int leave_out_digits(uint8_t* text, int length) noexcept nogil:
    """Move all other bytes together; return how many they are. After the text there are some to spare."""
    cdef Py_ssize_t at = 0, index, count = 0
    cdef uint64_t eight
    while at < length:
        memcpy(&eight, text + at, 8)
        if at + 8 <= length and not has_digits(eight):
            memcpy(text + count, &eight, 8)
            count += 8
        else:
            for index in range(at, min(at + 8, length)):
                text[count] = text[index]
                count += <uint8_t>(text[index] - c'0') > 9
        at += 8
    return <int>count


cdef inline uint32_t hash_bytes(const uint8_t* text, Py_ssize_t size, uint64_t mixed) noexcept nogil:
    """A hash of 32 bits, by eight bytes at a time. After the text there are some to spare."""
    cdef Py_ssize_t at = 0
    while at < size:
        mixed = (mixed ^ read_number(text + at, size - at, SPARE)) * HASH_BASE
        mixed ^= mixed >> 32
        at += 8
    return <uint32_t>mixed


cdef void read_name(Value* value) noexcept nogil:
    """Read the topics of one name, and a hash of it without its digits, which number the items of a list.

    An edge comes before, after and between its words.
    """
    cdef uint8_t text[LONGEST_CLASS + SPARE]
    cdef uint8_t symbols[MOST_SYMBOLS + LONGEST_TOPIC_WORD]
    cdef int length = <int>min(value.length, LONGEST_CLASS), count = length, marks
    memcpy(text, value.text, length)
    memset(text + length, 0, SPARE)
    marks = write_symbols(text, length, symbols + 1)
    if marks & HAS_CAPITALS:
        count = add_edges(text, length, symbols + 1)
    symbols[0] = symbols[count + 1] = EDGE
    memset(symbols + count + 2, 0, LONGEST_TOPIC_WORD)
    value.topics = find_topics(symbols, count + 2)
    if marks & HAS_DIGITS:
        length = leave_out_digits(text, length)
    value.signature = hash_bytes(text, length, FNV_OFFSET)


cdef inline Value* recall(Reading* r, const uint8_t* text, Py_ssize_t length, Py_ssize_t left) noexcept nogil:
    """The topics of a name. Pages repeat their classes, so those read last are kept."""
    cdef uint64_t mixed = (<uint64_t>length ^ read_number(text, length, left)) * 0x9E3779B97F4A7C15u
    cdef Py_ssize_t last = max(length - 8, 0)
    cdef Value* value
    mixed = (mixed ^ mixed >> 32 ^ read_number(text + last, length - last, left - last)) * 0x9E3779B97F4A7C15u
    mixed = (mixed ^ mixed >> 32 ^ read_number(text + last // 2, length - last, left - last // 2)) * 0x9E3779B97F4A7C15u
    value = r.values + (mixed >> (64 - REMEMBERED_BITS))
    if value.text == NULL or value.length != length or memcmp(value.text, text, length):
        value.text, value.length = text, length
        read_name(value)
    return value


cdef void read_tag(Reading* r, Tag* tag, const uint8_t* source, Py_ssize_t position, Py_ssize_t length) noexcept nogil:
    """Read the names in a tag's attributes. `length` is that of the source."""
    cdef TagAttribute part
    cdef Value* known
    cdef int sort
    tag.topics, tag.signature = 0, 0
    part.next = find_name_end(source, position, length, SLASH)
    while next_attribute(source, length, &part):
        sort = sort_of(read_eight(source + part.name, part.name_end - part.name, length - part.name), part.name_end - part.name)
        if sort:
            known = recall(r, source + part.value, part.value_end - part.value, length - part.value)
            tag.topics |= known.topics
            if sort == 2 and not tag.signature:
                tag.signature = known.signature


cdef inline Tag* recall_tag(Reading* r, const uint8_t* source, Py_ssize_t start, Py_ssize_t end, Py_ssize_t length) noexcept nogil:
    """What the names of a tag say, which is SHORTEST_NAMED bytes or longer. Pages repeat whole tags, too."""
    cdef const uint8_t* text = source + start
    cdef Py_ssize_t size = end - start
    cdef uint64_t last, middle
    cdef Tag* tag
    memcpy(&last, text + size - 8, 8)
    memcpy(&middle, text + (size - 8) // 2, 8)
    last = (last ^ <uint64_t>size) * 0x9E3779B97F4A7C15u
    tag = r.tags + ((last ^ last >> 32 ^ middle) * 0x9E3779B97F4A7C15u >> (64 - REMEMBERED_BITS))
    if tag.text == NULL or tag.length != size or memcmp(tag.text, text, size):
        tag.text, tag.length = text, size
        read_tag(r, tag, source, start + 1, length)
    return tag


def read_topics(name: bytes):
    """The topics of one name, as bits."""
    cdef Value value
    value.text, value.length = <const uint8_t*><char*>name, len(name)
    read_name(&value)
    return value.topics


cdef void read_all_names(const void* page, uint64_t* near, uint64_t* far, uint32_t* signature, int32_t* up) noexcept nogil:
    """Read the topics of each node and of those around it, its signature, and the node around it that holds more text."""
    cdef PageTables p = (<const PageTables*>page)[0]
    cdef Py_ssize_t node, above
    cdef int32_t first, stop, own, start, end
    cdef uint64_t topics, same  # all bits are set if the node above holds no more text
    cdef uint32_t signed, joined
    cdef Tag* tag
    cdef Reading r
    for node in range(REMEMBERED):
        r.tags[node].text = r.values[node].text = NULL
    for node in range(p.nodes):
        if node + AHEAD < p.nodes:
            fetch(p.source + get(&p.node_start, node + AHEAD))
        topics, signed = 0, 0
        first, stop, own = get(&p.node_first, node), get(&p.node_stop, node), get(&p.tag, node)
        if first < stop and 0 <= own < TAGS_COUNT and has_names[own]:
            start, end = get(&p.node_start, node), get(&p.node_end, node)
            if 0 <= start < end <= p.size and end - start >= SHORTEST_NAMED:
                tag = recall_tag(&r, p.source, start, end, p.size)
                topics, signed = tag.topics, tag.signature
        above = get(&p.parent, node)
        signed = (signed ^ <uint32_t>own) * FNV_PRIME
        if 0 <= above < node:  # without a branch that nobody can foresee
            same = -<uint64_t>((first == get(&p.node_first, above)) & (stop == get(&p.node_stop, above)))
            joined = (signed ^ signature[above]) * FNV_PRIME
            near[node], far[node] = topics | near[above] & same, topics | far[above]
            signature[node] = signed ^ (signed ^ joined) & <uint32_t>same
            up[node] = <int32_t>above ^ (<int32_t>above ^ up[above]) & <int32_t>same
        else:
            near[node], far[node], signature[node], up[node] = topics, topics, signed, 0


def read_names(bytes source, nodes):
    """Read the topics of each node and of those around it, and find the node around it that holds more text."""
    cdef PageTables p
    p.source, p.size, p.nodes = <const uint8_t*><const char*>source, len(source), take_table(&p.tag, nodes, 6)
    near, far = np.empty(p.nodes, dtype=np.uint64), np.empty(p.nodes, dtype=np.uint64)
    signatures, larger = np.empty(p.nodes, dtype=np.uint32), np.empty(p.nodes, dtype=np.int32)
    read_all_names(
        &p, <uint64_t*>point(near, p.nodes * 8), <uint64_t*>point(far, p.nodes * 8),
        <uint32_t*>point(signatures, p.nodes * 4), <int32_t*>point(larger, p.nodes * 4)
    )
    return near, far, signatures, larger


cdef inline bint holds_word(
    const uint8_t* text, Py_ssize_t length, const uint8_t* word, Py_ssize_t size
) noexcept nogil:
    """Whether a text has a word of three letters or more. Its first and its last letter are looked for."""
    cdef Py_ssize_t place = 0, stop = length - size + 1
    while True:
        place = find_pair(text, place, stop, word[0], word[size - 1], size - 1)
        if place >= stop:
            return False
        if not memcmp(text + place, word, size):
            return True
        place += 1


cdef bint holds_any(const uint8_t* text, Py_ssize_t length, words) except -1:
    cdef bytes word
    for word in words:
        if len(word) < 3:
            raise ValueError("each word must have three bytes or more")
        if holds_word(text, length, <const uint8_t*><char*>word, len(word)):
            return True
    return False


def find_tags(source: bytes, nodes, tags, words, Py_ssize_t most):
    """The elements, among the first `most` with one of the tags, whose opening tags hold one of the words."""
    cdef const uint8_t* text = <const uint8_t*><char*>source
    cdef PageTables p
    cdef uint8_t is_sought[TAGS_COUNT]
    cdef Py_ssize_t node, length = len(source)
    cdef int32_t start, end
    cdef int tag
    p.nodes = take_table(&p.tag, nodes, 6)
    memset(is_sought, 0, TAGS_COUNT)
    for tag in tags:
        demand(0 <= tag < TAGS_COUNT)
        is_sought[tag] = True
    found = []
    for node in range(p.nodes):
        tag = get(&p.tag, node)
        if not 0 <= tag < TAGS_COUNT or not is_sought[tag]:
            continue
        if most <= 0:
            break
        most -= 1
        start, end = get(&p.node_start, node), get(&p.node_end, node)
        if 0 <= start < end <= length and holds_any(text + start, end - start, words):
            found.append(node)
    return found


cdef struct Vocabulary:  # a bit for each slot
    uint16_t words[VOCABULARY_BYTES]  # of the title in the lower eight bits, of the description in the upper ones
    uint8_t pairs[VOCABULARY_BYTES]  # of words of description and structured data
    uint8_t stretches[STRETCHES_BYTES]  # of four words that the page has had


cdef struct Text:
    uint32_t word, pair, pair_before, text  # hashes: of the last word, the last two, the two before the last; of all
    int32_t words
    int32_t* counts  # a row of `Shape`


cdef inline uint32_t fold(uint32_t value, uint32_t slots) noexcept nogil:
    return (value ^ value >> 15) & (slots - 1)


cdef inline uint32_t join(uint32_t first, uint32_t second) noexcept nogil:
    return ((first * FNV_PRIME) ^ second) * FNV_PRIME


cdef inline void learn_word(Vocabulary* v, Text* t, uint32_t word, Py_ssize_t size, int marked) noexcept nogil:
    cdef uint32_t slot = fold(word, VOCABULARY), pair = fold(join(t.word, word), VOCABULARY)
    if size >= SHORTEST_WORD:
        v.words[slot >> 3] |= <uint16_t>(
            (1 if marked & TITLE_WORD else 0) << (slot & 7) | (256 if marked & DESCRIPTION_WORD else 0) << (slot & 7)
        )
    v.pairs[pair >> 3] |= <uint8_t>((1 if marked & KNOWN_PAIR else 0) << (pair & 7))
    t.word = word


cdef inline void look_up(Vocabulary* v, Text* t, uint32_t word, Py_ssize_t size) noexcept nogil:
    cdef uint32_t slot = fold(word, VOCABULARY), pair = join(t.word, word), known
    known = (v.words[slot >> 3] >> (slot & 7)) & <uint32_t>-(size >= SHORTEST_WORD)
    t.counts[SHAPE_TITLE_WORDS] += known & 1
    t.counts[SHAPE_DESCRIPTION_WORDS] += known >> 8 & 1
    slot = fold(pair, VOCABULARY)
    t.counts[SHAPE_TOLD_PAIRS] += v.pairs[slot >> 3] >> (slot & 7) & 1
    if t.words >= 3:
        slot = fold(join(t.pair_before, pair), STRETCHES)
        known = v.stretches[slot >> 3]
        t.counts[SHAPE_REPEATED] += known >> (slot & 7) & 1
        v.stretches[slot >> 3] = <uint8_t>(known | 1u << (slot & 7))
    t.text = (t.text ^ word) * FNV_PRIME
    t.word, t.pair, t.pair_before = word, pair, t.pair
    t.words += 1


cdef inline void end_word(Vocabulary* v, Text* t, const uint8_t* text, Py_ssize_t size, Py_ssize_t left, uint8_t marked) \
        noexcept nogil:
    """Take a word: learn it if `marked`, else look it up. From its beginning on `left` bytes can be read."""
    cdef uint64_t mixed = read_eight(text, size, left) * HASH_BASE
    cdef Py_ssize_t at = 8
    mixed ^= mixed >> 32
    while at < size:
        mixed = (mixed ^ read_eight(text + at, size - at, left - at)) * HASH_BASE
        mixed ^= mixed >> 32
        at += 8
    if marked:
        learn_word(v, t, <uint32_t>mixed, size, marked)
    else:
        look_up(v, t, <uint32_t>mixed, size)


cdef inline Py_ssize_t reference_end(const uint8_t* text, Py_ssize_t position, Py_ssize_t length) noexcept nogil:
    """Where the character reference at "&" ends, or 0 if there is none."""
    cdef Py_ssize_t index = position + 1
    while index < length and index < position + LONGEST_REFERENCE:
        if text[index] == c';':
            return index + 1
        if not (is_letter(text[index]) or c'0' <= text[index] <= c'9' or text[index] == c'#'):
            return 0
        index += 1
    return 0


cdef inline int wide_class(const uint8_t* text, Py_ssize_t left, Py_ssize_t* size) noexcept nogil:
    """The class of a character of several bytes, and how many they are; one that is cut off is part of a word."""
    if text[0] < 0xE0:
        size[0] = 2
        return class_of[(text[0] & 0x1F) << 6 | (text[1] & 0x3F)] if left > 1 else CLASS_WORD
    if text[0] < 0xF0:
        size[0] = 3
        return class_of[(text[0] & 0x0F) << 12 | (text[1] & 0x3F) << 6 | (text[2] & 0x3F)] if left > 2 else CLASS_WORD
    size[0] = 4
    return CLASS_WORD


cdef struct Others:  # the characters of a stretch of text that are beyond ASCII, and references
    uint64_t letter  # bytes of letters and digits, as bits, also those after the stretch
    uint64_t counted  # bytes of all others that are no white space
    uint64_t mark  # an "&" that begins no reference
    uint64_t own  # all bytes of these characters
    int digits, uppers
    int last  # class of the last in `counted`
    int stop  # where the last one ends


cdef inline uint64_t bits_between(int first, int stop) noexcept nogil:
    return (<uint64_t>1 << stop) - (<uint64_t>1 << first)


cdef void sort_others(
    Others* o, uint64_t left, int size, const uint8_t* text, Py_ssize_t length, int32_t* counts
) noexcept nogil:
    """Sort the characters that begin at bits of `left` in the first bytes, so many, of a text."""
    cdef uint64_t own
    cdef Py_ssize_t width
    cdef int at, kind
    memset(o, 0, sizeof(Others))
    while left:
        at = LOWEST(left)
        if text[at] == c'&':
            width = reference_end(text, at, length) - at
            if width <= 0:
                o.mark |= <uint64_t>1 << at
                left &= left - 1
                continue
            kind = CLASS_SPACE
        else:
            kind = wide_class(text + at, length - at, &width)
            width = min(width, length - at)
        o.stop = <int>(at + width)
        own = bits_between(at, min(o.stop, size))
        left &= ~own
        o.own |= own
        if kind <= CLASS_UPPER:
            o.letter |= bits_between(at, o.stop)
            o.digits += kind == CLASS_DIGIT
            o.uppers += kind == CLASS_UPPER
        elif kind < CLASS_SPACE:
            counts[kind - 1] += 1
            o.counted |= own
            o.last = kind
        elif text[at] == c'&':
            o.counted |= own
            o.last = CLASS_WORD


cdef inline void read_text(
    Vocabulary* v, const uint8_t* text, Py_ssize_t length, Py_ssize_t left, int32_t* counts, uint8_t marked
) noexcept nogil:
    """Count what is in a text, after which more bytes may be `left`; if `marked`, only learn its words.

    All counts are 0 before.
    """
    cdef Text t
    cdef Letters kinds
    cdef Others others
    cdef Py_ssize_t index = 0, word = 0
    cdef int at, size, stop, last = CLASS_SPACE, digits = 0, uppers = 0
    cdef uint64_t starts, ends, mark, counted
    cdef bint in_word = False  # a word goes on; it began at `word`
    memset(&t, 0, sizeof(t))
    t.text, t.counts = FNV_OFFSET, counts
    while index < length:
        size = stop = <int>min(length - index, AT_ONCE)
        kinds = sort_letters(text + index, size, left - index)
        mark = bits_between(0, size) & ~(kinds.letter | kinds.space | kinds.other)
        counted = 0
        if kinds.other:
            sort_others(&others, kinds.other, size, text + index, length - index, counts)
            kinds.letter = kinds.letter & ~others.own | others.letter
            kinds.digit &= ~others.own
            kinds.upper &= ~others.own
            mark = mark & ~others.own | others.mark
            counted, digits, uppers = others.counted, digits + others.digits, uppers + others.uppers
            stop = max(stop, others.stop)
        digits += count_bits(kinds.digit)
        uppers += count_bits(kinds.upper)
        ends = kinds.letter << 1 | in_word
        starts = kinds.letter & ~ends
        ends &= ~kinds.letter
        if index + stop < length:
            ends &= bits_between(0, size)  # the last word may go on
        while ends:
            if not in_word:
                word = index + LOWEST(starts)
                starts &= starts - 1
            at = LOWEST(ends)
            ends &= ends - 1
            in_word = False
            end_word(v, &t, text + word, index + at - word, left - word, marked)
        if starts:
            word, in_word = index + LOWEST(starts), True
        if mark | counted | kinds.letter:
            at = HIGHEST(mark | counted | kinds.letter)
            last = others.last if counted >> at & 1 else class_of[text[index + at]] if mark >> at & 1 else CLASS_WORD
        while mark:
            counts[class_of[text[index + LOWEST(mark)]] - 1] += 1
            mark &= mark - 1
        index += stop
    counts[CLASS_DIGIT - 1], counts[CLASS_UPPER - 1] = digits, uppers
    counts[SHAPE_FINAL], counts[SHAPE_TEXT] = last == CLASS_END, <int32_t>t.text


cdef int read_all_shapes(const void* page, const Told* told, int32_t* shapes) noexcept nogil:
    """Write a row of `Shape` for each run; -1 if there is no memory. `told` are title, description and structured data."""
    cdef const PageTables* p = <const PageTables*>page
    cdef int32_t unused[SHAPE_COUNT]
    cdef Py_ssize_t run
    cdef int32_t start, end
    cdef int number
    cdef Vocabulary* v = <Vocabulary*>calloc(1, sizeof(Vocabulary))
    if v == NULL:
        return -1
    memset(unused, 0, sizeof(unused))
    memset(shapes, 0, p.runs * SHAPE_COUNT * sizeof(int32_t))
    for number in range(KINDS_TOLD):
        read_text(v, told[number].text, told[number].length, told[number].length, unused, learnt[number])
    for run in range(p.runs):
        if run + AHEAD < p.runs:
            fetch(p.source + get(&p.start, run + AHEAD))
        start, end = get(&p.start, run), get(&p.end, run)
        if 0 <= start < end <= p.size:
            read_text(v, p.source + start, end - start, p.size - start, shapes + run * SHAPE_COUNT, 0)
    free(v)
    return 0


def read_shapes(bytes source, start, end, known):
    """Return a row of `Shape` for each text from `start` to `end`. `known` are title, description and structured data."""
    cdef PageTables p
    cdef Told told[KINDS_TOLD]
    cdef bytes text
    cdef int number
    p.source, p.size, p.runs = <const uint8_t*><const char*>source, len(source), len(start)
    take(&p.start, start, p.runs)
    take(&p.end, end, p.runs)
    for number in range(KINDS_TOLD):
        text = known[number]
        told[number].text, told[number].length = <const uint8_t*><const char*>text, len(text)
    shapes = np.empty((p.runs, SHAPE_COUNT), dtype=np.int32)
    if read_all_shapes(&p, told, <int32_t*>point(shapes, p.runs * SHAPE_COUNT * sizeof(int32_t))):
        raise MemoryError
    return shapes
