"""What is held about a person: shown, taken along, erased."""
