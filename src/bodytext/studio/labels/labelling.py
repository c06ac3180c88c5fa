"""Hold one annotator's labels of one page, and write and read them as JSON.

Ranges are offsets in the page's UTF-8 source, which is also what `Page` points into. They are
stored with a digest of that source. Labels do not depend on blocks, so they survive changes to the
rules that make blocks.
"""

import hashlib
import json
from dataclasses import dataclass
from itertools import pairwise
from reprlib import repr as shorten
from typing import Any, NamedTuple

from bodytext.studio.labels.labelled_set import domain_of

NEITHER, CONTENT, COMMENT = "neither", "content", "comment"
FORMAT = 1  # of the files; later formats are refused rather than misread
_HEAD = (
    "page", "source", "annotator", "time", "done", "url", "page_type", "title", "authors", "date",
)  # fmt: skip
_TEXTS = ("page", "source", "annotator", "time", "url", "page_type", "title", "date")
_LARGEST_SOURCE = 2**31  # bytes: no page has as many, and larger offsets overflow


class Span(NamedTuple):
    """A range of the source that is content or comment; text outside all spans is neither."""

    start: int
    end: int
    label: str


@dataclass(frozen=True, slots=True)
class Labelling:
    """One annotator's labels of one page; the spans are in order and do not overlap."""

    page: str  # the path of its file within the folder of pages, with slashes
    source: str  # the digest of the source that the offsets count in
    annotator: str
    spans: tuple[Span, ...] = ()
    title: str = ""
    authors: tuple[str, ...] = ()
    date: str = ""
    page_type: str = ""
    url: str = ""
    done: bool = False  # the annotator has finished the page
    time: str = ""  # of the last change, ISO 8601, UTC

    def __post_init__(self) -> None:
        try:
            domain_of(self.url)
        except ValueError as problem:
            raise ValueError(f"{self.url!r} is not a URL ({problem})") from None
        texts = (self.page, self.title, self.date, self.page_type, self.url, self.time)
        for text in (*texts, *self.authors):
            if text.encode("utf-8", "replace").decode("utf-8") != text:
                raise ValueError(f"{shorten(text)} contains half of a surrogate pair")
        for span in self.spans:
            is_range = 0 <= span.start < span.end < _LARGEST_SOURCE
            if span.label not in {CONTENT, COMMENT} or not is_range:
                raise ValueError(f"{shorten(tuple(span))} is not a range of {CONTENT} or {COMMENT}")
        for earlier, later in pairwise(self.spans):
            if later.start < earlier.end:
                raise ValueError(f"ranges overlap or are out of order at offset {later.start}")

    def to_json(self) -> str:
        """The text of the file, in an order and with line breaks that merge well."""
        head = {"format": FORMAT} | {key: getattr(self, key) for key in _HEAD}
        lines = [f"  {_dump(key)}: {_dump(value)}," for key, value in head.items()]
        ranges = ",\n".join(f"    {_dump(list(span))}" for span in self.spans)
        last = f'  "ranges": [\n{ranges}\n  ]' if ranges else '  "ranges": []'
        return "\n".join(("{", *lines, last, "}", ""))


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def from_json(text: str, place: str) -> Labelling:
    """The labels in a file's text; errors name the file by `place`."""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as problem:
        hint = "; resolve the merge conflict in it" if "<<<<<<<" in text else ""
        raise ValueError(f"{place}: not valid JSON ({problem}){hint}") from None
    if not isinstance(values, dict) or values.get("format") != FORMAT:
        raise ValueError(f"{place}: not a file of labels in format {FORMAT}")
    return from_values(values, place)


def from_values(values: dict[str, Any], place: str) -> Labelling:
    """The labels in a decoded JSON object."""
    texts = {key: _check(values, key, str, place) for key in _TEXTS}
    ranges, authors = (_check(values, key, list, place) for key in ("ranges", "authors"))
    if not all(isinstance(author, str) for author in authors):
        raise ValueError(f"{place}: authors should be a list of strings, not {shorten(authors)}")
    spans = tuple(_read_span(values, place) for values in ranges)
    done = _check(values, "done", bool, place)
    try:
        return Labelling(**texts, spans=spans, authors=tuple(authors), done=done)
    except ValueError as problem:
        raise ValueError(f"{place}: {problem}") from None


def _check(values: dict[str, Any], key: str, kind: type, place: str) -> Any:
    value = values.get(key, kind())
    if not isinstance(value, kind):
        raise ValueError(f"{place}: {key} should be a {kind.__name__}, not {shorten(value)}")
    return value


def _read_span(values: Any, place: str) -> Span:
    is_span = isinstance(values, list) and len(values) == 3 and isinstance(values[2], str)
    if not is_span or any(type(offset) is not int for offset in values[:2]):
        raise ValueError(f"{place}: a range should be [start, end, label], not {shorten(values)}")
    return Span(*values)


def digest_source(source: bytes) -> str:
    """A digest that identifies a source."""
    return f"sha256:{hashlib.sha256(source).hexdigest()}"
