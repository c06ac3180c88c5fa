"""Read what a request asks for from its query and its body, and check it."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bodytext.corpus.workers.messages import WorkerMessage
from bodytext.methods import DEFAULT, METHODS, as_method
from bodytext.methods.scores import BOUNDARY, read_threshold
from bodytext.output.formats import FORMATS
from bodytext.output.references import CHOICES
from bodytext.page.late_pattern import late_pattern
from bodytext.page.parser import foreign_format
from bodytext.sources.archived_response import charset_of
from bodytext.sources.file_formats import is_readable
from bodytext.studio.service.content_coding import CODINGS, is_packed
from bodytext.studio.web.app import Refusal

OPTIONS = ("format", "method", "threshold", "links", "images", "url")
LONGEST_ADDRESS = 8192  # characters
_JSON = "application/json"
_UPLOAD = "multipart/form-data"
_FORMS = frozenset({"application/x-www-form-urlencoded", _UPLOAD})
_HEAD_BYTES = 1024
_BEFORE_JSON = b"\xef\xbb\xbf \t\r\n"  # a byte order mark and space
_SMALL_JSON = 2**18  # bytes, which take little memory whatever they are
_MOST_MEMBERS = 50  # of an object that is larger
# An object without objects or lists in it, after its escaped quotes are gone.
_FLAT_OBJECT = late_pattern(
    rb'(?:\xef\xbb\xbf)?\s*+\{(?>(?:\s*+"[^"]*+"\s*+:\s*+(?:"[^"]*+"|[\w.+-]{1,100}+)\s*+(?:,|(?=\}))){0,%d})\}\s*+'
    % _MOST_MEMBERS
)
_MODEL = re.compile(r"[:,]\s*+model\s*+=")
_CHOICES = (
    ("format", "json", tuple(FORMATS)),
    ("links", "keep", CHOICES),
    ("images", "keep", CHOICES),
)


@dataclass(frozen=True, slots=True)
class ExtractionRequest:
    """A page or its address, and the options for the answer."""

    options: Mapping[str, str | float]
    html: bytes | None  # None if the page has to be fetched
    coding: str = ""
    charset: str = ""

    @property
    def url(self) -> str:
        """Where the page is from, or where it has to be fetched."""
        return str(self.options["url"])

    def to_message(self) -> WorkerMessage:
        """Return the message for a worker."""
        head = {**self.options, "coding": self.coding, "charset": self.charset}
        return WorkerMessage(head, self.html or b"")


def read_request(
    headers: Mapping[str, str], query: Mapping[str, str], body: bytes
) -> ExtractionRequest:
    """Return what a request asks for, or raise a Refusal."""
    content_type, _, parameters = headers.get("content-type", "").partition(";")
    content_type = content_type.strip().lower()
    coding = _coding_of(headers)
    if coding and coding not in CODINGS:
        message = f"a body can be gzip, deflate or not packed at all, not {coding[:40]!r}"
        raise Refusal(415, message)
    _check_names(query, OPTIONS)
    if content_type == _JSON:
        check_unpacked(headers)
        return _read_json(query, body)
    if not body:
        message = 'the body is empty; send a page, or {"html": ...} or {"url": ...} as JSON'
        raise Refusal(400, message)
    if content_type == _UPLOAD and body.lstrip().startswith(b"--"):  # the mark between its parts
        message = "this is an upload of a form: send the page as the body itself, as curl --data-binary @page.html does"
        raise Refusal(415, message)
    if content_type in _FORMS and not _is_page(body, coding):
        format_name = foreign_format(body)
        what = f"the body is {format_name}," if format_name else "a form is"
        types = "HTML with Content-Type: text/html, or JSON with Content-Type: application/json"
        raise Refusal(415, f"{what} not a page: send {types}")
    return ExtractionRequest(check_options(query), body, coding, charset_of(parameters))


def read_address(query: Mapping[str, str]) -> ExtractionRequest:
    """Return what a GET asks for: the page at an address."""
    _check_names(query, OPTIONS)
    options = check_options(query)
    if not options["url"]:
        raise Refusal(400, "give the address of a page: /extract?url=https://...")
    return ExtractionRequest(options, None)


def _check_names(values: Mapping[str, Any], known: tuple[str, ...]) -> None:
    for name in values:
        if name not in known:
            names = ", ".join(known)
            raise Refusal(400, f"there is no option {name[:40]!r}; choose one of {names}")


def _is_page(body: bytes, coding: str) -> bool:
    """Whether a body declared as a form is a page or a document: curl declares every body a form."""
    # A form is never packed and never contains "<". JSON that curl declares a form may contain it.
    head = body[:_HEAD_BYTES].lstrip(_BEFORE_JSON)
    return (
        is_packed(body, coding)
        or (b"<" in head and not head.startswith(b"{"))
        or is_readable(body, foreign_format(body))
    )


def _coding_of(headers: Mapping[str, str]) -> str:
    return headers.get("content-encoding", "").strip().lower()


def check_unpacked(headers: Mapping[str, str]) -> None:
    """Raise a Refusal if a body of JSON is declared as packed."""
    if _coding_of(headers) not in {"", "identity"}:
        raise Refusal(415, "JSON must be sent unpacked; send a packed page as the body itself")


def _read_json(query: Mapping[str, str], body: bytes) -> ExtractionRequest:
    values = _parse_object(body)
    html = values.pop("html", None)
    _check_names(values, ("html", *OPTIONS))
    if html is not None and not isinstance(html, str):
        raise Refusal(400, "html must be a string")
    options = check_options({**query, **values})
    if html is None and not options["url"]:
        raise Refusal(400, "the object has neither html nor url: give one of them")
    # JSON is Unicode: a charset that the page names no longer counts.
    page = None if html is None else html.encode("utf-8", "replace")
    return ExtractionRequest(options, page, "", "utf-8")


def _is_flat(body: bytes) -> bool:
    unescaped = body.replace(b"\\\\", b"").replace(b'\\"', b"")
    return _FLAT_OBJECT.fullmatch(unescaped) is not None


def _parse_object(body: bytes) -> dict[str, Any]:
    # Lists in lists take many times their size, and no limit of a worker holds here.
    if len(body) > _SMALL_JSON and not _is_flat(body):
        wanted = f"an object of at most {_MOST_MEMBERS} strings and numbers, in UTF-8"
        raise Refusal(400, f"a JSON body of more than {_SMALL_JSON // 1024} KiB must be {wanted}")
    try:
        values = json.loads(body)
    except (ValueError, RecursionError) as problem:
        raise Refusal(400, f"the body is not JSON ({problem})") from None
    if not isinstance(values, dict):
        raise Refusal(
            400,
            'the body must be a JSON object, such as {"html": "<p>..."} or {"url": "https://..."}',
        )
    return values


def check_options(given: Mapping[str, Any]) -> dict[str, str | float]:
    """Return all options with their defaults, or raise a Refusal for a wrong value."""
    chosen = {name: _check_choice(given, name, default, known) for name, default, known in _CHOICES}
    url = given.get("url", "")
    if not isinstance(url, str) or len(url) > LONGEST_ADDRESS:
        raise Refusal(400, f"url must have at most {LONGEST_ADDRESS:,} characters")
    try:
        threshold = read_threshold(_read_number(given.get("threshold", BOUNDARY)))
        method = _check_method(given.get("method", DEFAULT))
    except (ValueError, TypeError) as problem:
        raise Refusal(400, str(problem)) from None
    return {**chosen, "url": url, "threshold": threshold, "method": method}


def _check_choice(
    given: Mapping[str, Any], name: str, default: str, choices: tuple[str, ...]
) -> str:
    value = given.get(name, default)
    if not isinstance(value, str) or value not in choices:
        names = ", ".join(choices)
        raise Refusal(400, f"{name} must be one of {names}, not {str(value)[:40]!r}")
    return value


def _read_number(value: Any) -> Any:
    """Return a number that came as text in a query; other values as they are."""
    if not isinstance(value, str):
        return value
    try:
        return float(value)
    except ValueError:
        return value  # the name of a preset, or a mistake that read_threshold refuses


def _check_method(value: Any) -> str:
    """Return a method whose parameters name no file."""
    if not isinstance(value, str):
        raise Refusal(400, f"method must be one of {', '.join(METHODS)}")
    if _MODEL.search(value):
        raise Refusal(400, "the model is fixed when the service starts: leave it out")
    as_method(value)
    return value
