"""The shape of what goes in and comes out; one module per resource."""
