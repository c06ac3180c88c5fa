"""The analysis of articles: sentences, terms, keywords, graph, summary, noise, signature."""

import time
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bodytext.reader.analysis import Frequencies, analyse, find_asides, languages
from bodytext.reader.analysis.graph import MOST_SENTENCES, build_graph
from bodytext.reader.analysis.keywords import MOST
from bodytext.reader.analysis.noise import connect, find_noise
from bodytext.reader.analysis.sentences import split_sentences
from bodytext.reader.analysis.signature import (
    Signature,
    compare_copies,
    compare_names,
    compare_terms,
    sign_article,
)
from bodytext.reader.analysis.summary import order_sentences
from bodytext.reader.analysis.terms import find_terms, fold
from bodytext.views.structure.element import Element

ANY_TEXT = st.text(
    alphabet=st.one_of(
        st.characters(), st.sampled_from(" \n\t.!?。」『」abcDEé中文ไทยกนかナ\ud800\x00\u200b1239")
    ),
    max_size=300,
)
QUAKE = (
    "A strong earthquake shook Orvanto on Monday night. At least 84 people died in the old town. "
    "The earthquake destroyed the bridge of Orvanto, Mayor Mira Kostan said. Rescue teams from the capital reached "
    "the old town in the morning. Mira Kostan asked the government for tents and water. The government sent soldiers "
    "to Orvanto. Experts warned that the earthquake might be followed by others."
)


def cut(text: str, language: str = "") -> list[str]:
    return [text[start:end] for start, end in split_sentences(text, language)]


# Sentences


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        (
            "en",
            [
                "Mr. Ito of the U.S. Army came at 5 p.m. yesterday.",
                '"Why?" he asked.',
                "It was 3.5 percent.",
            ],
        ),
        (
            "en",
            [
                "J. R. Doe left in 2019.",
                "He was 12.",
                "Then what?",
                "Nothing…",
                "(It rained.)",
                "So he said.",
            ],
        ),
        ("de", ["Am 3. Oktober kam z.B. Dr. Müller.", "Er blieb um 12.30 Uhr stehen."]),
        ("es", ["¿Quién vino?", "¡Nadie!", "«Es verdad.»", "Fin."]),
        ("el", ["Ποιος είναι;", "Δεν ξέρω."]),
        ("ru", ["Он пришёл в 10 ч. утра.", "Потом ушёл."]),
        ("hi", ["यह हिन्दी है।", "यह दूसरा वाक्य है।"]),
        ("ar", ["ماذا حدث؟", "لا شيء.", "هذا نص."]),
        ("ur", ["یہ پہلا جملہ ہے۔", "یہ دوسرا ہے۔"]),
        ("ko", ["비가 왔다.", "그래서 집에 있었다."]),
        ("vi", ["Trời mưa.", "Ông ấy ở nhà."]),
        ("am", ["ዝናብ ዘነበ።", "ቤት ነበር።"]),
    ],
)
def test_sentences_in_scripts_with_spaces(language: str, expected: list[str]) -> None:
    assert cut(" ".join(expected), language) == expected


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("zh", ["他来了。", "“谁？”", "没有人！", "第四句"]),
        ("ja", ["雨が降った。", "「はい。」と言った。", "テレビを見る。"]),
        ("my", ["မိုးရွာသည်။", "အိမ်မှာရှိသည်။"]),
        ("km", ["ភ្លៀងធ្លាក់។", "គាត់នៅផ្ទះ។"]),
    ],
)
def test_sentences_in_scripts_without_spaces(language: str, expected: list[str]) -> None:
    assert cut("".join(expected), language) == expected


def test_thai_sentences_are_clauses_of_some_length() -> None:
    clause = "ภาษาไทยเป็นภาษาที่มีระดับเสียงของคำแน่นอน"
    parts = cut(" ".join([clause] * 6), "th")
    assert 2 <= len(parts) <= 4
    assert "".join(parts).replace(" ", "") == clause * 6


