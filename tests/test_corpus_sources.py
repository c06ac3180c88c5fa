"""Archives and tables: every record is read once, however they are packed, split or broken."""

import gzip
import io
import json
import random
import struct
import zlib
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import brotli
import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bodytext.sources import table_files
from bodytext.sources.archived_response import MAX_PAGE_BYTES, read_response
from bodytext.sources.record import Record
from bodytext.sources.storage import (
    SourceReadError,
    WatchedFile,
    describe_source,
    expand_pattern,
    open_source,
)
from bodytext.sources.warc import WarcRange
from corpora import make_page, make_record, make_records

PAGES = [make_page(number) for number in range(40)]
RECORDS = make_records(PAGES)


def pack_zst(record: bytes) -> bytes:
    return bytes(pa.compress(record, codec="zstd", asbytes=True))


PACKINGS: dict[str, Callable[[], bytes]] = {
    "a.warc": lambda: b"".join(RECORDS),
    "a.warc.gz": lambda: b"".join(map(gzip.compress, RECORDS)),
    "a.warc.zst": lambda: b"".join(map(pack_zst, RECORDS)),
    "one_member.warc.gz": lambda: gzip.compress(b"".join(RECORDS)),
}


def read_split(path: Path, parts: int) -> list[Record]:
    """Read the records of an archive in parts, and correct the borders as a corpus does."""
    size = path.stat().st_size
    edges = [size * number // parts for number in range(parts)] + [size]
    found_records: list[Record] = []
    following: int | None = None
    for start, stop in pairwise(edges):
        reading = WarcRange(str(path), start, stop, exact=not start)
        records = list(reading)
        if (
            following is not None
            and reading.first != following
            and not (reading.first is None and following >= stop)
        ):
            reading = WarcRange(str(path), following, stop)
            records = list(reading)
        found_records += records
        if reading.first is not None:
            following = reading.next
    return found_records


@pytest.mark.parametrize("name", PACKINGS)
def test_the_records_of_an_archive_in_any_number_of_parts(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(PACKINGS[name]())
    whole = list(WarcRange(str(path)))
    assert [record.html for record in whole] == PAGES
    assert {record.charset for record in whole} == {"utf-8"}
    assert whole[3].url == "https://example.org/3"
    for parts in (1, 2, 3, 7, 50):
        assert read_split(path, parts) == whole


def test_a_zst_archive_with_its_dictionary(tmp_path: Path) -> None:
    zstandard = pytest.importorskip("zstandard")
    dictionary = zstandard.train_dictionary(10_000, RECORDS)
    pack = zstandard.ZstdCompressor(dict_data=dictionary).compress
    content = dictionary.as_bytes()
    path = tmp_path / "a.warc.zst"
    path.write_bytes(
        struct.pack("<II", 0x184D2A5D, len(content)) + content + b"".join(map(pack, RECORDS))
    )
    for parts in (1, 4):
        assert [record.html for record in read_split(path, parts)] == PAGES


@pytest.mark.parametrize("name", PACKINGS)
@pytest.mark.parametrize("seed", range(12))
def test_damage_costs_only_the_records_at_its_place(tmp_path: Path, name: str, seed: int) -> None:
    generator = random.Random(seed)
    data = bytearray(PACKINGS[name]())
    place = generator.randrange(len(data) - 40)
    data[place : place + 40] = generator.randbytes(40)
    path = tmp_path / name
    path.write_bytes(data)
    found_records = list(WarcRange(str(path)))
    split = read_split(path, 5)
    assert [record for record in split if not record.problem] == [
        record for record in found_records if not record.problem
    ]
    assert len(split) == len(found_records)
    if name == "one_member.warc.gz":  # nothing after damage can be unpacked there
        return
    assert len({record.html for record in found_records} & set(PAGES)) >= len(PAGES) - 2
    if name != "a.warc":  # in plain text, damage to a length makes the rest look like anything
        # Two records whose border is gone are one error; a page that zst unpacks in spite of it is reported as well.
        assert len(found_records) in range(len(PAGES) - 1, len(PAGES) + 2)


def test_damaged_headers_are_one_error(tmp_path: Path) -> None:
    head = b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Date: 2026-11-15T16text/html\r\n\r\n"
    path = tmp_path / "a.warc.gz"
    path.write_bytes(
        gzip.compress(RECORDS[0])
        + gzip.compress(head + RECORDS[1][200:])
        + gzip.compress(RECORDS[2])
    )
    found_records = list(WarcRange(str(path)))
    assert [record.html for record in found_records] == [PAGES[0], b"", PAGES[2]]
    assert found_records[1].problem == "broken archive: the headers of this record are damaged"


def make_head(length: int, kind: str = "response") -> bytes:
    return f"WARC/1.0\r\nWARC-Type: {kind}\r\nContent-Length: {length}\r\n\r\n".encode()


LIARS = {  # content of pages that looks like records
    "whole records": b"".join(RECORDS[:3]),
    "records that claim more than there is": make_head(10**12) * 50
    + make_head(10**12, "request") * 50,
    "starts": b"WARC/1.0\r\nWARC-Type: response\r\n" * 50,
}


@pytest.mark.parametrize("following", [b"", b"no record\n" * 20], ids=["", "junk"])
@pytest.mark.parametrize("liar", LIARS.values(), ids=LIARS)
def test_records_inside_a_page_are_its_text(tmp_path: Path, liar: bytes, following: bytes) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(RECORDS[0] + make_record("u", liar) + following)
    found_records = list(WarcRange(str(path)))
    assert [record.html for record in found_records if not record.problem] == [PAGES[0], liar]
    assert len(found_records) == 2 + bool(following)


@pytest.mark.parametrize("kind", ["response", "request"])
def test_records_after_a_wrong_length_are_found(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(RECORDS[0] + make_head(10**7, kind) + b"".join(RECORDS[1:3]))
    found_records = list(WarcRange(str(path)))
    assert [record.html for record in found_records if not record.problem] == PAGES[:3]
    assert sum(bool(record.problem) for record in found_records) == (kind == "response")


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz", "a.warc.zst"])
# If each range searched for the next record, it would be 20 times
def test_a_very_large_record_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    film = make_record("u", random.Random(1).randbytes(4_000_000), "Content-Type: video/mp4")
    packs: dict[str, Callable[[bytes], bytes]] = {
        "a.warc": bytes,
        "a.warc.gz": gzip.compress,
        "a.warc.zst": pack_zst,
    }
    path = tmp_path / name
    path.write_bytes(b"".join(map(packs[name], [RECORDS[0], film, *RECORDS[1:3]])))
    read = count_reading(monkeypatch)
    found_records = read_split(path, 40)
    assert [record.html for record in found_records] == [PAGES[0], b"", *PAGES[1:3]]
    assert sum(read) < 8 * path.stat().st_size


def count_reading(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Collect the numbers of bytes that are read from sources."""
    read: list[int] = []
    whole = WatchedFile.read

    def count(file: WatchedFile, size: int | None = -1) -> bytes:
        data = whole(file, size)
        read.append(len(data))
        return data

    monkeypatch.setattr(WatchedFile, "read", count)
    return read


HOSTILE: dict[str, Callable[[int], bytes]] = {
    "cut off": lambda count: make_head(10**12) * count,
    "cut off, no pages": lambda count: make_head(10**12, "request") * count,
    "starts": lambda count: b"WARC/1.0\r\nWARC-Type: response\r\n" * count,
    "one in the other": lambda count: b"".join(
        make_head(100 * left).ljust(100) for left in range(count, 0, -1)
    ),
    "larger than a page": lambda count: (
        make_head(MAX_PAGE_BYTES * 4) + make_head(MAX_PAGE_BYTES * 2) * count
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("shape", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_archive_takes_linear_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shape: Callable[[int], bytes]
) -> None:
    read = count_reading(monkeypatch)
    costs = []
    for many in (3000, 6000):
        read.clear()
        (tmp_path / "a.warc").write_bytes(make_head(10**12) + shape(many) + b"junk" * 50)
        pages = sum(len(record.html) for record in WarcRange(str(tmp_path / "a.warc")))
        costs.append(sum(read) + pages)
    assert costs[1] < 2.5 * costs[0] + 2**20


def test_a_record_that_is_no_page_has_a_problem(tmp_path: Path) -> None:
    info = b"WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 2\r\n\r\nxx\r\n\r\n"
    request = b"WARC/1.0\r\nWARC-Type: request\r\nContent-Length: 2\r\n\r\nxx\r\n\r\n"
    path = tmp_path / "a.warc"
    missing = make_record("u", b"gone").replace(b"200 OK", b"404 No")
    image = make_record("u", b"GIF89a", "Content-Type: image/gif")
    resource = b"WARC/1.0\r\nWARC-Type: resource\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\n<p>x\r\n\r\n"
    shouted = make_record("u", b"<p>y").replace(b"application/http", b"Application/HTTP")
    path.write_bytes(info + request + missing + image + resource + shouted)
    found_records = list(WarcRange(str(path)))
    assert [record.problem for record in found_records] == [
        "HTTP 404",
        "not HTML: image/gif",
        "",
        "",
    ]
    assert [record.html for record in found_records[2:]] == [b"<p>x", b"<p>y"]


@pytest.mark.parametrize(
    ("headers", "pack"),
    [
        ("Server: x", bytes),
        ("Content-Encoding: gzip", gzip.compress),
        ("Content-Encoding: gzip", bytes),  # the crawler unpacked it and left the header
        ("Content-Encoding: deflate", zlib.compress),
        (
            "Content-Encoding: deflate",
            lambda html: zlib.compress(html)[2:-4],
        ),  # servers also send it without a header
        ("Content-Encoding: deflate", bytes),
        ("Content-Encoding: br", bytes),
        ("Content-Encoding: zstd", pack_zst),
        ("Content-Encoding: br", brotli.compress),
        (
            "Transfer-Encoding: chunked",
            lambda html: b"5\r\n" + html[:5] + b"\r\n%x;x=y\r\n" % 900 + html[5:],
        ),
        ("Transfer-Encoding: chunked", bytes),
    ],
)
def test_encodings_of_responses(headers: str, pack: Callable[[bytes], bytes]) -> None:
    html = make_page(1)[:905]
    response = read_response(
        f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{headers}\r\n\r\n".encode() + pack(html)
    )
    assert (response.problem, response.html) == ("", html)


@pytest.mark.slow
def test_a_bomb_is_a_problem() -> None:
    bomb = gzip.compress(bytes(MAX_PAGE_BYTES + 10))
    response = read_response(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + bomb)
    assert response.problem.startswith("larger than")
    assert read_response(b"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\nnone").problem.startswith(
        "broken br"
    )


def test_archives_through_fsspec() -> None:
    with fsspec.open("memory://bucket/a.warc.gz", "wb") as file:
        file.write(PACKINGS["a.warc.gz"]())
    assert [record.html for record in WarcRange("memory://bucket/a.warc.gz")] == PAGES
    size, _ = describe_source("memory://bucket/a.warc.gz")
    assert size == len(open_source("memory://bucket/a.warc.gz").read())
    with pytest.raises(SourceReadError, match="cannot be read"):
        describe_source("memory://bucket/absent.warc.gz")


class NoCredentialsError(Exception):
    """An error of botocore, which is no OSError."""


class LockedStore:
    def info(self, _: str) -> dict[str, object]:
        raise NoCredentialsError("Unable to locate credentials")

    def open(self, *_: object, **__: object) -> None:
        raise NoCredentialsError("Unable to locate credentials")

    def glob(self, _: str) -> list[str]:
        raise NoCredentialsError("Unable to locate credentials")


def test_a_store_that_asks_for_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bodytext.sources.storage._file_system", lambda _: LockedStore())
    for ask in (describe_source, open_source, expand_pattern):
        with pytest.raises(
            SourceReadError, match=r"Unable to locate credentials; .* FSSPEC_S3_ANON=true"
        ):
            ask("s3://bucket/a.warc.gz")


class FailingFile(io.BytesIO):
    """A file on a disk that fails after some bytes."""

    def read(self, size: int | None = -1) -> bytes:
        if self.tell() > 12_000:
            raise OSError(5, "CorpusInput/output error")
        return super().read(size)


def test_a_disk_that_fails_is_not_taken_for_a_broken_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(b"".join(gzip.compress(record, 0) for record in RECORDS * 5))
    failing = WatchedFile(FailingFile(path.read_bytes()), str(path))
    monkeypatch.setattr("bodytext.sources.warc.open_source", lambda *_, **__: failing)
    with pytest.raises(SourceReadError, match="CorpusInput/output error"):
        list(WarcRange(str(path)))


@pytest.mark.parametrize("parts", [1, 2, 5, 100])
def test_the_lines_of_a_file_in_any_number_of_parts(tmp_path: Path, parts: int) -> None:
    path = tmp_path / "a.jsonl"
    lines = [
        json.dumps({"html": f"<p>é{number}" * (number % 7 + 1), "url": str(number)})
        for number in range(30)
    ]
    # Empty lines are no records; the last line has no end
    path.write_text("\n\n".join(lines), "utf-8")
    size = path.stat().st_size
    edges = [size * number // parts for number in range(parts)] + [size]
    found_records = [
        record
        for start, stop in pairwise(edges)
        for record in table_files.read_lines(str(path), start, stop)
    ]
    assert [record.url for record in found_records] == [str(number) for number in range(30)]
    assert found_records == list(table_files.read_lines(str(path)))
    assert path.read_bytes()[found_records[9].offset :].startswith(lines[9].encode())


def test_a_line_without_an_end_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"html": "<p>a"}\n' + b"[" * 5_000_000)  # a list in one line, not lines
    monkeypatch.setattr("bodytext.sources.table_files._MAX_LINE_BYTES", 10_000)
    monkeypatch.setattr("bodytext.sources.table_files._SKIPPED_BYTES", 10_000)
    read = count_reading(monkeypatch)
    size = path.stat().st_size
    edges = [*range(0, size, size // 40), size]
    found_records = [
        record
        for start, stop in pairwise(edges)
        for record in table_files.read_lines(str(path), start, stop)
    ]
    assert [record.problem for record in found_records] == ["", "a line of more than 10,000 bytes"]
    assert sum(read) < 2 * size


def test_lines_that_are_no_records(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(
        b'{"html": "<p>a"}\nnot json\n[]\n{"url": "x"}\n' + b"[" * 100_000 + b'\n{"html": "<p>b"}\n'
    )
    problems = [record.problem.partition(":")[0] for record in table_files.read_lines(str(path))]
    assert problems == ["", "not JSON", "not a JSON object", "no text in 'html'", "not JSON", ""]


def test_packed_lines(tmp_path: Path) -> None:
    data = b'{"html": "<p>a"}\n{"html": "<p>b"}\n'
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(data))
    (tmp_path / "a.jsonl.zst").write_bytes(pack_zst(data))
    (tmp_path / "cut.jsonl.gz").write_bytes(gzip.compress(data * 1000)[:-20])
    for name in ("a.jsonl.gz", "a.jsonl.zst"):
        assert [record.html for record in table_files.read_lines(str(tmp_path / name))] == [
            b"<p>a",
            b"<p>b",
        ]
    *_, last = table_files.read_lines(str(tmp_path / "cut.jsonl.gz"))
    assert last.problem.startswith("broken file")
    places = [record.offset for record in table_files.read_lines(str(tmp_path / "cut.jsonl.gz"))]
    assert len(set(places)) == len(places) > 100


def test_row_groups(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    table = pa.table(
        {"page": [f"<p>{number}" for number in range(100)], "title": ["t"] * 99 + [None]}
    )
    pq.write_table(table, path, row_group_size=30)
    assert [rows for rows, _ in table_files.measure_groups(str(path), "page")] == [30, 30, 30, 10]
    found_records = [
        record
        for group in range(4)
        for record in table_files.read_groups(str(path), group, group + 1, "page")
    ]
    assert [(record.html, record.offset) for record in found_records] == [
        (b"<p>%d" % number, number) for number in range(100)
    ]
    assert (found_records[0].title, found_records[99].title) == ("t", "")
    with pytest.raises(ValueError, match="no column 'html', only page, title"):
        table_files.measure_groups(str(path))


@pytest.mark.parametrize("unit", ["s", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "Asia/Ho_Chi_Minh"])
def test_times_of_parquet(tmp_path: Path, unit: str, zone: str | None) -> None:
    moment = 1_700_000_000 * {"s": 1, "us": 10**6, "ns": 10**9}[unit] + (unit == "ns")
    times = pa.array([moment, None], pa.timestamp(unit, zone))
    pq.write_table(pa.table({"html": ["<p>a", "<p>b"], "time": times}), tmp_path / "a.parquet")
    assert [record.time for record in table_files.read_groups(str(tmp_path / "a.parquet"))] == [
        "2023-11-14T22:13:20Z",
        "",
    ]


def test_a_time_out_of_range_is_an_error_row(tmp_path: Path) -> None:
    times = pa.array([0, 2**60, 0], pa.timestamp("us"))
    pq.write_table(pa.table({"html": ["<p>a"] * 3, "time": times}), tmp_path / "a.parquet")
    found_records = list(table_files.read_groups(str(tmp_path / "a.parquet")))
    assert [record.offset for record in found_records] == [0, 1, 2]
    assert all("broken Parquet" in record.problem for record in found_records)


def test_damage_in_parquet_costs_one_row_group_at_most(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    generator = random.Random(1)
    pages = [generator.randbytes(2000).hex() for _ in range(100)]
    pq.write_table(
        pa.table({"html": pages}), path, row_group_size=10, compression="zstd", use_dictionary=False
    )
    data = bytearray(path.read_bytes())
    data[50_000:50_100] = bytes(100)
    path.write_bytes(data)
    found_records = list(table_files.read_groups(str(path)))
    assert len(found_records) == 100
    assert [record.offset for record in found_records] == list(range(100))
    assert sum(bool(record.problem) for record in found_records) in range(1, 11)


def test_a_response_that_is_packed_many_times_is_refused() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: " + b"deflate," * 9
    assert "packed 10 times" in read_response(head + b"\r\n\r\n<p>Ships").problem
