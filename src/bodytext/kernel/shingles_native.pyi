from bodytext.kernel.shingles import find_lowest as find_lowest
