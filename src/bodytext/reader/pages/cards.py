"""Render lists of cards, each with the other sources of its story and its buttons."""

from collections.abc import Iterable, Sequence
from urllib.parse import quote

from bodytext.reader.collection.image_kinds import is_tracker
from bodytext.reader.collection.images import key_of
from bodytext.reader.pages.html_builder import Html, Piece, el, el_if, join
from bodytext.reader.pages.icons import icon
from bodytext.reader.pages.layout import render_form
from bodytext.reader.pages.reader_request import ReaderRequest
from bodytext.reader.pages.time_format import (
    format_age,
    format_date,
    format_reading_time,
    format_timestamp,
)
from bodytext.reader.profiles.scores import ScoredCard
from bodytext.reader.store.articles import FOUND, FOUND_END
from bodytext.reader.store.records import RIGHT_TO_LEFT, Card

_MOST_ALSO = 3
_SENTENCES_OF_FIRST = 3  # the first card has more room
Story = tuple[ScoredCard, list[Card]]  # the first card of a story, and its others
_STATE_CLASSES = {"opened": "read", "saved": "kept", "hidden": "hidden-one"}


def gather_stories(cards: Iterable[ScoredCard]) -> list[Story]:
    """Gather cards by story, in the order of each story's first card."""
    stories: dict[int, Story] = {}
    for scored in cards:
        key = scored.card.story or -scored.card.id
        if key in stories:
            stories[key][1].append(scored.card)
        else:
            stories[key] = (scored, [])
    return list(stories.values())


def render_cards(request: ReaderRequest, stories: Sequence[Story], kind: str = "cards") -> Html:
    """Render cards as a list."""
    usual = request.settings.summary
    first = max(usual, _SENTENCES_OF_FIRST) if kind == "cards" else usual
    cards = [
        _render_card(request, story, usual if number else first)
        for number, story in enumerate(stories)
    ]
    return el(f"ol.{kind}", [el("li", card) for card in cards])


def _render_card(request: ReaderRequest, story: Story, sentences: int) -> Html:
    scored, others = story
    card = scored.card
    path = f"/article/{card.id}"
    picture = _render_picture(card, path) if request.settings.pictures else None
    classes = [name for state, name in _STATE_CLASSES.items() if getattr(card.state, state)]
    if picture:
        classes.append("pictured")
    text = el(
        "div.card-text",
        _render_kicker(request, card),
        el("h3", el("a", card.title or card.url, href=path, **language_attributes(card))),
        _render_words(card, sentences),
        _render_reason(scored),
        _render_also(others),
    )
    return el(
        ".".join(["article.card", *classes]),
        picture,
        text,
        render_marks(request, card, f"Actions for {card.title[:80]}"),
        data_id=card.id,
    )


def _render_picture(card: Card, path: str) -> Html | None:
    """Render the lead picture of a card; none if it has none to show."""
    url = card.lead_image
    if not url.startswith(("http://", "https://")) or is_tracker(url):
        return None
    source = f"/image/{card.id}/{key_of(url)}"
    image = el("img", src=source, alt="", loading="lazy", decoding="async")
    return el("a.card-picture", image, href=path, tabindex="-1", aria_hidden="true")


def _render_words(card: Card, sentences: int) -> Html | None:
    """Render the snippet of a search, or the summary."""
    words = _mark_matches(card.snippet) if card.snippet else card.summarise(sentences)
    return el_if(words, "p.summary", words, **language_attributes(card))


def _render_reason(scored: ScoredCard) -> Html | None:
    is_shown = scored.because and not scored.is_known
    return el_if(is_shown, "p.because", capitalise(scored.because))


def render_question(request: ReaderRequest, card: Card) -> Html | None:
    """Render the question whether the likeliest category is right, if the category is open."""
    if card.category or not card.suggestion:
        return None
    name = capitalise(card.suggestion)
    return render_form(
        request,
        "category",
        el("input", type="hidden", name="article", value=card.id),
        el("button.quiet.small", f"{name}?", type="submit", name="category", value=card.suggestion,
           title=f"Yes, this is {card.suggestion}", aria_label=f"{name}? Yes, this is right"),
        name="form.question",
    )  # fmt: skip


def _render_kicker(request: ReaderRequest, card: Card) -> Html:
    """Render the source, the age, the category and the length of an article."""
    pieces: list[Piece] = [el("a.source", el("bdi", card.source), href=f"/?feed={card.feed}")]
    if card.published:
        date, timestamp = format_date(card.published), format_timestamp(card.published)
        pieces.append(el("time", format_age(card.published), datetime=timestamp, title=date))
    if card.category:
        path = f"/?category={quote(card.category)}"
        pieces.append(el("a.category", capitalise(card.category), href=path))
    pieces.append(render_question(request, card))
    if card.words:
        pieces.append(el("span.length", format_reading_time(card.words)))
    return el("div.kicker", pieces)


def language_attributes(card: Card) -> dict[str, str | None]:
    """Return the attributes that state the language and the direction of an article."""
    language = card.language if card.language not in {"", "und"} else None
    return {"lang": language, "dir": "rtl" if card.language in RIGHT_TO_LEFT else "auto"}


def capitalise(words: str) -> str:
    """Make the first letter a capital.

    >>> capitalise("because")
    'Because'
    """
    return words[:1].upper() + words[1:]


def _mark_matches(snippet: str) -> Html:
    """Mark the words of a snippet that match a search."""
    pieces: list[Piece] = []
    for number, part in enumerate(snippet.split(FOUND)):
        match, _, rest = part.partition(FOUND_END) if number else ("", "", part)
        pieces += [el_if(match, "mark", match), rest]
    return join(*pieces)


def _render_also(also: Sequence[Card]) -> Html | None:
    """Render links to the same story in other sources."""
    if not also:
        return None
    links: list[Piece] = [
        el("a", card.source, href=f"/article/{card.id}", title=card.title, dir="auto")
        for card in also[:_MOST_ALSO]
    ]
    if len(also) > _MOST_ALSO:
        more = f"and {len(also) - _MOST_ALSO} more"
        links.append(el("a", more, href=f"/article/{also[0].id}#story"))
    return el("p.also", el("span", "Also in"), links)


def _mark_button(card: Card, name: str, words: str, key: str, drawing: str) -> Html:
    """Render a button that marks an article, or removes the mark."""
    value = {"like": "liked", "dislike": "liked", "save": "saved", "hide": "hidden"}[name]
    wanted = {"like": 1, "dislike": -1}.get(name, 1)
    state = getattr(card.state, value)
    is_set = state == wanted if value == "liked" else bool(state)
    return el(
        "button.quiet.icon.mark",
        icon(drawing),
        el("span.unseen", words),
        type="submit",
        name=value,
        value=0 if is_set else wanted,
        aria_pressed=is_set,
        title=f"{words} ({key})",
        data_key=key,
        data_wanted=wanted,
    )


def render_marks(request: ReaderRequest, card: Card, label: str | None = None) -> Html:
    """Render the buttons of an article: save, like, dislike, hide."""
    return render_form(
        request,
        "mark",
        el("input", type="hidden", name="article", value=card.id),
        _mark_button(card, "save", "Save for later", "s", "saved"),
        _mark_button(card, "like", "More like this", "l", "like"),
        _mark_button(card, "dislike", "Less like this", "d", "dislike"),
        _mark_button(card, "hide", "Hide", "h", "hide"),
        name="form.marks",
        aria_label=label,
    )
