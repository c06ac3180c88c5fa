"""The reader in a real browser over a loopback web of newspapers: from the first address to the book of the day."""

import re
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest

pytest.importorskip("starlette", reason="the reader needs starlette: pip install 'bodytext[reader]'")

from playwright.sync_api import BrowserContext, Page, expect

from bodytext.reader.collection.images import key_of
from bodytext.reader.store.body import read_body
from bodytext.reader.store.draft import ArticleDraft
from bodytext.reader.store.store import Store
from browser.reader_desk import Desk, allow, copy, fill, serve
from browser.reader_news import PIXEL, make_web
from loopback.server import Web

TIDE = "The night the tide barrier closed"
EELS = "Eels remember the way home"
TRAINS = "Night trains are full again"
PLACES = ("/", "/saved", "/search?q=the", "/feeds", "/you")


@pytest.fixture(scope="module")
def web() -> Iterator[Web]:
    with make_web() as running_web:
        yield running_web


@pytest.fixture(scope="module")
def filled(web: Web, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("reader") / "filled.sqlite"
    fill(path, web)
    return path


@pytest.fixture
def desk(web: Web, filled: Path, tmp_path: Path) -> Iterator[Desk]:
    copy(filled, tmp_path / "reader.sqlite")
    with serve(tmp_path / "reader.sqlite", allow(web)) as started:
        yield started


def titles(page: Page) -> list[str]:
    return page.locator(".card h3").all_inner_texts()


def asked(web: Web, path: str) -> int:
    """How often a path was asked for, of all sites together."""
    return sum(count for site in web.sites.values() for asked, count in site.counts.items() if asked.startswith(path))


def open_article(page: Page, desk: Desk, title: str) -> int:
    number = desk.find(title)
    page.goto(f"{desk.address}/article/{number}")
    return number


def test_from_an_address_to_an_article_that_is_read(web: Web, page: Page, tmp_path: Path) -> None:
    with serve(tmp_path / "new.sqlite", allow(web)) as desk:
        page.goto(desk.address)
        page.get_by_label("Address of a site or feed").fill(web.url("skarv.test", "/"))
        page.get_by_role("button", name="Subscribe").click()
        expect(page.locator(".card")).to_have_count(3)  # they come by themselves
        page.get_by_role("link", name=TIDE).click()
        shown = page.locator(".scripted h1")  # before that, no script hears keys
        expect(shown).to_have_text("The night the tide barrier closed for the first time")
        body = page.locator(".body").inner_text()
        assert body.startswith("For eleven years")
        assert "until spring." in body
        assert "Ferry fares" not in body  # what stands beside the article
        assert page.locator(".byline").inner_text().startswith("Ines Moen")
        page.keyboard.press("Escape")
        expect(page.locator(".card.read h3")).to_contain_text(TIDE)


def test_the_first_page_fits_and_says_what_is_wrong(
    web: Web, new_context: Callable[..., BrowserContext], tmp_path: Path
) -> None:
    with serve(tmp_path / "new.sqlite", allow(web)) as desk:
        for width in (240, 390, 820):
            page = new_context(viewport={"width": width, "height": 800}, is_mobile=width < 800).new_page()
            page.goto(desk.address)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.get_by_label("Address of a site or feed").fill(web.url("nowhere.test", "/"))
        page.keyboard.press("Enter")
        expect(page.locator(".wrong")).to_contain_text("the host is not known")


def test_news_come_when_they_are_asked_for(web: Web, page: Page, tmp_path: Path) -> None:
    with serve(tmp_path / "new.sqlite", allow(web)) as desk:
        desk.store.feeds.add(web.url("meridian.test", "/feed"))
        page.goto(desk.address)
        expect(page.locator(".scripted").get_by_text("There are no articles yet.")).to_be_visible()
        page.keyboard.press("u")
        expect(page.locator(".card")).to_have_count(3)  # by itself


def test_news_that_come_by_themselves_wait_to_be_shown(web: Web, page: Page, tmp_path: Path) -> None:
    with serve(tmp_path / "new.sqlite", allow(web)) as desk:
        page.goto(desk.address)
        expect(page.locator(".scripted")).to_be_visible()
        feed = desk.store.feeds.add(web.url("meridian.test", "/feed"))
        scheduler = desk.app.state.reader.scheduler
        scheduler.request([feed.id])  # as the schedule does
        desk.wait(lambda: not scheduler.status.running, "the update does not end")
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")  # else it looks once a minute
        page.get_by_role("button", name="3 new articles: show them").click()
        expect(page.locator(".card")).to_have_count(3)
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        expect(page.locator(".fresh")).to_have_count(0)


def test_an_address_without_a_feed_is_told(desk: Desk, web: Web, page: Page) -> None:
    page.goto(f"{desk.address}/feeds")
    page.get_by_label("Address of a site or a feed").fill(web.url("nowhere.test", "/"))
    page.get_by_role("button", name="Subscribe").click()
    expect(page.locator(".wrong")).to_contain_text("the host is not known: nowhere.test")


def test_the_same_story_is_one_card(desk: Desk, page: Page) -> None:
    page.goto(desk.address)
    card = page.locator(".card", has_text="tide barrier").first
    expect(card.locator(".also")).to_contain_text("Also in")
    assert len([title for title in titles(page) if "ide barrier" in title]) == 1
    card.locator(".also a").click()
    expect(page.locator(".elsewhere li")).to_have_count(1)


def test_a_category_is_corrected_with_a_click(desk: Desk, page: Page) -> None:
    number = open_article(page, desk, TRAINS)
    expect(page.locator(".scripted")).to_be_visible()
    page.keyboard.press("c")
    page.locator(".category .choice", has_text="Technology").click()
    expect(page.locator(".category summary")).to_have_text("Technology")
    article = desk.store.articles.find(number)
    assert article
    assert (article.card.category, article.card.category_chance) == ("technology", 1.0)
    page.goto(f"{desk.address}/?category=technology")
    assert any(TRAINS in title for title in titles(page))


def test_a_category_of_ones_own(desk: Desk, page: Page) -> None:
    number = open_article(page, desk, TRAINS)
    page.locator(".scripted .category summary").click()
    page.get_by_label("Your own category").fill("R&D on rails")
    page.keyboard.press("Enter")
    expect(page.locator(".category summary")).to_have_text("R&D on rails")
    article = desk.store.articles.find(number)
    assert article
    assert article.card.category == "R&D on rails"
    page.goto(desk.address)
    page.get_by_role("navigation", name="Categories").get_by_role("link", name="R&D on rails").click()
    assert any(TRAINS in title for title in titles(page))


def test_reading_changes_the_order_and_says_why(desk: Desk, page: Page) -> None:
    page.goto(desk.address)
    before = titles(page)
    alike = next(title for title in before if title.startswith("An hour of daylight"))
    open_article(page, desk, TRAINS)  # which are sleeping cars; the other is about sleeping pills
    page.get_by_role("button", name="More like this").click()
    expect(page.get_by_role("button", name="More like this")).to_have_attribute("aria-pressed", "true")
    page.goto(desk.address)
    after = titles(page)
    assert after.index(alike) < before.index(alike)
    because = page.locator(".card", has_text=alike).locator(".because")
    expect(because).to_have_text("Because you read about sleeping")
    page.get_by_role("button", name="Newest").click()
    expect(page.locator(".day").first).to_be_visible()
    assert page.locator(".because").count() == 0
    numbers = page.locator(".card").evaluate_all("cards => cards.map((card) => Number(card.dataset.id))")
    moments = [card.published for card in desk.store.articles.find_cards(numbers)]
    assert moments == sorted(moments, reverse=True)


def test_who_reads_to_the_end_has_finished(desk: Desk, page: Page) -> None:
    number = open_article(page, desk, EELS)
    page.wait_for_timeout(300)
    assert not desk.store.states.find(1, number).finished
    page.locator("#end").scroll_into_view_if_needed()
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    desk.wait(lambda: desk.store.states.find(1, number).finished, "the end was not noticed")
    page.goto(f"{desk.address}/you")
    expect(page.locator(".interest", has_text="Field Notes")).to_be_visible()


def test_interests_are_seen_and_changed(desk: Desk, page: Page) -> None:
    open_article(page, desk, EELS)
    page.goto(f"{desk.address}/you")
    line = page.locator(".interest", has_text="Field Notes")
    line.get_by_role("button", name="More of Field Notes").click()
    expect(line.locator(".weight")).to_contain_text("set")
    line.get_by_role("button", name="Forget Field Notes").click()
    expect(line).to_have_count(0)
    page.get_by_label("A subject").fill("sleeping")
    page.get_by_role("button", name="I like it").click()
    expect(page.locator(".interest", has_text="sleeping").locator(".weight")).to_contain_text("+0.75")
    page.goto(desk.address)
    expect(page.locator(".because", has_text="Because you read about sleeping").first).to_be_visible()


def test_profiles_have_states_of_their_own(desk: Desk, page: Page) -> None:
    number = open_article(page, desk, EELS)
    page.goto(f"{desk.address}/you")
    page.get_by_label("A name").fill("Ann")
    page.get_by_role("button", name="Add").click()
    expect(page.locator("h1")).to_have_text("Ann")
    page.goto(desk.address)
    assert page.locator(".card.read").count() == 0
    page.goto(f"{desk.address}/you")
    page.get_by_role("button", name="me", exact=True).click()
    expect(page.locator("h1")).to_have_text("me")
    page.goto(desk.address)
    expect(page.locator(f'.card.read[data-id="{number}"]')).to_have_count(1)


def test_search_finds_words_in_every_script(desk: Desk, page: Page) -> None:
    page.goto(desk.address)
    expect(page.locator(".scripted")).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("breakwater")
    page.keyboard.press("Enter")
    expect(page.locator(".summary mark").first).to_have_text("breakwater")
    for words, title in (("灯台", "灯台守"), ("الوقود", "سفينة"), ("thương lái", "Chợ nổi"), ('"deich hohe"', "")):
        page.goto(f"{desk.address}/search?q={words}")
        found = titles(page)
        assert any(title in one for one in found) if title else not found
    page.goto(f'{desk.address}/search?q=<script>alert(1)</script> " * NEAR(')
    expect(page.get_by_text("No results for")).to_be_visible()


def test_what_is_saved_stays(desk: Desk, page: Page) -> None:
    page.goto(desk.address)
    card = page.locator(".card", has_text=EELS)
    card.hover()
    card.get_by_role("button", name="Save for later").click()
    expect(card).to_have_class(re.compile("kept"))
    page.goto(f"{desk.address}/saved")
    assert [title for title in titles(page) if title.startswith(EELS)]
    feed = desk.store.articles.find(desk.find(EELS))
    assert feed
    page.goto(f"{desk.address}/feeds")
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Unsubscribe from Field Notes").click()
    expect(page.get_by_role("heading", name="Field Notes")).to_have_count(0)
    page.goto(f"{desk.address}/saved")
    assert len(titles(page)) == 1
    page.locator(".card").hover()
    page.get_by_role("button", name="Save for later").click()
    expect(page.locator(".kept")).to_have_count(0)


def test_what_is_hidden_is_gone(desk: Desk, page: Page) -> None:
    page.goto(desk.address)
    card = page.locator(".card", has_text=TRAINS)
    card.hover()
    card.get_by_role("button", name="Hide").click()
    expect(card).to_have_count(0)
    page.reload()
    assert not any(TRAINS in title for title in titles(page))


def test_what_was_hidden_by_mistake_is_back_with_a_click(desk: Desk, page: Page) -> None:
    page.goto(desk.address)
    card = page.locator(".card", has_text=TRAINS)
    card.hover()
    card.get_by_role("button", name="Hide").click()
    page.get_by_role("button", name="Undo").click()
    expect(card.get_by_role("button", name="Hide")).to_have_attribute("aria-pressed", "false")
    assert not desk.store.states.find(1, desk.find(TRAINS)).hidden


def test_all_are_read_and_only_unread_are_shown(desk: Desk, page: Page) -> None:
    open_article(page, desk, EELS)
    page.goto(desk.address)
    expect(page.locator(".dateline")).to_contain_text("12 articles unread")
    page.get_by_role("button", name="Unread").click()
    expect(page.locator(".card", has_text=EELS)).to_have_count(0)
    page.get_by_role("button", name="Mark all as read").click()
    expect(page.get_by_text("All caught up.")).to_be_visible()
    page.get_by_role("button", name="Unread").click()
    expect(page.locator(".card.read").first).to_be_visible()


def test_what_is_saved_is_whole_without_a_network(desk: Desk, web: Web, page: Page) -> None:
    page.context.add_cookies([{"name": "bodytext-reader", "value": "pictures=1&order=newest", "url": desk.address}])
    page.goto(f"{desk.address}/search?q=sleeping pills")  # the picture of a page that is not opened
    page.locator(".card").hover()
    page.get_by_role("button", name="Save for later").click()
    images = desk.app.state.reader.images
    desk.wait(lambda: images.find(web.url("fieldnotes.test", "/pictures/5.png")), "it is not fetched")


def test_what_is_not_there_is_told_kindly(desk: Desk, page: Page) -> None:
    answer = page.goto(f"{desk.address}/article/999999")
    assert answer
    assert answer.status == 404
    expect(page.locator("h2")).to_have_text("There is no such article; it may have been removed.")


def test_subscriptions_go_out_and_come_back(desk: Desk, page: Page, tmp_path: Path) -> None:
    page.goto(f"{desk.address}/feeds")
    with page.expect_download() as download:
        page.get_by_role("link", name="Export as OPML").click()
    path = tmp_path / "subscriptions.opml"
    download.value.save_as(path)
    before = sorted(feed.url for feed in desk.store.feeds.list_all())
    for feed in desk.store.feeds.list_all():
        desk.store.feeds.remove(feed.id)
    page.reload()
    page.locator("input[type=file]").set_input_files(path)
    expect(page.locator(".feed")).to_have_count(len(before))
    assert sorted(feed.url for feed in desk.store.feeds.list_all()) == before
    assert "みなと新聞" in [feed.name for feed in desk.store.feeds.list_all()]


def test_an_article_and_a_day_are_taken_along(desk: Desk, page: Page, tmp_path: Path) -> None:
    open_article(page, desk, EELS)
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
    with desk.store.write() as connection:  # else, soon after midnight, all are of the day before
        connection.execute("UPDATE articles SET published = ?", (int(time.time()),))
    page.goto(desk.address)
    page.get_by_text("Download today").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="EPUB").click()
    download.value.save_as(tmp_path / "day.epub")
    with zipfile.ZipFile(tmp_path / "day.epub") as book:
        text = "".join(book.read(name).decode() for name in book.namelist() if name.endswith("html"))
    assert TIDE in text or "Tide barrier holds" in text
    assert EELS in text


