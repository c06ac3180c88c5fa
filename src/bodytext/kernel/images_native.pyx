# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Read the tags of images: the native twin of `images.py`, which explains how.

What is rare in tags is left to the twin.
"""

cimport cython
from libc.string cimport memset

from _thread import allocate_lock

include "constants.pxi"
include "columns.pxi"
include "tags.pxi"

from bodytext.kernel.elements_native cimport demand_elements, make_tagged

cdef enum:  # the attributes that are read, in the order of `fill_tables`; srcsets and lazy sources follow
    WIDTH, HEIGHT, STYLE, CLASS, ID, CAPTION, ALT, TITLE, LABEL, SRC, READ
    MOST_NAMES = 32
    MOST_HINTS = 128
    LONGEST_TEXT = 2000  # bytes of names or of an address that are looked at here
    MOST_PIXELS = 6  # digits
    IN_NAMES = 1  # between words of a class or an id
    IN_PATH = 2  # and of an address

cdef struct Text:
    const uint8_t* at
    Py_ssize_t size

cdef struct Values:  # of a tag, by the number of the attribute
    Text of[MOST_NAMES]
    bint has_data  # there is an attribute of another name that begins with data-
    bint is_odd  # a name is not ASCII

cdef list kept = []  # the texts that these tables point into
cdef Text names[MOST_NAMES]
cdef Text hints[MOST_HINTS]  # in order
cdef int first_hint[257]  # of each first letter
cdef Text words[64]  # for decoration
cdef uint8_t parts_words[256]  # whether a byte is between words, and of what
cdef Text placeholders[16]
cdef Text endings[8]
cdef int names_count = 0, first_lazy = 0, placeholders_count = 0, endings_count = 0, words_count = 0
cdef int most_parts = 0, icon = 0, portrait = 0
twin = None
filling = allocate_lock()  # first calls may come at once


cdef int keep(Text* texts, list values, int most) except -1:
    if len(values) > most:
        raise ImportError("there are more names than images_native.pyx has room for")
    for place, value in enumerate(values):
        data = value if isinstance(value, bytes) else value.encode()
        kept.append(data)
        texts[place].at, texts[place].size = <const uint8_t*><const char*><bytes>data, len(data)
    return <int>len(values)


cdef int fill_tables() except -1:
    """Take the vocabulary from the twin, which is imported no sooner than it is needed."""
    global twin, names_count, first_lazy, placeholders_count, endings_count, words_count, most_parts, icon, portrait
    from bodytext.kernel import images

    cdef int place, letter = 0, count
    first = ["width", "height", "style", "class", "id", "data-caption", *images.TEXTS, "src"]
    count = keep(names, [*first, *images.SRCSETS, *images.LAZY_SOURCES], MOST_NAMES)
    if len(first) != READ or images.MOST_DIGITS != MOST_PIXELS or images.LONGEST_ADDRESS != LONGEST_TEXT:
        raise ImportError("images.py and images_native.pyx differ")
    first_lazy = READ + <int>len(images.SRCSETS)
    place = keep(hints, sorted(images.HINTS), MOST_HINTS)
    first_hint[256] = place
    for letter in range(255, -1, -1):
        while place and hints[place - 1].at[0] >= letter:
            place -= 1
        first_hint[letter] = place
    words_count = keep(words, sorted(images.WORDS), 64)
    for letter in range(128):
        parts_words[letter] = (chr(letter).isspace() or letter == c'_' or letter == c'-') * IN_NAMES
        parts_words[letter] |= (chr(letter) in "/_.-") * IN_PATH
    placeholders_count = keep(placeholders, list(images.PLACEHOLDERS), 16)
    endings_count = keep(endings, list(images.PLACEHOLDER_ENDINGS), 8)
    most_parts, icon, portrait = images.MOST_PARTS, images.LARGEST_ICON, images.LARGEST_PORTRAIT
    names_count, twin = count, images
    return 0


cdef inline bint is_like(const uint8_t* text, const Text* word) noexcept nogil:
    """Whether a text begins with a word in lower case, whatever its own case is."""
    cdef Py_ssize_t index
    for index in range(word.size):
        if lower(text[index]) != word.at[index]:
            return False
    return True


cdef void read_tag(const uint8_t* text, Py_ssize_t size, Py_ssize_t start, Py_ssize_t end, Values* values) noexcept nogil:
    """Find the values of the attributes that are read; of duplicates the first counts."""
    cdef Attribute attribute
    cdef Text name
    cdef int number
    memset(values, 0, sizeof(Values))
    if not 0 <= start < end <= size:
        return
    start = skip_tag_name(text, start, end)
    while True:
        start = read_next(text, start, end, &attribute)
        if start < 0:
            return
        name.at, name.size = text + attribute.name, attribute.name_end - attribute.name
        for number in range(names_count):
            if names[number].size == name.size and is_like(name.at, &names[number]):
                if values.of[number].at == NULL:
                    values.of[number].at = text + attribute.value
                    values.of[number].size = attribute.value_end - attribute.value
                break
        else:
            values.has_data = values.has_data or (name.size >= 5 and lower(name.at[0]) == c'd' and name.at[4] == c'-')
            values.is_odd = values.is_odd or not is_ascii(name.at, name.size)


cdef object as_text(const Text* value):
    """A value as Python has it; nothing if the tag has no such attribute."""
    return decode_value(value.at, value.size) if value.size else ""


cdef object fold(const Text* value):
    """A value with its white space folded."""
    cdef Py_ssize_t index
    cdef uint8_t byte, last = c' '
    text = as_text(value)
    for index in range(value.size):
        byte = value.at[index]
        if byte < 0x20 or byte >= 0x7F or byte == c'&' or (byte == c' ' and last == c' '):
            return " ".join(text.split())
        last = byte
    return text if last != c' ' else text.rstrip(" ")


# The size


cdef int read_pixels(const Text* value) noexcept nogil:
    """A number of pixels; -1 if it is not stated, -2 if the twin has to look."""
    cdef Py_ssize_t place = 0, digits
    cdef int number = 0
    if not value.size:
        return -1
    if memchr(value.at, c'&', value.size) is not NULL or not is_ascii(value.at, value.size):
        return -2
    while place < value.size and is_space(value.at[place]):
        place += 1
    digits = count_digits(value.at, place, value.size)
    if not 1 <= digits <= MOST_PIXELS:
        return -1
    for place in range(place, place + digits):
        number = 10 * number + value.at[place] - c'0'
    return number if ends_pixels(value.at, place + 1, value.size) else -1


cdef bint ends_pixels(const uint8_t* text, Py_ssize_t place, Py_ssize_t end) noexcept nogil:
    """Whether nothing but decimals, a unit and white space comes after a number."""
    if place < end and text[place] == c'.':
        place += 1 + count_digits(text, place + 1, end)
    if place + 1 < end and text[place] == c'p' and text[place + 1] == c'x':
        place += 2
    while place < end and is_space(text[place]):
        place += 1
    return place == end


cdef inline Py_ssize_t count_digits(const uint8_t* text, Py_ssize_t place, Py_ssize_t end) noexcept nogil:
    cdef Py_ssize_t count = 0
    while place + count < end and c'0' <= text[place + count] <= c'9':
        count += 1
    return count


cdef inline Py_ssize_t skip_blanks(const uint8_t* text, Py_ssize_t place, Py_ssize_t end) noexcept nogil:
    while place < end and (text[place] == c' ' or 9 <= text[place] <= 13 or 28 <= text[place] <= 31):
        place += 1
    return place


cdef int read_declaration(const Text* style, Py_ssize_t place, const char* name, Py_ssize_t length) noexcept nogil:
    """The number of pixels that a declaration gives to a name; -1 if it gives none."""
    cdef Text sought, important
    cdef Py_ssize_t digits, end = style.size
    cdef int number = 0
    sought.at, sought.size, important.at, important.size = <const uint8_t*>name, length, b"!important", 10
    if place + length > end or not is_like(style.at + place, &sought):
        return -1
    place = skip_blanks(style.at, place + length, end)
    if place == end or style.at[place] != c':':
        return -1
    place = skip_blanks(style.at, place + 1, end)
    digits = count_digits(style.at, place, end)
    if not 1 <= digits <= MOST_PIXELS:
        return -1
    for place in range(place, place + digits):
        number = 10 * number + style.at[place] - c'0'
    place += 1
    if place < end and style.at[place] == c'.':
        place += 1 + count_digits(style.at, place + 1, end)
    if place + 1 < end and lower(style.at[place]) == c'p' and lower(style.at[place + 1]) == c'x':
        place += 2
    place = skip_blanks(style.at, place, end)
    if place + 10 <= end and is_like(style.at + place, &important):
        place = skip_blanks(style.at, place + 10, end)
    return number if place == end or style.at[place] == c';' else -1


cdef void read_style(const Text* style, int* width, int* height) noexcept nogil:
    """Find the size that an ASCII style states last; of others what is there stays."""
    cdef Py_ssize_t place = 0
    cdef int number
    cdef const uint8_t* end
    while place < style.size:
        place = skip_blanks(style.at, place, style.size)
        number = read_declaration(style, place, b"width", 5)
        width[0] = number if number >= 0 else width[0]
        number = read_declaration(style, place, b"height", 6)
        height[0] = number if number >= 0 else height[0]
        end = <const uint8_t*>memchr(style.at + place, c';', style.size - place)
        place = style.size if end is NULL else end + 1 - style.at


cdef inline bint is_simple(const Text* value) noexcept nogil:
    """Whether a value is ASCII without references."""
    return value.size <= 0 or (is_ascii(value.at, value.size) and memchr(value.at, c'&', value.size) is NULL)


cdef int read_size(Values* values, int* width, int* height) except -1:
    cdef int number
    width[0], height[0] = read_pixels(&values.of[WIDTH]), read_pixels(&values.of[HEIGHT])
    if width[0] > -2 and height[0] > -2 and is_simple(&values.of[STYLE]):
        read_style(&values.of[STYLE], width, height)
        return 0
    names = (("width", WIDTH), ("height", HEIGHT), ("style", STYLE))
    sizes = twin.read_size({name: as_text(&values.of[<int>number]) for name, number in names})
    width[0] = -1 if sizes[0] is None else sizes[0]
    height[0] = -1 if sizes[1] is None else sizes[1]
    return 0


# The address


cdef bint is_placeholder(const uint8_t* text, Py_ssize_t size) noexcept nogil:
    """Whether a part of an ASCII address is the name of a transparent placeholder."""
    cdef Py_ssize_t place = 0, after
    cdef int name, ending
    cdef const uint8_t* slash
    while True:
        for name in range(placeholders_count):
            after = place + placeholders[name].size
            if after < size and text[after] == c'.' and is_like(text + place, &placeholders[name]):
                for ending in range(endings_count):
                    if after + 1 + endings[ending].size <= size and is_like(text + after + 1, &endings[ending]):
                        after += 1 + endings[ending].size
                        if after == size or text[after] == c'?' or text[after] == c'#':
                            return True
                        break
        slash = <const uint8_t*>memchr(text + place, c'/', size - place)
        if slash is NULL:
            return False
        place = slash + 1 - text


@cython.final
@cython.no_gc
cdef class Resolver:
    """Makes addresses absolute."""

    cdef object addresses
    cdef object root  # of addresses; False as long as it is not known

    cdef object resolve(self, object value, const uint8_t* text, Py_ssize_t size):
        if is_rooted(text, size):
            if self.root is False:
                self.root = self.addresses.root
            if self.root is not None:
                return self.root + value
        return self.addresses.resolve(value)


cdef object find_shown(object value, Resolver resolver):
    """The address of a value, unless it is that of a placeholder; or nothing."""
    cdef Py_ssize_t size
    cdef const uint8_t* text = <const uint8_t*>PyUnicode_AsUTF8AndSize(value, &size)
    if not is_whole(text, size):
        value = resolver.resolve(value, text, size)
        text = <const uint8_t*>PyUnicode_AsUTF8AndSize(value, &size)
        if not is_ascii(text, size):
            return twin.drop_placeholder(value)
    return "" if is_placeholder(text, size) else value


cdef struct Candidate:
    bint is_width
    double size
    bint is_odd  # its size has more digits than a double
    Py_ssize_t start, end  # of its address


cdef Py_ssize_t read_candidate(const uint8_t* text, Py_ssize_t place, Py_ssize_t end, Candidate* found) noexcept nogil:
    """Read the candidate after a place in an ASCII srcset; return where it ends, or -1 if there is none."""
    cdef Py_ssize_t digits, decimals, index, mark
    cdef double unit = 1.0
    while place < end and (is_space(text[place]) or text[place] == c','):
        place += 1
    if place >= end:
        return -1
    found.start = place
    while place < end and not is_space(text[place]):
        place += 1
    found.end, found.is_width, found.size, found.is_odd = place, False, 1.0, False
    if text[place - 1] == c',':
        while text[found.end - 1] == c',':
            found.end -= 1
        return place
    while place < end and is_space(text[place]):
        place += 1
    digits = count_digits(text, place, end)
    mark = place + digits
    decimals = count_digits(text, mark + 1, end) if mark < end and text[mark] == c'.' else 0
    mark += 1 + decimals if decimals else 0
    if 1 <= digits <= 9 and decimals <= 9 and mark < end and lower(text[mark]) in (c'w', c'x'):
        index = mark + 1
        while index < end and is_space(text[index]):
            index += 1
        if index >= end or text[index] == c',':
            found.is_width, found.is_odd = lower(text[mark]) == c'w', digits + decimals > 15
            found.size = 0.0
            for index in range(place, mark):
                if text[index] == c'.':
                    continue
                found.size = 10.0 * found.size + (text[index] - c'0')
                if index > place + digits:
                    unit *= 10.0
            found.size /= unit
    while place < end and text[place] != c',':
        place += 1
    return place


cdef bint find_larger(const uint8_t* text, Py_ssize_t size, Candidate* best, bint* is_odd) noexcept nogil:
    """Whether a srcset has a larger candidate than the best so far, which becomes the best."""
    cdef Candidate found
    cdef Py_ssize_t place = 0
    cdef bint is_found = False
    while True:
        place = read_candidate(text, place, size, &found)
        if place < 0:
            return is_found
        is_odd[0] = is_odd[0] or found.is_odd
        if best.size < 0 or found.is_width > best.is_width or (
            found.is_width == best.is_width and found.size > best.size
        ):
            best[0] = found
            is_found = True


cdef object find_largest(Values* tags, Py_ssize_t count, Resolver resolver):
    """The address of the largest candidate in the srcsets of tags; None if the twin has to look."""
    cdef Candidate best
    cdef Py_ssize_t tag, size
    cdef int name
    cdef const uint8_t* text
    cdef bint is_odd = False
    best.is_width, best.size, best.start, best.end = False, -1.0, 0, 0
    owner = ""
    for tag in range(count):
        for name in range(READ, first_lazy):
            if not tags[tag].of[name].size:
                continue
            srcset = as_text(&tags[tag].of[name])
            text = <const uint8_t*>PyUnicode_AsUTF8AndSize(srcset, &size)
            if find_larger(text, size, &best, &is_odd):
                owner = srcset
            if is_odd or not is_ascii(text, size):
                return None
    if best.size < 0:
        return ""
    text = <const uint8_t*>PyUnicode_AsUTF8AndSize(owner, &size)
    address = PyUnicode_DecodeUTF8(<const char*>text + best.start, best.end - best.start, NULL)
    return find_shown(address, resolver) or None


cdef inline bint has_address(const Text* value) noexcept nogil:
    """Whether a value is no image by itself; one of those may be long, and is not even decoded."""
    return value.size > 0 and not (value.size >= 5 and not memcmp(value.at, "data:", 5))


cdef object find_stated(Values* values, Resolver resolver):
    cdef int name
    for name in range(first_lazy, names_count):
        if values.of[name].size:
            value = as_text(&values.of[name])
            if "/" in value or "." in value:
                address = find_shown(value, resolver)
                if address:
                    return address
    return find_shown(as_text(&values.of[SRC]), resolver) if has_address(&values.of[SRC]) else ""


cdef object find_address(Values* tags, Py_ssize_t count, Resolver resolver):
    """The address of the best version of an image; None if the twin has to look."""
    cdef int name
    cdef bint has_data = tags.has_data
    for name in range(READ, first_lazy):
        if count > 1 or tags.of[name].at != NULL:
            address = find_largest(tags, count, resolver)
            if address or address is None:
                return address
            break
    address = find_stated(tags, resolver)
    for name in range(READ, names_count):
        has_data = has_data or tags.of[name].at != NULL
    return address if address or not (has_data or tags.of[CAPTION].at != NULL) else None


# Decoration


cdef Py_ssize_t write_spaced(const uint8_t* text, Py_ssize_t size, uint8_t* out, Py_ssize_t place) noexcept nogil:
    """Write a text in lower case, with spaces for the signs between words."""
    cdef Py_ssize_t index
    cdef uint8_t byte
    for index in range(size):
        byte = text[index]
        if byte == c'/' or byte == c'_' or byte == c'.' or byte == c'-' or is_space(byte) or byte == c'\v':
            byte = c' '
        out[place + index] = lower(byte)
    return place + size


cdef bint is_hint(const uint8_t* word, Py_ssize_t size) noexcept nogil:
    cdef int number
    for number in range(first_hint[word[0]], first_hint[word[0] + 1]):
        if hints[number].size == size and not memcmp(hints[number].at, word, size):
            return True
    return False


cdef int find_hint(const uint8_t* text, Py_ssize_t size) noexcept nogil:
    """1 if a spaced text has a word for decoration, 2 if the twin has to look: it has "qr", or one of two hosts."""
    cdef Py_ssize_t place = 0, start
    cdef int found = 0
    while place < size:
        if text[place] == c' ':
            place += 1
            continue
        start = place
        while place < size and text[place] != c' ':
            place += 1
        if text[start] == c'q' and place - start < 4:
            return 2
        if place + 5 <= size and place - start >= 8 and not memcmp(text + place - 8, "gravatar com ", 13):
            return 2
        if place + 7 <= size and not memcmp(text + place - 1, "s w org ", 8):
            return 2
        if not found and is_hint(text + start, place - start):
            found = 1
    return found


cdef bint is_named(const uint8_t* word, Py_ssize_t size) noexcept nogil:
    """Whether a word is one for decoration."""
    cdef int number
    for number in range(words_count):
        if words[number].size == size and is_like(word, &words[number]):
            return True
    return False


cdef bint has_word(const uint8_t* text, Py_ssize_t size, int between) noexcept nogil:
    """Whether a text has a word for decoration, in a path also in the plural, but at its end."""
    cdef Py_ssize_t start = 0, place = 0
    while True:
        while place < size and not parts_words[text[place]] & between:
            place += 1
        if is_named(text + start, place - start):
            return True
        if place == size:
            return False
        if between == IN_PATH and place > start and lower(text[place - 1]) == c's' and is_named(
            text + start, place - start - 1
        ):
            return True
        place += 1
        start = place


cdef object is_called_decoration(Values* values, object address):
    cdef uint8_t spaced[3 * LONGEST_TEXT + 8]
    cdef Py_ssize_t place = 0, size, index
    cdef const uint8_t* text
    cdef const uint8_t* found
    cdef int hint
    cdef bint in_names = False
    css_class, css_id = as_text(&values.of[CLASS]), as_text(&values.of[ID])
    for value in (css_class, css_id):
        text = <const uint8_t*>PyUnicode_AsUTF8AndSize(value, &size)
        if size > LONGEST_TEXT // 2 - 1:
            return twin.is_called_decoration({"class": css_class, "id": css_id}, address)
        in_names = in_names or has_word(text, size, IN_NAMES)
        place = write_spaced(text, size, spaced, place)
        spaced[place] = c' '
        place += 1
    text = <const uint8_t*>PyUnicode_AsUTF8AndSize(address, &size)
    if size <= LONGEST_TEXT:
        found = <const uint8_t*>memchr(text, c'?', size)
        if found is not NULL:
            size = found - text
        for index in range(size - 1):
            if text[index] == c'/' and text[index + 1] == c'/':
                if index + 2 < size:
                    text += index + 2
                    size -= index + 2
                break
        place = write_spaced(text, size, spaced, place)
        hint = find_hint(spaced, place)
        if not hint:
            return False
        if hint == 1 and is_ascii(spaced, place):
            return in_names or has_word(text, size, IN_PATH)
    return twin.is_called_decoration({"class": css_class, "id": css_id}, address)


# All of it


cdef tuple describe(Values* tags, Py_ssize_t count, Resolver resolver):
    """What the tag of an image says; None if the twin has to look."""
    cdef int width, height
    cdef bint is_small
    read_size(tags, &width, &height)
    is_small = (0 <= height <= icon) if width < 0 else (width <= icon and height <= icon)
    address = ""
    if not is_small:
        address = find_address(tags, count, resolver)
        if address is None:
            return None
        is_small = 0 <= width <= portrait and width == height
    is_decoration = is_small or (address and is_called_decoration(tags, address))
    alt = fold(&tags.of[ALT])
    return (
        address,
        width if width >= 0 else None,
        height if height >= 0 else None,
        is_small,
        bool(is_decoration),
        alt,
        alt or fold(&tags.of[TITLE]) or fold(&tags.of[LABEL]),
        fold(&tags.of[CAPTION]),
    )


cdef Py_ssize_t find_sources(const Column* tag, const Column* parent, Py_ssize_t nodes, Py_ssize_t node, int32_t* out) noexcept nogil:
    """Find the <source> elements in the <picture> of an image; return how many there are."""
    cdef Py_ssize_t above = get(parent, node), part, count = 0
    if 0 <= above < nodes and get(tag, above) == TAG_NOSCRIPT:
        above = get(parent, above)
    if not 0 <= above < nodes or get(tag, above) != TAG_PICTURE:
        return 0
    for part in range(above + 1, min(above + 1 + most_parts, nodes)):
        if get(parent, part) < above:
            break
        if get(parent, part) == above and (get(tag, part) == TAG_SOURCE or get(tag, part) == TAG_PARAM):
            out[count] = <int32_t>part
            count += 1
    return count


def read_images(bytes source, nodes, numbers, addresses):
    """What the tags of images say."""
    if twin is None:
        with filling:
            if twin is None:
                fill_tables()
    cdef Column tag, parent, start, end
    cdef Py_ssize_t count = len(nodes[0]), node, size = len(source), place, parts
    cdef int32_t part[64]
    cdef Values tags[65]
    cdef const uint8_t* text = <const uint8_t*><const char*>source
    cdef list images = []
    cdef Resolver resolver = Resolver.__new__(Resolver)
    resolver.addresses, resolver.root = addresses, False
    demand(most_parts <= 64)
    take(&tag, nodes[NODE_TAG], count)
    take(&parent, nodes[NODE_PARENT], count)
    take(&start, nodes[NODE_START], count)
    take(&end, nodes[NODE_END], count)
    for number in numbers:
        node = number
        demand(0 <= node < count)
        parts = find_sources(&tag, &parent, count, node, part)
        read_tag(text, size, get(&start, node), get(&end, node), &tags[0])
        is_odd = tags[0].is_odd
        for place in range(parts):
            read_tag(text, size, get(&start, part[place]), get(&end, part[place]), &tags[place + 1])
            is_odd = is_odd or tags[place + 1].is_odd
        image = None if is_odd else describe(tags, parts + 1, resolver)
        if image is None:
            spans = [(get(&start, node), get(&end, node))]
            for place in range(parts):
                spans.append((get(&start, part[place]), get(&end, part[place])))
            image = twin.read_image(source, spans, addresses.resolve)
        images.append(image)
    return images


def make_leaves(list places, images, type make, clean):
    """Images as leaves of a structure."""
    cdef Py_ssize_t size, place = 0
    cdef const uint8_t* text
    cdef list leaves = []
    demand_elements(make)
    demand(len(places) == len(images))
    for node, (stated, _, _, _, _, alt, _, _) in images.items():
        run, owner = places[place]
        place += 1
        text = <const uint8_t*>PyUnicode_AsUTF8AndSize(stated, &size)
        address = stated if is_whole(text, size) or is_rooted(text, size) else clean(stated)
        if address:
            leaves.append((run, run, node, owner, make_tagged(make, "img", (), {"src": address, "alt": alt})))
    return leaves
