"""Generate sites with several pages, in several languages and layouts, and the body text of every page.

Each site has other boilerplate: only menus and footers; boxes of prose between the paragraphs;
prose in the element of the body, before and after it; teasers that change from page to page; tables
whose labels repeat and belong to the text; elements without meaningful names. Texts come from small
vocabularies: no method reads words, so the layout decides.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

LANGUAGES = {
    "en": "the of harbour council stone morning engine people river between after letter under market winter school",
    "vi": "của thành phố những người không được trong một cảng biển sáng mùa đông trường chợ thư giữa nước đường năm",
    "de": "der die Stadt Hafen zwischen nach unter Morgen Winter Schule Rat Maschine Leute Fluss Brief Markt jedoch",
    "ru": "город между после утро зима школа совет машина люди река письмо рынок камень порт однако который время",
    "ar": "المدينة بين بعد صباح شتاء مدرسة مجلس آلة ناس نهر رسالة سوق حجر ميناء لكن الذي وقت طريق بيت",
    "zh": "城市 之间 以后 早晨 冬天 学校 议会 机器 人们 河流 信件 市场 石头 港口 但是 时间 道路 房子",
}
SIZES = (5, 10, 20, 50)


@dataclass(frozen=True, slots=True)
class Made:
    """A page of a made site."""

    html: str
    url: str
    site: str
    layout: str
    text: str  # the body


class Writer:
    """Writes random sentences of a language."""

    def __init__(self, language: str, seed: str) -> None:
        self.chance = random.Random(seed)
        self._words = LANGUAGES[language].split()
        self._joint, self._stop = ("", "。") if language == "zh" else (" ", ".")

    def words(self, least: int, most: int) -> str:
        """Some words, one of them with a number, so that no two pieces are the same."""
        chosen = [self.chance.choice(self._words) for _ in range(self.chance.randint(least, most))]
        chosen[self.chance.randrange(len(chosen))] += str(self.chance.randint(1, 9_999))
        return self._joint.join(chosen)

    def sentence(self) -> str:
        """A sentence."""
        return self.words(8, 22).capitalize() + self._stop

    def paragraph(self, least: int = 2, most: int = 5) -> str:
        """A few sentences."""
        return " ".join(self.sentence() for _ in range(self.chance.randint(least, most)))


@dataclass(frozen=True, slots=True)
class Site:
    """What all pages of a site share."""

    writer: Writer
    names: tuple[str, str, str]  # classes of the wrapper, the body, a box
    menu: str
    footer: str
    boxes: tuple[str, ...]


Body = list[tuple[str, str]]  # tag and text
Layout = Callable[[Site, Writer, Body], str]


def _join(body: Body) -> str:
    return "".join(f"<{tag}>{text}</{tag}>" for tag, text in body)


def lay_plain(site: Site, _: Writer, body: Body) -> str:
    """Menu, body, footer."""
    return f"<nav>{site.menu}</nav><main class={site.names[1]}>{_join(body)}</main><footer>{site.footer}</footer>"


def lay_boxes(site: Site, _: Writer, body: Body) -> str:
    """Boxes of prose between the paragraphs, in plain paragraphs."""
    middle = len(body) // 2
    first, last = _join(body[:middle]), _join(body[middle:])
    return (
        f"<div>{site.menu}</div><div class={site.names[0]}><div class={site.names[1]}>{first}"
        f"<p>{site.boxes[0]}</p>{last}<p>{site.boxes[1]}</p></div></div><div>{site.footer}</div>"
    )


def lay_prose(site: Site, _: Writer, body: Body) -> str:
    """Prose about the site before and after the body, in the same element."""
    first, second, third, last = (f"<p>{box}</p>" for box in site.boxes)
    inner = f"{first}{second}{_join(body)}{third}{last}"
    return f"<div>{site.menu}</div><div class={site.names[1]}>{inner}</div><div>{site.footer}</div>"


def lay_teasers(site: Site, writer: Writer, body: Body) -> str:
    """Teasers after the body, different on each page, and a list of the most read pages, always the same."""
    teasers = "".join(
        f"<div class={site.names[2]}><a href=/{n}><h3>{writer.words(4, 9)}</h3></a><p>{writer.sentence()}</p></div>"
        for n in range(4)
    )
    most = "".join(f"<p>{box}</p>" for box in site.boxes[:3])
    return (
        f"<div>{site.menu}</div><div class={site.names[0]}><div class={site.names[1]}>{_join(body)}</div>{teasers}"
        f"<div class={site.names[2]}>{most}</div></div><div>{site.footer}</div>"
    )


def lay_bare(site: Site, _: Writer, body: Body) -> str:
    """No names at all, and a column of prose next to the body."""
    column = "".join(f"<div>{box}</div>" for box in site.boxes[:3])
    inner = "".join(f"<div>{text}</div>" for _, text in body)
    return f"<table><tr><td>{site.menu}</td><td>{inner}</td><td>{column}</td></tr></table><div>{site.footer}</div>"


LAYOUTS: dict[str, Layout] = {
    "menus and footers alone": lay_plain,
    "boxes between the paragraphs": lay_boxes,
    "prose in the body's own element": lay_prose,
    "teasers that change": lay_teasers,
    "elements without names, prose beside": lay_bare,
    "a table whose labels repeat": lay_plain,
}


def make_sites(most: int = 1_000) -> Iterator[Made]:
    """Make the pages of all sites: one for every layout, language and size."""
    count = 0
    for layout in LAYOUTS:
        for language in LANGUAGES:
            for pages in SIZES:
                if count < most:
                    yield from make_site(layout, language, pages)
                count += 1


def make_site(layout: str, language: str, pages: int) -> Iterator[Made]:
    """Make the pages of one site."""
    host = f"{list(LAYOUTS).index(layout)}-{language}-{pages}.example"
    writer = Writer(language, host)
    names = (
        ("wrap", "c1", "c2")
        if writer.chance.random() < 0.5
        else ("page-inner", "post-content", "module")
    )
    menu = "".join(f"<ul><li><a href=/{n}>{writer.words(1, 2)}</a></li></ul>" for n in range(12))
    boxes = tuple(writer.paragraph() for _ in range(4))
    site = Site(writer, names, menu, f"<p>{writer.paragraph(1, 3)}</p>", boxes)
    for number in range(pages):
        own = Writer(language, f"{host}/{number}")
        body: Body = [("h1", own.words(4, 10))]
        body += [("p", own.paragraph()) for _ in range(own.chance.randint(3, 12))]
        inner, text = LAYOUTS[layout](site, own, body), [part for _, part in body]
        if layout == "a table whose labels repeat":
            inner, text = _add_table(inner, text, site, own)
        html = f"<!doctype html><html lang={language}><title>{body[0][1]}</title><body>{inner}"
        yield Made(html, f"http://{host}/{number}", host, layout, "\n".join(text))


def _add_table(inner: str, text: list[str], site: Site, writer: Writer) -> tuple[str, list[str]]:
    labels = [box.split(".")[0].split("。")[0][:24] for box in site.boxes]
    rows = [(label, writer.words(1, 4)) for label in labels]
    table = "".join(f"<tr><td>{label}</td><td>{value}</td></tr>" for label, value in rows)
    return inner.replace("</main>", f"<table>{table}</table></main>"), text + [
        cell for row in rows for cell in row
    ]
