"""Find the pages that feeds, sitemaps and lists name; `discovery` is the entry point."""
