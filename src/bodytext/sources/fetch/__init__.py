"""Fetch one address, within limits that hold against hostile hosts; see docs/sources.md."""

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
from bodytext.sources.fetch.limits import FetchLimits
from bodytext.sources.fetch.response import HttpResponse

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
    "FetchLimits",
    "HeaderLimitError",
    "HostError",
    "HttpResponse",
    "PrivateAddressError",
    "ProtocolError",
    "RedirectError",
    "SizeLimitError",
    "TimeLimitError",
    "fetch",
]
