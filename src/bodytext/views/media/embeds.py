"""Find the addresses of embeds: frames, objects, custom elements, quoted posts."""

import re
from collections.abc import Iterable
from functools import partial
from urllib.parse import urlsplit

import numpy as np

from bodytext.kernel import read_value
from bodytext.kernel.html import TAG, TAGS, NodeFlag
from bodytext.kernel.images import Attributes, find_parts, find_stated
from bodytext.kernel.placement import read_tag_name
from bodytext.page.tables import Page
from bodytext.page.urls import absolute

_PARAMETERS = frozenset({"movie", "src", "url", "filename"})
_PLAYERS = """
    youtube.com youtube-nocookie.com youtu.be vimeo.com dailymotion.com dai.ly soundcloud.com spotify.com twitch.tv
    tiktok.com bandcamp.com mixcloud.com wistia.com wistia.net brightcove.net brightcove.com jwplatform.com jwplayer.com
    kaltura.com bilibili.com youku.com rutube.ru ok.ru vk.com streamable.com ted.com megaphone.fm acast.com podbean.com
    libsyn.com spreaker.com deezer.com ustream.tv odysee.com rumble.com giphy.com imgur.com codepen.io jsfiddle.net
    dwcdn.net flourish.studio infogram.com scribd.com slideshare.net documentcloud.org redditmedia.com bsky.app
"""
_PLAYER_HOSTS = frozenset(_PLAYERS.split())
_PLAYER_PATH = re.compile(
    r"/(?:embed|player|video)s?(?:[./_-]|$)|/plugins/(?:post|video)|/tweet|/maps/embed",
    re.IGNORECASE,
)

# Posts are quotes until a script shows them: the classes of such quotes, and the attributes with
# their addresses.
_QUOTED = re.compile(
    r"(?:^|[\s_-])(?:tweet|twitter|instagram|tiktok|reddit|bluesky|mastodon|imgur|threads|facebook|fb|embed|embedly)(?:$|[\s_-])"
)
_QUOTE_ATTRIBUTES = (
    "data-instgrm-permalink",
    "data-text-post-permalink",
    "cite",
    "data-embed-url",
    "data-href",
    "data-url",
)
_POST = re.compile(
    r"/status(?:es)?/\d|/comments/|/(?:p|reel|tv)/[\w-]|/video/\d|/post/|/posts/|/@[^/]+/(?:post/)?\w|/gallery/|/a/\w"
)
_MOST_LINKS = 64  # nodes of a quote that are looked at

# Elements of AMP pages and of lazy players, which `bodytext.kernel.placement` lists: the attributes
# with the id of a medium, and its address.
_NUMBERED: dict[str, tuple[tuple[str, ...], str]] = {
    "amp-youtube": (("data-videoid",), "https://www.youtube.com/watch?v={}"),
    "lite-youtube": (("videoid",), "https://www.youtube.com/watch?v={}"),
    "youtube-video": (("videoid", "data-videoid"), "https://www.youtube.com/watch?v={}"),
    "amp-vimeo": (("data-videoid",), "https://vimeo.com/{}"),
    "lite-vimeo": (("videoid",), "https://vimeo.com/{}"),
    "amp-dailymotion": (("data-videoid",), "https://www.dailymotion.com/video/{}"),
    "amp-twitter": (("data-tweetid",), "https://twitter.com/i/status/{}"),
    "amp-instagram": (("data-shortcode",), "https://www.instagram.com/p/{}/"),
    "amp-soundcloud": (("data-trackid",), "https://api.soundcloud.com/tracks/{}"),
}
_ADDRESSED = frozenset({"amp-iframe", "amp-facebook", "amp-tiktok"})
_SAME_AS = {"amp-img": "img", "amp-anim": "img", "amp-video": "video", "amp-audio": "audio"}
_NUMBER = re.compile(r"[\w-]{1,64}", re.ASCII)


