"""The reader in a browser, with newspapers on a loopback web."""

import re
import time
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest

pytest.importorskip(
    "starlette", reason="the reader needs starlette: pip install 'bodytext[reader]'"
)

from playwright.sync_api import BrowserContext, Page, expect

from bodytext.reader.collection.images import key_of
from bodytext.reader.store.body import read_body
from bodytext.reader.store.draft import ArticleDraft
from bodytext.reader.store.highlights import Highlights
from bodytext.reader.store.store import Store
from browser.reader_news import PIXEL, make_web
from browser.reader_server import RunningReader, allow, copy, serve
from loopback.server import Web

TIDE = "The night the tide barrier closed"
EELS = "Eels remember the way home"
TRAINS = "Night trains are full again"
PLACES = ("/", "/saved", "/search?q=the", "/feeds", "/you")


def titles(page: Page) -> list[str]:
    return page.locator(".card h3").all_inner_texts()


def asked(web: Web, path: str) -> int:
    """Count the requests for a path on all sites."""
    return sum(
        count
        for site in web.sites.values()
        for asked, count in site.counts.items()
        if asked.startswith(path)
    )


def open_article(page: Page, reader: RunningReader, title: str) -> int:
    number = reader.find(title)
    page.goto(f"{reader.address}/article/{number}")
    return number


def test_from_an_address_to_an_article(web: Web, page: Page, tmp_path: Path) -> None:
    with serve(tmp_path / "new.sqlite", allow(web)) as reader:
        page.goto(reader.address)
        page.get_by_label("Address of a site or feed").fill(web.url("skarv.test", "/"))
        page.get_by_role("button", name="Subscribe", exact=True).click()
        expect(page.locator(".card")).to_have_count(3)  # without a reload
        page.get_by_role("link", name=TIDE).click()
        shown = page.locator(".scripted h1")  # the script must be running before keys are pressed
        expect(shown).to_have_text("The night the tide barrier closed for the first time")
        body = page.locator(".body").inner_text()
        assert body.startswith("For eleven years")
        assert "until spring." in body
        assert "Ferry fares" not in body  # text beside the article
        assert page.locator(".byline").inner_text().startswith("Ines Moen")
        page.keyboard.press("Escape")
        expect(page.locator(".card.read h3")).to_contain_text(TIDE)


def test_the_first_page_fits_and_shows_errors(
    web: Web, new_context: Callable[..., BrowserContext], tmp_path: Path
) -> None:
    with serve(tmp_path / "new.sqlite", allow(web)) as reader:
        for width in (240, 390, 820):
            page = new_context(
                viewport={"width": width, "height": 800}, is_mobile=width < 800
            ).new_page()
            page.goto(reader.address)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.get_by_label("Address of a site or feed").fill(web.url("nowhere.test", "/"))
        page.keyboard.press("Enter")
        expect(page.locator(".wrong")).to_contain_text("the host is not known")


def test_news_arrive_on_request(web: Web, page: Page, tmp_path: Path) -> None:
    with serve(tmp_path / "new.sqlite", allow(web)) as reader:
        reader.store.feeds.add(web.url("meridian.test", "/feed"))
        page.goto(reader.address)
        expect(page.locator(".scripted").get_by_text("There are no articles yet.")).to_be_visible()
        page.keyboard.press("u")
        expect(page.locator(".card")).to_have_count(3)  # without a reload


def test_scheduled_news_wait_for_a_click(web: Web, page: Page, tmp_path: Path) -> None:
    with serve(tmp_path / "new.sqlite", allow(web)) as reader:
        page.goto(reader.address)
        expect(page.locator(".scripted")).to_be_visible()
        feed = reader.store.feeds.add(web.url("meridian.test", "/feed"))
        scheduler = reader.app.state.reader.scheduler
        scheduler.request([feed.id])  # as the schedule does
        reader.wait(lambda: not scheduler.status.running, "the update does not end")
        # Otherwise it checks once a minute
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        page.get_by_role("button", name="3 new articles: show them").click()
        expect(page.locator(".card")).to_have_count(3)
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        expect(page.locator(".fresh")).to_have_count(0)


