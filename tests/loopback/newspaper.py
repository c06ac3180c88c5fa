"""Newspapers: generated sites with feeds and articles, whose news, moves and failures a test decides."""

import hashlib
import html
import json
import random
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from email.utils import formatdate

from loopback.server import Site, Visit, Web
from loopback.sites import Writer, send

PLACES = (
    "harbour",
    "valley",
    "market",
    "island",
    "station",
    "bridge",
    "library",
    "lighthouse",
    "quarry",
    "orchard",
)
ACTORS = (
    "council",
    "fishermen",
    "engineers",
    "teachers",
    "striking drivers",
    "volunteers",
    "scientists",
    "builders",
)
DEEDS = (
    "reopened",
    "surveyed",
    "painted",
    "defended",
    "measured",
    "flooded",
    "sold",
    "repaired",
    "photographed",
)
REASONS = ("after the storm", "before winter comes", "with borrowed money", "despite the rain", "for the third year",
           "as the mayor had asked", "while neighbours watched", "without any delay")  # fmt: skip
DAY = 24 * 3600


@dataclass(frozen=True, slots=True)
class Story:
    """An article of a newspaper."""

    path: str
    title: str
    paragraphs: tuple[str, ...]
    published: int
    categories: tuple[str, ...] = ()
    guid: str = ""
    content: str = ""  # the HTML that the feed itself has
    canonical: str = ""  # an address that the page names as its own


def make_story(number: int, seed: str = "", *, paragraphs: int = 5, published: int = 0) -> Story:
    """Make a different story for each number and seed."""
    chance = random.Random(f"{seed} {number}")

    def write() -> str:
        parts = (
            chance.choice(ACTORS),
            chance.choice(DEEDS),
            chance.choice(PLACES),
            chance.choice(REASONS),
        )
        return "The {} {} the {} {}, said a witness whose name is number {}.".format(
            *parts, chance.randrange(10**6)
        )

    title = f"The {chance.choice(ACTORS)} and the {chance.choice(PLACES)}, part {number}"
    texts = tuple(" ".join(write() for _ in range(5)) for _ in range(paragraphs))
    moment = published or int(time.time()) - number * 600 - DAY
    return Story(
        f"/news/{number}",
        title,
        texts,
        moment,
        (chance.choice(("Sport", "Science")),),
        f"{seed}-{number}",
    )


@dataclass(slots=True)
class Newspaper:
    """A site with a feed at /feed (RSS, Atom or JSON) and a page for each story."""

    name: str
    stories: list[Story] = field(default_factory=list)
    kind: str = "rss"
    title: str = ""
    # Status and target of a redirect, by path
    answers: dict[str, tuple[int, str]] = field(default_factory=dict)
    # Any body and its type, by path
    bodies: dict[str, tuple[bytes, str]] = field(default_factory=dict)
    # Paths and the statuses of their responses
    visits: list[tuple[str, int]] = field(default_factory=list)
    conditional: bool = True

    def site(self) -> Site:
        """Return the site for the server."""
        return Site(self.name, self._answer)

    def count(self, path: str) -> int:
        """Count the requests for a path."""
        return sum(visited == path for visited, _ in self.visits)

    async def _answer(self, visit: Visit, writer: Writer) -> None:
        path, host = visit.path, visit.headers.get("host", self.name)
        status, headers, body, kind = self._find(path, f"http://{host}")
        if status == 200 and self.conditional:
            mark = f'"{hashlib.sha256(body).hexdigest()[:12]}"'
            headers += f"ETag: {mark}\r\n"
            if visit.headers.get("if-none-match") == mark:
                status, body = 304, b""
        self.visits.append((path, status))
        await send(writer, body, f"{status} Status", headers, type_=kind)

    def _find(self, path: str, origin: str) -> tuple[int, str, bytes, str]:
        if path in self.answers:
            status, target = self.answers[path]
            return status, f"Location: {target}\r\n" if target else "", b"", "text/html"
        if path in self.bodies:
            return 200, "", *self.bodies[path]
        if path == "/":
            link = '<link rel="alternate" type="application/rss+xml" href="/feed">'
            return (
                200,
                "",
                f"<html><head><title>{self.name}</title>{link}</head><p>Welcome.".encode(),
                "text/html",
            )
        if path in {"/feed", "/feed2"}:
            feed, kind = write_feed(self, origin)
            return 200, "", feed.encode(), kind
        story = next(
            (story for story in self.stories if story.path == path.partition("?")[0]), None
        )
        if story is None:
            return 404, "", b"nothing here", "text/html"
        return (
            200,
            "",
            write_page(story, self.title or self.name).encode(),
            "text/html; charset=utf-8",
        )


