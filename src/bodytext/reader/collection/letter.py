"""Read a newsletter, which anybody may have sent.

The email package parses a header each time it is asked for, in 20 microseconds per character, and
compares every line with the boundaries of all parts around it. So headers are cut, those of parts
stay plain text, and parts are counted.
"""

import hashlib
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from email.utils import parseaddr, parsedate_to_datetime
from html import escape
from typing import Any

from bodytext.page.encoding import decode

_LONGEST_HEADER = 2_000  # characters; what follows, as the other receivers, is not needed
_MOST_PARTS = 1_000
_DEEPEST = 10  # parts in parts
_NO_LETTER = "this is no newsletter: a file of a mail program (.eml) with a text is"


@dataclass(frozen=True, slots=True)
class Newsletter:
    """What is read of a newsletter."""

    name: str  # of the sender
    sender: str  # the address
    subject: str
    time: str  # in ISO 8601; empty if it is not known
    mark: str  # another letter has another one
    html: str


def read_letter(data: bytes) -> Newsletter:
    """Read a newsletter (.eml), or raise a ValueError that says why it is none."""
    try:
        message: Any = BytesParser(policy=_POLICY).parsebytes(data)  # a _Part
        html, sender = _read_body(message), _read_header(message, "from")
        if not html or not sender:
            raise ValueError(_NO_LETTER)
        return Newsletter(
            *parseaddr(sender),
            " ".join(_read_header(message, "subject").split()),
            _read_time(message),
            _read_header(message, "message-id").strip() or hashlib.sha256(data).hexdigest(),
            html,
        )
    except RecursionError:  # comments in comments
        raise ValueError(_NO_LETTER) from None


class _Part(EmailMessage):
    """A letter, or a part of one."""

    def __init__(self, policy: Any = None) -> None:
        super().__init__(policy)
        self.level = 0
        self.parts: list[_Part] = []  # of the whole letter

    def attach(self, payload: Any) -> None:
        """Add a part, unless there are too many."""
        payload.level, payload.parts = self.level + 1, self.parts
        self.parts.append(payload)
        if payload.level > _DEEPEST or len(self.parts) > _MOST_PARTS:
            raise ValueError("this is no newsletter: it has too many parts")
        super().attach(payload)

    def is_attachment(self) -> bool:
        """Whether it is no text of the letter; the package asks a header that it parsed."""
        return self.get_content_disposition() == "attachment"


class _LetterPolicy(policy.EmailPolicy):
    """Headers are cut, and are plain text."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        return name, value[:_LONGEST_HEADER]

    def header_fetch_parse(self, _: str, value: str) -> str:
        return value.replace("\r", "").replace("\n", "")


_POLICY = _LetterPolicy(message_factory=_Part)


def _read_body(message: EmailMessage) -> str:
    """Return the text of a letter as HTML; nothing if it has none."""
    with suppress(KeyError, LookupError, UnicodeError, ValueError, AttributeError):
        part = message.get_body(("html", "plain"))
        data = part.get_payload(decode=True) if part else None
        if part is None or not isinstance(data, bytes):
            return ""
        text = decode(data, part.get_content_charset()).source.decode()
        if part.get_content_subtype() == "html":
            return text
        blocks = text.replace("\r\n", "\n").split("\n\n")
        return "".join(f"<p>{escape(block)}</p>" for block in blocks if block.strip())
    return ""


def _read_header(message: EmailMessage, name: str) -> str:
    """Return a header as text. The parser of the standard library raises on some damaged ones."""
    raw = str(message.get(name, ""))
    try:
        return str(policy.default.header_factory(name, raw))
    except (IndexError, AttributeError, ValueError, TypeError):
        return raw.encode("utf-8", "replace").decode()


def _read_time(message: EmailMessage) -> str:
    try:
        moment = parsedate_to_datetime(_read_header(message, "date"))
        return moment.astimezone(UTC).isoformat()
    except (ValueError, TypeError, OverflowError):
        return ""
