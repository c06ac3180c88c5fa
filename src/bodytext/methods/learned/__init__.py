"""The learned method: features, network, decision, copies, explanation."""
