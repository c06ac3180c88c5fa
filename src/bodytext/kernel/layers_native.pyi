from bodytext.kernel.layers import BlockNetwork as BlockNetwork
from bodytext.kernel.layers import CutRule as CutRule
from bodytext.kernel.layers import add_up_answer as add_up_answer
from bodytext.kernel.layers import decide as decide
