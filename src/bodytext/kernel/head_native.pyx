# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Read what a page's head and address say about it: the native twin of `head.py`."""

from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memchr, memcmp

include "constants.pxi"
include "columns.pxi"
include "characters.pxi"
include "page_tables.pxi"

from bodytext.kernel.feature_columns import ADDRESS_NAMES, ADDRESS_PARTS, DECLARED_NAMES, THING_OF
from bodytext.kernel.html import TAGS
from bodytext.kernel.tokens import unescape

cdef extern from "Python.h":
    object PyUnicode_DecodeUTF8(const char* text, Py_ssize_t size, const char* errors)
    const char* PyUnicode_AsUTF8AndSize(object text, Py_ssize_t* size) except NULL

cdef extern from "bytes.h" nogil:
    Py_ssize_t find_byte(const uint8_t* text, Py_ssize_t at, Py_ssize_t end, uint8_t byte)

cdef enum:
    # The limits of the expressions in the twin.
    MOST_BLANKS = 9
    LONGEST_QUOTED = 2000
    LONGEST_BARE = 200
    LONGEST_TYPE = 60

cdef dict thing_of = THING_OF
cdef list nothing_declared = [0.0] * len(DECLARED_NAMES)
cdef list no_address = [0.0] * len(ADDRESS_NAMES)
cdef int FIRST_TOPIC = len(ADDRESS_PARTS)
cdef list tag_names = [name.encode() for name in TAGS]
cdef object read_topics = None  # of `clues_native`


cdef inline bint is_blank(uint8_t byte) noexcept nogil:
    return byte == c' ' or 9 <= byte <= 13


cdef Py_ssize_t skip_blanks(const uint8_t* text, Py_ssize_t at, Py_ssize_t end) noexcept nogil:
    while at < end and is_blank(text[at]):
        at += 1
    return at


cdef bint has_name_at(const uint8_t* text, Py_ssize_t at, Py_ssize_t end, const char* name, Py_ssize_t size) noexcept nogil:
    """Whether a name, given in small letters, is at a place."""
    cdef Py_ssize_t index
    if end - at < size:
        return False
    for index in range(size):
        if lower(text[at + index]) != <uint8_t>name[index]:
            return False
    return True


cdef Py_ssize_t find_close(const uint8_t* text, Py_ssize_t at, Py_ssize_t stop, Py_ssize_t length, bytes name) noexcept:
    """Where the first end tag with a name begins, or `stop`; the page goes on after it up to its length."""
    cdef const char* sought = name
    cdef Py_ssize_t size = len(name), after
    while True:
        at = find_byte(text, at, stop - 1, c'<')
        if at >= stop - 1:
            return stop
        after = at + 2 + size
        if text[at + 1] == c'/' and after < length and has_name_at(text, at + 2, length, sought, size) \
                and text[after] in b"\t\n\f\r />":
            return at
        at += 1


cdef int find_text(Py_ssize_t* span, bytes source, const PageTables* p, Py_ssize_t node) except -1:
    """Find where the content of a raw-text element starts and ends."""
    cdef Py_ssize_t later = node + 1, stop = len(source)
    cdef int32_t start = get(&p.node_end, node), tag = get(&p.tag, node)
    while later < p.nodes and get(&p.node_start, later) < start:  # before a table that cannot hold it
        later += 1
    if later < p.nodes:
        stop = get(&p.node_start, later)
    demand(0 <= start <= stop <= len(source) and 0 <= tag < TAGS_COUNT)
    span[0] = start
    span[1] = find_close(<const uint8_t*><const char*>source, start, stop, len(source), tag_names[tag])
    return 0


def find_content(bytes source, nodes, Py_ssize_t node):
    """Where the content of a raw-text element starts and ends."""
    cdef PageTables p
    cdef Py_ssize_t span[2]
    p.nodes = take_table(&p.tag, nodes, 6)
    if not 0 <= node < p.nodes:
        raise IndexError("there is no such element")
    find_text(span, source, &p, node)
    return span[0], span[1]


