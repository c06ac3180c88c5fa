"""Make three Vietnamese news sites out of the texts beside this file, for the example of a corpus.

    python examples/vietnamese/make_site.py OUT [--root http://127.0.0.1:8000]

writes OUT/web, which any web server can serve (a site with a feed, a site with a sitemap), and
OUT/crawl.warc.gz, the archive of an old site. The sites differ in layout, age and encoding.
"""

import argparse
import gzip
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path

HERE = Path(__file__).parent
ROOT = "http://127.0.0.1:8000"
FROM_FEED, FROM_SITEMAP = 16, 12  # articles; the others are in the archive
REPRINTED = 5  # articles of the feed that the old site printed again, with another end
COPIED = 2  # articles of the feed that the archive has once more, as they are

MENU = (
    "Trang chủ",
    "Thời sự",
    "Kinh tế",
    "Văn hóa",
    "Thể thao",
    "Giáo dục",
    "Liên hệ",
    "Quảng cáo",
)
FOOTER = "Giấy phép số 12 do cơ quan quản lý báo chí cấp. Ghi rõ nguồn khi phát hành lại thông tin từ trang này."
COMMENTS = (
    "Đọc mà thấy ấm lòng, cảm ơn tác giả nhiều.",
    "Chỗ tôi cũng vậy, mong chính quyền quan tâm hơn.",
    "Bài hay quá, cho tôi hỏi đường đến đó đi thế nào?",
)


@dataclass(frozen=True, slots=True)
class Article:
    """A text of the site."""

    slug: str
    section: str
    title: str
    paragraphs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SitePage:
    """A page as a server sends it, with its path and, in the archive, its whole address."""

    path: str
    article: Article
    html: bytes


def read_articles(path: Path = HERE / "articles.txt") -> list[Article]:
    """Read the texts: a line `# slug | section`, a title, and a paragraph on each further line."""
    articles = []
    for part in path.read_text("utf-8").removeprefix("# ").split("\n# "):
        head, title, *paragraphs = part.strip().split("\n")
        slug, _, section = head.partition(" | ")
        articles.append(Article(slug, section, title, tuple(paragraphs)))
    return articles


# Layouts


def write_modern(article: Article, others: Sequence[Article]) -> str:
    """Write a page of today: elements with a meaning, a figure, related stories."""
    menu = "".join(
        f'<li><a href="/muc/{number}">{name}</a></li>' for number, name in enumerate(MENU)
    )
    related = "".join(
        f'<li><a href="/{other.slug}.html">{escape(other.title)}</a></li>' for other in others
    )
    first, *rest = [f"<p>{escape(text)}</p>" for text in article.paragraphs]
    figure = f'<figure><img src="/anh/{article.slug}.jpg" alt=""><figcaption>Ảnh: Minh Quân</figcaption></figure>'
    return (
        f'<!DOCTYPE html><html lang="vi"><head><meta charset="utf-8"><title>{escape(article.title)} - Báo Ven Sông</title>'
        f'<meta property="og:title" content="{escape(article.title)}"></head><body>'
        f"<header><a href=/>Báo Ven Sông</a><nav><ul>{menu}</ul></nav></header>"
        f"<main><article><p class=breadcrumb><a href=/muc>{escape(article.section)}</a></p>"
        f"<h1>{escape(article.title)}</h1>{first}{figure}{''.join(rest)}</article>"
        f"<aside><h2>Tin liên quan</h2><ul>{related}</ul></aside></main><footer><p>{FOOTER}</p></footer></body></html>"
    )


def write_portal(article: Article, others: Sequence[Article], label: str) -> str:
    """Write a page of about 2008: columns of boxes, teasers of other stories, comments."""
    menu = " | ".join(f'<a href="/muc{number}.html">{name}</a>' for number, name in enumerate(MENU))
    teasers = "".join(
        f'<div class="teaser"><a href="/{other.slug}.html">{escape(other.title)}</a><br>'
        f"{escape(other.paragraphs[0][:60])}... <a href=#>Xem tiếp</a></div>"
        for other in others
    )
    body = "".join(f'<div class="para">{escape(text)}</div>' for text in article.paragraphs)
    comments = "".join(
        f'<div class="comment"><b>Bạn đọc {n}</b>: {text}</div>'
        for n, text in enumerate(COMMENTS, 1)
    )
    meta = f'<meta http-equiv="Content-Type" content="text/html; charset={label}">'
    return (
        f'<html><head>{meta}<title>{escape(article.title)}</title></head><body><div id="top">{menu}</div>'
        f'<div id="left">{teasers}</div><div id="center"><div class="title"><h1>{escape(article.title)}</h1></div>'
        f'{body}<div id="comments"><h3>Ý kiến bạn đọc</h3>{comments}</div></div><div id="foot">{FOOTER}</div></body></html>'
    )


