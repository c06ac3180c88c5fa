"""Say the reasons for a block in words with their values, so that a person can check them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bodytext.kernel.html import KIND_NAMES
from bodytext.page.tables import Page

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


@dataclass(frozen=True, slots=True)
class BlockFacts:
    """What is said about a block in reasons."""

    page: Page
    block: int
    features: Mapping[str, float]  # as the network reads them
    places: list[str]  # what it is in, in words
    path: list[str]  # the elements around it, from the outermost on

    def count(self, name: str) -> int:
        """Return the count of a column of the block's runs."""
        return int(self.page.per_block(getattr(self.page.runs, name))[self.block])


def count_words(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> count_words(1, "word"), count_words(3, "word"), count_words(1200, "word")
    ('one word', 'three words', '1,200 words')
    """
    written = _NUMBERS[number] if number < len(_NUMBERS) else f"{number:,}"
    return f"{written} {noun}" if number == 1 else f"{written} {noun}s"


def describe_reason(group: str, facts: BlockFacts) -> str:
    """Return a group of features (`explanation.GROUPS`) in words with the values of a block."""
    describe = _DESCRIPTIONS.get(group)
    return describe(facts) if describe else group


def _describe_links(facts: BlockFacts) -> str:
    linked, chars = facts.count("linked"), facts.count("chars")
    return f"{100 * linked / max(chars, 1):.0f} % of its text is links" if linked else "no links"


def _describe_sentences(facts: BlockFacts) -> str:
    if facts.features["ends a sentence"]:
        return "it ends with a sentence"
    return "sentences end in it" if facts.features["log ends"] else "no sentence ends in it"


def _describe_signs(facts: BlockFacts) -> str:
    shares = [
        f"{100 * facts.features[f'{name} share']:.0f} % {words}"
        for name, words in (("digits", "digits"), ("uppers", "capitals"), ("symbols", "signs"))
        if facts.features[f"{name} share"] >= 0.005
    ]
    return ", ".join(shares) or "no digits, capitals or signs"


def _describe_told(facts: BlockFacts) -> str:
    told = [name for name in ("title", "description") if facts.features[f"log {name} words"]]
    return f"words of the page's {' and '.join(told)}" if told else "no words of the page's title"


def _describe_headings(facts: BlockFacts) -> str:
    if facts.features["heading level"]:
        return "it is a heading"
    if facts.features["has h1"]:
        side = "after" if facts.features["after h1"] else "before"
        return f"{side} the main heading"
    return "the headings around it; the page has no main heading"


def _describe_stretch(facts: BlockFacts) -> str:
    side = "inside" if facts.features["in densest stretch"] else "outside"
    return f"{side} the densest stretch of text"


def _describe_kind(facts: BlockFacts) -> str:
    kind = KIND_NAMES[facts.page.blocks.kind[facts.block]]
    article = "an" if kind[0] in "aeiou" else "a"
    name = "text of no kind" if kind == "other" else f"{article} {kind}"
    # How much of it is in links is a reason of its own.
    places = ", ".join(place for place in facts.places if place != "a link")
    return f"{name} inside {places}" if places else name


def _describe_copies(facts: BlockFacts) -> str:
    repeated = any(facts.features[name] > 0 for name in ("copies", "log repeated"))
    return "text that is on the page more than once" if repeated else "text that is not repeated"


_DESCRIPTIONS: dict[str, Callable[[BlockFacts], str]] = {
    "its length": lambda facts: count_words(facts.count("words"), "word"),
    "links in it": _describe_links,
    "its sentences": _describe_sentences,
    "digits, capitals and signs in it": _describe_signs,
    "words of the page's title and description": _describe_told,
    "its place in the page": lambda facts: f"block {facts.block + 1:,} of {len(facts.page):,}",
    "headings around it": _describe_headings,
    "the densest stretch of text": _describe_stretch,
    "its kind and the tags around it": _describe_kind,
    "the element it is in": lambda facts: f"the element it is in: {' > '.join(facts.path[-2:])}",
    "wider elements around it": lambda facts: (
        f"wider elements around it: {' > '.join(facts.path[-5:-2]) or 'none'}"
    ),
    "repetition of its text": _describe_copies,
}
