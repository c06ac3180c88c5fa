"""The inspector in a real browser: opening pages, blocks, threshold, methods, figures, keys, phones, themes."""

import math
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
import uvicorn
from playwright.sync_api import BrowserContext, FrameLocator, Locator, Page, Route, expect

import bodytext
from bodytext.methods import as_method
from bodytext.methods.learned.method import Learned
from bodytext.methods.learned.weights import shipped_weights
from bodytext.studio.inspector.inspector_routes import inspector_part
from bodytext.studio.web.app import create_app
from bodytext.studio.web.security import Policy
from bodytext.studio.web.server import configure, open_socket
from bodytext.studio.web.workspace import Workspace
from browser.conftest import PATIENCE_S, Started, serving

ARTICLE = Path(__file__).parent.parent.parent / "examples/article.html"
PARSED = bodytext.parse(ARTICLE.read_bytes())
LAMP = next(
    number for number, text in enumerate(PARSED.texts()) if text.startswith("For ninety years")
)
SELECTED, HOVERED = "[data-bt-here]", "[data-bt-hover]"


# The tabs, and an element of each panel once it is filled.
TABS = {
    "Block": "#panel-block .reasons li",
    "Result": "#panel-result .result-text",
    "About": "#panel-about .meta td",
    "Figures": "#panel-figures .descent .chosen",
    "All blocks": "#panel-list .line",
}


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Serve the example page from this process; all tests share it, because they change nothing."""
    workspace = Workspace()
    (entry,) = workspace.add_files([ARTICLE], ARTICLE)
    with open_socket(0) as listening:
        port = int(listening.getsockname()[1])
        server = uvicorn.Server(configure(create_app([inspector_part(workspace)], Policy(port))))
        with serving(server, listening):
            yield f"http://127.0.0.1:{port}/pages/{entry.key}"


@pytest.fixture
def inspector(page: Page, address: str) -> Page:
    """Return the example page in the inspector."""
    return visit(page, address)


def visit(page: Page, address: str) -> Page:
    page.goto(address)
    page.wait_for_selector("#view-a.pageview:not(.loading)")
    block(page, 0).and_(frame(page).locator("[data-bt-s]")).wait_for()
    return page


def frame(page: Page, view: str = "a") -> FrameLocator:
    return page.frame_locator(f"#view-{view} iframe")


def block(page: Page, number: int, view: str = "a") -> Locator:
    return frame(page, view).locator(f'[data-bt-b="{number}"]')


def states(page: Page, view: str) -> list[str]:
    """Return the state of every block as the frame shows it now."""
    looks = (
        frame(page, view)
        .locator("[data-bt-b]")
        .evaluate_all(
            "all => all.map(block => [Number(block.getAttribute('data-bt-b')), block.getAttribute('data-bt-s')])"
        )
    )
    by_block = {number: (look or "none 0").split()[0] for number, look in looks}
    return [by_block[number] for number in range(len(PARSED))]


def expect_states(page: Page, expected: list[str], view: str = "a") -> None:
    """Wait for the states: blocks that are not visible are coloured when the browser is idle."""
    deadline = time.monotonic() + PATIENCE_S
    while states(page, view) != expected and time.monotonic() < deadline:
        page.wait_for_timeout(50)
    assert states(page, view) == expected


def show(page: Page, tab: str) -> None:
    """Choose a tab, and wait until its panel is filled."""
    page.get_by_role("tab", name=tab, exact=True).click()
    page.wait_for_selector(TABS[tab])


def kept(method: str, threshold: float) -> list[str]:
    scores = as_method(method).score(PARSED).values
    return ["keep" if score >= max(threshold, 1e-37) else "drop" for score in scores.tolist()]


def set_threshold(page: Page, value: float) -> None:
    page.locator("#threshold").evaluate(
        "(slider, value) => { slider.value = value; slider.dispatchEvent(new Event('input', {bubbles: true})); }",
        value,
    )


def read_number(text: str) -> float:
    return float(text.replace("\N{MINUS SIGN}", "-"))


def test_a_block_shows_its_text_scores_reasons_and_features(inspector: Page) -> None:
    block(inspector, LAMP).click()
    panel = inspector.locator("#panel-block")
    expect(panel.get_by_role("heading", name=f"Block {LAMP + 1}")).to_be_visible()
    expect(panel.locator(".block-text")).to_contain_text("For ninety years the lamp on Skarv Point")
    expect(panel.locator(".scores .name")).to_have_count(6)
    score = float(as_method("learned").score(PARSED).values[LAMP])
    expect(panel.locator(".scores .value").first).to_have_text(f"{score:.2f}")
    reasons = panel.locator(".reasons li")
    expect(reasons.first).to_contain_text("start: a block of which nothing is known")
    expect(reasons.last).to_contain_text(f"= a score of {score:.2f}")
    weights = [read_number(text) for text in reasons.locator(".value").all_inner_texts()]
    assert sum(weights[:-1]) == pytest.approx(weights[-1], abs=0.001)
    expect(panel).to_contain_text("A reason is an ablation")
    # Bars are scaled to the largest reason.
    widths = panel.locator(".reasons .lean i").evaluate_all(
        "all => all.map(bar => bar.style.width)"
    )
    assert widths[0] == "50%"
    expect(panel.locator(".facts")).to_contain_text("an article")
    expect(panel.locator(".path b")).to_have_text("p")
    panel.locator("summary").click()
    expect(panel.locator(".features")).to_contain_text("log words")
    expect(frame(inspector).locator(SELECTED)).to_have_count(1)


def test_hovering_shows_a_block_and_leaving_goes_back_to_the_selected_one(inspector: Page) -> None:
    heading = inspector.locator("#panel-block h2")
    block(inspector, LAMP).click()
    block(inspector, LAMP + 1).hover()
    expect(heading).to_have_text(f"Block {LAMP + 2}")
    inspector.locator(".brand").hover()
    expect(heading).to_have_text(f"Block {LAMP + 1}")
    inspector.keyboard.press("Escape")
    expect(inspector.locator("#panel-block .empty")).to_be_visible()


def test_the_slider_keeps_what_the_library_keeps(inspector: Page) -> None:
    for threshold in (0.5, 0.9, 0.0, 0.31):
        set_threshold(inspector, threshold)
        expected = kept("learned", threshold)
        expect_states(inspector, expected)
        expect(inspector.locator("#answer-line")).to_contain_text(
            f"{expected.count('keep')} of {len(PARSED)} blocks kept"
        )
    inspector.get_by_role("button", name="precision").click()
    expect_states(inspector, kept("learned", 0.8))
    expect(inspector.locator("#threshold-value")).to_have_text("0.80")


@pytest.mark.parametrize("method", ["cuter", "density"])
def test_another_method_colours_by_its_own_scores(inspector: Page, method: str) -> None:
    expect(inspector.locator("#verdict")).to_contain_text("confidence")
    inspector.select_option("#method", method)
    expect_states(inspector, kept(method, 0.5))
    expect(
        inspector.locator("#verdict")
    ).to_be_empty()  # these methods say nothing about the page as a whole


def test_two_methods_are_compared_side_by_side(inspector: Page) -> None:
    inspector.select_option("#other", "finn")
    inspector.wait_for_selector("#view-b.pageview:not(.loading)")
    mine, theirs = kept("learned", 0.5), kept("finn", 0.5)
    assert mine != theirs
    names = {
        ("keep", "keep"): "keep",
        ("drop", "drop"): "drop",
        ("keep", "drop"): "only",
        ("drop", "keep"): "lost",
    }
    expect_states(inspector, [names[pair] for pair in zip(mine, theirs, strict=True)], "a")
    expect_states(inspector, [names[pair] for pair in zip(theirs, mine, strict=True)], "b")
    different = [
        number for number, pair in enumerate(zip(mine, theirs, strict=True)) if pair[0] != pair[1]
    ]
    for number in different[:3]:
        inspector.get_by_role("button", name="next ›").click()
        expect(inspector.locator("#panel-block h2")).to_have_text(f"Block {number + 1}")
    for view in "ab":
        expect(block(inspector, different[min(2, len(different) - 1)], view)).to_have_attribute(
            "data-bt-here", ""
        )
    inspector.select_option("#other", "")
    expect(inspector.locator("#view-b")).to_be_hidden()
    expect_states(inspector, mine)


def test_the_result_is_shown_in_every_format_and_can_be_copied(inspector: Page) -> None:
    inspector.context.grant_permissions(["clipboard-read", "clipboard-write"])
    inspector.get_by_role("tab", name="Result").click()
    text = inspector.locator(".result-text")
    expect(text).to_contain_text("For ninety years")
    for name, sign in {
        "markdown": "## ",
        "html": "<h2",
        "json": '"text"',
        "tei": "<TEI",
        "csv": ",",
        "xml": "<",
    }.items():
        inspector.locator(f'input[value="{name}"]').check()
        expect(text).to_contain_text(sign)
    inspector.locator('input[value="text"]').check()
    expect(text).not_to_contain_text("<")
    inspector.get_by_role("button", name="Copy").click()
    expect(inspector.locator(".toast")).to_contain_text("Copied")
    copied = inspector.evaluate("navigator.clipboard.readText()")
    assert copied == str(bodytext.extract(ARTICLE.read_bytes()))
    set_threshold(inspector, 0.95)
    expect(text).not_to_have_text(copied)


def test_a_click_counts_if_an_answer_arrives_between_press_and_release(inspector: Page) -> None:
    show(inspector, "Result")
    text = inspector.locator(".result-text")
    before = text.inner_text()
    waiting: list[Route] = []

    def hold(route: Route) -> None:
        waiting.append(route)

    inspector.route("**/result?*threshold=0.95*", hold, times=1)
    with inspector.expect_request("**/result?*threshold=0.95*"):
        set_threshold(inspector, 0.95)
    inspector.locator("#panel-result label", has_text="markdown").hover()
    inspector.mouse.down()
    waiting[0].continue_()
    expect(text).not_to_have_text(before)
    inspector.mouse.up()
    expect(text).to_have_attribute("aria-label", "The result as markdown")


def test_metadata_are_shown_with_their_sources(inspector: Page) -> None:
    inspector.get_by_role("tab", name="About").click()
    panel = inspector.locator("#panel-about")
    document = bodytext.extract(ARTICLE.read_bytes())
    expect(panel).to_contain_text(document.page_type)
    expect(panel).to_contain_text(f"{document.confidence:.2f}")
    row = panel.get_by_role("row").filter(has_text="authors")
    expect(row).to_contain_text(document.metadata.authors[0])
    expect(row).to_contain_text(document.metadata.sources["authors"].name)


def test_axes_of_figures_have_labels(inspector: Page) -> None:
    inspector.get_by_role("tab", name="Figures").click()
    expect(inspector.locator("#panel-figures .figure-key").first).to_contain_text(
        "under the plot: kept"
    )
    ticks = "async (most) => (await import('/static/plot.js')).powerTicks(most)"
    shown = {top: inspector.evaluate(ticks, math.log10(1 + top)) for top in (10, 3_000, 2_000_000)}
    assert [words for _, words in shown[3_000]] == ["0", "10", "100", "1k"]
    assert [words for _, words in shown[2_000_000]] == ["0", "100", "10k", "1M"]
    assert [words for _, words in shown[10]] == ["0", "10"]
    for top, axis in shown.items():
        shares = [share for share, _ in axis]
        assert shares == sorted(shares)
        assert 0 <= min(shares) <= max(shares) <= 1, top
    words: list[str] = inspector.evaluate(
        """() => {
          const written = [];
          CanvasRenderingContext2D.prototype.fillText = (text) => written.push(text);
          document.documentElement.style.setProperty("--ink", "rgb(1, 2, 3)"); // so that everything is drawn again
          document.dispatchEvent(new Event("themechange"));
          return written;
        }"""
    )
    assert {"↑ bytes, logarithmic", "↑ density", "↑ tags so far", "lines →"} <= set(words)


def test_figures_and_page_highlight_each_other(inspector: Page) -> None:
    inspector.get_by_role("tab", name="Figures").click()
    plots = inspector.locator("#panel-figures .figure > canvas")
    expect(plots).to_have_count(4)
    for number in range(3):
        plots.nth(number).hover(position={"x": 160, "y": 60})
        expect(frame(inspector).locator(HOVERED)).to_have_count(1)
        inspector.locator(".brand").hover()
        expect(frame(inspector).locator(HOVERED)).to_have_count(0)
    plots.nth(3).hover(position={"x": 200, "y": 3})
    expect(frame(inspector).locator("[data-bt-group]").nth(10)).to_be_attached()
    before = plots.nth(1).evaluate("canvas => canvas.toDataURL()")
    block(inspector, LAMP).hover()
    expect(inspector.locator("#panel-figures .readout").first).to_contain_text(f"line {LAMP + 1}:")
    assert plots.nth(1).evaluate("canvas => canvas.toDataURL()") != before
    expect(inspector.locator(".descent .holds").first).to_be_visible()
    plots.nth(1).click(position={"x": 200, "y": 60})
    expect(frame(inspector).locator(SELECTED)).to_have_count(1)


def test_the_descent_marks_the_blocks_of_each_step(inspector: Page) -> None:
    inspector.get_by_role("tab", name="Figures").click()
    chosen = inspector.locator(".descent .chosen")
    chosen.focus()
    grouped = (
        frame(inspector)
        .locator("[data-bt-group]")
        .evaluate_all("all => all.map(block => block.dataset.btB)")
    )
    scores = as_method("spread").score(PARSED).values
    assert {int(number) for number in grouped} == set(np.flatnonzero(scores).tolist())


def test_everything_can_be_reached_by_keyboard(inspector: Page) -> None:
    reached: set[str] = set()
    for _ in range(25):
        inspector.keyboard.press("Tab")
        reached.add(
            inspector.evaluate("document.activeElement.id || document.activeElement.tagName")
        )
    assert {
        "method",
        "other",
        "threshold",
        "dim",
        "reveal",
        "theme",
        "IFRAME",
        "tab-block",
    } <= reached
    inspector.locator("#view-a iframe").focus()
    inspector.keyboard.press("Home")
    expect(inspector.locator("#panel-block h2")).to_have_text("Block 1")
    inspector.keyboard.press("ArrowDown")
    inspector.keyboard.press("j")
    expect(inspector.locator("#panel-block h2")).to_have_text("Block 3")
    inspector.keyboard.press("k")
    expect(inspector.locator("#announcer")).to_contain_text("Block 2 of 26")
    expect(frame(inspector).locator(SELECTED)).to_have_count(1)
    inspector.keyboard.press("End")
    expect(inspector.locator("#panel-block h2")).to_have_text("Block 26")
    inspector.locator("#tab-block").focus()
    inspector.keyboard.press("k")
    expect(inspector.locator("#panel-block h2")).to_have_text("Block 25")
    inspector.keyboard.press("ArrowRight")
    expect(inspector.locator("#panel-result")).to_be_visible()
    inspector.keyboard.press("End")
    expect(inspector.locator("#panel-list")).to_be_visible()
    inspector.get_by_role("listbox").focus()
    inspector.keyboard.press("Home")
    inspector.keyboard.press("ArrowDown")
    expect(inspector.locator('.line[aria-selected="true"] .count')).to_have_text("2")
    inspector.locator("#threshold").focus()
    inspector.keyboard.press("ArrowRight")
    expect(inspector.locator("#threshold-value")).to_have_text("0.51")


def test_the_list_finds_blocks(inspector: Page) -> None:
    inspector.get_by_role("tab", name="All blocks").click()
    expect(inspector.locator(".line").first).to_be_visible()
    inspector.get_by_label("Find in blocks").fill("ninety years")
    expect(inspector.locator(".line")).to_have_count(1)
    inspector.locator(".line").click()
    expect(block(inspector, LAMP)).to_have_attribute("data-bt-here", "")
    inspector.get_by_label("Find in blocks").fill("")
    inspector.get_by_label("Which blocks").select_option("kept")
    expect(inspector.locator("#panel-list [role=status]")).to_contain_text(
        f"{kept('learned', 0.5).count('keep')} of {len(PARSED)}"
    )


def test_a_reload_keeps_the_state(inspector: Page) -> None:
    inspector.select_option("#method", "cuter")
    set_threshold(inspector, 0.7)
    block(inspector, LAMP).click()
    inspector.get_by_role("tab", name="About").click()
    inspector.wait_for_url(re.compile("tab=about"))
    inspector.reload()
    inspector.wait_for_selector("#view-a.pageview:not(.loading)")
    expect(inspector.locator("#method")).to_have_value("cuter")
    expect(inspector.locator("#threshold-value")).to_have_text("0.70")
    expect(inspector.locator("#panel-about")).to_be_visible()
    expect(block(inspector, LAMP)).to_have_attribute("data-bt-here", "")


def test_hidden_text_can_be_shown_and_dropped_text_faded(
    page: Page, command: Callable[..., Started], tmp_path: Path
) -> None:
    path = tmp_path / "page.html"
    path.write_text(
        "<p>seen</p><div style='display:none'>hidden one</div><noscript>hidden two</noscript>"
    )
    visit(page, command("inspect", str(path), "--no-browser").address)
    expect(block(page, 1)).to_be_hidden()
    page.get_by_label("Show hidden").check()
    expect(block(page, 1)).to_be_visible()
    expect(block(page, 2)).to_be_visible()
    page.get_by_label("Fade dropped").check()
    expect(frame(page).locator("html")).to_have_attribute("data-bt-dim", "")
    page.get_by_label("Plain").check()
    page.wait_for_selector("#view-a.pageview:not(.loading)")
    expect(frame(page).locator("html")).to_have_attribute("data-bt-plain", "")


def test_pages_are_opened_from_a_file_a_folder_and_pasted_html(
    page: Page, command: Callable[..., Started], tmp_path: Path
) -> None:
    for name in ("one.html", "two.html"):
        (tmp_path / name).write_bytes(ARTICLE.read_bytes())
    (tmp_path / "picture.html").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    address = command("inspect", str(tmp_path), "--no-browser").address
    page.goto(address)
    expect(page.locator("#shelf-list a")).to_have_text(["one.html", "picture.html", "two.html"])
    page.get_by_role("link", name="two.html").click()
    page.wait_for_selector("#view-a.pageview:not(.loading)")
    page.get_by_role("link", name="Open another").click()
    page.get_by_role("link", name="picture.html").click()
    expect(page.get_by_role("alert")).to_have_text(
        "picture.html: this file is PNG, not HTML"
    )  # the file name keeps its case
    page.set_input_files("#file", str(ARTICLE))
    page.wait_for_selector("#view-a.pageview:not(.loading)")
    expect(page).to_have_title(re.compile("lighthouse"))
    page.goto(address)
    page.get_by_label("Or paste HTML").fill(
        "<title>Pasted</title><p>A pasted page with one paragraph in it."
    )
    page.get_by_role("button", name="Open", exact=True).click()
    page.wait_for_selector("#view-a.pageview:not(.loading)")
    expect(block(page, 0)).to_have_text("A pasted page with one paragraph in it.")
    page.goto(address)
    page.get_by_label("From an address").fill("http://127.0.0.1:9/")
    page.get_by_role("button", name="Fetch").click()
    expect(page.get_by_role("alert")).to_contain_text("cannot be fetched")


def test_a_file_can_be_dropped_anywhere(inspector: Page) -> None:
    data: Any = inspector.evaluate_handle(
        """() => {
          const data = new DataTransfer();
          data.items.add(new File(["<title>Dropped</title><p>dropped text"], "dropped.html"));
          return data;
        }"""
    )
    inspector.dispatch_event("#panel-block", "drop", {"dataTransfer": data})
    expect(inspector).to_have_title(re.compile("Dropped"))


def test_another_model_changes_the_colours(
    page: Page, command: Callable[..., Started], tmp_path: Path
) -> None:
    arrays = dict(np.load(shipped_weights()))
    arrays["page.mean"] = arrays["page.mean"] + 2
    np.savez(tmp_path / "my.npz", **arrays)
    model = Learned(str(tmp_path / "my.npz"))
    visit(page, command("inspect", str(ARTICLE), "--model", model.model, "--no-browser").address)
    own = ["keep" if score >= 0.5 else "drop" for score in model.score(PARSED).values.tolist()]
    expect_states(page, own)
    expect(page.locator("#method option").first).to_have_text("learned, my.npz")
    page.select_option("#method", "learned, as shipped")
    expect_states(page, kept("learned", 0.5))


def test_nothing_is_wider_than_the_screen(page: Page, address: str) -> None:
    def check(what: str) -> None:
        for width in (1440, 768, 360):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (what, width)

    visit(page, address)
    block(page, LAMP).click()
    for tab in TABS:
        page.set_viewport_size({"width": 1440, "height": 800})
        show(page, tab)
        check(tab)
    page.goto(address.partition("/pages")[0] + "/")
    page.wait_for_selector("#start")
    check("start")


# Finds texts whose contrast is too low for WCAG level AA.
CONTRAST = """() => {
  const part = (v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3).map((value) => part(Number(value)));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const background = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const ground = getComputedStyle(at).backgroundColor;
      if (!/, 0\\)$/.test(ground)) return ground;
    }
    return "rgb(255, 255, 255)";
  };
  const weak = [];
  const texts = "label, span, p, button, td, th, dt, dd, h1, h2, h3, small, a, output, b";
  for (const element of document.querySelectorAll(texts)) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!element.offsetParent || !hasText) continue;
    const [more, less] = [light(getComputedStyle(element).color), light(background(element))].sort((a, b) => b - a);
    const ratio = (more + 0.05) / (less + 0.05);
    if (ratio < 4.5) weak.push([element.className, element.textContent.slice(0, 30), ratio.toFixed(2)]);
  }
  return weak;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_enough_contrast(
    page: Page, address: str, scheme: Literal["light", "dark"]
) -> None:
    page.emulate_media(color_scheme=scheme)
    visit(page, address)
    block(page, LAMP).click()
    for tab in TABS:
        show(page, tab)
        assert page.evaluate(CONTRAST) == [], tab


