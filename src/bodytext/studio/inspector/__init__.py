"""The inspector: a page in the browser with its blocks, scores and reasons."""
