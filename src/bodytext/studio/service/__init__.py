"""`bodytext serve`: pages or their addresses in over HTTP, their body text out in any format; docs/service.md."""
