"""Loaded by the workers of a corpus: pages do the harm that a mark in them names."""

import os
import signal
import time
from typing import Any

from bodytext.corpus.run import row_extraction

_extract: Any = row_extraction.__dict__["extract"]


def extract(html: bytes, **options: Any) -> Any:
    if b"poison-raise" in html:
        raise ArithmeticError("this page raises")
    if b"poison-hang" in html:
        time.sleep(1000)
    if b"poison-allocate" in html:
        held = [bytearray(2**24) for _ in iter(int, 1)]
        del held
    if b"poison-crash" in html:
        os.kill(os.getpid(), signal.SIGSEGV)
    if b"poison-slow" in html:
        time.sleep(0.02)
    return _extract(html, **options)


row_extraction.__dict__["extract"] = extract
