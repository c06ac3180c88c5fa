"""Measure the time of corpus stages and what they do to good text, and write results/stages.md.

The texts are the bodies of real pages as people marked them: the sets in the data folder
($BODYTEXT_DATA, else ../shared/data) and labelled/. All of it is good text. If a rule drops some of
it, the rule errs or the page is not prose.
"""

import os
import platform
import re
import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from difflib import SequenceMatcher
from pathlib import Path

import bodytext
from bodytext.corpus.row import Row
from bodytext.corpus.stages.confidence import Confidence
from bodytext.corpus.stages.language import Language, identify
from bodytext.corpus.stages.length import Length
from bodytext.corpus.stages.normalisation import Normalisation, normalise_text
from bodytext.corpus.stages.quality import Quality
from bodytext.corpus.stages.stage import Stage
from bodytext.corpus.stages.vietnamese import encodings
from bodytext.corpus.stages.vietnamese.encodings import find_decoding
from bodytext.page.encoding.codecs import read
from bodytext.page.encoding.decoding import decode
from bodytext.studio.labels.labelled_set import LabelledPage, read_labelled
from encoding_guess import type_tone

ROOT = Path(__file__).parent.parent
DATA = Path(os.environ.get("BODYTEXT_DATA", ROOT.parent / "shared" / "data"))
RESULTS = ROOT / "results" / "stages.md"
TYPICAL = range(4_000, 6_500)  # characters
TIMED = 100  # texts
ROUNDS = 5
LEAST_READ = 0.95  # of the words must be right; letters that an encoding lacks are always wrong
STAGES: dict[str, Stage] = {
    "normalisation": Normalisation(),
    "normalisation, tone marks unified": Normalisation("new"),
    "length": Length(),
    "confidence": Confidence(),
    "language": Language(),
    "quality gopher": Quality("gopher"),
    "quality gopher,c4": Quality("gopher,c4"),
}


def read_pages() -> Iterator[tuple[str, LabelledPage]]:
    """Yield the labelled pages, with the name of their set."""
    for folder in (DATA / "wcxb-dev", DATA / "news-multilingual", ROOT / "labelled"):
        if folder.is_dir():
            for page in read_labelled(folder):
                if page.reference:
                    yield folder.name, page


def time_stage(stage: Stage, texts: list[str], language: str) -> float:
    """Microseconds for a text, the best of some rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        rows = [Row(text=text, language=language, confidence=0.9) for text in texts]
        started = time.process_time()
        for _row in stage(iter(rows)):
            pass
        best = min(best, time.process_time() - started)
    return best / len(texts) * 1e6


def tabulate_times(pages: list[tuple[str, LabelledPage]]) -> Iterator[str]:
    """Yield the table of times, with that of extracting the same pages."""
    chosen = [
        page for name, page in pages if name == "wcxb-dev" and len(page.reference or "") in TYPICAL
    ][:TIMED]
    english = [page.reference or "" for page in chosen]
    vietnamese = [text[:5_000] for text in _join_vietnamese(pages)]
    yield "| | English, µs | Vietnamese, µs |"
    yield "|---|---:|---:|"
    for name, stage in STAGES.items():
        yield f"| {name} | {time_stage(stage, english, 'en'):.0f} | {time_stage(stage, vietnamese, 'vi'):.0f} |"
    sources = [page.read() for page in chosen]
    for source in sources:
        bodytext.extract(source)
    started = time.process_time()
    for source in sources:
        bodytext.extract(source)
    yield f"| extracting the English pages | {(time.process_time() - started) / len(sources) * 1e6:.0f} | |"


def _join_vietnamese(pages: list[tuple[str, LabelledPage]]) -> Iterator[str]:
    """Texts of 5,000 characters: some pages in a row, so that nothing repeats."""
    texts = [page.reference or "" for _, page in pages if page.language == "vi"]
    for start in range(len(texts)):
        yield "\n\n".join((texts[start:] + texts[:start])[:4])


def tabulate_drops(pages: list[tuple[str, LabelledPage]]) -> Iterator[str]:
    """Yield the table of good text that the rules drop."""
    totals: Counter[str] = Counter()
    drops: dict[tuple[str, str], Counter[str]] = {}
    for name, page in pages:
        group = f"{name}, {page.page_type}" if name == "wcxb-dev" else name
        text = page.reference or ""
        totals[group] += 1
        for rules in ("gopher", "c4"):
            (row,) = Quality(rules)(iter([Row(text=text, language=identify(text).language)]))
            reasons = drops.setdefault((group, rules), Counter())
            if row.dropped:
                reasons[row.dropped.partition(":")[0].removeprefix("quality ")] += 1
    yield "| texts | | gopher drops | mostly by | c4 drops | mostly by |"
    yield "|---|---:|---:|---|---:|---|"
    for group, total in totals.items():
        cells = []
        for rules in ("gopher", "c4"):
            reasons = drops[group, rules]
            worst = ", ".join(f"{name} {count}" for name, count in reasons.most_common(2))
            cells.append(f"{reasons.total() / total:.1%} | {worst}")
        yield f"| {group} | {total} | {' | '.join(cells)} |"


def compare_with_datatrove(pages: list[tuple[str, LabelledPage]]) -> Iterator[str]:
    """Yield how often Gopher's rules here and in datatrove agree, both over words between white space."""
    try:
        import datatrove.pipeline.filters.gopher_quality_filter as of_quality
        import datatrove.pipeline.filters.gopher_repetition_filter as of_repetition
        from datatrove.data import Document
    except ImportError:
        yield "datatrove is not installed; `pip install datatrove` for this part."
        return
    of_quality.split_into_words = of_repetition.split_into_words = lambda text, _: text.split()
    filters = (of_quality.GopherQualityFilter(), of_repetition.GopherRepetitionFilter())
    verdicts: Counter[tuple[bool, bool]] = Counter()
    for name, page in pages:
        if name == "wcxb-dev":
            text = page.reference or ""
            (row,) = Quality("gopher")(iter([Row(text=text, language="en")]))
            theirs = all(rules.filter(Document(text=text, id="")) is True for rules in filters)
            verdicts[row.kept, theirs] += 1
    alike = verdicts[True, True] + verdicts[False, False]
    yield f"Of {verdicts.total():,} texts of wcxb-dev, {alike / verdicts.total():.1%} get the same verdict;"
    yield f"{verdicts[False, True]} are dropped only here, {verdicts[True, False]} only by datatrove. Its shares"
    yield "are of all characters, with white space, so those of n-grams are smaller."


