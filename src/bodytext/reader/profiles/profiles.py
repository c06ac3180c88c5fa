"""Profile: what somebody does with articles in, what they are interested in and the articles in their order out.

    profile = Profile(store, 1)                 # by number, or by name
    profile.hear("finished", article)           # marks the article, and learns from it
    profile.list_interests()                    # what was learnt: Interest(kind, name, weight, fixed), for all to see
    profile.set_interest("term", "tide", 1.0)   # by hand: neither learnt nor faded from then on
    profile.order(cards)                        # Scored(card, hours, reasons), best first; .because says why

docs/reader_profiles.md has the model in words. In one sentence: an article stands where it would stand if it had been
published some hours later or earlier, and the hours are what the interests make of its keywords, source and category.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from bodytext.reader.profiles.interests import Interests
from bodytext.reader.profiles.scores import SHARES, Interest, Scored, Scorer
from bodytext.reader.store.articles import ArticleQuery
from bodytext.reader.store.records import Card, State
from bodytext.reader.store.search import read_query

if TYPE_CHECKING:
    from bodytext.reader.store.database import Store

# What an article tells by what was done with it. Opening may be a mistake, finishing is none, and saying so is most.
WORTH = {"opened": 1.0, "finished": 1.0, "saved": 1.5, "hidden": -2.0}
LIKED_WORTH = 3.0
EVENTS: dict[str, dict[str, bool | int]] = {
    "opened": {"opened": True},
    "unopened": {"opened": False, "finished": False},
    "finished": {"opened": True, "finished": True},
    "saved": {"saved": True},
    "unsaved": {"saved": False},
    "hidden": {"hidden": True},
    "unhidden": {"hidden": False},
    "liked": {"liked": 1},
    "disliked": {"liked": -1},
    "unliked": {"liked": 0},
}
# The front page is chosen among the newest of all, and the newest of what there is most interest in.
NEWEST_LOOKED_AT = 300
FAVOURITES, NEWEST_OF_FAVOURITE = 5, 20
LONGEST_NAME = 60


class Profile:
    """Somebody who reads, by number or name."""

    def __init__(self, store: "Store", who: int | str = 1) -> None:
        row = store.connection.execute(
            f"SELECT id, name FROM profiles WHERE {'id' if isinstance(who, int) else 'name'} = ?",  # noqa: S608
            (who,),
        ).fetchone()
        if row is None:
            raise KeyError(who)
        self._store = store
        self.id, self.name = int(row["id"]), str(row["name"])
        self._interests = Interests(store, self.id)

    def hear(self, event: str, article: int) -> State:
        """Mark an article as EVENTS says, and learn from it: both or nothing. What was already so teaches nothing.

        What is taken back (unsaved, unliked ...) is unlearnt. A ValueError where there is no such event, a KeyError
        where there is no such article.
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
        """What the profile is interested in, or not (weights below 0), strongest first."""
        return sorted(self._interests.load(), key=lambda one: (-abs(one.weight), one.kind, one.name))

    def set_interest(self, kind: str, name: str, weight: float) -> None:
        """Set an interest by hand: it neither changes by reading nor fades. From -1 (never) to 1 (very much)."""
        self._interests.fix(kind, name, weight)

    def remove_interest(self, kind: str, name: str) -> None:
        """Forget an interest, however it came; reading may teach it again."""
        self._interests.remove(kind, name)

    def forget(self) -> None:
        """Forget all interests. What was opened, saved and liked stays marked."""
        self._interests.clear()

    def score(self, cards: Iterable[Card]) -> list[Scored]:
        """The cards with how many hours they are moved and why, in the order in which they came."""
        scorer = Scorer(self._interests.load())
        return [scorer.score(card) for card in cards]

    def order(self, cards: Iterable[Card]) -> list[Scored]:
        """The cards, those first that are new and of interest. Without interests: newest first."""
        return sorted(self.score(cards), key=lambda one: (-one.moment, -one.card.id))

    def list_front(self, wish: ArticleQuery, offset: int = 0) -> list[Scored]:
        """A page of the front page in this profile's order; `offset` articles stand before it.

        Behind the articles that are looked at, the others follow newest first.
        """
        wish = replace(wish, profile=self.id)
        interests = self._interests.load()
        newest = self._store.articles.list_cards(replace(wish, limit=max(NEWEST_LOOKED_AT, wish.limit)))
        pool = {card.id: card for card in newest}
        if not wish.feed and not wish.story and len(newest) >= NEWEST_LOOKED_AT:
            pool |= {card.id: card for card in self._list_favourites(wish, interests)}
        scorer = Scorer(interests)
        ordered = sorted((scorer.score(card) for card in pool.values()), key=lambda one: (-one.moment, -one.card.id))
        page = ordered[offset : offset + wish.limit]
        missing = wish.limit - len(page)
        if missing and len(newest) >= NEWEST_LOOKED_AT:
            further = replace(wish, before=(newest[-1].published, newest[-1].id), limit=offset + wish.limit)
            known = [card for card in self._store.articles.list_cards(further) if card.id not in pool]
            skipped = max(offset - len(ordered), 0)
            page += [scorer.score(card) for card in known[skipped : skipped + missing]]
        return page

    def _list_favourites(self, wish: ArticleQuery, interests: list[Interest]) -> list[Card]:
        """The newest of the sources and categories, and with the terms, that there is most interest in."""
        liked = sorted((one for one in interests if one.weight > 0), key=lambda one: (-one.weight, one.name))
        best = {kind: [one.name for one in liked if one.kind == kind][:FAVOURITES] for kind in SHARES}
        small = replace(wish, limit=NEWEST_OF_FAVOURITE)
        articles = self._store.articles
        cards = [card for name in best["source"] for card in articles.list_cards(replace(small, feed=int(name)))]
        if not wish.category:
            cards += [card for name in best["category"] for card in articles.list_cards(replace(small, category=name))]
        found = {number for name in best["term"] for number in self._find_term(name)}
        return cards + [card for card in articles.find_cards(sorted(found), self.id) if _is_wished(card, wish)]

    def _find_term(self, name: str) -> list[int]:
        """The articles that were stored last and have a term."""
        question = read_query(f'"{name.replace(chr(34), " ")}"')
        rows = self._store.connection.execute(
            "SELECT rowid FROM articles_fts WHERE articles_fts MATCH ? ORDER BY rowid DESC LIMIT ?",
            (question or '""', NEWEST_OF_FAVOURITE),
        )
        return [int(row[0]) for row in rows]


