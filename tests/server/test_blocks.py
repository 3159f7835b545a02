"""Blocks over HTTP, and the conditions of HTTP on them."""

import hashlib
from typing import Any

import httpx2
import pytest

PATH, OWNER = "/v1/blocks/user/USER", {"owner": "u/1"}


def tag(text: str) -> str:
    return f'"{hashlib.sha256(text.encode()).hexdigest()}"'


async def put(http: httpx2.AsyncClient, text: str, **headers: str) -> httpx2.Response:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return await http.put(PATH, params=OWNER, json={"text": text}, headers=names)


async def read(http: httpx2.AsyncClient) -> Any:
    return (await http.get(PATH, params=OWNER)).json()


async def test_a_block_is_written_read_listed_edited_and_deleted(http: httpx2.AsyncClient) -> None:
    made = await put(http, "- name: Sam")
    assert (made.status_code, made.json()["changed"], made.headers["ETag"]) == (200, True, tag("- name: Sam"))
    assert (await put(http, "- name: Sam")).json()["changed"] is False
    block = await read(http)
    assert (block["scope"], block["owner"], block["key"], block["chars"]) == ("user", "u/1", "USER", 11)
    listed = await http.get("/v1/blocks", params={"scope": "user", **OWNER})
    assert listed.json() == {"data": [block], "nextCursor": None}
    edited = await http.patch(PATH, params=OWNER, json={"edit": {"action": "add", "content": "plan: pro"}})
    assert edited.json()["block"]["text"] == "- name: Sam\n§\nplan: pro"
    assert (await http.delete(PATH, params=OWNER)).status_code == 204
    assert (await http.get(PATH, params=OWNER)).status_code == 404
    assert (await http.delete(PATH, params=OWNER)).status_code == 404


async def test_history_is_listed_compared_and_restored(http: httpx2.AsyncClient) -> None:
    for text in ("one", "two", "three"):
        await put(http, text)
    first = (await http.get(f"{PATH}/revisions", params=OWNER | {"limit": "2"})).json()
    rest = (await http.get(f"{PATH}/revisions", params=OWNER | {"limit": "2", "cursor": first["nextCursor"]})).json()
    assert [row["text"] for row in first["data"] + rest["data"]] == ["three", "two", "one"]
    assert rest["nextCursor"] is None
    other = await http.get("/v1/blocks/user/OTHER/revisions", params=OWNER | {"cursor": first["nextCursor"]})
    assert other.json()["error"]["code"] == "invalid_cursor"
    diff = (await http.get(f"{PATH}/revisions/diff", params=OWNER | {"old": "1", "new": "3"})).json()["diff"]
    assert "-one" in diff
    assert "+three" in diff
    restored = await http.post(f"{PATH}/revisions/restore", params=OWNER, json={"number": 1})
    assert restored.json()["block"]["text"] == "one"
    assert (await http.post(f"{PATH}/revisions/restore", params=OWNER, json={"number": 99})).status_code == 404


async def test_a_reader_who_has_the_text_is_told_so(http: httpx2.AsyncClient) -> None:
    await put(http, "text")
    for known in (tag("text"), f"W/{tag('text')}", "*", f'"x", {tag("text")} , "y"'):
        answer = await http.get(PATH, params=OWNER, headers={"If-None-Match": known})
        assert (answer.status_code, answer.content, answer.headers["ETag"]) == (304, b"", tag("text")), known
    for other in (tag("other"), '"x", "y"'):
        assert (await http.get(PATH, params=OWNER, headers={"If-None-Match": other})).status_code == 200


async def test_a_write_replaces_the_text_it_names(http: httpx2.AsyncClient) -> None:
    await put(http, "one")
    assert (await put(http, "two", If_Match=tag("one"))).status_code == 200
    assert (await put(http, "three", If_Match=f'"x", {tag("two")}, "y"')).status_code == 200
    assert (await put(http, "four", If_Match="*")).status_code == 200
    assert (await put(http, "five", If_None_Match=tag("other"))).status_code == 200
    assert (await read(http))["text"] == "five"


STALE = [
    {"If_Match": tag("old")},
    {"If_Match": f'{tag("old")}, "x"'},
    {"If_Match": f"W/{tag('now')}"},
    {"If_None_Match": "*"},
    {"If_None_Match": tag("now")},
    {"If_None_Match": f"W/{tag('now')}"},
]


@pytest.mark.parametrize("headers", STALE, ids=range(len(STALE)))
async def test_a_stale_write_changes_nothing_and_names_what_is_there(
    http: httpx2.AsyncClient, headers: dict[str, str]
) -> None:
    await put(http, "now")
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    answers = [
        await put(http, "new", **headers),
        await http.patch(PATH, params=OWNER, json={"edit": {"action": "add", "content": "x"}}, headers=names),
        await http.delete(PATH, params=OWNER, headers=names),
    ]
    for answer in answers:
        error = answer.json()["error"]
        assert (answer.status_code, error["code"]) == (412, "precondition_failed")
        assert f'"{error["details"]["etag"]}"' == answer.headers["ETag"] == tag("now")
    assert (await read(http))["text"] == "now"


