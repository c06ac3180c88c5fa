"""Everything that is made of a page, each from a document with all of its blocks: formats, views, analysis."""

from collections.abc import Callable
from functools import partial

import numpy as np

from bodytext import Document, Page, parse
from bodytext.corpus.templates.observations import observe
from bodytext.diagnosis import diagnose
from bodytext.output.formats import FORMATS, render
from bodytext.reader.analysis import analyse
from bodytext.reader.analysis.frequencies import Frequencies
from bodytext.reader.store.body import compose_body, encode_body
from bodytext.selection import select_all
from bodytext.views.hidden_text.search import hidden_text

Use = Callable[[Document], object]


def keep_all(page: bytes) -> Document:
    """A document with all blocks of a page: what a method leaves out costs nothing later."""
    return select_all(parse(page, url="https://news.example/a/b"))


def _analyse(document: Document) -> object:
    return analyse(document.title, str(document), "en", Frequencies())


def _observe(document: Document) -> object:
    return observe(_page(document))


def _find_hidden(document: Document) -> object:
    return hidden_text(_page(document))


def _diagnose(document: Document) -> object:
    return diagnose(_page(document), np.zeros(0, np.intp))


def _page(document: Document) -> Page:
    if document.whole_page is None:
        raise ValueError("a document without a page")
    return document.whole_page


def _store(document: Document) -> object:
    return encode_body(compose_body(document.structure, ()))


USES: dict[str, Use] = {
    **{name: partial(lambda name, document: render(document, name), name) for name in FORMATS},
    "metadata": lambda document: document.metadata,
    "comments": lambda document: document.comments,
    "media": lambda document: document.media,
    "structure": lambda document: document.structure,
    "chunks": lambda document: document.chunks(max_words=50, overlap=10),
    "diagnosis": _diagnose,
    "hidden text": _find_hidden,
    "templates": _observe,
    "reader analysis": _analyse,
    "reader body": _store,
}
