"""A news reader: fetch feeds, clean their articles, and read them in the browser."""