def test_the_theme_can_be_changed_and_is_kept(inspector: Page) -> None:
    paper = "getComputedStyle(document.body).backgroundColor"
    light = inspector.evaluate(paper)
    inspector.locator("#theme").click()
    inspector.locator("#theme").click()
    dark = inspector.evaluate(paper)
    assert dark != light
    inspector.reload()
    assert inspector.evaluate(paper) == dark


def test_states_differ_by_more_than_their_hue(inspector: Page) -> None:
    """Without colour, kept blocks have a bar and dropped ones a pattern."""
    look = "block => ['boxShadow', 'backgroundImage'].map((name) => getComputedStyle(block)[name] !== 'none')"
    names = kept("learned", 0.5)
    expect_states(inspector, names)
    assert block(inspector, names.index("keep")).evaluate(look) == [True, False]
    assert block(inspector, names.index("drop")).evaluate(look) == [False, True]


# WebKit calls no listeners in a frame without scripts; this makes Chromium do the same.
WITHOUT_LISTENERS = """
const property = Object.getOwnPropertyDescriptor(HTMLIFrameElement.prototype, "contentDocument");
Object.defineProperty(HTMLIFrameElement.prototype, "contentDocument", { get() {
  const inner = property.get.call(this);
  for (const target of [inner, inner?.documentElement]) if (target) target.addEventListener = () => {};
  return inner;
} });
"""