def test_pictures_are_fetched_when_they_are_allowed_and_by_the_server_alone(
    desk: Desk, web: Web, sealed: Callable[..., BrowserContext], third_party: object
) -> None:
    page = sealed(int(desk.address.rpartition(":")[2])).new_page()
    before = asked(web, "/pictures/")
    number = open_article(page, desk, EELS)
    expect(page.locator(".withheld")).to_have_count(1)
    key = key_of(web.url("fieldnotes.test", "/pictures/2.png"))
    assert page.evaluate(f"fetch('/image/{number}/{key}').then((answer) => answer.status)") == 404
    assert asked(web, "/pictures/") == before
    page.get_by_role("button", name="Show here").click()
    expect(page.locator(".body img")).to_have_count(1)
    page.locator(".body img").scroll_into_view_if_needed()
    expect(page.locator(".body img")).to_have_js_property("naturalWidth", 960)
    assert asked(web, "/pictures/") == before + 1
    open_article(page, desk, TIDE)
    expect(page.locator(".withheld")).to_have_count(1)  # allowed for the other one
    page.get_by_role("button", name="Always").click()
    expect(page.locator(".body img")).to_have_count(1)
    page.goto(desk.address)
    expect(page.locator(".card-picture img").first).to_have_js_property("naturalWidth", 960)
    assert asked(web, PIXEL) == 0  # what counts who reads
    assert third_party.asked == []  # type: ignore[attr-defined]


