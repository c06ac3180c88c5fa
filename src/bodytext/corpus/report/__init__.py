"""What is in a corpus: counts, samples, a page with charts."""
