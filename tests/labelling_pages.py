"""Small pages for the tests of labelling: articles with a menu, a box of links, comments and a footer."""

from pathlib import Path

WORDS = (
    "harbour", "storm", "boats", "wall", "quiet", "morning", "water", "lantern", "rope", "captain", "window", "letter",
    "garden", "river", "stone", "bridge",
)  # fmt: skip


def write_article(number: int, *, site: str = "a.example", paragraphs: int = 6) -> str:
    """Return an article; each number has its own."""
    name = WORDS[number % len(WORDS)].capitalize()
    menu = "".join(f"<li><a href='/{word}'>{word.capitalize()}</a></li>" for word in WORDS[:5])
    body = "".join(
        f"<p>{name} paragraph {line}: the {WORDS[(number + line) % len(WORDS)]} lay still, and nobody in town could "
        f"say why the {WORDS[(number * 3 + line) % len(WORDS)]} had been left there since the spring of that year. "
        f"Some had heard a {WORDS[(number * 5 + line) % len(WORDS)]} at night, others had only read about it, "
        "and the council, which met on Tuesdays, had put the question off until the autumn, when the visitors would "
        "be gone and there would be time to think about it.</p>"
        for line in range(paragraphs)
    )
    offer = "<div class='offer'><p>Subscribe now and read the first month for free, with all our letters.</p></div>"
    comments = "".join(
        f"<div class='comment'><span class='author'>Reader {day}</span> "
        f"<time datetime='2026-02-0{day}'>{day} February</time>"
        f"<p>I remember the {WORDS[(number + day) % len(WORDS)]} well, we walked there every day.</p></div>"
        for day in (1, 2)
    )
    return (
        f"<!doctype html><html lang='en'><head><title>{name} of the town</title>"
        f"<link rel='canonical' href='https://{site}/{number}'><meta name='author' content='Ann Lee'>"
        f"<meta property='article:published_time' content='2026-02-01T08:00:00Z'></head>"
        f"<body><nav><ul>{menu}</ul></nav><main><article><h1>{name} of the town</h1>{body}{offer}</article>"
        f"<section id='comments' class='comments'><h2>Comments</h2>{comments}</section></main>"
        f"<footer><p>Imprint and contact</p></footer></body></html>"
    )


def write_folder(folder: Path, count: int, sites: int = 2) -> Path:
    """Write pages of some sites to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        page = write_article(number, site=f"site{number % sites}.example")
        (folder / f"page{number}.html").write_text(page, "utf-8")
    return folder