def test_what_was_fetched_is_there_offline(filled: Path, tmp_path: Path, page: Page) -> None:
    copy(filled, tmp_path / "reader.sqlite")
    cookie = {"name": "bodytext-reader", "value": "pictures=1"}
    with make_web() as short_web, serve(tmp_path / "reader.sqlite", allow(short_web)) as desk:
        number = desk.find(EELS)
        desk.store.connection.execute(
            "UPDATE articles SET body = replace(body, :old, :new), lead_image = replace(lead_image, :old, :new)",
            {"old": _port(desk), "new": f":{short_web.port}/"},
        )
        page.context.add_cookies([{**cookie, "url": desk.address}])  # type: ignore[typeddict-item]
        page.goto(f"{desk.address}/article/{number}")
        page.locator(".body img").scroll_into_view_if_needed()
        expect(page.locator(".body img")).to_have_js_property("naturalWidth", 960)
    with serve(tmp_path / "reader.sqlite", allow(short_web)) as desk:  # the web is gone
        page.goto(f"{desk.address}/article/{number}")
        page.locator(".body img").scroll_into_view_if_needed()
        expect(page.locator(".body img")).to_have_js_property("naturalWidth", 960)


def _port(desk: Desk) -> str:
    """The port of the web in the stored addresses."""
    url = desk.store.feeds.list_all()[0].url
    return f":{urlsplit(url).port}/"


