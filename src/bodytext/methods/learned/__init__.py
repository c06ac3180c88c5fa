"""The learned method: features, network, decision, consistency, explanation."""
