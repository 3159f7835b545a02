"""What lies under a block's key: a hash of three fields.

text   the UTF-8 of the block's text, byte for byte
etag   SHA-256 of it, which the scripts compare
at     when it was written: whole microseconds since 1970, UTC
"""

from collections.abc import Sequence
from typing import Final

from wellkept.model.blocks import Block
from wellkept.model.errors import InvalidInput, StoreCorrupt
from wellkept.model.keys import BlockKey
from wellkept.rules.instants import to_instant

FIELDS: Final = ("text", "etag", "at")
"""The fields in the order in which `block_of` takes their values."""


def block_of(key: BlockKey, values: Sequence[object], *, spelled: str, store: str) -> Block | None:
    """Give the block that three values are; None: there is none.

    Raises:
        StoreCorrupt: They are no block that a store wrote.
    """
    text, etag, at = values
    if text is None and etag is None and at is None:
        return None
    if not (isinstance(text, bytes) and isinstance(etag, bytes) and isinstance(at, bytes)):
        raise StoreCorrupt(store=store, key=spelled, problem="a field is missing")
    try:
        block = Block(key=key, text=text.decode(), updated_at=to_instant(int(at)))
    except InvalidInput as error:
        raise StoreCorrupt(store=store, key=spelled, problem="holds NUL") from error
    except UnicodeDecodeError as error:
        raise StoreCorrupt(store=store, key=spelled, problem="not UTF-8") from error
    except (ValueError, OverflowError) as error:
        raise StoreCorrupt(store=store, key=spelled, problem="no instant") from error
    if block.etag.encode() != etag:
        raise StoreCorrupt(store=store, key=spelled, problem="the text is not the one that was written")
    return block
