"""Build corpora of clean text from archives, tables, page files and sites."""
