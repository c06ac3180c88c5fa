"""Sort articles into categories, and learn from corrections."""
