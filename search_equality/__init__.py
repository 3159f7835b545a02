"""Is mode `web` the same everywhere? `scripts/search-equality` asks every store, and PostgreSQL itself."""
