"""What workers measure with."""
