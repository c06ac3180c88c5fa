"""Loaded by the processes of workers: pages do the harm that a mark in them names."""

import os
import signal
import time
from typing import Any

import bodytext

_extract: Any = bodytext.extract


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


bodytext.__dict__["extract"] = extract
