"""A web page as flat tables: decoding, parsing, addresses, dates and structured data."""
