"""One suite over every method: length, range, determinism, no memory, no harm to the page."""

import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import numpy as np
import pytest

from bodytext import METHODS, extract, methods, parse
from bodytext.methods import Method, as_method

ROOT = Path(__file__).parents[2]
EXAMPLE = (ROOT / "examples" / "article.html").read_bytes()
PAGES = [
    EXAMPLE,
    b"",
    b"<p>x",
    b"<p>" * 50,
    "<p>你好，世界。</p>".encode() * 20,
    b"<template><p>hidden</template>",
    b"\xff\xfe<",
]

every_method = pytest.mark.parametrize("name", METHODS.own)


@every_method
@pytest.mark.parametrize("number", range(len(PAGES)))
def test_one_score_a_block_between_0_and_1(name: str, number: int) -> None:
    page = parse(PAGES[number])
    scores = as_method(name).score(page).values
    assert scores.shape == (len(page),)
    assert scores.dtype == np.float32
    assert ((scores >= 0) & (scores <= 1)).all()


@every_method
def test_it_is_a_method_that_compares_prints_and_travels(name: str) -> None:
    method = as_method(name)
    assert isinstance(method, Method)
    assert pickle.loads(pickle.dumps(method)) == method  # noqa: S301
    assert type(method).__name__ in repr(method)


@every_method
def test_same_bytes_same_document_in_any_order_and_thread(name: str) -> None:
    expected = [extract(page, method=name) for page in PAGES]
    again = [extract(page, method=name) for page in reversed(PAGES)][::-1]
    with ThreadPoolExecutor(4) as pool:
        threaded = list(pool.map(lambda page: extract(page, method=name), PAGES * 5))
    assert again == expected
    assert threaded == expected * 5


@every_method
def test_the_page_is_left_as_it_was(name: str) -> None:
    page = parse(EXAMPLE)
    with pytest.raises(ValueError, match="read-only"):
        page.runs.words[0] = 1
    before = page.runs.words.copy()
    as_method(name).score(page)
    assert (page.runs.words == before).all()


@every_method
def test_the_example_is_found_and_its_menus_are_not(name: str) -> None:
    text = str(extract(EXAMPLE, method=name))
    assert "The keeper of the lamp" in text
    assert "Subscribe" not in text


def test_names_with_parameters() -> None:
    assert as_method("spread:stop=8,measure=square") == as_method("spread").__class__(8.0, "square")  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nothing", "there is no method"),
        ("finn:stop=1", "not a parameter"),
        ("spread:stop=x", "must be a number"),
        ("cuter:meaning=maybe", "must be true or false"),
        ("cuter:ratio=0.5", "at least 1"),
        ("spread:stop=nan", "percentage"),
        ("spread:5", "name=value"),
    ],
)
def test_wrong_names_say_what_is_right(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        as_method(name)


def test_a_title_may_have_a_comma() -> None:
    assert as_method("cuter:title=Hello, world,meaning=yes") == as_method("cuter").__class__(
        "Hello, world", meaning=True
    )  # type: ignore[call-arg]


@pytest.mark.parametrize("method", [3, as_method("finn").__class__])
def test_an_object_without_score_is_refused(method: object) -> None:
    with pytest.raises(TypeError, match="object with score"):
        as_method(method)  # type: ignore[arg-type]


@pytest.mark.slow
@every_method
def test_same_bytes_same_document_in_another_process(name: str) -> None:
    command = [sys.executable, "-m", "bodytext", "--method", name]
    done = subprocess.run(command, input=EXAMPLE, capture_output=True, check=True)
    assert done.stdout.decode("utf-8").removesuffix("\n") == str(extract(EXAMPLE, method=name))


# A new method is in every place that names methods.


def test_every_class_with_a_score_is_registered() -> None:
    modules = [module.name for module in walk_packages(methods.__path__, "bodytext.methods.")]
    places = {
        f"{name}:{kind.__name__}"
        for name in modules
        for kind in vars(import_module(name)).values()
        if isinstance(kind, type) and kind.__module__ == name and hasattr(kind, "score")
    }
    assert places == set(METHODS.own.values()), "METHODS in methods/__init__.py needs each of them"


@pytest.mark.parametrize("page", ["README.md", "docs/methods.md"])
def test_the_documentation_names_every_method(page: str) -> None:
    lines = (ROOT / page).read_text("utf-8").splitlines()
    rows = [line for line in lines if line.startswith("| `")]
    for name in METHODS.own:
        assert any(row.startswith(f"| `{name}` ") for row in rows), f"{page} needs a row for {name}"
