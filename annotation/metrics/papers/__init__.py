"""Tables that papers published of metrics against people, to lay beside ours. Published numbers
only."""
