"""On the path of a corpus's workers, this lets pages do what real ones should not be able to: each says what."""

import os
import signal
import time
from typing import Any

from bodytext.corpus.run import row_extraction as extraction

_extract: Any = extraction.__dict__["extract"]


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


extraction.__dict__["extract"] = extract
