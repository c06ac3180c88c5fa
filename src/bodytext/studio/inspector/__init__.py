"""Show a page in the browser with its blocks, their scores and the reasons for them."""
