"""Learn what repeats on the pages of a site, and score pages with it."""
