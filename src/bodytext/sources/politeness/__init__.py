"""Requests for many pages in, records out, with respect for the hosts they are on; `fetcher` is the front."""
