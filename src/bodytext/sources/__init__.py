"""Where pages come from: files, archives, tables, feeds, sitemaps and addresses on the web."""