def test_a_browser_without_listeners_in_frames_works_too(new_page: Page, address: str) -> None:
    page = new_page
    page.add_init_script(WITHOUT_LISTENERS)
    visit(page, address)
    place = block(page, LAMP).bounding_box()
    assert place
    page.mouse.move(place["x"] + 20, place["y"] + 8)
    expect(block(page, LAMP)).to_have_attribute("data-bt-hover", "")
    page.mouse.down()
    page.mouse.up()
    expect(page.locator("#panel-block h2")).to_have_text(f"Block {LAMP + 1}")
    page.keyboard.press("ArrowDown")
    expect(page.locator("#panel-block h2")).to_have_text(f"Block {LAMP + 2}")
    page.keyboard.press("j")
    expect(page.locator("#panel-block h2")).to_have_text(f"Block {LAMP + 3}")
    page.mouse.wheel(0, 200)
    page.wait_for_function("document.querySelector('#view-a iframe').contentWindow.scrollY > 100")


def test_a_click_on_the_map_scrolls_the_page(inspector: Page) -> None:
    inspector.set_viewport_size({"width": 1000, "height": 500})
    assert inspector.locator("#view-a iframe").evaluate("frame => frame.contentWindow.scrollY") == 0
    inspector.locator(".pageview-map").click(position={"x": 20, "y": 60})
    inspector.wait_for_function(
        "document.querySelector('#view-a iframe').contentWindow.scrollY > 100"
    )


