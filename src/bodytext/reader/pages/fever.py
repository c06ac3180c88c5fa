"""Answer phone apps by the Fever API: subscriptions, articles, what is read and what is saved.

It is an app of its own, since phones reach it over a network: it has nothing but this API, and
every request needs the key, which is made of a profile's name and a password of 24 random
characters. docs/reader_app.md says how to connect a phone.
"""

import hashlib
import json
import secrets
import time
from collections.abc import Callable
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bodytext.reader.digest.markup import write_markup
from bodytext.reader.pages.reader_request import parse_form, read_number
from bodytext.reader.profiles.profiles import Profile, list_profiles
from bodytext.reader.store.store import Store
from bodytext.studio.web.app import Refusal

_VERSION = 3
_PAGE = 50  # articles of an answer, as the API says
_LARGEST_BODY = 100_000  # bytes
_MOST_MARKED = 50_000
_SETTING = "phone password"
_EVENTS = {"read": "opened", "unread": "unopened", "saved": "saved", "unsaved": "unsaved"}

Values = dict[str, str]
Answer = dict[str, Any]


def read_password(store: Store) -> str:
    """Return the password of phone apps; it is made when it is first needed."""
    with store.write() as connection:
        connection.execute(
            "INSERT OR IGNORE INTO settings VALUES (?, ?)", (_SETTING, secrets.token_urlsafe(18))
        )
        row = connection.execute(
            "SELECT value FROM settings WHERE name = ?", (_SETTING,)
        ).fetchone()
    return str(row[0])


def make_key(profile: str, password: str) -> str:
    """Return the key that a phone app sends; the API asks for MD5."""
    return hashlib.md5(f"{profile}:{password}".encode(), usedforsecurity=False).hexdigest()


def create_fever(store: Store) -> Starlette:
    """Make the app that phone apps use."""

    async def endpoint(http: Request) -> Response:
        body = bytearray()
        async for part in http.stream():
            body += part
            if len(body) > _LARGEST_BODY:
                return Response(status_code=413)
        try:
            fields, _ = parse_form(http.headers.get("content-type", ""), bytes(body))
        except Refusal as refusal:
            return Response(status_code=refusal.status_code)
        values = dict(http.query_params) | fields
        return JSONResponse(await run_in_threadpool(answer, store, values))

    return Starlette(
        routes=[
            Route(path, endpoint, methods=["GET", "POST"])
            for path in ("/", "/fever", "/fever/", "/fever.php")
        ]
    )


def answer(store: Store, values: Values) -> Answer:
    """Answer one request."""
    profile = _find_profile(store, values.get("api_key", ""))
    if profile is None:
        return {"api_version": _VERSION, "auth": 0}
    found: Answer = {"api_version": _VERSION, "auth": 1, "last_refreshed_on_time": int(time.time())}
    if values.get("mark"):
        _mark(store, profile, values)
    for name, give in _PARTS.items():
        if name in values:
            found |= give(store, profile, values)
    return found


def _find_profile(store: Store, key: str) -> Profile | None:
    password = read_password(store)
    for profile in list_profiles(store):
        own = make_key(profile.name, password)
        if secrets.compare_digest(own.encode(), key.strip().lower().encode()):
            return profile
    return None


def _list_feeds(store: Store, _: Profile, __: Values) -> Answer:
    feeds = store.feeds.list_all()
    return {
        "feeds": [
            {"id": feed.id, "favicon_id": 0, "title": feed.name, "url": feed.url,
             "site_url": feed.site or feed.url, "is_spark": 0,
             "last_updated_on_time": feed.succeeded}
            for feed in feeds
        ],
        "feeds_groups": _list_groups(store)["feeds_groups"],
    }  # fmt: skip


def _list_groups(store: Store, *_: object) -> Answer:
    """List the folders; their numbers are those of their names in order."""
    folders: dict[str, list[int]] = {}
    for feed in store.feeds.list_all():
        if feed.folder:
            folders.setdefault(feed.folder, []).append(feed.id)
    names = sorted(folders)
    return {
        "groups": [{"id": number, "title": name} for number, name in enumerate(names, 1)],
        "feeds_groups": [
            {"group_id": number, "feed_ids": ",".join(map(str, folders[name]))}
            for number, name in enumerate(names, 1)
        ],
    }


