"""A fault: a small change of the source that breaks a promise."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

SOURCE: Final = Path("src/wellkept")

WHOLE: Final = "whole"
"""The suite of a fault that is about no one part of a store: all of the store's own tests."""


class DoesNotApply(Exception):
    """The source is not what the fault was made for: bring the fault up to date, or drop it."""


@dataclass(frozen=True, kw_only=True)
class Fault:
    """A text in a file, and what stands there instead."""

    name: str
    """What is wrong then, in a few words. A store has no two faults of one name."""
    file: str
    """Below `src/wellkept`."""
    find: str
    replace: str
    suite: str = WHOLE
    """What should notice: `blocks`, `memories`, `directory`, `sessions`, `review`, `passages`, a file, or `whole`."""
    words: str = ""
    """What the name of a test holds that is asked before the rest of the suite: saves time, and excuses nothing."""
    everywhere: bool = False
    """Change every place where the text stands; otherwise it must stand in one place only."""
    within: str = ""
    """Only behind this text, which must stand in one place only."""

    def applied(self, text: str) -> str:
        """Give the text of the file with the fault in it.

        Raises:
            DoesNotApply: The text to find is not there, or not clear.
        """
        if self.within and text.count(self.within) != 1:
            raise DoesNotApply(f"{self.name}: {text.count(self.within)} × {self.within!r} in {self.file}")
        before, mark, rest = text.partition(self.within) if self.within else ("", "", text)
        found = rest.count(self.find)
        if not found or self.find == self.replace or (found > 1 and not (self.everywhere or self.within)):
            raise DoesNotApply(f"{self.name}: {found} × {self.find!r} in {self.file}")
        return before + mark + rest.replace(self.find, self.replace, -1 if self.everywhere else 1)


def of(file: str, suite: str, *faults: tuple[str, str, str] | tuple[str, str, str, str]) -> list[Fault]:
    """Make the faults of one file, each of (name, find, replace), and perhaps the words of the tests to ask first."""
    return [
        Fault(name=name, file=file, find=find, replace=put, suite=suite, words=" ".join(words))
        for name, find, put, *words in faults
    ]


def everywhere(fault: Fault) -> Fault:
    """Change every place."""
    return replace(fault, everywhere=True)
