"""Reading what a model passed to a tool: strict about types, with messages that say what would be right."""

from collections.abc import Mapping

from wellkept.model.errors import InvalidInput
from wellkept.model.text import checked_text

Schema = dict[str, object]
"""A JSON schema."""


def object_schema(properties: Mapping[str, Schema], *, required: tuple[str, ...]) -> Schema:
    """Give the schema of a tool's parameters: these and no others."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


class Arguments:
    """The arguments of one call. A null is an argument that was left out, which is how some providers spell that.

    Raises:
        InvalidInput: One is named that the tool does not have.
    """

    def __init__(self, given: Mapping[str, object], known: tuple[str, ...]) -> None:
        self._given = {name: value for name, value in given.items() if value is not None}
        for name in given:
            if name not in known:
                raise InvalidInput(param="arguments", problem=f"may only be {', '.join(known)}")

    def text(self, name: str) -> str:
        """Read text that must be there.

        Raises:
            InvalidInput: It is missing, not text, or cannot be stored.
        """
        text = self.text_or_none(name)
        if text is None:
            raise InvalidInput(param=name, problem="is missing")
        return text

    def text_or_none(self, name: str) -> str | None:
        """Read text that may be left out.

        Raises:
            InvalidInput: It is not text, or cannot be stored.
        """
        return checked_text(self._given[name], param=name) if name in self._given else None

    def whole(self, name: str, *, default: int, low: int, high: int) -> int:
        """Read a whole number that may be left out; 5.0 is one, as in JSON, "5" and true are not.

        Raises:
            InvalidInput: It is not one, or out of range.
        """
        value = self._given.get(name, default)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise InvalidInput(param=name, problem=f"must be a whole number like {default}, not {type(value).__name__}")
        if not low <= value <= high:
            raise InvalidInput(param=name, problem=f"must be from {low} to {high}")
        return value

    def refuse(self, name: str, *, because: str) -> None:
        """Refuse an argument that means nothing here; an empty text is as good as none.

        Raises:
            InvalidInput: It was given.
        """
        if self._given.get(name, "") != "":
            raise InvalidInput(param=name, problem=because)
