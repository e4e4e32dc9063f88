"""One file per family of metrics; ``annotation.metrics.registry`` lists them."""