def test_a_line_ends_a_sentence_unless_it_breaks_off() -> None:
    assert cut("Heading\n\nText of it.\nItem one\nItem two") == [
        "Heading",
        "Text of it.",
        "Item one",
        "Item two",
    ]
    assert cut("a line that breaks\noff here.") == ["a line that breaks\noff here."]
    assert cut("1. First item. More of it.") == ["1. First item.", "More of it."]


@given(ANY_TEXT, st.sampled_from(["", "en", "de", "th", "ja", "el"]))
def test_sentences_cover_the_text_in_order(text: str, language: str) -> None:
    end, left = 0, ""
    for start, stop in split_sentences(text, language):
        assert end <= start < stop <= len(text)
        assert text[start:stop].strip() == text[start:stop]
        left += text[end:start]
        end = stop
    assert not (left + text[end:]).strip()


# Terms and frequencies


def test_terms_of_every_script() -> None:
    def names(text: str) -> list[str]:
        return [term.name for term in find_terms(text)]

    assert names("L'Été: COVID-19, naïve_test") == ["l", "été", "covid", "19", "naïve", "test"]
    assert names("हिन्दी भाषा") == ["हिन्दी", "भाषा"]
    assert names("东京女子 テレビを見る") == ["东京", "京女", "女子", "テレビ", "見"]
    assert names("ภาษาไทย") == ["ภาษา", "าษาไ", "ษาไท", "าไทย"]
    assert names("می\u200cخواهم") == ["میخواهم"]
    assert names("\ud800\x00 — …") == []


def test_terms_have_positions_and_names_are_marked() -> None:
    text = "In Oslo 34 people met."
    found = {term.name: term for term in find_terms(text)}
    assert text[found["oslo"].start : found["oslo"].end] == "Oslo"
    assert [name for name, term in found.items() if term.is_name] == ["in", "oslo", "34"]
    assert [term.name for term in find_terms(text, 8, 17)] == ["34", "people"]


def test_folding_makes_equal_looking_words_equal() -> None:
    assert fold("CAFE\u0301") == fold("Café") == "café"
    assert len(fold("x" * 500)) < 50


def test_rarity_is_guessed_from_length_and_then_counted() -> None:
    nothing = Frequencies()
    assert nothing.rarity("of") < nothing.rarity("bridge") < nothing.rarity("reconstruction")
    counted = Frequencies(1_000, {"bridge": 900, "ort": 1})
    assert counted.rarity("bridge") < 0.2
    assert counted.rarity("ort") > counted.rarity("bridge") + 4


def test_rarity_is_guessed_relative_to_the_words_of_the_text() -> None:
    text = ["मैं", "और", "तुम", "हम", "सब", "यहाँ", "हैं", "बावड़ी", "में", "पानी", "है"]
    rarities = Frequencies().weigh(text)
    assert rarities["बावड़ी"] > rarities["में"]
    assert (
        Frequencies().weigh(["ba", "be", "bo", "bring"])["bring"]
        > Frequencies().weigh(["bridges", "bring"])["bring"]
    )


# Keywords


def test_keywords_name_the_topic() -> None:
    found = analyse("Earthquake in Orvanto", QUAKE, "en", Frequencies())
    names = [name for name, _ in found.keywords]
    assert {"Orvanto", "earthquake", "Mira Kostan"} <= set(names[:6])
    assert "Kostan" not in names
    weights = [weight for _, weight in found.keywords]
    assert weights[0] == 1
    assert weights == sorted(weights, reverse=True)
    assert len(names) <= MOST


def test_common_words_are_not_keywords_once_they_are_counted() -> None:
    text = "Wellington berichtet. Er berichtet, dass Kormorane brüten. Kormorane brüten hier, Wellington berichtet."
    # In a language of which nothing is known
    before = {name for name, _ in analyse("", text, "xx", Frequencies()).keywords}
    assert any("berichtet" in name for name in before)
    after = {
        name for name, _ in analyse("", text, "xx", Frequencies(500, {"berichtet": 400})).keywords
    }
    assert not any("berichtet" in name for name in after)
    assert "Kormorane brüten" in after


