"""A study's life."""
