"""Join an article that goes over several pages into one document."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from bodytext.document import Document, DocumentSource
from bodytext.output.html import write_blocks
from bodytext.page.parser import parse
from bodytext.selection import select_all
from bodytext.sources.fetch import FetchError
from bodytext.sources.record import Record
from bodytext.views.next_page import find_next_page
from bodytext.views.structure.element import Element

Extract = Callable[[Record], Document]


def extract_joined(
    first: Record, get: Callable[[str], Record], extract: Extract, most: int
) -> Document:
    """Return the document of a page and of those that continue it, at most so many together.

    If one cannot be fetched, the document ends before it, and its reason says so.
    """
    record, documents, seen, problem = first, [extract(first)], {first.url}, ""
    while len(documents) < most:
        page = parse(record.html, url=record.url, charset=record.charset or None)
        address = find_next_page(page)
        if not address or address in seen:
            break
        seen.add(address)
        try:
            record = get(address)
        except FetchError as error:
            problem = f"page {len(documents) + 1} could not be fetched: {address}: {error}"
            break
        seen.add(record.url)
        documents.append(extract(record))
    joined = join(documents)
    return replace(joined, reason=problem) if problem else joined


def join(documents: Sequence[Document]) -> Document:
    """Return one document of several, with the metadata of the first.

    What an earlier page has too, such as a repeated introduction, is in it once. Offsets are those
    in markup that is made of the pages.
    """
    first = documents[0]
    if len(documents) == 1:
        return first
    seen: set[Element] = set()
    markup = []
    for document in documents:
        children = [child for child in document.structure.children if isinstance(child, Element)]
        markup.append(write_blocks([child for child in children if child not in seen]))
        seen.update(children)
    inner = parse("\n".join(markup), url=first.url, charset="utf-8")
    document = select_all(inner)
    confidences = [each.confidence for each in documents if each.confidence is not None]
    source = DocumentSource(inner, document.blocks, shell=first.whole_page)
    return replace(
        first,
        paragraphs=document.paragraphs,
        origin=f"{len(documents)} pages",
        confidence=min(confidences, default=None),
        _source=source,
    )
