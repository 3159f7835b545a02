"""Bodies and queries that are not what they should be."""

import json

import httpx2
import pytest

BODIES = [
    ('{"text":"a","text":"b"}', "/text"),
    ('{"text":"x","userId":"a","userId":"b"}', "/userId"),
    ('{"text":NaN}', ""),
    ('{"text":Infinity}', ""),
    ('{"text":"x","pinned":1e400}', "/pinned"),
    ('{"text":' + "9" * 5_000 + "}", "/text"),
    ("[" * 5_000, ""),
    ("[" * 100 + "]" * 100, ""),
    ('{"text":"\\ud800"}', "/text"),
    ('{"text":"\\udfff\\ud800"}', "/text"),
    ('{"text":"\\u0000"}', "/text"),
    ('{"text":"x","\\u0000":1}', ""),
    ('\ufeff{"text":"x"}', ""),
    ('{"text":1}', "/text"),
    ('{"text":null}', "/text"),
    ('{"text":["a"]}', "/text"),
    ('{"text":"x","userId":{"$gt":""}}', "/userId"),
    ('{"text":"x","userId":true}', "/userId"),
    ('{"text":"x","userId":0}', "/userId"),
    ('{"text":"x","userId":null}', "/userId"),
    ('{"text":"x","agentId":"other"}', "/agentId"),
    ('{"text":"x","tenantId":"other"}', "/tenantId"),
    ('{"text":"x","a/b~c":1}', "/a~1b~0c"),
    ('{"text":""}', "/text"),
    ('{"text":" \\u200b"}', "/text"),
    ('{"text":"' + "x" * 10_241 + '"}', "/text"),
    ('{"userId":"a"}', "/text"),
    ("", ""),
    ("null", ""),
    ("[]", ""),
    ('"x"', ""),
    ('{"text":"x"', ""),
    ('{"text":"x"} {}', ""),
    ("text=x", ""),
]


@pytest.mark.parametrize(("body", "path"), BODIES, ids=range(len(BODIES)))
async def test_a_bad_body_is_refused_and_says_where(http: httpx2.AsyncClient, agent: str, body: str, path: str) -> None:
    answer = await http.post(
        f"/v1/agents/{agent}/memories", content=body.encode(), headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == 400, answer.text
    error = answer.json()["error"]
    assert error["code"] == "validation_failed"
    [issue] = error["details"]["issues"]
    assert (issue["location"], issue["path"]) == ("body", path)
    assert issue["message"]
    assert issue["code"]
    listed = await http.get(f"/v1/agents/{agent}/memories")
    assert listed.json()["data"] == []


async def test_a_body_that_is_not_utf8_is_refused(http: httpx2.AsyncClient, agent: str) -> None:
    answer = await http.post(
        f"/v1/agents/{agent}/memories", content=b'{"text":"\xff"}', headers={"Content-Type": "application/json"}
    )
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "validation_failed")


@pytest.mark.parametrize(
    ("field", "path"),
    [
        ({"workingMemory": {"autoLoad": [{"scope": "user", "key": "A"}, {"scope": "usr", "key": "B"}]}},
         "/workingMemory/autoLoad/1/scope"),
        ({"workingMemory": {"autoLoad": [{"scope": "user", "key": "a b"}]}}, "/workingMemory/autoLoad/0/key"),
        ({"workingMemory": {"autoLoad": [{"scope": "user"}]}}, "/workingMemory/autoLoad/0/key"),
        ({"workingMemory": {"autoLoad": [{"scope": "user", "key": "A", "x": 1}]}}, "/workingMemory/autoLoad/0/x"),
        ({"memories": {"poolCap": 0}}, "/memories/poolCap"),
        ({"metadata": {"a": 1}}, "/metadata"),
        ({"tools": ["memory", "rm"]}, "/tools"),
        ({"tools": [1]}, "/tools/0"),
    ],
)  # fmt: skip
async def test_the_place_of_a_nested_fault_is_a_json_pointer(
    http: httpx2.AsyncClient, field: dict[str, object], path: str
) -> None:
    answer = await http.post("/v1/agents", json={"name": "A", **field})
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert error["details"]["issues"][0]["path"] == path
    assert error["param"] == path[1:]


@pytest.mark.parametrize(
    "kind",
    ["", "text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin-1", "application/jsonp"],
)
async def test_a_body_that_is_not_sent_as_json_is_refused(http: httpx2.AsyncClient, agent: str, kind: str) -> None:
    headers = {"Content-Type": kind} if kind else {}
    answer = await http.post(f"/v1/agents/{agent}/memories", content=b'{"text":"x"}', headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (415, "unsupported_media")


@pytest.mark.parametrize(
    "kind", ["application/json", "Application/JSON; charset=UTF-8", 'application/json;charset="utf-8"']
)
async def test_json_may_say_that_it_is_utf8(http: httpx2.AsyncClient, agent: str, kind: str) -> None:
    body = json.dumps({"text": "x"}).encode()
    answer = await http.post(f"/v1/agents/{agent}/memories", content=body, headers={"Content-Type": kind})
    assert answer.status_code == 201


async def test_a_compressed_body_is_refused(http: httpx2.AsyncClient, agent: str) -> None:
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    answer = await http.post(f"/v1/agents/{agent}/memories", content=b"\x1f\x8b", headers=headers)
    assert answer.status_code == 415


@pytest.mark.parametrize(
    ("query", "param"),
    [
        ("userId=a&userId=b", "userId"),
        ("userId[]=a", "userId[]"),
        ("user_id=a", "user_id"),
        ("limit=-1", "limit"),
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("limit=1e9", "limit"),
        ("limit=" + "9" * 400, "limit"),
        ("limit=+5", "limit"),
        ("limit=5.0", "limit"),
        ("limit=%D9%A5", "limit"),
        ("limit=", "limit"),
        ("mode=fuzzy", "mode"),
        ("search=", "search"),
        ("search=%20%20", "search"),
        ("search=a%00b", "search"),
        ("userId=%00", "userId"),
        ("userId=%20a", "userId"),
        ("userId=%ED%A0%80", "userId"),
        ("%ff=1", "query"),
    ],
)
async def test_a_bad_query_is_refused_and_says_where(
    http: httpx2.AsyncClient, agent: str, query: str, param: str
) -> None:
    answer = await http.get(f"/v1/agents/{agent}/memories?{query}")
    assert answer.status_code == 400, answer.text
    error = answer.json()["error"]
    assert (error["code"], error["param"]) == ("validation_failed", param)
    assert error["details"]["issues"][0]["location"] == "query"


async def test_a_user_called_null_is_a_user(http: httpx2.AsyncClient, agent: str) -> None:
    for user in ("null", "None", "undefined", "true", "0"):
        made = await http.post(f"/v1/agents/{agent}/memories", json={"text": f"of {user}", "userId": user})
        page = await http.get(f"/v1/agents/{agent}/memories", params={"userId": user})
        assert [row["id"] for row in page.json()["data"]] == [made.json()["memory"]["id"]]


async def test_an_endpoint_without_a_body_takes_none(http: httpx2.AsyncClient, agent: str) -> None:
    assert (await http.post(f"/v1/agents/{agent}/disable")).status_code == 200
    assert (await http.post(f"/v1/agents/{agent}/enable", json={})).status_code == 200
    answer = await http.post(f"/v1/agents/{agent}/enable", json={"force": True})
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, "force")
