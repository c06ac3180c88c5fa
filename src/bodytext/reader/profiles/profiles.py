"""Profile: a reader of articles, with interests and an order of articles of their own.

    profile = Profile(store, 1)                 # by number, or by name
    profile.record_event("finished", article)   # marks the article, and learns from it
    profile.list_interests()                    # Interest(kind, name, weight, fixed)
    profile.set_interest("term", "tide", 1.0)   # by hand: from then on neither learnt nor faded
    profile.order(cards)                        # ScoredCard(card, hours, reasons), best first; .because says why

docs/reader_profiles.md describes the model. In one sentence: articles are ordered as if they had
been published some hours later or earlier, and the hours follow from the interests in their
keywords, source and category.
"""

import time
from collections.abc import Container, Iterable, Mapping, Sequence, Set
from dataclasses import replace

from bodytext.reader.profiles.interests import Interests
from bodytext.reader.profiles.read_stories import find_read_stories
from bodytext.reader.profiles.scores import SHARES, Interest, ScoredCard, Scorer
from bodytext.reader.store.articles import ArticleQuery
from bodytext.reader.store.records import Card, State
from bodytext.reader.store.store import Store

# What an article is worth by what was done with it. A like is a statement, and outweighs ten
# articles that were merely open for a while. An opening of less than ten seconds is worth nothing:
# it may be a mistake.
WORTH = {"read": 0.5, "finished": 0.5, "saved": 2.0, "hidden": -2.0}
LIKED_WORTH = 6.0
EVENTS: dict[str, dict[str, bool | int]] = {
    "opened": {"opened": True},
    "unopened": {"opened": False, "read": False, "finished": False},
    "read": {"opened": True, "read": True},
    "finished": {"opened": True, "read": True, "finished": True},
    "saved": {"saved": True},
    "unsaved": {"saved": False},
    "hidden": {"hidden": True},
    "unhidden": {"hidden": False},
    "liked": {"liked": 1},
    "disliked": {"liked": -1},
    "unliked": {"liked": 0},
}
# The front page is chosen from the newest articles, and the newest of the strongest interests.
NEWEST_CONSIDERED = 300
FAVOURITES, NEWEST_OF_FAVOURITE = 5, 24
FAVOURITE_LIKES = 3  # of a category, from which its fresh articles are all on the first page
FRESH = 24 * 3600  # seconds
LONGEST_NAME = 60


class Profile:
    """A person who reads, by number or name."""

    def __init__(self, store: Store, key: int | str = 1) -> None:
        row = store.connection.execute(
            f"SELECT id, name FROM profiles WHERE {'id' if isinstance(key, int) else 'name'} = ?",  # noqa: S608
            (key,),
        ).fetchone()
        if row is None:
            raise KeyError(key)
        self._store = store
        self.id, self.name = int(row["id"]), str(row["name"])
        self._interests = Interests(store, self.id)

    def record_event(self, event: str, article: int) -> State:
        """Mark an article as EVENTS says, and learn from it, in one transaction.

        A repeated event teaches nothing. An event that is taken back (unsaved, unliked ...) is
        unlearnt. Raise a ValueError for an unknown event, and a KeyError for an unknown article.
        """
        if event not in EVENTS:
            raise ValueError(f"there is no event {event!r}; there are {', '.join(EVENTS)}")
        with self._store.write():
            before = self._store.states.find(self.id, article)
            after = self._store.states.mark(self.id, article, **EVENTS[event])
            worth = value_of(after) - value_of(before)
            cards = self._store.articles.find_cards([article], self.id)
            if worth and cards:
                self._interests.learn(cards[0], worth)
        return after

    def list_interests(self) -> list[Interest]:
        """Return the interests of the profile, strongest first; dislikes are negative."""
        interests = self._interests.load()
        return sorted(
            interests, key=lambda interest: (-abs(interest.weight), interest.kind, interest.name)
        )

    def set_interest(self, kind: str, name: str, weight: float) -> None:
        """Set an interest by hand, from -1 (never) to 1 (very much); it does not fade."""
        self._interests.fix(kind, name, weight)

    def remove_interest(self, kind: str, name: str) -> None:
        """Delete an interest, learnt or not; reading may teach it again."""
        self._interests.remove(kind, name)

    def forget(self) -> None:
        """Delete all interests. The marks of articles stay."""
        self._interests.clear()

    def score(self, cards: Iterable[Card]) -> list[ScoredCard]:
        """Return the cards with the hours by which they are moved and why, in the given order."""
        cards = list(cards)
        scorer = self._make_scorer(self._interests.load(), self._interests.count_likes(), cards)
        return scorer.score_all(cards)

    def _make_scorer(
        self, interests: Iterable[Interest], likes: Mapping[str, int], cards: Sequence[Card]
    ) -> Scorer:
        return Scorer(interests, likes, find_read_stories(self._store, self.id, cards))

    def order(self, cards: Iterable[Card]) -> list[ScoredCard]:
        """Return the cards, new and interesting ones first; without interests, newest first."""
        return _sort(self.score(cards))

    def list_front(self, query: ArticleQuery, offset: int = 0) -> list[ScoredCard]:
        """Return a part of the front page in this profile's order, after `offset` articles.

        Older articles than those that the front page is chosen from follow newest first.
        """
        query = replace(query, profile=self.id)
        interests = self._interests.load()
        newest = self._store.articles.list_cards(
            replace(query, limit=max(NEWEST_CONSIDERED, query.limit))
        )
        has_older = len(newest) >= NEWEST_CONSIDERED
        pool = {card.id: card for card in newest}
        if has_older and not query.feed and not query.story and not query.folder:
            pool |= {card.id: card for card in self._list_favourites(query, interests)}
        cards, likes = list(pool.values()), self._interests.count_likes()
        scorer = self._make_scorer(interests, likes, cards)
        ordered = _lift(_sort(scorer.score_all(cards)), _find_favourites(interests, likes), query)
        page = ordered[offset : offset + query.limit]
        missing = query.limit - len(page)
        if missing and has_older:
            older = self._list_older(replace(query, limit=offset + query.limit), newest[-1], pool)
            skipped = max(offset - len(ordered), 0)
            page += scorer.score_all(older[skipped : skipped + missing])
        return page

    def _list_older(self, query: ArticleQuery, last: Card, known: Container[int]) -> list[Card]:
        cards = self._store.articles.list_cards(replace(query, before=(last.published, last.id)))
        return [card for card in cards if card.id not in known]

    def _list_favourites(self, query: ArticleQuery, interests: list[Interest]) -> list[Card]:
        """Return the newest articles of the sources, categories and terms of most interest."""
        favourites = _choose_favourites(interests)
        few = replace(query, limit=NEWEST_OF_FAVOURITE)
        queries = [replace(few, feed=int(name)) for name in favourites["source"]]
        if not query.category:
            queries += [replace(few, category=name) for name in favourites["category"]]
        queries += [replace(few, term=name) for name in favourites["term"]]
        return [card for each in queries for card in self._store.articles.list_cards(each)]