LONG = (
    "<title>Tides</title><style>{style}</style><nav><ul>"
    + "".join(f"<li><a href=/{n}>Part {n} of the paper</a></li>" for n in range(90))
    + "</ul></nav><main><article><h1>Tides</h1>"
    + "".join(
        f"<p>Paragraph {n}: the tide came in at ten past four, and the boats that had waited for "
        "it since the morning left the harbour one after the other, without a word.</p>"
        for n in range(6)
    )
    + "</article></main>"
)


@pytest.fixture
def inspect_long(page: Page, command: Callable[..., Started], tmp_path: Path) -> Callable[..., Any]:
    """Return a function that opens a page whose text begins far down, with a style."""

    def begin(style: str = "") -> Page:
        path = tmp_path / "long.html"
        path.write_text(LONG.replace("{style}", style), "utf-8")
        page.goto(command("inspect", str(path), "--no-browser").address)
        page.wait_for_selector("#view-a.pageview:not(.loading)")
        return page

    return begin


def test_a_page_opens_on_the_answer(inspect_long: Callable[..., Page]) -> None:
    page = inspect_long()
    expect(frame(page).get_by_text("Paragraph 1:")).to_be_in_viewport()
    expect(page.locator("#answer-line")).to_have_text(
        re.compile(r"^[67] of 97 blocks kept, 1\d\d words$")
    )
    page.get_by_role("button", name="top of page").click()
    expect(frame(page).get_by_text("Part 0 of the paper")).to_be_in_viewport()
    page.get_by_role("button", name="first kept block").click()
    expect(frame(page).get_by_text("Paragraph 1:")).to_be_in_viewport()
    expect(page.locator("#plain-offer")).to_be_hidden()
    set_threshold(page, 1)
    expect(page.locator("#note")).to_contain_text("A threshold of 1.00 keeps no block; 0.50 keeps")


