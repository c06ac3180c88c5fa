"""Signatures and the search for duplicates: the first is kept, dropped rows are like it, shards do not matter."""

import random
import tracemalloc
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bodytext.corpus.duplicates.search import DUPLICATE, DuplicateOptions, Rows, find_duplicates
from bodytext.corpus.duplicates.signatures import SIGNATURE, _classes, likeness, sign, sign_all
from bodytext.corpus.partitions import Records
from example_counts import some_of
from kernel_twins import compiled, import_both, import_native, import_twin

DOCS = Path(__file__).parent.parent / "docs" / "duplicates.md"
VOCABULARY = [f"word{number}" for number in range(4_000)]
ANY_TEXT = st.text(
    alphabet=st.one_of(st.characters(), st.sampled_from(" .,abcé中文ไทย\ud800😀𠀀\u0301")),
    max_size=60,
)


def prose(seed: int, words: int = 200) -> str:
    return " ".join(random.Random(seed).choices(VOCABULARY, k=words))


def change(text: str, rate: float, seed: int) -> str:
    """Replace some words of a text."""
    chance = random.Random(seed)
    return " ".join(
        chance.choice(VOCABULARY) if chance.random() < rate else word for word in text.split(" ")
    )


def search(
    folder: Path, shards: Iterable[Records], options: DuplicateOptions | None = None
) -> list[tuple[int, int]]:
    """Find duplicates, as pairs of running numbers: the row, and the row that it repeats."""
    paths = []
    for number, records in enumerate(shards):
        paths.append(folder / f"{number}.signatures")
        records.tofile(paths[-1])
    starts = Rows(paths).starts
    duplicates: list[tuple[int, int]] = []
    for number, part in enumerate(find_duplicates(paths, folder / "work", options)):
        assert part.dtype == DUPLICATE
        rows, originals = starts[number] + part["row"], starts[part["of_shard"]] + part["of_row"]
        duplicates += zip(rows.tolist(), originals.tolist(), strict=True)
    assert not list((folder / "work").iterdir())
    return duplicates


def compared(first: str, second: str) -> float:
    return float(likeness(sign(first)["values"], sign(second)["values"]))


# Signatures


def test_equal_words_have_equal_signatures() -> None:
    signature = sign('Der Hafen -- von  Oslo,\nim CAFE\u0301 "Süd"')
    assert signature.tobytes() == sign("der hafen von oslo im Café süd").tobytes()
    assert signature.tobytes() != sign("der hafen von oslo im Café nord").tobytes()
    assert signature.dtype == SIGNATURE
    assert signature["shingles"] == 5


@pytest.mark.parametrize("text", ["", " \n", "...", "\u200b", "\ud800"])
def test_a_text_without_words_is_not_compared(text: str) -> None:
    assert sign(text)["shingles"] == 0


def test_characters_are_words_where_there_are_no_spaces() -> None:
    assert sign("日本語の文章です")["shingles"] == 6
    assert sign("日本語、の文章です。").tobytes() == sign("日本語の文章です").tobytes()
    assert sign("สวัสดี")["shingles"] == 4
    assert sign("Python で書く")["shingles"] == 2


@pytest.mark.parametrize("rate", [0.0, 0.02, 0.05, 0.1, 0.3])
def test_likeness_is_the_share_of_common_shingles(rate: float) -> None:
    errors = []
    for seed in range(20):
        text = prose(seed, 400)
        changed = change(text, rate, seed)
        mine, theirs = (
            {tuple(w[i : i + 3]) for i in range(len(w) - 2)}
            for w in (text.split(), changed.split())
        )
        errors.append(compared(text, changed) - len(mine & theirs) / len(mine | theirs))
    assert abs(np.mean(errors)) < 0.03
    assert np.std(errors) < 0.06


# One shingle of three
def test_short_texts_borrow_for_empty_bins() -> None:
    assert compared("one two three four", "one two three four") == 1
    assert compared("one two three four", "five six seven eight") < 0.1
    assert 0.15 < np.mean([compared(f"a{n} b c d", f"a{n} b c e{n}") for n in range(40)]) < 0.55