def test_all_is_done_by_keys(desk: Desk, page: Page) -> None:
    page.goto(desk.address)
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


def test_keys_lead_back_to_the_list_and_on_from_there(desk: Desk, page: Page) -> None:
    page.context.add_cookies([{"name": "bodytext-reader", "value": "order=newest", "url": desk.address}])
    page.goto(desk.address)
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


def test_keys_go_on_where_an_article_that_was_read_has_made_room(desk: Desk, page: Page) -> None:
    page.goto(desk.address)
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


def test_keys_work_at_once_when_a_dialog_has_closed(desk: Desk, page: Page) -> None:
    page.goto(desk.address)
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


def test_how_it_looks_is_remembered(desk: Desk, page: Page) -> None:
    open_article(page, desk, EELS)
    page.locator(".look summary").click()
    page.get_by_role("button", name="Sepia").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "sepia")
    page.get_by_role("button", name="Wide").click()
    page.get_by_role("button", name="Larger text").click()
    expect(page.locator("html")).to_have_attribute("data-size", "4")
    page.goto(desk.address)
    html = page.locator("html")
    expect(html).to_have_attribute("data-theme", "sepia")
    expect(html).to_have_attribute("data-width", "3")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(245, 237, 220)"


@pytest.mark.parametrize("width", [240, 390, 820, 1280])
def test_it_fits_the_device(desk: Desk, new_context: Callable[..., BrowserContext], width: int) -> None:
    context = new_context(viewport={"width": width, "height": 800}, has_touch=width < 800, is_mobile=width < 800)
    context.add_cookies([{"name": "bodytext-reader", "value": "pictures=1", "url": desk.address}])
    page = context.new_page()
    for path in (*PLACES, f"/article/{desk.find(EELS)}", f"/article/{desk.find('سفينة')}", "/plain"):
        page.goto(desk.address + path)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        unnamed = page.evaluate(
            """[...document.querySelectorAll("a, button, input:not([type=hidden]), summary")].filter((one) =>
            !(one.textContent.trim() || one.getAttribute("aria-label") || one.labels?.length
            || one.closest("[aria-hidden=true]"))).map((one) => one.outerHTML)"""
        )
        assert unnamed == [], path