def _sort(scored: Iterable[ScoredCard]) -> list[ScoredCard]:
    return sorted(scored, key=lambda item: (-item.moment, -item.card.id))


def _find_favourites(interests: Iterable[Interest], likes: Mapping[str, int]) -> set[str]:
    """Return the categories that were liked often, and of which something is left."""
    return {
        interest.name
        for interest in interests
        if interest.kind == "category"
        and interest.weight > 0
        and likes.get(interest.name, 0) >= FAVOURITE_LIKES
    }


def _lift(ordered: list[ScoredCard], categories: Set[str], query: ArticleQuery) -> list[ScoredCard]:
    """Return the order with all fresh articles of some categories on the first page.

    They keep their places if they are there already; the others take the last places of that page.
    """
    oldest = time.time() - FRESH
    wanted = {
        scored.card.id
        for scored in ordered
        if scored.card.category in categories
        and scored.card.published >= oldest
        and not scored.is_known
    }
    room = query.limit - len(wanted)
    first: list[ScoredCard] = []
    rest: list[ScoredCard] = []
    for scored in ordered:
        is_first = scored.card.id in wanted or room > 0
        room -= scored.card.id not in wanted
        (first if is_first else rest).append(scored)
    return first + rest


def _choose_favourites(interests: list[Interest]) -> dict[str, list[str]]:
    """Return the names of the strongest interests of each kind."""
    liked = [interest for interest in interests if interest.weight > 0]
    liked.sort(key=lambda interest: (-interest.weight, interest.name))
    return {
        kind: [interest.name for interest in liked if interest.kind == kind][:FAVOURITES]
        for kind in SHARES
    }


def value_of(state: State) -> float:
    """Return what an article is worth by its state."""
    return (
        sum(worth for name, worth in WORTH.items() if getattr(state, name))
        + LIKED_WORTH * state.liked
    )


def list_profiles(store: Store) -> list[Profile]:
    """Return all profiles, in the order in which they were added."""
    rows = store.connection.execute("SELECT id FROM profiles ORDER BY id").fetchall()
    return [Profile(store, int(row[0])) for row in rows]


def add_profile(store: Store, name: str) -> Profile:
    """Add a profile, or raise a ValueError with a reason to show if the name is invalid."""
    name = _check_name(store, name)
    with store.write() as connection:
        connection.execute("INSERT INTO profiles (name) VALUES (?)", (name,))
    return Profile(store, name)


def rename_profile(store: Store, profile: int, name: str) -> Profile:
    """Rename a profile, or raise a ValueError with a reason to show if the name is invalid."""
    name = _check_name(store, name, profile)
    with store.write() as connection:
        connection.execute("UPDATE profiles SET name = ? WHERE id = ?", (name, profile))
    return Profile(store, profile)


def remove_profile(store: Store, profile: int) -> None:
    """Remove a profile with all its data, or raise a ValueError if it is the only one."""
    with store.write() as connection:
        if (
            connection.execute(
                "SELECT count(*) FROM profiles WHERE id <> ?", (profile,)
            ).fetchone()[0]
            == 0
        ):
            raise ValueError("this is the only profile; add another before you remove it")
        connection.execute("DELETE FROM profiles WHERE id = ?", (profile,))


def _check_name(store: Store, name: str, own: int = 0) -> str:
    name = " ".join(name.split())
    if not name or not name.isprintable():
        raise ValueError("a profile needs a name")
    if len(name) > LONGEST_NAME:
        raise ValueError(f"a profile's name has at most {LONGEST_NAME} characters")
    if store.connection.execute(
        "SELECT 1 FROM profiles WHERE name = ? AND id <> ?", (name, own)
    ).fetchone():
        raise ValueError(f"there is a profile named {name} already")
    return name
