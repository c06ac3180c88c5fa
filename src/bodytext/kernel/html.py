"""HTML's vocabulary: the tags and their rules, the flags of runs, the kinds of blocks.

Both scanners read these tables, so each rule of HTML is written once. The sets follow tree
construction in the WHATWG HTML standard. Only the set of tags that end a block (`BLOCK`) is ours.
"""

from enum import IntEnum, IntFlag


class Flag(IntFlag):
    """What a run of text is inside of. Inherited from every open element around it."""

    HEADER = 1 << 0
    NAV = 1 << 1
    MAIN = 1 << 2
    ARTICLE = 1 << 3
    ASIDE = 1 << 4
    FOOTER = 1 << 5
    FORM = 1 << 6
    BUTTON = 1 << 7
    SELECT = 1 << 8
    HIDDEN = 1 << 9  # `hidden`, or inline `display:none` / `visibility:hidden`
    ARIA_HIDDEN = 1 << 10
    NOSCRIPT = 1 << 11
    TEMPLATE = 1 << 12
    SVG = 1 << 13
    MATH = 1 << 14
    PRE = 1 << 15  # white space is kept
    FALLBACK = 1 << 16  # shown only where a medium cannot be: video, audio, canvas, object
    LINK = 1 << 17  # inside <a href>
    LINE = 1 << 18  # one <br> is between this run and the one before it
    SPACE = 1 << 19  # white space before this run made no run, or it is shown apart (TagRule.PIECE)
    FOREIGN = 1 << 20  # the rules of SVG and MathML apply here
    SILENT = 1 << 21  # style, script or, in running text, title inside SVG: no run is made
    SPOKEN = 1 << 29  # for screen readers only: see CONCEALING and CONCEALED_CLASSES
    VERBATIM = 1 << 30  # character references are plain text here: xmp, plaintext, CDATA


# Text in these is not shown to a reader of the page as it loads, or it is a control or a drawing,
# not prose.
UNSEEN = int(
    Flag.HIDDEN
    | Flag.ARIA_HIDDEN
    | Flag.NOSCRIPT
    | Flag.TEMPLATE
    | Flag.FALLBACK
    | Flag.SELECT
    | Flag.SVG
)
LINES_SHIFT = 22  # bits 22 to 28 of a run's flags count the <br> between it and the run before it in its block
MOST_LINES = 127
# A page is a flood while it has so many rows of elements and runs, and fewer bytes for each. (Of 3,560 real pages none
# has less than 16 bytes for a row.) These tags then only break the line, and nothing goes before a table any more: the
# tables of one-letter pieces would need many times the memory of the page.
FLOOD_ROWS = 20_000
FLOOD_BYTES = 5
FLOOD_TEXT = 32  # bytes; in a flood a shorter text is a line of the block before it, if that is of such lines too
FLOOD_TAGS = frozenset({
    "b", "big", "blockquote", "br", "code", "dd", "div", "dl", "dt", "em", "font", "h1", "h2", "h3", "h4", "h5", "h6",
    "hr", "i", "li", "ol", "p", "pre", "s", "small", "span", "strike", "strong", "sub", "sup", "td", "th", "tt", "u", "ul",
})  # fmt: skip
INHERITED_FLAGS = int((1 << LINES_SHIFT) - 1 | Flag.SPOKEN)
# While an element is open, the kind of the blocks in it is kept next to the flags that they
# inherit.
KIND_SHIFT = 24
KIND_MASK = 15

LONGEST_NAME = 64  # a longer tag name is read as unknown and matches no end tag
UNKNOWN_REACH = 64  # how far up the stack the end tag of an unknown element is looked for


class NodeFlag(IntFlag):
    """What a node's own tags say."""

    CLOSED = 1 << 0  # it has an end tag of its own
    HIDDEN = 1 << 1
    ARIA_HIDDEN = 1 << 2
    LINK = 1 << 3  # it has an href
    SPOKEN = 1 << 4
    VEILED = 1 << 5  # what hides it is `visibility`, which an element inside can undo
    UNVEILED = 1 << 6  # `visibility:visible`