def find_name(page: Page, node: int) -> str:
    """The name of an element; that of the element which a custom one replaces."""
    if name := TAGS[page.nodes.tag.item(node)]:
        return name
    name = read_tag_name(page.source, page.nodes.start.item(node))
    return _SAME_AS.get(name, name)


def first_address(owners: Iterable[Attributes], base: str) -> str:
    """The first usable address of tags; the lazy one before src, which may hold a placeholder."""
    resolve = partial(absolute, base=base)
    return next(filter(None, (find_stated(owner, resolve) for owner in owners)), "")


def read_parts(page: Page, node: int) -> list[Attributes]:
    """The attributes of the <source> and <param> elements right in a medium."""
    return [page.attributes(part) for part in find_parts(page.nodes, node)]


def embed_address(page: Page, node: int, tag: str, attributes: Attributes, base: str) -> str:
    """The address of an embed; empty for frames without a player and quotes without a post."""
    if tag == "object":
        return _object_address(page, node, attributes, base)
    if tag == "blockquote":
        return _quoted_address(page, node, attributes, base)
    if tag in _NUMBERED:
        return _numbered_address(tag, attributes)
    address = first_address([attributes], base) or absolute(attributes.get("data-href", ""), base)
    if tag == "embed" or tag in _ADDRESSED or is_player(address):
        return address
    return _moved_address(attributes, base)


def _moved_address(attributes: Attributes, base: str) -> str:
    """The address of a player in any data- attribute: consent managers move it there."""
    values = (
        value for name, value in attributes.items() if name.startswith("data-") and "//" in value
    )
    return next(filter(is_player, (absolute(value, base) for value in values)), "")


def _object_address(page: Page, node: int, attributes: Attributes, base: str) -> str:
    """The address of an <object>: its data, or one of its parameters."""
    parts = [part for part in read_parts(page, node) if part.get("name", "").lower() in _PARAMETERS]
    values = [attributes.get("data", ""), *(part.get("value", "") for part in parts)]
    return next(filter(None, (absolute(value, base) for value in values)), "")


def _numbered_address(tag: str, attributes: Attributes) -> str:
    names, address = _NUMBERED[tag]
    number = next((attributes[name] for name in names if attributes.get(name)), "")
    return address.format(number) if _NUMBER.fullmatch(number) else ""


def is_player(address: str) -> bool:
    """Whether an address is that of a player, a post or a map to embed."""
    try:
        parts = urlsplit(address)
        labels = (parts.hostname or "").split(".")
    except ValueError:
        return False
    return ".".join(labels[-2:]) in _PLAYER_HOSTS or bool(_PLAYER_PATH.search(parts.path))


def is_plain_quote(page: Page, node: int) -> bool:
    """Whether a quote is no post that a script would show."""
    names = read_value(
        page.source, page.nodes.start.item(node), page.nodes.end.item(node), b"class"
    )
    return not names or not _QUOTED.search(names.lower())


def _quoted_address(page: Page, node: int, attributes: Attributes, base: str) -> str:
    """The address of a quoted post, in the attributes of the quote or in its last link to a post."""
    for name in _QUOTE_ATTRIBUTES:
        if address := absolute(attributes.get(name, ""), base):
            return address
    return _linked_post(page, node, base)


def _linked_post(page: Page, node: int, base: str) -> str:
    nodes = page.nodes
    inside = np.arange(node + 1, min(node + 1 + _MOST_LINKS, len(nodes.tag)))
    inside = inside[
        (nodes.first_run[inside] >= nodes.first_run[node])
        & (nodes.stop_run[inside] <= nodes.stop_run[node])
    ]
    links = inside[(nodes.tag[inside] == TAG["a"]) & ((nodes.flags[inside] & NodeFlag.LINK) != 0)]
    for link in links[::-1].tolist():
        address = absolute(page.attributes(link).get("href", ""), base)
        if _POST.search(address):
            return address
    return ""
