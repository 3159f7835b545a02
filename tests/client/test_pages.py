"""Lists, page by page."""

from typing import Any

import httpx2
import pytest

from wellkept.model.errors import ServerFailed


def page(*ids: str, ahead: str | None) -> httpx2.Response:
    keys = ("hint", "name", "userId")
    rows = [
        {"number": number, "role": "user", "text": text, "at": "2026-01-02T03:04:05Z"} | dict.fromkeys(keys, "")
        for number, text in enumerate(ids)
    ]
    return httpx2.Response(200, json={"data": rows, "nextCursor": ahead})


async def test_all_pages_are_read_one_after_the_other(both: Any, server: Any) -> None:
    server.answer(page("a", "b", ahead="c1+/="), page(ahead="c2"), page("c", ahead=None))
    rows = await both("turns.iter_messages", "ag", "s 1", limit=2)
    assert [row.text for row in rows] == ["a", "b", "c"]
    start = "/v1/agents/ag/sessions/s%201/messages?limit=2"
    assert [request.url.raw_path.decode() for request in server.requests] == [
        start,
        start + "&cursor=c1%2B%2F%3D",
        start + "&cursor=c2",
    ]


async def test_the_filters_stay(both: Any, server: Any) -> None:
    empty = {"data": [], "nextCursor": None}
    server.answer(httpx2.Response(200, json=empty | {"nextCursor": "c"}), httpx2.Response(200, json=empty))
    assert await both("memories.iter", "ag", user_id="", search="a&b +c", cursor="from") == []
    assert dict(server.requests[1].url.params) == {"userId": "", "search": "a&b +c", "cursor": "c"}


@pytest.mark.parametrize(
    ("path", "args"),
    [
        ("agents.iter", ()),
        ("agents.iter_versions", ("ag",)),
        ("memories.iter", ("ag",)),
        ("turns.iter_sessions", ("ag",)),
        ("turns.iter_messages", ("ag", "s")),
        ("review.iter", ()),
        ("audit.iter", ()),
    ],
)
async def test_every_list_can_be_gone_through(both: Any, server: Any, path: str, args: tuple[str, ...]) -> None:
    server.answer(httpx2.Response(200, json={"data": []}))
    assert await both(path, *args) == []


async def test_the_history_of_a_block_too(both: Any, server: Any) -> None:
    server.answer(httpx2.Response(200, json={"data": []}))
    assert await both("blocks.iter_history", "user", "USER", owner="u") == []


async def test_nothing_is_asked_before_it_is_needed(both: Any, server: Any) -> None:
    server.answer(page("a", ahead="c1"), page("b", ahead=None))
    rows = both.client.turns.iter_messages("ag", "s")
    assert server.requests == []
    if hasattr(rows, "__anext__"):
        assert (await anext(rows)).text == "a"
    else:
        assert next(rows).text == "a"
    assert len(server.requests) == 1


async def test_a_list_that_does_not_get_on_ends(both: Any, server: Any) -> None:
    server.answer(page("a", ahead="same"))
    with pytest.raises(ServerFailed, match="does not get on"):
        await both("turns.iter_messages", "ag", "s")
    assert len(server.requests) == 2
