"""Protocols that no installation has: what holds for each of them holds for any."""
