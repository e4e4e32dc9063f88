"""Reads about metrics."""