# How declarations of an inline style begin that take their element out of sight or bring it back;
# white space is removed first. Clipped text is for screen readers. Methods count it like any other, but the text
# of a visible block leaves it out.
CONCEALING = {
    "display:none": NodeFlag.HIDDEN,
    "visibility:hidden": NodeFlag.HIDDEN | NodeFlag.VEILED,
    "visibility:visible": NodeFlag.UNVEILED,
    "clip:rect(0000)": NodeFlag.SPOKEN,
    "clip:rect(0,0,0,0)": NodeFlag.SPOKEN,
    "clip:rect(0px,0px,0px,0px)": NodeFlag.SPOKEN,
    "clip:rect(1px1px1px1px)": NodeFlag.SPOKEN,
    "clip:rect(1px,1px,1px,1px)": NodeFlag.SPOKEN,
    "clip-path:inset(50%)": NodeFlag.SPOKEN,
}
# What frameworks call elements for screen readers, and elements that are shown but are no text: the numbers of
# lines of code (Pygments, Doxygen, highlight.js), the sign of a heading's own address (Sphinx, MkDocs), "[edit]"
# (MediaWiki). Only the first and the last class are compared: all take too long.
CONCEALED_CLASSES = {
    "sr-only": NodeFlag.SPOKEN,
    "visually-hidden": NodeFlag.SPOKEN,
    "visuallyhidden": NodeFlag.SPOKEN,
    "screen-reader-text": NodeFlag.SPOKEN,
    "screen-reader-only": NodeFlag.SPOKEN,
    "a11y-hidden": NodeFlag.SPOKEN,
    "element-invisible": NodeFlag.SPOKEN,
    "a-offscreen": NodeFlag.SPOKEN,
    "aok-offscreen": NodeFlag.SPOKEN,
    "assistive-text": NodeFlag.SPOKEN,
    "show-for-sr": NodeFlag.SPOKEN,
    "u-srOnly": NodeFlag.SPOKEN,
    "u-visually-hidden": NodeFlag.SPOKEN,
    "ui-helper-hidden-accessible": NodeFlag.SPOKEN,
    "usa-sr-only": NodeFlag.SPOKEN,
    "lineno": NodeFlag.HIDDEN,
    "linenos": NodeFlag.HIDDEN,
    "hljs-ln-numbers": NodeFlag.HIDDEN,
    "headerlink": NodeFlag.HIDDEN,
    "mw-editsection": NodeFlag.HIDDEN,
}


class Kind(IntEnum):
    """What a block is to a reader."""

    OTHER = 0
    PARAGRAPH = 1
    HEADING = 2
    ITEM = 3
    CELL = 4
    CAPTION = 5
    TERM = 6
    DEFINITION = 7
    QUOTE = 8
    CODE = 9
    CONTROL = 10


class TagRule(IntFlag):
    """What a tag does to the scan."""

    VOID = 1 << 0
    RAW = 1 << 1  # content is not markup and makes no run
    RAW_TEXT = 1 << 2  # content is not markup and makes a run
    ESCAPABLE = 1 << 3  # character references count inside the raw content
    BLOCK = 1 << 4  # ends a block, both where it opens and where it closes
    SPECIAL = 1 << 5
    BARRIER = 1 << 6  # special, and not address, div or p: hides an open li, dt or dd
    SCOPE = 1 << 7
    MARKER = 1 << 8  # formatting does not reach into or out of it
    FORMATTING = 1 << 9
    CLOSES_P = 1 << 10
    HEAD = 1 << 11  # may be in the head
    BREAKOUT = 1 << 12  # ends SVG and MathML
    INTEGRATION = 1 << 13  # holds HTML inside SVG or MathML
    HEADING = 1 << 14
    IMPLIED_END = 1 << 15  # closed implicitly when a form ends or a ruby text begins
    FOREIGN_ONLY = 1 << 16  # special and a scope only inside SVG or MathML
    INSET = 1 << 17  # its text is a block apart; without text it ends no block of running text
    FOSTERING = 1 << 18  # a part of a table that holds no text: what is in it goes before the table
    TABLE_CONTENT = 1 << 19  # may be in such a part
    FILLS_BODY = 1 << 20  # after it a <frameset> is ignored
    PIECE = 1 << 21  # style sheets put such elements side by side, with room between them


