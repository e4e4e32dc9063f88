"""The guide and the glossary: written, read, amended."""
