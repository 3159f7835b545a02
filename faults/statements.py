"""Faults in named statements: each forgets one condition, and keeps the number of its parameters."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from faults.fault import SOURCE, Fault

_ROOT: Final = Path(__file__).resolve().parents[1]
_STATEMENT: Final = re.compile(r"^(-- name: (\w+)\n)(.*?)(?=^-- name: |\Z)", re.MULTILINE | re.DOTALL)


def forgetting(column: str, file: str, suite: str, *, but: frozenset[str] = frozenset()) -> list[Fault]:
    """Give a fault for each statement of `file` that has a condition on `column`: it holds for every row.

    `but` names the statements for which that is no fault; the table says why.
    """
    return list(_forgetting(column, file, suite, but))


def _forgetting(column: str, file: str, suite: str, but: frozenset[str]) -> Iterator[Fault]:
    condition = re.compile(rf"(?<=[ (])(?:\w\.)?{column} = (\?\d?|%\(\w+\)s|%s|\$\d+)(?=\s|\)|$)")
    text = (_ROOT / SOURCE / file).read_text(encoding="utf-8")
    known = set()
    for heading, name, sql in _STATEMENT.findall(text):
        known.add(name)
        where = sql.find("WHERE")
        found = condition.search(sql, where) if where >= 0 else None
        if found and name not in but:
            yield Fault(
                name=f"{Path(file).stem}.{name} forgets the {column.removesuffix('_id')}",
                file=file,
                find=found.group(),
                replace=f"{found.group(1)} IS NOT NULL",
                suite=suite,
                within=heading + sql[: found.start()],
            )
    if not but <= known:
        raise LookupError(f"no such statements in {file}: {sorted(but - known)}")
