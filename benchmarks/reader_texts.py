"""Measure the reader's summaries and keywords on real pages, and write results/reader_texts.md.

    python benchmarks/reader_texts.py                   # with pip install rippletagger for the keywords
    python benchmarks/reader_texts.py --method cuter    # one method alone, printed only

A sentence of a summary is not in the reference if less than half of its runs of four words are in it or in the title. A
keyword is suspect if the part-of-speech tagger mostly calls its first or last word a verb, an adverb or a function word.
"""

import argparse
import builtins
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from bodytext import extract
from bodytext.corpus.stages.language import identify
from bodytext.reader.analysis import Frequencies, analyse, find_asides
from bodytext.studio.labels.labelled_set import fold_of, read_labelled
from reader_analysis import DATA, ROOT, find_good

RESULTS = ROOT / "results" / "reader_texts.md"
SETS = ("wcxb-dev", "news-2000-2015", "news-multilingual")
METHODS = ("cuter", "learned")
SENTENCES = (1, 3, 5)
HELD_OUT = (
    -3
)  # summaries of three on the half of the domains that the latest rules were not made on
SHORTEST = 8  # sentences: the reader summarises no shorter article
KEYWORDS, ARTICLES = 8, 40  # keywords of an article, and articles of a language
TAGGED = ("da", "de", "en", "es", "fr", "it", "nl", "no", "pl", "pt", "ru", "tr")
SUSPECT = frozenset(
    ["VERB", "ADV", "AUX", "PRON", "ADP", "DET", "CONJ", "CCONJ", "SCONJ", "PART", "INTJ"]
)


def measure_summaries(methods: tuple[str, ...]) -> Iterator[str]:
    """Yield a table of the sentences of summaries that are not in the references."""
    shares = " | ".join(f"of {n}" for n in SENTENCES)
    yield f"| pages | text found by | sentences | {shares} | of 3, second half of the domains |"
    yield "|---|---|---:|" + "---:|" * (len(SENTENCES) + 1)
    for name in SETS:
        pages = [
            page
            for page in read_labelled(DATA / name)
            if page.reference and page.page_type in {"", "article"}
        ]
        for method in methods:
            counts: Counter[int] = Counter()
            total: Counter[int] = Counter()
            for page in pages:
                document = extract(page.read(), url=page.url or "", method=method)
                text, title = str(document), document.metadata.title
                asides = find_asides(document.structure, map(asdict, document.media))
                found = analyse(title, text, "", Frequencies(), asides)
                if len(found.sentences) < SHORTEST:
                    continue
                best = [text[slice(*found.sentences[number])] for number in found.ranking[:5]]
                good = find_good(best, f"{title}\n{page.reference}")
                for count in SENTENCES:
                    total[count] += len(best[:count])
                    counts[count] += sum(not is_good for is_good in good[:count])
                if fold_of(page.domain, 2):
                    total[HELD_OUT] += len(best[:3])
                    counts[HELD_OUT] += sum(not is_good for is_good in good[:3])
            columns = (*SENTENCES, HELD_OUT)
            shares = " | ".join(f"{counts[n] / max(total[n], 1):.1%}" for n in columns)
            yield f"| {name} | {method} | {total[3]:,} | {shares} |"


def measure_keywords() -> Iterator[str]:
    """Yield a table of the keywords that the tagger suspects, by language."""
    builtins.xrange = range  # type: ignore[attr-defined]  # the tagger is of the time of Python 2
    from rippletagger.tagger import Tagger  # type: ignore[import-not-found]

    texts: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for name in SETS:
        for page in read_labelled(DATA / name):
            document = extract(page.read(), url=page.url or "")
            language = identify(str(document)).language
            if language in TAGGED and len(texts[language]) < ARTICLES:
                texts[language].append((document.metadata.title, str(document)))
    yield "| language | articles | keywords | suspect |"
    yield "|---|---:|---:|---:|"
    for language, articles in sorted(texts.items()):
        tagger, total, suspect = Tagger(language=language), 0, 0
        for title, text in articles:
            tags = read_tags(tagger, text)
            for keyword, _ in analyse(title, text, language, Frequencies()).keywords[:KEYWORDS]:
                words = re.findall(r"\w+", keyword.lower())
                total += 1
                suspect += any(tags.get(word, "") in SUSPECT for word in words[:1] + words[-1:])
        yield f"| {language} | {len(articles)} | {total} | {suspect / max(total, 1):.1%} |"


def read_tags(tagger: Any, text: str) -> dict[str, str]:
    """Return the most frequent tag of each word of a text."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for line in re.split(r"(?<=[.!?])\s|\n", text[:12_000]):
        words = re.findall(r"\w+|[^\w\s]", line)
        for word, tag in tagger.tag(" ".join(words)) if words else ():
            counts[word.lower()][tag] += 1
    return {word: tags.most_common(1)[0][0] for word, tags in counts.items()}


def main() -> None:
    """Measure, and write the results."""
    parser = argparse.ArgumentParser(description="Measure the reader's summaries and keywords.")
    parser.add_argument("--method", choices=METHODS)
    chosen = parser.parse_args().method
    day = f"{datetime.now(UTC):%d %B %Y}"
    lines = ["# Summaries and keywords of real pages", ""]
    lines += [f"Made by `python benchmarks/reader_texts.py`, {day}.", ""]
    lines += ["## Summaries: sentences that are not in the reference\n"]
    lines += measure_summaries((chosen,) if chosen else METHODS)
    if not chosen:
        lines += ["", "## Keywords that a tagger suspects\n", *measure_keywords(), ""]
        RESULTS.write_text("\n".join(lines), "utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
