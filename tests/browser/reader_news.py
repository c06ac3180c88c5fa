"""A loopback web of newspapers in several languages: their feeds, articles and pictures."""

import asyncio
import math
import struct
import time
import zlib
from dataclasses import dataclass
from email.utils import formatdate
from functools import cache
from html import escape
from pathlib import Path

import numpy as np

from loopback.server import Site, Visit, Web

Writer = asyncio.StreamWriter
PIXEL = "/pixel.gif"
HOUR = 3600


@dataclass(frozen=True)
class Paper:
    host: str
    title: str
    language: str
    kind: str = "rss"


@dataclass(frozen=True)
class Story:
    paper: str
    slug: str
    title: str
    section: str
    author: str
    hours: float
    scene: int
    caption: str
    paragraphs: tuple[str, ...]
    video: str = ""


PAPERS = (
    Paper("skarv.test", "The Skarv Tidings", "en"),
    Paper("meridian.test", "Meridian", "en", "atom"),
    Paper("fieldnotes.test", "Field Notes", "en"),
    Paper("elbbote.test", "Der Elbbote", "de"),
    Paper("rivage.test", "Le Rivage", "fr", "atom"),
    Paper("benthuyen.test", "Bến Thuyền", "vi"),
    Paper("minato.test", "みなと新聞", "ja"),
    Paper("almina.test", "الميناء", "ar"),
)


def read_stories() -> tuple[Story, ...]:
    """Read the stories of reader_news.txt: title, facts, author, caption, video or "-", then paragraphs."""
    stories = []
    for part in (
        Path(__file__).with_suffix(".txt").read_text("utf-8").removeprefix("= ").split("\n= ")
    ):
        title, facts, author, caption, video, _, *paragraphs = part.strip().split("\n")
        paper, slug, section, hours, scene = facts.split()
        lines = tuple(line for line in paragraphs if line)
        stories.append(
            Story(
                paper,
                slug,
                title,
                section,
                author,
                float(hours),
                int(scene),
                caption,
                lines,
                video.strip("-"),
            )
        )
    return tuple(stories)


STORIES = read_stories()

_SKIES = (
    ((34, 48, 74), (222, 140, 96), (28, 38, 54)),
    ((150, 176, 196), (226, 232, 232), (52, 86, 104)),
    ((18, 62, 78), (120, 190, 176), (10, 40, 52)),
    ((232, 200, 150), (250, 236, 210), (120, 72, 48)),
    ((30, 24, 52), (150, 84, 110), (16, 14, 30)),
    ((246, 214, 170), (255, 244, 226), (150, 120, 96)),
    ((120, 150, 120), (222, 226, 196), (48, 74, 58)),
    ((176, 182, 188), (232, 234, 234), (92, 100, 106)),
)


@cache
def draw(scene: int, width: int = 960, height: int = 540) -> bytes:
    """Draw a landscape as PNG: a sky, a low sun and rows of hills."""
    top, bottom, near = (np.array(colour, dtype=float) for colour in _SKIES[scene % len(_SKIES)])
    rows = np.linspace(0, 1, height)[:, None]
    picture = (top * (1 - rows) + bottom * rows)[:, None, :].repeat(width, axis=1)
    x = np.arange(width)
    sun = np.hypot(
        x[None, :] - width * (0.25 + 0.07 * scene), np.arange(height)[:, None] - height * 0.42
    )
    glow = np.clip(1 - sun / (height * 0.35), 0, 1)[..., None] ** 3
    picture += (255 - picture) * glow * 0.7
    picture[sun < height * 0.055] = np.minimum(bottom * 1.1 + 20, 255)
    for layer in range(5):
        share = (layer + 1) / 5
        ridge = np.full(width, height * (0.5 + 0.1 * layer))
        for wave in (1, 2, 3, 5):
            ridge += (
                height
                * 0.045
                / wave
                * np.sin(x / width * math.tau * wave * 1.3 + scene * 2.1 + layer * 1.7 * wave)
            )
        colour = bottom * (1 - share) * 0.9 + near * share
        picture[np.arange(height)[:, None] > ridge[None, :]] = colour
    return encode_png(np.clip(picture, 0, 255).astype(np.uint8))


def encode_png(pixels: "np.ndarray[tuple[int, int, int], np.dtype[np.uint8]]") -> bytes:
    height, width, _ = pixels.shape

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    lines = b"".join(b"\0" + row.tobytes() for row in pixels)
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(lines, 6))
        + chunk(b"IEND", b"")
    )


