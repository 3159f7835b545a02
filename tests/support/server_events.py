"""Reading server-sent events in tests."""

import json
from typing import Any

import httpx2


def told(answer: httpx2.Response) -> list[dict[str, Any]]:
    """The events of an answer; each one's name is the type of its data."""
    found = []
    for event in answer.text.removesuffix("\n\n").split("\n\n"):
        name, data = event.split("\n")
        value = json.loads(data.removeprefix("data: "))
        assert name == f"event: {value['type']}"
        found.append(value)
    return found
