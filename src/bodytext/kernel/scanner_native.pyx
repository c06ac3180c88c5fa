# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Scan the UTF-8 bytes of a page into integer arrays: the native twin of `scanner.py`, which explains how.

The scan runs without Python's lock. It begins with tables that are large enough for most pages. If they are full, it
stops for tables of the size that the rest of the page needs at most.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport INT32_MAX, int8_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memchr, memcmp, memcpy, memset

include "constants.pxi"
include "columns.pxi"
include "characters.pxi"
include "page_tables.pxi"
include "new_arrays.pxi"

cdef object view_array = np.ndarray

import os
from html.entities import html5

from bodytext.kernel.html import (
    CONCEALED_CLASSES,
    CONCEALING,
    FLOOD_TAGS,
    GAPS,
    KINDS,
    PARAGRAPH_OVERRIDES,
    REPLACEMENTS,
    RULES,
    TAG_FLAGS,
    TAGS,
)
from bodytext.kernel.words import LETTER_OF

cdef extern from "bytes.h" nogil:
    enum:
        AT_ONCE, COPIED, LONGEST_SHORT_NAME, SLASH

    ctypedef struct ShortName:
        uint64_t first, second

    ctypedef struct TagAttribute:
        Py_ssize_t name, name_end, value, value_end, next
        bint self_closing

    ctypedef struct Sorted:
        uint64_t visible, word, special

    int count_bits(uint64_t bits)
    void fetch(const uint8_t* text)
    int LOWEST(uint64_t bits)
    int HIGHEST(uint64_t bits)
    Py_ssize_t find_byte(const uint8_t* text, Py_ssize_t at, Py_ssize_t end, uint8_t byte)
    Py_ssize_t find_name_end(const uint8_t* text, Py_ssize_t at, Py_ssize_t end, int marks)
    uint64_t read_eight(const uint8_t* text, Py_ssize_t length, Py_ssize_t left)
    ShortName read_short_name(const uint8_t* text, Py_ssize_t length, Py_ssize_t left)
    bint next_attribute(const uint8_t* text, Py_ssize_t length, TagAttribute* found)
    bint is_blank(const uint8_t* text, Py_ssize_t length, Py_ssize_t left)
    Py_ssize_t copy_plain(uint8_t* out, const uint8_t* text, Py_ssize_t length, Py_ssize_t left)
    Sorted sort_bytes(const uint8_t* text, Py_ssize_t count, Py_ssize_t left, bint has_references)

cdef enum:
    TAG_SLOTS = 1024
    BYTES_A_ROW = 64  # of a page, for each row of its tables; fewer only in pages with much markup
    LEAST_ROWS = 64
    ROW_NUMBERS = NODE_COLUMN_COUNT + RUN_COLUMN_COUNT + BLOCK_COLUMN_COUNT  # in a row of each table
    ROWS_AT_ONCE = 8  # at least as many as come between one look for markup and the next
    ENTITY_SLOTS = 8192
    LONGEST_ENTITY = 31
    LONGEST_BARE_ENTITY = 6
    REPLACED = 0x80  # the first character reference that the standard replaces
    REPLACED_COUNT = 32
    REPLACEMENT = 0xFFFD  # the replacement character
    LOWER_BIT = 0x20  # tells a small letter of ASCII from its capital
    ESCAPE = 0x1B
    DEAD = -1
    # Notes in the mask of an open element, in bits that a run uses for its line breaks.
    LINK_AROUND = 1 << LINES_SHIFT  # a link was open when this element shut it out
    FOSTERED = 64 << LINES_SHIFT  # in a table, but its parent is what is around the table
    VEIL = FLAG_VERBATIM  # hidden by `visibility` alone
    FORM_GONE = -2
    # The bits of a gap besides the flags in INSET_FLAGS.
    GAP_BREAK = 1
    GAP_SPACE = 2
    HAS_CELLS = 1  # of kept blocks
    HAS_CODE = 2
    LEFT_OUT = FLAG_HIDDEN | FLAG_SPOKEN
    KEEPS_NUL = FLAG_FOREIGN | FLAG_VERBATIM  # in these a NUL is a replacement character
    SHORT_TEXTS = 1 << 17  # bytes that are written before Python's lock could be given back and taken again
    AHEAD = 8  # blocks from the one that is read to the one that is fetched from memory
    BEGINNING = 24  # bytes at the start of a text that are compared first
    MARKED = 0xFF  # bits of a mark that count them
    IS_DOUBTFUL = 0x100  # for each "&", which may begin a character reference, and each NUL
    DOUBTFUL = 0xFF00

# Random, so that no page can be made to fill a table badly.
cdef uint64_t SEED = int.from_bytes(os.urandom(8), "little"), ODD = int.from_bytes(os.urandom(8), "little") | 1

cdef int rules_of[TAGS_COUNT]
cdef int flags_of[TAGS_COUNT]
cdef int kind_of[TAGS_COUNT]
cdef uint8_t is_flooding[TAGS_COUNT]
cdef uint8_t is_simple[TAGS_COUNT]  # nothing but an open paragraph is closed before it
cdef uint8_t ends_simply[TAGS_COUNT]  # its end tag just closes it, if it is at the top of the stack
cdef int yields_to_p[KIND_COUNT]
cdef int replacement_of[REPLACED_COUNT]
cdef uint8_t begins_markup[256]  # after "<"
cdef const uint8_t* letter_of
cdef object letter_table = LETTER_OF
letter_of = <const uint8_t*><char*>letter_table

cdef struct Name:
    ShortName name
    int length
    int tag

cdef struct EndTag:  # what comes after "</", in small letters, of a tag with a short name
    uint64_t text
    uint64_t mask  # the bytes that it has; none if the name is longer
    int size

cdef struct Entity:
    int length
    uint32_t first
    uint32_t second
    char text[LONGEST_ENTITY + 1]

cdef struct Phrase:
    int length
    int flags
    char text[LONGEST_PHRASE]

cdef inline uint64_t first_letters(bytes name):
    return read_eight(name, len(name), len(name))


cdef uint64_t NAME_CLASS = first_letters(b"class"), NAME_HREF = first_letters(b"href"), NAME_STYLE = first_letters(b"style")
cdef uint64_t NAME_HIDDEN = first_letters(b"hidden"), NAME_ARIA_HIDDEN = first_letters(b"aria-hidden")
cdef uint32_t noted_lengths[256]  # the lengths of these names, as bits, by their first letter
cdef Phrase concealing[CONCEALING_COUNT]
cdef uint8_t begins_concealing[256]
cdef Phrase concealed_classes[CONCEALED_CLASSES_COUNT]
# Which of these have a letter in a place, as bits: see read_class.
cdef uint32_t second_letters[256]
cdef uint32_t third_letters[256]
cdef uint32_t last_but_one[256]
cdef uint32_t last_but_two[256]
cdef Phrase gap_texts[GAPS_COUNT]
cdef Name tag_slots[TAG_SLOTS]
cdef EndTag end_tags[TAGS_COUNT]
cdef Entity entity_slots[ENTITY_SLOTS]


cdef inline uint32_t hash_bytes(const uint8_t* text, Py_ssize_t length) noexcept nogil:
    cdef uint32_t value = 2166136261u
    cdef Py_ssize_t index
    for index in range(length):
        value = (value ^ text[index]) * 16777619u
    return value ^ (value >> 15)


cdef inline uint32_t hash_name(ShortName name) noexcept nogil:
    cdef uint64_t mixed = (name.first ^ name.second * 31) * 0x9E3779B97F4A7C15u
    return <uint32_t>(mixed >> 40) % TAG_SLOTS


cdef Phrase as_phrase(str text, int flags):
    cdef Phrase phrase
    phrase.length, phrase.flags = len(text), flags
    for index, byte in enumerate(text.encode().ljust(LONGEST_PHRASE, b"\0")):
        phrase.text[index] = byte
    return phrase


cdef int fill_tables() except -1:
    cdef int tag, index
    cdef uint32_t slot
    cdef bytes name
    cdef ShortName short_name
    if <int>LONGEST_TAG > <int>LONGEST_SHORT_NAME:
        raise ImportError("a tag has sixteen letters at most")
    memset(tag_slots, 0, sizeof(tag_slots))
    memset(entity_slots, 0, sizeof(entity_slots))
    for tag in range(len(TAGS)):
        rules_of[tag], flags_of[tag], kind_of[tag] = RULES[tag], TAG_FLAGS[tag], KINDS[tag]
        is_flooding[tag] = TAGS[tag] in FLOOD_TAGS
        name = TAGS[tag].encode()
        if not name:
            continue
        short_name = read_short_name(name, len(name), len(name))
        slot = hash_name(short_name)
        while tag_slots[slot].length:
            slot = (slot + 1) % TAG_SLOTS
        tag_slots[slot].name, tag_slots[slot].length, tag_slots[slot].tag = short_name, len(name), tag
        ends_simply[tag] = tag not in (TAG_HTML, TAG_BODY, TAG_BR, TAG_FORM)
        end_tags[tag].text = 1  # is found nowhere
        if len(name) < 8:
            end_tags[tag].text = first_letters(name + b">")
            end_tags[tag].mask = first_letters(b"\xFF" * (len(name) + 1))
            end_tags[tag].size = len(name) + 1
    for tag in range(TAGS_COUNT):
        is_simple[tag] = not (
            rules_of[tag] & RULE_HEADING or is_table_part(tag) or is_ruby(tag)
            or tag in (
                TAG_HTML, TAG_HEAD, TAG_BODY, TAG_FRAME, TAG_FRAMESET, TAG_FORM, TAG_TABLE, TAG_SELECT, TAG_INPUT, TAG_LI,
                TAG_DT, TAG_DD, TAG_A, TAG_OPTION, TAG_OPTGROUP, TAG_BUTTON,
            )
        )
    for text in ("class", "href", "style", "hidden", "aria-hidden"):
        noted_lengths[ord(text[0])] |= 1u << <int>len(text)
        noted_lengths[ord(text[0].upper())] |= 1u << <int>len(text)
    for index, (text, flag) in enumerate(CONCEALING.items()):
        concealing[index] = as_phrase(text, flag)
        begins_concealing[ord(text[0])] = begins_concealing[ord(text[0].upper())] = True
    if CONCEALED_CLASSES_COUNT > 32:
        raise ImportError("read_class has a bit for each of 32 classes")
    for index, (text, flag) in enumerate(CONCEALED_CLASSES.items()):
        concealed_classes[index] = as_phrase(text, flag)
        name = text.encode()
        second_letters[name[1]] |= 1u << index
        third_letters[name[2]] |= 1u << index
        last_but_one[name[len(name) - 2]] |= 1u << index
        last_but_two[name[len(name) - 3]] |= 1u << index
    for index, text in enumerate(GAPS):
        gap_texts[index] = as_phrase(text, 0)
    for index in range(KIND_COUNT):
        yields_to_p[index] = index in PARAGRAPH_OVERRIDES
    for index in range(REPLACED_COUNT):
        replacement_of[index] = REPLACEMENTS[REPLACED + index]
    for index in range(256):
        begins_markup[index] = is_letter(index) or index in b"/!?"
    for text, characters in html5.items():
        name = text.encode()
        slot = hash_bytes(name, len(name)) % ENTITY_SLOTS
        while entity_slots[slot].length:
            slot = (slot + 1) % ENTITY_SLOTS
        entity_slots[slot].length = len(name)
        entity_slots[slot].first = ord(characters[0])
        entity_slots[slot].second = ord(characters[1]) if len(characters) > 1 else 0
        for index in range(len(name)):
            entity_slots[slot].text[index] = name[index]
    return 0


fill_tables()


cdef struct Open:  # its node's stop_run keeps the depth of the next open element of its tag
    int32_t node
    int32_t tag  # or DEAD: closed while elements above it stay open
    int32_t mask
    int32_t special
    int32_t barrier
    int32_t scope
    int32_t gap  # the gap before a table: bits, and line breaks above LINES_SHIFT

cdef struct Move:  # what goes before a table: a node or (inverted) a run
    int32_t table
    int32_t item

cdef struct Scan:
    const uint8_t* source
    Py_ssize_t length
    Py_ssize_t at
    Py_ssize_t text_start
    int32_t* nodes
    int32_t* runs
    int32_t* blocks
    int32_t node_count
    int32_t run_count
    int32_t block_count
    int32_t rows  # that each table has room for
    int32_t tags
    int32_t tags_before
    Open* stack
    int32_t depth  # of the top; -1 when empty
    int32_t stack_capacity
    int32_t last[TAGS_COUNT]
    int32_t body
    int32_t head
    int32_t form
    int32_t link
    bint at_break
    bint space
    int pieces  # since the last run: 1, one of the elements of RULE_PIECE was closed; 2, and then one was opened
    int32_t line_breaks
    int32_t inset
    bint is_frameset
    bint is_flood  # now
    bint was_flood  # at some time
    bint fills_body
    Move* moves
    Py_ssize_t move_count
    Py_ssize_t move_capacity
    bint out_of_memory

cdef struct Measure:
    int32_t words
    int32_t chars
    int32_t size
    int32_t ideographs
    int32_t unspaced
    bint in_word
    bint in_space
    bint has_space

cdef struct Attributes:
    Py_ssize_t end  # after ">", or -1 if the page ends inside the tag
    int flags
    bint self_closing


cdef inline bint is_plain(uint8_t byte) noexcept nogil:
    """Whether a byte is an ASCII character that is written as it is: neither white space nor control nor "&"."""
    return c'!' <= byte <= c'~' and byte != c'&'


cdef inline bint ends_name(uint8_t byte) noexcept nogil:
    return byte == c'>' or byte == c'/' or is_space(byte)


cdef inline bint matches(const uint8_t* text, const char* name, Py_ssize_t length) noexcept nogil:
    """Whether a text of this length is a name, whatever its ASCII case."""
    cdef Py_ssize_t index
    for index in range(length):
        if lower(text[index]) != <uint8_t>name[index]:
            return False
    return True


