"""Document -> a format, a file each."""
