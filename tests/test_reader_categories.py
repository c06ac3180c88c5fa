"""Categories: guessed from examples and sections, corrected by users, and learnt from that."""

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from bodytext.reader.categories import examples as categories_examples
from bodytext.reader.categories.categories import (
    CLEAR_SECTION,
    LEARNT_AT_ONCE,
    LEAST_CHANCE,
    Categories,
)
from bodytext.reader.categories.examples import FEED_WEIGHT, read_examples, weigh_sections
from bodytext.reader.categories.features import ArticleFeatures, find_features
from bodytext.reader.categories.model import (
    MOST_CATEGORIES,
    MOST_FEATURES,
    CategoryModel,
    learn_examples,
    pack,
    unpack,
)
from bodytext.reader.store.draft import ArticleDraft
from bodytext.reader.store.store import Store

NEWS = [
    tuple(line.split(" ", 2))
    for line in (Path(__file__).parent / "reader_news.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]
LANGUAGES = ("en", "de", "fr", "es", "vi", "zh", "ja")
CHESS = (
    "The grandmaster sacrificed a rook and mated with bishop and knight.",
    "After the queen's gambit white castled early and won a pawn in the endgame.",
    "The chess federation announced the pairings of the candidates.",
    "Black resigned when the knight forked king and rook.",
    "The opening was a Sicilian, the middlegame a struggle for the open file.",
    "Her rating rose after a draw by repetition with the bishop pair.",
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "reader.sqlite") as opened:
        with opened.write() as connection:
            connection.execute(
                "INSERT INTO feeds (id, url, title) VALUES (1, 'https://news.example/feed', 'News')"
            )
        yield opened


def add(store: Store, number: int, title: str, text: str, **values: object) -> int:
    """Store an article like an update does, with its guessed category."""
    url = str(values.pop("url", f"https://news.example/{number}"))
    feed_categories = values.pop("categories", ())
    guess = Categories(store).guess(title, text, url, feed_categories)  # type: ignore[arg-type]
    found: dict[str, object] = {
        "title": title,
        "text": text,
        "category": guess.name,
        "category_chance": guess.chance,
    }
    article = store.articles.add(
        ArticleDraft(1, url, categories=feed_categories, **(found | values))  # type: ignore[arg-type]
    )
    assert article is not None
    return article


def category_of(store: Store, article: int) -> str:
    found = store.articles.find(article)
    assert found
    return found.card.category


def test_the_examples_are_complete() -> None:
    known = read_examples()
    assert len(known.categories) == 11
    for category in known.categories:
        languages = [example.language for example in known.examples if example.category == category]
        assert {
            "en",
            "de",
            "fr",
            "es",
            "vi",
            "zh",
            "ja",
            "pt",
            "it",
            "nl",
            "ru",
            "el",
            "pl",
        } == set(languages)
        assert all(languages.count(language) >= 4 for language in LANGUAGES)


def test_every_section_belongs_to_one_category() -> None:
    file = Path(categories_examples.__file__).with_suffix(".txt")
    category = ""
    for line in file.read_text("utf-8").splitlines():
        if line.startswith("== "):
            category = line.removeprefix("== ")
        if line.startswith("sections: "):
            for name in line.split()[1:]:
                assert weigh_sections("", (name,)) == {category: FEED_WEIGHT}, name


def test_generated_news_is_recognised_by_its_text_alone(store: Store) -> None:
    """A lower bound; benchmarks/reader_categories.py measures more."""
    categories = Categories(store)
    right = dict.fromkeys(LANGUAGES, 0)
    sure = wrong = 0
    for category, language, rest in NEWS:
        title, text = rest.split(" | ")
        guess = categories.guess(title, text)
        right[language] += guess.name == category
        sure += bool(guess.name)
        wrong += guess.name not in {"", category}
    assert sum(right.values()) >= 60  # of 77
    assert min(right.values()) >= 6  # of 11
    assert wrong <= 4
    assert sure >= 60


@pytest.mark.parametrize(
    ("url", "feed_categories", "category"),
    [
        ("https://news.example/sport/2026/a.html", (), "sport"),
        ("https://news.example/the-thao/a.html", (), "sport"),
        ("https://www.news.example/nachrichten/wirtschaft/a", (), "business"),
        ("https://news.example/kinh-doanh/chung-khoan/a", (), "business"),
        ("https://sport.news.example/a", (), "sport"),
        ("https://news.example/%E4%BD%93%E8%82%B2/a", (), "sport"),
        ("https://news.example/a", ("Thể thao",), "sport"),
        ("https://news.example/a", ("Économie", "France"), "business"),
        ("https://news.example/a", ("政治",), "politics"),
        ("https://news.example/a", ("スポーツ",), "sport"),
        ("https://news.example/a", ("Science & Tech", "Santé"), "health"),
        ("https://news.example/sport", (), ""),  # the page's own name is not a section
        ("https://sport.example/a", (), ""),  # and neither is the site's
        ("https://news.example/a", (), ""),
        ("http://[broken", ("\0",), ""),
        ("", (), ""),
    ],
)
def test_sections_and_feeds_suggest_a_category(
    url: str, feed_categories: tuple[str, ...], category: str
) -> None:
    found = weigh_sections(url, feed_categories)
    assert max(found, key=lambda name: found[name], default="") == category


def test_a_section_decides_where_the_text_does_not(store: Store) -> None:
    categories = Categories(store)
    assert categories.guess("Once more", "It was a long day.").name == ""
    unsure = Categories(store, 1.1).guess("Cup final", "The striker scored a goal.")
    assert unsure == ("", 0.0, "sport")  # the reader asks: "Sport?"
    guess = categories.guess("Once more", "It was a long day.", "https://news.example/kultur/5")
    assert guess.name == "culture"
    assert guess.chance > 0.8
    assert categories.guess("", "") == ("", 0.0, "")
    assert categories.guess("ข่าวด่วนวันนี้", "ไม่มีตัวอย่างในภาษานี้เลย").name == ""


def test_a_correction_changes_similar_articles_at_once(store: Store) -> None:
    chess = [
        add(store, number, "A game of chess", " ".join(CHESS[number:] + CHESS[:number][:3]))
        for number in range(4)
    ]
    other = [
        add(store, 100 + number, *rest.split(" | "))
        for number, (_, language, rest) in enumerate(NEWS)
        if language == "en"
    ]
    before = {article: category_of(store, article) for article in other}
    changed = Categories(store).correct(chess[0], "Chess")
    assert changed[0] == chess[0]
    assert {category_of(store, article) for article in chess} == {"Chess"}
    assert set(changed) >= set(chess)
    assert sum(category_of(store, article) != category for article, category in before.items()) <= 1
    again = Categories(store)
    # Another object has learnt it too
    assert again.guess("Chess tonight", CHESS[3]).name == "Chess"
    assert "Chess" in again.list_names()
    assert again.list_names()[: len(read_examples().categories)] == list(read_examples().categories)


def test_a_correction_stays(store: Store) -> None:
    sport = add(
        store,
        1,
        "Striker scores twice",
        "The team won the derby; the coach praised the goalkeeper.",
    )
    assert category_of(store, sport) == "sport"
    categories = Categories(store)
    categories.correct(sport, "Local")
    for number in range(5):
        other = add(
            store,
            10 + number,
            f"Striker scores {number}",
            "The team won the match; fans in the stadium sang.",
        )
        categories.correct(other, "sport")
    assert category_of(store, sport) == "Local"
    assert category_of(store, other) == "sport"
    categories.correct(sport, "SPORT")  # the case of the known name stays
    assert category_of(store, sport) == "sport"


def test_a_correction_stays_when_the_page_arrives_later(store: Store) -> None:
    article = add(store, 1, "A game of chess", "", problem="the host was down")
    Categories(store).correct(article, "Chess")
    page = ArticleDraft(
        1,
        "https://news.example/1",
        title="Chess",
        text=CHESS[0],
        category="sport",
        category_chance=0.5,
        words=9,
    )
    assert store.articles.add(page) is None
    found = store.articles.find(article)
    assert found
    assert found.text == CHESS[0]
    assert (found.card.category, found.card.category_chance) == ("Chess", 1.0)


def test_a_correction_teaches_the_sections_of_a_site(store: Store) -> None:
    categories = Categories(store)
    first = add(
        store,
        1,
        "Evening",
        "It was a long day in town.",
        url="https://news.example/leute-von-hier/1",
    )
    categories.correct(first, "culture")
    guess = categories.guess(
        "Morning", "Something else happened.", "https://news.example/leute-von-hier/2"
    )
    assert guess.name == "culture"
    assert (
        categories.guess(
            "Morning", "Something else happened.", "https://news.example/anders/2"
        ).name
        == ""
    )


def test_the_model_is_made_again_from_the_corrections(store: Store) -> None:
    article = add(store, 1, "A game of chess", " ".join(CHESS[:3]))
    Categories(store).correct(article, "Chess")
    for damage in (
        "UPDATE weights SET data = x'00ff' WHERE name LIKE '%corrected%'",
        "DELETE FROM weights",
    ):
        with store.write() as connection:
            connection.execute(damage)
        assert Categories(store).guess("Chess", CHESS[0]).name == "Chess"


def test_articles_with_a_clear_section_teach(store: Store) -> None:
    categories = Categories(store)
    text = (
        "Der Zweier ohne Steuermann ruderte auf der Regattastrecke, Riemen und Skull lagen bereit."
    )
    before = categories.guess("Rudern auf dem See", text)
    for number in range(50):
        categories.learn(f"Rudern {number}", text, f"https://news.example/sport/{number}")
    categories.save()
    after = categories.guess("Rudern auf dem See", text)
    assert after.name == "sport"
    assert after.chance > before.chance or before.name != "sport"
    assert Categories(store).guess("Rudern auf dem See", text) == after  # it is stored
    assert not any(
        weight >= CLEAR_SECTION
        for weight in weigh_sections("https://news.example/x/1", ()).values()
    )
    categories.learn(
        "Schach", CHESS[0], "https://news.example/sport/kultur/1"
    )  # an article with two sections teaches nothing
    categories.save()
    assert Categories(store).guess("Rudern auf dem See", text) == after
    for number in range(LEARNT_AT_ONCE):
        categories.learn(
            f"Segeln {number}",
            "Kutter und Jollen kreuzten.",
            f"https://news.example/sport/{number}",
        )
    assert (
        Categories(store).guess("Segeln", "Kutter und Jollen kreuzten.").name == "sport"
    )  # many lessons are stored at once


def test_a_model_has_a_limit() -> None:
    count = MOST_FEATURES + 10
    numbers = np.arange(count, dtype=np.uint32)
    model = CategoryModel().widen(numbers, ("a", "b"))
    model.move(ArticleFeatures(numbers, np.linspace(0, 1, count, dtype=np.float32)), "a", "b", 1.0)
    kept = model.narrow()
    assert len(kept.keys) == MOST_FEATURES * 3 // 4
    assert kept.keys[-1] == count - 1  # the strongest stay
    assert kept.narrow() is kept
    assert kept.widen(kept.keys[:5], ("b",)) is kept


def test_another_program_sees_a_correction(store: Store, tmp_path: Path) -> None:
    article = add(store, 1, "A game of chess", " ".join(CHESS[:3]))
    with Store(tmp_path / "reader.sqlite") as other:
        waiting = Categories(other)
        assert waiting.guess("Chess", CHESS[0]).name != "Chess"
        Categories(store).correct(article, "Chess")
        assert waiting.guess("Chess", CHESS[0]).name == "Chess"


def test_another_program_keeps_the_lessons_of_sections(store: Store, tmp_path: Path) -> None:
    text = (
        "Der Zweier ohne Steuermann ruderte auf der Regattastrecke, Riemen und Skull lagen bereit."
    )
    with Store(tmp_path / "reader.sqlite") as other:
        late = Categories(other)
        late.guess("Rudern", text)  # it has loaded the present weights
        first = Categories(store)
        for number in range(50):
            first.learn(f"Rudern {number}", text, f"https://news.example/sport/{number}")
        first.save()
        taught = first.guess("Rudern", text)
        late.learn("Jazz im Park", "Die Kapelle spielte.", "https://news.example/kultur/1")
        late.save()
    after = Categories(store).guess("Rudern", text)
    assert after.name == taught.name == "sport"
    assert after.chance == pytest.approx(taught.chance, abs=0.02)


def test_many_threads_may_use_an_object(store: Store) -> None:
    """A thread learns within a transaction, like an update, while others correct and guess."""
    articles = [add(store, number, "A game of chess", CHESS[number]) for number in range(6)]
    categories = Categories(store)

    def work(number: int) -> str:
        with store.write(durable=False):
            categories.learn("Rudern", f"Ruderer {number}", f"https://news.example/sport/{number}")
            categories.save()
        categories.correct(articles[number], "Chess")
        return categories.guess("A game of chess", CHESS[number]).name

    with ThreadPoolExecutor(6) as pool:
        assert set(pool.map(work, range(6), timeout=60)) == {"Chess"}
    assert store.connection.execute("SELECT count(*) FROM corrections").fetchone()[0] == 6


def test_invalid_corrections_change_nothing(store: Store) -> None:
    article = add(store, 1, "A game of chess", CHESS[0])
    categories = Categories(store)
    with pytest.raises(KeyError):
        categories.correct(99, "Chess")
    for name in ("", " \n ", "x" * 41, "a\0b"):
        with pytest.raises(ValueError, match="name"):
            categories.correct(article, name)
    assert store.connection.execute("SELECT count(*) FROM corrections").fetchone()[0] == 0
    assert not store.connection.in_transaction
    for number in range(MOST_CATEGORIES - len(read_examples().categories)):
        categories.correct(add(store, 10 + number, "Chess", CHESS[1]), f"Own {number}")
    with pytest.raises(ValueError, match="already"):
        categories.correct(article, "One more")


def test_the_same_corrections_give_the_same_weights(tmp_path: Path) -> None:
    found = []
    for number in range(2):
        with Store(tmp_path / f"{number}.sqlite") as store:
            with store.write() as connection:
                connection.execute(
                    "INSERT INTO feeds (id, url) VALUES (1, 'https://news.example/feed')"
                )
            articles = [add(store, index, "Chess", text) for index, text in enumerate(CHESS)]
            categories = Categories(store)
            for article in articles[:3]:
                categories.correct(article, "Chess")
            found.append([tuple(categories.guess("", rest)) for _, _, rest in NEWS[:20]])
    assert found[0] == found[1]


def test_weights_are_packed_and_unpacked() -> None:
    model = learn_examples()
    again = unpack(pack(model))
    assert again.names == model.names
    assert (again.weights == model.weights).all()
    with pytest.raises((ValueError, OSError)):
        unpack(b"rubbish")


@pytest.mark.slow
def test_hostile_texts_are_quick() -> None:
    for text in (
        "a" * 1_000_000,
        "a b " * 300_000,
        "\ud800 \x00" * 1000,
        "漢" * 100_000,
        "a-" * 100_000,
    ):
        started = time.process_time()
        features = find_features(text, text, text, [text] * 1000)
        assert time.process_time() - started < 3
        assert len(features.numbers) == len(set(features.numbers.tolist()))
    assert LEAST_CHANCE > 1 / 11
    json.dumps([float(value) for value in features.values])
