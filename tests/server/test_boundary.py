"""What holds for every request: who asks, ids, errors, routes."""

import re

import httpx2
import pytest

from house import House
from wellkept.wire.endpoints import ENDPOINTS

REQUEST_ID = re.compile(r"req_[0-9A-Za-z]{16}")
OPEN = {endpoint.path for endpoint in ENDPOINTS if not endpoint.needs_key}
ADDRESSES = [(endpoint.method, endpoint.path) for endpoint in ENDPOINTS if endpoint.needs_key]
BAD_HEADERS = [
    b"",
    b"Bearer",
    b"Bearer ",
    "Bearer é".encode(),
    b"Bearer KEY\t",
    b"Bearer\tKEY",
    b"Bearer KEY KEY",
    b"Bearer KEY, Bearer KEY",
    b"Basic a2V5Og==",
    b"Bearer null",
    b"Bearer undefined",
    b"KEY",
    b"Bearer " + b"a" * 100_000,
    b"Bearer \x00",
    b"\xff\xfe",
]


@pytest.mark.parametrize("header", BAD_HEADERS, ids=lambda header: header[:20].hex())
async def test_every_bad_header_has_the_same_answer(house: House, agent: str, header: bytes) -> None:
    header = header.replace(b"KEY", house.key.encode())
    async with house.client("") as http:
        nothing = await http.get(f"/v1/agents/{agent}/memories")
        answer = await http.get(f"/v1/agents/{agent}/memories", headers=[(b"Authorization", header)])
    assert (answer.status_code, answer.text) == (401, nothing.text)
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert answer.json()["error"]["code"] == "unauthorized"


async def test_two_keys_are_no_key(house: House) -> None:
    header = (b"Authorization", f"Bearer {house.key}".encode())
    async with house.client("") as http:
        assert (await http.get("/v1/agents", headers=[header])).status_code == 200
        assert (await http.get("/v1/agents", headers=[header, header])).status_code == 401


@pytest.mark.parametrize("scheme", ["bearer", "BEARER", "bEaReR"])
async def test_the_scheme_is_read_in_any_case_and_the_key_exactly(house: House, scheme: str) -> None:
    async with house.client("") as http:
        good = await http.get("/v1/agents", headers={"Authorization": f"{scheme} {house.key}"})
        assert good.status_code == 200
        swapped = await http.get("/v1/agents", headers={"Authorization": f"{scheme} {house.key.swapcase()}"})
        assert swapped.status_code == 401


async def test_a_revoked_key_is_no_key(house: House, http: httpx2.AsyncClient) -> None:
    made = (await http.post("/v1/keys", json={"name": "short-lived"})).json()
    async with house.client(made["secret"]) as other:
        assert (await other.get("/v1/agents")).status_code == 200
        assert (await http.delete(f"/v1/keys/{made['key']['id']}")).status_code == 204
        assert (await other.get("/v1/agents")).status_code == 401


@pytest.mark.parametrize(("method", "path"), ADDRESSES)
async def test_nothing_is_read_before_the_key(house: House, method: str, path: str) -> None:
    async with house.client("") as http:
        answer = await http.request(method, path, content=b"not json", headers={"Content-Type": "text/plain"})
    assert answer.status_code == 401


@pytest.mark.parametrize(
    "path",
    [
        "/V1/agents/x/memories",
        "//v1/agents",
        "/v1//agents",
        "/v1/agents/",
        "/v1/agents/x/memories;admin=1",
        "/",
        "/admin",
        "/v1/agents/..%2f..%2fadmin",
        "/Live",
        "/live/",
        "/v1/agents/a/b/c/d/e",
    ],
)
async def test_no_address_gets_around_the_key(house: House, path: str) -> None:
    async with house.client("") as nobody, house.client() as http:
        assert (await nobody.get(path)).status_code == 401
        answer = await http.get(path)
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")


async def test_health_and_the_document_need_no_key(house: House) -> None:
    async with house.client("") as http:
        assert (await http.get("/live")).json() == {"status": "live"}
        assert (await http.get("/ready")).json()["status"] == "ready"
        assert (await http.get("/openapi.json")).json()["openapi"] == "3.1.0"


async def test_every_answer_names_its_request(house: House, http: httpx2.AsyncClient) -> None:
    async with house.client("") as nobody:
        answers = [
            await http.get("/v1/agents"),
            await http.get("/nowhere"),
            await http.delete("/v1/agents"),
            await nobody.get("/v1/agents"),
            await nobody.get("/live"),
        ]
    ids = [answer.headers["X-Request-Id"] for answer in answers]
    assert all(map(REQUEST_ID.fullmatch, ids))
    assert len(set(ids)) == len(ids)


