"""A visit in, a file to take along out: an article, the saved ones or a day as a book, a page or a text."""

from datetime import date
from urllib.parse import quote

from starlette.responses import Response

from bodytext.reader.digest.digest import FORMATS, Digest, File, export, gather_articles, gather_day
from bodytext.reader.pages.article_page import find_article
from bodytext.reader.pages.reader_request import ReaderRequest
from bodytext.reader.store.articles import ArticleQuery
from bodytext.studio.web.app import Refusal

_MOST_SAVED = 200
_ASCII_NAME = "digest"
_FIRST_YEAR, _LAST_YEAR = 1970, 9000


def give_article(request: ReaderRequest) -> Response:
    """An article as a file."""
    article = find_article(request)
    return _give(request, gather_articles(request.store, [article.card.id], article.card.title))


def give_day(request: ReaderRequest) -> Response:
    """What a profile would have read first of a day."""
    return _give(request, gather_day(request.store, request.profile, _read_day(request)))


def give_saved(request: ReaderRequest) -> Response:
    """What is saved."""
    wish = ArticleQuery(profile=request.profile.id, saved=True, hidden=True, limit=_MOST_SAVED)
    cards = request.store.articles.list_cards(wish)
    return _give(request, gather_articles(request.store, [card.id for card in cards], "Saved"))


def _read_day(request: ReaderRequest) -> date:
    """The day of the path; of those that no machine counts as moments there is nothing."""
    try:
        day = date.fromisoformat(str(request.http.path_params["day"]))
    except ValueError:
        raise Refusal(404, "a day is written as 2026-11-15") from None
    if not _FIRST_YEAR <= day.year <= _LAST_YEAR:
        raise Refusal(404, "there are no articles to take along")
    return day


def _give(request: ReaderRequest, digest: Digest) -> Response:
    form = str(request.http.path_params["form"])
    if form not in FORMATS:
        raise Refusal(404, f"there is no form {form[:20]}; there are {', '.join(FORMATS)}")
    if not digest.articles:
        raise Refusal(404, "there are no articles to take along")
    return _answer(export(digest, form, request.context.images.find))


def _answer(file: File) -> Response:
    ending = file.name.rpartition(".")[2]
    named = f"attachment; filename=\"{_ASCII_NAME}.{ending}\"; filename*=UTF-8''{quote(file.name)}"
    return Response(file.data, headers={"content-disposition": named}, media_type=file.type)
