"""Other people's pipelines, with the real packages where they are installed."""

import os
import pickle
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bodytext import extract
from bodytext.integrations.batches import ExtractBatch
from bodytext.integrations.extracted_columns import ExtractedColumns
from bodytext.views.metadata.fields import METADATA_FIELDS
from processes import can_isolate, isolate

SENTENCE = "The harbour wall was rebuilt by forty masons, and the first boats came back before the winter. "
PAGE = (
    "<html lang=en><title>Boats return</title><nav><a href=/>Home</a></nav><main><h1>Boats return</h1>"
    f"<p>{SENTENCE * 3}</p><ul><li>{SENTENCE}</li></ul><p>{SENTENCE * 2}</p></main><footer>All rights reserved</footer>"
)
RUSSIAN = PAGE.replace(
    SENTENCE, "Стену гавани построили заново сорок каменщиков, и лодки вернулись до зимы. "
)
PAGES = [PAGE, PAGE.encode(), "", None, 7]
TEXT = str(extract(PAGE))
DOCS = Path(__file__).parent.parent / "docs" / "integrations.md"


# Columns


def test_a_page_fills_its_columns() -> None:
    values = ExtractedColumns(
        fields=("title", "language", "page_type", "confidence", "reason", "authors", "date")
    ).fill(PAGE)
    assert values["text"] == TEXT
    assert "masons" in TEXT
    assert values["title"] == "Boats return"
    assert values["language"] == "en"
    assert values["page_type"]
    assert 0 < values["confidence"] <= 1
    assert values["error"] == ""
    assert list(values) == [
        "text",
        "title",
        "language",
        "page_type",
        "confidence",
        "reason",
        "authors",
        "date",
        "error",
    ]


def test_every_field_of_the_metadata_can_be_a_column() -> None:
    names = tuple(field.name for field in METADATA_FIELDS)
    values = ExtractedColumns(fields=names).fill(PAGE, "http://a.example/")
    assert list(values) == ["text", *names, "error"]
    assert values["error"] == ""
    assert all(isinstance(value, str) for value in values.values())


@pytest.mark.parametrize(("page", "error"), [(None, "there is no HTML"), (7, "HTML as int")])
def test_a_value_that_is_no_page_is_an_error(page: object, error: str) -> None:
    values = ExtractedColumns().fill(page)
    assert values["text"] == ""
    assert values["confidence"] is None
    assert values["error"] == error


def test_an_extraction_that_fails_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ArithmeticError("of this page")

    monkeypatch.setattr("bodytext.integrations.extracted_columns.extract", fail)
    values = ExtractedColumns().fill(PAGE)
    assert values["text"] == ""
    assert values["error"] == "ArithmeticError: of this page"


def test_wrong_options_are_refused() -> None:
    with pytest.raises(ValueError, match="no field 'colour'; choose from title"):
        ExtractedColumns(fields=("colour",))
    with pytest.raises(ValueError, match="there is no method 'magic'"):
        ExtractedColumns(method="magic")
    with pytest.raises(ValueError, match="no format 'pdf'"):
        ExtractedColumns(format="pdf")
    with pytest.raises(ValueError, match="threshold"):
        ExtractedColumns(threshold="most")  # type: ignore[arg-type]


def test_formats() -> None:
    assert "\n- The harbour" in ExtractedColumns(format="markdown").fill(PAGE)["text"]
    assert "<p>The harbour" in ExtractedColumns(format="html").fill(PAGE)["text"]


# Batches


def check(values: Mapping[str, Any]) -> None:
    assert list(values["text"]) == [TEXT, TEXT, "", "", ""]
    assert list(values["title"])[:2] == ["Boats return"] * 2
    assert list(values["error"]) == ["", "", "", "there is no HTML", "HTML as int"]


def test_a_dict_of_lists_like_those_of_datasets() -> None:
    batch = {"html": PAGES, "url": ["http://a.example/"] * 5, "number": [1, 2, 3, 4, 5]}
    values = ExtractBatch()(batch)
    check(values)
    assert values["number"] == [1, 2, 3, 4, 5]
    assert "text" not in batch


def test_a_dict_of_arrays_like_those_of_ray() -> None:
    check(ExtractBatch()({"html": np.array(PAGES, dtype=object)}))


def test_a_batch_can_be_pickled() -> None:
    batch = ExtractBatch(
        html="page",
        columns=ExtractedColumns(fields=("title",), threshold="recall"),
        keep_html=False,
    )
    copy = pickle.loads(pickle.dumps(batch))  # noqa: S301
    assert copy == batch
    assert list(copy({"page": [PAGE]})) == ["text", "title", "error"]


