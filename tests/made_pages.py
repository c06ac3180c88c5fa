"""Made pages of kinds that are rare on today's web, in many languages, each with its body text.

The texts are those of the pages in `labelled`. Each is written in the markup of mails, fragments,
feeds, old news, small sites, very long pages, and short reports among headlines.
"""

import html
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

LABELLED = Path(__file__).parent.parent / "labelled" / "ground-truth"
LANGUAGES = (
    "ar", "de", "el", "en", "es", "fr", "he", "hi", "ja", "ko", "pl", "ru", "th", "tr", "uk", "vi", "zh",
)  # fmt: skip
LEAST_CHARACTERS = 60  # of a paragraph
LONG = (300, 3_000)  # paragraphs of long pages


class Story(NamedTuple):
    """A headline, the paragraphs below it, and headlines of other stories."""

    language: str
    title: str
    paragraphs: tuple[str, ...]
    headlines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MadePage:
    """A page and its body text."""

    kind: str
    language: str
    html: str
    body: str


Maker = Callable[[Story], tuple[str, Sequence[str]]]


def make_pages() -> Iterator[MadePage]:
    """All pages: every kind in every language, and the long ones in English."""
    stories = read_stories()
    for language in LANGUAGES:
        for kind, make in KINDS.items():
            page, body = make(stories[language])
            yield MadePage(kind, language, page, "\n\n".join(body))
    for count in LONG:
        yield from make_long(stories["en"], count)


def read_stories() -> dict[str, Story]:
    """An article of each language, with the headlines of all others."""
    articles: dict[str, tuple[str, tuple[str, ...]]] = {}
    for path in sorted(LABELLED.glob("*.json")):
        label = json.loads(path.read_text("utf-8"))
        if label["page_type"] == "article" and label["language"] not in articles:
            truth = label["ground_truth"]
            parts = truth["main_content"].split("\n\n")
            paragraphs = [
                part for part in parts if len(part) >= LEAST_CHARACTERS and "\t" not in part
            ]
            articles[label["language"]] = (truth["title"], tuple(paragraphs))
    return {
        language: Story(language, *article, _headlines(article[1]))
        for language, article in articles.items()
    }


def _headlines(paragraphs: Sequence[str]) -> tuple[str, ...]:
    """Short lines in the language of the paragraphs: beginnings of their sentences."""
    lines = []
    for paragraph in reversed(paragraphs):
        for sentence in paragraph.replace("。", ". ").replace("।", ". ").split(". "):
            words = sentence.split()
            lines.append(" ".join(words[:6]) if len(words) > 1 else sentence[:14])
    return tuple(line.strip(" .,") for line in lines if len(line) > 8)


def _text(*paragraphs: str, tag: str = "p") -> str:
    return "\n".join(f"<{tag}>{html.escape(paragraph)}</{tag}>" for paragraph in paragraphs)


def _links(lines: Sequence[str], tag: str = "li") -> str:
    parts = [
        f'<{tag}><a href="/{number}">{html.escape(line)}</a></{tag}>'
        for number, line in enumerate(lines)
    ]
    return "".join(parts)


def _menu(story: Story) -> str:
    words = [line.split()[0][:12] for line in story.headlines[:6]]
    return f"<ul>{_links(words)}</ul>"


def _document(story: Story, body: str) -> str:
    title = html.escape(story.title)
    return f"<!doctype html><html lang={story.language}><meta charset=utf-8><title>{title}</title><body>{body}</body></html>"


def make_tiny(story: Story) -> tuple[str, Sequence[str]]:
    """A page of one heading and two paragraphs below a menu."""
    body = story.paragraphs[:2]
    page = f"{_menu(story)}<h1>{html.escape(story.title)}</h1>{_text(*body)}"
    return _document(story, page), (story.title, *body)


def make_paragraph(story: Story) -> tuple[str, Sequence[str]]:
    """One paragraph and nothing else."""
    return _text(story.paragraphs[0]), story.paragraphs[:1]


def make_fragment(story: Story) -> tuple[str, Sequence[str]]:
    """Paragraphs without a document around them."""
    return f"<div>{_text(*story.paragraphs)}</div>", story.paragraphs


def make_plain(story: Story) -> tuple[str, Sequence[str]]:
    """Text in one <pre>."""
    lines = "\n\n".join(html.escape(paragraph) for paragraph in story.paragraphs)
    return f"<html><body><pre>{lines}</pre></body></html>", story.paragraphs


def make_feed_body(story: Story) -> tuple[str, Sequence[str]]:
    """The body of a feed's item: paragraphs, a picture, a link to the rest."""
    body = story.paragraphs[:3]
    return f'{_text(*body)}<img src="/a.jpg"><p><a href="/more">...</a></p>', body


