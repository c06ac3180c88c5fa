"""Find the authors of a page in the text near its headline.

The signs, in their order: an element called author or byline in the markup, or one that links to
an author's page; a line with a word for "by"; a line that is a person's name next to a date; names
of teams and users by the same signs.
"""

from collections.abc import Iterator, Sequence

from bodytext.kernel import find_small
from bodytext.kernel.html import Kind
from bodytext.kernel.table_columns import NodeColumn
from bodytext.page.late_pattern import late_pattern
from bodytext.page.tables import Page
from bodytext.views.metadata.candidates import NO_LISTING, Listing
from bodytext.views.metadata.element_text import runs_text, text_of
from bodytext.views.metadata.person_names import is_east_asian, is_person, is_prose, split_names
from bodytext.views.metadata.statements import unique
from bodytext.views.metadata.surroundings import ShortBlock, Surroundings
from bodytext.views.metadata.vocabulary import BY_INSIDE, CREDIT, match_by

_HEADING = int(Kind.HEADING)
# As plain numbers: looking up a member takes as long as reading a value.
_START, _END, _FIRST_RUN = (
    int(column) for column in (NodeColumn.START, NodeColumn.END, NodeColumn.FIRST_RUN)
)
_RUNS_AFTER = 40  # the headline that are near it
_RUNS_BEFORE = 20
_LONGEST_ELEMENT = 120  # characters of an element that names the author
_MOST_ELEMENTS = 40
_MOST_LINES_TO_NAME = 4  # after the headline, for a name alone
_RUNS_BETWEEN_AUTHORS = 6
_MOST_RUNS = 20  # of a line or an element that are read
_LONGEST_USER_NAME = 30  # characters

# What developers call the element with the author's name, and other things with these words in
# their names.
_AUTHOR_WORDS = (b"author", b"byline", b"writer", b"autor", b"auteur")
_WORDS = (*_AUTHOR_WORDS, b"user")
_CALLED = (
    rb"""\s(?:class|id|itemprop|rel|data-testid|data-component|href)\s*+=\s*+["']?[^"'>]{0,300}?"""
)
_CALLED_AUTHOR = late_pattern(_CALLED + rb"(?:" + rb"|".join(_AUTHOR_WORDS) + rb")")
_CALLED_NAME = late_pattern(
    rb"""class\s*+=\s*+["']?(?:[^"'>]{0,200}[\s_-])?"""
    rb"""(?:author|author[-_]{1,2}name|byline[-_]{1,2}(?:name|author)|p-author)["'\s>]|"""
    rb"""rel\s*+=\s*+["']?author|href\s*+=\s*+["']?[^"'>]{0,200}/authors?/"""
)
_CALLED_USER = late_pattern(_CALLED + rb"(?:user[-_]?name|/users?/)")
_CALLED_OTHERWISE = late_pattern(
    rb"author[-_]{0,2}(?:bio|desc|image|img|avatar|photo|pic|social|title|role|job|position|date)"
    rb"|comment|related|authori[sz]|authorit|popular|avatar|reviewer|editor|guidelines|copyright"
)
_DIGITS = late_pattern(r"\d\d")
_PARTS = late_pattern(r"(?:(?<!\s)\s++)?[|•·»]\s*+|\s[–—-]\s")


def find_byline(surroundings: Surroundings, *, sure: bool) -> Listing:
    """The authors near the headline; with `sure`, people alone, by the signs that seldom err."""
    elements = list(_elements(surroundings))
    people = _people_in_elements(surroundings.page, elements) or _people_in_lines(surroundings)
    if people or sure:
        return people
    return (
        _bare_names(surroundings)
        or _teams(surroundings, elements)
        or _users(surroundings, elements)
    )


def separate_text(page: Page, node: int) -> str:
    """The text of a small element, with a bar between its runs, such as a name and a role."""
    return _separate(page, int(page.nodes.first_run[node]), int(page.nodes.stop_run[node]))


def _separate(page: Page, first: int, stop: int) -> str:
    texts = (runs_text(page, run, run + 1) for run in range(first, min(stop, first + _MOST_RUNS)))
    return " | ".join(filter(None, texts))


def _elements(surroundings: Surroundings) -> Iterator[tuple[int, bytes]]:
    """Small elements near the headline with a word of interest in their tags, and these tags."""
    page, item = surroundings.page, surroundings.page.tables[0].item
    if not len(page):
        return
    runs = _runs_near(surroundings)
    called = find_small(page.source, page.tables, runs, _LONGEST_ELEMENT, _WORDS)
    for node in called[:_MOST_ELEMENTS]:
        tag = page.source[item(_START, node) : item(_END, node)].lower()
        if _CALLED_OTHERWISE.search(tag) or surroundings.is_caption(item(_FIRST_RUN, node)):
            continue
        if b"itemprop" not in tag or not surroundings.statements.is_of_reply(node):
            yield node, tag


