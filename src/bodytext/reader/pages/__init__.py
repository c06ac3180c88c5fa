"""The pages of the reader: requests in, pages that need no script out."""
