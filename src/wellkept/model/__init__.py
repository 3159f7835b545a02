"""Values: small, frozen, checked once, without any I/O."""
