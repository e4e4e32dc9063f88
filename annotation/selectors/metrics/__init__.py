"""What reports on metrics are made of, and what is shown of them."""
