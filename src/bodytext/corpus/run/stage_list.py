"""An order -> the stages that its rows go through."""

from bodytext.corpus.run.row import Stage
from bodytext.corpus.run.spec import Order
from bodytext.corpus.stages import Confidence, Language, Length, Normalisation, Quality


def build_stages(order: Order) -> list[Stage]:
    """The stages in the order in which rows go through them: what is cheap, and what others build on, comes first."""
    return [
        Normalisation(order.tones),
        Length(order.words),
        Confidence(order.confidence),
        Language(tuple(order.languages)),
        Quality(order.quality),
    ]
