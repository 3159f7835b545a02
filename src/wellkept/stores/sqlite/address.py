"""The URL of a SQLite store, and the file that it names."""

from pathlib import Path
from typing import Final, Literal, get_args
from urllib.parse import parse_qsl, unquote

import msgspec

from wellkept.model.errors import InvalidSetting

Synchronous = Literal["full", "normal"]

SETTING: Final = "the store's sqlite:// URL"
"""What an operator set wrongly when the file cannot be used."""
_HOW: Final = (
    "sqlite:///memory.db for a file in the current folder, sqlite:////var/lib/memory.db for an absolute path, "
    "sqlite:///~/memory.db for one in your home"
)


class Address(msgspec.Struct, frozen=True, kw_only=True):
    """Which file, and how to treat it.

    `synchronous`: `full` waits for the disk at every commit, so that what was
    acknowledged survives a power cut; `normal` leaves the waiting to
    checkpoints: it survives a killed process, but a power cut may take the
    last commits (never part of one). `timeout`: seconds to wait for other
    processes before a write fails with `StoreUnavailable`.
    """

    path: Path
    synchronous: Synchronous = "full"
    timeout: float = 30.0


def parse(url: str) -> Address:
    """Read `sqlite:///relative`, `sqlite:////absolute` or `sqlite:///~/in-your-home`, percent-encoded where needed.

    Options: `?synchronous=normal`, `?timeout=5`.

    Raises:
        InvalidSetting: It is no such URL; `do` says how to write one.
    """
    rest, _, query = url.partition("?")
    scheme, _, path = rest.partition(":///")
    if scheme != "sqlite" or not path or path == "/":
        raise InvalidSetting(setting=SETTING, problem="names no file", do=f"write {_HOW}")
    if path.startswith(":memory:"):
        raise InvalidSetting(setting=SETTING, problem="names no file; memory that is not kept is inproc://")
    return _with_options(Address(path=Path(unquote(path)).expanduser().absolute()), query)


def _with_options(address: Address, query: str) -> Address:
    for name, value in parse_qsl(query, keep_blank_values=True):
        match name:
            case "synchronous" if value in get_args(Synchronous):
                address = msgspec.structs.replace(address, synchronous=value)
            case "timeout" if value.isascii() and value.isdigit():
                address = msgspec.structs.replace(address, timeout=float(value))
            case _:
                raise InvalidSetting(
                    setting=SETTING,
                    problem=f"has an option {name} that is not known or not so",
                    do="the options are synchronous=full, synchronous=normal and timeout=SECONDS (a whole number)",
                )
    return address
