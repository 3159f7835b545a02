"""The command line: `wellkept …`."""

from wellkept.cli.program import app, main

__all__ = ["app", "main"]
