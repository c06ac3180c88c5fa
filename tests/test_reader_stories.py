"""Stories: articles on the same news within three days are grouped, others are not."""

import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest

from bodytext.reader.analysis import Analysis, Frequencies, analyse
from bodytext.reader.analysis import counts as counting
from bodytext.reader.analysis.counts import StoredFrequencies, count_terms
from bodytext.reader.collection.stories import WINDOW, find_story, index_article
from bodytext.reader.store.draft import ArticleDraft
from bodytext.reader.store.store import Store

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "benchmarks"))

from made_stories import START, StoryReport, make_reports, read_texts

QUAKE = (
    "A strong earthquake shook Orvanto on Monday night and killed 84 people. Mayor Mira Kostan asked for tents. "
    "The bridge to Kelmira collapsed, and 1200 residents were hurt."
)
RETOLD = (
    "Mira Kostan, who governs Orvanto, promised help after the earthquake. The death toll has climbed to 84, and "
    "hospitals treat 1200 wounded. Kelmira cannot be reached."
)
GERMAN = "In Orvanto starben 84 Menschen. Mira Kostan bat um Zelte. 1200 wurden verletzt, Kelmira ist abgeschnitten."
OTHER = "Helvora won the cup final in Vastheim against Zentrak. Oskar Pline scored the only goal in minute 77."


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "reader.sqlite") as opened:
        with opened.write() as connection:
            connection.execute(
                "INSERT INTO feeds (id, url) VALUES (1, 'https://paper.example/feed')"
            )
        yield opened


def look(store: Store, text: str, language: str = "en") -> Analysis:
    return analyse(
        text.partition(".")[0], text, language, StoredFrequencies(store.connection, language)
    )


def put(store: Store, text: str, published: int, language: str = "en") -> tuple[int, int]:
    """Analyse and store an article like an update; return its number and its story."""
    analysis = look(store, text, language)
    story = find_story(store, analysis, published)
    with store.write():
        count = store.connection.execute("SELECT count(*) FROM articles").fetchone()[0]
        draft = ArticleDraft(
            1, f"https://paper.example/{count}", published=published, fetched=published, language=language,
            story=story, text=text, signature=analysis.signature,
        )  # fmt: skip
        number = store.articles.add(draft)
        assert number is not None
        index_article(store, number, analysis, published)
        count_terms(store, analysis.language, analysis.terms)
    return number, story or number


def test_the_same_story_in_other_words_and_languages(store: Store) -> None:
    first, story = put(store, QUAKE, START)
    assert story == first
    assert put(store, OTHER, START + 60)[1] != first
    assert put(store, RETOLD, START + 3600)[1] == first
    assert put(store, GERMAN, START + 7200, "de")[1] == first
    assert put(store, QUAKE.replace("Monday", "Tuesday"), START + 7300)[1] == first


def test_a_similar_event_is_another_story(store: Store) -> None:
    first, _ = put(store, QUAKE, START)
    other = (
        "A strong earthquake shook Duranka on Monday night and killed 17 people. Mayor Emil Garvo asked for tents. "
        "The bridge to Lintorp collapsed, and 640 residents were hurt."
    )
    assert put(store, other, START + 60)[1] != first


def test_stories_have_a_window_of_time(store: Store) -> None:
    first, _ = put(store, QUAKE, START)
    late = look(store, RETOLD)
    assert find_story(store, late, START + WINDOW) == first
    assert find_story(store, late, START + WINDOW + 1) == 0
    assert find_story(store, late, START - WINDOW) == first


def test_a_deleted_article_is_not_found(store: Store) -> None:
    first, _ = put(store, QUAKE, START)
    with store.write() as connection:
        connection.execute("DELETE FROM articles WHERE id = ?", (first,))
    assert find_story(store, look(store, RETOLD), START) == 0
    assert store.connection.execute("SELECT count(*) FROM mentions").fetchone()[0] == 0


def test_indexing_again_changes_nothing(store: Store) -> None:
    first, _ = put(store, QUAKE, START)
    before = store.connection.execute("SELECT * FROM mentions ORDER BY term").fetchall()
    index_article(store, first, look(store, QUAKE), START)
    after = store.connection.execute("SELECT * FROM mentions ORDER BY term").fetchall()
    assert len(after) == len(before) > 5


@pytest.mark.parametrize("text", ["", "…", "Yes.", "404"])
def test_articles_without_words_are_stories_of_their_own(store: Store, text: str) -> None:
    one, _ = put(store, text, START)
    other, story = put(store, text, START)
    assert one != other == story


def test_frequencies_are_counted_by_language_within_a_limit(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(6):
        count_terms(store, "en", ["the", "bridge"])
    count_terms(store, "en", ["once"])
    count_terms(store, "de", ["bridge"])
    rarities = StoredFrequencies(store.connection, "en").weigh(["the", "bridge", "the", "never"])
    assert list(rarities) == ["the", "bridge", "never"]
    assert rarities == Frequencies(7, {"the": 6, "bridge": 6}).weigh(
        ["the", "bridge", "the", "never"]
    )
    monkeypatch.setattr(counting, "MOST_DOCUMENTS", 8)
    count_terms(store, "en", ["the"])
    rows = store.connection.execute(
        "SELECT language, term, documents FROM frequencies ORDER BY language, term"
    )
    assert [tuple(row) for row in rows] == [
        ("de", "", 1), ("de", "bridge", 1), ("en", "", 4), ("en", "bridge", 3), ("en", "the", 3),
    ]  # fmt: skip


def test_the_generated_stories_are_complete() -> None:
    texts = read_texts()
    assert len(texts) == 20
    assert all(
        len(facts) == 6 and all(len(ways) == 3 for ways in facts) for facts in texts.values()
    )


def pair_up(reports: list[StoryReport], found: list[int]) -> tuple[float, float]:
    """Return the precision and recall of the pairs in one language."""
    pairs = [
        (report.story == other.story, found[first] == found[second])
        for (first, report), (second, other) in combinations(enumerate(reports), 2)
        if report.language == other.language
    ]
    both = sum(same and together for same, together in pairs)
    return both / sum(together for _, together in pairs), both / sum(same for same, _ in pairs)


def test_most_generated_stories_are_grouped_correctly(store: Store) -> None:
    """A small part of benchmarks/reader_analysis.py; with few articles counted, fewer stories are found."""
    reports = make_reports(16, 3, seed=5)
    found = []
    for report in reports:
        _, story = put(store, f"{report.title}. {report.text}", report.published, report.language)
        found.append(story)
    precision, recall = pair_up(reports, found)
    assert precision > 0.9
    assert recall > 0.6


def test_the_number_of_candidates_is_limited(store: Store) -> None:
    analysis = look(store, QUAKE)
    rows = [
        (number, f"https://paper.example/{number}", START, number) for number in range(1, 2_001)
    ]
    with store.write() as connection:
        connection.executemany(
            "INSERT INTO articles (id, feed, url, published, story) VALUES (?, 1, ?, ?, ?)", rows
        )
        connection.execute(
            "UPDATE articles SET language = 'en', signature = ?", (analysis.signature,)
        )
        for number, *_ in rows:
            index_article(store, number, analysis, START)
    statements: list[str] = []
    store.connection.set_trace_callback(statements.append)
    assert 1 <= find_story(store, analysis, START) <= 2_000
    store.connection.set_trace_callback(None)
    assert len(statements) < 20
