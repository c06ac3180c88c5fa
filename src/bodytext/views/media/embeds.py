"""embed_address: Page + the node of a frame, object, custom element or quote -> the address of what it embeds."""

import re
from urllib.parse import urlsplit

import numpy as np

from bodytext.kernel.html import TAG, TAGS, NodeFlag
from bodytext.page.tables import Page
from bodytext.page.urls import absolute
from bodytext.views.media.images import Attributes, first_address, read_parts

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
    r"/(?:embed|player|video)s?(?:[./_-]|$)|/plugins/(?:post|video)|/tweet|/maps/embed", re.IGNORECASE
)

# Posts that are quoted until a script shows them: how the quote is called, where it comes from.
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

# Elements of AMP pages and of lazy players: the number of what they show -> its address.
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
_INITIALS = np.frombuffer(b"aly", np.uint8)  # of all these names
_MOST_CUSTOM = 4_000
_NAME = re.compile(rb"[^\t\n\f\r />]*")


def custom_nodes(page: Page) -> dict[int, str]:
    """The custom elements of a page that are media, with the name of the element they stand for."""
    unknown = np.flatnonzero(page.nodes.tag == 0)
    if not len(unknown):
        return {}
    letters = np.frombuffer(page.source, np.uint8)[page.nodes.start[unknown] + 1] | 0x20
    found: dict[int, str] = {}
    for node in unknown[np.isin(letters, _INITIALS)][:_MOST_CUSTOM].tolist():
        name = _NAME.match(page.source, int(page.nodes.start[node]) + 1)[0].decode("utf-8", "replace").lower()  # type: ignore[index]
        if name in _SAME_AS or name in _NUMBERED or name in _ADDRESSED:
            found[node] = _SAME_AS.get(name, name)
    return found


def embed_address(page: Page, node: int, tag: str, attributes: Attributes, base: str) -> str:
    """Where an embed comes from; nothing for frames that are no players and quotes that are no posts."""
    if tag == "object":
        named = [one for one in read_parts(page, node) if one.get("name", "").lower() in _PARAMETERS]
        values = [attributes.get("data", ""), *(one.get("value", "") for one in named)]
        return next((found for value in values if (found := absolute(value, base))), "")
    if tag == "blockquote":
        return _quoted_address(page, node, attributes, base)
    if tag in _NUMBERED:
        names, address = _NUMBERED[tag]
        number = next((value for name in names if (value := attributes.get(name, ""))), "")
        return address.format(number) if _NUMBER.fullmatch(number) else ""
    source = first_address([attributes], base) or absolute(attributes.get("data-href", ""), base)
    if tag == "embed" or tag in _ADDRESSED or is_player(source):
        return source
    # Consent managers move the address to an attribute of their own.
    moved = (value for name, value in attributes.items() if name.startswith("data-") and "//" in value)
    return next((found for value in moved if is_player(found := absolute(value, base))), "")


def is_player(address: str) -> bool:
    """Whether an address is one that players, posts and maps are embedded from."""
    try:
        parts = urlsplit(address)
        labels = (parts.hostname or "").split(".")
    except ValueError:
        return False
    return ".".join(labels[-2:]) in _PLAYER_HOSTS or bool(_PLAYER_PATH.search(parts.path))


def _quoted_address(page: Page, node: int, attributes: Attributes, base: str) -> str:
    """The post that a quote was taken from: from its attributes, else from the last link in it that leads to one."""
    if not _QUOTED.search(attributes.get("class", "").lower()):
        return ""
    for name in _QUOTE_ATTRIBUTES:
        if found := absolute(attributes.get(name, ""), base):
            return found
    nodes = page.nodes
    inside = np.arange(node + 1, min(node + 1 + _MOST_LINKS, len(nodes.tag)))
    inside = inside[
        (nodes.first_run[inside] >= nodes.first_run[node]) & (nodes.stop_run[inside] <= nodes.stop_run[node])
    ]
    links = inside[(nodes.tag[inside] == TAG["a"]) & ((nodes.flags[inside] & NodeFlag.LINK) != 0)]
    for link in links[::-1].tolist():
        found = absolute(page.attributes(link).get("href", ""), base)
        if _POST.search(found):
            return found
    return ""


def tag_name(page: Page, node: int, custom: dict[int, str]) -> str:
    """The name of the element that a node is or stands for."""
    return TAGS[page.nodes.tag[node]] or custom.get(node, "")