def test_an_address_without_a_feed_is_reported(reader: RunningReader, web: Web, page: Page) -> None:
    page.goto(f"{reader.address}/feeds")
    page.get_by_label("Address of a site or a feed").fill(web.url("nowhere.test", "/"))
    page.get_by_role("button", name="Subscribe", exact=True).click()
    expect(page.locator(".wrong")).to_contain_text("the host is not known: nowhere.test")


def test_the_same_story_is_one_card(reader: RunningReader, page: Page) -> None:
    page.goto(reader.address)
    card = page.locator(".card", has_text="tide barrier").first
    expect(card.locator(".also")).to_contain_text("Also in")
    assert len([title for title in titles(page) if "ide barrier" in title]) == 1
    card.locator(".also a").click()
    expect(page.locator(".elsewhere li")).to_have_count(1)


def test_a_category_is_corrected_with_a_click(reader: RunningReader, page: Page) -> None:
    number = open_article(page, reader, TRAINS)
    expect(page.locator(".scripted")).to_be_visible()
    page.keyboard.press("c")
    page.locator(".category .choice", has_text="Technology").click()
    expect(page.locator(".category summary")).to_have_text("Technology")
    article = reader.store.articles.find(number)
    assert article
    assert (article.card.category, article.card.category_chance) == ("technology", 1.0)
    page.goto(f"{reader.address}/?category=technology")
    assert any(TRAINS in title for title in titles(page))


def test_a_category_of_the_users_own(reader: RunningReader, page: Page) -> None:
    number = open_article(page, reader, TRAINS)
    page.locator(".scripted .category summary").click()
    page.get_by_label("Your own category").fill("R&D on rails")
    page.keyboard.press("Enter")
    expect(page.locator(".category summary")).to_have_text("R&D on rails")
    article = reader.store.articles.find(number)
    assert article
    assert article.card.category == "R&D on rails"
    page.goto(reader.address)
    page.get_by_role("navigation", name="Categories").get_by_role(
        "link", name="R&D on rails"
    ).click()
    assert any(TRAINS in title for title in titles(page))


def test_reading_changes_the_order_and_shows_why(reader: RunningReader, page: Page) -> None:
    page.goto(reader.address)
    before = titles(page)
    alike = next(title for title in before if title.startswith("The smallest chip plant"))
    open_article(page, reader, TRAINS)  # in the same paper
    page.get_by_role("button", name="More like this").click()
    expect(page.get_by_role("button", name="More like this")).to_have_attribute(
        "aria-pressed", "true"
    )
    page.goto(reader.address)
    after = titles(page)
    assert after.index(alike) < before.index(alike)
    because = page.locator(".card", has_text=alike).locator(".because")
    expect(because).to_have_text("Because you read Meridian")
    page.get_by_role("button", name="Newest").click()
    expect(page.locator(".day").first).to_be_visible()
    assert page.locator(".because").count() == 0
    numbers = page.locator(".card").evaluate_all(
        "cards => cards.map((card) => Number(card.dataset.id))"
    )
    moments = [card.published for card in reader.store.articles.find_cards(numbers)]
    assert moments == sorted(moments, reverse=True)


def test_reading_to_the_end_marks_as_finished(reader: RunningReader, page: Page) -> None:
    number = open_article(page, reader, EELS)
    page.wait_for_timeout(300)
    assert not reader.store.states.find(1, number).finished
    page.locator("#end").scroll_into_view_if_needed()
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    reader.wait(lambda: reader.store.states.find(1, number).finished, "the end was not noticed")
    page.goto(f"{reader.address}/you")
    expect(page.locator(".interest", has_text="Field Notes")).to_be_visible()


def test_interests_are_shown_and_changed(reader: RunningReader, page: Page) -> None:
    open_article(page, reader, EELS)
    page.get_by_role("button", name="More like this").click()
    expect(page.get_by_role("button", name="More like this")).to_have_attribute(
        "aria-pressed", "true"
    )
    page.goto(f"{reader.address}/you")
    line = page.locator(".interest", has_text="Field Notes")
    line.get_by_role("button", name="More of Field Notes").click()
    expect(line.locator(".weight")).to_contain_text("set")
    line.get_by_role("button", name="Forget Field Notes").click()
    expect(line).to_have_count(0)
    page.get_by_label("A subject").fill("sleeping")
    page.get_by_role("button", name="I like it").click()
    expect(page.locator(".interest", has_text="sleeping").locator(".weight")).to_contain_text(
        "+0.75"
    )
    page.goto(reader.address)
    expect(
        page.locator(".because", has_text="Because you read about sleeping").first
    ).to_be_visible()


