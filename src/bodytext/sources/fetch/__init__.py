"""An address in, the response out: one request at a time, with limits that hold against hostile hosts.

from bodytext.sources.fetch import FetchError, Limits, fetch

try:
    response = fetch("https://example.org/", Limits(max_seconds=10))
except FetchError as problem:
    print(problem)
"""

from bodytext.sources.fetch.cache import Cache
from bodytext.sources.fetch.client import PAGE_TYPES, USER_AGENT, Client, fetch
from bodytext.sources.fetch.errors import (
    AddressError,
    CertificateError,
    CodingError,
    ConnectError,
    ContentTypeError,
    FetchError,
    HeaderLimitError,
    HostError,
    PrivateAddressError,
    ProtocolError,
    RedirectError,
    SizeLimitError,
    TimeLimitError,
)
from bodytext.sources.fetch.limits import Limits
from bodytext.sources.fetch.response import Response

__all__ = [
    "PAGE_TYPES",
    "USER_AGENT",
    "AddressError",
    "Cache",
    "CertificateError",
    "Client",
    "CodingError",
    "ConnectError",
    "ContentTypeError",
    "FetchError",
    "HeaderLimitError",
    "HostError",
    "Limits",
    "PrivateAddressError",
    "ProtocolError",
    "RedirectError",
    "Response",
    "SizeLimitError",
    "TimeLimitError",
    "fetch",
]
