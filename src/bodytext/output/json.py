"""Document -> JSON: one object, on one line."""

import json

from bodytext.document import Document

VERSION = 1  # of the form; it grows when a key changes its meaning


def to_json(document: Document, *, source: str = "") -> str:
    """The document as an object: version, source, url, title, reason, text, paragraphs."""
    return json.dumps(
        {
            "version": VERSION,
            "source": source,
            "url": document.url,
            "title": document.title,
            "reason": document.reason,
            "text": str(document),
            "paragraphs": [
                {"text": one.text, "kind": one.kind, "start": one.start, "end": one.end, "score": round(one.score, 4)}
                for one in document.paragraphs
            ],
        },
        ensure_ascii=False,
    )
