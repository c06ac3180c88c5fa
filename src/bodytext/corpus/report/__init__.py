"""Show what is in a corpus: counts, samples, a page with charts."""
