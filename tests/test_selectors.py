"""CSS selectors over the tables, and pages without some of their elements."""

import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bodytext
from bodytext.page.pruning import prune
from bodytext.page.selectors import MOST_CHARACTERS, SelectorError, find_elements
from bodytext.page.tables import Page

PAGE = """<!DOCTYPE html><html><head><title>T</title></head><body>
<nav id=top class="menu main"><a href="/">Home</a> <a href="https://x.example/">X</a></nav>
<div class="ad box" data-slot="Top-1"><p>Buy</p></div>
<main><h1>Harbour</h1><p class=lead>One</p><p>Two <em>words</em></p><div class=ad><p>Sell</p></div>
<ul><li>a</li><li class=here>b</li><li>c</li><li>d</li></ul><p lang=en-GB>Three</p>
<my-widget kind="a &amp; b"><span class="md:flex">w</span></my-widget></main>
<footer><p>Foot</p></footer></body></html>"""
SELECTORS = [
    "p", "*", "P", "main p", "main > p", "h1 + p", "h1 ~ p", "p + p", "li + li", "li ~ li", ".ad", "div.ad.box",
    "#top", "nav#top.menu a", "[href]", "[href='/']", '[href^="https"]', "[href$='/']", "[href*=x]",
    "[data-slot|=Top]", "[lang|=en]", "[class~=box]", "[data-slot='top-1' i]", "li:first-child", "li:last-child",
    "li:nth-child(2)", "li:nth-child(odd)", "li:nth-child(2n)", "li:nth-child(-n+2)", "li:nth-child(n + 3)",
    "p:not(.lead)", "p:not(main p, .lead)", "main > :not(p)", "nav, footer", "my-widget", "my-widget > span",
    r".md\:flex", "[kind='a & b']", "em:only-child", "html", ":root", "body > *:not(main):not(nav)",
    "div p", "body div > p:first-child", "li:not(:first-child):not(:last-child)", ":is(h1, em)", "ul *",
]  # fmt: skip


def places(page: Page, selector: str) -> list[int]:
    nodes = find_elements(page, selector)
    return [
        int(page.nodes.start[node])
        for node in nodes
        if page.nodes.start[node] < page.nodes.end[node]
    ]


@pytest.mark.parametrize("selector", SELECTORS)
def test_the_same_elements_as_a_browsers_engine_finds(selector: str) -> None:
    parser = pytest.importorskip("selectolax.lexbor").LexborHTMLParser
    page = bodytext.parse(PAGE)
    expected = [node.html.partition(">")[0] for node in parser(PAGE).css(selector)]
    tree = {
        int(page.nodes.start[node]): parser_tag(page, node)
        for node in find_elements(page, selector)
    }
    assert len(tree) == len(expected), selector
    names = [text.lstrip("<").split()[0].rstrip(">").lower() for text in expected]
    assert sorted(tree.values()) == sorted(names)


def parser_tag(page: Page, node: int) -> str:
    start, end = int(page.nodes.start[node]), int(page.nodes.end[node])
    return page.source[start:end].decode().strip("<>").split()[0].lower()


def test_text_beside_cells_is_before_the_table_and_found_all_the_same() -> None:
    html = "<p>one<table class=y><tr><td class=z>a</td><i class=q>beside</i></table>"
    page = bodytext.parse(html)
    assert [len(find_elements(page, selector)) for selector in (".q", "table.y td.z")] == [1, 1]
    assert bodytext.extract(html, prune=".q", keep="body").text == "one\n\na"


@pytest.mark.parametrize("body", ["", "<tbody>"])
def test_a_tbody_may_be_implied(body: str) -> None:
    page = bodytext.parse(f"<div><table>{body}<tr><td>a<td>b<tr><td>c<td>d</table></div>")
    for selector, count in (
        ("div > table > tbody > tr > td", 4),
        ("table > tbody > tr:nth-child(2) > td:first-child", 1),
        ("table > tr", 0 if body else 2),
        ("div > tbody > tr", 0),
    ):
        assert len(find_elements(page, selector)) == count, selector


