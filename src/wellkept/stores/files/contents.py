"""What is in a block's file: the UTF-8 of its text, byte for byte."""

from typing import Final

from wellkept.model.blocks import MAX_CHAR_LIMIT
from wellkept.model.errors import InvalidInput, StoreCorrupt
from wellkept.model.text import checked_text

MOST_BYTES: Final = 16 * MAX_CHAR_LIMIT
"""What a block's file may have: four times what the longest block needs. More is never read into memory."""


def encode(text: str) -> bytes:
    """Give the bytes that a text is kept as.

    Raises:
        InvalidInput: There are more than `MOST_BYTES`.
    """
    data = text.encode()
    if len(data) > MOST_BYTES:
        raise InvalidInput(param="text", problem=f"must be at most {MOST_BYTES} bytes in this store")
    return data


def decode(data: bytes, *, file: str) -> str:
    """Give the text that the bytes of `file` are. Line ends, a byte order mark and all else stay.

    Raises:
        StoreCorrupt: They are no text that a block may have.
    """
    if len(data) > MOST_BYTES:
        raise StoreCorrupt(file=file, problem=f"larger than {MOST_BYTES} bytes")
    try:
        return checked_text(data.decode(), param="text")
    except UnicodeDecodeError as error:
        raise StoreCorrupt(file=file, problem="not UTF-8") from error
    except InvalidInput as error:
        raise StoreCorrupt(file=file, problem="holds NUL") from error