def test_profiles_have_their_own_states(reader: RunningReader, page: Page) -> None:
    number = open_article(page, reader, EELS)
    page.goto(f"{reader.address}/you")
    page.get_by_label("A name").fill("Ann")
    page.get_by_role("button", name="Add").click()
    expect(page.locator("h1")).to_have_text("Ann")
    page.goto(reader.address)
    assert page.locator(".card.read").count() == 0
    page.goto(f"{reader.address}/you")
    page.get_by_role("button", name="me", exact=True).click()
    expect(page.locator("h1")).to_have_text("me")
    page.goto(reader.address)
    expect(page.locator(f'.card.read[data-id="{number}"]')).to_have_count(1)


def test_search_finds_words_in_every_script(reader: RunningReader, page: Page) -> None:
    page.goto(reader.address)
    expect(page.locator(".scripted")).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("breakwater")
    page.keyboard.press("Enter")
    expect(page.locator(".summary mark").first).to_have_text("breakwater")
    for words, title in (
        ("灯台", "灯台守"),
        ("الوقود", "سفينة"),
        ("thương lái", "Chợ nổi"),
        ('"deich hohe"', ""),
    ):
        page.goto(f"{reader.address}/search?q={words}")
        found = titles(page)
        assert any(title in one for one in found) if title else not found
    page.goto(f'{reader.address}/search?q=<script>alert(1)</script> " * NEAR(')
    expect(page.get_by_text("No results for")).to_be_visible()


def test_saved_articles_stay(reader: RunningReader, page: Page) -> None:
    page.goto(reader.address)
    card = page.locator(".card", has_text=EELS)
    card.hover()
    card.get_by_role("button", name="Save for later").click()
    expect(card).to_have_class(re.compile("kept"))
    page.goto(f"{reader.address}/saved")
    assert [title for title in titles(page) if title.startswith(EELS)]
    feed = reader.store.articles.find(reader.find(EELS))
    assert feed
    page.goto(f"{reader.address}/feeds")
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Unsubscribe from Field Notes").click()
    expect(page.get_by_role("heading", name="Field Notes")).to_have_count(0)
    page.goto(f"{reader.address}/saved")
    assert len(titles(page)) == 1
    page.locator(".card").hover()
    page.get_by_role("button", name="Save for later").click()
    expect(page.locator(".kept")).to_have_count(0)


def test_hidden_articles_disappear(reader: RunningReader, page: Page) -> None:
    page.goto(reader.address)
    card = page.locator(".card", has_text=TRAINS)
    card.hover()
    card.get_by_role("button", name="Hide").click()
    expect(card).to_have_count(0)
    page.reload()
    assert not any(TRAINS in title for title in titles(page))


def test_hiding_can_be_undone(reader: RunningReader, page: Page) -> None:
    page.goto(reader.address)
    card = page.locator(".card", has_text=TRAINS)
    card.hover()
    card.get_by_role("button", name="Hide").click()
    page.get_by_role("button", name="Undo").click()
    expect(card.get_by_role("button", name="Hide")).to_have_attribute("aria-pressed", "false")
    assert not reader.store.states.find(1, reader.find(TRAINS)).hidden


def test_all_articles_are_marked_and_only_unread_ones_shown(
    reader: RunningReader, page: Page
) -> None:
    open_article(page, reader, EELS)
    page.goto(reader.address)
    expect(page.locator(".dateline")).to_contain_text("12 articles unread")
    page.get_by_role("button", name="Unread").click()
    expect(page.locator(".card", has_text=EELS)).to_have_count(0)
    page.get_by_role("button", name="Mark all as read").click()
    expect(page.get_by_text("All caught up.")).to_be_visible()
    page.get_by_role("button", name="Unread").click()
    expect(page.locator(".card.read").first).to_be_visible()


def test_pictures_of_saved_articles_are_fetched(
    reader: RunningReader, web: Web, page: Page
) -> None:
    page.context.add_cookies(
        [{"name": "bodytext-reader", "value": "pictures=1&order=newest", "url": reader.address}]
    )
    page.goto(f"{reader.address}/search?q=sleeping pills")  # a picture that no page has shown
    page.locator(".card").hover()
    page.get_by_role("button", name="Save for later").click()
    images = reader.app.state.reader.images
    reader.wait(
        lambda: images.find(web.url("fieldnotes.test", "/pictures/5.png")), "it is not fetched"
    )


