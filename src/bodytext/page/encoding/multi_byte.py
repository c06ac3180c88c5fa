"""Score a page in a multi-byte encoding: the logarithm of the frequencies of its characters."""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bodytext.page.encoding.codecs import MULTI_BYTE_CODECS

# The commonest characters of each language, commonest first.
COMMON_SIMPLIFIED = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多"
    "经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性"
    "知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次"
    "度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活更别打女变四神总何电数安少报才结反受目太量再感建务"
)
COMMON_TRADITIONAL = (
    "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作里用道行所然家種事成方多"
    "經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實日軍者意無力它與長把機十民第公此已工使情明性"
    "知全三又關點正業外將兩高間由問很最重並物手應戰向頭文體政美相見被利什二等產或新己制身果加西斯月話合回特代內信表化老給世位次"
    "度門任常先海通教兒原東聲提立及比員解水名真論處走義各入幾口認條平系氣題活更別打女變四神總何電數安少報才結反受目太量再感建務"
)
COMMON_HIRAGANA = "のいしたてにはるなをとがんかでられまっうりこすきあもそくさよどつだめけえおせわやばみちろびげべじほぶへごむずれね"
COMMON_KATAKANA = "ーンスルトイラリアクドシジレタッロフテマコバメデカプサグムニオキナビウパィエチャセミツダノワポモハ"
COMMON_KANJI = (
    "日一国人年大会中本出者時分事行自上見業同生部発長今後前合東社議的方地場月立間定政高動体回実市内関対新手力法全学作子理用入"
    "下三二十五民小家者所表現当野代話問題開意情気度最安田主通教化性明点相不戦品"
)
COMMON_HANGUL = (
    "이다는에의을가고하지를은로한사도있어기대인일서시자해정그리들과수으나아전보제부것라게스상원만장구주성국여오연조면했비우공동때"
    "중년위경안소신말미적며문방영내생무명진유관었개계민세실화발선당모운월학행업와까거없교후분금처회물"
)
WIDE_MARKS = "　、。，．・：；？！「」『』（）【】〈〉《》…—～〜“”‘’＝％１２３４５６７８９０"

# Rows of the national standards whose first level holds the everyday characters: first lead byte,
# last lead byte.
FIRST_LEVEL = {
    "gb18030": (0xB0, 0xD7),
    "big5": (0xA4, 0xC6),
    "euc-jp": (0xB0, 0xCF),
    "euc-kr": (0xB0, 0xC8),
}


_RARE_CHARACTER = -15.0
_IMPOSSIBLE_CHARACTER = -25.0
# East Asian words come in runs; a single such character between ASCII letters is likelier an
# accented letter.
_RUN_START = -2.0
# The frequency of the r-th commonest character falls roughly with this power of r.
_RANK_POWER = -0.65


class _Pool(NamedTuple):
    """Characters that make up `share` of a text together; `ranked` ones in falling frequency."""

    characters: str
    share: float
    ranked: bool


def multi_byte_score(evidence: NDArray[np.uint8], encoding: str) -> float:
    """Return how likely the page is in `encoding`."""
    text = evidence.tobytes().decode(MULTI_BYTE_CODECS[encoding], "replace")
    points = np.frombuffer(text.encode("utf-32-le", "replace"), np.uint32)
    starts = np.count_nonzero((points[1:] >= 0x80) & (points[:-1] < 0x80))
    return (
        float(_character_scores(encoding)[np.minimum(points, 0xFFFF)].sum(dtype=np.float64))
        + starts * _RUN_START
    )


@cache
def _character_scores(encoding: str) -> NDArray[np.float32]:
    """Return the logarithm of each character's frequency in an encoding's language; 0 for ASCII."""
    shares = np.full(1 << 16, np.exp(_RARE_CHARACTER))
    for pool in reversed(_pools(encoding)):
        points = np.array([ord(character) for character in dict.fromkeys(pool.characters)])
        falling = np.arange(1, len(points) + 1) ** (_RANK_POWER if pool.ranked else 0.0)
        shares[points] = pool.share * falling / falling.sum()
    scores: NDArray[np.float32] = np.log(shares).astype(np.float32)
    scores[:0x80] = 0.0
    scores[0x80:0xA0] = scores[0xE000:0xF900] = scores[0xFFFD:] = _IMPOSSIBLE_CHARACTER
    return scores


def _pools(encoding: str) -> list[_Pool]:
    """Return the characters of a language, the commoner pools first; each counts in its first pool.

    The shares are rounded estimates of running text; the rest is for rare characters.
    """
    if encoding in {"shift_jis", "euc-jp"}:
        return [
            _Pool(COMMON_HIRAGANA, 0.45, True),
            _Pool(COMMON_KATAKANA, 0.10, True),
            _Pool(WIDE_MARKS, 0.10, False),
            _Pool(COMMON_KANJI, 0.15, True),
            _Pool(_first_level("euc-jp"), 0.19, False),
        ]
    if encoding == "euc-kr":
        return [
            _Pool(COMMON_HANGUL, 0.65, True),
            _Pool(WIDE_MARKS, 0.02, False),
            _Pool(_first_level(encoding), 0.32, False),
        ]
    common = COMMON_SIMPLIFIED if encoding == "gb18030" else COMMON_TRADITIONAL
    return [
        _Pool(common, 0.50, True),
        _Pool(WIDE_MARKS, 0.12, False),
        _Pool(_first_level(encoding), 0.37, False),
    ]


def _first_level(encoding: str) -> str:
    first, last = FIRST_LEVEL[encoding]
    first_trail = 0x40 if encoding == "big5" else 0xA1
    pairs = (
        bytes([lead, trail])
        for lead in range(first, last + 1)
        for trail in range(first_trail, 0xFF)
    )
    decoded = (pair.decode(MULTI_BYTE_CODECS[encoding], "ignore") for pair in pairs)
    return "".join(
        character for character in decoded if len(character) == 1 and not character.isascii()
    )
