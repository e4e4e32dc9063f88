"""Protocols that people compose."""
