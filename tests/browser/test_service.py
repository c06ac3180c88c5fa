"""The service's page for people, and its form to try it."""

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from browser.conftest import Started

EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "article.html"


def test_the_page_has_examples_and_a_form_that_works(
    page: Page, command: Callable[..., Started]
) -> None:
    started = command("serve", "--port", "0", "--workers", "1")
    page.goto(started.address)
    expect(page.get_by_label("Commands")).to_contain_text(
        f"{started.origin}/extract?format=markdown"
    )
    expect(page.get_by_role("row", name="threshold")).to_contain_text("precision, balanced, recall")
    page.get_by_label("A page's HTML").fill(EXAMPLE.read_text())
    page.get_by_role("button", name="Extract").click()
    expect(page.get_by_label("The answer")).to_contain_text("## What the villages sent")
    expect(page.locator("#about")).to_contain_text("article · expected F1 0.")
    page.get_by_label("Format").select_option("json")
    page.get_by_label("A page's HTML").fill("http://127.0.0.1/")
    page.get_by_role("button", name="Extract").click()
    expect(page.get_by_role("alert")).to_contain_text("loopback")
