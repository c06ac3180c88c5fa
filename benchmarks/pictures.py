"""Make the pictures of the app in the browser from the pages in examples/; writes docs/pictures/*.png.

    python benchmarks/pictures.py                  all of them
    python benchmarks/pictures.py compare phone    these

Wants what the tests want (pip install -e '.[test,web,reader]', Chromium). Where the font Inter is installed (Debian:
fonts-inter) it stands for the system's own, which on a bare Debian is not what people have on their desks. The reader's
articles are in eight languages: fonts-sil-charis, fonts-noto-core and fonts-noto-cjk have their letters.
"""

import argparse
import io
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from browser.conftest import launch, start  # noqa: E402

OUTPUT = ROOT / "docs" / "pictures"
DESK = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 800}
SCALE = 1.5  # pixels for a pixel: sharp where the picture is shown small
COLOURS = 192  # enough for an interface; a third of the bytes
SETTLE_MS = 700
PARAGRAPH = "At ten past four"
LEAD = "When the fog came down"
FONTS = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
<include>/etc/fonts/fonts.conf</include>
<match target="pattern"><test name="family"><string>DejaVu Sans</string></test>
<edit name="family" mode="assign" binding="strong"><string>Inter</string></edit></match>
</fontconfig>"""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture: of which command, in which light, and what is done before it is taken."""

    command: str
    prepare: Callable[[Page], None]
    scheme: str = "light"
    phone: bool = False
    cookie: str = ""  # of the reader: how it looks


def _wait(page: Page) -> None:
    page.wait_for_selector(".pageview:not(.loading) iframe")
    page.wait_for_timeout(SETTLE_MS)


def _choose_block(page: Page) -> None:
    _wait(page)
    page.frames[1].get_by_text(LEAD).click()
    page.wait_for_timeout(SETTLE_MS)
    page.frames[1].evaluate("scrollTo(0, 0)")


def _compare(page: Page) -> None:
    _wait(page)
    page.get_by_label("Compare with").select_option("density")
    page.get_by_role("tab", name="Result").click()
    page.wait_for_timeout(2 * SETTLE_MS)
    for frame in page.frames[1:]:
        frame.evaluate("scrollTo(0, 420)")


def _draw_figures(page: Page) -> None:
    _wait(page)
    page.frames[1].get_by_text(PARAGRAPH).click()
    page.frames[1].evaluate("scrollTo(0, 0)")
    page.get_by_role("tab", name="Figures").click()
    page.wait_for_timeout(SETTLE_MS)


def _label(page: Page) -> None:
    _wait(page)
    frame = page.frames[1]
    for cell in ("Hailed", "Inside", "Terna"):  # corrects what the model left out, where it did
        found = frame.get_by_text(cell, exact=True)
        if "drop" in (found.get_attribute("data-bt-s") or ""):
            found.click()
    frame.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    page.wait_for_timeout(SETTLE_MS)


def _show_phone(page: Page) -> None:
    _wait(page)
    page.frames[1].get_by_text(PARAGRAPH).click()
    page.wait_for_timeout(SETTLE_MS)
    page.evaluate("scrollTo(0, 0)")


def _show_front(page: Page) -> None:
    """The front page of somebody who likes trains, with all pictures there."""
    page.goto(page.url.rstrip("/") + "/search?q=trains")
    page.locator(".card h3 a").first.click()
    liking = page.get_by_role("button", name="More like this")
    if liking.get_attribute("aria-pressed") == "false":
        liking.click()
    page.locator(".brand").click()
    _load_pictures(page)


def _show_article(page: Page) -> None:
    page.locator(".card h3 a", has_text="Eels").click()
    _load_pictures(page)


def _load_pictures(page: Page) -> None:
    page.wait_for_timeout(SETTLE_MS)
    page.evaluate("scrollTo(0, document.body.scrollHeight / 2)")
    page.wait_for_timeout(SETTLE_MS)
    page.evaluate("scrollTo(0, 0)")
    page.mouse.move(0, 0)


