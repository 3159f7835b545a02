"""Builds the table of the static embedder from two small models. `scripts/build-embedder` runs it; nothing ships it."""
