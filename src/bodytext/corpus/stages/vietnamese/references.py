"""A text with character references that its page escaped twice in, the Vietnamese letters that they stand for out."""

import re

from bodytext.corpus.stages.vietnamese.syllables import marked_letters

_REFERENCE = re.compile(r"&#(?:[xX]([0-9a-fA-F]{2,4})|([0-9]{3,4}));")


def read_references(text: str) -> str:
    """Replace numeric character references that stand for Vietnamese letters beside other letters.

    A page that escapes twice shows "Vi&#7879;t"; on its own, "&#7879;" is a page that speaks of HTML.

    >>> read_references("Vi&#7879;t Nam, &#7879;, &#1488;x")
    'Việt Nam, &#7879;, &#1488;x'
    """
    return _REFERENCE.sub(_read_reference, text) if "&#" in text else text


def _read_reference(found: re.Match[str]) -> str:
    code = int(found[1], 16) if found[1] else int(found[2])
    text, start, end = found.string, found.start(), found.end()
    beside = text[start - 1 : start].isalpha() or text[end : end + 1].isalpha()
    return chr(code) if beside and chr(code) in marked_letters() else found[0]
