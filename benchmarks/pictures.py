"""Take the screenshots in docs/pictures/ of the four tools: inspector, labelling, service and reader.

    python benchmarks/pictures.py                     the twelve pictures of the documentation
    python benchmarks/pictures.py compare phone       only these
    python benchmarks/pictures.py --survey FOLDER     each tool at 390, 820 and 1440 pixels, light and dark, to look at

Needs what the tests need (pip install -e '.[test,web,reader]', Chromium). The font Inter (Debian: fonts-inter) replaces
the system's default font if it is installed, because a bare Debian looks like nobody's desktop. For the reader's
articles, Charter, Charis or Source Serif 4 is best. All pages are the project's own examples.
"""

import argparse
import io
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from bodytext import extract  # noqa: E402
from bodytext.studio.labels.labelling import CONTENT, Labelling, Span, digest_source  # noqa: E402
from bodytext.studio.labels.store import open_store  # noqa: E402
from browser.conftest import launch, start  # noqa: E402
from labelling_pages import write_folder  # noqa: E402

OUTPUT = ROOT / "docs" / "pictures"
HEIGHTS = {1440: 900, 1280: 800, 820: 1100, 390: 800}  # of windows, by their widths
DESK, PHONE = 1280, 390
WIDTHS = (390, 820, 1440)  # of a survey
SCALE = 1.5  # device pixels per CSS pixel: sharp when the picture is shown small
COLOURS = 160  # enough for an interface; a third of the bytes
MOST_BYTES = 150_000
PATIENCE_MS = 60_000
PARAGRAPH = "At ten past four"
LEAD = "When the fog came down"
FONTS = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
<include>/etc/fonts/fonts.conf</include>
<match target="pattern"><test name="family"><string>DejaVu Sans</string></test>
<edit name="family" mode="assign" binding="strong"><string>Inter</string></edit></match>
</fontconfig>"""


# No script runs in the frame, so the page around it looks.
COLOURED = """() => {
  const inner = document.querySelector("iframe").contentDocument;
  return inner.querySelector("[data-bt-s]") && !inner.querySelector("[data-bt-b]:not([data-bt-s])");
}"""


@dataclass(frozen=True, slots=True)
class Screenshot:
    """A screenshot: the command, what to do before it is taken, the colours and the width."""

    command: str
    prepare: Callable[[Page], None]
    scheme: str = "light"
    width: int = DESK
    cookie: str = ""  # the reader's settings


def _wait(page: Page) -> None:
    """Wait until the page in the frame is loaded and all its blocks are coloured."""
    page.wait_for_selector(".pageview:not(.loading) iframe")
    page.wait_for_function(COLOURED)


def _open_page(page: Page) -> None:
    _wait(page)
    expect(page.locator("#answer-line")).to_contain_text("blocks kept")


def _choose_block(page: Page, text: str = LEAD) -> None:
    _open_page(page)
    page.frames[1].get_by_text(text).click()
    expect(page.locator("#panel-block .reasons li").last).to_contain_text("= a score of")


def _compare(page: Page) -> None:
    _open_page(page)
    page.get_by_label("Compare with").select_option("density")
    page.wait_for_selector("#view-b.pageview:not(.loading)")
    page.get_by_role("button", name="next ›").click()  # the cookie banner
    expect(page.locator("#panel-block .reasons li").last).to_contain_text("= a score of")


def _draw_figures(page: Page) -> None:
    _choose_block(page, PARAGRAPH)
    page.frames[1].evaluate("scrollTo(0, 0)")
    page.get_by_role("tab", name="Figures").click()
    page.wait_for_selector("#panel-figures .descent .chosen")


def _label(page: Page) -> None:
    """Show a page on which a block was labelled otherwise than by the model."""
    _wait(page)
    expect(page.locator("#page-name")).to_have_text("newspaper.html")
    frame = page.frames[1]
    for cell in ("Hailed", "Inside", "Terna"):  # add what the model left out, if it did
        block = frame.get_by_text(cell, exact=True)
        if "drop" in (block.get_attribute("data-bt-s") or ""):
            block.click()
    page.locator("iframe").focus()
    for key in ("Home", "e", "e", "e"):  # to where the label changes
        page.keyboard.press(key)
    expect(page.locator("#block h2")).to_be_visible()


def _settle(page: Page) -> None:
    """Show where two annotators differ: ann began with the model's answer, bob blindly."""
    _wait(page)
    for text in (
        "Harbour of the town",
        "paragraph 0",
        "paragraph 1",
        "paragraph 2",
        "Subscribe now",
    ):
        page.frames[1].locator("[data-bt-b]").filter(has_text=text).last.click()
    expect(page.locator(".saving")).to_have_text("Saved")
    page.keyboard.press("n")
    expect(page.locator("#page-name")).to_have_text("page1.html")
    page.get_by_role("tab", name="Queue").click()
    page.get_by_text("Agreement with other annotators").click()
    page.locator(".gains").get_by_role("button", name="page0.html").click()
    _wait(page)
    expect(page.locator("#settle h2")).to_contain_text("ann differs in")
    page.locator(".settle-text").first.click()


