"""The command `bodytext serve`, and clients that never finish a request."""

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from bodytext.cli import main
from bodytext.studio.service.service_routes import ServiceOptions
from bodytext.studio.web import connection
from bodytext.studio.web.server import CLOSING_SECONDS
from service_client import Answer, ask, ask_now
from test_web_service import EXAMPLE, HTML, PATIENCE_S, running


@pytest.fixture(scope="module")
def started() -> Iterator[tuple[subprocess.Popen[str], int]]:
    command = [sys.executable, "-m", "bodytext", "serve", "--port", "0", "--workers", "1"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        line = process.stderr.readline()
        match = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
        assert match, line
        yield process, int(match[1])
        process.kill()


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self").exists(), reason="finds the worker by /proc")
def test_accepted_requests_are_answered_before_it_stops() -> None:
    command = [sys.executable, "-m", "bodytext", "serve", "--port", "0", "--workers", "1"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        match = re.search(r":(\d+)/", process.stderr.readline())
        assert match
        port = int(match[1])
        assert ask_now(port, "GET /health").status == 200
        (worker,) = _children(process.pid)
        os.kill(worker, signal.SIGSTOP)

        async def end_while_asked() -> Answer:
            asked = asyncio.create_task(ask(port, "POST /extract", EXAMPLE, **HTML))
            while (await ask(port, "GET /health")).json["in_flight"] == 0:
                await asyncio.sleep(0.01)
            process.terminate()
            # Longer than the tools for a single user wait
            await asyncio.sleep(CLOSING_SECONDS + 0.6)
            os.kill(worker, signal.SIGCONT)
            return await asked

        assert asyncio.run(end_while_asked()).status == 200
        assert process.wait(PATIENCE_S) == -signal.SIGTERM
        assert process.stderr.read() == ""


def _children(process: int) -> list[int]:
    children = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(FileNotFoundError, ProcessLookupError):  # other processes come and go
            if int(path.read_text().rpartition(")")[2].split()[1]) == process:
                children.append(int(path.parent.name))
    return children


@pytest.mark.slow
def test_it_prints_its_address_and_ctrl_c_stops_all_processes(
    started: tuple[subprocess.Popen[str], int],
) -> None:
    process, port = started
    assert ask_now(port, "POST /extract", EXAMPLE, **HTML).status == 200
    page = ask_now(port, "GET /")
    assert (page.status, b"/extract" in page.body) == (200, True)
    workers = _children(process.pid) if Path("/proc").exists() else []
    process.send_signal(signal.SIGINT)
    assert process.wait(PATIENCE_S) == 0
    assert process.stderr
    assert process.stderr.read() == "bodytext: stopped\n"
    for worker in workers:
        with pytest.raises(ProcessLookupError):
            os.kill(worker, 0)


def test_wrong_options_are_errors_with_a_message(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert main(["serve", "--port", port]) == 2
    assert f"port {port}" in capsys.readouterr().err
    assert main(["serve", "--port", "0", "--model", "/nowhere/my.npz"]) == 2
    assert "/nowhere/my.npz" in capsys.readouterr().err
    wrong = [
        ("--seconds", "-1"),
        ("--megabytes", "inf"),
        ("--port", "65536"),
        ("--port", "abc"),
        ("--workers", "0"),
    ]
    for option, value in wrong:
        with pytest.raises(SystemExit):
            main(["serve", option, value])
        printed = capsys.readouterr().err
        assert f"argument {option}: {value}" in printed
        assert option != "--port" or "is not a port" in printed
    assert main(["serve", "--port", "0", "--host", "no.such.host.invalid"]) == 2


def test_keys_and_origins_are_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "key"
    assert main(["serve", "--key-file", str(file)]) == 2
    assert "cannot be read" in capsys.readouterr().err
    for key in ("", "short", "sixteen letters with spaces"):
        file.write_text(key)
        assert main(["serve", "--key-file", str(file)]) == 2
        assert "16 or more" in capsys.readouterr().err
    monkeypatch.setenv("BODYTEXT_KEY", "short")
    assert main(["serve"]) == 2
    for origin in ("*", "app.example", "https://app.example/a"):
        with pytest.raises(SystemExit):
            main(["serve", "--origin", origin])
        assert "not an origin" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize(
    "sent", [b"", b"GET / HTTP/1.1\r\nHost: a\r\n", b"POST /extract HTTP/1.1\r\nX: "]
)
def test_a_head_that_never_ends_is_cut_off(monkeypatch: pytest.MonkeyPatch, sent: bytes) -> None:
    monkeypatch.setattr(connection, "HEAD_SECONDS", 1.0)
    with (
        running(ServiceOptions(workers=1)) as server,
        closing(socket.create_connection(("127.0.0.1", server.port))) as client,
    ):
        began = time.monotonic()
        client.settimeout(PATIENCE_S)
        client.sendall(sent)
        assert client.recv(1) == b""
        assert time.monotonic() - began < PATIENCE_S / 2
        assert ask_now(server.port, "POST /extract", EXAMPLE, **HTML).status == 200


@pytest.mark.slow
def test_every_request_of_a_connection_gets_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "HEAD_SECONDS", 2.0)
    with (
        running(ServiceOptions(workers=1)) as server,
        closing(socket.create_connection(("127.0.0.1", server.port))) as client,
    ):
        client.settimeout(PATIENCE_S)
        for _ in range(4):
            client.sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % server.port)
            time.sleep(0.7)
            assert client.recv(65536).startswith(b"HTTP/1.1 200")
        client.sendall(b"GET /health HTTP/1.1\r\n")
        assert client.recv(1) == b""


@pytest.mark.slow
def test_a_body_that_never_ends_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "HEAD_SECONDS", 1.0)
    monkeypatch.setattr(connection, "BODY_SECONDS", 0.5)
    with (
        running(ServiceOptions(workers=1)) as server,
        closing(socket.create_connection(("127.0.0.1", server.port))) as client,
    ):
        client.settimeout(PATIENCE_S)
        client.sendall(
            b"POST /extract HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 9\r\n\r\n<p>"
            % server.port
        )
        assert client.recv(1) == b""
        server.wait_until(lambda: server.service.metrics.in_flight == 0)


