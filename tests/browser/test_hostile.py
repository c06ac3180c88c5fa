"""A hostile page in the inspector and the labelling tool requests nothing and changes nothing outside its frame."""

import random
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, ConsoleMessage, Dialog, Frame
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

from browser.conftest import PATIENCE_S, Started, ThirdParty
from browser.hostile_markup import AT_A_CLICK, AT_ONCE, fill, make_page

SETTLE_S = 1.0  # for late requests of a page
LOUD = 75  # of the ways in AT_ONCE, at least so many get through from an unguarded page


MIXTURES = 40
NOTHING = "'data:,'"  # in place of an address that was removed from a style
THIRD = "http://third.example"
# Attributes that make a browser request something, and elements that do or that run.
ASKING = [
    "src",
    "srcset",
    "href",
    "xlink:href",
    "action",
    "formaction",
    "data",
    "poster",
    "ping",
    "background",
]
ACTIVE = "script,iframe,object,embed,applet,form,base,link,meta[http-equiv],svg,video,audio,portal,template,frame"


def got_through(party: ThirdParty) -> set[str]:
    """Return the names of the ways that got through."""
    return {re.split(r"[/?# ]", line.partition(f"{THIRD}/")[2])[0] for line in party.asked}


def test_the_third_party_sees_the_requests_of_an_unguarded_page(
    serve: Callable[..., str], sealed: Callable[..., BrowserContext], third_party: ThirdParty
) -> None:
    """Without this, a third party that sees nothing would prove nothing."""

    def answer(request: Request) -> HTMLResponse:
        name = request.path_params["name"]
        return HTMLResponse("<!doctype html><p>a</p>" + fill(AT_ONCE.get(name, ""), name, THIRD))

    address = serve(Starlette(routes=[Route("/{name}", answer)]))
    page = sealed(int(address.rpartition(":")[2])).new_page()
    # The frames have another origin than the page around them, so that none can stop the others.
    page.goto(address.replace("127.0.0.1", "localhost") + "/around")
    page.set_content(
        "".join(f"<iframe src={address}/{name}></iframe>" for name in AT_ONCE), wait_until="commit"
    )
    deadline = time.monotonic() + PATIENCE_S
    while len(got_through(third_party) & set(AT_ONCE)) < LOUD and time.monotonic() < deadline:
        page.wait_for_timeout(100)
    assert len(got_through(third_party) & set(AT_ONCE)) >= LOUD


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "hostile.html").write_text(make_page(THIRD))
    return folder


