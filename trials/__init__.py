"""Trials: what happens to the data when things go wrong on purpose. `scripts/trial`, and docs/why/trials.md."""
