"""One file that holds everything of an installation, and the way back from it."""
