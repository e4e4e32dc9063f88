"""Scorers: pairs in, scores on the protocol's scale out. No Django here; the services know where
files live."""
