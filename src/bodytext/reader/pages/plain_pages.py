"""Show pages of text alone, for tiny screens and slow networks."""

from starlette.responses import Response

from bodytext.reader.digest.headings import fit_headings
from bodytext.reader.digest.markup import MarkupWriter
from bodytext.reader.pages.article_page import find_article
from bodytext.reader.pages.list_pages import find_next, list_front, read_article_query
from bodytext.reader.pages.reader_request import ReaderRequest
from bodytext.reader.pages.rendering import respond, split_words
from bodytext.views.structure.element import Element


def show_plain_front(request: ReaderRequest) -> Response:
    """Show the titles of the front page, or of a search."""
    words = request.read_query("q").strip()
    if words:
        cards, older = request.store.articles.search(words, request.profile.id), ""
    else:
        scored, older = list_front(request, read_article_query(request))
        cards = [card.card for card in scored]
    return respond(request, "plain_front", words=words, cards=cards, older=older)


def show_plain_article(request: ReaderRequest) -> Response:
    """Show the text of an article."""
    article = find_article(request)
    card = article.card
    request.record_opened(card)
    body = fit_headings(article.body, card.title, highest=2)
    html = PlainWriter(body).write_blocks(body.children)
    return respond(
        request, "plain_article", card=card, body=html, following=find_next(request, card)
    )


class PlainWriter(MarkupWriter):
    """Writes elements without images and links, and so that everything wraps on a tiny screen."""

    def write_text(self, text: str) -> str:
        """Write a text whose long words wrap."""
        return str(split_words(text))

    def write_code(self, element: Element) -> str:
        """Write code line by line; the browser would not wrap it as it is."""
        lines = "".join(map(str, element.children)).splitlines()
        return f"<p>{''.join(f'{split_words(line)}<br>' for line in lines)}</p>"

    def write_table(self, table: Element) -> str:
        """Write each row of a table as a paragraph."""
        rows = [row for row in table.children if isinstance(row, Element)]
        return "".join(f"<p>{split_words(' · '.join(_list_cells(row)))}</p>" for row in rows)


def _list_cells(row: Element) -> list[str]:
    """List the texts of the cells of a row; of a caption, its text."""
    if row.name != "tr":
        return [row.text]
    return [cell.text for cell in row.children if isinstance(cell, Element)]