def test_what_is_far_too_long_fits_a_phone(
    web: Web, tmp_path: Path, new_context: Callable[..., BrowserContext]
) -> None:
    with Store(tmp_path / "long.sqlite") as store:
        feed = store.feeds.add("https://news.example/feed", "The News of the World and its Surroundings " * 4)
        html = f"<p>{'x' * 10_000}</p><table><tbody><tr>{'<td>12,345,678</td>' * 30}</tr></tbody></table>"
        keywords = (("y" * 300, 1.0), ("tide", 0.5))
        draft = ArticleDraft(
            feed.id, "https://news.example/1", "On and on " * 90, text="x", body=read_body(html), keywords=keywords
        )
        long = store.articles.add(draft)
        store.articles.add(replace(draft, url="https://news.example/2", title="W" * 900))
    with serve(tmp_path / "long.sqlite", allow(web)) as desk:
        scripted = new_context(viewport={"width": 390, "height": 800}, is_mobile=True).new_page()
        bare = new_context(viewport={"width": 390, "height": 800}, is_mobile=True, java_script_enabled=False).new_page()
        for page in (scripted, bare):
            for path in (*PLACES, f"/article/{long}", "/plain", f"/plain/{long}"):
                page.goto(desk.address + path)
                assert page.evaluate("document.documentElement.scrollWidth") <= 390, path
        scripted.goto(desk.address)
        assert max(box.bounding_box()["height"] for box in scripted.locator(".card h3").all()) < 200  # type: ignore[index]
        scripted.goto(f"{desk.address}/article/{long}")
        scripted.locator(".category summary").click()
        sheet = scripted.locator(".category .sheet").bounding_box()
        assert sheet
        assert sheet["x"] >= 0
        assert sheet["x"] + sheet["width"] <= 390


