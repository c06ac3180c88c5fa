"""Find the body text in the data that the scripts of a page start from.

Single-page applications carry the text that they will show as JSON: in a script of a JSON type, in
an assignment to a global variable, or in an attribute. Nothing here depends on a site: strings
under the same keys are one set (the posts of a thread, the paragraphs of an article, one long
body), and the set with the most prose is the body.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, repeat
from typing import Any

from bodytext.kernel import find_assigned
from bodytext.page.lenient_json import DECODER, mend_surrogates, read_values
from bodytext.page.tables import Page
from bodytext.views.hidden_text.prose import count_words, is_prose, to_markup

MOST_BYTES = 16_000_000  # of all data of a page
LEAST_WORDS = 100  # of a set; fewer are a teaser or a notice
_SHORTEST_DATA = 200  # characters
_NESTED_JSON = 2  # levels of JSON inside strings of JSON

_JSON_TYPE = re.compile(
    r"\s*(?:application|text)/(?:(?!ld\+)[a-z.]+\+)?(?:json|x-json)\s*(?:;|$)", re.IGNORECASE
)
_SCRIPT_TYPE = re.compile(
    r"\s*(?:$|module|(?:text|application)/(?:x-)?(?:java|ecma)script)", re.IGNORECASE
)
# White space as `str` has it, in UTF-8. Each repetition of a group costs memory, so there is a limit.
_BLANKS = (
    rb"(?>(?:[\t-\r\x1c-\x20]++|\xc2[\x85\xa0]|\xe1\x9a\x80"
    rb"|\xe2(?:\x80[\x80-\x8a\xa8\xa9\xaf]|\x81\x9f)|\xe3\x80\x80){0,99})"
)
_BEGINS_WITH_DATA = re.compile(_BLANKS + rb"[\[{]")
_ASSIGNED = re.compile(
    rb"[=(]%(s)b(?:JSON\.parse\(%(s)b(?=[\"'])|(?=[\[{]%(s)b[\"{\[]))" % {b"s": _BLANKS}
)
_MOST_FAILURES = 200  # of a script, as each takes long; of 1,500 real pages the most is 29
_STATE_NAME = re.compile(r"__[A-Z][A-Z_]+__|INITIAL_|PRELOADED|STATE\b|[sS]tate\s*=")
_HEAD_CHARACTERS = 500  # at the start of a script, where such a name is if there is one
_FIRST_PART, _LARGER = 512, 8  # bytes in which JSON is read first, and how many times as many then
_LONGEST_TOKEN = 16  # characters; what is cut off in one of them may be read in a larger part
DATA_NAMES = (b"preloaded", b"page", b"props", b"react-props", b"state", b"initial-state")
_DATA_ATTRIBUTES = tuple(f"data-{name.decode()}" for name in DATA_NAMES)
_LARGEST_TAG = 1_000_000  # bytes; of 1,500 real pages the largest with data has 610,000

# Keys above prose that is not the page's: texts of other pages, words of the site or for machines.
_OTHER_WORDS = re.compile(
    r"i18n|intl|locale|transl|messages?$|labels?$|strings$|dictionar|config|setting|feature"
    r"|experiment|flags?$|style|css|theme|script|svg|icon|legal|cookie|consent|gdpr|privacy"
    r"|disclaim|terms|policy|policies|copyright|footer|header|navi|menu|banner|modal|popup"
    r"|newsletter|subscri|paywall|signup|login|error|seo|meta(?:data|tags?)?$|og_?|schema|related"
    r"|recommend|similar|recirc|popular|trending|latest|sidebar|teaser|promo|advert|sponsor"
    r"|alt(?:text)?$|^aria|accessib|review|testimonial|rating|caption|bio$|biograph|author|byline"
    r"|excerpt|about_?(?:us|author)|placeholder|tooltip|query|fragment|source(?:code)?$",
    re.IGNORECASE,
)
_BODY_KEY = re.compile(
    r"body|content|text|html|cooked|article|post|paragraph|story|description|markdown|answer"
    r"|question|message$|value$|children$",
    re.IGNORECASE,
)
_BODY_BONUS = 2.0
_SHORTEST_PROSE = 40  # characters
_MOST_SHORT = 0.25  # characters of strings that are not prose, for each character of prose
_MOST_NAMES = 30  # in a path
_ANY = "*"
_PARTS = frozenset({dict, list, str})
_Pairs = Iterator[tuple[str | None, Any]]  # parts with their keys
_NAMED_BY_DATA = re.compile(r"\d|[:/. -]|^.{31}")  # keys that name things, not fields


@dataclass(slots=True)
class _StringSet:
    """The strings under the same keys, and the offsets of their data in the source."""

    is_field: bool  # the last key names a field, not a thing
    is_body: bool  # and the field is a body
    start: int
    end: int
    texts: dict[str, None] = field(default_factory=dict)  # in order, each once

    def find_prose(self) -> dict[str, int]:
        """The prose of the set, with the words of each string.

        Under a key that is not a field there are strings of all kinds: there the one counts that is
        most of the prose.
        """
        strings = [text for text in self.texts if len(text) > _SHORTEST_PROSE and is_prose(text)]
        words = {text: count_words(text) for text in strings}
        if self.is_field or not words:
            return words
        longest = max(words, key=lambda text: words[text])
        return {longest: words[longest]} if 2 * words[longest] > sum(words.values()) else {}

    def write(self, prose: dict[str, int]) -> str:
        """The prose as markup, with the short strings of a field, such as headings, if few."""
        short = sum(len(text) for text in self.texts if text not in prose)
        with_short = self.is_field and short < _MOST_SHORT * sum(map(len, prose))
        return "".join(map(to_markup, self.texts if with_short else prose))


def state_text(page: Page, scripts: list[int], tagged: list[int]) -> tuple[str, int, int]:
    """The largest set of prose in a page's data as markup, and its offsets; or ("", 0, 0).

    The data is in scripts and in attributes of tagged elements.
    """
    root, sets = _Path(), list[_StringSet]()
    bytes_left = MOST_BYTES
    for data, start, end in chain(_script_data(page, scripts), _attribute_data(page, tagged)):
        if bytes_left <= 0:
            break
        for value in _read_data(data[:bytes_left]):
            for path, string in _strings(value, root):
                strings = path.strings
                if strings is None:
                    strings = path.strings = path.start_set(start, end)
                    sets.append(strings)
                if strings.start == start:
                    strings.texts.setdefault(string)
        bytes_left -= len(data)
    return _write_best(sets)


class _Path(dict[str, "_Path | None"]):
    """The keys above a string. Looking up one more gives the longer path, None for other words.

    All keys that name things are the same, and a key that is in the path already, as in a tree, is
    not repeated. Nor is one after so many that no real data has them: each path holds all of its
    keys. Equal paths are the same object.
    """

    __slots__ = ("longer", "names", "strings")

    def __init__(self, names: tuple[str, ...] = ()) -> None:
        self.names = names
        self.longer: dict[str, _Path] = {}
        self.strings: _StringSet | None = None  # those under these keys

    def __missing__(self, key: str) -> "_Path | None":
        name = _read_key(key)
        path = self[key] = None if name is None else self._extend(name)
        return path

    def _extend(self, name: str) -> "_Path":
        if name in self.names or len(self.names) == _MOST_NAMES:
            return self
        if name not in self.longer:
            self.longer[name] = _Path((*self.names, name))
        return self.longer[name]

    def start_set(self, start: int, end: int) -> _StringSet:
        last = self.names[-1] if self.names else _ANY
        is_field = last != _ANY
        return _StringSet(is_field, is_field and bool(_BODY_KEY.search(last)), start, end)


@lru_cache(maxsize=1_000)
def _read_key(key: str) -> str | None:
    """A key as it is in paths; None for one of other words."""
    if _OTHER_WORDS.search(key):
        return None
    return _ANY if _NAMED_BY_DATA.search(key) else key


def _write_best(sets: Iterable[_StringSet]) -> tuple[str, int, int]:
    best, most = ("", 0, 0), 0.0
    for strings in sets:
        prose = strings.find_prose()
        words = sum(prose.values())
        weight = words * (_BODY_BONUS if strings.is_body else 1.0)
        if words >= LEAST_WORDS and weight > most:
            best, most = (strings.write(prose), strings.start, strings.end), weight
    return best


def _script_data(page: Page, scripts: list[int]) -> Iterator[tuple[bytes, int, int]]:
    """The scripts that may be data, with their offsets in the source."""
    for node in scripts:
        start, end = page.find_content(node)
        if end - start < _SHORTEST_DATA:
            continue
        media_type = page.attributes(node).get("type", "")
        if _SCRIPT_TYPE.match(media_type) or _JSON_TYPE.match(media_type):
            data = page.source[start:end].replace(b"\0", b"")
            if len(data[: 4 * _SHORTEST_DATA].decode("utf-8", "ignore")) >= _SHORTEST_DATA:
                yield data, start, start + len(data)


def _attribute_data(page: Page, tagged: list[int]) -> Iterator[tuple[bytes, int, int]]:
    starts, ends = page.nodes.start, page.nodes.end
    for node in sorted(tagged, key=starts.item):
        start, end = starts.item(node), ends.item(node)
        if end - start <= _LARGEST_TAG:
            attributes = page.attributes(node)
            for name in _DATA_ATTRIBUTES:
                if name in attributes:
                    yield attributes[name].encode(), start, end


def _read_data(data: bytes) -> Iterator[Any]:
    """The values in a script, which is JSON, or assigns or passes JSON.

    Few scripts are decoded as a whole: that would take longer than all the rest.
    """
    if _BEGINS_WITH_DATA.match(data):
        yield from read_values(_decode(data))
        return
    failures, has_values = 0, False
    for value in _assigned_values(data):
        failures += value is None
        if failures == _MOST_FAILURES:
            break
        if isinstance(value, str):
            yield from read_values(value)
        elif value:
            has_values = True
            yield value
    if has_values:
        return
    head = _decode(data[: 4 * _HEAD_CHARACTERS])
    if match := _STATE_NAME.search(head, 0, _HEAD_CHARACTERS):
        yield from read_values(_decode(data)[match.end() :])


def _decode(data: bytes) -> str:
    """The text of a part, without a last character that is cut in two."""
    return data.decode("utf-8", "ignore")


def _assigned_values(data: bytes) -> Iterator[Any]:
    """The values that a script assigns or passes, in order; None for each that cannot be read."""
    position = 0
    for place in find_assigned(data):
        if place >= position and (match := _ASSIGNED.match(data, place)):
            value, position = _decode_at(data, match.end())
            yield value


def _decode_at(data: bytes, start: int) -> tuple[Any, int]:
    """The JSON at a place and where it ends; if there is none, None and where reading failed."""
    size = _FIRST_PART
    while True:
        text = _decode(data[start : start + size])
        value, end, is_sure = _decode_part(text)
        if is_sure or start + size >= len(data):
            return value, start + len(text[:end].encode())
        size *= _LARGER


def _decode_part(text: str) -> tuple[Any, int, bool]:
    """The JSON at the start of a part, where it ends, and whether a larger part would give the same."""
    try:
        value, end = DECODER.raw_decode(text)
        part = text[:end]
        mended = mend_surrogates(part)
        return value if mended is part else DECODER.raw_decode(mended)[0], end, True
    except json.JSONDecodeError as error:
        is_cut = error.msg.startswith("Unterminated") or error.pos + _LONGEST_TOKEN > len(text)
        return None, max(error.pos, 1), not is_cut
    except (ValueError, RecursionError):
        return None, len(text), False


def _strings(value: Any, root: _Path) -> Iterator[tuple[_Path, str]]:
    """Every string of a value with its path, in order, except those under keys of other words."""
    stack: list[tuple[_Path, _Pairs, int]] = [(root, iter([(None, value)]), _NESTED_JSON)]
    while stack:
        path, pairs, levels = stack[-1]
        for key, part in pairs:
            kind = type(part)
            if kind not in _PARTS or (longer := path if key is None else path[key]) is None:
                continue
            if kind is not str:
                stack.append((longer, _pairs_of(part), levels))
                break
            if levels and _looks_like_json(part):
                stack.append((longer, _pairs_of(read_values(part)), levels - 1))
                break
            if part and not part.isspace():
                yield longer, part
        else:
            stack.pop()


def _pairs_of(container: Any) -> _Pairs:
    """The parts of an object with their keys, or those of a list without any."""
    return iter(container.items()) if isinstance(container, dict) else zip(repeat(None), container)


def _looks_like_json(text: str) -> bool:
    return len(text) >= _SHORTEST_DATA and text.lstrip()[:1] in {"{", "["}