PICTURES = {
    "inspector": Picture("inspect", _choose_block),
    "inspector-dark": Picture("inspect", _choose_block, "dark"),
    "compare": Picture("inspect", _compare),
    "figures": Picture("inspect", _draw_figures),
    "labelling": Picture("label", _label),
    "phone": Picture("inspect", _show_phone, phone=True),
    "reader": Picture("reader", _show_front, cookie="pictures=1"),
    "reader-article": Picture("reader", _show_article, cookie="pictures=1&theme=sepia"),
    "reader-dark": Picture("reader", _show_article, "dark", cookie="pictures=1"),
    "reader-phone": Picture("reader", _show_front, phone=True, cookie="pictures=1"),
    "reader-phone-article": Picture("reader", _show_article, phone=True, cookie="pictures=1&theme=sepia"),
}


@contextmanager
def reading(folder: Path) -> Iterator[str]:
    """The reader over a loopback web of newspapers."""
    from browser.reader_desk import allow, fill, serve
    from browser.reader_news import make_web

    with make_web() as web:
        fill(folder / "reader.sqlite", web)
        with serve(folder / "reader.sqlite", allow(web)) as desk:
            yield desk.address


@contextmanager
def running(command: str, folder: Path) -> Iterator[str]:
    """A tool over copies of the examples: its address."""
    if command == "reader":
        with reading(folder) as address:
            yield address
        return
    pages = folder / f"{command}-pages"
    pages.mkdir()
    shutil.copy(ROOT / "examples" / "newspaper.html", pages)
    if command == "label":
        shutil.copy(ROOT / "examples" / "article.html", pages)
    more = ["--annotator", "ines", "--order", "name"] if command == "label" else []
    named = pages if command == "label" else pages / "newspaper.html"
    started = start([command, str(named), "--no-browser", *more], folder / f"{command}.log")
    try:
        yield started.address
    finally:
        started.process.terminate()
        started.process.wait()


def take(browser: Browser, picture: Picture, address: str) -> bytes:
    """The picture as PNG."""
    size = PHONE if picture.phone else DESK
    context = browser.new_context(
        viewport=size,  # type: ignore[arg-type]
        color_scheme=picture.scheme,  # type: ignore[arg-type]
        device_scale_factor=SCALE,
        has_touch=picture.phone,
        is_mobile=picture.phone,
    )
    if picture.cookie:
        context.add_cookies([{"name": "bodytext-reader", "value": picture.cookie, "url": address}])
    page = context.new_page()
    page.goto(address)
    if picture.command == "label":
        _wait(page)
        while "Eleven ships" not in page.frames[1].locator("body").inner_text():
            page.get_by_role("button", name="Skip").click()
            _wait(page)
    picture.prepare(page)
    page.wait_for_timeout(SETTLE_MS)
    taken = page.screenshot()
    context.close()
    return taken


def shrink(png: bytes) -> bytes:
    """The same with fewer colours."""
    image = Image.open(io.BytesIO(png)).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    output = io.BytesIO()
    image.save(output, "PNG", optimize=True)
    return output.getvalue()


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(PICTURES)}; default all")
    names = parser.parse_args().names or list(PICTURES)
    OUTPUT.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        (folder / "fonts.conf").write_text(FONTS)
        os.environ["FONTCONFIG_FILE"] = str(folder / "fonts.conf")
        take_all(names, folder)


def take_all(names: Sequence[str], folder: Path) -> None:
    """Take pictures and write them."""
    with sync_playwright() as playwright:
        browser = launch(playwright)
        for command in dict.fromkeys(PICTURES[name].command for name in names):
            with running(command, folder) as address:
                for name in names:
                    if PICTURES[name].command == command:
                        picture = shrink(take(browser, PICTURES[name], address))
                        (OUTPUT / f"{name}.png").write_bytes(picture)
                        print(f"{name}.png: {len(picture):,} bytes")
        browser.close()


if __name__ == "__main__":
    main()
