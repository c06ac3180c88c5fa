"""Extract more than one page: by address, many at a time, an article over several pages."""
