"""Fields that several bodies share: their bounds, and what the OpenAPI document says about them."""

from typing import Annotated, Final

from msgspec import Meta

from wellkept.model.blocks import MAX_CHAR_LIMIT
from wellkept.model.ids import MAX_ID_CHARS
from wellkept.model.memories import MAX_MEMORY_BYTES
from wellkept.model.pages import MAX_LIMIT

MAX_NUMBER: Final = 2**31 - 1
"""The largest number of a version or revision."""

# What a bound of a string would say twice, the model says better: those are for the document alone.
_ID: Final = {"maxLength": MAX_ID_CHARS}

PageLimit = Annotated[int, Meta(ge=1, le=MAX_LIMIT, description="How many rows a page has at most.")]
Cursor = Annotated[
    str,
    Meta(description="Where the page begins: `nextCursor` of the page before it.", extra_json_schema={"minLength": 1}),
]
CharLimit = Annotated[int, Meta(ge=1, le=MAX_CHAR_LIMIT, description="Code points the block may have.")]
Number = Annotated[int, Meta(ge=1, le=MAX_NUMBER)]
NumberOrStart = Annotated[int, Meta(ge=0, le=MAX_NUMBER)]
FoundLimit = Annotated[int, Meta(ge=1, le=20, description="How many rows there are at most.")]
Id = Annotated[str, Meta(extra_json_schema={"minLength": 1, **_ID})]
IdOrGeneral = Annotated[str, Meta(description="A user's id; \"\" is nobody's.", extra_json_schema=_ID)]
MemoryText = Annotated[
    str,
    Meta(
        description=f"At most {MAX_MEMORY_BYTES} UTF-8 bytes, something visible among them.",
        extra_json_schema={"minLength": 1, "maxLength": MAX_MEMORY_BYTES},
    ),
]
