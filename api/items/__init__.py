"""Items and simplifications, and how they come in."""
