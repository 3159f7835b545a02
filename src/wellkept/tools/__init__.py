"""What a model sees of memory: tools with names, JSON schemas and answers that are values."""
