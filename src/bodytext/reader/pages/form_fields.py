"""Read the fields of a form, as browsers send them with or without a file."""

from email.parser import BytesParser
from email.policy import HTTP
from urllib.parse import parse_qsl

from starlette.requests import Request

from bodytext.studio.web.app import Refusal

MOST_FIELDS = 100  # the reader's own forms have ten


async def read_fields(request: Request) -> dict[str, str]:
    """Read the fields of a form. The only files are OPML, which is text."""
    return parse_fields(request.headers.get("content-type", ""), await request.body())


def parse_fields(kind: str, body: bytes) -> dict[str, str]:
    """Return the fields of a body of this media type, or refuse it."""
    if kind.startswith("multipart/form-data"):
        return _read_parts(kind, body)
    try:
        text = body.decode("utf-8", "replace")
        return dict(parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_FIELDS))
    except ValueError:
        raise Refusal(422, f"the form has more than {MOST_FIELDS} fields") from None


def _read_parts(kind: str, body: bytes) -> dict[str, str]:
    head = b"Content-Type: " + kind.encode("latin-1") + b"\r\n\r\n"
    message = BytesParser(policy=HTTP).parsebytes(head + body)
    fields: dict[str, str] = {}
    for part in message.iter_parts():
        name = part.get_param("name", header="content-disposition")
        data = part.get_payload(decode=True)
        if isinstance(name, str) and isinstance(data, bytes):
            fields[name] = data.decode("utf-8", "replace")
    return fields
