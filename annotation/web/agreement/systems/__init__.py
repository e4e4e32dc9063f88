"""The lead's page on systems side by side: sentences, tables, charts."""
