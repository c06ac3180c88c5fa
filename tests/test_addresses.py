"""Addresses: the examples in the docstrings; the rest is tested with the media that use them."""

import doctest

from bodytext import addresses


def test_examples_in_the_docs() -> None:
    assert doctest.testmod(addresses).failed == 0