def address(story: Story) -> str:
    return f"/{story.section}/{story.slug}"


def write_article(story: Story, paper: Paper) -> str:
    image = f'<figure><img src="/pictures/{story.scene}.png" width="960" height="540" alt="{escape(story.caption)}">'
    image += f"<figcaption>{escape(story.caption)}</figcaption></figure>"
    video = (
        f'<video controls src="{story.video}.mp4" title="The eels turn"></video>'
        if story.video
        else ""
    )
    first, second, *others = (f"<p>{escape(text)}</p>" for text in story.paragraphs)
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(published(story)))
    return f"""<!doctype html><html lang="{paper.language}"><head><title>{escape(story.title)} | {paper.title}</title>
<meta name="author" content="{story.author}"><meta property="og:image" content="/pictures/{story.scene}.png">
<meta property="article:published_time" content="{moment}"><meta property="article:section" content="{story.section}">
<link rel="alternate" type="application/rss+xml" href="/feed"></head><body>
<header><nav><a href="/">Home</a> <a href="/world">World</a> <a href="/sport">Sport</a></nav></header>
<main><article><h1>{escape(story.title)}</h1><p class="byline">{story.author}</p>{first}{image}{second}{video}
{"".join(others)}<img src="{PIXEL}" width="1" height="1" alt=""></article></main>
<aside><h2>Most read</h2><ul><li><a href="/a">Ferry fares rise again</a><li><a href="/b">Who painted the crane?</a></ul>
</aside><footer>© {paper.title}. <a href="/imprint">Imprint</a></footer></body></html>"""


def published(story: Story) -> float:
    return time.time() - story.hours * HOUR


def write_rss(paper: Paper, stories: list[Story], origin: str) -> str:
    items = "".join(
        f"<item><title>{escape(one.title)}</title><link>{origin}{address(one)}</link><guid>{one.slug}</guid>"
        f"<category>{one.section}</category><pubDate>{formatdate(published(one))}</pubDate>"
        f"<description>{escape(one.paragraphs[0])}</description></item>"
        for one in stories
    )
    return f"<rss version='2.0'><channel><title>{paper.title}</title><link>{origin}/</link>{items}</channel></rss>"


def write_atom(paper: Paper, stories: list[Story], origin: str) -> str:
    entries = "".join(
        f"<entry><title>{escape(one.title)}</title><link href='{origin}{address(one)}'/><id>{origin}/{one.slug}</id>"
        f"<category term='{one.section}'/><summary>{escape(one.paragraphs[0])}</summary>"
        f"<published>{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(published(one)))}</published></entry>"
        for one in stories
    )
    return f"<feed xmlns='http://www.w3.org/2005/Atom'><title>{paper.title}</title>{entries}</feed>"


async def send(writer: Writer, body: bytes | str, kind: str, status: str = "200 OK") -> None:
    data = body.encode() if isinstance(body, str) else body
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(data)}\r\nConnection: close\r\n\r\n"
    writer.write(head.encode() + data)
    await writer.drain()


def make_site(paper: Paper, stories: tuple[Story, ...] = STORIES) -> Site:
    own = [story for story in stories if story.paper == paper.host]
    pages = {address(story): story for story in own}

    async def answer(visit: Visit, writer: Writer) -> None:
        origin = f"http://{visit.headers.get('host', paper.host)}"
        if visit.path == "/feed":
            write = write_atom if paper.kind == "atom" else write_rss
            await send(writer, write(paper, own, origin), f"application/{paper.kind}+xml")
        elif visit.path in pages:
            await send(writer, write_article(pages[visit.path], paper), "text/html; charset=utf-8")
        elif visit.path.startswith("/pictures/"):
            await send(
                writer, draw(int(visit.path.rpartition("/")[2].removesuffix(".png"))), "image/png"
            )
        elif visit.path == "/":
            link = '<link rel="alternate" type="application/rss+xml" href="/feed">'
            await send(
                writer,
                f"<!doctype html><title>{paper.title}</title>{link}<h1>{paper.title}</h1>",
                "text/html",
            )
        else:
            await send(writer, "nothing here", "text/plain", "404 Not Found")

    return Site(paper.host, answer)


def make_web(stories: tuple[Story, ...] = STORIES) -> Web:
    """Make a web of all papers; start it with `with`."""
    return Web([make_site(paper, stories) for paper in PAPERS])
