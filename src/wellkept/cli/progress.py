"""A sign of life while something takes its time."""

import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

_PATIENCE: Final = 0.5


@contextmanager
def waiting(told: str) -> Generator[None, None, None]:
    """Show on a terminal, when the body takes longer than half a second, that it runs."""
    if not sys.stderr.isatty():
        yield
        return
    done = threading.Event()
    # A thread, because what takes long may be an import, which lets no event loop go on.
    showing = threading.Thread(target=_show, args=[told, done], name="wellkept-progress", daemon=True)
    showing.start()
    try:
        yield
    finally:
        done.set()
        showing.join()


def _show(told: str, done: threading.Event) -> None:
    if done.wait(_PATIENCE):
        return
    from rich.console import Console  # takes its time to import

    with Console(stderr=True).status(told):
        done.wait()
