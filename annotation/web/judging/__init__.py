"""An annotator at their pairs."""
