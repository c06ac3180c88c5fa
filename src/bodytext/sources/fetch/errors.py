"""Why a page was not fetched: an error type a reason, each with words that say it."""


class FetchError(Exception):
    """A page was not fetched; `str(error)` says why, `passing` whether it may go away by itself."""

    passing = False


class AddressError(FetchError):
    """The address may not be asked for: not http or https, a password in it, a port that is not for the web."""


class PrivateAddressError(FetchError):
    """The host stands inside a private network or on this machine."""


class HostError(FetchError):
    """The host's name is not known."""


class ConnectError(FetchError):
    """No connection came about, or it broke."""

    passing = True


class CertificateError(FetchError):
    """The host's certificate is not valid for it."""


class TimeLimitError(FetchError):
    """The whole took longer than allowed."""

    passing = True


class SizeLimitError(FetchError):
    """The body is larger than allowed."""


class HeaderLimitError(FetchError):
    """The headers are larger than allowed."""


class RedirectError(FetchError):
    """Too many redirects, a circle of them, or one that leads nowhere."""


class CodingError(FetchError):
    """The body's compression is unknown or broken, or it unpacks to far more than a page."""


class ContentTypeError(FetchError):
    """What came is not of a wanted type."""


class ProtocolError(FetchError):
    """The answer is not HTTP as it should be: no status, a wrong length, broken chunks."""

    passing = True
