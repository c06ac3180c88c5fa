"""Bring the text and title of each row into one form of Unicode, without invisible characters."""

import json
import re
import unicodedata
from dataclasses import dataclass
from typing import Any

from bodytext.corpus.row import Row
from bodytext.corpus.stages.stage import Stage, option
from bodytext.corpus.stages.vietnamese.encodings import Decoding, find_decoding
from bodytext.corpus.stages.vietnamese.letters import has_eths, read_references, replace_eths
from bodytext.corpus.stages.vietnamese.syllables import is_vietnamese
from bodytext.corpus.stages.vietnamese.tones import STYLES, unify_tones

_LINE_ENDS = re.compile("[\r\x0b\x0c\x85\u2028\u2029]\n?")
# Controls, soft hyphens, fillers, joiners, marks of direction and order, specials, and halves of
# surrogate pairs.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff"
    "\ufff0-\ufffb\ud800-\udfff]"
)
# Joiners, breaks and marks of direction belong to the spelling after a letter of these scripts:
# Hebrew to Burmese, Khmer and Mongolian, and emoji, which they join.
_JOINERS = "\u200b\u200c\u200d\u200e\u200f"
_JOINED = re.compile("[\u0590-\u109f\u1780-\u18af\ufe0e\ufe0f\u2600-\u27bf\U0001f000-\U0001faff]")


@dataclass(frozen=True)
class Normalisation(Stage):
    """Bring text and title into one form; `tones` is "old" (hòa), "new" (hoà), or empty."""

    name = "normalisation"
    description = "brings text and title into one form of Unicode"
    position = 10

    tones: str = option("", "one style of Vietnamese tone marks", choices=STYLES)

    def __post_init__(self) -> None:
        if self.tones and self.tones not in STYLES:
            raise ValueError(
                f"{self.tones!r} is not a style of tone marks; there are {' and '.join(STYLES)}"
            )

    def inspect(self, row: Row) -> None:
        """Normalise the row's text and title. The metadata is decoded like the text."""
        decoding = find_decoding(row.text)
        row.text = normalise_text(row.text, self.tones, decoding)
        if row.title:
            row.title = normalise_text(row.title, self.tones, decoding or find_decoding(row.title))
            # A title alone is often too short to be recognised as Vietnamese.
            row.title = _spell_vietnamese(row.title, row.text, self.tones)
        if decoding is not None and row.metadata:
            row.metadata = json.dumps(
                _decode_values(json.loads(row.metadata), decoding), ensure_ascii=False
            )


def normalise_text(text: str, tones: str = "", decoding: Decoding | None = None) -> str:
    """Bring a text into one form, after decoding it if it is in an old encoding."""
    if decoding is not None:
        text = decoding.read(text)
    text = read_references(text)
    text = _INVISIBLE.sub(_keep_joiner, _LINE_ENDS.sub("\n", text))
    if not unicodedata.is_normalized("NFC", text):
        text = unicodedata.normalize("NFC", text)
    return _spell_vietnamese(text, text, tones)


def _spell_vietnamese(text: str, whole: str, tones: str) -> str:
    """Correct the letters and tone marks of a text if the whole around it is Vietnamese."""
    eths = has_eths(text)
    if not (tones or eths) or not is_vietnamese(whole):
        return text
    text = replace_eths(text) if eths else text
    return unify_tones(text, tones) if tones else text


def _decode_values(value: Any, decoding: Decoding) -> Any:
    """Decode every text in a JSON value."""
    if isinstance(value, str):
        return normalise_text(value, "", decoding)
    if isinstance(value, list):
        return [_decode_values(item, decoding) for item in value]
    if isinstance(value, dict):
        return {name: _decode_values(item, decoding) for name, item in value.items()}
    return value


def _keep_joiner(match: re.Match[str]) -> str:
    if match[0] not in _JOINERS:
        return ""
    before = match.string[match.start() - 1 : match.start()]
    return match[0] if _JOINED.match(before) else ""
