"""A copy of the source tree, to break."""

import itertools
import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from faults.fault import SOURCE, Fault
from faults.warm import Warm

ROOT: Final = Path(__file__).resolve().parents[1]
_WHAT: Final = ("src", "tests", "docs", "bench", "faults", "trials", "histories", "search_equality", "pyproject.toml")
_times: Final = itertools.count(1_000_000_000)


class Copy:
    """What the tests need, apart from the checkout, which is never touched."""

    def __init__(self, folder: Path) -> None:
        """Copy the tree into `folder`, which must not be there."""
        self.folder = folder
        folder.mkdir()
        for name in _WHAT:
            here = ROOT / name
            if here.is_dir():
                shutil.copytree(here, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy2(here, folder / name)
        self.warm = Warm(folder)

    @contextmanager
    def broken_by(self, fault: Fault) -> Generator[None]:
        """Have the fault in the copy while the body runs.

        Raises:
            DoesNotApply: The source is not what the fault was made for.
            SyntaxError: It makes a program of it that nobody could run.
        """
        path = self.folder / SOURCE / fault.file
        text = path.read_bytes().decode()
        broken = fault.applied(text)
        if path.suffix == ".py":
            compile(broken, str(path), "exec")
        _write(path, broken)
        try:
            yield
        finally:
            _write(path, text)


def _write(path: Path, text: str) -> None:
    path.write_bytes(text.encode())
    # Compiled modules are known by size and second: two faults of one size in one second would be taken for each other.
    second = next(_times)
    os.utime(path, (second, second))