def test_an_amount_is_not_a_keyword() -> None:
    text = (
        "The ferry takes 100 passengers on Windows 11. " * 3
        + "It is the ferry that takes 100 passengers each day."
    )
    found = [word for word, _ in analyse("The ferry", text, "en", Frequencies()).keywords]
    assert "passengers" in found
    assert "Windows 11" in found
    assert not [word for word in found if word[0].isdigit()]


def test_a_very_long_word_is_not_a_keyword() -> None:
    prose = (
        "The harbour is closed, and the harbour master wrote that it will be so for the week. " * 10
    )
    text = f"{prose}See https://news.example/{'long' * 50} for more, and{' rubbish' * 2} {'long' * 50} as well."
    found = [word for word, _ in analyse("The harbour", text, "en", Frequencies()).keywords]
    assert found[0].startswith("harbour")
    assert not [word for word in found if "longlong" in word]


def test_keywords_in_scripts_without_spaces_are_repeated_runs() -> None:
    text = "东京女子医大宣布改革。记者说，东京女子医大的理事长被捕。警方搜查了东京女子医大。"
    names = [name for name, _ in analyse("", text, "zh", Frequencies()).keywords]
    assert "东京女子医大" in names


# The graph, the summary, the noise


def test_the_most_central_sentence_is_similar_to_others() -> None:
    sentences = [["sun", "sea"], ["sea", "wind", "sun"], ["sea", "wind"], ["tax", "law"]]
    graph = build_graph(sentences, [], dict.fromkeys(["sun", "sea", "wind", "tax", "law"], 1.0))
    assert graph.rank.argmax() == 1
    assert graph.rank.argmin() == 3
    assert graph.rank.mean() == pytest.approx(1, abs=0.02)
    assert graph.likeness[1, 2] == pytest.approx(2 / np.sqrt(6))
    assert not graph.likeness.diagonal().any()
    assert np.array_equal(graph.likeness, graph.likeness.T)


def test_the_title_influences_the_summary() -> None:
    text = "Rain fell in the valley all night. Farmers there were glad. The minister of finance resigned on Sunday."
    plain = analyse("Rain in the valley", text, "en", Frequencies())
    other = analyse("Minister of finance resigned", text, "en", Frequencies())
    assert plain.ranking[0] == 0
    assert other.ranking[0] == 2


def test_a_summary_does_not_repeat_itself() -> None:
    sentences = [
        ["storm", "coast", "night"],
        ["storm", "coast", "night"],
        ["storm", "harbour", "ships", "coast"],
    ]
    graph = build_graph(sentences, [], {name: 1.0 for names in sentences for name in names})
    shown = ["The storm hit the coast at night."] * 2 + [
        "In the harbour ships sank off the coast in the storm."
    ]
    order = order_sentences(graph, shown, [7, 7, 10], ())
    assert order[1] == 2
    assert sorted(order) == [0, 1, 2]


def test_headings_and_noise_are_not_in_the_summary() -> None:
    text = "Earthquake in Orvanto\n\n" + QUAKE
    found = analyse("Earthquake in Orvanto", text, "en", Frequencies())
    assert 0 not in found.ranking[:3]
    assert sorted(found.ranking) == list(range(len(found.sentences)))


FOREIGN = "Click the blue button below. Choose your favourite newsletter topics. Unsubscribe whenever you like."


def long_article() -> str:
    subjects = (
        "The river",
        "The old river",
        "The river near Kelmira",
        "In Kelmira the river",
        "Kelmira's river",
    )
    verbs = (
        "flooded the fields",
        "rose above the dam",
        "carried away the bridge",
        "reached the mill",
        "hit the dam",
    )
    ends = (
        "in the night.",
        "before the dam broke.",
        "and the fields.",
        "while the mill stood still.",
    )
    return " ".join(
        f"{subject} {verb} {end}" for subject in subjects for verb in verbs for end in ends[:2]
    )


