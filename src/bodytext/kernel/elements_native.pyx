# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Put lines into the elements that hold them: the native twin of `elements.py`, which explains how."""

cimport cython
from libc.stdint cimport int32_t, uint8_t
from libc.stdlib cimport free, malloc

include "constants.pxi"
include "columns.pxi"
include "page_tables.pxi"

from bodytext.kernel.elements import DRAFT_NAMES, LEAST_IN_LAYOUT, MOST_LEVELS, NAME_OF_TAG, NO_ATTRIBUTES

cdef extern from "Python.h":
    object PyDictProxy_New(object mapping)
    void PyObject_GC_UnTrack(void* op)
    unsigned long PyType_GetFlags(type checked)
    void* PyType_GetSlot(type owner, int slot)
    unsigned long Py_TPFLAGS_HAVE_GC
    int Py_tp_new

ctypedef object (*New)(type make, tuple arguments, void* names)

cdef enum:  # the names of drafts, counted from 1
    BODY = 1, BLOCKQUOTE, FIGURE, LI, DD, TD, TH  # hold blocks
    DT, CAPTION, FIGCAPTION, H1, H2, H3, H4, H5, H6  # hold a line
    PRE
    UL, OL, DL, TABLE, TR, THEAD  # hold items
    STOP

cdef list names = ["", *DRAFT_NAMES]
cdef dict kinds = {name: kind for kind, name in enumerate(names)}
cdef uint8_t kind_of_tag[TAGS_COUNT]
cdef int most_levels = MOST_LEVELS, least_in_layout = LEAST_IN_LAYOUT
cdef object no_attributes = NO_ATTRIBUTES


cdef int fill_tables() except -1:
    cdef int tag
    ours = (
        "body blockquote figure li dd td th dt caption figcaption h1 h2 h3 h4 h5 h6 pre ul ol dl table tr thead".split()
    )
    if names[1:] != ours or len(names) != STOP:
        raise ImportError("elements.py and elements_native.pyx differ")
    for tag in range(TAGS_COUNT):
        kind_of_tag[tag] = kinds[NAME_OF_TAG[tag]]
    return 0


fill_tables()


@cython.no_gc
cdef class Tagged:
    """A name with children and attributes, which never change."""

    def __init__(self, str name, children=(), attributes=no_attributes):
        self.name, self.children = name, tuple(children)
        self.attributes = attributes if attributes is no_attributes else PyDictProxy_New(attributes)


cdef Tagged make_tagged(type make, str name, tuple children, object attributes=no_attributes):
    """An element of a class that is based on this one.

    None can be in itself, so that the garbage collector need not look at it and its children.
    """
    cdef Tagged made = (<New>PyType_GetSlot(make, Py_tp_new))(make, (), NULL)  # __new__ takes far longer
    made.name, made.children = name, children
    if PyType_GetFlags(make) & Py_TPFLAGS_HAVE_GC:
        PyObject_GC_UnTrack(<void*>made)
    if children:
        PyObject_GC_UnTrack(<void*>children)
    made.attributes = attributes if attributes is no_attributes else PyDictProxy_New(attributes)
    return made


cdef int demand_elements(type make) except -1:
    if not issubclass(make, Tagged):
        raise TypeError("the class of elements must be based on Tagged")
    return 0


@cython.no_gc
cdef class Draft:
    """An element to be made: a list, a table, a quote, a heading ..."""

    def __init__(self, str name, int32_t node=-1):
        start_draft(self, kinds[name], node)

    cpdef list gather(self):
        """The children, with the elements of those that were drafts."""
        cdef list pieces = []
        if not self.is_nested:  # most
            return self.children
        for child in self.children:
            if isinstance(child, Draft):
                pieces.extend((<Draft>child).pieces)
            else:
                pieces.append(child)
        return pieces


cdef Draft start_draft(Draft draft, int kind, int32_t node):
    draft.kind, draft.name, draft.node = kind, names[kind], node
    draft.attributes, draft.children, draft.pieces = no_attributes, [], []
    return draft


cdef inline Draft make_draft(int kind, int32_t node=-1):
    return start_draft(Draft.__new__(Draft), kind, node)


cdef inline bint is_heading(object piece):
    cdef str name
    if not isinstance(piece, Tagged):
        return False
    name = (<Tagged>piece).name
    return name is not None and H1 <= kinds.get(name, 0) <= H6


cdef inline bint is_named(object piece, str name):
    return isinstance(piece, Tagged) and (<Tagged>piece).name == name


cdef tuple unwrap(list pieces):
    """Unwrap an item's only paragraph, or its first if only lists follow it."""
    cdef Py_ssize_t place, count = len(pieces)
    if not count or not is_named(pieces[0], "p"):
        return tuple(pieces)
    if count == 1:  # most
        return (<Tagged>pieces[0]).children
    for place in range(1, count):
        if not is_named(pieces[place], "ul") and not is_named(pieces[place], "ol"):
            return tuple(pieces)
    return (<Tagged>pieces[0]).children + tuple(pieces[1:])


