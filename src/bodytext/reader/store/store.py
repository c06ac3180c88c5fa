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

from functools import cached_property

from bodytext.reader.store.articles import Articles
from bodytext.reader.store.database import Database
from bodytext.reader.store.feeds import Feeds
from bodytext.reader.store.states import States


class Store(Database):
    """The reader's database, created if it is new."""

    @cached_property
    def feeds(self) -> Feeds:
        """The subscriptions."""
        return Feeds(self)

    @cached_property
    def articles(self) -> Articles:
        """The articles."""
        return Articles(self)

    @cached_property
    def states(self) -> States:
        """What the profiles did with the articles."""
        return States(self)
