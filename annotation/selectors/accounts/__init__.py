"""Accounts: logging in, keys, the second step."""