_NAMES = """
    a abbr acronym address annotation-xml applet area article aside audio b base basefont bdi bdo bgsound big
    blockquote body br button canvas caption center cite code col colgroup data datalist dd del desc details dfn dialog
    dir div dl dt em embed fieldset figcaption figure font footer foreignobject form frame frameset g h1 h2 h3 h4 h5 h6
    head header hgroup hr html i iframe img input ins kbd keygen label legend li link listing main map mark marquee
    math menu meta meter mi mn mo ms mtext nav nobr noembed noframes noscript object ol optgroup option output p
    param path picture plaintext pre progress q rb rp rt rtc ruby s samp script search section select slot small
    source span strike strong style sub summary sup svg table tbody td template text textarea tfoot th thead time
    title tr track tt u ul use var video wbr xmp
"""

UNKNOWN = 0
TAGS: tuple[str, ...] = ("", *_NAMES.split())
TAG: dict[str, int] = {name: number for number, name in enumerate(TAGS)}

_HEADINGS = "h1 h2 h3 h4 h5 h6"
_SPECIAL = f"""
    address applet area article aside base basefont bgsound blockquote body br button caption center col colgroup dd
    details dir div dl dt embed fieldset figcaption figure footer form frame frameset {_HEADINGS} head header hgroup hr
    html iframe img input keygen li link listing main marquee menu meta nav noembed noframes noscript object ol p
    param plaintext pre script search section select source style summary table tbody td template textarea tfoot th
    thead title tr track ul wbr xmp mi mo mn ms mtext annotation-xml foreignobject desc
"""

# To a reader a select and a textarea are separate things, like a picture in the line. So are the
# fallbacks of media. In running text a button and an SVG drawing are if they have a text (`INSET`):
# an icon splits no sentence. Custom elements are inline, as in browsers.
_BLOCK = f"""
    address article aside audio blockquote body canvas caption center col colgroup dd details dialog dir div
    dl dt fieldset figcaption figure footer form {_HEADINGS} head header hgroup hr html iframe legend
    li listing main marquee menu nav noscript object ol optgroup option p plaintext pre search section select summary
    table tbody td template textarea tfoot th thead title tr ul video xmp
"""

_SETS: dict[TagRule, str] = {
    TagRule.VOID: """area base basefont bgsound br col embed frame hr img input keygen link meta param source track
        wbr""",
    TagRule.RAW: "iframe noembed noframes script style title",
    TagRule.RAW_TEXT: "plaintext textarea xmp",
    TagRule.ESCAPABLE: "textarea title",
    TagRule.BLOCK: _BLOCK,
    TagRule.SPECIAL: _SPECIAL,
    TagRule.BARRIER: " ".join(
        name for name in _SPECIAL.split() if name not in {"address", "div", "p"}
    ),
    TagRule.SCOPE: """applet caption html table td th marquee object select template mi mo mn ms mtext annotation-xml
        foreignobject desc""",
    TagRule.MARKER: "applet object marquee template td th caption",
    TagRule.FORMATTING: "a b big code em font i nobr s small strike strong tt u",
    TagRule.CLOSES_P: f"""address article aside blockquote center details dialog dir div dl dt dd fieldset figcaption
        figure footer form {_HEADINGS} header hgroup hr li listing main menu nav ol p plaintext pre search section
        summary table ul xmp""",
    TagRule.HEAD: "base basefont bgsound link meta title noscript noframes style script template head",
    TagRule.BREAKOUT: f"""b big blockquote body br center code dd div dl dt em embed {_HEADINGS} head hr i img li
        listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var""",
    TagRule.INTEGRATION: "foreignobject desc title mi mo mn ms mtext",
    TagRule.HEADING: _HEADINGS,
    TagRule.IMPLIED_END: "dd dt li optgroup option p rb rp rt rtc",
    TagRule.FOREIGN_ONLY: "mi mo mn ms mtext annotation-xml foreignobject desc",
    TagRule.INSET: "button svg",
    TagRule.FOSTERING: "colgroup table tbody tfoot thead tr",
    TagRule.TABLE_CONTENT: """caption col colgroup form script style table tbody td template tfoot th thead
        tr""",
    TagRule.PIECE: "a label span time",
    TagRule.FILLS_BODY: """applet area br button dd dt embed hr iframe img input keygen li listing marquee object
        pre select table textarea wbr xmp""",
}

