"""Of a text that a page has twice, the likeliest copy is kept, in its own place."""

import numpy as np

import bodytext
from bodytext.kernel import choose_copies
from bodytext.kernel.network_shape import PAGE_TYPES
from bodytext.methods.learned.copies import find_copies
from bodytext.methods.learned.decision import decide_page
from bodytext.methods.learned.features import read_features
from bodytext.methods.learned.network import NetworkOutput
from bodytext.page.parser import parse

PROSE = "The ferry left at dawn with nine passengers, a crate of eels and the post for the outer islands. "


def kept(html: str, logits: list[float] | None = None, *, is_thread: bool = False) -> list[int]:
    """Return for each block the block that is kept in its place."""
    page = parse(html)
    values = np.zeros(len(page)) if logits is None else np.array(logits)
    nodes, blocks = page.nodes, page.blocks
    where = (nodes.tag, nodes.parent), (blocks.kind, blocks.node)
    chosen = choose_copies(
        *where, find_copies(page), values.astype(np.float32), is_thread=is_thread
    )
    return [int(block) for block in chosen]


def test_copies_are_long_equal_texts_outside_of_code_and_tables() -> None:
    long, short = "five words make it long", "only three words"
    page = parse(
        f"<p>{long}<p>{short}<p> five  words make it long <p>{short}<pre>{long}</pre><p>another text of five words"
    )
    assert find_copies(page).tolist() == [0, 1, 0, 3, 4, 5]


def test_a_text_that_occurs_twice_is_kept_once() -> None:
    twice = "".join(f"<p>{PROSE} Number {number}." for number in range(8))
    text = str(
        bodytext.extract(f"<title>Ferry</title><h1>Ferry</h1><div>{twice}</div><div>{twice}</div>")
    )
    assert text.count("Number 3") == 1


def test_the_likeliest_copy_is_kept_in_its_own_place() -> None:
    page = f"<div><p>{PROSE}</div><h1>Ferry</h1><main><p>{PROSE}</main><aside><p>{PROSE}</aside>"
    assert kept(page, [-1, 2, 3, 0]) == [2, 1, 2, 2]
    assert kept(page, [4, 2, 3, 0]) == [0, 1, 0, 0]


def test_children_of_one_element_are_no_copies() -> None:
    refrain = f"<p>{PROSE}</p><p>A verse of its own, with words.</p>" * 2
    assert kept(f"<div>{refrain}</div>") == [0, 1, 2, 3]
    lines = f"{PROSE}<br><br>A verse of its own, with words.<br><br>{PROSE}"
    assert kept(f"<div>{lines}</div>") == [0, 1, 2]


def test_all_copies_in_the_chosen_place_are_kept() -> None:
    refrain = f"<p>{PROSE}</p><p>A verse.</p><p>{PROSE}</p>"
    page = f"<div>{refrain}</div><section>{refrain}</section>"
    assert kept(page, [0, 0, 0, 1, 0, 0]) == [3, 1, 3, 3, 4, 5]


def make_list(*items: str) -> str:
    return "<ul>" + "".join(f"<li>{item}" for item in items) + "</ul>"


def test_a_list_item_that_is_repeated_in_another_list_is_not_a_copy() -> None:
    warm_up, run = "warm up for ten slow minutes", "run for {} minutes along the river"
    page = "".join(make_list(warm_up, run.format(minutes)) for minutes in (20, 30, 40))
    assert find_copies(parse(page)).tolist() == [0, 1, 0, 3, 0, 5]
    assert kept(page) == [0, 1, 2, 3, 4, 5]


def test_items_of_one_list_are_no_copies() -> None:
    assert kept(make_list("run for ten minutes now", "stop", "run for ten minutes now")) == [
        0,
        1,
        2,
    ]


def test_a_whole_list_that_is_repeated_is_a_copy() -> None:
    menu = make_list(
        "all about the ferry and its crew",
        "the post for the outer islands",
        "eels and where they go",
    )
    assert kept(menu + f"<p>{PROSE}" + menu) == [0, 1, 2, 3, 0, 1, 2]


def test_a_quotation_is_a_copy_of_the_post_that_it_quotes() -> None:
    posts = f"<ol><li><p>{PROSE}<li><blockquote><p>{PROSE}</blockquote><p>So it did.</ol>"
    assert kept(posts, [1, 2, 0]) == [0, 1, 2]  # they are in one list
    assert kept(posts, [1, 2, 0], is_thread=True) == [0, 0, 2]
    posts = f"<div><p>{PROSE}</div><div><p>{PROSE}</div>"
    assert kept(posts, [1, 2], is_thread=True) == [1, 1]


def test_documentation_may_repeat_itself() -> None:
    page = parse(f"<div><h2>One</h2><p>{PROSE}</div><div><h2>Two</h2><p>{PROSE}</div>")
    features, logits = read_features(page), np.ones(len(page), dtype=np.float32)
    for page_type, count in (("documentation", 4), ("article", 3)):
        types = np.array([name == page_type for name in PAGE_TYPES], dtype=np.float32)
        output = NetworkOutput(logits, types)
        decision = decide_page(page, output, features.words, features.topics)
        assert np.count_nonzero(decision.chances) == count
