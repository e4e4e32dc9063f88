"""The metric laboratory: automatic scores as plug-ins, and how far each agrees with people."""
