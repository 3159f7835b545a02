"""Faults in the Upstash store: those of its keys and scripts, and of its REST protocol."""

from typing import Final

from faults.fault import Fault, of
from faults.table.keys_and_scripts import KEYS_AND_SCRIPTS

_ROOM: Final = "stores/upstash"
_REST: Final = "upstash_rest"

UPSTASH: Final[list[Fault]] = [
    *KEYS_AND_SCRIPTS,
    *of(
        f"{_ROOM}/rest.py",
        _REST,
        ("a write is sent twice", "if not again or attempt ==", "if attempt =="),
        ("a read is sent once", "_READ_ATTEMPTS: Final = 3", "_READ_ATTEMPTS: Final = 1"),
        ("redirects are followed, with the token", "follow_redirects=False", "follow_redirects=True"),
        ("a limit of requests is an unknown trouble", "if status == 429:", "if status == 0:"),
        ("nobody says when to come again", "retry_after=_seconds(response)", "retry_after=None"),
        (
            "a quota is an unknown trouble",
            "if any(words in answer.error for words in _OVER_QUOTA):",
            "if not answer.error:",
        ),
        ("a server's trouble is a wrong setting", "if status >= 500:", "if status >= 600:"),
        ("a token that is refused is trouble", "if status in (401, 403):", "if status in ():"),
        ("answers may be missing", "if len(answers) != len(commands):", "if len(answers) > len(commands):"),
        (
            "a refusal has no code",
            'return Refusal(first if first.isupper() and first.isalpha() else "ERR")',
            'return Refusal("ERR")',
        ),
        ("a slow server is waited for", "timeout=address.timeout,", "timeout=None,"),
        ("connections have no number", "max_connections=address.connections,", "max_connections=None,"),
        ("what is no JSON breaks out", "except msgspec.DecodeError as error:", "except ZeroDivisionError as error:"),
        ("what is no base64 breaks out", "except binascii.Error as error:", "except ZeroDivisionError as error:"),
        ("no base64 is looked at closely", ", validate=True)", ", validate=False)"),
        (
            "a connection that breaks breaks out",
            "except httpx2.HTTPError as error:",
            "except ZeroDivisionError as error:",
        ),
    ),
    *of(
        f"{_ROOM}/address.py",
        _REST,
        ("the token goes in the clear", 'options.pop("tls", "true")', 'options.pop("tls", "false")'),
        ("the token is taken as it is spelled", "token=unquote(token)", "token=token"),
        ("the token is told", "from None  # its message", "from error  # its message"),
        ("options that nobody knows are taken", "if options or tls", "if tls"),
        ("a URL without a token is taken", "    if not token:\n", "    if token == 0:\n"),
        (
            "the prefix is forgotten",
            'prefix=Keys(options.pop("prefix", "")).prefix',
            'prefix=Keys(options.pop("prefix", "")[:0]).prefix',
        ),
    ),
    *of(
        f"{_ROOM}/__init__.py",
        _REST,
        ("a server that is refused keeps its connection", "        await link.close()\n", ""),
    ),
]
"""Its own, and what it shares with the Redis store."""
