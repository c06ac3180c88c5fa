"""find_language: Statements -> the language tag of the page."""

import re
from collections.abc import Iterator

from bodytext.kernel.html import TAG
from bodytext.views.metadata.candidates import Candidate, first_candidate
from bodytext.views.metadata.statements import Statements

_TAG = re.compile(r"([a-zA-Z]{2,3})(?:[-_]([a-zA-Z]{4}))?(?:[-_]([a-zA-Z]{2}|\d{3}))?(?:[-_.@].*)?", re.DOTALL)
_METAS = ("content-language", "dc:language", "dcterms:language", "language", "item:inlanguage", "og:locale")
_FIRST_NODES = 5  # among which <html> stands
_SAMPLE = 8_000  # bytes of text that the guess looks at
_FEWEST_LETTERS = 20  # that a guess wants
_SURE = 0.2  # share of a script's characters among the letters that makes its language certain
# Scripts that one language of the web is written in; the first that is frequent enough counts, so kana before Han.
_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("ko", re.compile("[\uac00-\ud7af]")),
    ("zh", re.compile("[\u4e00-\u9fff]")),
    ("th", re.compile("[\u0e00-\u0e7f]")),
    ("he", re.compile("[\u0590-\u05ff]")),
    ("el", re.compile("[\u0370-\u03ff]")),
    ("ka", re.compile("[\u10a0-\u10ff]")),
    ("hy", re.compile("[\u0530-\u058f]")),
    ("ta", re.compile("[\u0b80-\u0bff]")),
    ("te", re.compile("[\u0c00-\u0c7f]")),
    ("bn", re.compile("[\u0980-\u09ff]")),
    ("km", re.compile("[\u1780-\u17ff]")),
    ("lo", re.compile("[\u0e80-\u0eff]")),
    ("vi", re.compile("[\u1ea0-\u1ef9\u01a0\u01a1\u01af\u01b0]")),
)
_ANY_SCRIPT = re.compile("|".join(script.pattern for _, script in _SCRIPTS))
_SURE_BY_SCRIPT = {"ja": 0.05, "vi": 0.05}  # kana among Han, marked vowels among plain letters


def find_language(statements: Statements) -> Candidate:
    """The language of the page: what <html> says, then metas and data, then a script that one language alone uses."""
    return first_candidate(_candidates(statements))


def _candidates(statements: Statements) -> Iterator[Candidate]:
    page = statements.page
    first = page.nodes.tag[:_FIRST_NODES].tolist()
    said = page.attributes(first.index(TAG["html"])) if TAG["html"] in first else {}
    yield Candidate(language_tag(said.get("lang", "")), "html", 0.95)
    yield Candidate(language_tag(said.get("xml:lang", "")), "html", 0.95)
    for value in statements.texts(statements.main.get("inLanguage"), "alternateName", "name"):
        yield Candidate(language_tag(value), "json-ld", 0.9)
    for value in statements.all(*_METAS):
        yield Candidate(language_tag(value), "meta", 0.85)
    yield Candidate(_guess(statements), "letters", 0.8)


def language_tag(value: str) -> str:
    """A language tag in its usual spelling; nothing of what is none.

    >>> language_tag("pt_br"), language_tag("EN"), language_tag("zh-hant-TW"), language_tag("English")
    ('pt-BR', 'en', 'zh-Hant-TW', '')
    """
    match = _TAG.fullmatch(value.strip().partition(",")[0].strip())
    if match is None or match[1].lower() in {"und", "mul", "zxx"}:
        return ""
    parts = [match[1].lower(), (match[2] or "").title(), (match[3] or "").upper()]
    return "-".join(part for part in parts if part)


def _guess(statements: Statements) -> str:
    page = statements.page
    starts, ends = page.runs.start[:_SAMPLE].tolist(), page.runs.end[:_SAMPLE].tolist()  # no run is empty
    pieces, left = [], _SAMPLE
    for start, end in zip(starts, ends, strict=True):
        pieces.append(page.source[start : min(end, start + left)])
        left -= end - start
        if left <= 0:
            break
    text = b" ".join(pieces).decode("utf-8", "ignore")
    if text.isascii() or not _ANY_SCRIPT.search(text):
        return ""
    letters = sum(map(str.isalpha, text))
    if letters < _FEWEST_LETTERS:
        return ""
    for language, script in _SCRIPTS:
        if len(script.findall(text)) >= _SURE_BY_SCRIPT.get(language, _SURE) * letters:
            return language
    return ""