def test_a_missing_article_has_a_page(reader: RunningReader, page: Page) -> None:
    answer = page.goto(f"{reader.address}/article/999999")
    assert answer
    assert answer.status == 404
    expect(page.locator("h1")).to_have_text("There is no such article; it may have been removed.")


def test_subscriptions_are_exported_and_imported(
    reader: RunningReader, page: Page, tmp_path: Path
) -> None:
    page.goto(f"{reader.address}/feeds")
    with page.expect_download() as download:
        page.get_by_role("link", name="Export as OPML").click()
    path = tmp_path / "subscriptions.opml"
    download.value.save_as(path)
    before = sorted(feed.url for feed in reader.store.feeds.list_all())
    for feed in reader.store.feeds.list_all():
        reader.store.feeds.remove(feed.id)
    page.reload()
    page.locator("input[name=opml]").set_input_files(path)
    expect(page.locator(".feed")).to_have_count(len(before))
    assert sorted(feed.url for feed in reader.store.feeds.list_all()) == before
    assert "みなと新聞" in [feed.name for feed in reader.store.feeds.list_all()]


def test_a_newsletter_is_imported(reader: RunningReader, page: Page, tmp_path: Path) -> None:
    head = "From: Hamnen <a@b.example>\nSubject: Is i hamnen\nContent-Type: text/plain; charset=latin-1"
    letter = f"{head}\n\nSjökaptenen såg på isen, som låg kvar."
    (tmp_path / "letter.eml").write_bytes(letter.encode("latin-1"))
    page.goto(f"{reader.address}/feeds")
    page.locator("input[name=letter]").set_input_files(tmp_path / "letter.eml")
    expect(page.locator("h1")).to_have_text("Is i hamnen")
    expect(page.get_by_text("Sjökaptenen såg på isen").first).to_be_visible()


def test_an_article_and_a_day_are_downloaded(
    reader: RunningReader, page: Page, tmp_path: Path
) -> None:
    open_article(page, reader, EELS)
    page.get_by_text("Save as").click()
    files = {}
    for name in ("EPUB", "Markdown", "HTML", "Text"):
        with page.expect_download() as download:
            page.get_by_role("link", name=name, exact=True).click()
        files[name] = tmp_path / name
        download.value.save_as(files[name])
    for name in ("Markdown", "HTML", "Text"):
        assert "let them go where they came ashore" in files[name].read_text("utf-8")
    with zipfile.ZipFile(files["EPUB"]) as book:
        assert book.read("mimetype") == b"application/epub+zip"
    # Otherwise, soon after midnight, all are from the day before
    with reader.store.write() as connection:
        connection.execute("UPDATE articles SET published = ?", (int(time.time()),))
    page.goto(reader.address)
    page.get_by_text("Download today").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="EPUB").click()
    download.value.save_as(tmp_path / "day.epub")
    with zipfile.ZipFile(tmp_path / "day.epub") as book:
        text = "".join(
            book.read(name).decode() for name in book.namelist() if name.endswith("html")
        )
    assert TIDE in text or "Tide barrier holds" in text
    assert EELS in text


def test_pictures_are_fetched_when_allowed_and_only_by_the_server(
    reader: RunningReader, web: Web, sealed: Callable[..., BrowserContext], third_party: object
) -> None:
    page = sealed(int(reader.address.rpartition(":")[2])).new_page()
    before = asked(web, "/pictures/")
    number = open_article(page, reader, EELS)
    expect(page.locator(".withheld")).to_have_count(1)
    key = key_of(web.url("fieldnotes.test", "/pictures/2.png"))
    assert page.evaluate(f"fetch('/image/{number}/{key}').then((answer) => answer.status)") == 404
    assert asked(web, "/pictures/") == before
    page.get_by_role("button", name="Show here").click()
    expect(page.locator(".body img")).to_have_count(1)
    page.locator(".body img").scroll_into_view_if_needed()
    expect(page.locator(".body img")).to_have_js_property("naturalWidth", 960)
    assert asked(web, "/pictures/") == before + 1
    open_article(page, reader, TIDE)
    expect(page.locator(".withheld")).to_have_count(1)  # they were allowed for the other article
    page.get_by_role("button", name="Always").click()
    expect(page.locator(".body img")).to_have_count(1)
    page.goto(reader.address)
    expect(page.locator(".card-picture img").first).to_have_js_property("naturalWidth", 960)
    assert asked(web, PIXEL) == 0  # the tracker
    assert third_party.asked == []  # type: ignore[attr-defined]


