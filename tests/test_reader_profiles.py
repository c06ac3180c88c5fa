"""Profiles: events teach interests, users can see and change them, and they order the front page."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bodytext.reader.analysis import Frequencies, analyse
from bodytext.reader.profiles import interests as profiles_interests
from bodytext.reader.profiles.interests import HALF_LIFE, MOST_EVIDENCE, MOST_INTERESTS, fade, weigh
from bodytext.reader.profiles.profiles import (
    EVENTS,
    LIKED_WORTH,
    NEWEST_CONSIDERED,
    WORTH,
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
from bodytext.reader.store.store import Store

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
    """Store an article that is as many hours old as its number says."""
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
    return {
        (interest.kind, interest.name): round(interest.weight, 6)
        for interest in profile.list_interests()
    }


def test_a_new_profile_sees_the_newest_first_and_no_reasons(store: Store) -> None:
    articles = [add(store, number, "tide", category="science") for number in range(5)]
    profile = Profile(store)
    assert (profile.id, profile.name) == (1, "me")
    scored = profile.list_front(ArticleQuery())
    assert [item.card.id for item in scored] == articles
    assert all(item.hours == 0 and item.because == "" and item.reasons == () for item in scored)
    assert profile.list_interests() == []
    with pytest.raises(KeyError):
        Profile(store, "nobody")


def test_reading_moves_similar_articles_up_and_says_why(store: Store) -> None:
    read = add(store, 1, "Flood tide", "harbour", category="environment")
    plain = add(store, 2, "golf", feed=2, category="sport")
    alike = add(store, 8, "flood tide", "Mayor", category="environment")
    profile = Profile(store)
    assert front(profile) == [read, plain, alike]
    profile.record_event("finished", read)
    # An opened article moves back, though it is the most interesting
    assert front(profile) == [
        alike,
        plain,
        read,
    ]
    best = profile.list_front(ArticleQuery())[0]
    assert best.because == "because you read about flood tide"
    assert best.hours > 6
    assert {reason.kind for reason in best.reasons} == {"term", "source", "category"}
    assert [
        item.card.id for item in profile.score(store.articles.find_cards([plain, alike], 1))
    ] == [plain, alike]


def test_openings_under_ten_seconds_teach_nothing_and_likes_outweigh_the_others(
    store: Store,
) -> None:
    profile = Profile(store)
    opened = add(store, 1, "golf", category="sport", feed=2)
    profile.record_event("opened", opened)
    assert profile.list_interests() == []
    for number in range(2, 10):
        profile.record_event("read", add(store, number, f"word{number}", category="world", feed=2))
    profile.record_event("liked", add(store, 10, "tide", category="science"))
    assert weights(profile)["category", "science"] > weights(profile)["category", "world"]


def test_only_a_like_makes_a_category_liked(store: Store) -> None:
    profile = Profile(store)
    for number in range(1, 9):
        profile.record_event("finished", add(store, number, f"word{number}", category="sport"))
    card = add(store, 20, "cup", category="sport", feed=2)
    scored = {item.card.id: item for item in profile.list_front(ArticleQuery())}
    assert scored[card].because == "because you read about sport"
    profile.record_event("liked", 1)
    scored = {item.card.id: item for item in profile.list_front(ArticleQuery())}
    assert scored[card].because == "because you like sport"


@pytest.mark.parametrize("likes", [2, 3])
def test_after_three_likes_every_fresh_article_of_a_category_is_on_page_one(
    store: Store, likes: int
) -> None:
    """Even if many newer articles are of more interest by their words."""
    profile = Profile(store)
    profile.set_interest("term", "golden tide", 1.0)
    with store.write():
        for number in range(60):
            add(store, number + 100, "golden tide", category="science", published=NOW - number)
        sport = [
            add(store, number + 200, f"cup {number}", category="sport", feed=2,
                published=NOW - number * 2 * HOUR)
            for number in range(1, 12)
        ]  # fmt: skip
        old = add(store, 300, "old cup", category="sport", feed=2, published=NOW - 30 * HOUR)
        for number in range(likes):
            liked = add(store, number + 400, f"match {number}", category="sport", feed=2)
            profile.record_event("liked", liked)
    page = [item.card.id for item in profile.list_front(ArticleQuery(limit=24))]
    assert (set(sport) <= set(page)) == (likes == 3)
    assert old not in page
    found: list[int] = []
    while part := profile.list_front(ArticleQuery(limit=24), len(found)):
        found += [item.card.id for item in part]
    assert sorted(found) == sorted(set(found))
    assert len(found) == 60 + 11 + 1 + likes
    if likes == 3:
        profile.record_event("disliked", liked)
        page = [item.card.id for item in profile.list_front(ArticleQuery(limit=24))]
        assert not set(sport) <= set(page)


def sign(words: str) -> bytes:
    return analyse("", f"{words}.", "en", Frequencies()).signature


def test_a_story_that_was_read_sinks_until_an_article_tells_much_more(store: Store) -> None:
    told = "Storm floods Marebo harbour, mayor Kostan orders evacuation of Lintorp district"
    more = "Prosecutors arrest engineer Veldu: falsified reports about Marebo floodgates, ministry resigns"
    copy = add(store, 1, "storm", signature=sign(told + " tonight"), language="en", feed=2)
    read = add(store, 3, "storm", signature=sign(told), language="en", story=copy)
    other = add(store, 8, "golf", feed=2, signature=sign("Golf club wins"), language="en")
    profile = Profile(store)
    profile.record_event("opened", read)
    first, *known = profile.list_front(ArticleQuery())
    assert first.card.id == other
    # The article that was read comes first, and its card lists the other.
    assert [item.card.id for item in known] == [read, copy]
    assert all(item.is_known for item in known)
    assert all(item.because == "" for item in known)
    update = add(store, 0, "storm", signature=sign(more), language="en", story=copy, feed=2)
    foreign = add(store, 0, "storm", url="https://one.example/f", signature=sign(more),
                  language="de", story=copy, feed=2)  # fmt: skip
    scored = {item.card.id: item for item in profile.list_front(ArticleQuery())}
    assert scored[update].has_news
    assert scored[update].because == "much is new in this story since you read it"
    assert front(profile)[0] == update
    assert scored[foreign].is_known
    profile.record_event("unopened", read)
    assert not any(item.is_known for item in profile.list_front(ArticleQuery()))


def test_a_word_of_an_interest_counts_partly(store: Store) -> None:
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
    whole, part, none, han = (item.hours for item in profile.score(cards))
    assert whole > part > 0
    assert none == 0
    assert han > 0


@pytest.mark.parametrize("event", ["hidden", "disliked"])
def test_articles_like_hidden_or_disliked_ones_move_down(store: Store, event: str) -> None:
    bad = add(store, 1, "golf", category="sport")
    alike = add(store, 2, "golf", category="sport")
    other = add(store, 4, "tide", feed=2, category="science")
    profile = Profile(store)
    profile.record_event(event, bad)
    ordered = front(profile)
    assert ordered.index(other) < ordered.index(alike)
    assert (bad in ordered) == (event == "disliked")
    assert all(interest.weight < 0 for interest in profile.list_interests())
    scored = {item.card.id: item for item in profile.list_front(ArticleQuery())}
    assert scored[alike].because == ""  # only reasons for moving up are shown
    assert scored[alike].reasons[0].describe() == "you pass over golf"


def test_events_count_once_and_can_be_taken_back(store: Store) -> None:
    article = add(store, 1, "tide", category="science")
    profile = Profile(store)
    state = profile.record_event("saved", article)
    assert state.saved
    assert store.states.find(1, article) == state
    once = weights(profile)
    assert once["term", "tide"] == pytest.approx(weigh(WORTH["saved"]), abs=1e-3)
    profile.record_event("saved", article)
    assert weights(profile) == pytest.approx(once, abs=1e-4)
    profile.record_event("unsaved", article)
    assert profile.list_interests() == []  # an interest without weight is not listed
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


def test_learnt_interests_fade(store: Store) -> None:
    profile = Profile(store)
    profile.record_event("liked", add(store, 1, "tide"))
    profile.set_interest("term", "golf", 0.5)
    before = weights(profile)
    with store.write() as connection:
        connection.execute("UPDATE interests SET moment = moment - ?", (HALF_LIFE,))
    after = weights(profile)
    assert after["term", "tide"] == pytest.approx(weigh(LIKED_WORTH / 2), abs=1e-3)
    assert after["term", "tide"] < before["term", "tide"]
    assert after["term", "golf"] == 0.5  # set by hand
    with store.write() as connection:
        connection.execute("UPDATE interests SET moment = moment - ?", (20 * HALF_LIFE,))
    profile.record_event("read", add(store, 2, "piano"))
    assert ("term", "tide") not in weights(profile)
    assert fade(8.0, HALF_LIFE) == 4.0
    assert fade(8.0, -5) == 8.0  # the clock was put back


def test_interests_are_set_and_removed_by_hand(store: Store) -> None:
    profile = Profile(store)
    article = add(store, 1, "Tide", category="science")
    profile.record_event("read", article)
    profile.set_interest("term", "tide", -1.0)
    assert weights(profile)["term", "Tide"] == -1.0  # the same interest, with its known spelling
    profile.record_event("liked", article)
    # Reading does not change an interest set by hand
    assert weights(profile)["term", "Tide"] == -1.0
    assert (
        next(interest for interest in profile.list_interests() if interest.kind == "source").title
        == "One"
    )
    profile.remove_interest("term", "Tide")
    assert ("term", "Tide") not in weights(profile)
    for kind, name, weight in (
        ("planet", "x", 0.5),
        ("term", " ", 0.5),
        ("term", "x" * 101, 0.5),
        ("term", "x", 2.0),
    ):
        with pytest.raises(ValueError, match="interest"):
            profile.set_interest(kind, name, weight)
    profile.forget()
    assert profile.list_interests() == []
    assert store.states.find(1, article).liked == 1


def test_the_number_of_interests_is_limited(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        profiles_interests, "MOST_INTERESTS", {"term": 10, "source": 10, "category": 10}
    )
    profile = Profile(store)
    for number in range(20):
        profile.record_event("finished", add(store, number, f"topic {number}", "tide"))
    found = profile.list_interests()
    assert len([interest for interest in found if interest.kind == "term"]) <= 10
    assert ("term", "tide") in weights(profile)  # the strongest stays
    assert all(-1 < interest.weight < 1 for interest in found)
    evidence = store.connection.execute("SELECT max(weight) FROM interests").fetchone()[0]
    assert evidence <= MOST_EVIDENCE
    for number in range(10):
        profile.set_interest("term", f"own {number}", 1.0)
    with pytest.raises(ValueError, match="remove one"):
        profile.set_interest("term", "own 11", 1.0)
    assert set(MOST_INTERESTS) == {"term", "source", "category"}


def test_no_article_is_moved_by_more_than_the_limit(store: Store) -> None:
    words = [f"word{number}" for number in range(8)]
    interests = [Interest("term", word, 1.0) for word in words]
    interests += [Interest("source", "1", 1.0), Interest("category", "science", 1.0)]
    card = store.articles.find_cards([add(store, 1, *words, category="science")])[0]
    assert Scorer(interests).score(card).hours == pytest.approx(MOST_HOURS)
    against = [Interest(interest.kind, interest.name, -1.0) for interest in interests]
    assert Scorer(against).score(card).hours == pytest.approx(-MOST_HOURS)


def test_profiles_are_separate(store: Store) -> None:
    article = add(store, 1, "tide")
    other = add_profile(store, "  Lan  Anh ")
    assert other.name == "Lan Anh"
    other.record_event("liked", article)
    assert Profile(store, "me").list_interests() == []
    assert [profile.name for profile in list_profiles(store)] == ["me", "Lan Anh"]
    for name in ("", "me", "x" * 61, "a\0b"):
        with pytest.raises(ValueError, match=r"name"):
            add_profile(store, name)
    assert rename_profile(store, other.id, "An").list_interests() != []
    remove_profile(store, other.id)
    assert store.connection.execute("SELECT count(*) FROM interests").fetchone()[0] == 0
    with pytest.raises(ValueError, match="only profile"):
        remove_profile(store, 1)


@pytest.mark.parametrize(
    "interest", [("category", "science"), ("term", 'ebb "tide"'), ("source", "1")]
)
def test_the_front_page_lists_every_article_once(store: Store, interest: tuple[str, str]) -> None:
    """Even if there are more articles than are considered, and the interesting ones are older."""
    count = NEWEST_CONSIDERED + 100
    with store.write():
        articles = [add(store, number, "golf", feed=2) for number in range(count)]
        favourite = add(store, count + 5, 'ebb "tide"', category="science")
        far = add(store, count + 90, "golf", feed=2)
    profile = Profile(store)
    profile.set_interest(*interest, 1.0)
    found: list[int] = []
    while page := profile.list_front(ArticleQuery(limit=50), len(found)):
        found += [item.card.id for item in page]
    assert sorted(found) == sorted([*articles, favourite, far])
    # It was considered, though a hundred others are newer
    assert found.index(favourite) == NEWEST_CONSIDERED
    assert found[-1] == far
    newest = [card.id for card in store.articles.list_cards(ArticleQuery(profile=1, limit=1000))]
    assert newest == [*articles, favourite, far]  # the order without interests is unchanged


def test_the_front_page_respects_the_query(store: Store) -> None:
    profile = Profile(store)
    tide, golf = (
        add(store, 1, "tide", category="science"),
        add(store, 2, "golf", category="sport", feed=2),
    )
    profile.set_interest("term", "golf", 1.0)
    assert front(profile) == [golf, tide]
    assert [item.card.id for item in profile.list_front(ArticleQuery(category="science"))] == [tide]
    assert [item.card.id for item in profile.list_front(ArticleQuery(feed=2))] == [golf]
    profile.record_event("hidden", golf)
    assert front(profile) == [tide]
