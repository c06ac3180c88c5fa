"""Show the subscriptions, and export them."""

from datetime import datetime
from itertools import groupby

from starlette.responses import JSONResponse, Response

from bodytext.methods import METHODS
from bodytext.reader.collection.opml import write_opml
from bodytext.reader.pages.reader_request import ReaderRequest
from bodytext.reader.pages.rendering import respond


def show_feeds(request: ReaderRequest) -> Response:
    """Show the subscriptions by folder; those without one come last."""
    feeds = request.store.feeds.list_all(request.profile.id)
    ordered = sorted(feeds, key=lambda feed: (not feed.folder, feed.folder))
    folders = {name: list(group) for name, group in groupby(ordered, key=lambda feed: feed.folder)}
    return respond(request, "feeds", feeds=feeds, folders=folders, methods=METHODS)


def show_choice(request: ReaderRequest) -> Response:
    """Show what can be subscribed to at an address that has several feeds or none."""
    address = request.read_query("address")
    found = request.context.found.get(address)
    return respond(request, "choose", address=address, found=found)


def send_status(request: ReaderRequest) -> Response:
    """Send the status of an update, for the script."""
    status = request.context.scheduler.status
    return JSONResponse(
        {
            "running": status.running,
            "message": status.describe(),
            "ended": status.ended,
            "stored": status.progress.stored,
        }
    )


def download_opml(request: ReaderRequest) -> Response:
    """Send the subscriptions as OPML."""
    name = f"subscriptions-{datetime.now().astimezone():%Y-%m-%d}.opml"
    return Response(
        write_opml(request.store.feeds.list_all()),
        headers={"content-disposition": f'attachment; filename="{name}"'},
        media_type="text/x-opml",
    )
