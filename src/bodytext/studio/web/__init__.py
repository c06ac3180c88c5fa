"""The web app that the inspector, the labelling tool and the service are parts of. Needs the extra `web`."""
