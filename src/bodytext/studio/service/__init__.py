"""The HTTP service of `bodytext serve`: send a page or an address, get its body text. docs/service.md describes it."""
