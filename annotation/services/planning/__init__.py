"""Who judges what."""
