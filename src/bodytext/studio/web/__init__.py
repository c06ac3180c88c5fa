"""The web app of the inspector, the labelling tool and the service. Needs the extra `web`."""
