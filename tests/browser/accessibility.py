"""What a screen reader and the Tab key find in a page: Chromium's accessibility tree and the order of focus.

`find_faults(page)` walks the tree and says what is wrong with it. `find_focus_faults(page)` presses Tab until the focus
leaves the page, and says where it went astray.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from playwright.sync_api import Page
from playwright.sync_api import TimeoutError as Slow

# Roles that a user acts on or goes to, and which a screen reader reads out by name.
ROLES = """
    button link textbox searchbox combobox listbox option checkbox radio slider spinbutton tab tabpanel menuitem switch
    progressbar Iframe image dialog alertdialog radiogroup tablist DisclosureTriangle Canvas ColorWell Date Meter table
"""
CONTROLS = frozenset(ROLES.split())
DIALOGS = frozenset({"dialog", "alertdialog"})
PLACES = "banner complementary contentinfo main navigation region search"
LANDMARKS = DIALOGS | frozenset(PLACES.split())
LIVE = frozenset({"status", "alert", "log", "timer"})
NO_ROLE = frozenset({"generic", "none", "StaticText"})
APPEARS_MS = 2_000
MOST_STEPS = 400  # of Tab; a page of a test has far fewer controls


@dataclass
class Node:
    """A node of the tree that a screen reader sees."""

    role: str
    name: str
    level: int
    is_focusable: bool
    live: str
    children: list["Node"] = field(default_factory=list)

    def walk(self, above: tuple[str, ...] = ()) -> Iterator[tuple["Node", tuple[str, ...]]]:
        """Yield this node and those below, each with the roles above it."""
        yield self, above
        for child in self.children:
            yield from child.walk((*above, self.role))

    def __str__(self) -> str:
        return f"{self.role} {self.name!r}"


Nodes = list[tuple[Node, tuple[str, ...]]]


def read_tree(page: Page) -> Node:
    """Return the accessibility tree of the page itself; what is in its frames is not ours."""
    session = page.context.new_cdp_session(page)
    try:
        found = session.send("Accessibility.getFullAXTree")["nodes"]
    finally:
        session.detach()
    (root,) = _read_nodes({one["nodeId"]: one for one in found}, found[0])
    return root


def _read_nodes(by_id: dict[str, Any], one: dict[str, Any]) -> list[Node]:
    """Return a node with those below it; of one that is ignored, only those below."""
    below = [by_id[number] for number in one.get("childIds", ()) if number in by_id]
    children = [node for child in below for node in _read_nodes(by_id, child)]
    if one.get("ignored"):
        return children
    facts = {fact["name"]: fact["value"].get("value") for fact in one.get("properties", ())}
    name = " ".join(str(one.get("name", {}).get("value", "")).split())
    level = int(facts.get("level") or 0)
    is_focusable = bool(facts.get("focusable")) and not facts.get("disabled")
    role, live = str(one["role"]["value"]), str(facts.get("live") or "")
    return [Node(role, name, level, is_focusable, live, children)]


def find_faults(page: Page) -> list[str]:
    """Return what is wrong for a user of a screen reader."""
    nodes = list(read_tree(page).walk())
    headings = [node for node, _ in nodes if node.role == "heading"]
    landmarks = Counter(str(node) for node, _ in nodes if node.role in LANDMARKS)
    return [
        *_find_nameless(nodes),
        *_find_outside(nodes),
        *_find_wrong_outline(nodes, headings),
        *[f"{name} is there {count} times" for name, count in landmarks.items() if count > 1],
    ]


def _find_nameless(nodes: Nodes) -> list[str]:
    faults = [
        f"a {node.role} in {' > '.join(above[-3:])} has no name"
        for node, above in nodes
        if node.role in CONTROLS and not node.name
    ]
    return faults + [
        f"{node} can be focused, but has no role"
        for node, _ in nodes
        if node.is_focusable and node.role in NO_ROLE
    ]


def _find_outside(nodes: Nodes) -> list[str]:
    """What can be focused is in a landmark; a link that skips to the content comes before them."""
    return [
        f"{node} is in no landmark"
        for node, above in nodes
        if node.is_focusable
        and node.role in CONTROLS
        and not LANDMARKS.intersection((*above, node.role))
        and not node.name.startswith("Skip to")
    ]


def _find_wrong_outline(nodes: Nodes, headings: list[Node]) -> list[str]:
    """There is one main part, and one heading of level 1, the first; a dialog hides all but itself."""
    faults = [f"{node} is an empty heading" for node in headings if not node.name]
    faults += [
        f"{after} is of level {after.level} after {before} of {before.level}"
        for before, after in pairwise(headings)
        if after.level > before.level + 1
    ]
    roles = Counter(node.role for node, _ in nodes)
    if any(roles[role] for role in DIALOGS):
        return faults
    levels = [node.level for node in headings]
    if levels.count(1) != 1 or levels[0] != 1:
        faults.append(f"the levels of the headings are {levels}: not one 1, or it is not first")
    return faults if roles["main"] == 1 else [*faults, f"main is there {roles['main']} times"]


def list_live(page: Page) -> list[Node]:
    """Return the regions whose changes a screen reader reads out."""
    return [
        node
        for node, _ in read_tree(page).walk()
        if node.role in LIVE or node.live in {"polite", "assertive"}
    ]


# What has the focus: its place in the document, and whether one sees it and that it has the focus.
FOCUSED = """() => {
  const one = document.activeElement;
  if (!one || one === document.body || one === document.documentElement) return null;
  const drawn = one.labels?.[0] ?? one; // a label may be all that is drawn of a field
  const isOutlined = (other) => {
    const style = other && getComputedStyle(other);
    return Boolean(style) && style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
  };
  const looks = { opacityProperty: true, visibilityProperty: true };
  return {
    name: one.id ? `#${one.id}` : one.outerHTML.slice(0, 90),
    place: [...document.querySelectorAll("*")].indexOf(one),
    hidden: !drawn.checkVisibility(looks) || !drawn.getBoundingClientRect().width,
    marked: [one, drawn, one.nextElementSibling, one.closest(".card")].some(isOutlined),
  };
}"""


def walk_by_tab(page: Page) -> list[dict[str, Any]]:
    """Press Tab from the top until the focus leaves the page, and return what had it."""
    page.evaluate(
        "document.activeElement?.blur(); getSelection().removeAllRanges(); scrollTo(0, 0)"
    )
    found: list[dict[str, Any]] = []
    for _ in range(MOST_STEPS):
        page.keyboard.press("Tab")
        focused = page.evaluate(FOCUSED)
        if focused is None or (found and focused["place"] == found[0]["place"]):
            return found
        if focused["hidden"]:  # it may be about to appear
            with suppress(Slow):
                page.wait_for_function(f"!({FOCUSED})()?.hidden", timeout=APPEARS_MS)
            focused = page.evaluate(FOCUSED)
        found.append(focused)
    raise AssertionError(f"Tab does not come to an end: {found[-3:]}")


def find_focus_faults(page: Page) -> list[str]:
    """Return where the focus is not seen, or not in the order of the document."""
    found = walk_by_tab(page)
    assert found, "Tab reaches nothing"
    faults = [f"{one['name']} has the focus, but is hidden" for one in found if one["hidden"]]
    faults += [f"{one['name']} does not show the focus" for one in found if not one["marked"]]
    places = [one["place"] for one in found]
    return faults if places == sorted(places) else [*faults, f"the focus jumps: {found}"]
