"""Measure how well and how fast duplicates are found, and write results/duplicates.md.

The package, datasketch and rensa search for made copies, with several rates of edits. The texts are the
references of wcxb-dev and news-multilingual, if they are there, and generated texts in scripts without
spaces. `pip install datasketch rensa` installs the peers. The search over millions of rows runs on
generated signatures in a process of its own. The cost of signing is measured on texts and grows with them.
"""

import argparse
import json
import os
import platform
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np

from bodytext import extract
from bodytext import kernel as _kernel
from bodytext.corpus.duplicates import signatures
from bodytext.corpus.duplicates.search import DuplicateOptions, find_duplicates
from bodytext.corpus.duplicates.signatures import SIGNATURE, sign_all
from bodytext.kernel import shingles as shingles_reference
from bodytext.kernel.hashing import SHINGLE_SIZE
from bodytext.kernel.shingles import Hashes
from bodytext.studio.labels.labelled_set import read_labelled

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("BODYTEXT_DATA", ROOT.parent / "shared" / "data"))
RATES = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3)
SHORTEST = 100  # words of a text to copy
WORDS_LIKE = 200  # characters of a text in a script without spaces, at least
GROWTH = (100_000, 300_000, 1_000_000, 3_000_000)
MODELLED = 10_000_000
PERMUTATIONS = 128
PLAIN = "sign, without the compiled kernel"

HEAD = """# Duplicates

Made by `python benchmarks/duplicates.py --most {most}` on {day} with Python {python}, {versions}.
"""
QUALITY = """## Precision / recall by how much was edited

Every other text is copied, with some words (in scripts without spaces: characters) left out, replaced or inserted. For
every ten texts there is one more, made of the halves of two, which is a copy of neither. A copy counts as found if it
is reported as a duplicate of its text, or its text as a duplicate of it. All search at likeness {threshold}. A copy with
a tenth edited is less alike than that, and should not be found. Peers get the same shingles, and their candidates are
checked as ours are.
"""
SHINGLES = """
## Shingles

Mean likeness of a text and its copy with 5 % and with 20 % edited, and of unrelated texts, by the number of words in a
shingle:
"""
GROWN = """
## Growth

`find_duplicates` over generated signatures, 100,000 in a shard, a tenth of them near duplicates and a twentieth equal;
{bands} bands of {rows}, {memory} MB for a file. Memory is the process's own; mapped files, which the system can drop at
any time, are not counted.
"""

GROWTH_ROW = "| {rows:,.0f} | {wall:.1f} | {cpu:.1f} | {memory:.0f} | {signatures:.0f} | {spilled:.0f} | {found:,.0f} |"

Pairs = dict[int, int]  # the text that each duplicate repeats


def read_texts() -> dict[str, list[str]]:
    """Read texts by kind of script."""
    texts: dict[str, list[str]] = {"spaced": [], "Japanese": [], "Han": [], "Thai": []}
    for name in ("wcxb-dev", "news-multilingual"):
        if (DATA / name).is_dir():
            for page in read_labelled(DATA / name):
                text = page.reference or ""
                kana = sum("\u3040" <= letter <= "\u30ff" for letter in text)
                if kana > WORDS_LIKE:
                    texts["Japanese"].append(text)
                elif len(text.split()) >= SHORTEST:
                    texts["spaced"].append(text)
    if not texts["spaced"]:
        vocabulary = [f"w{number}" for number in range(20_000)]
        texts["spaced"] = [" ".join(generate(vocabulary, 400, seed)) for seed in range(500)]
    han = [chr(code) for code in range(0x4E00, 0x4E00 + 3_000)]
    vowels, ends = "\u0e31\u0e32\u0e34\u0e35\u0e37\u0e38\u0e39", ("", "น", "ง", "ม", "ก")
    syllables = [
        first + vowel + end
        for first in "กขคงจชซดตทนบปพฟมยรลวสหอ"
        for vowel in vowels
        for end in ends
    ]
    texts["Han"] = ["".join(generate(han, 1_000, seed)) for seed in range(100)]
    texts["Thai"] = ["".join(generate(syllables, 500, seed)) for seed in range(100)]
    return texts


def generate(units: Sequence[str], count: int, seed: int) -> list[str]:
    """Choose units by Zipf's law. Every few texts share an order: texts of one topic share words."""
    chance = np.random.default_rng(seed)
    ranks = np.minimum(chance.zipf(1.3, count), len(units)) - 1
    order = np.random.default_rng(seed % 7).permutation(len(units))
    return [units[order[rank]] for rank in ranks]


