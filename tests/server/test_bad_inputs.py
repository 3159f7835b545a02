"""Every hostile or odd input of the shared list that a server can meet, through REST."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2
import pytest

from house import THEIRS, House, open_house

ROWS: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "badinputs.jsonl").read_text("utf-8").splitlines()
]


@pytest.fixture(params=["inproc://", "sqlite"])
async def house(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[House]:
    url = request.param if "://" in request.param else f"sqlite:///{tmp_path}/data.db"
    async with open_house(url) as made:
        yield made


def rows(field: str) -> list[dict[str, Any]]:
    found = [row for row in ROWS if row["field"] == field]
    assert found
    return found


def text_of(value: Any) -> str:
    if isinstance(value, dict):
        return str(value.get("prefix", "")) + str(value["repeat"]) * int(value["times"])
    return str(value)


def encoded(value: str) -> str:
    """Percent-encode, lone surrogates as the bytes that a careless program makes of them."""
    return quote(value.encode("utf-8", "surrogatepass"), safe="")


def is_refusal(answer: httpx2.Response, *statuses: int) -> bool:
    return answer.status_code in (statuses or (400,)) and set(answer.json()) == {"error"}


async def test_owners_and_keys_are_refused_or_kept_apart(house: House) -> None:
    async with house.client() as http:
        await http.put("/v1/blocks/user/USER?owner=neighbour", json={"text": "neighbour's"})
        for row in rows("owner"):
            value = encoded(text_of(row["value"]))
            if len(value) > 60_000:
                continue  # longer than a client sends; over a socket it is a 431, as `test_sockets` holds
            path = f"/v1/blocks/user/USER?owner={value}"
            put = await http.put(path, json={"text": row["id"]})
            if not is_refusal(put):
                assert put.status_code == 200, row
                assert (await http.get(path)).json()["text"] == row["id"], row
                assert put.json()["block"]["owner"] == text_of(row["value"])
        for row in rows("key"):
            if len(encoded(text_of(row["value"]))) > 60_000:
                continue
            path = f"/v1/blocks/user/{encoded(text_of(row['value']))}?owner=o"
            put = await http.put(path, json={"text": row["id"]})
            if not is_refusal(put, 400, 404, 405):  # the client itself folds `.` and `..` away
                assert put.status_code == 200, row
                assert (await http.get(path)).json()["text"] == row["id"], row
        assert (await http.get("/v1/blocks/user/USER?owner=neighbour")).json()["text"] == "neighbour's"


async def test_users_are_refused_or_kept_apart(house: House) -> None:
    agent = await house.agent()
    async with house.client() as http:
        for row in rows("owner_pair"):
            made: dict[str, str] = {}
            for value in row["value"]:
                body = json.dumps({"text": f"of {row['id']} {len(made)}", "userId": value})
                answer = await http.post(
                    f"/v1/agents/{agent}/memories", content=body, headers={"Content-Type": "application/json"}
                )
                if not is_refusal(answer):
                    made[value] = answer.json()["memory"]["id"]
            for value, id in made.items():
                page = await http.get(f"/v1/agents/{agent}/memories?limit=100&userId={encoded(value)}")
                ids = {memory["id"] for memory in page.json()["data"]}
                assert id in ids, row
                assert not ids & (set(made.values()) - {id}), row


async def test_texts_come_back_from_blocks_or_are_refused(house: House) -> None:
    async with house.client() as http:
        for row in rows("text"):
            text, path = text_of(row["value"]), f"/v1/blocks/user/{row['id']}?owner=o"
            body = json.dumps({"edit": {"action": "add", "content": text}})
            answer = await http.patch(path, content=body, headers={"Content-Type": "application/json"})
            refused = is_refusal(answer, 400, 413, 422)
            assert refused if row["expect"] == "reject" else refused or answer.status_code == 200, row
            if row["expect"].startswith("roundtrip") or not refused:
                assert (await http.get(path)).json()["text"] == text, row


async def test_texts_come_back_from_memories_or_are_refused(house: House) -> None:
    agent = await house.agent()
    async with house.client() as http:
        for row in rows("text"):
            text = text_of(row["value"])
            answer = await http.post(
                f"/v1/agents/{agent}/memories",
                content=json.dumps({"text": text}),
                headers={"Content-Type": "application/json"},
            )
            # The list's limit is that of blocks, 10,000 characters; a memory has 10,240 bytes.
            fits = len(text.encode("utf-8", "surrogatepass")) <= 10_240
            if not fits or (row["expect"] == "reject" and row["why"] != "limit+1"):
                assert is_refusal(answer, 400, 413), row
            else:
                assert answer.status_code == 201, row
                got = await http.get(answer.headers["Location"])
                assert got.json()["memory"]["text"] == text, row


async def test_any_search_is_answered_with_own_rows(house: House) -> None:
    agent = await house.agent()
    path = f"/v1/agents/{agent}/memories"
    async with house.client() as http, house.user("me") as mine:
        await http.post(path, json={"text": "foo bar col x a it's user_id where own rows", "userId": "other"})
        for row in rows("search"):
            search = text_of(row["value"])
            if len(search) > 60_000:
                continue  # longer than a client sends; over a socket it is a 431, as `test_sockets` holds
            for mode in ("web", "ranked"):
                answer = await mine.get(f"{path}?mode={mode}&search={encoded(search)}")
                assert answer.status_code in (200, 400), row
                assert answer.json().get("data", []) == [], row
            found = await http.post(
                f"/v1/agents/{agent}/turn/memories/search",
                content=json.dumps({"query": search, "userId": "me"}),
                headers={"Content-Type": "application/json"},
            )
            assert found.status_code in (200, 400), row
            assert found.json().get("data", []) == [], row


async def test_bodies_are_refused(house: House) -> None:
    agent = await house.agent()
    async with house.client() as http:
        for row in rows("body"):
            for path in (f"/v1/agents/{agent}/memories", "/v1/agents", f"/v1/agents/{agent}/context", "/v1/keys"):
                content = text_of(row["value"]).encode("utf-8", "surrogatepass")
                answer = await http.post(path, content=content, headers={"Content-Type": "application/json"})
                assert is_refusal(answer), (row, path)
        assert (await http.get(f"/v1/agents/{agent}/memories")).json()["data"] == []


async def test_bad_keys_have_one_answer(house: House) -> None:
    answers = []
    async with house.client("") as http:
        for row in rows("authorization"):
            value = text_of(row["value"]).encode()
            answers.append(await http.get("/v1/agents", headers=[(b"Authorization", value)]))
    assert {answer.status_code for answer in answers} == {401}
    assert len({answer.text for answer in answers}) == 1


async def test_addresses_lead_nowhere_else(house: House) -> None:
    agent, theirs = await house.agent(), await house.agent(tenant=THEIRS)
    async with house.client(house.their_key) as other:
        for text in ("foreign one", "foreign two"):
            await other.post(f"/v1/agents/{theirs}/memories", json={"text": text})
        cursor = (await other.get(f"/v1/agents/{theirs}/memories?limit=1")).json()["nextCursor"]
    async with house.client() as http, house.client("") as nobody:
        for row in rows("url"):
            url = row["value"].replace("agents/x/", f"agents/{agent}/").replace("<other tenant cursor>", cursor)
            answer = await http.get(url)
            assert is_refusal(answer, 400, 404), row
            assert (await nobody.get(url)).status_code == 401, row


def test_no_row_is_left_out() -> None:
    met = {"owner", "key", "owner_pair", "text", "search", "body", "authorization", "url"}
    assert {row["field"] for row in ROWS} == met