def test_a_missing_column_is_named() -> None:
    with pytest.raises(KeyError, match="no column 'html'; there are body, url"):
        ExtractBatch()({"body": [PAGE], "url": [""]})
    with pytest.raises(TypeError, match="not list"):
        ExtractBatch()([PAGE])


@pytest.mark.slow
def test_tables_of_arrow() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    batch = pyarrow.RecordBatch.from_pydict(
        {"html": [PAGE, None, ""], "url": ["http://a.example/", None, ""]}
    )
    extraction = ExtractBatch(keep_html=False)
    for given in (batch, pyarrow.Table.from_batches([batch, batch.slice(0, 0)])):
        values = extraction(given)
        assert type(values) is type(given)
        assert values.schema == extraction.arrow_schema(given.schema)
        assert values.schema.names == [
            "url",
            "text",
            "title",
            "page_type",
            "confidence",
            "reason",
            "error",
        ]
        assert values.column("text").to_pylist() == [TEXT, "", ""]
        assert values.column("confidence").to_pylist()[1] is None
    assert [part.num_rows for part in extraction.map_arrow(iter([batch, batch.slice(0, 0)]))] == [
        3,
        0,
    ]


def test_frames_of_pandas() -> None:
    pandas = pytest.importorskip("pandas")
    values = ExtractBatch(keep_html=False)(
        pandas.DataFrame({"html": PAGES, "number": range(5)}, index=[9, 8, 7, 6, 5])
    )
    check(values)
    assert list(values.index) == [9, 8, 7, 6, 5]
    assert "html" not in values.columns


def test_frames_of_polars() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"html": [PAGE, None, ""], "number": [1, 2, 3]})
    values = ExtractBatch(keep_html=False)(frame)
    assert values.columns[:3] == ["number", "text", "title"]
    assert values["text"].to_list() == [TEXT, "", ""]
    assert values["confidence"].dtype == polars.Float32
    assert values["confidence"][1] is None
    assert values["error"][1] == "there is no HTML"
    packed = ExtractBatch()(polars.DataFrame({"html": [PAGE.encode()]}))
    assert packed["text"].to_list() == [TEXT]
    empty = ExtractBatch()(frame.clear())
    assert (empty.height, empty["text"].dtype) == (0, polars.String)
    only = ExtractBatch(keep_html=False)(polars.DataFrame({"html": [PAGE, PAGE]}))
    assert only["text"].to_list() == [TEXT, TEXT]
    with pytest.raises(TypeError, match="collect a lazy one first"):
        ExtractBatch()(frame.lazy())


def test_a_schema_for_spark() -> None:
    columns = ExtractedColumns(fields=("confidence",))
    assert ExtractBatch(columns=columns).spark_schema("url string") == (
        "url string, `text` string, `confidence` float, `error` string"
    )


# The real packages


