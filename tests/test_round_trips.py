"""Units that are written as Markdown or HTML and read again have the same structure."""

import pytest
from markdown_it import MarkdownIt

from bodytext.output.html import write_blocks
from bodytext.output.markdown import to_markdown
from bodytext.page.parser import parse
from bodytext.selection import select_all

UNITS = {
    "table": "<table><tr><th>Port<th>Leaves<tr><td>Lomvi<td>16:55<tr><td>Skarv<td>17:20</table>",
    "captioned table": "<table><caption>Times</caption><tr><th>Port<th>Leaves<tr><td>Lomvi<td>16:55</table>",
    "list": "<p>They sent:<ul><li>Two men of Lomvi<li>A cook with a boy<ul><li>Their dog</ul></ul>",
    "definitions": "<dl><dt>Eel<dd>A fish like a snake<dt>Crate<dd>A box of boards</dl>",
    "quotation": "<blockquote><p>We saw no land.<p>We saw no light.<footer>The mate</footer></blockquote>",
    "answer": "<details><summary>Does it sail in ice?</summary><p>It does, slowly.</details>",
    "code": "<p>Type this:<pre><code class=language-python>sail()\nmoor()</code></pre><p>Done.",
}


@pytest.mark.parametrize("name", UNITS)
def test_a_unit_survives_markdown_and_html(name: str) -> None:
    document = select_all(parse(UNITS[name]))
    renderer = MarkdownIt("commonmark", {"html": True}).enable("table")
    for html in (
        renderer.render(to_markdown(document)),
        write_blocks(document.structure.children),
    ):
        again = select_all(parse(html))
        assert again.structure == document.structure
        assert str(again) == str(document)
