# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Write lines, and the blocks that are made of them, as Markdown: the native twin of `markdown_lines.py`, which explains how.

Everything is written as UTF-8 into one buffer. What few lines have, such as a text to escape, is left to the twin.
"""

from libc.stdint cimport int32_t, uint8_t
from libc.stdlib cimport free, realloc
from libc.string cimport memchr, memcmp, memcpy, memmove, memset

include "constants.pxi"
include "characters.pxi"

from bodytext.kernel.elements_native cimport Tagged
from bodytext.kernel.elements import INLINE, NO_ATTRIBUTES
from bodytext.kernel.markdown_lines import (
    HARD_BREAK, HASHES, SPECIAL, STARTS, escape, find_first, find_start, finish_paragraph, opens, write_code_span,
    write_destination, write_sign
)

cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8AndSize(object text, Py_ssize_t* size) except NULL
    bytes PyUnicode_AsEncodedString(object text, const char* encoding, const char* errors)
    object PyUnicode_DecodeUTF8(const char* text, Py_ssize_t size, const char* errors)
    Py_UCS4 PyUnicode_ReadChar(object text, Py_ssize_t index) except? 0xFFFFFFFF
    int Py_EnterRecursiveCall(const char* where) except *
    void Py_LeaveRecursiveCall()

cdef enum:
    NOTHING = -1  # in place of a character
    LONGEST_ENTITY = 40
    SHORTEST_ROOM = 512
    MOST_DIGITS = 9  # of an item

cdef enum:  # what elements are
    EM, STRONG, DEL, LINK, IMAGE, NOTE, BREAK, CODE, MATH, MARK  # in a line
    BLOCK, PARAGRAPH, UL, OL, HEADING  # and after it those of each level

cdef dict kinds = dict.fromkeys(INLINE, MARK) | {
    "em": EM, "strong": STRONG, "del": DEL, "a": LINK, "img": IMAGE, "noteref": NOTE, "br": BREAK, "code": CODE,
    "math": MATH, "p": PARAGRAPH, "ul": UL, "ol": OL,
} | {name: HEADING + len(hashes) for name, hashes in HASHES.items()}
cdef object no_attributes = NO_ATTRIBUTES
cdef uint8_t is_special[256]
cdef uint8_t is_start[256]  # whether it may begin another block
cdef int byte
for byte in range(256):
    is_special[byte] = chr(byte) in SPECIAL
    is_start[byte] = chr(byte) in STARTS


cdef struct Buffer:
    uint8_t* text
    Py_ssize_t size, room


cdef int make_room(Buffer* out, Py_ssize_t size) except -1:
    cdef uint8_t* grown
    if out.size + size > out.room:
        out.room = 2 * (out.size + size) + SHORTEST_ROOM
        grown = <uint8_t*>realloc(out.text, out.room)
        if grown == NULL:
            raise MemoryError
        out.text = grown
    return 0


cdef inline int put(Buffer* out, const void* text, Py_ssize_t size) except -1:
    if size:  # without any there may be no room yet, which is no place to copy to
        make_room(out, size)
        memcpy(out.text + out.size, text, size)
        out.size += size
    return 0


cdef int insert(Buffer* out, Py_ssize_t place, const void* text, Py_ssize_t size) except -1:
    make_room(out, size)
    memmove(out.text + place + size, out.text + place, out.size - place)
    memcpy(out.text + place, text, size)
    out.size += size
    return 0


cdef inline bint is_word(int32_t byte) noexcept nogil:
    return c'a' <= (byte | 0x20) <= c'z' or c'0' <= byte <= c'9'


cdef inline bint is_reference(const uint8_t* text, Py_ssize_t size) noexcept nogil:
    """Whether a reference to a character follows an ampersand."""
    cdef Py_ssize_t start = 1 if size and text[0] == c'#' else 0, place = start
    while place < size and (is_word(text[place]) or text[place] == c'_'):
        place += 1
    return 1 <= place - start <= LONGEST_ENTITY and place < size and text[place] == c';'


cdef bint is_escaped(const uint8_t* text, Py_ssize_t place, Py_ssize_t size) noexcept nogil:
    """Whether a special character has to be escaped, in a text of ASCII."""
    cdef uint8_t character = text[place]
    cdef int32_t after = text[place + 1] if place + 1 < size else c'\n'  # both end a text
    if character == c'_':
        return not (place and is_word(text[place - 1]) and is_word(after))
    if character == c'&':
        return is_reference(text + place + 1, size - place - 1)
    if character == c'<':
        return c'a' <= (after | 0x20) <= c'z' or after == c'/' or after == c'!' or after == c'?' or place + 1 == size or (
            after == c'\n' and place + 2 == size
        )
    if character == c'\\':
        return after == c'\n' or (c' ' < after < 0x7F and not is_word(after))
    if character == c'~':
        return place + 1 == size or not (c'0' <= after <= c'9' or after == c' ' or 9 <= after <= 13 or 28 <= after <= 31)
    return True


cdef bint is_destination(const uint8_t* text, Py_ssize_t size) noexcept nogil:
    """Whether an address can be written as it is: without brackets and references."""
    cdef Py_ssize_t place
    for place in range(size):
        if text[place] == c'(' or text[place] == c')':
            return False
        if text[place] == c'&' and not is_ampersand(text + place + 1, size - place - 1):
            return False
    return True


cdef inline bint is_ampersand(const uint8_t* text, Py_ssize_t size) noexcept nogil:
    """Whether an ampersand surely begins no reference: its name would end with a semicolon, or go on beyond ASCII."""
    cdef Py_ssize_t place = 1 if size and text[0] == c'#' else 0
    while place < size and (is_word(text[place]) or text[place] == c'_'):
        place += 1
    return place == size or (text[place] != c';' and text[place] < 0x80)


cdef bint is_plain(const uint8_t* text, Py_ssize_t size) noexcept nogil:
    cdef Py_ssize_t place
    for place in range(size):
        if is_special[text[place]]:
            return False
    return True


cdef int put_escaped(Buffer* out, const uint8_t* text, Py_ssize_t size) except -1:
    """A text of ASCII, with a backslash before each character that has to be escaped."""
    cdef Py_ssize_t place
    make_room(out, 2 * size)
    for place in range(size):
        if is_special[text[place]] and is_escaped(text, place, size):
            out.text[out.size] = c'\\'
            out.size += 1
        out.text[out.size] = text[place]
        out.size += 1
    return 0


cdef int32_t character_at(const uint8_t* text, Py_ssize_t place) noexcept nogil:
    """The character whose first byte is here."""
    cdef int32_t lead = text[place]
    if lead < 0x80:
        return lead
    if lead < 0xE0:
        return (lead & 0x1F) << 6 | text[place + 1] & 0x3F
    lead = (lead & 0x0F) << 12 | (text[place + 1] & 0x3F) << 6 | text[place + 2] & 0x3F if lead < 0xF0 else (
        (lead & 0x07) << 18 | (text[place + 1] & 0x3F) << 12 | (text[place + 2] & 0x3F) << 6 | text[place + 3] & 0x3F
    )
    return lead


cdef int32_t last_character(const Buffer* out, Py_ssize_t start, Py_ssize_t end, int32_t otherwise) noexcept nogil:
    """The last character between two places."""
    if end <= start:
        return otherwise
    end -= 1
    while end > start and out.text[end] & 0xC0 == 0x80:
        end -= 1
    return character_at(out.text, end)


cdef inline bint is_punctuation(int32_t character) noexcept nogil:
    """Whether a character is punctuation of ASCII."""
    return c' ' < character < 0x7F and not is_word(character)


cdef bint is_open(int32_t outer, int32_t inner) except -1:
    """Whether a delimiter between these characters belongs to the inner one."""
    if is_word(inner) or (outer < 0 and is_punctuation(inner)):  # most
        return True
    if is_punctuation(inner) and outer < 0x80:
        return is_punctuation(outer) or outer == c' ' or 9 <= outer <= 13 or 28 <= outer <= 31
    return opens("" if outer < 0 else chr(outer), chr(inner))


cdef int32_t find_next(object child) except -2:
    """The character that a piece begins with, as far as it matters to the emphasis before it."""
    cdef Py_UCS4 first
    if isinstance(child, str):
        if not child:
            return NOTHING
        first = PyUnicode_ReadChar(child, 0)
        if first >= 0x80 or not is_special[first]:
            return <int32_t>first
    return ord(find_first(child))


cdef inline int kind_of(object child) except -1:
    return kinds.get((<Tagged?>child).name, BLOCK)


cdef inline bint is_inline(object child) except -1:
    return isinstance(child, str) or kind_of(child) < BLOCK


cdef bint is_loose(list items) except -1:
    """Whether one of the items of a list holds blocks that are no lists."""
    cdef int kind
    for item in items:
        for child in (<Tagged?>item).children:
            if not isinstance(child, str):
                kind = kind_of(child)
                if kind >= BLOCK and kind != UL and kind != OL:
                    return True
    return False


cdef bint has_attributes(Tagged element, list items) except -1:
    """Whether a list or one of its items has any."""
    if element.attributes is not no_attributes:
        return True
    for item in items:
        if (<Tagged?>item).attributes is not no_attributes:
            return True
    return False


cdef inline bint is_indented(const Buffer* out, Py_ssize_t place, Py_ssize_t end) noexcept nogil:
    """Whether a line begins after a place, and is not blank."""
    return out.text[place] == c'\n' and (place + 1 == end or out.text[place + 1] != c'\n')


cdef int indent(Buffer* out, Py_ssize_t start, Py_ssize_t width) except -1:
    """Indent all lines from a place on, but the first and the blank ones."""
    cdef Py_ssize_t place, end = out.size, target, count = 0
    if start == end or memchr(out.text + start, c'\n', end - start) is NULL:  # most
        return 0
    for place in range(start, end):
        count += is_indented(out, place, end)
    make_room(out, count * width)
    out.size += count * width
    place, target = end, out.size
    while target > place:  # from the end on, so that nothing is written over before it is moved
        place -= 1
        if is_indented(out, place, end):
            target -= width
            memset(out.text + target, c' ', width)
        target -= 1
        out.text[target] = out.text[place]
    return 0


cdef bint may_begin_block(const Buffer* out, Py_ssize_t place) noexcept nogil:
    """Whether a line may be read as the beginning of another block; of numbers only those with a sign after them."""
    cdef Py_ssize_t start = place
    if place == out.size or not is_start[out.text[place]]:
        return False
    if out.text[place] == c'[':  # a link, or the mark of a footnote
        return place + 1 < out.size and out.text[place + 1] == c'^'
    if not c'0' <= out.text[place] <= c'9':
        return True
    while place < out.size and c'0' <= out.text[place] <= c'9':
        place += 1
    return place - start <= MOST_DIGITS and place < out.size and (
        out.text[place] == c'.' or out.text[place] == c')' or out.text[place] >= 0x80
    )


cdef class MarkdownLines:
    """Writes lines, one after the other."""

    cdef Buffer out
    cdef object line_break, write_link
    cdef bytes spare  # keeps a text that holds what UTF-8 has no place for

    def __dealloc__(self):
        free(self.out.text)

    def __init__(self, str line_break=HARD_BREAK, write_link=None):
        self.line_break, self.write_link = line_break, write_link

    def write(self, children):
        """Inline pieces as Markdown."""
        return self.write_children(tuple(children))

    def write_blocks(self, children, write_other):
        """The blocks among some pieces as Markdown."""
        cdef Py_ssize_t start = self.out.size
        try:
            self.write_all(tuple(children), 2, False, write_other)
            return self.take(start)
        finally:
            self.out.size = start

    cdef str write_children(self, tuple children):
        cdef Py_ssize_t start = self.out.size
        try:
            self.write_pieces(children, NOTHING, NOTHING, NOTHING)
            return self.take(start)
        finally:
            self.out.size = start

    # Blocks

    cdef int write_all(self, tuple children, int gap, bint is_after, object write_other) except -1:
        """The blocks among some pieces, with a gap of newlines between them, and before them if they are after a line."""
        cdef Py_ssize_t start, first
        cdef int kind, before = BLOCK
        cdef bint other = False
        for child in children:
            if is_inline(child):
                continue
            start, kind = self.out.size, kind_of(child)
            put(&self.out, b"\n\n", gap if is_after else 0)
            first = self.out.size
            if kind == UL or kind == OL:
                other = kind == before and not other
                self.write_list(<Tagged>child, kind, other, write_other)
            else:
                self.write_block(<Tagged>child, kind, write_other)
            if self.out.size > first:
                is_after = True
            else:
                self.out.size = start
            before = kind
        return 0

    cdef int write_block(self, Tagged element, int kind, object write_other) except -1:
        if kind == PARAGRAPH:
            return self.write_paragraph(element.children)
        if kind > HEADING:
            return self.write_heading(element.children, kind - HEADING)
        return self.put_raw(write_other(element))

    cdef int write_paragraph(self, tuple children) except -1:
        cdef Buffer* out = &self.out
        cdef Py_ssize_t start = out.size
        self.write_pieces(children, NOTHING, NOTHING, NOTHING)
        if self.has_block(start):
            self.put_raw(finish_paragraph(self.take(start)))
        return 0

    cdef bint has_block(self, Py_ssize_t start) noexcept:
        """Whether one of the lines from a place on may be read as the beginning of another block."""
        cdef Buffer* out = &self.out
        cdef const uint8_t* end
        while not may_begin_block(out, start):
            end = <const uint8_t*>memchr(out.text + start, c'\n', out.size - start) if start < out.size else NULL
            if end is NULL:
                return False
            start = end + 1 - out.text
        return True

    cdef int write_heading(self, tuple children, int level) except -1:
        cdef Buffer* out = &self.out
        cdef Py_ssize_t start, place
        put(out, b"######", level)
        put(out, b" ", 1)
        start = out.size
        self.write_pieces(children, NOTHING, NOTHING, NOTHING)
        if out.size > start and memchr(out.text + start, c'\n', out.size - start) is not NULL:
            for place in range(start, out.size):
                if out.text[place] == c'\n':
                    out.text[place] = c' '
        if out.size > start and out.text[out.size - 1] == c'#':
            insert(out, out.size - 1, b"\\", 1)
        return 0

    cdef int write_list(self, Tagged element, int kind, bint other, object write_other) except -1:
        cdef list items = [child for child in element.children if not isinstance(child, str)]
        cdef Py_ssize_t number = 1
        cdef int gap = 2 if is_loose(items) else 1, before = 0
        if has_attributes(element, items):
            start = find_start(element, items)
            if start is None:
                return self.put_raw(write_other(element))
            number = start
        Py_EnterRecursiveCall(" in writing Markdown")
        try:
            for item in items:
                put(&self.out, b"\n\n", before)
                if kind == UL:
                    mark = "* " if other else "- "
                else:
                    mark = f"{number}) " if other else f"{number}. "
                self.write_item((<Tagged>item).children, mark, gap, write_other)
                number += 1
                before = gap
            return 0
        finally:
            Py_LeaveRecursiveCall()

    cdef int write_item(self, tuple children, str mark, int gap, object write_other) except -1:
        cdef Buffer* out = &self.out
        cdef Py_ssize_t start
        cdef tuple line = tuple([child for child in children if is_inline(child)])
        self.put_raw(mark)
        start = out.size
        self.write_paragraph(line)
        if len(line) < len(children):
            self.write_all(children, gap, len(line) > 0, write_other)
        if out.size - start >= 3 and not memcmp(out.text + start, b"---", 3):
            memcpy(out.text + start, b"___", 3)
        return indent(out, start, len(mark))

    # Lines

    cdef str take(self, Py_ssize_t start):
        """What is written from a place on, which goes."""
        cdef Py_ssize_t size = self.out.size - start
        self.out.size = start
        return PyUnicode_DecodeUTF8(<const char*>self.out.text + start, size, "surrogatepass") if size else ""

    cdef const uint8_t* read(self, str text, Py_ssize_t* size) except NULL:
        """A text as UTF-8, up to the next one that is read."""
        try:
            return <const uint8_t*>PyUnicode_AsUTF8AndSize(text, size)
        except UnicodeEncodeError:
            self.spare = PyUnicode_AsEncodedString(text, "utf-8", "surrogatepass")
            size[0] = len(self.spare)
            return <const uint8_t*><const char*>self.spare

    cdef int put_raw(self, str text) except -1:
        cdef Py_ssize_t size
        cdef const uint8_t* raw = self.read(text, &size)
        return put(&self.out, raw, size)

    cdef int put_text(self, str text) except -1:
        """A text, escaped where it needs to be."""
        cdef Py_ssize_t size
        cdef const uint8_t* raw = self.read(text, &size)
        if is_plain(raw, size):  # most
            return put(&self.out, raw, size)
        if is_ascii(raw, size):
            return put_escaped(&self.out, raw, size)
        return self.put_raw(escape(text))

    cdef int write_pieces(self, tuple children, int32_t before, int32_t after, int32_t edge) except -1:
        cdef Buffer* out = &self.out
        cdef Py_ssize_t index, count = len(children), start = out.size
        cdef int32_t last
        cdef int kind
        cdef bint is_delimited = False
        cdef Tagged element
        for index in range(count):
            child = children[index]
            if isinstance(child, str):
                self.put_text(child)
                is_delimited = False
                continue
            element = <Tagged?>child
            kind = kinds.get(element.name, BLOCK)
            last = last_character(out, start, out.size, before)
            if EM <= kind <= DEL:
                is_delimited = self.write_emphasis(element, kind, children, index, last, after, edge, is_delimited)
                continue
            if last == c'!' and out.size > start and LINK <= kind <= NOTE:
                out.size -= 1
                put(out, b"\\!", 2)
            self.write_inline(element, kind, last == c'`')
            is_delimited = False
        return 0

    cdef bint write_emphasis(self, Tagged element, int kind, tuple children, Py_ssize_t index, int32_t before,
                             int32_t after, int32_t edge, bint clash) except -1:
        """An emphasis between delimiters if these work, else as HTML; return whether they do."""
        cdef Buffer* out = &self.out
        cdef Py_ssize_t start = out.size, first, end
        cdef int32_t delimiter = c'~' if kind == DEL else c'*'
        cdef int width = 1 if kind == EM else 2
        if edge != delimiter and edge >= 0:
            before, after = before if index else edge, edge
        if index + 1 < len(children):
            after = find_next(children[index + 1])
            clash = clash or after == c'*' or after == c'~'
        self.write_inner(element, before, after, delimiter)
        first, end = start, out.size
        while first < end and out.text[first] == delimiter:
            first += 1
        while end > first and out.text[end - 1] == delimiter:
            end -= 1
        if end > first and not clash and is_open(before, character_at(out.text, first)) and is_open(
            after, last_character(out, first, end, NOTHING)
        ):
            insert(out, start, b"~~" if kind == DEL else b"**", width)
            put(out, b"~~" if kind == DEL else b"**", width)
            return True
        self.enclose(element.name, start)
        return False

    cdef int write_inner(self, Tagged element, int32_t before, int32_t after, int32_t edge) except -1:
        Py_EnterRecursiveCall(" in writing Markdown")
        try:
            return self.write_pieces(element.children, before, after, edge)
        finally:
            Py_LeaveRecursiveCall()

    cdef int enclose(self, str name, Py_ssize_t start) except -1:
        """Put tags around what is written from a place on."""
        cdef Py_ssize_t size
        cdef str opening = f"<{name}>"  # kept as long as its bytes are read
        cdef const uint8_t* tag = self.read(opening, &size)
        insert(&self.out, start, tag, size)
        return self.put_raw(f"</{name}>")

    cdef int write_inline(self, Tagged element, int kind, bint after_tick) except -1:
        cdef Buffer* out = &self.out
        cdef Py_ssize_t start = out.size
        if kind == LINK:
            put(out, b"[", 1)
            self.write_inner(element, c'[', c']', NOTHING)
            return self.end_link(element, "href", start)
        if kind == IMAGE:
            put(out, b"![", 2)
            self.put_text(element.attributes["alt"])
            return self.end_link(element, "src", start)
        if kind == BREAK:
            return self.put_raw(self.line_break)
        if kind == CODE and not after_tick:
            return self.write_code(element)
        if kind == MATH or kind == NOTE:
            return self.put_raw(write_sign(element))
        self.write_inner(element, c'>', c'<', NOTHING)
        return self.enclose(element.name, start)

    cdef int end_link(self, Tagged element, str attribute, Py_ssize_t start) except -1:
        cdef Buffer* out = &self.out
        cdef str address = element.attributes[attribute]
        cdef Py_ssize_t size
        cdef const uint8_t* text
        put(out, b"]", 1)
        if self.write_link is not None:
            return self.put_raw(self.write_link(element.name, self.take(start), address))
        text = self.read(address, &size)
        put(out, b"(", 1)
        if is_destination(text, size):  # most
            put(out, text, size)
        else:
            self.put_raw(write_destination(address))
        return put(out, b")", 1)

    cdef int write_code(self, Tagged element) except -1:
        cdef Py_ssize_t size
        cdef const uint8_t* text
        if len(element.children) == 1 and isinstance(element.children[0], str):
            text = self.read(element.children[0], &size)
            if memchr(text, c'`', size) is NULL:
                put(&self.out, b"`", 1)
                put(&self.out, text, size)
                return put(&self.out, b"`", 1)
        return self.put_raw(write_code_span(element))
