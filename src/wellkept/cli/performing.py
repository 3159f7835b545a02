"""Running a command to its end, whatever happens: an exit code, and never a traceback that nobody asked for."""

import asyncio
import io
import os
import sys
import traceback
from collections.abc import Callable, Coroutine
from typing import Any

from wellkept.cli.advice import advice_for, sentence
from wellkept.cli.exit_codes import DONE, FAILED, INTERRUPTED, READER_GONE, exit_code
from wellkept.cli.output import Output
from wellkept.model.errors import WellkeptError
from wellkept.wire.problems import INTERNAL, Problem, problem_of

Work = Callable[[], Coroutine[Any, Any, int | None]]  # Any: what a coroutine yields and is sent is the loop's business


def perform(work: Work, *, out: Output, debug: bool) -> int:
    """Do the work of a command; give its exit code."""
    _survive_any_encoding()
    try:
        code = asyncio.run(work())
        sys.stdout.flush()
    except WellkeptError as error:
        told_of(error, out=out, debug=debug)
        return exit_code(error)
    except (KeyboardInterrupt, asyncio.CancelledError):
        return INTERRUPTED
    except BrokenPipeError:
        _let_go_of_stdout()
        return READER_GONE
    except Exception as error:  # the outermost handler: what nobody foresaw
        _trace(debug=debug)
        told = error.strerror if isinstance(error, OSError) and error.strerror else type(error).__qualname__
        out.problem(
            Problem(code=INTERNAL, message=f"Something went wrong that nobody foresaw: {told}."),
            advice=None if debug else "--debug shows where",
        )
        return FAILED
    return DONE if code is None else code


def told_of(error: WellkeptError, *, out: Output, debug: bool) -> None:
    """Say what went wrong, and what to do about it; called where the error was caught."""
    _trace(debug=debug)
    out.problem(problem_of(error), told=sentence(error), advice=advice_for(error))


def _survive_any_encoding() -> None:
    """Let a character that the terminal does not have be spelt out instead of ending the command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _let_go_of_stdout() -> None:
    """Have what is still to be written go nowhere, so that nothing complains when the process ends."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except io.UnsupportedOperation:
        return  # no file stands behind it


def _trace(*, debug: bool) -> None:
    if debug:
        traceback.print_exc()
