"""Show pages of text alone, for tiny screens and slow networks."""

import re

from starlette.responses import Response

from bodytext.reader.digest.headings import fit_headings
from bodytext.reader.digest.markup import MarkupWriter
from bodytext.reader.pages.article_lists import find_next, list_front, read_article_query
from bodytext.reader.pages.article_page import find_article, is_page
from bodytext.reader.pages.cards import language_attributes
from bodytext.reader.pages.html_builder import Html, Piece, el, el_if, join
from bodytext.reader.pages.reader_request import ReaderRequest, respond_page
from bodytext.reader.pages.time_format import format_age, format_date
from bodytext.reader.store.records import Card
from bodytext.views.structure.element import Element

_LONG = re.compile(r"(\S{20})")  # characters that fit on the tiniest screen


def show_plain_front(request: ReaderRequest) -> Response:
    """Show the titles of the front page, or of a search."""
    words = request.read_query("q").strip()
    if words:
        cards, older = request.store.articles.search(words, request.profile.id), ""
    else:
        scored, older = list_front(request, read_article_query(request))
        cards = [card.card for card in scored]
    lines = [
        el(
            "li",
            _render_link(card),
            " (",
            el("bdi", card.source),
            f", {format_age(card.published)})",
        )
        for card in cards
    ]
    search = el(
        "form",
        el("input", type="search", name="q", value=words, aria_label="Search"),
        el("button", "Search", type="submit"),
        method="get",
        action="/plain",
    )
    return _respond(
        "News",
        el("h1", "News"),
        search,
        el("ol", lines) if lines else el("p", "No articles."),
        el_if(older, "p", el("a", "Older", href=f"/plain{older}")),
        el(
            "p",
            el("a", "For you", href="/plain?order=personal"),
            " · ",
            el("a", "Newest", href="/plain?order=newest"),
            " · ",
            el("a", "Full version", href="/"),
        ),
    )


def show_plain_article(request: ReaderRequest) -> Response:
    """Show the text of an article."""
    article = find_article(request)
    card = article.card
    request.record_opened(card)
    body = fit_headings(article.body, card.title, highest=2)
    following = find_next(request, card)
    date = format_date(card.published) if card.published else ""
    links: list[Piece] = [el("a", "All news", href="/plain")]
    if is_page(card.url):
        links += [" · ", el("a", "Original", href=card.url, rel="noreferrer")]
    return _respond(
        card.title or card.url,
        el("h1", _split_words(card.title or card.url), **language_attributes(card)),
        el("p", " · ".join(filter(None, [card.source, card.author, date]))),
        el("div", Html(PlainWriter(body).write_blocks(body.children)), **language_attributes(card)),
        el("p", "Next: ", _render_link(following)) if following else None,
        el("p", links),
    )


def _render_link(card: Card) -> Html:
    title = _split_words(card.title or card.url)
    return el("a", title, href=f"/plain/{card.id}", **language_attributes(card))


class PlainWriter(MarkupWriter):
    """Writes elements without images and links, and so that everything wraps on a tiny screen."""

    def write_text(self, text: str) -> str:
        """Write a text whose long words wrap."""
        return join(_split_words(text))

    def write_code(self, element: Element) -> str:
        """Write code line by line; the browser would not wrap it as it is."""
        return el(
            "p",
            [
                [_split_words(line), el("br")]
                for line in "".join(map(str, element.children)).splitlines()
            ],
        )

    def write_table(self, table: Element) -> str:
        """Write each row of a table as a paragraph."""
        rows = [row for row in table.children if isinstance(row, Element)]
        return "".join(el("p", _split_words(" · ".join(_list_cells(row)))) for row in rows)


def _list_cells(row: Element) -> list[str]:
    """List the texts of the cells of a row; of a caption, its text."""
    if row.name != "tr":
        return [row.text]
    return [cell.text for cell in row.children if isinstance(cell, Element)]


def _split_words(text: str) -> list[Piece]:
    """Split long words, so that they wrap at the edge of the screen without a style."""
    pieces: list[Piece] = []
    for number, piece in enumerate(_LONG.split(text)):
        pieces += [piece, el("wbr")] if number % 2 else [piece]
    return pieces


def _respond(title: str, *content: Piece) -> Response:
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("title", title),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el("link", rel="icon", href="/static/icon.svg"),
    )
    page = el("html", head, el("body", el("main", *content)), lang="en")
    return respond_page(Html(f"<!doctype html>\n{page}"))
