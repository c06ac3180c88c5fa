"""Choose the keywords of an article from its words and their rarities.

A keyword is a word, or up to four words in a row without a common one among them that occur
together more than once (RAKE's candidates: Rose et al. 2010). Function words, adverbs and bare
verbs are none, and no phrase begins or ends with one (see `nouns`). A word has its TF-IDF
weight with a damped count, and more in the title and early in the text, which say what an article
is about. A word that occurs mostly inside a phrase is only given as part of that phrase, and of
keywords that share half of their words, inflected or not, only the best is given. A keyword is
written as the article writes it most often.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set

from bodytext.reader.analysis.frequencies import LEAST_RARITY
from bodytext.reader.analysis.languages import Stemmer, find_stemmer, list_common_words
from bodytext.reader.analysis.nouns import NounJudge
from bodytext.reader.analysis.terms import LONGEST_TERM, Term

MOST = 12  # keywords of an article
_TITLE_WEIGHT = 1.6  # factor for a word that is also in the title
# Is added for the first word of the text, half of it for the fiftieth, and so on.
_EARLY_WEIGHT = 0.5
_EARLY_TERMS = 50
_NAME_WEIGHT = 1.25  # factor for a word that is mostly written with a capital
_LONGEST_PHRASE = 4  # words
_LONGEST_UNSPACED_PHRASE = 10  # overlapping terms: eleven characters of Han
_LEAST_OCCURRENCES = 2  # of a phrase in the text
# A word with this share of its occurrences inside a phrase is not a keyword by itself.
_SHARE_INSIDE = 0.5
_PHRASE_WEIGHT = 1.2  # factor for the mean weight of its words
_SHARE_ALIKE = 0.5  # of the words of the shorter of two keywords that are too much alike
_SEARCHED_TERMS = 2_000  # from the start of the text, in which phrases are searched
_LEAST_LETTERS = 2
_FEW_COMMON = 50  # words: with fewer, the common words of a language are not listed
_LEAST_RARITY_OF_NAMES = -math.log(0.5)

_JOINTS = frozenset({"", " ", "\u00a0", "-", "‑", "'", "’"})

Phrase = tuple[str, ...]  # the names of its terms
Occurrences = dict[Phrase, list[int]]  # where phrases begin, as numbers of terms


def weigh_terms(
    terms: Sequence[Term], title: Sequence[Term], rarities: Mapping[str, float]
) -> dict[str, float]:
    """Weigh each term by count, rarity, position, title and whether it is a name."""
    first: dict[str, int] = {}
    counts: Counter[str] = Counter()
    capitals: Counter[str] = Counter()
    for position, term in enumerate(terms):
        first.setdefault(term.name, position)
        counts[term.name] += 1
        capitals[term.name] += term.is_name
    in_title = {term.name for term in title}
    counts.update(in_title)
    weights: dict[str, float] = {}
    for name, count in counts.items():
        weight = rarities[name] * (1 + math.log(count))
        weight *= 1 + _EARLY_WEIGHT / (1 + first.get(name, 0) / _EARLY_TERMS)
        if name in in_title:
            weight *= _TITLE_WEIGHT
        if capitals[name] * 2 > count:
            weight *= _NAME_WEIGHT
        weights[name] = weight
    return weights


def find_names(terms: Sequence[Term]) -> frozenset[str]:
    """Return the terms that are mostly written like names."""
    counts = Counter(term.name for term in terms)
    named = Counter(term.name for term in terms if term.is_name)
    return frozenset(name for name, count in named.items() if count * 2 > counts[name])


def find_common(
    rarities: Mapping[str, float], names: Set[str], language: str = ""
) -> frozenset[str]:
    """Return the terms that are too common to be keywords.

    A name may be less rare, since the rarity of a short word is partly guessed. So may all words of
    a language whose common words are listed. A term that was cut
    at LONGEST_TERM is an address or garbage, and no keyword either.
    """
    common: set[str] = set()
    is_listed = len(list_common_words(language)) > _FEW_COMMON
    for term, rarity in rarities.items():
        least = _LEAST_RARITY_OF_NAMES if is_listed or term in names else LEAST_RARITY
        if rarity < least or len(term) == LONGEST_TERM:
            common.add(term)
    return frozenset(common)


def choose_keywords(
    text: str,
    terms: Sequence[Term],
    weights: Mapping[str, float],
    common: Set[str],
    judge: NounJudge,
) -> tuple[tuple[str, float], ...]:
    """Return the keywords of a text, best first, with their weights; the best has 1."""
    common = common | judge.common
    phrases = _find_phrases(text, terms, common, judge)
    scores = _score(phrases, terms, weights, common)
    candidates = [phrase for phrase in scores if len(phrase) > 1 or judge.can_be_keyword(phrase[0])]
    candidates.sort(key=lambda phrase: (-scores[phrase], phrase))
    chosen = _drop_alike(candidates, find_stemmer(judge.language))
    top = scores[chosen[0]] if chosen else 1.0
    written = _write(text, terms, phrases, chosen)
    return tuple((written[phrase], round(scores[phrase] / top, 3)) for phrase in chosen)


def _score(
    phrases: Occurrences, terms: Sequence[Term], weights: Mapping[str, float], common: Set[str]
) -> dict[Phrase, float]:
    """Score the phrases, and the words that do not mostly occur inside one of them."""
    inside: dict[str, int] = {}  # the most occurrences of each word inside one phrase
    scores: dict[Phrase, float] = {}
    for phrase, starts in phrases.items():
        for name in phrase:
            inside[name] = max(inside.get(name, 0), len(starts))
        scores[phrase] = _PHRASE_WEIGHT * sum(weights[name] for name in phrase) / len(phrase)
    for name, count in Counter(term.name for term in terms).items():
        if inside.get(name, 0) < count * _SHARE_INSIDE and _is_keyword(name, common):
            scores[name,] = weights[name]
    return scores


def _is_keyword(name: str, common: Set[str]) -> bool:
    return name not in common and len(name) >= _LEAST_LETTERS and not name[0].isdigit()


def _drop_alike(best: Sequence[Phrase], stem: Stemmer) -> list[Phrase]:
    """Return the first keywords, without those that share half of their words with a better one."""
    chosen: dict[Phrase, set[str]] = {}
    for phrase in best:
        stems = set(map(stem, phrase))
        if not any(
            len(stems & other) >= _SHARE_ALIKE * min(len(stems), len(other))
            for other in chosen.values()
        ):
            chosen[phrase] = stems
            if len(chosen) == MOST:
                break
    return list(chosen)


def _write(
    text: str, terms: Sequence[Term], phrases: Occurrences, chosen: Sequence[Phrase]
) -> dict[Phrase, str]:
    """Write keywords as the text writes them most often."""
    forms: dict[Phrase, Counter[str]] = {phrase: Counter() for phrase in chosen}
    for term in terms:
        if (term.name,) in forms:
            forms[term.name,][text[term.start : term.end]] += 1
    for phrase in chosen:
        for first in phrases.get(phrase, ()):
            forms[phrase][text[terms[first].start : terms[first + len(phrase) - 1].end]] += 1
    return {phrase: " ".join(form.most_common(1)[0][0].split()) for phrase, form in forms.items()}


def _find_phrases(
    text: str, terms: Sequence[Term], common: Set[str], judge: NounJudge
) -> Occurrences:
    """Find the phrases that occur more than once."""
    occurrences: Occurrences = defaultdict(list)
    for first, stop, longest in _find_runs(text, terms[:_SEARCHED_TERMS], common):
        run = tuple(term.name for term in terms[first:stop])
        for size in range(2, min(len(run), longest) + 1):
            for start in range(len(run) - size + 1):
                occurrences[run[start : start + size]].append(first + start)
    return _drop_incomplete(
        {
            phrase: starts
            for phrase, starts in occurrences.items()
            if len(starts) >= _LEAST_OCCURRENCES and _is_phrase(phrase, judge)
        }
    )


def _is_phrase(phrase: Phrase, judge: NounJudge) -> bool:
    """Whether a phrase can be read by itself, and is not an amount ("100 euros")."""
    is_amount = phrase[0][0].isdigit()
    return not is_amount and judge.can_begin(phrase[0]) and judge.can_end(phrase[-2], phrase[-1])


def _drop_incomplete(phrases: Occurrences) -> Occurrences:
    """Drop the phrases that only occur as part of a longer one."""
    incomplete: set[Phrase] = set()
    for phrase, starts in phrases.items():
        for part in (phrase[:-1], phrase[1:]):
            if len(phrases.get(part, ())) == len(starts):
                incomplete.add(part)
    return {phrase: starts for phrase, starts in phrases.items() if phrase not in incomplete}


def _find_runs(
    text: str, terms: Sequence[Term], common: Set[str]
) -> Iterator[tuple[int, int, int]]:
    """Yield the runs of adjacent rare terms: first, stop, and the longest phrase there."""
    first = 0
    for position, term in enumerate(terms):
        is_common = term.name in common
        if is_common or (
            position > first and text[terms[position - 1].end : term.start] not in _JOINTS
        ):
            if position - first > 1:
                yield first, position, _longest(terms, first)
            first = position + is_common
    if len(terms) - first > 1:
        yield first, len(terms), _longest(terms, first)


def _longest(terms: Sequence[Term], first: int) -> int:
    overlap = terms[first + 1].start < terms[first].end
    return _LONGEST_UNSPACED_PHRASE if overlap else _LONGEST_PHRASE
