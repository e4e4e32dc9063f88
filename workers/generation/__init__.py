"""Runs of models, and what came back."""
