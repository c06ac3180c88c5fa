"""Extract pages in the process of a worker. A message has the options of a request and the page."""

import json
from typing import Any

import bodytext
from bodytext.corpus.workers.child import MEMORY, RAISED, Answer, Tick
from bodytext.corpus.workers.messages import WorkerMessage
from bodytext.document import Document
from bodytext.methods import DEFAULT, as_method
from bodytext.methods.learned.weights import read_weights
from bodytext.output.formats import FORMATS, RenderOptions, render
from bodytext.output.json import describe_document
from bodytext.page.parser import foreign_format
from bodytext.studio.service.content_coding import UnpackError, unpack

# The statuses of what a worker cannot answer.
FAILURES = {
    MEMORY: (413, "this page needs more memory than a worker may use"),
    RAISED: (500, "an error in our code; please report it with the page"),
}
_WARM = (
    b"<html><body><article>" + b"<p>A sentence of a few words, and another one after it.</p>" * 9
)


def prepare(settings: dict[str, Any]) -> Answer:
    """Load all that a page may need. Settings: the model, and the most bytes of a page."""
    model, page_bytes = settings["model"], settings["page_bytes"]
    read_weights(model)
    for name in FORMATS:  # imports what is imported late
        render(bodytext.extract(_WARM, method=as_method(DEFAULT, model)), name)

    def answer(message: WorkerMessage, _: Tick) -> WorkerMessage:
        return answer_request(message, model, page_bytes)

    return answer


def answer_request(message: WorkerMessage, model: str, page_bytes: int) -> WorkerMessage:
    """Return the body text of a page in the requested format, or an error with its status."""
    head = message.head
    try:
        html = unpack(message.body, head["coding"], page_bytes)
        document = bodytext.extract(
            html,
            url=head["url"],
            charset=head["charset"] or None,
            method=as_method(head["method"], model),
            threshold=head["threshold"],
        )
        if not document and foreign_format(html, head["charset"] or None):
            return WorkerMessage({"status": 415, "error": document.reason})
        text = _write(document, head)
    except UnpackError as problem:
        return WorkerMessage({"status": problem.status, "error": str(problem)})
    except ValueError as problem:
        return WorkerMessage({"status": 400, "error": str(problem)})
    return WorkerMessage({"status": 200, **_describe(document)}, text.encode("utf-8", "replace"))


def _write(document: Document, head: dict[str, Any]) -> str:
    """Write a document in its format. JSON has the Markdown and the canonical address too."""
    if head["format"] != "json":
        return render(document, head["format"], RenderOptions("", head["links"], head["images"]))
    choices = {"links": head["links"], "images": head["images"]}
    values = describe_document(document, **choices)
    values["canonical_url"] = document.metadata.url
    values["markdown"] = document.to_markdown(**choices)
    return json.dumps(values, ensure_ascii=False)


def _describe(document: Document) -> dict[str, Any]:
    return {name: getattr(document, name) for name in ("reason", "page_type", "confidence")}
