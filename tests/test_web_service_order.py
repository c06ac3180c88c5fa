"""Whatever a client sends is an order or an error with words, and a worker answers every order."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from bodytext.studio.service.frames import SIZES, Frame
from bodytext.studio.service.openapi import ERRORS
from bodytext.studio.service.request import OPTIONS, Order, OrderError, read_order
from bodytext.studio.service.worker import Settings, answer

SETTINGS = Settings("", 100_000, 2**30)
SENSIBLE = st.sampled_from(
    ["json", "text", "csv", "keep", "drop", "references", "finn", "spread:stop=8", "density:rule=no", "learned:model=a",
     "recall", "0.3", "nan", "-1", "https://example.org/", ""]
)  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | SENSIBLE,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
NAMES = st.sampled_from([*OPTIONS, "html", "model", "\ud800"])


def check(headers: dict[str, str], query: dict[str, str], body: bytes) -> None:
    order: Order | OrderError
    try:
        order = read_order(headers, query, body)
    except OrderError as problem:
        order = problem
    if isinstance(order, OrderError):
        assert str(order).encode()  # nothing in it that cannot be sent
        assert order.status in ERRORS
        return
    frame = order.to_frame()
    assert SIZES.unpack(frame.pack_head()[: SIZES.size])[1] == len(frame.body)
    sent = Frame(json.loads(frame.pack_head()[SIZES.size :]), frame.body)
    if order.html is not None:
        found = answer(sent, SETTINGS)
        assert found.head["status"] == 200 or (found.head["status"] in ERRORS and found.head["error"])


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(NAMES, VALUES, max_size=5))
def test_json_of_any_kind(values: dict[str, object]) -> None:
    check({"content-type": "application/json"}, {}, json.dumps(values).encode())


@settings(max_examples=200, deadline=None)
@given(
    st.dictionaries(st.sampled_from(["content-type", "content-encoding"]), st.text(max_size=30) | SENSIBLE, max_size=2),
    st.dictionaries(NAMES, st.text(max_size=20) | SENSIBLE, max_size=4),
    st.binary(max_size=200),
)
def test_bodies_and_queries_of_any_kind(headers: dict[str, str], query: dict[str, str], body: bytes) -> None:
    check(headers, query, body)
    check({"content-type": "text/html; charset=" + headers.get("content-type", "")}, {}, b"<p>" + body)
    check({"content-type": "text/html", "content-encoding": "gzip"}, {}, b"\x1f\x8b\x08" + body)
    check({"content-type": "application/json"}, query, body)
