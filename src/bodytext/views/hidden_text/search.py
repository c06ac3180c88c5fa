"""Find the body text that a page carries but does not show.

The sources, the most trusted first: JSON-LD, <noscript>, elements that a script shows later, the
data of a single-page application, <template>. The first with at least half the words of the richest
wins. This is for pages that show next to nothing: where a reader sees text, hidden text is more
often a menu, a dialog or teasers of other pages.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from bodytext.kernel import find_data
from bodytext.page.json_ld import json_ld
from bodytext.page.tables import Page
from bodytext.views.hidden_text.json_ld_text import json_ld_text
from bodytext.views.hidden_text.prose import count_words
from bodytext.views.hidden_text.script_state import DATA_NAMES, LEAST_WORDS, state_text
from bodytext.views.hidden_text.unseen import Hiding, unseen_markup, unseen_words

_LEAST_JSON_LD_WORDS = 30  # a product's description may be short
# Messages, menus and dialogs have fewer.
_LEAST_UNSEEN_WORDS = {Hiding.NOSCRIPT: 60, Hiding.HIDDEN: 100, Hiding.TEMPLATE: 100}
_ENOUGH = 0.5  # of the words of the richest source


@dataclass(frozen=True, slots=True)
class HiddenText:
    """Body text that a page does not show."""

    html: bytes  # UTF-8, to be parsed
    origin: str  # "JSON-LD articleBody", "page state", "noscript", "hidden", "template"
    words: int  # about
    start: int  # offsets of its source in the page; both 0 if it is all over the page
    end: int
    # Every block is body text. If not, `html` is markup of the page with the same offsets, and its
    # blocks need scores.
    whole: bool


def hidden_text(page: Page) -> HiddenText | None:
    """The best body text that the page does not show; None if no text is certain."""
    data = find_data(page.source, page.tables[0], DATA_NAMES, LEAST_WORDS)
    unseen = unseen_words(page)
    if not (any(data) or any(unseen)):
        return None  # most pages
    candidates = list(_candidates(page, data, unseen))
    most = max((candidate.words for candidate in candidates), default=0)
    best = next((candidate for candidate in candidates if candidate.words >= _ENOUGH * most), None)
    if best is None or best.whole:
        return best
    html = unseen_markup(page, Hiding(best.origin))
    start, end = len(html) - len(html.lstrip()), len(html.rstrip())
    return HiddenText(html, best.origin, best.words, start, end, whole=False)


def _candidates(
    page: Page, data: tuple[list[int], list[int], bool], unseen: list[int]
) -> Iterator[HiddenText]:
    """Every source with enough words, the most trusted first; unseen markup is written later.

    `data` are the scripts and elements that may have some, and whether there may be JSON-LD.
    """
    (scripts, tagged, is_json), words_of = data, dict(zip(Hiding, unseen, strict=True))
    if is_json and (objects := json_ld(page)):
        markup, field = json_ld_text(objects)
        words = count_words(markup)
        if words >= _LEAST_JSON_LD_WORDS:
            yield HiddenText(markup.encode(), f"JSON-LD {field}", words, 0, 0, whole=True)
    yield from _unseen(words_of, Hiding.NOSCRIPT)
    yield from _unseen(words_of, Hiding.HIDDEN)
    markup, start, end = state_text(page, scripts, tagged)
    if markup:
        yield HiddenText(markup.encode(), "page state", count_words(markup), start, end, whole=True)
    yield from _unseen(words_of, Hiding.TEMPLATE)


def _unseen(words_of: dict[Hiding, int], hiding: Hiding) -> Iterator[HiddenText]:
    words = words_of[hiding]
    if words >= _LEAST_UNSEEN_WORDS[hiding]:
        yield HiddenText(b"", hiding.value, words, 0, 0, whole=False)
