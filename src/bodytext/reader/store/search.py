"""What somebody types to search -> a question to FTS5 that is never an error; texts -> as its index has them."""

import re

# Scripts whose words are not parted by spaces: Thai, Lao, Burmese, Khmer, kana, Han, Yi.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf"
    "\uf900-\ufaff\U00020000-\U0003ffff"
)
_SPREADING = re.compile(f"([{_UNSPACED}])")
_GAP = "\u200b"  # a space of no width: FTS5 parts words there, and no reader sees it
_PIECE = re.compile(r'(-?)(?:"([^"]*)"?|([^\s"]+))')
_TOKEN = re.compile(r"\w", re.UNICODE)
_LEAST_PREFIX = 3  # characters; the words that begin with fewer are too many to look through
_MOST_PIECES = 32


def spread(text: str | None) -> str:
    r"""The same text with a gap around each character of the scripts that have none between words.

    >>> spread("The 東京 tower").replace("\u200b", "|")
    'The |東||京| tower'
    """
    if not text or text.isascii():
        return text or ""
    return _SPREADING.sub(f"{_GAP}\\1{_GAP}", text)


def gather(text: str) -> str:
    """What was spread, as it was."""
    return text.replace(_GAP, "")


def read_query(words: str) -> str:
    """A question to FTS5: all words, "phrases" as they stand, -words not; empty where there is nothing to look for.

    The last word may be the beginning of one: whoever types it is not at its end.

    >>> read_query('storm "high tide" -football harb'), read_query('NEAR( * "')
    ('("storm" "high tide" "harb" *) NOT "football"', '"NEAR("')
    """
    wanted: list[str] = []
    unwanted: list[str] = []
    found = list(_PIECE.finditer(words.replace("\0", " ")))[:_MOST_PIECES]
    for piece in found:
        text = spread(piece[2] or piece[3] or "")
        if not _TOKEN.search(text):
            continue
        quoted = f'"{text}"'
        last = piece is found[-1] and piece[2] is None and len(text) >= _LEAST_PREFIX and words.endswith(piece[0])
        (unwanted if piece[1] else wanted).append(f"{quoted} *" if last and not piece[1] and text.isalnum() else quoted)
    if not wanted:
        return ""
    question = " ".join(wanted)
    return f"({question}) NOT {' NOT '.join(unwanted)}" if unwanted else question