def edit(text: str, rate: float, seed: int) -> str:
    """Delete, replace or insert some words (or characters) of a text, a third each."""
    chance = random.Random(seed)
    spaced = text.count(" ") > len(text) / 20
    units = text.split() if spaced else list(text)
    made = []
    for unit in units:
        kind = chance.randrange(3) if chance.random() < rate else -1
        if kind != 0:
            made.append(chance.choice(units) if kind == 1 else unit)
        if kind == 2:
            made.append(chance.choice(units))
    return (" " if spaced else "").join(made)


def make_set(texts: Sequence[str], rate: float) -> tuple[list[str], list[int]]:
    """Make a copy of every other text, and shuffle all; also return the text that each was made from.

    Some are not copies: they have the first half of one text with the second half of another.
    """
    made = [(text, number) for number, text in enumerate(texts)]
    made += [
        (edit(text, rate, number), number) for number, text in enumerate(texts) if number % 2 == 0
    ]
    for number in range(0, len(texts) - 1, 10):
        first, second = texts[number], texts[number + 1]
        made.append((first[: len(first) // 2] + " " + second[len(second) // 2 :], -1 - number))
    random.Random(0).shuffle(made)
    return [text for text, _ in made], [origin for _, origin in made]


def find_ours(texts: Sequence[str]) -> Pairs:
    """Find duplicates with the package."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "texts.signatures"
        sign_all(texts).tofile(path)
        (rows,) = find_duplicates([path], Path(folder))
    return dict(zip(rows["row"].tolist(), rows["of_row"].tolist(), strict=True))


def shingle(text: str) -> list[str]:
    """The shingles that the package uses, as strings for the peers."""
    _, tokens, _ = _kernel.find_lowest(
        text.lower().encode("utf-32-le", "surrogatepass"), signatures._classes()
    )
    words = tokens.decode("utf-16-le").split(" ")
    return [
        " ".join(words[start : start + SHINGLE_SIZE])
        for start in range(max(len(words) - SHINGLE_SIZE + 1, 1))
    ]


def find_datasketch(texts: Sequence[str]) -> Pairs:
    """Find duplicates with datasketch: a text is kept if no earlier one is like it."""
    from datasketch import MinHash, MinHashLSH

    def sign(text: str) -> Any:
        signature = MinHash(num_perm=PERMUTATIONS)
        signature.update_batch([words.encode() for words in shingle(text)])
        return signature

    return _find_by(
        MinHashLSH(threshold=DuplicateOptions().threshold, num_perm=PERMUTATIONS), sign, texts
    )


def find_rensa(texts: Sequence[str]) -> Pairs:
    """Find duplicates with rensa, in the same way."""
    from rensa import RMinHash, RMinHashLSH

    def sign(text: str) -> Any:
        signature = RMinHash(num_perm=PERMUTATIONS, seed=1)
        signature.update(shingle(text))
        return signature

    return _find_by(
        RMinHashLSH(threshold=DuplicateOptions().threshold, num_perm=PERMUTATIONS, num_bands=16),
        sign,
        texts,
    )


def _find_by(index: Any, sign: Callable[[str], Any], texts: Sequence[str]) -> Pairs:
    """Look up each text in a peer's index. It repeats the first kept text that it is like, or is kept itself."""
    kept: dict[int, Any] = {}
    pairs: Pairs = {}
    for number, text in enumerate(texts):
        signature = sign(text)
        alike = [
            candidate
            for candidate in index.query(signature)
            if kept[candidate].jaccard(signature) >= DuplicateOptions().threshold
        ]
        if alike:
            pairs[number] = min(alike)
        else:
            index.insert(number, signature)
            kept[number] = signature
    return pairs


FINDERS: dict[str, Callable[[Sequence[str]], Pairs]] = {
    "bodytext": find_ours,
    "datasketch": find_datasketch,
    "rensa": find_rensa,
}


def rate_finder(
    find: Callable[[Sequence[str]], Pairs], texts: Sequence[str], rate: float
) -> tuple[float, float, float]:
    """Precision, recall and milliseconds of processor time for a text."""
    made, origins = make_set(texts, rate)
    started = time.process_time()
    pairs = find(made)
    spent = time.process_time() - started
    right = sum(origins[copy] == origins[original] for copy, original in pairs.items())
    copies = len(origins) - len(set(origins))
    return right / max(len(pairs), 1), right / max(copies, 1), 1000 * spent / len(made)


def write_quality(texts: dict[str, list[str]]) -> Iterator[str]:
    """The tables of precision and recall."""
    for kind, some in texts.items():
        if len(some) < 2:
            continue
        yield f"\n### {kind}: {len(some)} texts of {sum(map(len, some)) // len(some):,} characters\n"
        yield "| | " + " | ".join(f"{rate:.0%} edited" for rate in RATES) + " | ms a text |"
        yield "|---|" + "---|" * (len(RATES) + 1)
        for name, find in FINDERS.items():
            rows = [rate_finder(find, some, rate) for rate in RATES]
            cells = " | ".join(
                f"{precision:.3f} / {recall:.3f}" if recall else "none found"
                for precision, recall, _ in rows
            )
            yield f"| {name} | {cells} | {np.mean([row[2] for row in rows]):.2f} |"
            print(kind, name, cells, flush=True)


def write_shingles(texts: dict[str, list[str]]) -> Iterator[str]:
    """The effect of other shingles: likeness of copies, and of unrelated texts."""
    yield (
        "| shingles of | " + " | ".join(f"{kind}: 5% / 20% edited, others" for kind in texts) + " |"
    )
    yield "|---|" + "---|" * len(texts)
    for size in (1, 2, 3, 5, 8):
        yield (
            f"| {size} | "
            + " | ".join(compare_shingles(some[:100], size) for some in texts.values())
            + " |"
        )


def compare_shingles(texts: Sequence[str], size: int) -> str:
    """Likeness of texts with their copies, and with others."""
    if not texts:
        return ""
    hashed = [hash_all(text, size) for text in texts]
    copies = []
    for rate in (0.05, 0.2):
        edited = [hash_all(edit(text, rate, 1), size) for text in texts]
        copies.append(
            np.mean([likeness(one, other) for one, other in zip(hashed, edited, strict=True)])
        )
    pairs = [
        (text, other) for text in range(len(texts)) for other in range(max(text - 20, 0), text)
    ]
    others = np.mean([likeness(hashed[one], hashed[other]) for one, other in pairs])
    return f"{copies[0]:.2f} / {copies[1]:.2f}, {others:.3f}"


def hash_all(text: str, size: int) -> Hashes:
    """Hashes of all shingles of a size."""
    _, tokens, _ = _kernel.find_lowest(
        text.lower().encode("utf-32-le", "surrogatepass"), signatures._classes()
    )
    words = np.array(
        [hash(word) & (2**64 - 1) for word in tokens.decode("utf-16-le").split(" ")], np.uint64
    )
    return np.unique(shingles_reference.hash_shingles(words, size))


def likeness(one: Hashes, other: Hashes) -> float:
    """The true Jaccard likeness."""
    both = len(np.intersect1d(one, other))
    return both / max(len(one) + len(other) - both, 1)


def write_speed() -> Iterator[str]:
    """Signing compared with extracting, on the same pages."""
    pages = (
        [page.read() for page in read_labelled(DATA / "wcxb-dev")[::7]]
        if (DATA / "wcxb-dev").is_dir()
        else []
    )
    if not pages:
        pages = [(ROOT / "examples" / "article.html").read_bytes()] * 50
    texts = [str(extract(page)) for page in pages]
    best = dict.fromkeys(("extract", "sign", PLAIN), float("inf"))
    for _ in range(3):
        best["extract"] = min(
            best["extract"], measure(lambda: [str(extract(page)) for page in pages])
        )
        best["sign"] = min(best["sign"], measure(lambda: sign_all(texts)))
        with patch.object(signatures, "find_lowest", shingles_reference.find_lowest):
            best[PLAIN] = min(best[PLAIN], measure(lambda: sign_all(texts)))
    yield "| | ms a page | of an extraction |"
    yield "|---|---|---|"
    for name, seconds in best.items():
        yield f"| {name} | {1000 * seconds / len(pages):.3f} | {seconds / best['extract']:.1%} |"
    yield f"\n{len(pages)} pages, texts of {sum(map(len, texts)) // len(texts):,} characters."


def measure(work: Callable[[], object]) -> float:
    """Seconds of processor time."""
    started = time.process_time()
    work()
    return time.process_time() - started


def write_growth(sizes: Sequence[int]) -> Iterator[str]:
    """Time, memory and disk of the search by the number of rows, and an estimate for more."""
    yield "| rows | seconds | of processor | memory, MB | signatures, MB | spilled, MB at most | duplicates |"
    yield "|---|---|---|---|---|---|---|"
    rows = []
    for size in sizes:
        done = subprocess.run(
            [sys.executable, __file__, "--grow", str(size)],
            capture_output=True,
            check=True,
            text=True,
        )
        row = json.loads(done.stdout)
        rows.append(row)
        print(size, row, flush=True)
        yield GROWTH_ROW.format(**row)
    last = rows[-1]
    if last["rows"] < MODELLED:
        times = MODELLED / last["rows"]
        modelled = {key: value * times for key, value in last.items()} | {"memory": last["memory"]}
        yield "A model: " + GROWTH_ROW.format(**modelled)
    slopes = [
        np.log(after["cpu"] / row["cpu"]) / np.log(after["rows"] / row["rows"])
        for row, after in pairwise(rows)
    ]
    yield f"\nTime grows with the power {', '.join(f'{slope:.2f}' for slope in slopes)} of the rows from line to line."


def grow(count: int) -> None:
    """Search generated signatures, a tenth near duplicates and a twentieth equal ones; print JSON."""
    with TemporaryDirectory() as folder:
        paths, size, chance = [], 100_000, np.random.default_rng(0)
        for number, first in enumerate(range(0, count, size)):
            made = np.zeros(min(size, count - first), SIGNATURE)
            made["digest"] = chance.integers(0, 2**63, (len(made), 2))
            made["shingles"] = 500
            made["values"] = chance.integers(0, 2**16, (len(made), PERMUTATIONS), dtype=np.uint16)
            near, equal = np.arange(10, len(made), 10), np.arange(15, len(made), 20)
            keep = chance.random((len(near), PERMUTATIONS)) < 0.85
            made["values"][near] = np.where(keep, made["values"][near - 7], made["values"][near])
            made[equal] = made[equal - 11]
            paths.append(Path(folder) / f"{number}.signatures")
            made.tofile(paths[-1])
        del made
        watch = Watch(Path(folder) / "work")
        started, spent, found = time.perf_counter(), time.process_time(), 0
        for part in find_duplicates(paths, Path(folder) / "work"):
            found += len(part)
        wall, spent = time.perf_counter() - started, time.process_time() - spent
        memory, spilled = watch.stop()
        size_of = sum(path.stat().st_size for path in paths)
    sys.stdout.write(
        json.dumps(
            {
                "rows": count,
                "wall": wall,
                "cpu": spent,
                "memory": memory / 1e6,
                "signatures": size_of / 1e6,
                "spilled": spilled / 1e6,
                "found": found,
            }
        )
    )


class Watch:
    """Measures now and then the memory of the process and the size of a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._done = folder, threading.Event()
        self._memory = self._spilled = 0
        self._thread = threading.Thread(target=self._look)
        self._thread.start()

    def _look(self) -> None:
        while not self._done.wait(0.05):
            status = Path("/proc/self/status").read_text("utf-8")
            own = int(status.partition("RssAnon:")[2].split()[0]) * 1024
            self._memory = max(self._memory, own)
            total = 0
            for path in self._folder.rglob("*"):
                try:
                    total += path.stat().st_size
                except FileNotFoundError:
                    continue
            self._spilled = max(self._spilled, total)

    def stop(self) -> tuple[int, int]:
        """The maximum of both."""
        self._done.set()
        self._thread.join()
        return self._memory, self._spilled


def main() -> None:
    """Measure and write the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--grow", type=int, help="search this many generated signatures and print what it took"
    )
    parser.add_argument("--most", type=int, default=GROWTH[-1], help="rows in the largest search")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "results" / "duplicates.md")
    arguments = parser.parse_args()
    if arguments.grow:
        grow(arguments.grow)
        return
    texts = read_texts()
    options = DuplicateOptions()
    versions = ", ".join(f"{name} {version(name)}" for name in ("numpy", "datasketch", "rensa"))
    lines = [
        HEAD.format(
            most=arguments.most,
            day=f"{datetime.now(UTC):%Y-%m-%d}",
            python=platform.python_version(),
            versions=versions,
        ),
        QUALITY.format(threshold=options.threshold),
        *write_quality(texts),
        SHINGLES,
        *write_shingles(texts),
        "\n## Signing\n",
        *write_speed(),
        GROWN.format(bands=options.bands, rows=options.rows, memory=options.memory >> 20),
        *write_growth([size for size in GROWTH if size < arguments.most] + [arguments.most]),
    ]
    arguments.output.write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main()
