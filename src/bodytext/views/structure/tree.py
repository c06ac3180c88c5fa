"""Build the tree of a page's kept blocks."""

from bodytext.kernel import Containers, add_lines
from bodytext.kernel.lines import Helpers
from bodytext.page.tables import Page
from bodytext.views.media import KeptMedia
from bodytext.views.media.kept_media import Numbers
from bodytext.views.structure.containers import PageDetails
from bodytext.views.structure.element import Element
from bodytext.views.structure.footnotes import settle_inner_links
from bodytext.views.structure.formulas import split_delimited
from bodytext.views.structure.leaves import find_leaves
from bodytext.views.structure.links import Links


def build_structure(page: Page, blocks: Numbers, media: KeptMedia | None = None) -> Element:
    """The kept blocks of a page as an element `body`: headings, paragraphs, lists, tables ...

    `media` are those of the blocks, if they may have been found before.

    The time is linear in the page. Elements nest at most 40 deep; what a page nests deeper stays in
    the last of them.
    """
    if not len(blocks):
        return Element("body")
    return _build(KeptMedia(page, blocks) if media is None else media, PageDetails(page))


def find_tables(page: Page, blocks: Numbers) -> list[int]:
    """The nodes of the tables that the structure of these blocks has."""
    if not len(blocks):
        return []
    details = PageDetails(page)
    _build(KeptMedia(page, blocks), details)
    return [node for node in details.tables.made if node >= 0]


def _build(media: KeptMedia, details: PageDetails) -> Element:
    page, blocks, links = media.page, media.blocks, Links(media.pictures)
    containers = Containers(page.source, page.tables[0], Element, details)
    helpers = Helpers(Element, links, split_delimited)
    leaves = find_leaves(media)
    add_lines(containers, (page.source, page.tables), blocks, leaves, helpers)
    body: Element = containers.finish()
    if links.has_inner:
        return settle_inner_links(page, body, containers.item_nodes)
    return body