@pytest.mark.slow
def test_a_response_that_is_not_taken_is_counted_and_then_dropped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connection, "HEAD_SECONDS", 1.0)
    # a slow machine needs some time for the answer
    monkeypatch.setattr(connection, "BODY_SECONDS", 4.0)
    monkeypatch.setattr(connection, "RESPONSE_SECONDS", 1.0)
    sentences = [
        f"<p>Nobody on the island had asked for harbour {number}, and yet it came.</p>"
        for number in range(4_000)
    ]
    page = f"<article>{''.join(sentences)}</article>".encode()
    with (
        running(ServiceOptions(workers=1), send_buffer=4096) as server,
        closing(socket.socket()) as client,
    ):
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.settimeout(PATIENCE_S)
        client.connect(("127.0.0.1", server.port))
        client.sendall(b"POST /extract HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n" % server.port)
        client.sendall(b"Content-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(page) + page)
        server.wait_until(lambda: server.service.metrics.responses[200] == 1)
        assert server.service.metrics.in_flight == 1
        assert server.service.metrics.held_bytes > 2 * len(page)
        server.wait_until(lambda: server.service.metrics.in_flight == 0)
        assert server.service.metrics.held_bytes == 0


@pytest.mark.slow
def test_nothing_is_imported_from_the_current_folder(tmp_path: Path) -> None:
    (tmp_path / "numpy.py").write_text("raise SystemExit('imported from the folder')")
    command = [
        str(Path(sys.executable).with_name("bodytext")),
        "serve",
        "--port",
        "0",
        "--workers",
        "1",
    ]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=tmp_path) as process:
        assert process.stderr
        match = re.search(r":(\d+)/", process.stderr.readline())
        assert match
        assert ask_now(int(match[1]), "POST /extract", EXAMPLE, **HTML).status == 200
        process.kill()
