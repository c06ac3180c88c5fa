"""The stages of a corpus: each takes rows and gives every one of them back, some with a reason why they are dropped."""

from bodytext.corpus.stages.confidence import Confidence
from bodytext.corpus.stages.language import Language
from bodytext.corpus.stages.length import Length
from bodytext.corpus.stages.normalisation import Normalisation
from bodytext.corpus.stages.quality import Quality

__all__ = ["Confidence", "Language", "Length", "Normalisation", "Quality"]
