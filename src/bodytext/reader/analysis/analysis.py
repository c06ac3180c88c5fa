"""Analyse an article: sentences and terms, their graph, keywords, summary, noise and signature."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from bodytext.reader.analysis.frequencies import Weigher
from bodytext.reader.analysis.graph import MOST_SENTENCES, build_graph
from bodytext.reader.analysis.keywords import choose_keywords, find_common, find_names, weigh_terms
from bodytext.reader.analysis.noise import find_noise
from bodytext.reader.analysis.nouns import NounJudge
from bodytext.reader.analysis.sentences import Span, split_sentences
from bodytext.reader.analysis.signature import sign_article
from bodytext.reader.analysis.summary import order_sentences
from bodytext.reader.analysis.terms import MOST_LETTERS, Term, find_terms
from bodytext.reader.analysis.words import find_title_words, find_words
from bodytext.views.structure.element import HEADINGS, Element

# Elements that are not prose.
_ASIDES = HEADINGS | {"caption", "figcaption", "li", "dt"}


@dataclass(frozen=True, slots=True)
class Analysis:
    """The analysis of an article's text."""

    language: str
    # As the article writes them, with their weights, best first.
    keywords: tuple[tuple[str, float], ...]
    sentences: tuple[Span, ...]  # starts and ends in the text
    # Numbers of sentences, best first: the first 1, 3 or 5 are the summary.
    ranking: tuple[int, ...]
    noise: tuple[int, ...]  # numbers of sentences that do not belong to the article, in order
    signature: bytes  # by which articles of the same story are found
    terms: tuple[str, ...]  # all its terms, each once, for counting frequencies


def find_asides(body: Element, media: Iterable[Mapping[str, Any]] = ()) -> frozenset[str]:
    """Return the lines of headings, captions and items, as they are in the text of the body."""
    texts = [element.text for element in body.walk() if element.name in _ASIDES]
    texts += [str(medium.get("caption", "")) for medium in media]
    lines = (line.strip() for text in texts for line in text.splitlines())
    return frozenset(line for line in lines if line)


def analyse(
    title: str,
    text: str,
    language: str,
    frequencies: Weigher,
    asides: Collection[str] = frozenset(),
) -> Analysis:
    """Analyse an article; only the beginning of a very long one counts.

    `asides` are the lines that are not prose, which are not wanted in a summary (`find_asides`).
    """
    sentences = split_sentences(text, language)
    terms_by_sentence = _find_terms(text, sentences)
    terms = [term for sentence_terms in terms_by_sentence for term in sentence_terms]
    title_terms = find_terms(title)
    words_by_sentence = find_words(text, sentences, terms_by_sentence, language)
    words = [word for sentence_words in words_by_sentence for word in sentence_words]
    title_words = find_title_words(title, language)
    rarities = frequencies.weigh(
        term.name for term in (*terms, *title_terms, *words, *title_words) if term.name
    )
    names_by_sentence = [
        [term.name for term in sentence_terms] for sentence_terms in terms_by_sentence
    ]
    graph = build_graph(names_by_sentence, [term.name for term in title_terms], rarities)
    noise = find_noise(graph)
    names = find_names([*title_terms, *terms])
    weights = weigh_terms(terms, title_terms, rarities)
    sentence_texts = [text[start:end] for start, end in sentences]
    prose = [  # words of each sentence; an aside has none
        0 if _find_line(text, span) in asides else len(names)
        for span, names in zip(sentences, names_by_sentence, strict=False)
    ]
    return Analysis(
        language,
        choose_keywords(
            text,
            words,
            weigh_terms(words, title_words, rarities),
            find_common(rarities, names, language),
            NounJudge.read(words_by_sentence, language),
        ),
        tuple(sentences),
        tuple(order_sentences(graph, sentence_texts, prose, noise)),
        noise,
        sign_article(text, weights, rarities, names).pack(),
        tuple(rarities),
    )


def _find_line(text: str, sentence: Span) -> str:
    """Return the line that a sentence is in."""
    start, end = sentence
    stop = text.find("\n", end)
    return text[text.rfind("\n", 0, start) + 1 : stop if stop >= 0 else None].strip()


def _find_terms(text: str, sentences: list[Span]) -> list[list[Term]]:
    """Find the terms of each of the first sentences; sentences after MOST_LETTERS have none."""
    terms: list[list[Term]] = []
    for start, end in sentences[:MOST_SENTENCES]:
        terms.append(
            find_terms(text, start, min(end, MOST_LETTERS)) if start < MOST_LETTERS else []
        )
    return terms
