from bodytext._kernel.layers_reference import Network as Network
from bodytext._kernel.layers_reference import Rule as Rule
from bodytext._kernel.layers_reference import add_up_answer as add_up_answer
from bodytext._kernel.layers_reference import decide as decide