def test_fetched_pictures_are_shown_offline(filled: Path, tmp_path: Path, page: Page) -> None:
    copy(filled, tmp_path / "reader.sqlite")
    cookie = {"name": "bodytext-reader", "value": "pictures=1"}
    with make_web() as short_web, serve(tmp_path / "reader.sqlite", allow(short_web)) as reader:
        number = reader.find(EELS)
        reader.store.connection.execute(
            "UPDATE articles SET body = replace(body, :old, :new), lead_image = replace(lead_image, :old, :new)",
            {"old": _port(reader), "new": f":{short_web.port}/"},
        )
        page.context.add_cookies([{**cookie, "url": reader.address}])  # type: ignore[typeddict-item]
        page.goto(f"{reader.address}/article/{number}")
        page.locator(".body img").scroll_into_view_if_needed()
        expect(page.locator(".body img")).to_have_js_property("naturalWidth", 960)
    with serve(tmp_path / "reader.sqlite", allow(short_web)) as reader:  # the web is gone
        page.goto(f"{reader.address}/article/{number}")
        page.locator(".body img").scroll_into_view_if_needed()
        expect(page.locator(".body img")).to_have_js_property("naturalWidth", 960)


def _port(reader: RunningReader) -> str:
    """Return the port of the loopback web in the stored addresses."""
    url = reader.store.feeds.list_all()[0].url
    return f":{urlsplit(url).port}/"


def test_everything_can_be_done_by_keys(reader: RunningReader, page: Page) -> None:
    page.goto(reader.address)
    expect(page.locator(".scripted")).to_be_visible()
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("s")
    expect(page.locator(".card.kept")).to_have_count(1)
    second = page.locator(".card").nth(1)
    title = second.locator("h3").inner_text()
    page.keyboard.press("Enter")
    shown = page.locator(".scripted h1")
    expect(shown).to_have_text(title)
    page.keyboard.press("n")
    expect(shown).not_to_have_text(title)
    page.keyboard.press("p")
    expect(shown).to_have_text(title)
    page.keyboard.press("+")
    expect(page.locator("html")).to_have_attribute("data-size", "4")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("g")
    page.keyboard.press("s")
    expect(page.locator("h1")).to_have_text("Saved")


def test_keys_return_to_the_list_and_continue(reader: RunningReader, page: Page) -> None:
    page.context.add_cookies(
        [{"name": "bodytext-reader", "value": "order=newest", "url": reader.address}]
    )
    page.goto(reader.address)
    expect(page.locator(".scripted")).to_be_visible()
    shown = titles(page)
    for key in ("j", "j", "Enter"):
        page.keyboard.press(key)
    expect(page.locator(".scripted h1")).to_have_text(shown[1])
    page.keyboard.press("n")
    expect(page.locator(".scripted h1")).to_have_text(shown[2])
    page.keyboard.press("c")
    expect(page.locator(".category .choice").and_(page.locator(":focus"))).to_have_count(1)
    page.keyboard.press("Escape")  # closes the menu
    page.keyboard.press("Escape")
    expect(page.locator(".scripted .masthead")).to_be_visible()
    expect(page.locator(".card:focus-within h3")).to_have_text(shown[2])
    page.keyboard.press("j")
    expect(page.locator(".card:focus-within h3")).to_have_text(shown[3])


def test_keys_continue_where_a_read_article_was(reader: RunningReader, page: Page) -> None:
    page.goto(reader.address)
    expect(page.locator(".scripted")).to_be_visible()
    shown = titles(page)
    for key in ("j", "j", "j", "Enter"):
        page.keyboard.press(key)
    expect(page.locator(".scripted h1")).to_have_text(shown[2])
    page.keyboard.press("Escape")
    expect(page.locator(".scripted .masthead")).to_be_visible()
    assert titles(page)[2] != shown[2]
    page.keyboard.press("j")
    expect(page.locator(".card:focus-within h3")).to_have_text(titles(page)[2])


