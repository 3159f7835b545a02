"""What a command's exit code says.

0    done
1    failed: the model's provider, `doctor` found something, or nobody foresaw it
2    the command cannot be meant so: an argument, a setting, a part that is not installed
3    there is no such thing
4    it changed meanwhile, is there already, or is in use
5    refused: no or the wrong key, over a limit, held back by a rule
6    the store or the server could not do it
130  interrupted
141  whoever read the output went away
"""

from collections.abc import Mapping
from typing import Final

from wellkept.model import errors
from wellkept.model.errors import WellkeptError

DONE: Final = 0
FAILED: Final = 1
USAGE: Final = 2
NOT_FOUND: Final = 3
CONFLICT: Final = 4
REFUSED: Final = 5
UNAVAILABLE: Final = 6
INTERRUPTED: Final = 130
READER_GONE: Final = 141

BY_ERROR: Final[Mapping[type[WellkeptError], int]] = {
    errors.InvalidInput: USAGE,
    errors.Misconfigured: USAGE,
    errors.NotFound: NOT_FOUND,
    errors.Conflict: CONFLICT,
    errors.Refused: REFUSED,
    errors.StoreFailed: UNAVAILABLE,
    errors.ServerFailed: UNAVAILABLE,
    errors.WellkeptError: FAILED,
}
"""The code of each branch of the tree of errors; the nearest one counts."""


def exit_code(error: WellkeptError) -> int:
    """Give the exit code that an error ends a command with."""
    return next(BY_ERROR[kind] for kind in type(error).__mro__ if kind in BY_ERROR)
