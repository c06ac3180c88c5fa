"""Take the screenshots in docs/pictures/ of the inspector, the labelling tool and the reader.

    python benchmarks/pictures.py                  all of them
    python benchmarks/pictures.py compare phone    only these

Needs what the tests need (pip install -e '.[test,web,reader]', Chromium). The font Inter (Debian: fonts-inter) replaces
the system's default font if it is installed, because a bare Debian looks like nobody's desktop. The reader's articles
are in eight languages: fonts-sil-charis, fonts-noto-core and fonts-noto-cjk have their letters.
"""

import argparse
import io
import os
import shutil
import subprocess
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
SCALE = 1.5  # device pixels per CSS pixel: sharp when the picture is shown small
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
class Screenshot:
    """A screenshot: the command, the colour scheme, and what to do before it is taken."""

    command: str
    prepare: Callable[[Page], None]
    scheme: str = "light"
    phone: bool = False
    cookie: str = ""  # the reader's settings


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
    page.wait_for_timeout(2 * SETTLE_MS)
    page.get_by_role("button", name="next ›").click()  # the cookie banner
    page.wait_for_timeout(SETTLE_MS)


def _draw_figures(page: Page) -> None:
    _wait(page)
    page.frames[1].get_by_text(PARAGRAPH).click()
    page.frames[1].evaluate("scrollTo(0, 0)")
    page.get_by_role("tab", name="Figures").click()
    page.wait_for_timeout(SETTLE_MS)


def _label(page: Page) -> None:
    _wait(page)
    frame = page.frames[1]
    for cell in ("Hailed", "Inside", "Terna"):  # add what the model left out, if it did
        block = frame.get_by_text(cell, exact=True)
        if "drop" in (block.get_attribute("data-bt-s") or ""):
            block.click()
    frame.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    page.wait_for_timeout(SETTLE_MS)


def _show_phone(page: Page) -> None:
    _wait(page)
    page.frames[1].get_by_text(PARAGRAPH).click()
    page.wait_for_timeout(SETTLE_MS)
    page.evaluate("scrollTo(0, 0)")


def _show_front(page: Page) -> None:
    """Show the front page of somebody who likes trains, with all pictures loaded."""
    page.goto(page.url.rstrip("/") + "/search?q=trains")
    page.locator(".card h3 a").first.click()
    like = page.get_by_role("button", name="More like this")
    if like.get_attribute("aria-pressed") == "false":
        like.click()
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
    "inspector": Screenshot("inspect", _choose_block),
    "inspector-dark": Screenshot("inspect", _choose_block, "dark"),
    "compare": Screenshot("inspect", _compare),
    "figures": Screenshot("inspect", _draw_figures),
    "labelling": Screenshot("label", _label),
    "phone": Screenshot("inspect", _show_phone, phone=True),
    "reader": Screenshot("reader", _show_front, cookie="pictures=1"),
    "reader-article": Screenshot("reader", _show_article, cookie="pictures=1&theme=sepia"),
    "reader-dark": Screenshot("reader", _show_article, "dark", cookie="pictures=1"),
    "reader-phone": Screenshot("reader", _show_front, phone=True, cookie="pictures=1"),
    "reader-phone-article": Screenshot(
        "reader", _show_article, phone=True, cookie="pictures=1&theme=sepia"
    ),
}


@contextmanager
def reading(folder: Path) -> Iterator[str]:
    """Run the reader on newspapers served from loopback; yields its address."""
    from browser.reader_news import make_web
    from browser.reader_server import allow, fill, serve

    with make_web() as web:
        fill(folder / "reader.sqlite", web)
        with serve(folder / "reader.sqlite", allow(web)) as desk:
            yield desk.address


@contextmanager
def running(command: str, folder: Path) -> Iterator[str]:
    """Run a tool on copies of the examples; yields its address."""
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


def take(browser: Browser, picture: Screenshot, address: str) -> bytes:
    """Return the screenshot as PNG."""
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
    """Reduce the number of colours."""
    image = Image.open(io.BytesIO(png)).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    output = io.BytesIO()
    image.save(output, "PNG", optimize=True)
    return output.getvalue()


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"of {', '.join(PICTURES)}; default all"
    )
    names = parser.parse_args().names or list(PICTURES)
    OUTPUT.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        if has_inter():  # without it, fontconfig would give a serif font in its place
            (folder / "fonts.conf").write_text(FONTS)
            os.environ["FONTCONFIG_FILE"] = str(folder / "fonts.conf")
        take_all(names, folder)


def has_inter() -> bool:
    """Whether the font Inter is installed."""
    program = shutil.which("fc-list")
    if not program:
        return False
    listed = subprocess.run([program, "Inter"], capture_output=True, text=True, check=False)
    return bool(listed.stdout.strip())


def take_all(names: Sequence[str], folder: Path) -> None:
    """Take screenshots and write them to files."""
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
