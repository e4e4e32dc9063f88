"""Annotators modelled, beside their majority."""