def write_page(story: Story, site: str) -> str:
    """Write the page of a story, with a menu before it and links after it."""
    menu = "".join(f'<li><a href="/section/{word}">{word.title()}</a></li>' for word in PLACES)
    canonical = (
        f'<link rel="canonical" href="{html.escape(story.canonical)}">' if story.canonical else ""
    )
    paragraphs = [f"<p>{html.escape(text)}</p>" for text in story.paragraphs]
    figure = '<figure><img src="/figure.jpg" alt="A view"><figcaption>The place itself</figcaption></figure>'
    paragraphs.insert(1, figure)
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(story.published))
    return (
        f"<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>{html.escape(story.title)} | {site}</title>"
        f'<meta property="og:title" content="{html.escape(story.title)}">'
        f'<meta property="article:published_time" content="{moment}"><meta name="author" content="Ada Writer">'
        f'<meta property="og:image" content="/picture.jpg">{canonical}</head>'
        f"<body><nav><ul>{menu}</ul></nav><main><article><h1>{html.escape(story.title)}</h1>"
        f"{''.join(paragraphs)}</article></main>"
        f"<footer>All rights reserved. <a href=/contact>Contact</a></footer></body></html>"
    )


def write_feed(paper: Newspaper, origin: str) -> tuple[str, str]:
    """Write the feed of a newspaper; return it and its type."""
    title = html.escape(paper.title or paper.name)
    if paper.kind == "json":
        return _write_json(paper, origin), "application/feed+json"
    if paper.kind == "atom":
        entries = "".join(
            f"<entry><id>{html.escape(story.guid)}</id><title>{html.escape(story.title)}</title>"
            f'<link href="{html.escape(origin + story.path)}"/><updated>{_iso(story.published)}</updated>'
            f'<content type="html">{html.escape(story.content)}</content></entry>'
            for story in paper.stories
        )
        feed = f'<feed xmlns="http://www.w3.org/2005/Atom"><title>{title}</title>{entries}</feed>'
        return feed, "application/atom+xml"
    items = "".join(
        f"<item><guid isPermaLink='false'>{html.escape(story.guid)}</guid><title>{html.escape(story.title)}</title>"
        f"<link>{html.escape(origin + story.path) if story.path else ''}</link>"
        f"<pubDate>{formatdate(story.published)}</pubDate>"
        + "".join(f"<category>{html.escape(name)}</category>" for name in story.categories)
        + f"<description>{html.escape(story.content)}</description></item>"
        for story in paper.stories
    )
    return (
        f'<rss version="2.0"><channel><title>{title}</title>{items}</channel></rss>',
        "application/rss+xml",
    )


def _write_json(paper: Newspaper, origin: str) -> str:
    items = [
        {"id": story.guid, "url": origin + story.path, "title": story.title, "content_html": story.content,
         "date_published": _iso(story.published), "tags": list(story.categories)}
        for story in paper.stories
    ]  # fmt: skip
    feed = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": paper.title or paper.name,
        "items": items,
    }
    return json.dumps(feed)


def make_press(papers: Iterable[Newspaper]) -> Web:
    """Make a web of newspapers."""
    return Web([paper.site() for paper in papers])


def _iso(moment: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))
