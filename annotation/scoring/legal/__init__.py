"""The legal probe: minimal edits that change the law, twins that keep it, and what is let
through."""
