"""Three conversations with a server: the prompt of the third knows what was said in the first, until it is erased."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2

from house import OURS
from wellkept.client.async_client import AsyncClient
from wellkept.compose.assemble import Services, assemble
from wellkept.compose.stores import open_stores
from wellkept.model.directory import Tenant
from wellkept.model.ids import UserId
from wellkept.model.recall import RecallSettings
from wellkept.rules.render import PASSAGES_TITLE, parse_rendered
from wellkept.runtime.runtime import Runtime
from wellkept.server import create_app
from wellkept.server.runtime_turns import RuntimeTurns

DOG = "My dog is called Rex, and he likes tea."
QUESTION = "What is my dog called?"


@asynccontextmanager
async def opened(url: str, key: str = "") -> AsyncIterator[tuple[AsyncClient, Services, str]]:
    """A client of a server over the store, and its key; made when it is not given."""
    services = assemble(await open_stores(url))
    try:
        async with Runtime(services=services, default_model="offline") as runtime:
            if not key:
                await services.stores.directory.put_tenant(Tenant(id=OURS, name="us", created_at=services.clock.now()))
                key = (await services.keys.create(OURS, "test"))[1]
            transport = httpx2.ASGITransport(create_app(services, RuntimeTurns(runtime)))
            async with AsyncClient(api_key=key, base_url="http://x", transport=transport) as client:
                yield client, services, key
    finally:
        await services.close()


async def test_a_story_in_three_sessions(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/data.db"
    async with opened(url) as (client, _, key):
        agent = (await client.agents.create(name="Support", recall=RecallSettings())).id
        assert (await client.agents.get(agent)).recall == RecallSettings()
        await client.turns.run(agent, DOG, user_id="maya", session_id="s1")
        await client.turns.run(agent, "The sky is grey today.", user_id="maya", session_id="s2")
        day = (await client.turns.messages(agent, "s1")).data[0].at.date()
    async with opened(url, key) as (client, services, _):  # stopping had waited for what was being kept
        context = await client.context.render(agent, user_id="maya", session_id="s3", query=QUESTION)
        first = parse_rendered(context.text)[0]
        assert (first.kind, first.text) == ("passage", DOG)
        assert context.text.startswith(PASSAGES_TITLE)
        assert f"### {first.id} ({day})\n\n| user:\n| {DOG}" in context.text
        answer = await client.turns.run(agent, QUESTION, user_id="maya", session_id="s3")
        assert first.id in [piece.id for piece in answer.receipt.pieces]
        for user in ("sam", None):
            assert (await client.context.render(agent, user_id=user, query=QUESTION)).text == ""

        await services.ingestion.settled()
        assert await services.recall.purge_user(OURS, UserId("maya")) > 0
        assert (await client.context.render(agent, user_id="maya", session_id="s4", query=QUESTION)).text == ""
        assert (await client.turns.search_past(agent, QUESTION, user_id="maya")).data == ()


async def test_a_deleted_session_and_a_deleted_agent_leave_no_passage() -> None:
    async with opened("inproc://") as (client, services, _):
        agents = [(await client.agents.create(name="Support", recall=RecallSettings())).id for _ in range(2)]
        for agent in agents:
            for session in ("s1", "s2"):
                await client.turns.run(agent, DOG, user_id="maya", session_id=session)
        await services.ingestion.settled()
        await client.turns.delete_session(agents[0], "s1")
        assert (await client.passages.stats(agents[0])).sessions == 1
        await client.agents.delete(agents[1])
        assert (await services.recall.stats(OURS)).sessions == 1
