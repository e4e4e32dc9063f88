"""Protocols: what is installed, and what somebody composes."""