def _extract(page: Page) -> None:
    page.get_by_label("A page's HTML").fill((ROOT / "examples" / "article.html").read_text("utf-8"))
    page.get_by_role("button", name="Extract").click()
    expect(page.get_by_label("The answer")).not_to_be_empty()
    page.locator("#html").evaluate("field => field.scrollTo(0, 0)")
    page.mouse.move(0, 0)


def _show_phone(page: Page) -> None:
    _choose_block(page, PARAGRAPH)


def _show_front(page: Page) -> None:
    """Show the front page of somebody who likes trains, with all pictures loaded."""
    page.goto(page.url.rstrip("/") + "/search?q=trains")
    page.locator(".card h3 a").first.click()
    like = page.get_by_role("button", name="More like this")
    if like.get_attribute("aria-pressed") == "false":
        like.click()
    expect(like).to_have_attribute("aria-pressed", "true")
    page.locator(".brand").click()
    expect(page.locator(".masthead")).to_be_visible()
    _load_pictures(page)


def _show_article(page: Page) -> None:
    page.locator(".card h3 a", has_text="Eels").click()
    expect(page.locator(".body")).to_be_visible()
    _load_pictures(page)


def _show_subscriptions(page: Page) -> None:
    """Show feeds in two folders."""
    for name, folder in (
        ("Meridian", "World"),
        ("The Skarv Tidings", "World"),
        ("Field Notes", "Science"),
    ):
        page.goto(page.url.split("/feeds")[0].rstrip("/") + "/feeds")
        expect(page.locator(".scripted")).to_be_visible()
        settings = page.locator(".feed", has=page.get_by_role("heading", name=name)).locator(
            ".settings"
        )
        settings.locator("summary").click()
        settings.get_by_label("Folder").fill(folder)
        settings.get_by_role("button", name="Set").click()
        expect(
            page.locator(".folder", has_text=folder).get_by_role("heading", name=name)
        ).to_be_visible()
    page.locator(".toast").evaluate_all("all => all.forEach((one) => one.remove())")


def _load_pictures(page: Page) -> None:
    """Scroll through the page, so that its pictures are fetched."""
    for image in page.locator("main img").all():
        image.scroll_into_view_if_needed()
        expect(image).to_have_js_property("complete", True)
    page.evaluate("scrollTo(0, 0)")
    page.mouse.move(0, 0)


COOKIE = "pictures=1"
PICTURES = {
    "inspector": Screenshot("inspect", _choose_block),
    "inspector-dark": Screenshot("inspect", _choose_block, "dark"),
    "compare": Screenshot("inspect", _compare),
    "figures": Screenshot("inspect", _draw_figures),
    "phone": Screenshot("inspect", _show_phone, width=PHONE),
    "labelling": Screenshot("label", _label),
    "settle": Screenshot("settle", _settle),
    "service": Screenshot("serve", _extract),
    "reader": Screenshot("reader", _show_front, cookie=COOKIE),
    "reader-article": Screenshot("reader", _show_article, cookie=f"{COOKIE}&theme=sepia"),
    "reader-dark": Screenshot("reader", _show_front, "dark", PHONE, COOKIE),
    "reader-folders": Screenshot("reader", _show_subscriptions),
}
# What a survey shows of each tool.
STATES = {
    "inspector": Screenshot("inspect", _open_page),
    "inspector-block": Screenshot("inspect", _choose_block),
    "labelling": Screenshot("label", _wait),
    "service": Screenshot("serve", _extract),
    "reader": Screenshot("reader", _load_pictures, cookie=COOKIE),
    "reader-article": Screenshot("reader", _show_article, cookie=COOKIE),
}


