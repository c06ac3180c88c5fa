"""Cards in, lists of them as HTML out: each with its story's other sources, and what can be done with it."""

from collections.abc import Iterable, Sequence
from urllib.parse import quote

from bodytext.reader.collection.image_kinds import is_tracker
from bodytext.reader.collection.images import key_of
from bodytext.reader.pages.html_builder import Html, Piece, el, join
from bodytext.reader.pages.icons import icon
from bodytext.reader.pages.layout import form
from bodytext.reader.pages.reader_request import ReaderRequest
from bodytext.reader.pages.time_format import stamp, tell_age, tell_date, tell_length
from bodytext.reader.profiles.scores import Scored
from bodytext.reader.store.articles import FOUND, FOUND_END
from bodytext.reader.store.records import RIGHT_TO_LEFT, Card

_MOST_ALSO = 3
_SENTENCES_OF_FIRST = 3  # it has the room


def gather_stories(placed: Iterable[Scored]) -> list[tuple[Scored, list[Card]]]:
    """Cards in their order, of each story the first, with the others of it."""
    stories: dict[int, tuple[Scored, list[Card]]] = {}
    for one in placed:
        key = one.card.story or -one.card.id
        if key in stories:
            stories[key][1].append(one.card)
        else:
            stories[key] = (one, [])
    return list(stories.values())


def render_cards(request: ReaderRequest, stories: Sequence[tuple[Scored, list[Card]]], kind: str = "cards") -> Html:
    """Cards as a list."""
    usual = request.settings.summary
    first = max(usual, _SENTENCES_OF_FIRST) if kind == "cards" else usual
    return el(
        f"ol.{kind}",
        [
            el("li", render_card(request, placed, also, usual if number else first))
            for number, (placed, also) in enumerate(stories)
        ],
    )


def render_card(request: ReaderRequest, placed: Scored, also: Sequence[Card], sentences: int) -> Html:
    """One card."""
    card = placed.card
    state = card.state
    classes = [
        name for name, holds in (("read", state.opened), ("kept", state.saved), ("hidden-one", state.hidden)) if holds
    ]
    path = f"/article/{card.id}"
    picture = picture_path(card) if request.settings.pictures else ""
    words = _mark_found(card.snippet) if card.snippet else card.summarise(sentences)
    return el(
        ".".join(["article.card", *classes, *(["pictured"] if picture else [])]),
        el("a.card-picture", el("img", src=picture, alt="", loading="lazy", decoding="async"), href=path,
           tabindex="-1", aria_hidden="true") if picture else None,
        el(
            "div.card-text",
            render_kicker(card),
            el("h3", el("a", card.title or card.url, href=path, **speech(card))),
            el("p.summary", words, **speech(card)) if words else None,
            el("p.because", begin(placed.because)) if placed.because and not state.opened else None,
            _render_also(also),
        ),
        render_marks(request, card, f"What to do with {card.title[:80]}"),
        data_id=card.id,
    )  # fmt: skip


def render_kicker(card: Card, *, full: bool = False) -> Html:
    """Where an article is from and of when."""
    age = tell_date(card.published) if full else tell_age(card.published)
    pieces: list[Piece] = [el("a.source", el("bdi", card.source), href=f"/?feed={card.feed}")]
    if card.published:
        pieces.append(el("time", age, datetime=stamp(card.published), title=tell_date(card.published)))
    if card.category and not full:
        pieces.append(el("a.category", begin(card.category), href=f"/?category={quote(card.category)}"))
    if not full and card.words:
        pieces.append(el("span.length", tell_length(card.words)))
    return el("p.kicker", pieces)


def speech(card: Card) -> dict[str, str | None]:
    """The language and direction of an article's words."""
    known = card.language if card.language not in {"", "und"} else None
    return {"lang": known, "dir": "rtl" if card.language in RIGHT_TO_LEFT else "auto"}


def picture_path(card: Card) -> str:
    """Where the lead picture of a card is to be had here; empty where there is none to show."""
    url = card.lead_image
    return f"/image/{card.id}/{key_of(url)}" if url.startswith(("http://", "https://")) and not is_tracker(url) else ""


def begin(words: str) -> str:
    """Words that begin a line.

    >>> begin("because")
    'Because'
    """
    return words[:1].upper() + words[1:]


def _mark_found(snippet: str) -> Html:
    """What a search found, marked. The marks are the store's, and no text has them."""
    pieces: list[Piece] = []
    for number, part in enumerate(snippet.split(FOUND)):
        found, _, rest = part.partition(FOUND_END) if number else ("", "", part)
        pieces += [el("mark", found) if found else None, rest]
    return join(*pieces)


def _render_also(also: Sequence[Card]) -> Html | None:
    """The same story elsewhere."""
    if not also:
        return None
    links: list[Piece] = [
        el("a", card.source, href=f"/article/{card.id}", title=card.title, dir="auto") for card in also[:_MOST_ALSO]
    ]
    if len(also) > _MOST_ALSO:
        links.append(el("a", f"and {len(also) - _MOST_ALSO} more", href=f"/article/{also[0].id}#story"))
    return el("p.also", el("span", "Also in"), links)


def _mark_button(card: Card, name: str, words: str, key: str, drawing: str) -> Html:
    """A button that marks an article, or takes the mark away."""
    value = {"like": "liked", "dislike": "liked", "save": "saved", "hide": "hidden"}[name]
    wanted = {"like": 1, "dislike": -1}.get(name, 1)
    state = getattr(card.state, value)
    holds = state == wanted if value == "liked" else bool(state)
    return el(
        "button.quiet.icon.mark",
        icon(drawing),
        el("span.unseen", words),
        type="submit",
        name=value,
        value=0 if holds else wanted,
        aria_pressed="true" if holds else "false",
        title=f"{words} ({key})",
        data_key=key,
        data_wanted=wanted,
    )


def render_marks(request: ReaderRequest, card: Card, label: str | None = None) -> Html:
    """The buttons by which a reader says what becomes of an article."""
    return form(
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
