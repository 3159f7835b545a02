"""Random histories in numbers. `scripts/histories` plays them; `wellkept.testing.histories` has the rules."""