def _runs_near(surroundings: Surroundings) -> tuple[int, int]:
    """The first run near the headline and the one after the last."""
    page, headline = surroundings.page, surroundings.headline
    first, stop = 0, _RUNS_AFTER
    if headline >= 0:
        first = max(surroundings.headline_run - _RUNS_BEFORE, 0)
        stop = page.blocks.stop_run.item(headline) + _RUNS_AFTER
    return first, min(stop, page.tables[1].shape[1])


def _people_in_elements(page: Page, elements: Sequence[tuple[int, bytes]]) -> Listing:
    people: list[str] = []
    stop = -1
    for node, tag in elements:
        if page.nodes.stop_run[node] <= stop or not _CALLED_AUTHOR.search(tag):
            continue
        if names := _people_in(separate_text(page, node)) or _people_in(text_of(page, node)):
            if people and page.nodes.first_run[node] > stop + _RUNS_BETWEEN_AUTHORS:
                break  # another article's author
            people += names
            stop = int(page.nodes.stop_run[node])
    return Listing(unique(people), "byline", 0.8) if people else NO_LISTING


def _people_in(text: str) -> list[str]:
    return [name for name in split_names(text, seen=True) if is_person(name)]


def _people_in_lines(surroundings: Surroundings) -> Listing:
    """People in lines with a word for "by"."""
    lines = surroundings.lines
    for place, line in enumerate(lines):
        following = lines[place + 1].text if place + 1 < len(lines) else ""
        if not _text_after_by(surroundings, line.text, following):
            continue
        for text in (_separate(surroundings.page, line.first_run, line.stop_run), line.text):
            if people := _people_in(_text_after_by(surroundings, text, following)):
                return Listing(unique(people), "byline", 0.75)
    return NO_LISTING


def _text_after_by(surroundings: Surroundings, text: str, following: str) -> str:
    """The text of a line after its word for "by"; the next line where that word is all of it."""
    if match := match_by(text):
        return "" if CREDIT.match(text) else text[match.end() :] or following
    # A date has two digits, and looking for them is far faster.
    match = BY_INSIDE.search(text) if _DIGITS.search(text) else None
    if match is None or CREDIT.match(text) or not surroundings.is_dated(text):
        return ""
    return text[match.end() :]


def _bare_names(surroundings: Surroundings) -> Listing:
    """A line, or a part of it, that is a person's name, with a date in it or next to it."""
    if not surroundings.may_be_dated:
        return NO_LISTING
    lines = surroundings.lines
    for place, line in enumerate(lines[:_MOST_LINES_TO_NAME]):
        near = lines[max(place - 1, 0) : place + 2]
        is_dated = any(surroundings.is_dated(other.text) for other in near)
        if is_dated and (names := _names_alone_in(line)):
            return Listing(unique(names), "byline", 0.7)
    return NO_LISTING


def _names_alone_in(line: ShortBlock) -> list[str]:
    """The people in a line of names; without capitals, words of the interface look like them."""
    if line.kind == _HEADING or len(line.text) > _LONGEST_ELEMENT:
        return []
    parts = _PARTS.split(line.text)
    people = (part for part in parts if is_person(part) and not is_east_asian(part))
    return [name for part in people for name in split_names(part)]


def _teams(surroundings: Surroundings, elements: Sequence[tuple[int, bytes]]) -> Listing:
    """Names of any shape that, by an element or a word for "by", are without doubt the author's."""
    page = surroundings.page
    texts = [separate_text(page, node) for node, tag in elements if _CALLED_NAME.search(tag)]
    texts += [
        _separate(page, line.first_run, line.stop_run)
        for line in surroundings.lines
        if _is_signature(surroundings, line.text)
    ]
    for text in texts:
        names = split_names(text, seen=True)
        if names and len(names[0]) <= _LONGEST_USER_NAME:
            return Listing(tuple(names[:1]), "byline", 0.7)
    return NO_LISTING


def _is_signature(surroundings: Surroundings, text: str) -> bool:
    """Whether a line begins with a word for "by" and is not the start of a sentence."""
    return bool(match_by(text)) and (not is_prose(text) or surroundings.is_dated(text))


def _users(surroundings: Surroundings, elements: Sequence[tuple[int, bytes]]) -> Listing:
    """The first element after the headline that is called after a user."""
    page = surroundings.page
    start = surroundings.headline_run
    for node, tag in elements:
        if page.nodes.first_run[node] > start and _CALLED_USER.search(tag):
            text = text_of(page, node)
            if len(text) <= _LONGEST_USER_NAME and (names := split_names(text)):
                return Listing(tuple(names[:1]), "byline", 0.7)
    return NO_LISTING
