"""What measures with libraries and files that pages do not load."""
