"""Make a feed of a page that has none: its links to articles are the entries."""

import numpy as np
import numpy.typing as npt

from bodytext.kernel import write_texts
from bodytext.kernel.html import NodeFlag
from bodytext.kernel.words import measure
from bodytext.page.parser import parse
from bodytext.page.tables import Page
from bodytext.page.urls import absolute, base_address, host_of, is_same_site
from bodytext.reader.collection.drafting import clean_address
from bodytext.sources.fetch import HttpResponse
from bodytext.sources.listings.entry import FeedEntry, NoFeedError, ParsedFeed

# A headline has more words than the links of a menu.
_LEAST_WORDS = 4
_LONGEST_TITLE = 300  # characters
_MOST_LINKS = 5_000
_MOST_ENTRIES = 100


def read_page_feed(response: HttpResponse) -> ParsedFeed:
    """Return the headlines of a page as a feed, or raise a NoFeedError if it has none."""
    page = parse(response.body, url=response.url, charset=response.charset or None)
    base, host = base_address(page), host_of(response.url)
    nodes = np.flatnonzero(page.nodes.flags & int(NodeFlag.LINK))[:_MOST_LINKS]
    own = clean_address(response.url)
    entries: dict[str, FeedEntry] = {}
    for node, title in zip(nodes.tolist(), _read_titles(page, nodes), strict=True):
        link = clean_address(absolute(page.attributes(node).get("href", "").strip(), base))
        is_article = is_same_site(host_of(link), host) and link != own
        if is_article and link not in entries and measure(title)[0] >= _LEAST_WORDS:
            entries[link] = FeedEntry(link, title[:_LONGEST_TITLE], identity=link)
    if not entries:
        raise NoFeedError("the page has no links that look like headlines")
    return ParsedFeed("page", page.title, tuple(entries.values())[:_MOST_ENTRIES])


def _read_titles(page: Page, nodes: npt.NDArray[np.intp]) -> list[str]:
    """Return the texts of elements, white space folded."""
    runs, chosen = page.runs, (page.nodes.first_run[nodes], page.nodes.stop_run[nodes])
    nothing = bytes(len(nodes))
    columns = (runs.start, runs.end, runs.flags)
    buffer, spans = write_texts(page.source, columns, chosen, nothing, nothing)
    texts = [buffer[start:end].decode("utf-8") for start, end in spans.T.tolist()]
    return [" ".join(text.split()) for text in texts]