def test_different_texts_share_almost_nothing() -> None:
    values = sign_all(prose(seed) for seed in range(60))["values"]
    shares = [float(likeness(values[i], values[j])) for i in range(60) for j in range(i)]
    assert max(shares) < 0.1


@compiled
@given(ANY_TEXT)
@settings(max_examples=some_of(300), deadline=None)
def test_both_kernels_agree(text: str) -> None:
    codes = text.encode("utf-32-le", "surrogatepass")
    lowest = import_native("shingles").find_lowest(codes, _classes())
    assert lowest == import_twin("shingles").find_lowest(codes, _classes())


def test_a_table_of_classes_of_another_size_is_refused() -> None:
    for module in import_both("shingles"):
        with pytest.raises(ValueError, match="65,536"):
            module.find_lowest(b"", b"\0" * 9)


@pytest.mark.parametrize(
    "text", ["x" * 2_000_000, "x " * 1_000_000, "中" * 1_000_000, "\u0301" * 1_000_000]
)
def test_hostile_texts_are_signed_in_time(text: str) -> None:
    assert sign(text)["shingles"] >= 1


# Search


def test_the_first_is_kept(tmp_path: Path) -> None:
    texts = [prose(0), prose(1), prose(0), change(prose(1), 0.03, 5), prose(2), prose(0).upper()]
    assert search(tmp_path, [sign_all(texts)]) == [(2, 0), (3, 1), (5, 0)]


def test_exact_and_near_duplicates_are_distinguished(tmp_path: Path) -> None:
    path = tmp_path / "a"
    sign_all([prose(0), prose(0), change(prose(0), 0.03, 1)]).tofile(path)
    (duplicates,) = find_duplicates([path], tmp_path)
    assert duplicates["exact"].tolist() == [True, False]
    assert duplicates["likeness"][0] == 1
    assert 0.7 <= duplicates["likeness"][1] < 1


def test_without_near_only_equal_texts_are_found(tmp_path: Path) -> None:
    texts = [prose(0), change(prose(0), 0.03, 1), prose(0)]
    assert search(tmp_path, [sign_all(texts)], DuplicateOptions(near=False)) == [(2, 0)]


def test_short_texts_are_duplicates_only_when_equal(tmp_path: Path) -> None:
    start = "one two three four five six"
    texts = [f"{start} seven", f"{start} eight", f"{start.title()} seven!"]
    assert search(tmp_path, [sign_all(texts)]) == [(2, 0)]


def test_rows_without_a_text_are_not_compared(tmp_path: Path) -> None:
    assert search(tmp_path, [sign_all([None, "", prose(0), None, "", prose(0)])]) == [(5, 2)]


def test_a_chain_of_likenesses_drops_nothing(tmp_path: Path) -> None:
    """Each text is like the one before it, but the last is not like the first: a dropped row names a kept one."""
    texts = [prose(0, 400)]
    for step in range(12):
        texts.append(change(texts[-1], 0.04, step))
    duplicates = search(tmp_path, [sign_all(texts)])
    originals = {original for _, original in duplicates}
    assert 0 < len(duplicates) < len(texts) - 1
    assert originals.isdisjoint(row for row, _ in duplicates)
    assert all(
        compared(texts[row], texts[original]) >= DuplicateOptions().threshold
        for row, original in duplicates
    )


def shuffled_copies(seed: int) -> list[str]:
    chance = random.Random(seed)
    texts = [prose(number, chance.choice((10, 60, 300))) for number in range(60)]
    texts += [
        change(chance.choice(texts), chance.choice((0, 0.01, 0.05, 0.1)), number)
        for number in range(120)
    ]
    chance.shuffle(texts)
    return texts


