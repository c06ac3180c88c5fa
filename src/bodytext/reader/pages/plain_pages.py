"""A visit in, pages of words alone out: no script, no style, no picture, for tiny screens and slow lines."""

import re
from urllib.parse import urlencode

from starlette.responses import PlainTextResponse, Response

from bodytext.reader.pages.article_page import find_article, is_page
from bodytext.reader.pages.cards import speech
from bodytext.reader.pages.front_page import find_next, list_front, read_wish
from bodytext.reader.pages.html_builder import Html, Piece, el
from bodytext.reader.pages.reader_request import ReaderRequest, answer_page
from bodytext.reader.pages.time_format import tell_age, tell_date

_LONG = re.compile(r"(\S{20})")  # as many characters as fit on the tiniest screen


def show_plain_front(request: ReaderRequest) -> Response:
    """The titles."""
    words = request.ask("q").strip()
    if words:
        cards, older = request.store.articles.search(words, request.profile.id), ""
    else:
        placed, older = list_front(request, read_wish(request))
        cards = [one.card for one in placed]
    lines = [
        el("li", el("a", _part(card.title or card.url), href=f"/plain/{card.id}", **speech(card)),
           f" ({card.source}, {tell_age(card.published)})")
        for card in cards
    ]  # fmt: skip
    search = el(
        "form",
        el("input", type="search", name="q", value=words, aria_label="Search"),
        el("button", "Search", type="submit"),
        method="get",
        action="/plain",
    )
    return _answer(
        "News",
        search,
        el("ol", lines) if lines else el("p", "Nothing here."),
        el("p", el("a", "Older", href=f"/plain{older}")) if older else None,
        el(
            "p",
            el("a", "For you", href="/plain?order=personal"),
            " · ",
            el("a", "Newest", href="/plain?order=newest"),
            " · ",
            el("a", "With pictures and all", href="/"),
        ),
    )


def show_plain_article(request: ReaderRequest) -> Response:
    """An article as paragraphs."""
    article = find_article(request)
    card = article.card
    request.note_opened(card)
    paragraphs = [el("p", _part(text.strip())) for text in article.text.split("\n\n") if text.strip()]
    following = find_next(request, card)
    facts = " · ".join(filter(None, [card.source, card.author, tell_date(card.published) if card.published else ""]))
    return _answer(
        card.title or card.url,
        el("h1", _part(card.title or card.url), **speech(card)),
        el("p", facts),
        el("div", paragraphs, **speech(card)),
        el("p", "Next: ", el("a", _part(following.title or following.url), href=f"/plain/{following.id}",
                             **speech(following))) if following else None,
        el("p", el("a", "All news", href="/plain"),
           [" · ", el("a", "Original", href=card.url, rel="noreferrer")] if is_page(card.url) else None),
    )  # fmt: skip


def _part(text: str) -> list[Piece]:
    """Words, the long ones of which may be parted at the edge of the screen: there is no style that says so."""
    return [[piece, el("wbr")] if number % 2 else piece for number, piece in enumerate(_LONG.split(text))]


def give_text(request: ReaderRequest) -> Response:
    """An article as a text file has it."""
    article = find_article(request)
    card = article.card
    head = "\n".join(filter(None, [card.title, card.source, card.url]))
    return PlainTextResponse(f"{head}\n\n{article.text}\n", headers=_name_file(card.title, "txt"))


def _name_file(title: str, ending: str) -> dict[str, str]:
    """The header that names a file by a title, whatever stands in that."""
    kept = "".join(letter if letter.isalnum() else "-" for letter in title.lower())[:60]
    name = "-".join(filter(None, kept.split("-"))) or "article"
    encoded = urlencode({"": name})[1:]
    return {"content-disposition": f"attachment; filename=\"article.{ending}\"; filename*=UTF-8''{encoded}.{ending}"}


def _answer(title: str, *content: Piece) -> Response:
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("title", title),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el("link", rel="icon", href="/static/icon.svg"),
    )
    page = el("html", head, el("body", *content), lang="en")
    return answer_page(Html(f"<!doctype html>\n{page}"))
