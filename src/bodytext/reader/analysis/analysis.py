"""Analysis: what is found in the text of an article (type), and the way there: terms, graph, keywords, signature."""

from dataclasses import dataclass

from bodytext.reader.analysis.frequencies import Weigher
from bodytext.reader.analysis.graph import MOST_SENTENCES, build_graph
from bodytext.reader.analysis.keywords import choose_keywords, find_common, find_names, weigh_terms
from bodytext.reader.analysis.noise import find_noise
from bodytext.reader.analysis.sentences import Span, split_sentences
from bodytext.reader.analysis.signature import sign_article
from bodytext.reader.analysis.summary import order_sentences
from bodytext.reader.analysis.terms import MOST_LETTERS, Term, find_terms


@dataclass(frozen=True, slots=True)
class Analysis:
    """What is found in the text of an article."""

    language: str
    keywords: tuple[tuple[str, float], ...]  # as the article writes them, best first; the first weighs 1
    sentences: tuple[Span, ...]  # starts and ends in the text
    ranking: tuple[int, ...]  # numbers of sentences, best first: the first 1, 3 or 5 are the summary
    noise: tuple[int, ...]  # numbers of sentences that have nothing to do with the article, in order
    signature: bytes  # what the articles of a story are found by
    terms: tuple[str, ...]  # all its terms, each once: what the frequencies count


def analyse(title: str, text: str, language: str, frequencies: Weigher) -> Analysis:
    """Look through an article. Of a very long one the beginning counts; sentences are given for all of it."""
    sentences = split_sentences(text, language)
    parts = _find_parts(text, sentences)
    terms = [term for part in parts for term in part]
    title_terms = find_terms(title)
    rarities = frequencies.weigh(term.name for term in (*terms, *title_terms))
    graph = build_graph([[term.name for term in part] for part in parts], [t.name for t in title_terms], rarities)
    noise = find_noise(graph)
    names = find_names([*title_terms, *terms])
    weights = weigh_terms(terms, title_terms, rarities)
    shown = [text[start:end] for start, end in sentences]
    return Analysis(
        language,
        choose_keywords(text, terms, weights, find_common(rarities, names)),
        tuple(sentences),
        tuple(order_sentences(graph, shown, [len(part) for part in parts], noise)),
        noise,
        sign_article(text, weights, rarities, names).pack(),
        tuple(rarities),
    )


def _find_parts(text: str, sentences: list[Span]) -> list[list[Term]]:
    """The terms of each of the first sentences, as far as so much text is looked at."""
    return [
        find_terms(text, start, min(end, MOST_LETTERS)) if start < MOST_LETTERS else []
        for start, end in sentences[:MOST_SENTENCES]
    ]
