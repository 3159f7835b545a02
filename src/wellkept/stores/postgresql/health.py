"""Whether the database is well."""

from typing import Final

from wellkept.stores.postgresql.statements import statements

_SQL: Final = statements("health.sql")

LOOK: Final = _SQL["look"]
"""Raises where a write would, and changes nothing."""

FACTS: Final = _SQL["facts"]
"""The server's version, the schema's, its partitions, and `on` if what is committed is on the disk."""

MISCOUNTED_POOLS: Final = _SQL["miscounted_pools"]
OPEN_TABLES: Final = _SQL["open_tables"]
