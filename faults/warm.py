"""A process that has imported what tests need, all but wellkept, and forks a child for each run of them.

Most of a short run of pytest is spent on imports. They are done once here; a child sees the tree as it is by then.
"""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Final

_PLUGINS: Final = ("pytest_asyncio.plugin", "_hypothesis_pytestplugin")
_PRELOADED: Final = (*_PLUGINS, "hypothesis.stateful", "filelock", "sqlite3", "httpx2", "redis.asyncio")
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

    def run(self, *arguments: str, seconds: int) -> tuple[int, str]:
        """Run pytest; give what it answered and printed. After `seconds` it is killed, which is a negative answer."""
        order = [str(self._output), seconds, *arguments]
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


def serve() -> None:
    """Take orders, one a line."""
    import pytest

    for name in _PRELOADED:
        __import__(name)
    plugins = [option for plugin in _PLUGINS for option in ("-p", plugin)]
    for line in sys.stdin:
        output, seconds, *arguments = json.loads(line)
        child = os.fork()
        if not child:
            os.setpgid(0, 0)
            signal.alarm(seconds)  # nobody handles it: the child ends, whatever it waits for
            written = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            nothing = os.open(os.devnull, os.O_RDONLY)
            os.dup2(nothing, 0)
            os.dup2(written, 1)
            os.dup2(written, 2)
            sys.exit(pytest.main([*_OPTIONS, *plugins, *arguments]))  # and ends as usual: servers of tests are stopped
        _, status = os.waitpid(child, 0)
        try:
            os.killpg(child, signal.SIGKILL)  # what a killed child left running
        except ProcessLookupError:
            pass
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    serve()
