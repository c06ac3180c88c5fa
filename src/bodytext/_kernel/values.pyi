from bodytext._kernel.values_reference import read_values as read_values
