"""How much one turn may take."""

import msgspec

from wellkept.model.errors import InvalidInput


class TurnLimits(msgspec.Struct, frozen=True, kw_only=True):
    """What bounds a turn.

    `requests`: calls of the model, so that a model that keeps calling tools
    comes to an end. `seconds`: the deadline of the whole exchange with the
    model. `history`: messages of the session (a tool's result is one too)
    that the model sees again, cut so that they begin with a user's.
    `wait`: seconds to wait for another turn of the session; then it is busy.

    Raises:
        InvalidInput: A number is out of range.
    """

    requests: int = 64
    seconds: float = 1_800.0
    history: int = 200
    wait: float = 30.0

    def __post_init__(self) -> None:
        for param, value, low in (
            ("requests", self.requests, 1),
            ("seconds", self.seconds, 0.001),
            ("history", self.history, 0),
            ("wait", self.wait, 0),
        ):
            if not value >= low:
                raise InvalidInput(param=param, problem=f"must be at least {low}")