cdef Py_ssize_t find_title(const PageTables* p) except -2:
    """The first <title> that is in no drawing, or -1."""
    cdef Py_ssize_t node
    cdef int32_t above
    cdef uint8_t* is_drawn = NULL  # whether each node is; most pages have no drawing before their title
    for node in range(p.nodes):
        if get(&p.tag, node) == TAG_SVG and is_drawn == NULL:
            is_drawn = <uint8_t*>calloc(p.nodes, 1)
            if is_drawn == NULL:
                raise MemoryError
        if is_drawn != NULL:
            above = get(&p.parent, node)
            is_drawn[node] = get(&p.tag, node) == TAG_SVG or (0 <= above < node and is_drawn[above])
        if get(&p.tag, node) == TAG_TITLE and (is_drawn == NULL or not is_drawn[node]):
            break
    else:
        node = -1
    free(is_drawn)
    return node


cdef bint is_plain_text(const uint8_t* text, Py_ssize_t size) noexcept nogil:
    """Whether a text has no references and no white space but one space between words, as most titles."""
    cdef Py_ssize_t at
    for at in range(size):
        if text[at] <= c' ':
            if text[at] != c' ' or at == 0 or at + 1 == size or text[at + 1] == c' ':
                return False
        # The first bytes of white space beyond ASCII.
        elif text[at] == c'&' or text[at] == 0xC2 or 0xE1 <= text[at] <= 0xE3:
            return False
    return True


def read_title(bytes source, nodes):
    """The text of the first <title> outside of drawings, white space folded; or nothing."""
    cdef PageTables p
    cdef Py_ssize_t span[2]
    cdef Py_ssize_t title
    cdef const char* text = source
    p.nodes = take_table(&p.tag, nodes, 6)
    title = find_title(&p)
    if title < 0:
        return ""
    find_text(span, source, &p, title)
    read = PyUnicode_DecodeUTF8(text + span[0], span[1] - span[0], NULL)
    if is_plain_text(<const uint8_t*>text + span[0], span[1] - span[0]):
        return read
    return " ".join(unescape(read).replace("\0", "").split())


cdef bint holds(const uint8_t* text, Py_ssize_t end, const char* word, Py_ssize_t size, Py_ssize_t rare) noexcept nogil:
    """Whether a text has a word, which is looked for by the rarest of its letters."""
    cdef Py_ssize_t at = rare
    while True:
        at = find_byte(text, at, end - size + rare + 1, <uint8_t>word[rare])
        if at > end - size + rare:
            return False
        if memcmp(text + at - rare, word, size) == 0:
            return True
        at += 1


cdef bytes read_value(const uint8_t* text, Py_ssize_t at, Py_ssize_t end):
    """The value of an attribute after its name, or None if there is no value."""
    cdef Py_ssize_t start = skip_blanks(text, at, end), most = LONGEST_BARE
    cdef uint8_t quote
    if start - at > MOST_BLANKS or start >= end or text[start] != c'=':
        return None
    at = start + 1
    start = skip_blanks(text, at, end)
    if start - at > MOST_BLANKS or start >= end or text[start] == c'>':
        return None
    quote = text[start]
    at = start
    if quote == c'"' or quote == c"'":
        start = at = start + 1
        end = min(end, start + LONGEST_QUOTED)
        return text[start:find_byte(text, at, end, quote)]
    while at < end and at - start < most and not is_blank(text[at]) and text[at] != c'>':
        at += 1
    return text[start:at]


cdef bytes read_content(const uint8_t* text, Py_ssize_t end):
    """The value of the first attribute of a tag whose name ends in "content", or nothing."""
    cdef Py_ssize_t at
    cdef bytes value
    for at in range(end - 7):
        if lower(text[at]) == c'c' and has_name_at(text, at, end, b"content", 7):
            value = read_value(text, at + 7, end)
            if value is not None:
                return value
    return b""


cdef int note(list things, const uint8_t* name, Py_ssize_t size) except -1:
    """Note the thing of a name, which may be the last part of an address."""
    cdef Py_ssize_t start = size
    while start > 0 and name[start - 1] != c'/':
        start -= 1
    thing = thing_of.get((<const char*>name)[start:size].lower().strip())
    if thing is not None:
        things[thing] = 1.0
    return 0


