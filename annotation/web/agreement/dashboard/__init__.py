"""The lead's page on agreement: figures that are kept, their words, their charts."""
