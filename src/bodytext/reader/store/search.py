"""Prepare searches and texts for SQLite's full-text index (FTS5)."""

import re
import unicodedata

# Scripts without spaces between words: Thai, Lao, Burmese, Khmer, kana, Han, Yi.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf"
    "\uf900-\ufaff\U00020000-\U0003ffff"
)
_UNSPACED_CHARACTER = re.compile(f"([{_UNSPACED}])")
_GAP = "\u200b"  # a space of no width: FTS5 splits words there, and no reader sees it
_TERM = re.compile(r'(-?)(?:"([^"]*)"?|([^\s"]+))')
_TOKEN = re.compile(r"\w", re.UNICODE)
_LEAST_PREFIX = 3  # characters; too many words begin with fewer
_MOST_TERMS = 32


def insert_gaps(text: str | None) -> str:
    r"""Put a gap on both sides of each character of a script without spaces.

    Letters with marks become one character (NFC): some pages write them as two.

    >>> insert_gaps("The 東京 tower").replace("\u200b", "|")
    'The |東||京| tower'
    """
    if not text or text.isascii():
        return text or ""
    return _UNSPACED_CHARACTER.sub(f"{_GAP}\\1{_GAP}", unicodedata.normalize("NFC", text))


def remove_gaps(text: str) -> str:
    """Undo `insert_gaps`."""
    return text.replace(_GAP, "")


def read_query(words: str) -> str:
    """Make a valid FTS5 query: all words, "phrases" and no -words; empty if none are left.

    The last word also matches longer words that begin with it: the user may still be typing it.

    >>> read_query('storm "high tide" -football harb'), read_query('NEAR( * "')
    ('("storm" "high tide" "harb" *) NOT "football"', '"NEAR("')
    """
    wanted: list[str] = []
    unwanted: list[str] = []
    terms = list(_TERM.finditer(words.replace("\0", " ")))[:_MOST_TERMS]
    for term in terms:
        text = insert_gaps(term[2] or term[3] or "")
        if not _TOKEN.search(text):
            continue
        if term[1]:
            unwanted.append(f'"{text}"')
        else:
            is_last = term is terms[-1] and words.endswith(term[0])
            wanted.append(f'"{text}" *' if is_last and _is_prefix(term, text) else f'"{text}"')
    return _join(wanted, unwanted)


def _join(wanted: list[str], unwanted: list[str]) -> str:
    if not wanted:
        return ""
    query = " ".join(wanted)
    return f"({query}) NOT {' NOT '.join(unwanted)}" if unwanted else query


def _is_prefix(term: re.Match[str], text: str) -> bool:
    """Whether a term can be the beginning of a word: no phrase, and not too short."""
    return term[2] is None and len(text) >= _LEAST_PREFIX and text.isalnum()