def encode(text: str, name: str) -> bytes:
    """Encode Vietnamese in an encoding older than Unicode, or in UTF-8; a letter that it lacks is a question mark."""
    if name in {"windows-1258", "UTF-8"}:
        return "".join(map(type_tone, text) if name == "windows-1258" else text).encode(
            name, "replace"
        )
    if name == "VNI":
        back: dict[str, str] = {}
        for shown, letter in encodings._vni_table()[0].items():
            back.setdefault(letter, shown)
        return "".join(back.get(letter, letter) for letter in text).encode(
            "windows-1252", "replace"
        )
    characters = {"TCVN3": encodings._TCVN3, "VISCII": encodings._VISCII, "VPS": encodings._VPS}[
        name
    ]
    first = 0x100 - len(characters)
    bytes_of = {letter: byte for byte, letter in enumerate(characters, first) if letter != "."}
    return bytes(
        bytes_of.get(letter) or (ord(letter) if letter.isascii() else ord("?")) for letter in text
    )


def tabulate_encodings(pages: list[tuple[str, LabelledPage]]) -> Iterator[str]:
    """Yield the table of decoded texts: for each way to show the bytes, the texts and words that are right."""
    texts = [page.reference or "" for _, page in pages if page.language == "vi"]
    yield "| written in | shown as | texts | read | words right |"
    yield "|---|---|---:|---:|---:|"
    for name in ("TCVN3", "VNI", "VISCII", "VPS", "windows-1258", "UTF-8"):
        for shown_as in ("windows-1252", "what an unlabelled page is taken for"):
            shares = [_share_read(text, name, shown_as) for text in texts]
            whole = sum(share >= LEAST_READ for share in shares)
            yield f"| {name} | {shown_as} | {len(texts)} | {whole} | {sum(shares) / len(shares):.1%} |"


def _share_read(text: str, name: str, shown_as: str) -> float:
    """The share of words that are right after a text was encoded, shown as something else and normalised."""
    data = encode(text, name)
    shown = (
        read(data, shown_as)
        if shown_as == "windows-1252"
        else decode(b"<p>" + data).source.decode()[3:]
    )
    # As extraction does
    shown = "\n".join(" ".join(re.split("[ \xa0\x85]+", line)) for line in shown.split("\n"))
    decoded = normalise_text(shown, "", find_decoding(shown)).split()
    meant = "".join(
        letter if letter.isalpha() or letter.isascii() else "?" for letter in text
    ).split()
    matches = SequenceMatcher(
        None, list(map(_letters, decoded)), list(map(_letters, meant)), autojunk=False
    )
    return sum(block.size for block in matches.get_matching_blocks()) / len(meant)


def _letters(word: str) -> str:
    return "".join(filter(str.isalpha, word)).lower()


def main() -> None:
    """Measure and write the report."""
    pages = list(read_pages())
    others = [page for _, page in pages if page.language != "vi"]
    touched = sum(find_decoding(page.reference or "") is not None for page in others)
    lines = [
        "# The stages of a corpus",
        "",
        f"Made by `python benchmarks/stages.py` on {datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}.",
        "",
        "## Time",
        "",
        f"CPU time in microseconds for a text of {TYPICAL.start:,} to {TYPICAL.stop:,} characters, in one run.",
        "",
        *tabulate_times(pages),
        "",
        "## Good text that the quality rules drop",
        "",
        "Texts that people marked as the bodies of real pages; the language is the one that the set gives.",
        "",
        *tabulate_drops(pages),
        "",
        "## Compared with datatrove",
        "",
        *compare_with_datatrove(pages),
        "",
        "## Vietnamese in encodings from before Unicode",
        "",
        "The Vietnamese pages in `labelled/`, encoded, and decoded as something else; words are compared by their letters",
        f"without regard to case. Of {len(others):,} labelled texts in other languages, {touched} were taken for it.",
        "",
        *tabulate_encodings(pages),
    ]
    RESULTS.write_text("\n".join(lines) + "\n", "utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
