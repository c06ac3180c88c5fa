"""Refuse requests that another site could have sent, before the app sees them.

Every page that is open in the same browser can reach a server on loopback. So:

- the Host must be a loopback name with our port; otherwise a name that resolves to 127.0.0.1 could
  read our answers (DNS rebinding);
- a request from a page of another site is refused by its Origin and Sec-Fetch-Site, except for
  links to us;
- a request that changes something (every method but GET and HEAD) needs the token that only our own
  pages have;
- bodies are counted while they arrive;
- every response has a policy that lets a page load from us only, and no response is cached.
"""

import secrets
from dataclasses import dataclass, field

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

TOKEN_HEADER = "x-bodytext-token"  # noqa: S105 - the header's name
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
BODY_LIMIT = 32 * 2**20  # bytes; pages of 5 MB are rare already

# The app's own pages load from this server only, and have no inline script or style.
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; frame-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_FIXED = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
_READING = frozenset({"GET", "HEAD"})


@dataclass(frozen=True, slots=True)
class Policy:
    """Which requests the guard lets through."""

    port: int
    hosts: tuple[str, ...] = LOOPBACK  # names that a Host header may have
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    # Paths whose POSTs need no token because they change nothing.
    open_prefixes: tuple[str, ...] = ()
    body_limit: int = BODY_LIMIT
    origins: tuple[str, ...] = ()  # of other sites whose pages may send requests

    def authorities(self) -> set[str]:
        """Return the allowed Host headers: names with our port, or bare ones if it is 80."""
        named = {f"{host}:{self.port}" for host in self.hosts}
        return named | set(self.hosts) if self.port == 80 else named

    def admits(self, authority: str) -> bool:
        """Whether a Host header, in lower case, is one of ours."""
        return authority in self.authorities()

    def explain(self, authority: str) -> str:  # noqa: ARG002 - for policies that repeat it
        """Return the message for a Host header that is not one of ours."""
        return "this server answers only on its own loopback address"


class Guard:
    """ASGI middleware that enforces a policy."""

    def __init__(self, app: ASGIApp, policy: Policy) -> None:
        self.app = app
        self.policy = policy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse the request, or pass it on, count its body and set the response's headers."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # no part of the app speaks WebSocket
            return
        refusal = _refuse(self.policy, scope)
        if refusal is not None:
            await _respond_error(*refusal)(scope, receive, send)
            return
        await self._pass_on(scope, receive, send)

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False
        left = self.policy.body_limit

        async def send_guarded(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                _set_headers(MutableHeaders(scope=message))
            await send(message)

        async def receive_counted() -> Message:
            nonlocal left
            message = await receive()
            left -= len(message.get("body", b""))
            if left < 0:
                raise TooLargeError
            return message

        try:
            await self.app(scope, receive_counted, send_guarded)
        except TooLargeError:
            if not started:
                error = _respond_error(413, too_large(self.policy.body_limit))
                await error(scope, receive_counted, send)


class TooLargeError(Exception):
    """A body that is longer than the policy allows."""


def too_large(limit: int) -> str:
    """Return the message for a body that is too large."""
    return f"the body has more than {limit // 2**20} MB, the most that this server accepts"


def _refuse(policy: Policy, scope: Scope) -> tuple[int, str] | None:
    """Return status and message for a request that must not reach the app; None for others."""
    headers = Headers(scope=scope)
    authority = headers.get("host", "").lower()
    if not policy.admits(authority):
        return 421, policy.explain(authority)
    reading = scope["method"] in _READING
    is_allowed = headers.get("origin", "").lower() in policy.origins
    if not is_allowed and _is_foreign(headers, reading=reading):
        return 403, "another site may not use this server"
    if reading:
        return None
    length = headers.get("content-length", "")
    if length.isdecimal() and int(length) > policy.body_limit:
        return 413, too_large(policy.body_limit)
    is_open = any(scope["path"].startswith(prefix) for prefix in policy.open_prefixes)
    given = headers.get(TOKEN_HEADER, "")
    if not is_open and not secrets.compare_digest(given.encode(), policy.token.encode()):
        return 403, "the server was restarted since this page was loaded: load the page again"
    return None


def _is_foreign(headers: Headers, *, reading: bool) -> bool:
    """Whether a page of another site sent the request. Other programs send no such headers."""
    origin, host = headers.get("origin"), headers.get("host", "").lower()
    if origin is not None and origin.lower() not in {f"http://{host}", f"https://{host}"}:
        return True
    site = headers.get("sec-fetch-site", "none")
    fetch = (headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest"))
    followed = reading and fetch == ("navigate", "document")
    return site not in {"same-origin", "none"} and not followed


def _set_headers(headers: MutableHeaders) -> None:
    headers.setdefault("content-security-policy", PAGE_POLICY)
    headers.setdefault("cache-control", "no-store")
    for name, value in _FIXED.items():
        headers.setdefault(name, value)


def _respond_error(status: int, message: str) -> Response:
    response = JSONResponse({"error": message}, status, {"connection": "close"})
    _set_headers(response.headers)
    return response
