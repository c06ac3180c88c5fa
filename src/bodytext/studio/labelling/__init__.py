"""The labelling tool: people mark content in the browser, and the method learns from it."""
