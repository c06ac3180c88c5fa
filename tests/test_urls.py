"""The examples in the docstrings of bodytext.page.urls, and the address from which relative ones start.

The rest is tested with the media.
"""

import doctest
import json

import pytest

from bodytext import extract, parse
from bodytext.output.html import to_html
from bodytext.output.json import to_json
from bodytext.output.markdown import to_markdown
from bodytext.page import urls
from bodytext.page.urls import base_address

CANONICAL = "<link rel=canonical href=https://a.example/news/1.html>"
SHARED = '<meta property="og:url" content="https://b.example/2">'
STORY = (
    "<article><h1>The harbour</h1><p>The old harbour of the town was opened again on Monday, after three years of work "
    "and <a href=/tides>many tides</a>, said the mayor, who had waited for it longer than anyone else in the town.</p>"
    "<p>Ships of all sizes may come in again, and the first of them brought <a href=2.html>fruit</a>, wood and wine "
    "from the south, while a band played for the hundreds who stood on the quay.</p>"
    "<p><img src=quay.jpg alt=quay></p></article>"
)


LONG = "a" * 1_000


def test_the_examples() -> None:
    assert doctest.testmod(urls).failed == 0


@pytest.mark.parametrize(
    ("head", "url", "base"),
    [
        (CANONICAL, "", "https://a.example/news/1.html"),
        (SHARED, "", "https://b.example/2"),
        (SHARED + CANONICAL, "", "https://a.example/news/1.html"),
        (CANONICAL, "https://c.example/", "https://c.example/"),
        (CANONICAL + "<base href=/x/>", "", "https://a.example/x/"),
        (CANONICAL + "<base href=https://d.example/>", "", "https://d.example/"),
        ("<link rel='CANONICAL' href=https://a.example/>", "", "https://a.example/"),
        ("<link rel=canonical href=/news/1.html>" + SHARED, "", "https://b.example/2"),
        ("<link rel=canonical href=javascript:alert(1)>", "", ""),
        ("<link rel=canonical href='https:///nothing'>", "", ""),
        ("<link rel=noncanonical href=https://a.example/>", "", ""),
        ("<meta name=description content='og:url https://a.example/'>", "", ""),
        (f"<base href=/{LONG}/>", "https://c.example/3", "https://c.example/3"),
        (f"<base href=https://d.example/{LONG}/>", f"https://c.example/{LONG}", ""),
        ("<base href=x/>", f"https://c.example/3?{LONG}", "https://c.example/x/"),
        ("", "", ""),
    ],
)
def test_relative_addresses_start_from_the_address_that_the_page_names(
    head: str, url: str, base: str
) -> None:
    assert base_address(parse(head + STORY, url=url)) == base


def test_links_and_images_of_a_page_without_an_address_are_absolute_by_its_canonical_link() -> None:
    document = extract(CANONICAL + STORY)
    assert document.url == ""  # as it was given
    markdown = to_markdown(document)
    assert "](https://a.example/tides)" in markdown
    assert "](https://a.example/news/2.html)" in markdown
    assert "](https://a.example/news/quay.jpg)" in markdown
    assert 'href="https://a.example/tides"' in to_html(document)
    assert json.loads(to_json(document))["media"][0]["source"] == "https://a.example/news/quay.jpg"
    assert "](/tides)" in to_markdown(extract(STORY))


def test_a_long_base_does_not_multiply_the_output() -> None:
    page = (
        f"<base href='https://a.example/{'b' * 8_000}/'>" + "<p>word <a href=c>link</a> word" * 500
    )
    document = extract(page, keep="body")
    assert document.structure
    for write in (to_markdown, to_html, to_json):
        assert len(write(document)) < 10 * len(page)


def test_an_address_with_a_scheme_in_capitals_is_one_on_the_web() -> None:
    document = extract("<p>Ships call at night.", url="HTTPS://news.example/a")
    assert '<link rel="canonical" href="HTTPS://news.example/a">' in document.html
    assert '<ptr target="HTTPS://news.example/a"/>' in document.tei
    others = extract("<p>Ships call at night.", url="javascript:https://news.example/")
    assert "canonical" not in others.html
    assert "<ptr" not in others.tei
