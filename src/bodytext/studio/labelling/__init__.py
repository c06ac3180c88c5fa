"""Label the blocks of pages in the browser, and train models on the labels."""
