"""What a command answers: JSON, or text for people and for pipes.

Answers go to standard output, everything else to standard error. On a
terminal, text of others is escaped; into a pipe or a file it goes as it is.
"""

import sys
from collections.abc import Sequence

import msgspec

from wellkept.cli.escaping import in_one_line, shown
from wellkept.wire.problems import Problem, ProblemAnswer

_WIDE = 40
"""Cells of a terminal that a column may take before it is cut."""


class Output:
    """Says things. `json`: answers are JSON, and nothing else is said."""

    def __init__(self, *, json: bool) -> None:
        self.json = json

    @property
    def is_terminal(self) -> bool:
        """Say whether a person reads the answers."""
        return sys.stdout.isatty()

    def value(self, value: object) -> None:
        """Answer with a value in JSON: indented for a person, in one line for a program."""
        encoded = msgspec.json.encode(value)
        self._bytes((msgspec.json.format(encoded, indent=2) if self.is_terminal else encoded) + b"\n")

    def exactly(self, text: str) -> None:
        """Answer with a stored text: as it is into a pipe, escaped and on lines of its own on a terminal."""
        if self.is_terminal:
            self.line(text)
        else:
            self._bytes(text.encode("utf-8"))

    def line(self, text: str = "") -> None:
        """Answer with a line."""
        print(shown(text))

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Answer with a table; into a pipe with lines of cells between tabs, each cell whole and in one line."""
        cells = [[in_one_line(cell) for cell in row] for row in rows]
        if not self.is_terminal:
            for row in [[name.upper() for name in columns], *cells]:
                print("\t".join(row))
            return
        from rich.cells import cell_len  # takes its time to import
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, pad_edge=False, header_style="bold")
        for column, name in enumerate(columns):
            # Only the last one gives way: an id that is cut short is of no use to anyone.
            kept = column < len(columns) - 1
            widest = max((cell_len(row[column]) for row in cells), default=0)
            least = min(max(widest, len(name)), _WIDE) if kept else None
            # What may wrap is what rich makes narrower first; the cells themselves say that they do not.
            table.add_column(Text(name.upper()), no_wrap=kept, overflow="ellipsis", min_width=least)
        for row in cells:
            table.add_row(*(Text(cell, no_wrap=True, overflow="ellipsis") for cell in row))
        Console(highlight=False, markup=False, emoji=False).print(table)

    def note(self, text: str) -> None:
        """Tell a person something beside the answer."""
        if not self.json:
            print(_dim(shown(text)), file=sys.stderr)

    def aside(self, text: str) -> None:
        """Tell a person at a terminal something that nobody else needs."""
        if sys.stderr.isatty():
            self.note(text)

    def problem(self, problem: Problem, *, told: str | None = None, advice: str | None = None) -> None:
        """Say what went wrong, to people in the words of `told`, and what to do about it."""
        if self.json:
            print(msgspec.json.encode(ProblemAnswer(error=problem)).decode(), file=sys.stderr)
            return
        print(f"error: {shown(told or problem.message)}", file=sys.stderr)
        for candidate in problem.details.candidates if problem.details else ():
            print(f"  § {in_one_line(candidate)}", file=sys.stderr)
        if advice is not None:
            print(f"  → {shown(advice)}", file=sys.stderr)

    def piece(self, text: str) -> None:
        """Answer with a piece of a line that goes on, at once."""
        print(shown(text), end="", flush=True)

    def flush(self) -> None:
        """Have what was answered seen now."""
        sys.stdout.flush()

    def _bytes(self, encoded: bytes) -> None:
        # As bytes: JSON and stored texts are UTF-8, whatever the terminal thinks of itself.
        sys.stdout.flush()
        sys.stdout.buffer.write(encoded)
        sys.stdout.buffer.flush()


def _dim(text: str) -> str:
    return f"\x1b[2m{text}\x1b[22m" if sys.stderr.isatty() else text
