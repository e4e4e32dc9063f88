"""Scorers: trained, compared, promoted, used."""