@pytest.mark.parametrize("cuts", [(), (1,), (60, 61, 120), tuple(range(1, 180, 7))])
# Many small files
def test_shards_and_memory_make_no_difference(tmp_path: Path, cuts: Sequence[int]) -> None:
    records = sign_all(shuffled_copies(0))
    whole = tmp_path / "whole"
    whole.mkdir()
    expected = search(whole, [records])
    assert len(expected) > 60
    assert search(tmp_path, np.split(records, cuts), DuplicateOptions(memory=20_000)) == expected


def test_the_search_agrees_with_comparing_all_pairs(tmp_path: Path) -> None:
    """Compare all pairs, without banding: the search may miss a few at the threshold, and never adds any."""
    records = sign_all(shuffled_copies(1))
    values, kept, expected = records["values"], list[int](), dict[int, int]()
    for row in range(len(records)):
        same = [
            original
            for original in kept
            if (records["digest"][original] == records["digest"][row]).all()
        ]
        alike = [
            original
            for original in kept
            if likeness(values[original], values[row]) >= DuplicateOptions().threshold
        ]
        long = [
            original
            for original in alike
            if min(records["shingles"][[original, row]]) >= DuplicateOptions().least
        ]
        if same or long:
            expected[row] = (same or long)[0]
        else:
            kept.append(row)
    duplicates = dict(search(tmp_path, [records]))
    assert duplicates.keys() <= expected.keys()
    assert len(duplicates) >= 0.97 * len(expected)
    for row, original in duplicates.items():
        assert records["digest"][row].tolist() == records["digest"][original].tolist() or (
            likeness(values[row], values[original]) >= DuplicateOptions().threshold
        )


def test_empty_input_is_no_duplicate(tmp_path: Path) -> None:
    assert search(tmp_path, []) == []
    assert search(tmp_path, [sign_all([]), sign_all([prose(0)]), sign_all([])]) == []


def test_half_a_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "torn"
    path.write_bytes(sign_all([prose(0)]).tobytes()[:-1])
    with pytest.raises(ValueError, match="torn: this file of signatures is not complete"):
        next(find_duplicates([path], tmp_path))


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        next(find_duplicates([tmp_path / "none"], tmp_path))


def made_signatures(count: int, seed: int = 0) -> npt.NDArray[np.void]:
    """Signatures of texts with nothing in common, a tenth of them near duplicates of an earlier one."""
    chance = np.random.default_rng(seed)
    made = np.zeros(count, SIGNATURE)
    made["digest"] = chance.integers(0, 2**63, (count, 2))
    made["shingles"] = 500
    made["values"] = chance.integers(0, 2**16, (count, 128))
    copies = np.arange(10, count, 10)
    made["values"][copies, 13:] = made["values"][copies - 7, 13:]
    return made


@pytest.mark.slow
def test_memory_does_not_grow_with_the_rows(tmp_path: Path) -> None:
    peaks = []
    for count in (20_000, 80_000):
        path = tmp_path / f"{count}.signatures"
        made_signatures(count).tofile(path)
        tracemalloc.start()
        (duplicates,) = find_duplicates([path], tmp_path, DuplicateOptions(memory=4 << 20))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert len(duplicates) == count // 10 - 1
    assert peaks[1] < 1.5 * peaks[0] + (1 << 20)


@pytest.mark.slow
def test_many_similar_rows_take_no_more_time_or_memory(tmp_path: Path) -> None:
    """All rows agree in some band: there would be 200 million pairs, and their keys share a file."""
    peaks = []
    for count in (5_000, 20_000):
        made = made_signatures(count)
        made["values"][:, :6] = 7
        path = tmp_path / f"crowd of {count}"
        made.tofile(path)
        del made
        tracemalloc.start()
        (duplicates,) = find_duplicates([path], tmp_path, DuplicateOptions(memory=1 << 20))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert len(duplicates) == count // 10 - 1
    assert peaks[1] < 2 * peaks[0] + (1 << 20)  # numpy 2.5 takes more than 2.4


def test_the_documented_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (program,) = DOCS.read_text("utf-8").split("```python\n")[1:]
    exec(program.partition("```")[0], {})  # noqa: S102
    assert (tmp_path / "0.signatures").stat().st_size == 3 * SIGNATURE.itemsize
