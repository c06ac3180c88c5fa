"""Find the language of code."""

import re

from bodytext.kernel.html import TAG
from bodytext.page.tables import Page, tag_mask

_ATTRIBUTES = ("data-lang", "data-language", "data-code-language", "data-highlight-language")
_LANGUAGE = re.compile(r"[a-z][\w+#.-]{0,29}")
_CLASS = re.compile(
    r"(?:^|\s)(?:language-|lang-|highlight-source-|highlight-text-|highlight-|brush:\s*+|sourceCode\s++|src-|"
    r"code-|syntax-|prettyprint\s++lang-)([A-Za-z][\w+#.-]{0,29})(?=[\s;]|$)"
)
# Classes of the same form that name no language.
_NO_LANGUAGES = """
    none text plain plaintext nohighlight no-highlight default block box container wrapper toolbar content inline
    snippet example area table view editor main code source header lines line wrap body output notranslate
"""
_NO_LANGUAGE = frozenset(_NO_LANGUAGES.split())
_KNOWN_LANGUAGES = """
    ada apache arduino asm assembly awk bash basic batch c clojure cmake cobol coffeescript console cpp csharp css csv
    cuda dart delphi diff dockerfile elixir elm erlang fortran fsharp gcode glsl go golang gradle graphql groovy haskell
    hcl html http ini java javascript js json jsonc jsx julia kotlin latex less lisp lua makefile markdown matlab
    mermaid nginx nim nix objectivec ocaml pascal perl php powershell prolog protobuf puppet python r reason ruby rust
    sass scala scheme scss sh shell smalltalk solidity sparql sql svelte swift tcl terraform tex toml ts tsx
    typescript vb vbnet verilog vhdl vim vue wasm xml yaml yml zig zsh
"""
_LANGUAGES = frozenset(_KNOWN_LANGUAGES.split())
_CODE_TAGS = (TAG["pre"], TAG["code"])
_NEAREST = 3  # levels from the <pre> up where highlighters name the language, but for a table with line numbers
_IS_TABLE = tag_mask("td tr tbody table")
_LONGEST_BARE = len("<code>")  # a tag without attributes
# What highlighters call the cell with the numbers of lines. Hugo calls that of the code the same (lntd).
_GUTTERS = """
    gutter code-gutter rouge-gutter blob-num hljs-ln-n hljs-ln-numbers lntd lineno linenos linenum linenums linenumber
    linenumbers line-num line-nums line-number line-numbers line_number line_numbers js-line-number
"""
_GUTTER = frozenset(_GUTTERS.split())


class Languages(dict[int, str]):
    """The languages that tags of a page name, by node, in lower case; looking one up reads it."""

    def __init__(self, page: Page) -> None:
        self._page = page

    def find(self, node: int) -> str:
        """The language that the tags in and around preformatted text name; or nothing."""
        nodes = self._page.nodes
        inside = node + 1
        if (
            inside < len(nodes.tag)
            and nodes.parent[inside] == node
            and nodes.tag[inside] == TAG["code"]
            and (language := self[inside])
        ):
            return language
        levels = 0
        while node > 0 and levels < _NEAREST and nodes.tag[node] != TAG["body"]:
            if language := self[node]:
                return language
            levels += not _IS_TABLE[nodes.tag[node]]
            node = int(nodes.parent[node])
        return ""

    def __missing__(self, node: int) -> str:
        nodes = self._page.nodes
        size = nodes.end.item(node) - nodes.start.item(node)
        language = self[node] = "" if size <= _LONGEST_BARE else self._read(node)
        return language

    def _read(self, node: int) -> str:
        attributes = self._page.attributes(node)
        for name in _ATTRIBUTES:
            language = attributes.get(name, "").strip().lower()
            if _LANGUAGE.fullmatch(language) and language not in _NO_LANGUAGE:
                return language
        names = attributes.get("class", "")
        for match in _CLASS.finditer(names):
            language = match[1].lower()
            if language not in _NO_LANGUAGE:
                return language
        if self._page.nodes.tag[node] in _CODE_TAGS:  # here the language may be a class of its own
            return next((name for name in names.lower().split() if name in _LANGUAGES), "")
        return ""


def is_gutter(page: Page, cell: int) -> bool:
    """Whether a class of a table cell says that it holds the line numbers of code."""
    start, end = page.nodes.start.item(cell), page.nodes.end.item(cell)
    if end - start <= len("<td >"):
        return False
    return not _GUTTER.isdisjoint(page.attributes(cell).get("class", "").lower().split())
