"""Protocols by program: what there is, installed and taken away."""
