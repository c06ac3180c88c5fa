"""The formats that a document can be written in, one module each."""
