"""Learn the phrases of noise that `cuter` leaves out, and measure what they are worth.

    python benchmarks/noise_phrases.py              # measure on the other half of the sites
    python benchmarks/noise_phrases.py --write      # write src/bodytext/methods/noise_phrases.txt too

A phrase is the text of a block of at most 150 bytes, or its first two to four words. It is learned if it is outside
the content on at least SITES sites (OPENING_SITES for first words), in blocks that the link test of CUTER leaves, and
inside the content on at most a fifth of as many. Only the half of the domains whose fold of two is 0 is learned from;
the numbers are of the other half.
"""

import argparse
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from bodytext.corpus.stages.language import identify
from bodytext.methods.cuter import Cuter
from bodytext.methods.noise_phrases import (
    LONGEST,
    OPENING,
    OPENING_WORDS,
    PhraseIndex,
    find_words,
    index_phrases,
    is_noise_phrase,
)
from bodytext.methods.scores import BOUNDARY
from bodytext.studio.labels import read_set
from bodytext.studio.labels.labelled_set import digest_of, fold_of
from bodytext.studio.training.examples import TrainingExample, read_examples

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("BODYTEXT_DATA", ROOT.parent / "shared" / "data"))
SETS = ("wcxb-dev", "news-multilingual", "articles-and-forums", "news-2000-2015")
FILE = ROOT / "src" / "bodytext" / "methods" / "noise_phrases.txt"
SITES, OPENING_SITES = 3, 5
MOST_INSIDE = 0.2  # sites that have a phrase in the content, for each that has it outside
HEAD = """# Short texts outside the content of pages, learned by `python benchmarks/noise_phrases.py --write` from
# {pages:,} pages of {sites:,} sites: {sets}.
# "..." after first words. One section for each language of the pages that have most of them.
"""

Sites = dict[str, set[str]]


def read_blocks(example: TrainingExample) -> Iterator[tuple[str, bool]]:
    """Yield the texts that the link test of CUTER leaves, and whether each is content."""
    page = example.page
    useful = Cuter()._candidates(page, page.per_block(page.runs.bytes))
    for number, text in enumerate(page.texts()):
        if example.labels[number] or useful[number]:
            yield text, bool(example.labels[number])


class PhraseCounter:
    """Count the sites that have a phrase outside and inside the content."""

    def __init__(self) -> None:
        self._whole: tuple[Sites, Sites] = (defaultdict(set), defaultdict(set))
        self._openings: tuple[Sites, Sites] = (defaultdict(set), defaultdict(set))
        self._languages: dict[str, list[str]] = defaultdict(list)

    def add(self, example: TrainingExample) -> None:
        """Count the phrases of a page."""
        site = example.source.domain
        language = identify(example.source.reference or "").language
        for text, is_content in read_blocks(example):
            is_short = len(text.encode()) <= LONGEST
            if not is_short and not is_content:
                continue
            words = find_words(text[: 2 * LONGEST])
            if is_short and words:
                self._whole[is_content][" ".join(words)].add(site)
                self._languages[" ".join(words)].append(language)
            for opening in list_openings(words):
                self._openings[is_content][opening].add(site)
                self._languages[opening].append(language)

    def choose(self) -> dict[str, list[str]]:
        """Return the phrases by language."""
        openings = _choose(self._openings, OPENING_SITES)
        openings = {text for text in openings if not _begins_with(text, openings)}
        whole = _choose(self._whole, SITES)
        chosen = openings | {text for text in whole if not _begins_with(text, openings)}
        phrases: dict[str, list[str]] = defaultdict(list)
        for phrase in sorted(chosen):
            languages = self._languages[phrase]
            phrases[max(sorted(set(languages)), key=languages.count)].append(phrase)
        return dict(sorted(phrases.items(), key=lambda item: (-len(item[1]), item[0])))


def list_openings(words: list[str]) -> list[str]:
    """Return the first words of a text as phrases."""
    counts = (count for count in OPENING_WORDS if count < len(words))
    return [" ".join(words[:count]) + OPENING for count in counts]


def _choose(sites: tuple[Sites, Sites], least: int) -> set[str]:
    outside, inside = sites
    return {
        phrase
        for phrase, places in outside.items()
        if len(places) >= least and len(inside.get(phrase, ())) <= MOST_INSIDE * len(places)
    }


def _begins_with(phrase: str, openings: set[str]) -> bool:
    """Whether another opening already covers a phrase."""
    words = phrase.removesuffix(OPENING).split(" ")
    return any(opening in openings for opening in list_openings(words))


def measure(examples: Iterable[TrainingExample], phrases: PhraseIndex) -> Iterator[str]:
    """Yield what the phrases leave out of CUTER's text, on articles and on other pages."""
    counts: dict[tuple[bool, bool, bool], int] = defaultdict(int)
    for example in examples:
        is_article = example.source.page_type in {"", "article"}
        page = example.page
        kept = Cuter(lexicon=False).score(page).values >= BOUNDARY
        texts = page.texts()
        for number in np.flatnonzero(kept).tolist():
            text = texts[number]
            is_noise = len(text.encode()) <= LONGEST and is_noise_phrase(text, phrases)
            counts[is_article, bool(example.labels[number]), is_noise] += len(text)
    for is_article in (True, False):
        good, noise = (
            (counts[is_article, is_content, True], counts[is_article, is_content, False])
            for is_content in (True, False)
        )
        yield (
            f"{'articles' if is_article else 'other pages'}: "
            f"{noise[0] / max(sum(noise), 1):.2%} of the noise is left out ({noise[0]:,} of {sum(noise):,} characters), "
            f"and {good[0] / max(sum(good), 1):.3%} of the text ({good[0]:,} of {sum(good):,})"
        )


def main() -> None:
    """Learn from one half of the sites, and measure on the other."""
    parser = argparse.ArgumentParser(description="Learn the phrases of noise.")
    parser.add_argument("--write", action="store_true", help="write the file of phrases")
    options = parser.parse_args()
    counter, held_out, sites = PhraseCounter(), [], set()
    pages = 0
    for name in SETS:
        for example in read_examples(DATA / name):
            if fold_of(example.source.domain, 2):
                held_out.append(example)
            else:
                counter.add(example)
                sites.add(example.source.domain)
                pages += 1
    chosen = counter.choose()
    if options.write:
        digests = [f"{name} ({digest_of(read_set(DATA / name))})" for name in SETS]
        lines = [HEAD.format(pages=pages, sites=len(sites), sets=", ".join(digests))]
        for language, phrases in chosen.items():
            lines += [f"# {language}", *phrases]
        FILE.write_text("\n".join(lines) + "\n", "utf-8")
    phrases = [phrase for group in chosen.values() for phrase in group]
    print(f"{len(phrases):,} phrases in {len(chosen)} languages")
    print("\n".join(measure(held_out, index_phrases(phrases))))


if __name__ == "__main__":
    main()
