"""Send articles as files: one article, the saved ones or those of a day."""

import re
from datetime import date
from urllib.parse import quote

from starlette.responses import PlainTextResponse, Response

from bodytext.reader.digest.digest import FORMATS, Digest, export, gather_articles, gather_day
from bodytext.reader.pages.article_page import find_article
from bodytext.reader.pages.reader_request import ReaderRequest
from bodytext.reader.store.articles import ArticleQuery
from bodytext.studio.web.app import Refusal

_MOST_SAVED = 200
_FIRST_YEAR, _LAST_YEAR = 1970, 9000  # of moments that every machine can represent
_LONGEST_NAME = 60


def download_article(request: ReaderRequest) -> Response:
    """Send an article as a file."""
    article = find_article(request)
    return _send(request, gather_articles(request.store, [article.card.id], article.card.title))


def download_day(request: ReaderRequest) -> Response:
    """Send the articles of a day that the profile would read first."""
    return _send(request, gather_day(request.store, request.profile, _read_day(request)))


def download_saved(request: ReaderRequest) -> Response:
    """Send the saved articles."""
    query = ArticleQuery(profile=request.profile.id, saved=True, hidden=True, limit=_MOST_SAVED)
    cards = request.store.articles.list_cards(query)
    return _send(request, gather_articles(request.store, [card.id for card in cards], "Saved"))


def download_text(request: ReaderRequest) -> Response:
    """Send an article as plain text."""
    article = find_article(request)
    card = article.card
    head = "\n".join(filter(None, [card.title, card.source, card.url]))
    name = "-".join(re.findall(r"[^\W_]+", card.title.lower()[:_LONGEST_NAME])) or "article"
    return PlainTextResponse(f"{head}\n\n{article.text}\n", headers=_name_file(f"{name}.txt"))


def _read_day(request: ReaderRequest) -> date:
    """Read the day of the path."""
    try:
        day = date.fromisoformat(str(request.http.path_params["day"]))
    except ValueError:
        raise Refusal(404, "write a day as 2026-11-15") from None
    if not _FIRST_YEAR <= day.year <= _LAST_YEAR:
        raise Refusal(404, "there are no articles to download")
    return day


def _send(request: ReaderRequest, digest: Digest) -> Response:
    name = str(request.http.path_params["format"])
    if name not in FORMATS:
        raise Refusal(404, f"there is no format {name[:20]}; choose one of {', '.join(FORMATS)}")
    if not digest.articles:
        raise Refusal(404, "there are no articles to download")
    file = export(digest, name, request.context.images.find)
    return Response(file.data, headers=_name_file(file.name), media_type=file.type)


def _name_file(name: str) -> dict[str, str]:
    """Return the header that names a file, whatever characters its name has."""
    simple = f"articles.{name.rpartition('.')[2]}"
    names = f"filename=\"{simple}\"; filename*=UTF-8''{quote(name)}"
    return {"content-disposition": f"attachment; {names}"}
