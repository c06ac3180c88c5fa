"""The pages for users: the reference is that of the code, and every example runs."""

import doctest
import importlib
import inspect
import re
import shlex
import shutil
import socket
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import bodytext
from bodytext.cli import _read_options as read_options
from bodytext.cli import main
from bodytext.integrations.cuter_xml import answer
from bodytext.reader.collection import feed_finder
from bodytext.sources import listed_pages, page_fetch, rendering
from bodytext.sources.politeness.fetcher import PageRequest
from bodytext.sources.record import Record

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "scripts"))
api = importlib.import_module("api_reference")

HTML = (ROOT / "examples/article.html").read_bytes()
METHODS = ["render", "to_markdown", "to_dict", "chunks"]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def public_functions() -> Iterator[tuple[str, Any]]:
    for name in bodytext.__all__:
        if inspect.isfunction(getattr(bodytext, name)):
            yield name, getattr(bodytext, name)
    for name in METHODS:
        yield f"Document.{name}", getattr(bodytext.Document, name)


FUNCTIONS = dict(public_functions())


def test_the_reference_is_up_to_date() -> None:
    advice = "docs/api.md differs from the docstrings: python scripts/api_reference.py"
    assert (ROOT / "docs/api.md").read_text("utf-8") == api.write_reference(), advice


def test_the_reference_has_every_public_name() -> None:
    assert set(bodytext.__all__) == {*api.FUNCTIONS, *api.CLASSES, *api.OTHERS}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_docstrings_have_one_form(name: str) -> None:
    function = FUNCTIONS[name]
    parts = api.read_docstring(function)
    assert parts[""].partition("\n")[0].endswith("."), "the first line is a sentence"
    parameters = [each for each in inspect.signature(function).parameters if each != "self"]
    assert list(api.read_entries(parts.get("Arguments", ""))) == parameters
    assert parts["Returns"]
    assert parts["Example"].startswith(">>> ")
    assert [part for part in parts if part] == [each for each in api.SECTIONS if each in parts]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_examples_in_docstrings_run(name: str) -> None:
    names = {each: getattr(bodytext, each) for each in bodytext.__all__}
    found = doctest.DocTestFinder().find(FUNCTIONS[name], name, globs=names)
    for test in found:
        assert test.examples
        assert doctest.DocTestRunner(verbose=False).run(test).failed == 0


@pytest.fixture
def offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the examples, and a web where every address has the article."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    (tmp_path / "addresses.txt").write_text("https://news.example/harbour\n")
    (tmp_path / "seen.txt").write_text("https://news.example/old/\n")

    def fetch(_: object, url: str) -> Record:
        return Record(HTML, url)

    def find(_: object, *__: object) -> Iterator[PageRequest]:
        yield PageRequest("https://news.example/2026/harbour")

    def read(*_: object) -> Iterator[Record]:
        yield Record(HTML, "https://news.example/2026/harbour")

    monkeypatch.setattr(page_fetch.PageFetcher, "get", fetch)
    monkeypatch.setattr(listed_pages.PageListing, "list_addresses", find)
    monkeypatch.setattr(listed_pages.PageListing, "read", read)
    monkeypatch.setattr(rendering, "find_browser", lambda: "chromium")
    monkeypatch.setenv("BODYTEXT_CONFIG", "")
    monkeypatch.chdir(tmp_path)
    return tmp_path


# Pages whose examples stand for themselves, and pages where a reader has a page or a title at hand.
PAGES = (
    "../README", "python", "migration", "how_to", "troubleshooting", "command_line", "cuter", "comments", "formats", "media",
    "metadata",
)  # fmt: skip
SKETCHES = (
    "corpus", "duplicates", "reader", "reader_analysis", "reader_profiles", "sources", "stages", "templates",
)  # fmt: skip
OTHERS = {"api", "integrations", "labelling"}  # tested elsewhere, or data alone


