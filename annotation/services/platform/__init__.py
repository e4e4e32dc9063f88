"""What keeps Barème itself running."""
