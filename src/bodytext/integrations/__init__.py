"""Extraction inside other people's pipelines, a module for each kind; docs/integrations.md has examples."""