def make_mail(story: Story) -> tuple[str, Sequence[str]]:
    """A mail in tables, with a link to see it in the browser and one to stop it."""
    cells = "".join(
        f"<tr><td style='padding:8px'>{html.escape(part)}</td></tr>" for part in story.paragraphs
    )
    first, last = (html.escape(line) for line in story.headlines[:2])
    page = (
        f"<table width=100%><tr><td align=center><a href='#'>{first}</a></td></tr></table>"
        f"<table width=600>{cells}</table>"
        f"<table width=600><tr><td><font size=1><a href='/stop'>{last}</a></font></td></tr></table>"
    )
    return f"<html><body bgcolor=white>{page}</body></html>", story.paragraphs


def make_breaks(story: Story) -> tuple[str, Sequence[str]]:
    """Paragraphs that are separated by line breaks, below a menu and above a footer."""
    lines = "<br><br>\n".join(html.escape(part) for part in story.paragraphs)
    page = (
        f"<div>{_menu(story)}</div><h1>{html.escape(story.title)}</h1><div>{lines}</div>"
        f"<div><small>{_links(story.headlines[:3], 'span')}</small></div>"
    )
    return _document(story, page), (story.title, *story.paragraphs)


def make_divisions(story: Story) -> tuple[str, Sequence[str]]:
    """Paragraphs that are <div>s without names."""
    page = (
        f"<div>{_menu(story)}</div><div><h2>{html.escape(story.title)}</h2>"
        f"{_text(*story.paragraphs, tag='div')}</div><div>{_links(story.headlines[:8], 'div')}</div>"
    )
    return _document(story, page), (story.title, *story.paragraphs)


def make_old_news(story: Story) -> tuple[str, Sequence[str]]:
    """News of 2000: the layout is a table, the text is in <font>, nothing has a name."""
    left = _links(story.headlines[:14], "br")
    right = "<br>".join(
        f'<a href="/{n}">{html.escape(line)}</a>' for n, line in enumerate(story.headlines[-10:])
    )
    text = "".join(
        f"<p><font face=arial size=2>{html.escape(part)}</font>" for part in story.paragraphs
    )
    page = (
        "<table width=760 cellpadding=0><tr><td colspan=3><img src=logo.gif><font size=1>"
        f"{_links(story.headlines[:5], 'b')}</font></td></tr><tr><td width=120 valign=top>{left}</td>"
        f"<td valign=top><font size=5><b>{html.escape(story.title)}</b></font>{text}</td>"
        f"<td width=160 valign=top bgcolor=#eeeeee><font size=1>{right}</font></td></tr></table>"
    )
    return _document(story, page), (story.title, *story.paragraphs)


def make_short(story: Story) -> tuple[str, Sequence[str]]:
    """A report of one paragraph beside many headlines."""
    body = story.paragraphs[:1]
    page = (
        f"<nav>{_menu(story)}</nav><main><article><h1>{html.escape(story.title)}</h1>{_text(*body)}"
        f"</article></main><aside>{_cards(story)}</aside><footer>{_menu(story)}</footer>"
    )
    return _document(story, page), (story.title, *body)


def make_short_in_divisions(story: Story) -> tuple[str, Sequence[str]]:
    """The same, but no element says what it is."""
    body = story.paragraphs[:1]
    page = (
        f"<div>{_menu(story)}</div><div><h1>{html.escape(story.title)}</h1>{_text(*body)}</div>"
        f"<div>{_cards(story)}</div><div>{_menu(story)}</div>"
    )
    return _document(story, page), (story.title, *body)


def _cards(story: Story) -> str:
    return "".join(
        f'<div class=card><h3><a href="/{n}">{html.escape(line)}</a></h3></div>'
        for n, line in enumerate(story.headlines * 3)
    )


def make_refrain(story: Story) -> tuple[str, Sequence[str]]:
    """A text whose second paragraph returns after each other one."""
    first, refrain, *others = story.paragraphs
    body = [first, refrain]
    for paragraph in others:
        body += [paragraph, refrain]
    page = f"<div>{_menu(story)}</div><h1>{html.escape(story.title)}</h1><div>{_text(*body)}</div>"
    return _document(story, page), (story.title, *body)


def make_long(story: Story, count: int) -> Iterator[MadePage]:
    """One text of many paragraphs, in three kinds of markup."""
    parts = [
        f"{number}. {story.paragraphs[number % len(story.paragraphs)]}"
        for number in range(1, count + 1)
    ]
    for name, markup in {
        "<p>": _text(*parts),
        "<div>": _text(*parts, tag="div"),
        "<br>": "<br><br>".join(html.escape(part) for part in parts),
    }.items():
        page = f"<div>{_menu(story)}</div><h1>{html.escape(story.title)}</h1><div>{markup}</div>"
        body = "\n\n".join((story.title, *parts))
        yield MadePage(f"long {name} {count}", "en", _document(story, page), body)


KINDS: dict[str, Maker] = {
    "tiny": make_tiny,
    "paragraph": make_paragraph,
    "fragment": make_fragment,
    "plain": make_plain,
    "feed body": make_feed_body,
    "mail": make_mail,
    "breaks": make_breaks,
    "divisions": make_divisions,
    "old news": make_old_news,
    "short": make_short,
    "short in divisions": make_short_in_divisions,
    "refrain": make_refrain,
}
