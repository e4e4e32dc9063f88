"""How far each metric agrees with human scores, how sure that is, and where it fails."""
