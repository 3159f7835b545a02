"""Group commit: jobs that wait together share one transaction, and one wait for the disk."""

import sqlite3
from collections.abc import Sequence

from wellkept.stores.sqlite.connection import savepoint, transaction, without_the_disk
from wellkept.stores.sqlite.errors import translated
from wellkept.stores.sqlite.jobs import Job


class _TransactionLost(Exception):
    """One job's failure ended the transaction of all."""


def commit(db: sqlite3.Connection, jobs: Sequence[Job[object]], *, timeout: float) -> None:
    """Do the jobs in order and commit them; each is whole or not at all, whatever becomes of its neighbours."""
    if not any(job.urgent for job in jobs):
        with without_the_disk(db):
            _commit(db, jobs, timeout=timeout)
        return
    _commit(db, jobs, timeout=timeout)


def _commit(db: sqlite3.Connection, jobs: Sequence[Job[object]], *, timeout: float) -> None:
    if len(jobs) == 1:
        _alone(db, jobs[0], timeout=timeout)
        return
    begun = False
    try:
        with transaction(db, timeout=timeout):
            begun = True
            for job in jobs:
                with job, savepoint(db):
                    job.perform(db)
                if not db.in_transaction:
                    raise _TransactionLost
    except (sqlite3.Error, _TransactionLost) as error:
        if isinstance(error, sqlite3.Error) and not begun:
            for job in jobs:
                job.fail(translated(error))
            return
        # The disk took not all of them. Nothing stands; perhaps some fit alone.
        for job in jobs:
            _alone(db, job, timeout=timeout)


def _alone(db: sqlite3.Connection, job: Job[object], *, timeout: float) -> None:
    with job, transaction(db, timeout=timeout):
        job.perform(db)