@pytest.mark.usefixtures("offline")
@pytest.mark.filterwarnings(
    "ignore:unclosed file:ResourceWarning"
)  # open(...).read() in five lines
@pytest.mark.parametrize("name", PAGES)
def test_every_example_runs(
    name: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names: dict[str, object] = {}
    ran = 0
    for language, code in BLOCK.findall(page_text(name)):
        if language == "python":
            exec(compile(code, f"docs/{name}.md", "exec"), names)  # noqa: S102
        elif language == "toml":
            (tmp_path / "config.toml").write_text(code)
            monkeypatch.setenv("BODYTEXT_CONFIG", str(tmp_path / "config.toml"))
            assert main(["examples/article.html"]) == 0
            assert capsys.readouterr().out.startswith("---\n")
            monkeypatch.setenv("BODYTEXT_CONFIG", "")
        elif language == "xml":
            continue
        else:
            assert language == "console"
            for line in code.splitlines():
                run_command(line.removeprefix("$ "), capsys)
        ran += 1
    assert ran >= 1


@pytest.mark.usefixtures("offline")
@pytest.mark.parametrize("name", SKETCHES)
def test_every_sketch_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is looked up: an address in these is a host that is not known."""

    def look_up(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "not known")

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    shutil.copytree("examples", "pages", ignore=shutil.ignore_patterns("vietnamese", "*.xml"))
    if name == "corpus":
        pytest.importorskip("fastwarc")
        import corpora

        corpora.write_warc(tmp_path / "crawl.warc.gz", [corpora.make_page(1, "")])
    if name == "reader":  # nobody is asked for a feed; the store is empty
        monkeypatch.setattr(feed_finder, "subscribe", lambda *_: None)
    names: dict[str, object] = {
        "bodytext": bodytext,
        "html": HTML,
        "address": "https://gazette.example/lamp",
        "document": bodytext.extract(HTML),
        "data": b"<rss><channel><item><title>One</title></item></channel></rss>",
        "title": "Die Lampe",
        "text": "Die Lampe am Kap leuchtet wieder. Der Hafen schweigt dazu.",
    }
    blocks = [code for language, code in BLOCK.findall(page_text(name)) if language == "python"]
    assert blocks
    for code in blocks:
        exec(compile(code, f"docs/{name}.md", "exec"), names)  # noqa: S102


def test_the_examples_of_every_page_are_tested() -> None:
    pages = {path.stem for path in (ROOT / "docs").glob("*.md")}
    with_examples = {name for name in pages if BLOCK.search(page_text(name))}
    assert with_examples - {*PAGES, *SKETCHES, *OTHERS} == set()


def run_command(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    command, *arguments = shlex.split(line)
    assert command == "bodytext"
    if "--overwrite" not in arguments:
        shutil.rmtree("texts", ignore_errors=True)
    assert main(arguments) == 0, line
    assert capsys.readouterr().out or "-o" in arguments, line


def test_the_answer_on_the_page_is_that_to_the_example() -> None:
    answers = answer((ROOT / "examples/items.xml").read_bytes()).decode()
    shown = re.findall(
        r"^ *(<(?:medium|node|caption|page-title)\b.*)$", page_text("cuter"), re.MULTILINE
    )
    assert len(shown) == 4
    assert [line for line in shown if line not in answers] == []


def page_text(name: str) -> str:
    return (ROOT / f"docs/{name}.md").read_text("utf-8")


def test_there_are_twelve_jobs() -> None:
    jobs = re.split(r"^## ", page_text("how_to"), flags=re.MULTILINE)[1:]
    assert [job.partition(".")[0] for job in jobs] == [str(number) for number in range(1, 13)]
    assert [job.partition("\n")[0] for job in jobs if "```" not in job] == []


# Commands that are named and not run: their options exist, and so do the programs.

NAMED = sorted({*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("*/README.md")})
COMMAND_LINE = re.compile(r"^ {4}(?:[^\n|]*\| )?(bodytext .*)$|`(bodytext [^`]+)`", re.MULTILINE)
END_OF_COMMAND = re.compile(r"\s+#|\s{2,}|\s[>|]\s|\s&&\s")
PROGRAM = re.compile(r"\bpython3? ((?:benchmarks|scripts|tests|examples)/[\w/]+\.py)")


@pytest.mark.parametrize("page", [str(page.relative_to(ROOT)) for page in NAMED])
def test_commands_have_the_options_that_are_named(
    page: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BODYTEXT_CONFIG", "")
    text = (ROOT / page).read_text("utf-8").replace("\\\n", "")
    assert [path for path in PROGRAM.findall(text) if not (ROOT / path).exists()] == []
    for example, mention in COMMAND_LINE.findall(text):
        line = END_OF_COMMAND.split(re.sub(r" {2,}(?=-)", " ", example or mention))[0]
        words = [word for word in shlex.split(line)[1:] if word not in {"...", "…"}]
        if words[0] in {"--version", "help", "COMMAND", "[extract]"}:
            continue
        with suppress(SystemExit):
            read_options(words)
        errors = capsys.readouterr().err
        assert "unrecognized" not in errors, line
        assert "invalid choice" not in errors, line
        assert mention or not errors, line
