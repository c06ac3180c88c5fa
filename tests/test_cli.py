"""The command line: what it prints, where it writes, and its exit status."""

import argparse
import io
import json
import subprocess
import sys
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from bodytext import METHODS
from bodytext.cli import main
from bodytext.cli.commands import COMMANDS
from bodytext.cli.options import Parser
from bodytext.methods.learned import method as learned
from bodytext.page import parser

STORY = (
    "<nav><a href=x>menu</a></nav><p>"
    + "The story has many words and hardly any tags. " * 5
    + "</p>"
)


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.html"
    path.write_text(STORY, "utf-8")
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    status = main([str(argument) for argument in arguments])
    output, errors = capsys.readouterr()
    return status, output, errors


def test_a_page_is_extracted_without_naming_a_command(
    page: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, output, errors = run(capsys, page)
    assert (status, errors) == (0, "")
    assert output.startswith("The story has many words")
    assert run(capsys, "extract", page)[1] == output


def test_a_page_does_not_steer_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "page.html"
    page.write_text("<p>Ships &#27;[31mcall\x07 at night,\x9b and the ferry sails at dawn.")
    assert "\x1b" in run(capsys, page)[1]
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert run(capsys, page)[1] == "Ships [31mcall at night, and the ferry sails at dawn.\n"


def test_work_goes_on_when_nobody_reads_the_messages(page: Path, tmp_path: Path) -> None:
    pages, texts = tmp_path / "pages", tmp_path / "texts"
    pages.mkdir()
    for number in range(300):
        (pages / f"empty-{number}.html").write_text("<p>")
    (pages / "story.html").write_text(page.read_text())
    command = [sys.executable, "-m", "bodytext", str(pages), "-o", str(texts)]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        process.stderr.close()
        assert process.wait() == 0
    assert len(list(texts.iterdir())) == 301


def test_a_pipe_is_read(page: Path) -> None:
    command = [sys.executable, "-m", "bodytext", "--method", "finn"]
    with page.open("rb") as file:
        done = subprocess.run(command, stdin=file, capture_output=True, check=True)
    assert done.stdout.startswith(b"The story")


def test_several_pages_are_named(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, output, _ = run(capsys, page, page)
    assert status == 0
    assert output.count(f"==> {page} <==") == 2


def test_a_folder_becomes_a_folder_of_the_same_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("in/a.html", "in/deep/a.html", "in/deep/b.htm"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(STORY, "utf-8")
    (tmp_path / "in" / "notes.txt").write_text("no page")
    assert run(capsys, tmp_path / "in", "-o", tmp_path / "out")[0] == 0
    written = sorted(
        str(path.relative_to(tmp_path / "out")) for path in (tmp_path / "out").rglob("*.txt")
    )
    assert written == ["a.html.txt", "deep/a.html.txt", "deep/b.htm.txt"]
    assert (tmp_path / "out" / "a.html.txt").read_text("utf-8").startswith("The story")


def test_one_page_goes_to_one_file(
    page: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(capsys, page, "-o", tmp_path / "new" / "text.txt") == (0, "", "")
    assert (tmp_path / "new" / "text.txt").read_text("utf-8").startswith("The story")


def test_json_is_one_object_per_line(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, output, _ = run(capsys, page, page, "--format", "json")
    values = [json.loads(line) for line in output.splitlines()]
    assert [value["source"] for value in values] == [str(page)] * 2
    assert (
        json.loads(run(capsys, page, "-f", "json", "--url", "http://a.example/")[1])["url"]
        == "http://a.example/"
    )
    assert values[0]["paragraphs"][0]["kind"] == "paragraph"


def test_bad_files_are_named_and_the_others_are_extracted(
    page: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty.html").touch()
    (tmp_path / "paper.html").write_bytes(b"OggS\0")
    (tmp_path / "picture.html").write_bytes(b"\x89PNG\r\n\x1a\n")
    (tmp_path / "folder").mkdir()
    names = ["missing.html", "empty.html", "paper.html", "picture.html", "folder"]
    status, output, errors = run(capsys, *(tmp_path / name for name in names), page)
    assert status == 1
    assert "The story" in output
    assert sorted(line.split(": ", 2)[2] for line in errors.splitlines()) == [
        "no .html, .htm or .xhtml files in this folder",
        "the page is empty",
        "there is no such file or folder",
        "this file is Ogg, not HTML",
        "this file is PNG, not HTML",
    ]


def test_a_broken_gzip_file_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.html.gz").write_bytes(b"\x1f\x8b\x08broken")
    status, _, errors = run(capsys, tmp_path / "a.html.gz")
    assert status == 1
    assert "broken gzip" in errors


def test_pages_of_the_same_name_do_not_overwrite_each_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "index.html").write_text(STORY)
    status, _, errors = run(capsys, tmp_path / "a", tmp_path / "b", "-o", tmp_path / "out")
    assert status == 2
    assert "two pages would be written to" in errors
    assert not (tmp_path / "out").exists()


def test_an_output_that_cannot_be_written_is_named(
    page: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = page.with_name("file")
    file.touch()
    status, _, errors = run(capsys, page, page, "-o", file)
    assert status == 2
    status, _, errors = run(capsys, page.parent, "-o", file)
    assert status == 1
    assert "cannot be written" in errors
    assert run(capsys, "cuter", page, "-o", page.parent)[0] == 1


@pytest.mark.parametrize(
    ("form", "name"), [("csv", "all.csv"), ("json", "all.jsonl"), ("markdown", "new/all.md")]
)
def test_several_pages_go_to_one_file_as_to_a_pipe(
    page: Path, form: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    other = page.with_name("other.html")
    other.write_text(
        "<p>" + "Another story is told here, and it has as many words as the first. " * 5, "utf-8"
    )
    target = page.parent / "out" / name
    # If the first page fails, the heading is written with the second
    pages = [page.with_name("missing.html"), page, other]
    printed = run(capsys, *pages, "-f", form)
    assert run(capsys, *pages, "-f", form, "-o", target) == (1, "", printed[2])
    assert target.read_bytes().decode() == printed[1]
    run(capsys, *pages, "-f", form, "-o", target)
    assert target.read_bytes().decode() == printed[1]  # written anew, not appended


def test_csv_has_its_heading_when_the_first_page_fails(
    page: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paper = page.with_name("paper.html")
    paper.write_bytes(b"%PDF-1.7")
    assert run(capsys, paper, page, "-f", "csv")[1].startswith("source,")


@pytest.mark.parametrize(
    ("form", "name"), [("xml", "all.xml"), ("text", "all.csv"), ("json", "all.tei.xml")]
)
def test_several_pages_make_no_folder_whose_name_is_that_of_a_file(
    page: Path, form: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, _, errors = run(capsys, page, page, "-f", form, "-o", page.with_name(name))
    assert status == 2
    assert f"{name}/" in errors  # what to write for a folder
    assert not page.with_name(name).exists()
    other = page.with_name("other.html")
    other.write_text(STORY)
    assert run(capsys, page, other, "-f", form, "-o", f"{page.with_name(name)}/")[0] == 0
    assert page.with_name(name).is_dir()


def test_options_may_come_between_pages(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, page, "-f", "json", page) == run(capsys, page, page, "-f", "json")
    assert run(capsys, "-f", "json", "--", page)[1] == run(capsys, page, "-f", "json")[1]
    with pytest.raises(SystemExit):
        main([str(page), "--nothing"])
    assert "usage: bodytext extract" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["corpus", "build", str(page), "-o", "out", str(page), "--nothing"])
    errors = capsys.readouterr().err
    assert "usage: bodytext corpus build" in errors
    assert errors.endswith("unrecognized arguments: --nothing\n")  # and none of the pages


@pytest.mark.slow
def test_a_closed_output_is_an_error_with_a_message(page: Path) -> None:
    for arguments in (f"{page.name} >&-", f"{page.name} >&- 2>&-", "methods >&-", "- <&-"):
        command = f"{sys.executable} -m bodytext {arguments}"
        done = subprocess.run(
            ["bash", "-c", command], cwd=page.parent, capture_output=True, check=False
        )
        assert done.returncode == 1, arguments
        assert b"Traceback" not in done.stderr
        assert b"is closed" in done.stderr or "2>&-" in arguments


@pytest.fixture
def address(page: Path) -> Iterator[str]:
    """Serve the page on this machine, and give its address."""

    class Handler(SimpleHTTPRequestHandler):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given, directory=str(page.parent))

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/page.html"
        server.shutdown()


def test_an_address_is_fetched(
    page: Path, address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, output, errors = run(capsys, address, "-f", "json", "--allow-private")
    assert (status, errors) == (0, "")
    value = json.loads(output)
    assert (value["source"], value["url"]) == (address, address)
    assert value["text"].startswith("The story has many words")
    assert (
        json.loads(
            run(capsys, address, "-f", "json", "--url", "http://a.example/", "--allow-private")[1]
        )["url"]
        == "http://a.example/"
    )
    assert run(capsys, address, page, "-o", page.parent / "out", "--allow-private")[0] == 0
    assert len(list((page.parent / "out").iterdir())) == 2
    assert "The story" in run(capsys, "explain", address, "--allow-private")[1]
    missing = address.replace("page.html", "none.html")
    assert run(capsys, missing, "--allow-private") == (
        1,
        "",
        f"bodytext: {missing}: cannot be fetched: HTTP 404 Not Found\n",
    )


def test_private_addresses_are_not_fetched(capsys: pytest.CaptureFixture[str]) -> None:
    status, output, errors = run(capsys, "http://127.0.0.1/page.html")
    assert (status, output) == (1, "")
    assert "cannot be fetched: a private address" in errors
    assert errors.endswith("; --allow-private fetches from there too\n")


def test_a_slash_makes_a_folder(
    page: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(capsys, page, "-o", f"{tmp_path}/texts/")[0] == 0
    assert (tmp_path / "texts" / "page.html.txt").is_file()


def test_a_page_that_is_too_large_fails_alone(
    page: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    small = page.with_name("small.html")
    small.write_text("<p>small but fine</p>")
    monkeypatch.setattr(parser, "MAX_BYTES", 60)
    status, output, errors = run(capsys, page, small)
    assert status == 1
    assert f"{page}: a page of" in errors
    assert "small but fine" in output


def test_an_address_is_refused_for_several_pages(
    page: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(capsys, page, page, "--url", "http://a.example/")[0] == 2


def test_commands_for_one_file_refuse_a_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "is a folder" in run(capsys, "explain", tmp_path)[2]
    assert "is a folder" in run(capsys, "cuter", tmp_path)[2]


def test_nothing_found_is_status_3(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.html").write_text("<img>")
    assert run(capsys, tmp_path / "a.html") == (
        3,
        "",
        f"bodytext: {tmp_path / 'a.html'}: the page holds no text\n",
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["--threshold", "2"],
        ["--method", "nothing"],
        ["--method", "spread:stop=x"],
        ["--format", "docx"],
    ],
)
def test_wrong_usage_is_status_2(
    page: Path, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        status = main([str(page), *arguments])
    except SystemExit as stop:
        status = int(str(stop.code))
    assert status == 2
    assert capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--method", "learned:model=foo"], "foo: there is no such file of weights"),
        (["--method", "density:model=foo"], "foo: there is no such file of weights"),
        (
            ["--method", "finn", "--model", "foo"],
            "--model holds weights of the method learned, not of finn",
        ),
        (["--workers", "0"], "0 is too few; it should be at least 1"),
    ],
)
def test_options_that_suit_no_page_are_refused_before_the_first_page(
    page: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    build = ["corpus", "build", str(page), "-o", str(page.with_name("corpus")), *arguments]
    for command in [build] if "--workers" in arguments else [build, [str(page), *arguments]]:
        try:
            status = main(command)
        except SystemExit as stop:
            status = int(str(stop.code))
        assert status == 2
        assert message in capsys.readouterr().err
    assert not page.with_name("corpus").exists()


def test_every_option_of_every_command_has_a_line_of_help() -> None:
    def find_silent(parser: argparse.ArgumentParser) -> Iterator[str]:
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                for command in action.choices.values():
                    yield from find_silent(command)
            elif not action.help:
                yield f"{parser.prog} {action.metavar or action.option_strings}"

    silent: list[str] = []
    for name in COMMANDS.own:
        parser = Parser(prog=name)
        COMMANDS[name].add_options(parser)
        silent += find_silent(parser)
    assert silent == []


@pytest.mark.slow
def test_counts_of_one_are_in_the_singular(page: Path, capfd: pytest.CaptureFixture[str]) -> None:
    folder = str(page.with_name("corpus"))
    build = [
        "corpus",
        "build",
        str(page),
        "-o",
        folder,
        "--words",
        "1",
        "--quality",
        "none",
        "--confidence",
        "0",
    ]
    assert main([*build, "--workers", "1"]) == 0
    printed = capfd.readouterr()
    assert printed.out.startswith("1 record: 1 kept")
    assert "extract: 1 record in" in printed.err
    assert "duplicates: 0 repeats in" in printed.err
    assert main(["corpus", "stats", folder]) == 0
    printed = capfd.readouterr()
    assert printed.out.startswith("1 record\n")
    assert ", 1 worker\n" in printed.out


def test_methods_are_listed_one_per_line_with_the_name_first(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, output, _ = run(capsys, "methods")
    assert [line.split()[0] for line in output.splitlines()] == list(METHODS)


def test_explain_prints_every_block_with_every_score(
    page: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, output, _ = run(capsys, "explain", page)
    heading, *lines = output.splitlines()
    assert status == 0
    assert all(name in heading for name in METHODS)
    assert sum(line[:5].strip().isdigit() for line in lines) == 2
    assert any(line.strip().startswith(("for:", "against:")) for line in lines)
    assert "page type" in lines[-1]
    assert len(run(capsys, "explain", page, "--reasons", "0")[1].splitlines()) == 5
    assert "menu" in lines[0]
    assert run(capsys, "explain", page.with_name("missing"))[0] == 1


def test_explain_says_that_a_page_has_too_many_blocks(
    page: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learned, "MOST_BLOCKS", 1)
    lines = run(capsys, "explain", page)[1].splitlines()
    assert lines[-1] == "learned: the page has 2 blocks, too many for it; these are cuter's scores"
    assert not any(line.strip().startswith(("for:", "against:")) for line in lines)


def test_the_inspector_refuses_other_files_before_it_opens_the_browser(
    page: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[object] = []
    monkeypatch.setattr(
        "bodytext.studio.web.server.run", lambda *_, path, **__: started.append(path)
    )
    page.with_name("bin.html").write_bytes(b"\x7fELF\x02\x01\x01" + bytes(100))
    assert run(capsys, "inspect", page.with_name("bin.html")) == (
        2,
        "",
        "bodytext: bin.html: this file is a program, not HTML\n",
    )
    assert started == []
    assert run(capsys, "inspect", page)[0] == run(capsys, "inspect", page.parent)[0] == 0
    assert [str(path)[:7] for path in started] == ["/pages/", "/"]


def test_a_wrong_model_is_wrong_usage(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, output, errors = run(capsys, page, "--model", page.with_name("missing.npz"))
    assert (status, output) == (2, "")
    assert "there is no such file of weights" in errors
    assert run(capsys, page, "--threshold", "high")[0] == 2
    assert run(capsys, "train", page.parent, "-o", "model.json")[0] == 2


def test_version_says_which_kernel_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert "(kernel: scanner " in capsys.readouterr().out


def test_an_interrupt_is_status_130(
    page: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("bodytext.cli.extract.find_inputs", stop)
    assert run(capsys, page) == (130, "", "bodytext: stopped\n")


def test_a_closed_pipe_is_not_an_error(page: Path) -> None:
    command = f"{sys.executable} -m bodytext $(yes {page.name} | head -n 1000) | head -n 1"
    done = subprocess.run(
        ["bash", "-c", command], cwd=page.parent, capture_output=True, check=False
    )
    assert b"Traceback" not in done.stderr


def test_no_arguments_on_a_terminal_show_the_help(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = io.StringIO()
    terminal.isatty = lambda: True  # type: ignore[method-assign]
    monkeypatch.setattr(sys, "stdin", terminal)
    assert main([]) == 2
    assert "bodytext page.html" in capsys.readouterr().out
