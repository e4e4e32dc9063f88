"""How far people agree, and what is ruled on where they do not."""
