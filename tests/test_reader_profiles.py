"""Profiles: what is done teaches interests that everybody can see and change, and they order the front page."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from bodytext.reader.store.store import Store

from bodytext.reader.profiles import interests as profiles_interests
from bodytext.reader.profiles.interests import HALF_LIFE, MOST_EVIDENCE, MOST_INTERESTS, fade, weigh
from bodytext.reader.profiles.profiles import (
    EVENTS,
    NEWEST_CONSIDERED,
    Profile,
    add_profile,
    list_profiles,
    remove_profile,
    rename_profile,
)
from bodytext.reader.profiles.scores import MOST_HOURS, Interest, Scorer
from bodytext.reader.store.articles import ArticleQuery
from bodytext.reader.store.draft import ArticleDraft
from bodytext.reader.store.records import State

NOW = int(time.time())
HOUR = 3600


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "reader.sqlite") as opened:
        with opened.write() as connection:
            connection.executemany(
                "INSERT INTO feeds (id, url, title) VALUES (?, ?, ?)",
                [(1, "https://one.example/feed", "One"), (2, "https://two.example/feed", "Two")],
            )
        yield opened


def add(store: Store, number: int, *keywords: str, **values: object) -> int:
    """An article that is so many hours old as its number says."""
    known: dict[str, object] = {
        "feed": 1, "url": f"https://one.example/{number}", "published": NOW - number * HOUR,
        "title": f"Article {number}", "text": " ".join(keywords),
        "keywords": tuple((word, 1.0 - place / 10) for place, word in enumerate(keywords)),
    }  # fmt: skip
    article = store.articles.add(ArticleDraft(**(known | values)))  # type: ignore[arg-type]
    assert article is not None
    return article


def front(profile: Profile) -> list[int]:
    return [scored.card.id for scored in profile.list_front(ArticleQuery())]


def weights(profile: Profile) -> dict[tuple[str, str], float]:
    return {(one.kind, one.name): round(one.weight, 6) for one in profile.list_interests()}


def test_a_new_profile_sees_the_newest_first_and_no_reasons(store: Store) -> None:
    articles = [add(store, number, "tide", category="science") for number in range(5)]
    profile = Profile(store)
    assert (profile.id, profile.name) == (1, "me")
    scored = profile.list_front(ArticleQuery())
    assert [one.card.id for one in scored] == articles
    assert all(one.hours == 0 and one.because == "" and one.reasons == () for one in scored)
    assert profile.list_interests() == []
    with pytest.raises(KeyError):
        Profile(store, "nobody")


def test_reading_brings_similar_articles_forward_and_says_why(store: Store) -> None:
    read = add(store, 1, "Flood tide", "harbour", category="environment")
    plain = add(store, 2, "golf", feed=2, category="sport")
    alike = add(store, 8, "flood tide", "Mayor", category="environment")
    profile = Profile(store)
    assert front(profile) == [read, plain, alike]
    profile.record_event("finished", read)
    assert front(profile) == [alike, plain, read]  # what was opened makes room, though it is of most interest
    best = profile.list_front(ArticleQuery())[0]
    assert best.because == "because you read about flood tide"
    assert best.hours > 6
    assert {reason.kind for reason in best.reasons} == {"term", "source", "category"}
    assert [one.card.id for one in profile.score(store.articles.find_cards([plain, alike], 1))] == [plain, alike]


def test_a_word_of_an_interest_counts_in_part(store: Store) -> None:
    profile = Profile(store)
    profile.set_interest("term", "climate change", 1.0)
    profile.set_interest("term", "気候変動", 1.0)
    cards = store.articles.find_cards(
        [
            add(store, 1, "Climate Change"),
            add(store, 2, "climate summit"),
            add(store, 3, "exchange"),
            add(store, 4, "気候"),
        ],
        profile.id,
    )
    whole, part, none, han = (one.hours for one in profile.score(cards))
    assert whole > part > 0
    assert none == 0
    assert han > 0


@pytest.mark.parametrize("event", ["hidden", "disliked"])
def test_what_is_hidden_or_disliked_goes_back(store: Store, event: str) -> None:
    bad = add(store, 1, "golf", category="sport")
    alike = add(store, 2, "golf", category="sport")
    other = add(store, 4, "tide", feed=2, category="science")
    profile = Profile(store)
    profile.record_event(event, bad)
    ordered = front(profile)
    assert ordered.index(other) < ordered.index(alike)
    assert (bad in ordered) == (event == "disliked")
    assert all(one.weight < 0 for one in profile.list_interests())
    scored = {one.card.id: one for one in profile.list_front(ArticleQuery())}
    assert scored[alike].because == ""  # reasons for standing further back are none to boast of
    assert scored[alike].reasons[0].describe() == "you pass over golf"


def test_events_mark_and_teach_once_and_can_be_taken_back(store: Store) -> None:
    article = add(store, 1, "tide", category="science")
    profile = Profile(store)
    state = profile.record_event("saved", article)
    assert state.saved
    assert store.states.find(1, article) == state
    once = weights(profile)
    assert once["term", "tide"] == pytest.approx(weigh(1.5), abs=1e-3)
    profile.record_event("saved", article)
    assert weights(profile) == pytest.approx(once, abs=1e-4)
    profile.record_event("unsaved", article)
    assert profile.list_interests() == []  # what is nothing is not shown
    profile.record_event("liked", article)
    liked = weights(profile)["term", "tide"]
    profile.record_event("disliked", article)
    assert weights(profile)["term", "tide"] == pytest.approx(-liked, abs=1e-3)
    with pytest.raises(KeyError):
        profile.record_event("opened", 99)
    with pytest.raises(ValueError, match="there is no event"):
        profile.record_event("burnt", article)
    for event in EVENTS:
        assert isinstance(profile.record_event(event, article), State)


def test_what_was_learnt_fades(store: Store) -> None:
    profile = Profile(store)
    profile.record_event("liked", add(store, 1, "tide"))
    profile.set_interest("term", "golf", 0.5)
    before = weights(profile)
    with store.write() as connection:
        connection.execute("UPDATE interests SET moment = moment - ?", (HALF_LIFE,))
    after = weights(profile)
    assert after["term", "tide"] == pytest.approx(weigh(3.0 / 2), abs=1e-3)
    assert after["term", "tide"] < before["term", "tide"]
    assert after["term", "golf"] == 0.5  # set by hand
    with store.write() as connection:
        connection.execute("UPDATE interests SET moment = moment - ?", (20 * HALF_LIFE,))
    profile.record_event("opened", add(store, 2, "piano"))
    assert ("term", "tide") not in weights(profile)
    assert fade(8.0, HALF_LIFE) == 4.0
    assert fade(8.0, -5) == 8.0  # a clock that was put back


def test_interests_are_set_and_removed_by_hand(store: Store) -> None:
    profile = Profile(store)
    article = add(store, 1, "Tide", category="science")
    profile.record_event("opened", article)
    profile.set_interest("term", "tide", -1.0)
    assert weights(profile)["term", "Tide"] == -1.0  # the same interest, as it is written already
    profile.record_event("liked", article)
    assert weights(profile)["term", "Tide"] == -1.0  # reading does not change what was set
    assert next(one for one in profile.list_interests() if one.kind == "source").title == "One"
    profile.remove_interest("term", "Tide")
    assert ("term", "Tide") not in weights(profile)
    for kind, name, weight in (("planet", "x", 0.5), ("term", " ", 0.5), ("term", "x" * 101, 0.5), ("term", "x", 2.0)):
        with pytest.raises(ValueError, match="interest"):
            profile.set_interest(kind, name, weight)
    profile.forget()
    assert profile.list_interests() == []
    assert store.states.find(1, article).liked == 1


def test_interests_are_bounded(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profiles_interests, "MOST_INTERESTS", {"term": 10, "source": 10, "category": 10})
    profile = Profile(store)
    for number in range(20):
        profile.record_event("finished", add(store, number, f"topic {number}", "tide"))
    found = profile.list_interests()
    assert len([one for one in found if one.kind == "term"]) <= 10
    assert ("term", "tide") in weights(profile)  # the strongest stays
    assert all(-1 < one.weight < 1 for one in found)
    evidence = store.connection.execute("SELECT max(weight) FROM interests").fetchone()[0]
    assert evidence <= MOST_EVIDENCE
    for number in range(10):
        profile.set_interest("term", f"own {number}", 1.0)
    with pytest.raises(ValueError, match="remove one"):
        profile.set_interest("term", "own 11", 1.0)
    assert set(MOST_INTERESTS) == {"term", "source", "category"}


def test_no_article_is_moved_further_than_the_most(store: Store) -> None:
    words = [f"word{number}" for number in range(8)]
    interests = [Interest("term", word, 1.0) for word in words]
    interests += [Interest("source", "1", 1.0), Interest("category", "science", 1.0)]
    card = store.articles.find_cards([add(store, 1, *words, category="science")])[0]
    assert Scorer(interests).score(card).hours == pytest.approx(MOST_HOURS)
    against = [Interest(one.kind, one.name, -1.0) for one in interests]
    assert Scorer(against).score(card).hours == pytest.approx(-MOST_HOURS)


def test_profiles_are_apart(store: Store) -> None:
    article = add(store, 1, "tide")
    other = add_profile(store, "  Lan  Anh ")
    assert other.name == "Lan Anh"
    other.record_event("liked", article)
    assert Profile(store, "me").list_interests() == []
    assert [one.name for one in list_profiles(store)] == ["me", "Lan Anh"]
    for name in ("", "me", "x" * 61, "a\0b"):
        with pytest.raises(ValueError, match=r"name"):
            add_profile(store, name)
    assert rename_profile(store, other.id, "An").list_interests() != []
    remove_profile(store, other.id)
    assert store.connection.execute("SELECT count(*) FROM interests").fetchone()[0] == 0
    with pytest.raises(ValueError, match="only profile"):
        remove_profile(store, 1)


@pytest.mark.parametrize("interest", [("category", "science"), ("term", 'ebb "tide"'), ("source", "1")])
def test_pages_of_the_front_page_have_every_article_once(store: Store, interest: tuple[str, str]) -> None:
    """Also where there are more articles than are looked at, and what is of interest is older than those."""
    count = NEWEST_CONSIDERED + 100
    with store.write():
        articles = [add(store, number, "golf", feed=2) for number in range(count)]
        favourite = add(store, count + 5, 'ebb "tide"', category="science")
        far = add(store, count + 90, "golf", feed=2)
    profile = Profile(store)
    profile.set_interest(*interest, 1.0)
    found: list[int] = []
    while page := profile.list_front(ArticleQuery(limit=50), len(found)):
        found += [one.card.id for one in page]
    assert sorted(found) == sorted([*articles, favourite, far])
    assert found.index(favourite) == NEWEST_CONSIDERED  # it was looked at, though a hundred more are newer
    assert found[-1] == far
    newest = [card.id for card in store.articles.list_cards(ArticleQuery(profile=1, limit=1000))]
    assert newest == [*articles, favourite, far]  # the unpersonal order is untouched


def test_wishes_are_kept(store: Store) -> None:
    profile = Profile(store)
    tide, golf = add(store, 1, "tide", category="science"), add(store, 2, "golf", category="sport", feed=2)
    profile.set_interest("term", "golf", 1.0)
    assert front(profile) == [golf, tide]
    assert [one.card.id for one in profile.list_front(ArticleQuery(category="science"))] == [tide]
    assert [one.card.id for one in profile.list_front(ArticleQuery(feed=2))] == [golf]
    profile.record_event("hidden", golf)
    assert front(profile) == [tide]