def write_tables(article: Article, others: Sequence[Article]) -> str:
    """Write a page of about 2001: nested tables, fonts, line breaks, no class names, no encoding."""
    menu = "".join(
        f'<tr><td><a href="m{number}.htm"><font size=2>{name}</font></a></td></tr>'
        for number, name in enumerate(MENU)
    )
    links = "<br>".join(
        f'<a href="{other.slug}.htm"><font size=1>{escape(other.title)}</font></a>'
        for other in others
    )
    body = "<br><br>\n".join(escape(text) for text in article.paragraphs)
    return (
        f"<HTML><HEAD><TITLE>{escape(article.title)}</TITLE></HEAD><BODY bgcolor=#FFFFFF>"
        f"<TABLE width=760><TR><TD width=140 valign=top><TABLE>{menu}</TABLE></TD>"
        f"<TD valign=top><FONT size=4><B>{escape(article.title)}</B></FONT><BR><BR><FONT face=.VnTime>{body}</FONT>"
        f"<BR><BR><HR><FONT size=1>{links}</FONT></TD></TR><TR><TD colspan=2><FONT size=1>{FOOTER}</FONT></TD></TR></TABLE>"
        "</BODY></HTML>"
    )


# Encodings older than Unicode

_TCVN3_LETTERS = "àáảãạăằắẳẵặâầấẩẫậđèéẻẽẹêềếểễệìíỉĩịòóỏõọôồốổỗộơờớởỡợùúủũụưừứửữựỳýỷỹỵĂÂĐÊÔƠƯ"
_TCVN3_BYTES = bytes.fromhex(
    "b5b8b6b7b9 a8bbbebcbdc6 a9c7cac8c9cb ae ccd0cecfd1 aad2d5d3d4d6 d7ddd8dcde dfe3e1e2e4 abe5e8e6e7e9"
    "aceaedebecee eff3f1f2f4 adf5f8f6f7f9 fafdfbfcfe a1a2a7a3a4a5a6"
)
_VNI_LETTERS = {
    "đ": "ñ",
    "ỵ": "î",
    "ỉ": "æ",
    "ĩ": "ó",
    "ị": "ò",
    "í": "í",
    "ì": "ì",
    "ơ": "ô",
    "ư": "ö",
}
_VNI_TONES = {"\u0301": "ù", "\u0300": "ø", "\u0309": "û", "\u0303": "õ", "\u0323": "ï"}
_VNI_HATS = {
    "\u0302": {"": "â", "\u0301": "á", "\u0300": "à", "\u0309": "å", "\u0303": "ã", "\u0323": "ä"},
    "\u0306": {"": "ê", "\u0301": "é", "\u0300": "è", "\u0309": "ú", "\u0303": "ü", "\u0323": "ë"},
}


def to_tcvn3(text: str) -> bytes:
    """Write TCVN3, the encoding of the ABC fonts. It has no capitals with tones: small letters stand for them."""
    table = dict(zip(_TCVN3_LETTERS, _TCVN3_BYTES, strict=True))
    return bytes(table.get(letter) or table.get(letter.lower()) or ord(letter) for letter in text)


def to_vni(text: str) -> bytes:
    """Write VNI, which puts marks after their letters as letters of windows-1252."""
    return "".join(map(_vni_letter, text)).encode("windows-1252")


def _vni_letter(letter: str) -> str:
    small = letter.lower()
    if small in _VNI_LETTERS:
        written = _VNI_LETTERS[small]
    else:
        base, *marks = unicodedata.normalize("NFD", small)
        hats = [mark for mark in marks if mark in _VNI_HATS]
        tone = next((mark for mark in marks if mark in _VNI_TONES), "")
        if hats:
            written = base + _VNI_HATS[hats[0]][tone]
        else:
            horned = base + "\u031b" if "\u031b" in marks else base
            whole = unicodedata.normalize("NFC", horned)
            written = _VNI_LETTERS.get(whole, whole) + (_VNI_TONES[tone] if tone else "")
    return written if letter == small else written.upper()


def to_windows_1258(text: str) -> bytes:
    """Write windows-1258 as Windows types it: the tone is a character after its vowel."""
    return "".join(map(_part_tone, text)).encode("cp1258")


def _part_tone(letter: str) -> str:
    parts = unicodedata.normalize("NFD", letter)
    tone = "".join(mark for mark in parts if mark in _VNI_TONES)
    return unicodedata.normalize("NFC", parts.replace(tone, "")) + tone if tone else letter


def to_utf_8(text: str) -> bytes:
    """Write UTF-8."""
    return text.encode()


# Sites


def feed_pages(articles: Sequence[Article]) -> list[SitePage]:
    """Make the pages of the site with a feed, all in UTF-8."""
    chosen = articles[:FROM_FEED]
    return [
        SitePage(
            f"{article.slug}.html",
            article,
            write_modern(article, _others(chosen, article)).encode(),
        )
        for article in chosen
    ]


