"""Distinguish prose from other strings of data, and turn it into markup."""

import re
from html import escape

from bodytext.kernel.tokens import unescape
from bodytext.kernel.words import measure

_SAMPLE_CHARACTERS = 2_000  # of a string that are looked at
_LEAST_WORDS = 12  # of a sentence or two; labels and buttons have fewer
_MOST_SYMBOLS = 0.04  # of the characters; code, styles, addresses and keys have more
_LONGEST_MEAN_WORD = 18  # characters; German legal prose has fewer than 10

_TAG = re.compile(r"<[^<>]*+>")
_MARKUP = re.compile(
    r"</?(?:p|br|div|span|h[1-6]|ul|ol|li|a|b|i|u|em|strong|table|blockquote|img|figure)\b",
    re.IGNORECASE,
)
_ESCAPED_MARKUP = re.compile(
    r"&lt;/?(?:p|br|div|span|h[1-6]|ul|ol|li|a|b|i|em|strong)\b", re.IGNORECASE
)
# Thai and Lao have none: their texts must be longer
_SENTENCE_END = re.compile(r"[.!?…。！？؟۔।։፧።]")
_SYMBOL = re.compile(r"[{}<>=_/\\|;#$@\[\]~^*]")
# For an application to fill in.
_PLACEHOLDER = re.compile(r"[%$#{]\{|\{\w+\}|%\(?\w*+\)?[sd]\b|%\d\$")
# From the first of the blanks: a search that tried each would be quadratic.
_LINE_BREAK = re.compile(r"(?<!\s)[^\S\n]*+\n\s*+")


def count_words(text: str) -> int:
    """About how many words a string of text or markup has, by a sample if it is long."""
    shown = plain(text[: _SAMPLE_CHARACTERS * 2])
    share = max(len(text) / (_SAMPLE_CHARACTERS * 2), 1.0)
    return int(measure(shown)[0] * share)


def is_prose(text: str) -> bool:
    """Whether a string is sentences for a reader, not code, an address, a style or a label."""
    sample = text[:_SAMPLE_CHARACTERS]
    if "<" not in sample and "&" not in sample and sample.isascii():
        if len(sample.split()) < _LEAST_WORDS:
            return False  # most strings of data
    else:
        sample = plain(sample)
    words, characters, _ = measure(sample)
    if words < _LEAST_WORDS or characters > words * _LONGEST_MEAN_WORD:
        return False
    if _PLACEHOLDER.search(sample):
        return False
    has_sentences = _SENTENCE_END.search(sample) is not None or words > 4 * _LEAST_WORDS
    return has_sentences and len(_SYMBOL.findall(sample)) <= _MOST_SYMBOLS * characters


def is_markup(text: str) -> bool:
    """Whether a string has HTML tags in it."""
    return _MARKUP.search(text) is not None


def plain(text: str) -> str:
    """The text of a string, without its tags."""
    return unescape(_TAG.sub(" ", _reveal_markup(text)))


def _reveal_markup(text: str) -> str:
    """The string, unescaped if it is markup that was escaped once too often."""
    return unescape(text) if _ESCAPED_MARKUP.search(text) and not is_markup(text) else text


def to_markup(text: str) -> str:
    r"""A string of data as HTML: markup as it is, each line of text as a paragraph.

    >>> to_markup("a & b\n\nc &amp; d"), to_markup("&lt;p&gt;a"), to_markup("a<br>b")
    ('<p>a &amp; b</p><p>c &amp; d</p>', '<div><p>a</div>', '<div>a<br>b</div>')
    """
    text = _reveal_markup(text)
    if is_markup(text):
        return f"<div>{text}</div>"
    lines = (line for line in _LINE_BREAK.split(unescape(text).strip()) if line)
    return "".join(f"<p>{escape(line, quote=False)}</p>" for line in lines)
