"""Keepers of data, one module per URL scheme: the module's name is the scheme, and its `open(url)` opens a store."""
