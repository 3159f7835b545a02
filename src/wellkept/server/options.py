"""What a server can be told."""

import msgspec

from wellkept.model.ids import AgentId


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """How a server behaves. Every bound is one that a caller meets as a typed refusal.

    `max_head_bytes` bounds a request's address and headers, `max_turns` the
    turns that one tenant may run at once, `turn_seconds` one turn. A stopping
    server says for `notice_seconds` at `/ready` that it is about to go, and
    waits up to `drain_seconds` for what runs. `open_metrics`: `/metrics` needs
    no key from other machines either.
    """

    max_body_bytes: int = 1_048_576
    max_head_bytes: int = 65_536
    max_turns: int = 64
    turn_seconds: float = 600.0
    notice_seconds: float = 0.0
    drain_seconds: float = 20.0
    open_metrics: bool = False
    default_agent: AgentId = AgentId("assistant")
