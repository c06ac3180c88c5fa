"""Store: the reader's database with its feeds, articles and states.

For example:

    with Store(path) as store:
        store.feeds.list_all()                              # Subscription
        store.articles.list_cards(ArticleQuery(profile=1))  # Card, newest first
        store.articles.search("storm tide", profile=1)      # Card, best first, with a snippet
        store.articles.find(5, profile=1)                   # Article
        store.states.mark(1, 5, saved=True)
        with store.write() as connection:                   # a transaction
            connection.execute(...)
        store.connection.execute(...)                       # a query
"""

from pathlib import Path

from bodytext.reader.store.articles import Articles
from bodytext.reader.store.database import Database
from bodytext.reader.store.feeds import Feeds
from bodytext.reader.store.states import States


class Store(Database):
    """The reader's database, created if it is new."""

    def __init__(self, path: Path | None = None) -> None:
        super().__init__(path)
        self.feeds, self.articles, self.states = Feeds(self), Articles(self), States(self)
