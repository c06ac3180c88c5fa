"""Labelling: what one person says of one page (type), and its form as JSON text.

Ranges are offsets in the page's UTF-8 source, the one that `Page` points into, and the digest of that source stands
beside them. So labels know nothing of blocks, and outlive every change of the rules that make them.
"""

import hashlib
import json
from dataclasses import dataclass
from itertools import pairwise
from reprlib import repr as shorten
from typing import Any, NamedTuple

from bodytext.studio.labels.labelled_set import domain_of

NEITHER, CONTENT, COMMENT = "neither", "content", "comment"
FORMAT = 1  # of the files; a later one is refused, not misread
_TEXTS = ("page", "source", "annotator", "time", "url", "page_type", "title", "date")


class Span(NamedTuple):
    """A stretch of the source that is content or comment; what no span covers is neither."""

    start: int
    end: int
    label: str


@dataclass(frozen=True, slots=True)
class Labelling:
    """One annotator's labels of one page. Spans are in order and do not overlap."""

    page: str  # the file's path below the folder of pages, with slashes
    source: str  # the digest of what the offsets count in
    annotator: str
    spans: tuple[Span, ...] = ()
    title: str = ""
    authors: tuple[str, ...] = ()
    date: str = ""
    page_type: str = ""
    url: str = ""
    done: bool = False  # the annotator has gone through the page
    time: str = ""  # of the last change, ISO 8601, UTC

    def __post_init__(self) -> None:
        try:
            domain_of(self.url)
        except ValueError as problem:
            raise ValueError(f"{self.url!r} is no address ({problem})") from None
        for text in (self.page, self.title, *self.authors, self.date, self.page_type, self.url, self.time):
            if text.encode("utf-8", "replace").decode("utf-8") != text:
                raise ValueError(f"{shorten(text)} holds half of a character")
        for one in self.spans:
            if one.label not in {CONTENT, COMMENT} or not 0 <= one.start < one.end:
                raise ValueError(f"{shorten(tuple(one))} is no range of {CONTENT} or {COMMENT}")
        for one, other in pairwise(self.spans):
            if other.start < one.end:
                raise ValueError(f"ranges overlap or are out of order at offset {other.start}")

    def to_json(self) -> str:
        """The text of its file: keys always in this order and a range a line, so that changes merge line by line."""
        head = {
            "format": FORMAT,
            "page": self.page,
            "source": self.source,
            "annotator": self.annotator,
            "time": self.time,
            "done": self.done,
            "url": self.url,
            "page_type": self.page_type,
            "title": self.title,
            "authors": list(self.authors),
            "date": self.date,
        }
        lines = [f"  {_dump(key)}: {_dump(value)}," for key, value in head.items()]
        ranges = ",\n".join(f"    {_dump(list(one))}" for one in self.spans)
        return "\n".join(("{", *lines, f'  "ranges": [\n{ranges}\n  ]' if ranges else '  "ranges": []', "}", ""))


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def from_json(text: str, place: str) -> Labelling:
    """What a file's text says. `place` names it in errors, which say what is wrong with it."""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as problem:
        hint = "; a merge was left unfinished" if "<<<<<<<" in text else ""
        raise ValueError(f"{place}: is no JSON ({problem}){hint}") from None
    if not isinstance(values, dict) or values.get("format") != FORMAT:
        raise ValueError(f"{place}: holds no labels of format {FORMAT}")
    return from_values(values, place)


def from_values(values: dict[str, Any], place: str) -> Labelling:
    """The same from an object that was JSON."""
    found = {key: _check(values, key, str, place) for key in _TEXTS}
    ranges, authors = (_check(values, key, list, place) for key in ("ranges", "authors"))
    if not all(isinstance(author, str) for author in authors):
        raise ValueError(f"{place}: authors should be a list of strings, not {shorten(authors)}")
    spans = tuple(_read_span(one, place) for one in ranges)
    done = _check(values, "done", bool, place)
    try:
        return Labelling(**found, spans=spans, authors=tuple(authors), done=done)
    except ValueError as problem:
        raise ValueError(f"{place}: {problem}") from None


def _check(values: dict[str, Any], key: str, kind: type, place: str) -> Any:
    value = values.get(key, kind())
    if not isinstance(value, kind):
        raise ValueError(f"{place}: {key} should be a {kind.__name__}, not {shorten(value)}")
    return value


def _read_span(one: Any, place: str) -> Span:
    is_span = isinstance(one, list) and len(one) == 3 and isinstance(one[2], str)
    if not is_span or any(type(offset) is not int for offset in one[:2]):
        raise ValueError(f"{place}: a range should be [start, end, label], not {shorten(one)}")
    return Span(*one)


def digest_source(source: bytes) -> str:
    """What tells one source from another."""
    return f"sha256:{hashlib.sha256(source).hexdigest()}"
