"""The example of a Vietnamese corpus: three sites through a feed, a sitemap and an archive to clean text."""

import importlib.util
import re
import sys
import unicodedata
from collections import Counter
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from types import ModuleType
from typing import Any

import pytest

from bodytext.cli import main
from corpora import read_rows

EXAMPLE = Path(__file__).parent.parent / "examples" / "vietnamese" / "make_site.py"


class QuietHandler(SimpleHTTPRequestHandler):
    """A server of files that prints nothing."""

    def log_message(self, *_: object) -> None: ...


def load_example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_site", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["make_site"] = module  # dataclasses look for it there
    spec.loader.exec_module(module)
    return module


site = load_example()


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("vietnamese")
    web = folder / "web"
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=web)) as server:
        root = f"http://127.0.0.1:{server.server_port}"
        site.write_sites(folder, root)
        thread = Thread(target=server.serve_forever)
        thread.start()
        sources = [f"{root}/feed.xml", f"{root}/sitemap.xml", str(folder / "crawl.warc.gz")]
        options = ["--language", "vi", "--templates", "--threshold", "precision", "--workers", "2"]
        options += ["--allow-private", "--delay", "0"]
        status = main(["corpus", "build", *sources, "-o", str(folder / "corpus"), *options])
        server.shutdown()
        thread.join()
    assert status == 0
    return folder / "corpus"


def words_of(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def find_row(rows: list[dict[str, Any]], article: Any) -> dict[str, Any]:
    (row,) = [row for row in rows if article.slug in row["url"]]
    return row


def test_there_are_forty_articles_that_differ() -> None:
    articles = site.read_articles()
    assert len(articles) == 40
    assert len({article.title for article in articles}) == 40
    assert min(len(words_of(" ".join(article.paragraphs))) for article in articles) >= 90


@pytest.mark.parametrize(("codec", "name"), [("cp1258", "to_windows_1258"), ("utf-8", "to_utf_8")])
def test_encodings_that_python_knows_read_back(codec: str, name: str) -> None:
    for article in site.read_articles():
        written = getattr(site, name)(article.paragraphs[0])
        assert unicodedata.normalize("NFC", written.decode(codec)) == article.paragraphs[0]


@pytest.mark.slow
def test_every_record_is_kept_or_dropped_for_its_reason(corpus: Path) -> None:
    kept, dropped, failed = (read_rows(corpus, kind) for kind in ("data", "dropped", "errors"))
    assert len(kept) == 40
    reasons = Counter(row["dropped"].partition(":")[0] for row in dropped)
    assert reasons == {
        "near duplicate": site.REPRINTED,
        "duplicate": site.COPIED,
        "wrong language": 3,
        "too short": 1,
    }
    assert [row["error"] for row in failed] == ["HTTP 404 Not Found"]
    assert {row["language"] for row in kept} == {"vi"}


@pytest.mark.slow
def test_texts_are_whole_clean_and_in_unicode(corpus: Path) -> None:
    kept, extra, whole = read_rows(corpus, "data"), 0, 0
    for article in site.read_articles():
        found = Counter(words_of(find_row(kept, article)["text"]))
        body = Counter(words_of(" ".join(article.paragraphs)))
        assert (found & body).total() >= 0.99 * body.total(), article.slug
        extra += (found - body - Counter(words_of(article.title))).total()
        whole += body.total()
    assert extra <= 0.03 * whole  # the sources of reprints, and few comments
