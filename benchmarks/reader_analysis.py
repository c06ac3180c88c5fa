"""Measure the noise, the stories and the time of the reader's analysis, and write results/reader_analysis.md.

    python benchmarks/reader_analysis.py                     all of it, some minutes
    python benchmarks/reader_analysis.py --part noise        one of: noise, stories, time
    python benchmarks/reader_analysis.py --articles 10000    stored, for the time that finding a story takes

Noise is measured on the articles of wcxb-dev ($BODYTEXT_DATA, else ../shared/data) with the text that `cuter` and
`learned` find there. The latter is taken from predictions/wcxb-dev/learned-validated.jsonl where `bodytext train` and
`bodytext evaluate` have left it: then every page was answered by a network that had not seen its site.
"""

import argparse
import json
import os
import platform
import random
import statistics
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the matrices are small

import numpy as np

from bodytext import extract
from bodytext.corpus.stages.language import identify
from bodytext.reader.analysis import Frequencies, analyse
from bodytext.reader.analysis.counts import StoredFrequencies, count_terms
from bodytext.reader.analysis.graph import Graph, build_graph
from bodytext.reader.analysis.noise import LEAST_CONNECTION, find_noise
from bodytext.reader.analysis.sentences import split_sentences
from bodytext.reader.analysis.terms import find_terms
from bodytext.reader.collection.stories import find_story, index_article
from bodytext.reader.store.draft import ArticleDraft
from bodytext.reader.store.store import Store
from bodytext.studio.evaluation.metrics import compare_words
from bodytext.studio.labels.labelled_set import LabelledPage, digest_of, fold_of, read_labelled
from bodytext.studio.training.alignment import WORD
from made_stories import DAY, START, StoryReport, make_reports

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("BODYTEXT_DATA", ROOT.parent / "shared" / "data"))
RESULTS = ROOT / "results" / "reader_analysis.md"
VALIDATED = ROOT / "predictions" / "wcxb-dev" / "learned-validated.jsonl"
ARTICLES = 100_000
BOUNDS = (LEAST_CONNECTION, 0.05, 0.1, 0.2, 0.4)
GRAM = 4  # consecutive words by which a sentence is recognised in the reference
PLANTED = 3  # sentences of another article
VOCABULARY = 60_000  # words of generated articles
PARTS = 3  # into which an article is divided

NOISE = """## Noise

These are the sentences of the text that a method found in {pages} articles of wcxb-dev (digest {digest}). A
sentence is noise if less than half of its runs of {gram} words are in the reference. Noise dropped and text lost are
shares of characters. The default bound was chosen on the half of the domains that is not counted here. `F1` is the
change in the mean word F1 of a page if the sentences below the bound were dropped.

| text found by | noise in it | bound | noise dropped | text lost | noise in what is dropped | F1 |
|---|---:|---:|---:|---:|---:|---:|"""
PLANTING = """
The same for the references, with {planted} sentences of another reference appended to each: this noise has nothing
to do with the article.

| bound | noise dropped | text lost |
|---:|---:|---:|"""
VERDICT = """
So the sentence graph finds unrelated sentences, but that does not help here. The noise that a good extraction leaves
has the same topic as the article (lists of related offers, captions, tables, comments), and half to nine tenths of the
sentences that the graph finds unconnected belong to the article. No bound makes the text better. The default bound marks
almost nothing, and only in the last 30 % of an article. Marked sentences are left out of summaries, never out of the
text.
"""
GROUPING = """
## Stories

Pairs of articles that are put into the same story, compared with pairs that belong together. Articles come in the order
of time, and each is compared with those stored by then, as in the reader.

*Made stories*: `benchmarks/made_stories.py`. 60 stories within a week, each reported by 1 to 4 sources in each of five
languages, with templates and invented names: other stories of the same kind use the same words with other names. The
bounds were chosen with seed 0 and with half of the dealt articles; the templates are the same for all seeds.
*Dealt articles*: the articles of wcxb-dev and news-multilingual with 15 sentences or
more. Their sentences are dealt out to {parts} "sources" one by one, so that no two share a sentence. Most are long and
not news: a third of one guide is much like a third of another guide to the same thing.

| set | articles | pairs | precision | recall |
|---|---:|---|---:|---:|"""
TIMES = """
## Time

CPU milliseconds of one thread for an article, on a machine that had other work (`analyse` does all but find the story).

| articles | median words | analyse, median | 90 % are below |
|---|---:|---:|---:|"""
STORED = """
Milliseconds for one more article (wall clock), by the number of stored articles. All are within six days, and made of
420 words drawn from {vocabulary:,} by Zipf's law. At each step, a thousand texts are used again and again.

| stored | find the story, median | 90 % are below | index it | count its terms | database, MB |
|---:|---:|---:|---:|---:|---:|"""