@pytest.mark.slow
def test_datasets(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    datasets.disable_progress_bars()
    rows = {"html": [PAGE, PAGE, "", None], "url": ["http://a.example/"] * 4}
    dataset = datasets.Dataset.from_dict(rows)
    values = dataset.map(
        ExtractBatch(), batched=True, batch_size=2, cache_file_name=str(tmp_path / "cache.arrow")
    )
    assert values["text"][:] == [TEXT, TEXT, "", ""]
    assert values["error"][3] == "there is no HTML"
    assert values["url"][:] == rows["url"]


@pytest.mark.slow
def test_datatrove(tmp_path: Path) -> None:
    pytest.importorskip("datatrove")
    run_apart(
        f"""
        from datatrove.data import Document
        from bodytext.integrations.datatrove import Bodytext

        documents = [Document(text=html, id=name) for name, html in (("a", {PAGE!r}), ("b", ""), ("c", {PAGE!r}))]
        values = list(Bodytext(timeout=60).run(iter(documents)))
        assert [document.id for document in values] == ["a", "c"], values
        assert all(document.text == {TEXT!r} for document in values)
        """,
        tmp_path,
    )


@pytest.mark.slow
def test_scrapy_items() -> None:
    pytest.importorskip("scrapy")
    from scrapy.exceptions import DropItem

    from bodytext.integrations.scrapy import BodytextPipeline

    item = BodytextPipeline(fields=["title"], keep_html=False).process_item(
        {"html": PAGE.encode(), "url": "http://a/"}
    )
    assert item == {"url": "http://a/", "text": TEXT, "title": "Boats return"}
    other = {"name": "no page"}
    assert BodytextPipeline().process_item(other) is other
    assert BodytextPipeline(html="name").process_item({"name": 7})["error"] == "HTML as int"
    with pytest.raises(DropItem, match="no body text"):
        BodytextPipeline(drop_empty=True).process_item({"html": "<p>"})
    with pytest.raises(ValueError, match="no option 'colour'"):
        BodytextPipeline(colour=1)


@pytest.mark.slow
def test_a_scrapy_crawl(tmp_path: Path) -> None:
    """A spider over files on disk: nothing leaves the machine."""
    pytest.importorskip("scrapy")
    (tmp_path / "page.html").write_text(PAGE, "utf-8")
    run_apart(
        f"""
        import json, scrapy
        from scrapy.crawler import CrawlerProcess

        class Pages(scrapy.Spider):
            name = "pages"
            start_urls = ["{(tmp_path / "page.html").as_uri()}"]

            def parse(self, response):
                yield {{"url": response.url, "html": response.body, "charset": response.encoding}}

        process = CrawlerProcess(settings={{
            "ITEM_PIPELINES": {{"bodytext.integrations.scrapy.BodytextPipeline": 300}},
            "BODYTEXT": {{"fields": ["title", "language"], "keep_html": False}},
            "FEEDS": {{"items.jsonl": {{"format": "jsonlines"}}}},
            "LOG_ENABLED": False, "TELNETCONSOLE_ENABLED": False,
        }})
        process.crawl(Pages)
        process.start()
        (item,) = [json.loads(line) for line in open("items.jsonl")]
        assert item["text"] == {TEXT!r}, item
        assert (item["title"], item["language"]) == ("Boats return", "en")
        assert "html" not in item
        """,
        tmp_path,
    )


def test_spark(tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    run_apart(
        f"""
        from pyspark.sql import SparkSession
        from bodytext.integrations.batches import ExtractBatch

        builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
        for name in ("bindAddress", "host"):
            builder = builder.config(f"spark.driver.{{name}}", "127.0.0.1")
        spark, rows = builder.getOrCreate(), [(1, "http://a.example/", {PAGE!r}), (2, "", None)]
        frame = spark.createDataFrame(rows, "id int, url string, html string")
        batch = ExtractBatch(keep_html=False)
        rows = frame.mapInArrow(batch.map_arrow, batch.spark_schema("id int, url string")).collect()
        assert [row.text for row in sorted(rows)] == [{TEXT!r}, ""], rows
        assert sorted(rows)[1].error == "there is no HTML"
        spark.stop()
        """,
        tmp_path,
    )


def run_apart(program: str, folder: Path, *, isolated: bool = False) -> str:
    """Run a program that starts processes, threads or a reactor of its own; return what it prints."""
    path = folder / "program.py"
    path.write_text(textwrap.dedent(program), "utf-8")
    environment = os.environ | {
        "PYSPARK_PYTHON": sys.executable,  # else Spark's workers run the first Python on the path
        "HAYSTACK_TELEMETRY_ENABLED": "False",  # tests talk to nobody
        "RAY_USAGE_STATS_ENABLED": "0",
    }
    command = [sys.executable, str(path)]
    done = subprocess.run(
        isolate(shlex.join(command)) if isolated else command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


EXAMPLES = {
    program.partition("# needs ")[2].split()[0]: program
    for program in re.findall(
        r"^```python\n(.*?)^```", DOCS.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
}


def test_every_package_has_an_example() -> None:
    assert set(EXAMPLES) == {
        "datasets", "datatrove", "duckdb", "haystack", "langchain_core", "llama_index", "polars", "pyspark",
        "ray", "scrapy",
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("package", EXAMPLES)
def test_the_documented_example_runs(package: str, tmp_path: Path) -> None:
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed: make test-all")
    if package == "ray" and not can_isolate():
        pytest.skip("a network namespace cannot be made here, and Ray would listen to the network")
    if package == "pyspark" and shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "a.html").write_text(PAGE, "utf-8")
    russian = b"<meta charset=windows-1251>" + RUSSIAN.encode("cp1251")
    (tmp_path / "pages" / "b.html").write_bytes(russian)
    (tmp_path / "pages" / "c.html").write_bytes(b"%PDF-1.7\xff\xfe\x00\x01")
    printed = run_apart(EXAMPLES[package], tmp_path, isolated=package == "ray")
    texts = "".join(read_texts(tmp_path)) or printed
    assert "Boats return" in printed or "forty masons" in texts


def read_texts(folder: Path) -> Iterator[str]:
    """The texts in the files that an example has written."""
    for path in folder.glob("texts*/**/*.parquet"):
        yield from pytest.importorskip("pyarrow.parquet").read_table(path)["text"].to_pylist()
    for path in folder.glob("*.jsonl"):
        yield path.read_text("utf-8")
