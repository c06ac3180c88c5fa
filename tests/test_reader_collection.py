"""Updates of feeds: articles are stored once each; feeds may move, die, be broken or hostile."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from bodytext.reader.analysis import Analysis
from bodytext.reader.collection.enrichment import Enrichment
from bodytext.reader.collection.feed_updates import FeedUpdater, UpdateProgress
from bodytext.reader.digest.digest import export, gather_articles
from bodytext.reader.pages.article_body import render_body
from bodytext.reader.store.articles import ArticleQuery
from bodytext.reader.store.body import encode_body
from bodytext.reader.store.draft import ArticleDraft
from bodytext.reader.store.records import Card, Subscription
from bodytext.reader.store.store import Store
from bodytext.sources.fetch import FetchLimits
from bodytext.sources.fetch_options import FetchOptions
from bodytext.sources.listings.feed import read_feed
from bodytext.sources.politeness.policy import Politeness
from loopback.newspaper import Newspaper, Story, make_press, make_story, write_page
from loopback.server import Web

QUICK = Politeness(delay_seconds=0, retries=0, backoff_seconds=0)


class UpdateSetup:
    """A store, newspapers, and updates of one from the others."""

    def __init__(self, store: Store, web: Web) -> None:
        self.store, self.web = store, web
        self.fetching = FetchOptions(
            FetchLimits(max_seconds=5, allow_private=True), QUICK, resolve=web.resolve
        )

    def add(self, site: str, path: str = "/feed") -> Subscription:
        return self.store.feeds.add(self.web.url(site, path))

    def update(self) -> UpdateProgress:
        """Update all feeds that are not dead, due or not."""
        feeds = [feed for feed in self.store.feeds.list_all() if feed.state != "dead"]
        progress = FeedUpdater(self.store, self.fetching).update(feeds)
        assert progress.faults == []
        return progress

    def cards(self) -> list[Card]:
        return self.store.articles.list_cards(ArticleQuery(profile=1, limit=1000))

    def feed(self, number: int) -> Subscription:
        found = self.store.feeds.find(number)
        assert found is not None
        return found


@contextmanager
def press(folder: Path, *papers: Newspaper) -> Iterator[UpdateSetup]:
    with make_press(papers) as web, Store(folder / "reader.sqlite") as store:
        yield UpdateSetup(store, web)


@pytest.mark.parametrize("kind", ["rss", "atom", "json"])
def test_new_articles_are_stored_with_their_metadata(tmp_path: Path, kind: str) -> None:
    paper = Newspaper("daily.test", [make_story(number) for number in range(3)], kind, "The Daily")
    with press(tmp_path, paper) as setup:
        feed = setup.add("daily.test")
        progress = setup.update()
        assert (progress.stored, progress.missing, progress.problems) == (3, 0, {})
        cards = setup.cards()
        assert [card.title for card in cards] == [story.title for story in paper.stories]
        assert [card.published for card in cards] == [story.published for story in paper.stories]
        assert {card.source for card in cards} == {"The Daily"}
        assert {card.author for card in cards} == {"Ada Writer"}
        assert {card.language for card in cards} == {"en"}
        article = setup.store.articles.find(cards[0].id)
        assert article is not None
        assert all(text in article.text for text in paper.stories[0].paragraphs)
        assert "All rights reserved" not in article.text
        assert (
            "<figcaption>The place itself</figcaption>" in render_body(article, pictures=True).html
        )
        markdown = export(gather_articles(setup.store, [cards[0].id]), "markdown").data.decode()
        assert paper.stories[0].paragraphs[0] in markdown
        assert article.media[0]["source"] == setup.web.url("daily.test", "/figure.jpg")
        assert article.media[0]["caption"] == "The place itself"
        assert cards[0].lead_image == setup.web.url("daily.test", "/picture.jpg")
        assert len(cards[0].keywords) > 3
        assert all(sentence in article.text for _, sentence in cards[0].sentences)
        assert len(cards[0].sentences) == 5
        assert cards[0].summarise(1) in article.text
        assert (
            cards[0].category.lower() == paper.stories[0].categories[0].lower() or kind == "atom"
        )  # this feed has no categories
        assert article.metadata["authors"] == ["Ada Writer"]
        assert cards[0].confidence is not None
        stored = setup.feed(feed.id)
        assert (stored.title, stored.site, stored.articles) == (
            "The Daily",
            setup.web.url("daily.test"),
            3,
        )
        assert stored.due > time.time()


def test_an_update_requests_only_new_pages(tmp_path: Path) -> None:
    paper = Newspaper("daily.test", [make_story(1)])
    with press(tmp_path, paper) as setup:
        setup.add("daily.test")
        setup.update()
        assert setup.update().unchanged == 1
        paper.stories.append(make_story(2))
        assert setup.update().stored == 1
        assert [status for path, status in paper.visits if path == "/feed"] == [200, 304, 200]
        assert paper.count("/news/1") == paper.count("/news/2") == 1


def test_feeds_with_news_are_due_earlier(tmp_path: Path) -> None:
    paper = Newspaper("daily.test", [make_story(1)])
    with press(tmp_path, paper) as setup:
        feed = setup.add("daily.test")
        assert FeedUpdater(setup.store, setup.fetching).update().stored == 1
        busy = setup.feed(feed.id).interval
        assert FeedUpdater(setup.store, setup.fetching).update().feeds == 0
        setup.update()
        assert setup.feed(feed.id).interval > busy


# No page is requested again
def test_an_article_is_stored_once(tmp_path: Path) -> None:
    """The same page at other addresses, in two feeds, with the same identity, and after a redirect."""
    story = make_story(1)
    canonical = replace(story, guid="by canonical", path="/print/1", canonical="/news/1")
    counted = replace(story, guid="with a counter", path="/news/1?utm_source=feed")
    renamed = replace(make_story(2), guid=story.guid)
    moved = replace(story, guid="redirected", path="/short")
    paper = Newspaper("daily.test", [story])
    other = Newspaper("other.test", [])
    with press(tmp_path, paper, other) as setup:
        setup.add("daily.test")
        assert setup.update().stored == 1
        for again in (canonical, counted, renamed):
            paper.stories.append(again)
            assert setup.update().stored == 0
        paper.stories.append(moved)
        paper.answers["/short"] = (302, "/news/1")
        other.bodies["/feed"] = (paper_feed(setup, paper).encode(), "application/rss+xml")
        setup.add("other.test")
        assert setup.update().stored == 0
        assert len(setup.cards()) == 1
        del paper.visits[:]
        setup.update()
        assert [path for path, _ in paper.visits] == [
            "/robots.txt",
            "/feed",
        ]


def paper_feed(setup: UpdateSetup, paper: Newspaper) -> str:
    link = setup.web.url(paper.name, paper.stories[0].path)
    return f"<rss><channel><title>Other</title><item><title>Same</title><link>{link}</link></item></channel></rss>"


def test_a_page_cannot_claim_the_address_of_another_site(tmp_path: Path) -> None:
    thief = replace(make_story(7), canonical="https://bank.example/login")
    careless = replace(make_story(8), canonical="/")
    with press(tmp_path, Newspaper("daily.test", [thief, careless])) as setup:
        setup.add("daily.test")
        setup.update()
        assert {card.url for card in setup.cards()} == {
            setup.web.url("daily.test", "/news/7"),
            setup.web.url("daily.test", "/news/8"),
        }


def test_the_feed_has_more_than_the_page(tmp_path: Path) -> None:
    long = "".join(
        f"<p>The whole of paragraph {number} stands in the feed and nowhere else.</p>"
        for number in range(40)
    )
    teaser = Story(
        "/news/1",
        "A teaser",
        ("Subscribe to read on.",),
        int(time.time()) - 5,
        guid="1",
        content=long,
    )
    with press(tmp_path, Newspaper("daily.test", [teaser])) as setup:
        setup.add("daily.test")
        setup.update()
        card = setup.cards()[0]
        article = setup.store.articles.find(card.id)
        assert article is not None
        assert "paragraph 39 stands in the feed" in article.text
        assert (card.origin, card.title) == ("feed", "A teaser")


def test_a_page_that_fails_is_tried_again(tmp_path: Path) -> None:
    story = replace(make_story(1), content="<p>What the feed says of it.</p>")
    paper = Newspaper("daily.test", [story], answers={story.path: (500, "")})
    with press(tmp_path, paper) as setup:
        setup.add("daily.test")
        progress = setup.update()
        assert (progress.stored, progress.missing) == (1, 1)
        card = setup.cards()[0]
        assert card.problem == "HTTP 500 Internal Server Error"
        setup.store.states.mark(1, card.id, saved=True)
        del paper.answers[story.path]
        setup.update()
        found = setup.store.articles.find(card.id, 1)
        assert found is not None
        assert found.card.problem == ""
        assert found.card.state.saved
        assert story.paragraphs[0] in found.text
        assert [found_card.id for found_card in setup.store.articles.search("witness", 1)] == [
            card.id
        ]
        assert setup.store.articles.search('"What the feed says"') == []


def test_a_page_is_tried_again_though_its_feed_has_no_more_than_is_stored(tmp_path: Path) -> None:
    story = make_story(1)
    paper = Newspaper("daily.test", [story], answers={story.path: (500, "")}, conditional=False)
    with press(tmp_path, paper) as setup:
        link = setup.web.url("daily.test", story.path)
        item = f"<item><title>{story.title}</title><link>{link}</link></item>"
        feed = f'<rss version="2.0"><channel>{item}</channel></rss>'
        paper.bodies["/feed"] = (feed.encode(), "application/rss+xml")
        setup.add("daily.test")
        assert setup.update().missing == 1
        paper.answers.clear()
        setup.update()
        assert setup.cards()[0].problem == ""


def test_a_late_page_with_less_text_replaces_nothing(tmp_path: Path) -> None:
    long = "".join(f"<p>Paragraph {number} stands in the feed alone.</p>" for number in range(40))
    teaser = Story(
        "/news/1",
        "A teaser",
        ("Subscribe to read on.",),
        int(time.time()) - 5,
        guid="1",
        content=long,
    )
    paper = Newspaper("daily.test", [teaser], answers={teaser.path: (500, "")})
    with press(tmp_path, paper) as setup:
        setup.add("daily.test")
        setup.update()
        before = setup.store.articles.find(setup.cards()[0].id)
        paper.answers.clear()
        setup.update()
        after = setup.store.articles.find(setup.cards()[0].id)
        assert before is not None
        assert after is not None
        assert before.card.problem
        assert not after.card.problem
        assert "Paragraph 39" in after.text
        assert after.text == before.text


def test_a_page_that_always_fails_is_given_up(tmp_path: Path) -> None:
    story = make_story(1)
    paper = Newspaper("daily.test", [story], answers={story.path: (404, "")})
    with press(tmp_path, paper) as setup:
        setup.add("daily.test")
        for _ in range(6):
            setup.update()
        assert paper.count(story.path) == 3


def test_an_entry_without_an_address(tmp_path: Path) -> None:
    note = Story(
        "",
        "A note",
        (),
        int(time.time()) - 5,
        content="<p>Notes have no page of their own here.</p>",
    )
    with press(
        tmp_path, Newspaper("daily.test", [note, replace(note, content="<p>Another one.</p>")])
    ) as setup:
        setup.add("daily.test")
        setup.update()
        setup.update()
        assert sorted(card.title for card in setup.cards()) == ["A note", "A note"]
        assert {card.problem for card in setup.cards()} == {""}


def test_a_note_without_a_title_gets_its_beginning(tmp_path: Path) -> None:
    note = Story(
        "",
        "",
        (),
        int(time.time()) - 5,
        content="<p>The first ferry is back.</p><p>It was late.</p>",
        guid="1",
    )
    long = replace(note, content=f"<p>{'The ferry is back and ' * 20}</p>", guid="2")
    unspaced = replace(note, content=f"<p>{'港の水門は閉じた' * 20}</p>", guid="3")
    with press(tmp_path, Newspaper("daily.test", [note, long, unspaced])) as setup:
        setup.add("daily.test")
        setup.update()
        titles = sorted(card.title for card in setup.cards())
        assert titles[0] == "The ferry is back and " * 3 + "The ferry is back and…"
        assert titles[1] == "The first ferry is back."
        assert titles[2].startswith("港の水門は閉じた港")
        assert max(map(len, titles)) <= 91


def test_a_moved_feed(tmp_path: Path) -> None:
    paper = Newspaper(
        "daily.test", [make_story(1)], answers={"/old": (301, "/older"), "/older": (308, "/feed")}
    )
    with press(tmp_path, paper) as setup:
        feed = setup.add("daily.test", "/old")
        setup.update()
        moved = setup.feed(feed.id)
        assert (moved.state, moved.url) == ("moved", setup.web.url("daily.test", "/feed"))
        assert moved.previous == setup.web.url("daily.test", "/old")
        assert setup.update().unchanged == 1
        assert paper.count("/old") == 1
        assert setup.add("daily.test", "/old").id == feed.id  # adding it again finds it


# It was requested with the ETag of its present address
def test_a_feed_with_a_temporary_redirect(tmp_path: Path) -> None:
    paper = Newspaper("daily.test", [make_story(1)], answers={"/here": (302, "/feed")})
    with press(tmp_path, paper) as setup:
        feed = setup.add("daily.test", "/here")
        setup.update()
        stays = setup.feed(feed.id)
        assert (stays.state, stays.url) == ("live", setup.web.url("daily.test", "/here"))
        assert setup.update().unchanged == 1


def test_a_feed_that_moved_to_another_subscription(tmp_path: Path) -> None:
    paper = Newspaper("daily.test", [make_story(1)], answers={"/old": (301, "/feed")})
    with press(tmp_path, paper) as setup:
        old, new = setup.add("daily.test", "/old"), setup.add("daily.test")
        setup.update()
        assert setup.feed(old.id).state == "dead"
        assert "subscribed to already" in setup.feed(old.id).problem
        assert setup.feed(new.id).state == "live"
        assert len(setup.cards()) == 1


def test_dead_feeds(tmp_path: Path) -> None:
    gone = Newspaper("gone.test", answers={"/feed": (410, "")})
    lost = Newspaper("lost.test", answers={"/feed": (404, "")})
    fine = Newspaper("fine.test", [make_story(1)])
    with press(tmp_path, gone, lost, fine) as setup:
        feeds = {site: setup.add(site).id for site in ("gone.test", "lost.test", "fine.test")}
        progress = setup.update()
        assert setup.feed(feeds["gone.test"]).state == "dead"
        assert len(progress.problems) == 2
        failing = setup.feed(feeds["lost.test"])
        assert (failing.state, failing.failures, failing.problem) == (
            "live",
            1,
            "HTTP 404 Not Found",
        )
        setup.store.feeds.change(failing.id, failures=11)
        setup.update()
        assert setup.feed(failing.id).state == "live"  # it was added less than a week ago
        with setup.store.write() as connection:
            connection.execute("UPDATE feeds SET added = added - 8 * 24 * 3600")
        setup.update()
        assert setup.feed(failing.id).state == "dead"
        asked = lost.count("/feed")
        FeedUpdater(setup.store, setup.fetching).update()
        assert lost.count("/feed") == asked
        setup.store.feeds.revive(failing.id)
        lost.answers.clear()
        lost.stories.append(make_story(3, "lost"))
        setup.update()
        assert (setup.feed(failing.id).state, setup.feed(failing.id).problem) == ("live", "")


def test_without_a_network_no_feed_is_blamed(tmp_path: Path) -> None:
    with press(tmp_path, Newspaper("daily.test")) as setup:
        feeds = [setup.add(site) for site in ("nowhere.test", "nowhere-else.test")]
        progress = setup.update()
        assert progress.is_offline
        assert [setup.feed(feed.id).failures for feed in feeds] == [0, 0]
        assert all("not known" in setup.feed(feed.id).problem for feed in feeds)


@pytest.mark.slow
def test_hostile_feeds(tmp_path: Path) -> None:
    entities = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(9))
    bomb = f"<!DOCTYPE rss [<!ENTITY e0 'ha'>{entities}]><rss><channel><item><title>&e9;</title></item></channel></rss>"
    tricks = (
        "<rss><channel><title>T&lt;script&gt;alert(1)&lt;/script&gt;</title>"
        "<item><title>S&lt;img src=x onerror=alert(1)&gt;&#2;</title><link>file:///etc/passwd</link></item>"
        "<item><title>J</title><link>javascript:alert(1)</link><description>text of j</description></item>"
        "<item><title>D</title><link>data:text/html,hello</link></item>"
        "<item><title>Early</title><guid>early</guid><pubDate>Fri, 01 Jan 2100 00:00:00 GMT</pubDate>"
        "<description>&lt;p onclick=evil()&gt;Click&lt;script&gt;evil()&lt;/script&gt;&lt;/p&gt;</description></item>"
        "</channel></rss>"
    )
    giant = f"<rss><channel><item><title>G</title><guid>g</guid><description>{'word ' * 900_000}</description></item>"
    many = "".join(
        f"<item><guid isPermaLink='false'>{n}</guid><title>N{n}</title></item>" for n in range(3000)
    )
    papers = [
        Newspaper(f"{name}.test", bodies={"/feed": (body.encode(), "application/rss+xml")})
        for name, body in {"bomb": bomb, "tricks": tricks, "giant": giant, "page": "<html><p>No feed",
                           "many": f"<rss><channel>{many}</channel></rss>", "nothing": ""}.items()
    ]  # fmt: skip
    with press(tmp_path, *papers) as setup:
        feeds = {paper.name: setup.add(paper.name).id for paper in papers}
        progress = setup.update()
        assert set(progress.problems) == {
            setup.web.url(name, "/feed") for name in ("page.test", "nothing.test")
        }
        now = time.time()
        for card in setup.cards():
            article = setup.store.articles.find(card.id)
            assert article is not None
            assert "<" not in card.title
            assert "\x02" not in card.title
            assert card.published <= now
            assert "script" not in encode_body(article.body)
            assert "onclick" not in encode_body(article.body)
            assert len(article.text) <= 400_000
        assert setup.feed(feeds["many.test"]).articles == 100
        assert all("etc/passwd" not in card.url for card in setup.cards())


def test_private_addresses_are_not_requested(tmp_path: Path) -> None:
    """By default neither a feed nor a page may be on this machine; here their names resolve to it."""
    paper = Newspaper("daily.test", [make_story(1)])
    with press(tmp_path, paper) as setup:
        feed = setup.add("daily.test")
        setup.fetching = FetchOptions(politeness=QUICK, resolve=setup.web.resolve)
        setup.update()
        assert "loopback address" in setup.feed(feed.id).problem
        assert paper.visits == []


@pytest.mark.slow
def test_a_stopped_update_continues_later(tmp_path: Path) -> None:
    papers = [Newspaper(f"p{n}.test", [make_story(k, str(n)) for k in range(10)]) for n in range(3)]
    with press(tmp_path, *papers) as setup:
        for paper in papers:
            setup.add(paper.name)

        def report(progress: UpdateProgress) -> None:
            if progress.stored >= 7:
                updater.stop()

        updater = FeedUpdater(setup.store, setup.fetching, report)
        first = updater.update(setup.store.feeds.list_all()).stored
        assert 7 <= first < 30
        assert setup.update().stored == 30 - first
        assert len(setup.cards()) == 30


def test_a_feed_may_be_unsubscribed_from_during_an_update(tmp_path: Path) -> None:
    papers = [Newspaper(f"p{n}.test", [make_story(k, str(n)) for k in range(5)]) for n in range(2)]
    with press(tmp_path, *papers) as setup:
        leaving, staying = setup.add("p0.test"), setup.add("p1.test")

        def report(progress: UpdateProgress) -> None:
            if progress.stored == 1:
                setup.store.feeds.remove(leaving.id)

        progress = FeedUpdater(setup.store, setup.fetching, report).update(
            setup.store.feeds.list_all()
        )
        assert progress.faults == []
        assert {card.feed for card in setup.cards()} == {staying.id}
        assert len(setup.cards()) == 5


def test_a_feed_that_makes_our_code_fail_does_not_affect_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(data: bytes, url: str, charset: str) -> object:
        if "p0" in url:
            raise RuntimeError("a mistake")
        return read_feed(data, url, charset)

    monkeypatch.setattr("bodytext.reader.collection.feed_updates.read_feed", fail)
    papers = [Newspaper(f"p{n}.test", [make_story(1, str(n))]) for n in range(2)]
    with press(tmp_path, *papers) as setup:
        feeds = [setup.add(paper.name) for paper in papers]
        assert setup.update().stored == 1
        assert "RuntimeError: a mistake" in setup.feed(feeds[0].id).problem


def test_surrogates_do_not_affect_other_articles(tmp_path: Path) -> None:
    """JSON may contain them, in a feed or a page, but the database cannot."""
    ld = '{"@type":"NewsArticle","author":{"@type":"Person","name":"Ada \\ud800"},"keywords":["\\udfff tag"]}'
    page = write_page(make_story(1), "Daily").replace(
        "</head>", f"<script type='application/ld+json'>{ld}</script></head>"
    )
    item = {
        "id": "\ud800",
        "url": "/news/1",
        "title": "T\udfff",
        "tags": ["\ud800"],
        "content_html": "<p>\ud800</p>",
    }
    feed = json.dumps(
        {"version": "https://jsonfeed.org/version/1.1", "title": "D\ud800", "items": [item]}
    )
    halves = Newspaper("halves.test", bodies={"/feed": (feed.encode(), "application/feed+json"),
                                              "/news/1": (page.encode(), "text/html; charset=utf-8")})  # fmt: skip
    with press(tmp_path, halves, Newspaper("whole.test", [make_story(2)])) as setup:
        setup.add("halves.test")
        setup.add("whole.test")
        assert setup.update().stored == 2
        assert setup.update().stored == 0
        assert any(card.author.startswith("Ada") for card in setup.cards() if "halves" in card.url)


def test_an_article_that_cannot_be_stored_does_not_affect_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learn = Enrichment.learn

    def fail(self: Enrichment, article: int, draft: ArticleDraft, analysis: Analysis) -> None:
        if draft.url.endswith("/news/1"):
            raise RuntimeError("a mistake")
        learn(self, article, draft, analysis)

    monkeypatch.setattr(Enrichment, "learn", fail)
    with press(
        tmp_path, Newspaper("daily.test", [make_story(number) for number in range(3)])
    ) as setup:
        setup.add("daily.test")
        progress = FeedUpdater(setup.store, setup.fetching).update()
        assert progress.stored == 2
        assert "RuntimeError: a mistake" in progress.faults[0]


def test_a_feed_with_the_same_identity_for_all_articles(tmp_path: Path) -> None:
    stories = [replace(make_story(number), guid="0") for number in range(4)]
    with press(tmp_path, Newspaper("daily.test", stories)) as setup:
        setup.add("daily.test")
        assert setup.update().stored == 4
        stories.append(replace(make_story(9), guid="0"))
        assert setup.update().stored == 1


def test_notes_with_a_new_identity_each_time(tmp_path: Path) -> None:
    note = Story(
        "",
        "A note",
        (),
        int(time.time()) - 5,
        content="<p>Notes have no page of their own.</p>",
        guid="1",
    )
    paper = Newspaper("daily.test", [note])
    with press(tmp_path, paper) as setup:
        setup.add("daily.test")
        assert setup.update().stored == 1
        paper.stories[:] = [replace(note, guid="2")]
        assert setup.update().stored == 0
        # With the same identity
        paper.stories[:] = [replace(note, content="<p>It was corrected.</p>")]
        assert setup.update().stored == 0


def test_unsubscribing_during_an_update_lasts(tmp_path: Path) -> None:
    """A saved article keeps the feed in the database; the update must not bring it back."""
    paper = Newspaper("daily.test", [make_story(number) for number in range(5)])
    with press(tmp_path, paper) as setup:
        feed = setup.add("daily.test")

        def report(progress: UpdateProgress) -> None:
            if progress.stored == 1:
                setup.store.states.mark(1, setup.cards()[0].id, saved=True)
                setup.store.feeds.remove(feed.id)

        FeedUpdater(setup.store, setup.fetching, report).update([feed])
        assert setup.feed(feed.id).state == "left"
        assert len(setup.cards()) == 1


def test_a_single_feed_is_not_blamed_after_an_hour_of_silence(tmp_path: Path) -> None:
    with press(tmp_path, Newspaper("daily.test", [make_story(1)])) as setup:
        heard, silent = setup.add("daily.test"), setup.add("nowhere.test")
        setup.update()
        assert setup.feed(silent.id).failures == 1
        updater = FeedUpdater(setup.store, setup.fetching)
        assert not updater.update(
            [setup.feed(silent.id)]
        ).is_offline  # the other feed answered just now
        setup.store.feeds.change(heard.id, succeeded=int(time.time()) - 7200)
        assert updater.update([setup.feed(silent.id)]).is_offline
        assert setup.feed(silent.id).failures == 2
        setup.store.feeds.remove(heard.id)
        assert not updater.update(
            [setup.feed(silent.id)]
        ).is_offline  # with a single feed it is unknown


def test_updates_leave_no_connections_behind(tmp_path: Path) -> None:
    papers = [Newspaper(f"p{number}.test", [make_story(1, str(number))]) for number in range(6)]
    with press(tmp_path, *papers) as setup:
        for paper in papers:
            setup.add(paper.name)
        for _ in range(8):
            setup.update()
        # Some threads of the last updates may be about to end; all updates together have 48.
        assert len(setup.store._connections) <= 3 * len(papers)
