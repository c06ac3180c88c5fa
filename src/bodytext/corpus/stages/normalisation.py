"""Rows in, rows out with their text and title in one form of Unicode, without characters that nobody sees.

In this order: Vietnamese in an encoding from before Unicode is read as what it meant (`vietnamese.encodings`); ends of
lines become line feeds; control characters and invisible ones go; canonical composition (NFC); what looks like Đ in
Vietnamese is one (`vietnamese.letters`); then, where it is asked for, Vietnamese tone marks move to the letter where
one style puts them (`vietnamese.tones`).
"""

import json
import re
import unicodedata
from dataclasses import dataclass
from typing import Any

from bodytext.corpus.run.row import Row
from bodytext.corpus.stages.inspection import Inspection
from bodytext.corpus.stages.vietnamese.encodings import Reading, find_reading
from bodytext.corpus.stages.vietnamese.letters import has_eths, read_references, replace_eths
from bodytext.corpus.stages.vietnamese.syllables import is_vietnamese
from bodytext.corpus.stages.vietnamese.tones import STYLES, unify_tones

_LINE_ENDS = re.compile("[\r\x0b\x0c\x85\u2028\u2029]\n?")
# Controls, soft hyphens, fillers, joiners, marks of direction and order, specials, and halves of surrogate pairs.
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb"
    "\ud800-\udfff]"
)
# Joiners, breaks and marks of direction belong to the spelling where a letter of these scripts stands before them:
# Hebrew to Burmese, Khmer and Mongolian, and emoji, which they join.
_JOINERS = "\u200b\u200c\u200d\u200e\u200f"
_JOINED = re.compile("[\u0590-\u109f\u1780-\u18af\ufe0e\ufe0f\u2600-\u27bf\U0001f000-\U0001faff]")


@dataclass(frozen=True)
class Normalisation(Inspection):
    """Brings text and title into one form; `tones` is "old" (hòa) or "new" (hoà), or nothing to leave them."""

    tones: str = ""

    def __post_init__(self) -> None:
        if self.tones and self.tones not in STYLES:
            raise ValueError(f"{self.tones!r} is no style of tone marks; there are {' and '.join(STYLES)}")

    def inspect(self, row: Row) -> None:
        """Normalise the row's text and title; what the page says about itself is read as the text is."""
        reading = find_reading(row.text)
        row.text = normalise_text(row.text, self.tones, reading)
        if row.title:
            row.title = normalise_text(row.title, self.tones, reading or find_reading(row.title))
            row.title = _spell_vietnamese(row.title, row.text, self.tones)  # by itself often too short to tell
        if reading is not None and row.metadata:
            row.metadata = json.dumps(_read_values(json.loads(row.metadata), reading), ensure_ascii=False)


def normalise_text(text: str, tones: str = "", reading: Reading | None = None) -> str:
    """A text in one form; `reading` says how to read Vietnamese that is shown as something else."""
    if reading is not None:
        text = reading.read(text)
    text = read_references(text)
    text = _UNSEEN.sub(_keep_joiner, _LINE_ENDS.sub("\n", text))
    if not unicodedata.is_normalized("NFC", text):
        text = unicodedata.normalize("NFC", text)
    return _spell_vietnamese(text, text, tones)


def _spell_vietnamese(text: str, whole: str, tones: str) -> str:
    """A text with the letters and tone marks of Vietnamese as they are wanted, where the whole that it is of is so."""
    eths = has_eths(text)
    if not (tones or eths) or not is_vietnamese(whole):
        return text
    text = replace_eths(text) if eths else text
    return unify_tones(text, tones) if tones else text


def _read_values(value: Any, reading: Reading) -> Any:
    """What is in a JSON value, with every text in it read."""
    if isinstance(value, str):
        return normalise_text(value, "", reading)
    if isinstance(value, list):
        return [_read_values(one, reading) for one in value]
    if isinstance(value, dict):
        return {name: _read_values(one, reading) for name, one in value.items()}
    return value


def _keep_joiner(found: re.Match[str]) -> str:
    if found[0] not in _JOINERS:
        return ""
    before = found.string[found.start() - 1 : found.start()]
    return found[0] if _JOINED.match(before) else ""
