"""Two studies side by side, as page and files."""
