"""Faults that the tests must notice. `scripts/faults` seeds them, one at a time, into a copy of the source tree."""
