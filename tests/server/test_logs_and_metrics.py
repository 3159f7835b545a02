"""What a server tells its operators, and what it never does."""

import asyncio

import httpx2

from house import OURS, House, open_house
from wellkept.server import Options

PLANTED = "planted-heliotrope"
USER = "planted-user"


async def test_a_request_is_one_line(house: House, http: httpx2.AsyncClient, agent: str) -> None:
    answer = await http.get(f"/v1/agents/{agent}/memories")
    [line] = house.logged()
    assert line.pop("ms") >= 0
    assert line.pop("timestamp").endswith("Z")
    assert line == {
        "event": "request",
        "level": "info",
        "request_id": answer.headers["X-Request-Id"],
        "client_request_id": None,
        "tenant": OURS,
        "method": "GET",
        "route": "/v1/agents/{agentId}/memories",
        "status": 200,
    }


async def test_a_server_that_is_about_to_stop_has_no_error_to_log(house: House, http: httpx2.AsyncClient) -> None:
    house.app.state.lifecycle.drain()
    answer = await http.get("/ready")
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "server_stopping")
    [line] = house.logged()
    assert (line["event"], line["level"], line["status"], line["route"]) == ("request", "info", 503, "/ready")


async def test_nothing_of_a_user_is_logged_or_counted(house: House, http: httpx2.AsyncClient, agent: str) -> None:
    base = f"/v1/agents/{agent}"
    query = {"owner": USER}
    made = await http.post(f"{base}/memories", json={"text": PLANTED, "userId": USER})
    async with house.user(USER) as mine, house.client("wk_" + PLANTED) as stranger:
        answers = [
            made,
            await http.get(f"{base}/memories", params={"search": PLANTED, "userId": USER}),
            await http.post(f"{base}/memories", json={"text": PLANTED, PLANTED: 1}),
            await http.put("/v1/blocks/user/USER", params=query, json={"text": PLANTED}),
            await http.patch("/v1/blocks/user/USER", params=query, json={"edit": {"action": "remove", "match": "x"}}),
            await http.put("/v1/blocks/user/USER", params=query, json={"text": "y"}, headers={"If-Match": '"x"'}),
            await http.post(f"{base}/sessions", json={"message": PLANTED, "sessionId": PLANTED}),
            await http.get(f"{base}/sessions/{PLANTED}"),
            await http.get(f"/{PLANTED}"),
            await http.request("PLANTED", "/v1/agents"),
            await mine.get(f"{base}/memories", params={"userId": PLANTED}),
            await stranger.get("/v1/agents"),
            await http.post("/v1/agents", content=PLANTED, headers={"Content-Type": "application/json"}),
        ]
    house.turns.raises = RuntimeError(PLANTED)
    answers.append(await http.post(f"{base}/generation", json={"prompt": PLANTED}))
    metrics = (await http.get("/metrics")).text
    assert [answer.status_code for answer in answers] == [
        201, 200, 400, 200, 404, 412, 201, 200, 404, 405, 403, 401, 400, 500,
    ]  # fmt: skip
    for text in (PLANTED, USER, house.key, "PLANTED", agent, made.json()["memory"]["id"]):
        assert text not in house.log.getvalue()
        assert text not in metrics


async def test_requests_are_counted_by_route(house: House, http: httpx2.AsyncClient, agent: str) -> None:
    for path in (f"/v1/agents/{agent}", "/v1/agents/other", "/nowhere/1", "/nowhere/2"):
        await http.get(path)

    def count(route: str, status: str) -> float | None:
        labels = {"route": route, "method": "GET", "status": status}
        return house.metrics.registry.get_sample_value("wellkept_http_requests_total", labels)

    assert count("/v1/agents/{agentId}", "200") == count("/v1/agents/{agentId}", "404") == 1
    assert count("none", "404") == 2
    assert house.metrics.registry.get_sample_value("wellkept_http_requests_in_flight") == 0
    seconds = {"route": "none", "method": "GET"}
    assert house.metrics.registry.get_sample_value("wellkept_http_request_seconds_count", seconds) == 2


async def test_metrics_are_open_to_this_machine_only(house: House) -> None:
    def from_(address: str, key: str = "", **headers: str) -> httpx2.AsyncClient:
        auth = {"Authorization": f"Bearer {key}"} if key else {}
        transport = httpx2.ASGITransport(house.app, client=(address, 5))
        return httpx2.AsyncClient(transport=transport, base_url="http://x", headers=auth | headers)

    for client, status in (
        (from_("127.0.0.1"), 200),
        (from_("::1"), 200),
        (from_("10.0.0.1"), 401),
        (from_("10.0.0.1", house.key), 200),
        (from_("10.0.0.1", house.key, **{"X-Wellkept-User-Id": "u"}), 403),
        (from_("127.0.0.1", **{"X-Forwarded-For": "127.0.0.1"}), 401),
        (from_("not an address"), 401),
    ):
        async with client:
            assert (await client.get("/metrics")).status_code == status
    async with open_house(options=Options(open_metrics=True)) as open_one:
        transport = httpx2.ASGITransport(open_one.app, client=("10.0.0.1", 5))
        async with httpx2.AsyncClient(transport=transport, base_url="http://x") as client:
            answer = await client.get("/metrics")
            assert (answer.status_code, answer.headers["Content-Type"].split(";")[0]) == (200, "text/plain")


async def test_a_slow_turn_is_in_flight(house: House, http: httpx2.AsyncClient, agent: str) -> None:
    house.turns.waits = asyncio.Event()
    running = asyncio.create_task(http.post(f"/v1/agents/{agent}/generation", json={"prompt": "hi"}))
    await house.turns.begun.wait()
    assert house.metrics.registry.get_sample_value("wellkept_turns_in_flight") == 1
    assert house.metrics.registry.get_sample_value("wellkept_http_requests_in_flight") == 1
    house.turns.waits.set()
    await running
    assert house.metrics.registry.get_sample_value("wellkept_turns_total", {"outcome": "done"}) == 1
