"""What a model is asked and what comes back, without asking anybody: presets, prices, estimates,
review. Pure."""