def test_elements_come_in_the_order_of_the_page() -> None:
    page = bodytext.parse(PAGE)
    assert places(page, "footer, h1, nav") == [
        PAGE.index(tag) for tag in ("<nav", "<h1", "<footer")
    ]


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        ("div[", "at its end, the name of an attribute is expected"),
        ("div[a=", "at its end, a value is expected"),
        ("a:hover", "at character 3, hover is not among"),
        ("", "at its end, a name"),
        ("p >", "at its end, a name"),
        ("p > > a", "at character 5, a name"),
        ("p..x", "at character 3, a class is expected"),
        (".1", "at character 2, a class is expected; it begins with a letter"),
        ("a[b='x]", "at character 5, the quotation mark is not closed"),
        ("li:nth-child(x)", "at character 14, a place such as 3"),
        ("li:nth-child(2", "at character 14, a place such as 3"),
        ("p)", "at character 2, this is not expected"),
        ("p,", "at its end, a name"),
        (":not(p", "at its end, ) is expected"),
        (":not(" * 20 + "p" + ")" * 20, "brackets in each other"),
        ("p," * MOST_CHARACTERS, "characters"),
    ],
)  # fmt: skip
def test_an_error_says_where_a_selector_goes_wrong(selector: str, message: str) -> None:
    with pytest.raises(SelectorError) as caught:
        find_elements(bodytext.parse(PAGE), selector)
    assert message in str(caught.value)


def test_names_with_capitals_outside_of_ascii_are_found() -> None:
    page = bodytext.parse('<p>Ships<p class="Übersicht">Menu<p id=ÉTÉ>Summer')
    assert len(find_elements(page, ".Übersicht, #ÉTÉ")) == 2


def test_a_pruned_page_is_the_page_without_the_elements() -> None:
    page = bodytext.parse(PAGE)
    pruned = prune(page, find_elements(page, ".ad, nav, em"))
    assert pruned.texts() == ["Harbour", "One", "Two", "a", "b", "c", "d", "Three", "w", "Foot"]
    places = zip(pruned.runs.start.tolist(), pruned.runs.end.tolist(), strict=True)
    assert [page.source[start:end].decode().strip() for start, end in places] == pruned.texts()
    assert pruned.nodes.parent.max() < len(pruned.nodes.tag)
    assert (pruned.nodes.parent[1:] < np.arange(1, len(pruned.nodes.parent))).all()
    assert not len(find_elements(pruned, ".ad, .ad *, nav, em"))
    assert len(find_elements(pruned, "main > ul > li")) == 4
    assert prune(page, find_elements(page, "blink")) is page
    assert len(prune(page, find_elements(page, "*"))) == 0


@pytest.mark.parametrize("name", ["finn", "runs", "cuter", "spread", "density", "learned"])
def test_every_method_and_format_takes_a_pruned_page(name: str) -> None:
    html = (Path(__file__).parents[1] / "examples/article.html").read_bytes()
    document = bodytext.extract(html, method=name, prune=["ul", "figure", "header, footer"])
    assert "watchmaker, who is eighty-one" in document.text
    assert "lathe that had made" not in document.text
    for written in (document.markdown, document.json, document.tei, document.html, document.xml):
        assert "eighty-one" in written
        assert "lathe that had made" not in written
    assert all(medium.kind != "image" for medium in document.media)
    assert not bodytext.extract(html, method=name, prune="*")


@pytest.mark.parametrize(
    "html",
    [
        "<div class=a>" * 20_000,
        "<p class='a b c'>x</p>" * 20_000,
        "<p title='&amp;&amp;&amp;'>x" * 20_000,
        "<x-y>" * 20_000,
    ],
)
def test_the_time_is_linear_in_the_page(html: str) -> None:
    selector = "div .a .a ~ .a, x-y > x-y, p[title*='&'] + p:not(.b .c), .a:nth-child(3n+1) .a"

    def seconds(text: str) -> float:
        page, best = bodytext.parse(text), float("inf")
        for _ in range(3):
            begin = time.process_time()
            find_elements(page, selector)
            best = min(best, time.process_time() - begin)
        return best

    assert seconds(html) < 8 * max(seconds(html[: len(html) // 4]), 0.02)


@given(st.text("ap.#[]=*~|^$:()>+, \t\"'\\1n-i not nth-child first-child\n\x00é", max_size=30))
def test_any_text_is_a_selector_or_a_selector_error(text: str) -> None:
    page = bodytext.parse(PAGE)
    try:
        nodes = find_elements(page, text)
    except SelectorError as error:
        assert "at " in str(error)  # noqa: PT017
    else:
        assert nodes.tolist() == sorted(set(nodes.tolist()))
