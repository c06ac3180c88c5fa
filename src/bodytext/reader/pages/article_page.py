"""A visit to an article in, the article for reading out; and its pictures."""

from urllib.parse import quote

from starlette.responses import Response

from bodytext.page.urls import host_of
from bodytext.reader.categories.categories import LONGEST_NAME
from bodytext.reader.collection.image_kinds import is_tracker
from bodytext.reader.collection.images import key_of
from bodytext.reader.pages.article_body import Body, list_images, render_body
from bodytext.reader.pages.cards import begin, render_marks, speech
from bodytext.reader.pages.display_settings import SUMMARIES
from bodytext.reader.pages.front_page import BOOKS, find_next
from bodytext.reader.pages.html_builder import Html, Piece, el, is_leading_somewhere
from bodytext.reader.pages.icons import icon
from bodytext.reader.pages.layout import PageInfo, choice, form, render
from bodytext.reader.pages.reader_request import ReaderRequest, answer_page, path_number
from bodytext.reader.pages.time_format import stamp, tell_age, tell_date, tell_length
from bodytext.reader.store.articles import ArticleQuery
from bodytext.reader.store.records import Article, Card
from bodytext.studio.web.app import Refusal

_MOST_ELSEWHERE = 8
_KEYWORDS = 8
_LONG = 20  # sentences; of what is shorter, one is shown first
_LEAST_SUMMED_UP = 8  # sentences; what is shorter is its own summary
IMAGE_POLICY = "default-src 'none'; sandbox"


def show_article(request: ReaderRequest) -> Response:
    """The article, which is opened by that."""
    article = find_article(request)
    card = article.card
    # Why it was shown was so before it was opened: now it speaks for itself.
    because = "" if card.state.opened else request.profile.score([card])[0].because
    request.note_opened(card)
    pictures = bool(request.settings.pictures) or card.id in request.context.shown
    body = render_body(article, pictures=pictures)
    return answer_page(
        render(
            request,
            PageInfo(card.title or card.url, "article", "reading"),
            el(
                "article.text",
                _render_head(request, article),
                _render_notes(request, article, body),
                _render_summary(article, request.settings.summary if len(article.sentences) >= _LONG else 1),
                el("div.body", body.html, **speech(card)),
                el("div", id="end", data_article=card.id),
                data_id=card.id,
                data_language=card.language,
            ),
            _render_after(request, article, because),
        )
    )


def show_image(request: ReaderRequest) -> Response:
    """A picture of an article, if pictures are wanted."""
    number, key = path_number(request), str(request.http.path_params["key"])
    article = request.store.articles.find(number)
    url = next((url for url in list_images(article) if key_of(url) == key), "") if article else ""
    allowed = request.settings.pictures or number in request.context.shown
    picture = request.context.images.get(url) if url and allowed else None
    headers = {"content-security-policy": IMAGE_POLICY, "cache-control": "private, max-age=86400"}
    if picture is None:
        return Response(b"", 404, {"content-security-policy": IMAGE_POLICY}, "image/png")
    return Response(picture.data, 200, headers, picture.type)


def find_article(request: ReaderRequest) -> Article:
    """The article of the path, or a refusal."""
    article = request.store.articles.find(path_number(request), request.profile.id)
    if article is None:
        raise Refusal(404, "there is no such article (any more)")
    return article


def is_page(url: str) -> bool:
    """Whether there is a page behind an article: of a note that has none, the address is its place in the feed."""
    return is_leading_somewhere(url) and "#" not in url


def _render_head(request: ReaderRequest, article: Article) -> Html:
    card = article.card
    facts: list[Piece] = []
    if card.author:
        facts.append(el("span.author", el("bdi", card.author)))
    if card.published:
        facts.append(el("time", tell_date(card.published), datetime=stamp(card.published)))
    if card.words:
        facts.append(el("span", tell_length(card.words)))
    out = el("a", icon("out"), "Original", href=card.url, rel="noopener noreferrer", target="_blank", data_key="o")
    return el(
        "header.text-head",
        el(
            "div.kicker",
            el("a.source", el("bdi", card.source), href=f"/?feed={card.feed}"),
            _render_category(request, article),
        ),
        el("h1", card.title or card.url, **speech(card)),
        el("p.byline", facts),
        el(
            "div.text-do",
            render_marks(request, card),
            _render_export(card),
            out if is_page(card.url) else None,
        ),
    )


def _render_category(request: ReaderRequest, article: Article) -> Html:
    """The category, with the others to choose from."""
    card = article.card
    which = el("input", type="hidden", name="article", value=card.id)
    chance = f" · {card.category_chance:.0%} sure" if 0 < card.category_chance < 1 else ""
    return el(
        "details.menu.category",
        el("summary", begin(card.category) or "Category", title="Another category? (c)"),
        el(
            "div.sheet",
            el("p.faint", f"Which is right? The reader learns from it{chance}."),
            form(
                request,
                "category",
                which,
                el("div.options", [
                    choice("category", name, begin(name), chosen=name == card.category)
                    for name in request.context.categories.list_names()
                ]),
            ),
            form(
                request,
                "category",
                which,
                el("input", type="text", name="category", placeholder="One of your own", required=True,
                   maxlength=LONGEST_NAME, aria_label="A category of your own", autocomplete="off"),
                el("button.button", "Add", type="submit"),
                name="form.line",
            ),
        ),
    )  # fmt: skip


