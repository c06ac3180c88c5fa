"""Extract pages inside other people's pipelines. docs/integrations.md has examples."""
