"""The HTTP service of `bodytext serve`, which docs/service.md describes."""