def test_a_picture_that_does_not_come_leaves_no_hole(web: Web, tmp_path: Path, page: Page) -> None:
    picture = web.url("skarv.test", "/nothing-here.png")
    with Store(tmp_path / "holes.sqlite") as store:
        feed = store.feeds.add("https://news.example/feed")
        html = f'<p>Before.</p><p><img src="{picture}" alt="The quay"></p>'
        draft = ArticleDraft(
            feed.id, "https://news.example/1", "One", text="Before.", body=read_body(html), lead_image=picture
        )
        number = store.articles.add(draft)
    with serve(tmp_path / "holes.sqlite", allow(web)) as desk:
        page.context.add_cookies([{"name": "bodytext-reader", "value": "pictures=1", "url": desk.address}])
        page.goto(desk.address)
        expect(page.locator(".card")).to_be_visible()
        expect(page.locator(".card-picture")).to_have_count(0)
        page.goto(f"{desk.address}/article/{number}")
        expect(page.locator(".withheld")).to_have_text("The quay")
        expect(page.locator(".body img")).to_have_count(0)


def test_it_works_without_a_script(
    desk: Desk, web: Web, new_context: Callable[..., BrowserContext], tmp_path: Path
) -> None:
    page = new_context(java_script_enabled=False).new_page()
    page.goto(desk.address)
    card = page.locator(".card", has_text=EELS)
    card.hover()
    card.get_by_role("button", name="Save for later").click()
    expect(page.locator(".card.kept")).to_have_count(1)
    page.get_by_role("button", name="Newest").click()
    expect(page.locator(".day").first).to_be_visible()
    page.locator(".look summary").click()
    page.get_by_role("button", name="Dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    open_article(page, desk, TRAINS)
    page.locator(".category summary").click()
    page.locator(".category .choice", has_text="Science").click()
    expect(page.locator(".category summary")).to_have_text("Science")
    page.get_by_role("button", name="Done").click()
    expect(page.locator(".masthead")).to_be_visible()
    assert desk.store.states.find(1, desk.find(TRAINS)).finished
    (tmp_path / "one.opml").write_text(
        f'<opml version="2.0"><body><outline text="x" xmlUrl="{web.url("skarv.test", "/other")}"/></body></opml>'
    )
    page.goto(f"{desk.address}/feeds")
    page.locator("input[type=file]").set_input_files(tmp_path / "one.opml")
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.locator(".feed", has_text="/other")).to_have_count(1)
    page.get_by_label("Address of a site or a feed").fill("file:///etc/passwd")
    page.get_by_role("button", name="Subscribe").click()
    expect(page.get_by_role("alert")).to_contain_text("only http and https")


def test_plain_pages_are_words_alone(desk: Desk, new_context: Callable[..., BrowserContext]) -> None:
    page = new_context(java_script_enabled=False, viewport={"width": 160, "height": 128}).new_page()
    answer = page.goto(f"{desk.address}/plain")
    assert answer
    assert len(answer.body()) < 6000
    page.get_by_role("link", name=EELS).click()
    expect(page.locator("h1")).to_contain_text(EELS)
    assert page.locator("script, img, link[rel=stylesheet]").count() == 0
    assert "let them go where they came ashore" in page.locator("body").inner_text()
