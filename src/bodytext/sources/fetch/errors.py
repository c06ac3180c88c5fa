"""The reasons why a page was not fetched, one error type each."""


class FetchError(Exception):
    """A page was not fetched; its text says why, `passing` whether that may be temporary."""

    passing = False


class AddressError(FetchError):
    """The address is not allowed: not http or https, a password, or a port of another service."""


class PrivateAddressError(FetchError):
    """The host is in a private network or on this machine."""


class HostError(FetchError):
    """The host's name is unknown."""


class ConnectError(FetchError):
    """The connection could not be made, or it broke."""

    passing = True


class CertificateError(FetchError):
    """The host's certificate is not valid for it."""


class TimeLimitError(FetchError):
    """The fetch took longer than allowed."""

    passing = True


class SizeLimitError(FetchError):
    """The body is larger than allowed."""


class HeaderLimitError(FetchError):
    """The headers are larger than allowed."""


class RedirectError(FetchError):
    """There are too many redirects, they form a loop, or one has no valid target."""


class CodingError(FetchError):
    """The body's compression is unknown or broken, or it expands to far more than a page."""


class ContentTypeError(FetchError):
    """The response has an unwanted content type."""


class ProtocolError(FetchError):
    """The response is not valid HTTP: no status, a wrong length, broken chunks."""

    passing = True
