"""What lists pages: feeds, sitemaps, lists of addresses -> requests for the pages; `discovery` is the front."""
