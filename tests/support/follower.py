"""Follows a page as a reader does: runs its Python, types its commands, and looks whether what it shows comes out.

* A `python` block runs as it stands; blocks of one page share their names. A `text` block after it is its output.
* A `console` block is what a terminal shows: lines that begin with `$ ` are typed, what follows is their answer. Known
  are `wellkept`, `curl`, and the few others below; anything else fails. The answers are those that a terminal gets.
* An `sh` block is typed by nobody: it takes too long; that its scripts exist is looked at.
* Where a line has `ag_…`, a reader puts the id that came last, and so does this. `9f86…` is the etag that begins so.
* The server of a page listens on another port than 8787, so that tests do not meet; lines of curl are sent there, and
  `WELLKEPT_BASE_URL` says it to clients. Nothing else is exchanged.
"""

import io
import os
import re
import shlex
import sys
import traceback
from collections.abc import Iterator
from contextlib import ExitStack, redirect_stdout
from pathlib import Path

import pytest

import curl
import wellkept
from command_line import Served, say, serving
from expecting import differs
from fences import Fence, fences
from sources import ROOT
from wellkept.cli.output import Output

PICTURES = {"", "ini", "mermaid", "nginx"}
"""Languages of blocks that are looked at, not run."""

_ID = re.compile(r"\b(wk|ag|mem|hold|key|ses|ten)_…")
_ETAG = re.compile(r"\b([0-9a-f]{4})…")
_CODED = re.compile(r"""('[^']*')""")


class Follower:
    """A reader with a home and a folder of its own."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch, stack: ExitStack) -> None:
        self._patch, self._stack = patch, stack
        self._names: dict[str, object] = {"__name__": "__main__"}
        self._seen: list[str] = []
        self._served: Served | None = None
        self._output: str | None = None
        self._before = ""
        patch.setenv("WELLKEPT_HOME", str(folder / "home"))
        patch.setenv("COLUMNS", "120")
        patch.setattr(Output, "is_terminal", property(lambda _: True))
        # A page is a program of its own: what another one imported gives this one no default store.
        patch.delitem(sys.modules, "wellkept.compose.file_store", raising=False)
        patch.delitem(vars(wellkept), "FileBlockStore", raising=False)
        (folder / "work").mkdir()
        patch.chdir(folder / "work")

    def follow(self, page: Path) -> None:
        """Do what the page says, from top to bottom."""
        blocks = fences(page)
        if "Client(" in page.read_text(encoding="utf-8"):
            self.serve()
        for block in blocks:
            try:
                self._block(block)
            except AssertionError as error:
                raise AssertionError(f"{block.place}: {error}") from None

    def serve(self) -> Served:
        """Give the page's server, started when it is first needed."""
        if self._served is None:
            self._served = self._stack.enter_context(serving(as_json=False))
            self._seen.append(self._served.banner)
            self._patch.setenv("WELLKEPT_BASE_URL", self._served.url)
            self._patch.setenv("WELLKEPT_API_KEY", self._last(r"\bwk_\w{20,}"))
        return self._served

    def _block(self, block: Fence) -> None:
        output, self._output = self._output, None
        before, self._before = self._before, block.language
        match block.language:
            case "python":
                self._output = self._python(block)
            case "console":
                for typed, shown in _steps(block.text):
                    came = self._type(typed)
                    self._seen.append(came)
                    problem = differs(shown, came) if shown else ""
                    assert not problem, f"$ {typed}\n{problem}"
            case "text" if before == "sh":
                pass  # what came of it on somebody's machine
            case "text":
                assert output is not None, "a `text` block is the output of the Python before it"
                problem = differs(block.text, output)
                assert not problem, problem
            case "sh":
                commands = [line.split()[0] for line in block.text.splitlines() if line.strip()]
                lacking = [command for command in commands if not os.access(ROOT / command, os.X_OK)]
                assert not lacking, f"there is no {lacking}"
            case _:
                assert block.language in PICTURES, f"nobody runs {block.language}"

    def _python(self, block: Fence) -> str:
        said = io.StringIO()
        # As many lines before it as in the page, so that a traceback names the page's line.
        lines = "\n" * int(block.place.rpartition(":")[2])
        try:
            with redirect_stdout(said):
                exec(compile(lines + block.text, block.place, "exec"), self._names)
        except Exception:
            raise AssertionError(f"{traceback.format_exc()}\nsaid: {said.getvalue()}") from None
        return said.getvalue()

    def _type(self, typed: str) -> str:
        words = shlex.split(self._as_shell(self._filled(typed)))
        command, *arguments = words
        match command:
            case "scripts/serve":
                assert not arguments
                return self.serve().banner.replace(self.serve().url, "http://127.0.0.1:8787")
            case "wellkept":
                return _command_line(arguments)
            case "curl":
                return curl.read(arguments).send(self.serve().url)
            case "export":
                name, _, value = arguments[0].partition("=")
                self._patch.setenv(name, value)
            case "cat":
                return Path(arguments[0]).read_text(encoding="utf-8")
            case "echo" if arguments[-2] == ">>":
                with Path(arguments[-1]).open("a", encoding="utf-8") as file:
                    file.write(" ".join(arguments[:-2]) + "\n")
            case "find":
                return "\n".join(sorted(str(path) for path in Path(arguments[0]).rglob("*.md")))
            case "source":
                assert arguments == [".venv/bin/activate"]
            case "scripts/test" | "scripts/check" | "scripts/docs":
                assert os.access(ROOT / command, os.X_OK)
            case _:
                raise AssertionError(f"the tests cannot type {command}")
        return ""

    def _filled(self, typed: str) -> str:
        """Put what was seen where a line shows only the beginning of it."""
        typed = _ID.sub(lambda found: self._last(rf"\b{found[1]}_[0-9A-Za-z]{{16,}}"), typed)
        return _ETAG.sub(lambda found: self._last(rf"\b{found[1]}[0-9a-f]{{60}}\b"), typed)

    def _last(self, pattern: str) -> str:
        for text in reversed(self._seen):
            if found := re.findall(pattern, text):
                return str(found[-1] if text is not self._seen[0] else found[0])
        raise AssertionError(f"nothing that was shown fits {pattern}")

    def _as_shell(self, typed: str) -> str:
        """Put variables in, but not between single quotes, as a shell does."""
        parts = [part if part.startswith("'") else os.path.expandvars(part) for part in _CODED.split(typed)]
        line = "".join(parts)
        assert not re.search(r"\$[A-Z]", "".join(part for part in parts if not part.startswith("'"))), line
        return line


def _steps(text: str) -> Iterator[tuple[str, str]]:
    """Give each typed line, continued lines joined, with what is shown below it."""
    typed, shown = "", list[str]()
    goes_on = False
    for line in text.splitlines():
        if line.startswith("$ ") and not goes_on:
            if typed:
                yield typed, "\n".join(shown)
            typed, shown = line[2:], []
        elif goes_on:
            typed += " " + line.strip()
        else:
            assert typed, f"shown before anything is typed: {line}"
            shown.append(line)
        goes_on = not shown and typed.endswith("\\")
        if goes_on:
            typed = typed[:-1]
    if typed:
        yield typed, "\n".join(shown)


def _command_line(arguments: list[str]) -> str:
    said = say(*arguments)
    return said.out + said.err
