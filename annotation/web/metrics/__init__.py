"""Pages on metrics against people."""
