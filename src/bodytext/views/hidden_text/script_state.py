"""state_text: Page -> the prose in the data that its scripts start from, as markup, and where that data stands.

Single-page applications carry what they will show as JSON: in a script of a JSON type, in an assignment to a global
variable, or in an attribute. Nothing here knows a site: strings that stand under like keys are one set (the posts of a
thread, the paragraphs of an article, one long body), and the set with the most prose is the body.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from bodytext.kernel.html import TAG
from bodytext.page.lenient_json import DECODER, mend_surrogates, read_values
from bodytext.page.tables import Page
from bodytext.views.hidden_text.prose import count_words, is_prose, to_markup

MOST_CHARACTERS = 16_000_000  # of all data of a page
LEAST_WORDS = 100  # of a set; less is a teaser or a notice
_SHORTEST_DATA = 200  # characters
_NESTED_JSON = 2  # how many times JSON may stand in a string of JSON

_JSON_TYPE = re.compile(r"\s*(?:application|text)/(?:(?!ld\+)[a-z.]+\+)?(?:json|x-json)\s*(?:;|$)", re.IGNORECASE)
_SCRIPT_TYPE = re.compile(r"\s*(?:$|module|(?:text|application)/(?:x-)?(?:java|ecma)script)", re.IGNORECASE)
_ASSIGNED = re.compile(r"[=(]\s*+(?:JSON\.parse\(\s*+(?=[\"'])|(?=[\[{]\s*+[\"{\[]))")
_MOST_FAILURES = 200  # of a script: each counts all lines before it; of 1,500 real pages the most is 29
_STATE_NAME = re.compile(r"__[A-Z][A-Z_]+__|INITIAL_|PRELOADED|STATE\b|[sS]tate\s*=")
_HEAD_CHARACTERS = 500  # where such a name stands, if it does
_DATA_NAMES = ("preloaded", "page", "props", "react-props", "state", "initial-state")
_DATA_ATTRIBUTES = tuple(f"data-{name}" for name in _DATA_NAMES)
# What all begin with is looked for first, in lower case: many times as fast as in any case.
_DATA_ATTRIBUTE = re.compile(rb"data-(?:%b)\s*+=" % "|".join(_DATA_NAMES).encode())
_LARGEST_TAG = 1_000_000  # bytes; of 1,500 real pages the largest with data has 610,000

# Keys above strings that are prose, but not the page's: other pages' texts, the site's own words, the machine's.
_OTHER_WORDS = re.compile(
    r"i18n|intl|locale|transl|messages?$|labels?$|strings$|dictionar|config|setting|feature|experiment|flags?$|style"
    r"|css|theme|script|svg|icon|legal|cookie|consent|gdpr|privacy|disclaim|terms|policy|policies|copyright|footer"
    r"|header|navi|menu|banner|modal|popup|newsletter|subscri|paywall|signup|login|error|seo|meta(?:data|tags?)?$|og_?"
    r"|schema|related|recommend|similar|recirc|popular|trending|latest|sidebar|teaser|promo|advert|sponsor|alt(?:text)?$|^aria|accessib|review|testimonial|rating"
    r"|caption|bio$|biograph|author|byline|excerpt|about_?(?:us|author)|placeholder|tooltip|query|fragment|source(?:code)?$",
    re.IGNORECASE,
)
_BODY_KEY = re.compile(
    r"body|content|text|html|cooked|article|post|paragraph|story|description|markdown|answer|question|message$|value$"
    r"|children$",
    re.IGNORECASE,
)
_BODY_BONUS = 2.0
_SHORTEST_PROSE = 40  # characters
_MOST_SHORT = 0.25  # characters of strings that are no prose, beside those that are
_ANY = "*"
_PARTS = (dict, list, str)
_NAMED_BY_DATA = re.compile(r"\d|[:/. -]|^.{31}")  # keys that name things, not fields


@dataclass(slots=True)
class _Set:
    """The strings under like keys."""

    texts: dict[str, None] = field(default_factory=dict)  # in order, each once
    start: int = 0  # where the data stands
    end: int = 0


def state_text(page: Page) -> tuple[str, int, int]:
    """Markup of the largest set of prose strings in the page's data, and the offsets of that data; or nothing."""
    sets: dict[tuple[str, ...], _Set] = {}
    left = MOST_CHARACTERS
    for text, start, end in _data_texts(page):
        if left <= 0:
            break
        taken = text[:left]
        left -= len(taken)
        for value in _read_data(taken):
            for path, string in _strings(value):
                found = sets.get(path) or sets.setdefault(path, _Set(start=start, end=end))
                if found.start == start:
                    found.texts.setdefault(string)
    return _write_best(sets)


