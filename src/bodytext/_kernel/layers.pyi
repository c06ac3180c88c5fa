from bodytext._kernel.layers_reference import Network as Network
from bodytext._kernel.layers_reference import add_up_answer as add_up_answer
from bodytext._kernel.layers_reference import find_chances as find_chances
from bodytext._kernel.layers_reference import find_cut as find_cut
