"""Loaders of retrieval frameworks and DuckDB's function, with the real packages where they are installed."""

from pathlib import Path
from typing import Any

import pytest

import bodytext
from bodytext.integrations import passages
from bodytext.integrations.passages import PassageMaker
from bodytext.sources.fetch import FetchError
from bodytext.sources.record import Record

HTML = (Path(__file__).parent.parent / "examples" / "article.html").read_bytes()
ADDRESS = "https://gazette.example/lamp"
TITLE = "The lighthouse that would not go dark"
MARKDOWN = bodytext.extract(HTML).to_markdown(title=True)


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file, and a web that has one page."""

    def fetch(url: str) -> Record:
        if url != ADDRESS:
            raise FetchError("HTTP 404 Not Found")
        return Record(HTML, url=url)

    monkeypatch.setattr(passages, "fetch", fetch)
    path = tmp_path / "a.html"
    path.write_bytes(HTML)
    return path


def test_a_page_is_one_passage(page: Path) -> None:
    for source in (page, str(page)):
        (passage,) = PassageMaker().load(source)
        assert passage.text == MARKDOWN
        assert passage.metadata["title"] == TITLE
        assert passage.metadata["authors"] == "Ines Holm"
        assert passage.metadata["source"] == str(page)
        assert all(isinstance(value, str | int) for value in passage.metadata.values())


def test_chunks_know_their_place(page: Path) -> None:
    made = list(PassageMaker(max_words=60, options={"method": "runs"}).load(page))
    chunks = bodytext.extract(HTML, method="runs").chunks(max_words=60)
    assert [passage.text for passage in made] == [chunk.text for chunk in chunks]
    assert len(made) > 1
    assert [passage.metadata["start"] for passage in made] == [chunk.start for chunk in chunks]


def test_failures_are_raised_or_left_out(page: Path, caplog: pytest.LogCaptureFixture) -> None:
    (page.parent / "empty.html").write_bytes(b"")
    for source in (page.parent / "none.html", page.parent / "empty.html", "https://b.example/"):
        with pytest.raises(ValueError, match=r"none.html: |empty.html: |b.example/: HTTP 404"):
            list(PassageMaker().load(source))
        assert list(PassageMaker(skip_failed=True).load(source)) == []
        assert f"{source} was left out" in caplog.text
    with pytest.raises(ValueError, match="no method"):
        PassageMaker(options={"method": "magic"})


def test_langchain(page: Path) -> None:
    pytest.importorskip("langchain_core")
    from langchain_core.documents import Document

    from bodytext.integrations.langchain import BodytextLoader, BodytextTransformer

    loaded = BodytextLoader([page, ADDRESS, "https://b.example/"], skip_failed=True).load()
    assert [document.metadata["source"] for document in loaded] == [str(page), ADDRESS]
    assert loaded[0].page_content == MARKDOWN
    given = Document(page_content=HTML.decode(), metadata={"source": ADDRESS, "mine": 7})
    made = BodytextTransformer(max_words=60).transform_documents([given])
    assert len(made) > 1
    assert made[0].metadata["mine"] == 7
    assert made[0].metadata["title"] == TITLE


def test_llama_index(page: Path) -> None:
    pytest.importorskip("llama_index.core")
    from bodytext.integrations.llama_index import BodytextReader

    (document,) = BodytextReader().load_data([page])
    assert document.text == MARKDOWN
    assert document.metadata["title"] == TITLE
    (document,) = BodytextReader().load_data([ADDRESS])
    assert document.metadata["source"] == ADDRESS


def test_haystack(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAYSTACK_TELEMETRY_ENABLED", "False")  # tests talk to nobody
    pytest.importorskip("haystack")
    from haystack import Pipeline
    from haystack.dataclasses import ByteStream

    from bodytext.integrations.haystack import BodytextConverter

    pipeline = Pipeline()
    pipeline.add_component("converter", BodytextConverter())
    stream = ByteStream(HTML, meta={"url": ADDRESS}, mime_type="text/html")
    sources: list[Any] = [page, stream, "https://b.example/"]
    documents = pipeline.run({"converter": {"sources": sources}})["converter"]["documents"]
    assert documents[0].content == MARKDOWN
    assert len(documents) == 2
    assert documents[1].meta["url"] == ADDRESS
    ours = ["bodytext.integrations.haystack"]  # Haystack loads no module that it is not told to
    copy = Pipeline.from_dict(pipeline.to_dict(), allowed_modules=ours)
    assert copy.run({"converter": {"sources": [page]}})["converter"]["documents"]


def test_duckdb(page: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    from bodytext.integrations.duckdb import register

    with duckdb.connect() as connection:
        register(connection)
        register(connection, "from_text", "VARCHAR")
        query = "SELECT unnest(bodytext(content, NULL)) FROM read_blob(?)"
        row = connection.execute(query, [str(page)]).fetchone()
        assert row[0] == bodytext.extract(HTML).text
        assert row[1] == TITLE
        query = "SELECT from_text(?, 'https://a.example/').text, from_text(NULL, NULL).error"
        row = connection.execute(query, [HTML.decode()]).fetchone()
        assert row == (bodytext.extract(HTML, url="https://a.example/").text, "there is no HTML")
        with pytest.raises(ValueError, match="html_type must be one of BLOB, VARCHAR"):
            register(connection, "other", "TEXT[]")