@dataclass(frozen=True, slots=True)
class Sample:
    """The sentences of an extracted text, whether each belongs to the article, and their graph."""

    sentences: list[str]
    is_good: list[bool]
    graph: Graph
    reference: str = ""

    def drop(self, least: float) -> str:
        """Return the text without the sentences below a threshold."""
        noise = set(find_noise(self.graph, least))
        return "\n".join(
            sentence for number, sentence in enumerate(self.sentences) if number not in noise
        )


# Noise


def read_articles() -> list[LabelledPage]:
    """Read the labelled articles of wcxb-dev."""
    return [
        page
        for page in read_labelled(DATA / "wcxb-dev")
        if page.page_type == "article" and page.reference
    ]


def read_found(pages: list[LabelledPage]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield each method's name and its texts by page."""
    yield "cuter", {page.identity: str(extract(page.read(), method="cuter")) for page in pages}
    if VALIDATED.is_file():
        records = map(json.loads, VALIDATED.read_text("utf-8").splitlines()[1:])
        yield "learned, cross-validated", {record["identity"]: record["text"] for record in records}
    else:
        yield (
            "learned (has seen these)",
            {page.identity: str(extract(page.read())) for page in pages},
        )


def count_documents(texts: Iterable[str]) -> Frequencies:
    """Count the frequencies of terms in texts, like the reader."""
    counts: Counter[str] = Counter()
    documents = 0
    for text in texts:
        counts.update({term.name for term in find_terms(text)})
        documents += 1
    return Frequencies(documents, counts)


def make_graph(sentences: list[str], title: str, frequencies: Frequencies) -> Graph:
    """Build the graph of sentences."""
    parts = [[term.name for term in find_terms(sentence)] for sentence in sentences]
    head = [term.name for term in find_terms(title)]
    return build_graph(
        parts, head, frequencies.weigh(name for part in (*parts, head) for name in part)
    )


def cut(text: str) -> list[str]:
    """Split a text into sentences."""
    return [text[start:end] for start, end in split_sentences(text, "en")]


def find_good(sentences: list[str], reference: str) -> list[bool]:
    """Return whether each sentence is in the reference."""
    words = WORD.findall(reference.lower())
    grams = {tuple(words[at : at + GRAM]) for at in range(len(words) - GRAM + 1)}
    whole = f" {' '.join(words)} "
    flags = []
    for sentence in sentences:
        own = WORD.findall(sentence.lower())
        places = range(len(own) - GRAM + 1)
        if places:
            flags.append(
                sum(tuple(own[at : at + GRAM]) in grams for at in places) * 2 >= len(places)
            )
        else:
            flags.append(f" {' '.join(own)} " in whole)
    return flags


def take_samples(pages: list[LabelledPage], texts: dict[str, str]) -> list[Sample]:
    """Return the sentences of pages with their labels and graphs."""
    frequencies = count_documents(texts[page.identity] for page in pages)
    samples = []
    for page in pages:
        sentences = cut(texts[page.identity])
        graph = make_graph(sentences, read_title(page), frequencies)
        sentences = sentences[: len(graph)]
        good = find_good(sentences, page.reference or "")
        samples.append(Sample(sentences, good, graph, page.reference or ""))
    return samples


def read_title(page: LabelledPage) -> str:
    """Return the labelled title of a page."""
    label = json.loads(
        (DATA / "wcxb-dev" / "ground-truth" / f"{page.identity}.json").read_text("utf-8")
    )
    return str(label["ground_truth"].get("title") or "")


def share(samples: list[Sample], least: float) -> tuple[float, float, float]:
    """Return the noise dropped, the text lost, and the noise in what is dropped, as shares of characters."""
    sums: Counter[tuple[bool, bool]] = Counter()
    for sample in samples:
        dropped = set(find_noise(sample.graph, least))
        for number, (sentence, good) in enumerate(
            zip(sample.sentences, sample.is_good, strict=True)
        ):
            sums[good, number in dropped] += len(sentence)
    noise, article = sums[False, True] + sums[False, False], sums[True, True] + sums[True, False]
    marked = sums[False, True] + sums[True, True]
    return (
        sums[False, True] / max(noise, 1),
        sums[True, True] / max(article, 1),
        sums[False, True] / max(marked, 1),
    )


def plant(pages: list[LabelledPage], seed: int = 3) -> list[Sample]:
    """Return the references, each with sentences of another article."""
    chance = random.Random(seed)
    frequencies = count_documents(page.reference or "" for page in pages)
    texts = [(page, cut(page.reference or "")[:150]) for page in pages]
    texts = [(page, sentences) for page, sentences in texts if len(sentences) >= 12]
    samples = []
    for page, own in texts:
        other, foreign = chance.choice(texts)
        if other.domain == page.domain:
            continue
        start = chance.randrange(len(foreign) - PLANTED + 1)
        sentences = [*own, *foreign[start : start + PLANTED]]
        good = [at < len(own) for at in range(len(sentences))]
        samples.append(
            Sample(sentences, good, make_graph(sentences, read_title(page), frequencies))
        )
    return samples


def measure_noise() -> Iterator[str]:
    """Yield the effect of the sentence filter on real pages."""
    if not (DATA / "wcxb-dev").is_dir():
        yield "## Noise\n\nNot measured: wcxb-dev is not here."
        return
    pages = read_articles()
    unseen = [page for page in pages if fold_of(page.domain, 2) == 1]
    yield NOISE.format(pages=f"{len(unseen)} of {len(pages)}", digest=digest_of(pages), gram=GRAM)
    for name, texts in read_found(pages):
        samples = take_samples(unseen, texts)
        sums = Counter(
            good
            for sample in samples
            for s, good in zip(sample.sentences, sample.is_good, strict=True)
            for _ in s
        )
        whole = [compare_words(sample.drop(-1), sample.reference).f1 for sample in samples]
        for least in BOUNDS:
            dropped, lost, purity = share(samples, least)
            less = [compare_words(sample.drop(least), sample.reference).f1 for sample in samples]
            change = statistics.fmean(less) - statistics.fmean(whole)
            mark = " (default)" if least == LEAST_CONNECTION else ""
            yield (
                f"| {name} | {sums[False] / sums.total():.1%} | {least}{mark} | {dropped:.2%} | {lost:.2%} "
                f"| {purity:.0%} | {change:+.4f} |"
            )
    yield PLANTING.format(planted=PLANTED)
    samples = plant(unseen)
    for least in BOUNDS:
        dropped, lost, _ = share(samples, least)
        yield f"| {least}{' (default)' if least == LEAST_CONNECTION else ''} | {dropped:.1%} | {lost:.2%} |"
    yield VERDICT


# Stories


def deal_articles() -> list[StoryReport]:
    """Return real articles, each divided sentence by sentence among several sources."""
    chance = random.Random(1)
    reports: list[StoryReport] = []
    for name in ("wcxb-dev", "news-multilingual"):
        for page in read_labelled(DATA / name) if (DATA / name).is_dir() else ():
            text = page.reference or ""
            sentences = [text[start:end] for start, end in split_sentences(text)][:60]
            if page.page_type != "article" or len(sentences) < 15:
                continue
            language, moment = identify(text).language, START + chance.randrange(3 * DAY)
            for part in range(PARTS):
                own = sentences[part::PARTS]
                title = own[0] if part else " ".join(text.split()[:10])
                published = moment + chance.randrange(DAY)
                reports.append(
                    StoryReport(len(reports) // PARTS, language, title, "\n\n".join(own), published)
                )
    return sorted(reports, key=lambda report: report.published)


def group(reports: list[StoryReport]) -> list[int]:
    """Return the story of each article, found as in an update."""
    stories = []
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "reader.sqlite") as store:
        with store.write() as connection:
            connection.execute(
                "INSERT INTO feeds (id, url) VALUES (1, 'https://paper.example/feed')"
            )
        for number, report in enumerate(reports):
            analysis = analyse(
                report.title,
                report.text,
                report.language,
                StoredFrequencies(store.connection, report.language),
            )
            story = find_story(store, analysis, report.published)
            draft = ArticleDraft(
                1, f"https://paper.example/{number}", published=report.published, fetched=report.published,
                language=report.language, story=story, signature=analysis.signature,
            )  # fmt: skip
            with store.write(durable=False):
                article = store.articles.add(draft)
                assert article is not None  # noqa: S101 - the addresses are all different
                index_article(store, article, analysis, report.published)
                count_terms(store, report.language, analysis.terms)
            stories.append(story or article)
    return stories


def compare_pairs(
    reports: list[StoryReport], stories: list[int], counts: Callable[[str, str], bool]
) -> str:
    """Return precision and recall over the pairs of languages that count, as table cells."""
    both = together = same = 0
    for (first, report), (second, other) in combinations(enumerate(reports), 2):
        is_same, is_together = report.story == other.story, stories[first] == stories[second]
        if (is_same or is_together) and counts(report.language, other.language):
            both += is_same and is_together
            same += is_same
            together += is_together
    return f"{both / max(together, 1):.3f} | {both / max(same, 1):.3f} |"


def measure_stories() -> Iterator[str]:
    """Yield how often articles are grouped correctly."""
    latin = {"en", "de", "es"}
    kinds: dict[str, Callable[[str, str], bool]] = {
        "in one language": lambda first, other: first == other,
        "en, de, es across": lambda first, other: first != other and {first, other} <= latin,
        "across, with ru or zh": lambda first, other: (
            first != other and not {first, other} <= latin
        ),
    }
    yield GROUPING.format(parts=PARTS)
    for seed in (0, 1, 2):
        reports = make_reports(60, 4, seed)
        stories = group(reports)
        for name, counts in kinds.items():
            cells = compare_pairs(reports, stories, counts)
            yield f"| made stories, seed {seed} | {len(reports)} | {name} | {cells}"
    dealt = deal_articles()
    if dealt:
        cells = compare_pairs(dealt, group(dealt), kinds["in one language"])
        yield f"| dealt articles | {len(dealt)} | in one language | {cells}"


# Time


def measure_time(articles: int) -> Iterator[str]:
    """Yield the time of an article, alone and with many stored."""
    yield TIMES
    for name in ("news-multilingual", "wcxb-dev"):
        pages = read_labelled(DATA / name) if (DATA / name).is_dir() else []
        texts = [
            page.reference for page in pages if page.reference and page.page_type == "article"
        ][:300]
        spent = []
        for text in texts:
            started = time.process_time()
            analyse(text[:60], text, identify(text).language, Frequencies())
            spent.append((time.process_time() - started) * 1000)
        if spent:
            words = statistics.median(len(text.split()) for text in texts)
            yield f"| {name} | {words:.0f} | {statistics.median(spent):.1f} | {np.percentile(spent, 90):.1f} |"
    yield STORED.format(vocabulary=VOCABULARY)
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "reader.sqlite") as store:
        with store.write() as connection:
            connection.execute(
                "INSERT INTO feeds (id, url) VALUES (1, 'https://paper.example/feed')"
            )
        stored = 0
        for wanted in sorted({articles // 100, articles // 10, articles}):
            fill(store, stored, wanted)
            stored = wanted
            yield time_stored(store, stored)


def make_text(chance: np.random.Generator) -> str:
    """Make an article of words drawn by Zipf's law, in sentences of twelve."""
    words = [f"w{number}" for number in (chance.zipf(1.2, 420) % VOCABULARY).tolist()]
    return " ".join(" ".join(words[at : at + 12]) + "." for at in range(0, len(words), 12))


def fill(store: Store, start: int, stop: int) -> None:
    """Store generated articles without their texts, which are not used."""
    chance = np.random.default_rng(start)
    samples = [
        analyse("", make_text(chance), "en", Frequencies()) for _ in range(min(1_000, stop - start))
    ]
    for first in range(start, stop, 1_000):
        with store.write(durable=False) as connection:
            for number in range(first + 1, min(first + 1_000, stop) + 1):
                analysis = samples[number % len(samples)]
                published = START + int(chance.integers(6 * DAY))
                connection.execute(
                    "INSERT INTO articles (id, feed, url, published, language, story, signature) "
                    "VALUES (?, 1, ?, ?, 'en', ?, ?)",
                    (
                        number,
                        f"https://paper.example/{number}",
                        published,
                        number,
                        analysis.signature,
                    ),
                )
                index_article(store, number, analysis, published)
    for analysis in samples:
        count_terms(store, "en", analysis.terms)


def time_stored(store: Store, stored: int) -> str:
    """Return a row of the table: the time of another article, measured a hundred times."""
    chance = np.random.default_rng(7)
    spent: dict[str, list[float]] = defaultdict(list)
    for _ in range(100):
        analysis = analyse("", make_text(chance), "en", StoredFrequencies(store.connection, "en"))
        moment = START + int(chance.integers(6 * DAY))
        article = 1 + int(chance.integers(stored))
        started = time.perf_counter()
        find_story(store, analysis, moment)
        searched = time.perf_counter()
        index_article(store, article, analysis, moment)
        indexed = time.perf_counter()
        count_terms(store, "en", analysis.terms)
        spent["find"].append((searched - started) * 1000)
        spent["index"].append((indexed - searched) * 1000)
        spent["count"].append((time.perf_counter() - indexed) * 1000)
    medians = " | ".join(f"{statistics.median(spent[name]):.1f}" for name in ("index", "count"))
    find, most = statistics.median(spent["find"]), np.percentile(spent["find"], 90)
    size = store.path.stat().st_size / 1e6
    return f"| {stored:,} | {find:.1f} | {most:.1f} | {medians} | {size:.0f} |"


def main() -> None:
    """Measure and write the report."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--part",
        choices=("noise", "stories", "time"),
        help="measure only this part, and write no report",
    )
    parser.add_argument(
        "--articles",
        type=int,
        default=ARTICLES,
        help="articles stored while the search for stories is timed",
    )
    options = parser.parse_args()
    parts: dict[str, Callable[[], Iterator[str]]] = {
        "noise": measure_noise,
        "stories": measure_stories,
        "time": lambda: measure_time(options.articles),
    }
    day, python = f"{datetime.now(UTC):%Y-%m-%d}", platform.python_version()
    lines = [
        "# The reader's analysis",
        "",
        f"Made by `python benchmarks/reader_analysis.py` on {day} with Python {python}, numpy {np.__version__}.",
        "",
    ]
    for name, measure in parts.items():
        if options.part in {None, name}:
            for line in measure():
                print(line, flush=True)
                lines.append(line)
    if not options.part:
        RESULTS.write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main()
