"""Near-duplicates in a corpus: signatures, and the search over them."""
