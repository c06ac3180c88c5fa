"""Order: what a request asks for, read from its query and its body, and refused with words where it makes no sense."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bodytext.methods import DEFAULT, METHODS, as_method
from bodytext.output.formats import FORMATS
from bodytext.output.references import CHOICES
from bodytext.selection import BOUNDARY, read_threshold
from bodytext.studio.service.frames import Frame
from bodytext.studio.service.unpacking import CODINGS, is_packed

TYPES = {
    "text": "text/plain",
    "markdown": "text/markdown",
    "html": "text/html",
    "json": "application/json",
    "xml": "application/xml",
    "tei": "application/tei+xml",
    "csv": "text/csv",
}
OPTIONS = ("format", "method", "threshold", "links", "images", "url")
LONGEST_ADDRESS = 8192  # characters
_JSON = "application/json"
_FORMS = frozenset({"application/x-www-form-urlencoded", "multipart/form-data"})
_HEAD_BYTES = 1024
_MODEL = re.compile(r"[:,]\s*model\s*=")
_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:+-]{1,40})", re.IGNORECASE | re.ASCII)


class OrderError(ValueError):
    """A request that makes no sense, with what to say about it."""

    def __init__(self, words: str, status: int = 400) -> None:
        super().__init__(words)
        self.status = status


@dataclass(frozen=True, slots=True)
class Order:
    """A page, or the address of one, and how it is wanted."""

    options: Mapping[str, str | float]
    html: bytes | None  # None: the page is to be fetched
    coding: str = ""
    charset: str = ""

    @property
    def url(self) -> str:
        """Where the page is from, or is to be fetched from."""
        return str(self.options["url"])

    def to_frame(self) -> Frame:
        """What a worker is told."""
        return Frame({**self.options, "coding": self.coding, "charset": self.charset}, self.html or b"")


def read_order(headers: Mapping[str, str], query: Mapping[str, str], body: bytes) -> Order:
    """The order of a request; an OrderError where it has none."""
    content_type, _, parameters = headers.get("content-type", "").partition(";")
    coding = headers.get("content-encoding", "").strip().lower()
    if coding and coding not in CODINGS:
        raise OrderError(f"bodies are taken as gzip, deflate or as they are, not as {coding[:40]!r}", 415)
    unknown = [name for name in query if name not in OPTIONS]
    if unknown:
        raise OrderError(f"there is no option {unknown[0][:40]!r}; there are {', '.join(OPTIONS)}")
    if content_type.strip().lower() == _JSON:
        return _read_json(query, body, coding)
    if content_type.strip().lower() in _FORMS and body and not _is_page(body, coding):
        raise OrderError(
            "a form is no page: send the HTML itself as text/html, or a JSON object as application/json", 415
        )
    if not body:
        raise OrderError('the body is empty; send a page as it is, or {"html": ...} or {"url": ...} as JSON')
    found = _CHARSET.search(parameters)
    return Order(check_options(query), body, coding, found[1] if found else "")


def _is_page(body: bytes, coding: str) -> bool:
    """Whether what is sent as a form is a page: curl says that it sends a form, whatever it sends."""
    return is_packed(body, coding) or b"<" in body[:_HEAD_BYTES]  # a form has no "<" of its own, and is not packed


def _read_json(query: Mapping[str, str], body: bytes, coding: str) -> Order:
    if coding not in {"", "identity"}:
        raise OrderError("JSON is taken unpacked; a packed page goes into the body as it is", 415)
    try:
        values = json.loads(body)
    except (ValueError, RecursionError) as problem:
        raise OrderError(f"the body is no JSON ({problem})") from None
    if not isinstance(values, dict):
        raise OrderError('the body should be a JSON object, such as {"html": "<p>..."} or {"url": "https://..."}')
    html = values.pop("html", None)
    unknown = [name for name in values if name not in OPTIONS]
    if unknown:
        raise OrderError(f"there is no option {unknown[0][:40]!r}; there are html, {', '.join(OPTIONS)}")
    if html is not None and not isinstance(html, str):
        raise OrderError("html should be a string")
    options = check_options({**query, **values})
    if html is None and not options["url"]:
        raise OrderError("there is neither html nor url in the object: give one of them")
    # What JSON says is text: no charset that the page names counts any more.
    return Order(options, None if html is None else html.encode("utf-8", "replace"), "", "utf-8")


def check_options(given: Mapping[str, Any]) -> dict[str, str | float]:
    """All options with their defaults; an OrderError for a value that is none."""
    chosen = {name: _check_choice(given, name, default, choices) for name, default, choices in _CHOICES}
    url = given.get("url", "")
    if not isinstance(url, str) or len(url) > LONGEST_ADDRESS:
        raise OrderError(f"url should be an address of at most {LONGEST_ADDRESS:,} characters")
    try:
        threshold = read_threshold(_read_number(given.get("threshold", BOUNDARY)))
        method = _check_method(given.get("method", DEFAULT))
    except (ValueError, TypeError) as problem:
        raise OrderError(str(problem)) from None
    return {**chosen, "url": url, "threshold": threshold, "method": method}


_CHOICES = (("format", "json", tuple(FORMATS)), ("links", "keep", CHOICES), ("images", "keep", CHOICES))


def _check_choice(given: Mapping[str, Any], name: str, default: str, choices: tuple[str, ...]) -> str:
    value = given.get(name, default)
    if not isinstance(value, str) or value not in choices:
        raise OrderError(f"{name} should be one of {', '.join(choices)}, not {str(value)[:40]!r}")
    return value


def _read_number(value: Any) -> Any:
    """A number that came as text, as a query has it."""
    if not isinstance(value, str):
        return value
    try:
        return float(value)
    except ValueError:
        return value  # a name, or what read_threshold refuses


def _check_method(value: Any) -> str:
    """A method whose parameters name no file."""
    if not isinstance(value, str):
        raise OrderError(f"method should be one of {', '.join(METHODS)}")
    if _MODEL.search(value):
        raise OrderError("a method takes no model here: that of learned is fixed when the service starts")
    as_method(value)
    return value
