-- Who decides about a held write, and how long: it waits until that is done.
ALTER TABLE held_writes ADD COLUMN claimed_by TEXT;
ALTER TABLE held_writes ADD COLUMN claimed_until INTEGER;