def make_survey() -> dict[str, Screenshot]:
    """Return each state at each width, light and dark."""
    return {
        f"{name}-{width}-{scheme}": replace(state, width=width, scheme=scheme)
        for name, state in STATES.items()
        for width in WIDTHS
        for scheme in ("light", "dark")
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
    arguments = make_arguments(command, folder)
    started = start(arguments, folder / f"{command}.log")
    try:
        yield started.address
    finally:
        started.process.terminate()
        started.process.join()


def make_arguments(command: str, folder: Path) -> list[str]:
    """Write the pages that a tool shows; returns its command line."""
    if command == "serve":
        return ["serve", "--port", "0", "--workers", "1"]
    pages = folder / f"{command}-pages"
    if command == "settle":
        write_folder(pages, 2)
        label_first(pages)
        return [
            "label",
            str(pages),
            "--annotator",
            "bob",
            "--order",
            "name",
            "--blind",
            "--no-browser",
        ]
    pages.mkdir()
    shutil.copy(ROOT / "examples" / "newspaper.html", pages)
    if command == "inspect":
        return ["inspect", str(pages / "newspaper.html"), "--no-browser"]
    return ["label", str(pages), "--annotator", "ines", "--order", "name", "--no-browser"]


def label_first(pages: Path) -> None:
    """Let a first annotator, ann, take the model's answer for the first page."""
    source = (pages / "page0.html").read_bytes()
    spans = tuple(Span(one.start, one.end, CONTENT) for one in extract(source).paragraphs)
    labelling = Labelling("page0.html", digest_source(source), "ann", spans, done=True)
    open_store(pages).save(labelling, "")


def take(browser: Browser, picture: Screenshot, address: str) -> bytes:
    """Return the screenshot as PNG."""
    context = browser.new_context(
        viewport={"width": picture.width, "height": HEIGHTS[picture.width]},
        color_scheme=picture.scheme,  # type: ignore[arg-type]
        reduced_motion="reduce",
        device_scale_factor=SCALE,
        has_touch=picture.width == PHONE,
        is_mobile=picture.width == PHONE,
    )
    context.set_default_timeout(PATIENCE_MS)
    if picture.cookie:
        context.add_cookies([{"name": "bodytext-reader", "value": picture.cookie, "url": address}])
    page = context.new_page()
    page.goto(address)
    picture.prepare(page)
    page.evaluate(
        "document.fonts.ready.then(() => new Promise((done) => requestIdleCallback(done)))"
    )
    taken = page.screenshot(animations="disabled")
    context.close()
    return taken


def shrink(png: bytes) -> bytes:
    """Reduce the number of colours."""
    image = Image.open(io.BytesIO(png)).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    output = io.BytesIO()
    image.save(output, "PNG", optimize=True)
    if output.tell() > MOST_BYTES:
        raise SystemExit(f"a picture has {output.tell():,} bytes, more than {MOST_BYTES:,}")
    return output.getvalue()


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"of {', '.join(PICTURES)}; default all"
    )
    parser.add_argument("--survey", type=Path, metavar="FOLDER", help="every tool at every width")
    options = parser.parse_args()
    pictures = make_survey() if options.survey else PICTURES
    names = options.names or list(pictures)
    output: Path = options.survey or OUTPUT
    output.mkdir(exist_ok=True, parents=True)
    expect.set_options(timeout=PATIENCE_MS)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        if has_inter():  # without it, fontconfig would give a serif font in its place
            (folder / "fonts.conf").write_text(FONTS)
            os.environ["FONTCONFIG_FILE"] = str(folder / "fonts.conf")
        take_all({name: pictures[name] for name in names}, folder, output)


def has_inter() -> bool:
    """Whether the font Inter is installed."""
    program = shutil.which("fc-list")
    if not program:
        return False
    listed = subprocess.run([program, "Inter"], capture_output=True, text=True, check=False)
    return bool(listed.stdout.strip())


def take_all(pictures: dict[str, Screenshot], folder: Path, output: Path) -> None:
    """Take screenshots and write them to files."""
    with sync_playwright() as playwright:
        browser = launch(playwright)
        for command in dict.fromkeys(picture.command for picture in pictures.values()):
            with running(command, folder) as address:
                for name, picture in pictures.items():
                    if picture.command == command:
                        taken = shrink(take(browser, picture, address))
                        (output / f"{name}.png").write_bytes(taken)
                        print(f"{name}.png: {len(taken):,} bytes")
        browser.close()


if __name__ == "__main__":
    main()