async def test_what_is_stored_already_is_no_conflict(http: httpx2.AsyncClient) -> None:
    await put(http, "now")
    for headers in ({"If_Match": tag("old")}, {"If_Match": f"W/{tag('now')}"}, {"If_None_Match": "*"}):
        again = await put(http, "now", **headers)
        assert (again.status_code, again.json()["changed"]) == (200, False), headers


async def test_a_condition_on_nothing(http: httpx2.AsyncClient) -> None:
    for headers in ({"If_Match": tag("old")}, {"If_Match": "*"}, {"If_Match": '"a", "b"'}):
        answer = await put(http, "new", **headers)
        assert (answer.status_code, answer.json()["error"]["code"]) == (412, "precondition_failed"), headers
        assert "ETag" not in answer.headers
    assert (await put(http, "new", If_None_Match="*")).status_code == 200


async def test_headers_that_are_no_conditions_are_refused(http: httpx2.AsyncClient) -> None:
    await put(http, "now")
    for headers in (
        {"If_Match": "unquoted"},
        {"If_Match": ""},
        {"If_Match": '"a" "b"'},
        {"If_Match": '"a'},
        {"If_None_Match": '*, "a"'},
        {"If_Match": tag("now"), "If_None_Match": "*"},
    ):
        answer = await put(http, "new", **headers)
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "validation_failed"), headers


async def test_safety_that_is_not_given_is_not_promised(http: httpx2.AsyncClient, agent: str) -> None:
    answers = [
        await http.put(f"/v1/agents/{agent}", json={"name": "x"}, headers={"If-Match": '"a"'}),
        await http.delete(f"/v1/agents/{agent}", headers={"If-None-Match": "*"}),
        await http.post(f"/v1/agents/{agent}/disable", headers={"Idempotency-Key": "k"}),
        await http.post("/v1/keys", json={"name": "x"}, headers={"Idempotency-Key": "k"}),
        await http.patch(
            PATH, params=OWNER, json={"edit": {"action": "write", "text": "x"}}, headers={"Idempotency-Key": "k"}
        ),
    ]
    assert [answer.status_code for answer in answers] == [400] * 5
    assert [answer.json()["error"]["details"]["issues"][0]["location"] for answer in answers] == ["header"] * 5


async def test_limits_and_matches_are_typed_refusals(http: httpx2.AsyncClient) -> None:
    over = await http.put(PATH, params=OWNER, json={"text": "x" * 11, "limit": 10})
    assert (over.status_code, over.json()["error"]["code"]) == (422, "over_limit")
    await put(http, "tea\n§\nteapot")
    for match, status, code in (("coffee", 404, "entry_not_found"), ("te", 422, "entry_ambiguous")):
        answer = await http.patch(PATH, params=OWNER, json={"edit": {"action": "remove", "match": match}})
        error = answer.json()["error"]
        assert (answer.status_code, error["code"]) == (status, code)
        assert error["details"]["candidates"] == ["tea", "teapot"]


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/v1/blocks/team/USER", OWNER),
        ("/v1/blocks/user/a%2Fb", OWNER),
        ("/v1/blocks/user/%00", OWNER),
        (PATH, {}),
        (PATH, {"owner": ""}),
        (PATH, {"owner": " a"}),
        (PATH, {"owner": "a\x00"}),
    ],
)
async def test_a_bad_address_of_a_block_is_refused(http: httpx2.AsyncClient, path: str, query: dict[str, str]) -> None:
    for answer in (await http.get(path, params=query), await http.put(path, params=query, json={"text": "x"})):
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "validation_failed")


async def test_memories_mind_conditions_too(http: httpx2.AsyncClient, agent: str) -> None:
    made = await http.post(f"/v1/agents/{agent}/memories", json={"text": "now"})
    path = made.headers["Location"]
    for headers in ({"If-Match": tag("old")}, {"If-None-Match": "*"}, {"If-None-Match": tag("now")}):
        for answer in (
            await http.patch(path, json={"text": "new"}, headers=headers),
            await http.delete(path, headers=headers),
        ):
            assert (answer.status_code, answer.headers["ETag"]) == (412, tag("now"))
    assert (await http.patch(path, json={"text": "now"}, headers={"If-Match": tag("old")})).status_code == 200
    assert (await http.patch(path, json={"text": "new"}, headers={"If-Match": tag("now")})).status_code == 200
    assert (await http.patch(path, json={"pinned": True}, headers={"If-Match": "*"})).status_code == 200
    assert (await http.delete(path, headers={"If-Match": tag("new")})).status_code == 204
    assert (await http.delete(path, headers={"If-Match": "*"})).status_code == 404
