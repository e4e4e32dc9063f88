"""From a source document to items."""
