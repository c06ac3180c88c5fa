"""What repeats on the pages of a site, and scores that take it into account."""