def test_inserted_foreign_text_is_noise() -> None:
    article = long_article()
    assert analyse("River", article, "en", Frequencies()).noise == ()
    text = f"{article} {FOREIGN}"
    found = analyse("River", text, "en", Frequencies())
    dropped = [text[slice(*found.sentences[number])] for number in found.noise]
    assert dropped
    assert all(sentence in FOREIGN for sentence in dropped)
    assert not set(found.noise) & set(found.ranking[:5])


def test_short_articles_have_no_noise() -> None:
    graph = build_graph([["a"], ["b"], ["c"]], [], {"a": 1.0, "b": 1.0, "c": 1.0})
    assert find_noise(graph) == ()
    assert len(connect(graph)) == 3


# Signatures


def signed(title: str, text: str, language: str = "en") -> Signature:
    return Signature.unpack(analyse(title, text, language, Frequencies()).signature)


def test_signatures_tell_copies_and_stories_apart() -> None:
    quake = signed("Earthquake in Orvanto", QUAKE)
    copy = signed("Quake!", QUAKE.replace("Monday", "Tuesday"))
    retold = signed(
        "Orvanto mourns",
        "Mayor Mira Kostan mourns 84 dead in Orvanto, where an earthquake broke a bridge.",
    )
    other = signed(
        "Cup final", "Helvora won the cup final against Zentrak after a penalty by Oskar Pline."
    )
    assert compare_copies(quake, copy) > 0.8
    assert compare_copies(quake, retold) < 0.2
    assert compare_terms(quake, retold) > 0.3
    assert compare_terms(quake, other) < 0.1
    assert compare_terms(quake, quake) == pytest.approx(1, abs=0.01)


def test_names_are_compared_across_languages() -> None:
    quake = signed("Earthquake in Orvanto", QUAKE)
    german = signed("Beben", "In Orvanto starben 84 Menschen. Mira Kostan bat um Zelte.", "de")
    cosine, shared = compare_names(quake, german)
    assert shared == 4
    assert cosine > 0.3
    assert compare_names(quake, signed("", "nothing here at all")) == (0.0, 0)


@pytest.mark.parametrize("data", [b"", b"x", b"\0" * 281])
def test_a_broken_signature_is_similar_to_nothing(data: bytes) -> None:
    broken = Signature.unpack(data)
    quake = signed("", QUAKE)
    assert (
        compare_terms(quake, broken)
        == compare_copies(quake, broken)
        == compare_names(quake, broken)[0]
        == 0
    )


def test_a_signature_survives_packing() -> None:
    signature = sign_article(
        "a b c", {"a": 2.0, "b": 1.0, "c": 0.0}, {"a": 1.0, "b": 1.0, "c": 0.0}, {"b"}
    )
    again = Signature.unpack(signature.pack())
    assert again.pack() == signature.pack()
    assert len(again.terms) == 2


# Anything at all


@settings(deadline=None)
@given(ANY_TEXT, ANY_TEXT, st.sampled_from(["", "und", "en", "th", "zh"]))
def test_any_text_can_be_analysed(title: str, text: str, language: str) -> None:
    found = analyse(title, text, language, Frequencies(3, {"a": 3}))
    assert sorted(found.ranking) == list(range(len(found.sentences)))
    assert set(found.noise) <= set(range(len(found.sentences)))
    assert all(name.strip() == name and name for name, _ in found.keywords)
    assert "" not in found.terms
    "".join(found.terms).encode("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "a. " * 100_000,
        "x" * 1_000_000,
        "word " * 200_000,
        "\n" * 1_000_000,
        "中" * 200_000,
        "ก" * 200_000,
        "." * 1_000_000,
        " ".join(f"w{number}" for number in range(100_000)),
        "Mr. " * 100_000,
        "\u200b" * 500_000,
        "line\n" * 100_000,
    ],
    ids=[
        "stops",
        "one word",
        "words",
        "lines",
        "han",
        "thai",
        "dots",
        "vocabulary",
        "titles",
        "invisible",
        "short lines",
    ],
)
def test_hostile_texts_are_quick(text: str) -> None:
    started = time.process_time()
    found = analyse("title", text, "", Frequencies())
    assert time.process_time() - started < 5
    assert len(found.keywords) <= MOST
    assert len(found.signature) < 1_000


