"""Show an article, and send its pictures."""

from starlette.responses import Response

from bodytext.page.urls import host_of
from bodytext.reader.categories.categories import LONGEST_NAME
from bodytext.reader.collection.image_kinds import is_tracker
from bodytext.reader.collection.images import key_of
from bodytext.reader.pages.article_body import list_images, render_body
from bodytext.reader.pages.display_settings import SUMMARIES
from bodytext.reader.pages.list_pages import find_next
from bodytext.reader.pages.reader_request import ReaderRequest, read_path_number
from bodytext.reader.pages.rendering import respond
from bodytext.reader.store.articles import ArticleQuery
from bodytext.reader.store.highlights import LONGEST_NOTE, Highlights
from bodytext.reader.store.records import Article, Card
from bodytext.studio.web.app import Refusal

_MOST_ELSEWHERE = 8
_LONG = 20  # sentences; the summary of a shorter article begins with one sentence
_SHORTEST_SUMMARISED = 8  # sentences; a shorter article has no summary
IMAGE_POLICY = "default-src 'none'; sandbox"


def show_article(request: ReaderRequest) -> Response:
    """Show an article, and record that it was opened."""
    article = find_article(request)
    card = article.card
    # The reason is computed first: once the article is opened, it counts as an interest itself.
    because = "" if card.state.opened else request.profile.score([card])[0].because
    request.record_opened(card)
    pictures = bool(request.settings.pictures) or card.id in request.context.shown
    has_summary = len(article.sentences) >= _SHORTEST_SUMMARISED and article.ranking
    is_long = len(article.sentences) >= _LONG
    return respond(
        request,
        "article",
        article=article,
        body=render_body(article, pictures=pictures),
        because=because,
        categories=request.context.categories.list_names(),
        longest_category=LONGEST_NAME,
        hosts=sorted({host_of(url) for url in list_images(article) if not is_tracker(url)}),
        summaries={count: article.summarise(count) for count in SUMMARIES} if has_summary else {},
        shown_summary=request.settings.summary if is_long else 1,
        highlights=Highlights(request.store, request.profile.id).list_all(card.id),
        longest_note=LONGEST_NOTE,
        elsewhere=_list_elsewhere(request, card),
        following=find_next(request, card),
    )


def show_image(request: ReaderRequest) -> Response:
    """Send a picture of an article, if pictures are on."""
    number, key = read_path_number(request), str(request.http.path_params["key"])
    picture = None
    if request.settings.pictures or number in request.context.shown:
        article = request.store.articles.find(number)
        urls = list_images(article) if article else set()
        picture = next(
            (request.context.images.get(url) for url in urls if key_of(url) == key), None
        )
    headers = {"content-security-policy": IMAGE_POLICY}
    if picture is None:
        return Response(b"", 404, headers, "image/png")
    return Response(
        picture.data, 200, headers | {"cache-control": "private, max-age=86400"}, picture.type
    )


def find_article(request: ReaderRequest) -> Article:
    """Find the article of the path, or refuse the request."""
    article = request.store.articles.find(read_path_number(request), request.profile.id)
    if article is None:
        raise Refusal(404, "there is no such article; it may have been removed")
    return article


def _list_elsewhere(request: ReaderRequest, card: Card) -> list[Card]:
    """List the same story in other sources."""
    if not card.story:
        return []
    query = ArticleQuery(profile=request.profile.id, story=card.story, hidden=True)
    story = request.store.articles.list_cards(query)
    return [other for other in story if other.id != card.id][:_MOST_ELSEWHERE]