# Tables


cdef inline int32_t* node_cell(Scan* s, int32_t row, int column) noexcept nogil:
    return s.nodes + <Py_ssize_t>row * NODE_COLUMN_COUNT + column


cdef inline int32_t* run_cell(Scan* s, int32_t row, int column) noexcept nogil:
    return s.runs + <Py_ssize_t>row * RUN_COLUMN_COUNT + column


cdef inline int32_t* block_cell(Scan* s, int32_t row, int column) noexcept nogil:
    return s.blocks + <Py_ssize_t>row * BLOCK_COLUMN_COUNT + column


cdef inline int32_t append_node(Scan* s, int tag, Py_ssize_t start, Py_ssize_t end, int flags,
                                int32_t home) noexcept nogil:
    cdef int32_t node = s.node_count
    node_cell(s, node, NODE_TAG)[0] = tag
    node_cell(s, node, NODE_PARENT)[0] = s.stack[home].node if home >= 0 else -1
    node_cell(s, node, NODE_FIRST_RUN)[0] = s.run_count
    node_cell(s, node, NODE_STOP_RUN)[0] = s.run_count
    node_cell(s, node, NODE_START)[0] = <int32_t>start
    node_cell(s, node, NODE_END)[0] = <int32_t>end
    node_cell(s, node, NODE_FLAGS)[0] = flags
    s.node_count += 1
    return node


# The stack of open elements


cdef inline bint is_tooltip(int tag, int32_t mask) noexcept nogil:
    """Whether an element is the title of a drawing in running text: only who points at the drawing sees it."""
    return tag == TAG_TITLE and mask & FLAG_FOREIGN and RUNNING_TEXT >> ((mask >> KIND_SHIFT) & KIND_MASK) & 1


cdef inline int32_t inherit(int32_t mask, int tag, int flags) noexcept nogil:
    cdef int32_t kind = (mask >> KIND_SHIFT) & KIND_MASK, inherited = mask & (INHERITED_FLAGS | VEIL)
    if kind_of[tag] and (tag != TAG_P or yields_to_p[kind]):
        kind = kind_of[tag]
    if inherited & FLAG_FOREIGN:
        if rules_of[tag] & RULE_INTEGRATION:
            inherited &= ~FLAG_FOREIGN
            if is_tooltip(tag, mask):
                inherited |= FLAG_SILENT
        elif tag == TAG_SCRIPT or tag == TAG_STYLE:
            inherited |= FLAG_SILENT
    else:
        inherited |= flags_of[tag]
    if flags and tag != TAG_BODY:
        if flags & NODE_FLAG_UNVEILED and inherited & VEIL:
            inherited &= ~(FLAG_HIDDEN | VEIL)
        if flags & NODE_FLAG_HIDDEN:
            if not flags & NODE_FLAG_VEILED:
                inherited = (inherited | FLAG_HIDDEN) & ~VEIL
            elif not inherited & FLAG_HIDDEN:
                inherited |= FLAG_HIDDEN | VEIL
        if flags & NODE_FLAG_ARIA_HIDDEN:
            inherited |= FLAG_ARIA_HIDDEN
        if flags & NODE_FLAG_SPOKEN:
            inherited |= FLAG_SPOKEN
    return inherited | (kind << KIND_SHIFT)


cdef inline void mark_break(Scan* s, int tag, int32_t mask) noexcept nogil:
    if rules_of[tag] & RULE_BLOCK and not is_tooltip(tag, mask):
        s.at_break = True
    elif rules_of[tag] & RULE_INSET and not RUNNING_TEXT >> ((mask >> KIND_SHIFT) & KIND_MASK) & 1:
        s.at_break = True


