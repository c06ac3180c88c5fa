"""Gopher's rules for pages: Rae et al. (2021), appendix A.1, as docs/stages.md lists them.

Decided here, because the paper leaves it open or has English in mind:

- Lines and paragraphs are the text's own; the first of several equal ones, or of equal n-grams, is not a duplicate.
- Hash signs that make a line a heading of Markdown are not symbols.
- Dashes are no bullet points: in many languages they begin direct speech.
- Mean lengths have bounds of their own for Vietnamese, which puts spaces between syllables, for Korean, whose letters
  are syllables, and for the Dravidian languages, which join words.
"""

import re
from functools import cache
from operator import methodcaller

from bodytext.corpus.stages.quality_rule import NO_BOUND, QualityRule, QualitySample
from bodytext.corpus.stages.stop_words import INNER_STOP_WORDS, STOP_WORDS

BULLETS = ("•", "‣", "▪", "▫", "●", "○", "■", "□", "◦", "▶", "►", "➢", "➤", "·", "*", "- ")
_HEADING = re.compile("^#{1,6}(?= )", re.MULTILINE)
_ELLIPSES = ("…", "...", ". . .")
_STOP_WORDS_WANTED = 2
_SOON = 500  # characters within which most texts have them


def _mean_length(sample: QualitySample) -> float | None:
    return sample.characters / sample.pieces if sample.pieces and sample.is_spaced else None


def _symbol_share(sample: QualitySample) -> float:
    text = sample.text
    ellipses, hashes = text.count("…") + text.count("..."), text.count("#")
    if hashes:
        hashes -= sum(map(len, _HEADING.findall(text)))
    return max(hashes, ellipses) / max(1, sample.words)


def _bullet_share(sample: QualitySample) -> float:
    return sum(line.startswith(BULLETS) for line in sample.lines) / max(1, len(sample.lines))


def _ellipsis_share(sample: QualitySample) -> float:
    return sum(line.endswith(_ELLIPSES) for line in sample.lines) / max(1, len(sample.lines))


def _lettered_share(sample: QualitySample) -> float | None:
    return sample.lettered / sample.pieces if sample.pieces and sample.is_spaced else None


def _count_stop_words(sample: QualitySample) -> float | None:
    if sample.language in INNER_STOP_WORDS:
        return sum(word in sample.text for word in INNER_STOP_WORDS[sample.language].split())
    wanted = _stop_words(sample.language)
    if not wanted:
        return None
    at_once = len(wanted.intersection(sample.text[:_SOON].lower().split()))
    return (
        at_once
        if at_once >= _STOP_WORDS_WANTED
        else len(wanted.intersection(sample.lowered.split()))
    )


@cache
def _stop_words(language: str) -> frozenset[str]:
    return frozenset(STOP_WORDS.get(language, "").split())


def _duplicate_share(parts: list[str]) -> float:
    return 1 - len(set(parts)) / len(parts) if parts else 0.0


def _duplicate_characters(parts: list[str]) -> float:
    total = sum(map(len, parts))
    return 1 - sum(map(len, set(parts))) / total if total else 0.0


# Means in news and the Universal Declaration of Human Rights: Vietnamese 3.4, Korean 2.9, Tamil
# 9.9, Telugu 8.9, Kannada 8.7, Malayalam 11.8; the other languages that lid.176 knows, 3.4 to 9.3.
_WORD_LENGTHS = dict.fromkeys(("vi", "ko"), (2.0, 7.0)) | dict.fromkeys(
    ("ta", "te", "kn", "ml"), (4.0, 15.0)
)
_TOP_GRAMS = {2: 0.20, 3: 0.18, 4: 0.16}
_DUPLICATE_GRAMS = {5: 0.15, 6: 0.14, 7: 0.13, 8: 0.12, 9: 0.11, 10: 0.10}

RULES = (
    QualityRule("gopher-words", lambda sample: sample.words, (50, 100_000)),
    QualityRule("gopher-word-length", _mean_length, (3, 10), _WORD_LENGTHS),
    QualityRule("gopher-symbols", _symbol_share, (0, 0.1)),
    QualityRule("gopher-bullets", _bullet_share, (0, 0.9)),
    QualityRule("gopher-ellipses", _ellipsis_share, (0, 0.3)),
    QualityRule("gopher-letters", _lettered_share, (0.8, 1)),
    QualityRule("gopher-stop-words", _count_stop_words, (_STOP_WORDS_WANTED, NO_BOUND)),
    QualityRule("gopher-duplicate-lines", lambda sample: _duplicate_share(sample.lines), (0, 0.30)),
    QualityRule(
        "gopher-duplicate-paragraphs", lambda sample: _duplicate_share(sample.paragraphs), (0, 0.30)
    ),
    QualityRule(
        "gopher-duplicate-line-characters",
        lambda sample: _duplicate_characters(sample.lines),
        (0, 0.20),
    ),
    QualityRule(
        "gopher-duplicate-paragraph-characters",
        lambda sample: _duplicate_characters(sample.paragraphs),
        (0, 0.20),
    ),
    *(
        QualityRule(f"gopher-top-{size}-gram", methodcaller("share_of_grams", size), (0, most))
        for size, most in _TOP_GRAMS.items()
    ),
    *(
        QualityRule(
            f"gopher-duplicate-{size}-grams", methodcaller("share_of_grams", size), (0, most)
        )
        for size, most in _DUPLICATE_GRAMS.items()
    ),
)
