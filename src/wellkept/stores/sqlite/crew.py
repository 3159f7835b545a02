"""Threads that do the jobs of one queue, each with a connection of its own."""

import sqlite3
import threading
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from typing import TypeVar

from wellkept.model.errors import Closed
from wellkept.stores.sqlite.jobs import Job, Work

T = TypeVar("T")

Perform = Callable[[sqlite3.Connection, Sequence[Job[object]]], None]
"""Do jobs, and keep with each what came of it."""


class Crew:
    """One thread for each connection. Jobs begin in the order in which they came.

    A thread takes up to `at_once` of the waiting jobs and gives them to `perform`.
    """

    def __init__(self, name: str, connections: Sequence[sqlite3.Connection], perform: Perform, *, at_once: int) -> None:
        self._connections = connections
        self._perform = perform
        self._at_once = at_once
        self._queue: SimpleQueue[Job[object] | None] = SimpleQueue()
        self._open = True
        self._door = threading.Lock()  # nothing may be queued behind the sign that the crew goes home
        self._threads = [
            # Daemons: a store that was never closed must not keep a program from ending.
            threading.Thread(target=self._serve, args=[db], name=name, daemon=True)
            for db in connections
        ]
        for thread in self._threads:
            thread.start()

    async def run(self, work: Work[T], *, urgent: bool = True) -> T:
        """Have `work` done by a thread, in one hop.

        Raises:
            Closed: The crew has gone home.
        """
        job = Job(work, urgent=urgent)
        with self._door:
            if not self._open:
                raise Closed(store="sqlite")
            self._queue.put(job)
        return await job.done()

    def stop(self) -> None:
        """Take no more jobs; those that wait are still done. A second time does nothing."""
        with self._door:
            if self._open:
                self._open = False
                for _ in self._threads:
                    self._queue.put(None)

    def join(self) -> None:
        """Wait until all jobs are done, and close the connections."""
        for thread in self._threads:
            thread.join()
        for db in self._connections:
            db.close()

    def _serve(self, db: sqlite3.Connection) -> None:
        while jobs := self._take():
            wanted = [job for job in jobs if job.wanted]
            if wanted:
                self._perform(db, wanted)
                Job.deliver(wanted)

    def _take(self) -> list[Job[object]]:
        """Wait for jobs; none means that it is time to go home."""
        jobs: list[Job[object]] = []
        job = self._queue.get()
        while job is not None:
            jobs.append(job)
            if len(jobs) == self._at_once:
                return jobs
            try:
                job = self._queue.get_nowait()
            except Empty:
                return jobs
        if jobs:
            self._queue.put(None)  # for the next time
        return jobs