cdef bint is_layout(list items):
    """Whether the only item of a list is a section with a heading."""
    cdef tuple children
    if len(items) != 1 or not is_named(items[0], "li"):
        return False
    children = (<Tagged>items[0]).children
    if len(children) < least_in_layout:
        return False
    for child in children:
        if is_heading(child):
            return True
    return False


cdef inline bint has_value(const uint8_t* text, Py_ssize_t size) noexcept nogil:
    """Whether a tag has the letters of "value"."""
    cdef Py_ssize_t at
    for at in range(size - 4):
        if (text[at] | 0x20) == c'v' and (text[at + 1] | 0x20) == c'a' and (text[at + 2] | 0x20) == c'l' and (
            text[at + 3] | 0x20
        ) == c'u' and (text[at + 4] | 0x20) == c'e':
            return True
    return False


cdef struct NodeColumns:  # in the order of their table
    Column tag, parent, first, stop, start, end


cdef class Containers:
    """The drafts of a page; to add something makes those that it needs."""

    def __dealloc__(self):
        free(self.nearest)
        free(self.columns)

    def __init__(self, bytes source, nodes, type make, details):
        if self.columns != NULL:
            raise ValueError("containers are made once")
        demand_elements(make)
        self.source, self.kept, self.make, self.details = source, nodes, make, details
        self.columns = <NodeColumns*>malloc(sizeof(NodeColumns))
        if self.columns == NULL:
            raise MemoryError
        self.nodes = take_table(&self.columns.tag, nodes, 6)
        self.nearest = <int32_t*>malloc(4 * (self.nodes + 1) * sizeof(int32_t))
        if self.nearest == NULL:
            raise MemoryError
        self.level, self.place = self.nearest + self.nodes + 1, self.nearest + 2 * (self.nodes + 1)
        self.waiting = self.nearest + 3 * (self.nodes + 1)
        self.drafts, self.item_nodes = [make_draft(BODY)], {}
        demand(self.find_nearest())

    cdef bint find_nearest(self) noexcept nogil:
        cdef Py_ssize_t node
        cdef int32_t above, tag, outer
        for node in range(self.nodes):
            tag, above = get(&self.columns.tag, node), get(&self.columns.parent, node)
            if not (0 <= tag < TAGS_COUNT and -1 <= above < node):
                return False
            outer = self.nearest[above] if above >= 0 else -1
            self.nearest[node] = outer
            if kind_of_tag[tag]:
                self.nearest[node] = <int32_t>node
                self.level[node] = self.level[outer] + 1 if outer >= 0 else 1
                self.place[node] = -1
        return True

    # Adding

    cpdef add_line(self, Py_ssize_t node, pieces):
        """Add a line below a node."""
        self.attach(self.find(node), pieces)

    cpdef bint add_leaf(self, Py_ssize_t node, pieces) except -1:
        """Add a line that has no text of its own; False where it is in code, whose text says it all."""
        cdef Draft draft = self.find(node)
        if draft.kind == PRE:
            return False
        self.attach(draft, pieces)
        return True

    cpdef add_rule(self, Py_ssize_t node):
        """Add a rule between the blocks of a section."""
        cdef Draft draft = self.find(node)
        if draft.kind <= FIGURE and draft.children:
            draft.children.append(make_tagged(self.make, "hr", ()))

    cpdef add_verbatim(self, Py_ssize_t node, str text):
        """Add a text whose white space counts."""
        cdef Draft draft = self.find(node)
        if draft.kind == PRE:
            draft.children.append(text)
        elif DT <= draft.kind <= H6:
            self.attach(draft, (" ".join(text.split()),))
        else:
            self.flow(draft).children.append(make_tagged(self.make, "pre", (text,)))

    cdef int attach(self, Draft draft, pieces) except -1:
        if DT <= draft.kind <= H6:
            return self.attach_to_line(draft, pieces)
        self.flow(draft).children.append(make_tagged(self.make, "p", tuple(pieces)))
        return 0

    cdef int attach_to_line(self, Draft draft, pieces) except -1:
        cdef bint in_heading = draft.kind >= H1
        if in_heading and len(pieces) == 1 and is_named(pieces[0], "strong"):
            pieces = (<Tagged>pieces[0]).children
        if draft.children:
            draft.children.append(" " if in_heading else make_tagged(self.make, "br", ()))
        draft.children.extend(pieces)
        return 0

    cdef Draft find(self, Py_ssize_t node):
        """The draft of the nearest container at or above a node, made with all around it."""
        cdef Py_ssize_t count = 0
        cdef int32_t outer, above
        cdef Draft draft
        demand(0 <= node < self.nodes)
        outer = self.nearest[node]
        while outer >= 0 and self.place[outer] < 0:
            self.waiting[count] = outer
            count += 1
            above = get(&self.columns.parent, outer)
            outer = self.nearest[above] if above >= 0 else -1
        draft = self.drafts[self.place[outer] if outer >= 0 else 0]
        while count:
            count -= 1
            outer = self.waiting[count]
            if self.level[outer] <= most_levels:
                draft = self.add(outer, draft)
            self.place[outer] = draft.place
        return draft

    cdef Draft add(self, int32_t node, Draft above):
        """Start the draft of a node inside the one above it; return that one if there is no place."""
        cdef int kind = kind_of_tag[get(&self.columns.tag, node)]
        cdef Draft holder
        if DT <= above.kind <= PRE:
            if above.kind == PRE and (kind == TD or kind == TH) and self.details.is_gutter(node):
                return self.keep(make_draft(TD))
            return above
        holder = self.find_holder(kind, above)
        if holder is None:
            return above
        return self.hang(self.start_draft(kind, node), holder)

    cdef Draft start_draft(self, int kind, int32_t node):
        cdef Draft draft
        if kind == TD or kind == TH:
            name, attributes = self.details.read_cell(names[kind], node)
            draft = make_draft(kinds[name], node)
            draft.attributes = attributes
            return draft
        draft = make_draft(kind, node)
        if kind == OL or (kind == LI and self.may_have_value(node)):
            draft.attributes = self.details.read_numbers(names[kind], node)
        return draft

    cdef bint may_have_value(self, int32_t node):
        cdef Py_ssize_t start = get(&self.columns.start, node), end = get(&self.columns.end, node)
        return 0 <= start < end <= len(self.source) and has_value(
            <const uint8_t*><const char*>self.source + start, end - start
        )

    cdef Draft find_holder(self, int kind, Draft above):
        """The draft that one of this kind goes into, made if it is missing; None for no place."""
        if LI <= kind <= TH or kind == DT:
            return self.find_owner(kind, above)
        if kind == TR or kind == CAPTION or kind == FIGCAPTION or kind == THEAD:
            if above.kind != (FIGURE if kind == FIGCAPTION else TABLE) or kind == THEAD:
                return None
            return None if kind == CAPTION and above.children else above
        if (kind == UL or kind == OL) and (above.kind == UL or above.kind == OL) and above.children:
            return above.children[len(above.children) - 1]
        return self.flow(above)

    cdef Draft find_owner(self, int kind, Draft above):
        if kind == TD or kind == TH:
            if above.kind == TABLE:
                return self.imply(above, TR)
            return above if above.kind == TR else None
        if above.kind == DL if kind != LI else above.kind == UL or above.kind == OL:
            return above
        return self.imply(self.flow(above), UL if kind == LI else DL)

    cdef Draft flow(self, Draft draft):
        """The draft itself where it can hold blocks, else one in it that can."""
        while draft.kind >= UL:
            draft = self.imply(
                draft, TR if draft.kind == TABLE else TD if draft.kind == TR else DD if draft.kind == DL else LI
            )
        return draft

    cdef Draft imply(self, Draft holder, int kind):
        """The last draft in a holder where it was made for this, else a new one."""
        cdef Draft last
        if holder.children:
            child = holder.children[len(holder.children) - 1]
            if isinstance(child, Draft):
                last = <Draft>child
                if last.kind == kind and last.node < 0:
                    return last
        return self.hang(make_draft(kind), holder)

    cdef Draft hang(self, Draft draft, Draft holder):
        holder.children.append(draft)
        holder.is_nested = True
        return self.keep(draft)

    cdef Draft keep(self, Draft draft):
        draft.place = <int32_t>len(self.drafts)
        self.drafts.append(draft)
        return draft

    # Making

    def finish(self):
        """Make the elements of all drafts, the inner ones first."""
        cdef Py_ssize_t place = len(self.drafts)
        cdef Draft draft
        while place > 1:
            place -= 1
            draft = self.drafts[place]
            draft.pieces = self.make_pieces(draft)
        draft = self.drafts[0]
        return make_tagged(self.make, "body", tuple(draft.gather()))

    cdef list make_pieces(self, Draft draft):
        cdef list pieces
        cdef tuple children
        if draft.kind == TABLE or draft.kind == FIGURE or draft.kind == PRE:
            return self.details.make(draft)
        pieces = draft.gather()
        if draft.kind == TD or draft.kind == TH:
            return pieces
        if (draft.kind == UL or draft.kind == OL) and is_layout(pieces):
            return list((<Tagged>pieces[0]).children)
        children = unwrap(pieces) if draft.kind == LI or draft.kind == DD else tuple(pieces)
        element = make_tagged(self.make, draft.name, children, draft.attributes)
        if draft.kind == LI:
            self.item_nodes[<Py_ssize_t><void*>element] = draft.node
        return [element]
