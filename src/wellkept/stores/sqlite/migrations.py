"""The schema, as numbered steps that only go forward."""

import sqlite3
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Final

from wellkept.model.errors import InvalidSetting, Misconfigured, SchemaTooNew
from wellkept.stores.sqlite.address import SETTING
from wellkept.stores.sqlite.connection import transaction

APPLICATION_ID: Final = 0x776B7074
"""`wkpt`, in the file's header: says whose it is."""


@cache
def steps() -> tuple[str, ...]:
    """Give the SQL of every step; the first leads to version 1."""
    found = sorted(
        (file.name, file.read_text(encoding="utf-8"))
        for file in files("wellkept.stores.sqlite").joinpath("migrations").iterdir()
        if file.name.endswith(".sql")
    )
    numbers = [int(name.partition("_")[0]) for name, _ in found]
    if numbers != list(range(1, len(found) + 1)):
        raise Misconfigured(store="sqlite", problem="the package's migrations are not numbered from 1 without gaps")
    return tuple(sql for _, sql in found)


def version(db: sqlite3.Connection) -> int:
    """Read which version of the schema the file has; 0 is an empty file.

    Raises:
        SchemaTooNew: A newer wellkept wrote it.
        InvalidSetting: Another program did.
    """
    (owner,) = db.execute("PRAGMA application_id").fetchone()
    (number,) = db.execute("PRAGMA user_version").fetchone()
    (objects,) = db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if owner not in (0, APPLICATION_ID) or (owner == 0 and objects):
        raise InvalidSetting(setting=SETTING, problem="names the database of another program")
    if number > len(steps()):
        raise SchemaTooNew(store="sqlite", stored=number, known=len(steps()))
    return int(number)


def is_newest(db: sqlite3.Connection) -> bool:
    """Say whether the file has the newest version of the schema. Raises as `version` does."""
    return version(db) == len(steps())


def migrate(db: sqlite3.Connection, *, timeout: float) -> None:
    """Bring the file to the newest version, in one transaction; of several processes one does it, the others wait."""
    if is_newest(db):
        return
    with transaction(db, timeout=timeout):
        for number, step in enumerate(steps()[version(db) :], start=version(db) + 1):
            for statement in split(step):
                db.execute(statement)
            db.execute(f"PRAGMA user_version = {number}")
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")


def split(script: str) -> Iterator[str]:
    """Part a script into statements. (`executescript` would commit what is under way.)"""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