def test_keys_work_as_soon_as_a_dialog_has_closed(reader: RunningReader, page: Page) -> None:
    page.goto(reader.address)
    expect(page.locator(".scripted")).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.evaluate(
        """() => {
            const dialog = document.querySelector("dialog");
            const focused = dialog.querySelector("button");  // until the browser's next frame
            dialog.close();
            for (const key of ["g", "s"]) focused.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
        }"""
    )
    expect(page.locator("h1")).to_have_text("Saved")


def test_the_appearance_is_remembered(reader: RunningReader, page: Page) -> None:
    open_article(page, reader, EELS)
    page.locator(".look summary").click()
    page.get_by_role("button", name="Sepia").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "sepia")
    page.get_by_role("button", name="Wide").click()
    page.get_by_role("button", name="Larger text").click()
    expect(page.locator("html")).to_have_attribute("data-size", "4")
    page.goto(reader.address)
    html = page.locator("html")
    expect(html).to_have_attribute("data-theme", "sepia")
    expect(html).to_have_attribute("data-width", "3")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(245, 237, 220)"


@pytest.mark.parametrize("widths", [(240, 390), (820, 1280)])
def test_pages_fit_the_device(
    reader: RunningReader, new_context: Callable[..., BrowserContext], widths: tuple[int, ...]
) -> None:
    is_phone = max(widths) < 800
    context = new_context(has_touch=is_phone, is_mobile=is_phone)
    context.add_cookies([{"name": "bodytext-reader", "value": "pictures=1", "url": reader.address}])
    page = context.new_page()
    for path in (
        *PLACES,
        f"/article/{reader.find(EELS)}",
        f"/article/{reader.find('سفينة')}",
        "/plain",
    ):
        page.goto(reader.address + path)
        for width in widths:
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("innerWidth") == width
            assert page.evaluate("document.documentElement.scrollWidth") <= width, path


def test_very_long_words_fit_a_phone(
    web: Web, tmp_path: Path, new_context: Callable[..., BrowserContext]
) -> None:
    with Store(tmp_path / "long.sqlite") as store:
        feed = store.feeds.add(
            "https://news.example/feed", "The News of the World and its Surroundings " * 4
        )
        html = f"<p>{'x' * 10_000}</p><table><tbody><tr>{'<td>12,345,678</td>' * 30}</tr></tbody></table>"
        keywords = (("y" * 300, 1.0), ("tide", 0.5))
        draft = ArticleDraft(
            feed.id,
            "https://news.example/1",
            "On and on " * 90,
            text="x",
            body=read_body(html),
            keywords=keywords,
        )
        long = store.articles.add(draft)
        store.articles.add(replace(draft, url="https://news.example/2", title="W" * 900))
    with serve(tmp_path / "long.sqlite", allow(web)) as reader:
        scripted = new_context(viewport={"width": 390, "height": 800}, is_mobile=True).new_page()
        bare = new_context(
            viewport={"width": 390, "height": 800}, is_mobile=True, java_script_enabled=False
        ).new_page()
        for page in (scripted, bare):
            for path in (*PLACES, f"/article/{long}", "/plain", f"/plain/{long}"):
                page.goto(reader.address + path)
                assert page.evaluate("document.documentElement.scrollWidth") <= 390, path
        scripted.goto(reader.address)
        assert max(box.bounding_box()["height"] for box in scripted.locator(".card h3").all()) < 200  # type: ignore[index]
        scripted.goto(f"{reader.address}/article/{long}")
        scripted.locator(".category summary").click()
        sheet = scripted.locator(".category .sheet").bounding_box()
        assert sheet
        assert sheet["x"] >= 0
        assert sheet["x"] + sheet["width"] <= 390


