"""Barème."""

# The one place. From 1.0.0 on, migrations are additive: a version reads the former one's tables.
__version__ = "1.0.0"
