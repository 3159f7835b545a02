"""The wire: bodies, endpoints and errors, as one table."""
