"""The reader's database: lists, search, states, transactions, many threads, versions."""

import sqlite3
import threading
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bodytext.reader.profiles.profiles import Profile
from bodytext.reader.store import database
from bodytext.reader.store.articles import FOUND, FOUND_END, ArticleQuery
from bodytext.reader.store.database import StoreError, default_path
from bodytext.reader.store.draft import ArticleDraft
from bodytext.reader.store.highlights import Highlights
from bodytext.reader.store.records import State
from bodytext.reader.store.store import Store

TEXT = "A great storm closed the harbour. Nobody was hurt. The ferry leaves tomorrow."
NOW = 1_800_000_000


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "reader.sqlite") as opened:
        yield opened


def add(store: Store, number: int, **values: object) -> int:
    feed = store.feeds.add("https://news.example/feed", "News")
    draft = ArticleDraft(
        feed.id,
        f"https://news.example/{number}",
        f"Title {number}",
        published=NOW - number,
        fetched=NOW,
    )
    draft = replace(draft, **{"text": TEXT, **values})  # type: ignore[arg-type]
    article = store.articles.add(draft)
    assert article is not None
    return article


def test_lists_are_newest_first_and_have_pages(store: Store) -> None:
    for number in range(25):
        add(store, number, category="sport" if number % 2 else "science")
    first = store.articles.list_cards(ArticleQuery(limit=10))
    assert [card.title for card in first] == [f"Title {number}" for number in range(10)]
    seen = list(first)
    while page := store.articles.list_cards(
        ArticleQuery(limit=10, before=(seen[-1].published, seen[-1].id))
    ):
        seen += page
    assert [card.title for card in seen] == [f"Title {number}" for number in range(25)]
    sport = store.articles.list_cards(ArticleQuery(category="sport", limit=100))
    assert [card.title for card in sport] == [f"Title {number}" for number in range(1, 25, 2)]
    assert store.articles.count_categories() == {"science": 13, "sport": 12}
    assert len(store.articles.list_cards(ArticleQuery(since=NOW - 5))) == 6
    assert [card.id for card in store.articles.find_cards([seen[3].id, 999, seen[1].id])] == [
        seen[3].id,
        seen[1].id,
    ]


def test_no_article_is_lost_between_pages(store: Store) -> None:
    numbers = {add(store, number, published=NOW) for number in range(7)}
    seen: list[int] = []
    before = None
    while page := store.articles.list_cards(ArticleQuery(limit=2, before=before)):
        seen += [card.id for card in page]
        before = (page[-1].published, page[-1].id)
    assert len(seen) == 7
    assert set(seen) == numbers


def test_states(store: Store) -> None:
    one, two, three = (add(store, number) for number in range(3))
    assert store.states.mark(1, one, opened=True, saved=True).saved
    moment = store.states.find(1, one).opened
    # The first moment counts
    assert store.states.mark(1, one, opened=True, liked=-1).opened == moment
    store.states.mark(1, two, hidden=True)
    assert [card.id for card in store.articles.list_cards(ArticleQuery(profile=1))] == [one, three]
    assert [
        card.id for card in store.articles.list_cards(ArticleQuery(profile=1, unread=True))
    ] == [three]
    assert [card.id for card in store.articles.list_cards(ArticleQuery(profile=1, saved=True))] == [
        one
    ]
    assert [
        card.id for card in store.articles.list_cards(ArticleQuery(profile=1, hidden=True))
    ] == [one, two, three]
    assert [card.id for card in store.articles.list_cards(ArticleQuery(profile=2))] == [
        one,
        two,
        three,
    ]
    assert store.states.count(1) == {"articles": 3, "unread": 1, "saved": 1}
    assert not store.states.mark(1, one, saved=False).saved
    store.states.mark_opened(1, [one, three])
    assert store.states.find(1, one).opened == moment
    assert store.states.find(1, three).opened
    for wrong in ({"liked": 5}, {"burnt": True}):
        with pytest.raises(ValueError, match="not marked"):
            store.states.mark(1, one, **wrong)
    with pytest.raises(KeyError):
        store.states.mark(1, 999, saved=True)


def test_saved_articles_are_in_the_order_of_saving(store: Store) -> None:
    numbers = [add(store, number) for number in range(4)]
    with store.write() as connection:
        for moment, number in enumerate(reversed(numbers), 1):
            connection.execute(
                "INSERT INTO states (profile, article, saved) VALUES (1, ?, ?)", (number, moment)
            )
    first = store.articles.list_cards(ArticleQuery(profile=1, saved=True, limit=3))
    assert [card.id for card in first] == numbers[:3]
    rest = ArticleQuery(profile=1, saved=True, before=(first[-1].state.saved, first[-1].id))
    assert [card.id for card in store.articles.list_cards(rest)] == numbers[3:]


