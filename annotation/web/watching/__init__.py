"""A study while people judge."""
