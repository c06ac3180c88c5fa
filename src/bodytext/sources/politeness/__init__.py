"""Fetch many pages at a time with respect for their hosts; `fetcher` is the entry point."""
