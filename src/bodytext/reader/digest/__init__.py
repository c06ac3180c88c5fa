"""Write articles as a book, a page or a text."""
