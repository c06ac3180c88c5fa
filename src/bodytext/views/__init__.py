"""What can be read from a page and its kept blocks: structure, media, metadata, comments, hidden text."""