def test_search(store: Store) -> None:
    storm = add(store, 1)
    tokyo = add(store, 2, title="東京の嵐", text="昨日、東京タワーの近くで大きな嵐がありました。")
    thai = add(store, 3, title="Bangkok", text="กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทย")
    viet = add(store, 4, title="Bão lớn", text="Cơn bão lớn đã đổ bộ vào Hải Phòng.")
    hindi = add(store, 5, title="तूफान", text="मुंबई में बड़ा तूफान आया।")

    def found(words: str) -> list[int]:
        return [card.id for card in store.articles.search(words)]

    assert found("storm harbour") == [storm]
    assert found("STOR") == [storm]  # the last word may be incomplete
    assert found('"storm closed"') == [storm]
    assert found('"closed storm"') == []
    assert found("storm -harbour") == []
    assert found("東京") == found("京タワ") == [tokyo]
    assert found("เมืองหลวง") == [thai]
    assert found("bao lon") == found("bão") == [viet]
    assert found("तूफान") == [hindi]
    card = store.articles.search("ferry")[0]
    assert f"{FOUND}ferry{FOUND_END}" in card.snippet
    assert f"{FOUND}東京{FOUND_END}" in store.articles.search("東京")[0].snippet


@pytest.mark.parametrize(
    "words", ["", " ", '"', '"""', "*", "a*", "NEAR(", "AND", "OR", "NOT x", "title:", "-", "-x", "(((", "\0", "^a",
              "{}", "x" * 100_000, "a b " * 10_000, "'; DROP TABLE articles; --", "\ud800"]
)  # fmt: skip
def test_no_search_is_an_error(store: Store, words: str) -> None:
    add(store, 1)
    assert isinstance(store.articles.search(words), list)


# Words whose letters can be written as one character or as several.
COMPOSED = ("Chợ nổi", "한국 신문", "ガイド", "أحمد", "Αθήνα", "ёлка", "கொடு", "മൊഴി", "ဦး", "क़लम")


@pytest.mark.parametrize("word", COMPOSED)
def test_search_finds_composed_and_decomposed_letters(store: Store, word: str) -> None:
    forms = [unicodedata.normalize(form, word) for form in ("NFC", "NFD")]
    assert len(set(forms)) == 2 or word == "क़लम"  # which is never composed
    numbers = {add(store, number, text=text) for number, text in enumerate(forms, 1)}
    for form in forms:
        assert {card.id for card in store.articles.search(form)} == numbers
    with store.write() as connection:
        connection.execute("DELETE FROM articles")
        connection.execute(
            "INSERT INTO articles_fts (articles_fts, rank) VALUES ('integrity-check', 1)"
        )


def test_an_older_index_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "reader.sqlite"
    composed, decomposed = (unicodedata.normalize(form, "ёлка") for form in ("NFC", "NFD"))
    with monkeypatch.context() as patch:
        patch.setattr(database, "_SCHEMAS", database._SCHEMAS[:4])
        patch.setattr(database, "insert_gaps", lambda text: text)  # as it was
        with Store(path) as store:
            number = add(store, 1, text=decomposed)
            assert store.articles.search(composed) == []
    with Store(path) as store:
        assert [card.id for card in store.articles.search(composed)] == [number]


def test_titles_weigh_more(store: Store) -> None:
    below = add(store, 1, text="The ferry " * 3 + TEXT)
    above = add(store, 2, title="The ferry", text=TEXT + " Much else happened too." * 5)
    assert [card.id for card in store.articles.search("ferry")] == [above, below]


def test_search_follows_changes(store: Store) -> None:
    number = add(store, 1)
    with store.write() as connection:
        connection.execute(
            "UPDATE articles SET text = 'Wholly other words' WHERE id = ?", (number,)
        )
    assert store.articles.search("storm") == []
    assert store.articles.search("wholly")
    with store.write() as connection:
        connection.execute("DELETE FROM articles")
        connection.execute(
            "INSERT INTO articles_fts (articles_fts, rank) VALUES ('integrity-check', 1)"
        )
    assert store.articles.search("wholly") == []


def test_a_summary_is_in_the_order_of_the_text(store: Store) -> None:
    spans = ((0, 33), (34, 50), (51, 78))
    number = add(store, 1, sentences=spans, ranking=(2, 0, 1))
    card = store.articles.find_cards([number])[0]
    assert card.summarise(1) == "The ferry leaves tomorrow."
    assert card.summarise(2) == "A great storm closed the harbour. The ferry leaves tomorrow."
    article = store.articles.find(number)
    assert article is not None
    assert article.summarise(2) == card.summarise(2)


