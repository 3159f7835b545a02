"""How long the operations take. `scripts/bench` runs it, docs/why/speed.md says how to read it."""
