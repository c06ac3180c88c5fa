"""Find the language of a page, as a tag such as vi or pt-BR."""

import re
from collections.abc import Iterator
from functools import lru_cache

from bodytext.kernel import read_first_runs
from bodytext.kernel.html import TAG
from bodytext.kernel.table_columns import NodeColumn
from bodytext.kernel.tokens import unescape
from bodytext.page.late_pattern import late_pattern
from bodytext.page.tables import Page
from bodytext.views.metadata.candidates import Candidate, Proposal, first_candidate
from bodytext.views.metadata.statements import Statements

_TAG = late_pattern(
    r"([a-zA-Z]{2,3})(?:[-_]([a-zA-Z]{4}))?(?:[-_]([a-zA-Z]{2}|\d{3}))?(?:[-_.@].*)?", re.DOTALL
)
_METAS = ("content-language", "dc:language", "dcterms:language", "language", "item:inlanguage")
# Undetermined, several, none; the name of an encoding
_NO_LANGUAGE = frozenset({"und", "mul", "zxx", "utf"})
_HTML = TAG["html"]
_TAG_COLUMN = int(NodeColumn.TAG)  # as a plain number, which is faster
_FIRST_NODES = 5  # <html> is one of them
_SAMPLE = 8_000  # bytes of text for a guess
_SMALL_SAMPLE = 2_000  # where few have another language: declared English, plain letters
_BYTES_PER_REFERENCE = 40  # at most, of a text that has its letters as references
_FEWEST_LETTERS = 20  # for a guess
_FOREIGN = 0.2  # share of letters beyond those of English that contradict it
_SURE = 0.2  # share of the letters in a script from which on its language is certain
# The letters of scripts of a single language of the web. The first that is frequent enough counts:
# kana before Han.
_LETTERS = {
    "ja": "\u3040-\u30ff",
    "ko": "\uac00-\ud7af",
    "zh": "\u4e00-\u9fff",
    "th": "\u0e00-\u0e7f",
    "he": "\u0590-\u05ff",
    "el": "\u0370-\u03ff",
    "ka": "\u10a0-\u10ff",
    "hy": "\u0530-\u058f",
    "ta": "\u0b80-\u0bff",
    "te": "\u0c00-\u0c7f",
    "bn": "\u0980-\u09ff",
    "km": "\u1780-\u17ff",
    "lo": "\u0e80-\u0eff",
    "vi": "\u1ea0-\u1ef9\u01a0\u01a1\u01af\u01b0",
}
_ANY_SCRIPT = late_pattern(f"[{''.join(_LETTERS.values())}]")
_SCRIPTS = {language: late_pattern(f"[{letters}]") for language, letters in _LETTERS.items()}
# In UTF-8 each of these letters begins with one of these bytes; few others do.
_FIRST_BYTES = bytes((0xC6, *range(0xCD, 0xD0), *range(0xD4, 0xD8), 0xE0, 0xE1, *range(0xE3, 0xEE)))
_OTHER_BYTES = bytes(set(range(256)) - set(_FIRST_BYTES))
_ASCII = bytes(range(128))
_NO_ASCII_LETTERS = bytes(byte for byte in range(256) if not bytes((byte,)).isalpha())
_SURE_BY_SCRIPT = {"ja": 0.05, "vi": 0.05}  # kana among Han, marked vowels among plain letters


def find_language(statements: Statements) -> Candidate:
    """The language in <html>, in data or in metas, or that of a script with one language.

    Templates declare English: letters of another script in title and text contradict it. A page
    in plain characters may have its letters as references, in its title too.
    """
    declared = first_candidate(_propose(statements))
    if declared and not declared.value.startswith("en"):
        return declared
    page = statements.page
    is_plain = bool(declared) or page.source.isascii()
    if is_plain and not _ANY_SCRIPT.search(page.title):
        return declared  # most
    size = _SMALL_SAMPLE if is_plain else _SAMPLE
    guess = _guess(_sample(page, size), _FOREIGN if declared else 0.0)
    return Candidate(guess, "letters", 0.8) if guess else declared


def _propose(statements: Statements) -> Iterator[Proposal]:
    page = statements.page
    first = page.tables[0][_TAG_COLUMN, :_FIRST_NODES].tolist()
    if _HTML in first:
        html = first.index(_HTML)
        yield language_tag(page.attribute(html, b"lang")), "html", 0.95
        yield language_tag(page.attribute(html, b"xml:lang")), "html", 0.95
    for value in statements.texts(statements.main.get("inLanguage"), "alternateName", "name"):
        yield language_tag(value), "json-ld", 0.9
    for value in statements.all(*_METAS, "og:locale"):
        yield language_tag(value), "meta", 0.85


def _sample(page: Page, size: int) -> bytes:
    """The first text of a page, in UTF-8; pages may have their letters as references."""
    sample = read_first_runs(page.source, page.tables[1], size)
    if sample.count(b"&#") * _BYTES_PER_REFERENCE < len(sample):
        return sample  # most: few references are quotation marks
    return unescape(sample.decode("utf-8", "ignore")).encode("utf-8", "ignore")


@lru_cache(maxsize=200)  # few are in use
def language_tag(value: str) -> str:
    """A language tag in its usual spelling; empty for a value that is not a tag.

    >>> language_tag("pt_br"), language_tag("EN"), language_tag("zh-hant-TW")
    ('pt-BR', 'en', 'zh-Hant-TW')
    >>> language_tag("English")
    ''
    """
    match = _TAG.fullmatch(value.strip().partition(",")[0].strip())
    if match is None or match[1].lower() in _NO_LANGUAGE:
        return ""
    parts = [match[1].lower(), (match[2] or "").title(), (match[3] or "").upper()]
    return "-".join(part for part in parts if part)


def _guess(sample: bytes, foreign: float) -> str:
    """The language of a text by its script; empty where the script has several languages.

    `foreign` is the share of the letters that are not those of English, at least.
    """
    first_bytes = len(sample.translate(None, _OTHER_BYTES))
    plain = 0 if not first_bytes else len(sample.translate(None, _NO_ASCII_LETTERS))
    if first_bytes <= _SURE_BY_SCRIPT["vi"] * plain:  # most
        return ""
    others = sample.translate(None, _ASCII).decode("utf-8", "ignore")
    foreign_letters = sum(map(str.isalpha, others))
    letters = plain + foreign_letters
    if letters < _FEWEST_LETTERS or foreign_letters < foreign * letters:
        return ""
    for language, script in _SCRIPTS.items():
        if len(script.findall(others)) >= _SURE_BY_SCRIPT.get(language, _SURE) * letters:
            return language
    return ""