def test_plain_is_offered_where_the_style_hides_the_text(
    inspect_long: Callable[..., Page],
) -> None:
    page = inspect_long("main { display: none }")
    page.get_by_role("button", name="Show it plain").click()
    expect(frame(page).get_by_text("Paragraph 1:")).to_be_in_viewport()
    expect(page.locator("#plain-offer")).to_be_hidden()


def test_on_a_phone_a_tap_shows_the_reasons_in_a_sheet(
    new_context: Callable[..., BrowserContext], address: str
) -> None:
    phone = new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    ).new_page()
    visit(phone, address)
    expect(phone.locator("#method")).to_be_hidden()
    fold = phone.get_by_role("button", name="Method and threshold")
    fold.tap()
    expect(phone.locator("#method")).to_be_visible()
    fold.tap()
    expect(phone.locator("#panel-block")).to_be_hidden()
    block(phone, LAMP).tap()
    expect(phone.locator(".reasons li").first).to_be_in_viewport()
    assert phone.evaluate("document.documentElement.scrollHeight") <= 844
    # The block is still visible above the sheet.
    place, sheet = block(phone, LAMP).bounding_box(), phone.locator("#side").bounding_box()
    assert place
    assert sheet
    assert place["y"] < sheet["y"]
    phone.get_by_role("button", name="Close the details").tap()
    expect(phone.locator("#panel-block")).to_be_hidden()
    phone.get_by_role("tab", name="Result").tap()
    expect(phone.locator(".result-text")).to_be_in_viewport()


def test_a_selected_difference_still_shows_which_it_is(inspector: Page) -> None:
    inspector.select_option("#other", "finn")
    inspector.wait_for_selector("#view-b.pageview:not(.loading)")
    inspector.get_by_role("button", name="next ›").click()
    looks = []
    for view in "ab":
        chosen = frame(inspector, view).locator(SELECTED).first
        expect(chosen).to_have_attribute("data-bt-s", re.compile("only|lost"))
        looks.append(chosen.evaluate("block => getComputedStyle(block).boxShadow"))
    assert looks[0] != looks[1]
    assert all("rgb(179, 107, 0)" in look for look in looks)  # framed as a difference in both
