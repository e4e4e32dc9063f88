"""Who has which part."""
