"""Where Django's own ways of writing a date or a time do not fit the interface's sentences."""
