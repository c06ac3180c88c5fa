"""The terms of an article and how rare they are -> its keywords with their weights, best first.

A keyword is a word, or up to four words in a row without a common one among them that stand together more than once
(RAKE's candidates: Rose et al. 2010, with frequent words in the place of a list of stop words). A word weighs what it
does in TF-IDF, where its count is damped and its place counts: what stands in the title or early tells what an article
is about. A word that stands mostly inside of a phrase is given by the phrase alone. In scripts without spaces the
phrases are the stretches of characters that repeat. A keyword is written as the article writes it most often.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set

from bodytext.reader.analysis.frequencies import LEAST_RARITY
from bodytext.reader.analysis.terms import LONGEST_TERM, Term

MOST = 12
_TITLE_WEIGHT = 1.6  # times what a word weighs that the title has too
_EARLY_WEIGHT = 0.5  # more for the first word of the text, half of that for the fiftieth, and so on
_EARLY_TERMS = 50
_NAME_WEIGHT = 1.25  # times what a word weighs that is mostly written with a capital
_LONGEST_PHRASE = 4  # words
_LONGEST_STRETCH = 10  # terms that overlap: eleven characters of Han
_LEAST_TOGETHER = 2  # times that a phrase stands in the text
_SHARE_TOGETHER = 0.5  # of a word's places: so many within a phrase, and the word is no keyword by itself
_PHRASE_WEIGHT = 1.2  # times the mean of its words
_PHRASED = 2_000  # terms from the start that phrases are looked for in
_LEAST_LETTERS = 2
_LEAST_RARITY_OF_NAMES = -math.log(0.5)

_JOINTS = frozenset({"", " ", "\u00a0", "-", "‑", "'", "’"})

Names = tuple[str, ...]
Places = dict[Names, list[int]]


def weigh_terms(terms: Sequence[Term], title: Sequence[Term], rarities: Mapping[str, float]) -> dict[str, float]:
    """What each term of an article weighs: damped count x rarity x place x title x whether it is a name."""
    first: dict[str, int] = {}
    counts: Counter[str] = Counter()
    capitals: Counter[str] = Counter()
    for place, term in enumerate(terms):
        first.setdefault(term.name, place)
        counts[term.name] += 1
        capitals[term.name] += term.is_name
    titled = {term.name for term in title}
    counts.update(titled)
    found: dict[str, float] = {}
    for name, count in counts.items():
        weight = rarities[name] * (1 + math.log(count))
        weight *= 1 + _EARLY_WEIGHT / (1 + first.get(name, 0) / _EARLY_TERMS)
        weight *= _TITLE_WEIGHT if name in titled else 1.0
        found[name] = weight * (_NAME_WEIGHT if capitals[name] * 2 > count else 1.0)
    return found


def find_names(terms: Sequence[Term]) -> frozenset[str]:
    """The terms that are mostly written as names are."""
    counts = Counter(term.name for term in terms)
    named = Counter(term.name for term in terms if term.is_name)
    return frozenset(name for name, count in named.items() if count * 2 > counts[name])


def find_common(rarities: Mapping[str, float], names: Set[str]) -> frozenset[str]:
    """The terms that say nothing. A name needs less rarity: that a short word is common is a guess.

    What was too long for a term is an address or rubbish, and says nothing either.
    """
    return frozenset(
        term
        for term, rarity in rarities.items()
        if (rarity < LEAST_RARITY and (rarity < _LEAST_RARITY_OF_NAMES or term not in names))
        or len(term) == LONGEST_TERM
    )


def choose_keywords(
    text: str, terms: Sequence[Term], weights: Mapping[str, float], common: Set[str]
) -> tuple[tuple[str, float], ...]:
    """The keywords of a text, best first, each with its weight: the best has 1."""
    places = _find_phrases(text, terms, common)
    inside: dict[str, int] = {}
    for names, found in places.items():
        for name in names:
            inside[name] = max(inside.get(name, 0), len(found))
    scored = {names: _PHRASE_WEIGHT * sum(weights[name] for name in names) / len(names) for names in places}
    for name, count in Counter(term.name for term in terms).items():
        if inside.get(name, 0) < count * _SHARE_TOGETHER and _is_keyword(name, common):
            scored[name,] = weights[name]
    chosen = _drop_parts(sorted(scored, key=lambda names: (-scored[names], names)))
    top = scored[chosen[0]] if chosen else 1.0
    written = _write(text, terms, places, chosen)
    return tuple((written[names], round(scored[names] / top, 3)) for names in chosen)


def _is_keyword(name: str, common: Set[str]) -> bool:
    return name not in common and len(name) >= _LEAST_LETTERS and not name[0].isdigit()


def _drop_parts(best: Sequence[Names]) -> list[Names]:
    """The first of them, without those that say what a better one says, or a part of it."""
    chosen: list[Names] = []
    for names in best:
        mine = set(names)
        if not any(mine <= set(other) or mine >= set(other) for other in chosen):
            chosen.append(names)
            if len(chosen) == MOST:
                break
    return chosen


def _write(text: str, terms: Sequence[Term], places: Places, chosen: Sequence[Names]) -> dict[Names, str]:
    """Keywords as the text writes them most often."""
    forms: dict[Names, Counter[str]] = {names: Counter() for names in chosen}
    for term in terms:
        if (term.name,) in forms:
            forms[term.name,][text[term.start : term.end]] += 1
    for names in chosen:
        for at in places.get(names, ()):
            forms[names][text[terms[at].start : terms[at + len(names) - 1].end]] += 1
    return {names: " ".join(form.most_common(1)[0][0].split()) for names, form in forms.items()}


def _find_phrases(text: str, terms: Sequence[Term], common: Set[str]) -> Places:
    """The phrases and where they begin, as numbers of terms."""
    places: Places = defaultdict(list)
    for first, stop, longest in _find_runs(text, terms[:_PHRASED], common):
        run = tuple(term.name for term in terms[first:stop])
        for size in range(2, min(len(run), longest) + 1):
            for at in range(len(run) - size + 1):
                places[run[at : at + size]].append(first + at)
    kept = {  # what begins with a number counts something: "100 euros", and is not what a text is about
        names: found for names, found in places.items() if len(found) >= _LEAST_TOGETHER and not names[0][0].isdigit()
    }
    parts = {  # what stands within a longer phrase as often as at all is only a part of it
        part
        for names, found in kept.items()
        for part in (names[:-1], names[1:])
        if len(kept.get(part, ())) == len(found)
    }
    return {names: found for names, found in kept.items() if names not in parts}


def _find_runs(text: str, terms: Sequence[Term], common: Set[str]) -> Iterator[tuple[int, int, int]]:
    """Stretches of terms side by side without a common one: first, stop, and the most terms of a phrase there."""
    first = 0
    for place, term in enumerate(terms):
        is_common = term.name in common
        if is_common or (place > first and text[terms[place - 1].end : term.start] not in _JOINTS):
            if place - first > 1:
                yield first, place, _longest(terms, first)
            first = place + is_common
    if len(terms) - first > 1:
        yield first, len(terms), _longest(terms, first)


def _longest(terms: Sequence[Term], first: int) -> int:
    return _LONGEST_STRETCH if terms[first + 1].start < terms[first].end else _LONGEST_PHRASE
