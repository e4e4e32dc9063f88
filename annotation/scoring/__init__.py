"""How a scorer is trained, measured and promoted: splits, augmentation, metrics, probes, audit.
Pure."""