async def test_the_callers_own_id_is_logged_or_refused(house: House, http: httpx2.AsyncClient) -> None:
    good = await http.get("/v1/agents", headers={"X-Client-Request-Id": "trace.1:2_3-4"})
    assert good.status_code == 200
    assert house.logged()[-1]["client_request_id"] == "trace.1:2_3-4"
    for bad in (b"a b", b"", b"x" * 129, b"a\xff"):
        answer = await http.get("/v1/agents", headers=[(b"X-Client-Request-Id", bad)])
        assert (answer.status_code, answer.json()["error"]["param"]) == (400, "X-Client-Request-Id"), bad
        assert answer.json()["error"]["details"]["issues"][0]["location"] == "header"


async def test_a_wrong_method_is_told_all_right_ones(http: httpx2.AsyncClient, agent: str) -> None:
    answer = await http.post(f"/v1/agents/{agent}/memories/mem_0000000000000000")
    assert (answer.status_code, answer.json()["error"]["code"]) == (405, "method_not_allowed")
    assert answer.headers["Allow"] == "DELETE, GET, HEAD, PATCH"
    assert (await http.options("/v1/agents")).headers["Allow"] == "GET, HEAD, POST"
    assert (await http.post("/openapi.json")).headers["Allow"] == "GET, HEAD"


async def test_head_answers_as_get_without_the_body(http: httpx2.AsyncClient, agent: str) -> None:
    got, head = await http.get(f"/v1/agents/{agent}"), await http.head(f"/v1/agents/{agent}")
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["Content-Length"] == got.headers["Content-Length"]
    assert (await http.head("/live")).status_code == 200


async def test_what_nobody_foresaw_is_internal_and_logged_without_its_message(
    house: House, http: httpx2.AsyncClient, agent: str
) -> None:
    house.turns.raises = ValueError("the planted secret text")
    answer = await http.post(f"/v1/agents/{agent}/generation", json={"prompt": "hello"})
    assert answer.status_code == 500
    assert answer.json()["error"] == {
        "code": "internal",
        "message": "Something went wrong in the server; its log has the request's id.",
    }
    told = next(line for line in house.logged() if line["event"] == "request_failed")
    assert told["request_id"] == answer.headers["X-Request-Id"]
    assert "ValueError" in told["trace"]
    assert "in run" in told["trace"]
    assert "planted" not in house.log.getvalue()


async def test_large_bodies_and_heads_are_refused(house: House, http: httpx2.AsyncClient, agent: str) -> None:
    path = f"/v1/agents/{agent}/memories"

    async def pieces():  # type: ignore[no-untyped-def]
        for _ in range(20):
            yield b"x" * 100_000
        raise AssertionError("read on after it was too much")

    said = await http.post(
        path, content=b'{"text":"' + b"x" * 1_048_576 + b'"}', headers={"Content-Type": "application/json"}
    )
    assert (said.status_code, said.json()["error"]["code"]) == (413, "too_large")
    streamed = await http.post(path, content=b"x" * 2_000_000, headers={"Content-Type": "application/json"})
    assert streamed.status_code == 413
    head = await http.get(path, headers={"X-Anything": "x" * 70_000})
    assert (head.status_code, head.json()["error"]["code"]) == (431, "head_too_large")
    many = await http.get(path, headers=[(f"X-{number}", "1") for number in range(300)])
    assert many.status_code == 431
    address = await http.get(path, params={"search": "w " * 32_700})
    assert address.status_code == 431


async def test_an_id_with_a_slash_reaches_its_own_endpoint(http: httpx2.AsyncClient, agent: str) -> None:
    made = await http.post(f"/v1/agents/{agent}/sessions", json={"message": "hi", "sessionId": "a/b c%2F?#"})
    assert made.status_code == 201
    assert made.headers["Location"] == f"/v1/agents/{agent}/sessions/a%2Fb%20c%252F%3F%23"
    found = await http.get(made.headers["Location"])
    assert (found.status_code, found.json()["id"]) == (200, "a/b c%2F?#")
    messages = await http.get(made.headers["Location"] + "/messages")
    assert [row["role"] for row in messages.json()["data"]] == ["user", "assistant"]
    assert (await http.get(f"/v1/agents/{agent}/sessions/messages/messages")).status_code == 404


async def test_an_address_that_is_not_utf8_is_refused(http: httpx2.AsyncClient, agent: str) -> None:
    for path in (f"/v1/agents/{agent}/sessions/%ff", f"/v1/agents/{agent}/memories?userId=%ff", "/v1/agents/%ff"):
        answer = await http.get(path)
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "validation_failed")
