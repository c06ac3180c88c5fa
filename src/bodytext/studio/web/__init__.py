"""The app in the browser, on one's own machine: inspector, labelling, service. Needs the extra `web`."""
