"""Find the formulas of a page as TeX, each once.

A formula in MathML gives its TeX annotation, its `alttext`, or else its own text. One in a script
of MathJax gives the script. KaTeX, MathJax and MediaWiki write a formula several times (for
screens, for screen readers, as an image): here that is one formula.
"""

import re
from dataclasses import dataclass, replace

import numpy as np

from bodytext.kernel.html import TAG
from bodytext.kernel.tokens import unescape
from bodytext.page.tables import Page
from bodytext.views.structure.element import Element

MOST_FORMULAS = 10_000
_WRAPPERS = re.compile(rb"katex|mathjax|mjx-|mwe-math", re.IGNORECASE)
_LONGEST_TAG = 1_000  # bytes of a tag that are read
_MOST_WRAPPERS = 4  # MathJax nests its container, a label, the assistive copy
_SCRIPT = re.compile(rb"math/tex", re.IGNORECASE)
_ANNOTATION = re.compile(
    rb"<annotation(?=[^>]{1,200}application/x-tex)[^>]{1,400}+>([^<]*+)<", re.IGNORECASE
)
_DISPLAY = re.compile(
    rb"display\s*=\s*[\"']?block|katex-display|mode=display|display=\"true\"", re.IGNORECASE
)
_WRAPPED = re.compile(r"\{\\(?:displaystyle|textstyle)\s(.*)\}", re.DOTALL)
# TeX in the text itself, as MathJax finds it: \( \), \[ \], $$ $$.
_DELIMITED = re.compile(
    r"\\\(((?>(?:(?!\\[()]).)+))\\\)|\\\[((?>(?:(?!\\[\[\]]).)+))\\\]|(?<!\$)\$\$([^$]++)\$\$(?!\$)",
    re.DOTALL,
)
_SHELL = re.compile(r"\"|(?<!\S)-[a-z]{3,}")  # find . \( -name "*.ts" -o -empty \)
_TEX_SIGN = re.compile(r"[\\^_{}=+<>]")


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula and the runs whose place it takes: none where the page shows it by script alone."""

    node: int
    first_run: int
    stop_run: int
    element: Element


def find_formulas(page: Page) -> list[Formula]:
    """Find the formulas of a page in its order."""
    nodes = page.nodes
    scripts = np.flatnonzero(nodes.tag == TAG["script"]).tolist()
    numbers = np.flatnonzero(nodes.tag == TAG["math"]).tolist()
    numbers = sorted(numbers + [node for node in scripts if is_math_script(page, node)])
    formulas: list[Formula] = []
    stop = -1  # of the last formula's runs
    for node in numbers[:MOST_FORMULAS]:
        formula = _read_formula(page, node) if nodes.first_run[node] >= stop else None
        if formula is None:
            continue
        if formulas and _repeats(page, formulas[-1], formula):
            formulas[-1] = replace(formulas[-1], element=formula.element)
        else:
            formulas.append(formula)
            stop = formula.stop_run
    return formulas


def _read_formula(page: Page, node: int) -> Formula | None:
    return (
        _read_script(page, node)
        if page.nodes.tag[node] == TAG["script"]
        else _read_math(page, node)
    )


def split_delimited(text: str) -> list[Element | str]:
    r"""Split a text into words and the formulas between TeX's own delimiters.

    >>> [piece if isinstance(piece, str) else piece.children for piece in split_delimited(r"so \(a+b\) is")]
    ['so ', ('a+b',), ' is']
    """
    pieces: list[Element | str] = []
    position = 0
    for match in _DELIMITED.finditer(text):
        inside = next(group for group in match.groups() if group)
        tex = inside.strip()
        if not tex or (match[3] and not _looks_like_tex(inside)) or _SHELL.search(inside):
            continue
        pieces.append(text[position : match.start()])
        pieces.append(_formula(tex, is_display=match[1] is None))
        position = match.end()
    pieces.append(text[position:])
    return [piece for piece in pieces if piece]


def _looks_like_tex(text: str) -> bool:
    """Whether what is between two $$ is a formula: prices and the shell have $$ too.

    >>> [_looks_like_tex(text) for text in ("x", " a = b ", " or ", "-")]
    [True, True, False, False]
    """
    if _TEX_SIGN.search(text):
        return True
    return not any(map(str.isspace, text)) and any(map(str.isalnum, text))


def _formula(tex: str, *, is_display: bool) -> Element:
    return Element("math", [" ".join(tex.split())], {"display": "block"} if is_display else {})


def is_math_script(page: Page, node: int) -> bool:
    """Whether a <script> holds TeX for MathJax."""
    return _in_tag(_SCRIPT, page, node)


def _read_script(page: Page, node: int) -> Formula | None:
    tex = page.content(node).strip().removeprefix("% <![CDATA[").removesuffix("%]]>").strip()
    is_display = _in_tag(_DISPLAY, page, node)
    place = int(page.nodes.first_run[node])
    return Formula(node, place, place, _formula(tex, is_display=is_display)) if tex else None


def _read_math(page: Page, node: int) -> Formula | None:
    nodes = page.nodes
    outer, is_display = node, _in_tag(_DISPLAY, page, node)
    above = int(nodes.parent[node])
    for _ in range(_MOST_WRAPPERS):
        if above <= 0:
            break
        if _in_tag(_WRAPPERS, page, above):
            outer = above
            is_display = is_display or _in_tag(_DISPLAY, page, above)
        above = int(nodes.parent[above])
    first, stop = int(nodes.first_run[node]), int(nodes.stop_run[node])
    tex = _annotation(page, node, first, stop) or page.attributes(node).get("alttext", "").strip()
    tex = tex or _own_text(page, first, stop)
    wrapped = _WRAPPED.fullmatch(tex)
    tex = wrapped[1].strip() if wrapped else tex
    if not tex:
        return None
    runs = int(nodes.first_run[outer]), int(nodes.stop_run[outer])
    return Formula(outer, *runs, _formula(tex, is_display=is_display))


def _in_tag(pattern: re.Pattern[bytes], page: Page, node: int) -> bool:
    start, end = int(page.nodes.start[node]), int(page.nodes.end[node])
    # Many formulas may be in one element, whose tag is read for each of them.
    return pattern.search(page.source, start, min(end, start + _LONGEST_TAG)) is not None


def _annotation(page: Page, node: int, first: int, stop: int) -> str:
    """The TeX annotation of MathML: it ends before the last run of the formula does."""
    if stop <= first:
        return ""
    end = int(page.runs.end[stop - 1]) + 1
    match = _ANNOTATION.search(page.source, int(page.nodes.end[node]), end)
    return unescape(match[1].decode("utf-8", "replace")).strip() if match else ""


def _own_text(page: Page, first: int, stop: int) -> str:
    spans = zip(
        page.runs.start[first:stop].tolist(), page.runs.end[first:stop].tolist(), strict=True
    )
    text = "".join(
        unescape(page.source[start:end].decode("utf-8", "replace")) for start, end in spans
    )
    return " ".join(text.split())


def _repeats(page: Page, before: Formula, formula: Formula) -> bool:
    """Whether a script comes right after a formula of MathJax: it is the same one, written twice."""
    return (
        formula.first_run == formula.stop_run == before.stop_run
        and before.first_run < before.stop_run
        and _in_tag(_WRAPPERS, page, before.node)
    )
