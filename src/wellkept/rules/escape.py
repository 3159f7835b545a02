"""Stored text as lines of data: no text can leave its lines, and every text can be read back.

Each line of a text gets the mark `| `. Only "\\n" parts lines; what else some
reader might take for a line end, what is drawn as nothing but may carry
orders, and what begins a token of a chat template is spelled `\\u{…}` with its
code point in hexadecimal. A backslash before `u{` is itself spelled so, which
makes the spelling injective; all other backslashes stay as they are.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

MARK: Final = "|"
"""Begins every line of data; nothing else in the section begins with it."""

_BREAKS_AND_CONTROLS: Final = "\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029"
_BIDI: Final = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # may show a line in another order than it is read
_TAGS: Final = "\U000e0000-\U000e007f"  # invisible copies of ASCII
# Beginnings of the tokens with which chat templates part roles. Escaping the first character is enough.
_TEMPLATE: Final = (
    r"<(?=[|｜]|/?s>|<\s*/?sys|/?(?:start|end)_of_turn>|/?(?:bos|eos|pad|unk)>)"
    r"|<(?=\s*/?\s*(?:system|developer|assistant|user|human|tool|instructions?)\b)"
    r"|\[(?=\s*/?(?:inst|system_prompt|available_tools|tool_results|tool_calls)\s*\])"
)
_UNSAFE: Final = re.compile(rf"[{_BREAKS_AND_CONTROLS}{_BIDI}{_TAGS}]|\\(?=u\{{)|{_TEMPLATE}", re.IGNORECASE)
_SUSPECT: Final = re.compile(rf"[{_BREAKS_AND_CONTROLS}{_BIDI}{_TAGS}\\<\[]")
"""What everything unsafe begins with. Most texts have none of it, and a set is looked for ten times as fast."""
_ESCAPED: Final = re.compile(r"\\u\{(10[0-9a-f]{4}|[0-9a-f]{1,5})\}")


def as_data(text: str) -> str:
    """Write a text as lines of data."""
    return "\n".join([f"{MARK} {line}" if line else MARK for line in _escape(text).split("\n")])


def from_data(lines: Iterable[str]) -> str:
    """Read a text back from its lines of data."""
    return _unescape("\n".join(line[2:] for line in lines))


def is_data(line: str) -> bool:
    """Say whether a rendered line is data."""
    return line.startswith(MARK)


def data_lines(lines: Sequence[str], start: int) -> int:
    """Say where the lines of data that begin at `start` end."""
    end = start
    while end < len(lines) and is_data(lines[end]):
        end += 1
    return end


def _escape(text: str) -> str:
    if not _SUSPECT.search(text):
        return text
    return _UNSAFE.sub(lambda found: f"\\u{{{ord(found.group()):x}}}", text)


def _unescape(text: str) -> str:
    return _ESCAPED.sub(lambda found: chr(int(found.group(1), 16)), text)
