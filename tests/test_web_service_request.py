"""Whatever a client sends is a request or an error with a message, and a worker answers every request."""

import json
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bodytext.corpus.workers.messages import SIZES, WorkerMessage
from bodytext.studio.service.extraction_request import (
    OPTIONS,
    ExtractionRequest,
    read_request,
)
from bodytext.studio.service.openapi import ERRORS
from bodytext.studio.service.page_extraction import answer_request
from bodytext.studio.web.app import Refusal
from example_counts import some_of

SENSIBLE = st.sampled_from(
    ["json", "text", "csv", "keep", "drop", "references", "finn", "spread:stop=8", "density:rule=no", "learned:model=a",
     "recall", "0.3", "nan", "-1", "https://example.org/", ""]
)  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | SENSIBLE,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)
NAMES = st.sampled_from([*OPTIONS, "html", "model", "\ud800"])


def read_or_refuse(
    headers: dict[str, str], query: dict[str, str], body: bytes
) -> ExtractionRequest | Refusal:
    try:
        return read_request(headers, query, body)
    except Refusal as problem:
        return problem


def check(headers: dict[str, str], query: dict[str, str], body: bytes) -> None:
    request = read_or_refuse(headers, query, body)
    if isinstance(request, Refusal):
        assert request.detail.encode()  # it can be sent
        assert request.status_code in ERRORS
        return
    message = request.to_message()
    packed = message.pack_head()
    assert SIZES.unpack(packed[: SIZES.size])[1] == len(message.body)
    if request.html is not None:
        sent = WorkerMessage(json.loads(packed[SIZES.size :]), message.body)
        head = answer_request(sent, "", 100_000).head
        assert head["status"] == 200 or (head["status"] in ERRORS and head["error"])


@pytest.mark.parametrize("many", ["[],", "7,", '"a",', '{"a":'])
def test_large_json_of_many_values_is_refused_unread(many: str) -> None:
    body = '{"html": "<p>a", "url": [' + many * 1_000_000
    tracemalloc.start()
    refusal = read_or_refuse({"content-type": "application/json"}, {}, body.encode())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert isinstance(refusal, Refusal)
    assert (refusal.status_code, "256 KiB" in refusal.detail) == (400, True)
    assert peak < 3 * len(body)


def test_large_json_of_a_page_is_read() -> None:
    page = '<p class="a">[{"b": 7}, \\ é\n' * 50_000
    for ascii_only in (True, False):
        body = json.dumps({"html": page, "threshold": 0.3}, ensure_ascii=ascii_only).encode()
        request = read_or_refuse({"content-type": "application/json"}, {}, body)
        assert isinstance(request, ExtractionRequest)
        assert request.html == page.encode()


@pytest.mark.slow
@settings(max_examples=some_of(300), deadline=None)
@given(st.dictionaries(NAMES, VALUES, max_size=5))
def test_json_of_any_kind(values: dict[str, object]) -> None:
    check({"content-type": "application/json"}, {}, json.dumps(values).encode())


@pytest.mark.slow
@settings(max_examples=some_of(200), deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["content-type", "content-encoding"]),
        st.text(max_size=30) | SENSIBLE,
        max_size=2,
    ),
    st.dictionaries(NAMES, st.text(max_size=20) | SENSIBLE, max_size=4),
    st.binary(max_size=200),
)
def test_bodies_and_queries_of_any_kind(
    headers: dict[str, str], query: dict[str, str], body: bytes
) -> None:
    check(headers, query, body)
    check(
        {"content-type": "text/html; charset=" + headers.get("content-type", "")}, {}, b"<p>" + body
    )
    check({"content-type": "text/html", "content-encoding": "gzip"}, {}, b"\x1f\x8b\x08" + body)
    check({"content-type": "application/json"}, query, body)