def test_a_missing_picture_leaves_no_hole(web: Web, tmp_path: Path, page: Page) -> None:
    picture = web.url("skarv.test", "/nothing-here.png")
    with Store(tmp_path / "holes.sqlite") as store:
        feed = store.feeds.add("https://news.example/feed")
        html = f'<p>Before.</p><p><img src="{picture}" alt="The quay"></p>'
        draft = ArticleDraft(
            feed.id,
            "https://news.example/1",
            "One",
            text="Before.",
            body=read_body(html),
            lead_image=picture,
        )
        number = store.articles.add(draft)
    with serve(tmp_path / "holes.sqlite", allow(web)) as reader:
        page.context.add_cookies(
            [{"name": "bodytext-reader", "value": "pictures=1", "url": reader.address}]
        )
        page.goto(reader.address)
        expect(page.locator(".card")).to_be_visible()
        expect(page.locator(".card-picture")).to_have_count(0)
        page.goto(f"{reader.address}/article/{number}")
        expect(page.locator(".withheld")).to_have_text("The quay")
        expect(page.locator(".body img")).to_have_count(0)


def test_everything_works_without_a_script(
    reader: RunningReader, web: Web, new_context: Callable[..., BrowserContext], tmp_path: Path
) -> None:
    page = new_context(java_script_enabled=False).new_page()
    page.goto(reader.address)
    card = page.locator(".card", has_text=EELS)
    card.hover()
    card.get_by_role("button", name="Save for later").click()
    expect(page.locator(".card.kept")).to_have_count(1)
    page.get_by_role("button", name="Newest").click()
    expect(page.locator(".day").first).to_be_visible()
    page.locator(".look summary").click()
    page.get_by_role("button", name="Dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    open_article(page, reader, TRAINS)
    page.locator(".category summary").click()
    page.locator(".category .choice", has_text="Science").click()
    expect(page.locator(".category summary")).to_have_text("Science")
    page.get_by_role("button", name="Done").click()
    expect(page.locator(".masthead")).to_be_visible()
    assert reader.store.states.find(1, reader.find(TRAINS)).finished
    (tmp_path / "one.opml").write_text(
        f'<opml version="2.0"><body><outline text="x" xmlUrl="{web.url("skarv.test", "/other")}"/></body></opml>'
    )
    page.goto(f"{reader.address}/feeds")
    page.locator("input[name=opml]").set_input_files(tmp_path / "one.opml")
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.locator(".feed", has_text="/other")).to_have_count(1)
    page.get_by_label("Address of a site or a feed").fill("file:///etc/passwd")
    page.get_by_role("button", name="Subscribe", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("only http and https")


def test_plain_pages_are_text_only(
    reader: RunningReader, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context(java_script_enabled=False, viewport={"width": 160, "height": 128}).new_page()
    answer = page.goto(f"{reader.address}/plain")
    assert answer
    assert len(answer.body()) < 6000
    page.get_by_role("link", name=EELS).click()
    expect(page.locator("h1")).to_contain_text(EELS)
    assert page.locator("script, img, link[rel=stylesheet]").count() == 0
    assert "let them go where they came ashore" in page.locator("body").inner_text()


def test_articles_are_kept_for_reading_without_the_server(
    reader: RunningReader, page: Page
) -> None:
    number = reader.find(EELS)
    kept = "path => caches.match(path, { ignoreVary: true }).then((kept) => Boolean(kept))"

    def wait_for(path: str) -> None:
        reader.wait(lambda: page.evaluate(kept, path), f"{path} is not kept")

    page.goto(reader.address)
    wait_for(f"/article/{number}")
    assert not reader.store.states.find(1, number).opened  # it was kept, not opened
    page.reload()  # from now on the service worker answers
    wait_for("/")
    page.context.set_offline(True)
    page.goto(f"{reader.address}/article/{number}")
    expect(page.locator("h1")).to_contain_text(EELS)
    page.goto(reader.address)
    expect(page.locator(".card").first).to_be_visible()
    page.context.set_offline(False)
    page.goto(f"{reader.address}/article/{number}")
    reader.wait(lambda: reader.store.states.find(1, number).opened, "it was not opened")


def test_a_marked_passage_is_kept(reader: RunningReader, page: Page) -> None:
    number = open_article(page, reader, EELS)
    page.evaluate("getSelection().selectAllChildren(document.querySelector('.body p'))")
    expect(page.locator(".mark-passage")).to_be_visible()
    page.keyboard.press("e")
    expect(page.locator(".highlights blockquote")).to_have_count(1)
    count = "CSS.highlights.get('kept')?.size"
    reader.wait(lambda: page.evaluate(count) == 1, "the passage is not highlighted")
    assert len(Highlights(reader.store, 1).list_all(number)) == 1
