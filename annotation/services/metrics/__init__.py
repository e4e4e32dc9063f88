"""Reports on metrics ordered and written; scores from elsewhere brought in."""
