"""A hostile page in the inspector and in the labelling tool asks for nothing and changes nothing outside its frame."""

import re
import time
from collections.abc import Callable

from playwright.sync_api import BrowserContext
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

from browser.conftest import PATIENCE_S, ThirdParty
from browser.hostile_markup import AT_ONCE, fill

SETTLE_S = 1.0  # for what a page would still ask for
LOUD = 70  # of the ways that ask at once, at least so many are heard from a page that nothing guards


def heard(party: ThirdParty) -> set[str]:
    """The names of the ways that got through."""
    return {re.split(r"[/?# ]", line.partition("third.example/")[2])[0] for line in party.asked}


def test_the_third_party_hears_what_an_unguarded_page_asks_for(
    serve: Callable[..., str], sealed: Callable[..., BrowserContext], third_party: ThirdParty
) -> None:
    """Without this, a third party that hears nothing would prove nothing."""

    def answer(request: Request) -> HTMLResponse:
        name = request.path_params["name"]
        return HTMLResponse("<!doctype html><p>a</p>" + fill(AT_ONCE.get(name, ""), name, "http://third.example"))

    address = serve(Starlette(routes=[Route("/{name}", answer)]))
    page = sealed(int(address.rpartition(":")[2])).new_page()
    # The frames are of another origin than what is around them: none ends what the others do.
    page.goto(address.replace("127.0.0.1", "localhost") + "/around")
    page.set_content("".join(f"<iframe src={address}/{name}></iframe>" for name in AT_ONCE), wait_until="commit")
    deadline = time.monotonic() + PATIENCE_S
    while len(heard(third_party) & set(AT_ONCE)) < LOUD and time.monotonic() < deadline:
        page.wait_for_timeout(100)
    assert len(heard(third_party) & set(AT_ONCE)) >= LOUD
