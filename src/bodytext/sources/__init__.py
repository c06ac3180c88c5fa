"""Where pages come from, a file a source."""
