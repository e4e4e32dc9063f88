"""Background work. Tasks are thin: they fetch, call a service, and say whether trying again
helps."""
