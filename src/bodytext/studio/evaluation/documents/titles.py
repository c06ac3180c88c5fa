"""Measure what a known title gives CUTER (document 001), and whether articles are kept from their beginning."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bodytext.document import Document
from bodytext.methods.cuter import Cuter
from bodytext.methods.scores import BOUNDARY, Scores
from bodytext.selection import select
from bodytext.studio.evaluation.documents.sections import CaptionedTable, Part, per_cent, verdict
from bodytext.studio.evaluation.metrics import compare_sizes, compare_words, mean_of
from bodytext.studio.labels.labelled_set import fold_of
from bodytext.studio.training.alignment import WORD
from bodytext.studio.training.examples import TrainingExample

UNTOLD, OWN, TOLD = TITLES = ("no title", "the page's own title", "told the title")
PARAGRAPH_WORDS = 10  # the least of the first paragraph
GRAM = 4  # words; a sentence is noise if less than half of its runs of so many are in the reference
SUMMARY_SENTENCES = 3

# From a title, a document and its language to the sentences of a summary.
Summarise = Callable[[str, Document, str], Sequence[str]]


@dataclass(frozen=True, slots=True)
class TitleScore:
    """How well CUTER did on a page."""

    f1: float
    accuracy: float
    noise: float
    begins: float  # 1 if the first paragraph of the content is kept, NaN if there is none
    lost_late: float  # of the content that is lost, the share after the first third; NaN if none is


@dataclass(frozen=True, slots=True)
class TitlePage:
    """The scores of a page for each of TITLES, and the sentences of a summary of the last."""

    is_held_out: bool
    scores: Mapping[str, TitleScore]
    summary: tuple[bool, ...]  # whether each sentence is in the reference


def measure_titles(example: TrainingExample, summarise: Summarise | None) -> TitlePage:
    """Run CUTER without a title, with the page's own, and with the labelled one."""
    source = example.source
    # No heading is like a title without words.
    given = {UNTOLD: " ", OWN: "", TOLD: source.title or " "}
    answers = {name: Cuter(title=title).score(example.page) for name, title in given.items()}
    scores = {name: _score(example, answer) for name, answer in answers.items()}
    sentences: Sequence[str] = ()
    if summarise:
        document = select(example.page, answers[TOLD])
        sentences = summarise(source.title, document, source.language)[:SUMMARY_SENTENCES]
    flags = find_sentences(sentences, source.reference or "")
    return TitlePage(bool(fold_of(source.domain, 2)), scores, tuple(flags))


def _score(example: TrainingExample, answer: Scores) -> TitleScore:
    page, reference = example.page, example.source.reference or ""
    text = str(select(page, answer))
    words, kept = page.per_block(page.runs.words), answer.values >= BOUNDARY
    content = example.labels & page.seen
    first = np.flatnonzero(content & (words >= PARAGRAPH_WORDS))[:1]
    begins = float(kept[first[0]]) if len(first) else math.nan
    lost = np.where(content & ~kept, words, 0)
    late = np.cumsum(np.where(content, words, 0)) * 3 > words[content].sum()
    lost_late = float(lost[late].sum() / lost.sum()) if lost.any() else math.nan
    return TitleScore(
        compare_words(text, reference).f1, *compare_sizes(text, reference), begins, lost_late
    )


def find_sentences(sentences: Sequence[str], reference: str) -> list[bool]:
    """Whether each sentence is in the reference: at least half of its runs of GRAM words are.

    >>> find_sentences(["Ships call at night here.", "Buy the new lamp today."], "Ships call at night here now.")
    [True, False]
    """
    grams = set(_grams(reference))
    found = []
    for sentence in sentences:
        own = _grams(sentence)
        found.append(2 * sum(gram in grams for gram in own) >= len(own))
    return found


def _grams(text: str) -> list[tuple[str, ...]]:
    words = WORD.findall(text.lower())
    return [tuple(words[at : at + GRAM]) for at in range(len(words) - GRAM + 1)]


def title_parts(pages: Sequence[TitlePage]) -> list[Part]:
    """The table of titles, on the pages where the rule was chosen and on the rest; and two claims."""
    parts: list[Part] = [_title_table(pages), _describe_beginnings(pages)]
    if any(page.summary for page in pages):
        parts.append(_describe_summaries(pages))
    return parts


def _title_table(pages: Sequence[TitlePage]) -> CaptionedTable:
    rows = []
    for is_held_out in (False, True):
        group = [page for page in pages if page.is_held_out == is_held_out]
        place = "second half" if is_held_out else "first half"
        rows += [(f"{name}, {place}", *_title_row(group, name)) for name in TITLES if group]
    scores = "word F1 | accuracy | noise | better | worse"
    heading = f"cuter | pages | {scores} | from the first paragraph on"
    caption = (
        "CUTER and the title, on both halves of the domains: the rule was chosen on the first half of wcxb-dev and "
        "news-multilingual, and the second is held out. Better and worse: pages whose F1 differs by more than 0.01 "
        "from that without a title"
    )
    return CaptionedTable(caption, heading, rows)


def _title_row(pages: Sequence[TitlePage], name: str) -> tuple[str, ...]:
    scores = [page.scores[name] for page in pages]
    gains = [page.scores[name].f1 - page.scores[UNTOLD].f1 for page in pages]
    return (
        str(len(pages)),
        f"{mean_of([score.f1 for score in scores]):.4f}",
        per_cent(mean_of([score.accuracy for score in scores])),
        per_cent(mean_of([score.noise for score in scores])),
        str(sum(gain > 0.01 for gain in gains)),
        str(sum(gain < -0.01 for gain in gains)),
        per_cent(mean_of([score.begins for score in scores])),
    )


def _describe_beginnings(pages: Sequence[TitlePage]) -> str:
    begins = [page.scores[TOLD].begins for page in pages]
    late = mean_of([page.scores[TOLD].lost_late for page in pages])
    lost = (
        "Nothing is lost."
        if math.isnan(late)
        else (
            f"Of the words that a page loses, {per_cent(late)} are after its first third, which has a third of all words."
        )
    )
    return (
        'The document says that "in every occasion the article is retrieved from its beginning and usually the parts '
        'that are lost are after the first third". Told the title, the first paragraph '
        f"(content of at least {PARAGRAPH_WORDS} words) is kept on {per_cent(mean_of(begins))} of the pages. {lost} "
        f"{verdict(holds=mean_of(begins) == 1)}"
    )


def _describe_summaries(pages: Sequence[TitlePage]) -> str:
    summaries = [page.summary for page in pages if page.summary]
    sentences = [is_good for summary in summaries for is_good in summary]
    clean = sum(all(summary) for summary in summaries) / len(summaries)
    noise = mean_of([page.scores[TOLD].noise for page in pages])
    return (
        'The document says that there is "0% noise on the summarized text". Summaries of '
        f"{SUMMARY_SENTENCES} sentences, which the reader makes of CUTER's text, have "
        f"{per_cent(1 - sum(sentences) / len(sentences))} sentences that are noise (less than half of their runs of "
        f"{GRAM} words are in the reference), where CUTER's text has {per_cent(noise)} noise; "
        f"{per_cent(clean)} of {len(summaries):,} summaries have none. {verdict(holds=all(sentences))}"
    )