cdef inline bint is_of_type(uint8_t byte) noexcept nogil:
    return is_letter(byte) or byte == c':' or byte == c'/' or byte == c'.'


cdef Py_ssize_t find_type(const uint8_t* text, Py_ssize_t at, Py_ssize_t end) noexcept nogil:
    """Where the name of a type begins after the name of the field, or -1 if there is none."""
    cdef Py_ssize_t colon = skip_blanks(text, at, end), name
    if colon - at > MOST_BLANKS or colon >= end or text[colon] != c':':
        return -1
    at = colon + 1
    name = skip_blanks(text, at, end)
    if name < end and text[name] == c'[' and name - at <= MOST_BLANKS:
        at = name + 1
        name = skip_blanks(text, at, end)
        if name - at > MOST_BLANKS:
            return -1
    return name + 1 if name - at <= 2 * MOST_BLANKS and name < end and text[name] == c'"' else -1


cdef int note_types(list things, const uint8_t* text, Py_ssize_t at, Py_ssize_t end) except -1:
    """Note the types of things in structured data."""
    cdef Py_ssize_t name, stop, first = at
    while True:
        at = find_byte(text, at, end, c'@') + 1
        if at >= end:
            return 0
        if at - 2 < first or end - at < 5 or memcmp(text + at - 2, b'"@type"', 7):
            continue
        name = find_type(text, at + 5, end)
        if name < 0:
            continue
        stop = name
        while stop < end and is_of_type(text[stop]):
            stop += 1
        if 0 < stop - name <= LONGEST_TYPE and stop < end and text[stop] == c'"':
            note(things, text + name, stop - name)
            at = first = stop + 1


cdef Py_ssize_t find_script_end(const uint8_t* text, Py_ssize_t at, Py_ssize_t end) noexcept nogil:
    while True:
        at = find_byte(text, at, end, c'<')
        if at >= end or (end - at >= 8 and memcmp(text + at, b"</script", 8) == 0):
            return at
        at += 1


cdef bint may_have_parts(bytes told) noexcept:
    """Whether a text has a letter or sign that may be written in parts: of C3 to FF all lead bytes but E2 begin one."""
    cdef const uint8_t* text = <const uint8_t*><const char*>told
    cdef Py_ssize_t index
    cdef bint found = False
    for index in range(len(told)):
        found |= text[index] >= 0xC3 and text[index] != 0xE2
    return found


def read_head(bytes source, nodes):
    """What the tags of a page's head tell."""
    cdef const uint8_t* text = <const uint8_t*><const char*>source
    cdef const uint8_t* tag
    cdef PageTables p
    cdef Py_ssize_t node, length = len(source), stop, size
    cdef int32_t start, end, name
    cdef int metas = 0, scripts = 0, links = 0
    cdef list things = list(nothing_declared)
    cdef bytes description = b"", told = b""
    cdef tuple canonical = (0, 0)
    p.nodes = take_table(&p.tag, nodes, 6)
    for node in range(p.nodes):
        name = get(&p.tag, node)
        if name != TAG_META and name != TAG_SCRIPT and name != TAG_LINK:
            continue
        start, end = get(&p.node_start, node), get(&p.node_end, node)
        demand(0 <= start <= end <= length)
        tag, size = text + start, end - start
        if name == TAG_META and metas < MOST_HEAD_TAGS:
            metas += 1
            if not description and holds(tag, size, b"escription", 10, 5):
                description = read_content(tag, size)
            elif holds(tag, size, b"og:type", 7, 2):
                content = read_content(tag, size)
                note(things, <const uint8_t*><const char*>content, len(content))
        elif name == TAG_SCRIPT and scripts < MOST_HEAD_TAGS:
            scripts += 1
            if holds(tag, size, b"ld+json", 7, 2):
                things[HAS_DATA] = 1.0
                stop = find_script_end(text, end, length)
                told += source[end:min(stop, end + MOST_TOLD - len(told))]
                note_types(things, text, end, stop)
        elif name == TAG_LINK and links < MOST_HEAD_TAGS:
            links += 1
            if canonical[1] == 0 and holds(tag, size, b"canonical", 9, 0):
                canonical = (start, end)
    return description, told, may_have_parts(description) or may_have_parts(told), things, canonical