def _write_best(sets: dict[tuple[str, ...], _Set]) -> tuple[str, int, int]:
    best, most = ("", 0, 0), 0.0
    for path, one in sets.items():
        is_field = bool(path) and path[-1] != _ANY
        prose = {text: count_words(text) for text in one.texts if len(text) > _SHORTEST_PROSE and is_prose(text)}
        if not is_field:
            prose = _longest(prose)
        words = sum(prose.values())
        weight = words * (_BODY_BONUS if is_field and _BODY_KEY.search(path[-1]) else 1.0)
        if words >= LEAST_WORDS and weight > most:
            texts = _with_short(one.texts, prose) if is_field else prose
            best, most = ("".join(map(to_markup, texts)), one.start, one.end), weight
    return best


def _longest(prose: dict[str, int]) -> dict[str, int]:
    """Of strings that stand under no common key, and so are of all kinds, the one that is most of the prose."""
    longest = max(prose, key=lambda text: prose[text], default="")
    return {longest: prose[longest]} if longest and prose[longest] > sum(prose.values()) / 2 else {}


def _with_short(texts: dict[str, None], prose: dict[str, int]) -> Iterable[str]:
    """Prose with the strings between: they are headings and short paragraphs only where nearly all is prose."""
    short = sum(len(text) for text in texts if text not in prose)
    return texts if short < _MOST_SHORT * sum(map(len, prose)) else prose


def _data_texts(page: Page) -> Iterator[tuple[str, int, int]]:
    """The texts that may hold data, with their offsets in the source."""
    for node in np.flatnonzero(page.nodes.tag == TAG["script"]).tolist():
        said = page.attributes(node).get("type", "")
        if _JSON_TYPE.match(said) or _SCRIPT_TYPE.match(said):
            text = page.content(node)
            if len(text) >= _SHORTEST_DATA:
                start = int(page.nodes.end[node])
                yield text, start, start + len(text.encode())
    position, lower = 0, page.source.lower()
    while match := _DATA_ATTRIBUTE.search(lower, position):
        position = match.end()
        node = int(np.searchsorted(page.nodes.start, match.start(), side="right")) - 1
        if node >= 0 and match.start() < page.nodes.end[node]:
            start, position = int(page.nodes.start[node]), int(page.nodes.end[node])
            # All of a tag's attributes at once: it may name them again and again.
            attributes = page.attributes(node) if position - start <= _LARGEST_TAG else {}
            yield from ((attributes[name], start, position) for name in _DATA_ATTRIBUTES if name in attributes)


def _read_data(text: str) -> Iterator[Any]:
    """The values in a script: the script is JSON, or JSON is assigned or passed in it."""
    if text.lstrip()[:1] in {"{", "["}:
        yield from read_values(text)
        return
    text = mend_surrogates(text)
    position, failures, found = 0, 0, False
    while failures < _MOST_FAILURES and (match := _ASSIGNED.search(text, position)):
        value, position = _decode_at(text, match.end())
        failures += value is None
        if isinstance(value, str):
            yield from read_values(value)
        elif value:
            found = True
            yield value
    if not found and (named := _STATE_NAME.search(text, 0, _HEAD_CHARACTERS)):
        yield from read_values(text[named.end() :])


def _decode_at(text: str, start: int) -> tuple[Any, int]:
    """The JSON at a place and where it ends; where there is none, None and how far it looked like it."""
    try:
        return DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        return None, max(error.pos, start + 1)
    except (ValueError, RecursionError):
        return None, len(text)


def _strings(value: Any) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every string of a value with its path, in order; without those under keys of other words."""
    is_own, extend = cache(_is_own), cache(_extend)  # the same keys come again and again
    left: list[tuple[tuple[str, ...], Any, int]] = [((), value, _NESTED_JSON)]
    while left:
        path, one, nested = left.pop()
        if isinstance(one, dict):
            parts = ((key, part) for key, part in reversed(one.items()) if isinstance(part, _PARTS) and is_own(key))
            left.extend((extend(path, key), part, nested) for key, part in parts)
        elif isinstance(one, list):
            left.extend((path, part, nested) for part in reversed(one) if isinstance(part, _PARTS))
        elif nested and len(one) >= _SHORTEST_DATA and one.lstrip()[:1] in {"{", "["}:
            left.extend((path, part, nested - 1) for part in reversed(read_values(one)))
        elif one.strip():
            yield path, one


def _is_own(key: str) -> bool:
    return not _OTHER_WORDS.search(key)


def _extend(path: tuple[str, ...], key: str) -> tuple[str, ...]:
    """A path with one more key. A key that names a thing is any; one that is there already (a tree) is not repeated."""
    name = _ANY if _NAMED_BY_DATA.search(key) else key
    return path if name in path else (*path, name)
