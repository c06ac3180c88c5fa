"""Recognise sentences that talk to the reader of a page instead of telling the article.

Invitations ("Read more:", "Sign up for our newsletter"), legal notices, credits of pictures, notes
about authors, and lines of programs stay in the text, where they may belong, but are never in a
summary. So do the phrases that CUTER's lexicon has learned.
"""

import re
from pathlib import Path

from bodytext.methods.noise_phrases import LONGEST, is_noise_phrase

_AUTHORS = r"writer|editor|reporter|correspondent|journalist|contributor|columnist|analyst"
_AUTHOR = (
    rf"\bis (?:an? |the )(?:[\w&,-]+ ){{0,6}}(?:{_AUTHORS})\b"
    r"|\b(?:contributing|senior|staff|freelance) (?:editor|writer|reporter)\b"
)
_PROGRAM = r"https?://|www\.|[{}]|\w=[\"']|\t"
_LABEL = re.compile(r"[A-ZÄÖÜÉ]{3,}[ A-ZÄÖÜÉ]{0,30}:")  # READ MORE: WATCH: LESEN SIE AUCH:
_LINES = Path(__file__).with_name("notices.txt").read_text("utf-8").splitlines()
_MIDDLE = _LINES.index("== within")
_BEGINS = "|".join(line for line in _LINES[:_MIDDLE] if not line.startswith(("#", "==")))
_WITHIN = "|".join(_LINES[_MIDDLE + 1 :])
_NOTICE = re.compile(rf"\A\W{{0,6}}(?:{_BEGINS})|{_WITHIN}|{_AUTHOR}|{_PROGRAM}", re.IGNORECASE)


def is_notice(sentence: str) -> bool:
    """Whether a sentence talks to the reader of the page, or is no sentence of prose at all.

    >>> is_notice("READ MORE: Storm closes harbour."), is_notice("The storm closed the harbour.")
    (True, False)
    """
    return (
        _NOTICE.search(sentence) is not None
        or _LABEL.match(sentence) is not None
        or (len(sentence) <= LONGEST and is_noise_phrase(sentence))
    )