def test_unsubscribing_keeps_saved_articles_and_notes(store: Store) -> None:
    one, two, noted = add(store, 1), add(store, 2), add(store, 3)
    Highlights(store, 1).add(noted, "", "a note")
    feed = store.feeds.list_all()[0]
    store.states.mark(1, one, saved=True)
    store.feeds.remove(feed.id)
    assert store.feeds.list_all() == []
    assert store.articles.find(one) is not None
    assert store.articles.find(two) is None
    assert [one.note for one in Highlights(store, 1).list_all(noted)] == ["a note"]
    assert store.feeds.list_due(2**40) == []
    assert store.feeds.add(feed.url).id == feed.id  # it is live again
    assert store.feeds.list_due(2**40) != []


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "javascript:alert(1)",
        "news",
        "http://",
        "http://a b/",
        "http://u:p@h/",
        "x" * 9000,
    ],
)
def test_invalid_addresses(store: Store, url: str) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        store.feeds.add(url)
    assert store.feeds.list_all() == []


def test_a_transaction_is_all_or_nothing(store: Store) -> None:
    number = add(store, 1)

    def fail() -> None:
        with store.write():
            store.states.mark(1, number, saved=True)
            add(store, 2)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert not store.states.find(1, number).saved
    assert len(store.articles.list_cards(ArticleQuery())) == 1


def test_many_threads(store: Store) -> None:
    """Eight threads store the same fifty articles and mark them; readers see complete ones."""
    problems: list[BaseException] = []
    feed = store.feeds.add("https://news.example/feed")

    def work(profile: int) -> None:
        try:
            for number in range(50):
                store.articles.add(
                    ArticleDraft(
                        feed.id, f"https://news.example/{number}", text=TEXT, guid=str(number)
                    )
                )
                found = store.articles.find_url(f"https://news.example/{number}")
                assert found is not None
                store.states.mark(1, found, opened=True)
                assert all(card.url for card in store.articles.search("storm", profile))
        except BaseException as problem:
            problems.append(problem)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert len(store.articles.list_cards(ArticleQuery(limit=1000))) == 50


def test_a_database_can_be_opened_again(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "er" / "reader.sqlite"
    with Store(path) as store:
        number = add(store, 1)
        store.states.mark(1, number, saved=True)
    with Store(path) as store:
        assert store.states.find(1, number).saved


def test_foreign_databases_are_refused(tmp_path: Path) -> None:
    newer, other = tmp_path / "newer.sqlite", tmp_path / "other.sqlite"
    for path, statement in ((newer, "PRAGMA user_version = 99"), (other, "CREATE TABLE mine (x)")):
        with sqlite3.connect(path) as connection:
            connection.execute(statement)
        connection.close()
    with pytest.raises(StoreError, match="newer bodytext"):
        Store(newer)
    with pytest.raises(StoreError, match="something else"):
        Store(other)


def test_the_default_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert default_path() == Path("/data/bodytext/reader.sqlite")


def test_a_commit_that_fails_leaves_no_transaction_open(store: Store) -> None:
    def fail() -> None:
        with store.write() as connection:
            connection.execute("PRAGMA defer_foreign_keys = ON")  # so that the commit fails
            connection.execute("INSERT INTO states (profile, article, saved) VALUES (1, 999, 1)")

    with pytest.raises(sqlite3.IntegrityError):
        fail()
    article = add(store, 1)
    with sqlite3.connect(store.path) as other:  # other connections see it
        assert other.execute("SELECT id FROM articles").fetchall() == [(article,)]
    other.close()


def test_a_wrong_clock_stops_no_feed(store: Store) -> None:
    feed = store.feeds.add("https://news.example/feed")
    for due, is_due in ((NOW, True), (NOW + 60, False), (NOW + 86400, False), (NOW + 10**8, True)):
        store.feeds.change(feed.id, due=due)
        assert bool(store.feeds.list_due(NOW)) == is_due


def test_a_new_feed_does_not_inherit_interests(store: Store) -> None:
    gone = store.feeds.add("https://gone.example/feed")
    profile = Profile(store)
    profile.set_interest("source", str(gone.id), 1.0)
    store.feeds.remove(gone.id)
    assert store.feeds.add("https://new.example/feed").id == gone.id  # SQLite uses the number again
    assert profile.list_interests() == []


def test_a_database_of_version_3_is_brought_up_to_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "reader.sqlite"
    with monkeypatch.context() as patch:
        patch.setattr(database, "_SCHEMAS", database._SCHEMAS[:3])
        with Store(path) as store, store.write() as connection:
            connection.execute("INSERT INTO feeds (id, url) VALUES (1, 'https://one.example/f')")
            connection.execute(
                "INSERT INTO articles (id, feed, url, title) VALUES (7, 1, 'https://one.example/a', 'Old')"
            )
            connection.execute("INSERT INTO states (profile, article, opened) VALUES (1, 7, 1000)")
    with Store(path) as store:
        assert store.states.find(1, 7) == State(opened=1000, read=1000)
        card = store.articles.list_cards(ArticleQuery(profile=1))[0]
        assert (card.title, card.suggestion) == ("Old", "")
        assert [(feed.kind, feed.method, feed.titled) for feed in store.feeds.list_all()] == [
            ("feed", "", 0)
        ]