_FLAGS: dict[Flag, str] = {
    Flag.HEADER: "header",
    Flag.NAV: "nav",
    Flag.MAIN: "main",
    Flag.ARTICLE: "article",
    Flag.ASIDE: "aside",
    Flag.FOOTER: "footer",
    Flag.FORM: "form",
    Flag.BUTTON: "button",
    Flag.SELECT: "select datalist",
    Flag.NOSCRIPT: "noscript",
    Flag.TEMPLATE: "template",
    Flag.SVG: "svg",
    Flag.MATH: "math",
    Flag.PRE: "pre listing xmp plaintext textarea",
    Flag.FALLBACK: "audio canvas video object applet",
    Flag.FOREIGN: "svg math",
}

_KINDS: dict[Kind, str] = {
    Kind.PARAGRAPH: "p",
    Kind.HEADING: _HEADINGS,
    Kind.ITEM: "li",
    Kind.CELL: "td th",
    Kind.CAPTION: "caption figcaption",
    Kind.TERM: "dt",
    Kind.DEFINITION: "dd",
    Kind.QUOTE: "blockquote",
    Kind.CODE: "pre listing xmp plaintext",
    Kind.CONTROL: "button select option optgroup textarea datalist legend",
}

# What separates two blocks in plain text, by number: nothing, a blank line, a line, tabs between cells. Before each cell,
# and before a row, there is a tab for each empty cell, up to MOST_EMPTY: the cells below each other stay so.
MOST_EMPTY = 12
GAPS = (
    "",
    *("\n\n" + "\t" * empty for empty in range(MOST_EMPTY + 1)),
    *("\n" + "\t" * empty for empty in range(MOST_EMPTY + 1)),
    *("\t" + "\t" * empty for empty in range(MOST_EMPTY + 1)),
)

KIND_NAMES: tuple[str, ...] = tuple(kind.name.lower() for kind in Kind)

# Only in these does a <p> make its block a paragraph; in an item, a quote or a definition it
# belongs to that.
PARAGRAPH_OVERRIDES = frozenset({Kind.OTHER, Kind.CELL, Kind.PARAGRAPH})
# Blocks of these kinds are running text, as bits.
RUNNING_TEXT = sum(
    1 << kind
    for kind in (
        Kind.PARAGRAPH, Kind.HEADING, Kind.ITEM, Kind.CAPTION, Kind.TERM, Kind.DEFINITION, Kind.QUOTE
    )
)  # fmt: skip


def _gather(sets: dict[TagRule, str] | dict[Flag, str] | dict[Kind, str]) -> tuple[int, ...]:
    """Join, for each tag in order, the values whose sets name it."""
    values = [0] * len(TAGS)
    for value, names in sets.items():
        for name in names.split():
            values[TAG[name]] |= int(value)
    return tuple(values)


RULES: tuple[int, ...] = _gather(_SETS)
TAG_FLAGS: tuple[int, ...] = _gather(_FLAGS)
KINDS: tuple[int, ...] = _gather(_KINDS)
BLOCK_TAGS = frozenset(_BLOCK.split())
INSET_TAGS = frozenset(_SETS[TagRule.INSET].split())
PIECE_TAGS = frozenset(_SETS[TagRule.PIECE].split())
INSET_FLAGS = int(Flag.BUTTON | Flag.SVG)  # of the text in them

# Numeric character references that the standard replaces: it reads 0x80 to 0x9F as windows-1252.
REPLACEMENTS: dict[int, int] = {
    0x80 + index: code
    for index, code in enumerate(
        [
            0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D,
            0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
            0x0153, 0x9D, 0x017E, 0x0178,
        ]
    )
}  # fmt: skip
