"""Enrichment: add an analysis, the story and the category to drafts, and learn from them."""

from dataclasses import replace

from bodytext.reader.analysis import Analysis
from bodytext.reader.analysis.counts import count_terms
from bodytext.reader.categories.categories import Categories
from bodytext.reader.collection.stories import find_story, index_article
from bodytext.reader.store.database import Database
from bodytext.reader.store.draft import ArticleDraft


class Enrichment:
    """Enriches articles before they are stored, with the help of stored ones."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._categories = Categories(database)

    def enrich(self, draft: ArticleDraft, analysis: Analysis) -> ArticleDraft:
        """Return the draft with the results of its analysis, its story and its category."""
        guess = self._categories.guess(draft.title, draft.text, draft.url, draft.categories)
        return replace(
            draft,
            keywords=analysis.keywords,
            sentences=analysis.sentences,
            ranking=analysis.ranking,
            noise=analysis.noise,
            signature=analysis.signature,
            story=find_story(self._database, analysis, draft.moment),
            category=guess.name,
            category_chance=guess.chance,
            suggestion=guess.suggestion,
        )

    def learn(self, article: int, draft: ArticleDraft, analysis: Analysis) -> None:
        """Learn from an article that was stored, in its transaction."""
        count_terms(self._database, analysis.language, analysis.terms)
        index_article(self._database, article, analysis, draft.moment)
        self._categories.learn(draft.title, draft.text, draft.url, draft.categories)

    def finish(self) -> None:
        """Store what was learnt from many articles together."""
        self._categories.save()
