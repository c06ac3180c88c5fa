"""Feeds, sitemaps and lists of addresses: find the pages that they list; `discovery` is the entry point."""
