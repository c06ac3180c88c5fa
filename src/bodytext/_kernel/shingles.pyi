from bodytext._kernel.shingles_reference import find_lowest as find_lowest