class Watched:
    """A page in a sealed profile, and everything it does besides being shown."""

    def __init__(self, context: BrowserContext, started: Started) -> None:
        self.started = started
        self.context = context
        self.page = context.new_page()
        self.noticed: list[str] = []
        self.page.on("request", lambda request: self._notice_request(request.url))
        self.page.on("dialog", self._notice_dialog)
        self.page.on("download", lambda download: self.noticed.append(f"download {download.url}"))
        self.page.on("console", self._notice_message)
        self.page.on("pageerror", lambda error: self.noticed.append(f"error {error}"))
        context.on("page", lambda other: self.noticed.append(f"window {other.url}"))

    def _notice_message(self, message: ConsoleMessage) -> None:
        """Note what the frame's policy had to stop: it should not be in the frame in the first place."""
        if "Content Security Policy" in message.text and NOTHING not in message.text:
            self.noticed.append(message.text)

    def _notice_dialog(self, dialog: Dialog) -> None:
        self.noticed.append(f"dialog {dialog.message}")
        dialog.dismiss()

    def _notice_request(self, url: str) -> None:
        if not url.startswith((f"{self.started.origin}/", "data:", "blob:", "about:")):
            self.noticed.append(f"request {url}")

    def open(self, address: str) -> Frame:
        """Return the frame with the hostile page, once it is loaded."""
        self.page.goto(address)
        return self.frame()

    def frame(self) -> Frame:
        """Return the frame once nothing is loading: until then it shows the previous page."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            frames = [frame for frame in self.page.frames if "/frame" in frame.url]
            loaded = self.page.locator(".pageview.loading").count() == 0
            if loaded and frames and frames[0].locator("[data-bt-b]").count() > 100:
                return frames[0]
            assert time.monotonic() < deadline, [frame.url for frame in self.page.frames]
            self.page.wait_for_timeout(50)

    def check(self, party: ThirdParty) -> None:
        """Check that nothing was requested and nothing was changed."""
        self.page.wait_for_timeout(SETTLE_S * 1000)
        assert party.asked == []
        assert self.noticed == []
        assert self.context.cookies() == []
        for frame in self.page.frames:
            assert frame.evaluate("typeof window.owned") == "undefined"
        assert self.page.evaluate("localStorage.getItem('owned')") is None
        assert self.page.title() != "owned"
        assert self.page.locator("header.bar").count() == 1
        for frame in self.page.frames:
            assert frame.evaluate(FIND_ASKING, [ASKING, self.started.origin]) == []
        # Browsers look up the names in links in advance, which no test can see: there must be no links.
        assert self.frame().locator(f"{ACTIVE},[href]").count() == 0


# Finds elements with an address that is not ours, and event handlers in attributes.
FIND_ASKING = """([asking, origin]) => {
  const leaves = (value) => {
    const address = new URL(value, origin);
    return address.protocol !== "data:" && address.origin !== origin;
  };
  return [...document.querySelectorAll("*")].flatMap((element) => [...element.attributes]
    .filter(({name, value}) => name.startsWith("on") || (asking.includes(name) && leaves(value)))
    .map(({name, value}) => `${element.tagName} ${name}=${value}`));
}"""


def test_the_inspector_contains_a_hostile_page(
    hostile: Path,
    command: Callable[..., Started],
    sealed: Callable[..., BrowserContext],
    third_party: ThirdParty,
) -> None:
    started = command("inspect", str(hostile / "hostile.html"), "--no-browser")
    watched = Watched(sealed(started.port), started)
    page, address = watched.page, started.address
    frame = watched.open(address)
    click_everything(frame)
    assert page.url.partition("#")[0] == address
    for tab in page.get_by_role("tab").all():
        tab.click()
        page.wait_for_timeout(100)
    page.get_by_role("tab", name="Result").click()
    for choice in page.locator("#panel-result input[type=radio]").all():
        choice.check(force=True)
        page.wait_for_timeout(100)
    page.get_by_label("Show hidden").check()
    page.get_by_label("Compare with").select_option(index=2)
    page.get_by_role("radio", name="Plain").check()
    click_everything(watched.frame())
    watched.check(third_party)
    assert re.split("[?#]", page.url)[0] == address


def test_the_labelling_tool_contains_a_hostile_page(
    hostile: Path,
    command: Callable[..., Started],
    sealed: Callable[..., BrowserContext],
    third_party: ThirdParty,
) -> None:
    started = command("label", str(hostile), "--no-browser", "--annotator", "ann")
    watched = Watched(sealed(started.port), started)
    frame = watched.open(started.address)
    click_everything(frame)
    for tab in watched.page.get_by_role("tab").all():
        tab.click()
        watched.page.wait_for_timeout(100)
    watched.page.get_by_label("Show hidden").check()
    watched.check(third_party)


def click_everything(frame: Frame) -> None:
    """Click everything that can be clicked, and press keys on it."""
    for place in frame.get_by_text(re.compile("link|send|press|open|download|drawn|all")).all()[
        : 2 * len(AT_A_CLICK)
    ]:
        place.dispatch_event("click")
        if place.is_visible():
            place.click(force=True, position={"x": 2, "y": 2})
    frame.evaluate(
        "document.querySelectorAll('a, button, input, summary').forEach((element) => element.click())"
    )
    frame.page.keyboard.press("Tab")
    frame.page.keyboard.press("Enter")


def mix(chance: random.Random) -> str:
    """Cut ways off and join them anywhere, some inside each other."""
    ways = [fill(markup, name, THIRD) for name, markup in (AT_ONCE | AT_A_CLICK).items()]
    mixed = ""
    for way in chance.choices(ways, k=12):
        piece = way[: chance.randrange(len(way) + 1)] if chance.random() < 0.5 else way
        place = chance.randrange(len(mixed) + 1) if chance.random() < 0.4 else len(mixed)
        mixed = mixed[:place] + piece + chance.choice(BREAKS) + mixed[place:]
    return f"<!doctype html><html><body><p>A harbour.</p>{mixed}<p>The end.</p>"


BREAKS = [
    *(
        "",
        " ",
        "\0",
        "\n",
        "'",
        '"',
        "`",
        ">",
        "<",
        "-->",
        "<!--",
        "]]>",
        "&lt;",
        "\x0c",
        "=",
        "/",
        "\u2028",
        "</p/>",
    ),
    *(
        "</style>",
        "</title>",
        "</svg>",
        "</math>",
        "<svg>",
        "<math>",
        "<style>",
        "<p title=",
        "<table>",
        "<select>",
    ),
]


def test_broken_and_mixed_ways_are_contained_too(
    tmp_path: Path,
    command: Callable[..., Started],
    sealed: Callable[..., BrowserContext],
    third_party: ThirdParty,
) -> None:
    chance = random.Random(6)
    pages = {f"{number:03}.html": mix(chance) for number in range(MIXTURES)}
    for name, text in pages.items():
        (tmp_path / name).write_text(text)
    started = command("inspect", str(tmp_path), "--no-browser")
    page = sealed(started.port).new_page()
    noticed: list[str] = []
    page.on("console", lambda message: noticed.append(message.text))
    page.goto(started.address)
    listed = page.evaluate("fetch('/api/pages').then((r) => r.json())")["pages"]
    keys = {entry["name"]: entry["key"] for entry in listed}
    assert len(keys) == MIXTURES
    for name, key in keys.items():
        page.goto(f"{started.origin}/pages/{key}/frame")
        assert page.locator(f"{ACTIVE},[href]").count() == 0, pages[name]
        assert page.evaluate(FIND_ASKING, [ASKING, started.origin]) == [], pages[name]
        assert [text for text in noticed if NOTHING not in text] == [], pages[name]
    assert third_party.asked == []
