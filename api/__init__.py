"""The REST API: what programs may ask for, by the same rules as the pages."""