def test_the_graph_has_a_limit() -> None:
    graph = build_graph([["a"]] * (MOST_SENTENCES * 3), ["a"], {"a": 1.0})
    assert len(graph) == MOST_SENTENCES


KEYWORD_TEXTS = {
    "en": (
        "Missile strikes harbour",
        ("A missile hit the harbour on Monday. Officials quickly confirmed that the missiles were fired from a ship. "
        "They will investigate the harbour, and engineers want to repair the missile battery. Officials say the ship "
        "was sunk. The officials really need to investigate quickly, but they also need to repair the harbour."),
        {"investigate", "quickly", "repair", "need", "really", "confirmed", "say", "want"},
        {"harbour", "missile"},
    ),
    "de": (
        "Feuer im Hafen",
        ("Das Feuer im Hafen brannte lange. Die Feuerwehr löschte das Feuer schnell und untersucht den Hafen. Die "
        "Polizei untersucht nun, warum das Feuer im Hafen brannte. Die Feuerwehren warnen eindringlich vor Feuer."),
        {"brannte", "untersucht", "schnell", "eindringlich", "warnen", "lange"},
        {"Feuer", "Hafen"},
    ),
    "es": (
        "La inundación cierra el puerto",
        ("La inundación cerró el puerto rápidamente. El alcalde quiere reparar el puerto y no puede reparar el dique. "
        "Las inundaciones dañaron el dique. El alcalde dijo que la inundación realmente empezó en el dique viejo."),
        {"rápidamente", "reparar", "realmente", "dijo", "quiere"},
        {"inundación", "dique"},
    ),
    "ru": (
        "Шторм закрыл порт",
        ("Шторм закрыл порт. Поэтому спасатели продолжают работать, спасатели начинают проверять дамбу. Шторм "
        "повредил дамбу, и спасатели продолжают восстанавливать дамбу. Например, шторм повредил причал."),
        {"продолжают", "начинают", "поэтому", "например"},
        {"дамбу", "спасатели"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("language", KEYWORD_TEXTS)
def test_keywords_are_neither_function_words_nor_verbs_nor_adverbs(language: str) -> None:
    title, text, bad, good = KEYWORD_TEXTS[language]
    found = [word for word, _ in analyse(title, text, language, Frequencies()).keywords]
    words = {part.lower() for word in found for part in word.split()}
    assert not words & {word.lower() for word in bad}
    assert {word.lower() for word in good} <= words


@pytest.fixture
def no_libraries(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing of the extra `words` is installed."""
    cached = (languages.list_common_words, languages.find_stemmer, languages._find_cutter)
    with monkeypatch.context() as patch:
        patch.setattr(languages, "_import", lambda _: None)
        for function in cached:
            function.cache_clear()
        yield
    for function in cached:
        function.cache_clear()


def check_merging() -> None:
    text = (
        "The election is near. The elections of the city council are free. A city council has elections. "
        "The council voted, the councils of the city agree, and the city pays for the election."
    )
    found = [word.lower() for word, _ in analyse("", text, "en", Frequencies()).keywords]
    assert len([word for word in found if word.startswith("election")]) == 1
    assert len([word for word in found if "council" in word]) == 1


def test_inflections_and_parts_of_phrases_are_merged() -> None:
    pytest.importorskip("snowballstemmer")
    check_merging()


@pytest.mark.usefixtures("no_libraries")
def test_inflections_are_merged_without_libraries() -> None:
    check_merging()


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("ja", "東京都は警察無線の工事を発表した。東京都の警察無線は新しい。警察無線の工事が続く。", {"警察無線", "工事"}),
        ("zh", "人民币汇率今天下跌。人民币汇率受到市场关注，央行表示人民币汇率稳定。", {"人民币汇率"}),
        ("th", "นายกรัฐมนตรีแถลงข่าวน้ำท่วม นายกรัฐมนตรีกล่าวว่าน้ำท่วมรุนแรง", {"นายกรัฐมนตรี"}),
    ],
)  # fmt: skip
def test_words_without_spaces_are_cut_at_words(language: str, text: str, words: set[str]) -> None:
    pytest.importorskip("budoux")
    found = {word for word, _ in analyse("", text, language, Frequencies()).keywords}
    assert words <= found


@pytest.mark.usefixtures("no_libraries")
def test_without_libraries_thai_has_no_pieces_of_words() -> None:
    text = "นายกรัฐมนตรีแถลงข่าวน้ำท่วม นายกรัฐมนตรีกล่าวว่าน้ำท่วมรุนแรง"
    found = {word for word, _ in analyse("", text, "th", Frequencies()).keywords}
    assert all(len(word) > 4 for word in found)
    text = "東京都は警察無線の工事を発表した。東京都の警察無線は新しい。"
    assert "警察無線" in {word for word, _ in analyse("", text, "ja", Frequencies()).keywords}


def test_a_summary_of_one_sentence_says_what_the_headline_says() -> None:
    text = (
        "It was a quiet night in the old town. The storm surge closed the harbour of Marebo on Monday, and two ships "
        "sank. Fishermen watched from the hills. Fishermen say that fishermen lose most when fishermen cannot fish. "
        "The fishermen of the town met in the hall. The fishermen asked for help. The mayor promised the fishermen "
        "help. Nobody was hurt in the night. The town has six hundred fishermen."
    )
    found = analyse("Storm closes harbour of Marebo", text, "en", Frequencies())
    assert text[slice(*found.sentences[found.ranking[0]])].startswith("The storm surge closed")


@pytest.mark.parametrize(
    "notice",
    [
        "READ MORE: Storm closes the harbour of Marebo again.",
        "Sign up for our newsletter about the storm and the harbour of Marebo.",
        "Lesen Sie auch: Der Sturm und der Hafen von Marebo.",
        "Lire aussi: la tempête ferme le port de Marebo.",
        "© 2026 Marebo Press. All rights reserved.",
        "Jane Doe is a freelance travel writer who lives near the harbour of Marebo.",
        "Photo: the harbour of Marebo after the storm on Monday.",
        "関連記事 嵐で港が閉鎖されたマレボの人々の暮らし。",
    ],
)
def test_notices_are_never_in_a_summary(notice: str) -> None:
    sentences = [
        f"The storm in Marebo did damage number {number} to the harbour on Monday."
        for number in range(6)
    ]
    text = "\n\n".join([notice, *sentences, notice])
    found = analyse("Storm closes harbour of Marebo", text, "en", Frequencies())
    best = [text[slice(*found.sentences[number])] for number in found.ranking[:5]]
    assert not any(sentence in notice or notice in sentence for sentence in best)


def test_captions_headings_and_items_are_not_in_a_summary() -> None:
    lines = [
        "The storm closed the harbour of Marebo on Monday morning.",
        "Storm in the harbour of Marebo.",
    ]
    caption, item = Element("figcaption", (lines[0],)), Element("li", (lines[1],))
    body = Element("body", (caption, Element("ul", (item,))))
    below = "Waves in the harbour of Marebo during the storm on Monday."
    asides = find_asides(body, [{"caption": below}, {"kind": "video"}])
    assert asides == {*lines, below}
    prose = [f"Ship number {n} was damaged by the storm in Marebo on Monday." for n in range(6)]
    text = "\n\n".join([*lines, below, *prose])
    for chosen, expected in ((frozenset[str](), True), (asides, False)):
        found = analyse("Storm closes harbour of Marebo", text, "en", Frequencies(), chosen)
        best = {text[slice(*found.sentences[number])] for number in found.ranking[:3]}
        assert bool(best & asides) is expected
