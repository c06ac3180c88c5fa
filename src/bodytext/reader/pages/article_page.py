"""Show an article, and send its pictures."""

from urllib.parse import quote

from starlette.responses import Response

from bodytext.corpus.progress import format_count
from bodytext.page.urls import host_of
from bodytext.reader.categories.categories import LONGEST_NAME
from bodytext.reader.collection.image_kinds import is_tracker
from bodytext.reader.collection.images import key_of
from bodytext.reader.pages.article_body import RenderedBody, list_images, render_body
from bodytext.reader.pages.article_lists import find_next
from bodytext.reader.pages.cards import (
    capitalise,
    language_attributes,
    render_marks,
    render_question,
)
from bodytext.reader.pages.display_settings import SUMMARIES
from bodytext.reader.pages.highlights_page import render_highlights
from bodytext.reader.pages.html_builder import Html, Piece, el, el_if, is_link_target
from bodytext.reader.pages.icons import icon
from bodytext.reader.pages.layout import PageInfo, render, render_choice, render_form
from bodytext.reader.pages.list_pages import EXPORT_FORMATS
from bodytext.reader.pages.reader_request import ReaderRequest, read_path_number, respond_page
from bodytext.reader.pages.time_format import (
    format_age,
    format_date,
    format_reading_time,
    format_timestamp,
)
from bodytext.reader.store.articles import ArticleQuery
from bodytext.reader.store.records import Article, Card
from bodytext.studio.web.app import Refusal

