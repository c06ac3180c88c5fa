"""The extraction inside other people's pipelines, a file a kind; docs/integrations.md has an example of each."""
