"""Hostile pages: nothing raises, no planted text is lost, time grows no faster than the page, the kernels agree."""

import ctypes
import sys
import time
from collections.abc import Callable

import numpy as np
import pytest

from bodytext import METHODS, extract, parse
from bodytext.kernel import is_native
from hostile_pages import KINDS, MARKER
from kernel_twins import compiled, import_native, import_twin
from page_uses import USES, Use, keep_all

SMALL, LARGE = 50_000, 200_000
MOST_GROWTH = 5.0
MOST_USE_GROWTH = 7.0  # many objects take the collector longer; what is quadratic has 16
ATTEMPTS = 3
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, KEPT_BYTES = -1, -3, 1 << 25  # of glibc; the most it takes
QUICK_S = 0.004  # shorter times are noise at either size, and far below any limit
ENOUGH_S = 0.015  # of runs of one page
TINY = 4_000
USED = 12_000  # a page of this size shows whether a format or property is quadratic

every_kind = pytest.mark.parametrize("kind", KINDS)
every_method = pytest.mark.parametrize("method", METHODS.own)


@pytest.fixture(scope="module")
def kept_memory() -> None:
    """Let malloc keep freed memory: else fresh memory, not the work, decides the time at some sizes."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt:
        for option in (M_TRIM_THRESHOLD, M_MMAP_THRESHOLD):
            mallopt(option, KEPT_BYTES)


def run_all_methods(page: bytes) -> None:
    for method in METHODS.own:
        str(extract(page, method=method))


def cpu_seconds(act: Callable[[bytes], object], page: bytes) -> float:
    """The best of a few runs: noise only ever adds."""
    best = spent = 0.0
    while not best or spent < ENOUGH_S:
        start = time.process_time()
        act(page)
        once = time.process_time() - start
        best, spent = min(best or once, once), spent + once
    return best


@pytest.mark.slow
@pytest.mark.usefixtures("kept_memory")
@every_kind
def test_time_grows_with_the_page(kind: str) -> None:
    if not is_native("scanner"):
        pytest.skip("the Python kernel is too slow for sizes at which growth differs from noise")
    growth = []
    # Each at twice the size: noise, or the edge of a cache, goes away
    for attempt in range(ATTEMPTS):
        large = cpu_seconds(run_all_methods, KINDS[kind].make(LARGE << attempt))
        if large <= MOST_GROWTH * QUICK_S:
            return
        small = cpu_seconds(run_all_methods, KINDS[kind].make(SMALL << attempt))
        growth.append(large / max(small, QUICK_S))
        if growth[-1] <= MOST_GROWTH:
            return
    pytest.fail(
        f"four times the page took {', '.join(f'{times:.1f}' for times in growth)} times as long"
    )


@pytest.mark.slow
@pytest.mark.usefixtures("kept_memory")
@every_kind
def test_time_of_every_use_grows_with_the_page(kind: str) -> None:
    """Formats, metadata, comments, media and the rest, from a document with all blocks of the page."""
    if not is_native("scanner"):
        pytest.skip("the Python kernel is too slow for sizes at which growth differs from noise")
    page = KINDS[kind].make(USED)
    for name, use in USES.items():
        start = time.process_time()
        use(keep_all(page))
        if time.process_time() - start > MOST_USE_GROWTH * QUICK_S:
            check_growth(use, kind, name)


def check_growth(use: Use, kind: str, what: str) -> None:
    def act(page: bytes) -> object:
        return use(keep_all(page))

    growth = []
    for attempt in range(ATTEMPTS):  # each at twice the size, as above
        small, large = (KINDS[kind].make(size << attempt) for size in (USED // 4, USED))
        growth.append(cpu_seconds(act, large) / max(cpu_seconds(act, small), QUICK_S))
        if growth[-1] <= MOST_USE_GROWTH:
            return
    pytest.fail(f"{what}: four times the page took {growth} times as long")


@every_kind
def test_planted_text_is_parsed(kind: str) -> None:
    page = parse(KINDS[kind].make(TINY))
    if KINDS[kind].planted:
        assert any(MARKER in text for text in page.texts())


@pytest.mark.slow
@every_method
def test_nothing_raises(method: str) -> None:
    for kind in KINDS.values():
        for size in (0, 50, TINY):
            str(extract(kind.make(size), method=method))


@every_method
def test_lone_article_is_extracted(method: str) -> None:
    alone = {name: kind.make(TINY) for name, kind in KINDS.items() if kind.extracted}
    lost = [name for name, page in alone.items() if MARKER not in str(extract(page, method=method))]
    assert not lost


@every_method
@pytest.mark.parametrize(
    "opening", [b"<div>", b"<span>", b"<x-y>", b"<ul><li>", b"<table><tr><td>"]
)
def test_text_under_a_hundred_thousand_elements_is_extracted(method: str, opening: bytes) -> None:
    levels = 100_000 // opening.count(b"<") if is_native("scanner") else 2_000
    article = b"<p>" + MARKER.encode() * 3 + b"</p>"
    assert MARKER in str(extract(opening * levels + article * 3, method=method))


@compiled
@every_kind
def test_both_scanners_agree(kind: str) -> None:
    page = parse(KINDS[kind].make(TINY)).source
    tables, expected = import_native("scanner").scan(page), import_twin("scanner").scan(page)
    for table, other in zip(tables[:3], expected[:3], strict=True):
        np.testing.assert_array_equal(table, other)
    assert tables[3] == expected[3]


def test_planted_text_is_in_the_bytes() -> None:
    for kind in KINDS.values():
        if kind.planted:
            page = kind.make(TINY)
            assert MARKER.encode() in page or MARKER.encode("utf-16-le") in page