def _render_export(card: Card) -> Html:
    links = [
        el("a", words, href=f"/article/{card.id}/export/{name}", download=True)
        for name, words in (*BOOKS, ("text", "Text"))
    ]
    return el(
        "details.menu.export",
        el("summary.quiet", icon("export"), "Save as", title="Save as a file"),
        el("div.sheet", links),
    )


def _render_notes(request: ReaderRequest, article: Article, body: Body) -> list[Piece]:
    """What a reader should know before: no page, pictures that wait."""
    notes: list[Piece] = []
    problem = article.card.problem
    if body.is_wordless:
        why = f" ({problem})" if problem else ""
        notes.append(el("p.note", f"No text was found{why}. The original may have something to see."))
    elif problem:
        notes.append(el("p.note", f"This is what the feed itself has. Of the page nothing could be read: {problem}."))
    if body.withheld:
        many = "A picture is not shown: fetching it" if body.withheld == 1 else (
            f"{body.withheld} pictures are not shown: fetching them"
        )  # fmt: skip
        notes.append(
            form(
                request,
                "pictures",
                el("input", type="hidden", name="article", value=article.card.id),
                el("span", icon("picture"), f"{many} tells {_name_hosts(article)} that you read this."),
                el("button.small.button", "Show here", type="submit"),
                el("button.small.button", "Always", type="submit", name="always", value=1),
                name="form.note.pictures-note",
                data_reload=True,
            )
        )
    return notes


def _name_hosts(article: Article) -> str:
    """Who is asked for the pictures of an article."""
    hosts = sorted({host_of(url) for url in list_images(article) if not is_tracker(url)})
    return hosts[0] if len(hosts) == 1 else f"{len(hosts)} hosts"


def _render_summary(article: Article, chosen: int) -> Html | None:
    """The summary in one, three or five sentences; which, is chosen without a script."""
    if len(article.sentences) < _LEAST_SUMMED_UP or not article.ranking:
        return None
    texts = {count: article.summarise(count) for count in SUMMARIES}
    inputs: list[Piece] = []
    for count in texts:
        inputs.append(
            el("input.unseen", type="radio", name="summary", id=f"summary-{count}", checked=count == chosen,
               aria_label=f"Summary of {count} sentence{'s' if count > 1 else ''}")
        )  # fmt: skip
        inputs.append(el("label", str(count), for_=f"summary-{count}"))
    shown = [el(f"p.short-{count}", text, **speech(article.card)) for count, text in texts.items()]
    return el("aside.short", el("h2", "In short"), inputs, shown, aria_label="Summary")


def _render_after(request: ReaderRequest, article: Article, because: str) -> Html:
    """What stands below the text: why it was shown, the story elsewhere, what it is about, what comes next."""
    card = article.card
    elsewhere = [
        one
        for one in request.store.articles.list_cards(ArticleQuery(profile=request.profile.id, story=card.story, hidden=True))
        if one.id != card.id
    ] if card.story else []  # fmt: skip
    following = find_next(request, card)
    return el(
        "footer.after",
        form(
            request,
            "mark",
            el("input", type="hidden", name="article", value=card.id),
            el("input", type="hidden", name="finished", value=1),
            el("button.button", icon("check"), "Done", type="submit", name="home", value=1),
            name="form.finish",
        ),
        el("p.because", begin(because)) if because else None,
        _render_keywords(card),
        _render_elsewhere(elsewhere[:_MOST_ELSEWHERE]),
        el(
            "a.following",
            el("span.faint", "Next"),
            el("b", following.title or following.url, **speech(following)),
            el("span.faint", following.source, dir="auto"),
            href=f"/article/{following.id}",
            rel="next",
        )
        if following
        else None,
    )


def _render_keywords(card: Card) -> Html | None:
    terms = [term for term, _ in card.keywords[:_KEYWORDS]]
    words = [el("a.chip", term, href=f"/search?q={quote(_as_phrase(term))}", dir="auto") for term in terms]
    return el("p.keywords", words) if words else None


def _as_phrase(term: str) -> str:
    return f'"{term}"' if " " in term else term


def _render_elsewhere(cards: list[Card]) -> Html | None:
    if not cards:
        return None
    lines = [
        el("li", el("a", card.title, href=f"/article/{card.id}", **speech(card)),
           el("span.faint", f"{card.source} · {tell_age(card.published)}", dir="auto"))
        for card in cards
    ]  # fmt: skip
    return el("section.elsewhere", el("h2", "The same story elsewhere"), el("ul", lines), id="story")
