"""Find the nodes that could be the media of an article; `bodytext.kernel.placement` says which."""

from bodytext.kernel import place_media
from bodytext.page.tables import Column, Page

# A node that could be a medium; whether it is in a <noscript>; the medium that holds it, or -1; its
# caption, or -1.
PlacedMedium = tuple[int, bool, int, int]


def media_near(page: Page, first_run: int, stop_run: int) -> list[PlacedMedium]:
    """Find the nodes that could be media of an interval of runs."""
    return place_media(page.source, page.tables[:2], (first_run, stop_run), None)


def media_among(page: Page, first_runs: Column, stop_runs: Column) -> list[PlacedMedium]:
    """Find the nodes that could be media of kept blocks, of which these are the runs."""
    if not len(first_runs):
        return []
    interval = (first_runs.item(0), stop_runs.item(-1))
    return place_media(page.source, page.tables[:2], interval, (first_runs, stop_runs))