cdef bint grow_stack(Scan* s) noexcept nogil:
    # As deep as it can be at most: what is not used takes no memory, and a copy of a deep stack would.
    cdef int32_t capacity = max(s.stack_capacity + s.stack_capacity // 2, s.rows)
    cdef Open* larger = <Open*>realloc(s.stack, capacity * sizeof(Open))
    if larger == NULL:
        s.out_of_memory = True
        return False
    s.stack = larger
    s.stack_capacity = capacity
    return True


cdef inline void enter_gap(Scan* s, int32_t table) noexcept nogil:
    """Go on before a table."""
    s.at_break = s.stack[table].gap & GAP_BREAK
    s.space = (s.stack[table].gap & GAP_SPACE) != 0
    s.inset = s.stack[table].gap & INSET_FLAGS
    s.line_breaks = s.stack[table].gap >> LINES_SHIFT


cdef inline void leave_gap(Scan* s, int32_t table) noexcept nogil:
    """Return into a table."""
    s.stack[table].gap = (GAP_BREAK if s.at_break else 0) | (GAP_SPACE if s.space else 0) | s.inset
    s.stack[table].gap |= min(s.line_breaks, MOST_LINES) << LINES_SHIFT


cdef inline int32_t home(Scan* s) noexcept nogil:
    """The depth of what holds content that comes now: the top, or what is around a table."""
    cdef int32_t tag = s.stack[s.depth].tag
    if tag <= 0 or not rules_of[tag] & RULE_FOSTERING or s.stack[s.depth].mask & FLAG_FOREIGN or s.was_flood:
        return s.depth
    return s.last[TAG_TABLE] - 1 if s.stack[s.depth].scope == s.last[TAG_TABLE] else s.depth


cdef inline int32_t holder(Scan* s, int32_t special) noexcept nogil:
    """The depth of what holds a block, from that of its nearest special element: no table holds what goes before it."""
    cdef int32_t tag
    special = max(special, 0)
    tag = s.stack[special].tag
    if tag > 0 and rules_of[tag] & RULE_FOSTERING and s.stack[special].scope == s.last[TAG_TABLE]:
        special = s.stack[s.last[TAG_TABLE] - 1].special
    return max(special, 0)


cdef void note_move(Scan* s, int32_t table, int32_t item) noexcept nogil:
    cdef Py_ssize_t capacity = max(2 * s.move_capacity + 16, 2 * <Py_ssize_t>s.rows)
    cdef Move* larger
    if s.move_count == s.move_capacity:
        larger = <Move*>realloc(s.moves, capacity * sizeof(Move))
        if larger == NULL:
            s.out_of_memory = True
            return
        s.moves, s.move_capacity = larger, capacity
    s.moves[s.move_count].table = s.stack[table].node
    s.moves[s.move_count].item = item
    s.move_count += 1


cdef inline void push(Scan* s, int tag, Py_ssize_t start, Py_ssize_t end, int flags, int32_t home) noexcept nogil:
    cdef int32_t depth = s.depth + 1, node = append_node(s, tag, start, end, flags, home)
    cdef int rules = rules_of[tag]
    cdef Open* entry
    if depth >= s.stack_capacity and not grow_stack(s):
        return
    entry = s.stack + depth
    if depth:
        entry[0] = s.stack[depth - 1]
    else:
        entry.special = entry.barrier = entry.scope = -1
        entry.mask = 0
    entry.node, entry.tag = node, tag
    if ((rules & RULE_FOREIGN_ONLY) != 0) != ((entry.mask & FLAG_FOREIGN) != 0):
        rules &= ~(RULE_SPECIAL | RULE_BARRIER | RULE_SCOPE)
    if home == s.depth:
        entry.mask = inherit(entry.mask, tag, flags)
    else:
        entry.mask = inherit(s.stack[home].mask, tag, flags) | FOSTERED
    if rules & RULE_SPECIAL:
        entry.special = depth
    if rules & RULE_BARRIER:
        entry.barrier = depth
    if rules & RULE_SCOPE:
        entry.scope = depth
    node_cell(s, node, NODE_STOP_RUN)[0] = s.last[tag]
    s.last[tag] = depth
    if rules & RULE_PIECE and s.pieces:
        s.pieces = 2
    if rules & RULE_MARKER and s.link:
        entry.mask |= LINK_AROUND
    if rules & RULE_MARKER:
        s.link = 0
    if tag == TAG_TABLE:
        leave_gap(s, depth)
    s.depth = depth


cdef void pop(Scan* s) noexcept nogil:
    cdef Open* entry = s.stack + s.depth
    cdef int32_t tag = entry.tag
    cdef int32_t* stop = node_cell(s, entry.node, NODE_STOP_RUN)
    if tag != DEAD:
        s.last[tag] = stop[0]
        if rules_of[tag] & RULE_MARKER:
            s.link = NODE_FLAG_LINK if entry.mask & LINK_AROUND else 0
        mark_break(s, tag, s.stack[s.depth - 1].mask if s.depth else 0)
        s.pieces |= (rules_of[tag] & RULE_PIECE) != 0
        if rules_of[tag] & RULE_INSET and node_cell(s, entry.node, NODE_FIRST_RUN)[0] < s.run_count:
            s.at_break = True
    stop[0] = s.run_count
    if s.form == s.depth:
        s.form = FORM_GONE
    if entry.mask & FOSTERED:
        leave_gap(s, s.last[TAG_TABLE])
    s.depth -= 1


cdef inline void pop_to(Scan* s, int32_t depth) noexcept nogil:
    while s.depth >= depth:
        pop(s)


cdef inline void bury(Scan* s, int32_t depth) noexcept nogil:
    s.last[s.stack[depth].tag] = node_cell(s, s.stack[depth].node, NODE_STOP_RUN)[0]
    s.stack[depth].tag = DEAD


cdef inline bint in_scope(Scan* s, int tag) noexcept nogil:
    return s.last[tag] >= 0 and s.last[tag] >= s.stack[s.depth].scope


cdef inline bint in_button_scope(Scan* s) noexcept nogil:
    return in_scope(s, TAG_P) and s.last[TAG_P] > s.last[TAG_BUTTON]


# Opening elements


cdef inline bint insert(Scan* s, int tag, Py_ssize_t start, Py_ssize_t end, int flags, bint closed) noexcept nogil:
    cdef int32_t top = s.depth, parent = s.depth if rules_of[tag] & RULE_TABLE_CONTENT else home(s)
    if parent < top:
        enter_gap(s, parent + 1)
        note_move(s, parent + 1, s.node_count)
    if closed:
        append_node(s, tag, start, end, flags, parent)
    else:
        push(s, tag, start, end, flags, parent)
    mark_break(s, tag, s.stack[parent].mask)
    if tag == TAG_BR:
        s.line_breaks += 1
    elif tag == TAG_IMG:
        s.space = True
    if closed and parent < top:
        leave_gap(s, parent + 1)
    return not closed


cdef inline void place(Scan* s, int32_t node, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    if node_cell(s, node, NODE_START)[0] == node_cell(s, node, NODE_END)[0]:
        node_cell(s, node, NODE_START)[0] = <int32_t>start
        node_cell(s, node, NODE_END)[0] = <int32_t>end


cdef void open_body(Scan* s, Py_ssize_t start, Py_ssize_t end, int flags) noexcept nogil:
    pop_to(s, 1)
    s.body = s.node_count
    insert(s, TAG_BODY, start, end, flags, False)


cdef void enter_body(Scan* s) noexcept nogil:
    cdef int32_t tag = s.stack[s.depth].tag
    if tag == TAG_HEAD or tag == TAG_HTML:
        open_body(s, s.at, s.at, 0)


cdef inline void leave_foreign(Scan* s) noexcept nogil:
    while s.stack[s.depth].mask & FLAG_FOREIGN:
        pop(s)


cdef void open_frame(Scan* s, int tag, Py_ssize_t start, Py_ssize_t end, int flags) noexcept nogil:
    if tag == TAG_HTML:
        place(s, 0, start, end)
    elif tag == TAG_BODY:
        if s.last[TAG_TEMPLATE] >= 0:
            return
        if s.body < 0:
            open_body(s, start, end, flags)
        else:
            place(s, s.body, start, end)
    elif s.head < 0 and s.body < 0:
        insert(s, tag, start, end, flags, False)
        s.head = s.depth


cdef inline bint is_table_part(int tag) noexcept nogil:
    return (tag == TAG_TD or tag == TAG_TR or tag == TAG_TH or tag == TAG_TBODY or tag == TAG_THEAD or tag == TAG_TFOOT
            or tag == TAG_CAPTION or tag == TAG_COL or tag == TAG_COLGROUP)


cdef bint enter_table(Scan* s, int tag) noexcept nogil:
    cdef int32_t context = max(s.last[TAG_TABLE], s.last[TAG_TEMPLATE])
    if context < 0:
        return False
    if tag == TAG_TR or tag == TAG_TD or tag == TAG_TH or tag == TAG_COL:
        context = max(context, max(s.last[TAG_TBODY], max(s.last[TAG_THEAD], s.last[TAG_TFOOT])))
    if tag == TAG_TD or tag == TAG_TH:
        context = max(context, s.last[TAG_TR])
    pop_to(s, context + 1)
    return True


cdef inline void close_barrier(Scan* s, int tag, int other) noexcept nogil:
    cdef int32_t barrier = s.stack[s.depth].barrier
    if barrier >= 0 and (s.stack[barrier].tag == tag or s.stack[barrier].tag == other):
        pop_to(s, barrier)


cdef inline bint is_ruby(int tag) noexcept nogil:
    return tag == TAG_RB or tag == TAG_RP or tag == TAG_RT or tag == TAG_RTC


cdef inline bint is_implied(Scan* s) noexcept nogil:
    """Whether the element at the top of the stack is closed implicitly."""
    return s.stack[s.depth].tag > 0 and (rules_of[s.stack[s.depth].tag] & RULE_IMPLIED_END) != 0


cdef void close_sibling(Scan* s, int tag) noexcept nogil:
    if tag == TAG_A:
        close_formatting(s, tag, 0)
        s.link = 0
    elif tag == TAG_OPTION or tag == TAG_OPTGROUP:
        if s.stack[s.depth].tag == TAG_OPTION:
            pop(s)
        if tag == TAG_OPTGROUP and s.stack[s.depth].tag == tag:
            pop(s)
    elif tag == TAG_BUTTON:
        if in_scope(s, tag):
            pop_to(s, s.last[tag])
    elif is_ruby(tag) and in_scope(s, TAG_RUBY):
        while is_implied(s) and not (s.stack[s.depth].tag == TAG_RTC and (tag == TAG_RT or tag == TAG_RP)):
            pop(s)


cdef inline bint in_table(Scan* s) noexcept nogil:
    """Whether a table is open, and in it neither cell nor caption."""
    return s.last[TAG_TABLE] > max(max(s.last[TAG_TD], s.last[TAG_TH]), max(s.last[TAG_CAPTION], s.last[TAG_TEMPLATE]))


cdef void open_frameset(Scan* s) noexcept nogil:
    cdef int32_t node
    if s.fills_body or s.last[TAG_TEMPLATE] >= 0:
        return
    s.fills_body = s.run_count > 0 or (
        s.body >= 0 and node_cell(s, s.body, NODE_START)[0] != node_cell(s, s.body, NODE_END)[0])
    for node in range(s.node_count):
        if s.fills_body:
            return
        s.fills_body = (rules_of[node_cell(s, node, NODE_TAG)[0]] & RULE_FILLS_BODY) != 0
    if not s.fills_body:
        pop_to(s, 1)
        s.is_frameset = True


cdef bint make_room(Scan* s, int tag) noexcept nogil:
    cdef int32_t top
    if is_simple[tag]:
        if rules_of[tag] & RULE_CLOSES_P and in_button_scope(s):
            pop_to(s, s.last[TAG_P])
        return True
    if is_table_part(tag):
        return enter_table(s, tag)
    if tag == TAG_FORM and s.form != -1 and s.last[TAG_TEMPLATE] < 0:
        return False
    if tag == TAG_TABLE and in_table(s):
        pop_to(s, s.last[TAG_TABLE])
    if (tag == TAG_SELECT or tag == TAG_INPUT) and in_scope(s, TAG_SELECT):
        pop_to(s, s.last[TAG_SELECT])
        if tag == TAG_SELECT:
            return False
    if tag == TAG_LI:
        close_barrier(s, TAG_LI, TAG_LI)
    elif tag == TAG_DT or tag == TAG_DD:
        close_barrier(s, TAG_DT, TAG_DD)
    if rules_of[tag] & RULE_CLOSES_P and in_button_scope(s):
        pop_to(s, s.last[TAG_P])
    top = s.stack[s.depth].tag
    if rules_of[tag] & RULE_HEADING and top > 0 and rules_of[top] & RULE_HEADING:
        pop(s)
    close_sibling(s, tag)
    return True


cdef bint only_breaks(Scan* s, int tag, Py_ssize_t start, int flags) noexcept nogil:
    """Break the line at a tag, if that is all that it does because the page is a flood."""
    cdef Py_ssize_t rows = <Py_ssize_t>s.node_count + s.run_count
    cdef int32_t mask = s.stack[s.depth].mask
    s.is_flood = start < FLOOD_BYTES * rows
    s.was_flood = s.was_flood or s.is_flood
    if not s.is_flood or not is_flooding[tag] or flags or s.body < 0 or mask & FLAG_FOREIGN:
        return False
    mark_break(s, tag, mask)
    s.line_breaks += tag == TAG_BR
    return True


cdef bint open_element(Scan* s, int tag, Py_ssize_t start, Attributes* found) noexcept nogil:
    cdef bint closed, opened
    if s.is_frameset and tag != TAG_NOFRAMES:
        return False
    if s.node_count + s.run_count >= FLOOD_ROWS and only_breaks(s, tag, start, found.flags):
        return False
    if s.stack[s.depth].mask & FLAG_FOREIGN:
        if not rules_of[tag] & RULE_BREAKOUT:
            insert(s, tag, start, found.end, found.flags, found.self_closing)
            return False
        leave_foreign(s)
    if not is_simple[tag]:
        if tag == TAG_FRAMESET:
            open_frameset(s)
        if tag == TAG_FRAME or tag == TAG_FRAMESET:
            return False
        if tag == TAG_HTML or tag == TAG_HEAD or tag == TAG_BODY:
            open_frame(s, tag, start, found.end, found.flags)
            return False
    if s.body < 0 and not rules_of[tag] & RULE_HEAD:
        enter_body(s)
    if not make_room(s, tag):
        return False
    closed = (rules_of[tag] & RULE_VOID) != 0 or (found.self_closing and (flags_of[tag] & FLAG_FOREIGN) != 0)
    if tag == TAG_FORM:
        closed = in_table(s)
    opened = insert(s, tag, start, found.end, found.flags, closed)
    if tag == TAG_FORM and s.last[TAG_TEMPLATE] < 0:
        s.form = FORM_GONE if closed else s.depth
    elif tag == TAG_A:
        s.link = found.flags & NODE_FLAG_LINK
    return opened


# Closing elements


cdef void close_formatting(Scan* s, int tag, int flag) noexcept nogil:
    cdef int32_t depth = s.last[tag]
    cdef Open* top = s.stack + s.depth
    if depth < 0 or depth < top.scope:
        return
    node_cell(s, s.stack[depth].node, NODE_FLAGS)[0] |= flag
    if depth > top.special:
        pop_to(s, depth)
    else:
        bury(s, depth)


cdef void close_form(Scan* s) noexcept nogil:
    cdef int32_t depth = s.form
    s.form = -1
    if depth < 0 or depth < s.stack[s.depth].scope:
        return
    while is_implied(s):
        pop(s)
    node_cell(s, s.stack[depth].node, NODE_FLAGS)[0] |= NODE_FLAG_CLOSED
    if depth == s.depth:
        pop(s)
    else:
        bury(s, depth)


cdef bint same_name(Scan* s, int32_t node, const uint8_t* name, Py_ssize_t length) noexcept nogil:
    cdef const uint8_t* open_name = s.source + node_cell(s, node, NODE_START)[0] + 1
    cdef Py_ssize_t index
    for index in range(length):
        if lower(open_name[index]) != lower(name[index]):
            return False
    return ends_name(open_name[length])


cdef int32_t matching_unknown(Scan* s, const uint8_t* name, Py_ssize_t length) noexcept nogil:
    cdef int32_t depth = s.depth, lowest = s.depth - UNKNOWN_REACH
    if length > LONGEST_NAME:
        return -1
    while depth > lowest and depth > 0:
        if s.stack[depth].tag == 0 and same_name(s, s.stack[depth].node, name, length):
            return depth
        if s.stack[depth].special == depth:
            return -1
        depth -= 1
    return -1


cdef int32_t matching(Scan* s, int tag) noexcept nogil:
    cdef int32_t depth = s.last[tag], level, table
    cdef Open* top = s.stack + s.depth
    if rules_of[tag] & RULE_HEADING:
        for level in range(6):
            depth = max(depth, s.last[TAG_H1 + level])
        return depth if depth >= top.scope else -1
    if tag == TAG_TABLE or is_table_part(tag):
        table = max(s.last[TAG_TABLE], s.last[TAG_TEMPLATE])
        if depth < table and (tag == TAG_TR or tag == TAG_TBODY or tag == TAG_THEAD or tag == TAG_TFOOT):
            depth = max(s.last[TAG_TD], s.last[TAG_TH])
        return depth if depth >= table else -1
    if tag == TAG_TEMPLATE or tag == TAG_HEAD:
        return depth if depth >= s.last[TAG_TEMPLATE] else -1
    if tag == TAG_LI and depth < max(s.last[TAG_UL], s.last[TAG_OL]):
        return -1
    if tag == TAG_DIALOG or (rules_of[tag] & RULE_SPECIAL and not rules_of[tag] & RULE_INTEGRATION):
        return depth if depth >= top.scope else -1
    return depth if depth >= top.special else -1


cdef void open_by_end(Scan* s, int tag) noexcept nogil:
    """Read </br> as <br> and a stray </p> as an empty paragraph."""
    cdef int32_t parent
    if s.body < 0:
        enter_body(s)
    parent = home(s)
    if parent < s.depth:
        enter_gap(s, parent + 1)
    mark_break(s, tag, 0)
    if tag == TAG_BR:
        s.line_breaks += 1
        s.fills_body = True
    if parent < s.depth:
        leave_gap(s, parent + 1)


cdef void close_element(Scan* s, int tag, const uint8_t* name, Py_ssize_t length) noexcept nogil:
    cdef int32_t depth
    if tag == TAG_HTML or tag == TAG_BODY or s.is_frameset:
        return
    if tag == TAG_BR or tag == TAG_P:
        leave_foreign(s)
    if tag == TAG_BR or (tag == TAG_P and not in_button_scope(s)):
        open_by_end(s, tag)
    elif tag == TAG_FORM and s.last[TAG_TEMPLATE] < 0:
        close_form(s)
    elif rules_of[tag] & RULE_FORMATTING:
        close_formatting(s, tag, NODE_FLAG_CLOSED)
        if tag == TAG_A:
            s.link = 0
    else:
        depth = matching(s, tag) if tag else matching_unknown(s, name, length)
        if depth > 0:
            node_cell(s, s.stack[depth].node, NODE_FLAGS)[0] |= NODE_FLAG_CLOSED
            pop_to(s, depth)


cdef inline void close_top(Scan* s, int tag) noexcept nogil:
    """Close the element at the top of the stack, whose tag this is, at its end tag: as close_element does, but sooner."""
    cdef Open* top = s.stack + s.depth
    if not ends_simply[tag] or s.is_frameset or s.depth == 0 or top.mask & FLAG_FOREIGN:
        close_element(s, tag, NULL, 0)
        return
    node_cell(s, top.node, NODE_FLAGS)[0] |= NODE_FLAG_CLOSED
    pop(s)
    if tag == TAG_A:
        s.link = 0


# Text


cdef inline void count(Measure* m, uint32_t code) noexcept nogil:
    """Count one character under the word rule."""
    cdef int letter = letter_of[code] if code < TABLE_SIZE else LETTER_INVISIBLE
    if letter == LETTER_SPACE:
        m.in_space = m.chars > 0
        m.in_word = False
        m.has_space = True
        return
    if letter == LETTER_INVISIBLE:
        return
    m.chars += 1 + m.in_space
    m.size += 1 + (code > 0x7F) + (code > 0x7FF) + (code > 0xFFFF) + m.in_space
    m.in_space = False
    if letter == LETTER_WORD:
        m.words += not m.in_word
        m.in_word = True
    elif letter == LETTER_IDEOGRAPH:
        m.ideographs += 1
        m.in_word = False
    elif letter == LETTER_UNSPACED:
        m.unspaced += 1
        m.in_word = False


cdef Py_ssize_t read_number(const uint8_t* text, Py_ssize_t length, uint32_t* found) noexcept nogil:
    """Read the numeric reference at "&#"; return its length, or 0 if there is none."""
    cdef Py_ssize_t index = 2, digits
    cdef uint32_t code = 0
    cdef uint8_t byte
    cdef bint hexadecimal = length > 2 and (text[2] | LOWER_BIT) == c'x'
    if hexadecimal:
        index = 3
    digits = index
    while index < length:
        byte = text[index]
        if is_digit(byte):
            byte -= c'0'
        elif hexadecimal and c'a' <= (byte | LOWER_BIT) <= c'f':
            byte = (byte | LOWER_BIT) - c'a' + 10
        else:
            break
        if code <= 0x10FFFF:
            code = code * (16 if hexadecimal else 10) + byte
        index += 1
    if index == digits:
        return 0
    if index < length and text[index] == c';':
        index += 1
    if REPLACED <= code < REPLACED + REPLACED_COUNT:
        code = replacement_of[code - REPLACED]
    if code == 0 or code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        code = REPLACEMENT
    found[0] = code
    return index


cdef Entity* find_entity(const uint8_t* name, Py_ssize_t length) noexcept nogil:
    cdef uint32_t slot = hash_bytes(name, length) % ENTITY_SLOTS
    while entity_slots[slot].length:
        if entity_slots[slot].length == length and memcmp(entity_slots[slot].text, name, length) == 0:
            return &entity_slots[slot]
        slot = (slot + 1) % ENTITY_SLOTS
    return NULL


cdef Py_ssize_t read_reference(const uint8_t* text, Py_ssize_t length, uint32_t* found) noexcept nogil:
    """Read the character reference at "&", or the "&" itself, into two characters; return the bytes read."""
    cdef Py_ssize_t read = 0, index = 1
    cdef Entity* entity = NULL
    found[0], found[1] = c'&', 0
    if length > 1 and text[1] == c'#':
        read = read_number(text, length, found)
        return read if read else 1
    while index < length and index <= LONGEST_ENTITY and (is_letter(text[index]) or is_digit(text[index])):
        index += 1
    if index > 1 and index < length and text[index] == c';':
        entity = find_entity(text + 1, index)
        read = index + 1
    if entity == NULL:
        index = min(index, LONGEST_BARE_ENTITY + 1)
        while entity == NULL and index > 2:
            entity = find_entity(text + 1, index - 1)
            read = index
            index -= 1
    if entity == NULL:
        return 1
    found[0], found[1] = entity.first, entity.second
    return read


cdef inline Py_ssize_t read_wide(const uint8_t* text, Py_ssize_t length, uint32_t* found) noexcept nogil:
    """Read one character beyond ASCII of valid UTF-8; return its bytes. A broken one at the end is "?"."""
    cdef uint8_t lead = text[0]
    if length < 2 + (lead >= 0xE0) + (lead >= 0xF0):
        found[0] = c'?'
        return length
    if lead < 0xE0:
        found[0] = ((lead & 0x1F) << 6) | (text[1] & 0x3F)
        return 2
    if lead < 0xF0:
        found[0] = ((lead & 0x0F) << 12) | ((text[1] & 0x3F) << 6) | (text[2] & 0x3F)
        return 3
    found[0] = ((lead & 0x07) << 18) | ((text[1] & 0x3F) << 12) | ((text[2] & 0x3F) << 6) | (text[3] & 0x3F)
    return 4


cdef inline void count_plain(Measure* m, uint64_t visible, uint64_t word, int count) noexcept nogil:
    """Count bytes of ASCII under the word rule, 1 to AT_ONCE of them, each a bit of the masks."""
    cdef uint64_t hidden = ~visible & ((<uint64_t>1 << count) - 1)
    cdef int gaps
    m.has_space |= hidden != 0
    if not visible:
        m.in_space = m.chars > 0
        m.in_word = False
        return
    gaps = count_bits(visible & ~(visible << 1))  # one before each stretch
    if m.chars == 0 or (visible & 1 and not m.in_space):
        gaps -= 1
    m.chars += gaps + count_bits(visible)
    m.size += gaps + count_bits(visible)
    if m.in_word:  # the first stretch goes on with a word
        word &= ~visible | (visible & (visible + 1))
    m.words += count_bits((visible + word) & ~visible)  # a letter makes a stretch of ones overflow
    m.in_space = not visible >> (count - 1)
    if hidden:
        m.in_word = word >> HIGHEST(hidden) != 0
    else:
        m.in_word |= word != 0


cdef inline Py_ssize_t count_special(
    Measure* m, const uint8_t* text, Py_ssize_t length, bint escapable, bint keeps_nul
) noexcept nogil:
    """Count a character that is not plain; return its bytes."""
    cdef uint32_t code[2]
    cdef Py_ssize_t read = 1
    code[0], code[1] = text[0], 0
    if text[0] >= 0x80:
        read = read_wide(text, length, code)
    elif text[0] == c'&' and escapable:
        read = read_reference(text, length, code)
    elif text[0] == 0 and keeps_nul:
        code[0] = REPLACEMENT
    count(m, code[0])
    if code[1]:
        count(m, code[1])
    return read


cdef void measure(
    Measure* m, const uint8_t* text, Py_ssize_t length, Py_ssize_t left, bint escapable, bint keeps_nul
) noexcept nogil:
    """Count the words and characters of a text, after which more bytes may be `left`."""
    cdef Sorted sorted
    cdef Py_ssize_t index = 0
    cdef int at, size, plain
    memset(m, 0, sizeof(Measure))
    while index < length:
        size = <int>min(length - index, AT_ONCE)
        sorted = sort_bytes(text + index, size, left - index, escapable)
        at = 0
        while at < size:
            plain = (LOWEST(sorted.special >> at) if sorted.special >> at else size - at)
            if plain:
                count_plain(
                    m, (sorted.visible >> at) & ((<uint64_t>1 << plain) - 1),
                    (sorted.word >> at) & ((<uint64_t>1 << plain) - 1), plain
                )
                at += plain
            while at < size and sorted.special >> at & 1:
                at += <int>count_special(m, text + index + at, length - index - at, escapable, keeps_nul)
        index += at
    m.words += (m.ideographs + LETTERS_PER_IDEOGRAPHIC_WORD - 1) // LETTERS_PER_IDEOGRAPHIC_WORD
    m.words += (m.unspaced + LETTERS_PER_UNSPACED_WORD - 1) // LETTERS_PER_UNSPACED_WORD


cdef inline void read_text(Scan* s, Py_ssize_t start, Py_ssize_t end, bint escapable) noexcept nogil:
    """Read a text, which has a byte at least; most are white space between tags."""
    cdef int32_t mask = s.stack[s.depth].mask
    if mask & FLAG_SILENT or s.is_frameset:
        return
    if not mask & FLAG_PRE and is_blank(s.source + start, end - start, s.length - start):
        s.space = True
    else:
        add_run(s, start, end, escapable)


cdef bint begins_apart(Scan* s, int32_t before, Py_ssize_t start) noexcept nogil:
    """Whether a text begins a word or a price, and the run right before it ends one: "Big Agnes" and "Anthracite"."""
    cdef const uint8_t* text = s.source + start
    cdef Py_ssize_t first = run_cell(s, before, RUN_START)[0], last = run_cell(s, before, RUN_END)[0] - 1, place
    cdef uint8_t lead = s.source[last]
    if not (c'A' <= text[0] <= c'Z' or text[0] == c'$' or (text[0] == 0xD0 and 0x90 <= text[1] < 0xB0)  # a Cyrillic capital
            or (text[0] == 0xC2 and text[1] == 0xA3)  # pound
            or (text[0] == 0xE2 and text[1] == 0x82 and text[2] == 0xAC)):  # euro
        return False
    if lead == c'.':  # of a sentence; "json." is a part of a name
        return memchr(s.source + first, c' ', last - first) != NULL
    if is_digit(lead) or lead == c'!' or lead == c'?' or lead == c':' or lead == c')' or lead == c'%':
        return True
    if last - 2 < first:
        return False
    for place in range(last - 2, last + 1):
        if s.source[place] < 0x80 and not c'a' <= s.source[place] <= c'z':
            return False  # "iPhone", "McDonald"
    place = last
    while place > first and s.source[place] & 0xC0 == 0x80:
        place -= 1
    lead = s.source[place]
    return lead < 0x80 or lead == 0xE1 or 0xC3 <= lead <= 0xD4  # Latin, Greek, Cyrillic and what is like them


cdef void add_run(Scan* s, Py_ssize_t start, Py_ssize_t end, bint escapable) noexcept nogil:
    cdef int32_t mask = s.stack[s.depth].mask, flags, run = s.run_count, block, parent, node
    cdef Measure m
    measure(
        &m, s.source + start, end - start, s.length - start, escapable, not escapable or (mask & FLAG_FOREIGN) != 0
    )
    if m.chars == 0 and not mask & FLAG_PRE:
        s.space = s.space or m.has_space
        return
    if s.body < 0:
        enter_body(s)
    parent = home(s) if m.chars else s.depth
    if parent < s.depth:
        enter_gap(s, parent + 1)
        note_move(s, parent + 1, ~run)
    mask = s.stack[parent].mask
    flags = mask & INHERITED_FLAGS
    if not m.words:  # a mark alone, such as a colon, separates the texts around it
        flags &= ~FLAG_SPOKEN
        if s.link and (mask >> KIND_SHIFT) & KIND_MASK == KIND_HEADING:  # the sign of the heading's own address
            flags |= FLAG_HIDDEN
    if s.link:
        flags |= FLAG_LINK
    if s.space:
        flags |= FLAG_SPACE
    if not escapable:
        flags |= FLAG_VERBATIM
    if s.at_break or (s.line_breaks > 1 and not mask & FLAG_PRE) or flags & INSET_FLAGS != s.inset:
        node = s.stack[holder(s, s.stack[parent].special)].node
        if s.is_flood and s.block_count and not s.move_count and flags & INSET_FLAGS == s.inset \
                and node == block_cell(s, s.block_count - 1, BLOCK_NODE)[0] and end - start < FLOOD_TEXT \
                and run_cell(s, run - 1, RUN_END)[0] - run_cell(s, run - 1, RUN_START)[0] < FLOOD_TEXT:
            flags |= FLAG_LINE | (max(1, min(s.line_breaks, MOST_LINES)) << LINES_SHIFT)
        else:
            block = s.block_count
            block_cell(s, block, BLOCK_FIRST_RUN)[0] = run
            block_cell(s, block, BLOCK_KIND)[0] = (mask >> KIND_SHIFT) & KIND_MASK
            block_cell(s, block, BLOCK_NODE)[0] = node
            s.block_count += 1
    elif s.line_breaks:
        flags |= FLAG_LINE | (min(s.line_breaks, MOST_LINES) << LINES_SHIFT)
    elif s.pieces > 1 and not flags & (FLAG_SPACE | FLAG_PRE) and begins_apart(s, run - 1, start):
        flags |= FLAG_SPACE
    run_cell(s, run, RUN_START)[0] = <int32_t>start
    run_cell(s, run, RUN_END)[0] = <int32_t>end
    run_cell(s, run, RUN_TAGS)[0] = s.tags - s.tags_before
    run_cell(s, run, RUN_WORDS)[0] = m.words
    run_cell(s, run, RUN_CHARS)[0] = m.chars
    run_cell(s, run, RUN_BYTES)[0] = m.size
    run_cell(s, run, RUN_NODE)[0] = s.stack[parent].node
    run_cell(s, run, RUN_FLAGS)[0] = flags
    s.run_count += 1
    block_cell(s, s.block_count - 1, BLOCK_STOP_RUN)[0] = s.run_count
    s.tags_before = s.tags
    s.at_break = False
    s.line_breaks = s.pieces = 0
    s.space = False
    s.inset = flags & INSET_FLAGS
    if parent < s.depth:
        leave_gap(s, parent + 1)


# What goes before tables


cdef struct Chain:  # the nodes and (inverted) the runs of a page, in the order of the document
    int32_t* item
    int32_t* after
    int32_t* before
    int32_t* run_place
    int32_t* sizes  # of the nodes, with all that is in them
    # New numbers of the rows, and the block that begins with a run, or -1. All but one are where the last three were.
    int32_t* rank
    int32_t* run_rank
    int32_t* block_rank
    int32_t* begun


cdef void link_items(Scan* s, Chain* c) noexcept nogil:
    """Chain the nodes and runs as they were read."""
    cdef int32_t node, run = 0, count = s.node_count + s.run_count, place
    for node in range(s.node_count):
        c.sizes[node] = 1
        while run < node_cell(s, node, NODE_FIRST_RUN)[0]:
            c.item[node + run], c.run_place[run] = ~run, node + run
            run += 1
        c.item[node + run] = node
    while run < s.run_count:
        c.item[s.node_count + run], c.run_place[run] = ~run, s.node_count + run
        run += 1
    for node in range(s.node_count - 1, 0, -1):
        c.sizes[node_cell(s, node, NODE_PARENT)[0]] += c.sizes[node]
    for place in range(count + 1):
        c.after[place], c.before[place] = place + 1, place - 1
    c.after[count], c.before[0] = 0, count


cdef void move_items(Scan* s, Chain* c) noexcept nogil:
    cdef Py_ssize_t index
    cdef int32_t node, first, last, left, right, target
    for index in range(s.move_count):
        node = s.moves[index].item
        if node >= 0:
            first = node + node_cell(s, node, NODE_FIRST_RUN)[0]
            last = node + c.sizes[node] + node_cell(s, node, NODE_STOP_RUN)[0] - 1
        else:
            first = last = c.run_place[~node]
        target = s.moves[index].table + node_cell(s, s.moves[index].table, NODE_FIRST_RUN)[0]
        left, right = c.before[first], c.after[last]
        c.after[left], c.before[right] = right, left
        left = c.before[target]
        c.after[left], c.before[first] = first, left
        c.after[last], c.before[target] = target, last


cdef void number_rows(Scan* s, Chain* c) noexcept nogil:
    """Number the rows of the tables in the order of the chain, and tile the runs anew."""
    cdef int32_t end = s.node_count + s.run_count, place = c.after[end], old, node = 0, run = 0, block = -1, blocks = 0
    cdef int32_t* row
    for old in range(s.run_count):
        c.begun[old] = -1
    for old in range(s.block_count):
        c.begun[block_cell(s, old, BLOCK_FIRST_RUN)[0]] = old
    while place != end:
        old = c.item[place]
        place = c.after[place]
        if old >= 0:
            c.rank[old] = node
            row = node_cell(s, old, 0)
            if row[NODE_PARENT] >= 0:
                row[NODE_PARENT] = c.rank[row[NODE_PARENT]]
            row[NODE_FIRST_RUN] = row[NODE_STOP_RUN] = run
            node += 1
            continue
        old = ~old
        c.run_rank[old] = run
        row = run_cell(s, old, 0)
        node_cell(s, row[RUN_NODE], NODE_STOP_RUN)[0] += 1
        row[RUN_NODE] = c.rank[row[RUN_NODE]]
        if c.begun[old] >= 0:
            block = c.begun[old]
            c.block_rank[block] = blocks
            blocks += 1
            row = block_cell(s, block, 0)
            row[BLOCK_FIRST_RUN], row[BLOCK_NODE] = run, c.rank[row[BLOCK_NODE]]
        run += 1
        block_cell(s, block, BLOCK_STOP_RUN)[0] = run


cdef void put_in_order(int32_t* table, int columns, int32_t* rank, int32_t count) noexcept nogil:
    """Move each row to its rank. No second table is needed: every exchange puts one row where it belongs."""
    cdef int32_t row, other, column
    cdef int32_t* here
    cdef int32_t* there
    for row in range(count):
        while rank[row] != row:
            other = rank[row]
            here, there = table + <Py_ssize_t>row * columns, table + <Py_ssize_t>other * columns
            for column in range(columns):
                here[column], there[column] = there[column], here[column]
            rank[row], rank[other] = rank[other], other


cdef void rearrange(Scan* s) noexcept nogil:
    """Put the rows of the tables in the order of the document."""
    cdef Py_ssize_t nodes = s.node_count, runs = s.run_count, items = nodes + runs
    cdef Chain c
    cdef int32_t node
    cdef int32_t* row
    cdef int32_t* memory = <int32_t*>malloc(sizeof(int32_t) * (3 * (items + 1) + items + s.block_count))
    if memory == NULL:
        s.out_of_memory = True
        return
    c.item = memory
    c.after = c.item + items + 1
    c.before = c.begun = c.after + items + 1
    c.sizes = c.rank = c.before + items + 1
    c.run_place = c.run_rank = c.sizes + nodes
    c.block_rank = c.run_place + runs
    link_items(s, &c)
    move_items(s, &c)
    number_rows(s, &c)
    put_in_order(s.nodes, NODE_COLUMN_COUNT, c.rank, s.node_count)
    put_in_order(s.runs, RUN_COLUMN_COUNT, c.run_rank, s.run_count)
    put_in_order(s.blocks, BLOCK_COLUMN_COUNT, c.block_rank, s.block_count)
    free(memory)
    for node in range(s.node_count - 1, 0, -1):
        row = node_cell(s, node, 0)
        node_cell(s, row[NODE_PARENT], NODE_STOP_RUN)[0] += row[NODE_STOP_RUN] - row[NODE_FIRST_RUN]


# Tags


cdef inline int find_tag(Scan* s, const uint8_t* name, Py_ssize_t length) noexcept nogil:
    """The number of a tag by its name, or 0 for an unknown one."""
    cdef ShortName sought
    cdef uint32_t slot
    if length > LONGEST_TAG:
        return 0
    sought = read_short_name(name, length, s.source + s.length - name)
    slot = hash_name(sought)
    while tag_slots[slot].length:
        if tag_slots[slot].name.first == sought.first and tag_slots[slot].name.second == sought.second \
                and tag_slots[slot].length == length:
            return tag_slots[slot].tag
        slot = (slot + 1) % TAG_SLOTS
    return 0


cdef bint declares(const uint8_t* style, Py_ssize_t length, Phrase* phrase) noexcept nogil:
    """Whether a style begins with a phrase, whatever its case and white space."""
    cdef Py_ssize_t index = 0
    cdef int matched = 0
    while matched < phrase.length and index < length:
        if not is_space(style[index]):
            if lower(style[index]) != <uint8_t>phrase.text[matched]:
                return False
            matched += 1
        index += 1
    return matched == phrase.length


cdef int read_style(const uint8_t* style, Py_ssize_t length) noexcept nogil:
    """The flags of the declarations in a style that conceal its element."""
    cdef const uint8_t* end = style
    cdef int number, flags = 0
    while end != NULL:
        while length and is_space(style[0]):
            style += 1
            length -= 1
        for number in range(CONCEALING_COUNT if length and begins_concealing[style[0]] else 0):
            if declares(style, length, &concealing[number]):
                flags |= concealing[number].flags
        end = <const uint8_t*>memchr(style, c';', length)
        if end != NULL:
            length -= end - style + 1
            style = end + 1
    return flags


cdef int read_class(const uint8_t* value, Py_ssize_t length) noexcept nogil:
    """What the first or the last of some classes, SHORTEST_CONCEALED_CLASS bytes at least, says of the element."""
    cdef Py_ssize_t size
    cdef int number
    cdef const char* text
    # Hardly any class has the right letters in these places, and there are thousands.
    cdef uint32_t first = second_letters[value[1]] & third_letters[value[2]]
    cdef uint32_t last = last_but_one[value[length - 2]] & last_but_two[value[length - 3]]
    cdef uint32_t candidates = first | last
    while candidates:
        number = LOWEST(candidates)
        candidates &= candidates - 1
        size, text = concealed_classes[number].length, concealed_classes[number].text
        if size > length:
            continue
        if first >> number & 1 and memcmp(value, text, size) == 0 and (size == length or is_space(value[size])):
            return concealed_classes[number].flags
        if last >> number & 1 and memcmp(value + length - size, text, size) == 0 and size < length \
                and is_space(value[length - size - 1]):
            return concealed_classes[number].flags
    return 0


cdef inline void note_attribute(Attributes* found, int* seen, const uint8_t* source, TagAttribute* part, uint64_t name) \
        noexcept nogil:
    """Note what an attribute says; `name` are the first letters of its name."""
    cdef const uint8_t* value = source + part.value
    cdef Py_ssize_t length = part.name_end - part.name, value_length = part.value_end - part.value
    if name == NAME_CLASS and length == 5 and not seen[0] & 4:
        seen[0] |= 4
        if value_length >= SHORTEST_CONCEALED_CLASS:
            found.flags |= read_class(value, value_length)
    elif name == NAME_HREF and length == 4:
        found.flags |= NODE_FLAG_LINK
    elif name == NAME_STYLE and length == 5 and not seen[0] & 1:
        seen[0] |= 1
        found.flags |= read_style(value, value_length)
    elif name == NAME_HIDDEN and length == 6:
        found.flags |= NODE_FLAG_HIDDEN
    elif name == NAME_ARIA_HIDDEN and length == 11 and not seen[0] & 2 and matches(source + part.name + 8, b"den", 3):
        seen[0] |= 2
        if value_length == 4 and matches(value, b"true", 4):
            found.flags |= NODE_FLAG_ARIA_HIDDEN


cdef inline void read_attributes(Scan* s, Py_ssize_t position, Attributes* found) noexcept nogil:
    """Read a tag from the end of its name to the end of its ">"."""
    cdef TagAttribute part
    cdef Py_ssize_t length
    cdef int seen = 0
    found.flags = 0
    part.next, part.self_closing = position, False
    while next_attribute(s.source, s.length, &part):
        length = part.name_end - part.name
        if noted_lengths[s.source[part.name]] >> (length & 31) & 1:
            note_attribute(found, &seen, s.source, &part, read_eight(s.source + part.name, length, s.length - part.name))
    found.end, found.self_closing = part.next, part.self_closing


cdef bint at_end_tag(Scan* s, Py_ssize_t position, const uint8_t* name, Py_ssize_t name_length) noexcept nogil:
    """Whether the `<` at a position begins the end tag with a name."""
    cdef Py_ssize_t start = position + 2, index = 0
    if s.length - start <= name_length or s.source[position + 1] != c'/':
        return False
    while index < name_length and lower(s.source[start + index]) == lower(name[index]):
        index += 1
    return index == name_length and ends_name(s.source[start + index])


cdef Py_ssize_t raw_end(Scan* s, const uint8_t* name, Py_ssize_t name_length, Py_ssize_t position) noexcept nogil:
    """Where the end tag of a raw-text element or of a noscript around it begins, or the page's end."""
    cdef const uint8_t* source = s.source
    cdef const uint8_t* found
    cdef bint in_noscript = (s.stack[s.depth].mask & FLAG_NOSCRIPT) != 0
    while position < s.length:
        found = <const uint8_t*>memchr(source + position, c'<', s.length - position)
        if found == NULL:
            break
        position = found - source
        if at_end_tag(s, position, name, name_length) or (in_noscript and at_end_tag(s, position, b"noscript", 8)):
            return position
        position += 1
    return s.length


cdef inline bint at_script(Scan* s, Py_ssize_t position) noexcept nogil:
    return s.length - position > 6 and matches(s.source + position, b"script", 6) and ends_name(s.source[position + 6])


cdef Py_ssize_t script_end(Scan* s, Py_ssize_t position) noexcept nogil:
    cdef const uint8_t* source = s.source
    cdef const uint8_t* found
    cdef bint escaped = False, nested = False
    while position < s.length:
        if not escaped:
            found = <const uint8_t*>memchr(source + position, c'<', s.length - position)
            if found == NULL:
                break
            position = found - source
        if source[position] == c'<' and position + 1 < s.length:
            if source[position + 1] == c'/' and at_script(s, position + 2):
                if not nested:
                    return position
                nested = False
            elif s.length - position >= 4 and memcmp(source + position, b"<!--", 4) == 0:
                escaped = True
                position += 1
            elif escaped and at_script(s, position + 1):
                nested = True
        elif escaped and source[position] == c'-' and s.length - position >= 3 and source[position + 1] == c'-' \
                and source[position + 2] == c'>':
            escaped = nested = False
        position += 1
    return s.length


cdef Py_ssize_t read_raw(Scan* s, int tag, const uint8_t* name, Py_ssize_t name_length,
                         Py_ssize_t position) noexcept nogil:
    cdef Py_ssize_t end
    cdef Attributes found
    if tag == TAG_PLAINTEXT:
        if position < s.length:
            read_text(s, position, s.length, False)
        return s.length
    end = script_end(s, position) if tag == TAG_SCRIPT else raw_end(s, name, name_length, position)
    if rules_of[tag] & RULE_RAW_TEXT and position < end:
        read_text(s, position, end, (rules_of[tag] & RULE_ESCAPABLE) != 0)
    if end >= s.length:
        return s.length
    if tag != TAG_SCRIPT and not at_end_tag(s, end, name, name_length):  # a noscript's end
        close_element(s, tag, name, name_length)
        return end
    read_attributes(s, end + 2 + name_length, &found)
    if found.end < 0:
        return s.length
    s.tags += 1
    close_element(s, tag, name, name_length)
    return found.end


cdef inline Py_ssize_t name_length_at(Scan* s, Py_ssize_t position) noexcept nogil:
    return find_name_end(s.source, position, s.length, SLASH) - position


cdef Py_ssize_t start_tag(Scan* s, Py_ssize_t opening) noexcept nogil:
    cdef const uint8_t* name = s.source + opening + 1
    cdef Py_ssize_t name_length = name_length_at(s, opening + 1)
    cdef Attributes found
    cdef int tag = find_tag(s, name, name_length)  # before the attributes: much depends on it after them
    if name[name_length] == c'>':
        found.end, found.flags, found.self_closing = opening + name_length + 2, 0, False
    else:
        read_attributes(s, opening + 1 + name_length, &found)
        if found.end < 0:
            return s.length
    s.tags += 1
    if open_element(s, tag, opening, &found) and rules_of[tag] & (RULE_RAW | RULE_RAW_TEXT):
        return read_raw(s, tag, name, name_length, found.end)
    return found.end


cdef Py_ssize_t end_tag(Scan* s, Py_ssize_t opening) noexcept nogil:
    cdef const uint8_t* name = s.source + opening + 2
    cdef Py_ssize_t name_length, end, left = s.length - opening - 2
    cdef Attributes found
    cdef int top = s.stack[s.depth].tag
    # Most end tags are that of the element at the top of the stack.
    if top > 0 and left >= 8 and read_eight(name, 8, left) & end_tags[top].mask == end_tags[top].text:
        s.tags += 1
        close_top(s, top)
        return opening + 2 + end_tags[top].size
    name_length = name_length_at(s, opening + 2)
    end = opening + 2 + name_length + 1
    if end > s.length or s.source[end - 1] != c'>':
        read_attributes(s, end - 1, &found)
        end = found.end
    if end < 0:
        return s.length
    s.tags += 1
    close_element(s, find_tag(s, name, name_length), name, name_length)
    return end


# Markup


cdef Py_ssize_t after(Scan* s, uint8_t byte, Py_ssize_t position) noexcept nogil:
    """The offset after the next such byte, or the page's end."""
    return min(find_byte(s.source, position, s.length, byte) + 1, s.length) if position < s.length else s.length


cdef Py_ssize_t comment_end(Scan* s, Py_ssize_t position) noexcept nogil:
    """The offset after a comment whose content begins here."""
    cdef const uint8_t* source = s.source
    cdef Py_ssize_t length = s.length
    if position < length and source[position] == c'>':
        return position + 1
    if position + 1 < length and source[position] == c'-' and source[position + 1] == c'>':
        return position + 2
    position = after(s, c'>', position)
    while position <= length and source[position - 1] == c'>':
        if source[position - 2] == c'-' and source[position - 3] == c'-' and s.at + 7 <= position:
            return position
        if source[position - 2] == c'!' and source[position - 3] == c'-' and source[position - 4] == c'-' \
                and s.at + 8 <= position:
            return position
        if position == length:
            break
        position = after(s, c'>', position)
    return length


cdef Py_ssize_t section_end(Scan* s, Py_ssize_t position) noexcept nogil:
    """Where "]]>" begins, or the page's end."""
    cdef Py_ssize_t found = position
    while True:
        found = after(s, c']', found) - 1
        if s.length - found < 3:
            return s.length
        if s.source[found + 1] == c']' and s.source[found + 2] == c'>':
            return found
        found += 1


cdef bint in_foreign_element(Scan* s) noexcept nogil:
    cdef int32_t tag = s.stack[s.depth].tag
    if s.stack[s.depth].mask & FLAG_FOREIGN:
        return True
    return s.depth > 0 and tag > 0 and rules_of[tag] & RULE_INTEGRATION and s.stack[s.depth - 1].mask & FLAG_FOREIGN


cdef Py_ssize_t declaration(Scan* s, Py_ssize_t opening) noexcept nogil:
    cdef const uint8_t* text = s.source + opening
    cdef Py_ssize_t left = s.length - opening, end
    if left >= 4 and text[2] == c'-' and text[3] == c'-':
        return comment_end(s, opening + 4)
    if left >= 9 and in_foreign_element(s) and memcmp(text, b"<![CDATA[", 9) == 0:
        end = section_end(s, opening + 9)
        if opening + 9 < end:
            read_text(s, opening + 9, end, False)
        return min(end + 3, s.length)
    return after(s, c'>', opening + 2)


cdef Py_ssize_t markup(Scan* s, Py_ssize_t opening) noexcept nogil:
    """Read what begins with "<"; return the offset after it."""
    cdef uint8_t following = s.source[opening + 1]
    s.at = opening
    if following == c'/':
        if s.source[opening + 2] == c'>':
            return opening + 3
        if not is_letter(s.source[opening + 2]):
            return after(s, c'>', opening + 2)
        return end_tag(s, opening)
    if following == c'!':
        return declaration(s, opening)
    if following == c'?':
        return after(s, c'>', opening + 2)
    return start_tag(s, opening)


cdef inline void read_text_until(Scan* s, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    if start < end:
        s.at = start
        read_text(s, start, end, True)


cdef bint read_page(Scan* s) noexcept nogil:
    """Read from `at` on. Return whether that is done: if not, there must be more room in the tables."""
    cdef Py_ssize_t opening
    cdef uint8_t following
    while s.at < s.length and not s.out_of_memory:
        if max(s.node_count, s.run_count) + ROWS_AT_ONCE > s.rows:
            return False
        opening = s.at
        if s.source[opening] != c'<':  # often there is no text between tags
            opening = find_byte(s.source, opening, s.length, c'<')
        if opening + 1 >= s.length:
            break
        following = s.source[opening + 1]
        if not begins_markup[following]:
            s.at = opening + 1
            continue
        if following == c'/' and opening + 2 >= s.length:
            break
        read_text_until(s, s.text_start, opening)
        s.at = s.text_start = markup(s, opening)
    if s.out_of_memory:
        return True
    read_text_until(s, s.text_start, s.length)
    pop_to(s, 0)
    if s.move_count and not s.out_of_memory:
        rearrange(s)
    return True


cdef Py_ssize_t count_openings(const uint8_t* source, Py_ssize_t length) noexcept nogil:
    """Count at least as many as there can be rows: two for "<!", which may be a CDATA section, one for other markup.

    Counted in stretches that fit a byte, so that the compiler can use wide registers. A page's bytes end with a NUL.
    """
    cdef Py_ssize_t start = 0, stop, index, total = 0
    cdef uint8_t part, byte, following
    while start < length:
        stop = min(start + 127, length)
        part = 0
        for index in range(start, stop):
            byte, following = source[index], source[index + 1]
            part += <uint8_t>((byte == c'<') & (<int8_t>following > c' ') & (following != c'<'))
            part += <uint8_t>((byte == c'<') & (following == c'!'))
        total += part
        start = stop
    return total


cdef inline Py_ssize_t sequence_length(const uint8_t* text, Py_ssize_t length) noexcept nogil:
    """The length of the valid UTF-8 sequence that begins here, beyond ASCII; 0 if there is none."""
    cdef uint8_t lead = text[0], low = 0x80, high = 0xBF
    cdef Py_ssize_t size
    if 0xC2 <= lead <= 0xDF:
        size = 2
    elif 0xE0 <= lead <= 0xEF:
        size = 3
        if lead == 0xE0:
            low = 0xA0
        elif lead == 0xED:
            high = 0x9F
    elif 0xF0 <= lead <= 0xF4:
        size = 4
        if lead == 0xF0:
            low = 0x90
        elif lead == 0xF4:
            high = 0x8F
    else:
        return 0
    if length < size or text[1] < low or text[1] > high:
        return 0
    if size > 2 and text[2] & 0xC0 != 0x80:
        return 0
    if size > 3 and text[3] & 0xC0 != 0x80:
        return 0
    return size


cdef Py_ssize_t skip_ascii(const uint8_t* text, Py_ssize_t index, Py_ssize_t length) noexcept nogil:
    """Pass over stretches of ASCII. Their lengths are fixed, so that the compiler can use wide registers."""
    cdef Py_ssize_t step
    cdef uint8_t joined = 0
    while index + 128 <= length:
        for step in range(128):
            joined |= text[index + step]
        if joined >= 0x80:
            break
        index += 128
    while index + 32 <= length:
        joined = 0
        for step in range(32):
            joined |= text[index + step]
        if joined >= 0x80:
            break
        index += 32
    return index


def count_sequences(data: bytes):
    """Count the characters of UTF-8 that take several bytes; -1 if the bytes are not UTF-8."""
    cdef const uint8_t* text = <const uint8_t*><char*>data
    cdef Py_ssize_t length = len(data), index = 0, stop, size = 1, count = 0
    # Python's lock is kept: to get it back may take longer than all of this.
    while index < length and size:
        index = skip_ascii(text, index, length)
        stop = min(index + 32, length)
        while index < stop:
            if text[index] < 0x80:
                index += 1
                continue
            size = sequence_length(text + index, length - index)
            if size == 0:
                break
            index += size
            count += 1
    return count if size else -1


def count_controls(data: bytes, Py_ssize_t most):
    """Count the control characters in the first bytes, `most` of them, that are in no text."""
    cdef const uint8_t* text = <const uint8_t*><char*>data
    cdef Py_ssize_t index
    cdef int count = 0
    for index in range(min(<Py_ssize_t>len(data), most)):
        count += text[index] < c' ' and not (is_space(text[index]) or text[index] == ESCAPE)
    return count


cdef bytes make_tables(Scan* s, Py_ssize_t rows):
    """Return the memory of tables of so many rows, with what is in those that the scan has.

    All three are one piece: to free a large one makes the C library keep memory for the next page.
    """
    cdef bytes memory = PyBytes_FromStringAndSize(NULL, rows * ROW_NUMBERS * sizeof(int32_t))
    cdef int32_t* nodes = <int32_t*><char*>memory
    cdef int32_t* runs = nodes + rows * NODE_COLUMN_COUNT
    cdef int32_t* blocks = runs + rows * RUN_COLUMN_COUNT
    if s.rows:
        memcpy(nodes, s.nodes, s.node_count * NODE_COLUMN_COUNT * sizeof(int32_t))
        memcpy(runs, s.runs, s.run_count * RUN_COLUMN_COUNT * sizeof(int32_t))
        memcpy(blocks, s.blocks, s.block_count * BLOCK_COLUMN_COUNT * sizeof(int32_t))
    s.nodes, s.runs, s.blocks, s.rows = nodes, runs, blocks, <int32_t>rows
    return memory


cdef object view_table(bytes memory, const int32_t* table, Py_ssize_t columns, Py_ssize_t rows):
    """Return a table in the memory by columns, which nobody can write."""
    cdef Py_ssize_t start = <const char*>table - <const char*>memory
    return view_array((columns, rows), INT32, memory, start, (sizeof(int32_t), columns * sizeof(int32_t)))


def scan(source: bytes):
    """Return the tables of nodes, runs and blocks, column by column, and the number of tags in the page."""
    cdef Scan s
    cdef Py_ssize_t openings
    cdef bytes memory
    cdef bint done
    memset(&s, 0, sizeof(Scan))
    memset(s.last, 0xFF, sizeof(s.last))
    s.source, s.length = <const uint8_t*><char*>source, len(source)
    s.depth = s.body = s.head = s.form = -1
    s.at_break = True
    s.stack_capacity = 256
    s.stack = <Open*>malloc(s.stack_capacity * sizeof(Open))
    if s.stack == NULL:
        raise MemoryError
    try:
        memory = make_tables(&s, s.length // BYTES_A_ROW + LEAST_ROWS)
        push(&s, TAG_HTML, 0, 0, 0, -1)
        while True:
            with nogil:
                done = read_page(&s)
                openings = 0 if done else count_openings(s.source + s.at, s.length - s.at)
            if done:
                break
            # Markup gives at most one node and a run before it, a CDATA section one inside it; body may be implied.
            memory = make_tables(&s, max(s.node_count, s.run_count) + openings + 2 * ROWS_AT_ONCE)
    finally:
        free(s.stack)
        free(s.moves)
    if s.out_of_memory:
        raise MemoryError
    return (
        view_table(memory, s.nodes, NODE_COLUMN_COUNT, s.node_count),
        view_table(memory, s.runs, RUN_COLUMN_COUNT, s.run_count),
        view_table(memory, s.blocks, BLOCK_COLUMN_COUNT, s.block_count),
        s.tags,
    )


def nearest_marked(marked, parent):
    """Return for each node the nearest marked one at or above it, or -1. Parents come before their children."""
    cdef Column mark, above
    cdef Py_ssize_t count = len(parent), node
    cdef int32_t* nearest
    take(&mark, marked, count, 1)
    take(&above, parent, count)
    found = np.empty(count, np.int32)
    nearest = <int32_t*>point(found, count * sizeof(int32_t))
    with nogil:
        for node in range(count):
            if mark.data[node * mark.stride]:
                nearest[node] = <int32_t>node
            elif 0 <= get(&above, node) < node:
                nearest[node] = nearest[get(&above, node)]
            else:
                nearest[node] = -1
    return found


# Texts


cdef struct Texts:
    const int32_t* start
    const int32_t* end
    const int32_t* flags
    Py_ssize_t step  # from one run to the next
    Py_ssize_t runs
    Py_ssize_t length  # of the source


cdef struct Writer:
    uint8_t* out
    Py_ssize_t written
    Py_ssize_t block_start
    Py_ssize_t kept  # after the last character that is not white space
    bint preformatted
    bint carriage_return
    bint space
    bint line
    bint keeps_nul
    uint8_t line_break


cdef inline void put(Writer* w, uint32_t code) noexcept nogil:
    """Append a character as UTF-8."""
    cdef uint8_t* out = w.out + w.written
    if code < 0x80:
        out[0] = code
        w.written += 1
    elif code < 0x800:
        out[0], out[1] = 0xC0 | (code >> 6), 0x80 | (code & 0x3F)
        w.written += 2
    elif code < 0x10000:
        out[0], out[1], out[2] = 0xE0 | (code >> 12), 0x80 | ((code >> 6) & 0x3F), 0x80 | (code & 0x3F)
        w.written += 3
    else:
        out[0], out[1] = 0xF0 | (code >> 18), 0x80 | ((code >> 12) & 0x3F)
        out[2], out[3] = 0x80 | ((code >> 6) & 0x3F), 0x80 | (code & 0x3F)
        w.written += 4


cdef void put_verbatim(Writer* w, uint32_t code) noexcept nogil:
    """Append a character of preformatted text; all line ends become newlines."""
    cdef bint after_return = w.carriage_return
    w.carriage_return = code == c'\r'
    if code == c'\n' and after_return:
        return
    if code == c'\r':
        code = c'\n'
    if code == c'\n' and w.kept == w.block_start:  # a blank line before the text
        w.written = w.block_start
        return
    put(w, code)
    if not (code < TABLE_SIZE and letter_of[code] == LETTER_SPACE):
        w.kept = w.written


cdef inline void put_folded(Writer* w, uint32_t code) noexcept nogil:
    """Append a character, white space folded."""
    if code < TABLE_SIZE and letter_of[code] == LETTER_SPACE:
        w.space = True
        return
    if w.written > w.block_start:
        if w.line:
            put(w, w.line_break)
        elif w.space:
            put(w, c' ')
    w.line = w.space = False
    put(w, code)
    w.kept = w.written


cdef inline bint is_left_out(Writer* w, uint32_t code) noexcept nogil:
    """Whether a character is seen by nobody: word joiners, marks of byte order, spaces without width.

    The last separate words in scripts from Thai to Khmer, and stay there.
    """
    cdef const uint8_t* last = w.out + w.written - 3
    if code != 0x200B:
        return 0x2060 <= code <= 0x2064 or code == 0xFEFF
    if w.space or w.line or w.written - w.block_start < 3:
        return True
    return not ((last[0] == 0xE0 and last[1] >= 0xB8) or (last[0] == 0xE1 and last[1] < 0xA0))


cdef inline void write_code(Writer* w, uint32_t code) noexcept nogil:
    if code == 0:
        if not w.keeps_nul:
            return
        code = REPLACEMENT
    if code >= 0x200B and is_left_out(w, code):
        return
    if w.preformatted:
        put_verbatim(w, code)
    else:
        put_folded(w, code)


cdef void write_run(Writer* w, const uint8_t* text, Py_ssize_t length, Py_ssize_t left, bint escapable) noexcept nogil:
    """Write a text, after whose beginning `left` bytes can be read."""
    cdef Py_ssize_t index = 0, copied
    cdef uint32_t code[2]
    cdef uint8_t byte
    cdef uint8_t* out
    while index < length:
        byte = text[index]
        code[1] = 0
        if is_plain(byte) and w.preformatted:
            w.carriage_return = False
            out = w.out + w.written - index
            while index < length and is_plain(text[index]):
                out[index] = text[index]
                index += 1
            w.written = w.kept = out + index - w.out
            continue
        if is_plain(byte):
            put_folded(w, byte)
            index += 1
            copied = copy_plain(w.out + w.written, text + index, length - index, left - index)
            w.written += copied
            index += copied
            out = w.out + w.written - index
            while index < length:  # most text: words of ASCII with one space between them
                byte = text[index]
                if byte == c' ' and index + 1 < length:
                    byte = text[index + 1]
                    if not is_plain(byte):
                        break
                    out[index] = c' '
                    index += 1
                elif not is_plain(byte):
                    break
                out[index] = byte
                index += 1
            w.written = w.kept = out + index - w.out
            continue
        if byte == c'&' and escapable:
            index += read_reference(text + index, length - index, code)
            if code[0] == 0xAD:  # a soft hyphen; the byte of one is a letter where the encoding is mistaken
                continue
        elif byte >= 0x80:
            index += read_wide(text + index, length - index, code)
        else:
            code[0] = byte
            index += 1
        write_code(w, code[0])
        if code[1]:
            write_code(w, code[1])


cdef int32_t find_left_out(Texts* t, Py_ssize_t first, Py_ssize_t stop) noexcept nogil:
    """The flags of runs that are left out of a block's text.

    Those are hidden runs in a block that is shown, and runs for screen readers in a block that is seen.
    """
    cdef Py_ssize_t run
    cdef int32_t left_out = 0
    for run in range(first, stop):
        if not t.flags[run * t.step] & LEFT_OUT:
            return LEFT_OUT
        if not t.flags[run * t.step] & FLAG_HIDDEN:
            left_out = FLAG_HIDDEN
    return left_out


cdef inline bint begins_power(const uint8_t* source, Py_ssize_t before, Py_ssize_t start) noexcept nogil:
    """Whether a number is set above the line right after another one: 10<sup>15</sup> is not 1015."""
    if before < 1 or start - before < 5 or not is_digit(source[start]) or not is_digit(source[before - 1]):
        return False
    return memcmp(source + before, b"<sup ", 5) == 0 or memcmp(source + before, b"<sup>", 5) == 0 \
        or memcmp(source + start - 5, b"<sup>", 5) == 0


cdef void write_block(Writer* w, const uint8_t* source, Texts* t, Py_ssize_t first, Py_ssize_t stop) noexcept nogil:
    cdef Py_ssize_t run, start, before = 0
    cdef int32_t flags, lines = 0, gap = 0, left_out = find_left_out(t, first, stop)
    cdef bint begun = False
    w.block_start = w.kept = w.written
    w.carriage_return = w.space = w.line = False
    w.preformatted = first < stop and (t.flags[first * t.step] & FLAG_PRE) != 0
    for run in range(first, stop):
        flags = t.flags[run * t.step]
        if begun:  # what is before a run that is left out is before the next
            lines += (flags >> LINES_SHIFT) & MOST_LINES
            gap |= flags & FLAG_SPACE
        if flags & left_out:
            continue
        start = t.start[run * t.step]
        if w.preformatted:
            while lines:
                w.carriage_return = False
                put_verbatim(w, c'\n')
                lines -= 1
        elif lines:
            w.line = True
        elif gap:
            w.space = True
        elif begun and begins_power(source, before, start):
            put_folded(w, c'^')
        begun, lines, gap, before = True, 0, 0, t.end[run * t.step]
        w.keeps_nul = (flags & KEEPS_NUL) != 0
        write_run(w, source + start, t.end[run * t.step] - start, t.length - start, not flags & FLAG_VERBATIM)
    w.written = w.kept


cdef inline Py_ssize_t room_of(Texts* t, Py_ssize_t run) noexcept nogil:
    """Bytes enough for a run, or -1 if it is outside of the source."""
    cdef Py_ssize_t start = t.start[run * t.step], end = t.end[run * t.step], length = end - start
    cdef int32_t flags = t.flags[run * t.step]
    if length < 0 or start < 0 or end > t.length:
        return -1
    return (3 * length if flags & KEEPS_NUL else length + length // 2) + 1 + ((flags >> LINES_SHIFT) & MOST_LINES)


cdef Py_ssize_t room_for(Texts* t, const Column* first, const Column* stop, Py_ssize_t count) noexcept nogil:
    """Bytes enough for the texts of blocks, or -1 if a run is outside of the source.

    A character reference grows by less than a half, a NUL to three bytes, a run may have a space before it, a block a
    gap of two bytes.
    """
    cdef Py_ssize_t index, run, length, room = 8 + COPIED
    for index in range(count):
        if get(first, index) < 0 or get(stop, index) > t.runs:
            return -1
        for run in range(get(first, index), get(stop, index)):
            length = room_of(t, run)
            if length < 0:
                return -1
            room += length
        room += LONGEST_GAP
    return room


cdef bint join_texts(Texts* t, const Column* start, const Column* end, const Column* flags) noexcept nogil:
    """Point into the columns of the runs; whether they are of one table."""
    t.start, t.end, t.flags = <const int32_t*>start.data, <const int32_t*>end.data, <const int32_t*>flags.data
    t.step = start.stride // <Py_ssize_t>sizeof(int32_t)
    return start.stride == end.stride and start.stride == flags.stride and start.stride % <Py_ssize_t>sizeof(int32_t) == 0


cdef int take_texts(Texts* t, bytes source, object start, object end, object flags) except -1:
    """Point into the columns of the runs, which the caller keeps."""
    cdef Column columns[3]
    t.runs, t.length = len(start), len(source)
    take(&columns[0], start, t.runs)
    take(&columns[1], end, t.runs)
    take(&columns[2], flags, t.runs)
    if not join_texts(t, &columns[0], &columns[1], &columns[2]):
        raise ValueError("the columns of the runs must be of one table")
    return 0


cdef int check_written(Writer* w) except -1:
    """Offsets in texts are 32-bit; those of a line come twice, in parts and as a whole."""
    if w.written > INT32_MAX:
        raise ValueError(f"texts of {w.written:,} bytes are too long: the limit is {INT32_MAX:,}; cut the page")
    return 0


def write_texts(source: bytes, runs, blocks, gaps: bytes, folded: bytes):
    """Write the texts of blocks as one UTF-8 buffer; return it, and where the text of each block starts and ends."""
    cdef const uint8_t* text = <const uint8_t*><char*>source
    cdef const uint8_t* gap = <const uint8_t*><char*>gaps
    cdef const uint8_t* fold = <const uint8_t*><char*>folded
    cdef Column first, stop
    cdef Py_ssize_t count = len(blocks[0]), index, before, room
    cdef Texts t
    cdef Writer w
    take(&first, blocks[0], count)
    take(&stop, blocks[1], count)
    count = min(len(gaps), len(folded), count)
    spans = np.zeros((2, count), dtype=np.int32)
    if not count or not len(runs[0]):
        return b"", spans
    cdef int32_t* span = <int32_t*>point(spans, 2 * count * sizeof(int32_t))
    take_texts(&t, source, runs[0], runs[1], runs[2])
    room = room_for(&t, &first, &stop, count)
    if room < 0:
        raise ValueError("a run is outside of the source")
    memset(&w, 0, sizeof(Writer))
    w.out = <uint8_t*>malloc(room)
    if w.out == NULL:
        raise MemoryError
    with nogil:
        for index in range(count):
            before = w.written
            if before and gap[index] < GAPS_COUNT:
                memcpy(w.out + before, gap_texts[gap[index]].text, gap_texts[gap[index]].length)
                w.written += gap_texts[gap[index]].length
            span[index] = <int32_t>w.written
            w.line_break = c' ' if fold[index] else c'\n'
            write_block(&w, text, &t, get(&first, index), get(&stop, index))
            if w.written == span[index]:
                w.written = before
                span[index] = <int32_t>before
            span[count + index] = <int32_t>w.written
    try:
        check_written(&w)
        return (<char*>w.out)[:w.written], spans
    finally:
        free(w.out)


cdef int32_t* find_around(const Column* tag, const Column* parent, Py_ssize_t nodes, const uint8_t* is_sought) noexcept nogil:
    """The nearest node at or above each one whose tag is sought, or -1; the caller frees it. NULL if there is no memory."""
    cdef int32_t* around = <int32_t*>malloc((nodes + 1) * sizeof(int32_t))
    cdef Py_ssize_t node
    cdef int32_t above
    if around == NULL:
        return NULL
    for node in range(nodes):
        above = get(parent, node)
        if 0 <= get(tag, node) < TAGS_COUNT and is_sought[get(tag, node)]:
            around[node] = <int32_t>node
        else:
            around[node] = around[above] if 0 <= above < node else -1
    return around


cdef struct Choice:  # blocks that are written
    Column first, stop, kind, node
    Py_ssize_t count
    const float* scores  # of all blocks
    Py_ssize_t* kept
    int32_t* kinds
    int32_t* spans  # starts, then ends in the buffer; these two have as many columns as there are blocks
    int32_t* offsets  # and in the source
    float* kept_scores
    uint8_t* gaps
    uint8_t* in_row  # shares a line with others


cdef Py_ssize_t choose_blocks(Choice* c, Texts* t, Column* chars, float cut, Py_ssize_t* room) noexcept nogil:
    """List the blocks that score enough and have any characters; return how many they are, or -1 if a table is wrong.

    `room` is enough for their texts.
    """
    cdef Py_ssize_t block, run, first, stop, length, found = 0
    cdef bint shown
    room[0] = 8 + COPIED
    for block in range(c.count):
        if not c.scores[block] >= cut:
            continue
        first, stop, shown = get(&c.first, block), get(&c.stop, block), False
        if not 0 <= first < stop <= t.runs or not 0 <= get(&c.kind, block) < KIND_COUNT:
            return -1
        for run in range(first, stop):
            length = room_of(t, run)
            if length < 0:
                return -1
            room[0] += length
            shown |= get(chars, run) > 0
        if shown:
            c.kept[found] = block
            c.kinds[found] = get(&c.kind, block)
            found += 1
            room[0] += LONGEST_GAP
    return found


cdef int separate(Choice* c, Py_ssize_t found) noexcept nogil:
    """Find what comes before each block: a line end between items, a blank line elsewhere.

    Return whether there are cells, or code in several blocks, which need a second look.
    """
    cdef Py_ssize_t index
    cdef int seen = 0
    for index in range(found):
        if c.kinds[index] == KIND_CELL:
            seen |= HAS_CELLS
        elif c.kinds[index] == KIND_CODE and index and c.kinds[index - 1] == KIND_CODE:
            seen |= HAS_CODE
        c.in_row[index] = 0
        c.gaps[index] = GAP_BLANK_LINE
        if not index:
            c.gaps[index] = 0
        elif in_lines[c.kinds[index]] and in_lines[c.kinds[index - 1]]:
            c.gaps[index] = GAP_LINE
    return seen


cdef int separate_lines(Choice* c, Py_ssize_t found, Column* nodes, Py_ssize_t node_count) noexcept nogil:
    """Put line ends between the lines of code that are blocks of their own; -1 if there is no memory."""
    cdef Py_ssize_t index
    cdef int32_t code
    cdef int32_t* code_around = find_around(nodes + NODE_TAG, nodes + NODE_PARENT, node_count, is_code)
    if code_around == NULL:
        return -1
    for index in range(1, found):
        if c.kinds[index] == KIND_CODE and c.kinds[index - 1] == KIND_CODE:
            code = code_around[get(&c.node, c.kept[index])]
            if code >= 0 and code == code_around[get(&c.node, c.kept[index - 1])]:
                c.gaps[index] = GAP_LINE
    free(code_around)
    return 0


cdef int separate_cells(Choice* c, Py_ssize_t found, Column* nodes, Py_ssize_t node_count) noexcept nogil:
    """Put tabs between the cells of a row, one more for each empty cell; -1 if there is no memory."""
    cdef Py_ssize_t index, node, first = 0  # block of the row
    cdef int32_t cell, row, last_cell = -1, last_row = -1
    cdef int32_t* cell_around = find_around(nodes + NODE_TAG, nodes + NODE_PARENT, node_count, is_cell)
    # Of each cell: how many empty ones are before it in its row; of each row: how many there are.
    cdef int32_t* empty = <int32_t*>calloc(max(node_count, 1), sizeof(int32_t))
    if cell_around == NULL or empty == NULL:
        free(cell_around)
        free(empty)
        return -1
    for node in range(node_count):
        row = get(nodes + NODE_PARENT, node)
        if cell_around[node] == node and 0 <= row < node:
            empty[node] = empty[row]
            empty[row] += get(nodes + NODE_FIRST_RUN, node) == get(nodes + NODE_STOP_RUN, node)
    for index in range(found):
        cell = cell_around[get(&c.node, c.kept[index])] if c.kinds[index] == KIND_CELL else -1
        row = get(nodes + NODE_PARENT, cell) if cell >= 0 else -1
        if row < 0 or row != last_row:
            first = index
        elif cell != last_cell:
            if first >= 0 and c.gaps[first]:
                c.gaps[first] += min(empty[last_cell], MOST_EMPTY)
            c.gaps[index] = GAP_TAB + min(max(empty[cell] - empty[last_cell], 0), MOST_EMPTY)
            c.in_row[index] = c.in_row[index - 1] = 1
            first = -1
        last_cell, last_row = cell, row
    free(cell_around)
    free(empty)
    return 0


cdef uint8_t in_lines[KIND_COUNT]  # kinds that follow each other line by line
cdef uint8_t is_cell[TAGS_COUNT]
cdef uint8_t is_code[TAGS_COUNT]
cdef uint8_t is_list[TAGS_COUNT]
cdef uint8_t is_quotation[TAGS_COUNT]
cdef uint8_t GAP_BLANK_LINE = GAPS.index("\n\n"), GAP_LINE = GAPS.index("\n"), GAP_TAB = GAPS.index("\t")
in_lines[KIND_ITEM] = in_lines[KIND_TERM] = in_lines[KIND_DEFINITION] = in_lines[KIND_CELL] = in_lines[KIND_CONTROL] = 1
is_cell[TAG_TD] = is_cell[TAG_TH] = is_list[TAG_UL] = is_list[TAG_OL] = is_list[TAG_MENU] = 1
is_quotation[TAG_BLOCKQUOTE] = 1
is_code[TAG_PRE] = is_code[TAG_LISTING] = is_code[TAG_XMP] = is_code[TAG_PLAINTEXT] = 1


cdef bytes copy_rows(const int32_t* rows, Py_ssize_t width, Py_ssize_t count):
    """The first numbers of two rows."""
    return (<const char*>rows)[:count * sizeof(int32_t)] + (<const char*>(rows + width))[:count * sizeof(int32_t)]


def write_kept(source: bytes, tables, scores, float cut):
    """Write the texts of the blocks that score enough.

    Return the numbers of those that have a text, the buffer, and columns: where each text starts and ends in it, gaps,
    kinds, starts and ends in the source, scores.
    """
    cdef const uint8_t* text = <const uint8_t*><char*>source
    cdef Py_ssize_t node_count, index, found, written = 0, room
    cdef Column node_columns[NODE_STOP_RUN + 1]
    cdef Column run_columns[RUN_COLUMN_COUNT]
    cdef int seen
    cdef Choice c
    cdef Texts t
    cdef Writer w
    nodes, runs, blocks = tables
    node_count = take_table(node_columns, nodes, NODE_STOP_RUN + 1)
    t.runs, t.length = take_table(run_columns, runs, RUN_COLUMN_COUNT), len(source)
    c.count = take_table(&c.first, blocks, BLOCK_COLUMN_COUNT)
    if not join_texts(&t, run_columns + RUN_START, run_columns + RUN_END, run_columns + RUN_FLAGS):
        raise ValueError("the columns of the runs must be of one table")
    c.scores = <const float*>point(scores, c.count * sizeof(float))
    c.kept = <Py_ssize_t*>malloc((c.count + 1) * (sizeof(Py_ssize_t) + 5 * sizeof(int32_t) + sizeof(float) + 2))
    if c.kept == NULL:
        raise MemoryError
    c.kinds = <int32_t*>(c.kept + c.count + 1)
    c.spans = c.kinds + c.count + 1
    c.offsets = c.spans + 2 * (c.count + 1)
    c.kept_scores = <float*>(c.offsets + 2 * (c.count + 1))
    c.gaps = <uint8_t*>(c.kept_scores + c.count + 1)
    c.in_row = c.gaps + c.count + 1
    memset(&w, 0, sizeof(Writer))
    try:
        found = choose_blocks(&c, &t, run_columns + RUN_CHARS, cut, &room)
        if found < 0:
            raise ValueError("the tables do not fit each other")
        if seen := separate(&c, found):
            for index in range(found):
                if not 0 <= get(&c.node, c.kept[index]) < node_count:
                    raise ValueError("the tables do not fit each other")
            if seen & HAS_CELLS and separate_cells(&c, found, node_columns, node_count):
                raise MemoryError
            if seen & HAS_CODE and separate_lines(&c, found, node_columns, node_count):
                raise MemoryError
        w.out = <uint8_t*>malloc(room)
        if w.out == NULL:
            raise MemoryError
        if room < SHORT_TEXTS:
            written = write_choice(&w, text, &t, &c, found)
        else:
            with nogil:
                written = write_choice(&w, text, &t, &c, found)
        check_written(&w)
        return (
            (<char*>c.kept)[:written * sizeof(Py_ssize_t)], (<char*>w.out)[:w.written],
            copy_rows(c.spans, c.count, written), (<char*>c.gaps)[:written], (<char*>c.kinds)[:written * sizeof(int32_t)],
            copy_rows(c.offsets, c.count, written), (<char*>c.kept_scores)[:written * sizeof(float)],
        )
    finally:
        free(w.out)
        free(c.kept)


cdef Py_ssize_t write_choice(Writer* w, const uint8_t* text, Texts* t, Choice* c, Py_ssize_t found) noexcept nogil:
    """Write the texts of blocks, and list those that have one again, from the first on; return how many they are."""
    cdef Py_ssize_t index, first, stop, before, written = 0
    cdef uint8_t gap
    for index in range(found):
        before, gap = w.written, c.gaps[index]
        first, stop = get(&c.first, c.kept[index]), get(&c.stop, c.kept[index])
        if before:
            memcpy(w.out + before, gap_texts[gap].text, gap_texts[gap].length)
            w.written += gap_texts[gap].length
        c.spans[written] = <int32_t>w.written
        w.line_break = c' ' if c.in_row[index] else c'\n'
        write_block(w, text, t, first, stop)
        if w.written == c.spans[written]:
            w.written = before
            continue
        c.spans[c.count + written] = <int32_t>w.written
        c.offsets[written], c.offsets[c.count + written] = t.start[first * t.step], t.end[(stop - 1) * t.step]
        c.kept[written], c.gaps[written], c.kinds[written] = c.kept[index], gap, c.kinds[index]
        c.kept_scores[written] = c.scores[c.kept[index]]
        written += 1
    return written


cdef int choose_all_copies(
    const void* page, const Py_ssize_t* first, const float* logits, bint is_thread, Py_ssize_t* kept
) noexcept nogil:
    """Choose the copy of each block that is kept; -1 if there is no memory. The tables fit each other."""
    cdef const PageTables* p = <const PageTables*>page
    cdef Py_ssize_t block, other, count = p.blocks
    cdef Py_ssize_t* best
    cdef int32_t* around
    cdef uint8_t* is_member
    cdef bint any_copy = False
    for block in range(count):
        kept[block] = block
        any_copy |= first[block] != block
    if not any_copy:
        return 0
    around = find_around(&p.tag, &p.parent, p.nodes, &is_quotation[0] if is_thread else &is_list[0])
    best = <Py_ssize_t*>malloc(count * (sizeof(Py_ssize_t) + 1))
    if around == NULL or best == NULL:
        free(around)
        free(best)
        return -1
    is_member = <uint8_t*>(best + count)
    memset(is_member, 0, count)
    for block in range(count):
        if first[block] != block:
            is_member[block] = is_member[first[block]] = 1
    for block in range(count):
        if first[block] != block and get(&p.kind, block) == KIND_ITEM and not follows(first, block) \
                and not (block + 1 < count and follows(first, block + 1)):
            is_member[block] = 0  # an item that is a copy without its neighbours
    for block in range(count):
        best[block] = -1
    for block in range(count):
        if is_member[block]:
            other = best[first[block]]
            if other < 0 or is_better(p, around, logits, is_thread, block, other):
                best[first[block]] = block
    for block in range(count):
        if is_member[block]:
            other = best[first[block]]
            if place_of(p, around, is_thread, block) != place_of(p, around, is_thread, other):
                kept[block] = other
    free(best)
    free(around)
    return 0


def choose_copies(nodes, blocks, originals, logits, *, bint is_thread=False):
    """Return for each block the copy of it that is kept, given the first block with the same text."""
    cdef PageTables p
    cdef Py_ssize_t block
    cdef const Py_ssize_t* first
    p.nodes, p.blocks = take_table(&p.tag, nodes, 2), take_table(&p.kind, blocks, 2)
    first = <const Py_ssize_t*>point(originals, p.blocks * sizeof(Py_ssize_t))
    kept = np.empty(p.blocks, dtype=np.intp)
    for block in range(p.blocks):
        demand(0 <= first[block] <= block and 0 <= get(&p.node, block) < p.nodes)
    if choose_all_copies(
        &p, first, <const float*>point(logits, p.blocks * sizeof(float)), is_thread,
        <Py_ssize_t*>point(kept, p.blocks * sizeof(Py_ssize_t)),
    ):
        raise MemoryError
    return kept


cdef inline bint follows(const Py_ssize_t* first, Py_ssize_t block) noexcept nogil:
    """Whether the block before is the same in copy and original."""
    return block > 0 and first[block] != block and first[block - 1] != block - 1 and first[block] == first[block - 1] + 1


cdef inline int32_t place_of(const PageTables* p, const int32_t* around, bint is_thread, Py_ssize_t block) noexcept nogil:
    """The list around a block's element, or else that element's parent; always the parent in a thread."""
    cdef int32_t node = get(&p.node, block)
    return get(&p.parent, node) if is_thread or around[node] < 0 else around[node]


cdef inline bint is_better(
    const PageTables* p, const int32_t* around, const float* logits, bint is_thread, Py_ssize_t block, Py_ssize_t other
) noexcept nogil:
    """Whether a copy is likelier than another; in threads, first of all, whether it alone is no quotation."""
    cdef bint is_quoted = around[get(&p.node, block)] >= 0, is_other_quoted = around[get(&p.node, other)] >= 0
    if is_thread and is_quoted != is_other_quoted:
        return is_other_quoted
    return logits[block] > logits[other]


# What a byte adds to the mark of a text: above IS_DOUBTFUL a random number, and 1 for the count of those that add something.
cdef uint64_t mark_of_byte[256]


cdef int fill_marks() except -1:
    """Give marks to the bytes that begin neither white space nor what the text leaves out, and are no sign of a power."""
    cdef int byte
    for byte in range(256):
        if byte == 0 or byte == c'&':
            mark_of_byte[byte] = IS_DOUBTFUL | 1
        elif byte != 0xEF and byte != c'^' and (is_plain(byte) or 0xC2 < byte < 0xE1 or 0xE3 < byte < 0xF5):
            mark_of_byte[byte] = <uint64_t>int.from_bytes(os.urandom(6), "little") << 16 | 1
    return 0


fill_marks()


cdef inline uint64_t mark_beginning(const uint8_t* text, Py_ssize_t length, uint64_t mark) noexcept nogil:
    """Add up the marks of the first bytes of a text that have one."""
    cdef Py_ssize_t index
    for index in range(length):
        if mark & MARKED >= BEGINNING:
            break
        mark += mark_of_byte[text[index]]
    return mark


cdef uint64_t mark_block(Writer* w, const uint8_t* source, Texts* t, Py_ssize_t first, Py_ssize_t stop) noexcept nogil:
    """Mark the beginning of a block's text: of its source or, if that has a character reference, of the text as written.

    White space is left out: how much of it there is in the source tells nothing of the text.
    """
    cdef Py_ssize_t run
    cdef uint64_t mark = 0
    cdef int32_t left_out = find_left_out(t, first, stop)
    for run in range(first, stop):
        if not t.flags[run * t.step] & left_out:
            mark = mark_beginning(source + t.start[run * t.step], t.end[run * t.step] - t.start[run * t.step], mark)
    if mark & DOUBTFUL:
        w.written = 0
        w.line_break = c' '
        write_block(w, source, t, first, stop)
        mark = mark_beginning(w.out, w.written, 0)
    return mark


cdef uint64_t mark_text(const uint8_t* text, Py_ssize_t length) noexcept nogil:
    """Hash a whole text, in a way that nobody can foresee."""
    cdef uint64_t mark = SEED ^ <uint64_t>length, part
    cdef Py_ssize_t index
    for index in range(0, length, 8):
        part = 0
        memcpy(&part, text + index, min(8, length - index))
        mark = (mark ^ part) * ODD
        mark ^= mark >> 32
    return mark


cdef struct Alike:
    uint64_t* marks  # of the blocks
    Py_ssize_t* starts  # of their texts in `texts`, and their ends
    Py_ssize_t* stops
    int32_t* slots  # the number of the first block with the mark of this slot, counted from 1, or 0
    uint64_t size  # of the slots, a power of two
    const uint8_t* texts


cdef int32_t* find_slot(Alike* a, Py_ssize_t block, bint whole) noexcept nogil:
    """Find the slot of the first block with the mark of a block and, if `whole`, the same text; or an empty slot."""
    cdef uint64_t slot = (a.marks[block] ^ SEED) * ODD
    cdef Py_ssize_t other, length = a.stops[block] - a.starts[block]
    slot = (slot ^ slot >> 32) & (a.size - 1)
    while a.slots[slot]:
        other = a.slots[slot] - 1
        if a.marks[other] == a.marks[block] and (not whole or a.stops[other] - a.starts[other] == length
                and memcmp(a.texts + a.starts[other], a.texts + a.starts[block], length) == 0):
            break
        slot = (slot + 1) & (a.size - 1)
    return a.slots + slot


cdef int find_all_originals(const void* page, const uint8_t* is_wanted, Py_ssize_t* original) noexcept nogil:
    """Find for each block the first block with the same text. 0; 1 if the tables do not fit, -1 if there is no memory.

    Most begin unlike all others; of the rest the whole texts are compared.
    """
    cdef const PageTables* p = <const PageTables*>page
    cdef Py_ssize_t index, room
    cdef int32_t* slot
    cdef Texts t
    cdef Writer w
    cdef Alike a
    for index in range(p.blocks):
        original[index] = index
    if not p.blocks or not p.runs:
        return 0
    t.runs, t.length = p.runs, p.size
    if not join_texts(&t, &p.start, &p.end, &p.flags):
        return 1
    room = room_for(&t, &p.first_run, &p.stop_run, p.blocks)
    if room < 0:
        return 1
    a.size = 4
    while a.size < 2 * <uint64_t>p.blocks:
        a.size *= 2
    memset(&w, 0, sizeof(Writer))
    w.out = <uint8_t*>malloc(room)
    a.texts = w.out
    a.marks = <uint64_t*>calloc(p.blocks * (sizeof(uint64_t) + 2 * sizeof(Py_ssize_t)) + a.size * sizeof(int32_t), 1)
    if w.out == NULL or a.marks == NULL:
        free(w.out)
        free(a.marks)
        return -1
    a.starts = <Py_ssize_t*>(a.marks + p.blocks)
    a.stops = a.starts + p.blocks
    a.slots = <int32_t*>(a.stops + p.blocks)
    for index in range(p.blocks):
        if index + AHEAD < p.blocks and get(&p.first_run, index + AHEAD) < p.runs:
            fetch(p.source + get(&p.start, get(&p.first_run, index + AHEAD)))
        if is_wanted != NULL and not is_wanted[index]:
            continue
        a.marks[index] = mark_block(&w, p.source, &t, get(&p.first_run, index), get(&p.stop_run, index))
        slot = find_slot(&a, index, False)
        if slot[0]:
            original[index] = slot[0] - 1
            original[slot[0] - 1] = -1  # begins as another one does
        else:
            slot[0] = <int32_t>(index + 1)
    memset(a.slots, 0, a.size * sizeof(int32_t))
    w.written, w.line_break = 0, c' '
    for index in range(p.blocks):
        if original[index] == index:
            continue
        a.starts[index] = w.written
        write_block(&w, p.source, &t, get(&p.first_run, index), get(&p.stop_run, index))
        a.stops[index] = w.written
        a.marks[index] = mark_text(w.out + a.starts[index], w.written - a.starts[index])
        slot = find_slot(&a, index, True)
        slot[0] = slot[0] if slot[0] else <int32_t>(index + 1)
        original[index] = slot[0] - 1
    free(w.out)
    free(a.marks)
    return 0


def find_originals(bytes source, runs, blocks, wanted=None):
    """Return for each block the first block that has the same text; for one that is not wanted, itself."""
    cdef PageTables p
    cdef const uint8_t* is_wanted = NULL
    cdef int problem
    p.source, p.size, p.runs = <const uint8_t*><const char*>source, len(source), len(runs[0])
    take(&p.start, runs[0], p.runs)
    take(&p.end, runs[1], p.runs)
    take(&p.flags, runs[2], p.runs)
    p.blocks = take_table(&p.first_run, blocks, 2)
    if wanted is not None:
        is_wanted = <const uint8_t*>point(wanted, p.blocks)
    originals = np.empty(p.blocks, dtype=np.intp)
    problem = find_all_originals(&p, is_wanted, <Py_ssize_t*>point(originals, p.blocks * sizeof(Py_ssize_t)))
    if problem < 0:
        raise MemoryError
    demand(not problem)
    return originals
