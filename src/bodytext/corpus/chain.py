"""An order -> the stages that its rows go through."""

from bodytext.corpus.order import Order
from bodytext.corpus.row import Stage


def build_stages(order: Order) -> list[Stage]:
    """The stages in the order in which rows go through them."""
    del order
    return []