_MOST_ELSEWHERE = 8
_MOST_KEYWORDS = 8
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
    body = render_body(article, pictures=pictures)
    return respond_page(
        render(
            request,
            PageInfo(card.title or card.url, "article", "reading"),
            el(
                "article.text",
                _render_head(request, article),
                _render_notes(request, article, body),
                _render_summary(article, request.settings.summary),
                el("div.body", body.html, **language_attributes(card)),
                el("div", id="end", data_article=card.id),
                data_id=card.id,
                data_language=card.language,
            ),
            _render_after(request, article, because),
        )
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


def is_page(url: str) -> bool:
    """Whether an article has a page; the address of a note without one is its place in the feed."""
    return is_link_target(url) and "#" not in url


def _render_head(request: ReaderRequest, article: Article) -> Html:
    card = article.card
    facts: list[Piece] = []
    if card.author:
        facts.append(el("span.author", el("bdi", card.author)))
    if card.published:
        timestamp = format_timestamp(card.published)
        facts.append(el("time", format_date(card.published), datetime=timestamp))
    if card.words:
        facts.append(el("span", format_reading_time(card.words)))
    original = el_if(is_page(card.url), "a", icon("out"), "Original", href=card.url,
                     rel="noopener noreferrer", target="_blank", data_key="o")  # fmt: skip
    return el(
        "header.text-head",
        el(
            "div.kicker",
            el("a.source", el("bdi", card.source), href=f"/?feed={card.feed}"),
            render_question(request, card),
            _render_category(request, article),
        ),
        el("h1", card.title or card.url, **language_attributes(card)),
        el("p.byline", facts),
        el(
            "div.text-do",
            render_marks(request, card),
            _render_export(card),
            original,
        ),
    )


def _render_category(request: ReaderRequest, article: Article) -> Html:
    """Render the category, with a menu of the others."""
    card = article.card
    number = el("input", type="hidden", name="article", value=card.id)
    question = "Which is right? The reader learns from your choice."
    if 0 < card.category_chance < 1:
        question += f" It is {card.category_chance:.0%} sure of this one."
    return el(
        "details.menu.category",
        el("summary", capitalise(card.category) or "Category", title="Correct the category (c)"),
        el(
            "div.sheet",
            el("p.faint", question),
            render_form(
                request,
                "category",
                number,
                el("div.options", [
                    render_choice("category", name, capitalise(name), chosen=name == card.category)
                    for name in request.context.categories.list_names()
                ]),
            ),
            render_form(
                request,
                "category",
                number,
                el("input", type="text", name="category", placeholder="Your own category",
                   required=True, maxlength=LONGEST_NAME, aria_label="Your own category",
                   autocomplete="off"),
                el("button.button", "Add", type="submit"),
                name="form.line",
            ),
        ),
    )  # fmt: skip


def _render_export(card: Card) -> Html:
    links = [
        el("a", words, href=f"/article/{card.id}/export/{name}", download=True)
        for name, words in (*EXPORT_FORMATS, ("text", "Text"))
    ]
    return el(
        "details.menu.export",
        el("summary.quiet", icon("export"), "Save as", title="Save as a file"),
        el("div.sheet", links),
    )


def _render_notes(request: ReaderRequest, article: Article, body: RenderedBody) -> list[Piece]:
    """Render what to know before reading: no text, no page, pictures that are not shown."""
    notes: list[Piece] = []
    problem = article.card.problem
    if body.is_wordless:
        reason = f" ({problem})" if problem else ""
        advice = "The original page may have something to see."
        notes.append(el("p.note", f"No text was found{reason}. {advice}"))
    elif problem:
        reason = f"The page could not be read: {problem}."
        notes.append(el("p.note", f"This is the feed's own text. {reason}"))
    if body.withheld:
        notes.append(_render_withheld(request, article, body.withheld))
    return notes


def _render_withheld(request: ReaderRequest, article: Article, count: int) -> Html:
    """Render how many pictures are not shown, who would notice, and the buttons to show them."""
    pictures = "A picture is not shown: fetching it"
    if count > 1:
        pictures = f"{count} pictures are not shown: fetching them"
    return render_form(
        request,
        "pictures",
        el("input", type="hidden", name="article", value=article.card.id),
        el("span", icon("picture"), f"{pictures} tells {_name_hosts(article)} that you read this."),
        el("button.small.button", "Show here", type="submit"),
        el("button.small.button", "Always", type="submit", name="always", value=1),
        name="form.note.pictures-note",
        data_reload=True,
    )


def _name_hosts(article: Article) -> str:
    """Name the hosts of an article's pictures."""
    hosts = sorted({host_of(url) for url in list_images(article) if not is_tracker(url)})
    return hosts[0] if len(hosts) == 1 else f"{len(hosts)} hosts"


def _render_summary(article: Article, chosen: int) -> Html | None:
    """Render summaries of one, three and five sentences; a radio button shows one of them."""
    if len(article.sentences) < _SHORTEST_SUMMARISED or not article.ranking:
        return None
    if len(article.sentences) < _LONG:
        chosen = 1
    texts = {count: article.summarise(count) for count in SUMMARIES}
    inputs: list[Piece] = []
    for count in texts:
        name, label = f"summary-{count}", f"Summary of {format_count(count, 'sentences')}"
        checked = count == chosen
        inputs += [
            el(
                "input.unseen",
                type="radio",
                name="summary",
                id=name,
                checked=checked,
                aria_label=label,
            ),
            el("label", str(count), for_=name),
        ]
    language = language_attributes(article.card)
    shown = [el(f"p.short-{count}", text, **language) for count, text in texts.items()]
    return el("aside.short", el("h2", "In short"), inputs, shown, aria_label="Summary")


def _render_after(request: ReaderRequest, article: Article, because: str) -> Html:
    """Render what follows the text: keywords, the story elsewhere, the next article."""
    card = article.card
    return el(
        "footer.after",
        render_form(
            request,
            "mark",
            el("input", type="hidden", name="article", value=card.id),
            el("input", type="hidden", name="finished", value=1),
            el("button.button", icon("check"), "Done", type="submit", name="home", value=1),
            name="form.finish",
        ),
        el_if(because, "p.because", capitalise(because)),
        render_highlights(request, card.id),
        _render_keywords(card),
        _render_elsewhere(request, card),
        _render_next(find_next(request, card)),
    )


def _render_next(card: Card | None) -> Html | None:
    if card is None:
        return None
    return el(
        "a.following",
        el("span.faint", "Next"),
        el("b", card.title or card.url, **language_attributes(card)),
        el("span.faint", card.source, dir="auto"),
        href=f"/article/{card.id}",
        rel="next",
    )


def _render_keywords(card: Card) -> Html | None:
    terms = [term for term, _ in card.keywords[:_MOST_KEYWORDS]]
    chips = [
        el("a.chip", term, href=f"/search?q={_quote_phrase(term)}", dir="auto") for term in terms
    ]
    return el_if(chips, "p.keywords", chips)


def _quote_phrase(term: str) -> str:
    return quote(f'"{term}"' if " " in term else term)


def _render_elsewhere(request: ReaderRequest, card: Card) -> Html | None:
    """Render links to the same story in other sources."""
    if not card.story:
        return None
    query = ArticleQuery(profile=request.profile.id, story=card.story, hidden=True)
    story = request.store.articles.list_cards(query)
    others = [other for other in story if other.id != card.id][:_MOST_ELSEWHERE]
    if not others:
        return None
    lines = [
        el("li", el("a", other.title, href=f"/article/{other.id}", **language_attributes(other)),
           el("span.faint", f"{other.source} · {format_age(other.published)}", dir="auto"))
        for other in others
    ]  # fmt: skip
    heading = el("h2", "The same story elsewhere")
    return el("section.elsewhere", heading, el("ul", lines), id="story")