def _list_items(store: Store, profile: Profile, values: Values) -> Answer:
    """List articles: after a number, before a number, or by their numbers."""
    wanted = [read_number(part) for part in values.get("with_ids", "").split(",")[:_PAGE] if part]
    since, before = read_number(values.get("since_id", "")), read_number(values.get("max_id", ""))
    order = "ASC" if "since_id" in values else "DESC"
    rows = store.connection.execute(
        "SELECT id FROM articles WHERE id > :since AND (:before = 0 OR id < :before) "  # noqa: S608
        "AND (:wanted = '[]' OR id IN (SELECT value FROM json_each(:wanted))) "
        f"ORDER BY id {order} LIMIT :limit",
        {"since": since, "before": before, "wanted": json.dumps(wanted), "limit": _PAGE},
    ).fetchall()
    items = [_describe(store, profile, int(row[0])) for row in rows]
    total = store.connection.execute("SELECT count(*) FROM articles").fetchone()[0]
    return {"total_items": total, "items": items}


def _describe(store: Store, profile: Profile, number: int) -> Answer:
    article = store.articles.find(number, profile.id)
    assert article is not None  # noqa: S101 - it was just listed
    card = article.card
    return {
        "id": card.id, "feed_id": card.feed, "title": card.title, "author": card.author,
        "html": write_markup(article.body), "url": card.url,
        "is_saved": int(bool(card.state.saved)),
        "is_read": int(bool(card.state.opened or card.state.hidden)),
        "created_on_time": card.published,
    }  # fmt: skip


def _list_unread(store: Store, profile: Profile, _: Values) -> Answer:
    rows = store.connection.execute(
        "SELECT id FROM articles WHERE NOT EXISTS (SELECT 1 FROM states WHERE article = articles.id "
        "AND profile = ? AND (opened OR hidden)) ORDER BY id",
        (profile.id,),
    )
    return {"unread_item_ids": ",".join(str(row[0]) for row in rows)}


def _list_saved(store: Store, profile: Profile, _: Values) -> Answer:
    rows = store.connection.execute(
        "SELECT article FROM states WHERE profile = ? AND saved ORDER BY article", (profile.id,)
    )
    return {"saved_item_ids": ",".join(str(row[0]) for row in rows)}


def _mark(store: Store, profile: Profile, values: Values) -> None:
    """Mark an article, or all of a feed, a folder or everything as read."""
    number, event = read_number(values.get("id", "")), _EVENTS.get(values.get("as", ""))
    if values["mark"] == "item" and event:
        try:
            profile.record_event(event, number)
        except KeyError:
            return
    elif values["mark"] in {"feed", "group"} and event == "opened":
        before = read_number(values.get("before", "")) or int(time.time())
        feeds = _find_feeds(store, values["mark"], number)
        rows = store.connection.execute(
            "SELECT id FROM articles WHERE feed IN (SELECT value FROM json_each(?)) AND fetched <= ? LIMIT ?",
            (json.dumps(feeds), before, _MOST_MARKED),
        ).fetchall()
        store.states.mark_opened(profile.id, [int(row[0]) for row in rows])


def _find_feeds(store: Store, kind: str, number: int) -> list[int]:
    if kind == "feed":
        return [number]
    if number == 0:  # all of them
        return [feed.id for feed in store.feeds.list_all()]
    for group in _list_groups(store)["feeds_groups"]:
        if group["group_id"] == number:
            return [int(feed) for feed in group["feed_ids"].split(",")]
    return []


_PARTS: dict[str, Callable[[Store, Profile, Values], Answer]] = {
    "groups": _list_groups,
    "feeds": _list_feeds,
    "favicons": lambda *_: {"favicons": []},
    "items": _list_items,
    "links": lambda *_: {"links": []},
    "unread_item_ids": _list_unread,
    "saved_item_ids": _list_saved,
}
