"""Firefox as the system has it, driven by WebDriver BiDi: Playwright drives only a Firefox of its own.

The client below has what the tests need: pages, expressions, clicks and keys. Nothing goes beyond loopback.
"""

import base64
import json
import os
import re
import secrets
import shutil
import socket
import struct
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAMES = ("firefox-esr", "firefox")
PATIENCE_S = 90.0  # for what takes a second on an idle machine
LEFT_BUTTON = 0
TEXT_FRAME, CLOSE_FRAME, PING_FRAME = 1, 8, 9
# Everything but loopback goes to a proxy that is not there.
PREFERENCES = {
    "app.update.enabled": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "network.proxy.type": 1,
    "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.ssl_port": 9,
    "network.proxy.no_proxies_on": "127.0.0.1, localhost",
    "toolkit.telemetry.enabled": False,
}


def find_firefox() -> str | None:
    """Return the program of the system's Firefox."""
    named = os.environ.get("BODYTEXT_FIREFOX")
    return named or next(filter(None, map(shutil.which, NAMES)), None)


class WebSocket:
    """A client of RFC 6455 for texts."""

    def __init__(self, port: int, path: str) -> None:
        self.connection = socket.create_connection(("127.0.0.1", port), PATIENCE_S)
        key = base64.b64encode(secrets.token_bytes(16)).decode()
        lines = (
            f"GET {path} HTTP/1.1",
            f"Host: 127.0.0.1:{port}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            f"Sec-WebSocket-Key: {key}",
            "Sec-WebSocket-Version: 13",
        )
        self.connection.sendall("".join(f"{line}\r\n" for line in (*lines, "")).encode())
        self.file = self.connection.makefile("rb")
        status = self.file.readline()
        assert b" 101 " in status, status
        while self.file.readline().strip():
            pass  # the other header lines

    def send(self, text: str, kind: int = TEXT_FRAME) -> None:
        data, mask = text.encode(), secrets.token_bytes(4)
        if len(data) < 126:
            size = struct.pack("!B", 0x80 | len(data))
        elif len(data) < 1 << 16:
            size = struct.pack("!BH", 0x80 | 126, len(data))
        else:
            size = struct.pack("!BQ", 0x80 | 127, len(data))
        repeated = mask * (len(data) // 4 + 1)
        masked = bytes(one ^ other for one, other in zip(data, repeated, strict=False))
        self.connection.sendall(bytes([0x80 | kind]) + size + mask + masked)

    def receive(self) -> str:
        """The next text, in as many frames as it comes."""
        parts = []
        while True:
            first, second = self.file.read(2)
            size = second & 0x7F
            if size >= 126:
                code, width = ("!H", 2) if size == 126 else ("!Q", 8)
                (size,) = struct.unpack(code, self.file.read(width))
            data = self.file.read(size)
            kind = first & 0xF
            assert kind != CLOSE_FRAME, "Firefox closed the connection"
            if kind <= TEXT_FRAME:
                parts.append(data)
                if first & 0x80:
                    return b"".join(parts).decode()

    def close(self) -> None:
        self.file.close()
        self.connection.close()


class Window:
    """A window of Firefox and what a person does in it."""

    def __init__(self, web_socket: WebSocket) -> None:
        self.web_socket = web_socket
        self.number = 0
        self.call("session.new", capabilities={})
        self.context = self.call("browsingContext.getTree")["contexts"][0]["context"]

    def call(self, method: str, **parameters: Any) -> Any:
        self.number += 1
        command = {"id": self.number, "method": method, "params": parameters}
        self.web_socket.send(json.dumps(command))
        while True:
            answer = json.loads(self.web_socket.receive())
            if answer.get("id") == self.number:
                assert answer["type"] == "success", answer
                return answer["result"]

    def go_to(self, address: str) -> None:
        self.call("browsingContext.navigate", context=self.context, url=address, wait="complete")

    def resize(self, width: int, height: int) -> None:
        viewport = {"width": width, "height": height}
        self.call("browsingContext.setViewport", context=self.context, viewport=viewport)

    def evaluate(self, expression: str) -> Any:
        """The value of an expression, which JSON can say."""
        answer = self.call(
            "script.evaluate",
            expression=f"(async () => JSON.stringify((await ({expression})) ?? null))()",
            target={"context": self.context},
            awaitPromise=True,
        )
        assert answer["type"] == "success", answer.get("exceptionDetails")
        return json.loads(answer["result"]["value"])

    def wait_for(self, expression: str) -> Any:
        """Wait until an expression is true; one that fails is not true yet."""
        deadline, problem = time.monotonic() + PATIENCE_S, ""
        while time.monotonic() < deadline:
            try:
                value = self.evaluate(expression)
            except AssertionError as error:
                value, problem = None, str(error)
            if value:
                return value
            time.sleep(0.02)
        raise AssertionError(f"{expression} {problem}")

    def wait_for_text(self, selector: str, text: str, frame: str = "") -> None:
        self.wait_for(f"{find(selector, frame)}.textContent.includes({json.dumps(text)})")

    def click(self, selector: str, frame: str = "", *, text: str = "") -> None:
        """Click the middle of an element, also one in a frame, with the mouse, once it is at rest and on top."""
        around = f"{find(frame)}.getBoundingClientRect()" if frame else "{left: 0, top: 0}"
        left, top = self.wait_for(
            f"""(async () => {{
              const element = {find(selector, frame, text)}, around = {around};
              if (document.readyState !== "complete" || !element.checkVisibility()) return null;
              element.scrollIntoView({{block: "center", behavior: "instant"}});
              const before = element.getBoundingClientRect();
              await new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)));
              const box = element.getBoundingClientRect();
              const x = box.left + box.width / 2, y = box.top + box.height / 2;
              const top = element.ownerDocument.elementFromPoint(x, y);
              const isOnTop = element.contains(top) || top?.contains(element) || element.control === top;
              const isAtRest = box.left === before.left && box.top === before.top;
              return isOnTop && isAtRest ? [around.left + x, around.top + y] : null;
            }})()"""
        )
        place = {"x": round(left), "y": round(top)}
        self.act(
            "pointer",
            {"type": "pointerMove", **place},
            {"type": "pointerDown", "button": LEFT_BUTTON},
            {"type": "pointerUp", "button": LEFT_BUTTON},
        )

    def press(self, *keys: str) -> None:
        for key in keys:
            self.act("key", {"type": "keyDown", "value": key}, {"type": "keyUp", "value": key})

    def fill(self, selector: str, text: str) -> None:
        """Type into a field."""
        self.click(selector)
        self.wait_for(f"document.activeElement === {find(selector)}")
        keys = ({"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp"))
        self.act("key", *keys)

    def act(self, kind: str, *actions: dict[str, Any]) -> None:
        source = {"type": kind, "id": kind, "actions": actions}
        self.call("input.performActions", context=self.context, actions=[source])


def find(selector: str, frame: str = "", text: str = "") -> str:
    """An expression for the last element in the page or in a frame that fits and has a text."""
    document = (
        f"document.querySelector({json.dumps(frame)}).contentDocument" if frame else "document"
    )
    fits = f"(element) => element.textContent.includes({json.dumps(text)})"
    if not text:
        return f"{document}.querySelector({json.dumps(selector)})"
    return f"[...{document}.querySelectorAll({json.dumps(selector)})].findLast({fits})"


@contextmanager
def open_firefox(program: str, folder: Path) -> Iterator[Window]:
    """Start Firefox without a display, in a profile of its own."""
    folder.mkdir()
    lines = [
        f"user_pref({json.dumps(name)}, {json.dumps(value)});"
        for name, value in PREFERENCES.items()
    ]
    (folder / "user.js").write_text("\n".join(lines))
    log = folder / "log"
    arguments = [
        "--headless",
        "--no-remote",
        "--remote-debugging-port",
        "0",
        "--profile",
        str(folder),
    ]
    with log.open("w") as output:
        process = subprocess.Popen(
            [program, *arguments, "about:blank"],
            stdout=output,
            stderr=output,
            env=os.environ | {"HOME": str(folder), "MOZ_CRASHREPORTER_DISABLE": "1"},
        )
    try:
        web_socket = WebSocket(find_port(process, log), "/session")
        yield Window(web_socket)
        web_socket.close()
    finally:
        process.terminate()
        try:
            process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def find_port(process: subprocess.Popen[bytes], log: Path) -> int:
    """Wait until Firefox has written where it listens."""
    deadline = time.monotonic() + PATIENCE_S
    while process.poll() is None and time.monotonic() < deadline:
        match = re.search(r"BiDi listening on ws://127\.0\.0\.1:(\d+)\s", log.read_text())
        if match:
            return int(match[1])
        time.sleep(0.05)
    raise AssertionError(f"Firefox does not listen: {log.read_text()}")
