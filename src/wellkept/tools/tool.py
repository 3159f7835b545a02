"""A tool, as a value."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Literal

import msgspec

from wellkept.model.errors import Refused, ServerFailed, StoreFailed
from wellkept.tools.answers import refusal, unavailable
from wellkept.tools.arguments import Arguments, Schema

Work = Callable[[Arguments], Awaitable[dict[str, object]]]
"""What a tool does; raises as `MemoryApi` does."""


class Tool(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Something a model may call: its name, what it does, and its parameters as a JSON schema of an object.

    `call` answers with a JSON-able value and never raises for what a model can
    do wrong or what a store can fail at. The fields that every answer has or
    may have, whatever the tool:

    * `changed`: whether memory is different now. Always there.
    * `held`: true when the write waits for someone's approval; else absent.
    * `action` and `id`, when `changed` or `held`: what was done (`add`,
      `replace`, `remove`; `save`, `update`, `delete`) and to what: a block as
      `scope/KEY`, a memory by its id, a memory that waits to be saved by the
      id of the waiting write. With the tool's `kind` this is all that a list
      of a turn's changes needs.
    * `error`: `code`, `message` and what else helps (`param`, `candidates`,
      `used`, `limit`), when it did not work. The codes are those of
      `wellkept.model.errors`, and `unavailable` (`answers.UNAVAILABLE`) when
      the store or the server failed: a runtime notes that the turn went on
      without it.
    """

    name: str
    description: str
    parameters: Schema
    kind: Literal["block", "memory"]
    known: tuple[str, ...]
    """The parameters' names."""
    work: Work

    async def call(self, arguments: Mapping[str, object]) -> dict[str, object]:
        """Do what the model asks for, and say what came of it.

        Raises:
            Misconfigured: The program is put together wrongly: nothing to tell a model.
        """
        try:
            return await self.work(Arguments(arguments, self.known))
        except Refused as error:
            return refusal(error)
        except (StoreFailed, ServerFailed):
            return unavailable()
