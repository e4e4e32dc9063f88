"""Files brought in: read at once or by a worker, previewed, imported."""
