"""The reader: feeds in, articles that are read in the browser out, stored in one file of one's own machine."""
