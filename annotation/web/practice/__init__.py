"""The practice round and its meeting."""
