"""Make the elements that are more than their pieces: tables, figures, code."""

from collections.abc import Mapping
from functools import cached_property

from bodytext.kernel.elements import Draft
from bodytext.page.tables import Page
from bodytext.views.structure.code import Languages, is_gutter
from bodytext.views.structure.data_tables import Tables
from bodytext.views.structure.element import Element, Pieces, name_of
from bodytext.views.structure.tag_numbers import TagNumbers


class PageDetails:
    """What the containers of a page need to know of it, and how the rare ones are made."""

    def __init__(self, page: Page) -> None:
        self._page = page

    @cached_property
    def tables(self) -> Tables:
        """What makes the tables of the page."""
        return Tables(self._page, self._numbers)

    @cached_property
    def _numbers(self) -> TagNumbers:
        return TagNumbers(self._page)

    @cached_property
    def _languages(self) -> Languages:
        return Languages(self._page)

    def is_gutter(self, node: int) -> bool:
        """Whether the tag of a cell says that it holds the line numbers of code."""
        return is_gutter(self._page, node)

    def read_cell(self, name: str, node: int) -> tuple[str, Mapping[str, str]]:
        """The name and the attributes of a cell of a table."""
        return self.tables.read_cell(name, node)

    def read_numbers(self, name: str, node: int) -> Mapping[str, str]:
        """The attributes that number an item or a list."""
        return self._numbers.read(name, node)

    def make(self, draft: Draft) -> Pieces:
        """What takes the place of a table, a figure or code."""
        if draft.name == "table":
            return self.tables.make_table(draft)
        pieces = draft.gather()
        return _make_figure(pieces) if draft.name == "figure" else self._make_code(draft, pieces)

    def _make_code(self, draft: Draft, lines: Pieces) -> Pieces:
        """The code with all its lines; nothing where its text is elsewhere."""
        if not lines:
            return []
        language = self._languages.find(draft.node)
        attributes = {"language": language} if language else {}
        return [Element("pre", ["\n".join(map(str, lines))], attributes)]


def _make_figure(pieces: Pieces) -> Pieces:
    """The figure: a medium, a table or code, and a caption; without one of the two it is none."""
    inner = [_bare_image(piece) for piece in pieces]
    names = {name_of(piece) for piece in inner}
    if "figcaption" in names and names - {"p", "figcaption"}:
        return [Element("figure", inner)]
    return [_as_paragraph(piece) for piece in pieces]


def _as_paragraph(piece: Element | str) -> Element | str:
    """A caption as a paragraph; else the piece itself."""
    if isinstance(piece, Element) and piece.name == "figcaption":
        return Element("p", piece.children)
    return piece


def _bare_image(piece: Element | str) -> Element | str:
    """The image that a paragraph holds and nothing else; else the piece itself."""
    if isinstance(piece, Element) and piece.name == "p" and len(piece.children) == 1:
        only = piece.children[0]
        return only if name_of(only) == "img" else piece
    return piece