cdef struct Path:  # of an address
    Py_ssize_t start, end
    Py_ssize_t last, last_end  # its last step
    int steps, digits, hyphens
    bint has_query, is_dated


cdef bint find_path(const uint8_t* text, Py_ssize_t size, Path* path) noexcept nogil:
    """Find the path of an address as most pages have it, in plain ASCII; whether it is such a one."""
    cdef Py_ssize_t at
    for at in range(size):
        if not c'!' <= text[at] <= c'~':
            return False
    at = 8 if size >= 8 and text[4] == c's' else 7
    if size < at or memcmp(text, b"http", 4) or memcmp(text + at - 3, b"://", 3):
        return False
    while at < size and text[at] != c'/' and text[at] != c'?' and text[at] != c'#':
        if text[at] == c'[' or text[at] == c']' or text[at] == c'\\':
            return False
        at += 1
    path.start = at
    while at < size and text[at] != c'?' and text[at] != c'#':
        at += 1
    path.end = at
    path.has_query = at + 1 < size and text[at] == c'?' and text[at + 1] != c'#'
    return True


cdef bint has_date_at(const uint8_t* text, Py_ssize_t at, Py_ssize_t end) noexcept nogil:
    """Whether a year and the begin of a month follow a slash."""
    if end - at < 6 or memcmp(text + at, b"/19", 3) and memcmp(text + at, b"/20", 3):
        return False
    if not is_digit(text[at + 3]) or not is_digit(text[at + 4]):
        return False
    at += 6 if text[at + 5] == c'/' or text[at + 5] == c'-' else 5
    return at < end and is_digit(text[at])


cdef void measure_path(const uint8_t* text, Path* path) noexcept nogil:
    cdef Py_ssize_t at
    path.last = path.last_end = path.start
    path.steps = path.digits = path.hyphens = path.is_dated = 0
    for at in range(path.start, path.end):
        path.digits += is_digit(text[at])
        if text[at] == c'/':
            path.is_dated |= has_date_at(text, at, path.end)
        elif at == path.start or text[at - 1] == c'/':
            path.steps += 1
            path.last = at
        if text[at] != c'/':
            path.last_end = at + 1
    for at in range(path.last, path.last_end):
        path.hyphens += text[at] == c'-'


def read_address(str url):
    """The features of an address: its form, and the topics of its words."""
    cdef Py_ssize_t size
    cdef Path path
    cdef const uint8_t* text
    cdef list found
    cdef uint64_t topics
    cdef int topic = FIRST_TOPIC
    global read_topics
    if not url:
        return list(no_address)
    if read_topics is None:  # with the first page, not with the package
        from bodytext.kernel.clues_native import read_topics
    # What is not ASCII may have no UTF-8.
    text = <const uint8_t*>PyUnicode_AsUTF8AndSize(url if url.isascii() else "", &size)
    if not find_path(text, size, &path):
        from bodytext.kernel.head import read_address as read_any_address

        return read_any_address(url)
    measure_path(text, &path)
    found = list(no_address)
    found[0] = 1.0
    found[1] = 0.0 if path.steps else 1.0
    found[2] = min(path.steps, 8) / 8.0
    found[3] = min(path.digits, 12) / 12.0
    found[4] = min(path.hyphens, 12) / 12.0
    found[5] = 1.0 if path.has_query else 0.0
    found[6] = 1.0 if path.is_dated else 0.0
    found[7] = 1.0 if memchr(text + max(path.last, path.last_end - 6), c'.', min(path.last_end - path.last, 6)) is not NULL else 0.0
    found[8] = 1.0 if path.end > path.start and text[path.end - 1] == c'/' else 0.0
    found[9] = min(path.last_end - path.last, 100) / 100.0
    topics = read_topics((<const char*>text)[path.start:min(path.end, path.start + MOST_PATH)])
    while topics:
        if topics & 1:
            found[topic] = 1.0
        topics >>= 1
        topic += 1
    return found