def sitemap_pages(articles: Sequence[Article]) -> list[SitePage]:
    """Make the pages of the site with a sitemap: a third each in UTF-8, windows-1258, and that under a wrong name."""
    chosen = articles[FROM_FEED : FROM_FEED + FROM_SITEMAP]
    forms: tuple[tuple[str, Callable[[str], bytes]], ...] = (
        ("utf-8", to_utf_8),
        ("windows-1258", to_windows_1258),
        ("iso-8859-1", to_windows_1258),
    )
    pages = []
    for number, article in enumerate(chosen):
        label, encode = forms[number % len(forms)]
        pages.append(
            SitePage(
                f"{article.slug}.html",
                article,
                encode(write_portal(article, _others(chosen, article), label)),
            )
        )
    return pages


def archive_pages(articles: Sequence[Article]) -> list[SitePage]:
    """Make the pages of the archive: the old site, its reprints, copies, English pages and one without a story."""
    chosen = articles[FROM_FEED + FROM_SITEMAP :]
    forms = (to_tcvn3, to_vni, to_windows_1258, to_utf_8)
    pages = [
        SitePage(
            f"http://bao-cu.example/{article.slug}.htm",
            article,
            forms[number % len(forms)](write_tables(article, _others(chosen, article))),
        )
        for number, article in enumerate(chosen)
    ]
    for article in articles[:REPRINTED]:
        again = replace(
            article,
            paragraphs=(*article.paragraphs[:-1], article.paragraphs[-1] + " Theo Báo Ven Sông."),
        )
        pages.append(
            SitePage(
                f"http://bao-cu.example/{article.slug}.htm",
                again,
                to_utf_8(write_tables(again, chosen[:4])),
            )
        )
    for article in articles[REPRINTED : REPRINTED + COPIED]:
        copy = write_modern(article, _others(articles[:FROM_FEED], article)).encode()
        pages.append(SitePage(f"http://m.ven-song.example/{article.slug}.html", article, copy))
    pages.extend(
        SitePage(
            f"http://bao-cu.example/en/{article.slug}.htm",
            article,
            to_utf_8(write_tables(article, chosen[:4])),
        )
        for article in read_articles(HERE / "english.txt")
    )
    video = Article("video", "Video", "Xem video", ("Mời quý vị xem video trong ngày.",))
    return [
        *pages,
        SitePage(
            "http://bao-cu.example/video.htm", video, to_utf_8(write_tables(video, chosen[:4]))
        ),
    ]


def _others(articles: Sequence[Article], article: Article) -> list[Article]:
    """Choose the stories that a page links to: the four after it."""
    place = list(articles).index(article)
    return [articles[(place + step) % len(articles)] for step in range(1, 5)]


def write_feed(pages: Iterable[SitePage], root: str) -> str:
    """Write an RSS feed of pages."""
    items = "".join(
        f"<item><title>{escape(page.article.title)}</title><link>{root}/{page.path}</link></item>"
        for page in pages
    )
    return f'<?xml version="1.0" encoding="utf-8"?><rss version="2.0"><channel><title>Báo Ven Sông</title>{items}</channel></rss>'


def write_sitemap(pages: Iterable[SitePage], root: str) -> str:
    """Write a sitemap of pages, and of one that does not exist any more."""
    places = "".join(
        f"<url><loc>{root}/{path}</loc></url>"
        for path in (*(page.path for page in pages), "da-xoa.html")
    )
    return f'<?xml version="1.0" encoding="utf-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{places}</urlset>'


def write_archive(pages: Iterable[SitePage], path: Path) -> None:
    """Write a WARC file with a gzip member for each page; the old server named no encoding."""
    with path.open("wb") as file:
        for page in pages:
            block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + page.html
            head = (
                f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {page.path}\r\nWARC-Date: 2002-05-01T00:00:00Z\r\n"
                f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
            )
            file.write(gzip.compress(head.encode() + block + b"\r\n\r\n", mtime=0))


def write_sites(folder: Path, root: str = ROOT) -> None:
    """Write everything to a folder."""
    articles, web = read_articles(), folder / "web"
    web.mkdir(parents=True, exist_ok=True)
    of_feed, of_sitemap = feed_pages(articles), sitemap_pages(articles)
    for page in (*of_feed, *of_sitemap):
        (web / page.path).write_bytes(page.html)
    (web / "feed.xml").write_text(write_feed(of_feed, root), "utf-8")
    (web / "sitemap.xml").write_text(write_sitemap(of_sitemap, root), "utf-8")
    write_archive(archive_pages(articles), folder / "crawl.warc.gz")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--root", default=ROOT, help=f"where OUT/web will be served; default {ROOT}"
    )
    options = parser.parse_args()
    write_sites(options.folder, options.root)
