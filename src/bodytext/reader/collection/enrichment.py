"""Enrichment: drafts in, drafts with keywords, summary, noise, story and category out; what is stored teaches."""

from dataclasses import replace
from typing import TYPE_CHECKING

from bodytext.reader.analysis import Analysis, analyse
from bodytext.reader.analysis.counts import StoredFrequencies, count_terms
from bodytext.reader.categories.categories import Categories
from bodytext.reader.collection.stories import find_story, remember
from bodytext.reader.store.draft import ArticleDraft

if TYPE_CHECKING:
    from bodytext.reader.store.store import Store


class Enrichment:
    """What is found out about articles before they are stored, by what is stored."""

    def __init__(self, store: "Store") -> None:
        self._store = store
        self._categories = Categories(store)

    def enrich(self, draft: ArticleDraft) -> tuple[ArticleDraft, Analysis]:
        """The draft with what its text tells, and that as a whole."""
        analysis = analyse(draft.title, draft.text, draft.language, StoredFrequencies(self._store, draft.language))
        category, chance = self._categories.guess(draft.title, draft.text, draft.url, draft.categories)
        enriched = replace(
            draft,
            keywords=analysis.keywords,
            sentences=analysis.sentences,
            ranking=analysis.ranking,
            noise=analysis.noise,
            signature=analysis.signature,
            story=find_story(self._store, analysis, draft.moment),
            category=category,
            category_chance=chance,
        )
        return enriched, analysis

    def learn(self, article: int, draft: ArticleDraft, analysis: Analysis) -> None:
        """Learn from an article that was stored, in its transaction."""
        count_terms(self._store, analysis.language, analysis.terms)
        remember(self._store, article, analysis, draft.moment)
        self._categories.learn(draft.title, draft.text, draft.url, draft.categories)

    def finish(self) -> None:
        """Store what many articles taught together."""
        self._categories.save()
