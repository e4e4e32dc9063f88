"""Exports, snapshots and releases."""