def _is_wished(card: Card, wish: ArticleQuery) -> bool:
    """Whether a card is one that is wished for."""
    return (
        (wish.hidden or not card.state.hidden)
        and not (wish.unread and card.state.opened)
        and not (wish.saved and not card.state.saved)
        and wish.category in {"", card.category}
        and card.published >= wish.since
        and (wish.before is None or (card.published, card.id) < wish.before)
    )


def value_of(state: State) -> float:
    """What an article tells by its state."""
    return sum(worth for name, worth in WORTH.items() if getattr(state, name)) + LIKED_WORTH * state.liked


def list_profiles(store: "Store") -> list[Profile]:
    """All profiles, in the order in which they were made."""
    rows = store.connection.execute("SELECT id FROM profiles ORDER BY id").fetchall()
    return [Profile(store, int(row[0])) for row in rows]


def add_profile(store: "Store", name: str) -> Profile:
    """A new profile; a ValueError with a reason to show where the name does not do."""
    name = _check_name(store, name)
    with store.write() as connection:
        connection.execute("INSERT INTO profiles (name) VALUES (?)", (name,))
    return Profile(store, name)


def rename_profile(store: "Store", profile: int, name: str) -> Profile:
    """The same profile under another name; a ValueError with a reason to show where the name does not do."""
    name = _check_name(store, name, profile)
    with store.write() as connection:
        connection.execute("UPDATE profiles SET name = ? WHERE id = ?", (name, profile))
    return Profile(store, profile)


def remove_profile(store: "Store", profile: int) -> None:
    """Remove a profile with all that it saved and learnt; a ValueError where it is the last one."""
    with store.write() as connection:
        if connection.execute("SELECT count(*) FROM profiles WHERE id <> ?", (profile,)).fetchone()[0] == 0:
            raise ValueError("this is the only profile; add another before you remove it")
        connection.execute("DELETE FROM profiles WHERE id = ?", (profile,))


def _check_name(store: "Store", name: str, own: int = 0) -> str:
    name = " ".join(name.split())
    if not name or not name.isprintable():
        raise ValueError("a profile needs a name")
    if len(name) > LONGEST_NAME:
        raise ValueError(f"a profile's name has at most {LONGEST_NAME} characters")
    if store.connection.execute("SELECT 1 FROM profiles WHERE name = ? AND id <> ?", (name, own)).fetchone():
        raise ValueError(f"there is a profile named {name} already")
    return name
