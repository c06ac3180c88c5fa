from bodytext.kernel.layers import Network as Network
from bodytext.kernel.layers import Rule as Rule
from bodytext.kernel.layers import add_up_answer as add_up_answer
from bodytext.kernel.layers import decide as decide
