"""spread: the descent, with the document's own example."""

import numpy as np
import pytest

from bodytext import extract, parse
from bodytext.methods.spread import Spread

# The document's example in our own words: a two-column table, the menu in the first cell, the paragraphs in the second.
EXAMPLE = """<html><head><title> My New Web Page </title></head><body><table>
<tr><td colspan="2"><h1> Welcome to My Web Page! </h1></td></tr>
<tr><td width="200"><a>Menu item 1</a><br></td>
<td id="maincontent"><p>This page shows how a page can be written by hand with nothing but a small text editor.</p>
<p>Any editor will do that saves plain text, and a better one than the usual can be had for free.</p>
<p>After this sentence stands a little picture, which is kept in a folder of its own beside the page.</p></td></tr>
</table></body></html>"""


def names(page_text: str, method: Spread) -> list[str]:
    page = parse(page_text)
    return [
        page.source[page.nodes.start[s.node] :].split(b">")[0].decode()[1:].split()[0]
        for s in method.descend(page)
    ]


def test_the_documents_example_ends_in_the_second_cell() -> None:
    assert names(EXAMPLE, Spread()) == ["body", "table", "tr", "td"]
    text = str(extract(EXAMPLE, method="spread"))
    assert text.startswith("This page shows")
    assert "Menu" not in text
    assert "Welcome" not in text


def test_k_is_the_mean_deviation_in_per_cent_of_the_text() -> None:
    page = parse("<body><div>" + "a" * 60 + "</div><div>" + "b" * 40 + "</div></body>")
    body = next(iter(Spread().descend(page)))
    assert body.children == 2
    assert body.spread == pytest.approx(100 * 10 / 100)


def test_even_text_stops_the_descent() -> None:
    page = parse("<body>" + "<p>one two three four</p>" * 8)
    assert len(list(Spread().descend(page))) == 1
    assert Spread().score(page).values.all()


def test_a_single_long_paragraph_keeps_its_fellows() -> None:
    page = parse(
        "<body><div><h1>Title</h1><p>" + "long text " * 80 + "</p><p>end</p></div><div>menu</div>"
    )
    assert Spread().score(page).values.tolist() == [1, 1, 1, 0]


def test_a_lone_paragraph_is_found() -> None:
    assert str(extract("<div><div><p>only this</p></div></div>", method="spread")) == "only this"


def test_direct_text_is_a_child_of_its_own() -> None:
    html = (
        "<body><div>"
        + "text without a paragraph around it " * 9
        + "<div>small</div></div><div>menu</div></body>"
    )
    assert "text without" in str(extract(html, method="spread"))


def test_the_longest_direct_text_ends_the_way_down() -> None:
    inner = "<div><p>small text one</p><p>another small one</p></div>"
    assert "long text" in str(
        extract(f"<body><div>{'long text ' * 100}{inner}</div><div>menu</div>", method="spread")
    )


def test_the_stop_value_and_the_measure_are_parameters() -> None:
    page = parse("<body><div>" + "a" * 60 + "</div><div>" + "b" * 40 + "</div></body>")
    assert Spread(stop=11).score(page).values.all()
    square = next(iter(Spread(measure="square").descend(page)))
    assert square.spread == pytest.approx(np.std([60, 40]))
    with pytest.raises(ValueError, match="measure must be one of"):
        Spread(measure="cubic")
