"""Enrichment: drafts in, drafts with keywords, summary, story and category out."""

from typing import TYPE_CHECKING

from bodytext.reader.draft import Draft

if TYPE_CHECKING:
    from bodytext.reader.store import Store


class Enrichment:
    """What is found out about articles before they are stored."""

    def __init__(self, store: "Store") -> None:
        self._store = store

    def enrich(self, draft: Draft) -> Draft:
        """The draft with what its text tells."""
        return draft

    def count(self, article: int, draft: Draft) -> None:
        """Learn from an article that was stored, in its transaction."""
